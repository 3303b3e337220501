/* SPDX-License-Identifier: MIT */
/* What every CSV has in common (RFC 4180). */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

#include "../core/result/result.h"

/* A field, in quotes where it needs them. */
void csv_field(FILE *to, const char *text);

/*
 * The axes of a job as one field's text, not yet quoted: "mode=Normal read;bs=4k", with a backslash
 * before `;`, `=` and itself within a name or label. On the heap; NULL without memory.
 */
char *csv_axes(const struct result_job *job);

#endif
