/* SPDX-License-Identifier: MIT */
/*
 * What an I/O costs the program itself: its own loops, run for a moment over engines that do
 * nothing.
 */
#ifndef COST_H
#define COST_H

#include "../measure/clock.h"

struct cost {
	double execute_ns; /* an I/O of a synchronous engine, without the engine's own work */
	double submit_ns;  /* one that is submitted and reaped alone, in a queue of 16 */
};

/* Takes about a millisecond. Both stay 0 where there is no memory for it. */
void cost_measure(struct cost *cost, const struct clock *clock);

#endif
