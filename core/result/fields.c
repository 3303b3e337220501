// SPDX-License-Identifier: MIT
#include "fields.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ---------------------------------------------------------------------------- */

#define ONE(s, m, t, k) \
	.key = (k), .member = #m, .type = (t), .offset = offsetof(struct s, m)
#define COUNTED(s, c) .counter = #c, .count = offsetof(struct s, c)

#define OURS(s, m, t, k) { ONE(s, m, t, k) }
#define FIOS(s, m, t, k) { ONE(s, m, t, k), .fio = true }
#define ARRAY(s, m, t, k, size) { ONE(s, m, t, k), .shape = FIELD_ARRAY, .n = (size) }
#define ROOM(s, m, t, k, size, c) { \
	ONE(s, m, t, k), .shape = FIELD_ROOM, .n = (size), COUNTED(s, c), \
}
#define HEAP(s, m, t, k, c) { ONE(s, m, t, k), .shape = FIELD_HEAP, COUNTED(s, c) }
#define FIO_HEAP(s, m, t, k, c) { \
	ONE(s, m, t, k), .shape = FIELD_HEAP, COUNTED(s, c), .fio = true, \
}
#define STRUCTS(s, m, f, k, c) { \
	ONE(s, m, FIELD_STRUCT, k), .shape = FIELD_HEAP, COUNTED(s, c), .of = &(f), \
}
#define FIO_STRUCTS(s, m, f, k, c) { \
	ONE(s, m, FIELD_STRUCT, k), .shape = FIELD_HEAP, COUNTED(s, c), .of = &(f), .fio = true, \
}
#define STRUCT(s, m, f, k) { ONE(s, m, FIELD_STRUCT, k), .of = &(f) }
#define LIKE(s, m, k, other, other_key) { \
	ONE(s, m, FIELD_DIST, k), .like = offsetof(struct s, other), .like_key = (other_key), \
}
#define HAND(s, m) { ONE(s, m, FIELD_HAND, NULL) }
#define HANDS(s, m, c) { ONE(s, m, FIELD_HAND, NULL), COUNTED(s, c) }

#define TABLE(s, rows) { #s, sizeof(struct s), rows, sizeof(rows) / sizeof((rows)[0]) }

static const struct field samples_rows[] = {
	OURS(result_samples, n, FIELD_U64, "n"),
	OURS(result_samples, min, FIELD_REAL_TEXT, "min"),
	OURS(result_samples, max, FIELD_REAL_TEXT, "max"),
	OURS(result_samples, sum, FIELD_REAL_TEXT, "sum"),
	OURS(result_samples, sumsq, FIELD_REAL_TEXT, "sumsq"),
};
static const struct fields fields_samples = TABLE(result_samples, samples_rows);

static const struct field series_rows[] = {
	OURS(result_series, interval_ns, FIELD_U64, "interval_ns"),
	HEAP(result_series, bytes, FIELD_U64, "bytes", n),
	HEAP(result_series, ios, FIELD_U64, "ios", n),
};
static const struct fields fields_series = TABLE(result_series, series_rows);

static const struct field steady_rows[] = {
	OURS(result_steady, rule, FIELD_RULE, "rule"),
	OURS(result_steady, window_ns, FIELD_U64, "duration_ns"),
	OURS(result_steady, ramp_ns, FIELD_U64, "ramp_ns"),
	OURS(result_steady, attained, FIELD_U64, "attained_samples"),
};
static const struct fields fields_steady = TABLE(result_steady, steady_rows);

static const struct field axis_rows[] = {
	OURS(result_axis, name, FIELD_STRING, "name"),
	OURS(result_axis, label, FIELD_STRING, "label"),
};
static const struct fields fields_axis = TABLE(result_axis, axis_rows);

static const struct field doubt_rows[] = {
	OURS(result_doubt, id, FIELD_STRING, "id"),
	OURS(result_doubt, fact, FIELD_BOOL, "fact"),
	OURS(result_doubt, accepted, FIELD_BOOL, "accepted"),
	OURS(result_doubt, evidence, FIELD_STRING, "evidence"),
	OURS(result_doubt, advice, FIELD_STRING, "advice"),
};
static const struct fields fields_doubt = TABLE(result_doubt, doubt_rows);

static const struct field place_rows[] = {
	OURS(result_place, directory, FIELD_STRING, "directory"),
	OURS(result_place, filesystem, FIELD_STRING, "filesystem"),
	OURS(result_place, device, FIELD_STRING, "device"),
	OURS(result_place, need_bytes, FIELD_U64, "need_bytes"),
	OURS(result_place, free_bytes, FIELD_U64, "free_bytes"),
};
static const struct fields fields_place = TABLE(result_place, place_rows);

static const struct field disk_rows[] = {
	FIOS(result_disk, name, FIELD_STRING, "name"),
	FIOS(result_disk, read_ios, FIELD_U64, "read_ios"),
	FIOS(result_disk, write_ios, FIELD_U64, "write_ios"),
	FIOS(result_disk, read_merges, FIELD_U64, "read_merges"),
	FIOS(result_disk, write_merges, FIELD_U64, "write_merges"),
	FIOS(result_disk, read_ticks_ms, FIELD_U64, "read_ticks"),
	FIOS(result_disk, write_ticks_ms, FIELD_U64, "write_ticks"),
	FIOS(result_disk, in_queue_ms, FIELD_U64, "in_queue"),
	FIOS(result_disk, util_percent, FIELD_REAL, "util"),
	OURS(result_disk, read_sectors, FIELD_SECTORS, "read_bytes"),
	OURS(result_disk, write_sectors, FIELD_SECTORS, "write_bytes"),
};
const struct fields fields_disk = TABLE(result_disk, disk_rows);

static const struct field dir_rows[] = {
	FIOS(result_dir, ios, FIELD_U64, "total_ios"),
	FIOS(result_dir, bytes, FIELD_U64, "io_bytes"),
	FIOS(result_dir, shorts, FIELD_U64, "short_ios"),
	OURS(result_dir, errors, FIELD_U64, "errors"),
	OURS(result_dir, runtime_ns, FIELD_U64, "runtime_ns"),
	OURS(result_dir, late, FIELD_U64, "late"),
	OURS(result_dir, due, FIELD_U64, "due"),
	OURS(result_dir, lag_max_ns, FIELD_U64, "lag_max_ns"),
	HAND(result_dir, above),
	STRUCT(result_dir, bw, fields_samples, "bw_samples"),
	STRUCT(result_dir, iops, fields_samples, "iops_samples"),
	STRUCT(result_dir, series, fields_series, "series"),
	OURS(result_dir, slat, FIELD_DIST, "dist.slat"),
	OURS(result_dir, clat, FIELD_DIST, "dist.clat"),
	LIKE(result_dir, lat, "dist.lat", clat, "clat"),
	OURS(result_dir, response, FIELD_DIST, "dist.response"),
};
const struct fields fields_dir = TABLE(result_dir, dir_rows);

static const struct field postmark_rows[] = {
	OURS(result_postmark, transactions, FIELD_U64, "transactions"),
	OURS(result_postmark, skipped, FIELD_U64, "skipped"),
	OURS(result_postmark, dry, FIELD_BOOL, "out_of_files"),
	OURS(result_postmark, done[RESULT_CREATION][RESULT_CREATE], FIELD_U64,
			"files.created_alone"),
	OURS(result_postmark, done[RESULT_TRANSACTIONS][RESULT_CREATE], FIELD_U64,
			"files.created_mixed"),
	OURS(result_postmark, done[RESULT_TRANSACTIONS][RESULT_READ], FIELD_U64, "files.read"),
	OURS(result_postmark, done[RESULT_TRANSACTIONS][RESULT_APPEND], FIELD_U64,
			"files.appended"),
	OURS(result_postmark, done[RESULT_TRANSACTIONS][RESULT_DELETE], FIELD_U64,
			"files.deleted_mixed"),
	OURS(result_postmark, done[RESULT_DELETION][RESULT_DELETE], FIELD_U64,
			"files.deleted_alone"),
	OURS(result_postmark, phase_ns[RESULT_CREATION], FIELD_U64, "phase_ns.creation"),
	OURS(result_postmark, phase_ns[RESULT_TRANSACTIONS], FIELD_U64, "phase_ns.transactions"),
	OURS(result_postmark, phase_ns[RESULT_DELETION], FIELD_U64, "phase_ns.deletion"),
	OURS(result_postmark, whole[RESULT_CREATE], FIELD_DIST, "dist.create"),
	OURS(result_postmark, whole[RESULT_READ], FIELD_DIST, "dist.read"),
	OURS(result_postmark, whole[RESULT_APPEND], FIELD_DIST, "dist.append"),
	OURS(result_postmark, whole[RESULT_DELETE], FIELD_DIST, "dist.delete"),
	OURS(result_postmark, call[RESULT_CREAT], FIELD_DIST, "dist.call_creat"),
	OURS(result_postmark, call[RESULT_OPEN], FIELD_DIST, "dist.call_open"),
	OURS(result_postmark, call[RESULT_CLOSE], FIELD_DIST, "dist.call_close"),
	OURS(result_postmark, device_known, FIELD_BOOL, "device.known"),
	OURS(result_postmark, device_read, FIELD_U64, "device.read_bytes"),
	OURS(result_postmark, device_written, FIELD_U64, "device.write_bytes"),
	OURS(result_postmark, device_cancelled, FIELD_U64, "device.cancelled_write_bytes"),
};
const struct fields fields_postmark = TABLE(result_postmark, postmark_rows);

#define BS(d, k) \
	{ ONE(result_job, bs_min[d], FIELD_U64, "bs." k ".min") }, \
	{ ONE(result_job, bs_max[d], FIELD_U64, "bs." k ".max") }

static const struct field job_rows[] = {
	FIOS(result_job, name, FIELD_STRING, "jobname"),
	FIOS(result_job, description, FIELD_STRING, "desc"),
	FIOS(result_job, error, FIELD_INT, "error"),
	FIOS(result_job, ctx, FIELD_U64, "ctx"),
	FIOS(result_job, majf, FIELD_U64, "majf"),
	FIOS(result_job, minf, FIELD_U64, "minf"),
	FIOS(result_job, syncs, FIELD_U64, "sync.total_ios"),
	FIO_HEAP(result_job, options, FIELD_PAIR, "job options", noptions),
	HAND(result_job, dir),
	OURS(result_job, file, FIELD_STRING, "file"),
	OURS(result_job, section, FIELD_STRING, "section"),
	STRUCTS(result_job, axes, fields_axis, "axes", naxes),
	OURS(result_job, skipped, FIELD_STRING_OR_NULL, "skipped"),
	OURS(result_job, engine, FIELD_STRING, "engine"),
	OURS(result_job, rw, FIELD_STRING, "rw"),
	BS(0, "read"),
	BS(1, "write"),
	BS(2, "trim"),
	OURS(result_job, iodepth, FIELD_UINT, "iodepth"),
	OURS(result_job, direct, FIELD_BOOL, "direct"),
	OURS(result_job, sync_engine, FIELD_BOOL, "sync_engine"),
	OURS(result_job, grouped, FIELD_BOOL, "grouped"),
	OURS(result_job, workers, FIELD_UINT, "workers"),
	OURS(result_job, group, FIELD_UINT, "group"),
	OURS(result_job, stage, FIELD_UINT, "stage"),
	OURS(result_job, repeat, FIELD_UINT, "repeat"),
	OURS(result_job, seed, FIELD_U64_TEXT, "seed"),
	OURS(result_job, end, FIELD_END, "end"),
	OURS(result_job, error_text, FIELD_STRING, "error_text"),
	OURS(result_job, start_ms, FIELD_U64, "start_ms"),
	OURS(result_job, elapsed_ns, FIELD_U64, "elapsed_ns"),
	OURS(result_job, phase_ns, FIELD_U64, "phase_ns"),
	OURS(result_job, runtime_ns, FIELD_U64, "runtime_ns"),
	OURS(result_job, cpu_user_ns, FIELD_U64, "cpu_user_ns"),
	OURS(result_job, cpu_sys_ns, FIELD_U64, "cpu_sys_ns"),
	OURS(result_job, end_sync_ns, FIELD_U64, "end_sync_ns"),
	OURS(result_job, end_syncs_ns, FIELD_U64, "end_syncs_ns"),
	OURS(result_job, layout_bytes, FIELD_U64, "layout.bytes"),
	OURS(result_job, layout_ns, FIELD_U64, "layout.ns"),
	ARRAY(result_job, depth, FIELD_U64, "depths.level", RESULT_DEPTHS),
	ARRAY(result_job, submit, FIELD_U64, "depths.submit", RESULT_DEPTHS),
	ARRAY(result_job, complete, FIELD_U64, "depths.complete", RESULT_DEPTHS),
	OURS(result_job, sync, FIELD_DIST, "dist.sync"),
	OURS(result_job, lat_percentiles, FIELD_BOOL, "lat_percentiles"),
	ROOM(result_job, percentiles, FIELD_REAL, "percentiles", RESULT_PERCENTILES,
			npercentiles),
	ROOM(result_job, thresholds_ns, FIELD_U64, "thresholds_ns", RESULT_THRESHOLDS,
			nthresholds),
	STRUCT(result_job, steady, fields_steady, "steadystate"),
	STRUCT(result_job, postmark, fields_postmark, "postmark"),
	STRUCTS(result_job, doubts, fields_doubt, "doubts", ndoubts),
	HEAP(result_job, resolved, FIELD_PAIR, "resolved", nresolved),
};
const struct fields fields_job = TABLE(result_job, job_rows);

static const struct field repeat_rows[] = {
	OURS(result_repeat, started_ms, FIELD_U64, "started_ms"),
	OURS(result_repeat, ended_ms, FIELD_U64, "ended_ms"),
	HANDS(result_repeat, jobs, njobs),
};
const struct fields fields_repeat = TABLE(result_repeat, repeat_rows);

static const struct field until_rows[] = {
	OURS(result_until, metric, FIELD_STRING_OR_NULL, "metric"),
	OURS(result_until, percent, FIELD_REAL, "percent"),
	OURS(result_until, widest_percent, FIELD_REAL, "widest_percent"),
	OURS(result_until, reached, FIELD_BOOL, "reached"),
};
static const struct fields fields_until = TABLE(result_until, until_rows);

static const struct field result_rows[] = {
	FIOS(result, ended_ms, FIELD_U64, "timestamp_ms"),
	FIO_HEAP(result, global, FIELD_PAIR, "global options", nglobal),
	FIO_STRUCTS(result, disks, fields_disk, "disk_util", ndisks),
	HANDS(result, jobs, njobs),
	OURS(result, version, FIELD_STRING, "version"),
	OURS(result, command, FIELD_STRING, "command"),
	OURS(result, host, FIELD_STRING, "host"),
	OURS(result, kernel, FIELD_STRING, "kernel"),
	OURS(result, started_ms, FIELD_U64, "started_ms"),
	OURS(result, clock_tsc, FIELD_BOOL, "clock.tsc"),
	OURS(result, clock_read_ns, FIELD_REAL, "clock.read_ns"),
	OURS(result, clock_drift_ppm, FIELD_REAL, "clock.drift_ppm"),
	OURS(result, cost_execute_ns, FIELD_REAL, "cost.execute_ns"),
	OURS(result, cost_submit_ns, FIELD_REAL, "cost.submit_ns"),
	STRUCTS(result, places, fields_place, "places", nplaces),
	HEAP(result, notes, FIELD_STRING, "notes", nnotes),
	OURS(result, interrupted, FIELD_BOOL, "interrupted"),
	OURS(result, fio, FIELD_BOOL, "fio"),
	STRUCTS(result, doubts, fields_doubt, "doubts", ndoubts),
	HEAP(result, facts, FIELD_PAIR, "environment", nfacts),
	OURS(result, chosen_by, FIELD_STRING_OR_NULL, "chosen_by"),
	STRUCT(result, until, fields_until, "until"),
	HANDS(result, repeats, nrepeats),
};
const struct fields fields_result = TABLE(result, result_rows);

const struct fields *const fields_all[] = {
	&fields_result, &fields_job, &fields_dir, &fields_disk, &fields_place, &fields_doubt,
	&fields_axis, &fields_series, &fields_steady, &fields_samples, &fields_repeat,
	&fields_postmark, &fields_until, NULL,
};

static const size_t sizes[] = {
	[FIELD_BOOL] = sizeof(bool),
	[FIELD_INT] = sizeof(int),
	[FIELD_UINT] = sizeof(unsigned),
	[FIELD_U64] = sizeof(uint64_t),
	[FIELD_U64_TEXT] = sizeof(uint64_t),
	[FIELD_SECTORS] = sizeof(uint64_t),
	[FIELD_REAL] = sizeof(double),
	[FIELD_REAL_TEXT] = sizeof(double),
	[FIELD_STRING] = sizeof(char *),
	[FIELD_STRING_OR_NULL] = sizeof(char *),
	[FIELD_END] = sizeof(enum result_end),
	[FIELD_RULE] = sizeof(struct steady_rule),
	[FIELD_DIST] = sizeof(struct dist),
	[FIELD_PAIR] = sizeof(struct result_option),
};

_Static_assert(sizeof(struct result_option) == sizeof(struct result_fact)
		&& offsetof(struct result_option, value) == offsetof(struct result_fact, value),
		"FIELD_PAIR is both");

static size_t size_of(const struct field *f)
{
	return f->type == FIELD_STRUCT ? f->of->size : sizes[f->type];
}

/* ---- distributions ------------------------------------------------------------------------- */

/* Decimal, into the end of buf. */
static const char *u128_text(u128 n, char buf[40])
{
	char *at = buf + 39;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(n % 10));
	while (n /= 10);
	return at;
}

/* Digits alone, no more than fit. */
static bool u128_parse(const char *text, u128 *n)
{
	*n = 0;
	if (!*text || strlen(text) > 38)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		*n = *n * 10 + (unsigned)(*text - '0');
	}
	return true;
}

/* Runs of buckets: "FIRST:COUNT,COUNT,... FIRST:COUNT". An empty bucket ends a run. */
static json_t *buckets_write(const struct dist *dist)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	json_t *value;
	bool inside = false, any = false;

	if (!to)
		return NULL;
	for (uint32_t i = 0; i < dist->nbuckets; i++) {
		unsigned long long count = dist->bucket[i];

		if (count && !inside)
			fprintf(to, "%s%u:%llu", any ? " " : "", dist->first + i, count);
		else if (count)
			fprintf(to, ",%llu", count);
		inside = count;
		any |= inside;
	}
	value = fclose(to) ? NULL : json_string(text);
	free(text);
	return value;
}

/* The number at *at, which it passes over. */
static bool parse_count(const char **at, unsigned long long *n)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*n = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}

/* Adds what the runs say to HIST_BUCKETS counts; false where they are no such text. */
static bool buckets_parse(const char *at, uint64_t *counts, unsigned *first, unsigned *last)
{
	unsigned long long index = 0, count;
	bool any = false;

	*first = *last = 0;
	while (*at) {
		if (any && *at == ',') {
			index++;
		} else {
			at += any && *at == ' ';
			if (!parse_count(&at, &index) || *at != ':')
				return false;
		}
		at++;
		if (index >= HIST_BUCKETS || (any && index <= *last) || !parse_count(&at, &count))
			return false;
		*first = any ? *first : (unsigned)index;
		*last = (unsigned)index;
		counts[index] = count;
		any = true;
	}
	return any;
}

static int buckets_read(const json_t *value, struct dist *dist)
{
	uint64_t *counts = calloc(HIST_BUCKETS, sizeof(*counts));
	unsigned first, last;
	int r = -EINVAL;

	if (!counts)
		return -ENOMEM;
	if (json_is_string(value)
			&& buckets_parse(json_string_value(value), counts, &first, &last)) {
		dist->first = first;
		dist->nbuckets = last - first + 1;
		dist->bucket = calloc(dist->nbuckets, sizeof(*dist->bucket));
		r = dist->bucket ? 0 : -ENOMEM;
		if (!r)
			memcpy(dist->bucket, counts + first,
					dist->nbuckets * sizeof(*dist->bucket));
	}
	free(counts);
	return r;
}

static json_t *points_write(const struct dist *dist)
{
	json_t *object = json_object();
	char key[32];

	for (size_t i = 0; i < dist->npoints; i++) {
		snprintf(key, sizeof(key), "%f", dist->points[i].percent);
		object = value_with(object, key, json_integer(value_whole(dist->points[i].ns)));
	}
	return object;
}

static json_t *dist_write(const struct dist *dist)
{
	char squares[40];
	json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:s}", "n", value_whole(dist->n), "min",
			value_whole(dist->min), "max", value_whole(dist->max), "sum",
			value_whole(dist->sum), "sumsq", u128_text(dist->sumsq, squares));

	if (dist->coarse)
		return value_with(object, "percentiles", points_write(dist));
	return value_with(object, "buckets", buckets_write(dist));
}

static bool same_dist(const struct dist *a, const struct dist *b)
{
	return a->n == b->n && a->min == b->min && a->max == b->max && a->sum == b->sum
			&& a->sumsq == b->sumsq && !a->coarse && !b->coarse && a->first == b->first
			&& a->nbuckets == b->nbuckets
			&& !memcmp(a->bucket, b->bucket, a->nbuckets * sizeof(*a->bucket));
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Sets what a path leads to, with the objects on the way. */
static json_t *with_path(json_t *object, const char *path, json_t *value)
{
	const char *dot = strchr(path, '.');
	char key[64];
	json_t *inner;

	if (!dot)
		return value_with(object, path, value);
	snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
	inner = json_object_get(object, key);
	inner = with_path(inner ? json_incref(inner) : json_object(), dot + 1, value);
	return value_with(object, key, inner);
}

/* As many digits as a double may need. */
static json_t *exact_text(double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value_real(x));
	return json_string(text);
}

static json_t *one_write(const struct field *f, const void *data)
{
	char rule[64];

	char digits[40];

	switch (f->type) {
	case FIELD_BOOL:
		return json_boolean(*(const bool *)data);
	case FIELD_INT:
		return json_integer(*(const int *)data);
	case FIELD_UINT:
		return json_integer(*(const unsigned *)data);
	case FIELD_U64:
		return json_integer(value_whole(*(const uint64_t *)data));
	case FIELD_U64_TEXT:
		return json_string(u128_text(*(const uint64_t *)data, digits));
	case FIELD_SECTORS:
		return json_integer(value_whole(*(const uint64_t *)data * 512));
	case FIELD_REAL:
		return json_real(value_real(*(const double *)data));
	case FIELD_REAL_TEXT:
		return exact_text(*(const double *)data);
	case FIELD_STRING:
	case FIELD_STRING_OR_NULL:
		data = *(const char *const *)data;
		return data ? value_string(data) : json_null();
	case FIELD_END:
		return json_string(result_end_name(*(const enum result_end *)data));
	case FIELD_RULE:
		return json_string(steady_print(rule, sizeof(rule), data, false));
	case FIELD_DIST:
		return dist_write(data);
	case FIELD_STRUCT:
		return fields_write(f->of, data);
	case FIELD_PAIR:
	case FIELD_HAND:
		break;
	}
	return NULL;
}

json_t *fields_pairs(const struct result_option *pairs, size_t n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++) {
		json_t *key = value_string(pairs[i].key);

		object = value_with(object, key ? json_string_value(key) : NULL,
				value_string(pairs[i].value));
		json_decref(key);
	}
	return object;
}

static size_t count_of(const struct field *f, const void *data)
{
	if (!f->counter)
		return f->n;
	return *(const size_t *)(const void *)((const char *)data + f->count);
}

static bool is_zero(const char *bytes, size_t n)
{
	while (n && !bytes[n - 1])
		n--;
	return !n;
}

static json_t *row_write(const struct field *f, const void *data)
{
	const char *at = (const char *)data + f->offset;
	json_t *array;

	if (f->shape == FIELD_ONE)
		return one_write(f, at);
	if (f->shape == FIELD_HEAP)
		at = *(const char *const *)(const void *)at;
	if (f->type == FIELD_PAIR)
		return fields_pairs((const void *)at, count_of(f, data));
	array = json_array();
	for (size_t i = 0; i < count_of(f, data); i++)
		array = value_item(array, one_write(f, at + i * size_of(f)));
	return array;
}

json_t *fields_write(const struct fields *fields, const void *data)
{
	json_t *object = json_object();

	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->list[i];
		const char *at = (const char *)data + f->offset;

		if (f->fio || f->type == FIELD_HAND)
			continue;
		if (f->type == FIELD_DIST && !((const struct dist *)(const void *)at)->n)
			continue;
		if (f->type == FIELD_STRUCT && f->shape == FIELD_ONE && is_zero(at, f->of->size))
			continue;
		if (f->like && same_dist((const void *)at,
				(const void *)((const char *)data + f->like)))
			object = with_path(object, f->key, json_string(f->like_key));
		else
			object = with_path(object, f->key, row_write(f, data));
	}
	return object;
}

/* ---- reading ------------------------------------------------------------------------------- */

static int print_place(const struct field_place *place, char *text, size_t size)
{
	int n = place->outer ? print_place(place->outer, text, size) : 0;

	if (n < 0 || (size_t)n >= size)
		return (int)size;
	if (!place->key)
		return n + snprintf(text + n, size - (size_t)n, "[%zu]", place->index);
	return n + snprintf(text + n, size - (size_t)n, "%s%s",
			!place->outer ? "" : place->outer->outer ? "." : ": ", place->key);
}

int field_error(const struct field_place *place, struct err *err, const char *format, ...)
{
	char where[512], what[256];
	va_list ap;

	print_place(place, where, sizeof(where));
	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return err_set(err, EINVAL, "%s: %s", where, what);
}

json_t *field_find(const json_t *object, const char *path)
{
	const char *dot = strchr(path, '.');
	char key[64];

	if (!dot)
		return json_object_get(object, path);
	snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
	return field_find(json_object_get(object, key), dot + 1);
}

static int read_text(const json_t *value, char **to, const struct field_place *place,
		struct err *err)
{
	if (!json_is_string(value))
		return field_error(place, err, "must be a string");
	free(*to);
	*to = strdup(json_string_value(value));
	return *to ? 0 : err_memory(err);
}

static int read_u64(const json_t *value, uint64_t *to, uint64_t max,
		const struct field_place *place, struct err *err)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0
			|| (uint64_t)json_integer_value(value) > max)
		return field_error(place, err, "must be a whole number from 0 to %llu",
				(unsigned long long)max);
	*to = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_end(const json_t *value, enum result_end *end, const struct field_place *place,
		struct err *err)
{
	for (int i = 0; i <= RESULT_END_OTHER && json_is_string(value); i++) {
		if (strcmp(result_end_name((enum result_end)i), json_string_value(value)))
			continue;
		*end = (enum result_end)i;
		return 0;
	}
	return field_error(place, err, "must say how the job ended: \"%s\", \"%s\" ...",
			result_end_name(RESULT_END_WORK), result_end_name(RESULT_END_RUNTIME));
}

static int read_points(const json_t *value, struct dist *dist, const struct field_place *place,
		struct err *err)
{
	const char *key;
	json_t *ns;

	dist->coarse = true;
	json_object_foreach((json_t *)(uintptr_t)value, key, ns) {
		struct field_place here = { place, key, 0 };
		uint64_t n;
		int r = read_u64(ns, &n, INT64_MAX, &here, err);

		if (r)
			return r;
		if (dist_add_point(dist, strtod(key, NULL), n))
			return err_memory(err);
	}
	return 0;
}

static int read_dist(const json_t *value, struct dist *dist, const struct field_place *place,
		struct err *err)
{
	const struct {
		const char *key;
		uint64_t *to;
	} rows[] = {
		{ "n", &dist->n }, { "min", &dist->min }, { "max", &dist->max },
		{ "sum", &dist->sum },
	};
	const json_t *points = json_object_get(value, "percentiles");
	const json_t *squares = json_object_get(value, "sumsq");
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct field_place here = { place, rows[i].key, 0 };

		r = read_u64(json_object_get(value, rows[i].key), rows[i].to, INT64_MAX, &here,
				err);
	}
	if (r)
		return r;
	if (!json_is_string(squares) || !u128_parse(json_string_value(squares), &dist->sumsq))
		return field_error(place, err, "its sumsq must be a string of digits");
	if (json_is_object(points))
		return read_points(points, dist, place, err);
	r = buckets_read(json_object_get(value, "buckets"), dist);
	if (r == -ENOMEM)
		return err_memory(err);
	return r ? field_error(place, err, "its buckets must read as \"FIRST:COUNT,COUNT FIRST:"
			"COUNT\", with rising numbers below %d", HIST_BUCKETS) : 0;
}

static int read_digits(const json_t *value, uint64_t *to, const struct field_place *place,
		struct err *err)
{
	u128 n;

	if (!json_is_string(value) || !u128_parse(json_string_value(value), &n) || n > UINT64_MAX)
		return field_error(place, err, "must be a string of digits, a number of 64 bits");
	*to = (uint64_t)n;
	return 0;
}

static int read_real_text(const json_t *value, double *to, const struct field_place *place,
		struct err *err)
{
	const char *text = json_is_string(value) ? json_string_value(value) : "";
	char *end;

	*to = strtod(text, &end);
	if (end == text || *end || value_real(*to) != *to)
		return field_error(place, err, "must be a string that holds a number");
	return 0;
}

static int one_read(const struct field *f, const json_t *value, void *data,
		const struct field_place *place, struct err *err)
{
	const char *why;
	uint64_t n = 0;
	int r = 0;

	switch (f->type) {
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return field_error(place, err, "must be true or false");
		*(bool *)data = json_is_true(value);
		return 0;
	case FIELD_INT:
		r = read_u64(value, &n, INT_MAX, place, err);
		*(int *)data = (int)n;
		return r;
	case FIELD_UINT:
		r = read_u64(value, &n, UINT_MAX, place, err);
		*(unsigned *)data = (unsigned)n;
		return r;
	case FIELD_U64:
		return read_u64(value, data, INT64_MAX, place, err);
	case FIELD_U64_TEXT:
		return read_digits(value, data, place, err);
	case FIELD_SECTORS:
		r = read_u64(value, &n, INT64_MAX, place, err);
		*(uint64_t *)data = n / 512;
		return r;
	case FIELD_REAL:
		if (!json_is_number(value))
			return field_error(place, err, "must be a number");
		*(double *)data = json_number_value(value);
		return 0;
	case FIELD_REAL_TEXT:
		return read_real_text(value, data, place, err);
	case FIELD_STRING_OR_NULL:
		if (json_is_null(value))
			return 0;
		return read_text(value, data, place, err);
	case FIELD_STRING:
		return read_text(value, data, place, err);
	case FIELD_END:
		return read_end(value, data, place, err);
	case FIELD_RULE:
		if (!json_is_string(value) || steady_parse(data, json_string_value(value), 1024,
				&why))
			return field_error(place, err, "must be a rule as steadystate= has it");
		return 0;
	case FIELD_DIST:
		return read_dist(value, data, place, err);
	case FIELD_STRUCT:
		if (!json_is_object(value))
			return field_error(place, err, "must be an object");
		return f->fio ? fields_read(f->of, value, json_object_get(value, "iojob"), data,
						place, err)
			      : fields_read(f->of, NULL, value, data, place, err);
	case FIELD_PAIR:
	case FIELD_HAND:
		break;
	}
	return 0;
}

/* Room for n; the count that other rows share must be the same for all of them. */
static int make_room(const struct field *f, bool shared, size_t n, void *data,
		const struct field_place *place, struct err *err)
{
	size_t *count = (void *)((char *)data + f->count);
	void **list = (void *)((char *)data + f->offset);

	if (shared && *count != n)
		return field_error(place, err, "must be as long as its neighbour");
	free(*list);
	*list = calloc(n + 1, size_of(f));
	if (!*list)
		return err_memory(err);
	*count = n;
	return 0;
}

static int pairs_read(const struct field *f, const json_t *value, void *data,
		const struct field_place *place, struct err *err)
{
	struct result_option *pair;
	const char *key;
	json_t *text;
	int r;

	if (!json_is_object(value))
		return field_error(place, err, "must be an object");
	r = make_room(f, false, json_object_size(value), data, place, err);
	if (r)
		return r;
	pair = *(struct result_option **)(void *)((char *)data + f->offset);
	json_object_foreach((json_t *)(uintptr_t)value, key, text) {
		struct field_place here = { place, key, 0 };

		pair->key = strdup(key);
		r = pair->key ? read_text(text, &pair->value, &here, err) : err_memory(err);
		if (r)
			return r;
		pair++;
	}
	return 0;
}

static int items_read(const struct field *f, bool shared, const json_t *value, void *data,
		const struct field_place *place, struct err *err)
{
	size_t n = json_array_size(value);
	char *at = (char *)data + f->offset;
	int r = 0;

	if (!json_is_array(value))
		return field_error(place, err, "must be an array");
	if (f->shape == FIELD_HEAP) {
		r = make_room(f, shared, n, data, place, err);
		at = *(char **)(void *)at;
	} else if (f->shape == FIELD_ROOM ? n > f->n : n != f->n) {
		return field_error(place, err, "must have %s%zu items", f->shape == FIELD_ROOM
				? "at most " : "", f->n);
	} else if (f->shape == FIELD_ROOM) {
		*(size_t *)(void *)((char *)data + f->count) = n;
	}
	for (size_t i = 0; !r && i < n; i++) {
		struct field_place here = { place, NULL, i };

		r = one_read(f, json_array_get(value, i), at + i * size_of(f), &here, err);
	}
	return r;
}

/* Nothing stands there. */
static int absent(const struct field *f, bool shared, void *data,
		const struct field_place *place, struct err *err)
{
	char **text = (void *)((char *)data + f->offset);

	if (f->shape == FIELD_HEAP)
		return make_room(f, shared, 0, data, place, err);
	if (f->type != FIELD_STRING || *text)
		return 0;
	*text = strdup("");
	return *text ? 0 : err_memory(err);
}

/* "clat": as the neighbour of that name, which is read already. */
static int read_like(const struct field *f, const json_t *value, void *data,
		const struct field_place *place, struct err *err)
{
	struct dist *dist = (void *)((char *)data + f->offset);
	const struct dist *other = (const void *)((const char *)data + f->like);

	if (strcmp(json_string_value(value), f->like_key))
		return field_error(place, err, "must be an object or \"%s\"", f->like_key);
	return dist_merge(dist, other) ? err_memory(err) : 0;
}

int fields_read(const struct fields *fields, const json_t *fio, const json_t *ours, void *data,
		const struct field_place *place, struct err *err)
{
	struct field_place iojob = { place, "iojob", 0 };
	int r = 0;

	if (ours && !json_is_object(ours))
		return field_error(fio ? &iojob : place, err, "must be an object");
	for (size_t i = 0; !r && i < fields->n; i++) {
		const struct field *f = &fields->list[i];
		struct field_place here = { fio && !f->fio ? &iojob : place, f->key, 0 };
		const json_t *value = f->type == FIELD_HAND ? NULL
				: field_find(f->fio ? fio : ours, f->key);
		bool shared = i && f->shape == FIELD_HEAP && f[-1].shape == FIELD_HEAP
				&& f[-1].count == f->count;

		if (f->type == FIELD_HAND)
			continue;
		if (!value)
			r = absent(f, shared, data, &here, err);
		else if (f->like && json_is_string(value))
			r = read_like(f, value, data, &here, err);
		else if (f->type == FIELD_PAIR)
			r = pairs_read(f, value, data, &here, err);
		else if (f->shape == FIELD_ONE)
			r = one_read(f, value, (char *)data + f->offset, &here, err);
		else
			r = items_read(f, shared, value, data, &here, err);
	}
	return r;
}
