/* SPDX-License-Identifier: MIT */
/* The environment of a run for people: all of it, or what matters most in a few lines. */
#ifndef OUTPUT_FACTS_H
#define OUTPUT_FACTS_H

#include <stdio.h>

#include "../core/result/facts.h"

/* Every fact, a line each. */
void facts_print(FILE *to, const struct facts *facts);

/* The same as one JSON object. 0 or -ENOMEM. */
int facts_print_json(FILE *to, const struct facts *facts);

/* For the head of a report: the CPU, the memory, a line for each disk. Nothing without facts. */
void facts_print_head(FILE *to, const struct facts *facts);

/* How the filesystem with this directory is mounted: "rw,noatime"; NULL: not known. */
const char *facts_mount_options(const struct facts *facts, const char *directory);

#endif
