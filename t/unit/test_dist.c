// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/measure/dist.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* A generator of its own (xorshift*), so that a fault of the program's cannot hide here. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

/* 0 < u < 1 */
static double random_unit(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) / 0x1p53;
}

static uint64_t draw_uniform(uint64_t *state)
{
	return 1000 + random_next(state) % 1000000;
}

static uint64_t draw_exponential(uint64_t *state)
{
	return (uint64_t)(-80000 * log(random_unit(state)));
}

static uint64_t draw_lognormal(uint64_t *state)
{
	double normal = sqrt(-2 * log(random_unit(state))) * cos(6.283185307 * random_unit(state));

	return (uint64_t)exp(11 + 2 * normal);
}

/* A cache that hits, and a disk that takes long. */
static uint64_t draw_bimodal(uint64_t *state)
{
	bool hit = random_next(state) % 100 < 97;

	return hit ? 900 + random_next(state) % 200 : 4000000 + random_next(state) % 9000000;
}

static uint64_t draw_small(uint64_t *state)
{
	return random_next(state) % 128;
}

static uint64_t draw_constant(uint64_t *state)
{
	(void)state;
	return 123456789;
}

/* Up to hours: every power of two alike. */
static uint64_t draw_wide(uint64_t *state)
{
	return random_next(state) >> (19 + random_next(state) % 45);
}

static uint64_t (*const draws[])(uint64_t *) = {
	draw_uniform, draw_exponential, draw_lognormal, draw_bimodal,
	draw_small, draw_constant, draw_wide,
};

static const double percents[] = {
	0, 0.01, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100,
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By hundredths of a percent, in whole numbers: what the definition says. */
static uint64_t exact_percentile(const uint64_t *sorted, size_t n, double percent)
{
	size_t hundredths = (size_t)lround(percent * 100);
	size_t rank = (n * hundredths + 9999) / 10000;

	return sorted[rank ? rank - 1 : 0];
}

static void check_percentiles(const uint64_t *sorted, size_t n, const struct dist *dist)
{
	for (size_t i = 0; i < N(percents); i++) {
		uint64_t want = exact_percentile(sorted, n, percents[i]);
		uint64_t got = dist_percentile(dist, percents[i]);
		uint64_t off = got > want ? got - want : want - got;

		ck_assert_uint_ge(got, sorted[0]);
		ck_assert_uint_le(got, sorted[n - 1]);
		ck_assert_msg(want > 0 && want < 128 ? !off : off * 128 <= want || off + want <= 1,
				"n %zu, p%g: %llu, exactly %llu", n, percents[i],
				(unsigned long long)got, (unsigned long long)want);
	}
}

static void check_moments(const uint64_t *values, size_t n, const struct dist *dist)
{
	long double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += (long double)values[i];
	mean /= (long double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
	ck_assert_double_eq_tol(dist_mean(dist), (double)mean, (double)mean * 1e-14);
	if (n > 1) {
		double want = (double)sqrtl(squares / (long double)(n - 1));

		ck_assert_double_eq_tol(dist_stddev(dist), want, want * 1e-9 + 1e-9);
	}
}

START_TEST(test_percentiles)
{
	static const size_t sizes[] = { 1, 2, 3, 10, 99, 100, 101, 1000, 20000 };
	uint64_t state = 88172645463325252u + (uint64_t)_i;

	for (size_t s = 0; s < N(sizes); s++) {
		size_t n = sizes[s];
		uint64_t *values = calloc(n, sizeof(*values));
		struct dist dist = { .n = 0 };

		for (size_t i = 0; i < n; i++) {
			values[i] = draws[_i](&state);
			ck_assert_int_eq(dist_add(&dist, values[i], 1), 0);
		}
		qsort(values, n, sizeof(*values), compare);
		ck_assert_uint_eq(dist.n, n);
		ck_assert_uint_eq(dist.min, values[0]);
		ck_assert_uint_eq(dist.max, values[n - 1]);
		check_percentiles(values, n, &dist);
		check_moments(values, n, &dist);
		dist_free(&dist);
		free(values);
	}
}
END_TEST

/* 99.9 % of 1000 values are 999 of them, though 99.9 as a double is a little more. */
START_TEST(test_rank)
{
	static const struct {
		uint64_t n;
		double percent;
		uint64_t rank;
	} table[] = {
		{ 1000, 99.9, 999 },
		{ 1000, 99.90001, 1000 },
		{ 10000, 99.99, 9999 },
		{ 1000000, 99.9999, 999999 },
		{ 1000000000, 99.9, 999000000 },
		{ 100, 7, 7 },
		{ 100, 29, 29 },
		{ 100, 57, 57 },
		{ 10, 50, 5 },
		{ 10, 50.1, 6 },
		{ 3, 33, 1 },
		{ 3, 34, 2 },
		{ 1, 1, 1 },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct dist dist = { .n = 0 };

		/* `rank` values of 10, the others 100: it is 10; with one less it is not. */
		ck_assert_int_eq(dist_add(&dist, 10, table[i].rank), 0);
		ck_assert_int_eq(dist_add(&dist, 100, table[i].n - table[i].rank), 0);
		ck_assert_uint_eq(dist_percentile(&dist, table[i].percent), 10);
		dist_free(&dist);
		ck_assert_int_eq(dist_add(&dist, 10, table[i].rank - 1), 0);
		ck_assert_int_eq(dist_add(&dist, 100, table[i].n - table[i].rank + 1), 0);
		ck_assert_uint_eq(dist_percentile(&dist, table[i].percent), 100);
		dist_free(&dist);
	}
}
END_TEST

static void check_equal(const struct dist *a, const struct dist *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->min, b->min);
	ck_assert_uint_eq(a->max, b->max);
	ck_assert_uint_eq(a->sum, b->sum);
	ck_assert(a->sumsq == b->sumsq);
	ck_assert_uint_eq(a->first, b->first);
	ck_assert_uint_eq(a->nbuckets, b->nbuckets);
	ck_assert_int_eq(memcmp(a->bucket, b->bucket, a->nbuckets * sizeof(*a->bucket)), 0);
}

/* Parts, live histograms too, merge in any order into what adding everything to one is. */
START_TEST(test_merge)
{
	static struct hist hists[5];
	struct dist parts[5] = { { .n = 0 } }, whole = { .n = 0 };
	struct dist up = { .n = 0 }, down = { .n = 0 };
	uint64_t state = 4101842887655102017u;

	for (int i = 0; i < 20000; i++) {
		uint64_t ns = draws[_i](&state);
		int part = i % 4; /* the fifth stays empty */

		ck_assert_int_eq(dist_add(&whole, ns, 1), 0);
		ck_assert_int_eq(dist_add(&parts[part], ns, 1), 0);
		hist_add(&hists[part], ns, 1);
	}
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(dist_merge(&up, &parts[i]), 0);
		ck_assert_int_eq(dist_add_hist(&down, &hists[4 - i]), 0);
	}
	check_equal(&up, &whole);
	check_equal(&down, &whole);
	for (int i = 0; i < 5; i++)
		dist_free(&parts[i]);
	dist_free(&whole);
	dist_free(&up);
	dist_free(&down);
}
END_TEST

/* A merge of disjoint ranges in either order, and the gap between them stays empty. */
START_TEST(test_merge_disjoint)
{
	struct dist low = { .n = 0 }, high = { .n = 0 }, both = { .n = 0 };

	ck_assert_int_eq(dist_add(&low, 100, 3), 0);
	ck_assert_int_eq(dist_add(&high, 1000000, 2), 0);
	ck_assert_int_eq(dist_merge(&both, &high), 0);
	ck_assert_int_eq(dist_merge(&both, &low), 0);
	ck_assert_int_eq(dist_merge(&low, &high), 0);
	check_equal(&low, &both);
	ck_assert_uint_eq(dist_between(&both, 0, 101), 3);
	ck_assert_uint_eq(dist_between(&both, 101, 900000), 0);
	ck_assert_uint_eq(dist_between(&both, 900000, UINT64_MAX), 2);
	dist_free(&low);
	dist_free(&high);
	dist_free(&both);
}
END_TEST

START_TEST(test_empty)
{
	struct dist dist = { .n = 0 }, other = { .n = 0 };

	ck_assert_int_eq(dist_merge(&dist, &other), 0);
	ck_assert_int_eq(dist_add(&dist, 5, 0), 0);
	ck_assert_uint_eq(dist.n, 0);
	ck_assert_ptr_null(dist.bucket);
	ck_assert_uint_eq(dist_percentile(&dist, 99), 0);
	ck_assert_uint_eq(dist_between(&dist, 0, UINT64_MAX), 0);
	ck_assert_double_eq(dist_mean(&dist), 0);
	ck_assert_double_eq(dist_stddev(&dist), 0);
	dist_free(&dist);
}
END_TEST

/* A million values near a second that differ by ns: sumsq and sum^2 / n agree in 17 digits. */
START_TEST(test_stddev_cancels)
{
	const uint64_t second = 1000000000;
	uint64_t state = 99;
	struct dist dist = { .n = 0 };
	long double sum = 0, squares = 0, mean;
	const int n = 1000000;

	for (int i = 0; i < n; i++) {
		uint64_t off = random_next(&state) % 8;

		ck_assert_int_eq(dist_add(&dist, second + off, 1), 0);
		sum += (long double)off;
		squares += (long double)(off * off);
	}
	mean = sum / n;
	ck_assert_double_eq_tol(dist_mean(&dist), (double)((long double)second + mean), 1e-6);
	ck_assert_double_eq_tol(dist_stddev(&dist),
			(double)sqrtl((squares - mean * sum) / (n - 1)), 1e-9);
	dist_free(&dist);
}
END_TEST

/* One value a nanosecond off among many: the part below the whole nanosecond counts. */
START_TEST(test_stddev_one_off)
{
	const uint64_t second = 1000000000;
	struct dist dist = { .n = 0 };

	ck_assert_int_eq(dist_add(&dist, 20 * second, 999999), 0);
	ck_assert_double_eq(dist_stddev(&dist), 0);
	ck_assert_int_eq(dist_add(&dist, 20 * second + 1, 1), 0);
	ck_assert_double_eq_tol(dist_stddev(&dist), 1e-3, 1e-15);
	dist_free(&dist);
	ck_assert_int_eq(dist_add(&dist, 20 * second, 1), 0);
	ck_assert_int_eq(dist_add(&dist, 20 * second + 1, 999999), 0);
	ck_assert_double_eq_tol(dist_stddev(&dist), 1e-3, 1e-15);
	dist_free(&dist);
}
END_TEST

/* Hours, with more I/Os than 64 bits hold the squares of. */
START_TEST(test_stddev_large)
{
	const uint64_t hour = 3600000000000;
	struct dist dist = { .n = 0 };

	ck_assert_int_eq(dist_add(&dist, hour, 1000), 0);
	ck_assert_int_eq(dist_add(&dist, 3 * hour, 1000), 0);
	ck_assert_double_eq_tol(dist_stddev(&dist), (double)hour * sqrt(2000.0 / 1999),
			(double)hour * 1e-14);
	ck_assert_uint_eq(dist_percentile(&dist, 100), 3 * hour);
	dist_free(&dist);
}
END_TEST

/* A clock that ran backwards makes "durations" of centuries: they spoil nothing else. */
START_TEST(test_no_duration)
{
	static const uint64_t odd[] = {
		UINT64_MAX, UINT64_MAX - 5000, (1ull << 63) + 1, 1ull << 63,
	};
	static struct hist h, zero;

	for (size_t i = 0; i < N(odd); i++) {
		struct dist dist = { .n = 0 };

		hist_add(&h, 1000000, 90);
		hist_add(&h, odd[i], 1);
		ck_assert_int_eq(dist_add_hist(&dist, &h), 0);
		ck_assert_int_eq(dist_add(&dist, odd[i], 1), 0);
		ck_assert_uint_eq(dist.n, 92);
		ck_assert_uint_eq(dist.max, odd[i]);
		ck_assert_uint_eq(dist_percentile(&dist, 50), 1000000 - 1000000 % 8192 + 4096);
		ck_assert_uint_eq(dist_percentile(&dist, 100), odd[i]);
		dist_free(&dist);
		hist_reset(&h);
		ck_assert_int_eq(memcmp(&h, &zero, sizeof(h)), 0);
	}
}
END_TEST

/* A worker killed inside hist_add() leaves counts that do not fit: no nonsense comes of them. */
START_TEST(test_torn)
{
	static struct hist h;
	struct dist dist = { .n = 0 };

	hist_add(&h, 1000, 1);
	hist_add(&h, 1000, 1);
	h.bucket[hist_index(1000)]++;
	h.sum += 1000;
	ck_assert_int_eq(dist_add_hist(&dist, &h), 0);
	ck_assert_uint_eq(dist_percentile(&dist, 50), 1000);
	ck_assert_double_eq(dist_stddev(&dist), 0);
	dist_free(&dist);
}
END_TEST

/* Figures without buckets: what is not known is 0, and dist_knows() says so. */
START_TEST(test_coarse)
{
	struct dist dist = { .n = 0 }, copy = { .n = 0 }, exact = { .n = 0 };

	ck_assert_int_eq(dist_coarse(&dist, 0, 0, 0, 0, 0), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, 2, 9, 8, 8, 1), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, 2, 1, 2, -1, 1), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, 2, 1, 2, (double)NAN, 1), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, 2, 1, 2, 1, (double)INFINITY), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, UINT64_MAX, 1, 2, 2, 1), -ERANGE);
	ck_assert_int_eq(dist_coarse(&dist, 1000000, 100, 9000000, 4321.5, 87.25), 0);
	ck_assert_int_eq(dist_add_point(&dist, 99.9, 7000), 0);
	ck_assert_double_eq_tol(dist_mean(&dist), 4321.5, 1e-9);
	ck_assert_double_eq_tol(dist_stddev(&dist), 87.25, 1e-6);
	ck_assert(dist_knows(&dist, 99.9) && !dist_knows(&dist, 99));
	ck_assert_uint_eq(dist_percentile(&dist, 99.9), 7000);
	ck_assert_uint_eq(dist_percentile(&dist, 99), 0);

	ck_assert_int_eq(dist_merge(&copy, &dist), 0);
	ck_assert_uint_eq(dist_percentile(&copy, 99.9), 7000);
	ck_assert_double_eq_tol(dist_stddev(&copy), 87.25, 1e-6);
	/* Of two together no percentile is known, in either order. */
	ck_assert_int_eq(dist_add(&exact, 50, 3), 0);
	ck_assert(dist_knows(&exact, 12.3));
	ck_assert_int_eq(dist_merge(&copy, &exact), 0);
	ck_assert_int_eq(dist_merge(&exact, &dist), 0);
	ck_assert(!dist_knows(&copy, 99.9) && !dist_knows(&exact, 99.9));
	ck_assert_uint_eq(exact.n, 1000003);
	ck_assert_uint_eq(copy.min, 50);
	ck_assert_uint_eq(exact.max, 9000000);
	dist_free(&dist);
	dist_free(&copy);
	dist_free(&exact);
	ck_assert(!dist_knows(&dist, 99.9));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dist");
	TCase *tcase = tcase_create("dist");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_percentiles, 0, (int)N(draws));
	tcase_add_test(tcase, test_rank);
	tcase_add_loop_test(tcase, test_merge, 0, (int)N(draws));
	tcase_add_test(tcase, test_merge_disjoint);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_stddev_cancels);
	tcase_add_test(tcase, test_stddev_one_off);
	tcase_add_test(tcase, test_stddev_large);
	tcase_add_test(tcase, test_no_duration);
	tcase_add_test(tcase, test_torn);
	tcase_add_test(tcase, test_coarse);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
