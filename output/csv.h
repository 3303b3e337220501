/* SPDX-License-Identifier: MIT */
/* What every CSV has in common (RFC 4180). */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

/* A field, in quotes where it needs them. */
void csv_field(FILE *to, const char *text);

#endif
