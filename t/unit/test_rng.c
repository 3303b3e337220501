// SPDX-License-Identifier: MIT
#include "unit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../core/load/rng.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* The first outputs for 1234567 that many implementations of SplitMix64 are tested with. */
static const uint64_t split[] = {
	UINT64_C(6457827717110365317),
	UINT64_C(3203168211198807973),
	UINT64_C(9817491932198370423),
	UINT64_C(4593380528125082431),
	UINT64_C(16408922859458223821),
};

START_TEST(test_split)
{
	uint64_t state = 1234567;

	for (int i = 0; i < ROWS(split); i++)
		ck_assert_uint_eq(rng_split(&state), split[i]);
}
END_TEST

/*
 * Computed by a program in a language with integers of any length (Python), from the published
 * formulas: state += 0xa0761d6478bd642f; p = state * (state ^ 0xe7037ed1a0b428db); both halves of p
 * XORed.
 */
static const struct {
	uint64_t state;
	uint64_t out[4];
} known[] = {
	{ 0, { UINT64_C(0x111cb3a78f59a58e), UINT64_C(0xceabd938ff4e856d),
			     UINT64_C(0x61fb51318f47d2a4), UINT64_C(0x78bd03c491909760) } },
	{ 1, { UINT64_C(0xcdef1695e1f8ed2c), UINT64_C(0x61d6d24b1c9aad40),
			     UINT64_C(0x8cf880c22eebfadf), UINT64_C(0x05b3a992fedc4f8a) } },
	{ UINT64_MAX, { UINT64_C(0xba1dc814e82d5d44), UINT64_C(0x57accfe85fe29d15),
				      UINT64_C(0x3afa6e616fb3aa6f),
				      UINT64_C(0x6cfb4186089762e0) } },
};

START_TEST(test_next)
{
	struct rng rng = { .state = known[_i].state };

	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(rng_next(&rng), known[_i].out[i]);
}
END_TEST

/* The same program, with the seeding of rng_seed(): a sequence that must never change. */
static const struct {
	uint64_t seed;
	uint64_t stream;
	uint64_t out[3];
} seeds[] = {
	{ 0, 0,
			{ UINT64_C(0x3a7834dd5e85e41f), UINT64_C(0xcf08af67940995c5),
					UINT64_C(0x01adc898b0819998) } },
	{ 1, 0,
			{ UINT64_C(0x11d0c8a096d1a2ef), UINT64_C(0x9b3a0ab1cf405ea2),
					UINT64_C(0xfe42d9a7de6fc0ce) } },
	{ 1, 1,
			{ UINT64_C(0xe22a49c2448d70d0), UINT64_C(0xb2d7df04f6b0f50e),
					UINT64_C(0x4e32d70cec1cfd52) } },
	{ UINT64_MAX, 7,
			{ UINT64_C(0xbee8cd43eabf3710), UINT64_C(0x1c06fd74b73d02bf),
					UINT64_C(0xb0949a31718a194a) } },
};

START_TEST(test_seed)
{
	struct rng rng;

	rng_seed(&rng, seeds[_i].seed, seeds[_i].stream);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(rng_next(&rng), seeds[_i].out[i]);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Among 2^17 numbers of 64 bits two are equal in one of 2^31 such tests. */
START_TEST(test_streams)
{
	enum { STREAMS = 64, EACH = 1024, ALL = 2 * STREAMS * EACH };
	uint64_t *all = calloc(ALL, sizeof(*all)), *to = all;
	struct rng rng;

	ck_assert_ptr_nonnull(all);
	for (unsigned i = 0; i < STREAMS; i++) { /* streams of one seed, then seeds of one stream */
		rng_seed(&rng, 1, i);
		for (int k = 0; k < EACH; k++)
			*to++ = rng_next(&rng);
		rng_seed(&rng, 2 + i, 0);
		for (int k = 0; k < EACH; k++)
			*to++ = rng_next(&rng);
	}
	qsort(all, ALL, sizeof(*all), by_value);
	for (unsigned i = 1; i < ALL; i++)
		ck_quick(all[i - 1] != all[i]);
	free(all);
}
END_TEST

/* How many standard deviations a chi-square lies above its mean. */
static double chi_square_z(const uint32_t *bins, unsigned n, double expected)
{
	double chi = 0, df = n - 1;

	for (unsigned i = 0; i < n; i++)
		chi += (bins[i] - expected) * (bins[i] - expected) / expected;
	return (chi - df) / sqrt(2 * df);
}

static const uint64_t limits[] = { 1, 2, 3, 7, 1000, 4096, 170000, UINT64_C(1) << 32,
	UINT64_C(0xc000000000000000), UINT64_MAX };

/* In range, and uniform: five sigma, of a sequence that is always the same. */
START_TEST(test_below)
{
	enum { BINS = 1000, DRAWS = 200000 };
	uint64_t n = limits[_i], bins = n < BINS ? n : BINS;
	uint32_t count[BINS] = { 0 };
	struct rng rng;

	rng_seed(&rng, 5, (uint64_t)_i);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t r = rng_below(&rng, n);

		ck_quick(r < n);
		count[(u128)r * bins / n]++;
	}
	/* What does not divide evenly into bins is too little to be seen from 170000 on. */
	if (bins > 1 && (n <= BINS || n >= 170000)) {
		double z = chi_square_z(count, (unsigned)bins, DRAWS / (double)bins);

		ck_assert_msg(fabs(z) < 5, "n %ju: %.1f", (uintmax_t)n, z);
	}
}
END_TEST

/* Each bit is set half of the time, and so is each bit's change from one number to the next. */
START_TEST(test_bits)
{
	enum { DRAWS = 100000 };
	uint32_t set[64] = { 0 }, changed[64] = { 0 };
	uint64_t before = 0;
	struct rng rng;

	rng_seed(&rng, 11, 3);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t r = rng_next(&rng);

		for (int b = 0; b < 64; b++) {
			set[b] += (uint32_t)(r >> b & 1);
			changed[b] += (uint32_t)((r ^ before) >> b & 1);
		}
		before = r;
	}
	for (int b = 0; b < 64; b++) { /* five sigma: 5 * sqrt(DRAWS) / 2 */
		ck_assert_int_lt(abs((int)set[b] - DRAWS / 2), 791);
		ck_assert_int_lt(abs((int)changed[b] - DRAWS / 2), 791);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rng");
	TCase *tc = tcase_create("rng");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_split);
	tcase_add_loop_test(tc, test_next, 0, ROWS(known));
	tcase_add_loop_test(tc, test_seed, 0, ROWS(seeds));
	tcase_add_test(tc, test_streams);
	tcase_add_loop_test(tc, test_below, 0, ROWS(limits));
	tcase_add_test(tc, test_bits);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
