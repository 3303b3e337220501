// SPDX-License-Identifier: MIT
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/load/buffer.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

enum { MIB = 1 << 20 };

static uint8_t area[MIB], before[MIB];

/* ---- patterns ------------------------------------------------------------------------------ */

/* What fio 3.33 writes for them. */
static const struct {
	const char *text;
	const char *hex;
} patterns[] = {
	{ "12", "0c" },
	{ "012", "0c" }, /* decimal all the same */
	{ "0", "00" },
	{ "255", "ff" },
	{ "256", "0001" },
	{ "300", "2c01" },
	{ "70000", "701101" },
	{ "4294967295", "ffffffff" },
	{ "-1", "ffffffff" },
	{ "-12", "f4ffffff" },
	{ "0xdeadface", "deadface" },
	{ "0Xdeadface", "deadface" },
	{ "0xabc", "0abc" },
	{ "0x0", "00" },
	{ "0x00000000000000000001", "00000000000000000001" },
	{ "\"abcd\"", "61626364" },
	{ "\"ab\"-12", "6162f4ffffff" },
	{ "0x01\"z\"300", "017a2c01" },
	{ "\"\"7", "07" },
	{ "\"it's # ; 5\"", "69742773202320"
			    "3b2035" },
};

START_TEST(test_parse)
{
	uint8_t bytes[BUFFER_PATTERN_MAX];
	char hex[2 * BUFFER_PATTERN_MAX + 1] = "";
	const char *why;
	int n = buffer_parse(patterns[_i].text, bytes, &why);

	ck_assert_msg(n > 0, "%s: %s", patterns[_i].text, why);
	for (int i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	ck_assert_str_eq(hex, patterns[_i].hex);
}
END_TEST

static const struct {
	const char *text;
	const char *why;
} refusals[] = {
	{ "", "write \"text\"" },
	{ "abc", "write \"text\"" },
	{ "'f'", "write \"text\"" },
	{ "-", "write \"text\"" },
	{ "--1", "write \"text\"" },
	{ "1 2", "write \"text\"" },
	{ "12k", "write \"text\"" },
	{ "\"a\"b", "write \"text\"" },
	{ "\"abc", "closing" },
	{ "\"", "closing" },
	{ "1\"a\"\"", "closing" },
	{ "\"\"", "empty" },
	{ "0x", "hexadecimal digits" },
	{ "0xg", "hexadecimal digits" },
	{ "4294967296", "32 bits" },
	{ "-2147483649", "32 bits" },
	{ "99999999999999999999999", "32 bits" },
};

START_TEST(test_refusals)
{
	uint8_t bytes[BUFFER_PATTERN_MAX];
	const char *why = NULL;

	ck_assert_int_eq(buffer_parse(refusals[_i].text, bytes, &why), -EINVAL);
	ck_assert_ptr_nonnull(why);
	ck_assert_msg(strstr(why, refusals[_i].why) != NULL, "%s: %s", refusals[_i].text, why);
}
END_TEST

static const struct {
	const char *before;
	const char *behind;
	int digits; /* that make a byte */
	int used;   /* bytes that are there without them */
} longest[] = {
	{ "0x", "", 2, 0 },
	{ "\"", "\"", 1, 0 },
	{ "\"a\"0x", "", 2, 1 },
	{ "-1\"", "\"", 1, 4 },
};

/* 512 bytes and not one more. */
START_TEST(test_longest)
{
	int n = (BUFFER_PATTERN_MAX - longest[_i].used) * longest[_i].digits;
	char digits[2 * BUFFER_PATTERN_MAX + 1], text[2 * BUFFER_PATTERN_MAX + 20];
	uint8_t bytes[BUFFER_PATTERN_MAX];
	const char *why;

	memset(digits, '7', sizeof(digits));
	snprintf(text, sizeof(text), "%s%.*s%s", longest[_i].before, n, digits, longest[_i].behind);
	ck_assert_int_eq(buffer_parse(text, bytes, &why), BUFFER_PATTERN_MAX);
	snprintf(text, sizeof(text), "%s%.*s%s", longest[_i].before, n + 1, digits,
			longest[_i].behind);
	ck_assert_int_eq(buffer_parse(text, bytes, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "512"));
}
END_TEST

/* ---- contents ------------------------------------------------------------------------------ */

static struct buffer buffer_of(enum buffer_kind kind)
{
	struct buffer buffer = { .kind = kind };

	rng_seed(&buffer.rng, 1, 3);
	return buffer;
}

START_TEST(test_pattern)
{
	struct buffer buffer = buffer_of(BUFFER_PATTERN);

	buffer.pattern = (const uint8_t *)"abc";
	buffer.pattern_bytes = 3;
	ck_quick(!buffer_changes(&buffer));
	memset(area, 0, sizeof(area));
	buffer_fill(&buffer, area, 1001);
	for (int i = 0; i < 1001; i++)
		ck_quick(area[i] == (uint8_t) "abc"[i % 3]);
	ck_quick(area[1001] == 0);
}
END_TEST

START_TEST(test_zero)
{
	struct buffer buffer = buffer_of(BUFFER_ZERO);

	ck_quick(!buffer_changes(&buffer));
	memset(area, 1, sizeof(area));
	buffer_fill(&buffer, area, 1001);
	for (int i = 0; i < 1001; i++)
		ck_quick(area[i] == 0);
	ck_quick(area[1001] == 1);
}
END_TEST

/* Bits that a byte of `bytes` carries, counted over single bytes. */
static double entropy(const uint8_t *bytes, size_t n)
{
	size_t count[256] = { 0 };
	double bits = 0;

	for (size_t i = 0; i < n; i++)
		count[bytes[i]]++;
	for (int i = 0; i < 256; i++)
		if (count[i])
			bits -= (double)count[i] / (double)n * log2((double)count[i] / (double)n);
	return bits;
}

static int by_word(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

/*
 * What no compressor makes smaller: all bytes are as frequent (8 bits each but for chance, which
 * takes 255 / (2 ln 2 n) of a bit), and no aligned word of 8 comes twice.
 */
static void expect_incompressible(const uint8_t *bytes, size_t n)
{
	static uint64_t words[MIB / 8];

	ck_quick(entropy(bytes, n) > 8 - 1.5 * 255 / (2 * log(2) * (double)n));
	memcpy(words, bytes, n);
	qsort(words, n / 8, 8, by_word);
	for (size_t i = 1; i < n / 8; i++)
		ck_quick(words[i - 1] != words[i]);
}

static const enum buffer_kind random_kinds[] = { BUFFER_KEEP, BUFFER_SCRAMBLE, BUFFER_REFILL };

START_TEST(test_random)
{
	struct buffer buffer = buffer_of(random_kinds[_i]);

	buffer_fill(&buffer, area, MIB);
	expect_incompressible(area, MIB);
	ck_assert_int_eq(buffer_changes(&buffer), random_kinds[_i] != BUFFER_KEEP);
	if (buffer_changes(&buffer)) {
		buffer_next(&buffer, area, 64 * 1024);
		expect_incompressible(area, 64 * 1024);
	}
	/* Another worker writes something else, the same one the same again. */
	memcpy(before, area, MIB);
	buffer = buffer_of(random_kinds[_i]);
	buffer_fill(&buffer, area, MIB);
	ck_quick(memcmp(area + 65536, before + 65536, MIB - 65536) == 0);
	rng_seed(&buffer.rng, 1, 7);
	buffer_fill(&buffer, area, MIB);
	for (size_t i = 0; i < MIB; i += 512)
		ck_quick(memcmp(area + i, before + i, 512) != 0);
}
END_TEST

static const size_t sizes[] = { 1, 7, 8, 9, 100, 511, 512, 513, 519, 520, 1000, 1024, 4096, 4097,
	12288, 65536 };

/* Each sector of each write differs from the write before, a last piece too; no byte behind. */
START_TEST(test_changes)
{
	for (int k = 1; k < ROWS(random_kinds); k++) {
		struct buffer buffer = buffer_of(random_kinds[k]);
		size_t n = sizes[_i];

		buffer_fill(&buffer, area, n + 64);
		for (int write = 0; write < 200; write++) {
			memcpy(before, area, n + 64);
			buffer_next(&buffer, area, n);
			for (size_t at = 0; at < n; at += 512) {
				size_t size = n - at < 512 ? n - at : 512;

				/* One byte alone cannot always be another one at random. */
				if ((size > 2 || random_kinds[k] == BUFFER_SCRAMBLE)
						&& !memcmp(area + at, before + at, size))
					ck_abort_msg("%zu bytes, write %d, at %zu", n, write, at);
			}
			ck_quick(memcmp(area + n, before + n, 64) == 0);
		}
	}
}
END_TEST

/* No two of many sectors are equal, in one write or in several: nothing to deduplicate. */
START_TEST(test_unique)
{
	for (int k = 1; k < ROWS(random_kinds); k++) {
		struct buffer buffer = buffer_of(random_kinds[k]);
		static uint8_t all[2048][512];

		buffer_fill(&buffer, area, 4096);
		for (int write = 0; write < 256; write++) {
			buffer_next(&buffer, area, 4096);
			memcpy(all[write * 8], area, 4096);
		}
		for (int i = 0; i < 2048; i++)
			for (int j = 0; j < i; j++)
				ck_quick(memcmp(all[i], all[j], 512) != 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buffer");
	TCase *tc = tcase_create("buffer");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_parse, 0, ROWS(patterns));
	tcase_add_loop_test(tc, test_refusals, 0, ROWS(refusals));
	tcase_add_loop_test(tc, test_longest, 0, ROWS(longest));
	tcase_add_test(tc, test_pattern);
	tcase_add_test(tc, test_zero);
	tcase_add_loop_test(tc, test_random, 0, ROWS(random_kinds));
	tcase_add_loop_test(tc, test_changes, 0, ROWS(sizes));
	tcase_add_test(tc, test_unique);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
