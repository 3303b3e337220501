/* SPDX-License-Identifier: MIT */
/*
 * rate and rate_iops as schedules: each direction has a sequence of intended starts that follows
 * from the schedule alone. Who comes late finds the next intended start where it always was.
 * Pure: times are ticks that the caller brings.
 */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "../u128.h"
#include "load.h"

struct pace {
	bool rated[LOAD_DIRS];
	bool both; /* every direction of a mixed job has a rate: they decide the mix */
	u128 next[LOAD_DIRS];      /* intended start of the next I/O: ticks, 32 bits of fraction */
	u128 per_io[LOAD_DIRS];    /* what an I/O adds to it ... */
	u128 per_byte[LOAD_DIRS];  /* ... and each of its bytes */
};

/*
 * rate in bytes/s and rate_iops in I/Os/s, 0: none; at most one of them for a direction. ops as in
 * struct load_spec. Returns whether anything is rated.
 */
bool pace_init(struct pace *pace, unsigned ops, const uint64_t rate[LOAD_DIRS],
		const int64_t rate_iops[LOAD_DIRS], double ticks_per_second);

/* The schedules begin now. */
void pace_start(struct pace *pace, uint64_t now);

/*
 * Chooses the direction of the next I/O into load->op (load_direct() was called on it where it is
 * mixed) and returns the intended start in ticks; 0: unrated, any time. Where every direction has a
 * schedule the earliest is next; where one has, the mix decides, and what is not due yet leaves
 * room to the other direction, as in fio.
 */
uint64_t pace_pick(struct pace *pace, struct load *load, bool mixed, uint64_t now);

/* An I/O of that direction and length was taken from the schedule. */
static inline void pace_take(struct pace *pace, uint8_t op, uint32_t len)
{
	pace->next[op] += pace->per_io[op] + len * pace->per_byte[op];
}

static inline uint64_t pace_next(const struct pace *pace, uint8_t op)
{
	return (uint64_t)(pace->next[op] >> 32);
}

#endif
