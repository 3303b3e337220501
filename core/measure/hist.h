/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of durations in nanoseconds, the live form: fixed size, one writer, no lock.
 * 64 buckets for each power of two, so a bucket's middle is within 1/128 of every value in it;
 * values from 1 to 127 are exact. There is a bucket for every duration: 2^63 ns are 292 years.
 *
 * It lies in a mapping that a thousand workers share the size of: nothing may read buckets outside
 * [min, max], or untouched pages become real ones.
 */
#ifndef HIST_H
#define HIST_H

#include <stdint.h>
#include <string.h>

#include "../u128.h"

enum {
	HIST_SUB_BITS = 6,
	HIST_BUCKETS = 64 << HIST_SUB_BITS,
};

struct hist {
	uint64_t n;
	uint64_t min;  /* ns; 0 where empty */
	uint64_t span; /* largest - smallest, ns: one comparison guards both ends */
	uint64_t sum; /* ns; 584 years of it */
	u128 sumsq;   /* ns^2: 64 bits overflow after 18 values of a second */
	uint64_t bucket[HIST_BUCKETS];
};

/*
 * The bucket of a value below 2^63 (0 counts as 1): the top bits of its double, which costs less
 * than clz and shifts. Never outside the array, whatever the value.
 */
static inline unsigned hist_index(uint64_t ns)
{
	double d = (double)(int64_t)(ns + !ns);
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return ((unsigned)(bits >> (52 - HIST_SUB_BITS)) - (1023u << HIST_SUB_BITS))
			% HIST_BUCKETS;
}

/* Makes room for a value outside [min, min + span]. Before n counts it. */
void hist_widen(struct hist *h, uint64_t ns);

/* All of a value but its bucket, h->bucket[hist_index(ns)]. */
static inline void hist_add_figures(struct hist *h, uint64_t ns, uint64_t count)
{
	h->sum += ns * count;
	h->sumsq += (u128)ns * ns * count;
	if (__builtin_expect(ns - h->min > h->span, 0))
		hist_widen(h, ns);
	h->n += count;
}

/* Adds a value `count` times. */
static inline void hist_add(struct hist *h, uint64_t ns, uint64_t count)
{
	/* Keeps the compiler from working out the address anew for each member. */
	__asm__("" : "+r"(h));
	h->bucket[hist_index(ns)] += count;
	hist_add_figures(h, ns, count);
}

/* The largest value, ns; 0 where empty. */
static inline uint64_t hist_max(const struct hist *h)
{
	return h->min + h->span;
}

/*
 * The buckets in use: *first to *last, of a histogram that is not empty. All of them where max is
 * no duration (a clock that ran backwards), since then nothing tells where its bucket is.
 */
void hist_used(const struct hist *h, unsigned *first, unsigned *last);

/* Forgets everything, touching only the buckets in use. */
void hist_reset(struct hist *h);

#endif
