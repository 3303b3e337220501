// SPDX-License-Identifier: MIT
/* core/measure/stat: counters that a reset clears, buckets that are counted one value late. */
#include <string.h>

#include "../../core/measure/dist.h"
#include "../../core/measure/stat.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* One behind or at once: the same distribution when it is read. */
START_TEST(late)
{
	static const uint64_t values[] = { 0, 7, 1000, 1000, 50, 123456789, 1, 64, 63, UINT64_MAX };
	static struct hist plain[2];
	static struct stats stats;

	stats_settle(&stats);
	for (size_t i = 0; i < N(values); i++) {
		struct hist *clat = &stats.clat[i % 2];

		hist_add(&plain[i % 2], values[i], 1);
		if (i % 4 == 3) {
			hist_add(clat, values[i], 1);
		} else {
			stats_pay(&stats, 1);
			stats_owe(&stats, 0, clat, values[i]);
		}
		ck_assert_uint_eq(clat->n, plain[i % 2].n);
	}
	ck_assert_int_ne(memcmp(plain, stats.clat, sizeof(plain)), 0);
	stats_settle(&stats);
	ck_assert_int_eq(memcmp(plain, stats.clat, sizeof(plain)), 0);
	stats_settle(&stats);
	ck_assert_int_eq(memcmp(plain, stats.clat, sizeof(plain)), 0);
}
END_TEST

/* The three histograms of an I/O. */
START_TEST(late_all)
{
	static struct stats stats;
	static struct hist plain[3];

	stats_settle(&stats);
	for (uint64_t ns = 1; ns < 2000; ns += 3) {
		struct hist *hists[3] = { stats.slat, stats.clat, stats.lat };

		stats_pay(&stats, 3);
		for (unsigned i = 0; i < 3; i++) {
			hist_add(&plain[i], ns << i, 1);
			stats_owe(&stats, i, hists[i], ns << i);
		}
	}
	stats_settle(&stats);
	ck_assert_int_eq(memcmp(&plain[0], stats.slat, sizeof(plain[0])), 0);
	ck_assert_int_eq(memcmp(&plain[1], stats.clat, sizeof(plain[1])), 0);
	ck_assert_int_eq(memcmp(&plain[2], stats.lat, sizeof(plain[2])), 0);
}
END_TEST

START_TEST(reset)
{
	static struct stats stats, zero;

	for (int op = 0; op < STAT_OPS; op++) {
		for (uint64_t ns = 1; ns < 1000000; ns *= 3) {
			hist_add(&stats.clat[op], ns, 1);
			hist_add(&stats.slat[op], ns, 1);
			hist_add(&stats.lat[op], ns, 1);
			hist_add(&stats.response[op], ns, 3);
		}
		stats.op[op].bytes = stats.op[op].late = stats.op[op].lag_max = 9;
		stats.above[op][1] = 7;
	}
	for (int g = 0; g < STAT_DEPTHS; g++)
		stats.depth[g] = stats.submit[g] = stats.complete[g] = 7;
	stats_settle(&stats);
	stats_owe(&stats, 0, &stats.clat[IOJOB_READ], 5);
	stats_pay(&stats, 1);
	stats_owe(&stats, 0, &stats.clat[IOJOB_READ], 77);
	stats_reset(&stats);
	ck_assert_int_eq(memcmp(&stats, &zero, sizeof(stats)), 0);
}
END_TEST

/* As fio's results name them: depths 0, 1, 2-3, 4-7 ..., batches 0, 1, 2-4, 5-8 ... */
static const struct {
	unsigned depth_from;
	unsigned depth_to;
	unsigned batch_from;
	unsigned batch_to;
} groups[STAT_DEPTHS] = {
	{ 0, 0, 0, 0 },
	{ 1, 1, 1, 1 },
	{ 2, 3, 2, 4 },
	{ 4, 7, 5, 8 },
	{ 8, 15, 9, 16 },
	{ 16, 31, 17, 32 },
	{ 32, 63, 33, 64 },
	{ 64, 70000, 65, 70000 },
};

START_TEST(grouped)
{
	for (unsigned n = groups[_i].depth_from; n <= groups[_i].depth_to; n++)
		ck_assert_uint_eq(stat_group(n), (unsigned)_i);
	for (unsigned n = groups[_i].batch_from; n <= groups[_i].batch_to; n++)
		ck_assert_uint_eq(stat_batch_group(n), (unsigned)_i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stat");
	TCase *tcase = tcase_create("stat");

	tcase_add_test(tcase, late);
	tcase_add_test(tcase, late_all);
	tcase_add_test(tcase, reset);
	tcase_add_loop_test(tcase, grouped, 0, STAT_DEPTHS);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
