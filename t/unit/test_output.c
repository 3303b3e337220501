// SPDX-License-Identifier: MIT
/* The formats, from a result made by hand; where they are written to is test_write.c. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/job/units.h"
#include "../../output/output.h"
#include "../../output/wrap.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a rich result ------------------------------------------------------------------------- */

enum { MIXED, NORMAL, DIRECT, SKIPPED, FAILED, TRIM, UNSTARTED, JOBS };

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_assert_ptr_nonnull(s);
	return s;
}

static void set(char **member, const char *text)
{
	free(*member);
	*member = copy(text);
}

static struct result_job *job_add(
		struct result *result, const char *section, const char *engine, const char *rw)
{
	static const double percentiles[] = { 1, 50, 90, 95, 99, 99.9, 99.99 };
	struct result_job *job = &result->jobs[result->njobs++];

	*job = (struct result_job){
		.file = copy("x.ini"), .description = copy(""),
		.name = copy(section), .section = copy(section),
		.engine = copy(engine), .rw = copy(rw), .error_text = copy(""),
		.iodepth = 1, .sync_engine = true, .workers = 1, .group = (unsigned)result->njobs,
		.stage = (unsigned)result->njobs, .seed = 12345, .start_ms = 1700000000123u,
		.npercentiles = N(percentiles),
	};
	memcpy(job->percentiles, percentiles, sizeof(percentiles));
	for (int d = 0; d < RESULT_DIRS; d++)
		job->bs_min[d] = job->bs_max[d] = 4096;
	return job;
}

static void option_add(struct result_option **list, size_t *n, const char *key, const char *value)
{
	*list = realloc(*list, (*n + 1) * sizeof(**list));
	ck_assert_ptr_nonnull(*list);
	(*list)[(*n)++] = (struct result_option){ copy(key), copy(value) };
}

static void axis_add(struct result_job *job, const char *name, const char *label)
{
	job->axes = realloc(job->axes, (job->naxes + 1) * sizeof(*job->axes));
	ck_assert_ptr_nonnull(job->axes);
	job->axes[job->naxes++] = (struct result_axis){ copy(name), copy(label) };
}

static void sample(struct result_samples *samples, double value)
{
	samples->min = !samples->n || value < samples->min ? value : samples->min;
	samples->max = value > samples->max ? value : samples->max;
	samples->n++;
	samples->sum += value;
	samples->sumsq += value * value;
}

/* `n` I/Os over a runtime: latencies spread over a decade from base_ns on. */
static void work(struct result_job *job, int d, unsigned n, uint64_t base_ns, uint64_t runtime_ns)
{
	struct result_dir *dir = &job->dir[d];

	for (unsigned i = 0; i < n; i++) {
		uint64_t ns = base_ns + base_ns * (uint64_t)(i % 1000) * (i % 1000) / 100000;

		ck_assert_int_eq(dist_add(&dir->clat, ns, 1), 0);
		if (job->sync_engine)
			continue;
		ck_assert_int_eq(dist_add(&dir->slat, 700 + i % 300, 1), 0);
		ck_assert_int_eq(dist_add(&dir->lat, ns + 700 + i % 300, 1), 0);
	}
	dir->ios = n;
	dir->bytes = n * job->bs_min[d];
	dir->runtime_ns = runtime_ns;
	job->runtime_ns += runtime_ns;
	job->elapsed_ns = runtime_ns;
	for (int i = 0; i < 5; i++) {
		sample(&dir->bw, 1024.0 * 1000 + 1024 * i);
		sample(&dir->iops, 250 + i);
	}
}

/* Seven seconds that are not steady, and a piece of the eighth. */
static void make_course(struct result_series *series, uint64_t more)
{
	static const uint64_t ios[] = { 500, 400, 300, 300, 200, 300, 400, 17 };

	series->interval_ns = 1000000000;
	series->n = N(ios);
	series->bytes = calloc(N(ios), sizeof(*series->bytes));
	series->ios = calloc(N(ios), sizeof(*series->ios));
	ck_assert_ptr_nonnull(series->bytes);
	ck_assert_ptr_nonnull(series->ios);
	for (size_t i = 0; i < N(ios); i++) {
		series->ios[i] = ios[i] + more;
		series->bytes[i] = (ios[i] + more) * 4096;
	}
}

static void make_mixed(struct result *result)
{
	struct result_job *job = job_add(result, "mixed", "libaio", "randrw");

	job->sync_engine = false;
	job->grouped = true;
	job->lat_percentiles = true;
	job->workers = 4;
	job->iodepth = 32;
	job->end = RESULT_END_RUNTIME;
	job->bs_max[1] = 65536;
	work(job, 0, 20000, 90000, 2000000000);
	work(job, 1, 5000, 400000, 2000000000);
	job->runtime_ns = 8000000000;
	for (int d = 0; d < 2; d++) {
		struct result_dir *dir = &job->dir[d];

		ck_assert_int_eq(dist_merge(&dir->response, &dir->lat), 0);
		ck_assert_int_eq(dist_add(&dir->response, 470000000, 300), 0);
		dir->late = 300;
		dir->due = 17;
		dir->lag_max_ns = 499000000;
	}
	job->dir[0].shorts = 3;
	for (int d = 0; d < 2; d++)
		make_course(&job->dir[d].series, (uint64_t)d);
	job->steady = (struct result_steady){ { STEADY_IOPS_SLOPE, 0.5, true }, 3000000000u,
			1000000000, 0 };
	job->nthresholds = 2;
	job->thresholds_ns[0] = 1000000;
	job->thresholds_ns[1] = 2000000000;
	job->dir[0].above[0] = 17;
	ck_assert_int_eq(dist_add(&job->sync, 8000000, 40), 0);
	job->syncs = 40;
	job->depth[1] = 1000;
	job->depth[3] = 9000;
	job->depth[6] = 15000;
	job->submit[1] = 100;
	job->submit[2] = 300;
	job->complete[0] = 50;
	job->complete[7] = 150;
	job->cpu_user_ns = 400000000;
	job->cpu_sys_ns = 1000000000;
	job->ctx = 12345;
	job->majf = 2;
	job->minf = 1777;
	job->layout_bytes = 64u << 20;
	job->layout_ns = 300000000;
	option_add(&job->options, &job->noptions, "rw", "randrw");
	option_add(&job->options, &job->noptions, "iodepth", "32");
	option_add(&job->options, &job->noptions, "group_reporting", "");
}

static void make_swept(struct result *result)
{
	struct result_job *job = job_add(result, "syscall", "psync", "read");

	axis_add(job, "mode", "Normal read");
	work(job, 0, 1500, 5000, 1000000000);

	job = job_add(result, "syscall", "psync", "write");
	axis_add(job, "mode", "Direct write");
	job->direct = true;
	work(job, 1, 900, 60000, 500000000);
	job->end_sync_ns = 1200000000;

	job = job_add(result, "uring", "io_uring", "randread");
	axis_add(job, "mode", "Normal read");
	set(&job->skipped, "io_uring is refused by the kernel (kernel.io_uring_disabled = 2)");

	job = job_add(result, "map", "mmap", "write");
	axis_add(job, "mode", "Direct write");
	job->end = RESULT_END_ERROR;
	job->error = EIO;
	set(&job->error_text,
			"/srv/test/map.0: write of 4096 bytes at 1048576: Input/output error");
	work(job, 1, 3, 70000, 1000000);
}

static void make_rest(struct result *result)
{
	struct result_job *job = job_add(result, "trim, \"it\"\nall", "psync", "randtrim");

	set(&job->description, "what \\ it, does");
	axis_add(job, "bs;=", "4k\\");
	axis_add(job, "when", "now");
	work(job, 2, 100, 10, 3000000);
	job->dir[2].errors = 2;
	job->lat_percentiles = true;
	option_add(&job->options, &job->noptions, "continue_on_error", "all");

	job = job_add(result, "later", "psync", "write");
	job->end = RESULT_END_INTERRUPTED;
}

static void make_result(struct result *result)
{
	*result = (struct result){
		.version = copy("0.1.0"), .command = copy("iojob --output=json:- a.ini"),
		.started_ms = 1700000000000, .ended_ms = 1700000012345, .host = copy("bench1"),
		.kernel = copy("Linux 6.1.0 x86_64"), .clock_tsc = true, .clock_read_ns = 6.5,
		.clock_drift_ppm = -1.25, .interrupted = true,
		.jobs = calloc(JOBS, sizeof(struct result_job)),
		.places = calloc(1, sizeof(struct result_place)), .nplaces = 1,
		.disks = calloc(1, sizeof(struct result_disk)), .ndisks = 1,
		.notes = calloc(1, sizeof(char *)), .nnotes = 1,
	};
	result->places[0] = (struct result_place){ copy("/srv/test"), copy("ext4"), copy("vda"),
			1610612736, 21474836480 };
	result->disks[0] = (struct result_disk){ .name = copy("vda"), .read_ios = 31,
			.write_ios = 8, .read_merges = 1, .write_merges = 2, .read_ticks_ms = 30,
			.write_ticks_ms = 40, .in_queue_ms = 70, .read_sectors = 2048,
			.write_sectors = 16, .util_percent = 12.5 };
	result->notes[0] = copy("the TSC was not used");
	option_add(&result->global, &result->nglobal, "bs", "4k");
	make_mixed(result);
	make_swept(result);
	make_rest(result);
	ck_assert_uint_eq(result->njobs, JOBS);
}

/* The text of a format, to be freed. */
static char *print_as(const struct output_options *options,
		int (*write)(FILE *, const struct result *, const struct output_options *),
		const struct result *result)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(write(to, result, options), 0);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

static char *print(int (*write)(FILE *, const struct result *, const struct output_options *),
		const struct result *result)
{
	static const struct output_options none = { .nmetrics = 0 };

	return print_as(&none, write, result);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(root != NULL, "line %d: %s", error.line, error.text);
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	return root;
}

static json_t *print_json(const struct result *result)
{
	char *text = print(output_json, result);
	json_t *root = parse(text);

	free(text);
	return root;
}

/* Copies the next key of a jq path (.key, ."key") and returns what follows it. */
static const char *path_key(const char *path, char key[64])
{
	bool quoted = path[1] == '"';
	const char *start = path + (quoted ? 2 : 1);
	size_t n = strcspn(start, quoted ? "\"" : ".[");

	ck_assert_int_eq(path[0], '.');
	ck_assert_uint_lt(n, 64);
	memcpy(key, start, n);
	key[n] = '\0';
	return start + n + quoted;
}

/*
 * What a jq path leads to, in all elements of the arrays that it names, each of the type; how many
 * there are. Where `must`, none may be missing.
 */
static unsigned count_path(const json_t *node, const char *path, const char *type, bool must,
		const char *whole)
{
	static const char *const types[] = { "object", "array", "string", "integer", "real" };
	char key[64];
	unsigned n = 0;

	ck_assert_msg(node || !must, "%s is missing", whole);
	if (!node)
		return 0;
	if (!*path) {
		ck_assert_msg(!strcmp(types[json_typeof(node)], type), "%s is no %s", whole, type);
		return 1;
	}
	if (*path == '[') {
		ck_assert_msg(json_is_array(node), "%s", whole);
		for (size_t i = 0; i < json_array_size(node); i++)
			n += count_path(json_array_get(node, i), path + 2, type, must, whole);
		return n;
	}
	path = path_key(path, key);
	return count_path(json_object_get(node, key), path, type, must, whole);
}

/* The frozen list: "PATH TYPE" or "PATH TYPE sometimes" in a line, cut at the blanks. */
struct fio_keys {
	struct {
		char path[200];
		const char *type;
		bool sometimes;
	} list[300];
	size_t n;
};

/* Cuts the last word off a line and returns it. */
static const char *last_word(char *line)
{
	char *blank = strrchr(line, ' ');

	ck_assert_ptr_nonnull(blank);
	*blank = '\0';
	return blank + 1;
}

/* A file of the source tree. */
static FILE *source_open(const char *path)
{
	const char *srcdir = getenv("IOJOB_SRCDIR");
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", srcdir ? srcdir : ".", path);
	file = fopen(name, "r");
	ck_assert_msg(file != NULL, "%s: %s", name, strerror(errno));
	return file;
}

static void fio_keys_read(struct fio_keys *keys)
{
	FILE *file = source_open("t/unit/fio-keys.txt");

	keys->n = 0;
	while (fgets(keys->list[keys->n].path, sizeof(keys->list[0].path), file)) {
		char *line = keys->list[keys->n].path;

		if (line[0] == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		keys->list[keys->n].type = last_word(line);
		keys->list[keys->n].sometimes = !strcmp(keys->list[keys->n].type, "sometimes");
		if (keys->list[keys->n].sometimes)
			keys->list[keys->n].type = last_word(line);
		ck_assert_uint_lt(++keys->n, N(keys->list));
	}
	fclose(file);
	ck_assert_uint_gt(keys->n, 200);
}

/* Everything that fio prints is there, in its type. */
START_TEST(test_json_fio_keys)
{
	static struct fio_keys keys;
	struct result result;
	json_t *root;

	make_result(&result);
	root = print_json(&result);
	fio_keys_read(&keys);
	for (size_t i = 0; i < keys.n; i++) {
		const char *path = keys.list[i].path;
		unsigned n = count_path(root, path, keys.list[i].type,
				!keys.list[i].sometimes, path);

		ck_assert_msg(n > 0, "%s is never there", path);
	}
	json_decref(root);
	result_free(&result);
}
END_TEST

static bool fio_has(const struct fio_keys *keys, const char *path)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (!strcmp(keys->list[i].path, path))
			return true;
	}
	return false;
}

/* And nothing else is, but under "iojob": some readers copy every key they meet. */
static void check_no_more(const json_t *node, const char *path, const struct fio_keys *keys)
{
	const char *key;
	json_t *value;
	char next[200];

	if (json_is_array(node) && json_array_size(node)) {
		snprintf(next, sizeof(next), "%s[]", path);
		check_no_more(json_array_get(node, 0), next, keys);
	}
	if (strstr(path, "options\"") || strstr(path, ".percentile"))
		return;
	json_object_foreach((json_t *)(uintptr_t)node, key, value) {
		bool plain = key[strspn(key, "abcdefghijklmnopqrstuvwxyzN_")] == '\0';

		if (!strcmp(key, "iojob"))
			continue;
		snprintf(next, sizeof(next), plain ? "%s.%s" : "%s.\"%s\"", path, key);
		ck_assert_msg(fio_has(keys, next), "%s is no key of fio", next);
		check_no_more(value, next, keys);
	}
}

START_TEST(test_json_no_more)
{
	static struct fio_keys keys;
	struct result result;
	json_t *root;

	make_result(&result);
	root = print_json(&result);
	fio_keys_read(&keys);
	check_no_more(root, "", &keys);
	json_decref(root);
	result_free(&result);
}
END_TEST

/* The value at a path of keys parted by '/', from a job or the root. */
static json_t *at(const json_t *node, const char *path)
{
	char key[64];

	while (*path) {
		size_t n = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		node = json_object_get(node, key);
		ck_assert_msg(node != NULL, "%s", path);
		path += n + (path[n] == '/');
	}
	return (json_t *)(uintptr_t)node;
}

static json_t *json_job(const json_t *root, size_t i)
{
	json_t *job = json_array_get(at(root, "jobs"), i);

	ck_assert_ptr_nonnull(job);
	return job;
}

static void check_whole(const json_t *node, const char *path, uint64_t value)
{
	json_t *got = at(node, path);

	ck_assert_msg(json_is_integer(got), "%s", path);
	ck_assert_msg((uint64_t)json_integer_value(got) == value, "%s: %lld, not %llu", path,
			(long long)json_integer_value(got), (unsigned long long)value);
}

static void check_real(const json_t *node, const char *path, double value)
{
	json_t *got = at(node, path);

	ck_assert_msg(json_is_real(got), "%s", path);
	ck_assert_msg(fabs(json_real_value(got) - value) <= fabs(value) * 1e-12, "%s: %g, not %g",
			path, json_real_value(got), value);
}

static void check_text(const json_t *node, const char *path, const char *value)
{
	ck_assert_str_eq(json_string_value(at(node, path)), value);
}

static void check_json_durations(const json_t *node, const struct dist *dist, bool percentiles)
{
	check_whole(node, "min", dist->min);
	check_whole(node, "max", dist->max);
	check_real(node, "mean", dist_mean(dist));
	check_real(node, "stddev", dist_stddev(dist));
	check_whole(node, "N", dist->n);
	ck_assert(percentiles == (json_object_get(node, "percentile") != NULL));
	if (!percentiles)
		return;
	ck_assert_uint_eq(json_object_size(at(node, "percentile")), 7);
	check_whole(node, "percentile/1.000000", dist_percentile(dist, 1));
	check_whole(node, "percentile/99.000000", dist_percentile(dist, 99));
	check_whole(node, "percentile/99.900000", dist_percentile(dist, 99.9));
	check_whole(node, "percentile/99.990000", dist_percentile(dist, 99.99));
}

/* The course, the verdict, and fio's object of the samples that steadystate looked at. */
START_TEST(test_json_steady)
{
	struct result result;
	json_t *root, *job;
	char *text;

	make_result(&result);
	root = print_json(&result);
	job = json_job(root, MIXED);
	check_whole(job, "read/iojob/series/interval_ns", 1000000000);
	ck_assert_uint_eq(json_array_size(at(job, "read/iojob/series/bytes")), 8);
	ck_assert_int_eq(json_integer_value(
			json_array_get(at(job, "write/iojob/series/ios"), 7)), 18);
	ck_assert_ptr_null(json_object_get(at(job, "trim/iojob"), "series"));
	ck_assert(json_is_false(at(job, "iojob/steady/steady")));
	/* Rounds of both: 1001, 801, 601, 401, 701. */
	check_real(job, "iojob/steady/range_percent", 60000 / 701.0);
	check_real(job, "iojob/steady/movement_percent", 40000 / 701.0);
	check_text(job, "iojob/steadystate/rule", "iops_slope:0.5%");
	check_whole(job, "iojob/steadystate/duration_ns", 3000000000);
	check_whole(job, "iojob/steadystate/ramp_ns", 1000000000);
	check_whole(job, "iojob/steadystate/attained_samples", 0);
	check_text(job, "steadystate/ss", "iops_slope:0.500000%");
	check_whole(job, "steadystate/duration", 3);
	check_whole(job, "steadystate/attained", 0);
	/* The last three: 401, 601, 801. */
	check_text(job, "steadystate/criterion", "33.277870%");
	check_real(job, "steadystate/slope", 200);
	check_real(job, "steadystate/max_deviation", 200);
	check_whole(job, "steadystate/data/iops_mean", 601);
	check_whole(job, "steadystate/data/bw_mean", 601 * 4096);
	ck_assert_uint_eq(json_array_size(at(job, "steadystate/data/iops")), 3);
	ck_assert_int_eq(json_integer_value(
			json_array_get(at(job, "steadystate/data/bw"), 2)), 801 * 4096);
	/* Where it held, its samples are those before that. */
	result.jobs[MIXED].steady.attained = 5;
	json_decref(root);
	root = print_json(&result);
	check_whole(json_job(root, MIXED), "steadystate/attained", 1);
	check_whole(json_job(root, MIXED), "steadystate/data/iops_mean", 1603 / 3);
	ck_assert(json_is_null(at(json_job(root, NORMAL), "iojob/steady")));
	ck_assert_ptr_null(json_object_get(at(json_job(root, NORMAL), "iojob"), "steadystate"));
	json_decref(root);
	/* Numbers stand in one line, and no string is touched by that. */
	set(&result.jobs[NORMAL].description, "[ 1,\n 2 ] \\\" [ 3 ]");
	text = print(output_json, &result);
	ck_assert_ptr_nonnull(strstr(text, ": [500,400,300,300,200,300,400,17]\n"));
	root = parse(text);
	check_text(json_job(root, NORMAL), "desc", "[ 1,\n 2 ] \\\" [ 3 ]");
	json_decref(root);
	free(text);
	result_free(&result);
}
END_TEST

START_TEST(test_json_direction)
{
	struct result result;
	json_t *root, *job;

	make_result(&result);
	root = print_json(&result);
	job = json_job(root, MIXED);
	check_whole(job, "read/io_bytes", 81920000);
	check_whole(job, "read/io_kbytes", 80000);
	check_whole(job, "read/bw_bytes", 40960000);
	check_whole(job, "read/bw", 40000);
	check_real(job, "read/iops", 10000);
	check_whole(job, "read/runtime", 2000);
	check_whole(job, "read/total_ios", 20000);
	check_whole(job, "read/short_ios", 3);
	check_json_durations(at(job, "read/slat_ns"), &result.jobs[MIXED].dir[0].slat, false);
	check_json_durations(at(job, "read/clat_ns"), &result.jobs[MIXED].dir[0].clat, true);
	check_json_durations(at(job, "read/lat_ns"), &result.jobs[MIXED].dir[0].lat, true);
	check_json_durations(at(job, "write/iojob/response_ns"),
			&result.jobs[MIXED].dir[1].response, true);
	check_whole(job, "read/iojob/late", 300);
	check_whole(job, "read/iojob/due", 17);
	check_whole(job, "read/iojob/lag_max_ns", 499000000);
	ck_assert_uint_eq(json_array_size(at(job, "read/iojob/above")), 2);
	check_whole(json_array_get(at(job, "read/iojob/above"), 0), "ns", 1000000);
	check_whole(json_array_get(at(job, "read/iojob/above"), 0), "ios", 17);
	check_real(json_array_get(at(job, "read/iojob/above"), 0), "percent", 0.085);
	check_whole(json_array_get(at(job, "write/iojob/above"), 1), "ns", 2000000000);
	check_whole(json_array_get(at(job, "write/iojob/above"), 1), "ios", 0);
	check_whole(job, "read/bw_min", 1000);
	check_whole(job, "read/bw_max", 1004);
	check_real(job, "read/bw_mean", 1002);
	check_real(job, "read/bw_dev", sqrt(2.5));
	check_whole(job, "read/bw_samples", 5);
	check_real(job, "read/bw_agg", 1002.0 * 100 / 40000);
	check_whole(job, "read/iops_min", 250);
	check_whole(job, "read/iops_max", 254);
	check_real(job, "read/iops_mean", 252);
	check_json_durations(at(job, "trim/clat_ns"), &result.jobs[MIXED].dir[2].clat, false);
	check_json_durations(at(job, "sync/lat_ns"), &result.jobs[MIXED].sync, true);
	check_whole(job, "sync/total_ios", 40);
	/* A synchronous engine's lat is its clat; no percentiles there unless lat_percentiles. */
	job = json_job(root, NORMAL);
	check_json_durations(at(job, "read/lat_ns"), &result.jobs[NORMAL].dir[0].clat, false);
	check_whole(job, "read/slat_ns/N", 0);
	json_decref(root);
	result_free(&result);
}
END_TEST

START_TEST(test_json_job)
{
	struct result result;
	json_t *root, *job;

	make_result(&result);
	root = print_json(&result);
	job = json_job(root, MIXED);
	check_text(job, "jobname", "mixed");
	check_whole(job, "groupid", 1);
	check_whole(job, "job_runtime", 8000);
	check_whole(job, "elapsed", 13);
	check_real(job, "usr_cpu", 5);
	check_real(job, "sys_cpu", 12.5);
	check_whole(job, "ctx", 12345);
	check_text(job, "job options/group_reporting", "");
	ck_assert_str_eq(json_object_iter_key(json_object_iter(at(job, "job options"))), "rw");
	check_real(job, "iojob/depth_mean", result_depth_mean(&result.jobs[MIXED]));
	check_whole(job, "iojob/bs/write/max", 65536);
	check_whole(job, "iojob/layout/bytes", 64u << 20);
	check_whole(job, "iojob/workers", 4);
	check_text(job, "iojob/end", "runtime");
	check_text(job, "iojob/seed", "12345");
	ck_assert(json_is_null(at(job, "iojob/skipped")));

	job = json_job(root, SKIPPED);
	check_text(job, "iojob/skipped", result.jobs[SKIPPED].skipped);
	check_whole(job, "error", 0);
	check_whole(job, "read/io_bytes", 0);
	check_text(json_array_get(at(job, "iojob/axes"), 0), "name", "mode");
	check_text(json_array_get(at(job, "iojob/axes"), 0), "label", "Normal read");

	job = json_job(root, FAILED);
	check_whole(job, "error", EIO);
	check_text(job, "iojob/error_text", result.jobs[FAILED].error_text);

	job = json_job(root, TRIM);
	check_text(job, "jobname", "trim, \"it\"\nall");
	check_text(job, "desc", "what \\ it, does");
	check_whole(job, "total_err", 2);
	check_whole(job, "first_error", 0);
	check_whole(job, "trim/iojob/errors", 2);
	json_decref(root);
	result_free(&result);
}
END_TEST

START_TEST(test_json_top)
{
	struct result result;
	json_t *root, *disk;

	make_result(&result);
	root = print_json(&result);
	check_text(root, "fio version", "fio-3.33");
	check_whole(root, "timestamp", 1700000012);
	check_whole(root, "timestamp_ms", 1700000012345);
	check_text(root, "global options/bs", "4k");
	check_whole(root, "iojob/schema", RESULT_SCHEMA);
	check_text(root, "iojob/version", "0.1.0");
	check_text(root, "iojob/host", "bench1");
	ck_assert(json_is_true(at(root, "iojob/clock/tsc")));
	check_real(root, "iojob/clock/read_ns", 6.5);
	check_real(root, "iojob/clock/drift_ppm", -1.25);
	ck_assert(json_is_true(at(root, "iojob/interrupted")));
	check_whole(json_array_get(at(root, "iojob/places"), 0), "need_bytes", 1610612736);
	ck_assert_str_eq(json_string_value(json_array_get(at(root, "iojob/notes"), 0)),
			"the TSC was not used");
	disk = json_array_get(at(root, "disk_util"), 0);
	check_text(disk, "name", "vda");
	check_whole(disk, "in_queue", 70);
	check_real(disk, "util", 12.5);
	check_whole(disk, "iojob/read_bytes", 1048576);
	json_decref(root);
	result_free(&result);
}
END_TEST

/* A latency, the object of fio's that counts it, and the key there. */
START_TEST(test_json_latency_bins)
{
	static const struct {
		uint64_t ns;
		const char *where;
	} table[] = {
		{ 0, "latency_ns/2" }, { 1, "latency_ns/2" }, { 2, "latency_ns/4" },
		{ 3, "latency_ns/4" }, { 9, "latency_ns/10" }, { 10, "latency_ns/20" },
		{ 249, "latency_ns/250" }, { 251, "latency_ns/500" }, { 990, "latency_ns/1000" },
		{ 1010, "latency_us/2" }, { 2010, "latency_us/4" }, { 19800, "latency_us/20" },
		{ 990000, "latency_us/1000" }, { 1010000, "latency_ms/2" },
		{ 99000000, "latency_ms/100" }, { 1980000000, "latency_ms/2000" },
		{ 2020000000, "latency_ms/>=2000" }, { 36000000000, "latency_ms/>=2000" },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result result = { .jobs = calloc(1, sizeof(struct result_job)) };
		struct result_job *job = job_add(&result, "j", "psync", "read");
		json_t *root;

		set(&result.version, "");
		set(&result.command, "");
		set(&result.host, "");
		set(&result.kernel, "");
		ck_assert_int_eq(dist_add(&job->dir[0].clat, table[i].ns, 1), 0);
		ck_assert_int_eq(dist_add(&job->dir[1].clat, 36000000000, 3), 0);
		root = print_json(&result);
		check_real(json_job(root, 0), table[i].where, table[i].ns < 2000010000 ? 25 : 100);
		json_decref(root);
		result_free(&result);
	}
}
END_TEST

START_TEST(test_json_depths)
{
	struct result result;
	json_t *root, *job;

	make_result(&result);
	root = print_json(&result);
	job = json_job(root, MIXED);
	check_real(job, "iodepth_level/1", 4);
	check_real(job, "iodepth_level/4", 36);
	check_real(job, "iodepth_level/32", 60);
	check_real(job, "iodepth_level/>=64", 0);
	check_real(job, "iodepth_submit/4", 100);
	check_real(job, "iodepth_complete/0", 25);
	check_real(job, "iodepth_complete/>=64", 75);
	job = json_job(root, SKIPPED);
	check_real(job, "iodepth_level/1", 0);
	json_decref(root);
	result_free(&result);
}
END_TEST

/* Names that are no UTF-8, and figures that are no numbers: valid all the same. */
START_TEST(test_json_whatever)
{
	static const struct {
		const char *name, *json;
	} table[] = {
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\xc3", "a\xef\xbf\xbd" },
		{ "\xc3\xa4\xff\xc3\xa4", "\xc3\xa4\xef\xbf\xbd\xc3\xa4" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\x01\"\\\t", "\x01\"\\\t" },
		{ "", "" },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result result;
		json_t *root;

		make_result(&result);
		set(&result.jobs[0].name, table[i].name);
		set(&result.jobs[0].options[0].key, table[i].name);
		set(&result.jobs[0].options[0].value, table[i].name);
		set(&result.notes[0], table[i].name);
		root = print_json(&result);
		check_text(json_job(root, 0), "jobname", table[i].json);
		ck_assert_str_eq(json_string_value(json_object_get(
				at(json_job(root, 0), "job options"), table[i].json)),
				table[i].json);
		json_decref(root);
		result_free(&result);
	}
}
END_TEST

static void make_not_finite(struct result *result)
{
	make_result(result);
	result->clock_read_ns = (double)NAN;
	result->clock_drift_ppm = (double)INFINITY;
	result->disks[0].util_percent = -(double)INFINITY;
	result->jobs[MIXED].dir[0].bw = (struct result_samples){ 3, (double)NAN, (double)INFINITY,
			(double)NAN, (double)INFINITY };
	result->jobs[MIXED].dir[0].iops = (struct result_samples){ 3, -(double)INFINITY,
			(double)NAN, (double)INFINITY, (double)NAN };
	result->ended_ms = 0; /* before it was started: somebody set the clock */
}

START_TEST(test_never_nan)
{
	static const char *const formats[] = { "json", "csv" };

	for (size_t i = 0; i < N(formats); i++) {
		struct result result;
		char *text;

		make_not_finite(&result);
		text = print(output_find(formats[i])->write, &result);
		ck_assert_ptr_null(strstr(text, "nan"));
		ck_assert_ptr_null(strstr(text, "NaN"));
		ck_assert_ptr_null(strstr(text, ",inf"));
		ck_assert_ptr_null(strstr(text, ",-inf"));
		if (i == 0)
			json_decref(parse(text));
		free(text);
		result_free(&result);
	}
}
END_TEST

/* A run without a single job is a document too. */
START_TEST(test_empty)
{
	struct result result = { .version = copy("1"), .command = copy(""), .host = copy("h"),
		.kernel = copy("k") };
	json_t *root = print_json(&result);
	char *text;

	ck_assert_uint_eq(json_array_size(at(root, "jobs")), 0);
	ck_assert_uint_eq(json_array_size(at(root, "disk_util")), 0);
	json_decref(root);
	for (const struct output_format *f = output_formats; f->name; f++) {
		if (!f->write)
			continue;
		text = print(f->write, &result);
		ck_assert_int_gt((int)strlen(text), 0);
		free(text);
	}
	result_free(&result);
}
END_TEST

/* ---- CSV ----------------------------------------------------------------------------------- */

enum { CSV_ROWS = 20, CSV_COLUMNS = 160 };

struct csv {
	char *field[CSV_ROWS][CSV_COLUMNS];
	size_t nrows;
	size_t ncolumns;
};

/* One field of RFC 4180 at *text, moved behind what ends it. */
static char *csv_field(const char **text)
{
	const char *s = *text;
	char *field = calloc(1, strlen(s) + 1), *to = field;
	bool quoted = *s == '"';

	ck_assert_ptr_nonnull(field);
	for (s += quoted; *s; s++) {
		if (quoted && *s == '"' && *++s != '"')
			break;
		if (!quoted && (*s == ',' || *s == '\n'))
			break;
		ck_assert(quoted || *s != '"');
		*to++ = *s;
	}
	*text = s;
	return field;
}

static void csv_parse(struct csv *csv, const char *text)
{
	size_t column = 0;

	*csv = (struct csv){ .nrows = 0 };
	while (*text) {
		ck_assert_uint_lt(csv->nrows, CSV_ROWS);
		ck_assert_uint_lt(column, CSV_COLUMNS);
		csv->field[csv->nrows][column++] = csv_field(&text);
		ck_assert(*text == ',' || *text == '\n');
		if (*text++ == ',')
			continue;
		if (!csv->nrows)
			csv->ncolumns = column;
		ck_assert_uint_eq(column, csv->ncolumns);
		csv->nrows++;
		column = 0;
	}
	ck_assert_uint_eq(column, 0);
}

static void csv_free(struct csv *csv)
{
	for (size_t r = 0; r < csv->nrows; r++) {
		for (size_t c = 0; c < csv->ncolumns; c++)
			free(csv->field[r][c]);
	}
}

static const char *csv_get(const struct csv *csv, size_t row, const char *column)
{
	ck_assert_uint_lt(row, csv->nrows);
	for (size_t c = 0; c < csv->ncolumns; c++) {
		if (!strcmp(csv->field[0][c], column))
			return csv->field[row][c];
	}
	ck_abort_msg("no column %s", column);
	return NULL;
}

static void print_csv(struct csv *csv, const struct result *result)
{
	char *text = print(output_csv, result);

	csv_parse(csv, text);
	free(text);
}

START_TEST(test_csv_rows)
{
	static const char *const columns[] = {
		"schema", "job", "section", "axes", "group", "stage", "workers", "engine", "rw",
		"direction", "bs_min_bytes", "bs_max_bytes", "iodepth", "depth_mean", "direct",
		"error", "error_text", "skipped", "end", "ios", "bytes", "shorts", "errors",
		"runtime_ns", "bw_bytes_per_s", "iops_per_s", "slat_min_ns", "slat_p99.9_ns",
		"clat_mean_ns", "clat_stddev_ns", "clat_max_ns", "clat_p50_ns", "clat_p90_ns",
		"clat_p95_ns", "lat_p99_ns", "response_p99_ns", "late", "due", "lag_max_ns",
		"syncs", "sync_mean_ns", "sync_p99_ns", "cpu_user_percent", "cpu_system_percent",
	};
	/* The mixed job has two rows; every other one has one. */
	static const char *const directions[] = {
		"direction", "read", "write", "read", "write", "", "write", "trim", "write",
	};
	static struct csv csv;
	struct result result;

	make_result(&result);
	print_csv(&csv, &result);
	for (size_t i = 0; i < N(columns); i++)
		csv_get(&csv, 0, columns[i]);
	ck_assert_str_eq(csv.field[0][0], "schema");
	for (size_t i = 0; i < csv.ncolumns; i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(csv.field[0][i], csv.field[0][j]);
	}
	ck_assert_uint_eq(csv.nrows, N(directions));
	for (size_t i = 0; i < N(directions); i++)
		ck_assert_str_eq(csv_get(&csv, i, "direction"), directions[i]);
	ck_assert_str_eq(csv_get(&csv, 1, "lat_thresholds_ns"), "1000000;2000000000");
	ck_assert_str_eq(csv_get(&csv, 1, "above_ios"), "17;0");
	ck_assert_str_eq(csv_get(&csv, 1, "above_percent"), "0.08500;0.00000");
	ck_assert_str_eq(csv_get(&csv, 2, "above_ios"), "0;0");
	ck_assert_str_eq(csv_get(&csv, 3, "above_ios"), "");
	ck_assert_str_eq(csv_get(&csv, 1, "steady"), "no");
	ck_assert_str_eq(csv_get(&csv, 1, "steady_range_percent"), "85.592");
	ck_assert_str_eq(csv_get(&csv, 1, "steady_movement_percent"), "57.061");
	ck_assert_str_eq(csv_get(&csv, 1, "steadystate_attained"), "no");
	ck_assert_str_eq(csv_get(&csv, 3, "steady"), "");
	ck_assert_str_eq(csv_get(&csv, 3, "steady_range_percent"), "");
	ck_assert_str_eq(csv_get(&csv, 3, "steadystate_attained"), "");
	ck_assert_str_eq(csv_get(&csv, 5, "skipped"), result.jobs[SKIPPED].skipped);
	ck_assert_str_eq(csv_get(&csv, 5, "ios"), "");
	ck_assert_str_eq(csv_get(&csv, 5, "clat_p99_ns"), "");
	ck_assert_str_eq(csv_get(&csv, 5, "engine"), "io_uring");
	ck_assert_str_eq(csv_get(&csv, 6, "error"), "5");
	ck_assert_str_eq(csv_get(&csv, 6, "end"), "error");
	ck_assert_str_eq(csv_get(&csv, 6, "error_text"), result.jobs[FAILED].error_text);
	ck_assert_str_eq(csv_get(&csv, 7, "job"), "trim, \"it\"\nall");
	ck_assert_str_eq(csv_get(&csv, 7, "axes"), "bs\\;\\==4k\\\\;when=now");
	ck_assert_str_eq(csv_get(&csv, 3, "axes"), "mode=Normal read");
	ck_assert_str_eq(csv_get(&csv, 3, "slat_mean_ns"), "");
	ck_assert_str_eq(csv_get(&csv, 3, "response_p99_ns"), "");
	csv_free(&csv);
	result_free(&result);
}
END_TEST

/* Text quoted where it must be and nowhere else. */
START_TEST(test_csv_quoting)
{
	static const struct {
		const char *name, *field;
	} table[] = {
		{ "plain text", ",plain text," },
		{ "a,b", ",\"a,b\"," },
		{ "a\"b", ",\"a\"\"b\"," },
		{ "a\nb", ",\"a\nb\"," },
		{ "a\rb", ",\"a\rb\"," },
		{ "\"\"", ",\"\"\"\"\"\"," },
		{ "", ",," },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result result;
		char *text, *row;

		make_result(&result);
		set(&result.jobs[0].name, table[i].name);
		text = print(output_csv, &result);
		row = strchr(text, '\n') + 2;
		ck_assert_int_eq(strncmp(row, table[i].field, strlen(table[i].field)), 0);
		free(text);
		result_free(&result);
	}
}
END_TEST

static void agree(const struct csv *csv, size_t row, const char *column, const json_t *dir,
		const char *path)
{
	json_t *value = at(dir, path);
	double want = json_number_value(value);
	char *end;
	double got = strtod(csv_get(csv, row, column), &end);

	ck_assert_msg(!*end && fabs(got - want) <= 0.5e-3 + 1e-12 * fabs(want), "%s %s", column,
			csv_get(csv, row, column));
}

/* The same figures in CSV and JSON. */
START_TEST(test_csv_agrees)
{
	static const char *const kinds[] = { "slat", "clat", "lat" };
	static struct csv csv;
	struct result result;
	json_t *root, *dir, *job;
	char column[64], path[64];

	make_result(&result);
	print_csv(&csv, &result);
	root = print_json(&result);
	job = json_job(root, MIXED);
	for (size_t row = 1; row <= 2; row++) {
		dir = at(job, row == 1 ? "read" : "write");
		agree(&csv, row, "ios", dir, "total_ios");
		agree(&csv, row, "bytes", dir, "io_bytes");
		agree(&csv, row, "shorts", dir, "short_ios");
		agree(&csv, row, "iops_per_s", dir, "iops");
		agree(&csv, row, "bw_bytes_per_s", dir, "bw_bytes");
		agree(&csv, row, "runtime_ns", dir, "iojob/runtime_ns");
		agree(&csv, row, "iops_mean_per_s", dir, "iops_mean");
		agree(&csv, row, "iops_stddev_per_s", dir, "iops_stddev");
		agree(&csv, row, "bw_samples", dir, "bw_samples");
		agree(&csv, row, "late", dir, "iojob/late");
		agree(&csv, row, "due", dir, "iojob/due");
		agree(&csv, row, "lag_max_ns", dir, "iojob/lag_max_ns");
		agree(&csv, row, "response_mean_ns", dir, "iojob/response_ns/mean");
		agree(&csv, row, "response_p99_ns", dir,
				"iojob/response_ns/percentile/99.000000");
		agree(&csv, row, "clat_p99.9_ns", dir, "clat_ns/percentile/99.900000");
		agree(&csv, row, "lat_p50_ns", dir, "lat_ns/percentile/50.000000");
		for (size_t k = 0; k < 4 * N(kinds); k++) {
			static const char *const figures[] = { "min", "mean", "stddev", "max" };

			snprintf(column, sizeof(column), "%s_%s_ns", kinds[k / 4], figures[k % 4]);
			snprintf(path, sizeof(path), "%s_ns/%s", kinds[k / 4], figures[k % 4]);
			agree(&csv, row, column, dir, path);
		}
		agree(&csv, row, "sync_mean_ns", job, "sync/lat_ns/mean");
		agree(&csv, row, "sync_p99_ns", job, "sync/lat_ns/percentile/99.000000");
		agree(&csv, row, "syncs", job, "sync/total_ios");
		agree(&csv, row, "cpu_user_percent", job, "usr_cpu");
		agree(&csv, row, "cpu_system_percent", job, "sys_cpu");
		agree(&csv, row, "depth_mean", job, "iojob/depth_mean");
		agree(&csv, row, "minor_faults", job, "minf");
	}
	json_decref(root);
	csv_free(&csv);
	result_free(&result);
}
END_TEST

/* ---- text ---------------------------------------------------------------------------------- */

/* Is a text there, wherever its lines were broken? */
static bool says(const char *text, const char *what)
{
	char *flat = copy(text), *to = flat;
	bool found;

	for (const char *s = text; *s; s++) {
		bool blank = *s == ' ' || *s == '\n';

		if (blank && to > flat && to[-1] == ' ')
			continue;
		*to++ = blank ? ' ' : *s;
	}
	*to = '\0';
	found = strstr(flat, what) != NULL;
	free(flat);
	return found;
}

#define ck_says(text, what) ck_assert_msg(says(text, what), "no \"%s\" in\n%s", what, text)
#define ck_says_not(text, what) ck_assert_msg(!says(text, what), "\"%s\" in\n%s", what, text)

static void check_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[1000];

		ck_assert_uint_lt(n, sizeof(line));
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		ck_assert_msg(wrap_width(line) <= 80, "too wide: %s", line);
		ck_assert_msg(!n || line[n - 1] != ' ', "blank at the end: %s", line);
		ck_assert_msg(text[n] == '\n', "no end: %s", line);
		text += n + 1;
	}
}

START_TEST(test_text)
{
	struct result result;
	char *text;

	make_result(&result);
	text = print(output_text, &result);
	check_lines(text);
	ck_says(text, "iojob 0.1.0 on bench1, Linux 6.1.0 x86_64");
	ck_says(text, "/srv/test: ext4 on vda, needs 1.50 GiB, 20 GiB free");
	ck_says(text, "INTERRUPTED: the figures are of what was done until then");
	ck_says(text, "mixed: randrw 4 KiB / 4 KiB to 64 KiB, libaio, depth 32 (");
	ck_says(text, "; ended by its runtime");
	ck_says(text, "syscall, Normal read: read 4 KiB, psync, depth 1; all done");
	ck_says(text, "workers 4: bw and IOPS added, over the longest runtime; latencies merged");
	ck_says(text, "SKIPPED io_uring is refused by the kernel");
	ck_says(text, "ERROR /srv/test/map.0: write of 4096 bytes at 1048576: Input/output error");
	ck_says(text, "2 FAILED");
	ck_says(text, "not started: INTERRUPTED");
	ck_says(text, "fsync 40 calls: mean 8 ms");
	ck_says(text, "fsync at the end 1.20 s");
	ck_says(text, "layout 64 MiB written before the run, in 300 ms");
	ck_says(text, "300 started late, the latest by 499 ms, 17 due but never started");
	ck_says(text, "steady iops_slope:0.5% over 3 s, NOT attained");
	ck_says(text, "above 1 ms 17 (0.085 %), 2 s none");
	ck_says(text, "KiB/s by mode");
	ck_says(text, "vda read 1 MiB in 31 I/Os, wrote 8 KiB in 8 I/Os, busy 12.5 %");
	ck_says(text, "note: the TSC was not used");
	ck_says(text, "1 of 7 jobs FAILED");
	ck_says(text, "1 of 7 jobs skipped");
	free(text);
	result_free(&result);
}
END_TEST

/* The text's figures are those of the other formats, rounded for people. */
START_TEST(test_text_agrees)
{
	struct result result;
	const struct result_job *job;
	char *text, want[300], n[9][32];

	make_result(&result);
	text = print(output_text, &result);
	job = &result.jobs[MIXED];
	snprintf(want, sizeof(want), "read %s/s, %s IOPS, %s in 20,000 I/Os and 2 s, 3 of them",
			units_print_size(n[0], 32, (uint64_t)result_bw(job, 0)),
			units_print_si(n[1], 32, result_iops(job, 0)),
			units_print_size(n[2], 32, job->dir[0].bytes));
	ck_says(text, want);
	snprintf(want, sizeof(want), "latency mean %s, sd %s, p50 %s, p99 %s, p99.9 %s, max %s",
			units_print_time(n[0], 32, (uint64_t)(dist_mean(&job->dir[0].lat) + 0.5)),
			units_print_time(n[1], 32, (uint64_t)(dist_stddev(&job->dir[0].lat) + 0.5)),
			units_print_time(n[2], 32, dist_percentile(&job->dir[0].lat, 50)),
			units_print_time(n[3], 32, dist_percentile(&job->dir[0].lat, 99)),
			units_print_time(n[4], 32, dist_percentile(&job->dir[0].lat, 99.9)),
			units_print_time(n[5], 32, job->dir[0].lat.max));
	ck_says(text, want);
	snprintf(want, sizeof(want), "cpu %.1f %% user, %.1f %% system, 12,345 context switches",
			result_cpu_percent(job, false), result_cpu_percent(job, true));
	ck_says(text, want);
	free(text);
	result_free(&result);
}
END_TEST

/* Which of the usual percentiles a text has for that many I/Os: q takes 10 / (1 - q) of them. */
START_TEST(test_text_few)
{
	static const struct {
		unsigned n;
		bool p50, p99, p999;
	} table[] = {
		{ 19, false, false, false },
		{ 20, true, false, false },
		{ 999, true, false, false },
		{ 1000, true, true, false },
		{ 9999, true, true, false },
		{ 10000, true, true, true },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result result = { .jobs = calloc(1, sizeof(struct result_job)) };
		char *text;

		set(&result.version, "1");
		set(&result.host, "h");
		set(&result.kernel, "k");
		work(job_add(&result, "j", "psync", "read"), 0, table[i].n, 1000, 1000000);
		text = print(output_text, &result);
		ck_assert(says(text, ", p50 ") == table[i].p50);
		ck_assert(says(text, ", p99 ") == table[i].p99);
		ck_assert(says(text, ", p99.9 ") == table[i].p999);
		ck_says_not(text, "submit");
		free(text);
		result_free(&result);
	}
}
END_TEST

START_TEST(test_text_percentile_list)
{
	struct result result;
	char *text;

	make_result(&result);
	option_add(&result.global, &result.nglobal, "percentile_list", "1:50:90:95:99:99.9:99.99");
	text = print(output_text, &result);
	ck_says(text, ", p1 ");
	ck_says(text, ", p95 ");
	ck_says_not(text, ", p99.99 "); /* of 20,000 */
	free(text);
	result_free(&result);
}
END_TEST

/* Names of any length and kind: 80 columns, no control character gets through. */
START_TEST(test_text_long)
{
	static const char *const formats[] = { "text", "table" };
	const char *words = "a name of many words that goes on and on beyond what one line can "
			    "hold, with \xc3\xa4\xc3\xb6\xc3\xbc in it";

	for (size_t i = 0; i < N(formats); i++) {
		struct result result;
		char *text;

		make_result(&result);
		for (size_t j = 0; j < result.njobs; j++) {
			set(&result.jobs[j].name, words);
			set(&result.jobs[j].section, words);
			for (size_t a = 0; a < result.jobs[j].naxes; a++)
				set(&result.jobs[j].axes[a].label, words);
		}
		set(&result.jobs[FAILED].error_text, words);
		set(&result.jobs[SKIPPED].skipped, words);
		set(&result.notes[0], words);
		set(&result.places[0].directory, words);
		set(&result.jobs[TRIM].section, "\x1b[2Jtrim\x7f");
		set(&result.jobs[TRIM].name, "\x1b[2Jtrim\x7f");
		text = print(output_find(formats[i])->write, &result);
		ck_assert_ptr_null(strpbrk(text, "\x1b\x7f"));
		ck_says(text, "?[2Jtrim?");
		check_lines(text);
		free(text);
		result_free(&result);
	}
}
END_TEST

/* ---- tables -------------------------------------------------------------------------------- */

/* A job of one cell: `kib` KiB/s over a second. */
static struct result_job *cell_add(struct result *result, const char *section, const char *axis,
		const char *label, unsigned kib)
{
	struct result_job *job;

	result->jobs = realloc(result->jobs, (result->njobs + 1) * sizeof(*result->jobs));
	ck_assert_ptr_nonnull(result->jobs);
	job = job_add(result, section, "psync", "read");
	axis_add(job, axis, label);
	job->dir[0].bytes = kib * 1024ull;
	job->dir[0].ios = 1;
	job->dir[0].runtime_ns = job->elapsed_ns = 1000000000;
	return job;
}

static void check_table(const struct result *result, const char *want)
{
	char *text = print(output_table, result);

	ck_assert_str_eq(text, want);
	check_lines(text);
	free(text);
}

static const char *const modes[] = {
	"Normal read", "Random read", "Normal write", "Random write", "Direct read", "Direct write",
};

/* Throughput that two kernels were compared with in 2009: section, kernel, KiB/s by mode. */
static const struct {
	const char *section;
	const char *kernel;
	unsigned kib[6];
} document[] = {
	{ "syscall", "2.6.31-rc1", { 47932, 3566, 45693, 8501, 50088, 43473 } },
	{ "syscall", "V6", { 47231, 3411, 42451, 8714, 51284, 42341 } },
	{ "mmap", "2.6.31-rc1", { 49951, 3245, 21950, 2771 } },
	{ "mmap", "V6", { 49951, 3154, 22593, 2648 } },
	{ "libaio", "2.6.31-rc1", { 49447, 3296, 57519, 21093 } },
	{ "libaio", "V6", { 50142, 3238, 57791, 21283 } },
};

/* Its three tables: a matrix for each section, a row for each run. */
static void make_document(struct result *result)
{
	for (size_t r = 0; r < N(document); r++) {
		for (size_t c = 0; c < 6 && document[r].kib[c]; c++) {
			struct result_job *job = cell_add(result, document[r].section, "kernel",
					document[r].kernel, document[r].kib[c]);

			axis_add(job, "mode", modes[c]);
		}
	}
}

START_TEST(test_table_document)
{
	struct result result = { .njobs = 0 };

	make_document(&result);
	check_table(&result,
			"KiB/s by mode: syscall\n"
			"            Normal  Random  Normal  Random  Direct  Direct\n"
			"kernel        read    read   write   write    read   write\n"
			"2.6.31-rc1  47,932   3,566  45,693   8,501  50,088  43,473\n"
			"V6          47,231   3,411  42,451   8,714  51,284  42,341\n"
			"\n"
			"KiB/s by mode: mmap\n"
			"            Normal  Random  Normal  Random\n"
			"kernel        read    read   write   write\n"
			"2.6.31-rc1  49,951   3,245  21,950   2,771\n"
			"V6          49,951   3,154  22,593   2,648\n"
			"\n"
			"KiB/s by mode: libaio\n"
			"            Normal  Random  Normal  Random\n"
			"kernel        read    read   write   write\n"
			"2.6.31-rc1  49,447   3,296  57,519  21,093\n"
			"V6          50,142   3,238  57,791  21,283\n");
	result_free(&result);
}
END_TEST

/* One run of iocontroller.ini: nothing but the mode varies, and the sections share a table. */
START_TEST(test_table_sections)
{
	struct result result = { .njobs = 0 };

	for (size_t r = 0; r < N(document); r += 2) {
		for (size_t c = 0; c < 6 && document[r].kib[c]; c++)
			cell_add(&result, document[r].section, "mode", modes[c],
					document[r].kib[c]);
	}
	check_table(&result,
			"KiB/s by mode\n"
			"         Normal  Random  Normal  Random  Direct  Direct\n"
			"           read    read   write   write    read   write\n"
			"syscall  47,932   3,566  45,693   8,501  50,088  43,473\n"
			"mmap     49,951   3,245  21,950   2,771\n"
			"libaio   49,447   3,296  57,519  21,093\n");
	result_free(&result);
}
END_TEST

static void check_layout(const struct result *result, const char *format, const char *want)
{
	char *text = print(output_find(format)->write, result);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(test_table_layouts)
{
	struct result result = { .njobs = 0 };

	make_document(&result);
	check_layout(&result, "table-csv",
			"metric,unit,section,kernel,Normal read,Random read,Normal write,"
			"Random write,Direct read,Direct write\n"
			"bw,KiB/s,syscall,2.6.31-rc1,47932.000,3566.000,45693.000,8501.000,"
			"50088.000,43473.000\n"
			"bw,KiB/s,syscall,V6,47231.000,3411.000,42451.000,8714.000,51284.000,"
			"42341.000\n"
			"\n"
			"metric,unit,section,kernel,Normal read,Random read,Normal write,"
			"Random write\n"
			"bw,KiB/s,mmap,2.6.31-rc1,49951.000,3245.000,21950.000,2771.000\n"
			"bw,KiB/s,mmap,V6,49951.000,3154.000,22593.000,2648.000\n"
			"\n"
			"metric,unit,section,kernel,Normal read,Random read,Normal write,"
			"Random write\n"
			"bw,KiB/s,libaio,2.6.31-rc1,49447.000,3296.000,57519.000,21093.000\n"
			"bw,KiB/s,libaio,V6,50142.000,3238.000,57791.000,21283.000\n");
	check_layout(&result, "table-md",
			"**KiB/s by mode: syscall**\n\n"
			"| kernel | Normal read | Random read | Normal write | Random write | "
			"Direct read | Direct write |\n"
			"|---|---:|---:|---:|---:|---:|---:|\n"
			"| 2.6.31-rc1 | 47,932 | 3,566 | 45,693 | 8,501 | 50,088 | 43,473 |\n"
			"| V6 | 47,231 | 3,411 | 42,451 | 8,714 | 51,284 | 42,341 |\n"
			"\n"
			"**KiB/s by mode: mmap**\n\n"
			"| kernel | Normal read | Random read | Normal write | Random write |\n"
			"|---|---:|---:|---:|---:|\n"
			"| 2.6.31-rc1 | 49,951 | 3,245 | 21,950 | 2,771 |\n"
			"| V6 | 49,951 | 3,154 | 22,593 | 2,648 |\n"
			"\n"
			"**KiB/s by mode: libaio**\n\n"
			"| kernel | Normal read | Random read | Normal write | Random write |\n"
			"|---|---:|---:|---:|---:|\n"
			"| 2.6.31-rc1 | 49,447 | 3,296 | 57,519 | 21,093 |\n"
			"| V6 | 50,142 | 3,238 | 57,791 | 21,283 |\n");
	result_free(&result);
}
END_TEST

/* Makes what there is the first of two repeats. Returns the second one's jobs, which are zero. */
static struct result_job *repeat_twice(struct result *result)
{
	struct result_job *other = calloc(result->njobs, sizeof(*other));

	ck_assert_ptr_nonnull(other);
	result->repeats = calloc(2, sizeof(*result->repeats));
	ck_assert_ptr_nonnull(result->repeats);
	result->nrepeats = 2;
	result->repeats[0].jobs = result->jobs;
	result->repeats[1].jobs = other;
	result->repeats[0].njobs = result->repeats[1].njobs = result->njobs;
	return other;
}

/* A cell without a figure has none in any layout; odd characters do not break one. */
START_TEST(test_table_cells)
{
	struct result result = { .njobs = 0 };
	struct result_job *job;

	cell_add(&result, "a, \"b\"", "mode", "x|y", 1);
	job = cell_add(&result, "a, \"b\"", "mode", "skip", 2);
	set(&job->skipped, "is not *here*\x1b");
	job = cell_add(&result, "a, \"b\"", "mode", "fail", 3);
	job->error = EIO;
	job->end = RESULT_END_ERROR;
	cell_add(&result, "c", "mode", "fail", 4);
	check_layout(&result, "table-csv",
			"metric,unit,section,x|y,skip,fail\n"
			"bw,KiB/s,\"a, \"\"b\"\"\",1.000,skipped,failed\n"
			"bw,KiB/s,c,,,4.000\n");
	check_layout(&result, "table-md",
			"**KiB/s by mode**\n\n"
			"| | x\\|y | skip | fail |\n"
			"|---|---:|---:|---:|\n"
			"| a, \"b\" | 1 | - | ! |\n"
			"| c | | | 4 |\n"
			"\n`-` a, \"b\", skip: is not \\*here\\*?\n"
			"\n`!` a, \"b\", fail: Input/output error\n");
	result_free(&result);
}
END_TEST

/* Each metric is a matrix; notes come once. */
START_TEST(test_table_metrics)
{
	static const char *const names[] = { "iops", "lat_mean", "write.bw", "cpu", "p50" };
	struct metric metrics[N(names)];
	struct output_options options = { metrics, N(names) };
	struct result result = { .njobs = 0 };
	struct result_job *job = cell_add(&result, "s", "bs", "4k", 100);
	struct err err;
	char *text;

	for (size_t i = 0; i < N(names); i++)
		ck_assert_int_eq(metric_parse(&metrics[i], names[i], &err), 0);
	job->dir[0].ios = 2000;
	job->cpu_user_ns = 1000000;
	ck_assert_int_eq(dist_add(&job->dir[0].clat, 1234567, 1), 0);
	job = cell_add(&result, "s", "bs", "8k", 100);
	set(&job->skipped, "too large");
	text = print_as(&options, output_table, &result);
	ck_assert_str_eq(text,
			"IOPS by bs\n"
			"      4k  8k\n"
			"s  2,000   -\n"
			"\n"
			"lat_mean, us by bs\n"
			"        4k  8k\n"
			"s  1,234.6   -\n"
			"\n"
			"write.bw, KiB/s by bs\n"
			"   4k  8k\n"
			"s       -\n"
			"\n"
			"cpu, ns per I/O by bs\n"
			"    4k  8k\n"
			"s  500   -\n"
			"\n"
			"p50, us by bs\n"
			"        4k  8k\n"
			"s  1,234.6   -\n"
			"  - s, 8k: too large\n");
	free(text);
	text = print_as(&options, output_table_csv, &result);
	ck_assert_str_eq(text,
			"metric,unit,section,4k,8k\n"
			"iops,IOPS,s,2000.000,skipped\n"
			"lat_mean,us,s,1234.567,skipped\n"
			"write.bw,KiB/s,s,,skipped\n"
			"cpu,ns per I/O,s,500.000,skipped\n"
			"p50,us,s,1234.567,skipped\n");
	free(text);
	result_free(&result);
}
END_TEST

/* Skipped, failed, in part, interrupted: a mark in the cell and a line below. */
START_TEST(test_table_notes)
{
	struct result result = { .njobs = 0 };
	struct result_job *job;
	char *text;

	for (size_t c = 0; c < 3; c++) {
		cell_add(&result, "psync", "mode", modes[c], 1000 + (unsigned)c);
		job = cell_add(&result, "uring", "mode", modes[c], 0);
		set(&job->skipped, "io_uring is not built");
		job = cell_add(&result, "direct", "mode", modes[c], 1234567);
		if (c > 0)
			set(&job->skipped, "tmpfs knows no O_DIRECT");
	}
	job = cell_add(&result, "mmap", "mode", modes[0], 77);
	job->end = RESULT_END_ERROR;
	job->error = EIO;
	set(&job->error_text, "f: read at 0: Input/output error");
	job = cell_add(&result, "mmap", "mode", modes[1], 88);
	job->dir[0].errors = 3;
	job = cell_add(&result, "mmap", "mode", modes[2], 99);
	job->end = RESULT_END_INTERRUPTED;
	job = cell_add(&result, "null", "mode", modes[2], 0);
	job->end = RESULT_END_INTERRUPTED;
	job->elapsed_ns = 0;
	check_table(&result,
			"KiB/s by mode\n"
			"           Normal  Random  Normal\n"
			"             read    read   write\n"
			"psync       1,000   1,001   1,002\n"
			"uring           -       -       -\n"
			"direct  1,234,567       -       -\n"
			"mmap            !     *88     *99\n"
			"null                            -\n"
			"  - uring: io_uring is not built\n"
			"  - direct, Random read, Normal write: tmpfs knows no O_DIRECT\n"
			"  ! mmap, Normal read: f: read at 0: Input/output error\n"
			"  * mmap, Random read: 3 I/Os failed\n"
			"  * mmap, Normal write: interrupted\n"
			"  - null: interrupted before it began\n");
	/* A median of the repeats that went well is no more than that. */
	repeat_twice(&result)[0].end = RESULT_END_DIED;
	text = print(output_table, &result);
	ck_says(text, "psync *1,000 1,001 1,002");
	ck_says(text, "* psync, Normal read: 1 of 2 repeats failed");
	free(text);
	result.jobs = NULL;
	result_free(&result);
}
END_TEST

/* The text says why, where only a repeat that is not shown failed. */
START_TEST(test_text_failed_repeat)
{
	struct result result = { .njobs = 0 };
	struct result_job *other;
	char *text;

	make_result(&result);
	other = repeat_twice(&result);
	for (size_t i = 0; i < result.njobs; i++)
		other[i].error_text = strdup(i == NORMAL ? "killed by signal 9" : "");
	other[NORMAL].end = RESULT_END_DIED;
	text = print(output_text, &result);
	check_lines(text);
	ck_says(text, "ERROR in repeat 2: killed by signal 9");
	ck_says(text, "ERROR /srv/test/map.0: write of 4096 bytes at 1048576: Input/output error");
	free(text);
	result.jobs = NULL;
	result_free(&result);
}
END_TEST

/* Directions add within a job; jobs of one section and point (numjobs) are merged, as is said. */
START_TEST(test_table_sums)
{
	struct result result = { .njobs = 0 };
	struct result_job *job;

	job = cell_add(&result, "one", "bs", "4k", 100);
	job->dir[1] = (struct result_dir){ .bytes = 50 * 1024, .ios = 1, .runtime_ns = 1000000000 };
	for (unsigned i = 0; i < 4; i++)
		cell_add(&result, "four", "bs", "4k", 10 + i);
	for (unsigned i = 0; i < 2; i++)
		cell_add(&result, "four", "bs", "64k", 1000);
	check_table(&result,
			"KiB/s by bs\n"
			"       4k    64k\n"
			"one   150\n"
			"four   46  2,000\n"
			"  + four: up to 4 jobs are taken as one\n");
	/* One of them failing spoils the sum; one being skipped is said. */
	result.jobs[2].error = EIO;
	result.jobs[2].end = RESULT_END_ERROR;
	set(&result.jobs[5].skipped, "not here");
	check_table(&result,
			"KiB/s by bs\n"
			"       4k     64k\n"
			"one   150\n"
			"four    !  *1,000\n"
			"  ! four, 4k: Input/output error\n"
			"  * four, 64k: not here\n"
			"  + four: up to 4 jobs are taken as one\n");
	result_free(&result);
}
END_TEST

/* Rows with as many jobs in their cells have one line, not one each. */
START_TEST(test_table_sums_alike)
{
	struct result result = { .njobs = 0 };

	for (unsigned i = 0; i < 6; i++)
		cell_add(&result, i < 3 ? "one" : "two", "numjobs", i % 3 ? "2" : "1", 10);
	check_table(&result,
			"KiB/s by numjobs\n"
			"      1   2\n"
			"one  10  20\n"
			"two  10  20\n"
			"  + all rows: up to 2 jobs are taken as one\n");
	cell_add(&result, "three", "numjobs", "1", 10);
	check_table(&result,
			"KiB/s by numjobs\n"
			"        1   2\n"
			"one    10  20\n"
			"two    10  20\n"
			"three  10\n"
			"  + one: up to 2 jobs are taken as one\n"
			"  + two: up to 2 jobs are taken as one\n");
	result_free(&result);
}
END_TEST

/* Two axes go down; what is further out, and each set of axes, has a matrix of its own. */
START_TEST(test_table_axes)
{
	static const char *const sizes[] = { "1m", "16m" }, *const blocks[] = { "4k", "64k" };
	struct result result = { .njobs = 0 };
	struct result_job *job;

	for (unsigned i = 0; i < 16; i++) {
		job = cell_add(&result, "iozone", "cpu", i & 8 ? "two" : "one", i);
		axis_add(job, "size", sizes[i >> 2 & 1]);
		axis_add(job, "bs", blocks[i >> 1 & 1]);
		axis_add(job, "mode", modes[i & 1]);
	}
	cell_add(&result, "deep", "iodepth", "1", 5);
	cell_add(&result, "deep", "iodepth", "32", 55);
	cell_add(&result, "other", "iodepth", "32", 7);
	job = cell_add(&result, "plain", "none", "x", 9);
	job->naxes = 0; /* its axis still has to be freed */
	check_table(&result,
			"KiB/s by mode: iozone, cpu one\n"
			"           Normal  Random\n"
			"size  bs     read    read\n"
			"1m    4k        0       1\n"
			"1m    64k       2       3\n"
			"16m   4k        4       5\n"
			"16m   64k       6       7\n"
			"\n"
			"KiB/s by mode: iozone, cpu two\n"
			"           Normal  Random\n"
			"size  bs     read    read\n"
			"1m    4k        8       9\n"
			"1m    64k      10      11\n"
			"16m   4k       12      13\n"
			"16m   64k      14      15\n"
			"\n"
			"KiB/s by iodepth\n"
			"       1  32\n"
			"deep   5  55\n"
			"other      7\n");
	job->naxes = 1;
	result_free(&result);
}
END_TEST

/* More columns than a line holds go into several blocks; a long label has a line of its own. */
START_TEST(test_table_wide)
{
	struct result result = { .njobs = 0 };
	char label[32], *text;

	for (unsigned c = 0; c < 40; c++) {
		snprintf(label, sizeof(label), "point-%u", c);
		cell_add(&result, "a section whose name is longer than thirty", "n", label,
				1000000 + c);
	}
	text = print(output_table, &result);
	check_lines(text);
	for (unsigned c = 0; c < 40; c++) {
		snprintf(label, sizeof(label), "1,000,%03u", c);
		ck_says(text, label);
		snprintf(label, sizeof(label), "point-%u", c);
		ck_says(text, label);
	}
	ck_says(text, "than thirty ");
	free(text);
	result_free(&result);
}
END_TEST

/* Nor do three labels and a column leave no room for each other. */
START_TEST(test_table_wide_labels)
{
	struct result result = { .njobs = 0 };
	char *text;

	for (unsigned i = 0; i < 2; i++) {
		struct result_job *job = cell_add(&result, "a", "outer",
				"some words of thirty columns", 1000);

		axis_add(job, "inner", "other words of thirty columns.");
		axis_add(job, "n", "a-word-of-twenty-col");
		set(&job->file, i ? "a-job-file.of-thirty-bytes.ini" : "b.ini");
	}
	text = print(output_table, &result);
	check_lines(text);
	ck_says(text, "a-word-of-twenty-col");
	free(text);
	result_free(&result);
}
END_TEST

START_TEST(test_table_none)
{
	struct result result = { .njobs = 0 };

	check_table(&result, "No table: no job has a `vary`.\n");
}
END_TEST

/* ---- the manual ---------------------------------------------------------------------------- */

/* Is it a word of the page? */
static bool manual_has(const char *page, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	size_t n = strlen(word);

	for (const char *s = page; (s = strstr(s, word)); s += n) {
		if (s > page && !strchr(letters, s[-1]) && !strchr(letters, s[n]))
			return true;
	}
	return false;
}

static void check_keys_told(const char *page, const json_t *node, bool ours)
{
	const char *key;
	json_t *value;

	if (json_is_array(node) && json_array_size(node))
		check_keys_told(page, json_array_get(node, 0), ours);
	json_object_foreach((json_t *)(uintptr_t)node, key, value) {
		ck_assert_msg(!ours || strchr(key, '.') || manual_has(page, key),
				"iojob-results(5) lacks %s", key);
		check_keys_told(page, value, ours || !strcmp(key, "iojob"));
	}
}

/* iojob-results(5) tells every key of ours and every column. */
START_TEST(test_manual)
{
	static const char *const families[] = {
		"slat_", "clat_", "lat_", "response_", "bw_", "iops_", "sync_",
	};
	static struct csv csv;
	static char page[100000];
	FILE *file = source_open("output/iojob-results.5");
	struct result result;
	json_t *root;

	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	make_result(&result);
	root = print_json(&result);
	check_keys_told(page, root, false);
	print_csv(&csv, &result);
	for (size_t c = 0; c < csv.ncolumns; c++) {
		const char *name = csv.field[0][c];
		bool told = manual_has(page, name);

		for (size_t f = 0; f < N(families) && !told; f++)
			told = !strncmp(name, families[f], strlen(families[f])) &&
					manual_has(page, families[f]);
		ck_assert_msg(told, "iojob-results(5) lacks the column %s", name);
	}
	json_decref(root);
	csv_free(&csv);
	result_free(&result);
}
END_TEST

/* ---- the rest ------------------------------------------------------------------------------ */

START_TEST(test_fit)
{
	static const struct {
		const char *text;
		size_t width, bytes;
	} table[] = {
		{ "", 5, 0 },
		{ "abc", 5, 3 },
		{ "abcde", 5, 5 },
		{ "abc de", 5, 3 },
		{ "abcde f", 5, 5 },
		{ "ab cd ef", 5, 5 },
		{ "ab cde f", 5, 2 },
		{ "abcdefgh", 5, 5 },
		{ "\xc3\xa4\xc3\xa4\xc3\xa4", 2, 4 },
		{ "\xc3\xa4\xc3\xa4", 2, 4 },
	};

	for (size_t i = 0; i < N(table); i++)
		ck_assert_msg(wrap_fit(table[i].text, table[i].width) == table[i].bytes, "%s",
				table[i].text);
}
END_TEST

START_TEST(test_find)
{
	ck_assert_ptr_eq(output_find("text"), &output_formats[0]);
	ck_assert_str_eq(output_find("json")->name, "json");
	ck_assert_str_eq(output_find("csv")->name, "csv");
	ck_assert_str_eq(output_find("table")->name, "table");
	ck_assert_ptr_null(output_find("jso"));
	ck_assert_ptr_null(output_find(""));
	for (const struct output_format *f = output_formats; f->name; f++)
		ck_assert((f->write || f->compare) && f->help[0]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_json_fio_keys, test_json_no_more, test_json_direction, test_json_job,
		test_json_steady,
		test_json_top, test_json_latency_bins, test_json_depths, test_json_whatever,
		test_never_nan, test_empty, test_csv_rows, test_csv_quoting, test_csv_agrees,
		test_text, test_text_agrees, test_text_few, test_text_failed_repeat,
		test_text_percentile_list, test_text_long, test_table_document,
		test_table_sections, test_table_layouts,
		test_table_cells, test_table_metrics, test_table_notes, test_table_sums,
		test_table_sums_alike, test_table_axes, test_table_wide,
		test_table_wide_labels, test_table_none, test_fit, test_find, test_manual,
	};
	Suite *suite = suite_create("output");
	TCase *tcase = tcase_create("output");

	for (size_t i = 0; i < N(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
