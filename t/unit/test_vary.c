// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../core/job/vary.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* A whole vary as text: NAME{LABEL:key=value,...}{...} */
static char *show(const struct vary *vary)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(vary->name, out);
	for (size_t i = 0; i < vary->npoints; i++) {
		const struct vary_point *p = &vary->points[i];

		fprintf(out, "{%s:", p->label);
		for (size_t j = 0; j < p->nsettings; j++)
			fprintf(out, "%s%s=%s", j ? "," : "", p->settings[j].key,
					p->settings[j].value);
		fputc('}', out);
	}
	fclose(out);
	return text;
}

static const struct {
	const char *text;
	const char *shown;
} good[] = {
	{ "bs: 4k 64k 1m", "bs{4k:bs=4k}{64k:bs=64k}{1m:bs=1m}" },
	{ "bs:4k", "bs{4k:bs=4k}" },
	{ "  bs :\t4k \t 8k  ", "bs{4k:bs=4k}{8k:bs=8k}" },
	{ "bs: 4k,8k 8k,4k,", "bs{4k,8k:bs=4k,8k}{8k,4k,:bs=8k,4k,}" },
	{ "rw: read randread", "rw{read:rw=read}{randread:rw=randread}" },
	{ "filename: /dev/a:/dev/b /c", "filename{/dev/a:/dev/b:filename=/dev/a:/dev/b}"
		"{/c:filename=/c}" },
	{ "filename: \"a b\" \"c=d\" \"e|f\" g\" h\"",
		"filename{a b:filename=a b}{c=d:filename=c=d}"
		"{e|f:filename=e|f}{g h:filename=g h}" },
	{ "mode: Normal read rw=read | Direct read rw=read direct=1",
		"mode{Normal read:rw=read}{Direct read:rw=read,direct=1}" },
	{ "mode: A rw=read|B rw=write", "mode{A:rw=read}{B:rw=write}" },
	{ "I/O mode: A rw=read | B  b   c rw=write", "I/O mode{A:rw=read}{B b c:rw=write}" },
	{ "mode: rw=read bs=4k | rw=write",
		"mode{rw=read bs=4k:rw=read,bs=4k}{rw=write:rw=write}" },
	{ "mode: one rw=read", "mode{one:rw=read}" },
	{ "m: A f=\"a b | c\" | \"B = b | x\" f=\"\" g=x=y",
		"m{A:f=a b | c}{B = b | x:f=,g=x=y}" },
	{ "m: a b= | c b=1", "m{a:b=}{c:b=1}" },
	{ "m: A vary_x=1 | B xvary=1", "m{A:vary_x=1}{B:xvary=1}" },
	{ "m: gr\xc3\xbc\xc3\x9f x=1 | b x=2", "m{gr\xc3\xbc\xc3\x9f:x=1}{b:x=2}" },
};

START_TEST(test_good)
{
	struct jobfile_pair pair = { .key = (char[]){ "vary" }, .path = "x.ini", .line = 7 };
	struct vary vary;
	struct err err;
	char *shown;

	pair.value = strdup(good[_i].text);
	ck_assert_msg(vary_parse(&vary, &pair, &err) == 0, "%s", err.text);
	ck_assert_str_eq(pair.value, good[_i].text);
	free(pair.value);
	shown = show(&vary);
	ck_assert_str_eq(shown, good[_i].shown);
	free(shown);
	ck_assert_str_eq(vary.path, "x.ini");
	ck_assert_uint_eq(vary.line, 7);
	vary_free(&vary);
	ck_assert_ptr_null(vary.points);
}
END_TEST

static const struct {
	const char *text;
	const char *error; /* behind "x.ini:7: vary = TEXT: ", or all of it where TEXT is NULL */
} bad[] = {
	{ NULL, "x.ini:7: vary: a value is missing; write vary = KEY: VALUE VALUE ..." },
	{ "bs 4k 8k", "a `:` is missing; write KEY: VALUE VALUE ..." },
	{ ": 4k 8k", "a name is missing before `:`" },
	{ " : 4k 8k", "a name is missing before `:`" },
	{ "bs:", "nothing follows `bs:`; write KEY: VALUE VALUE ... or NAME: LABEL KEY=VALUE ... | "
		"LABEL KEY=VALUE ..." },
	{ "bs: \t", "nothing follows `bs:`; write KEY: VALUE VALUE ... or NAME: LABEL KEY=VALUE "
		"... | LABEL KEY=VALUE ..." },
	{ "bs: 4k 8k 4k", "`4k` is there twice" },
	{ "bs: 4k, 8k", "`4k,`: blanks alone separate the values" },
	{ "filename /dev/a:/dev/b", "`filename /dev/a` is no key; write KEY: VALUE VALUE ..." },
	{ "m: A x=1 | A x=2", "`A` is there twice" },
	{ "m: x=1 | x=1", "`x=1` is there twice" },
	{ "m: A x=1 |", "an empty point: something must stand on both sides of `|`" },
	{ "m: | A x=1", "an empty point: something must stand on both sides of `|`" },
	{ "m: A x=1 || B x=2", "an empty point: something must stand on both sides of `|`" },
	{ "m: |", "an empty point: something must stand on both sides of `|`" },
	{ "m: A x=1 | B", "`B` sets nothing; a point is LABEL KEY=VALUE ..." },
	{ "m: A | B x=1", "`A` sets nothing; a point is LABEL KEY=VALUE ..." },
	{ "m: A x=1 stonewall | B x=2", "`stonewall` stands behind settings and has no `=`; a bare "
		"key is written as KEY=1, a value with blanks in \"\"" },
	{ "m: A =1", "a key is missing before `=1`" },
	{ "m: A x=1 | B vary=2", "vary cannot be varied" },
	{ "vary: a b", "vary cannot be varied" },
	{ "m: \"\" x=1", "a label must not be empty" },
	{ "x: \"\" b", "a label must not be empty" },
	{ "m: A x=\"1 | B x=2", "the closing `\"` is missing" },
	{ "bs: 4k \"", "the closing `\"` is missing" },
};

START_TEST(test_bad)
{
	struct jobfile_pair pair = { .key = (char[]){ "vary" }, .path = "x.ini", .line = 7 };
	struct vary vary;
	struct err err = { "" };
	char want[512];

	if (bad[_i].text) {
		pair.value = strdup(bad[_i].text);
		snprintf(want, sizeof(want), "x.ini:7: vary = %s: %s", bad[_i].text, bad[_i].error);
	} else {
		snprintf(want, sizeof(want), "%s", bad[_i].error);
	}
	ck_assert_int_eq(vary_parse(&vary, &pair, &err), -EINVAL);
	ck_assert_str_eq(err.text, want);
	ck_assert_uint_eq(vary.npoints, 0);
	free(pair.value);
}
END_TEST

/* "bs: 4k 8k#x" may have meant the character. */
START_TEST(test_commented)
{
	struct jobfile_pair pair = { .value = (char[]){ "bs: 4k 8k" }, .commented = true };
	struct vary vary;
	struct err err;

	ck_assert_int_eq(vary_parse(&vary, &pair, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "\\# or \\;"));
}
END_TEST

START_TEST(test_sets)
{
	struct jobfile_pair pair = {
		.value = (char[]){ "m: A rw=read | B io-depth=3 rw=write" },
	};
	struct vary vary;
	struct err err;

	ck_assert_int_eq(vary_parse(&vary, &pair, &err), 0);
	ck_assert(vary_sets(&vary, "rw"));
	ck_assert(vary_sets(&vary, "io_depth"));
	ck_assert(!vary_sets(&vary, "m"));
	ck_assert(!vary_sets(&vary, "r"));
	ck_assert(!vary_sets(&vary, "read"));
	vary_free(&vary);
}
END_TEST

/* A line of any length, and as many points as it has words. */
START_TEST(test_long)
{
	struct jobfile_pair pair = { 0 };
	struct vary vary;
	struct err err;
	size_t size;
	FILE *out = open_memstream(&pair.value, &size);

	fputs("bs:", out);
	for (int i = 0; i < 2000; i++)
		fprintf(out, " %dk", i);
	fclose(out);
	ck_assert_int_eq(vary_parse(&vary, &pair, &err), 0);
	ck_assert_uint_eq(vary.npoints, 2000);
	ck_assert_str_eq(vary.points[1999].settings[0].value, "1999k");
	vary_free(&vary);
	free(pair.value);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vary");
	TCase *tc = tcase_create("vary");

	tcase_add_loop_test(tc, test_good, 0, N(good));
	tcase_add_loop_test(tc, test_bad, 0, N(bad));
	tcase_add_test(tc, test_commented);
	tcase_add_test(tc, test_sets);
	tcase_add_test(tc, test_long);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
