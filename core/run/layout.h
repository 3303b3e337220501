/* SPDX-License-Identifier: MIT */
/*
 * Files that a stage reads are really written before it, with random bytes and an fsync, several at
 * a time: by workers like any other, so that progress, deadlines and Ctrl-C need no code of their
 * own.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "../err.h"
#include "../plan/plan.h"

/* Workers that write what is missing, and the jobs that these point to, one for each engine. */
struct layout {
	struct job **jobs;
	size_t njobs;
	struct plan_worker *workers;
	size_t nworkers; /* 0: nothing is missing */
	uint64_t bytes;
};

/* For stage s; `engine` writes what has a descriptor. 0, or -ENOMEM and nothing is left. */
int layout_make(struct layout *layout, const struct plan *plan, size_t s,
		const struct engine *engine, struct err *err);
void layout_free(struct layout *layout);

#endif
