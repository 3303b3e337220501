// SPDX-License-Identifier: MIT
/*
 * The matrices of jobs that differ by a `vary`: bandwidths in KiB/s, the points of the last axis
 * across, sections (and the points of other axes) down.
 */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/units.h"
#include "wrap.h"

enum {
	TABLE_LABEL_MAX = 30, /* a longer row label has a line of its own */
	TABLE_WORD_MAX = 20,  /* a longer word of a header is cut */
	TABLE_GAP = 2,
};

/* The jobs of one row and column; more than one without group_reporting. */
struct cell {
	double bw; /* bytes/s, added */
	unsigned jobs;
	unsigned ran;
	unsigned failed;
	unsigned noted; /* with something to say below the table */
};

/* A job of the table. */
struct entry {
	const struct result_job *job;
	size_t row;
	size_t column;
};

struct table {
	const char *axis; /* the name that the last axes share */
	struct entry *entries;
	size_t nentries;
	const struct result_job **rows; /* the first job of each */
	size_t nrows;
	const char **columns;
	size_t ncolumns;
	struct cell *cells; /* nrows x ncolumns */
	size_t *widths;     /* of the columns */
	size_t label_width;
};

/* ---- which job goes where ------------------------------------------------------------------ */

/* Of a job that has axes. */
static const struct result_axis *last_axis(const struct result_job *job)
{
	return &job->axes[job->naxes - 1];
}

/* Do they differ in nothing but the last axis? */
static bool same_row(const struct result_job *a, const struct result_job *b)
{
	if (strcmp(a->section, b->section) || a->naxes != b->naxes)
		return false;
	for (size_t i = 0; i + 1 < a->naxes; i++) {
		if (strcmp(a->axes[i].name, b->axes[i].name) ||
				strcmp(a->axes[i].label, b->axes[i].label))
			return false;
	}
	return true;
}

/* Gives the job its row and its column, which may be new ones. */
static void table_add(struct table *table, const struct result_job *job)
{
	const char *label = last_axis(job)->label;
	size_t r = 0, c = 0;

	while (r < table->nrows && !same_row(table->rows[r], job))
		r++;
	while (c < table->ncolumns && strcmp(table->columns[c], label))
		c++;
	if (r == table->nrows)
		table->rows[table->nrows++] = job;
	if (c == table->ncolumns)
		table->columns[table->ncolumns++] = label;
	table->entries[table->nentries++] = (struct entry){ job, r, c };
}

static struct cell *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cells[row * table->ncolumns + column];
}

/* "section, label": into buf; returns it. */
static const char *row_label(const struct result_job *job, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s", job->section);

	for (size_t i = 0; i + 1 < job->naxes && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, ", %s", job->axes[i].label);
	return buf;
}

static bool never_ran(const struct result_job *job)
{
	return job->skipped || (job->end == RESULT_END_INTERRUPTED && !job->elapsed_ns);
}

/* What must be said of the job's cell, into buf; NULL for nothing. */
static const char *job_note(const struct result_job *job, char *buf, size_t size)
{
	uint64_t errors = 0;

	if (job->skipped)
		return job->skipped;
	if (result_failed(job)) {
		if (job->error_text[0])
			return job->error_text;
		return job->error ? strerror(job->error) : result_end_name(job->end);
	}
	if (job->end == RESULT_END_INTERRUPTED)
		return never_ran(job) ? "interrupted before it began" : "interrupted";
	for (int d = 0; d < RESULT_DIRS; d++)
		errors += job->dir[d].errors;
	if (!errors)
		return NULL;
	snprintf(buf, size, "%llu I/Os failed", (unsigned long long)errors);
	return buf;
}

static void cell_add(struct cell *cell, const struct result_job *job)
{
	char buf[64];

	cell->jobs++;
	cell->bw += result_bw_total(job);
	cell->ran += !never_ran(job);
	cell->failed += result_failed(job);
	cell->noted += job_note(job, buf, sizeof(buf)) != NULL;
}

/* "47,932"; "-" not run, "!" failed, "*" before a figure with a note. */
static const char *cell_text(const struct cell *cell, char *buf, size_t size)
{
	if (!cell->jobs)
		return "";
	if (cell->failed)
		return "!";
	if (!cell->ran)
		return "-";
	buf[0] = '*';
	units_print_count(buf + 1, size - 1, (uint64_t)(cell->bw / 1024 + 0.5));
	return cell->noted ? buf : buf + 1;
}

/* ---- layout -------------------------------------------------------------------------------- */

/* Line `line` of a header broken to `width` columns: its start, and *bytes of it; or NULL. */
static const char *header_line(const char *label, size_t width, size_t line, size_t *bytes)
{
	for (;; line--) {
		label += strspn(label, " ");
		if (!*label)
			return NULL;
		*bytes = wrap_fit(label, width);
		if (!line)
			return label;
		label += *bytes;
	}
}

static size_t header_lines(const char *label, size_t width)
{
	size_t lines = 0, bytes;

	while (header_line(label, width, lines, &bytes))
		lines++;
	return lines;
}

/* A column is as wide as its widest cell and the longest word above it. */
static size_t column_width(const struct table *table, size_t column)
{
	const char *label = table->columns[column];
	size_t width = 1;
	char buf[32];

	while (*label) {
		size_t bytes = strcspn(label, " ");
		char word[TABLE_WORD_MAX * 4 + 1];

		snprintf(word, sizeof(word), "%.*s", (int)bytes, label);
		if (wrap_width(word) > width)
			width = wrap_width(word);
		label += bytes + strspn(label + bytes, " ");
	}
	if (width > TABLE_WORD_MAX)
		width = TABLE_WORD_MAX;
	for (size_t r = 0; r < table->nrows; r++) {
		size_t w = strlen(cell_text(table_cell(table, r, column), buf, sizeof(buf)));

		if (w > width)
			width = w;
	}
	return width;
}

static void table_measure(struct table *table)
{
	char buf[1024];

	for (size_t c = 0; c < table->ncolumns; c++)
		table->widths[c] = column_width(table, c);
	for (size_t r = 0; r < table->nrows; r++) {
		size_t w = wrap_width(row_label(table->rows[r], buf, sizeof(buf)));

		w = w < TABLE_LABEL_MAX ? w : TABLE_LABEL_MAX;
		if (w > table->label_width)
			table->label_width = w;
	}
}

static int table_init(struct table *table, const struct result *result, const char *axis)
{
	*table = (struct table){ .axis = axis };
	table->entries = calloc(result->njobs, sizeof(*table->entries));
	table->rows = calloc(result->njobs, sizeof(*table->rows));
	table->columns = calloc(result->njobs, sizeof(*table->columns));
	table->widths = calloc(result->njobs, sizeof(*table->widths));
	if (!table->entries || !table->rows || !table->columns || !table->widths)
		return -ENOMEM;
	for (size_t i = 0; i < result->njobs; i++) {
		const struct result_job *job = &result->jobs[i];

		if (job->naxes && !strcmp(last_axis(job)->name, axis))
			table_add(table, job);
	}
	table->cells = calloc(table->nrows * table->ncolumns, sizeof(*table->cells));
	if (!table->cells)
		return -ENOMEM;
	for (size_t i = 0; i < table->nentries; i++) {
		const struct entry *e = &table->entries[i];

		cell_add(table_cell(table, e->row, e->column), e->job);
	}
	table_measure(table);
	return 0;
}

static void table_free(struct table *table)
{
	free(table->entries);
	free(table->rows);
	free(table->columns);
	free(table->widths);
	free(table->cells);
}

/* ---- printing ------------------------------------------------------------------------------ */

/* A text that ends at `end`; *column is where the line is. No blanks without a text. */
static void print_right(FILE *to, size_t *column, size_t end, const char *text, size_t bytes)
{
	char copy[TABLE_WORD_MAX * 4 + 1];
	size_t width;

	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	width = wrap_width(copy);
	if (!bytes)
		return;
	fprintf(to, "%*s", (int)(end - width - *column), "");
	wrap_print(to, copy, strlen(copy));
	*column = end;
}

static void print_header(const struct table *table, FILE *to, size_t first, size_t end)
{
	size_t height = 1;

	for (size_t c = first; c < end; c++) {
		size_t lines = header_lines(table->columns[c], table->widths[c]);

		if (lines > height)
			height = lines;
	}
	for (size_t line = 0; line < height; line++) {
		size_t column = 0, right = table->label_width;

		for (size_t c = first; c < end; c++) {
			size_t skip = height - header_lines(table->columns[c], table->widths[c]);
			size_t bytes = 0;
			const char *text = line < skip ? NULL : header_line(table->columns[c],
					table->widths[c], line - skip, &bytes);

			right += TABLE_GAP + table->widths[c];
			print_right(to, &column, right, text ? text : "", bytes);
		}
		fputc('\n', to);
	}
}

static void print_words(FILE *to, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", text);
	wrap_end(&wrap);
}

static void print_row(const struct table *table, FILE *to, size_t row, size_t first, size_t end)
{
	char buf[1024];
	const char *label = row_label(table->rows[row], buf, sizeof(buf));
	size_t column = wrap_width(label), right = table->label_width;

	if (column > table->label_width) {
		print_words(to, label);
		column = 0;
	} else {
		wrap_print(to, label, strlen(label));
	}
	for (size_t c = first; c < end; c++) {
		char number[32];
		const char *text = cell_text(table_cell(table, row, c), number, sizeof(number));

		right += TABLE_GAP + table->widths[c];
		print_right(to, &column, right, text, strlen(text));
	}
	fputc('\n', to);
}

/* As many columns at a time as a line holds. */
static void print_blocks(const struct table *table, FILE *to)
{
	size_t first = 0, end;

	while (first < table->ncolumns) {
		size_t width = table->label_width;

		for (end = first; end < table->ncolumns; end++) {
			width += TABLE_GAP + table->widths[end];
			if (width > WRAP_COLUMNS && end > first)
				break;
		}
		if (first)
			fputc('\n', to);
		print_header(table, to, first, end);
		for (size_t r = 0; r < table->nrows; r++)
			print_row(table, to, r, first, end);
		first = end;
	}
}

/* The first entry of the row with that note, in that column (or in any: ncolumns). */
static size_t find_note(const struct table *table, size_t row, size_t column, const char *note)
{
	size_t i = 0;

	for (; i < table->nentries; i++) {
		const struct entry *e = &table->entries[i];
		char buf[64];
		const char *text;

		if (e->row != row || (column < table->ncolumns && e->column != column))
			continue;
		text = job_note(e->job, buf, sizeof(buf));
		if (text && !strcmp(text, note))
			break;
	}
	return i;
}

/* A note of a row: "- mmap, Direct read, Direct write: reason"; "- mmap: reason" for all of it. */
static void print_note(const struct table *table, FILE *to, const struct entry *e, const char *note)
{
	const struct cell *cell = table_cell(table, e->row, e->column);
	size_t used = 0, with = 0;
	struct wrap wrap;
	char buf[1024];

	for (size_t c = 0; c < table->ncolumns; c++) {
		used += table_cell(table, e->row, c)->jobs > 0;
		with += find_note(table, e->row, c, note) < table->nentries;
	}
	wrap_begin(&wrap, to, 2, 4, cell->failed ? "!" : cell->ran ? "*" : "-");
	wrap_words(&wrap, " ", row_label(table->rows[e->row], buf, sizeof(buf)));
	for (size_t c = 0; c < table->ncolumns && with < used; c++) {
		if (find_note(table, e->row, c, note) < table->nentries)
			wrap_words(&wrap, ", ", table->columns[c]);
	}
	wrap_words(&wrap, ": ", note);
	wrap_end(&wrap);
}

/* Each note of a row once. */
static void print_notes(const struct table *table, FILE *to)
{
	for (size_t i = 0; i < table->nentries; i++) {
		const struct entry *e = &table->entries[i];
		char buf[64];
		const char *note = job_note(e->job, buf, sizeof(buf));

		if (note && find_note(table, e->row, table->ncolumns, note) == i)
			print_note(table, to, e, note);
	}
}

/* Says where a figure is a sum over several jobs. */
static void print_sums(const struct table *table, FILE *to)
{
	for (size_t r = 0; r < table->nrows; r++) {
		unsigned most = 0, least = UINT_MAX;
		char buf[1024];
		struct wrap wrap;

		for (size_t c = 0; c < table->ncolumns; c++) {
			unsigned jobs = table_cell(table, r, c)->jobs;

			most = jobs > most ? jobs : most;
			least = jobs && jobs < least ? jobs : least;
		}
		if (most < 2)
			continue;
		wrap_begin(&wrap, to, 2, 4, "+");
		wrap_words(&wrap, " ", row_label(table->rows[r], buf, sizeof(buf)));
		wrap_add(&wrap, ": ", "the bandwidths of %s%u jobs are added",
				least < most ? "up to " : "", most);
		wrap_end(&wrap);
	}
}

static int print_table(FILE *to, const struct result *result, const char *axis, bool first)
{
	struct table table;
	int err = table_init(&table, result, axis);

	if (!err) {
		struct wrap wrap;

		if (!first)
			fputc('\n', to);
		wrap_begin(&wrap, to, 0, 0, "KiB/s by");
		wrap_words(&wrap, " ", axis);
		wrap_end(&wrap);
		print_blocks(&table, to);
		print_notes(&table, to);
		print_sums(&table, to);
	}
	table_free(&table);
	return err;
}

/* Is it the first job whose last axis has this name? */
static bool first_of_axis(const struct result *result, size_t job)
{
	for (size_t i = 0; i < job; i++) {
		const struct result_job *before = &result->jobs[i];

		if (before->naxes && !strcmp(last_axis(before)->name,
				last_axis(&result->jobs[job])->name))
			return false;
	}
	return true;
}

int output_table(FILE *to, const struct result *result)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < result->njobs && !err; i++) {
		if (!result->jobs[i].naxes || !first_of_axis(result, i))
			continue;
		err = print_table(to, result, last_axis(&result->jobs[i])->name, !any);
		any = true;
	}
	if (!any)
		fputs("No table: no job has a `vary`.\n", to);
	return err;
}
