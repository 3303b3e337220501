// SPDX-License-Identifier: MIT
#include "../../output/man.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../core/job/job.h"
#include "../../output/help.h"
#include "unit.h"

/* ---- an engine whose texts try to break the page -------------------------------------------- */

struct nasty_conf {
	int way;
	const char *text;
	uint64_t pause;
};

static const struct iojob_choice nasty_ways[] = {
	{ "--left", 0, "-- goes \"left\" \\ at `once`" },
	{ "sinister", 0, NULL },
	{ "Pp", 1, "a word that is a macro" },
	{ NULL, 0, NULL },
};

static const struct iojob_option nasty_options[] = {
	{
		.name = "way",
		.alias = "dir",
		.type = IOJOB_OPT_CHOICE,
		IOJOB_MEMBER(struct nasty_conf, way),
		.def = "--left",
		.choices = nasty_ways,
		.help = ".Sh begins with a dot",
		.doc = ".It would be a macro. 'So would this. \\fBnot bold\\fR and \"quoted\".\n\n"
		       "\t.Ed\n\t'quoted' \\n line\n\tdeep\tdown\n\n"
		       "A lone ` backtick, and `--set x=y` in bold. x\n.Pp\n'x",
	},
	{
		.name = "It",
		.type = IOJOB_OPT_STRING,
		.flags = IOJOB_OPT_REQUIRED,
		IOJOB_MEMBER(struct nasty_conf, text),
		.help = "a key named like a macro",
		.doc = "\ton = ly\n\tan example",
	},
	{
		.name = "pause",
		.type = IOJOB_OPT_TIME,
		IOJOB_MEMBER(struct nasty_conf, pause),
		.def = "5",
		.min = 1000,
		.max = 1000000,
		.unit_ns = 1000,
		.help = "how long",
	},
	{ .name = NULL },
};

static const struct engine nasty = {
	.e = {
		.name = "na-sty",
		.summary = "tries \"hard\" to break .pages \\",
		.doc = "First paragraph with `code`.\n\n.Second one\\.",
		.options = nasty_options,
		.conf_size = sizeof(struct nasty_conf),
		.max_depth = 7,
		.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_FSYNC),
		.flags = IOJOB_ENGINE_ONE_WORKER,
	},
	.options = { nasty_options, sizeof(nasty_options[0]) },
};

static const struct engine bare = {
	.e = { .name = "bare", .summary = "has nothing", .ops = IOJOB_OP_BIT(IOJOB_READ) },
};

/* ---- pages ---------------------------------------------------------------------------------- */

/* The page of an engine, or iojob-job(5) where it is NULL. On the heap. */
static char *page_of(const struct engine *engine)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	if (engine)
		man_engine(to, engine);
	else
		man_job(to);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

static void must_have(const char *page, const char *text)
{
	ck_assert_msg(strstr(page, text) != NULL, "`%s` is not on the page", text);
}

static bool have_mandoc(void)
{
	return system("command -v mandoc >/dev/null 2>&1") == 0;
}

/* What `mandoc OPTIONS` says of a page; its exit status is 0 or the test fails. On the heap. */
static char *mandoc(const char *options, const char *page)
{
	char path[] = "/tmp/iojob-man-XXXXXX";
	int fd = mkstemp(path);
	char command[128];
	char *output = calloc(1, 1 << 18);
	FILE *pipe;
	int status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, page, strlen(page)), (ssize_t)strlen(page));
	close(fd);
	snprintf(command, sizeof(command), "mandoc %s %s 2>&1", options, path);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_uint_lt(fread(output, 1, 1 << 18, pipe), 1 << 18);
	status = pclose(pipe);
	unlink(path);
	ck_assert_msg(status == 0, "%s", output);
	return output;
}

static const struct engine *const pages[] = { NULL, &nasty, &bare };

START_TEST(lint)
{
	char *page = page_of(pages[_i]);
	char *output;

	if (!have_mandoc()) {
		printf("skipped: no mandoc to lint manual pages with\n");
	} else {
		output = mandoc("-T lint -W warning", page);
		ck_assert_str_eq(output, "");
		free(output);
	}
	free(page);
}
END_TEST

START_TEST(every_key_is_there)
{
	const struct opt_table tables[] = { job_table(), help_words() };
	char *page = page_of(NULL);
	const struct iojob_option *row;
	struct iojob_option copy;
	size_t rows = 0;
	char text[256];

	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; (row = opt_row(&tables[t], i, &copy)); i++, rows++) {
			snprintf(text, sizeof(text), "\n.It Cm \"\\&%s\" Ns = Ns Ar", row->name);
			must_have(page, text);
			if (row->alias) {
				snprintf(text, sizeof(text), " Pq also Cm \"\\&%s\"", row->alias);
				must_have(page, text);
			}
			for (const struct iojob_choice *c = row->choices; c && c->name; c++) {
				snprintf(text, sizeof(text), "%s%s",
						c->help ? "\n.It Cm \"\\&" : "", c->name);
				must_have(page, text);
			}
		}
	}
	ck_assert_uint_gt(rows, 60);
	free(page);
}
END_TEST

START_TEST(facts_are_there)
{
	char *page = page_of(&nasty);

	must_have(page, "\n.Dt \"IOJOB-NA-STY\" 7\n");
	must_have(page, "\nIodepth: 7 at most.\n");
	must_have(page, "\nWorkers: one at a time.\n");
	must_have(page, "\nDoes: read, fsync.\n");
	must_have(page, "\nDefault: 5.\n");
	must_have(page, "\nRange: 1 us to 1 ms.\n");
	must_have(page, "\nUnit: microseconds, where the value names none.\n");
	must_have(page, "\nDefault: none: it must be given.\n");
	must_have(page, "\"\\&\\-\\-left\" Pq also \"\\&sinister\"\n");
	free(page);
}
END_TEST

/* What the texts say comes out as they say it. */
START_TEST(nothing_is_lost)
{
	static const char *const texts[] = {
		"tries \"hard\" to break .pages \\",
		".Second one\\.",
		".Sh begins with a dot.",
		".It would be a macro.",
		"'So would this.",
		"\\fBnot bold\\fR and \"quoted\".",
		".Ed\n",
		"'quoted' \\n line\n",
		"and --set x=y in",
		"x .Pp 'x",
		"It=TEXT",
		"way=WORD (also dir)",
		"-- goes \"left\" \\ at once.",
		"on = ly\n",
	};
	char *page = page_of(&nasty);
	char *output;

	if (!have_mandoc()) {
		printf("skipped: no mandoc to print manual pages with\n");
	} else {
		output = mandoc("-T ascii -O width=200", page);
		/* Bold is a letter, a backspace and the letter. */
		for (char *from = output, *to = output;; from++) {
			if (*from == '\b')
				to--;
			else
				*to++ = *from;
			if (!*from)
				break;
		}
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			must_have(output, texts[i]);
		free(output);
	}
	free(page);
}
END_TEST

/* ---- help ----------------------------------------------------------------------------------- */

static void fits(const char *text)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		ck_assert_msg(strcspn(text, "\n") <= 80, "%.120s", text);
}

/* `iojob options NAME`; NULL: all. On the heap. */
static char *options(const char *name)
{
	struct engines none = { 0 };
	struct err err = { "" };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int rc;

	ck_assert_ptr_nonnull(to);
	rc = help_options(to, &none, name, &err);
	ck_assert_int_eq(fclose(to), 0);
	ck_assert_msg(rc == 0, "%s", err.text);
	engines_free(&none);
	return text;
}

START_TEST(options_are_listed)
{
	char *text = options(NULL);
	char line[64];

	fits(text);
	for (const struct iojob_option *row = job_options; row->name; row++) {
		snprintf(line, sizeof(line), "\n  %s", row->name);
		ck_assert_msg(row == job_options || strstr(text, line), "%s", row->name);
	}
	must_have(text, "\n  vary ");
	must_have(text, "\n  include ");
	free(text);
}
END_TEST

START_TEST(each_option_is_told)
{
	for (const struct iojob_option *row = job_options; row->name; row++) {
		char *text = options(row->name);
		char start[64];

		fits(text);
		snprintf(start, sizeof(start), "%s = ", row->name);
		ck_assert(strncmp(text, start, strlen(start)) == 0);
		must_have(text, "\n  default ");
		for (const struct iojob_choice *c = row->choices; c && c->name; c++)
			must_have(text, c->name);
		if (row->alias) {
			char *same = options(row->alias);

			ck_assert_str_eq(text, same);
			free(same);
		}
		free(text);
	}
}
END_TEST

START_TEST(example_stays_as_it_is)
{
	char *text = options("vary");

	must_have(text, "\n    vary = mode: Normal read rw=read | Direct read rw=read direct=1\n");
	free(text);
}
END_TEST

static const struct {
	const char *name;
	const char *says;
} refused[] = {
	{ "iodpeth", "did you mean `iodepth`?" },
	{ "vry", "did you mean `vary`?" },
	{ "bssplit", "a key of fio's that is not implemented" },
	{ "clocksource", "a key of fio's that has no effect here" },
	{ "zzzzzzzzzzzz", "`iojob options` lists them" },
};

START_TEST(unknown_option)
{
	struct engines none = { 0 };
	struct err err = { "" };

	ck_assert_int_eq(help_options(stdout, &none, refused[_i].name, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, refused[_i].says) != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(err.text, refused[_i].name));
	engines_free(&none);
}
END_TEST

START_TEST(unknown_engine)
{
	struct engines none = { 0 };
	struct err err = { "" };

	ck_assert_int_eq(help_engines(stdout, &none, "no-such-engine", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no-such-engine"));
	engines_free(&none);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("man");
	TCase *man = tcase_create("man");
	TCase *help = tcase_create("help");

	tcase_add_loop_test(man, lint, 0, sizeof(pages) / sizeof(pages[0]));
	tcase_add_test(man, every_key_is_there);
	tcase_add_test(man, facts_are_there);
	tcase_add_test(man, nothing_is_lost);
	tcase_add_test(help, options_are_listed);
	tcase_add_test(help, each_option_is_told);
	tcase_add_test(help, example_stays_as_it_is);
	tcase_add_loop_test(help, unknown_option, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(help, unknown_engine);
	suite_add_tcase(suite, man);
	suite_add_tcase(suite, help);
	return unit_run(suite);
}
