// SPDX-License-Identifier: MIT
/* The kernel's own asynchronous I/O: io_submit(2) and io_getevents(2). */
#include "../core/engine/engine.h"

#include <errno.h>
#include <libaio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct aio_conf {
	bool userspace_reap;
	bool aio_fsync;
};

struct aio {
	io_context_t ctx;
	unsigned flying; /* taken by the kernel and not yet reaped */
	unsigned nheld;
	struct iojob_io **held;  /* done without the kernel; handed out by the next reap */
	struct iocb **batch;     /* for one io_submit */
	struct io_event *events; /* of one io_getevents */
};

/* What io_setup's context points to: shared with the kernel, which writes events at the tail. */
struct aio_ring {
	unsigned id;
	unsigned nr; /* events that the ring holds */
	unsigned head;
	unsigned tail;
	unsigned magic;
	unsigned compat_features;
	unsigned incompat_features;
	unsigned header_length;
	struct io_event events[];
};

#define AIO_RING_MAGIC 0xa10a10a1u

static const struct iojob_option aio_options[] = {
	{
		.name = "userspace_reap",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct aio_conf, userspace_reap),
		.help = "take completions from the ring in memory where enough of them are there",
		.doc = "The kernel puts completions into a ring that the process can read. "
		       "With this option they are taken from there, and io_getevents(2) is "
		       "called only in order to wait. The layout of the ring is no documented "
		       "interface of Linux, though it has never changed; a kernel whose ring "
		       "looks different is asked with io_getevents(2) as ever.",
	},
	{
		.name = "aio_fsync",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct aio_conf, aio_fsync),
		.help = "queue fsync and fdatasync with the other I/Os",
		.doc = "A sync is submitted like any other I/O, and the next writes go on "
		       "beside it. Without the option it is a call of fsync(2) or fdatasync(2), "
		       "as in fio, and the worker starts nothing until it returns. Where kernel "
		       "or file cannot queue it, it is that call all the same.",
	},
	{ .name = NULL },
};

static const char aio_doc[] =
		"Up to iodepth I/Os of a worker are handed to the kernel by io_submit(2), as "
		"many at a time as `iodepth_batch` says, and collected by io_getevents(2).\n\n"
		"It is asynchronous only for direct I/O: with `direct=0` io_submit(2) returns "
		"when the I/O is done, so that submission takes all of the time and no depth "
		"is reached. `fsync` and `fdatasync` are calls of fsync(2) and fdatasync(2) "
		"that the worker waits for; see `aio_fsync`.\n\n"
		"The kernel limits how many I/Os all processes together may have in reserve "
		"(sysctl fs.aio-max-nr); every worker reserves iodepth of them. Giving them "
		"back at the end of a worker takes the kernel some 50 ms, after its "
		"measurement.";

/* A number out of /proc, or -1. */
static long long aio_sysctl(const char *path)
{
	FILE *file = fopen(path, "re");
	long long value = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

static int aio_check(const struct iojob_setup *setup)
{
	long long used = aio_sysctl("/proc/sys/fs/aio-nr");
	long long most = aio_sysctl("/proc/sys/fs/aio-max-nr");
	long long need = (long long)setup->workers * setup->depth;
	io_context_t none = NULL;
	int err = io_setup(0, &none); /* wrong on purpose: EINVAL means that the call exists */

	if (err != -EINVAL)
		return iojob_error(setup, -err, "the kernel refuses io_setup: %s", strerror(-err));
	if (used >= 0 && most >= 0 && used + need > most)
		return iojob_error(setup, EAGAIN,
				"%u worker%s of depth %u would reserve %lld asynchronous I/Os, and "
				"%lld are free: raise the sysctl fs.aio-max-nr (%lld), or lower "
				"numjobs or iodepth",
				setup->workers, setup->workers == 1 ? "" : "s", setup->depth, need,
				most - used, most);
	return 0;
}

static void aio_close(struct iojob_worker *w)
{
	struct aio *aio = w->priv;

	if (aio->ctx)
		io_destroy(aio->ctx);
	free(aio->events);
	free(aio->batch);
	free(aio->held);
	free(aio);
}

static int aio_open(struct iojob_worker *w)
{
	struct aio *aio = calloc(1, sizeof(*aio));
	int err = -ENOMEM;

	if (!aio)
		return iojob_error(w, ENOMEM, "no memory for %u I/Os", w->depth);
	w->priv = aio;
	aio->held = calloc(w->depth, sizeof(aio->held[0]));
	aio->batch = calloc(w->depth, sizeof(aio->batch[0]));
	aio->events = calloc(w->depth, sizeof(aio->events[0]));
	if (aio->held && aio->batch && aio->events)
		err = io_setup((int)w->depth, &aio->ctx);
	if (err == 0)
		return 0;
	aio_close(w);
	return iojob_error(w, -err, "io_setup for %u I/Os: %s%s", w->depth, strerror(-err),
			err == -EAGAIN ? " (sysctl fs.aio-max-nr)" : "");
}

static struct iocb *aio_prepare(struct iojob_io *io)
{
	struct iocb *iocb = io->scratch;
	int fd = io->file->fd;

	switch ((enum iojob_op)io->op) {
	case IOJOB_READ:
		io_prep_pread(iocb, fd, io->buf, io->len, (long long)io->offset);
		break;
	case IOJOB_WRITE:
		io_prep_pwrite(iocb, fd, io->buf, io->len, (long long)io->offset);
		break;
	case IOJOB_FSYNC:
		io_prep_fsync(iocb, fd);
		break;
	case IOJOB_FDATASYNC:
		io_prep_fdsync(iocb, fd);
		break;
	case IOJOB_TRIM:
	case IOJOB_OPS:
		memset(iocb, 0, sizeof(*iocb));
		iocb->aio_lio_opcode = -1; /* refused by the kernel, and reported by reap */
		break;
	}
	iocb->data = io;
	return iocb;
}

static bool aio_is_sync(const struct iojob_io *io)
{
	return io->op == IOJOB_FSYNC || io->op == IOJOB_FDATASYNC;
}

/* Keeps an I/O that the kernel refused, or a sync: that is done here. */
static void aio_hold(struct aio *aio, struct iojob_io *io, int err)
{
	io->res = err;
	if (err == -EINVAL && io->op == IOJOB_FSYNC)
		io->res = fsync(io->file->fd) < 0 ? -errno : 0;
	if (err == -EINVAL && io->op == IOJOB_FDATASYNC)
		io->res = fdatasync(io->file->fd) < 0 ? -errno : 0;
	aio->held[aio->nheld++] = io;
}

/*
 * io_submit takes what comes before the first bad I/O, and only where the first of all is bad does
 * it return an error, for that one alone.
 */
static int aio_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	const struct aio_conf *conf = w->conf;
	struct aio *aio = w->priv;
	unsigned i;
	int taken;

	for (i = 0; i < n && (conf->aio_fsync || !aio_is_sync(ios[i])); i++)
		aio->batch[i] = aio_prepare(ios[i]);
	/* Nothing for the kernel: the first is a sync. */
	taken = i ? io_submit(aio->ctx, (long)i, aio->batch) : -EINVAL;
	if (taken >= 0) {
		aio->flying += (unsigned)taken;
		return taken;
	}
	if (taken == -EAGAIN)
		return aio->flying + aio->nheld > 0 ? 0 : taken;
	if (taken == -EINTR)
		return 0;
	aio_hold(aio, ios[0], taken);
	return 1;
}

static unsigned aio_take_held(struct aio *aio, struct iojob_io **ios, unsigned max)
{
	unsigned n = aio->nheld < max ? aio->nheld : max;

	aio->nheld -= n;
	memcpy(ios, aio->held + aio->nheld, n * sizeof(ios[0]));
	return n;
}

static void aio_take_event(const struct io_event *event, struct iojob_io **io)
{
	*io = event->data;
	(*io)->res = (long)event->res;
}

/* The events that lie in the ring, without a system call. */
static unsigned aio_take_ring(struct aio *aio, struct iojob_io **ios, unsigned max)
{
	struct aio_ring *ring = (struct aio_ring *)aio->ctx;
	unsigned head = ring->head;
	unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	unsigned n = 0;

	if (ring->magic != AIO_RING_MAGIC || ring->incompat_features)
		return 0;
	while (n < max && head != tail) {
		aio_take_event(&ring->events[head], &ios[n++]);
		head = head + 1 < ring->nr ? head + 1 : 0;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	aio->flying -= n;
	return n;
}

static int aio_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	const struct aio_conf *conf = w->conf;
	struct aio *aio = w->priv;
	struct timespec ts = { 0 };
	unsigned got = 0;
	unsigned i;
	int n;

	if (aio->nheld)
		got = aio_take_held(aio, ios, max);
	if (conf->userspace_reap)
		got += aio_take_ring(aio, ios + got, max - got);
	if (got == max || (got > 0 && got >= min))
		return (int)got;

	min = min > got ? min - got : 0;
	if (min > 0 && timeout_ns > 0) {
		ts.tv_sec = (time_t)(timeout_ns / 1000000000);
		ts.tv_nsec = (long)(timeout_ns % 1000000000);
	}
	n = io_getevents(aio->ctx, (long)min, (long)(max - got), aio->events,
			min > 0 && timeout_ns < 0 ? NULL : &ts);
	if (n < 0)
		return n == -EINTR || got > 0 ? (int)got : n;
	for (i = 0; i < (unsigned)n; i++)
		aio_take_event(&aio->events[i], &ios[got + i]);
	aio->flying -= (unsigned)n;
	return (int)got + n;
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD(struct aio_conf),
	.name = "libaio",
	.summary = "Linux native asynchronous I/O, for direct=1",
	.doc = aio_doc,
	.options = aio_options,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC) |
			IOJOB_OP_BIT(IOJOB_FDATASYNC),
	.io_scratch = sizeof(struct iocb),
	.check = aio_check,
	.open = aio_open,
	.close = aio_close,
	.submit = aio_submit,
	.reap = aio_reap,
};
