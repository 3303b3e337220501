// SPDX-License-Identifier: MIT
/* Repeats: which of them stands for a job, how far they are apart, when there are enough, turns. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/result/repeats.h"
#include "../../core/run/turns.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_assert_ptr_nonnull(s);
	return s;
}

/* A job that read so many bytes in a second; 0: it failed; below 0: it was skipped. */
static struct result_job job_make(long bytes, unsigned repeat)
{
	struct result_job job = {
		.name = copy("j"), .section = copy("j"), .description = copy(""),
		.engine = copy("psync"), .rw = copy("read"), .error_text = copy(""),
		.workers = 1, .repeat = repeat, .runtime_ns = 1000000000, .elapsed_ns = 1000000000,
	};

	if (bytes > 0) {
		job.dir[0].bytes = (uint64_t)bytes;
		job.dir[0].ios = 1;
		job.dir[0].runtime_ns = 1000000000;
		ck_assert_int_eq(dist_add(&job.dir[0].clat, (uint64_t)bytes, 1), 0);
	} else if (bytes == 0) {
		job.error = EIO;
		job.end = RESULT_END_ERROR;
	} else {
		job.skipped = copy("why");
	}
	return job;
}

/* One job for each row, a repeat for each column. */
static struct result result_make(size_t njobs, size_t nrepeats, const long *bytes)
{
	struct result result = {
		.repeats = calloc(nrepeats, sizeof(struct result_repeat)),
		.nrepeats = nrepeats,
	};

	ck_assert_ptr_nonnull(result.repeats);
	for (size_t r = 0; r < nrepeats; r++) {
		result.repeats[r].jobs = calloc(njobs, sizeof(struct result_job));
		ck_assert_ptr_nonnull(result.repeats[r].jobs);
		result.repeats[r].njobs = njobs;
		for (size_t j = 0; j < njobs; j++)
			result.repeats[r].jobs[j] = job_make(bytes[j * nrepeats + r],
					(unsigned)r + 1);
	}
	return result;
}

static struct metric metric(const char *name)
{
	struct metric m;
	struct err err;

	ck_assert_msg(!metric_parse(&m, name, &err), "%s", err.text);
	return m;
}

START_TEST(test_choose)
{
	enum { REPEATS = 4 };
	static const long bytes[][REPEATS] = {
		{ 40, 10, 30, 20 },  /* of an even count the lower one */
		{ 5, 5, 5, 5 },      /* of equal ones the first */
		{ 0, 10, 30, 20 },   /* one that failed is no figure */
		{ 7, 0, 0, 9 },
		{ 0, 0, 0, 0 },      /* none: the first that says why */
		{ -1, -1, -1, -1 },
	};
	static const struct {
		const char *metric;
		unsigned repeat[N(bytes)];
	} table[] = {
		{ "bw", { 4, 1, 4, 1, 1, 1 } },
		{ "lat_max", { 4, 1, 4, 1, 1, 1 } },
		{ "write.bw", { 1, 1, 1, 2, 1, 1 } },
	};
	struct result result = result_make(N(bytes), REPEATS, bytes[0]);

	for (size_t i = 0; i < N(table); i++) {
		struct metric m = metric(table[i].metric);

		ck_assert_int_eq(repeats_choose(&result, &m), 0);
		ck_assert_str_eq(result.chosen_by, table[i].metric);
		ck_assert_uint_eq(result.njobs, N(bytes));
		for (size_t j = 0; j < N(bytes); j++) {
			ck_assert_msg(result.jobs[j].repeat == table[i].repeat[j], "%s, %zu: %u",
					table[i].metric, j, result.jobs[j].repeat);
			/* A view: nothing is copied. */
			ck_assert_ptr_eq(result.jobs[j].name,
					result.repeats[result.jobs[j].repeat - 1].jobs[j].name);
		}
	}
	ck_assert_uint_eq(repeats_failed(&result, 0), 0);
	ck_assert_uint_eq(repeats_failed(&result, 2), 1);
	ck_assert_uint_eq(repeats_failed(&result, 4), 4);
	ck_assert_uint_eq(repeats_failed(&result, 5), 0);
	result_free(&result);
}
END_TEST

/* Without repeats there is nothing to choose from, and jobs stay what they are. */
START_TEST(test_once)
{
	struct result_job job = job_make(10, 0);
	struct result result = { .jobs = &job, .njobs = 1 };
	struct metric m = metric("bw");
	double width;

	ck_assert_int_eq(repeats_choose(&result, &m), 0);
	ck_assert_ptr_eq(result.jobs, &job);
	ck_assert_ptr_null(result.chosen_by);
	ck_assert_uint_eq(repeats_failed(&result, 0), 0);
	ck_assert_int_eq(repeats_widest(&result, &m, &width), 0);
	ck_assert(isnan(width));
	result_job_free(&job);
}
END_TEST

START_TEST(test_spread)
{
	enum { REPEATS = 8 };
	static const long bytes[][REPEATS] = {
		{ 1000, 1010, 990, 1005, 995, 1001, 999, 0 }, /* 7 of 8 */
		{ 100, 200, 300, 400, 500, 0, 0, 0 },         /* 5: no interval */
		{ -1, -1, -1, -1, -1, -1, -1, -1 },
	};
	struct result result = result_make(N(bytes), REPEATS, bytes[0]);
	struct metric m = metric("bw");
	struct repeats_spread spread;

	ck_assert_int_eq(repeats_spread(&result, 0, &m, &spread), 0);
	ck_assert_uint_eq(spread.n, 7);
	ck_assert_double_eq(spread.min, 990);
	ck_assert_double_eq(spread.median, 1000);
	ck_assert_double_eq(spread.max, 1010);
	ck_assert(spread.interval);
	ck_assert_double_eq(spread.low, 990); /* of 6 and 7 values: the smallest and the largest */
	ck_assert_double_eq(spread.high, 1010);
	ck_assert_int_eq(repeats_spread(&result, 1, &m, &spread), 0);
	ck_assert_uint_eq(spread.n, 5);
	ck_assert(!spread.interval);
	ck_assert_int_eq(repeats_spread(&result, 2, &m, &spread), 0);
	ck_assert_uint_eq(spread.n, 0);
	result_free(&result);
}
END_TEST

START_TEST(test_until)
{
	enum { REPEATS = 6 };
	static const long narrow[][REPEATS] = {
		{ 1000, 1010, 990, 1005, 995, 1000 },
		{ -1, -1, -1, -1, -1, -1 }, /* never counts */
		{ 0, 0, 0, 0, 0, 0 },
	};
	static const long wide[][REPEATS] = {
		{ 1000, 1010, 990, 1005, 995, 1000 },
		{ 1000, 1010, 990, 1005, 995, 1020 },
	};
	static const long few[][REPEATS] = {
		{ 1000, 1010, 990, 1005, 995, 0 },
		{ 1000, 1000, 1000, 1000, 1000, 1000 },
	};
	static const long none[][REPEATS] = { { 0, 0, 0, 0, 0, 0 } };
	const struct {
		struct result result;
		double percent;
		size_t repeats, most;
		int more;
		bool reached;
	} table[] = {
		{ result_make(3, REPEATS, narrow[0]), 2, 1, 30, 0, true },
		{ result_make(3, REPEATS, narrow[0]), 1.9, 1, 30, 1, false },
		{ result_make(3, REPEATS, narrow[0]), 1.9, 1, 6, 0, false },
		/* so many in any case */
		{ result_make(3, REPEATS, narrow[0]), 2, 7, 30, 1, false },
		{ result_make(2, REPEATS, wide[0]), 2, 1, 30, 1, false },
		{ result_make(2, REPEATS, wide[0]), 3, 1, 30, 0, true },
		{ result_make(2, REPEATS, few[0]), 50, 1, 30, 1, false },
		{ result_make(1, REPEATS, none[0]), 50, 1, 30, 0, false },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct result result = table[i].result;
		struct turns turns = {
			.repeats = table[i].repeats, .most = table[i].most, .by_rule = true,
			.metric = metric("bw"), .percent = table[i].percent,
		};

		ck_assert_msg(turns_more(&turns, &result) == table[i].more, "%zu", i);
		ck_assert_msg(result.until.reached == table[i].reached, "%zu", i);
		turns.by_rule = false;
		ck_assert_int_eq(turns_more(&turns, &result), table[i].repeats > REPEATS);
		result_free(&result);
	}
}
END_TEST

/* A B B A B A A B, and for more files what is like it. */
START_TEST(test_turns)
{
	static const struct {
		size_t files;
		bool interleave;
		const char *order;
	} table[] = {
		{ 1, true, "AAAA" },
		{ 2, false, "ABABABAB" },
		{ 3, false, "ABCABC" },
		{ 2, true, "ABBABAABBAABABBA" },
		{ 3, true, "ABCBCACABBCACABABC" },
		{ 4, true, "ABCDBCDACDABDABCBCDA" },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct turns turns = { .interleave = table[i].interleave };
		size_t k = table[i].files;

		for (size_t n = 0; table[i].order[n]; n++)
			ck_assert_msg(turns_file(&turns, n / k, n % k, k)
					== (size_t)(table[i].order[n] - 'A'), "%s: %zu",
					table[i].order, n);
	}
}
END_TEST

/* Of k rounds each file is once in each place, whatever their number. */
START_TEST(test_balance)
{
	enum { MOST = 9 };
	struct turns turns = { .interleave = true };

	for (size_t k = 1; k <= MOST; k++) {
		unsigned places[MOST][MOST] = { { 0 } };

		for (size_t round = 0; round < k * k; round++) {
			unsigned seen = 0;

			for (size_t j = 0; j < k; j++) {
				size_t file = turns_file(&turns, round, j, k);

				ck_assert_uint_lt(file, k);
				seen |= 1u << file;
				places[file][j]++;
			}
			ck_assert_uint_eq(seen, (1u << k) - 1);
			for (size_t f = 0; f < k * k && round % k == k - 1; f++)
				ck_assert_uint_eq(places[f / k][f % k], round / k + 1);
		}
	}
}
END_TEST

START_TEST(test_files)
{
	/* The stages of three files: two jobs at once, three in turn, one. */
	struct job list[] = {
		{ .first = true, .stage = 0 }, { .stage = 0 },
		{ .first = true, .stage = 1 }, { .stage = 2 }, { .stage = 3 },
		{ .first = true, .stage = 4 },
	};
	struct jobs jobs = { .list = list, .n = N(list) };
	struct plan plan = { .jobs = &jobs, .nstages = 5 };
	struct turn *files;

	ck_assert_int_eq(turns_files(&plan, &files), 3);
	ck_assert(files[0].first == 0 && files[0].end == 1);
	ck_assert(files[1].first == 1 && files[1].end == 4);
	ck_assert(files[2].first == 4 && files[2].end == 5);
	free(files);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repeats");
	TCase *tcase = tcase_create("repeats");

	tcase_add_test(tcase, test_choose);
	tcase_add_test(tcase, test_once);
	tcase_add_test(tcase, test_spread);
	tcase_add_test(tcase, test_until);
	tcase_add_test(tcase, test_turns);
	tcase_add_test(tcase, test_balance);
	tcase_add_test(tcase, test_files);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
