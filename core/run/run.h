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
	struct clock *clock; /* calibrated; whose TSC may be given up (clock_jumped()) */
	const struct engine *layout; /* writes files that others read: psync */
	void (*show)(void *ctx, const struct progress *progress); /* or NULL: nobody watches */
	void *ctx;
	struct turns turns;
};

/*
 * Fills the jobs, repeats, disks, places and notes of an empty result. What happens to a job stands
 * in its result; an error is returned only where the run could not go on, and the result then holds
 * what was done so far; a repeat that was not done to its end is none, unless it is the first.
 * *interrupted: number of the signal that ended it, or 0. SIGINT, SIGTERM and SIGHUP are the run's
 * own meanwhile: the first ends it with a whole report, the second at once.
 */
int run_plan(const struct plan *plan, const struct run_options *options, struct result *result,
		int *interrupted, struct err *err);

#endif
