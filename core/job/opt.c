// SPDX-License-Identifier: MIT
#include "opt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "units.h"

enum {
	MEMBERS = 3,            /* of a TUPLE: read, write, trim */
	MEMBER_BYTES = 16,      /* the largest single value: struct opt_size */
	NAME_MAX_COMPARED = 64, /* longer keys are near nothing */
};

/* One assignment on its way: what the error text needs travels along. */
struct setting {
	const struct iojob_option *row;
	const char *value; /* the whole value, NULL for a bare key */
	unsigned kb_base;
	struct err *err;
};

static int refuse(const struct setting *s, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

static int refuse(const struct setting *s, const char *format, ...)
{
	char text[sizeof(s->err->text)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (!s->value)
		return err_set(s->err, EINVAL, "%s: %s", s->row->name, text);
	return err_set(s->err, EINVAL, "%s = %.80s%s: %s", s->row->name, s->value,
			strlen(s->value) > 80 ? "..." : "", text);
}

/* ---- rows ---------------------------------------------------------------------------------- */

const struct iojob_option *opt_row(
		const struct opt_table *table, size_t i, struct iojob_option *copy)
{
	size_t size = table->stride < sizeof(*copy) ? table->stride : sizeof(*copy);

	if (!table->rows)
		return NULL;
	memset(copy, 0, sizeof(*copy));
	memcpy(copy, (const char *)table->rows + i * table->stride, size);
	return copy->name ? copy : NULL;
}

static char fold(char c)
{
	return (char)(c == '-' ? '_' : c);
}

bool opt_same_key(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return fold(*a) == fold(*b);
}

const struct iojob_option *opt_find(
		const struct opt_table *table, const char *key, struct iojob_option *copy)
{
	for (size_t i = 0; opt_row(table, i, copy); i++)
		if (opt_same_key(copy->name, key) ||
				(copy->alias && opt_same_key(copy->alias, key)))
			return copy;
	return NULL;
}

/* How many values lie in the row's member. */
static size_t row_values(const struct iojob_option *row)
{
	return (row->flags & IOJOB_OPT_TUPLE ? MEMBERS : 1u) *
			(row->flags & IOJOB_OPT_RANGE ? 2u : 1u);
}

/* Bytes of one value of the row, as its type wants them; 0: flags or size do not fit the type. */
static size_t row_width(const struct iojob_option *row)
{
	static const uint32_t flags[] = {
		[IOJOB_OPT_BOOL] = IOJOB_OPT_TUPLE,
		[IOJOB_OPT_INT] = IOJOB_OPT_TUPLE | IOJOB_OPT_RANGE,
		[IOJOB_OPT_SIZE] = IOJOB_OPT_TUPLE | IOJOB_OPT_RANGE | IOJOB_OPT_PERCENT,
		[IOJOB_OPT_TIME] = IOJOB_OPT_TUPLE | IOJOB_OPT_RANGE,
		[IOJOB_OPT_STRING] = IOJOB_OPT_APPEND,
		[IOJOB_OPT_CHOICE] = IOJOB_OPT_TUPLE,
	};
	static const size_t widths[] = {
		[IOJOB_OPT_BOOL] = sizeof(bool),
		[IOJOB_OPT_INT] = sizeof(int),
		[IOJOB_OPT_SIZE] = sizeof(uint64_t),
		[IOJOB_OPT_TIME] = sizeof(uint64_t),
		[IOJOB_OPT_STRING] = sizeof(char *),
		[IOJOB_OPT_CHOICE] = sizeof(int),
	};
	size_t width = row->size / row_values(row);
	size_t want;

	if (row->type > IOJOB_OPT_CHOICE || width * row_values(row) != row->size ||
			row->flags & ~(flags[row->type] | IOJOB_OPT_REQUIRED))
		return 0;
	want = widths[row->type];
	if (row->type == IOJOB_OPT_INT && width == sizeof(int64_t))
		want = sizeof(int64_t);
	if (row->type == IOJOB_OPT_SIZE && (row->flags & IOJOB_OPT_PERCENT))
		want = sizeof(struct opt_size);
	return width == want ? width : 0;
}

/* ---- one value ----------------------------------------------------------------------------- */

/* Exact and with its unit, so that it reads back as the same number. */
static void print_time(char *buf, size_t size, uint64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "s", 1000000000 },
		{ "ms", 1000000 },
		{ "us", 1000 },
		{ "ns", 1 },
	};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf(buf, size, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].name);
}

static void print_number(const struct iojob_option *row, char *buf, size_t size, int64_t n)
{
	if (row->type == IOJOB_OPT_TIME)
		print_time(buf, size, (uint64_t)n);
	else if (row->type == IOJOB_OPT_SIZE)
		units_print_bytes(buf, size, (uint64_t)n);
	else
		snprintf(buf, size, "%lld", (long long)n);
}

static int out_of_range(const struct setting *s, int64_t min, int64_t max)
{
	char low[32];
	char high[32];

	print_number(s->row, low, sizeof(low), min);
	print_number(s->row, high, sizeof(high), max);
	if (max == INT64_MAX)
		return refuse(s, "must be at least %s", low);
	return refuse(s, "must be from %s to %s", low, high);
}

/* Of a SIZE or a TIME. */
static int check_unsigned(const struct setting *s, uint64_t value)
{
	const struct iojob_option *row = s->row;

	if (row->min == 0 && row->max == 0)
		return 0;
	if (value > INT64_MAX && row->max == INT64_MAX)
		return refuse(s, "too large");
	if (value > INT64_MAX || (int64_t)value < row->min || (int64_t)value > row->max)
		return out_of_range(s, row->min, row->max);
	return 0;
}

static int set_bool(const struct setting *s, const char *text, void *member)
{
	static const struct {
		const char *name;
		bool value;
	} words[] = {
		{ "true", true },
		{ "yes", true },
		{ "on", true },
		{ "false", false },
		{ "no", false },
		{ "off", false },
	};
	const char *why;
	int64_t number;
	bool value = false;
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0]) && strcasecmp(text, words[i].name) != 0)
		i++;
	if (i < sizeof(words) / sizeof(words[0]))
		value = words[i].value;
	else if (units_int(text, &number, &why) == 0)
		value = number != 0;
	else
		return refuse(s, "must be 0 or 1 (or true, false, yes, no, on, off)");
	memcpy(member, &value, sizeof(value));
	return 0;
}

static int set_int(const struct setting *s, const char *text, void *member)
{
	const struct iojob_option *row = s->row;
	bool wide = row_width(row) == sizeof(int64_t);
	bool bounded = row->min != 0 || row->max != 0;
	int64_t min = bounded ? row->min : wide ? INT64_MIN : INT_MIN;
	int64_t max = bounded ? row->max : wide ? INT64_MAX : INT_MAX;
	const char *why;
	int64_t value;
	int narrow;

	if (units_int(text, &value, &why))
		return refuse(s, "%s", why);
	narrow = (int)value;
	if (value < min || value > max || (!wide && narrow != value))
		return out_of_range(s, min, max);
	if (wide)
		memcpy(member, &value, sizeof(value));
	else
		memcpy(member, &narrow, sizeof(narrow));
	return 0;
}

static int set_size(const struct setting *s, const char *text, void *member)
{
	bool percents = s->row->flags & IOJOB_OPT_PERCENT;
	struct opt_size size = { 0 };
	const char *why;
	unsigned percent;

	if (percents && strchr(text, '%')) {
		if (units_percent(text, &percent, &why))
			return refuse(s, "%s", why);
		size.percent = percent;
	} else if (units_size(text, s->kb_base, &size.bytes, &why)) {
		return refuse(s, "%s", why);
	} else if (check_unsigned(s, size.bytes)) {
		return -EINVAL;
	}
	if (percents)
		memcpy(member, &size, sizeof(size));
	else
		memcpy(member, &size.bytes, sizeof(size.bytes));
	return 0;
}

static int set_time(const struct setting *s, const char *text, void *member)
{
	uint64_t unit_ns = s->row->unit_ns ? s->row->unit_ns : 1000000000;
	const char *why;
	uint64_t ns;

	if (units_time(text, unit_ns, &ns, &why))
		return refuse(s, "%s", why);
	if (check_unsigned(s, ns))
		return -EINVAL;
	memcpy(member, &ns, sizeof(ns));
	return 0;
}

/* Is there an earlier name for the same value? Then this one is not worth a place in a list. */
static bool choice_repeats(const struct iojob_choice *all, const struct iojob_choice *choice)
{
	while (all->value != choice->value)
		all++;
	return all != choice;
}

static int set_choice(const struct setting *s, const char *text, void *member)
{
	const struct iojob_choice *choice;
	char list[512] = "";
	size_t len = 0;

	for (choice = s->row->choices; choice->name; choice++)
		if (strcmp(choice->name, text) == 0) {
			memcpy(member, &choice->value, sizeof(choice->value));
			return 0;
		}
	for (choice = s->row->choices; choice->name && len < sizeof(list); choice++)
		if (!choice_repeats(s->row->choices, choice))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					len ? ", " : "", choice->name);
	return refuse(s, "must be one of %s", list);
}

/* By type; a STRING is no plain value and has its own way. */
static int (*const setters[])(const struct setting *s, const char *text, void *member) = {
	[IOJOB_OPT_BOOL] = set_bool,
	[IOJOB_OPT_INT] = set_int,
	[IOJOB_OPT_SIZE] = set_size,
	[IOJOB_OPT_TIME] = set_time,
	[IOJOB_OPT_STRING] = NULL,
	[IOJOB_OPT_CHOICE] = set_choice,
};

/* ---- a whole value ------------------------------------------------------------------------- */

/* a > b, for the types that have an order. */
static bool greater(const struct iojob_option *row, const char *a, const char *b)
{
	uint64_t ua, ub;
	int64_t ia, ib;
	int na, nb;

	if (row->type != IOJOB_OPT_INT) {
		memcpy(&ua, a, sizeof(ua));
		memcpy(&ub, b, sizeof(ub));
		return ua > ub;
	}
	if (row_width(row) == sizeof(int)) {
		memcpy(&na, a, sizeof(na));
		memcpy(&nb, b, sizeof(nb));
		return na > nb;
	}
	memcpy(&ia, a, sizeof(ia));
	memcpy(&ib, b, sizeof(ib));
	return ia > ib;
}

/* One member of the tuple: a value, or a pair of them. Cuts text. */
static int set_member(const struct setting *s, char *text, char *member)
{
	size_t width = row_width(s->row);
	char *separator;

	if (!(s->row->flags & IOJOB_OPT_RANGE))
		return setters[s->row->type](s, text, member);
	text += strspn(text, " \t");
	/* Past the first character, which may be a sign. */
	separator = *text ? strpbrk(text + 1, "-:") : NULL;
	if (!separator) {
		if (setters[s->row->type](s, text, member))
			return -EINVAL;
		memcpy(member + width, member, width);
		return 0;
	}
	*separator = '\0';
	if (setters[s->row->type](s, text, member) ||
			setters[s->row->type](s, separator + 1, member + width))
		return -EINVAL;
	if (greater(s->row, member, member + width))
		return refuse(s, "the smaller value must come first in a range");
	return 0;
}

/*
 * read,write,trim; an empty place leaves what is there. What is not written follows the one before
 * it: "a" is for all, "a,b" gives b to trim as well.
 */
static int set_tuple(const struct setting *s, char *text, char *members)
{
	size_t bytes = s->row->size / MEMBERS;
	char *part[MEMBERS];
	size_t n = 0;
	bool any = false;

	while (text) {
		if (n == MEMBERS)
			return refuse(s, "at most three values: read,write,trim");
		part[n++] = strsep(&text, ",");
	}
	for (size_t i = 0; i < MEMBERS; i++) {
		char *from = part[i < n ? i : n - 1];

		if (i >= n && from[strspn(from, " \t")])
			memcpy(members + i * bytes, members + (n - 1) * bytes, bytes);
		if (i >= n || !from[strspn(from, " \t")])
			continue;
		if (set_member(s, from, members + i * bytes))
			return -EINVAL;
		any = true;
	}
	return any ? 0 : refuse(s, "a value is missing");
}

static int set_string(const struct setting *s, char **member)
{
	char *text;

	if (!*s->value)
		return refuse(s, "a value is missing");
	if (*member && (s->row->flags & IOJOB_OPT_APPEND)) {
		if (asprintf(&text, "%s:%s", *member, s->value) < 0)
			text = NULL;
	} else {
		text = strdup(s->value);
	}
	if (!text)
		return err_set(s->err, ENOMEM, "%s: out of memory", s->row->name);
	free(*member);
	*member = text;
	return 0;
}

int opt_set(const struct iojob_option *row, void *base, const char *value, unsigned kb_base,
		struct err *err)
{
	struct setting s = { .row = row, .value = value, .kb_base = kb_base, .err = err };
	char *member = (char *)base + row->offset;
	/* Set aside, so that a value that is refused changes nothing. */
	char values[MEMBERS * 2 * MEMBER_BYTES];
	char *text;
	int rc;

	if (!row_width(row) || (row->type == IOJOB_OPT_CHOICE && !row->choices))
		return refuse(&s, "a fault of the option table: the row does not fit its type");
	if (!value && row->type == IOJOB_OPT_BOOL)
		value = "1";
	if (!value)
		return refuse(&s, "a value is missing");
	if (row->type == IOJOB_OPT_STRING)
		return set_string(&s, (char **)(void *)member);

	text = strdup(value);
	if (!text)
		return err_set(err, ENOMEM, "%s: out of memory", row->name);
	memcpy(values, member, row->size);
	rc = row->flags & IOJOB_OPT_TUPLE ? set_tuple(&s, text, values) :
					    set_member(&s, text, values);
	if (rc == 0)
		memcpy(member, values, row->size);
	free(text);
	return rc;
}

int opt_defaults(const struct opt_table *table, void *base, struct err *err)
{
	struct iojob_option row;

	for (size_t i = 0; opt_row(table, i, &row); i++)
		memset((char *)base + row.offset, 0, row.size);
	for (size_t i = 0; opt_row(table, i, &row); i++)
		if (row.def && opt_set(&row, base, row.def, 1024, err)) {
			opt_free(table, base);
			return -EINVAL;
		}
	return 0;
}

int opt_copy(const struct opt_table *table, void *to, const void *from)
{
	struct iojob_option row;
	int rc = 0;

	for (size_t i = 0; opt_row(table, i, &row); i++)
		memcpy((char *)to + row.offset, (const char *)from + row.offset, row.size);
	for (size_t i = 0; opt_row(table, i, &row); i++) {
		char **member = (char **)(void *)((char *)to + row.offset);
		const char *const *theirs = (const void *)((const char *)from + row.offset);

		/* Two rows may have one member, which is copied already then. */
		if (row.type != IOJOB_OPT_STRING || !*theirs || *member != *theirs)
			continue;
		*member = rc ? NULL : strdup(*theirs);
		rc = *member ? 0 : -ENOMEM;
	}
	if (rc)
		opt_free(table, to);
	return rc;
}

void opt_free(const struct opt_table *table, void *base)
{
	struct iojob_option row;

	for (size_t i = 0; opt_row(table, i, &row); i++)
		if (row.type == IOJOB_OPT_STRING) {
			char **member = (char **)(void *)((char *)base + row.offset);

			free(*member);
			*member = NULL;
		}
}

/* ---- printing ------------------------------------------------------------------------------ */

static void print_value(const struct iojob_option *row, const char *member, char *buf, size_t size)
{
	const struct iojob_choice *choice = row->choices;
	struct opt_size bytes = { 0 };
	int64_t number = 0;
	int narrow = 0;

	buf[0] = '\0';
	switch (row->type) {
	case IOJOB_OPT_BOOL:
		snprintf(buf, size, "%d", *(const bool *)(const void *)member);
		break;
	case IOJOB_OPT_INT:
		if (row_width(row) == sizeof(int)) {
			memcpy(&narrow, member, sizeof(narrow));
			number = narrow;
		} else {
			memcpy(&number, member, sizeof(number));
		}
		print_number(row, buf, size, number);
		break;
	case IOJOB_OPT_TIME:
		memcpy(&number, member, sizeof(number));
		print_number(row, buf, size, number);
		break;
	case IOJOB_OPT_SIZE:
		memcpy(&bytes, member, row_width(row));
		if (bytes.percent)
			snprintf(buf, size, "%u%%", bytes.percent);
		else
			units_print_bytes(buf, size, bytes.bytes);
		break;
	case IOJOB_OPT_STRING:
		break;
	case IOJOB_OPT_CHOICE:
		memcpy(&narrow, member, sizeof(narrow));
		while (choice && choice->name && choice->value != narrow)
			choice++;
		if (choice && choice->name)
			snprintf(buf, size, "%s", choice->name);
		break;
	}
}

char *opt_print(const struct iojob_option *row, const void *base, char *buf, size_t size)
{
	const char *member = (const char *)base + row->offset;
	const char *string;
	size_t members = row->flags & IOJOB_OPT_TUPLE ? MEMBERS : 1;
	size_t width = row_width(row);
	size_t bytes = row->size / members;
	size_t len = 0;
	char low[64];
	char high[64];

	buf[0] = '\0';
	if (!width)
		return buf;
	if (row->type == IOJOB_OPT_STRING) {
		memcpy(&string, member, sizeof(string));
		snprintf(buf, size, "%s", string ? string : "");
		return buf;
	}
	if (members > 1 && memcmp(member, member + bytes, bytes) == 0 &&
			memcmp(member, member + 2 * bytes, bytes) == 0)
		members = 1;
	for (size_t i = 0; i < members && len < size; i++, member += bytes) {
		bool pair = row->flags & IOJOB_OPT_RANGE && memcmp(member, member + width, width);

		print_value(row, member, low, sizeof(low));
		if (pair)
			print_value(row, member + width, high, sizeof(high));
		len += (size_t)snprintf(buf + len, size - len, "%s%s%s%s", i ? "," : "", low,
				pair ? "-" : "", pair ? high : "");
	}
	return buf;
}

/* ---- did you mean -------------------------------------------------------------------------- */

static char normal(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : fold(c));
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Damerau-Levenshtein: letters added, lost, changed, and neighbours that changed places. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_MAX_COMPARED + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	unsigned len_a = (unsigned)strlen(a);
	unsigned len_b = (unsigned)strlen(b);

	for (unsigned j = 0; j <= len_b; j++)
		last[j] = before[j] = j;
	for (unsigned i = 1; i <= len_a; i++) {
		unsigned *oldest = before;

		now[0] = i;
		for (unsigned j = 1; j <= len_b; j++) {
			bool same = normal(a[i - 1]) == normal(b[j - 1]);

			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && normal(a[i - 1]) == normal(b[j - 2]) &&
					normal(a[i - 2]) == normal(b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[len_b];
}

void opt_nearest_name(struct opt_nearest *best, const char *key, const char *name)
{
	size_t len = strlen(key);
	unsigned d;

	if (len > NAME_MAX_COMPARED || strlen(name) > NAME_MAX_COMPARED)
		return;
	d = distance(key, name);
	if (d > 1 + len / 4 || d >= best->distance)
		return;
	best->name = name;
	best->distance = d;
}

void opt_nearest_row(struct opt_nearest *best, const char *key, const struct opt_table *table)
{
	struct iojob_option row;

	for (size_t i = 0; opt_row(table, i, &row); i++) {
		opt_nearest_name(best, key, row.name);
		if (row.alias)
			opt_nearest_name(best, key, row.alias);
	}
}
