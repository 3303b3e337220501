// SPDX-License-Identifier: MIT
#include "unit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../core/load/pace.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

enum { R = IOJOB_OP_BIT(IOJOB_READ), W = IOJOB_OP_BIT(IOJOB_WRITE) };

/* Clocks: nanoseconds, a TSC, and one that no rate divides. */
static const double clocks[] = { 1e9, 2995199999.5, 1.0e9 / 3 };

static const uint64_t no_rate[LOAD_DIRS];
static const int64_t no_iops[LOAD_DIRS];

static struct iojob_file file;

/* A mixed job of the whole range, whose direction the pace chooses. */
static struct load mixed_load(unsigned read_percent)
{
	static struct iojob_file *const files[] = { &file };
	static const struct load_region regions[] = { { 0, 1 << 20 } };
	const struct load_spec spec = {
		.seed = 1,
		.ops = R | W,
		.read_percent = read_percent,
		.bs_min = { 4096, 4096, 4096 },
		.bs_max = { 4096, 4096, 4096 },
		.regions = regions,
		.nfiles = 1,
		.files = files,
	};
	struct load load;

	ck_assert_int_eq(load_init(&load, &spec), 0);
	load_direct(&load);
	return load;
}

/* ---- schedules ----------------------------------------------------------------------------- */

static const int64_t rates[] = { 1, 7, 1000, 300001, 5000000 };

/*
 * Ten million I/Os: each intended start is where the schedule has it, to a tick, whatever happened
 * before.
 */
START_TEST(test_iops)
{
	for (int c = 0; c < ROWS(clocks); c++) {
		const int64_t iops[LOAD_DIRS] = { rates[_i] };
		const uint64_t begin = UINT64_C(1) << 50;
		struct pace pace;

		ck_assert(pace_init(&pace, R, no_rate, iops, clocks[c]));
		pace_start(&pace, begin);
		for (uint64_t i = 0; i <= 10000000; i++) {
			if (i < 3 || i % 999983 == 0 || i == 10000000) {
				uint64_t gone = pace_next(&pace, IOJOB_READ) - begin;
				long double due = (long double)i * (long double)clocks[c]
						  / (long double)rates[_i];

				ck_assert_msg(fabsl((long double)gone - due) <= 1,
						"I/O %ju: %ju, not %.1Lf", (uintmax_t)i,
						(uintmax_t)gone, due);
			}
			pace_take(&pace, IOJOB_READ, 4096);
		}
	}
}
END_TEST

static const uint64_t byte_rates[] = { 1000, 1 << 20, 123456789, UINT64_C(20) << 30 };

/* Bytes per second: what has been taken counts, however it was cut up. */
START_TEST(test_bytes)
{
	for (int c = 0; c < ROWS(clocks); c++) {
		const uint64_t rate[LOAD_DIRS] = { 0, byte_rates[_i] };
		uint64_t taken = 0, begin = 12345;
		struct pace pace;
		struct rng rng;

		rng_seed(&rng, 1, 1);
		ck_assert(pace_init(&pace, W, rate, no_iops, clocks[c]));
		pace_start(&pace, begin);
		for (int i = 0; i < 100000; i++) {
			uint32_t len = 512 * (1 + (uint32_t)rng_below(&rng, 2048));
			uint64_t gone = pace_next(&pace, IOJOB_WRITE) - begin;
			long double due = (long double)taken * (long double)clocks[c]
					  / (long double)byte_rates[_i];

			/* The period of a byte is rounded up to 2^-32 of a tick. */
			if (fabsl((long double)gone - due) > 1 + taken * 0x1p-32L)
				ck_abort_msg("%d: %ju, not %.1Lf", i, (uintmax_t)gone, due);
			pace_take(&pace, IOJOB_WRITE, len);
			taken += len;
		}
	}
}
END_TEST

/* Whoever comes late, or looks often, finds the next start where it was. */
START_TEST(test_late)
{
	const int64_t iops[LOAD_DIRS] = { 100, 50 };
	struct load load = mixed_load(50);
	struct pace pace, calm;
	struct rng rng;

	rng_seed(&rng, 2, 2);
	pace_init(&pace, R | W, no_rate, iops, 1e9);
	pace_start(&pace, 5000);
	calm = pace;
	for (int i = 0; i < 10000; i++) {
		uint64_t now = rng_below(&rng, UINT64_C(1) << 45), start, again;
		uint8_t op;

		start = pace_pick(&pace, &load, true, now);
		op = load.op;
		again = pace_pick(&pace, &load, true, now * 2);
		ck_quick(start == again);
		ck_quick(load.op == op);
		ck_quick(pace_pick(&calm, &load, true, start) == start);
		ck_quick(load.op == op);
		pace_take(&pace, op, 4096);
		pace_take(&calm, op, 1);
	}
	load_free(&load);
}
END_TEST

/* ---- directions ---------------------------------------------------------------------------- */

static const struct {
	int64_t iops[LOAD_DIRS];
	unsigned period; /* I/Os after which ... */
	unsigned reads;  /* ... so many were reads, again and again */
} ratios[] = {
	{ { 300, 100 }, 4, 3 },
	{ { 100, 300 }, 4, 1 },
	{ { 1000, 1000 }, 2, 1 },
	{ { 99, 1 }, 100, 99 },
	{ { 1, 1000 }, 1001, 1 },
	{ { 7, 5 }, 12, 7 },
};

/* Two schedules decide alone: rwmixread has no say, and the ratio is exact. */
START_TEST(test_ratio)
{
	for (unsigned percent = 0; percent <= 100; percent += 50) {
		struct load load = mixed_load(percent);
		unsigned reads = 0, n = 0;
		uint64_t before = 0;
		struct pace pace;

		pace_init(&pace, R | W, no_rate, ratios[_i].iops, 1e9);
		ck_quick(pace.both);
		pace_start(&pace, 1);
		while (n < 100 * ratios[_i].period) {
			double share = (double)ratios[_i].reads / ratios[_i].period;
			uint64_t start = pace_pick(&pace, &load, true, 0);

			ck_quick(start >= before); /* the earliest of the two */
			before = start;
			reads += load.op == IOJOB_READ;
			pace_take(&pace, load.op, 4096);
			/* Never further from it than by one I/O of each. */
			ck_quick(fabs(reads - ++n * share) <= 1.001);
			if (n % ratios[_i].period == 0 && n > ratios[_i].period)
				ck_quick(abs((int)reads - (int)(n * share + 0.5)) <= 1);
		}
		load_free(&load);
	}
}
END_TEST

/* By bytes: twice the rate at a quarter of the size is eight times as many. */
START_TEST(test_ratio_bytes)
{
	const uint64_t rate[LOAD_DIRS] = { 2 << 20, 1 << 20 };
	struct load load = mixed_load(50);
	unsigned n[2] = { 0 };
	struct pace pace;

	pace_init(&pace, R | W, rate, no_iops, 1e9);
	pace_start(&pace, 1);
	for (int i = 0; i < 90000; i++) {
		pace_pick(&pace, &load, true, 0);
		n[load.op]++;
		pace_take(&pace, load.op, load.op == IOJOB_READ ? 4096 : 16384);
	}
	ck_assert_int_le(abs((int)n[IOJOB_READ] - 80000), 8);
	load_free(&load);
}
END_TEST

/*
 * One schedule in a mixed job, an I/O each millisecond: writes keep to their schedule where the mix
 * asks for enough of them, and what they leave is read.
 */
static const struct {
	unsigned read_percent;
	int64_t write_iops;
	unsigned writes; /* of 10000 I/Os in 10 s */
	unsigned tolerance;
} ones[] = {
	{ 50, 100, 1000, 3 }, /* the schedule is the limit */
	{ 0, 100, 1000, 1 },
	{ 90, 100, 970, 45 },    /* the mix hardly asks for 100/s: some schedule time is lost */
	{ 50, 2000, 5000, 200 }, /* the mix is the limit */
	{ 100, 100, 0, 0 },
};

START_TEST(test_one_rated)
{
	const int64_t iops[LOAD_DIRS] = { 0, ones[_i].write_iops };
	struct load load = mixed_load(ones[_i].read_percent);
	unsigned writes = 0;
	struct pace pace;

	ck_quick(pace_init(&pace, R | W, no_rate, iops, 1e9));
	ck_quick(!pace.both);
	pace_start(&pace, 1000000);
	for (int i = 1; i <= 10000; i++) {
		uint64_t now = (uint64_t)i * 1000000;
		uint64_t start = pace_pick(&pace, &load, true, now);

		if (load.op == IOJOB_READ) {
			ck_quick(start == 0);
		} else {
			ck_quick(start > 0);
			ck_quick(start <= now);
			writes++;
		}
		pace_take(&pace, load.op, 4096);
	}
	ck_assert_msg(abs((int)writes - (int)ones[_i].writes) <= (int)ones[_i].tolerance,
			"%u writes, not %u", writes, ones[_i].writes);
	load_free(&load);
}
END_TEST

/* A job of one direction, rated or not. */
START_TEST(test_single)
{
	const int64_t iops[LOAD_DIRS] = { 0, 10, 0 };
	const uint64_t rate[LOAD_DIRS] = { 1000, 0, 0 };
	struct load load = mixed_load(50);
	struct pace pace;

	ck_assert(!pace_init(&pace, R | W, no_rate, no_iops, 1e9));
	ck_assert(!pace_init(&pace, R, no_rate, iops, 1e9)); /* the rate of what it does not do */
	load.op = IOJOB_READ;
	ck_assert_uint_eq(pace_pick(&pace, &load, false, 77), 0);
	ck_assert(pace_init(&pace, W, no_rate, iops, 1e9));
	ck_assert(pace_init(&pace, R, rate, iops, 1e9));
	pace_start(&pace, 42);
	ck_assert_uint_eq(pace_pick(&pace, &load, false, 77), 42);
	ck_assert_uint_eq(load.op, IOJOB_READ);
	pace_take(&pace, IOJOB_READ, 500);
	ck_assert_uint_eq(pace_pick(&pace, &load, false, 77), 42 + 500000000);
	load_free(&load);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pace");
	TCase *tc = tcase_create("pace");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_iops, 0, ROWS(rates));
	tcase_add_loop_test(tc, test_bytes, 0, ROWS(byte_rates));
	tcase_add_test(tc, test_late);
	tcase_add_loop_test(tc, test_ratio, 0, ROWS(ratios));
	tcase_add_test(tc, test_ratio_bytes);
	tcase_add_loop_test(tc, test_one_rated, 0, ROWS(ones));
	tcase_add_test(tc, test_single);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
