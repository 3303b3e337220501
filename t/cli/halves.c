// SPDX-License-Identifier: MIT
/*
 * An engine for tests that moves half of what it is asked for, rounded up, each time. Built as
 * halves.so, and with -DASYNC as halves_async.so.
 */
#include "../../core/engine/engine.h"

#include <errno.h>
#include <unistd.h>

static void halves_do(struct iojob_worker *w, struct iojob_io *io)
{
	size_t half = (io->len + 1) / 2;
	ssize_t n = 0;

	(void)w;
	if (io->op == IOJOB_READ)
		n = pread(io->file->fd, io->buf, half, (off_t)io->offset);
	else if (io->op == IOJOB_WRITE)
		n = pwrite(io->file->fd, io->buf, half, (off_t)io->offset);
	io->res = n < 0 ? -errno : n;
}

#ifdef ASYNC
/* What was submitted stands in the I/Os themselves: a scratch byte says which are to be reaped. */
static int halves_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	(void)w;
	for (unsigned i = 0; i < n; i++)
		*(char *)ios[i]->scratch = 1;
	return (int)n;
}

static int halves_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	unsigned n = 0;

	(void)min;
	(void)timeout_ns;
	for (unsigned i = 0; i < w->depth && n < max; i++) {
		char *waits = w->ios[i]->scratch;

		if (!*waits)
			continue;
		*waits = 0;
		halves_do(w, w->ios[i]);
		ios[n++] = w->ios[i];
	}
	return (int)n;
}
#endif

IOJOB_EXPORT const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD_PLAIN,
	.summary = "does half of it",
	.doc = "For tests.",
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE),
#ifdef ASYNC
	.name = "halves_async",
	.io_scratch = 1,
	.submit = halves_submit,
	.reap = halves_reap,
#else
	.name = "halves",
	.execute = halves_do,
#endif
};
