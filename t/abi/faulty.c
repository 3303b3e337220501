// SPDX-License-Identifier: MIT
/*
 * An engine that breaks the contract in one way, -DFAULT=..., for the test of the conformance kit.
 * It does its I/O in submit, and hands it out in reap, last first.
 */
#include "../../core/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fault {
	NONE,
	NO_DOC,          /* its manual page would be empty */
	MUTE,            /* refuses a job without a text */
	KEEPS_OPEN,      /* opens what it cannot open twice */
	LOSES,           /* an I/O that was taken never comes back */
	TWICE,           /* an I/O comes back twice */
	TOO_MANY,        /* reap hands out more than max */
	TAKES_TOO_MANY,  /* submit took more than it was given */
	TAKES_NONE,      /* submit is full while nothing is under way */
	CORRUPTS,        /* one byte is wrong */
	MISPLACES,       /* writes go to the start of the file */
	SILENT,          /* res is not set */
	EXAGGERATES,     /* res is more than was asked for */
	ZERO_AT_ERROR,   /* an error looks like the end of the file */
	GIVES_UP,        /* one bad I/O ends the worker */
	BLOCKS,          /* reap sleeps on an idle worker */
	BAD_FSYNC,       /* fsync returns a length */
	STALE,           /* a file that was opened again is still the old one */
	SHARES,          /* two workers use one buffer */
	CRASHES,
	BAD_SWITCH,      /* the option `odd` breaks it */
};

struct faulty_conf {
	bool odd;
};

struct faulty {
	unsigned n;
	int first_fd;
	struct iojob_io *done[64];
};

static const struct iojob_option options[] = {
	{
		.name = "odd",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct faulty_conf, odd),
		.help = "a switch",
		.doc = "Does nothing, unless it is faulty.",
	},
	{ .name = NULL },
};

static int faulty_check(const struct iojob_setup *setup)
{
	(void)setup;
	return FAULT == MUTE ? -EINVAL : 0;
}

static int faulty_open(struct iojob_worker *w)
{
	static int opened;
	struct faulty *f;

	if (FAULT == KEEPS_OPEN && opened++)
		return iojob_error(w, EBUSY, "still open");
	f = calloc(1, sizeof(*f));
	if (!f)
		return iojob_error(w, ENOMEM, "no memory");
	f->first_fd = -1;
	w->priv = f;
	return 0;
}

static int faulty_file_open(struct iojob_worker *w, struct iojob_file *file)
{
	struct faulty *f = w->priv;

	if (FAULT == STALE && f->first_fd < 0)
		f->first_fd = dup(file->fd);
	return 0;
}

static void faulty_close(struct iojob_worker *w)
{
	struct faulty *f = w->priv;

	if (f->first_fd >= 0)
		close(f->first_fd);
	free(f);
}

static int64_t transfer(struct iojob_worker *w, struct iojob_io *io)
{
	static char shared[65536];
	struct faulty *f = w->priv;
	int fd = FAULT == STALE ? f->first_fd : io->file->fd;
	off_t offset = FAULT == MISPLACES && io->op == IOJOB_WRITE ? 0 : (off_t)io->offset;
	void *buf = FAULT == SHARES ? shared : io->buf;
	ssize_t n;

	if (io->op == IOJOB_FSYNC)
		return fsync(fd) < 0 ? -errno : FAULT == BAD_FSYNC ? 4096 : 0;
	if (FAULT == SHARES && io->op == IOJOB_WRITE) {
		memcpy(shared, io->buf, io->len);
		usleep(200);
	}
	if (io->op == IOJOB_READ)
		n = pread(fd, buf, io->len, offset);
	else
		n = pwrite(fd, buf, io->len, offset);
	if (FAULT == SHARES && io->op == IOJOB_READ)
		memcpy(io->buf, shared, io->len);
	return n < 0 ? -errno : n;
}

static void spoil(struct iojob_worker *w, struct iojob_io *io)
{
	const struct faulty_conf *conf = w->conf;

	if (io->op == IOJOB_READ && io->offset == 8192 && io->res > 0 &&
			(FAULT == CORRUPTS || (FAULT == BAD_SWITCH && conf->odd)))
		((char *)io->buf)[100] ^= 1;
	if (FAULT == SILENT && io->offset == 8192)
		io->res = INT64_MIN;
	if (FAULT == EXAGGERATES && io->offset == 8192)
		io->res = io->len + 1;
	if (FAULT == ZERO_AT_ERROR && io->res < 0)
		io->res = 0;
	if (FAULT == CRASHES)
		abort();
}

static int faulty_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	struct faulty *f = w->priv;
	unsigned i;

	if (FAULT == TAKES_NONE)
		return 0;
	for (i = 0; i < n; i++) {
		ios[i]->res = transfer(w, ios[i]);
		if (FAULT == GIVES_UP && ios[i]->res < 0)
			return (int)ios[i]->res;
		spoil(w, ios[i]);
		if (FAULT != LOSES || !(w->job_flags & IOJOB_JOB_RANDOM) || ios[i]->offset != 8192)
			f->done[f->n++] = ios[i];
		if (FAULT == TWICE && ios[i]->offset == 8192)
			f->done[f->n++] = ios[i];
	}
	return (int)n + (FAULT == TAKES_TOO_MANY);
}

static int faulty_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	struct faulty *f = w->priv;
	unsigned n = 0;

	if (FAULT == BLOCKS && f->n == 0)
		timeout_ns = 700000000;
	if (f->n == 0 && (min > 0 || FAULT == BLOCKS))
		usleep((useconds_t)(timeout_ns / 1000));
	while (f->n > 0 && n < max)
		ios[n++] = f->done[--f->n];
	return (int)n + (FAULT == TOO_MANY && n == max);
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD(struct faulty_conf),
	.name = "faulty",
	.summary = "breaks the contract",
	.doc = FAULT == NO_DOC ? NULL : "For the test of the conformance kit.",
	.options = options,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC),
	.check = faulty_check,
	.open = faulty_open,
	.file_open = faulty_file_open,
	.close = faulty_close,
	.submit = faulty_submit,
	.reap = faulty_reap,
};
