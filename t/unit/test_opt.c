// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../core/job/opt.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define SEC 1000000000ull

struct conf {
	bool flag;
	int depth;
	int any;
	int64_t wide;
	uint64_t size;
	struct opt_size share;
	uint64_t time;
	uint64_t think;
	const char *name;
	const char *list;
	int mode;
	uint64_t bs[3];
	uint64_t range[2];
	uint64_t bsrange[3][2];
	int64_t rate[3];
	int span[2];
};

static const struct iojob_choice modes[] = {
	{ "none", 5, "nothing" },
	{ "read", 1, "reads" },
	{ "r", 1, NULL },
	{ "write", 2, "writes" },
	{ NULL, 0, NULL },
};

static const struct iojob_option rows[] = {
	{ .name = "flag", .type = IOJOB_OPT_BOOL, IOJOB_MEMBER(struct conf, flag), },
	{ .name = "io_depth", .alias = "depth", .type = IOJOB_OPT_INT, .def = "1", .min = 1,
		.max = 4096, IOJOB_MEMBER(struct conf, depth), },
	{ .name = "any", .type = IOJOB_OPT_INT, IOJOB_MEMBER(struct conf, any), },
	{ .name = "wide", .type = IOJOB_OPT_INT, .def = "-3", IOJOB_MEMBER(struct conf, wide), },
	{ .name = "size", .type = IOJOB_OPT_SIZE, .min = 512, .max = 1 << 30, .def = "1m",
		IOJOB_MEMBER(struct conf, size), },
	{ .name = "share", .type = IOJOB_OPT_SIZE, .flags = IOJOB_OPT_PERCENT,
		IOJOB_MEMBER(struct conf, share), },
	{ .name = "time", .type = IOJOB_OPT_TIME, .max = 3600 * (int64_t)SEC, .min = 1000000,
		.def = "10", IOJOB_MEMBER(struct conf, time), },
	{ .name = "think", .type = IOJOB_OPT_TIME, .unit_ns = 1000,
		IOJOB_MEMBER(struct conf, think), },
	{ .name = "name", .type = IOJOB_OPT_STRING, .def = "x", IOJOB_MEMBER(struct conf, name), },
	{ .name = "list", .type = IOJOB_OPT_STRING, .flags = IOJOB_OPT_APPEND,
		IOJOB_MEMBER(struct conf, list), },
	{ .name = "mode", .type = IOJOB_OPT_CHOICE, .choices = modes, .def = "write",
		IOJOB_MEMBER(struct conf, mode), },
	{ .name = "bs", .type = IOJOB_OPT_SIZE, .flags = IOJOB_OPT_TUPLE, .def = "4k",
		IOJOB_MEMBER(struct conf, bs), },
	{ .name = "range", .type = IOJOB_OPT_SIZE, .flags = IOJOB_OPT_RANGE,
		IOJOB_MEMBER(struct conf, range), },
	{ .name = "bsrange", .type = IOJOB_OPT_SIZE, .flags = IOJOB_OPT_TUPLE | IOJOB_OPT_RANGE,
		.min = 512, .max = INT64_MAX, IOJOB_MEMBER(struct conf, bsrange), },
	{ .name = "rate", .type = IOJOB_OPT_INT, .flags = IOJOB_OPT_TUPLE,
		IOJOB_MEMBER(struct conf, rate), },
	{ .name = "span", .type = IOJOB_OPT_INT, .flags = IOJOB_OPT_RANGE,
		IOJOB_MEMBER(struct conf, span), },
	{ .name = NULL, },
};

static const struct opt_table table = { rows, sizeof(rows[0]) };

static int set(struct conf *conf, const char *key, const char *value, struct err *err)
{
	struct iojob_option copy;
	const struct iojob_option *row = opt_find(&table, key, &copy);

	ck_assert_msg(row != NULL, "no row %s", key);
	return opt_set(row, conf, value, 1024, err);
}

static void defaults(struct conf *conf)
{
	struct err err;

	memset(conf, 0x5a, sizeof(*conf));
	ck_assert_msg(opt_defaults(&table, conf, &err) == 0, "%s", err.text);
}

START_TEST(test_defaults)
{
	struct conf c;

	defaults(&c);
	ck_assert(!c.flag);
	ck_assert_int_eq(c.depth, 1);
	ck_assert_int_eq(c.any, 0);
	ck_assert_int_eq(c.wide, -3);
	ck_assert_uint_eq(c.size, 1048576);
	ck_assert_uint_eq(c.share.bytes, 0);
	ck_assert_uint_eq(c.share.percent, 0);
	ck_assert_uint_eq(c.time, 10 * SEC);
	ck_assert_str_eq(c.name, "x");
	ck_assert_ptr_null(c.list);
	ck_assert_int_eq(c.mode, 2);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(c.bs[i], 4096);
		ck_assert_uint_eq(c.bsrange[i][0], 0);
		ck_assert_uint_eq(c.bsrange[i][1], 0);
	}
	opt_free(&table, &c);
	ck_assert_ptr_null(c.name);
}
END_TEST

START_TEST(test_bad_default)
{
	static const struct iojob_option bad[] = {
		{ .name = "name", .type = IOJOB_OPT_STRING, .def = "kept until the fault",
			IOJOB_MEMBER(struct conf, name), },
		{ .name = "any", .type = IOJOB_OPT_INT, .def = "4x",
			IOJOB_MEMBER(struct conf, any), },
		{ .name = NULL, },
	};
	const struct opt_table bad_table = { bad, sizeof(bad[0]) };
	struct conf c;
	struct err err;

	ck_assert_int_lt(opt_defaults(&bad_table, &c, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "any = 4x: "));
	ck_assert_ptr_null(c.name);
}
END_TEST

START_TEST(test_find)
{
	struct iojob_option copy;

	ck_assert_str_eq(opt_find(&table, "io_depth", &copy)->name, "io_depth");
	ck_assert_str_eq(opt_find(&table, "io-depth", &copy)->name, "io_depth");
	ck_assert_str_eq(opt_find(&table, "depth", &copy)->name, "io_depth");
	ck_assert_ptr_null(opt_find(&table, "iodepth", &copy));
	ck_assert_ptr_null(opt_find(&table, "io_dept", &copy));
	ck_assert_ptr_null(opt_find(&table, "io_depth_", &copy));
	ck_assert_ptr_null(opt_find(&table, "BS", &copy));
	ck_assert_ptr_null(opt_find(&table, "", &copy));
	ck_assert(opt_same_key("a-b_c", "a_b-c"));
	ck_assert(!opt_same_key("a-b", "a-bc"));
	ck_assert(!opt_same_key("a-bc", "a-b"));
}
END_TEST

/* A table of an older header (shorter rows) and of a newer one (longer rows). */
START_TEST(test_stride)
{
	struct newer {
		struct iojob_option row;
		const char *more;
	} long_rows[] = {
		{ { .name = "a", .help = "A" }, "x" },
		{ { .name = "b", .help = "B" }, "y" },
		{ { .name = NULL }, NULL },
	};
	enum { OLD = offsetof(struct iojob_option, help) };
	_Alignas(struct iojob_option) char short_rows[3 * OLD];
	struct opt_table newer = { &long_rows[0].row, sizeof(long_rows[0]) };
	struct opt_table older = { (const struct iojob_option *)(const void *)short_rows, OLD };
	struct opt_table none = { NULL, sizeof(struct iojob_option) };
	struct iojob_option copy;

	ck_assert_str_eq(opt_row(&newer, 1, &copy)->help, "B");
	ck_assert_str_eq(opt_find(&newer, "b", &copy)->help, "B");
	ck_assert_ptr_null(opt_row(&newer, 2, &copy));
	for (int i = 0; i < 3; i++)
		memcpy(short_rows + i * OLD, &long_rows[i].row, OLD);
	ck_assert_str_eq(opt_row(&older, 1, &copy)->name, "b");
	ck_assert_ptr_null(copy.help);
	ck_assert_ptr_null(copy.doc);
	ck_assert_str_eq(opt_find(&older, "b", &copy)->name, "b");
	ck_assert_ptr_null(opt_row(&older, 2, &copy));
	ck_assert_ptr_null(opt_row(&none, 0, &copy));
	ck_assert_ptr_null(opt_find(&none, "a", &copy));
}
END_TEST

START_TEST(test_bool)
{
	static const struct {
		const char *text;
		bool value;
	} all[] = {
		{ NULL, true }, { "1", true }, { "0", false }, { "8", true }, { "-1", true },
		{ "true", true }, { "false", false }, { "yes", true }, { "no", false },
		{ "on", true }, { "off", false }, { "Yes", true }, { "OFF", false },
	};
	static const char *const bad[] = { "", "maybe", "1x", "truee", "1.5" };
	struct conf c = { 0 };
	struct err err;

	for (size_t i = 0; i < N(all); i++) {
		c.flag = !all[i].value;
		ck_assert_int_eq(set(&c, "flag", all[i].text, &err), 0);
		ck_assert_int_eq(c.flag, all[i].value);
	}
	for (size_t i = 0; i < N(bad); i++) {
		c.flag = true;
		ck_assert_int_eq(set(&c, "flag", bad[i], &err), -EINVAL);
		ck_assert_ptr_nonnull(strstr(err.text, "must be 0 or 1"));
		ck_assert(c.flag);
	}
}
END_TEST

START_TEST(test_int)
{
	struct conf c = { 0 };
	struct err err;

	ck_assert_int_eq(set(&c, "depth", "64", &err), 0);
	ck_assert_int_eq(c.depth, 64);
	ck_assert_int_eq(set(&c, "depth", "4k", &err), 0);
	ck_assert_int_eq(c.depth, 4096);
	ck_assert_int_eq(set(&c, "any", "-2147483648", &err), 0);
	ck_assert_int_eq(c.any, INT_MIN);
	ck_assert_int_eq(set(&c, "wide", "1t", &err), 0);
	ck_assert_int_eq(c.wide, 1ll << 40);
}
END_TEST

/* Nothing that is refused changes anything; each text has KEY = VALUE and the cure. */
static const struct {
	const char *key;
	const char *value;
	const char *text;
} refused[] = {
	{ "depth", NULL, "io_depth: a value is missing" },
	{ "depth", "", "io_depth = : a value is missing" },
	{ "depth", "4x", "io_depth = 4x: must be a whole number; only k m g t p may follow it" },
	{ "depth", "0", "io_depth = 0: must be from 1 to 4096" },
	{ "depth", "4097", "io_depth = 4097: must be from 1 to 4096" },
	{ "depth", "4294967297", "io_depth = 4294967297: must be from 1 to 4096" },
	{ "any", "2147483648", "any = 2147483648: must be from -2147483648 to 2147483647" },
	{ "wide", "9223372036854775808", "wide = 9223372036854775808: too large" },
	{ "size", "511", "size = 511: must be from 512 to 1g" },
	{ "size", "2g", "size = 2g: must be from 512 to 1g" },
	{ "size", "17179869183g", "size = 17179869183g: must be from 512 to 1g" },
	{ "size", "8192x", "size = 8192x: no unit of size follows the number; those are k m g t p, "
		"also as kb or Ki or KiB" },
	{ "size", "50%", "size = 50%: no unit of size follows the number; those are k m g t p, "
		"also as kb or Ki or KiB" },
	{ "size", "-1", "size = -1: must not be negative" },
	{ "share", "101%", "share = 101%: must be a whole percentage from 1% to 100%" },
	{ "share", "5%5", "share = 5%5: must be a percentage such as 50%" },
	{ "time", "10us", "time = 10us: must be from 1ms to 3600s" },
	{ "time", "2h", "time = 2h: must be from 1ms to 3600s" },
	{ "time", "10x", "time = 10x: no unit of time follows the number; those are "
		"ns us ms s m h d (sec, min, ...)" },
	{ "name", NULL, "name: a value is missing" },
	{ "name", "", "name = : a value is missing" },
	{ "mode", NULL, "mode: a value is missing" },
	{ "mode", "reads", "mode = reads: must be one of none, read, write" },
	{ "mode", "", "mode = : must be one of none, read, write" },
	{ "mode", "READ", "mode = READ: must be one of none, read, write" },
	{ "bs", "4k-8k", "bs = 4k-8k: a range where one size is expected "
		"(bsrange takes ranges)" },
	{ "bs", "4k,8k,16k,32k", "bs = 4k,8k,16k,32k: at most three values: read,write,trim" },
	{ "bs", "4k,8k,16k,", "bs = 4k,8k,16k,: at most three values: read,write,trim" },
	{ "bs", "4k,x", "bs = 4k,x: must start with a number" },
	{ "bs", ",", "bs = ,: a value is missing" },
	{ "bs", ",,", "bs = ,,: a value is missing" },
	{ "bs", "", "bs = : a value is missing" },
	{ "range", "8k-4k", "range = 8k-4k: the smaller value must come first in a range" },
	{ "range", "4k-", "range = 4k-: a value is missing" },
	{ "range", "-4k", "range = -4k: must not be negative" },
	{ "range", "4k-8k-16k", "range = 4k-8k-16k: a range where one size is expected "
		"(bsrange takes ranges)" },
	{ "range", "4k,8k", "range = 4k,8k: no unit of size follows the number; those are "
		"k m g t p, also as kb or Ki or KiB" },
	{ "bsrange", "256-4k", "bsrange = 256-4k: must be at least 512" },
	{ "bsrange", "512-16383p", "bsrange = 512-16383p: too large" },
	{ "bsrange", "4k-8k,8k-4k", "bsrange = 4k-8k,8k-4k: the smaller value must come first in "
		"a range" },
	{ "span", "3--3", "span = 3--3: the smaller value must come first in a range" },
};

START_TEST(test_refused)
{
	struct conf c, before;
	struct err err = { "" };

	memset(&c, 0, sizeof(c));
	before = c;
	ck_assert_int_eq(set(&c, refused[_i].key, refused[_i].value, &err), -EINVAL);
	ck_assert_str_eq(err.text, refused[_i].text);
	ck_assert_mem_eq(&c, &before, sizeof(c));
}
END_TEST

START_TEST(test_size_and_time)
{
	struct conf c = { 0 };
	struct iojob_option copy;
	struct err err;

	ck_assert_int_eq(set(&c, "size", "1.5m", &err), 0);
	ck_assert_uint_eq(c.size, 1572864);
	ck_assert_int_eq(opt_set(opt_find(&table, "size", &copy), &c, "4k", 1000, &err), 0);
	ck_assert_uint_eq(c.size, 4000);
	ck_assert_int_eq(set(&c, "share", "95%", &err), 0);
	ck_assert_uint_eq(c.share.percent, 95);
	ck_assert_uint_eq(c.share.bytes, 0);
	ck_assert_int_eq(set(&c, "share", "10g", &err), 0);
	ck_assert_uint_eq(c.share.percent, 0);
	ck_assert_uint_eq(c.share.bytes, 10ull << 30);
	ck_assert_int_eq(set(&c, "time", "5", &err), 0);
	ck_assert_uint_eq(c.time, 5 * SEC);
	ck_assert_int_eq(set(&c, "time", "5ms", &err), 0);
	ck_assert_uint_eq(c.time, 5000000);
	ck_assert_int_eq(set(&c, "think", "5", &err), 0);
	ck_assert_uint_eq(c.think, 5000);
	ck_assert_int_eq(set(&c, "think", "0", &err), 0);
	ck_assert_uint_eq(c.think, 0);
}
END_TEST

START_TEST(test_string)
{
	struct conf c = { 0 };
	struct err err;
	char value[] = "abc";

	ck_assert_int_eq(set(&c, "name", value, &err), 0);
	value[0] = 'X';
	ck_assert_str_eq(c.name, "abc");
	ck_assert_int_eq(set(&c, "name", "two words", &err), 0);
	ck_assert_str_eq(c.name, "two words");
	ck_assert_int_eq(set(&c, "list", "/dev/a", &err), 0);
	ck_assert_int_eq(set(&c, "list", "/dev/b:/dev/c", &err), 0);
	ck_assert_str_eq(c.list, "/dev/a:/dev/b:/dev/c");
	opt_free(&table, &c);
	ck_assert_ptr_null(c.list);
}
END_TEST

START_TEST(test_choice)
{
	struct conf c = { 0 };
	struct err err;

	ck_assert_int_eq(set(&c, "mode", "none", &err), 0);
	ck_assert_int_eq(c.mode, 5);
	ck_assert_int_eq(set(&c, "mode", "r", &err), 0);
	ck_assert_int_eq(c.mode, 1);
}
END_TEST

/* What stands for read, write, trim; 7 was there before. */
static const struct {
	const char *text;
	uint64_t values[3];
} tuples[] = {
	{ "1", { 1, 1, 1 } },
	{ "1,2", { 1, 2, 2 } },
	{ "1,2,3", { 1, 2, 3 } },
	{ "1,", { 1, 7, 7 } },
	{ ",2", { 7, 2, 2 } },
	{ ",2,", { 7, 2, 7 } },
	{ "1,2,", { 1, 2, 7 } },
	{ "1,,3", { 1, 7, 3 } },
	{ ",,3", { 7, 7, 3 } },
	{ "1,,", { 1, 7, 7 } },
	{ " 1 , 2 ", { 1, 2, 2 } },
	{ "1k, 2k, 0", { 1024, 2048, 0 } },
};

START_TEST(test_tuple)
{
	struct conf c = { .bs = { 7, 7, 7 }, .rate = { 7, 7, 7 } };
	struct err err;

	ck_assert_int_eq(set(&c, "bs", tuples[_i].text, &err), 0);
	ck_assert_mem_eq(c.bs, tuples[_i].values, sizeof(c.bs));
	ck_assert_int_eq(set(&c, "rate", tuples[_i].text, &err), 0);
	ck_assert_mem_eq(c.rate, tuples[_i].values, sizeof(c.rate));
}
END_TEST

static const struct {
	const char *text;
	uint64_t values[3][2];
} ranges[] = {
	{ "1k-4k", { { 1024, 4096 }, { 1024, 4096 }, { 1024, 4096 } } },
	{ "512:1M", { { 512, 1048576 }, { 512, 1048576 }, { 512, 1048576 } } },
	{ "1k", { { 1024, 1024 }, { 1024, 1024 }, { 1024, 1024 } } },
	{ "1k-4k,2k:8k", { { 1024, 4096 }, { 2048, 8192 }, { 2048, 8192 } } },
	{ ",2k-8k", { { 7, 8 }, { 2048, 8192 }, { 2048, 8192 } } },
	{ "1k-4k,", { { 1024, 4096 }, { 7, 8 }, { 7, 8 } } },
	{ "1k, 2k - 4k ,1m", { { 1024, 1024 }, { 2048, 4096 }, { 1048576, 1048576 } } },
};

START_TEST(test_range)
{
	struct conf c = { .bsrange = { { 7, 8 }, { 7, 8 }, { 7, 8 } } };
	struct err err;

	ck_assert_msg(set(&c, "bsrange", ranges[_i].text, &err) == 0, "%s", err.text);
	ck_assert_mem_eq(c.bsrange, ranges[_i].values, sizeof(c.bsrange));
	ck_assert_int_eq(set(&c, "range", "4k-1g", &err), 0);
	ck_assert_uint_eq(c.range[0], 4096);
	ck_assert_uint_eq(c.range[1], 1u << 30);
	ck_assert_int_eq(set(&c, "span", "-5--3", &err), 0);
	ck_assert_int_eq(c.span[0], -5);
	ck_assert_int_eq(c.span[1], -3);
	ck_assert_int_eq(set(&c, "span", "-2:7", &err), 0);
	ck_assert_int_eq(c.span[0], -2);
	ck_assert_int_eq(c.span[1], 7);
}
END_TEST

/* Set, printed as in the third column, and set again from that: the same bytes. */
static const struct {
	const char *key;
	const char *value;
	const char *printed;
} prints[] = {
	{ "flag", NULL, "1" },
	{ "flag", "no", "0" },
	{ "depth", "4k", "4096" },
	{ "any", "-7", "-7" },
	{ "any", "-2147483648", "-2147483648" },
	{ "wide", "-9223372036854775808", "-9223372036854775808" },
	{ "wide", "1t", "1099511627776" },
	{ "size", "1.5m", "1536k" },
	{ "size", "513", "513" },
	{ "share", "95%", "95%" },
	{ "share", "10g", "10g" },
	{ "share", "0", "0" },
	{ "time", "90", "90s" },
	{ "time", "1.5", "1500ms" },
	{ "think", "0", "0s" },
	{ "think", "7", "7us" },
	{ "think", "7ns", "7ns" },
	{ "think", "1d", "86400s" },
	{ "think", "18446744073709551615ns", "18446744073709551615ns" },
	{ "name", "a b", "a b" },
	{ "mode", "r", "read" },
	{ "mode", "none", "none" },
	{ "bs", "4k", "4k" },
	{ "bs", "4k,8k", "4k,8k,8k" },
	{ "bs", ",8k,", "0,8k,0" },
	{ "range", "4k-1g", "4k-1g" },
	{ "range", "4k", "4k" },
	{ "bsrange", "1k-4k,2k", "1k-4k,2k,2k" },
	{ "rate", "1,-2,3k", "1,-2,3072" },
	{ "span", "-5--3", "-5--3" },
};

START_TEST(test_print)
{
	struct conf c, again;
	struct iojob_option copy;
	const struct iojob_option *row = opt_find(&table, prints[_i].key, &copy);
	struct err err;
	char buf[256];

	memset(&c, 0, sizeof(c));
	memset(&again, 0, sizeof(again));
	ck_assert_msg(opt_set(row, &c, prints[_i].value, 1024, &err) == 0, "%s", err.text);
	ck_assert_str_eq(opt_print(row, &c, buf, sizeof(buf)), prints[_i].printed);
	ck_assert_msg(opt_set(row, &again, buf, 1024, &err) == 0, "%s", err.text);
	if (row->type == IOJOB_OPT_STRING)
		ck_assert_str_eq(again.name, c.name);
	else
		ck_assert_mem_eq(&again, &c, sizeof(c));
	opt_free(&table, &c);
	opt_free(&table, &again);
}
END_TEST

START_TEST(test_print_short)
{
	struct conf c = { .name = "a long name", .bs = { 4096, 8192, 16384 } };
	struct iojob_option copy;
	char buf[6];

	ck_assert_str_eq(opt_print(opt_find(&table, "name", &copy), &c, buf, sizeof(buf)), "a lon");
	ck_assert_str_eq(opt_print(opt_find(&table, "bs", &copy), &c, buf, sizeof(buf)), "4k,8k");
	ck_assert_str_eq(opt_print(opt_find(&table, "list", &copy), &c, buf, sizeof(buf)), "");
}
END_TEST

/* A long value appears shortened, and the text still says what is wrong. */
START_TEST(test_long_value)
{
	struct conf c = { 0 };
	struct err err;
	char value[5000];

	memset(value, '9', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	ck_assert_int_eq(set(&c, "size", value, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "999...: too large"));
	ck_assert_int_eq(set(&c, "mode", value, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "must be one of none, read, write"));
}
END_TEST

/* Rows of a foreign table that would write past their member are refused, not followed. */
START_TEST(test_table_fault)
{
	static const struct iojob_option faults[] = {
		{ .name = "a", .type = IOJOB_OPT_INT, .size = 2, },
		{ .name = "a", .type = IOJOB_OPT_INT, .size = 16, },
		{ .name = "a", .type = IOJOB_OPT_SIZE, .size = 4, },
		{ .name = "a", .type = IOJOB_OPT_SIZE, .size = 8, .flags = IOJOB_OPT_TUPLE, },
		{ .name = "a", .type = IOJOB_OPT_SIZE, .size = 8, .flags = IOJOB_OPT_PERCENT, },
		{ .name = "a", .type = IOJOB_OPT_STRING, .size = 24, .flags = IOJOB_OPT_TUPLE, },
		{ .name = "a", .type = IOJOB_OPT_CHOICE, .size = 8, .flags = IOJOB_OPT_RANGE,
			.choices = modes, },
		{ .name = "a", .type = IOJOB_OPT_CHOICE, .size = 4, },
		{ .name = "a", .type = (enum iojob_opt_type)6, .size = 8, },
		{ .name = "a", .type = IOJOB_OPT_BOOL, .size = 0, },
	};
	char base[64] = { 0 };
	const char zeros[64] = { 0 };
	struct err err;
	char buf[32];

	ck_assert_int_eq(opt_set(&faults[_i], base, "1", 1024, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "a fault of the option table"));
	ck_assert_mem_eq(base, zeros, sizeof(base));
	ck_assert_str_eq(opt_print(&faults[_i], base, buf, sizeof(buf)), "");
}
END_TEST

START_TEST(test_nearest)
{
	static const struct {
		const char *key;
		const char *name; /* NULL: nothing is near */
	} all[] = {
		{ "iodepth", "io_depth" },
		{ "io-detph", "io_depth" },
		{ "IO_DEPTH", "io_depth" },
		{ "dept", "depth" },
		{ "moed", "mode" },
		{ "bsragne", "bsrange" },
		{ "siz", "size" },
		{ "b", "bs" },
		{ "zz", NULL },
		{ "verify", NULL },
		{ "something_else", NULL },
		{ "", NULL },
		{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", NULL },
	};

	for (size_t i = 0; i < N(all); i++) {
		struct opt_nearest best = { .distance = UINT_MAX };

		opt_nearest_row(&best, all[i].key, &table);
		if (all[i].name)
			ck_assert_pstr_eq(best.name, all[i].name);
		else
			ck_assert_msg(best.name == NULL, "%s -> %s", all[i].key, best.name);
	}
}
END_TEST

/* Over several calls the nearest of all is kept, the first where two are alike. */
START_TEST(test_nearest_names)
{
	struct opt_nearest best = { .distance = UINT_MAX };

	opt_nearest_name(&best, "runtim", "far_away_from_it");
	ck_assert_ptr_null(best.name);
	opt_nearest_name(&best, "runtim", "run_tim");
	opt_nearest_name(&best, "runtim", "runtime");
	ck_assert_str_eq(best.name, "run_tim");
	ck_assert_uint_eq(best.distance, 1);
	opt_nearest_name(&best, "runtim", "runtim");
	ck_assert_str_eq(best.name, "runtim");
	ck_assert_uint_eq(best.distance, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opt");
	TCase *tc = tcase_create("opt");

	tcase_add_test(tc, test_defaults);
	tcase_add_test(tc, test_bad_default);
	tcase_add_test(tc, test_find);
	tcase_add_test(tc, test_stride);
	tcase_add_test(tc, test_bool);
	tcase_add_test(tc, test_int);
	tcase_add_loop_test(tc, test_refused, 0, N(refused));
	tcase_add_test(tc, test_size_and_time);
	tcase_add_test(tc, test_string);
	tcase_add_test(tc, test_choice);
	tcase_add_loop_test(tc, test_tuple, 0, N(tuples));
	tcase_add_loop_test(tc, test_range, 0, N(ranges));
	tcase_add_loop_test(tc, test_print, 0, N(prints));
	tcase_add_test(tc, test_print_short);
	tcase_add_test(tc, test_long_value);
	tcase_add_loop_test(tc, test_table_fault, 0, 10);
	tcase_add_test(tc, test_nearest);
	tcase_add_test(tc, test_nearest_names);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
