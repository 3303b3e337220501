/* SPDX-License-Identifier: MIT */
/* A grid of texts: columns under headers that may take several lines, rows behind their labels. */
#ifndef GRID_H
#define GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { GRID_LABELS = 3 }; /* of a row, at most */

struct grid_row {
	char *labels[GRID_LABELS];
	bool heading;  /* of the rows below it, which stand a little to the right */
	char **cells;  /* one a column; NULL: nothing there */
};

struct grid {
	const char *names[GRID_LABELS]; /* what stands above the labels, or ""; not owned */
	size_t nlabels;
	const char *const *columns; /* their headers; not owned */
	size_t ncolumns;
	bool marked; /* cells end with a mark or a blank, headers do not */
	struct grid_row *rows;
	size_t nrows;
};

/*
 * One more row with these labels (of a heading: the first one counts) and without cells; NULL
 * without memory. It moves when the next one comes.
 */
struct grid_row *grid_add(struct grid *grid, const char *const *labels);

/* A cell of the last row. 0 or -ENOMEM. */
int grid_set(struct grid *grid, size_t column, const char *text);

/* As many columns at a time as a line of text holds. -ENOMEM. */
int grid_text(FILE *to, const struct grid *grid);
void grid_md(FILE *to, const struct grid *grid);

void grid_free(struct grid *grid);

#endif
