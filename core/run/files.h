/* SPDX-License-Identifier: MIT */
/*
 * The files of a stage: created before it, and removed after it where the jobs say so. What cannot
 * be created keeps the workers that want it from starting, and nobody else; what cannot be removed
 * becomes a note of the result.
 */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "../plan/plan.h"
#include "../result/result.h"

/* Texts of why workers of a stage do not start; their plan_worker.failed points to them. */
struct failures {
	char **texts;
	size_t n;
};

/* Keeps a copy of a text; where there is no memory it is a text that says so. */
const char *failures_keep(struct failures *failures, const char *text);
void failures_free(struct failures *failures);

/* No worker of the stage that uses this target starts. */
void files_fail(struct plan_stage *stage, size_t target, const char *why);

/* Creates what the jobs of a stage write and is not there yet, and PostMark's directories. */
void files_create(const struct plan *plan, size_t s, struct failures *failures);

/* PostMark's directories of a stage, with what is left in them. */
void files_remove_directories(const struct plan *plan, size_t s, struct result *result);

/* unlink=1: the files whose last stage this was. */
void files_remove(const struct plan *plan, size_t s, struct result *result);

/* The same of all stages up to `begun` that are not removed yet. */
void files_remove_all(const struct plan *plan, size_t begun, struct result *result);

#endif
