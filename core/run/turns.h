/* SPDX-License-Identifier: MIT */
/* Repeats of a plan: how many, in which order its job files take their turns. */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "../plan/plan.h"
#include "../result/metric.h"
#include "../result/result.h"

struct turns {
	size_t repeats;    /* so many; with a rule at least so many */
	size_t most;       /* with a rule: no more than that */
	bool by_rule;      /* until the interval of this metric's median is narrow enough ... */
	struct metric metric;
	double percent;    /* ... for every job: this much of the median */
	struct metric chosen_by; /* the median repeat by this one stands for a job */
	bool interleave;   /* the job files take turns in a balanced order */
	bool drop_caches;  /* before each turn, of all the machine */
};

enum { TURNS_MOST = 30 }; /* repeats with a rule, unless told otherwise */

/* Stages first .. end - 1 are those of one job file. */
struct turn {
	size_t first;
	size_t end;
};

/* The job files of a plan, in their order; *files to be freed. How many, or -ENOMEM. */
long turns_files(const struct plan *plan, struct turn **files);

/*
 * Which of k files is the j-th to run in a round (repeat). Without interleave: the j-th. With it
 * run n = round * k + j is of file (sum of the digits of n to base k) mod k, the generalised
 * Thue-Morse order: A B B A B A A B for two. Each file runs once in a round; over k rounds each
 * stands in each place once, so that a steady drift hits all alike.
 */
size_t turns_file(const struct turns *turns, size_t round, size_t j, size_t k);

/* -EACCES and the like where caches could not be dropped. Drops nothing. */
int turns_may_drop(struct err *err);

/* Writes what is dirty, then drops page cache, dentries and inodes. */
int turns_drop(struct err *err);

/*
 * After a repeat: are more to be made? With a rule it fills result->until (but for metric and
 * percent). 1, 0 or -ENOMEM.
 */
int turns_more(const struct turns *turns, struct result *result);

#endif
