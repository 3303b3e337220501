// SPDX-License-Identifier: MIT
/* Finding, judging and loading engines; those of other times are made by the system compiler. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/engine/load.h"

static char *scratch; /* a directory of this run, gone at its end */

/* ---- making engines ------------------------------------------------------------------------ */

/* Runs a shell command in the scratch directory; false where it failed. */
static bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *format, ...)
{
	char command[8192];
	va_list ap;
	int n = snprintf(command, sizeof(command), "cd '%s' && ", scratch);

	va_start(ap, format);
	vsnprintf(command + n, sizeof(command) - (size_t)n, format, ap);
	va_end(ap);
	return system(command) == 0;
}

static const char *source_dir(void)
{
	const char *dir = getenv("IOJOB_SRCDIR");

	return dir ? dir : ".";
}

/* Compiles the probe as `path`, relative to the scratch directory. */
static void make_probe(const char *path, const char *flags)
{
	char source[PATH_MAX];

	ck_assert(realpath(source_dir(), source));
	ck_assert_msg(shell("${CC:-cc} -w -std=gnu11 -shared -fPIC -fvisibility=hidden %s -o '%s' "
			    "'%s/t/abi/probe.c'", flags, path, source),
			"%s: does not compile", flags);
}

static const char *in_scratch(const char *path)
{
	static char buf[2][PATH_MAX];
	static unsigned turn;

	turn = !turn;
	snprintf(buf[turn], sizeof(buf[turn]), "%s/%s", scratch, path);
	return buf[turn];
}

static void setup(void)
{
	char name[] = "load.XXXXXX";

	ck_assert(mkdtemp(name));
	scratch = realpath(name, NULL);
	ck_assert(scratch);
	unsetenv("IOJOB_ENGINE_PATH");
	ck_assert(shell("mkdir a b c"));
	make_probe("a/probe.so", "");
}

static void teardown(void)
{
	ck_assert(shell("rm -rf '%s'", scratch));
	free(scratch);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static const struct {
	const char *flags;
	const char *text; /* what the error has to say */
} faults[] = {
	{ "-DPROBE_ENGINE=.abi=2", "built for engine ABI 2, this iojob speaks 1" },
	{ "-DPROBE_ENGINE=.abi=0", "built for engine ABI 0, this iojob speaks 1" },
	{ "-DPROBE_ENGINE=.struct_size=8", "head is wrong: define it with IOJOB_ENGINE_HEAD" },
	{ "-DPROBE_ENGINE=.opt_size=3", "head is wrong" },
	{ "-DPROBE_ENGINE=.opt_size=8", "head is wrong" },
	{ "-DPROBE_ENGINE=.name=NULL", "no name" },
	{ "-DPROBE_ENGINE=.summary=NULL", "no summary" },
	{ "-DPROBE_ENGINE='.name=\"other\"'", "is named `other`, so the file has to be other.so" },
	{ "-DPROBE_ENGINE='.name=\"prob\"'", "is named `prob`" },
	{ "-DPROBE_ENGINE=.ops=0", "no operations" },
	{ "-DPROBE_ENGINE=.ops=1u'<<'9", "unknown ones" },
	{ "-DPROBE_ENGINE=.execute=NULL", "neither execute nor submit and reap" },
	{ "-DPROBE_ENGINE='.submit=POISON'", "only one of submit and reap" },
	{ "-DPROBE_ENGINE='.reap=POISON'", "only one of submit and reap" },
	{ "-DPROBE_ENGINE=.file_info=NULL", "needs file_info and file_remove" },
	{ "-DPROBE_ENGINE=.file_remove=NULL", "needs file_info and file_remove" },
	{ "-DPROBE_ENGINE=.buf_align=3", "buf_align is no power of two" },
	{ "-DPROBE_ENGINE=.conf_size=8", "option `text` lies outside of the engine's conf" },
	{ "-DPROBE_ROW=.help=NULL", "option `number` has no help" },
	{ "-DPROBE_ROW=.type=77", "option `number` has an unknown type" },
	{ "-DPROBE_ROW=.size=0", "option `number` lies outside" },
	{ "-DPROBE_ROW=.size=2", "number" },
	{ "-DPROBE_ROW=.offset=4096", "option `number` lies outside" },
	{ "-DPROBE_ROW=.offset=-4u", "option `number` lies outside" },
	{ "-DPROBE_ROW=.type=IOJOB_OPT_CHOICE", "option `number` has no choices" },
	{ "-DPROBE_ROW=.min=200", "option `number` has a smallest value above its largest" },
	{ "-DPROBE_ROW='.def=\"x\"'", "a wrong default: number = x: " },
	{ "-DPROBE_ROW='.def=\"101\"'", "a wrong default: number = 101: " },
	{ "-DPROBE_ROW='.name=\"text\"'", "option `text` shares its key with another" },
	{ "-DPROBE_ROW='.alias=\"text\"'", "option `text` shares its key with another" },
};

START_TEST(refuses_a_faulty_engine)
{
	struct engines engines = { 0 };
	const struct engine *engine = NULL;
	struct err err = { "" };

	make_probe("c/probe.so", faults[_i].flags);
	ck_assert_int_eq(engine_load(&engines, in_scratch("c/probe.so"), &engine, &err), -ENOEXEC);
	ck_assert_ptr_null(engine);
	ck_assert_uint_eq(engines.n, 0);
	ck_assert_msg(strstr(err.text, faults[_i].text), "%s: %s", faults[_i].flags, err.text);
	ck_assert_msg(strstr(err.text, in_scratch("c/probe.so")) == err.text, "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	engines_free(&engines);
}
END_TEST

START_TEST(refuses_what_is_no_engine)
{
	struct engines engines = { 0 };
	const struct engine *engine;
	struct err err = { "" };

	ck_assert(shell("echo hello >c/text.so"));
	ck_assert_int_eq(engine_load(&engines, in_scratch("c/text.so"), &engine, &err), -ENOEXEC);
	ck_assert_msg(strstr(err.text, "cannot be loaded: "), "%s", err.text);
	ck_assert_ptr_eq(strstr(err.text, in_scratch("c/text.so")), err.text);
	ck_assert_ptr_null(strstr(err.text + 1, in_scratch("c/text.so")));

	ck_assert(shell("echo 'int x;' >x.c && ${CC:-cc} -shared -fPIC -o c/bare.so x.c"));
	ck_assert_int_eq(engine_load(&engines, in_scratch("c/bare.so"), &engine, &err), -ENOEXEC);
	ck_assert_msg(strstr(err.text, "exports no symbol `iojob_engine`"), "%s", err.text);

	ck_assert_int_eq(engine_load(&engines, in_scratch("c/gone.so"), &engine, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, "gone.so: No such file"), "%s", err.text);
	engines_free(&engines);
}
END_TEST

/* ---- engines of other times ---------------------------------------------------------------- */

static const struct {
	const char *flags;
	bool doc;
} times[] = {
	{ "", true },
	{ "-DPROBE_SHORT", false },
	{ "-DPROBE_LONG", true },
};

START_TEST(loads_an_engine_of_another_time)
{
	struct engines engines = { 0 };
	const struct engine *engine;
	struct err err = { "" };
	struct iojob_option row;
	struct {
		int64_t number;
		const char *text;
	} conf = { 0 };

	make_probe("c/probe.so", times[_i].flags);
	ck_assert_msg(engine_load(&engines, in_scratch("c/probe.so"), &engine, &err) == 0, "%s",
			err.text);
	ck_assert_str_eq(engine->e.name, "probe");
	ck_assert_uint_eq(engine->e.io_scratch, 24);
	ck_assert(engine->e.execute && engine->e.check);
	ck_assert(!engine->e.submit && !engine->e.reap);

	ck_assert_ptr_nonnull(opt_row(&engine->options, 0, &row));
	ck_assert_str_eq(row.help, "a number");
	ck_assert(times[_i].doc ? row.doc != NULL : row.doc == NULL);
	ck_assert_ptr_nonnull(opt_row(&engine->options, 1, &row));
	ck_assert_str_eq(row.name, "text");
	ck_assert_ptr_null(opt_row(&engine->options, 2, &row));

	ck_assert_uint_eq(engine->e.conf_size, sizeof(conf));
	ck_assert_int_eq(opt_defaults(&engine->options, &conf, &err), 0);
	ck_assert_int_eq(conf.number, 42);
	ck_assert_str_eq(conf.text, "abc");
	opt_free(&engine->options, &conf);
	engines_free(&engines);
}
END_TEST

/* The weights of probe_execute(): a member that moved changes the sum. */
static int64_t weigh(const struct iojob_worker *w, const struct iojob_io *io, int64_t number)
{
	return number + 2 + 3 * (int64_t)w->depth + 5 * (int64_t)w->nfiles + 7 + 11 + 13 +
			17 * (int64_t)w->buf_bytes + 19 * (int64_t)w->ops +
			23 * (int64_t)w->job_flags + 29 * w->error[0] +
			31 * (int64_t)w->error_size + 37 * (int64_t)io->offset +
			41 * (int64_t)io->len + 43 * io->slot + 47 * io->op + 53 +
			59 * io->file->path[0] + 61 * io->file->fd + 67 * (int64_t)io->file->index +
			71 * (int64_t)io->file->size_bytes;
}

START_TEST(an_old_engine_finds_every_member)
{
	struct {
		int64_t number;
		const char *text;
	} conf = { 1000003, "a" };
	char buf[16], text[300] = "x";
	struct iojob_file file = {
		.path = "path", .fd = 5, .index = 6, .size_bytes = 7000000,
	};
	struct iojob_file *files[] = { &file };
	struct iojob_io io = {
		.offset = 8000, .len = 900, .slot = 1, .op = IOJOB_WRITE, .buf = buf,
		.file = &file, .scratch = text,
	};
	struct iojob_io *ios[] = { NULL, &io };
	struct iojob_worker w = {
		.conf = &conf, .priv = text, .depth = 2, .nfiles = 1, .files = files, .ios = ios,
		.buf_base = buf, .buf_bytes = sizeof(buf), .ops = 3,
		.job_flags = 5, .error = text, .error_size = sizeof(text),
	};
	struct iojob_setup setup = {
		.conf = &conf, .depth = 1, .workers = 2, .buf_bytes = 3, .ops = 4, .job_flags = 5,
		.nfiles = 6, .error = text, .error_size = sizeof(text),
	};
	struct iojob_file_info info = { 0 };
	struct engines engines = { 0 };
	const struct engine *engine;
	struct err err = { "" };

	ck_assert_int_eq(engine_load(&engines, in_scratch("a/probe.so"), &engine, &err), 0);
	engine->e.execute(&w, &io);
	ck_assert_int_eq(io.res, weigh(&w, &io, conf.number));

	ck_assert_int_eq(engine->e.check(&setup), -7);
	ck_assert_str_eq(text, "depth 1 workers 2 buf 3 ops 4 flags 5 files 6");

	ck_assert_int_eq(engine->e.file_info(&setup, "x", &info), 0);
	ck_assert(info.exists);
	ck_assert_uint_eq(info.size_bytes, 11);
	ck_assert_uint_eq(info.block_bytes, 12);
	ck_assert_uint_eq(info.mem_align, 13);
	ck_assert_uint_eq(info.offset_align, 14);
	engines_free(&engines);
}
END_TEST

/* ---- finding ------------------------------------------------------------------------------- */

static int load(const char *name, const char *env, const char *build_dir, struct err *err,
		char *path, size_t size)
{
	struct engines engines = { .build_dir = build_dir };
	const struct engine *engine;
	int ret;

	if (env)
		setenv("IOJOB_ENGINE_PATH", env, 1);
	else
		unsetenv("IOJOB_ENGINE_PATH");
	err->text[0] = '\0';
	ret = engine_load(&engines, name, &engine, err);
	snprintf(path, size, "%s", ret == 0 ? engine->path : "");
	engines_free(&engines);
	return ret;
}

START_TEST(searches_in_order)
{
	char env[3 * PATH_MAX], path[PATH_MAX];
	struct err err;

	make_probe("b/probe.so", "");
	snprintf(env, sizeof(env), "/nowhere::%s:%s", in_scratch("a"), in_scratch("b"));
	ck_assert_int_eq(load("probe", env, NULL, &err, path, sizeof(path)), 0);
	ck_assert_str_eq(path, in_scratch("a/probe.so"));
	ck_assert_int_eq(load("probe", env, in_scratch("b"), &err, path, sizeof(path)), 0);
	ck_assert_str_eq(path, in_scratch("a/probe.so"));
	ck_assert_int_eq(load("probe", NULL, in_scratch("b"), &err, path, sizeof(path)), 0);
	ck_assert_str_eq(path, in_scratch("b/probe.so"));
	ck_assert(shell("rm b/probe.so"));
}
END_TEST

START_TEST(never_searches_the_current_directory)
{
	char path[PATH_MAX];
	struct err err;

	ck_assert_int_eq(chdir(in_scratch("a")), 0);
	ck_assert_int_eq(load("probe", NULL, NULL, &err, path, sizeof(path)), -ENOENT);
	ck_assert_int_eq(load("probe", "", NULL, &err, path, sizeof(path)), -ENOENT);
	ck_assert_int_eq(load("probe", ":/nowhere::", NULL, &err, path, sizeof(path)), -ENOENT);
	ck_assert_int_eq(load("./probe.so", NULL, NULL, &err, path, sizeof(path)), 0);
	ck_assert_str_eq(path, in_scratch("a/probe.so"));
}
END_TEST

START_TEST(names_the_places_searched)
{
	char path[PATH_MAX];
	struct err err;

	ck_assert_int_eq(load("nil", "/one:/two", "/three", &err, path, sizeof(path)), -ENOENT);
	ck_assert_str_eq(err.text, "no engine `nil`: there is no nil.so in /one, /two, /three, "
			IOJOB_ENGINE_DIR);
}
END_TEST

static const char *const bad_names[] = {
	"", ".", "..", ".hidden", "a b", "a;b", "a:b", "a\nb", "\xc3\xa9",
	"a123456789a123456789a123456789a123456789a123456789a123456789a1234",
};

START_TEST(refuses_a_name_that_can_be_none)
{
	char path[PATH_MAX];
	struct err err;

	ck_assert_int_eq(load(bad_names[_i], in_scratch("a"), NULL, &err, path, sizeof(path)),
			-EINVAL);
	ck_assert_msg(strstr(err.text, "cannot be the name of an engine"), "%s", err.text);
}
END_TEST

START_TEST(a_faulty_engine_is_not_passed_over)
{
	char env[3 * PATH_MAX], path[PATH_MAX];
	struct err err;

	ck_assert(shell("echo hello >b/probe.so"));
	snprintf(env, sizeof(env), "%s:%s", in_scratch("b"), in_scratch("a"));
	ck_assert_int_eq(load("probe", env, NULL, &err, path, sizeof(path)), -ENOEXEC);
	ck_assert_msg(strstr(err.text, "b/probe.so: cannot be loaded"), "%s", err.text);
	ck_assert(shell("rm b/probe.so"));
}
END_TEST

START_TEST(loads_each_once)
{
	struct engines engines = { 0 };
	const struct engine *a, *b, *c;
	struct err err = { "" };

	setenv("IOJOB_ENGINE_PATH", in_scratch("a"), 1);
	ck_assert(shell("mkdir -p b/link && ln -sf ../../a/probe.so b/link/probe.so"));
	ck_assert_int_eq(engine_load(&engines, "probe", &a, &err), 0);
	ck_assert_int_eq(engine_load(&engines, in_scratch("a/../a/probe.so"), &b, &err), 0);
	ck_assert_int_eq(engine_load(&engines, in_scratch("b/link/probe.so"), &c, &err), 0);
	ck_assert_ptr_eq(a, b);
	ck_assert_ptr_eq(a, c);
	ck_assert_uint_eq(engines.n, 1);
	engines_free(&engines);
	ck_assert_uint_eq(engines.n, 0);
}
END_TEST

/* A version in the name of the file is fine where a link has the engine's name. */
START_TEST(a_link_gives_the_name)
{
	char path[PATH_MAX];
	struct err err;

	ck_assert(shell("cp a/probe.so b/probe-1.0.so && ln -sf probe-1.0.so b/probe.so"));
	ck_assert_int_eq(load("probe", in_scratch("b"), NULL, &err, path, sizeof(path)), 0);
	ck_assert_str_eq(path, in_scratch("b/probe-1.0.so"));
	ck_assert_int_eq(load("probe-1.0", in_scratch("b"), NULL, &err, path, sizeof(path)),
			-ENOEXEC);
	ck_assert(shell("rm b/probe.so b/probe-1.0.so"));
}
END_TEST

START_TEST(loads_all_and_passes_over_the_rest)
{
	char env[3 * PATH_MAX];
	struct engines engines = { 0 };
	struct err err = { "" };

	make_probe("c/another.so", "-DPROBE_ENGINE='.name=\"another\"'");
	make_probe("c/wrong.so", "");
	ck_assert(shell("echo hello >c/text.so; touch c/README; mkdir -p c/dir.so"));
	snprintf(env, sizeof(env), "%s:/nowhere:%s", in_scratch("a"), in_scratch("c"));
	setenv("IOJOB_ENGINE_PATH", env, 1);
	ck_assert_int_eq(engine_load_all(&engines, &err), 0);
	ck_assert_str_eq(err.text, "");
	ck_assert_uint_eq(engines.n, 2);
	ck_assert_str_eq(engines.list[0]->e.name, "another");
	ck_assert_str_eq(engines.list[1]->e.name, "probe");
	ck_assert_str_eq(engines.list[1]->path, in_scratch("a/probe.so"));
	engines_free(&engines);
}
END_TEST

START_TEST(knows_the_names_of_others)
{
	ck_assert_str_eq(engine_canonical("aio"), "libaio");
	ck_assert_str_eq(engine_canonical("linuxaio"), "libaio");
	ck_assert_str_eq(engine_canonical("sync"), "psync");
	ck_assert_str_eq(engine_canonical("psync"), "psync");
	ck_assert_str_eq(engine_canonical("./aio"), "./aio");
}
END_TEST

/* This program, copied, tells what it finds beside itself: main(). */
static void expect_build_dir(const char *want)
{
	char line[PATH_MAX] = "";
	FILE *pipe = popen(in_scratch("tree/test --build-dir"), "r");

	ck_assert(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	ck_assert_str_eq(line, want);
}

START_TEST(finds_its_build_tree)
{
	char want[PATH_MAX];

	ck_assert(shell("mkdir -p tree/engines && cp /proc/%d/exe tree/test", (int)getpid()));
	expect_build_dir("none");
	ck_assert(shell("touch tree/Makefile"));
	expect_build_dir("none");
	ck_assert(shell("touch tree/engines/psync.so"));
	snprintf(want, sizeof(want), "%s/tree/engines", scratch);
	expect_build_dir(want);
	ck_assert(shell("rm tree/Makefile"));
	expect_build_dir("none");
}
END_TEST

static int print_build_dir(void)
{
	char buf[PATH_MAX];
	const char *dir = engine_build_dir(buf, sizeof(buf));

	puts(dir ? dir : "none");
	return 0;
}

int main(int argc, char **argv)
{
	Suite *suite;
	TCase *names;
	TCase *probes;

	if (argc > 1 && strcmp(argv[1], "--build-dir") == 0)
		return print_build_dir();

	suite = suite_create("load");
	names = tcase_create("names");
	probes = tcase_create("probes");
	tcase_add_test(names, knows_the_names_of_others);
	suite_add_tcase(suite, names);

	tcase_add_unchecked_fixture(probes, setup, teardown);
	tcase_set_timeout(probes, 60);
	tcase_add_loop_test(probes, refuses_a_faulty_engine, 0, sizeof(faults) / sizeof(faults[0]));
	tcase_add_test(probes, refuses_what_is_no_engine);
	tcase_add_loop_test(probes, loads_an_engine_of_another_time, 0,
			sizeof(times) / sizeof(times[0]));
	tcase_add_test(probes, an_old_engine_finds_every_member);
	tcase_add_test(probes, searches_in_order);
	tcase_add_test(probes, never_searches_the_current_directory);
	tcase_add_test(probes, names_the_places_searched);
	tcase_add_loop_test(probes, refuses_a_name_that_can_be_none, 0,
			sizeof(bad_names) / sizeof(bad_names[0]));
	tcase_add_test(probes, a_faulty_engine_is_not_passed_over);
	tcase_add_test(probes, loads_each_once);
	tcase_add_test(probes, a_link_gives_the_name);
	tcase_add_test(probes, loads_all_and_passes_over_the_rest);
	tcase_add_test(probes, finds_its_build_tree);
	if (system("${CC:-cc} --version >/dev/null 2>&1") == 0)
		suite_add_tcase(suite, probes);
	else
		puts("skip load: engines of other times: no compiler (set CC)");
	return unit_run(suite);
}
