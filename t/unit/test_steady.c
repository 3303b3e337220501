// SPDX-License-Identifier: MIT
/* Figures worked out by hand. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "../../core/measure/steady.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	size_t n;
	double values[5];
	double mean, range, deviation, slope, movement;
	bool snia;
} series[] = {
	{ 0, { 0 }, 0, 0, 0, 0, 0, false },
	{ 1, { 7 }, 7, 0, 0, 0, 0, true },
	/* Both at their limits. Slope: (0 + 110 + 180 + 315 + 380 - 2 * 500) / 10. */
	{ 5, { 100, 110, 90, 105, 95 }, 100, 20, 10, -1.5, 6, true },
	{ 5, { 95, 97.5, 100, 102.5, 105 }, 100, 10, 5, 2.5, 10, true },
	/* The line moves too far, though the range is fine; and the other way round. */
	{ 5, { 94.5, 97.25, 100, 102.75, 105.5 }, 100, 11, 5.5, 2.75, 11, false },
	{ 5, { 100, 111, 90, 104, 95 }, 100, 21, 11, -1.7, 6.8, false },
	{ 5, { 100, 100, 100, 100, 100 }, 100, 0, 0, 0, 0, true },
	{ 5, { 0, 0, 0, 0, 0 }, 0, 0, 0, 0, 0, false },
	{ 2, { 10, 30 }, 20, 20, 10, 20, 20, false },
	/* Sums: 1 + 2 + 4 = 7, 2 + 8 = 10; slope (10 - 7) / 2. */
	{ 3, { 1, 2, 4 }, 7.0 / 3, 3, 5.0 / 3, 1.5, 3, false },
};

START_TEST(test_figures)
{
	struct steady s = { .n = 0 };

	for (size_t i = 0; i < series[_i].n; i++)
		steady_add(&s, series[_i].values[i]);
	ck_assert_double_eq_tol(steady_mean(&s), series[_i].mean, 1e-9);
	ck_assert_double_eq_tol(steady_range(&s), series[_i].range, 1e-9);
	ck_assert_double_eq_tol(steady_deviation(&s), series[_i].deviation, 1e-9);
	ck_assert_double_eq_tol(steady_slope(&s), series[_i].slope, 1e-9);
	ck_assert_double_eq_tol(steady_movement(&s), series[_i].movement, 1e-9);
	ck_assert(steady_snia(&s) == series[_i].snia);
}
END_TEST

/* An hour of large figures that rise by one each: the sums do not drown it. */
START_TEST(test_long)
{
	struct steady s = { .n = 0 };

	for (size_t i = 0; i < 3600; i++)
		steady_add(&s, 1e10 + (double)i);
	ck_assert_double_eq_tol(steady_slope(&s), 1, 1e-5);
	ck_assert_double_eq_tol(steady_percent(&s, steady_range(&s)), 3599e-8, 1e-9);
}
END_TEST

static const struct {
	const char *text;
	struct steady_rule rule;
	const char *as_fio;
} rules[] = {
	{ "iops:10%", { STEADY_IOPS, 10, true }, "iops:10.000000%" },
	{ "iops:200", { STEADY_IOPS, 200, false }, "iops:200.000000" },
	{ "iops_slope:0.01%", { STEADY_IOPS_SLOPE, 0.01, true }, "iops_slope:0.010000%" },
	{ "bw:1k", { STEADY_BW, 1000, false }, "bw:1000.000000" },
	{ "bw:1Ki", { STEADY_BW, 1024, false }, "bw:1024.000000" },
	{ "bw_slope:.5%", { STEADY_BW_SLOPE, 0.5, true }, "bw_slope:0.500000%" },
	{ "snia", { STEADY_SNIA, 0, false }, "snia" },
};

START_TEST(test_parse)
{
	struct steady_rule rule, again;
	const char *why;
	char text[64];

	ck_assert_int_eq(steady_parse(&rule, rules[_i].text, 1000, &why), 0);
	ck_assert_int_eq((int)rule.kind, (int)rules[_i].rule.kind);
	ck_assert_double_eq(rule.limit, rules[_i].rule.limit);
	ck_assert(rule.percent == rules[_i].rule.percent);
	ck_assert_str_eq(steady_print(text, sizeof(text), &rule, true), rules[_i].as_fio);
	/* What is printed for people is what they may write. */
	steady_print(text, sizeof(text), &rule, false);
	ck_assert_int_eq(steady_parse(&again, text, 1024, &why), 0);
	ck_assert_double_eq(again.limit, rule.limit);
	ck_assert(steady_of_bw(&rule) == (text[0] == 'b' || text[0] == 's'));
}
END_TEST

static const char *const refused[] = {
	"", "iops", "iops:", "iops:x", "iops:%", "iops:1.5", "iops:-1", "iops:0", "iops:0%",
	"iops:1%%", "iops:1%2", "iops:inf%", "iops:0x1p3%", "iops:-1%", "iopsx:1", "iop:1",
	"bw:1x", "bw_slope", "lat:5%", "snia:1%",
};

START_TEST(test_refused)
{
	struct steady_rule rule;
	const char *why = NULL;

	ck_assert_int_eq(steady_parse(&rule, refused[_i], 1024, &why), -EINVAL);
	ck_assert_ptr_nonnull(why);
}
END_TEST

/* Over 100, 110, 90, 105, 95: the deviation is 10, the slope -1.5; below the limit, not at it. */
static const struct {
	struct steady_rule rule;
	double criterion;
	bool holds;
} verdicts[] = {
	{ { STEADY_IOPS, 10, false }, 10, false },
	{ { STEADY_IOPS, 10.1, false }, 10, true },
	{ { STEADY_BW, 10, true }, 10, false },
	{ { STEADY_BW, 11, true }, 10, true },
	{ { STEADY_IOPS_SLOPE, 1.5, false }, -1.5, false },
	{ { STEADY_IOPS_SLOPE, 1.6, false }, -1.5, true },
	{ { STEADY_BW_SLOPE, 1.4, true }, -1.5, false },
	{ { STEADY_BW_SLOPE, 1.6, true }, -1.5, true },
	{ { STEADY_SNIA, 0, false }, 20, true },
};

START_TEST(test_holds)
{
	struct steady s = { .n = 0 }, none = { .n = 0 };

	for (size_t i = 0; i < 5; i++) {
		steady_add(&s, series[2].values[i]);
		steady_add(&none, 0);
	}
	ck_assert_double_eq_tol(steady_criterion(&verdicts[_i].rule, &s), verdicts[_i].criterion,
			1e-9);
	ck_assert(steady_holds(&verdicts[_i].rule, &s) == verdicts[_i].holds);
	/* A job that does nothing is steady only where a plain number says so. */
	ck_assert(steady_holds(&verdicts[_i].rule, &none)
			== (!verdicts[_i].rule.percent && verdicts[_i].rule.kind != STEADY_SNIA));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("steady");
	TCase *tcase = tcase_create("steady");

	tcase_add_loop_test(tcase, test_figures, 0, N(series));
	tcase_add_test(tcase, test_long);
	tcase_add_loop_test(tcase, test_parse, 0, N(rules));
	tcase_add_loop_test(tcase, test_refused, 0, N(refused));
	tcase_add_loop_test(tcase, test_holds, 0, N(verdicts));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
