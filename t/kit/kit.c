// SPDX-License-Identifier: MIT
/*
 * kit [-d DIRECTORY] ENGINE.so...
 *
 * Runs the conformance kit over engines, each in a process of its own, so that one that crashes or
 * hangs is a failure and no more. One line a check; last the totals. Exit 1 where a check failed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/engine/check.h"

enum { LIMIT_S = 100 }; /* for all checks of one engine */

/* Shared with the child that runs the checks. */
struct tally {
	const char *name;
	unsigned count[CHECK_SKIP + 1];
	char last[128]; /* the last check that ended */
};

static void print_line(void *ctx, enum check_verdict verdict, const char *what, const char *why)
{
	static const char *const words[] = { "ok", "FAIL", "skip" };
	struct tally *tally = ctx;

	tally->count[verdict]++;
	snprintf(tally->last, sizeof(tally->last), "%s", what);
	printf("%s %s: %s%s%s\n", words[verdict], tally->name, what, *why ? ": " : "", why);
	fflush(stdout);
}

/* The name for the lines: memory for ./memory.so. */
static void name_of(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t n;

	snprintf(name, size, "%s", base ? base + 1 : path);
	n = strlen(name);
	if (n > 3 && strcmp(name + n - 3, ".so") == 0)
		name[n - 3] = '\0';
}

static void check_in_child(const char *path, const char *directory, struct tally *tally)
{
	struct engines engines = { 0 };
	struct engine_check check = { .directory = directory, .line = print_line, .ctx = tally };
	char with_slash[4096];
	struct err err = { "" };

	alarm(LIMIT_S);
	snprintf(with_slash, sizeof(with_slash), "%s%s", strchr(path, '/') ? "" : "./", path);
	if (engine_load(&engines, with_slash, &check.engine, &err) < 0)
		print_line(tally, CHECK_FAIL, "loads", err.text);
	else
		engine_check(&check);
	engines_free(&engines);
}

static void check_engine(const char *path, const char *directory, struct tally *tally)
{
	char why[256];
	int status = 0;
	pid_t pid;

	tally->last[0] = '\0';
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		check_in_child(path, directory, tally);
		exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		print_line(tally, CHECK_FAIL, "starts", strerror(errno));
		return;
	}
	if (!WIFSIGNALED(status) && WEXITSTATUS(status) == 0)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(why, sizeof(why), "hangs in what comes after \"%s\"", tally->last);
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "%s in what comes after \"%s\"",
				strsignal(WTERMSIG(status)), tally->last);
	else
		snprintf(why, sizeof(why), "exit %d", WEXITSTATUS(status));
	print_line(tally, CHECK_FAIL, "runs to its end", why);
}

/* Also what an engine that crashed left there. */
static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (rmdir(path) < 0)
		perror(path);
}

static int usage(void)
{
	fputs("Usage: kit [-d DIRECTORY] ENGINE.so...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	char directory[PATH_MAX] = ".";
	struct tally *tally;
	char name[256];
	int c;

	while ((c = getopt(argc, argv, "d:")) != -1) {
		if (c != 'd')
			return usage();
		snprintf(directory, sizeof(directory), "%.*s", PATH_MAX - 32, optarg);
	}
	if (optind == argc)
		return usage();
	strcat(directory, "/iojob-kit.XXXXXX");
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	if (tally == MAP_FAILED || !mkdtemp(directory)) {
		perror(directory);
		return 2;
	}
	for (; optind < argc; optind++) {
		name_of(argv[optind], name, sizeof(name));
		tally->name = name;
		check_engine(argv[optind], directory, tally);
	}
	remove_dir(directory);
	printf("%u passed, %u failed, %u skipped\n", tally->count[CHECK_OK],
			tally->count[CHECK_FAIL], tally->count[CHECK_SKIP]);
	return tally->count[CHECK_FAIL] ? EXIT_FAILURE : EXIT_SUCCESS;
}
