// SPDX-License-Identifier: MIT
/* Direct I/O by preadv2(2) and pwritev2(2), for the flags that only those take. */
#include "../core/engine/engine.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

struct directio_conf {
	bool hipri;
	bool rwf_dsync;
};

static const struct iojob_option directio_options[] = {
	{
		.name = "hipri",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct directio_conf, hipri),
		.help = "poll the device for completion instead of waiting for its interrupt",
		.doc = "Sets RWF_HIPRI on each read and write: the kernel asks the device "
		       "again and again whether it is done, which costs a CPU and saves the "
		       "interrupt. It takes a device with polling queues (nvme.poll_queues=); "
		       "any other does ordinary I/O, or fails with EOPNOTSUPP.",
	},
	{
		.name = "rwf_dsync",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct directio_conf, rwf_dsync),
		.help = "each write reaches stable storage before it returns",
		.doc = "Sets RWF_DSYNC on each write: as `sync=dsync`, but asked for with the "
		       "write instead of with the descriptor. On devices that can, the kernel "
		       "makes it one write with FUA in place of a write and a flush.",
	},
	{ .name = NULL },
};

static const char directio_doc[] =
		"Each I/O is one preadv2(2) or pwritev2(2) on a descriptor opened with "
		"O_DIRECT, whatever `direct` says: data moves between the buffer and the "
		"device without the page cache. A worker has one I/O under way at a time: "
		"iodepth is always 1.\n\n"
		"Block size, offset and size have to be multiples of what the file or device "
		"asks of direct I/O (its logical block, commonly 512 or 4096 bytes), and a "
		"filesystem without O_DIRECT refuses the job. Both are checked before anything "
		"runs.";

static void directio_execute(struct iojob_worker *w, struct iojob_io *io)
{
	const struct directio_conf *conf = w->conf;
	const struct iovec iov = { .iov_base = io->buf, .iov_len = io->len };
	int flags = conf->hipri ? RWF_HIPRI : 0;
	int fd = io->file->fd;
	ssize_t n = -1;

	switch ((enum iojob_op)io->op) {
	case IOJOB_READ:
		n = preadv2(fd, &iov, 1, (off_t)io->offset, flags);
		break;
	case IOJOB_WRITE:
		if (conf->rwf_dsync)
			flags |= RWF_DSYNC;
		n = pwritev2(fd, &iov, 1, (off_t)io->offset, flags);
		break;
	case IOJOB_FSYNC:
		n = fsync(fd);
		break;
	case IOJOB_FDATASYNC:
		n = fdatasync(fd);
		break;
	case IOJOB_TRIM:
	case IOJOB_OPS:
		errno = EOPNOTSUPP;
		break;
	}
	io->res = n < 0 ? -errno : n;
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD(struct directio_conf),
	.name = "directio",
	.summary = "preadv2 and pwritev2 past the page cache, one I/O at a time",
	.doc = directio_doc,
	.options = directio_options,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC) |
			IOJOB_OP_BIT(IOJOB_FDATASYNC),
	.flags = IOJOB_ENGINE_DIRECT,
	.execute = directio_execute,
};
