/* SPDX-License-Identifier: MIT */
/*
 * A distribution of durations in nanoseconds, the resting form of struct hist: only the buckets in
 * use, on the heap. It merges by addition; every figure of a latency is computed here.
 */
#ifndef DIST_H
#define DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist.h"

struct dist_point {
	double percent;
	uint64_t ns;
};

struct dist {
	uint64_t n;
	uint64_t min; /* ns; 0 where n is 0 */
	uint64_t max;
	uint64_t sum;
	u128 sumsq;
	uint64_t *bucket; /* counts of buckets first .. first + nbuckets - 1; owned */
	uint32_t first;
	uint32_t nbuckets;
	/*
	 * Out of a file that does not hold the buckets: there are none, and of the percentiles only
	 * these are known. Two such together have no percentiles at all.
	 */
	bool coarse;
	struct dist_point *points; /* owned */
	size_t npoints;
};

/* Adds what a live histogram holds. 0 or -ENOMEM (then dist is as it was). */
int dist_add_hist(struct dist *dist, const struct hist *hist);

/* Adds another distribution. 0 or -ENOMEM. */
int dist_merge(struct dist *dist, const struct dist *other);

/* Adds one value `count` times. 0 or -ENOMEM. */
int dist_add(struct dist *dist, uint64_t ns, uint64_t count);

/*
 * An empty one becomes a coarse one with these figures, ns: stddev as dist_stddev() gives it. 0, or
 * -ERANGE where they are no figures of a distribution or overflow.
 */
int dist_coarse(struct dist *dist, uint64_t n, uint64_t min, uint64_t max, double mean,
		double stddev);

/* Adds a percentile to a coarse one. 0 or -ENOMEM. */
int dist_add_point(struct dist *dist, double percent, uint64_t ns);

void dist_free(struct dist *dist); /* leaves it empty */

double dist_mean(const struct dist *dist);   /* ns, exact; 0 where empty */
double dist_stddev(const struct dist *dist); /* ns, of the sample (n - 1); 0 below two values */

/*
 * The smallest value that at least `percent` of the values do not exceed: the middle of its bucket,
 * within 1/128, clamped to [min, max]. 0 where empty, or coarse and not known.
 */
uint64_t dist_percentile(const struct dist *dist, double percent);

/* Does it know that percentile? false where it is empty. */
bool dist_knows(const struct dist *dist, double percent);

/* Does it, and do ten values at least lie above it? With fewer a percentile says little. */
bool dist_supports(const struct dist *dist, double percent);

/* How many values lie in [low, high) ns, by the middle of their bucket. */
uint64_t dist_between(const struct dist *dist, uint64_t low, uint64_t high);

/* The values that a bucket stands for: [*low, *high), ns. */
void dist_bucket_range(unsigned index, uint64_t *low, uint64_t *high);

#endif
