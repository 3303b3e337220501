// SPDX-License-Identifier: MIT
#include "../../core/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { MAX_ARGS = 12 };

static int count(char *const *argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

/* Parses what must be right. */
static void parse(struct cli *cli, char *const *argv)
{
	struct err err = { "" };
	int rc = cli_parse(cli, count(argv), argv, &err);

	ck_assert_msg(rc == 0, "%s: %s", argv[1], err.text);
}

#define ARGS(...) ((char *[]) { (char[]) { "iojob" }, __VA_ARGS__, NULL })
#define A(text) ((char[]) { text })

START_TEST(plain_run)
{
	struct cli cli;

	parse(&cli, ARGS(A("a.ini"), A("-"), A("b.ini")));
	ck_assert_int_eq(cli.command, CLI_RUN);
	ck_assert_uint_eq(cli.nfiles, 3);
	ck_assert_str_eq(cli.files[0], "a.ini");
	ck_assert_str_eq(cli.files[1], "-");
	ck_assert_str_eq(cli.files[2], "b.ini");
	ck_assert_uint_eq(cli.ntargets, 1);
	ck_assert_ptr_eq(cli.targets[0].format, output_find("text"));
	ck_assert_ptr_null(cli.targets[0].path);
	ck_assert_int_eq(cli.eta, CLI_ETA_AUTO);
	ck_assert(!cli.parse_only && !cli.readonly && !cli.allow_exec && !cli.man);
	ck_assert_ptr_null(cli.directory);
	ck_assert_str_eq(cli.text, "iojob a.ini - b.ini");
	cli_free(&cli);
}
END_TEST

START_TEST(every_option)
{
	struct cli cli;

	parse(&cli, ARGS(A("--directory=/mnt"), A("--section=a"), A("--section"), A("b*"),
				    A("-parse-only"), A("--readonly"), A("-eta=never"),
				    A("--allow-device"), A("/dev/x"), A("--allow-exec"), A("f")));
	ck_assert_str_eq(cli.directory, "/mnt");
	ck_assert_uint_eq(cli.nsections, 2);
	ck_assert_str_eq(cli.sections[0], "a");
	ck_assert_str_eq(cli.sections[1], "b*");
	ck_assert(cli.parse_only && cli.readonly && cli.allow_exec);
	ck_assert_int_eq(cli.eta, CLI_ETA_NEVER);
	ck_assert_uint_eq(cli.ndevices, 1);
	ck_assert_str_eq(cli.devices[0], "/dev/x");
	ck_assert_uint_eq(cli.nfiles, 1);
	cli_free(&cli);
}
END_TEST

START_TEST(text_is_quoted)
{
	struct cli cli;

	parse(&cli, ARGS(A("--set"), A("it's=a b"), A("x*.ini"), A("--set=d=")));
	ck_assert_str_eq(cli.text, "iojob --set 'it'\\''s=a b' 'x*.ini' --set=d=");
	cli_free(&cli);
}
END_TEST

START_TEST(dashes_end_options)
{
	struct cli cli;

	parse(&cli, ARGS(A("--"), A("--help"), A("-x")));
	ck_assert_int_eq(cli.command, CLI_RUN);
	ck_assert_uint_eq(cli.nfiles, 2);
	ck_assert_str_eq(cli.files[0], "--help");
	cli_free(&cli);
}
END_TEST

static const struct {
	const char *arg;
	const char *glob;
	const char *key;
	const char *value;
} sets[] = {
	{ "bs=4k", NULL, "bs", "4k" },
	{ "thread", NULL, "thread", NULL },
	{ "job*:bs=4k", "job*", "bs", "4k" },
	{ "job 1:stonewall", "job 1", "stonewall", NULL },
	{ "filename=a:b", NULL, "filename", "a:b" },
	{ "a:filename=b:c=d", "a", "filename", "b:c=d" },
	{ "a:b:bs=1", "a:b", "bs", "1" },
	{ " bs = 4k ", NULL, "bs", "4k" },
	{ "j : bs = 4k", "j", "bs", "4k" },
	{ "buffer_pattern=", NULL, "buffer_pattern", "" },
	{ "vary=mode: A rw=read | B rw=write", NULL, "vary", "mode: A rw=read | B rw=write" },
};

static void same(const char *is, const char *should)
{
	if (should)
		ck_assert_str_eq(is, should);
	else
		ck_assert_ptr_null(is);
}

START_TEST(set)
{
	char text[64];
	struct cli cli;

	snprintf(text, sizeof(text), "%s", sets[_i].arg);
	parse(&cli, ARGS(A("--set"), text, A("f")));
	ck_assert_uint_eq(cli.noverrides, 1);
	same(cli.overrides[0].section_glob, sets[_i].glob);
	same(cli.overrides[0].key, sets[_i].key);
	same(cli.overrides[0].value, sets[_i].value);
	/* The caller's argument is whole. */
	ck_assert_str_eq(text, sets[_i].arg);
	cli_free(&cli);
}
END_TEST

START_TEST(sets_keep_their_order)
{
	struct cli cli;

	parse(&cli, ARGS(A("--set=a=1"), A("f"), A("--set=x:b=2")));
	ck_assert_uint_eq(cli.noverrides, 2);
	ck_assert_str_eq(cli.overrides[0].key, "a");
	ck_assert_ptr_null(cli.overrides[0].section_glob);
	ck_assert_str_eq(cli.overrides[1].key, "b");
	cli_free(&cli);
}
END_TEST

/* Targets in order, "FORMAT>PATH", a blank between them; no PATH: standard output. */
static const struct {
	const char *args[4];
	const char *targets;
} outputs[] = {
	{ { "--output=x" }, "text>x" },
	{ { "--output", "x" }, "text>x" },
	{ { "--output=json:x" }, "json>x" },
	{ { "--output=normal:x" }, "text>x" },
	{ { "--output=json:-" }, "json>-" },
	{ { "--output=json:a:b" }, "json>a:b" },
	{ { "--output=./jsn:x" }, "text>./jsn:x" },
	{ { "--output=:x" }, "text>:x" },
	{ { "--output=./json:x" }, "text>./json:x" },
	{ { "--output-format=json" }, "json>" },
	{ { "--output-format=normal" }, "text>" },
	{ { "--output-format=json,text" }, "json> text>" },
	{ { "--output-format=json", "--output=x" }, "json>x" },
	{ { "--output=x", "--output-format=json" }, "json>x" },
	{ { "--output-format=json", "--output-format=csv" }, "csv>" },
	{ { "--output=csv:a", "--output=json:b" }, "csv>a json>b" },
	{ { "--output=csv:a", "--output=b" }, "csv>a text>b" },
	{ { "--output=csv:a", "--output-format=json" }, "csv>a json>" },
	{ { "--output-format=text,csv", "--output=csv:a", "--output=b" }, "csv>a text>b csv>b" },
};

START_TEST(output)
{
	char args[MAX_ARGS][64] = { "iojob", "f" };
	char *argv[MAX_ARGS] = { args[0], args[1] };
	char is[256] = "";
	struct cli cli;

	for (int i = 0; i < 4 && outputs[_i].args[i]; i++) {
		snprintf(args[2 + i], sizeof(args[0]), "%s", outputs[_i].args[i]);
		argv[2 + i] = args[2 + i];
	}
	parse(&cli, argv);
	for (size_t i = 0; i < cli.ntargets; i++) {
		const struct output_target *t = &cli.targets[i];
		size_t used = strlen(is);

		snprintf(is + used, sizeof(is) - used, "%s%s>%s", i ? " " : "", t->format->name,
				t->path ? t->path : "");
	}
	ck_assert_str_eq(is, outputs[_i].targets);
	cli_free(&cli);
}
END_TEST

/* The last one counts, with all of its list. */
START_TEST(metrics)
{
	struct cli cli;

	parse(&cli, ARGS(A("f"), A("--metric=bw"), A("--metric=write.p99.9,iops")));
	ck_assert_uint_eq(cli.nmetrics, 2);
	ck_assert_str_eq(cli.metrics[0].name, "write.p99.9");
	ck_assert_int_eq(cli.metrics[0].dir, 1);
	ck_assert_str_eq(cli.metrics[1].name, "iops");
	cli_free(&cli);
}
END_TEST

START_TEST(compare)
{
	struct cli cli;

	parse(&cli, ARGS(A("compare"), A("a"), A("b*")));
	ck_assert_uint_eq(cli.nfiles, 2);
	ck_assert_double_eq(cli.noise, 0.01);
	ck_assert_double_eq(cli.confidence, 0.95);
	ck_assert_int_eq(cli.correction, COMPARE_BH);
	ck_assert(!cli.any && !cli.force);
	cli_free(&cli);
	parse(&cli, ARGS(A("compare"), A("--base=a"), A("--base=b"), A("--noise=0"),
				    A("--confidence=99%"), A("--correction=holm"), A("--any"),
				    A("--fail-if=bw<-5%"), A("--fail-if"), A("p99>10%"),
				    A("--force"), A("c")));
	ck_assert_uint_eq(cli.nbases, 2);
	ck_assert_str_eq(cli.bases[1], "b");
	ck_assert_double_eq(cli.noise, 0);
	ck_assert_double_eq(cli.confidence, 0.99);
	ck_assert_int_eq(cli.correction, COMPARE_HOLM);
	ck_assert_uint_eq(cli.nconditions, 2);
	ck_assert_str_eq(cli.conditions[1].metric.name, "p99");
	ck_assert(cli.any && cli.force);
	cli_free(&cli);
}
END_TEST

static const struct {
	const char *args[4];
	enum cli_command command;
	const char *topic;
	bool man, check;
} commands[] = {
	{ { "engines" }, CLI_ENGINES, NULL, false, false },
	{ { "engines", "psync" }, CLI_ENGINES, "psync", false, false },
	{ { "engines", "--man", "psync" }, CLI_ENGINES, "psync", true, false },
	{ { "--check", "engines", "psync" }, CLI_ENGINES, "psync", false, true },
	{ { "options" }, CLI_OPTIONS, NULL, false, false },
	{ { "options", "bs" }, CLI_OPTIONS, "bs", false, false },
	{ { "options", "--man" }, CLI_OPTIONS, NULL, true, false },
	{ { "show", "a.json" }, CLI_SHOW, NULL, false, false },
	{ { "show", "--output=csv:-", "-" }, CLI_SHOW, NULL, false, false },
	{ { "environment" }, CLI_ENVIRONMENT, NULL, false, false },
	{ { "environment", "a", "b" }, CLI_ENVIRONMENT, NULL, false, false },
	{ { "--output-format=normal", "environment" }, CLI_ENVIRONMENT, NULL, false, false },
	{ { "environment", "--output-format=json", "/" }, CLI_ENVIRONMENT, NULL, false, false },
	{ { "--help" }, CLI_HELP, NULL, false, false },
	{ { "-h" }, CLI_HELP, NULL, false, false },
	{ { "--help", "a.ini" }, CLI_HELP, NULL, false, false },
	{ { "engines", "--help" }, CLI_HELP, NULL, false, false },
	{ { "--version" }, CLI_VERSION, NULL, false, false },
	{ { "-V" }, CLI_VERSION, NULL, false, false },
	{ { "help" }, CLI_HELP, NULL, false, false },
	{ { "help", "compare", "b" }, CLI_HELP, NULL, false, false },
	{ { "version" }, CLI_VERSION, NULL, false, false },
	{ { "compare", "a", "b" }, CLI_COMPARE, NULL, false, false },
	{ { "./engines" }, CLI_RUN, NULL, false, false },
	{ { "./show" }, CLI_RUN, NULL, false, false },
	{ { "a.ini", "engines" }, CLI_RUN, NULL, false, false },
	{ { "--", "-" }, CLI_RUN, NULL, false, false },
};

static int parse_words(struct cli *cli, const char *const words[4], struct err *err)
{
	char args[MAX_ARGS][64] = { "iojob" };
	char *argv[MAX_ARGS] = { args[0] };
	int n = 1;

	for (int i = 0; i < 4 && words[i]; i++, n++) {
		snprintf(args[n], sizeof(args[0]), "%s", words[i]);
		argv[n] = args[n];
	}
	return cli_parse(cli, n, argv, err);
}

START_TEST(command)
{
	struct err err = { "" };
	struct cli cli;

	ck_assert_msg(parse_words(&cli, commands[_i].args, &err) == 0, "%s", err.text);
	ck_assert_int_eq(cli.command, commands[_i].command);
	same(cli.topic, commands[_i].topic);
	ck_assert_int_eq(cli.man, commands[_i].man);
	ck_assert_int_eq(cli.check, commands[_i].check);
	cli_free(&cli);
}
END_TEST

/* What is refused, and what the text must say. */
static const struct {
	const char *args[4];
	const char *says[2];
} refused[] = {
	{ { NULL }, { "no job file", "--help" } },
	{ { "--readonly" }, { "no job file", NULL } },
	{ { "--outptu=x", "f" }, { "--outptu", "did you mean --output?" } },
	{ { "--sectoin", "x", "f" }, { "--sectoin", "did you mean --section?" } },
	{ { "-readonyl", "f" }, { "--readonyl", "did you mean --readonly?" } },
	{ { "--qqqqqqqq", "f" }, { "--qqqqqqqq: unknown option", "`iojob --help`" } },
	{ { "--showcmd", "f" }, { "--showcmd", "not implemented" } },
	{ { "--minimal", "f" }, { "not implemented", "--output-format=csv" } },
	{ { "--enghelp=psync" }, { "not implemented", "iojob engines" } },
	{ { "--cmdhelp" }, { "not implemented", "iojob options" } },
	{ { "--rw=read", "--name=x" }, { "not implemented", "--set rw=VALUE" } },
	{ { "--thread", "f" }, { "not implemented", "--set thread " } },
	{ { "--blocksize=4k", "f" }, { "not implemented", "--set blocksize=VALUE" } },
	{ { "--bssplit=4k/100", "f" }, { "--bssplit: jobs on the command line", NULL } },
	{ { "--readonly=1", "f" }, { "--readonly=1", "takes no value" } },
	{ { "--directory" }, { "--directory needs a value", "--directory=DIR" } },
	{ { "--directory=", "f" }, { "--directory needs a value", NULL } },
	{ { "--directory", "--readonly", "f" }, { "--directory needs a value", NULL } },
	{ { "--repeat=0", "f" }, { "--repeat=0", "from 1 to 10000" } },
	{ { "--repeat=many", "f" }, { "--repeat=many", NULL } },
	{ { "--until=fast", "f" }, { "--until=fast", "2%" } },
	{ { "--until=0%", "f" }, { "--until=0%", "percentage" } },
	{ { "--until=2%,speed", "f" }, { "`speed`", "bw" } },
	{ { "--max-repeat=5", "--until=2", "f" }, { "--max-repeat=5", "from 6" } },
	{ { "--max-repeat=8", "f" }, { "--until, which is not there", "--repeat=8" } },
	{ { "--interleave", "f" }, { "--interleave: there is one job file", NULL } },
	{ { "show", "--repeat=2", "f" }, { "--repeat goes with a run", NULL } },
	{ { "--eta=sometimes", "f" }, { "`sometimes`", "always, never, auto" } },
	{ { "--set=:bs=4k", "f" }, { "no section before the ':'", "bs" } },
	{ { "--set==4k", "f" }, { "no key", NULL } },
	{ { "--set=a:=4k", "f" }, { "no key", NULL } },
	{ { "--set=a:", "f" }, { "no key", NULL } },
	{ { "--output=json:", "f" }, { "no file after", NULL } },
	{ { "--output=jsn:x", "f" }, { "--output: `jsn` is no format", "json" } },
	{ { "--output=terse:x", "f" }, { "`terse` is a format of fio's", "text" } },
	{ { "--output=a", "--output=b", "f" }, { "`a` and `b`", "--output=FORMAT:FILE" } },
	{ { "--output-format=yaml", "f" }, { "`yaml` is no format", "json" } },
	{ { "--output=table-x:f", "f" }, { "`table-x` is no format", "table-md" } },
	{ { "--runtim=3", "f" }, { "did you mean the key runtime", "--set runtime=VALUE" } },
	{ { "comapre", "a", "b" }, { "comapre: no such job file; did you mean `iojob compare`?" } },
	{ { "engine" }, { "did you mean `iojob engines`?" } },
	{ { "--metric=speed", "f" }, { "no metric is called `speed`", "p99.9" } },
	{ { "--metric=bw,", "f" }, { "no metric is called ``" } },
	{ { "--metric=p101", "f" }, { "no metric is called `p101`" } },
	{ { "--metric", "--eta=never" }, { "--metric needs a value" } },
	{ { "--output-format=json,", "f" }, { "`` is no format", NULL } },
	{ { "--output-format=json+", "f" }, { "`json+`", "not implemented" } },
	{ { "--man", "f" }, { "--man", "not with a run" } },
	{ { "engines", "--man" }, { "engines NAME --man", NULL } },
	{ { "options", "bs", "--man" }, { "iojob options --man", NULL } },
	{ { "compare", "--noise=-1", "a", "b" }, { "--noise=-1", "percentage" } },
	{ { "compare", "--confidence=40", "a" }, { "--confidence=40", "from 50" } },
	{ { "compare", "--readonly", "a", "b" }, { "--readonly goes with a run", "compare" } },
	{ { "compare", "--output-format=table" }, { "`table`", "results" } },
	{ { "--output-format=md", "f" }, { "`md`", "compare" } },
	{ { "--fail-if=bw<1%", "f" }, { "--fail-if goes with `iojob compare`", "a run" } },
	{ { "engines", "a", "b" }, { "`b`", "`a`" } },
	{ { "engines", "--output=x" }, { "--output goes with a run and `iojob show`", NULL } },
	{ { "show" }, { "no result file", "iojob show FILE" } },
	{ { "show", "--eta=never", "a" }, { "--eta goes with a run, not with `iojob show`" } },
	{ { "show", "--man", "a" }, { "--man goes with", "not with `iojob show`" } },
	{ { "show", "--output=x", "a", "b" }, { "--output: one file for 2 results" } },
	{ { "environment", "--output-format=csv" }, { "`csv`: `iojob environment` prints text" } },
	{ { "environment", "--output-format=text,json" }, { "prints text or json" } },
	{ { "environment", "--output=x" }, { "--output goes with", "`iojob environment`" } },
	{ { "engines", "--readonly" }, { "--readonly goes with a run", "iojob engines" } },
};

START_TEST(refusal)
{
	struct err err = { "" };
	struct cli cli;

	ck_assert_int_eq(parse_words(&cli, refused[_i].args, &err), -EINVAL);
	for (int i = 0; i < 2 && refused[_i].says[i]; i++)
		ck_assert_msg(strstr(err.text, refused[_i].says[i]) != NULL, "`%s` not in `%s`",
				refused[_i].says[i], err.text);
	ck_assert_msg(!strchr(err.text, '\n'), "%s", err.text);
	cli_free(&cli);
}
END_TEST

static char *help(void)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	cli_help(to);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

START_TEST(help_fits)
{
	char *text = help();
	size_t lines = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1, lines++)
		ck_assert_msg(strcspn(line, "\n") <= 80, "%.100s", line);
	ck_assert_uint_gt(lines, 30);
	free(text);
}
END_TEST

static char *read_page(void)
{
	char path[512];
	const char *srcdir = getenv("IOJOB_SRCDIR");
	char *text = malloc(1 << 16);
	FILE *page;
	size_t n;

	snprintf(path, sizeof(path), "%s/core/iojob.1", srcdir ? srcdir : ".");
	page = fopen(path, "r");
	ck_assert_msg(page != NULL, "%s: %s", path, strerror(errno));
	n = fread(text, 1, (1 << 16) - 1, page);
	fclose(page);
	text[n] = '\0';
	return text;
}

/* Every option of --help is explained in iojob.1, and takes a value there if it does here. */
START_TEST(help_and_manual_agree)
{
	char *text = help();
	char *page = read_page();
	int options = 0;

	for (const char *o = text; (o = strstr(o, "--")); options++) {
		char macro[96] = "Fl ";
		size_t n = 3;

		for (; *o == '-' || (*o >= 'a' && *o <= 'z'); o++) {
			/* One dash is the macro's. */
			if (*o == '-' && n == 3 && o[1] == '-')
				continue;
			if (*o == '-')
				macro[n++] = '\\';
			macro[n++] = *o;
		}
		snprintf(macro + n, sizeof(macro) - n, *o == '=' ? " Ns = Ns" : "");
		ck_assert_msg(strstr(page, macro) != NULL, "`%s` is not in iojob.1", macro);
	}
	ck_assert_int_ge(options, 13);
	free(page);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cli");
	TCase *tc = tcase_create("cli");

	tcase_add_test(tc, plain_run);
	tcase_add_test(tc, every_option);
	tcase_add_test(tc, text_is_quoted);
	tcase_add_test(tc, dashes_end_options);
	tcase_add_loop_test(tc, set, 0, sizeof(sets) / sizeof(sets[0]));
	tcase_add_test(tc, sets_keep_their_order);
	tcase_add_loop_test(tc, output, 0, sizeof(outputs) / sizeof(outputs[0]));
	tcase_add_test(tc, metrics);
	tcase_add_test(tc, compare);
	tcase_add_loop_test(tc, command, 0, sizeof(commands) / sizeof(commands[0]));
	tcase_add_loop_test(tc, refusal, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tc, help_fits);
	tcase_add_test(tc, help_and_manual_agree);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
