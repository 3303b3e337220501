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

	stats.op[IOJOB_WRITE].bytes = 5;
	stats.depth[3] = 6;
	stats.above[IOJOB_READ][1] = 7;
	hist_add(&stats.response[IOJOB_READ], 900, 3);
	hist_add(&stats.lat[IOJOB_FSYNC], 900, 3);
	stats_settle(&stats);
	stats_owe(&stats, 0, &stats.clat[IOJOB_READ], 5);
	stats_pay(&stats, 1);
	stats_owe(&stats, 0, &stats.clat[IOJOB_READ], 77);
	stats_reset(&stats);
	ck_assert_int_eq(memcmp(&stats, &zero, sizeof(stats)), 0);
}
END_TEST

START_TEST(groups)
{
	static const unsigned depths[][2] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 63, 6 }, { 64, 7 }, { 9999, 7 },
	};
	static const unsigned batches[][2] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 4, 2 }, { 5, 3 }, { 8, 3 }, { 64, 6 }, { 65, 7 },
	};

	for (size_t i = 0; i < N(depths); i++) {
		ck_assert_uint_eq(stat_group(depths[i][0]), depths[i][1]);
		ck_assert_uint_eq(stat_batch_group(batches[i][0]), batches[i][1]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stat");
	TCase *tcase = tcase_create("stat");

	tcase_add_test(tcase, late);
	tcase_add_test(tcase, late_all);
	tcase_add_test(tcase, reset);
	tcase_add_test(tcase, groups);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
