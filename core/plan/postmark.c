// SPDX-License-Identifier: MIT
/*
 * A PostMark job: its directories stand in the plan as targets that are not there yet, one beneath
 * each location, so that filesystem, space and alignment are judged as any file's are.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../job/list.h"
#include "../job/units.h"
#include "parts.h"

/* ---- locations ----------------------------------------------------------------------------- */

/* "LOCATION/section.0"; takes over location, which may be NULL. On the heap; NULL: no memory. */
static char *directory_path(const struct plan_worker *w, char *location)
{
	char *name = NULL, *path = NULL;

	if (asprintf(&name, "%s.%u", w->job->section, w->clone) < 0)
		name = NULL;
	for (char *slash = name; slash && (slash = strchr(slash, '/'));)
		*slash = '_'; /* a section called "mail/4k" is no directory and a name in it */
	if (name)
		path = target_join(location, name);
	free(name);
	free(location);
	return path;
}

static int blame(const struct job *job, const char *key, int error, struct err *err,
		const char *text)
{
	const char *path;
	unsigned line;

	job_where(job, key, &path, &line);
	return err_at(err, error, path, line, "%s", text);
}

/* What is there already is nobody's to remove, and two workers cannot share one. */
static int check_free(const struct plan *plan, const struct plan_worker *w, const char *path,
		struct err *err)
{
	const struct plan_stage *stage = &plan->stages[w->job->stage];
	struct err why;
	struct stat st;

	if (!lstat(path, &st)) {
		err_set(&why, EEXIST, "%s: is there already: PostMark's files get a directory of "
				"their own; remove it (perhaps a run was killed) or use another "
				"location", path);
		return blame(w->job, "workload", EEXIST, err, why.text);
	}
	for (size_t i = 0; i < stage->nworkers; i++) {
		const struct plan_worker *other = &stage->workers[i];

		for (size_t f = 0; job_is_postmark(other->job) && f < other->nfiles; f++) {
			if (strcmp(plan->targets[other->files[f].target].path, path))
				continue;
			err_set(&why, EINVAL, "%s: would be the directory of two workers at a "
					"time: name another location or section", path);
			return blame(w->job, "workload", EINVAL, err, why.text);
		}
	}
	return 0;
}

/* Takes over location. */
static int add_location(struct plan *plan, struct plan_worker *w, char *location, uint32_t weight,
		const struct plan_options *options, struct err *err)
{
	struct plan_file *files = realloc(w->files, (w->nfiles + 1) * sizeof(*files));
	char *path = files ? directory_path(w, location) : NULL;
	int r;

	if (!files)
		free(location);
	else
		w->files = files;
	if (!path)
		return err_memory(err);
	files[w->nfiles] = (struct plan_file){ .weight = weight };
	if (!(w->job->engine->e.flags & IOJOB_ENGINE_NO_FD) && options->judge_machine) {
		r = check_free(plan, w, path, err);
		if (r) {
			free(path);
			return r;
		}
	}
	r = plan_add_target(plan, w->job, path, options->judge_machine, &files[w->nfiles].target,
			err);
	if (r)
		return plan_blame(w->job, r, err);
	w->nfiles++;
	return 0;
}

static int add_locations(struct plan *plan, struct plan_worker *w,
		const struct plan_options *options, struct err *err)
{
	const struct job_opts *o = &w->job->o;
	const char *list = o->postmark_location;
	int r = 0;

	if (!list) {
		char *directory = o->directory ? list_item(o->directory,
				w->clone % list_length(o->directory)) : NULL;

		if (o->directory && !directory)
			return err_memory(err);
		return add_location(plan, w, directory, 1, options, err);
	}
	while (!r && *list) {
		uint32_t weight;
		char *location;

		r = list_weighted(&list, &location, &weight);
		r = r ? err_set(err, -r, "%s", strerror(-r))
		      : add_location(plan, w, location, weight, options, err);
	}
	return r;
}

/* ---- space --------------------------------------------------------------------------------- */

/* About how many files one worker has at its most. */
static uint64_t most_files(const struct job *job)
{
	const struct job_opts *o = &job->o;
	uint64_t number = (uint64_t)o->postmark_number;
	int64_t drift = o->postmark_bias_create < 0 ? 0 : 2 * o->postmark_bias_create - 10;
	int64_t grown = (int64_t)o->postmark_transactions * drift / 10;
	uint64_t most = grown <= 0 ? number : number + (uint64_t)grown;

	return most > 2 * number ? 2 * number : most;
}

/* What of something is beneath one of the worker's locations. */
static double share(const struct plan_worker *w, const struct plan_file *file, uint64_t of)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < w->nfiles; i++)
		weight += w->files[i].weight;
	return (double)of * file->weight / (double)weight;
}

static void share_out(struct plan_worker *w)
{
	const struct job_opts *o = &w->job->o;
	uint64_t need = most_files(w->job) * ((o->postmark_size[0] + o->postmark_size[1]) / 2);

	for (size_t i = 0; i < w->nfiles; i++) {
		struct plan_file *file = &w->files[i];

		file->length = (uint64_t)share(w, file, need);
		file->size_bytes = file->length;
	}
}

uint64_t plan_postmark_inside(const struct plan_worker *w, const struct plan_file *file)
{
	unsigned subdirectories = (unsigned)w->job->o.postmark_subdirectories;

	return (uint64_t)ceil(share(w, file, most_files(w->job)))
			+ (subdirectories > 1 ? subdirectories : 0);
}

int plan_postmark(struct plan *plan, struct plan_worker *w, const struct plan_options *options,
		struct err *err)
{
	int r = add_locations(plan, w, options, err);

	share_out(w);
	w->limit_bytes = w->limit_ios = w->pass_bytes = w->pass_ios = UINT64_MAX;
	return r;
}

/* ---- judging ------------------------------------------------------------------------------- */

uint32_t plan_postmark_call(const struct job *job, enum iojob_op op, const struct plan_target *t)
{
	enum { NO_FILE = 4096 }; /* what stdio would take on most filesystems */
	uint64_t block = op == IOJOB_READ ? job->o.postmark_read : job->o.postmark_write;
	uint64_t stdio = t->engine ? NO_FILE : t->look.block_bytes;

	if (!job->o.postmark_buffering || !stdio)
		return (uint32_t)block;
	return (uint32_t)(block > stdio ? block / stdio * stdio : stdio);
}

int plan_postmark_align(const struct job *job, const struct plan_target *t, struct err *err)
{
	const struct job_opts *o = &job->o;
	const struct {
		const char *key;
		uint64_t bytes;
	} sizes[] = {
		{ "postmark_size", o->postmark_size[0] },
		{ "postmark_read", plan_postmark_call(job, IOJOB_READ, t) },
		{ "postmark_write", plan_postmark_call(job, IOJOB_WRITE, t) },
	};
	uint32_t align = t->look.offset_align;
	struct err why;
	char text[32];

	if (align > 1 && o->postmark_size[0] != o->postmark_size[1]) {
		err_set(&why, EINVAL, "postmark_size: sizes drawn from a range are odd ones, and "
				"O_DIRECT takes multiples of %u: name one size", align);
		return blame(job, "postmark_size", EINVAL, err, why.text);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i].bytes % align == 0)
			continue;
		err_set(&why, EINVAL, "%s = %s: with O_DIRECT it must be a multiple of %u, the "
				"block size of %s", sizes[i].key,
				units_print_bytes(text, sizeof(text), sizes[i].bytes), align,
				t->path);
		return blame(job, sizes[i].key, EINVAL, err, why.text);
	}
	return 0;
}
