// SPDX-License-Identifier: MIT
/*
 * An engine for tests that does no I/O, and goes wrong as its options say. Built as bad.so, and
 * with -DASYNC as bad_async.so, which completes in order.
 */
#include "../../core/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum fault {
	NONE, CRASH, EXIT, HANG, FAIL, CRASH_OPEN, HANG_OPEN, HANG_CLOSE, REFUSE, TAKES, BRINGS,
};

struct conf {
	int fault;
	int after;
	int usec;
	int signal;
};

static const struct iojob_choice faults[] = {
	{ "none", NONE, "works" },
	{ "crash", CRASH, "raises a signal" },
	{ "exit", EXIT, "ends its process" },
	{ "hang", HANG, "never comes back" },
	{ "fail", FAIL, "fails with EIO" },
	{ "crash_open", CRASH_OPEN, "raises a signal while it is set up" },
	{ "hang_open", HANG_OPEN, "never is set up" },
	{ "hang_close", HANG_CLOSE, "never is closed" },
	{ "refuse", REFUSE, "does not run on this machine" },
	{ "takes", TAKES, "says that it took more than it was given" },
	{ "brings", BRINGS, "says that it brought more than it was asked for" },
	{ NULL, 0, NULL },
};

static const struct iojob_option options[] = {
	{ .name = "fault", .type = IOJOB_OPT_CHOICE, IOJOB_MEMBER(struct conf, fault),
		.def = "none", .choices = faults, .help = "what goes wrong", .doc = "See there." },
	{ .name = "after", .type = IOJOB_OPT_INT, IOJOB_MEMBER(struct conf, after),
		.def = "0", .min = 0, .max = 1000000, .help = "I/Os that go well first",
		.doc = "Of each worker." },
	{ .name = "usec", .type = IOJOB_OPT_INT, IOJOB_MEMBER(struct conf, usec),
		.def = "0", .min = 0, .max = 1000000, .help = "microseconds an I/O takes",
		.doc = "At least." },
	{ .name = "signal", .type = IOJOB_OPT_INT, IOJOB_MEMBER(struct conf, signal),
		.def = "11", .min = 1, .max = 64, .help = "what a crash raises",
		.doc = "SIGSEGV." },
	{ .name = NULL },
};

struct state {
	long done;
#ifdef ASYNC
	struct iojob_io **queue; /* a ring of depth */
	unsigned first;
	unsigned n;
#endif
};

static int bad_check(const struct iojob_setup *setup)
{
	const struct conf *conf = setup->conf;

	if (conf->fault == REFUSE)
		return iojob_error(setup, EOPNOTSUPP, "this machine has no such thing");
	return 0;
}

static int bad_file_info(const struct iojob_setup *setup, const char *path,
		struct iojob_file_info *info)
{
	(void)setup;
	(void)path;
	info->exists = true;
	info->size_bytes = UINT64_C(1) << 30;
	return 0;
}

static int bad_file_remove(const struct iojob_setup *setup, const char *path)
{
	(void)setup;
	(void)path;
	return 0;
}

static void hang(void)
{
	for (;;)
		pause();
}

static int bad_open(struct iojob_worker *w)
{
	const struct conf *conf = w->conf;
	struct state *state = calloc(1, sizeof(*state));

	if (conf->fault == CRASH_OPEN)
		raise(conf->signal);
	if (conf->fault == HANG_OPEN)
		hang();
#ifdef ASYNC
	if (state)
		state->queue = calloc(w->depth, sizeof(*state->queue));
#endif
	w->priv = state;
	return state ? 0 : -ENOMEM;
}

static void bad_close(struct iojob_worker *w)
{
	const struct conf *conf = w->conf;

	if (conf->fault == HANG_CLOSE)
		hang();
#ifdef ASYNC
	free(((struct state *)w->priv)->queue);
#endif
	free(w->priv);
}

static void bad_do(struct iojob_worker *w, struct iojob_io *io)
{
	const struct conf *conf = w->conf;
	struct timespec time = { .tv_nsec = conf->usec * 1000 % 1000000000 };
	struct state *state = w->priv;
	bool good = ++state->done <= conf->after;

	if (conf->usec)
		nanosleep(&time, NULL);
	if (!good && conf->fault == CRASH)
		raise(conf->signal);
	if (!good && conf->fault == EXIT)
		_exit(3);
	if (!good && conf->fault == HANG)
		hang();
	io->res = !good && conf->fault == FAIL ? -EIO : (int64_t)io->len;
}

#ifdef ASYNC
static int bad_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	const struct conf *conf = w->conf;
	struct state *state = w->priv;

	for (unsigned i = 0; i < n; i++)
		state->queue[(state->first + state->n++) % w->depth] = ios[i];
	return (int)n + (conf->fault == TAKES && state->done >= conf->after);
}

static int bad_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	const struct conf *conf = w->conf;
	struct state *state = w->priv;
	unsigned n = 0;

	(void)min;
	(void)timeout_ns;
	if (conf->fault == BRINGS && state->done >= conf->after)
		return (int)max + 1;
	for (; n < max && state->n; n++, state->n--) {
		ios[n] = state->queue[state->first++ % w->depth];
		bad_do(w, ios[n]);
	}
	return (int)n;
}
#endif

IOJOB_EXPORT const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD(struct conf),
	.summary = "goes wrong",
	.doc = "For tests.",
	.options = options,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC),
	.flags = IOJOB_ENGINE_NO_FD,
	.check = bad_check,
	.file_info = bad_file_info,
	.file_remove = bad_file_remove,
	.open = bad_open,
	.close = bad_close,
#ifdef ASYNC
	.name = "bad_async",
	.submit = bad_submit,
	.reap = bad_reap,
#else
	.name = "bad",
	.execute = bad_do,
#endif
};
