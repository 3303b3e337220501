// SPDX-License-Identifier: MIT
/* The conformance kit sees each fault of t/abi/faulty.c, and sees none where there is none. */
#include "unit.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/engine/check.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER
#endif

static const struct {
	const char *fault;
	const char *what; /* a check that has to fail */
	const char *why;  /* and what it has to say */
} faults[] = {
	{ "NO_DOC", "has a summary and a manual", "doc is empty" },
	{ "MUTE", "accepts a plain job", "check returned -22, and the text \"\"" },
	{ "KEEPS_OPEN", "opens and closes, again and again", "open: still open" },
	{ "LOSES", "data, random", "1 I/Os are not back after" },
	{ "TWICE", "data, 8 in flight", "which was not under way" },
	{ "TOO_MANY", "data, 8 in flight", "more than its max of 3" },
	{ "TAKES_TOO_MANY", "data, submitted one at a time", "submit took 2 of 1" },
	{ "TAKES_NONE", "data, submitted one at a time", "took nothing though nothing is under" },
	{ "CORRUPTS", "data, 8 in flight", "block 2 does not read back" },
	{ "MISPLACES", "data, 8 in flight", "does not read back as it was written" },
	{ "SILENT", "data, 8 in flight", "the res of an I/O of 4096 bytes is" },
	{ "EXAGGERATES", "data, 8 in flight", "the res of an I/O of 4096 bytes is 4097" },
	{ "ZERO_AT_ERROR", "I/Os that fail among others, submitted together", "has res 0" },
	{ "GIVES_UP", "I/Os that fail among others, submitted together", "submit: Bad file" },
	{ "BLOCKS", "reap does not block an idle worker", "min 0 and no limit came back late" },
	{ "BAD_FSYNC", "fsync and fdatasync", "the res of an I/O of 0 bytes is 4096" },
	{ "STALE", "data, files closed and opened between I/Os", "" },
	{ "BAD_SWITCH", "odd=1: data", "block 2 does not read back" },
#ifndef THREAD_SANITIZER /* which sees it first, and ends the test */
	{ "SHARES", "two workers at once", "" },
#endif
};

struct lines {
	unsigned count[CHECK_SKIP + 1];
	const char *what; /* looked for */
	bool failed;
	char why[512];
};

static void keep_line(void *ctx, enum check_verdict verdict, const char *what, const char *why)
{
	struct lines *lines = ctx;

	lines->count[verdict]++;
	if (verdict != CHECK_OK)
		ck_assert_msg(*why, "%s: no reason", what);
	if (verdict == CHECK_FAIL && lines->what && strcmp(what, lines->what) == 0) {
		lines->failed = true;
		snprintf(lines->why, sizeof(lines->why), "%s", why);
	} else if (verdict == CHECK_FAIL && !lines->what) {
		ck_abort_msg("%s: %s", what, why);
	}
}

/* Makes the faulty engine in a new directory. */
static void make_faulty(const char *fault, char *dir)
{
	const char *source_dir = getenv("IOJOB_SRCDIR");
	char command[2 * PATH_MAX];

	ck_assert(mkdtemp(dir));
	snprintf(command, sizeof(command),
			"${CC:-cc} -w -std=gnu11 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden "
			"-DFAULT=%s -o %s/faulty.so '%s/t/abi/faulty.c'",
			fault, dir, source_dir ? source_dir : ".");
	ck_assert_int_eq(system(command), 0);
}

static unsigned check_there(const char *dir, struct lines *lines)
{
	struct engine_check check = { .directory = dir, .line = keep_line, .ctx = lines };
	struct engines engines = { 0 };
	struct err err = { "" };
	char path[PATH_MAX];
	unsigned failed;

	snprintf(path, sizeof(path), "%s/faulty.so", dir);
	ck_assert_msg(engine_load(&engines, path, &check.engine, &err) == 0, "%s", err.text);
	failed = engine_check(&check);
	engines_free(&engines);
	return failed;
}

static unsigned check_faulty(const char *fault, struct lines *lines)
{
	char dir[] = "check.XXXXXX";
	char path[PATH_MAX];
	unsigned failed;

	make_faulty(fault, dir);
	failed = check_there(dir, lines);
	snprintf(path, sizeof(path), "%s/faulty.so", dir);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_msg(rmdir(dir) == 0, "the kit left files behind");
	return failed;
}

START_TEST(passes_a_sound_engine)
{
	struct lines lines = { .what = NULL };

	ck_assert_uint_eq(check_faulty("NONE", &lines), 0);
	ck_assert_uint_eq(lines.count[CHECK_FAIL], 0);
	ck_assert_uint_gt(lines.count[CHECK_OK], 15);
}
END_TEST

START_TEST(sees_a_fault)
{
	struct lines lines = { .what = faults[_i].what };
	unsigned failed = check_faulty(faults[_i].fault, &lines);

	ck_assert_uint_gt(failed, 0);
	ck_assert_uint_eq(failed, lines.count[CHECK_FAIL]);
	ck_assert_msg(lines.failed, "%s: `%s` did not fail", faults[_i].fault, faults[_i].what);
	ck_assert_msg(strstr(lines.why, faults[_i].why), "%s: %s", faults[_i].fault, lines.why);
}
END_TEST

/* A crash ends the process that called: the reason why callers use a child. */
START_TEST(dies_with_the_engine)
{
	struct lines lines = { .what = "none" };
	char dir[] = "check.XXXXXX";
	char command[64];
	int status;
	pid_t pid;

	make_faulty("CRASHES", dir);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		check_there(dir, &lines);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check");
	TCase *tests = tcase_create("faults");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, passes_a_sound_engine);
	tcase_add_loop_test(tests, sees_a_fault, 0, sizeof(faults) / sizeof(faults[0]));
	tcase_add_test(tests, dies_with_the_engine);
	if (system("${CC:-cc} --version >/dev/null 2>&1") == 0)
		suite_add_tcase(suite, tests);
	else
		puts("skip check: faulty engines: no compiler (set CC)");
	return unit_run(suite);
}
