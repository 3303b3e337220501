// SPDX-License-Identifier: MIT
#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../u128.h"

/* A number as written: digits / scale, then the text of its unit. */
struct number {
	bool negative;
	u128 digits;
	u128 scale; /* 10 to the number of decimals */
	const char *unit;
	size_t unit_len;
};

struct unit {
	const char *name;
	uint64_t value;
};

/* <ctype.h> asks the locale; a job file means the same everywhere. */
static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The value of a digit in any base up to 16, or 16. */
static unsigned digit(char c)
{
	c = lower(c);
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static int refuse(const char **why, const char *text)
{
	*why = text;
	return -EINVAL;
}

/* Adds the digits at *text to n, multiplying scale by factor for each; false: too many, or none. */
static bool read_digits(const char **text, unsigned base, unsigned factor, struct number *n)
{
	const char *s = *text;

	for (; digit(*s) < base; s++)
		if (__builtin_mul_overflow(n->digits, (u128)base, &n->digits) ||
				__builtin_add_overflow(n->digits, (u128)digit(*s), &n->digits) ||
				__builtin_mul_overflow(n->scale, (u128)factor, &n->scale))
			return false;
	if (s == *text)
		return false;
	*text = s;
	return true;
}

static int read_number(const char *text, struct number *n, const char **why)
{
	const char *end = text + strlen(text);
	unsigned base = 10;

	*n = (struct number){ .scale = 1 };
	while (blank(*text))
		text++;
	while (end > text && blank(end[-1]))
		end--;
	if (text == end)
		return refuse(why, "a value is missing");
	n->negative = *text == '-';
	text += *text == '-' || *text == '+';
	if (text[0] == '0' && lower(text[1]) == 'x') {
		base = 16;
		text += 2;
	}
	if (digit(*text) >= base)
		return refuse(why, "must start with a number");
	if (!read_digits(&text, base, 1, n))
		return refuse(why, "too large");
	if (base == 10 && *text == '.') {
		text++;
		if (digit(*text) >= 10)
			return refuse(why, "a digit is missing after the point");
		if (!read_digits(&text, 10, 10, n))
			return refuse(why, "more digits than a number can hold");
	}
	while (text < end && blank(*text))
		text++;
	n->unit = text;
	n->unit_len = (size_t)(end - text);
	return 0;
}

/* number * factor, which must be whole and at most max. */
static int scale_number(const struct number *n, uint64_t factor, uint64_t max, uint64_t *value,
		const char *fraction, const char **why)
{
	u128 product;

	if (__builtin_mul_overflow(n->digits, (u128)factor, &product) || product / n->scale > max)
		return refuse(why, "too large");
	if (product % n->scale)
		return refuse(why, fraction);
	*value = (uint64_t)(product / n->scale);
	return 0;
}

/* k m g t p, each with i and b as it likes, or b alone; 0: something else. */
static uint64_t size_unit(const struct number *n, unsigned kb_base)
{
	static const char letters[] = "kmgtp";
	const char *s = n->unit;
	const char *end = s + n->unit_len;
	const char *letter = s < end ? strchr(letters, lower(*s)) : NULL;
	uint64_t base = kb_base;
	uint64_t value = 1;

	if (letter) {
		s++;
		if (s < end && lower(*s) == 'i') {
			base = 1024;
			s++;
		}
		for (long i = letter - letters; i >= 0; i--)
			value *= base;
	}
	if (s < end && lower(*s) == 'b')
		s++;
	return s == end ? value : 0;
}

int units_size(const char *text, unsigned kb_base, uint64_t *bytes, const char **why)
{
	struct number n;
	uint64_t unit;

	if (read_number(text, &n, why))
		return -EINVAL;
	if (n.negative)
		return refuse(why, "must not be negative");
	unit = size_unit(&n, kb_base);
	if (!unit && memchr(n.unit, '-', n.unit_len))
		return refuse(why, "a range where one size is expected (bsrange takes ranges)");
	if (!unit)
		return refuse(why, "no unit of size follows the number; those are k m g t p, "
				"also as kb or Ki or KiB");
	return scale_number(&n, unit, UINT64_MAX, bytes, "not a whole number of bytes", why);
}

int units_int(const char *text, int64_t *value, const char **why)
{
	struct number n;
	uint64_t unit;
	uint64_t v;

	if (read_number(text, &n, why))
		return -EINVAL;
	unit = size_unit(&n, 1024);
	if (!unit)
		return refuse(why, "must be a whole number; only k m g t p may follow it");
	if (scale_number(&n, unit, (uint64_t)INT64_MAX + n.negative, &v,
			"must be a whole number", why))
		return -EINVAL;
	*value = (int64_t)(n.negative ? 0 - v : v);
	return 0;
}

static const struct unit time_units[] = {
	{ "ns", 1 },
	{ "nsec", 1 },
	{ "us", 1000 },
	{ "usec", 1000 },
	{ "ms", 1000000 },
	{ "msec", 1000000 },
	{ "s", 1000000000 },
	{ "sec", 1000000000 },
	{ "secs", 1000000000 },
	{ "second", 1000000000 },
	{ "seconds", 1000000000 },
	{ "m", 60000000000 },
	{ "min", 60000000000 },
	{ "mins", 60000000000 },
	{ "minute", 60000000000 },
	{ "minutes", 60000000000 },
	{ "h", 3600000000000 },
	{ "hr", 3600000000000 },
	{ "hour", 3600000000000 },
	{ "hours", 3600000000000 },
	{ "d", 86400000000000 },
	{ "day", 86400000000000 },
	{ "days", 86400000000000 },
};

static uint64_t time_unit(const struct number *n)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		const char *name = time_units[i].name;
		size_t len = 0;

		while (len < n->unit_len && name[len] && name[len] == lower(n->unit[len]))
			len++;
		if (len == n->unit_len && !name[len])
			return time_units[i].value;
	}
	return 0;
}

int units_time(const char *text, uint64_t unit_ns, uint64_t *ns, const char **why)
{
	struct number n;
	uint64_t unit;

	if (read_number(text, &n, why))
		return -EINVAL;
	if (n.negative)
		return refuse(why, "must not be negative");
	unit = n.unit_len ? time_unit(&n) : unit_ns;
	if (!unit)
		return refuse(why, "no unit of time follows the number; those are "
				"ns us ms s m h d (sec, min, ...)");
	return scale_number(&n, unit, UINT64_MAX, ns, "not a whole number of nanoseconds", why);
}

int units_percent(const char *text, unsigned *percent, const char **why)
{
	struct number n;
	uint64_t v;

	if (read_number(text, &n, why))
		return -EINVAL;
	/* "100%%" is what templates of printf leave behind; it stands in real job files. */
	if (n.unit_len == 2 && n.unit[1] == '%')
		n.unit_len = 1;
	if (n.unit_len != 1 || n.unit[0] != '%')
		return refuse(why, "must be a percentage such as 50%");
	if (n.negative || scale_number(&n, 1, 100, &v, "", why) || v < 1)
		return refuse(why, "must be a whole percentage from 1% to 100%");
	*percent = (unsigned)v;
	return 0;
}

/* value in the largest unit that it fills, whole or with two decimals; the list ends with a 1. */
static char *print_scaled(char *buf, size_t size, uint64_t value, const struct unit *unit)
{
	uint64_t whole;
	unsigned hundredths;
	u128 rounded;

	/* What rounds up to a whole next unit is written in that unit. */
	while (unit->value > 1 &&
			(u128)value * 200 + unit[1].value < (u128)unit->value * 200)
		unit++;
	rounded = ((u128)value * 100 + unit->value / 2) / unit->value;
	whole = (uint64_t)(rounded / 100);
	hundredths = (unsigned)(rounded % 100);
	if (value % unit->value)
		snprintf(buf, size, "%llu.%02u %s", (unsigned long long)whole, hundredths,
				unit->name);
	else
		snprintf(buf, size, "%llu %s", (unsigned long long)whole, unit->name);
	return buf;
}

static const struct unit size_names[] = {
	{ "PiB", 1ull << 50 },
	{ "TiB", 1ull << 40 },
	{ "GiB", 1ull << 30 },
	{ "MiB", 1ull << 20 },
	{ "KiB", 1ull << 10 },
	{ "B", 1 },
};

char *units_print_size(char *buf, size_t size, uint64_t bytes)
{
	return print_scaled(buf, size, bytes, size_names);
}

static const struct unit time_names[] = {
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};

char *units_print_time(char *buf, size_t size, uint64_t ns)
{
	return print_scaled(buf, size, ns, time_names);
}

char *units_print_ns(char *buf, size_t size, uint64_t ns)
{
	const struct unit *unit = time_names;

	while (ns % unit->value)
		unit++;
	snprintf(buf, size, "%llu %s", (unsigned long long)(ns / unit->value), unit->name);
	return buf;
}

char *units_print_bytes(char *buf, size_t size, uint64_t bytes)
{
	const struct unit *unit = size_names;

	while (unit->value > 1 && (bytes == 0 || bytes % unit->value))
		unit++;
	snprintf(buf, size, "%llu%.*s", (unsigned long long)(bytes / unit->value),
			unit->value > 1 ? 1 : 0, unit->name);
	for (char *c = buf; *c; c++)
		*c = lower(*c);
	return buf;
}

char *units_print_count(char *buf, size_t size, uint64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t out = 0;

	for (int i = 0; i < len && out + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
	return buf;
}

char *units_print_si(char *buf, size_t size, double n)
{
	static const char letters[] = " kMGTPE";
	const char *letter = letters;
	const char *sign = n < 0 ? "-" : "";
	unsigned long long v;
	unsigned power = 1;
	int decimals = 0;

	n = fabs(n);
	if (!(n < 999.5e18)) {
		snprintf(buf, size, "%s", isnan(n) ? "nan" : "inf");
		return buf;
	}
	for (; n >= 999.5; letter++)
		n /= 1000;
	if (letter > letters || n > (double)(uint64_t)n)
		decimals = n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
	for (int i = 0; i < decimals; i++)
		power *= 10;
	/* In whole numbers, since printf would ask the locale for the point. */
	v = (unsigned long long)(n * power + 0.5);
	if (decimals)
		snprintf(buf, size, "%s%llu.%0*llu", sign, v / power, decimals, v % power);
	else
		snprintf(buf, size, "%s%llu", sign, v);
	if (letter > letters)
		snprintf(buf + strlen(buf), size - strlen(buf), "%c", *letter);
	return buf;
}
