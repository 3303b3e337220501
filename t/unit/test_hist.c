// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/measure/dist.h"
#include "../../core/measure/hist.h"
#include "unit.h"

/* The value lies in its bucket, whose middle is within 1/128 of it, and is it exactly below 128. */
static void check_value(uint64_t ns)
{
	unsigned index = hist_index(ns);
	uint64_t low, high, middle, off;

	ck_assert_uint_lt(index, HIST_BUCKETS);
	dist_bucket_range(index, &low, &high);
	ck_assert_msg(low <= ns && ns < high, "%llu not in [%llu, %llu)", (unsigned long long)ns,
			(unsigned long long)low, (unsigned long long)high);
	middle = low + (high - low) / 2;
	off = middle > ns ? middle - ns : ns - middle;
	if (ns >= 1 && ns < 128)
		ck_assert_uint_eq(middle, ns);
	else if (ns)
		ck_assert_msg(off * 128 <= ns, "%llu: middle %llu", (unsigned long long)ns,
				(unsigned long long)middle);
}

START_TEST(test_values)
{
	for (uint64_t ns = 0; ns < 100000; ns++)
		check_value(ns);
	for (unsigned bit = 10; bit < 45; bit++) {
		for (int64_t off = -70; off <= 70; off++)
			check_value((1ull << bit) + (uint64_t)off);
		check_value((1ull << bit) + (1ull << bit) / 3);
	}
}
END_TEST

/* Where one bucket ends the next begins, from 0 to the end of time. From 2^53 on doubles round. */
START_TEST(test_buckets_join)
{
	uint64_t low, high, end = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		dist_bucket_range(i, &low, &high);
		ck_assert_uint_le(low, high); /* below 64 there are buckets without a value */
		ck_assert_uint_eq(low, end);
		if (low < high && low < 1ull << 63)
			ck_assert_uint_eq(hist_index(low), i);
		if (low < high && high <= 1ull << 53)
			ck_assert_uint_eq(hist_index(high - 1), i);
		end = high;
	}
	ck_assert_uint_eq(end, UINT64_MAX);
}
END_TEST

START_TEST(test_ten_minutes_and_more)
{
	const uint64_t minute = 60000000000;

	ck_assert_uint_lt(hist_index(10 * minute), HIST_BUCKETS - 1);
	ck_assert_uint_lt(hist_index(9 * 60 * minute), HIST_BUCKETS - 1);
	ck_assert_uint_lt(hist_index(1ull << 62), HIST_BUCKETS - 1);
	ck_assert_uint_eq(hist_index((1ull << 63) - 1), 63 << HIST_SUB_BITS);
	/* No duration, but no harm either. */
	ck_assert_uint_lt(hist_index(1ull << 63), HIST_BUCKETS);
	ck_assert_uint_lt(hist_index(UINT64_MAX), HIST_BUCKETS);
}
END_TEST

START_TEST(test_add)
{
	static struct hist h;

	hist_add(&h, 1000, 1);
	hist_add(&h, 0, 2);
	hist_add(&h, 3000000000u, 3);
	ck_assert_uint_eq(h.n, 6);
	ck_assert_uint_eq(h.min, 0);
	ck_assert_uint_eq(hist_max(&h), 3000000000u);
	ck_assert_uint_eq(h.sum, 9000001000u);
	ck_assert(h.sumsq == (u128)27 * 1000000000000000000u + 1000000);
	ck_assert_uint_eq(h.bucket[hist_index(0)], 2);
	ck_assert_uint_eq(h.bucket[hist_index(1000)], 1);
	ck_assert_uint_eq(h.bucket[hist_index(3000000000u)], 3);
}
END_TEST

/* A second value squared overflows 64 bits 18 times over; the sums must not. */
START_TEST(test_no_overflow)
{
	static struct hist h;
	const uint64_t second = 1000000000;

	for (int i = 0; i < 1000; i++)
		hist_add(&h, second, 1);
	hist_add(&h, second, 1000000);
	ck_assert(h.sumsq == (u128)1001000 * second * second);
}
END_TEST

START_TEST(test_reset)
{
	static struct hist h, zero;

	hist_reset(&h);
	ck_assert_int_eq(memcmp(&h, &zero, sizeof(h)), 0);
	for (uint64_t ns = 0; ns < 1ull << 46; ns = ns * 3 + 1)
		hist_add(&h, ns, ns + 1);
	ck_assert_int_ne(memcmp(&h, &zero, sizeof(h)), 0);
	hist_reset(&h);
	ck_assert_int_eq(memcmp(&h, &zero, sizeof(h)), 0);
	hist_add(&h, 5, 1);
	ck_assert_uint_eq(h.min, 5);
	ck_assert_uint_eq(hist_max(&h), 5);
}
END_TEST

static unsigned resident(void *map, size_t size, size_t page)
{
	unsigned char in[64];
	unsigned n = 0;

	ck_assert_uint_le(size / page, sizeof(in));
	ck_assert_int_eq(mincore(map, size, in), 0);
	for (size_t i = 0; i < size / page; i++)
		n += in[i] & 1;
	return n;
}

/* Neither a reset nor a merge makes pages real that nobody wrote. */
START_TEST(test_untouched)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (sizeof(struct hist) + page - 1) / page * page;
	struct hist *h = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	struct dist dist = { .n = 0 };
	unsigned used;

	ck_assert(h != MAP_FAILED);
	hist_add(h, 5000, 1);
	hist_add(h, 5100, 1);
	used = resident(h, size, page);
	ck_assert_uint_lt(used, size / page);
	ck_assert_int_eq(dist_add_hist(&dist, h), 0);
	hist_reset(h);
	ck_assert_uint_eq(resident(h, size, page), used);
	ck_assert_uint_eq(dist.n, 2);
	dist_free(&dist);
	munmap(h, size);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hist");
	TCase *tcase = tcase_create("hist");

	tcase_add_test(tcase, test_values);
	tcase_add_test(tcase, test_buckets_join);
	tcase_add_test(tcase, test_ten_minutes_and_more);
	tcase_add_test(tcase, test_add);
	tcase_add_test(tcase, test_no_overflow);
	tcase_add_test(tcase, test_reset);
	tcase_add_test(tcase, test_untouched);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
