// SPDX-License-Identifier: MIT
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workdir.h"

/* ---- failures ------------------------------------------------------------------------------ */

const char *failures_keep(struct failures *failures, const char *text)
{
	char **texts = realloc(failures->texts, (failures->n + 1) * sizeof(*texts));
	char *copy = strdup(text);

	if (texts)
		failures->texts = texts;
	if (!texts || !copy) {
		free(copy);
		return "out of memory";
	}
	return texts[failures->n++] = copy;
}

void failures_free(struct failures *failures)
{
	for (size_t i = 0; i < failures->n; i++)
		free(failures->texts[i]);
	free(failures->texts);
}

void files_fail(struct plan_stage *stage, size_t target, const char *why)
{
	for (size_t i = 0; i < stage->nworkers; i++) {
		for (size_t f = 0; f < stage->workers[i].nfiles; f++) {
			if (stage->workers[i].files[f].target == target
					&& !stage->workers[i].failed)
				stage->workers[i].failed = why;
		}
	}
}

/* ---- before a stage ------------------------------------------------------------------------ */

/* All of one PostMark worker's or none. */
static void make_directories(const struct plan *plan, struct plan_worker *w,
		struct failures *failures)
{
	struct err err, other;

	for (size_t i = 0; i < w->nfiles; i++) {
		const struct plan_target *t = &plan->targets[w->files[i].target];

		if (t->engine || !workdir_make(t->path,
				(unsigned)w->job->o.postmark_subdirectories, &err))
			continue;
		w->failed = failures_keep(failures, err.text);
		while (i--)
			workdir_remove(plan->targets[w->files[i].target].path, &other);
		return;
	}
	w->made = true;
}

void files_create(const struct plan *plan, size_t s, struct failures *failures)
{
	struct plan_stage *stage = &plan->stages[s];

	for (size_t i = 0; i < stage->nworkers; i++) {
		struct plan_worker *w = &stage->workers[i];
		bool sized = w->job->engine->e.flags & IOJOB_ENGINE_SIZED;

		if (!job_changes(w->job))
			continue;
		if (job_is_postmark(w->job)) {
			make_directories(plan, w, failures);
			continue;
		}
		for (size_t f = 0; !w->failed && f < w->nfiles; f++) {
			const struct plan_target *t = &plan->targets[w->files[f].target];
			struct err err;

			if (t->look.kind > TARGET_REGULAR)
				continue;
			if (target_create(t->path, w->files[f].size_bytes,
					(enum target_allocate)w->job->o.fallocate, sized, &err))
				w->failed = failures_keep(failures, err.text);
		}
	}
}

/* ---- after it ------------------------------------------------------------------------------ */

void files_remove_directories(const struct plan *plan, size_t s, struct result *result)
{
	const struct plan_stage *stage = &plan->stages[s];

	for (size_t i = 0; i < stage->nworkers; i++) {
		struct plan_worker *w = &stage->workers[i];

		for (size_t f = 0; w->made && f < w->nfiles; f++) {
			const struct plan_target *t = &plan->targets[w->files[f].target];
			struct err err;

			if (!t->engine && workdir_remove(t->path, &err))
				result_note(result, "%s", err.text);
		}
		w->made = false;
	}
}

static void remove_target(const struct plan_target *t, struct result *result)
{
	struct err err = { "" };
	struct iojob_setup setup = {
		.conf = t->unlinker->engine_conf,
		.error = err.text,
		.error_size = sizeof(err.text),
	};
	int r;

	if (job_is_postmark(t->unlinker))
		return; /* a directory: files_remove_directories() */
	if (t->engine)
		r = t->engine->e.file_remove ? t->engine->e.file_remove(&setup, t->path) : 0;
	else
		r = unlink(t->path) ? -errno : 0;
	if (r && r != -ENOENT)
		result_note(result, "%s was not removed: %s", t->path,
				err.text[0] ? err.text : strerror(-r));
}

void files_remove(const struct plan *plan, size_t s, struct result *result)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];

		if (t->unlinker && t->last_stage == s)
			remove_target(t, result);
	}
}

void files_remove_all(const struct plan *plan, size_t begun, struct result *result)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];

		if (t->unlinker && t->first_stage < begun)
			remove_target(t, result);
	}
}
