/* SPDX-License-Identifier: MIT */
/* What the repeats of one plan come to: the median one of each job, and how far apart they are. */
#ifndef REPEATS_H
#define REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "metric.h"
#include "result.h"

/* Repeat i as if it had been the only run: a view, never to be freed. */
struct result repeats_one(const struct result *result, size_t i);

/*
 * Makes result->jobs views of the repeats: each job as it was where this metric of it was the
 * median, the lower one of two; where it has a figure in no repeat, as it was in the first that
 * says why. Nothing without repeats. 0 or -ENOMEM.
 */
int repeats_choose(struct result *result, const struct metric *metric);

/* One figure of a job over all repeats that have it. */
struct repeats_spread {
	size_t n;      /* of them; 0: nothing below */
	double min, median, max;
	bool interval; /* n is enough for a 95 % interval of the median: */
	double low, high;
};

/* 0 or -ENOMEM. */
int repeats_spread(const struct result *result, size_t job, const struct metric *metric,
		struct repeats_spread *spread);

/*
 * How wide that interval is, percent of the median, for the job where it is widest; infinite where
 * some job has none, NaN where no job has a figure at all. 0 or -ENOMEM.
 */
int repeats_widest(const struct result *result, const struct metric *metric, double *percent);

/* In how many repeats did the job fail? */
size_t repeats_failed(const struct result *result, size_t job);

#endif
