// SPDX-License-Identifier: MIT
/* Moves nothing: what remains is the cost of the program itself. */
#include "../core/engine/engine.h"

#include <errno.h>
#include <stdlib.h>

/* A ring of the I/Os that were submitted and not yet reaped; the counters run on and wrap. */
struct null {
	uint32_t head;
	uint32_t tail;
	uint32_t mask;
	struct iojob_io *ring[];
};

static const char null_doc[] =
		"Does no I/O at all: every read, write, trim and sync succeeds at once, and no "
		"buffer is touched. What such a job measures is the program itself, the most "
		"that any other engine could reach on this machine; it is also the quickest "
		"way to try out a job file.\n\n"
		"Its files are mere names. They exist, have no end, and are never created or "
		"removed, so `size` has to say how much a job goes through.";

/* A file without an end, so that nothing is ever laid out. */
static int null_file_info(const struct iojob_setup *setup, const char *path,
		struct iojob_file_info *info)
{
	(void)setup;
	(void)path;
	info->exists = true;
	info->size_bytes = INT64_MAX;
	return 0;
}

static int null_file_remove(const struct iojob_setup *setup, const char *path)
{
	(void)setup;
	(void)path;
	return 0;
}

static int null_open(struct iojob_worker *w)
{
	struct null *null;
	uint32_t slots = 1;

	while (slots < w->depth)
		slots *= 2;
	null = calloc(1, sizeof(*null) + slots * sizeof(null->ring[0]));
	if (!null)
		return iojob_error(w, ENOMEM, "no memory for %u I/Os", w->depth);
	null->mask = slots - 1;
	w->priv = null;
	return 0;
}

static void null_close(struct iojob_worker *w)
{
	free(w->priv);
}

static void null_execute(struct iojob_worker *w, struct iojob_io *io)
{
	(void)w;
	io->res = io->len;
}

static int null_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	struct null *null = w->priv;
	uint32_t tail = null->tail, mask = null->mask;

	for (unsigned i = 0; i < n; i++)
		null->ring[tail++ & mask] = ios[i];
	null->tail = tail;
	return (int)n;
}

/* What was submitted is complete, so there is nothing to wait for. */
static int null_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	struct null *null = w->priv;
	uint32_t head = null->head, mask = null->mask;
	unsigned n = null->tail - head;

	(void)min;
	(void)timeout_ns;
	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		struct iojob_io *io = null->ring[head++ & mask];

		io->res = io->len;
		ios[i] = io;
	}
	null->head = head;
	return (int)n;
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD_PLAIN,
	.name = "null",
	.summary = "does nothing, at once: the cost of the program itself",
	.doc = null_doc,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_TRIM) |
			IOJOB_OP_BIT(IOJOB_FSYNC) | IOJOB_OP_BIT(IOJOB_FDATASYNC),
	.flags = IOJOB_ENGINE_NO_FD,
	.file_info = null_file_info,
	.file_remove = null_file_remove,
	.open = null_open,
	.close = null_close,
	.execute = null_execute,
	.submit = null_submit,
	.reap = null_reap,
};
