/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people write them in job files, and back. Parsers return 0, or -EINVAL with *why set
 * to a static text that says what is wrong ("no unit of size ..."); they accept blanks before and
 * behind and nothing else around the number, and fractions ("1.5m").
 */
#ifndef UNITS_H
#define UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes: a decimal or 0x number with k m g t p (either case), kb.., Ki.., KiB... Ki Mi Gi are
 * powers of 1024 always; k and KB are powers of kb_base (1000 or 1024).
 */
int units_size(const char *text, unsigned kb_base, uint64_t *bytes, const char **why);

/* A duration with ns us ms s m h d (also "sec", "min", ...); a bare number counts unit_ns each. */
int units_time(const char *text, uint64_t unit_ns, uint64_t *ns, const char **why);

/* A whole number, with k m g suffixes as for sizes (1024-based: fio's ints take them). */
int units_int(const char *text, int64_t *value, const char **why);

/* "50%" -> 50. Whole percents, 1 to 100. */
int units_percent(const char *text, unsigned *percent, const char **why);

/*
 * For people. Each writes into buf (at least 32 bytes) and returns it.
 */
char *units_print_size(char *buf, size_t size, uint64_t bytes);  /* "4 KiB", "1.50 GiB", "100 B" */
char *units_print_bytes(char *buf, size_t size, uint64_t bytes); /* exact: "4k", "1g", "1000" */
char *units_print_time(char *buf, size_t size, uint64_t ns);     /* "10 s", "1.25 ms", "830 ns" */
char *units_print_ns(char *buf, size_t size, uint64_t ns);      /* exact: "2 s", "1500 us" */
char *units_print_count(char *buf, size_t size, uint64_t n);     /* "47,932" */
char *units_print_si(char *buf, size_t size, double n);          /* "31.5k", "1.20M", "17" */

#endif
