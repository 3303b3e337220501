// SPDX-License-Identifier: MIT
/* One pread(2) or pwrite(2) for each I/O. */
#include "../core/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char psync_doc[] =
		"Each I/O is one pread(2) or pwrite(2), which returns when the data has been "
		"copied from or to the page cache or, with `direct=1`, when the device is "
		"done. A worker has one I/O under way at a time: iodepth is always 1, and more "
		"parallelism comes from numjobs.\n\n"
		"`fsync` and `fdatasync` call fsync(2) and fdatasync(2). With `sync=1` or "
		"`sync=dsync` files are opened with O_SYNC or O_DSYNC. A trim discards the "
		"blocks of a device (BLKDISCARD) and punches a hole into a file "
		"(fallocate(2)).";

/* priv of a file is not NULL for a block device, which wants another call for a trim. */
static int psync_file_open(struct iojob_worker *w, struct iojob_file *file)
{
	struct stat st;

	if (!(w->ops & IOJOB_OP_BIT(IOJOB_TRIM)))
		return 0;
	if (fstat(file->fd, &st) < 0)
		return iojob_error(w, errno, "%s: fstat: %s", file->path, strerror(errno));
	file->priv = S_ISBLK(st.st_mode) ? file : NULL;
	return 0;
}

static int psync_trim(const struct iojob_io *io)
{
	uint64_t range[2] = { io->offset, io->len };

	if (io->file->priv)
		return ioctl(io->file->fd, BLKDISCARD, range);
	return fallocate(io->file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)io->offset, io->len);
}

static void psync_execute(struct iojob_worker *w, struct iojob_io *io)
{
	int fd = io->file->fd;
	ssize_t n = -1;

	(void)w;
	switch ((enum iojob_op)io->op) {
	case IOJOB_READ:
		n = pread(fd, io->buf, io->len, (off_t)io->offset);
		break;
	case IOJOB_WRITE:
		n = pwrite(fd, io->buf, io->len, (off_t)io->offset);
		break;
	case IOJOB_TRIM:
		n = psync_trim(io) < 0 ? -1 : (ssize_t)io->len;
		break;
	case IOJOB_FSYNC:
		n = fsync(fd);
		break;
	case IOJOB_FDATASYNC:
		n = fdatasync(fd);
		break;
	case IOJOB_OPS:
		errno = EOPNOTSUPP;
		break;
	}
	io->res = n < 0 ? -errno : n;
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD_PLAIN,
	.name = "psync",
	.summary = "pread and pwrite, one I/O at a time",
	.doc = psync_doc,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_TRIM) |
			IOJOB_OP_BIT(IOJOB_FSYNC) | IOJOB_OP_BIT(IOJOB_FDATASYNC),
	.file_open = psync_file_open,
	.execute = psync_execute,
};
