/* SPDX-License-Identifier: MIT */
/* What the files of core/plan/ have for each other; the rest of the program has no use for it. */
#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include "plan.h"

/* Files of one worker: names, sizes, regions and limits (files.c). Adds to plan->targets. */
int plan_files(struct plan *plan, struct plan_worker *worker, const struct plan_options *options,
		struct err *err);

/* Finds the target of that path or adds it; takes over path. */
int plan_add_target(struct plan *plan, const struct job *job, char *path, bool judge, size_t *index,
		struct err *err);

/* Forgets the targets from number n on. */
void plan_drop_targets(struct plan *plan, size_t n);

/*
 * The files of a worker of a PostMark job (postmark.c): its "files" are the directories, not there
 * yet, that it has to itself beneath the locations, and their sizes what is expected in them.
 */
int plan_postmark(struct plan *plan, struct plan_worker *worker, const struct plan_options *options,
		struct err *err);

/* About how many files and directories there are at most in one of its directories. */
uint64_t plan_postmark_inside(const struct plan_worker *worker, const struct plan_file *file);

/*
 * Plays the planned run through (space.c): what has to be laid out of each target, what is written
 * before it is read, and whether there is room for all of it; adds the places.
 */
int plan_space(struct plan *plan, const struct plan_options *options, struct err *err);

/* O_DIRECT: do sizes and calls keep to the alignment there? */
int plan_postmark_align(const struct job *job, const struct plan_target *t, struct err *err);

/* Puts the line of the key that named the file in front of what is wrong with it; returns r. */
int plan_blame(const struct job *job, int r, struct err *err);

#endif
