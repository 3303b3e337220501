/* SPDX-License-Identifier: MIT */
/*
 * The matrices of jobs that differ by `vary`: which job is in which cell, and what each cell says.
 * table.c makes them, once for all layouts; a layout only writes.
 *
 * The points of the last axis are the columns. The rows are the points of the one or two axes
 * before it; every further axis, and the section, makes a matrix of its own. Jobs with one axis
 * alone share a matrix, their sections down. Jobs of several job files that are otherwise the same
 * have a row for each file, which its last label tells.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "grid.h"
#include "output.h"

enum { TABLE_AXES = GRID_LABELS - 1 }; /* that make rows; their labels, and the job file's */

struct table_cell {
	double value;    /* in the unit of the table's metric; NaN: there is none */
	unsigned jobs;   /* more than one without group_reporting */
	unsigned ran;
	unsigned failed;
	unsigned noted;  /* with something to say below the table */
};

/* A job and its cell. */
struct table_entry {
	const struct result_job *job;
	size_t row;
	size_t column;
};

/* One matrix. The strings are the result's. */
struct table {
	const struct result *result;
	const struct result_job *like; /* its first job; the others have axes of the same names */
	struct table_entry *entries;
	size_t nentries;
	const struct result_job **rows; /* the first job of each */
	size_t nrows;
	bool files; /* rows are told apart by their job file */
	const char **columns; /* their labels */
	size_t ncolumns;
	const struct metric *metric;
	struct table_cell *cells; /* nrows x ncolumns, of that metric */
};

/* A layout. */
struct table_layout {
	/* Writes the cells of one metric; `again`: the matrix was there with another one before. */
	int (*matrix)(FILE *to, const struct table *table, bool again);
	/* A line below it: a mark, and what there is to say about what; NULL: no place for it. */
	void (*note)(FILE *to, char mark, const char *text);
	const char *none; /* where there is no matrix at all */
};

/* Writes all of a result's tables. -ENOMEM. */
int table_write(FILE *to, const struct result *result, const struct output_options *options,
		const struct table_layout *layout);

const struct table_cell *table_cell(const struct table *table, size_t row, size_t column);

/* The matrix as people read it; grid_free() in either case. 0 or -ENOMEM. */
int table_grid(const struct table *table, struct grid *grid);

/* "KiB/s by mode: section, bs 4k"; on the heap, or NULL. */
char *table_title(const struct table *table);

/* "KiB/s" */
const char *table_unit(const struct metric *metric);

/* A figure of a metric in that unit, for people: "47,932". Returns buf. */
const char *table_figure(double value, const struct metric *metric, char *buf, size_t size);

/* For programs: 47932.000, "skipped", "failed", or "" where there is no such job or figure. */
const char *table_cell_plain(const struct table_cell *cell, const struct metric *metric, char *buf,
		size_t size);

#endif
