/* SPDX-License-Identifier: MIT */
/* What is not the same on the sides of a comparison: what the jobs do, where, on which machine. */
#ifndef DIFFER_H
#define DIFFER_H

#include "compare.h"

/* Fills c->differences; its sides and cells are there. 0 or -ENOMEM. */
int differ_find(struct compare *c, const struct compare_input *inputs);
void differ_free(struct compare *c);

#endif
