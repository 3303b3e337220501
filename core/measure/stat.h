/* SPDX-License-Identifier: MIT */
/*
 * What one worker counts while it runs. It lies in memory shared with the main process, is written
 * by its worker alone, and is whole at any moment: the main process may read it after the worker
 * died, and reads the plain counters while it runs.
 */
#ifndef STAT_H
#define STAT_H

#include <stddef.h>
#include <stdint.h>

#include "../engine/engine.h"
#include "hist.h"

/* By operation: the three directions, then fsync and fdatasync. */
enum { STAT_OPS = IOJOB_OPS };

/*
 * Depths and batch sizes as fio groups them. Depths: 0, 1, 2-3, 4-7, 8-15, 16-31, 32-63, >= 64.
 * Batches: 0, 1, 2-4, 5-8, 9-16, 17-32, 33-64, > 64.
 */
enum { STAT_DEPTHS = 8 };

enum { STAT_ABOVE = 8 }; /* thresholds that a job may have (lat_thresholds) */

enum { STAT_OWED = 3 }; /* histograms that an I/O is added to: slat, clat, lat */

struct stat_op {
	uint64_t bytes;   /* moved */
	uint64_t shorts;  /* I/Os that needed more than one transfer */
	uint64_t errors;  /* I/Os that failed: they are in no histogram */
	uint64_t late;    /* with a rate: started after their intended start */
	uint64_t due;     /* with a rate: never started, though their time had come */
	uint64_t lag_max; /* ns: the latest start behind its intended start */
};

/*
 * Durations are ns; how many I/Os completed is clat's n. A synchronous engine fills clat alone: its
 * lat is its clat and it has no slat. response only with a rate.
 */
struct stats {
	struct stat_op op[STAT_OPS];
	uint64_t depth[STAT_DEPTHS];    /* I/Os by how many were in flight with them; async only */
	uint64_t submit[STAT_DEPTHS];   /* submit calls by how many they started */
	uint64_t complete[STAT_DEPTHS]; /* reap calls by how many they brought */
	uint64_t above[STAT_OPS][STAT_ABOVE]; /* I/Os longer than each of the job's thresholds */
	/*
	 * Buckets in which one value each is still to be counted: those of the last I/O that came
	 * by stats_owe(). `spare` or NULL: none.
	 */
	uint64_t *owed[STAT_OWED];
	uint64_t spare; /* no bucket */
	struct hist clat[STAT_OPS];
	struct hist slat[STAT_OPS];
	struct hist lat[STAT_OPS];
	struct hist response[STAT_OPS];
};

/*
 * Adds a value to a histogram and counts it in its bucket with the next I/O, by stats_pay(). Some
 * CPUs hold a TSC reading back until they know where all stores before it go, and a bucket's place
 * comes out of the reading before: 11 ns an I/O on an AMD EPYC, a third of what a loop costs that
 * reads its clock twice for each.
 */
static inline void stats_owe(struct stats *stats, unsigned slot, struct hist *hist, uint64_t ns)
{
	__asm__("" : "+r"(hist));
	stats->owed[slot] = &hist->bucket[hist_index(ns)];
	hist_add_figures(hist, ns, 1);
}

/* Counts what the I/O before owes in its first n slots. Not before stats_settle() was called. */
static inline void stats_pay(struct stats *stats, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		++*stats->owed[i];
}

/*
 * Counts all that is owed; whoever reads buckets calls it first, when their writer is gone. Before
 * the first I/O, and after stats_reset(), nothing is, and it makes ready for stats_pay().
 */
static inline void stats_settle(struct stats *stats)
{
	for (unsigned i = 0; i < STAT_OWED; i++) {
		if (stats->owed[i])
			++*stats->owed[i];
		stats->owed[i] = &stats->spare;
	}
}

/* Back to zero after the warm-up, touching only what is in use. */
void stats_reset(struct stats *stats);

/* Which of the STAT_DEPTHS groups n is in. */
static inline unsigned stat_group(unsigned n)
{
	static const uint8_t groups[64] = {
		0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
		5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
		6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
		6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
	};

	return n < 64 ? groups[n] : STAT_DEPTHS - 1;
}

/* The same for batches, whose groups end at powers of two. */
static inline unsigned stat_batch_group(unsigned n)
{
	return n > 1 ? stat_group((n - 1) | 2) : n;
}

#endif
