/* SPDX-License-Identifier: MIT */
/* What the text says of repeats: nothing where the plan ran once. */
#ifndef TEXT_REPEATS_H
#define TEXT_REPEATS_H

#include <stdio.h>

#include "../core/result/result.h"

/* How many there are, by what the figures were chosen, and what came of --until. */
void text_repeats_head(FILE *to, const struct result *result);

/* The line of a job of result->jobs: which repeat it is, and the spread over all. 0 or -ENOMEM. */
int text_repeats_job(FILE *to, const struct result *result, size_t job, size_t column);

#endif
