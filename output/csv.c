// SPDX-License-Identifier: MIT
/*
 * CSV (RFC 4180, lines end with LF): a row for each job and direction. One list gives the names of
 * the columns and their values, so that the two cannot part.
 */
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/result/course.h"
#include "../core/result/postmark.h"
#include "output.h"

struct csv {
	FILE *to;
	bool names;   /* the header row: names instead of values */
	bool absent;  /* nothing was measured: figures stay empty */
	bool started; /* the row has a column already */
	const char *direction; /* what the row is of, where that is none of the directions */
};

void csv_field(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void csv_string(struct csv *csv, const char *s)
{
	if (csv->started)
		fputc(',', csv->to);
	csv->started = true;
	csv_field(csv->to, s);
}

static void csv_text(struct csv *csv, const char *name, const char *value)
{
	csv_string(csv, csv->names ? name : value ? value : "");
}

static void csv_whole(struct csv *csv, const char *name, uint64_t value)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)value);
	csv_text(csv, name, csv->absent ? "" : buf);
}

static void csv_real(struct csv *csv, const char *name, double value)
{
	char buf[400]; /* DBL_MAX has 309 digits */

	snprintf(buf, sizeof(buf), "%.3f", isfinite(value) ? value : 0);
	csv_text(csv, name, csv->absent ? "" : buf);
}

/* A column of a kind of duration: "clat_p99_ns". Empty where there was none. */
static void csv_ns(struct csv *csv, const char *kind, const char *figure, bool any, double value)
{
	char name[64], buf[400];

	snprintf(name, sizeof(name), "%s_%s_ns", kind, figure);
	snprintf(buf, sizeof(buf), "%.*f", value > floor(value) ? 3 : 0, value);
	csv_text(csv, name, any ? buf : "");
}

static void csv_durations(struct csv *csv, const char *kind, const struct dist *dist)
{
	static const struct {
		const char *name;
		double percent;
	} percentiles[] = {
		{ "p50", 50 }, { "p90", 90 }, { "p95", 95 }, { "p99", 99 }, { "p99.9", 99.9 },
	};
	bool any = dist->n > 0;

	csv_ns(csv, kind, "min", any, (double)dist->min);
	csv_ns(csv, kind, "mean", any, dist_mean(dist));
	csv_ns(csv, kind, "stddev", any, dist_stddev(dist));
	csv_ns(csv, kind, "max", any, (double)dist->max);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		csv_ns(csv, kind, percentiles[i].name, dist_knows(dist, percentiles[i].percent),
				(double)dist_percentile(dist, percentiles[i].percent));
}

static void csv_samples(struct csv *csv, const char *kind, const struct result_samples *samples)
{
	const struct {
		const char *figure;
		double value;
	} columns[] = {
		{ "min", samples->min },
		{ "mean", result_samples_mean(samples) },
		{ "stddev", result_samples_stddev(samples) },
		{ "max", samples->max },
	};
	char name[64];

	snprintf(name, sizeof(name), "%s_samples", kind);
	csv_whole(csv, name, samples->n);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		snprintf(name, sizeof(name), "%s_%s_%s", kind, columns[i].figure,
				!strcmp(kind, "bw") ? "bytes_per_s" : "per_s");
		csv_real(csv, name, columns[i].value);
	}
}

static void axis_text(FILE *to, const char *s)
{
	for (; *s; s++) {
		if (strchr(";=\\", *s))
			fputc('\\', to);
		fputc(*s, to);
	}
}

char *csv_axes(const struct result_job *job)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	for (size_t i = 0; i < job->naxes; i++) {
		if (i)
			fputc(';', stream);
		axis_text(stream, job->axes[i].name);
		fputc('=', stream);
		axis_text(stream, job->axes[i].label);
	}
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

/* "C3;T1": doubts, accepted or not, and no facts. */
static void csv_doubts(struct csv *csv, const struct result_job *job)
{
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < job->ndoubts && used < sizeof(text); i++) {
		if (!job->doubts[i].fact)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					used ? ";" : "", job->doubts[i].id);
	}
	csv_text(csv, "doubts", text);
}

/* What the job is and how it ended: the columns that a skipped job has too. */
static int csv_job(struct csv *csv, const struct result_job *job, int d)
{
	char *axes = csv_axes(job);

	csv_whole(csv, "schema", RESULT_SCHEMA);
	csv_text(csv, "job", job->name);
	csv_text(csv, "section", job->section);
	csv_text(csv, "axes", axes);
	csv_whole(csv, "group", job->group);
	csv_whole(csv, "stage", job->stage);
	csv_whole(csv, "workers", job->workers);
	csv_text(csv, "engine", job->engine);
	csv_text(csv, "rw", job->rw);
	csv_text(csv, "direction", job->skipped ? ""
			: csv->direction ? csv->direction : result_dir_name(d));
	csv_whole(csv, "bs_min_bytes", job->bs_min[d]);
	csv_whole(csv, "bs_max_bytes", job->bs_max[d]);
	csv_whole(csv, "iodepth", job->iodepth);
	csv_whole(csv, "direct", job->direct);
	csv_text(csv, "skipped", job->skipped);
	csv->absent = job->skipped;
	csv_whole(csv, "error", (uint64_t)job->error);
	csv_text(csv, "error_text", job->error_text);
	csv_text(csv, "end", job->skipped ? "" : result_end_name(job->end));
	free(axes);
	return axes ? 0 : -ENOMEM;
}

static void csv_direction(struct csv *csv, const struct result_job *job, int d)
{
	const struct result_dir *dir = &job->dir[d];

	csv_whole(csv, "ios", dir->ios);
	csv_whole(csv, "bytes", dir->bytes);
	csv_whole(csv, "shorts", dir->shorts);
	csv_whole(csv, "errors", dir->errors);
	csv_whole(csv, "runtime_ns", dir->runtime_ns);
	csv_real(csv, "bw_bytes_per_s", result_bw(job, d));
	csv_real(csv, "iops_per_s", result_iops(job, d));
	csv_durations(csv, "slat", &dir->slat);
	csv_durations(csv, "clat", &dir->clat);
	csv_durations(csv, "lat", result_lat(dir));
	csv_durations(csv, "response", &dir->response);
	csv_whole(csv, "late", dir->late);
	csv_whole(csv, "due", dir->due);
	csv_whole(csv, "lag_max_ns", dir->lag_max_ns);
	csv_samples(csv, "bw", &dir->bw);
	csv_samples(csv, "iops", &dir->iops);
}

/* Of the job as a whole: the same in the rows of all of its directions. */
static void csv_whole_job(struct csv *csv, const struct result *result,
		const struct result_job *job)
{
	csv_real(csv, "depth_mean", result_depth_mean(job));
	csv_whole(csv, "syncs", job->syncs);
	csv_durations(csv, "sync", &job->sync);
	csv_whole(csv, "end_sync_ns", job->end_sync_ns);
	csv_whole(csv, "elapsed_ns", job->elapsed_ns);
	csv_real(csv, "cpu_user_percent", result_cpu_percent(job, false));
	csv_real(csv, "cpu_system_percent", result_cpu_percent(job, true));
	csv_whole(csv, "context_switches", job->ctx);
	csv_whole(csv, "major_faults", job->majf);
	csv_whole(csv, "minor_faults", job->minf);
	csv_whole(csv, "layout_bytes", job->layout_bytes);
	csv_whole(csv, "layout_ns", job->layout_ns);
	csv_whole(csv, "start_ms", job->start_ms);
	csv->absent = false;
	csv_whole(csv, "seed", job->seed);
	csv_text(csv, "version", result->version);
	csv_text(csv, "host", result->host);
	csv_text(csv, "kernel", result->kernel);
}

/* Three lists of one length, ';' between their members: the thresholds and what was above them. */
static void csv_above(struct csv *csv, const struct result_job *job, const struct result_dir *dir)
{
	char ns[RESULT_THRESHOLDS * 32] = "", ios[sizeof(ns)] = "", percent[sizeof(ns)] = "";
	size_t n = job->skipped ? 0 : job->nthresholds;

	for (size_t i = 0; i < n; i++) {
		const char *part = i ? ";" : "";
		size_t at = strlen(ns);

		snprintf(ns + at, sizeof(ns) - at, "%s%llu", part,
				(unsigned long long)job->thresholds_ns[i]);
		at = strlen(ios);
		snprintf(ios + at, sizeof(ios) - at, "%s%llu", part,
				(unsigned long long)dir->above[i]);
		at = strlen(percent);
		snprintf(percent + at, sizeof(percent) - at, "%s%.5f", part,
				result_above_percent(dir, i));
	}
	csv_text(csv, "lat_thresholds_ns", ns);
	csv_text(csv, "above_ios", ios);
	csv_text(csv, "above_percent", percent);
}

/* Of the job as a whole: was it steady, and did steadystate end it? Empty where nobody asked. */
static void csv_steady(struct csv *csv, const struct result_job *job)
{
	struct result_verdict verdict = result_verdict(job);

	csv_text(csv, "steady", !verdict.judged ? "" : verdict.steady ? "yes" : "no");
	csv->absent = !verdict.judged;
	csv_real(csv, "steady_range_percent", verdict.range_percent);
	csv_real(csv, "steady_movement_percent", verdict.movement_percent);
	csv->absent = false;
	csv_text(csv, "steadystate_attained", job->skipped || !job->steady.window_ns ? ""
			: job->steady.attained ? "yes" : "no");
}

/* Which repeat, and is it the one of this job that the other formats show? */
static void csv_repeat(struct csv *csv, const struct result *result, const struct result_job *job)
{
	bool chosen = false;
	char number[16] = "";

	for (size_t i = 0; i < result->njobs && result->nrepeats; i++)
		chosen |= result->jobs[i].name == job->name;
	if (job->repeat)
		snprintf(number, sizeof(number), "%u", job->repeat);
	csv_text(csv, "repeat", number);
	csv_text(csv, "chosen", !job->repeat ? "" : chosen ? "1" : "0");
}

static void csv_postmark_whole(struct csv *csv, const char *name, uint64_t value)
{
	char column[64];

	snprintf(column, sizeof(column), "postmark_%s", name);
	csv_whole(csv, column, value);
}

static void csv_postmark_rates(struct csv *csv, const struct result_job *job)
{
	struct result_postmark_rates r;

	result_postmark_rates(job, &r);
	csv_real(csv, "postmark_transactions_per_s", r.transactions);
	csv_real(csv, "postmark_created_per_s", r.created);
	csv_real(csv, "postmark_created_alone_per_s", r.created_alone);
	csv_real(csv, "postmark_created_mixed_per_s", r.created_mixed);
	csv_real(csv, "postmark_read_per_s", r.read);
	csv_real(csv, "postmark_appended_per_s", r.appended);
	csv_real(csv, "postmark_deleted_per_s", r.deleted);
	csv_real(csv, "postmark_deleted_alone_per_s", r.deleted_alone);
	csv_real(csv, "postmark_deleted_mixed_per_s", r.deleted_mixed);
	csv_real(csv, "postmark_read_bytes_per_s", r.bytes_read);
	csv_real(csv, "postmark_written_bytes_per_s", r.bytes_written);
}

/* Of the job as a whole; empty where it is none of PostMark's. */
static void csv_postmark(struct csv *csv, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;
	const uint64_t *alone = pm->done[RESULT_CREATION], *mixed = pm->done[RESULT_TRANSACTIONS];

	csv->absent = csv->names || !result_is_postmark(job);
	csv_postmark_whole(csv, "transactions", pm->transactions);
	csv_postmark_whole(csv, "skipped", pm->skipped);
	csv_postmark_whole(csv, "out_of_files", pm->dry);
	csv_postmark_whole(csv, "created", result_postmark_done(pm, RESULT_CREATE));
	csv_postmark_whole(csv, "created_alone", alone[RESULT_CREATE]);
	csv_postmark_whole(csv, "created_mixed", mixed[RESULT_CREATE]);
	csv_postmark_whole(csv, "read", mixed[RESULT_READ]);
	csv_postmark_whole(csv, "appended", mixed[RESULT_APPEND]);
	csv_postmark_whole(csv, "deleted", result_postmark_done(pm, RESULT_DELETE));
	csv_postmark_whole(csv, "deleted_alone", pm->done[RESULT_DELETION][RESULT_DELETE]);
	csv_postmark_whole(csv, "deleted_mixed", mixed[RESULT_DELETE]);
	csv_postmark_whole(csv, "creation_ns", pm->phase_ns[RESULT_CREATION]);
	csv_postmark_whole(csv, "transactions_ns", pm->phase_ns[RESULT_TRANSACTIONS]);
	csv_postmark_whole(csv, "deletion_ns", pm->phase_ns[RESULT_DELETION]);
	csv_postmark_rates(csv, job);
	csv->absent = csv->absent || !pm->device_known;
	csv_postmark_whole(csv, "device_read_bytes", pm->device_read);
	csv_postmark_whole(csv, "device_write_bytes", pm->device_written);
	csv_postmark_whole(csv, "device_cancelled_bytes", pm->device_cancelled);
	csv_postmark_whole(csv, "device_reached_bytes", result_postmark_reached(pm));
	csv->absent = false;
}

static int csv_row(FILE *to, const struct result *result, const struct result_job *job, int d,
		bool names, const char *direction)
{
	struct csv csv = { .to = to, .names = names, .direction = direction };
	int err = csv_job(&csv, job, d);

	csv_direction(&csv, job, d);
	csv_whole_job(&csv, result, job);
	csv_above(&csv, job, &job->dir[d]);
	csv_steady(&csv, job);
	csv.absent = job->skipped;
	csv_whole(&csv, "phase_ns", job->phase_ns);
	csv.absent = false;
	csv_doubts(&csv, job);
	csv_postmark(&csv, job);
	csv_text(&csv, "file", job->file);
	csv_repeat(&csv, result, job);
	fputc('\n', to);
	return err;
}

/* Kinds of operation and calls are directions of their own: "postmark.create". */
static int csv_postmark_rows(FILE *to, const struct result *result, const struct result_job *job)
{
	int err = 0;

	for (int i = 0; i < RESULT_KINDS + RESULT_CALLS && !err; i++) {
		bool whole = i < RESULT_KINDS;
		const struct dist *dist = whole ? &job->postmark.whole[i]
						: &job->postmark.call[i - RESULT_KINDS];
		struct result_job view = *job;
		char name[64];

		snprintf(name, sizeof(name), "postmark.%s%s",
				whole ? result_kind_name(i) : result_call_name(i - RESULT_KINDS),
				whole ? "" : "()");
		view.bs_min[0] = view.bs_max[0] = 0;
		view.dir[0] = (struct result_dir){
			.ios = dist->n,
			.runtime_ns = job->elapsed_ns,
			.clat = *dist,
			.lat = *dist,
		};
		err = csv_row(to, result, &view, 0, false, name);
	}
	return err;
}

/* No job is without a row; one that was skipped has one, whatever it would have done. */
static int csv_rows(FILE *to, const struct result *result, const struct result_job *job)
{
	bool any = false;
	int err = 0;

	for (int d = 0; d < RESULT_DIRS && !err && !(any && job->skipped); d++) {
		if (!result_does(job, d))
			continue;
		err = csv_row(to, result, job, d, false, NULL);
		any = true;
	}
	if (any && result_is_postmark(job) && !err)
		err = csv_postmark_rows(to, result, job);
	return any ? err : csv_row(to, result, job, 0, false, NULL);
}

int output_csv(FILE *to, const struct result *result, const struct output_options *options)
{
	static const struct result_job none = { .name = NULL };
	int err = csv_row(to, result, &none, 0, true, NULL);

	(void)options;
	for (size_t i = 0; i < result->njobs && !err && !result->nrepeats; i++)
		err = csv_rows(to, result, &result->jobs[i]);
	for (size_t r = 0; r < result->nrepeats; r++) {
		for (size_t i = 0; i < result->repeats[r].njobs && !err; i++)
			err = csv_rows(to, result, &result->repeats[r].jobs[i]);
	}
	return err;
}
