/* SPDX-License-Identifier: MIT */
/* A whole plan, stage by stage: files are laid out and created, jobs run, files are removed. */
#ifndef RUN_H
#define RUN_H

#include "../err.h"
#include "../measure/clock.h"
#include "../result/progress.h"
#include "../result/result.h"
#include "../plan/plan.h"
#include "turns.h"

struct run_options {
	const struct clock *clock;
	const struct engine *layout; /* writes files that others read: psync */
	void (*show)(void *ctx, const struct progress *progress); /* or NULL: nobody watches */
	void *ctx;
	struct turns turns;
};

/*
 * Fills the jobs, repeats, disks, places and notes of an empty result. What happens to a job stands
 * in its result; an error is returned only where the run could not go on, and the result then holds
 * what was done so far; a repeat that was not done to its end is none, unless it is the first.
 * *interrupted: number of the signal that ended it, or 0. SIGINT and SIGTERM are
 * the run's own meanwhile: the first ends it with a whole report, the second at once.
 */
int run_plan(const struct plan *plan, const struct run_options *options, struct result *result,
		int *interrupted, struct err *err);

/*
 * The files that stage s reads, written before it (layout.c): workers that write them, and the jobs
 * that these point to, one for each engine. nworkers 0: nothing is missing.
 */
struct layout {
	struct job **jobs;
	size_t njobs;
	struct plan_worker *workers;
	size_t nworkers;
	uint64_t bytes;
};
int layout_make(struct layout *layout, const struct plan *plan, size_t s,
		const struct engine *engine, struct err *err);
void layout_free(struct layout *layout);

#endif
