// SPDX-License-Identifier: MIT
#include "dist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for the buckets first .. last. */
static int dist_cover(struct dist *dist, uint32_t first, uint32_t last)
{
	uint32_t low = first;
	uint32_t high = last;
	uint64_t *bucket;

	if (dist->nbuckets) {
		uint32_t end = dist->first + dist->nbuckets - 1;

		if (first >= dist->first && last <= end)
			return 0;
		low = first < dist->first ? first : dist->first;
		high = last > end ? last : end;
	}
	bucket = calloc(high - low + 1, sizeof(*bucket));
	if (!bucket)
		return -ENOMEM;
	if (dist->nbuckets)
		memcpy(bucket + (dist->first - low), dist->bucket,
				dist->nbuckets * sizeof(*bucket));
	free(dist->bucket);
	dist->bucket = bucket;
	dist->first = low;
	dist->nbuckets = high - low + 1;
	return 0;
}

/* Without buckets, and without percentiles unless they are given: points are taken over. */
static void dist_make_coarse(struct dist *dist, struct dist_point *points, size_t n)
{
	free(dist->bucket);
	free(dist->points);
	dist->bucket = NULL;
	dist->first = dist->nbuckets = 0;
	dist->coarse = true;
	dist->points = points;
	dist->npoints = n;
}

/* Makes dist ready for a part, of which one of the two is coarse. */
static int dist_add_coarse(struct dist *dist, const struct dist *part)
{
	size_t n = dist->n || !part->coarse ? 0 : part->npoints;
	struct dist_point *points = n ? calloc(n, sizeof(*points)) : NULL;

	if (n && !points)
		return -ENOMEM;
	if (n)
		memcpy(points, part->points, n * sizeof(*points));
	dist_make_coarse(dist, points, n);
	return 0;
}

/* Adds the figures of `part`, whose counts of part->first and on are in `bucket`. */
static int dist_add_part(struct dist *dist, const struct dist *part, const uint64_t *bucket)
{
	bool coarse = dist->coarse || part->coarse;
	int err;

	if (!part->n)
		return 0;
	err = coarse ? dist_add_coarse(dist, part)
		     : dist_cover(dist, part->first, part->first + part->nbuckets - 1);
	if (err)
		return err;
	for (uint32_t i = 0; !coarse && i < part->nbuckets; i++)
		dist->bucket[part->first - dist->first + i] += bucket[i];
	if (!dist->n || part->min < dist->min)
		dist->min = part->min;
	if (part->max > dist->max)
		dist->max = part->max;
	dist->n += part->n;
	dist->sum += part->sum;
	dist->sumsq += part->sumsq;
	return 0;
}

int dist_add_hist(struct dist *dist, const struct hist *hist)
{
	unsigned first, last;
	struct dist part = {
		.n = hist->n,
		.min = hist->min,
		.max = hist_max(hist),
		.sum = hist->sum,
		.sumsq = hist->sumsq,
	};

	hist_used(hist, &first, &last);
	part.first = first;
	part.nbuckets = last - first + 1;
	return dist_add_part(dist, &part, &hist->bucket[first]);
}

int dist_merge(struct dist *dist, const struct dist *other)
{
	return dist_add_part(dist, other, other->bucket);
}

int dist_add(struct dist *dist, uint64_t ns, uint64_t count)
{
	struct dist part = {
		.n = count,
		.min = ns,
		.max = ns,
		.sum = ns * count,
		.sumsq = (u128)ns * ns * count,
		.first = hist_index(ns),
		.nbuckets = 1,
	};

	return dist_add_part(dist, &part, &count);
}

int dist_coarse(struct dist *dist, uint64_t n, uint64_t min, uint64_t max, double mean,
		double stddev)
{
	long double sum = (long double)mean * (long double)n;
	long double sd = (long double)stddev;
	long double squares = n ? sd * sd * (long double)(n - 1) : 0;
	uint64_t m, r;

	if (!n || min > max || !(mean >= 0) || !(stddev >= 0) || sum >= 0x1p63L
			|| squares + sum * (long double)mean >= 0x1p127L)
		return -ERANGE;
	dist_make_coarse(dist, NULL, 0);
	dist->n = n;
	dist->min = min;
	dist->max = max;
	dist->sum = (uint64_t)roundl(sum);
	m = dist->sum / n;
	r = dist->sum % n;
	/* What dist_stddev() takes off again. */
	dist->sumsq = (u128)m * dist->sum + (u128)m * r + (u128)r * r / n + (u128)roundl(squares);
	return 0;
}

int dist_add_point(struct dist *dist, double percent, uint64_t ns)
{
	struct dist_point *points = realloc(dist->points, (dist->npoints + 1) * sizeof(*points));

	if (!points)
		return -ENOMEM;
	dist->points = points;
	points[dist->npoints++] = (struct dist_point){ percent, ns };
	return 0;
}

void dist_free(struct dist *dist)
{
	free(dist->bucket);
	free(dist->points);
	*dist = (struct dist){ .bucket = NULL };
}

double dist_mean(const struct dist *dist)
{
	return dist->n ? (double)((long double)dist->sum / (long double)dist->n) : 0;
}

/*
 * About the whole part m of the mean (r left over) everything stays exact and within 128 bits: the
 * squares are sumsq - m * sum - m * r, less r * r / n for the distance of m from the mean.
 */
double dist_stddev(const struct dist *dist)
{
	uint64_t m, r;
	u128 rr, about;
	long double squares;

	if (dist->n < 2)
		return 0;
	m = dist->sum / dist->n;
	r = dist->sum % dist->n;
	rr = (u128)r * r;
	about = (u128)m * dist->sum + (u128)m * r + rr / dist->n;
	if (dist->sumsq < about) /* a worker was killed inside hist_add() */
		return 0;
	squares = (long double)(dist->sumsq - about) -
			(long double)(rr % dist->n) / (long double)dist->n;
	return squares > 0 ? (double)sqrtl(squares / (long double)(dist->n - 1)) : 0;
}

/* How many of n values make up `percent`: at least one. */
static uint64_t dist_rank(uint64_t n, double percent)
{
	long double rank = (long double)percent * (long double)n / 100;

	/* 99.9 as a double lies above 99.9, which must not ask for one value more. */
	rank = ceill(rank - rank * 4e-16L);
	if (rank < 1)
		return 1;
	return rank < (long double)n ? (uint64_t)rank : n;
}

static uint64_t dist_middle(unsigned index)
{
	uint64_t low, high;

	dist_bucket_range(index, &low, &high);
	return low + (high - low) / 2;
}

static const struct dist_point *dist_point(const struct dist *dist, double percent)
{
	for (size_t i = 0; i < dist->npoints; i++) {
		/* "99.900000" is the same one as 99.9. */
		if (fabs(dist->points[i].percent - percent) < 1e-6)
			return &dist->points[i];
	}
	return NULL;
}

bool dist_knows(const struct dist *dist, double percent)
{
	return dist->n && (!dist->coarse || dist_point(dist, percent));
}

uint64_t dist_percentile(const struct dist *dist, double percent)
{
	const struct dist_point *point = dist_point(dist, percent);
	uint64_t rank, seen = 0, ns;

	if (point)
		return point->ns;
	if (!dist->n || dist->coarse)
		return 0;
	rank = dist_rank(dist->n, percent);
	if (rank == dist->n)
		return dist->max;
	for (uint32_t i = 0; i < dist->nbuckets; i++) {
		seen += dist->bucket[i];
		if (seen < rank)
			continue;
		ns = dist_middle(dist->first + i);
		if (ns < dist->min)
			return dist->min;
		return ns < dist->max ? ns : dist->max;
	}
	return dist->max;
}

bool dist_supports(const struct dist *dist, double percent)
{
	return dist_knows(dist, percent)
			&& (double)dist->n * (100 - percent) >= 10 * 100 * (1 - 1e-9);
}

uint64_t dist_between(const struct dist *dist, uint64_t low, uint64_t high)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < dist->nbuckets; i++) {
		uint64_t ns = dist_middle(dist->first + i);

		if (ns >= low && ns < high)
			n += dist->bucket[i];
	}
	return n;
}

/* The smallest value of a bucket. Below 64 there are more buckets than values: some hold none. */
static uint64_t dist_bucket_low(unsigned index)
{
	u128 sub = (1u << HIST_SUB_BITS) + (index & ((1u << HIST_SUB_BITS) - 1));
	u128 scaled = sub << (index >> HIST_SUB_BITS);

	return (uint64_t)((scaled + (1u << HIST_SUB_BITS) - 1) >> HIST_SUB_BITS);
}

void dist_bucket_range(unsigned index, uint64_t *low, uint64_t *high)
{
	*low = index ? dist_bucket_low(index) : 0;
	*high = index + 1 < HIST_BUCKETS ? dist_bucket_low(index + 1) : UINT64_MAX;
}
