// SPDX-License-Identifier: MIT
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 100 }; /* for all checks */

/* Shared with the child that runs the checks. */
struct tally {
	unsigned count[CHECK_SKIP + 1];
	char last[128]; /* the last check that ended */
};

struct trial {
	FILE *to;
	struct engine_check check;
	struct tally *tally;
};

static void print_line(void *ctx, enum check_verdict verdict, const char *what, const char *why)
{
	static const char *const words[] = { "ok", "FAIL", "skip" };
	const struct trial *trial = ctx;
	struct tally *tally = trial->tally;

	tally->count[verdict]++;
	snprintf(tally->last, sizeof(tally->last), "%s", what);
	fprintf(trial->to, "%s %s: %s%s%s\n", words[verdict], trial->check.engine->e.name, what,
			*why ? ": " : "", why);
	fflush(trial->to);
}

static void run_checks(const struct trial *trial)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(LIMIT_S);
	engine_check(&trial->check);
}

/* How the child went: one that did not run to its end is one more failure. */
static void judge(struct trial *trial, int status)
{
	const char *last = trial->tally->last;
	char why[256];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(why, sizeof(why), "hangs in what comes after \"%s\"", last);
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "%s in what comes after \"%s\"",
				strsignal(WTERMSIG(status)), last);
	else
		snprintf(why, sizeof(why), "exit %d", WEXITSTATUS(status));
	print_line(trial, CHECK_FAIL, "runs to its end", why);
}

/* Also what an engine that crashed left there. */
static void remove_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

int trial_run(FILE *to, const struct engine *engine, const char *directory,
		const struct engine_setting *settings, size_t nsettings, struct err *err)
{
	char scratch[PATH_MAX];
	struct trial trial = {
		.to = to,
		.check = {
			.engine = engine,
			.directory = scratch,
			.settings = settings,
			.nsettings = nsettings,
			.line = print_line,
			.ctx = &trial,
		},
	};
	int status, r = engine_check_settings(&trial.check, err);
	pid_t pid;

	if (r)
		return r;
	snprintf(scratch, sizeof(scratch), "%s/iojob-check.XXXXXX", directory);
	trial.tally = mmap(NULL, sizeof(*trial.tally), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (trial.tally == MAP_FAILED)
		return err_memory(err);
	if (!mkdtemp(scratch)) {
		r = err_set(err, errno, "%s: no scratch directory can be made in it: %s", directory,
				strerror(errno));
		goto out;
	}
	fflush(to);
	pid = fork();
	if (pid == 0) {
		run_checks(&trial);
		exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		r = err_set(err, errno, "the checks cannot be started: %s", strerror(errno));
	else
		judge(&trial, status);
	remove_directory(scratch);
	if (!r) {
		const unsigned *n = trial.tally->count;

		fprintf(to, "%u passed, %u failed, %u skipped\n", n[CHECK_OK], n[CHECK_FAIL],
				n[CHECK_SKIP]);
		r = (int)n[CHECK_FAIL];
	}
out:
	munmap(trial.tally, sizeof(*trial.tally));
	return r;
}
