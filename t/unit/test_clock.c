// SPDX-License-Identifier: MIT
/* core/measure/clock: calibration, conversions, and a TSC that cannot be trusted. */
#include "unit.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/measure/clock.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* ---- the clock ----------------------------------------------------------------------------- */

/* Both clocks at one moment: of many tries that with the least between. */
static void moment(const struct clock *clock, uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t n0 = clock_ns(), t = clock_ticks(clock), n1 = clock_ns();

		if (n1 - n0 < best) {
			best = n1 - n0;
			*ticks = t;
			*ns = n0 + (n1 - n0) / 2;
		}
	}
}

/* Does the CPU's counter run evenly, whatever the kernel makes of it? */
static bool even_tsc(void)
{
#if defined(__x86_64__)
	FILE *f = fopen("/proc/cpuinfo", "re");
	bool constant = false, nonstop = false;
	char word[256];

	while (f && fscanf(f, "%255s", word) == 1) {
		constant |= !strcmp(word, "constant_tsc");
		nonstop |= !strcmp(word, "nonstop_tsc");
	}
	if (f)
		fclose(f);
	return constant && nonstop;
#else
	return false;
#endif
}

/*
 * Against CLOCK_MONOTONIC over 50 ms: 100 ppm. Whoever is interrupted between two readings tries
 * again. Once as the clock chose, once with the CPU's counter.
 */
START_TEST(test_calibration)
{
	double worst = HUGE_VAL;

	if (_i && !even_tsc()) {
		printf("skip: no TSC that runs evenly\n");
		return;
	}
	for (int try = 0; try < 10 && fabs(worst) >= 100; try++) {
		uint64_t t0, n0, t1, n1;
		struct clock clock;

		clock_begin(&clock);
		clock_prove(&clock);
		if (_i) {
			clock.tsc = true;
			moment(&clock, &clock.base_ticks, &clock.base_ns);
		}
		clock_calibrate(&clock);
		moment(&clock, &t0, &n0);
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		moment(&clock, &t1, &n1);
		ck_assert_uint_gt(n1 - n0, 49000000);
		worst = ((double)clock_span_ns(&clock, t1 - t0) - (double)(n1 - n0))
			/ (double)(n1 - n0) * 1e6;
		ck_assert_double_gt(clock.read_ns, 0);
		ck_assert_double_lt(clock.read_ns, 100000);
		clock_check(&clock);
		if (!clock.tsc)
			ck_assert_double_lt(fabs(clock.drift_ppm), 1);
		else if (fabs(worst) < 100 && fabs(clock.drift_ppm) >= 200)
			worst = clock.drift_ppm;
	}
	ck_assert_msg(fabs(worst) < 100, "%.0f ppm", worst);
}
END_TEST

/* Rates of a tick: nanoseconds, TSCs, a slow counter. */
static const double frequencies[] = { 1e9, 2.2e9, 2995199999.0, 5.7e9, 24e6, 1e6 };

static struct clock made(double hz)
{
	return (struct clock){
		.tsc = true,
		.mult = (uint64_t)(1e9 / hz * (double)(UINT64_C(1) << CLOCK_SHIFT)),
		.base_ticks = UINT64_C(1) << 52,
		.base_ns = UINT64_C(123456789012345),
	};
}

/* There and back: to what one tick is, up to a month. */
START_TEST(test_conversions)
{
	struct clock clock = made(frequencies[_i]);
	uint64_t step = (uint64_t)(1e9 / frequencies[_i]) + 2; /* ns of one tick, and rounding */

	for (uint64_t ns = 1; ns < UINT64_C(2678400000000000); ns = ns * 3 + 1) {
		uint64_t ticks = clock_span_ticks(&clock, ns);
		uint64_t back = clock_span_ns(&clock, ticks);
		double exact = (double)ns * frequencies[_i] / 1e9;

		ck_assert_uint_le(back, ns);
		ck_assert_uint_le(ns - back, step);
		ck_assert_double_le(fabs((double)ticks - exact), 2 + exact * 1e-6);
		for (int sign = -1; sign <= 1; sign += 2) { /* before and after the base */
			uint64_t at = sign < 0 ? clock.base_ns - ns % clock.base_ns
					       : clock.base_ns + ns;

			back = clock_to_ns(&clock, clock_from_ns(&clock, at));
			ck_assert_uint_le(back > at ? back - at : at - back, step);
		}
	}
	ck_assert_uint_eq(clock_to_ns(&clock, clock.base_ticks), clock.base_ns);
	ck_assert_uint_eq(clock_from_ns(&clock, clock.base_ns), clock.base_ticks);
	ck_assert_uint_eq(clock_span_ns(&clock, 0), 0);
	ck_assert_double_le(fabs(clock_rate(&clock) - frequencies[_i]), frequencies[_i] * 1e-6);
}
END_TEST

/* A span never comes out negative, and the order of moments is kept. */
START_TEST(test_order)
{
	struct clock clock = made(2.2e9);
	uint64_t before = 0;

	ck_assert_uint_eq(clock_between(&clock, 100, 99), 0);
	ck_assert_uint_eq(clock_between(&clock, 100, 100), 0);
	ck_assert_uint_eq(clock_between(&clock, 0, 2200), clock_span_ns(&clock, 2200));
	for (uint64_t t = clock.base_ticks - 1000; t < clock.base_ticks + 1000; t++) {
		uint64_t ns = clock_to_ns(&clock, t);

		ck_assert_uint_ge(ns, before);
		before = ns;
	}
}
END_TEST

/* Moments of 1 ms apart on a TSC of 2 GHz, all on one line but the third. */
static const struct {
	int64_t off_ticks; /* its TSC is ahead by this */
	uint64_t width;    /* ticks that its reading took */
	bool in_step;
} steps[] = {
	{ 0, 100, true },
	{ 1900, 0, true }, /* within 1 us */
	{ -1900, 0, true },
	{ 2400, 0, false },
	{ -2400, 0, false },
	{ 2400, 1000, true }, /* it may be the reading */
	{ -100000000, 100, false }, /* before the first */
	{ 100000000, 100, false },
};

START_TEST(test_in_step)
{
	struct clock_moment moments[5];

	for (unsigned i = 0; i < 5; i++) {
		moments[i] = (struct clock_moment){
			.ticks = UINT64_C(10000000000) + i * UINT64_C(2000000),
			.ns = UINT64_C(500) + i * UINT64_C(1000000),
		};
	}
	moments[2].ticks += (uint64_t)steps[_i].off_ticks;
	moments[2].width = steps[_i].width;
	ck_assert_int_eq(clock_in_step(moments, 5), steps[_i].in_step);
	ck_assert(!clock_in_step(moments + 4, 1)); /* a line takes two */
}
END_TEST

/* The CPUs that the thread may run on are the same afterwards, and the clock is settled. */
START_TEST(test_prove)
{
	cpu_set_t before, after;
	struct clock clock;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int settled = 0; settled < 2; settled++) {
		clock_begin(&clock);
		clock.proven = settled;
		clock_prove(&clock);
		ck_assert(clock.proven);
		ck_assert(clock.tsc || clock.base_ticks == clock.base_ns);
		ck_assert_int_eq(sched_getaffinity(0, sizeof(after), &after), 0);
		ck_assert(CPU_EQUAL(&before, &after));
	}
}
END_TEST

/* How far the TSC was off at the last look, so that it jumped the other way since. */
static const struct {
	int64_t off_ns;
	int64_t since_ns; /* the last look */
	bool jumped;
} jumps[] = {
	{ 0, 1000000000, false },
	{ 50000000, 1000000000, false },
	{ -50000000, 1000000000, false },
	{ 150000000, 500000000, true },
	{ -150000000, 500000000, true },
	{ 900000000, 1000000000000, false }, /* a thousandth of the time may be drift */
	{ -2000000000, 1000000000000, true },
	{ 86400000000000, 500000000, true },
	{ -86400000000000, 500000000, true },
};

START_TEST(test_jump)
{
	int64_t off = jumps[_i].off_ns, found;
	struct clock clock;
	uint64_t ns;

	clock_begin(&clock);
	clock_prove(&clock);
	clock_calibrate(&clock);
	ck_assert(!clock_jumped(&clock, &found));
	ns = clock_ns();
	clock.seen.ns = ns - (uint64_t)jumps[_i].since_ns;
	clock.seen.ticks = clock_from_ns(&clock, ns)
			- clock_span_ticks(&clock, (uint64_t)jumps[_i].since_ns)
			+ (off < 0 ? -clock_span_ticks(&clock, (uint64_t)-off)
				   : clock_span_ticks(&clock, (uint64_t)off));
	ck_assert_int_eq(clock_jumped(&clock, &found), jumps[_i].jumped);
	ck_assert_int_lt(llabs(found + off), 20000000 + jumps[_i].since_ns / 1000);
	ck_assert(!clock_jumped(&clock, &found)); /* since then */
	clock_give_up_tsc(&clock);
	ck_assert(!clock.tsc);
	ck_assert(!clock_jumped(&clock, &found));
	ns = clock_ns();
	ck_assert_uint_eq(clock_to_ns(&clock, ns), ns);
	ck_assert_uint_eq(clock_from_ns(&clock, ns), ns);
	ck_assert_uint_eq(clock_span_ns(&clock, 12345), 12345);
}
END_TEST

/* Without a TSC that the kernel trusts ticks are CLOCK_MONOTONIC itself. */
START_TEST(test_monotonic)
{
	struct clock clock;
	uint64_t ns;

	clock_begin(&clock);
	clock_prove(&clock);
	if (clock.tsc) {
		printf("skip: the TSC is the clock here\n");
		return;
	}
	clock_calibrate(&clock);
	ns = clock_ns();
	ck_assert_uint_eq(clock_to_ns(&clock, ns), ns);
	ck_assert_uint_eq(clock_from_ns(&clock, ns), ns);
	ck_assert_uint_ge(clock_ticks(&clock), ns);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tc = tcase_create("clock");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_calibration, 0, 2);
	tcase_add_loop_test(tc, test_conversions, 0, ROWS(frequencies));
	tcase_add_test(tc, test_order);
	tcase_add_loop_test(tc, test_in_step, 0, ROWS(steps));
	tcase_add_test(tc, test_prove);
	tcase_add_loop_test(tc, test_jump, 0, ROWS(jumps));
	tcase_add_test(tc, test_monotonic);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
