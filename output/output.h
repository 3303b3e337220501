/* SPDX-License-Identifier: MIT */
/*
 * Output formats. Each is one file with one function, and one row in output.c's table; it sees a
 * finished struct result and writes text, and knows no live state.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "../core/err.h"
#include "../core/result/compare.h"
#include "../core/result/metric.h"
#include "../core/result/result.h"

/* What the reader chose, for the formats that leave a choice. */
struct output_options {
	const struct metric *metrics; /* figures of the tables, in this order */
	size_t nmetrics;              /* 0: bandwidth alone */
};

struct output_format {
	const char *name; /* as in --output-format=NAME; NULL ends the table */
	const char *help;
	/*
	 * Writes the whole result. 0, or -errno where memory ran out; write errors stay in the
	 * stream. NULL: it is no format of results.
	 */
	int (*write)(FILE *to, const struct result *result, const struct output_options *options);
	int (*compare)(FILE *to, const struct compare *c); /* the same of a comparison */
};

extern const struct output_format output_formats[];

const struct output_format *output_find(const char *name);

int output_text(FILE *to, const struct result *result, const struct output_options *options);
int output_json(FILE *to, const struct result *result, const struct output_options *options);
int output_csv(FILE *to, const struct result *result, const struct output_options *options);
int output_postmark(FILE *to, const struct result *result, const struct output_options *options);

/* The matrices that jobs with axes form (table.h), in three layouts; text ends with the first. */
int output_table(FILE *to, const struct result *result, const struct output_options *options);
int output_table_csv(FILE *to, const struct result *result, const struct output_options *options);
int output_table_md(FILE *to, const struct result *result, const struct output_options *options);

/* The tables of tiotest (tiobench), of any jobs. */
int output_tiobench(FILE *to, const struct result *result, const struct output_options *options);

/*
 * A target of a result. A regular file, or one that is not there yet, is written beside and renamed
 * when it is whole (links are followed first); a device, a pipe or a terminal is written in place.
 */
struct output_target {
	const struct output_format *format;
	const char *path; /* NULL or "-": standard output */
};

/* Can every target be written, and is no file named twice? To be asked before the run. */
int output_check(const struct output_target *targets, size_t n, struct err *err);

/* Writes one. On error the old file, if any, is as it was. */
int output_write(const struct output_target *target, const struct result *result,
		const struct output_options *options, struct err *err);
int output_write_compare(const struct output_target *target, const struct compare *c,
		struct err *err);

#endif
