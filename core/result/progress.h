/* SPDX-License-Identifier: MIT */
/* How far a run is: plain data for whoever shows it, made a few times a second. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_AXES = 4 };

struct progress {
	size_t stage; /* from 0 */
	size_t nstages;
	size_t repeat;  /* from 0 */
	size_t repeats; /* at most; 1: there are none */
	const char *what;       /* name of the (first running) job; valid during the call */
	const char *axes[PROGRESS_AXES]; /* labels of its vary point; the first few */
	size_t naxes;
	const char *doing;      /* "laying out", "starting", "warming up", "running", "fsync" */
	unsigned workers;       /* still at work */
	double share;           /* of the stage that is done, 0 to 1; below 0: not known */
	double left_s;          /* until the stage ends, seconds; below 0: not known */
	double bytes_per_s;     /* since the last call */
	double ios_per_s;
};

#endif
