// SPDX-License-Identifier: MIT
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/load/perm.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

enum { BIG = 1 << 20 };

static void expect_each_once(uint64_t n, uint64_t seed)
{
	static uint8_t seen[BIG];
	struct perm perm;
	struct rng rng;

	memset(seen, 0, n);
	rng_seed(&rng, seed, n);
	perm_init(&perm, n, &rng);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = perm_at(&perm, i);

		if (at >= n || seen[at]++)
			ck_abort_msg("n %ju: %ju at %ju", (uintmax_t)n, (uintmax_t)at,
					(uintmax_t)i);
	}
}

START_TEST(test_small)
{
	for (uint64_t n = 1; n <= 4096; n++)
		expect_each_once(n, 1);
	for (uint64_t seed = 0; seed < 1000; seed++)
		for (uint64_t n = 1; n <= 9; n++)
			expect_each_once(n, seed);
}
END_TEST

START_TEST(test_large)
{
	expect_each_once(170000, 3);
	for (int bits = 13; bits < 20; bits++) {
		expect_each_once((UINT64_C(1) << bits) - 1, 4);
		expect_each_once(UINT64_C(1) << bits, 5);
		expect_each_once((UINT64_C(1) << bits) + 1, 6);
	}
	expect_each_once(BIG, 7);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static const uint64_t huge[] = { (UINT64_C(1) << 32) + 1, UINT64_C(1) << 40,
	(UINT64_C(1) << 63) - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX };

/* Sizes that no test can go through: in range, and no number twice among the first. */
START_TEST(test_huge)
{
	enum { TRIED = 100000 };
	uint64_t *seen = calloc(TRIED, sizeof(*seen)), n = huge[_i];
	struct perm perm;
	struct rng rng;

	ck_assert_ptr_nonnull(seen);
	rng_seed(&rng, 1, 2);
	perm_init(&perm, n, &rng);
	for (uint64_t i = 0; i < TRIED; i++) {
		seen[i] = perm_at(&perm, i);
		ck_quick(seen[i] < n);
	}
	qsort(seen, TRIED, sizeof(*seen), by_value);
	for (int i = 1; i < TRIED; i++)
		ck_quick(seen[i - 1] != seen[i]);
	ck_quick(perm_at(&perm, n - 1) < n);
	free(seen);
}
END_TEST

/* Of 1000 numbers about one is at the same place in two orders. */
START_TEST(test_another_order)
{
	struct perm before, perm;
	struct rng rng;

	rng_seed(&rng, 1, 1);
	perm_init(&before, 1000, &rng);
	for (int k = 0; k < 50; k++) {
		int same = 0;

		perm_init(&perm, 1000, &rng);
		for (uint64_t i = 0; i < 1000; i++)
			same += perm_at(&perm, i) == perm_at(&before, i);
		ck_assert_int_lt(same, 10);
		before = perm;
	}
}
END_TEST

/* ---- does it look random? ------------------------------------------------------------------ */

enum { GRID = 64 };

/* The function under test with another number of rounds. */
static uint64_t at_rounds(const struct perm *perm, uint64_t i, int rounds)
{
	do {
		for (int r = 0; r < rounds; r++) {
			i = (i + perm->add[r]) * perm->mul[r] & perm->mask;
			i ^= i >> perm->shift;
		}
	} while (i >= perm->n);
	return i;
}

/*
 * Numbers that follow each other by `step` as points of a grid: how many standard deviations the
 * chi-square of its cells lies above its mean. Each line and column is filled alike, since every
 * number comes once, so (GRID - 1)^2 are free.
 */
static double grid_z(uint64_t n, uint64_t key, uint64_t step, int rounds)
{
	static uint32_t cells[GRID * GRID];
	double chi = 0, expected = (double)(n - step) / (GRID * GRID);
	double df = (GRID - 1.0) * (GRID - 1.0);
	struct perm perm;
	struct rng rng;

	memset(cells, 0, sizeof(cells));
	rng_seed(&rng, key, 9);
	perm_init(&perm, n, &rng);
	for (uint64_t i = 0; i + step < n; i++) {
		uint64_t a = rounds ? at_rounds(&perm, i, rounds) : perm_at(&perm, i);
		uint64_t b = rounds ? at_rounds(&perm, i + step, rounds) : perm_at(&perm, i + step);

		cells[a * GRID / n * GRID + b * GRID / n]++;
	}
	for (int i = 0; i < GRID * GRID; i++)
		chi += (cells[i] - expected) * (cells[i] - expected) / expected;
	return (chi - df) / sqrt(2 * df);
}

static const uint64_t grids[] = { 1 << 14, 170000, 1 << 18 };

/*
 * The largest of 40 keys with six rounds: 1.8, 2.3 and 2.2 sigma; with three 391, 8.2 and 46, with
 * two 4633, 1034 and 4316.
 */
START_TEST(test_pairs)
{
	for (uint64_t key = 0; key < 20; key++) {
		double z = grid_z(grids[_i], key, 1, 0);

		ck_assert_msg(fabs(z) < 4, "n %ju, key %ju: %.1f", (uintmax_t)grids[_i],
				(uintmax_t)key, z);
	}
	for (uint64_t step = 2; step < 6; step++)
		ck_assert_double_lt(fabs(grid_z(grids[_i], 1, step, 0)), 4);
}
END_TEST

/* The measure tells: fewer rounds of the same fail it. */
START_TEST(test_pairs_of_fewer_rounds)
{
	for (int rounds = 1; rounds <= 3; rounds++) {
		double worst = 0;

		for (uint64_t key = 0; key < 20; key++)
			worst = fmax(worst, grid_z(grids[_i], key, 1, rounds));
		ck_assert_msg(worst > 6, "%d rounds: %.1f", rounds, worst);
	}
	ck_assert_double_eq(grid_z(grids[_i], 0, 1, PERM_ROUNDS), grid_z(grids[_i], 0, 1, 0));
}
END_TEST

/* Where each of the first numbers goes is uniform over the keys: five sigma. */
START_TEST(test_keys)
{
	enum { KEYS = 50000, BINS = 100 };
	struct perm perm;
	struct rng rng;

	for (uint64_t i = 0; i < 4; i++) {
		uint32_t bins[BINS] = { 0 };
		double chi = 0, expected = KEYS / (double)BINS;

		rng_seed(&rng, 2, i);
		for (int k = 0; k < KEYS; k++) {
			perm_init(&perm, 10000, &rng);
			bins[perm_at(&perm, i) * BINS / 10000]++;
		}
		for (int b = 0; b < BINS; b++)
			chi += (bins[b] - expected) * (bins[b] - expected) / expected;
		ck_assert_double_lt(fabs(chi - (BINS - 1)) / sqrt(2 * (BINS - 1)), 5);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perm");
	TCase *tc = tcase_create("perm");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_small);
	tcase_add_test(tc, test_large);
	tcase_add_loop_test(tc, test_huge, 0, ROWS(huge));
	tcase_add_test(tc, test_another_order);
	tcase_add_loop_test(tc, test_pairs, 0, ROWS(grids));
	tcase_add_loop_test(tc, test_pairs_of_fewer_rounds, 0, ROWS(grids));
	tcase_add_test(tc, test_keys);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
