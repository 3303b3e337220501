// SPDX-License-Identifier: MIT
/* What is laid out before the jobs, and whether all that a run makes fits on its filesystems. */
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "../job/units.h"
#include "../measure/machine.h"

/* Plays the run through: how large each file is before each stage. */
struct space {
	uint64_t size;  /* of the file, before the stage and with what is laid out for it */
	uint64_t written; /* its size where a stage so far wrote it */
	uint64_t alloc; /* what it occupies */
	size_t writer;  /* stage that has a writer of it so far, + 1 */
	size_t fs;      /* first target that is on the same filesystem; there: */
	int64_t now;    /* what the filesystem holds beyond today */
	int64_t peak;
};

static bool on_filesystem(const struct plan_target *t)
{
	return t->look.kind == TARGET_ABSENT || t->look.kind == TARGET_REGULAR;
}

/* One for each target; filesystems are few, whatever the number of files. */
static struct space *space_make(const struct plan *plan)
{
	struct space *spaces = calloc(plan->ntargets + 1, sizeof(*spaces));
	size_t *firsts = calloc(plan->ntargets + 1, sizeof(*firsts)), n = 0;

	for (size_t i = 0; spaces && firsts && i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];
		size_t f = on_filesystem(t) ? 0 : n;

		while (f < n && plan->targets[firsts[f]].look.dev != t->look.dev)
			f++;
		if (f == n && on_filesystem(t))
			firsts[n++] = i;
		spaces[i] = (struct space){
			.size = t->look.size_bytes,
			.alloc = t->look.alloc_bytes,
			.fs = on_filesystem(t) ? firsts[f] : i,
		};
	}
	if (!firsts) {
		free(spaces);
		spaces = NULL;
	}
	free(firsts);
	return spaces;
}

static void grow(struct space *spaces, size_t target, uint64_t size)
{
	struct space *file = &spaces[target], *fs = &spaces[file->fs];

	if (size > file->alloc) {
		if (__builtin_add_overflow(fs->now, size - file->alloc, &fs->now))
			fs->now = INT64_MAX;
		file->alloc = size;
	}
	if (fs->now > fs->peak)
		fs->peak = fs->now;
}

static void play_file(struct plan *plan, size_t s, const struct plan_worker *w,
		struct plan_file *file, struct space *spaces)
{
	struct plan_target *t = &plan->targets[file->target];
	struct space *space = &spaces[file->target];
	bool allocates = w->job->o.fallocate != JOB_FALLOCATE_NONE;

	if ((!on_filesystem(t) && t->look.kind != TARGET_ENGINE) || t->missing)
		return;
	file->as_written = space->writer == s + 1;
	if (job_needs_contents(w->job) && !file->as_written && file->size_bytes > space->size) {
		t->layout_bytes += file->size_bytes - space->size;
		space->size = file->size_bytes;
		grow(spaces, file->target, file->size_bytes);
	}
	if (job_changes(w->job)) {
		grow(spaces, file->target, file->size_bytes);
		if (file->size_bytes > space->written)
			space->written = file->size_bytes;
		if (allocates || w->job->engine->e.flags & IOJOB_ENGINE_SIZED)
			space->writer = s + 1;
	}
}

static void play_stage(struct plan *plan, size_t s, struct space *spaces)
{
	const struct plan_stage *stage = &plan->stages[s];

	for (size_t i = 0; i < stage->nworkers; i++) {
		for (size_t f = 0; f < stage->workers[i].nfiles; f++)
			play_file(plan, s, &stage->workers[i], &stage->workers[i].files[f], spaces);
	}
	for (size_t i = 0; i < plan->ntargets; i++) {
		if (spaces[i].written > spaces[i].size)
			spaces[i].size = spaces[i].written;
		if (!plan->targets[i].unlinker || plan->targets[i].last_stage != s)
			continue;
		spaces[spaces[i].fs].now -= (int64_t)spaces[i].alloc;
		spaces[i].size = spaces[i].written = spaces[i].alloc = 0;
	}
}

/* *room: what is free there, where it is a filesystem. */
static int add_place(struct plan *plan, const struct plan_target *t, uint64_t need,
		struct target_room *room, struct err *err)
{
	struct result_place *places = realloc(plan->places, (plan->nplaces + 1) * sizeof(*places));
	struct result_place *place;
	char *copy = strdup(t->path);
	int r = -ENOMEM;

	if (places)
		plan->places = places;
	if (!places || !copy)
		goto out;
	place = &places[plan->nplaces++];
	*place = (struct result_place){ .need_bytes = need, .free_bytes = t->look.size_bytes };
	place->directory = on_filesystem(t) ? realpath(dirname(copy), NULL) : strdup(t->path);
	r = place->directory ? machine_place(t->path, &place->filesystem, &place->device) : -errno;
out:
	free(copy);
	if (r)
		return err_set(err, -r, "%s: %s", t->path, strerror(-r));
	if (!on_filesystem(t))
		return 0;
	r = target_room(t->path, room, err);
	if (!r)
		place->free_bytes = room->bytes;
	return r;
}

/* Files and directories beyond today's that are on a filesystem in a stage. */
static uint64_t files_in_stage(const struct plan *plan, const struct space *spaces, size_t fs,
		size_t s)
{
	const struct plan_stage *stage = &plan->stages[s];
	uint64_t files = 0;

	for (size_t i = 0; i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];

		files += spaces[i].fs == fs && t->look.kind == TARGET_ABSENT && t->first_stage <= s
				&& (!t->unlinker || t->last_stage >= s);
	}
	for (size_t i = 0; i < stage->nworkers; i++) {
		const struct plan_worker *w = &stage->workers[i];

		for (size_t f = 0; job_is_postmark(w->job) && f < w->nfiles; f++) {
			if (spaces[w->files[f].target].fs == fs)
				files += plan_postmark_inside(w, &w->files[f]);
		}
	}
	return files;
}

/* The most there are at a time. */
static uint64_t files_needed(const struct plan *plan, const struct space *spaces, size_t fs)
{
	uint64_t most = 0;

	for (size_t s = 0; s < plan->nstages; s++) {
		uint64_t files = files_in_stage(plan, spaces, fs, s);

		most = files > most ? files : most;
	}
	return most;
}

static int check_space(struct plan *plan, const struct space *spaces, struct err *err)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];
		struct result_place *place;
		struct target_room room;
		char need[32], have[32];
		uint64_t files;
		int r;

		if (t->look.kind == TARGET_ENGINE || t->missing || spaces[i].fs != i)
			continue;
		r = add_place(plan, t, (uint64_t)spaces[i].peak, &room, err);
		if (r)
			return r;
		if (!on_filesystem(t))
			continue;
		place = &plan->places[plan->nplaces - 1];
		files = files_needed(plan, spaces, i);
		if (place->need_bytes > place->free_bytes)
			return err_set(err, ENOSPC,
					"%s: the files need %s, and %s is free; make them smaller "
					"(size=, postmark_size=) or use another directory",
					place->directory,
					units_print_size(need, sizeof(need), place->need_bytes),
					units_print_size(have, sizeof(have), place->free_bytes));
		if (files > room.files)
			return err_set(err, ENOSPC,
					"%s: %" PRIu64 " files and directories are to be made, and "
					"its filesystem has room for %" PRIu64 " (df -i); make "
					"fewer (nrfiles=, numjobs=, postmark_number=) or use "
					"another directory",
					place->directory, files, room.files);
	}
	return 0;
}

int plan_space(struct plan *plan, const struct plan_options *options, struct err *err)
{
	struct space *spaces = space_make(plan);
	int r = 0;

	if (!spaces)
		return err_memory(err);
	for (size_t s = 0; s < plan->nstages; s++)
		play_stage(plan, s, spaces);
	if (options->judge_machine)
		r = check_space(plan, spaces, err);
	free(spaces);
	return r;
}
