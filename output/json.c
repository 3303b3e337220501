// SPDX-License-Identifier: MIT
/*
 * JSON in the shape of fio 3.33: every key of its, in its type. What is ours stands under "iojob",
 * so that no reader of fio's meets a key that it does not know. json_pack() answers NULL as soon as
 * one of its members is NULL, so that a lack of memory anywhere is seen at the root.
 */
#include "output.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- values -------------------------------------------------------------------------------- */

static json_int_t whole(uint64_t n)
{
	return n < INT64_MAX ? (json_int_t)n : INT64_MAX;
}

static double finite_real(double x)
{
	return isfinite(x) ? x : 0;
}

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

	return whole(ns && !ms ? 1 : ms);
}

/* How many bytes the UTF-8 character at s has, by its first byte; 1 for no character. */
static size_t utf8_length(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

	return strnlen(s, n);
}

/* A string; file names need not be UTF-8, JSON must be: what is none becomes U+FFFD. */
static json_t *string(const char *s)
{
	json_t *value = json_string(s);
	char *clean, *to;

	if (value)
		return value;
	clean = malloc(3 * strlen(s) + 1);
	if (!clean)
		return NULL;
	for (to = clean; *s;) {
		size_t n = utf8_length(s);

		value = json_stringn(s, n);
		if (!value)
			n = 1;
		memcpy(to, value ? s : "\xef\xbf\xbd", value ? n : 3);
		to += value ? n : 3;
		s += n;
		json_decref(value);
	}
	*to = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

/* Adds to an object or fails as a whole, as json_pack() does. */
static json_t *with(json_t *object, const char *key, json_t *value)
{
	if (object && json_object_set_new(object, key, value)) {
		json_decref(object);
		return NULL;
	}
	if (!object)
		json_decref(value);
	return object;
}

static json_t *and_item(json_t *array, json_t *value)
{
	if (array && json_array_append_new(array, value)) {
		json_decref(array);
		return NULL;
	}
	if (!array)
		json_decref(value);
	return array;
}

/* ---- figures ------------------------------------------------------------------------------- */

static json_t *percentiles(const struct result_job *job, const struct dist *dist)
{
	json_t *object = json_object();
	char key[32];

	for (size_t i = 0; i < job->npercentiles; i++) {
		snprintf(key, sizeof(key), "%f", job->percentiles[i]);
		object = with(object, key,
				json_integer(whole(dist_percentile(dist, job->percentiles[i]))));
	}
	return object;
}

/* As fio: percentiles only where there is something. */
static json_t *durations(
		const struct result_job *job, const struct dist *dist, bool with_percentiles)
{
	json_t *object = json_pack("{s:I, s:I, s:f, s:f, s:I}", "min", whole(dist->min), "max",
			whole(dist->max), "mean", finite_real(dist_mean(dist)), "stddev",
			finite_real(dist_stddev(dist)), "N", whole(dist->n));

	if (with_percentiles && dist->n && job->npercentiles)
		object = with(object, "percentile", percentiles(job, dist));
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
		array = and_item(array, json_pack("{s:I, s:I, s:f}", "ns",
				whole(job->thresholds_ns[i]), "ios", whole(dir->above[i]),
				"percent", finite_real(result_above_percent(dir, i))));
	return array;
}

static json_t *direction_ours(const struct result_job *job, const struct result_dir *dir)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "response_ns",
			durations(job, &dir->response, true), "late", whole(dir->late), "due",
			whole(dir->due), "lag_max_ns", whole(dir->lag_max_ns), "errors",
			whole(dir->errors), "runtime_ns", whole(dir->runtime_ns),
			"above", above(job, dir));
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
			"io_bytes", whole(dir->bytes), "io_kbytes", whole(dir->bytes / 1024),
			"bw_bytes", whole_real(bw), "bw", whole_real(bw / 1024),
			"iops", finite_real(result_iops(job, d)),
			"runtime", milliseconds(dir->runtime_ns), "total_ios", whole(dir->ios),
			"short_ios", whole(dir->shorts), "drop_ios", 0,
			"slat_ns", latencies[0], "clat_ns", latencies[1], "lat_ns", latencies[2],
			"bw_min", whole_real(dir->bw.min / 1024),
			"bw_max", whole_real(dir->bw.max / 1024),
			"bw_agg", finite_real(share_of_group(result, job, d)),
			"bw_mean", finite_real(result_samples_mean(&dir->bw) / 1024),
			"bw_dev", finite_real(result_samples_stddev(&dir->bw) / 1024),
			"bw_samples", whole(dir->bw.n),
			"iops_min", whole_real(dir->iops.min),
			"iops_max", whole_real(dir->iops.max),
			"iops_mean", finite_real(result_samples_mean(&dir->iops)),
			"iops_stddev", finite_real(result_samples_stddev(&dir->iops)),
			"iops_samples", whole(dir->iops.n), "iojob", direction_ours(job, dir));
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
		object = with(object, keys[i].name, json_real(percent(n, total)));
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
		object = with(object, key, json_real(latency_share(job, low_ns, high_ns)));
		low_ns = high_ns;
	}
	return object;
}

static json_t *latencies_ms(const struct result_job *job)
{
	const uint64_t ms = 1000000;
	json_t *object = latencies(job, ms, ms);

	object = with(object, "2000", json_real(latency_share(job, 1000 * ms, 2000 * ms)));
	return with(object, ">=2000", json_real(latency_share(job, 2000 * ms, UINT64_MAX)));
}

/* ---- a job --------------------------------------------------------------------------------- */

/* As written; of a key given twice the last counts. */
static json_t *options(const struct result_option *list, size_t n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++) {
		json_t *key = string(list[i].key);

		object = with(object, key ? json_string_value(key) : NULL, string(list[i].value));
		json_decref(key);
	}
	return object;
}

static json_t *axes(const struct result_job *job)
{
	json_t *array = json_array();

	for (size_t i = 0; i < job->naxes; i++)
		array = and_item(array, json_pack("{s:o, s:o}", "name", string(job->axes[i].name),
				"label", string(job->axes[i].label)));
	return array;
}

static json_t *block_sizes(const struct result_job *job)
{
	json_t *object = json_object();

	for (int d = 0; d < RESULT_DIRS; d++)
		object = with(object, result_dir_name(d), json_pack("{s:I, s:I}", "min",
				whole(job->bs_min[d]), "max", whole(job->bs_max[d])));
	return object;
}

static json_t *job_ours(const struct result_job *job)
{
	char seed[32];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)job->seed);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:b, s:b, s:b, s:i, s:i, s:i,"
			 " s:s, s:s, s:o, s:{s:I, s:I}, s:I, s:I, s:I}",
			"section", string(job->section), "axes", axes(job),
			"skipped", job->skipped ? string(job->skipped) : json_null(),
			"engine", string(job->engine), "rw", string(job->rw),
			"bs", block_sizes(job), "iodepth", (int)job->iodepth,
			"depth_mean", finite_real(result_depth_mean(job)),
			"direct", job->direct, "sync_engine", job->sync_engine,
			"grouped", job->grouped, "workers", (int)job->workers,
			"group", (int)job->group, "stage", (int)job->stage, "seed", seed,
			"end", result_end_name(job->end), "error_text", string(job->error_text),
			"layout", "bytes", whole(job->layout_bytes), "ns", whole(job->layout_ns),
			"end_sync_ns", whole(job->end_sync_ns),
			"elapsed_ns", whole(job->elapsed_ns), "start_ms", whole(job->start_ms));
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
	object = with(object, "total_err", json_integer(whole(errors)));
	return with(object, "first_error", json_integer(job->error));
}

static json_t *job_json(const struct result *result, const struct result_job *job)
{
	bool forward = result->ended_ms > result->started_ms; /* the wall clock can be set back */
	uint64_t ms = forward ? result->ended_ms - result->started_ms : 0;
	json_t *object = json_pack("{s:o, s:i, s:i, s:i, s:I, s:o}",
			"jobname", string(job->name), "groupid", (int)job->group,
			"error", job->error, "eta", 0, "elapsed", whole((ms + 999) / 1000),
			"job options", options(job->options, job->noptions));

	for (int d = 0; d < RESULT_DIRS; d++)
		object = with(object, result_dir_name(d), direction(result, job, d));
	object = with(object, "sync", json_pack("{s:I, s:o}", "total_ios", whole(job->syncs),
			"lat_ns", durations(job, &job->sync, true)));
	object = with(object, "job_runtime", json_integer(milliseconds(job->runtime_ns)));
	object = with(object, "usr_cpu", json_real(finite_real(result_cpu_percent(job, false))));
	object = with(object, "sys_cpu", json_real(finite_real(result_cpu_percent(job, true))));
	object = with(object, "ctx", json_integer(whole(job->ctx)));
	object = with(object, "majf", json_integer(whole(job->majf)));
	object = with(object, "minf", json_integer(whole(job->minf)));
	object = with(object, "iodepth_level", depths(job->depth, level_keys));
	object = with(object, "iodepth_submit", depths(job->submit, batch_keys));
	object = with(object, "iodepth_complete", depths(job->complete, batch_keys));
	object = with(object, "latency_ns", latencies(job, 0, 1));
	object = with(object, "latency_us", latencies(job, 1000, 1000));
	object = with(object, "latency_ms", latencies_ms(job));
	object = with_errors(object, result, job);
	object = with(object, "latency_depth", json_integer((json_int_t)job->iodepth));
	object = with(object, "latency_target", json_integer(0));
	object = with(object, "latency_percentile", json_real(100));
	object = with(object, "latency_window", json_integer(0));
	if (job->description[0])
		object = with(object, "desc", string(job->description));
	return with(object, "iojob", job_ours(job));
}

/* ---- the whole ----------------------------------------------------------------------------- */

static json_t *disk_json(const struct result_disk *disk)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:{s:I, s:I}}",
			"name", string(disk->name), "read_ios", whole(disk->read_ios),
			"write_ios", whole(disk->write_ios), "read_merges",
			whole(disk->read_merges), "write_merges", whole(disk->write_merges),
			"read_ticks", whole(disk->read_ticks_ms), "write_ticks",
			whole(disk->write_ticks_ms), "in_queue", whole(disk->in_queue_ms),
			"util", finite_real(disk->util_percent), "iojob", "read_bytes",
			whole(disk->read_sectors * 512), "write_bytes",
			whole(disk->write_sectors * 512));
}

static json_t *run_ours(const struct result *result)
{
	json_t *places = json_array();
	json_t *notes = json_array();

	for (size_t i = 0; i < result->nplaces; i++) {
		const struct result_place *place = &result->places[i];

		places = and_item(places, json_pack("{s:o, s:o, s:o, s:I, s:I}",
				"directory", string(place->directory),
				"filesystem", string(place->filesystem),
				"device", string(place->device),
				"need_bytes", whole(place->need_bytes),
				"free_bytes", whole(place->free_bytes)));
	}
	for (size_t i = 0; i < result->nnotes; i++)
		notes = and_item(notes, string(result->notes[i]));
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:I, s:{s:b, s:f, s:f}, s:{s:f, s:f}, "
			"s:o, s:o, s:b}",
			"schema", RESULT_SCHEMA, "version", string(result->version),
			"command", string(result->command), "host", string(result->host),
			"kernel", string(result->kernel), "started_ms", whole(result->started_ms),
			"clock", "tsc", result->clock_tsc,
			"read_ns", finite_real(result->clock_read_ns),
			"drift_ppm", finite_real(result->clock_drift_ppm), "cost", "execute_ns",
			finite_real(result->cost_execute_ns), "submit_ns",
			finite_real(result->cost_submit_ns), "places", places,
			"notes", notes, "interrupted", result->interrupted);
}

static json_t *result_json(const struct result *result)
{
	time_t seconds = (time_t)(result->ended_ms / 1000);
	struct tm tm;
	char when[64] = "";
	json_t *jobs = json_array();
	json_t *disks = json_array();

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", &tm);
	for (size_t i = 0; i < result->njobs; i++)
		jobs = and_item(jobs, job_json(result, &result->jobs[i]));
	for (size_t i = 0; i < result->ndisks; i++)
		disks = and_item(disks, disk_json(&result->disks[i]));
	return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "fio version", "fio-3.33",
			"timestamp", (json_int_t)seconds, "timestamp_ms", whole(result->ended_ms),
			"time", string(when),
			"global options", options(result->global, result->nglobal),
			"jobs", jobs, "disk_util", disks, "iojob", run_ours(result));
}

int output_json(FILE *to, const struct result *result, const struct output_options *options)
{
	json_t *root = result_json(result);
	int err = 0;

	(void)options;
	/* 15 digits are what a double holds for sure, and print 0.1 as 0.1. */
	if (!root || json_dumpf(root, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		err = -ENOMEM;
	json_decref(root);
	fputc('\n', to);
	return err;
}
