/* SPDX-License-Identifier: MIT */
/* Text that people read: widths in columns (characters of UTF-8), lines of at most 80 of them. */
#ifndef WRAP_H
#define WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 80 };

/* Columns that a text takes. */
size_t wrap_width(const char *text);

/*
 * How many bytes of a text go on a line of `width` columns: all of it, or up to a blank, or, where
 * no blank is within reach, as many as fit. The caller skips the blanks that follow.
 */
size_t wrap_fit(const char *text, size_t width);

/* Line `line` of a text broken to `width` columns: its start, and *bytes of it; or NULL. */
const char *wrap_line(const char *text, size_t width, size_t line, size_t *bytes);

/* How many of them there are. */
size_t wrap_lines(const char *text, size_t width);

/* Prints `bytes` of a text; control characters, which names can contain, become '?'. */
void wrap_print(FILE *to, const char *text, size_t bytes);

/* A paragraph in the making. */
struct wrap {
	FILE *to;
	size_t indent; /* of the second line and on */
	size_t column;
	bool fresh; /* nothing on this line yet but blanks */
};

/*
 * Starts with `label` ("" for none) behind `first` blanks; what follows it stands behind `indent`.
 */
void wrap_begin(struct wrap *wrap, FILE *to, size_t first, size_t indent, const char *label);

/*
 * Adds a piece that stays on one line if one can hold it. `before` (", ") parts it from the piece
 * before: a mark, which stays on the old line, and blanks, which give way to the end of a line.
 */
void wrap_add(struct wrap *wrap, const char *before, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* Adds words; each may begin a new line. A word that no line can hold has one for itself. */
void wrap_words(struct wrap *wrap, const char *before, const char *text);

void wrap_end(struct wrap *wrap);

#endif
