// SPDX-License-Identifier: MIT
/*
 * The two tables of tiotest, column by column, for any set of jobs: a row for each job and
 * direction, and under them what such tables hide. Where a figure does not fit, its whole column
 * becomes wider; else every blank is where tiotest has it. An MB is 2^20 bytes.
 */
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/units.h"
#include "../core/result/repeats.h"
#include "wrap.h"

enum {
	COLUMNS = 5 + RESULT_THRESHOLDS,
	FIGURE_MAX = 400, /* a double has up to 309 digits before the point */
};

/* The workers of a job in one direction, and what they did together. */
struct row {
	const struct result_job *job; /* the first of them */
	int dir;
	char *label;
	unsigned workers;
	uint64_t bytes;
	uint64_t phase_ns;
	uint64_t user_ns;
	uint64_t sys_ns;
	uint64_t timed;  /* I/Os with a latency; PostMark's have none */
	uint64_t lat_ns; /* of those, added */
	uint64_t lat_max_ns;
	uint64_t above[RESULT_THRESHOLDS];
	uint64_t end_sync_ns;
	uint64_t syncs;
	uint64_t sync_ns; /* of all of them, added */
	uint64_t sync_max_ns;
	bool printed;
};

struct report {
	FILE *to;
	const struct result *result;
	struct row *rows;
	size_t nrows;
	char *cell; /* room for the longest one */
	size_t cell_size;
};

/* ---- rows ---------------------------------------------------------------------------------- */

/*
 * As the text calls it, and the direction where it does several: "mixed, 4k write". -1: of the job
 * as a whole.
 */
static char *make_label(const struct result *result, const struct result_job *job, int dir)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int dirs = 0;

	if (!to)
		return NULL;
	for (int d = 0; d < RESULT_DIRS && dir >= 0; d++)
		dirs += result_does(job, d);
	wrap_print(to, job->name, strlen(job->name));
	for (size_t i = 0; i < job->naxes; i++) {
		fputs(", ", to);
		wrap_print(to, job->axes[i].label, strlen(job->axes[i].label));
	}
	if (compare_has_twin(result, job)) {
		fputs(" of ", to);
		wrap_print(to, job->file, strlen(job->file));
	}
	if (dirs > 1)
		fprintf(to, " %s", result_dir_name(dir));
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Without group_reporting each worker of a job is a result of its own. */
static bool same_job(const struct result_job *a, const struct result_job *b)
{
	if (a->stage != b->stage || strcmp(a->section, b->section) || a->naxes != b->naxes)
		return false;
	for (size_t i = 0; i < a->naxes; i++) {
		if (strcmp(a->axes[i].label, b->axes[i].label))
			return false;
	}
	return true;
}

/* The row of a job, which may be a new one; NULL: no memory. */
static struct row *find_row(struct report *r, const struct result_job *job, int dir)
{
	struct row *row;
	char *label;

	for (row = r->rows; row < r->rows + r->nrows; row++) {
		if (row->dir == dir && same_job(row->job, job))
			return row;
	}
	label = make_label(r->result, job, dir);
	if (!label)
		return NULL;
	*row = (struct row){ .job = job, .dir = dir, .label = label };
	r->nrows++;
	if (strlen(label) + FIGURE_MAX > r->cell_size)
		r->cell_size = strlen(label) + FIGURE_MAX;
	return row;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_work(struct row *row, const struct result_job *job)
{
	const struct result_dir *dir = &job->dir[row->dir];
	const struct dist *lat = result_lat(dir);

	row->workers += job->workers;
	row->bytes += dir->bytes;
	/* Results of fio know no phase. */
	row->phase_ns = longer(row->phase_ns, job->phase_ns ? job->phase_ns : job->elapsed_ns);
	row->user_ns += job->cpu_user_ns;
	row->sys_ns += job->cpu_sys_ns;
	row->timed += lat->n;
	row->lat_ns += lat->sum;
	row->lat_max_ns = longer(row->lat_max_ns, lat->max);
	for (size_t i = 0; i < job->nthresholds; i++)
		row->above[i] += dir->above[i];
	if (row->dir != 1)
		return; /* reads are not synced */
	row->end_sync_ns = longer(row->end_sync_ns, job->end_sync_ns);
	row->syncs += job->syncs;
	row->sync_ns += job->sync.sum;
	row->sync_max_ns = longer(row->sync_max_ns, job->sync.max);
}

static int add_jobs(struct report *r)
{
	const struct result *result = r->result;

	for (size_t i = 0; i < result->njobs; i++) {
		const struct result_job *job = &result->jobs[i];

		for (int d = 0; d < RESULT_DIRS && !job->skipped && job->elapsed_ns; d++) {
			struct row *row = result_does(job, d) ? find_row(r, job, d) : NULL;

			if (row)
				add_work(row, job);
			else if (result_does(job, d))
				return -ENOMEM;
		}
	}
	r->cell = malloc(r->cell_size + FIGURE_MAX);
	return r->cell ? 0 : -ENOMEM;
}

/* One pair of tables holds rows with as many workers and with the same thresholds. */
static bool same_tables(const struct row *a, const struct row *b)
{
	return a->workers == b->workers && a->job->nthresholds == b->job->nthresholds
			&& !memcmp(a->job->thresholds_ns, b->job->thresholds_ns,
				sizeof(a->job->thresholds_ns));
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Per second, or of a whole in percent; 0 where there is nothing to divide by. */
static double ratio(double part, uint64_t whole, double unit)
{
	return whole ? part * unit / (double)whole : 0;
}

/* Prints a cell of a row that is `width` columns wide, if the figure fits. */
struct column {
	char head[40];
	size_t width;
	int (*print)(char *to, size_t size, const struct row *row, const struct column *column);
	size_t threshold;
};

/* "Write          40 MBs": the number stands at the right. */
static int item_and_size(char *to, size_t size, const struct row *row, const struct column *column)
{
	size_t taken = wrap_width(row->label) + 5;

	return snprintf(to, size, "%s %*.0f MBs", row->label,
			column->width > taken ? (int)(column->width - taken) : 0,
			(double)row->bytes / (1 << 20));
}

static int item(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%s%*s", row->label,
			(int)column->width - (int)wrap_width(row->label) > 0
			? (int)column->width - (int)wrap_width(row->label) : 0, "");
}

static int phase(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.1f s", (int)column->width - 2, (double)row->phase_ns / 1e9);
}

static int rate(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.3f MB/s", (int)column->width - 5,
			ratio((double)row->bytes / (1 << 20), row->phase_ns, 1e9));
}

static int user(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.1f %% ", (int)column->width - 3,
			ratio((double)row->user_ns, row->phase_ns, 100));
}

static int sys(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.1f %%", (int)column->width - 2,
			ratio((double)row->sys_ns, row->phase_ns, 100));
}

static int no_figure(char *to, size_t size, const struct column *column)
{
	return snprintf(to, size, "%*s", (int)column->width, "-");
}

static int average(char *to, size_t size, const struct row *row, const struct column *column)
{
	if (!row->timed)
		return no_figure(to, size, column);
	return snprintf(to, size, "%*.3f ms", (int)column->width - 3,
			ratio((double)row->lat_ns, row->timed, 1e-6));
}

static int maximum(char *to, size_t size, const struct row *row, const struct column *column)
{
	if (!row->timed)
		return no_figure(to, size, column);
	return snprintf(to, size, "%*.3f ms", (int)column->width - 3,
			(double)row->lat_max_ns / 1e6);
}

static int share(char *to, size_t size, const struct row *row, const struct column *column)
{
	if (!row->timed)
		return no_figure(to, size, column);
	return snprintf(to, size, "%*.5f", (int)column->width,
			ratio((double)row->above[column->threshold], row->timed, 100));
}

static int end_sync(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.3f s", (int)column->width - 2,
			(double)row->end_sync_ns / 1e9);
}

static int end_sync_share(
		char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.1f %%", (int)column->width - 2,
			ratio((double)row->end_sync_ns, row->phase_ns, 100));
}

static int syncs(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*llu", (int)column->width, (unsigned long long)row->syncs);
}

static int sync_average(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.3f ms", (int)column->width - 3,
			ratio((double)row->sync_ns, row->syncs, 1e-6));
}

static int sync_maximum(char *to, size_t size, const struct row *row, const struct column *column)
{
	return snprintf(to, size, "%*.3f ms", (int)column->width - 3,
			(double)row->sync_max_ns / 1e6);
}

/* "2 sec", as tiotest has it; "500 ms". */
static void name_threshold(char *head, size_t size, uint64_t ns)
{
	char time[32];

	if (ns % 1000000000)
		snprintf(head, size, "%% >%s", units_print_ns(time, sizeof(time), ns));
	else
		snprintf(head, size, "%% >%llu sec", (unsigned long long)(ns / 1000000000));
}

/* A line of dashes: its first mark, the one between columns, the last. */
static void print_rule(FILE *to, const struct column *columns, size_t n, const char *marks)
{
	for (size_t c = 0; c < n; c++) {
		fputc(marks[c > 0], to);
		for (size_t i = 0; i < columns[c].width + 2; i++)
			fputc('-', to);
	}
	fprintf(to, "%c\n", marks[2]);
}

static void print_row(const struct report *r, const struct row *row, const struct column *columns,
		size_t n)
{
	for (size_t c = 0; c < n; c++) {
		columns[c].print(r->cell, r->cell_size, row, &columns[c]);
		fprintf(r->to, "| %s ", r->cell);
	}
	fputs("|\n", r->to);
}

static void widen(const struct report *r, const struct row *row, struct column *columns, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		size_t width;

		columns[c].print(r->cell, r->cell_size, row, &columns[c]);
		width = wrap_width(r->cell);
		if (width > columns[c].width)
			columns[c].width = width;
	}
}

/* Head and rows of a table: the first one, and those behind it that belong to it. */
static void print_table(const struct report *r, const struct row *first, const struct row *total,
		bool (*belongs)(const struct row *first, const struct row *row),
		struct column *columns, size_t n)
{
	const struct row *end = r->rows + r->nrows;

	for (const struct row *row = first; row < end; row++) {
		if (belongs(first, row))
			widen(r, row, columns, n);
	}
	if (total)
		widen(r, total, columns, n);
	print_rule(r->to, columns, n, ",-.");
	for (size_t c = 0; c < n; c++)
		fprintf(r->to, "| %-*s ", (int)columns[c].width, columns[c].head);
	fputs("|\n", r->to);
	print_rule(r->to, columns, n, "+++");
	for (const struct row *row = first; row < end; row++) {
		if (belongs(first, row))
			print_row(r, row, columns, n);
	}
	if (total) {
		print_rule(r->to, columns, n, "|+|");
		print_row(r, total, columns, n);
	}
	print_rule(r->to, columns, n, total ? "`+'" : "`-'");
}

static void print_rates(const struct report *r, const struct row *first)
{
	struct column columns[] = {
		{ "Item", 21, item_and_size, 0 },
		{ "Time", 8, phase, 0 },
		{ "Rate", 12, rate, 0 },
		{ "Usr CPU", 8, user, 0 },
		{ "Sys CPU", 7, sys, 0 },
	};

	fprintf(r->to, "Tiotest results for %u concurrent io threads:\n", first->workers);
	print_table(r, first, NULL, same_tables, columns,
			sizeof(columns) / sizeof(columns[0]));
}

static void print_latencies(const struct report *r, const struct row *first)
{
	struct column columns[COLUMNS] = {
		{ "Item", 12, item, 0 },
		{ "Average latency", 15, average, 0 },
		{ "Maximum latency", 15, maximum, 0 },
	};
	char label[] = "Total";
	struct row total = { .label = label };
	size_t n = 3;

	for (size_t i = 0; i < first->job->nthresholds; i++) {
		struct column *column = &columns[n++];

		name_threshold(column->head, sizeof(column->head), first->job->thresholds_ns[i]);
		column->width = longer(8, strlen(column->head));
		column->print = share;
		column->threshold = i;
	}
	for (const struct row *row = first; row < r->rows + r->nrows; row++) {
		if (!same_tables(first, row))
			continue;
		total.timed += row->timed;
		total.lat_ns += row->lat_ns;
		total.lat_max_ns = longer(total.lat_max_ns, row->lat_max_ns);
		for (size_t i = 0; i < RESULT_THRESHOLDS; i++)
			total.above[i] += row->above[i];
	}
	fputs("Tiotest latency results:\n", r->to);
	print_table(r, first, &total, same_tables, columns, n);
}

static void print_tables(const struct report *r)
{
	if (!r->nrows)
		fputs("No table: no job has run.\n", r->to);
	for (struct row *first = r->rows; first < r->rows + r->nrows; first++) {
		if (first->printed)
			continue;
		if (first > r->rows)
			fputc('\n', r->to);
		print_rates(r, first);
		print_latencies(r, first);
		for (struct row *row = first; row < r->rows + r->nrows; row++)
			row->printed |= same_tables(first, row);
	}
}

/* ---- what the tables hide ------------------------------------------------------------------ */

static void print_line(const struct report *r, const char *label, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, r->to, 0, 2, "");
	wrap_words(&wrap, "", label);
	wrap_words(&wrap, ": ", text);
	wrap_end(&wrap);
}

static bool synced(const struct row *first, const struct row *row)
{
	(void)first;
	return row->end_sync_ns || row->syncs;
}

/* Those at the end, and, where there were some in between, those too. */
static void print_syncs(const struct report *r)
{
	enum { AT_END = 3 };
	struct column columns[] = {
		{ "Item", 12, item, 0 },
		{ "At the end", 10, end_sync, 0 },
		{ "Of the time", 11, end_sync_share, 0 },
		{ "In between", 10, syncs, 0 },
		{ "Average", 10, sync_average, 0 },
		{ "Maximum", 12, sync_maximum, 0 },
	};
	const struct row *first = NULL;
	size_t n = AT_END;

	for (const struct row *row = r->rows; row < r->rows + r->nrows; row++) {
		if (synced(row, row) && !first)
			first = row;
		if (row->syncs)
			n = sizeof(columns) / sizeof(columns[0]);
	}
	if (!first)
		return;
	fputs("Fsync, which is in the time and in no latency:\n", r->to);
	print_table(r, first, NULL, synced, columns, n);
}

/* "Read: note C3: what was seen: what to do"; `where`: in how many of the runs, or "". */
static void print_doubt(const struct report *r, const char *label, const struct result_doubt *doubt,
		const char *where)
{
	struct wrap wrap;

	wrap_begin(&wrap, r->to, 0, 2, "");
	wrap_words(&wrap, "", label);
	wrap_add(&wrap, ": ", "%s %s%s:", doubt->fact ? "fact" : "note", doubt->id, where);
	wrap_words(&wrap, " ", doubt->evidence);
	if (doubt->advice[0])
		wrap_words(&wrap, ": ", doubt->advice);
	wrap_end(&wrap);
}

/* How many of n jobs have this doubt. */
static size_t count_doubt(const struct result_job *const *jobs, size_t n, const char *id)
{
	size_t count = 0;

	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < jobs[j]->ndoubts; i++)
			count += !strcmp(jobs[j]->doubts[i].id, id);
	}
	return count;
}

/*
 * All that a row stands for: its workers as they are shown, and behind them, where there are
 * repeats, those of each. Returns how many; *shown: of the former.
 */
static size_t gather_runs(const struct report *r, size_t job, const struct result_job **runs,
		size_t *shown)
{
	const struct result *result = r->result;
	size_t n = 0;

	for (size_t repeat = 0; repeat <= result->nrepeats; repeat++) {
		for (size_t i = job; i < result->njobs; i++) {
			if (same_job(&result->jobs[i], &result->jobs[job]))
				runs[n++] = repeat ? &result->repeats[repeat - 1].jobs[i]
						   : &result->jobs[i];
		}
		*shown = repeat ? *shown : n;
	}
	return n;
}

/* Of the row that begins with that job: one of each kind, but those that the user accepts. */
static void print_row_doubts(const struct report *r, size_t job, const struct result_job **runs,
		const char *label)
{
	size_t shown, n = gather_runs(r, job, runs, &shown);
	size_t first = n > shown ? shown : 0; /* the shown ones are among the repeats */

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < runs[k]->ndoubts; i++) {
			const struct result_doubt *doubt = &runs[k]->doubts[i];
			size_t with = count_doubt(runs + first, n - first, doubt->id);
			char where[64] = "";

			if (doubt->accepted || count_doubt(runs, k, doubt->id))
				continue;
			if (with < n - first)
				snprintf(where, sizeof(where), " in %zu of %zu %s", with, n - first,
						first ? "runs" : "workers");
			print_doubt(r, label, doubt, where);
		}
	}
}

static bool begins_row(const struct result *result, size_t job)
{
	for (size_t i = 0; i < job; i++) {
		if (same_job(&result->jobs[i], &result->jobs[job]))
			return false;
	}
	return true;
}

/* Those of the jobs, facts too, and of the whole those that are none. */
static int print_doubts(const struct report *r)
{
	const struct result *result = r->result;
	const struct result_job **runs =
			calloc(result->njobs * (result->nrepeats + 1) + 1, sizeof(*runs));

	int err = runs ? 0 : -ENOMEM;

	for (size_t i = 0; i < result->njobs && !err; i++) {
		char *label;

		if (!begins_row(result, i))
			continue;
		label = make_label(result, &result->jobs[i], -1);
		if (label)
			print_row_doubts(r, i, runs, label);
		err = label ? 0 : -ENOMEM;
		free(label);
	}
	for (size_t i = 0; i < result->ndoubts && !err; i++) {
		if (!result->doubts[i].fact && !result->doubts[i].accepted)
			print_doubt(r, "All", &result->doubts[i], "");
	}
	free(runs);
	return err;
}

static int print_failures(const struct report *r)
{
	for (size_t i = 0; i < r->result->njobs; i++) {
		const struct result_job *job = &r->result->jobs[i];
		const char *what = job->error_text[0] ? job->error_text : strerror(job->error);
		size_t bad = repeats_failed(r->result, i);
		char *label = make_label(r->result, job, -1);
		char repeats[64];

		if (!label)
			return -ENOMEM;
		snprintf(repeats, sizeof(repeats), "%zu of %zu repeats failed", bad,
				r->result->nrepeats);
		if (job->skipped)
			print_line(r, label, job->skipped);
		else if (result_failed(job))
			print_line(r, label, what);
		else if (!job->elapsed_ns)
			print_line(r, label, "not run");
		else if (bad)
			print_line(r, label, repeats);
		free(label);
	}
	return 0;
}

int output_tiobench(FILE *to, const struct result *result, const struct output_options *options)
{
	struct report report = {
		.to = to,
		.result = result,
		.rows = calloc(result->njobs * RESULT_DIRS + 1, sizeof(struct row)),
		.cell_size = FIGURE_MAX,
	};
	int err = report.rows ? add_jobs(&report) : -ENOMEM;

	(void)options;
	if (!err) {
		print_tables(&report);
		print_syncs(&report);
		err = print_doubts(&report);
	}
	if (!err)
		err = print_failures(&report);
	for (size_t i = 0; i < report.nrows; i++)
		free(report.rows[i].label);
	free(report.rows);
	free(report.cell);
	return err;
}
