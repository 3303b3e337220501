// SPDX-License-Identifier: MIT
#include "pace.h"

#include <string.h>

bool pace_init(struct pace *pace, unsigned ops, const uint64_t rate[LOAD_DIRS],
		const int64_t rate_iops[LOAD_DIRS], double ticks_per_second)
{
	bool any = false, all = true;

	memset(pace, 0, sizeof(*pace));
	for (int d = 0; d < LOAD_DIRS; d++) {
		if (!(ops & IOJOB_OP_BIT(d)))
			continue;
		/* Rounded up, so that a whole number of periods never ends early. */
		if (rate_iops[d])
			pace->per_io[d] = (u128)(ticks_per_second / (double)rate_iops[d] * 0x1p32)
					  + 1;
		else if (rate[d])
			pace->per_byte[d] = (u128)(ticks_per_second / (double)rate[d] * 0x1p32) + 1;
		pace->rated[d] = rate_iops[d] || rate[d];
		any |= pace->rated[d];
		all &= pace->rated[d];
	}
	pace->both = all;
	return any;
}

void pace_start(struct pace *pace, uint64_t now)
{
	for (int d = 0; d < LOAD_DIRS; d++)
		pace->next[d] = (u128)now << 32;
}

static uint64_t intended(const struct pace *pace, uint8_t op)
{
	return pace->rated[op] ? pace_next(pace, op) : 0;
}

uint64_t pace_pick(struct pace *pace, struct load *load, bool mixed, uint64_t now)
{
	uint8_t other = load->other;

	if (!mixed)
		return intended(pace, load->op);
	if (pace->both) {
		load->op = pace->next[IOJOB_READ] <= pace->next[other] ? IOJOB_READ : other;
	} else {
		load->op = load_mix(load);
		if (intended(pace, load->op) > now)
			load->op = load->op == IOJOB_READ ? other : IOJOB_READ;
	}
	return intended(pace, load->op);
}
