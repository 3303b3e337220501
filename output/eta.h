/* SPDX-License-Identifier: MIT */
/* The progress line: one line of a terminal that is written over and over. */
#ifndef ETA_H
#define ETA_H

#include <stdbool.h>
#include <stdio.h>

#include "../core/result/progress.h"

struct eta {
	FILE *to;
	bool shown; /* the line is on the screen */
};

/* For run_options.show, with a struct eta as ctx. */
void eta_show(void *eta, const struct progress *progress);

/* Wipes the line out, so that other text can follow. */
void eta_clear(struct eta *eta);

#endif
