/* SPDX-License-Identifier: MIT */
/*
 * Output formats. Each is one file with one function, and one row in output.c's table; it sees a
 * finished struct result and writes text, and knows neither options nor live state.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "../core/err.h"
#include "../core/result/result.h"

struct output_format {
	const char *name; /* as in --output-format=NAME; NULL ends the table */
	const char *help;
	/*
	 * Writes the whole result. 0, or -errno where memory ran out; write errors stay in the
	 * stream.
	 */
	int (*write)(FILE *to, const struct result *result);
};

extern const struct output_format output_formats[];

const struct output_format *output_find(const char *name);

int output_text(FILE *to, const struct result *result);
int output_json(FILE *to, const struct result *result);
int output_csv(FILE *to, const struct result *result);

/*
 * The matrices that jobs with axes form: one for each set of jobs that share their last axis; its
 * points across, everything else down. Part of the text, and a format of its own.
 */
int output_table(FILE *to, const struct result *result);

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
int output_write(const struct output_target *target, const struct result *result, struct err *err);

#endif
