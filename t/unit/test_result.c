// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/result/course.h"
#include "../../core/result/result.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_assert_ptr_nonnull(s);
	return s;
}

/* A job that worked, with strings that result_job_free() may free. */
static struct result_job job_make(const char *rw)
{
	return (struct result_job){
		.name = copy("j"), .section = copy("j"), .description = copy(""),
		.engine = copy("psync"), .rw = copy(rw), .error_text = copy(""),
		.workers = 1, .iodepth = 1, .sync_engine = true,
	};
}

static void sample(struct result_samples *samples, double value)
{
	samples->min = !samples->n || value < samples->min ? value : samples->min;
	samples->max = value > samples->max ? value : samples->max;
	samples->n++;
	samples->sum += value;
	samples->sumsq += value * value;
}

static void add_read(struct result_job *job, uint64_t ns, uint64_t count, uint64_t bs)
{
	ck_assert_int_eq(dist_add(&job->dir[0].clat, ns, count), 0);
	job->dir[0].ios += count;
	job->dir[0].bytes += count * bs;
}

START_TEST(test_names)
{
	ck_assert_str_eq(result_end_name(RESULT_END_WORK), "work");
	ck_assert_str_eq(result_end_name(RESULT_END_RUNTIME), "runtime");
	ck_assert_str_eq(result_end_name(RESULT_END_STEADY), "steady");
	ck_assert_str_eq(result_end_name(RESULT_END_ERROR), "error");
	ck_assert_str_eq(result_end_name(RESULT_END_DIED), "died");
	ck_assert_str_eq(result_end_name(RESULT_END_HUNG), "hung");
	ck_assert_str_eq(result_end_name(RESULT_END_INTERRUPTED), "interrupted");
	ck_assert_str_eq(result_end_name(RESULT_END_OTHER), "other");
	ck_assert_str_eq(result_dir_name(0), "read");
	ck_assert_str_eq(result_dir_name(1), "write");
	ck_assert_str_eq(result_dir_name(2), "trim");
}
END_TEST

START_TEST(test_does)
{
	static const struct {
		const char *rw;
		bool does[RESULT_DIRS];
	} table[] = {
		{ "read", { true, false, false } },
		{ "randread", { true, false, false } },
		{ "write", { false, true, false } },
		{ "randwrite", { false, true, false } },
		{ "rw", { true, true, false } },
		{ "readwrite", { true, true, false } },
		{ "randrw", { true, true, false } },
		{ "trim", { false, false, true } },
		{ "randtrim", { false, false, true } },
		{ "trimwrite", { false, true, true } },
		{ "randtrimwrite", { false, true, true } },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result_job job = job_make(table[i].rw);

		for (int d = 0; d < RESULT_DIRS; d++)
			ck_assert_msg(result_does(&job, d) == table[i].does[d], "%s %d",
					table[i].rw, d);
		job.dir[2].ios = 1;
		ck_assert(result_does(&job, 2));
		result_job_free(&job);
	}
}
END_TEST

START_TEST(test_figures)
{
	struct result_job job = job_make("read");

	/* Nothing was done, and nothing is divided by it. */
	ck_assert_double_eq(result_bw(&job, 0), 0);
	ck_assert_double_eq(result_iops(&job, 0), 0);
	ck_assert_double_eq(result_cpu_percent(&job, true), 0);
	ck_assert_double_eq(result_depth_mean(&job), 0);
	ck_assert_double_eq(result_above_percent(&job.dir[0], 0), 0);

	add_read(&job, 1000000, 500, 4096);
	job.dir[0].runtime_ns = 500000000;
	job.dir[1].ios = 10;
	job.dir[1].bytes = 1000;
	job.dir[1].runtime_ns = 250000000;
	job.runtime_ns = 500000000;
	job.cpu_user_ns = 50000000;
	job.cpu_sys_ns = 125000000;
	ck_assert_double_eq(result_bw(&job, 0), 4096000);
	ck_assert_double_eq(result_bw(&job, 1), 4000);
	ck_assert_double_eq(result_iops(&job, 0), 1000);
	ck_assert_double_eq(result_iops(&job, 1), 40);
	ck_assert_double_eq(result_cpu_percent(&job, false), 10);
	ck_assert_double_eq(result_cpu_percent(&job, true), 25);
	ck_assert_double_eq(result_depth_mean(&job), 1);
	ck_assert_ptr_eq(result_lat(&job.dir[0]), &job.dir[0].clat);
	/* An asynchronous engine: 500 I/Os of 4 ms within half a second are 4 at a time. */
	ck_assert_int_eq(dist_add(&job.dir[0].lat, 4000000, 500), 0);
	ck_assert_ptr_eq(result_lat(&job.dir[0]), &job.dir[0].lat);
	ck_assert_double_eq(result_depth_mean(&job), 4);
	/* All of them before an fsync that took half of the time. */
	job.end_syncs_ns = 250000000;
	ck_assert_uint_eq(result_flight_ns(&job), 250000000);
	ck_assert_double_eq(result_depth_mean(&job), 8);
	job.end_syncs_ns = 500000001;
	ck_assert_double_eq(result_depth_mean(&job), 0);
	result_job_free(&job);
}
END_TEST

START_TEST(test_samples)
{
	struct result_samples samples = { .n = 0 };

	ck_assert_double_eq(result_samples_mean(&samples), 0);
	ck_assert_double_eq(result_samples_stddev(&samples), 0);
	sample(&samples, 10);
	ck_assert_double_eq(result_samples_mean(&samples), 10);
	ck_assert_double_eq(result_samples_stddev(&samples), 0);
	sample(&samples, 14);
	ck_assert_double_eq(result_samples_mean(&samples), 12);
	ck_assert_double_eq_tol(result_samples_stddev(&samples), sqrt(8), 1e-12);
	/* Equal samples whose squares do not round alike: not the root of something negative. */
	samples = (struct result_samples){ .n = 0 };
	for (int i = 0; i < 7; i++)
		sample(&samples, 1e10 / 3);
	ck_assert(isfinite(result_samples_stddev(&samples)));
	ck_assert_double_le(result_samples_stddev(&samples), 1e3);
}
END_TEST

/* Two workers at the same time: rates add, times take the longest, counts add, latencies merge. */
START_TEST(test_merge)
{
	struct result_job a = job_make("randread"), b = job_make("randread");

	add_read(&a, 1000, 100, 4096);
	add_read(&b, 3000, 300, 8192);
	a.dir[0].runtime_ns = 1000000000;
	b.dir[0].runtime_ns = 2000000000;
	a.runtime_ns = a.elapsed_ns = 1000000000;
	b.runtime_ns = b.elapsed_ns = 2000000000;
	a.dir[0].late = 1;
	b.dir[0].late = 2;
	a.dir[0].due = 3;
	b.dir[0].due = 4;
	a.dir[0].above[0] = 5;
	b.dir[0].above[0] = 6;
	b.dir[0].above[RESULT_THRESHOLDS - 1] = 1;
	a.dir[0].lag_max_ns = 900;
	b.dir[0].lag_max_ns = 800;
	a.dir[0].shorts = 1;
	b.dir[0].errors = 7;
	a.bs_min[0] = a.bs_max[0] = 4096;
	b.bs_min[0] = b.bs_max[0] = 8192;
	b.bs_min[1] = b.bs_max[1] = 512;
	a.cpu_user_ns = 10;
	b.cpu_user_ns = 20;
	a.cpu_sys_ns = 1;
	b.cpu_sys_ns = 2;
	a.ctx = 5;
	b.ctx = 6;
	a.majf = 1;
	b.majf = 2;
	a.minf = 3;
	b.minf = 4;
	a.syncs = 8;
	b.syncs = 9;
	ck_assert_int_eq(dist_add(&a.sync, 70, 8), 0);
	ck_assert_int_eq(dist_add(&b.sync, 90, 9), 0);
	a.end_sync_ns = a.end_syncs_ns = 100;
	b.end_sync_ns = b.end_syncs_ns = 50;
	a.depth[1] = 4;
	b.depth[1] = 5;
	a.submit[2] = 6;
	b.complete[7] = 7;
	a.layout_bytes = 10;
	b.layout_bytes = 20;
	a.layout_ns = 5;
	b.layout_ns = 4;
	a.start_ms = 2000;
	b.start_ms = 1000;
	for (int i = 0; i < 4; i++) {
		sample(&a.dir[0].iops, 100 + i);
		sample(&b.dir[0].iops, 200 - i);
	}

	ck_assert_int_eq(result_job_merge(&a, &b), 0);
	ck_assert(a.grouped);
	ck_assert_uint_eq(a.workers, 2);
	ck_assert_uint_eq(a.dir[0].ios, 400);
	ck_assert_uint_eq(a.dir[0].bytes, 100 * 4096 + 300 * 8192);
	ck_assert_uint_eq(a.dir[0].runtime_ns, 2000000000);
	ck_assert_double_eq(result_iops(&a, 0), 200);
	ck_assert_uint_eq(a.dir[0].clat.n, 400);
	ck_assert_uint_eq(a.dir[0].clat.max, 3000);
	ck_assert_double_eq(dist_mean(&a.dir[0].clat), 2500);
	ck_assert_uint_eq(a.dir[0].late, 3);
	ck_assert_uint_eq(a.dir[0].due, 7);
	ck_assert_uint_eq(a.dir[0].above[0], 11);
	ck_assert_double_eq(result_above_percent(&a.dir[0], 0), 11 * 100.0 / 400);
	ck_assert_uint_eq(a.dir[0].above[RESULT_THRESHOLDS - 1], 1);
	ck_assert_uint_eq(a.dir[0].lag_max_ns, 900);
	ck_assert_uint_eq(a.dir[0].shorts, 1);
	ck_assert_uint_eq(a.dir[0].errors, 7);
	ck_assert_uint_eq(a.bs_min[0], 4096);
	ck_assert_uint_eq(a.bs_max[0], 8192);
	ck_assert_uint_eq(a.bs_min[1], 512);
	ck_assert_uint_eq(a.runtime_ns, 3000000000u);
	ck_assert_uint_eq(a.elapsed_ns, 2000000000);
	ck_assert_uint_eq(a.cpu_user_ns, 30);
	ck_assert_uint_eq(a.cpu_sys_ns, 3);
	ck_assert_uint_eq(a.ctx + a.majf + a.minf, 11 + 3 + 7);
	ck_assert_uint_eq(a.syncs, 17);
	ck_assert_uint_eq(a.sync.n, 17);
	ck_assert_uint_eq(a.end_sync_ns, 100);
	ck_assert_uint_eq(a.end_syncs_ns, 150);
	ck_assert_uint_eq(a.depth[1], 9);
	ck_assert_uint_eq(a.submit[2], 6);
	ck_assert_uint_eq(a.complete[7], 7);
	ck_assert_uint_eq(a.layout_bytes, 30);
	ck_assert_uint_eq(a.layout_ns, 5);
	ck_assert_uint_eq(a.start_ms, 1000);
	ck_assert_uint_eq(a.dir[0].iops.n, 8);
	ck_assert_double_eq_tol(result_samples_mean(&a.dir[0].iops), 101.5 + 198.5, 1e-9);
	ck_assert_double_eq_tol(a.dir[0].iops.min, 100 + 197, 1e-9);
	ck_assert_double_eq_tol(a.dir[0].iops.max, 103 + 200, 1e-9);
	ck_assert_double_eq_tol(result_samples_stddev(&a.dir[0].iops), sqrt(5.0 / 3 * 2), 1e-9);
	/* Nothing was taken from the other. */
	ck_assert_uint_eq(b.dir[0].clat.n, 300);
	ck_assert_str_eq(b.error_text, "");
	result_job_free(&a);
	result_job_free(&b);
}
END_TEST

/* Merging in either order, or a worker without samples, changes nothing but rounding. */
START_TEST(test_merge_samples)
{
	struct result_job jobs[3] = { job_make("read"), job_make("read"), job_make("read") };
	struct result_job up = job_make("read"), down = job_make("read");

	sample(&jobs[0].dir[0].bw, 1e9);
	sample(&jobs[0].dir[0].bw, 2e9);
	sample(&jobs[2].dir[0].bw, 3e9);
	sample(&jobs[2].dir[0].bw, 7e9);
	sample(&jobs[2].dir[0].bw, 5e9);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(result_job_merge(&up, &jobs[i]), 0);
		ck_assert_int_eq(result_job_merge(&down, &jobs[2 - i]), 0);
	}
	ck_assert_uint_eq(up.dir[0].bw.n, 5);
	ck_assert_double_eq_tol(result_samples_mean(&up.dir[0].bw), 6.5e9, 1);
	ck_assert_double_eq_tol(result_samples_mean(&down.dir[0].bw), 6.5e9, 1);
	ck_assert_double_eq_tol(result_samples_stddev(&up.dir[0].bw), sqrt(4.5e18), 1e3);
	ck_assert_double_eq_tol(result_samples_stddev(&down.dir[0].bw), sqrt(4.5e18), 1e3);
	for (int i = 0; i < 3; i++)
		result_job_free(&jobs[i]);
	result_job_free(&up);
	result_job_free(&down);
}
END_TEST

START_TEST(test_merge_ends)
{
	static const struct {
		enum result_end a, b, both;
	} table[] = {
		{ RESULT_END_WORK, RESULT_END_WORK, RESULT_END_WORK },
		{ RESULT_END_WORK, RESULT_END_RUNTIME, RESULT_END_RUNTIME },
		{ RESULT_END_RUNTIME, RESULT_END_ERROR, RESULT_END_ERROR },
		{ RESULT_END_STEADY, RESULT_END_RUNTIME, RESULT_END_STEADY },
		{ RESULT_END_INTERRUPTED, RESULT_END_STEADY, RESULT_END_INTERRUPTED },
		{ RESULT_END_INTERRUPTED, RESULT_END_ERROR, RESULT_END_ERROR },
		{ RESULT_END_OTHER, RESULT_END_RUNTIME, RESULT_END_OTHER },
		{ RESULT_END_DIED, RESULT_END_ERROR, RESULT_END_DIED },
		{ RESULT_END_HUNG, RESULT_END_WORK, RESULT_END_HUNG },
	};

	for (size_t i = 0; i < 2 * N(table); i++) {
		struct result_job a = job_make("read"), b = job_make("read");

		a.end = i % 2 ? table[i / 2].a : table[i / 2].b;
		b.end = i % 2 ? table[i / 2].b : table[i / 2].a;
		ck_assert_int_eq(result_job_merge(&a, &b), 0);
		ck_assert_int_eq((int)a.end, (int)table[i / 2].both);
		result_job_free(&a);
		result_job_free(&b);
	}
}
END_TEST

static void set_error(struct result_job *job, int error, const char *text)
{
	free(job->error_text);
	job->error = error;
	job->error_text = copy(text);
	job->end = error ? RESULT_END_ERROR : RESULT_END_DIED;
}

/* ---- the course ---------------------------------------------------------------------------- */

/* Samples of a second each; the last one is cut short. */
static void set_course(struct result_job *job, int d, const uint64_t *ios, size_t n, uint64_t bs)
{
	struct result_series *series = &job->dir[d].series;

	series->interval_ns = 1000000000;
	series->n = n;
	series->bytes = calloc(n, sizeof(*series->bytes));
	series->ios = calloc(n, sizeof(*series->ios));
	ck_assert_ptr_nonnull(series->bytes);
	ck_assert_ptr_nonnull(series->ios);
	for (size_t i = 0; i < n; i++) {
		series->ios[i] = ios[i];
		series->bytes[i] = ios[i] * bs;
	}
}

START_TEST(test_merge_course)
{
	static const uint64_t few[] = { 1, 2 }, many[] = { 10, 20, 30 };
	struct result_job a = job_make("read"), b = job_make("read");

	ck_assert_uint_eq(result_course(&a), 0);
	set_course(&a, 0, few, N(few), 512);
	set_course(&b, 0, many, N(many), 512);
	b.steady.attained = 2;
	ck_assert_int_eq(result_job_merge(&a, &b), 0);
	ck_assert_uint_eq(a.dir[0].series.n, 3);
	ck_assert_uint_eq(a.dir[0].series.ios[1], 22);
	ck_assert_uint_eq(a.dir[0].series.bytes[2], 30 * 512);
	ck_assert_uint_eq(a.dir[0].series.interval_ns, 1000000000);
	ck_assert_uint_eq(a.steady.attained, 2);
	/* Two whole samples: the third was cut short. */
	ck_assert_uint_eq(result_course(&a), 2);
	ck_assert_uint_eq(result_course_at(&a, 1, false), 22);
	ck_assert_uint_eq(result_course_at(&a, 1, true), 22 * 512);
	ck_assert_uint_eq(result_course_at(&a, 7, true), 0);
	result_job_free(&a);
	result_job_free(&b);
}
END_TEST

/* Twelve samples are rounds of 2, 2, 3, 2 and 3; the rest of a second at the end is in none. */
START_TEST(test_verdict)
{
	static const uint64_t reads[] = {
		90, 110, 95, 95, 100, 110, 120, 100, 110, 95, 100, 105, 1,
	};
	static const uint64_t writes[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3 };
	/*
	 * Reads of the rounds: 100, 95, 110, 105, 100, and 10 writes with each: mean 112, range 15,
	 * slope (0 * 110 + 105 + 2 * 120 + 3 * 115 + 4 * 110 - 2 * 560) / 10 = 1.
	 */
	struct result_job job = job_make("rw");
	struct result_verdict verdict;

	set_course(&job, 0, reads, 5, 4096);
	ck_assert(!result_verdict(&job).judged);
	free(job.dir[0].series.bytes);
	free(job.dir[0].series.ios);
	set_course(&job, 0, reads, N(reads), 4096);
	set_course(&job, 1, writes, N(writes), 4096);
	verdict = result_verdict(&job);
	ck_assert(verdict.judged);
	ck_assert(verdict.steady);
	ck_assert_double_eq_tol(verdict.range_percent, 1500.0 / 112, 1e-9);
	ck_assert_double_eq_tol(verdict.movement_percent, 400.0 / 112, 1e-9);
	job.dir[0].series.bytes[11] += 90 * 4096; /* the last round: 140; range 35 of 118 */
	verdict = result_verdict(&job);
	ck_assert(!verdict.steady);
	ck_assert_double_eq_tol(verdict.range_percent, 3500.0 / 118, 1e-9);
	free(job.rw);
	job.rw = copy("postmark"); /* creation, transactions and deletion are not alike */
	ck_assert(!result_verdict(&job).judged);
	result_job_free(&job);
}
END_TEST

START_TEST(test_window)
{
	static const uint64_t ios[] = { 1, 100, 106, 103, 99, 50 };
	static const struct {
		struct steady_rule rule;
		uint64_t window_s, ramp_ms, attained;
		size_t first, n;
		double criterion;
	} table[] = {
		{ { STEADY_IOPS, 1, false }, 0, 0, 0, 0, 0, 0 },
		/* Of all that is there, or up to where it was attained. */
		{ { STEADY_IOPS, 1, false }, 2, 0, 0, 3, 2, 2 },
		{ { STEADY_IOPS, 4, false }, 3, 0, 4, 1, 3, 3 },
		{ { STEADY_IOPS, 4, true }, 3, 0, 4, 1, 3, 300.0 / 103 },
		{ { STEADY_BW, 4, false }, 3, 0, 4, 1, 3, 3 * 512 },
		{ { STEADY_IOPS_SLOPE, 4, false }, 3, 0, 4, 1, 3, 1.5 },
		{ { STEADY_BW_SLOPE, 4, true }, 3, 0, 4, 1, 3, 150.0 / 103 },
		/* The time at the start counts in whole samples. */
		{ { STEADY_IOPS, 1, false }, 10, 1, 0, 1, 4, 4 },
		{ { STEADY_IOPS, 1, false }, 10, 2001, 0, 3, 2, 2 },
		{ { STEADY_IOPS, 1, false }, 10, 9000, 0, 5, 0, 0 },
		/* Of the five rounds of 1, 100, 106, 103 and 99: 105 of 81.8. */
		{ { STEADY_SNIA, 0, false }, 5, 0, 0, 0, 5, 10500 / 81.8 },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result_job job = job_make("read");
		struct result_window window;

		set_course(&job, 0, ios, N(ios), 512);
		job.steady = (struct result_steady){ table[i].rule, table[i].window_s * 1000000000,
				table[i].ramp_ms * 1000000, table[i].attained };
		window = result_window(&job);
		ck_assert_msg(window.n == table[i].n, "%zu: n %zu", i, window.n);
		ck_assert_msg(!window.n || window.first == table[i].first, "%zu: first %zu", i,
				window.first);
		ck_assert_double_eq_tol(window.criterion, table[i].criterion, 1e-9);
		result_job_free(&job);
	}
}
END_TEST

START_TEST(test_merge_errors)
{
	struct result_job a = job_make("read"), b = job_make("read"), c = job_make("read");

	set_error(&b, EIO, "first");
	set_error(&c, ENOSPC, "second");
	ck_assert(!result_failed(&a));
	ck_assert_int_eq(result_job_merge(&a, &b), 0);
	ck_assert_int_eq(result_job_merge(&a, &c), 0);
	ck_assert(result_failed(&a));
	ck_assert_int_eq(a.error, EIO);
	ck_assert_str_eq(a.error_text, "first");
	/* One that died has a text and no errno. */
	set_error(&b, 0, "killed by signal 11");
	ck_assert(result_failed(&b));
	ck_assert_int_eq(result_job_merge(&b, &c), 0);
	ck_assert_str_eq(b.error_text, "killed by signal 11");
	ck_assert_int_eq(b.error, 0);
	result_job_free(&a);
	result_job_free(&b);
	result_job_free(&c);
}
END_TEST

START_TEST(test_merge_skipped)
{
	struct result_job a = job_make("read"), b = job_make("read"), c = job_make("read");

	a.skipped = copy("no engine");
	b.skipped = copy("no engine");
	ck_assert(!result_failed(&a));
	ck_assert_int_eq(result_job_merge(&a, &b), 0);
	ck_assert_str_eq(a.skipped, "no engine");
	c.end = RESULT_END_RUNTIME;
	ck_assert_int_eq(result_job_merge(&a, &c), 0);
	ck_assert_ptr_null(a.skipped);
	ck_assert_int_eq((int)a.end, (int)RESULT_END_RUNTIME);
	result_job_free(&a);
	result_job_free(&b);
	result_job_free(&c);
}
END_TEST

START_TEST(test_options)
{
	struct result_option own[] = { { (char[]){ "bs" }, (char[]){ "4k" } },
			{ (char[]){ "bs" }, (char[]){ "8k" } } };
	struct result_option global[] = { { (char[]){ "bs" }, (char[]){ "1m" } },
			{ (char[]){ "thread" }, (char[]){ "" } } };
	struct result_job job = { .options = own, .noptions = 2 };
	struct result result = { .global = global, .nglobal = 2 };

	ck_assert_str_eq(result_option(&result, &job, "bs"), "8k");
	ck_assert_str_eq(result_option(&result, &job, "thread"), "");
	ck_assert_ptr_null(result_option(&result, &job, "rw"));
}
END_TEST

/* Every string and list is given back: the address sanitizer watches. */
START_TEST(test_free)
{
	struct result result = {
		.version = copy("1"), .command = copy("iojob"), .host = copy("h"),
		.kernel = copy("k"),
	};

	result.global = calloc(1, sizeof(*result.global));
	result.global[0] = (struct result_option){ copy("bs"), copy("4k") };
	result.nglobal = 1;
	result.places = calloc(1, sizeof(*result.places));
	result.places[0] = (struct result_place){ .directory = copy("/"),
			.filesystem = copy("ext4"), .device = copy("vda") };
	result.nplaces = 1;
	result.jobs = calloc(1, sizeof(*result.jobs));
	result.jobs[0] = job_make("rw");
	result.jobs[0].axes = calloc(1, sizeof(*result.jobs[0].axes));
	result.jobs[0].axes[0] = (struct result_axis){ copy("bs"), copy("4k") };
	result.jobs[0].naxes = 1;
	result.jobs[0].options = calloc(1, sizeof(*result.jobs[0].options));
	result.jobs[0].options[0] = (struct result_option){ copy("rw"), copy("rw") };
	result.jobs[0].noptions = 1;
	result.jobs[0].skipped = copy("why");
	add_read(&result.jobs[0], 5, 1, 1);
	ck_assert_int_eq(dist_add(&result.jobs[0].dir[1].slat, 5, 1), 0);
	ck_assert_int_eq(dist_add(&result.jobs[0].dir[1].lat, 5, 1), 0);
	ck_assert_int_eq(dist_add(&result.jobs[0].dir[2].response, 5, 1), 0);
	ck_assert_int_eq(dist_add(&result.jobs[0].sync, 5, 1), 0);
	result.njobs = 1;
	result.disks = calloc(1, sizeof(*result.disks));
	result.disks[0].name = copy("vda");
	result.ndisks = 1;
	result.notes = calloc(1, sizeof(*result.notes));
	result.notes[0] = copy("a note");
	result.nnotes = 1;
	result_free(&result);
	ck_assert_ptr_null(result.jobs);
	ck_assert_uint_eq(result.njobs, 0);
	result_free(&result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("result");
	TCase *tcase = tcase_create("result");

	tcase_add_test(tcase, test_names);
	tcase_add_test(tcase, test_does);
	tcase_add_test(tcase, test_figures);
	tcase_add_test(tcase, test_samples);
	tcase_add_test(tcase, test_merge);
	tcase_add_test(tcase, test_merge_samples);
	tcase_add_test(tcase, test_merge_ends);
	tcase_add_test(tcase, test_merge_errors);
	tcase_add_test(tcase, test_merge_course);
	tcase_add_test(tcase, test_verdict);
	tcase_add_test(tcase, test_window);
	tcase_add_test(tcase, test_merge_skipped);
	tcase_add_test(tcase, test_options);
	tcase_add_test(tcase, test_free);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
