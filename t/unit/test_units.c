// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../core/job/units.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	unsigned kb_base;
	uint64_t bytes;
} sizes[] = {
	{ "0", 1024, 0 },
	{ "4096", 1024, 4096 },
	{ "4k", 1024, 4096 },
	{ "4K", 1024, 4096 },
	{ "4kb", 1024, 4096 },
	{ "4KB", 1024, 4096 },
	{ "4Ki", 1024, 4096 },
	{ "4KiB", 1024, 4096 },
	{ "4kib", 1024, 4096 },
	{ "512b", 1024, 512 },
	{ "512B", 1024, 512 },
	{ "1m", 1024, 1048576 },
	{ "1Mi", 1024, 1048576 },
	{ "1g", 1024, 1ull << 30 },
	{ "1Gb", 1024, 1ull << 30 },
	{ "1GiB", 1024, 1ull << 30 },
	{ "2T", 1024, 1ull << 41 },
	{ "3P", 1024, 3ull << 50 },
	{ "1.5m", 1024, 1572864 },
	{ "0.5k", 1024, 512 },
	{ "2.0", 1024, 2 },
	{ "1.0009765625k", 1024, 1025 },
	{ "10 M", 1024, 10485760 },
	{ " \t10M\t ", 1024, 10485760 },
	{ "+5m", 1024, 5242880 },
	{ "0x10", 1024, 16 },
	{ "0X1f", 1024, 31 },
	{ "0x10k", 1024, 16384 },
	{ "0x10b", 1024, 0x10b },
	{ "010", 1024, 10 },
	{ "18446744073709551615", 1024, UINT64_MAX },
	{ "0xffffffffffffffff", 1024, UINT64_MAX },
	{ "4k", 1000, 4000 },
	{ "4KB", 1000, 4000 },
	{ "4Ki", 1000, 4096 },
	{ "4KiB", 1000, 4096 },
	{ "1m", 1000, 1000000 },
	{ "1.5k", 1000, 1500 },
	{ "1.001k", 1000, 1001 },
	{ "1p", 1000, 1000000000000000 },
};

START_TEST(test_size)
{
	const char *why = NULL;
	uint64_t bytes = 77;

	ck_assert_msg(units_size(sizes[_i].text, sizes[_i].kb_base, &bytes, &why) == 0,
			"`%s`: %s", sizes[_i].text, why);
	ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static const struct {
	const char *text;
	const char *why; /* part of it */
} bad_sizes[] = {
	{ "", "missing" },
	{ "  ", "missing" },
	{ "k", "number" },
	{ ".5m", "number" },
	{ "x", "number" },
	{ "0x", "number" },
	{ "0xg", "number" },
	{ "-1", "negative" },
	{ "-4k", "negative" },
	{ "--4", "number" },
	{ "8192x", "unit" },
	{ "4kk", "unit" },
	{ "4kbi", "unit" },
	{ "4i", "unit" },
	{ "4bb", "unit" },
	{ "4k 4k", "unit" },
	{ "4k,8k", "unit" },
	{ "4k-8k", "range" },
	{ "1 0", "unit" },
	{ "50%", "unit" },
	{ "10s", "unit" },
	{ "1e3", "unit" },
	{ "10z", "unit" },
	{ "4k\n", "unit" },
	{ "1.", "point" },
	{ "1.k", "point" },
	{ "1.5", "whole number of bytes" },
	{ "0.3k", "whole number of bytes" },
	{ "1.00000000000000000000000000001m", "whole number of bytes" },
	{ "1.0000000000000000000000000000000000000001m", "digits" },
	{ "1.5.5k", "unit" },
	{ "18446744073709551616", "large" },
	{ "16384p", "large" },
	{ "99999999999999999999999999999999999999999999", "large" },
	{ "0xfffffffffffffffffffffffffffffffff", "large" },
	{ "340282366920938463463374607431768211455p", "large" },
};

START_TEST(test_size_refused)
{
	const char *why = NULL;
	uint64_t bytes = 77;

	ck_assert_int_lt(units_size(bad_sizes[_i].text, 1024, &bytes, &why), 0);
	ck_assert_ptr_nonnull(why);
	ck_assert_msg(strstr(why, bad_sizes[_i].why) != NULL, "`%s`: %s", bad_sizes[_i].text, why);
	ck_assert_uint_eq(bytes, 77);
}
END_TEST

#define SEC 1000000000ull

static const struct {
	const char *text;
	uint64_t unit_ns;
	uint64_t ns;
} times[] = {
	{ "0", SEC, 0 },
	{ "10", SEC, 10 * SEC },
	{ "10", 1000, 10000 },
	{ "10", 1000000, 10000000 },
	{ "10s", 1000, 10 * SEC },
	{ "10 s", 1000, 10 * SEC },
	{ "1sec", 1, SEC },
	{ "2 seconds", 1, 2 * SEC },
	{ "1min", SEC, 60 * SEC },
	{ "1m", SEC, 60 * SEC },
	{ "1M", SEC, 60 * SEC },
	{ "3 minutes", SEC, 180 * SEC },
	{ "2h", SEC, 7200 * SEC },
	{ "1hour", SEC, 3600 * SEC },
	{ "1d", SEC, 86400 * SEC },
	{ "2days", SEC, 172800 * SEC },
	{ "7ns", SEC, 7 },
	{ "7us", SEC, 7000 },
	{ "7usec", SEC, 7000 },
	{ "7ms", SEC, 7000000 },
	{ "7MSEC", SEC, 7000000 },
	{ "1.5s", SEC, 1500000000 },
	{ "0.25", SEC, 250000000 },
	{ "1.000000001", SEC, 1000000001 },
	{ "18446744073709551615ns", SEC, UINT64_MAX },
};

START_TEST(test_time)
{
	const char *why = NULL;
	uint64_t ns = 77;

	ck_assert_msg(units_time(times[_i].text, times[_i].unit_ns, &ns, &why) == 0, "`%s`: %s",
			times[_i].text, why);
	ck_assert_uint_eq(ns, times[_i].ns);
}
END_TEST

static const struct {
	const char *text;
	const char *why;
} bad_times[] = {
	{ "", "missing" },
	{ "s", "number" },
	{ "-1s", "negative" },
	{ "-1", "negative" },
	{ "1k", "unit of time" },
	{ "1x", "unit of time" },
	{ "1mss", "unit of time" },
	{ "1mi", "unit of time" },
	{ "1 m s", "unit of time" },
	{ "1h30m", "unit of time" },
	{ "00:01:30", "unit of time" },
	{ "5%", "unit of time" },
	{ "1.5ns", "whole number of nanoseconds" },
	{ "0.0000000001", "whole number of nanoseconds" },
	{ "584543y", "unit of time" },
	{ "213504d", "large" },
	{ "18446744074", "large" },
};

START_TEST(test_time_refused)
{
	const char *why = NULL;
	uint64_t ns = 77;

	ck_assert_int_lt(units_time(bad_times[_i].text, SEC, &ns, &why), 0);
	ck_assert_msg(strstr(why, bad_times[_i].why) != NULL, "`%s`: %s", bad_times[_i].text, why);
	ck_assert_uint_eq(ns, 77);
}
END_TEST

static const struct {
	const char *text;
	int64_t value;
} ints[] = {
	{ "0", 0 },
	{ "-0", 0 },
	{ "8", 8 },
	{ "-8", -8 },
	{ "+8", 8 },
	{ " 8 ", 8 },
	{ "1k", 1024 },
	{ "-2k", -2048 },
	{ "1.5k", 1536 },
	{ "1m", 1048576 },
	{ "0x1f", 31 },
	{ "-0x1f", -31 },
	{ "9223372036854775807", INT64_MAX },
	{ "-9223372036854775808", INT64_MIN },
};

START_TEST(test_int)
{
	const char *why = NULL;
	int64_t value = 77;

	ck_assert_msg(units_int(ints[_i].text, &value, &why) == 0, "`%s`: %s", ints[_i].text, why);
	ck_assert_int_eq(value, ints[_i].value);
}
END_TEST

static const char *const bad_ints[] = {
	"", " ", "x", "-", "+", "- 1", "4x", "4 x", "1.5", "4,5", "1e3", "0x", "--1", "+-1", "5%",
	"9223372036854775808", "-9223372036854775809", "9223372036854775807k",
};

START_TEST(test_int_refused)
{
	const char *why = NULL;
	int64_t value = 77;

	ck_assert_int_lt(units_int(bad_ints[_i], &value, &why), 0);
	ck_assert_ptr_nonnull(why);
	ck_assert_int_eq(value, 77);
}
END_TEST

START_TEST(test_percent)
{
	static const char *const bad[] = {
		"", "%", "50", "0%", "101%", "-5%", "12.5%", "50%x", "50 5%", "50%%%", "50x", "x%",
		"50% 50%", "1k%",
	};
	char text[16];
	const char *why;
	unsigned percent;

	for (unsigned i = 1; i <= 100; i++) {
		snprintf(text, sizeof(text), "%u%%", i);
		ck_assert_int_eq(units_percent(text, &percent, &why), 0);
		ck_assert_uint_eq(percent, i);
	}
	ck_assert_int_eq(units_percent(" 95 % ", &percent, &why), 0);
	ck_assert_uint_eq(percent, 95);
	ck_assert_int_eq(units_percent("100%%", &percent, &why), 0);
	ck_assert_uint_eq(percent, 100);
	for (size_t i = 0; i < N(bad); i++) {
		why = NULL;
		percent = 77;
		ck_assert_msg(units_percent(bad[i], &percent, &why) < 0, "`%s`", bad[i]);
		ck_assert_ptr_nonnull(why);
		ck_assert_uint_eq(percent, 77);
	}
}
END_TEST

static const struct {
	uint64_t bytes;
	const char *size;
	const char *exact;
} printed_sizes[] = {
	{ 0, "0 B", "0" },
	{ 100, "100 B", "100" },
	{ 1000, "1000 B", "1000" },
	{ 1023, "1023 B", "1023" },
	{ 1024, "1 KiB", "1k" },
	{ 1025, "1.00 KiB", "1025" },
	{ 1536, "1.50 KiB", "1536" },
	{ 4096, "4 KiB", "4k" },
	{ 1048575, "1.00 MiB", "1048575" },
	{ 1048576, "1 MiB", "1m" },
	{ 1610612736, "1.50 GiB", "1536m" },
	{ 1ull << 30, "1 GiB", "1g" },
	{ 1ull << 40, "1 TiB", "1t" },
	{ 1ull << 50, "1 PiB", "1p" },
	{ UINT64_MAX, "16384.00 PiB", "18446744073709551615" },
};

START_TEST(test_print_size)
{
	char buf[32];

	ck_assert_str_eq(units_print_size(buf, sizeof(buf), printed_sizes[_i].bytes),
			printed_sizes[_i].size);
	ck_assert_str_eq(units_print_bytes(buf, sizeof(buf), printed_sizes[_i].bytes),
			printed_sizes[_i].exact);
}
END_TEST

/* What is printed exactly must be read back as the same number, whatever it is. */
START_TEST(test_round_trip)
{
	uint64_t n = 1;
	uint64_t back;
	const char *why;
	char buf[32];

	for (int i = 0; i < 20000; i++) {
		/* Odd multipliers walk through all sizes; the shift makes round ones of some. */
		uint64_t bytes = n >> (i % 64) << (i % 7 * 10 % 64);

		units_print_bytes(buf, sizeof(buf), bytes);
		ck_assert_msg(units_size(buf, 1024, &back, &why) == 0, "%s: %s", buf, why);
		ck_assert_uint_eq(back, bytes);
		n = n * 6364136223846793005u + 1442695040888963407u;
	}
}
END_TEST

START_TEST(test_print_time)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} all[] = {
		{ 0, "0 ns" },
		{ 830, "830 ns" },
		{ 999, "999 ns" },
		{ 1000, "1 us" },
		{ 1001, "1.00 us" },
		{ 1250000, "1.25 ms" },
		{ 999999, "1.00 ms" },
		{ 999994, "999.99 us" },
		{ 10 * SEC, "10 s" },
		{ 600 * SEC, "600 s" },
		{ 999999999, "1.00 s" },
	};
	char buf[32];

	for (size_t i = 0; i < N(all); i++)
		ck_assert_str_eq(units_print_time(buf, sizeof(buf), all[i].ns), all[i].text);
}
END_TEST

START_TEST(test_print_ns)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} all[] = {
		{ 1, "1 ns" },
		{ 1001, "1001 ns" },
		{ 1999999, "1999999 ns" },
		{ 1250000, "1250 us" },
		{ 1500 * (SEC / 1000), "1500 ms" },
		{ 3600 * SEC, "3600 s" },
		{ UINT64_MAX, "18446744073709551615 ns" },
	};
	char buf[32];

	for (size_t i = 0; i < N(all); i++)
		ck_assert_str_eq(units_print_ns(buf, sizeof(buf), all[i].ns), all[i].text);
}
END_TEST

START_TEST(test_print_count)
{
	static const struct {
		uint64_t n;
		const char *text;
	} all[] = {
		{ 0, "0" },
		{ 7, "7" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 47932, "47,932" },
		{ 123456, "123,456" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char buf[32];

	for (size_t i = 0; i < N(all); i++)
		ck_assert_str_eq(units_print_count(buf, sizeof(buf), all[i].n), all[i].text);
}
END_TEST

START_TEST(test_print_si)
{
	static const struct {
		double n;
		const char *text;
	} all[] = {
		{ 0, "0" },
		{ 17, "17" },
		{ 17.26, "17.3" },
		{ 1.5, "1.50" },
		{ 0.034, "0.03" },
		{ 999, "999" },
		{ 999.4, "999" },
		{ 999.6, "1.00k" },
		{ 1000, "1.00k" },
		{ 9996, "10.0k" },
		{ 31500, "31.5k" },
		{ 99960, "100k" },
		{ 123456, "123k" },
		{ 1.2e6, "1.20M" },
		{ 999600, "1.00M" },
		{ 4.56e9, "4.56G" },
		{ 7e12, "7.00T" },
		{ -31500, "-31.5k" },
		{ HUGE_VAL, "inf" },
		{ (double)NAN, "nan" },
	};
	char buf[32];

	for (size_t i = 0; i < N(all); i++)
		ck_assert_str_eq(units_print_si(buf, sizeof(buf), all[i].n), all[i].text);
}
END_TEST

/* A locale with a decimal comma changes neither what is read nor what is printed. */
START_TEST(test_locale)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR" };
	const char *why = "";
	uint64_t bytes = 0;
	char buf[32];
	size_t i = 0;

	while (i < N(names) && !setlocale(LC_ALL, names[i]))
		i++;
	if (i == N(names)) {
		printf("test_locale: skipped: no locale with a decimal comma is installed\n");
		return;
	}
	ck_assert_int_eq(units_size("1.5m", 1024, &bytes, &why), 0);
	ck_assert_uint_eq(bytes, 1572864);
	ck_assert_str_eq(units_print_size(buf, sizeof(buf), 1536), "1.50 KiB");
	ck_assert_str_eq(units_print_si(buf, sizeof(buf), 31500), "31.5k");
	setlocale(LC_ALL, "C");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units");
	TCase *tc = tcase_create("units");

	tcase_add_loop_test(tc, test_size, 0, N(sizes));
	tcase_add_loop_test(tc, test_size_refused, 0, N(bad_sizes));
	tcase_add_loop_test(tc, test_time, 0, N(times));
	tcase_add_loop_test(tc, test_time_refused, 0, N(bad_times));
	tcase_add_loop_test(tc, test_int, 0, N(ints));
	tcase_add_loop_test(tc, test_int_refused, 0, N(bad_ints));
	tcase_add_test(tc, test_percent);
	tcase_add_loop_test(tc, test_print_size, 0, N(printed_sizes));
	tcase_add_test(tc, test_round_trip);
	tcase_add_test(tc, test_print_time);
	tcase_add_test(tc, test_print_ns);
	tcase_add_test(tc, test_print_count);
	tcase_add_test(tc, test_print_si);
	tcase_add_test(tc, test_locale);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
