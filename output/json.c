// SPDX-License-Identifier: MIT
/*
 * JSON in the shape of fio 3.33: every key of its, in its type. What is ours stands under "iojob",
 * so that no reader of fio's meets a key that it does not know; the tables of fields.h say what.
 */
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../core/result/course.h"
#include "../core/result/fields.h"
#include "../core/result/postmark.h"
#include "../core/result/repeats.h"

/* ---- values -------------------------------------------------------------------------------- */

static double percent(uint64_t n, uint64_t total)
{
	return total ? (double)n * 100 / (double)total : 0;
}

static json_int_t whole_real(double x)
{
	return x > 0 && x < 0x1p63 ? (json_int_t)x : 0;
}

/* Milliseconds; a moment that was there at all is not 0. */
static json_int_t milliseconds(uint64_t ns)
{
	uint64_t ms = (ns + 500000) / 1000000;

	return value_whole(ns && !ms ? 1 : ms);
}

/* ---- figures ------------------------------------------------------------------------------- */

static json_t *percentiles(const struct result_job *job, const struct dist *dist)
{
	json_t *object = json_object();
	char key[32];

	for (size_t i = 0; i < job->npercentiles; i++) {
		if (!dist_knows(dist, job->percentiles[i]))
			continue;
		snprintf(key, sizeof(key), "%f", job->percentiles[i]);
		object = value_with(object, key, json_integer(value_whole(
				dist_percentile(dist, job->percentiles[i]))));
	}
	return object;
}

/* As fio: percentiles only where there is something. */
static json_t *durations(
		const struct result_job *job, const struct dist *dist, bool with_percentiles)
{
	json_t *object = json_pack("{s:I, s:I, s:f, s:f, s:I}",
			"min", value_whole(dist->min), "max", value_whole(dist->max), "mean",
			value_real(dist_mean(dist)), "stddev",
			value_real(dist_stddev(dist)), "N", value_whole(dist->n));

	if (with_percentiles && dist->n && job->npercentiles)
		object = value_with(object, "percentile", percentiles(job, dist));
	return object;
}

/* fio's bw_agg: this job's share of what its whole group moved, percent. */
static double share_of_group(const struct result *result, const struct result_job *job, int d)
{
	double group = 0, share;

	for (size_t i = 0; i < result->njobs; i++) {
		if (result->jobs[i].group == job->group)
			group += result_bw(&result->jobs[i], d);
	}
	share = group > 0 ? result_samples_mean(&job->dir[d].bw) * 100 / group : 0;
	return share < 100 ? share : 100;
}

static json_t *above(const struct result_job *job, const struct result_dir *dir)
{
	json_t *array = json_array();

	for (size_t i = 0; i < job->nthresholds; i++)
		array = value_item(array, json_pack("{s:I, s:I, s:f}",
				"ns", value_whole(job->thresholds_ns[i]),
				"ios", value_whole(dir->above[i]),
				"percent", value_real(result_above_percent(dir, i))));
	return array;
}

static json_t *direction_ours(const struct result_job *job, const struct result_dir *dir)
{
	json_t *object = fields_write(&fields_dir, dir);

	object = value_with(object, "above", above(job, dir));
	return value_with(object, "response_ns", durations(job, &dir->response, true));
}

static json_t *direction(const struct result *result, const struct result_job *job, int d)
{
	const struct result_dir *dir = &job->dir[d];
	json_t *latencies[] = {
		durations(job, &dir->slat, false),
		durations(job, &dir->clat, true),
		durations(job, result_lat(dir), job->lat_percentiles),
	};
	double bw = result_bw(job, d);

	return json_pack("{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:i, s:o, s:o, s:o,"
			 " s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:I, s:o}",
			"io_bytes", value_whole(dir->bytes),
			"io_kbytes", value_whole(dir->bytes / 1024),
			"bw_bytes", whole_real(bw), "bw", whole_real(bw / 1024),
			"iops", value_real(result_iops(job, d)),
			"runtime", milliseconds(dir->runtime_ns),
			"total_ios", value_whole(dir->ios),
			"short_ios", value_whole(dir->shorts), "drop_ios", 0,
			"slat_ns", latencies[0], "clat_ns", latencies[1], "lat_ns", latencies[2],
			"bw_min", whole_real(dir->bw.min / 1024),
			"bw_max", whole_real(dir->bw.max / 1024),
			"bw_agg", value_real(share_of_group(result, job, d)),
			"bw_mean", value_real(result_samples_mean(&dir->bw) / 1024),
			"bw_dev", value_real(result_samples_stddev(&dir->bw) / 1024),
			"bw_samples", value_whole(dir->bw.n),
			"iops_min", whole_real(dir->iops.min),
			"iops_max", whole_real(dir->iops.max),
			"iops_mean", value_real(result_samples_mean(&dir->iops)),
			"iops_stddev", value_real(result_samples_stddev(&dir->iops)),
			"iops_samples", value_whole(dir->iops.n),
			"iojob", direction_ours(job, dir));
}

/* Shares of the groups (see stat.h) under fio's keys; a key names the last group that it holds. */
struct depth_key {
	const char *name;
	int group;
};

enum { DEPTH_KEYS = 7 };

static const struct depth_key level_keys[DEPTH_KEYS] = {
	{ "1", 1 }, { "2", 2 }, { "4", 3 }, { "8", 4 }, { "16", 5 }, { "32", 6 }, { ">=64", 7 },
};

static const struct depth_key batch_keys[DEPTH_KEYS] = {
	{ "0", 0 }, { "4", 2 }, { "8", 3 }, { "16", 4 }, { "32", 5 }, { "64", 6 }, { ">=64", 7 },
};

static json_t *depths(const uint64_t groups[RESULT_DEPTHS], const struct depth_key *keys)
{
	json_t *object = json_object();
	uint64_t total = 0;
	int group = 0;

	for (int i = 0; i < RESULT_DEPTHS; i++)
		total += groups[i];
	for (int i = 0; i < DEPTH_KEYS; i++) {
		uint64_t n = 0;

		while (group <= keys[i].group)
			n += groups[group++];
		object = value_with(object, keys[i].name, json_real(percent(n, total)));
	}
	return object;
}

/* Of all latencies, percent. */
static double latency_share(const struct result_job *job, uint64_t low_ns, uint64_t high_ns)
{
	uint64_t n = 0, total = 0;

	for (int d = 0; d < RESULT_DIRS; d++) {
		n += dist_between(result_lat(&job->dir[d]), low_ns, high_ns);
		total += result_lat(&job->dir[d])->n;
	}
	return percent(n, total);
}

/* fio's bins: each holds what lies below its key and not below the key before. */
static json_t *latencies(const struct result_job *job, uint64_t low_ns, uint64_t unit_ns)
{
	static const unsigned bins[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000 };
	json_t *object = json_object();
	char key[16];

	for (size_t i = 0; i < sizeof(bins) / sizeof(bins[0]); i++) {
		uint64_t high_ns = bins[i] * unit_ns;

		snprintf(key, sizeof(key), "%u", bins[i]);
		object = value_with(object, key, json_real(latency_share(job, low_ns, high_ns)));
		low_ns = high_ns;
	}
	return object;
}

static json_t *latencies_ms(const struct result_job *job)
{
	const uint64_t ms = 1000000;
	json_t *object = latencies(job, ms, ms);

	object = value_with(object, "2000", json_real(latency_share(job, 1000 * ms, 2000 * ms)));
	return value_with(object, ">=2000", json_real(latency_share(job, 2000 * ms, UINT64_MAX)));
}

/* ---- a job --------------------------------------------------------------------------------- */

/* Was the course steady? null: it is too short to tell. */
static json_t *steady_verdict(const struct result_job *job)
{
	struct result_verdict verdict = result_verdict(job);

	if (!verdict.judged)
		return json_null();
	return json_pack("{s:b, s:f, s:f}", "steady", verdict.steady, "range_percent",
			value_real(verdict.range_percent), "movement_percent",
			value_real(verdict.movement_percent));
}

/* To what the tables have of it, the figures that follow from that. */
static json_t *postmark_figures(const struct result_job *job, json_t *object)
{
	const struct result_postmark *pm = &job->postmark;
	struct result_postmark_rates r;
	json_t *whole = json_object(), *call = json_object(), *files, *device;

	result_postmark_rates(job, &r);
	files = value_with(json_incref(json_object_get(object, "files")), "created",
			json_integer(value_whole(result_postmark_done(pm, RESULT_CREATE))));
	files = value_with(files, "deleted",
			json_integer(value_whole(result_postmark_done(pm, RESULT_DELETE))));
	device = value_with(json_incref(json_object_get(object, "device")), "reached_bytes",
			json_integer(value_whole(result_postmark_reached(pm))));
	object = value_with(object, "files", files);
	object = value_with(object, "device", device);
	for (int k = 0; k < RESULT_KINDS; k++)
		whole = value_with(whole, result_kind_name(k),
				durations(job, &pm->whole[k], true));
	for (int c = 0; c < RESULT_CALLS; c++)
		call = value_with(call, result_call_name(c), durations(job, &pm->call[c], true));
	object = value_with(object, "operation_ns", whole);
	object = value_with(object, "call_ns", call);
	return value_with(object, "rates", json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f,"
			" s:f, s:f, s:f}", "transactions", r.transactions, "created", r.created,
			"created_alone", r.created_alone, "created_mixed", r.created_mixed,
			"read", r.read, "appended", r.appended, "deleted", r.deleted,
			"deleted_alone", r.deleted_alone, "deleted_mixed", r.deleted_mixed,
			"bytes_read", r.bytes_read, "bytes_written", r.bytes_written));
}

static json_t *job_ours(const struct result_job *job)
{
	json_t *object = value_with(fields_write(&fields_job, job), "depth_mean",
			json_real(value_real(result_depth_mean(job))));

	if (result_is_postmark(job))
		object = value_with(object, "postmark", postmark_figures(job,
				fields_write(&fields_postmark, &job->postmark)));
	return value_with(object, "steady", steady_verdict(job));
}

/* fio's object of a job with steadystate_duration: the samples that it looked at last. */
static json_t *steadystate(const struct result_job *job)
{
	const struct result_steady *steady = &job->steady;
	struct result_window window = result_window(job);
	json_t *iops = json_array(), *bw = json_array();
	uint64_t sums[2] = { 0 };
	char rule[64], criterion[64];

	for (size_t i = 0; i < window.n; i++) {
		uint64_t ios = result_course_at(job, window.first + i, false);
		uint64_t bytes = result_course_at(job, window.first + i, true);

		sums[0] += ios;
		sums[1] += bytes;
		iops = value_item(iops, json_integer(value_whole(ios)));
		bw = value_item(bw, json_integer(value_whole(bytes)));
	}
	snprintf(criterion, sizeof(criterion), "%f%s", value_real(window.criterion),
			steady->rule.percent || steady->rule.kind == STEADY_SNIA ? "%" : "");
	return json_pack("{s:s, s:I, s:i, s:s, s:f, s:f, s:{s:I, s:I, s:o, s:o}}",
			"ss", steady_print(rule, sizeof(rule), &steady->rule, true),
			"duration", value_whole(steady->window_ns / 1000000000),
			"attained", steady->attained != 0, "criterion", criterion,
			"max_deviation", value_real(steady_deviation(&window.fit)),
			"slope", value_real(steady_slope(&window.fit)), "data",
			"bw_mean", value_whole(window.n ? sums[1] / window.n : 0),
			"iops_mean", value_whole(window.n ? sums[0] / window.n : 0),
			"iops", iops, "bw", bw);
}

/* The keys that fio prints for some jobs only. */
static json_t *with_errors(json_t *object, const struct result *result,
		const struct result_job *job)
{
	const char *go_on = result_option(result, job, "continue_on_error");
	uint64_t errors = 0;

	if (!go_on || !strcmp(go_on, "none"))
		return object;
	for (int d = 0; d < RESULT_DIRS; d++)
		errors += job->dir[d].errors;
	object = value_with(object, "total_err", json_integer(value_whole(errors)));
	return value_with(object, "first_error", json_integer(job->error));
}

static json_t *job_json(const struct result *result, const struct result_job *job)
{
	bool forward = result->ended_ms > result->started_ms; /* the wall clock can be set back */
	uint64_t ms = forward ? result->ended_ms - result->started_ms : 0;
	json_t *object = json_pack("{s:o, s:i, s:i, s:i, s:I, s:o}",
			"jobname", value_string(job->name), "groupid", (int)job->group,
			"error", job->error, "eta", 0, "elapsed", value_whole((ms + 999) / 1000),
			"job options", fields_pairs(job->options, job->noptions));

	for (int d = 0; d < RESULT_DIRS; d++)
		object = value_with(object, result_dir_name(d), direction(result, job, d));
	object = value_with(object, "sync", json_pack("{s:I, s:o}",
			"total_ios", value_whole(job->syncs),
			"lat_ns", durations(job, &job->sync, true)));
	object = value_with(object, "job_runtime", json_integer(milliseconds(job->runtime_ns)));
	object = value_with(object, "usr_cpu",
			json_real(value_real(result_cpu_percent(job, false))));
	object = value_with(object, "sys_cpu",
			json_real(value_real(result_cpu_percent(job, true))));
	object = value_with(object, "ctx", json_integer(value_whole(job->ctx)));
	object = value_with(object, "majf", json_integer(value_whole(job->majf)));
	object = value_with(object, "minf", json_integer(value_whole(job->minf)));
	object = value_with(object, "iodepth_level", depths(job->depth, level_keys));
	object = value_with(object, "iodepth_submit", depths(job->submit, batch_keys));
	object = value_with(object, "iodepth_complete", depths(job->complete, batch_keys));
	object = value_with(object, "latency_ns", latencies(job, 0, 1));
	object = value_with(object, "latency_us", latencies(job, 1000, 1000));
	object = value_with(object, "latency_ms", latencies_ms(job));
	object = with_errors(object, result, job);
	object = value_with(object, "latency_depth", json_integer((json_int_t)job->iodepth));
	object = value_with(object, "latency_target", json_integer(0));
	object = value_with(object, "latency_percentile", json_real(100));
	object = value_with(object, "latency_window", json_integer(0));
	if (job->description[0])
		object = value_with(object, "desc", value_string(job->description));
	if (job->steady.window_ns)
		object = value_with(object, "steadystate", steadystate(job));
	return value_with(object, "iojob", job_ours(job));
}

/* ---- the whole ----------------------------------------------------------------------------- */

static json_t *disk_json(const struct result_disk *disk)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}",
			"name", value_string(disk->name),
			"read_ios", value_whole(disk->read_ios),
			"write_ios", value_whole(disk->write_ios),
			"read_merges", value_whole(disk->read_merges),
			"write_merges", value_whole(disk->write_merges),
			"read_ticks", value_whole(disk->read_ticks_ms),
			"write_ticks", value_whole(disk->write_ticks_ms),
			"in_queue", value_whole(disk->in_queue_ms),
			"util", value_real(disk->util_percent),
			"iojob", fields_write(&fields_disk, disk));
}

/* The schema first: whoever reads the rest must know it. */
static json_t *run_ours(const struct result *result)
{
	json_t *object = json_pack("{s:i}", "schema", RESULT_SCHEMA);
	json_t *rest = fields_write(&fields_result, result);

	if (rest && object && json_object_update(object, rest)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(rest);
	return rest ? object : NULL;
}

static json_t *repeats_json(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->nrepeats; i++) {
		struct result one = repeats_one(result, i);
		json_t *jobs = json_array();

		for (size_t j = 0; j < one.njobs; j++)
			jobs = value_item(jobs, job_json(&one, &one.jobs[j]));
		array = value_item(array, value_with(
				fields_write(&fields_repeat, &result->repeats[i]), "jobs", jobs));
	}
	return array;
}

/* The jobs at the top; where there are repeats each stands among those that it ran with. */
static json_t *jobs_json(const struct result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->njobs; i++) {
		const struct result_job *job = &result->jobs[i];
		struct result around = *result;

		if (job->repeat && job->repeat <= result->nrepeats)
			around = repeats_one(result, job->repeat - 1);
		array = value_item(array, job_json(&around, job));
	}
	return array;
}

static json_t *result_json(const struct result *result)
{
	time_t seconds = (time_t)(result->ended_ms / 1000);
	struct tm tm;
	char when[64] = "";
	json_t *disks = json_array();
	json_t *ours = run_ours(result);

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", &tm);
	if (result->nrepeats)
		ours = value_with(ours, "repeats", repeats_json(result));
	for (size_t i = 0; i < result->ndisks; i++)
		disks = value_item(disks, disk_json(&result->disks[i]));
	return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "fio version", "fio-3.33",
			"timestamp", (json_int_t)seconds,
			"timestamp_ms", value_whole(result->ended_ms),
			"time", value_string(when),
			"global options", fields_pairs(result->global, result->nglobal),
			"jobs", jobs_json(result), "disk_util", disks, "iojob", ours);
}

/* Behind a string that begins at s. */
static const char *string_end(const char *s)
{
	for (s++; *s != '"'; s++)
		s += *s == '\\';
	return s + 1;
}

/* Prints a text of JSON, with each list of nothing but numbers on one line. */
static void print_compact(FILE *to, const char *text)
{
	for (const char *s = text, *end; *s; s = end) {
		size_t numbers = strspn(s + 1, "0123456789+-.eE, \n");

		if (*s == '"') {
			end = string_end(s);
			fwrite(s, 1, (size_t)(end - s), to);
		} else if (*s == '[' && s[1 + numbers] == ']') {
			for (end = s + 1 + numbers; s < end; s++) {
				if (*s != ' ' && *s != '\n')
					fputc(*s, to);
			}
		} else {
			fputc(*s, to);
			end = s + 1;
		}
	}
}

int output_json(FILE *to, const struct result *result, const struct output_options *options)
{
	json_t *root = result_json(result);
	/* 15 digits are what a double holds for sure, and print 0.1 as 0.1. */
	char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;

	(void)options;
	json_decref(root);
	if (!text)
		return -ENOMEM;
	print_compact(to, text);
	fputc('\n', to);
	free(text);
	return 0;
}
