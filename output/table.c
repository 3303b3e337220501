// SPDX-License-Identifier: MIT
#include "table.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/units.h"
#include "../core/result/repeats.h"

/* How figures are printed, by their unit. */
static const struct {
	const char *name;
	double scale;
	int decimals;
} units[] = {
	[METRIC_BYTES_PER_S] = { "KiB/s", 1.0 / 1024, 0 },
	[METRIC_PER_S] = { "IOPS", 1, 0 },
	[METRIC_NS] = { "us", 1e-3, 1 },
	[METRIC_NS_PER_IO] = { "ns per I/O", 1, 0 },
	[METRIC_TRANSACTIONS_PER_S] = { "per second", 1, 1 },
};

/* ---- which job goes where ------------------------------------------------------------------ */

/* Of a job that has axes. */
static const struct result_axis *last_axis(const struct result_job *job)
{
	return &job->axes[job->naxes - 1];
}

static size_t labels_of(const struct result_job *job)
{
	return job->naxes <= 1 ? 1 : job->naxes - 1 < TABLE_AXES ? job->naxes - 1 : TABLE_AXES;
}

static size_t outer_of(const struct result_job *job)
{
	return job->naxes <= 1 ? 0 : job->naxes - 1 - labels_of(job);
}

/* Do they share the first n labels? */
static bool same_labels(const struct result_job *a, const struct result_job *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(a->axes[i].label, b->axes[i].label))
			return false;
	}
	return true;
}

/* Are they in one matrix? */
static bool same_matrix(const struct result_job *a, const struct result_job *b)
{
	if (a->naxes != b->naxes || (a->naxes > 1 && strcmp(a->section, b->section)))
		return false;
	for (size_t i = 0; i < a->naxes; i++) {
		if (strcmp(a->axes[i].name, b->axes[i].name))
			return false;
	}
	return same_labels(a, b, outer_of(a));
}

/* In one matrix: do they differ in nothing but the last axis and perhaps the job file? */
static bool same_points(const struct result_job *a, const struct result_job *b)
{
	return !strcmp(a->section, b->section) && same_labels(a, b, a->naxes - 1);
}

static bool same_row(const struct result_job *a, const struct result_job *b)
{
	return same_points(a, b) && !strcmp(a->file, b->file);
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
	for (size_t i = 0; r == table->nrows && i < r; i++)
		table->files |= same_points(table->rows[i], job);
	if (r == table->nrows)
		table->rows[table->nrows++] = job;
	if (c == table->ncolumns)
		table->columns[table->ncolumns++] = label;
	table->entries[table->nentries++] = (struct table_entry){ job, r, c };
}

static void table_free(struct table *table)
{
	free(table->entries);
	free(table->rows);
	free(table->columns);
	free(table->cells);
}

/* The matrix that a job is in. */
static int table_init(struct table *table, const struct result *result,
		const struct result_job *like)
{
	*table = (struct table){ .result = result, .like = like };
	table->entries = calloc(result->njobs, sizeof(*table->entries));
	table->rows = calloc(result->njobs, sizeof(*table->rows));
	table->columns = calloc(result->njobs, sizeof(*table->columns));
	if (!table->entries || !table->rows || !table->columns)
		return -ENOMEM;
	for (size_t i = 0; i < result->njobs; i++) {
		if (result->jobs[i].naxes && same_matrix(like, &result->jobs[i]))
			table_add(table, &result->jobs[i]);
	}
	table->cells = calloc(table->nrows * table->ncolumns, sizeof(*table->cells));
	return table->cells ? 0 : -ENOMEM;
}

/* Labels of a row, from the outer one on. */
static size_t table_labels(const struct table *table)
{
	return labels_of(table->like) + table->files;
}

static const char *table_label(const struct table *table, size_t row, size_t i)
{
	const struct result_job *job = table->rows[row];

	if (i == labels_of(job))
		return job->file;
	return job->naxes == 1 ? job->section : job->axes[outer_of(job) + i].label;
}

/* What they are points of: "" for sections, "file". */
static const char *table_label_name(const struct table *table, size_t i)
{
	const struct result_job *job = table->like;

	if (i == labels_of(job))
		return "file";
	return job->naxes == 1 ? "" : job->axes[outer_of(job) + i].name;
}

const struct table_cell *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cells[row * table->ncolumns + column];
}

/* ---- what a cell says ---------------------------------------------------------------------- */

static bool never_ran(const struct result_job *job)
{
	return job->skipped || (job->end == RESULT_END_INTERRUPTED && !job->elapsed_ns);
}

/* What must be said of the job's cell, into buf; NULL for nothing. */
static const char *job_note(const struct table *table, const struct result_job *job, char *buf,
		size_t size)
{
	size_t bad = repeats_failed(table->result, (size_t)(job - table->result->jobs));
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
	if (bad)
		snprintf(buf, size, "%zu of %zu repeats failed", bad, table->result->nrepeats);
	else
		snprintf(buf, size, "%llu I/Os failed", (unsigned long long)errors);
	return bad || errors ? buf : NULL;
}

/* The figure of the jobs of one cell, taken as one. */
static int merged_value(const struct table *table, size_t row, size_t column, double *value)
{
	struct result_job sum;
	int err = result_job_begin(&sum, table->rows[row]);

	for (size_t i = 0; i < table->nentries && !err; i++) {
		const struct table_entry *e = &table->entries[i];

		if (e->row == row && e->column == column && !never_ran(e->job))
			err = result_job_merge(&sum, e->job);
	}
	if (!err)
		*value = metric_of(table->metric, &sum);
	result_job_free(&sum);
	return err;
}

static void count_jobs(struct table *table)
{
	for (size_t i = 0; i < table->nrows * table->ncolumns; i++)
		table->cells[i] = (struct table_cell){ .value = (double)NAN };
	for (size_t i = 0; i < table->nentries; i++) {
		const struct table_entry *e = &table->entries[i];
		struct table_cell *cell = &table->cells[e->row * table->ncolumns + e->column];
		char buf[64];

		cell->jobs++;
		cell->ran += !never_ran(e->job);
		cell->failed += result_failed(e->job);
		cell->noted += job_note(table, e->job, buf, sizeof(buf)) != NULL;
		cell->value = metric_of(table->metric, e->job);
	}
}

/* The cells of one metric. */
static int table_fill(struct table *table, const struct metric *metric)
{
	int err = 0;

	table->metric = metric;
	count_jobs(table);
	for (size_t r = 0; r < table->nrows && !err; r++) {
		for (size_t c = 0; c < table->ncolumns && !err; c++) {
			struct table_cell *cell = &table->cells[r * table->ncolumns + c];

			if (cell->jobs > 1)
				err = merged_value(table, r, c, &cell->value);
		}
	}
	return err;
}

const char *table_unit(const struct metric *metric)
{
	return units[metric_unit(metric)].name;
}

const char *table_figure(double value, const struct metric *metric, char *buf, size_t size)
{
	const enum metric_unit unit = metric_unit(metric);
	uint64_t scale = units[unit].decimals ? 10 : 1;
	uint64_t n = (uint64_t)(value * units[unit].scale * (double)scale + 0.5);

	units_print_count(buf, size, n / scale);
	if (units[unit].decimals)
		snprintf(buf + strlen(buf), size - strlen(buf), ".%u", (unsigned)(n % scale));
	return buf;
}

/* "47,932"; "-" not run, "!" failed, "*" before a figure with a note. */
static const char *cell_text(const struct table_cell *cell, const struct metric *metric, char *buf,
		size_t size)
{
	if (!cell->jobs)
		return "";
	if (cell->failed)
		return "!";
	if (!cell->ran)
		return "-";
	if (isnan(cell->value))
		return "";
	buf[0] = '*';
	table_figure(cell->value, metric, buf + 1, size - 1);
	return cell->noted ? buf : buf + 1;
}

const char *table_cell_plain(const struct table_cell *cell, const struct metric *metric, char *buf,
		size_t size)
{
	if (cell->failed)
		return "failed";
	if (cell->jobs && !cell->ran)
		return "skipped";
	if (isnan(cell->value))
		return "";
	snprintf(buf, size, "%.3f", cell->value * units[metric_unit(metric)].scale);
	return buf;
}

int table_grid(const struct table *table, struct grid *grid)
{
	int err = 0;

	*grid = (struct grid){
		.nlabels = table_labels(table),
		.columns = table->columns, .ncolumns = table->ncolumns,
	};
	for (size_t i = 0; i < grid->nlabels; i++)
		grid->names[i] = table_label_name(table, i);
	for (size_t r = 0; r < table->nrows && !err; r++) {
		const char *labels[GRID_LABELS];

		for (size_t i = 0; i < grid->nlabels; i++)
			labels[i] = table_label(table, r, i);
		err = grid_add(grid, labels) ? 0 : -ENOMEM;
		for (size_t c = 0; c < table->ncolumns && !err; c++) {
			char buf[40];
			const char *text = cell_text(table_cell(table, r, c), table->metric, buf,
					sizeof(buf));

			err = *text ? grid_set(grid, c, text) : 0;
		}
	}
	return err;
}

char *table_title(const struct table *table)
{
	const struct result_job *job = table->like;
	const char *name = table->metric->name, *unit = table_unit(table->metric);
	bool plain = !strcmp(name, "bw") || !strcmp(name, "iops");
	char *title = NULL;
	size_t size;
	FILE *to = open_memstream(&title, &size);

	if (!to)
		return NULL;
	fprintf(to, "%s%s%s by %s", plain ? "" : name, plain ? "" : ", ", unit,
			last_axis(job)->name);
	if (job->naxes > 1)
		fprintf(to, ": %s", job->section);
	for (size_t i = 0; i < outer_of(job); i++)
		fprintf(to, ", %s %s", job->axes[i].name, job->axes[i].label);
	if (fclose(to)) {
		free(title);
		return NULL;
	}
	return title;
}

/* ---- notes --------------------------------------------------------------------------------- */

/* The first entry of the row with that note, in that column (or in any: ncolumns). */
static size_t find_note(const struct table *table, size_t row, size_t column, const char *note)
{
	size_t i = 0;

	for (; i < table->nentries; i++) {
		const struct table_entry *e = &table->entries[i];
		char buf[64];
		const char *text;

		if (e->row != row || (column < table->ncolumns && e->column != column))
			continue;
		text = job_note(table, e->job, buf, sizeof(buf));
		if (text && !strcmp(text, note))
			break;
	}
	return i;
}

/* "section, label", and the job file where that counts */
static void print_row_name(const struct table *table, FILE *to, size_t row)
{
	const struct result_job *job = table->rows[row];

	fputs(job->section, to);
	for (size_t i = 0; i + 1 < job->naxes; i++)
		fprintf(to, ", %s", job->axes[i].label);
	if (table->files)
		fprintf(to, " of %s", job->file);
}

/* A note of a row: "mmap, Direct read, Direct write: reason"; "mmap: reason" for all of it. */
static void print_note(const struct table *table, FILE *to, const struct table_entry *e,
		const char *note)
{
	size_t used = 0, with = 0;

	for (size_t c = 0; c < table->ncolumns; c++) {
		used += table_cell(table, e->row, c)->jobs > 0;
		with += find_note(table, e->row, c, note) < table->nentries;
	}
	print_row_name(table, to, e->row);
	for (size_t c = 0; c < table->ncolumns && with < used; c++) {
		if (find_note(table, e->row, c, note) < table->nentries)
			fprintf(to, ", %s", table->columns[c]);
	}
	fprintf(to, ": %s", note);
}

/* How many jobs the cells of a row stand for. */
struct jobs_range {
	unsigned least;
	unsigned most;
};

static struct jobs_range jobs_of_row(const struct table *table, size_t row)
{
	struct jobs_range n = { UINT_MAX, 0 };

	for (size_t c = 0; c < table->ncolumns; c++) {
		unsigned jobs = table_cell(table, row, c)->jobs;

		n.most = jobs > n.most ? jobs : n.most;
		n.least = jobs && jobs < n.least ? jobs : n.least;
	}
	return n;
}

static bool rows_are_alike(const struct table *table)
{
	const struct jobs_range first = jobs_of_row(table, 0);

	for (size_t r = 1; r < table->nrows; r++) {
		const struct jobs_range n = jobs_of_row(table, r);

		if (n.least != first.least || n.most != first.most)
			return false;
	}
	return table->nrows > 1;
}

/* Says where several jobs of a row stand behind one figure; of rows that are alike once. */
static bool print_sum(const struct table *table, FILE *to, size_t row)
{
	const struct jobs_range n = jobs_of_row(table, row);
	bool alike = rows_are_alike(table);

	if (n.most < 2 || (alike && row))
		return false;
	if (alike)
		fputs("all rows", to);
	else
		print_row_name(table, to, row);
	fprintf(to, ": %s%u jobs are taken as one", n.least < n.most ? "up to " : "", n.most);
	return true;
}

/*
 * Note number i: those of entries first, each of a row once, then those of rows. Returns its mark,
 * and its text into to; 0: there is none.
 */
static char write_note(const struct table *table, FILE *to, size_t i)
{
	const struct table_entry *e = &table->entries[i];
	const struct table_cell *cell;
	const char *note;
	char buf[64];

	if (i >= table->nentries)
		return print_sum(table, to, i - table->nentries) ? '+' : 0;
	cell = table_cell(table, e->row, e->column);
	note = job_note(table, e->job, buf, sizeof(buf));
	if (!note || find_note(table, e->row, table->ncolumns, note) != i)
		return 0;
	print_note(table, to, e, note);
	return cell->failed ? '!' : cell->ran ? '*' : '-';
}

static int write_notes(const struct table *table, FILE *to, const struct table_layout *layout)
{
	for (size_t i = 0; i < table->nentries + table->nrows && layout->note; i++) {
		char *text = NULL, mark;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		if (!stream)
			return -ENOMEM;
		mark = write_note(table, stream, i);
		if (fclose(stream)) {
			free(text);
			return -ENOMEM;
		}
		if (mark)
			layout->note(to, mark, text);
		free(text);
	}
	return 0;
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool first_of_matrix(const struct result *result, size_t job)
{
	for (size_t i = 0; i < job; i++) {
		if (result->jobs[i].naxes && same_matrix(&result->jobs[i], &result->jobs[job]))
			return false;
	}
	return true;
}

static int write_matrix(FILE *to, const struct result *result, const struct result_job *like,
		const struct output_options *options, const struct table_layout *layout)
{
	struct table table;
	int err = table_init(&table, result, like);

	for (size_t m = 0; m < options->nmetrics && !err; m++) {
		err = table_fill(&table, &options->metrics[m]);
		if (!err)
			err = layout->matrix(to, &table, m > 0);
	}
	if (!err)
		err = write_notes(&table, to, layout);
	table_free(&table);
	return err;
}

int table_write(FILE *to, const struct result *result, const struct output_options *options,
		const struct table_layout *layout)
{
	struct output_options bandwidth = { .nmetrics = 1 };
	struct metric bw;
	bool any = false;
	struct err err;
	int rc = 0;

	if (!options->nmetrics) {
		rc = metric_parse(&bw, "bw", &err);
		bandwidth.metrics = &bw;
		options = &bandwidth;
	}
	for (size_t i = 0; i < result->njobs && !rc; i++) {
		if (!result->jobs[i].naxes || !first_of_matrix(result, i))
			continue;
		if (any)
			fputc('\n', to);
		any = true;
		rc = write_matrix(to, result, &result->jobs[i], options, layout);
	}
	if (!any)
		fputs(layout->none, to);
	return rc;
}
