// SPDX-License-Identifier: MIT
/* Files mapped into memory: an I/O is a memcpy. */
#include "../core/engine/engine.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* priv of a file is the start of its mapping, file->size_bytes long; NULL: it is not mapped. */

static const char mmap_doc[] =
		"Each file is mapped whole with mmap(2) when it is opened, and an I/O is a "
		"memcpy between buffer and mapping: reads and writes are page faults. How they "
		"come about is announced by madvise: sequential or random, after `rw`. A "
		"worker has one I/O under way at a time: iodepth is always 1.\n\n"
		"A write is done when the memory is written; the kernel brings it to the "
		"device when it likes. `fsync` calls msync(2) for the whole mapping and "
		"`fdatasync` calls fdatasync(2); with `sync=1` or `sync=dsync` each write is "
		"followed by an msync(2) of the pages it touched.\n\n"
		"Mapped files are the page cache, so `direct=1` is refused. Writing needs "
		"files that can be read as well. Where the file is cut short under its "
		"mapping, the disk is full or fails, the I/O that meets it ends with EIO, and "
		"the job goes on as `continue_on_error` says.";

static int mmap_check(const struct iojob_setup *setup)
{
	if (setup->job_flags & IOJOB_JOB_DIRECT)
		return iojob_error(setup, EINVAL,
				"a mapped file is the page cache, so direct I/O is impossible: "
				"remove direct=1 (sync=1 waits for the device after each write)");
	return 0;
}

static int mmap_file_open(struct iojob_worker *w, struct iojob_file *file)
{
	int prot = (w->ops & IOJOB_OP_BIT(IOJOB_READ) ? PROT_READ : 0) |
			(w->ops & IOJOB_OP_BIT(IOJOB_WRITE) ? PROT_WRITE : 0);
	int advice = w->job_flags & IOJOB_JOB_RANDOM ? POSIX_MADV_RANDOM : POSIX_MADV_SEQUENTIAL;
	void *map;

	file->priv = NULL;
	if (file->size_bytes == 0)
		return iojob_error(w, EINVAL, "%s: an empty file cannot be mapped", file->path);
	map = mmap(NULL, file->size_bytes, prot, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return iojob_error(w, errno, "%s: mmap: %s", file->path, strerror(errno));
	/* Advice only: a kernel without it does the same I/O. */
	posix_madvise(map, file->size_bytes, advice);
	file->priv = map;
	return 0;
}

static int mmap_file_close(struct iojob_worker *w, struct iojob_file *file)
{
	if (file->priv && munmap(file->priv, file->size_bytes) < 0)
		return iojob_error(w, errno, "%s: munmap: %s", file->path, strerror(errno));
	file->priv = NULL;
	return 0;
}

/* Up to the end of the mapping, as a read(2) stops at the end of its file. */
static size_t mmap_span(const struct iojob_io *io)
{
	if (io->offset >= io->file->size_bytes)
		return 0;
	if (io->len > io->file->size_bytes - io->offset)
		return io->file->size_bytes - io->offset;
	return io->len;
}

/* Brings the pages of a range to the device. */
static int mmap_sync(const struct iojob_file *file, uint64_t offset, uint64_t n)
{
	uint64_t within = offset % (uint64_t)sysconf(_SC_PAGESIZE);

	return msync((char *)file->priv + offset - within, n + within, MS_SYNC) < 0 ? -errno : 0;
}

/* What is more than a copy; apart, so that a read saves no registers for it. */
__attribute__((noinline)) static void mmap_other(
		const struct iojob_worker *w, struct iojob_io *io, char *at, size_t n)
{
	switch ((enum iojob_op)io->op) {
	case IOJOB_WRITE:
		memcpy(at, io->buf, n);
		if (n && w->job_flags & (IOJOB_JOB_SYNC | IOJOB_JOB_DSYNC)) {
			int err = mmap_sync(io->file, io->offset, n);

			io->res = err < 0 ? err : (int64_t)n;
		}
		break;
	case IOJOB_FSYNC:
		io->res = mmap_sync(io->file, 0, io->file->size_bytes);
		break;
	case IOJOB_FDATASYNC:
		io->res = fdatasync(io->file->fd) < 0 ? -errno : 0;
		break;
	case IOJOB_READ:
	case IOJOB_TRIM:
	case IOJOB_OPS:
		io->res = -EOPNOTSUPP;
		break;
	}
}

static void mmap_execute(struct iojob_worker *w, struct iojob_io *io)
{
	size_t n = mmap_span(io);
	char *at = (char *)io->file->priv + io->offset;

	/* Before the copy, so that nothing has to be kept over it: a copy that fails never ends. */
	io->res = (int64_t)n;
	if (io->op == IOJOB_READ)
		memcpy(io->buf, at, n);
	else
		mmap_other(w, io, at, n);
}

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD_PLAIN,
	.name = "mmap",
	.summary = "files mapped into memory, one copy at a time",
	.doc = mmap_doc,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC) |
			IOJOB_OP_BIT(IOJOB_FDATASYNC),
	.flags = IOJOB_ENGINE_SIZED | IOJOB_ENGINE_SIGBUS,
	.check = mmap_check,
	.file_open = mmap_file_open,
	.file_close = mmap_file_close,
	.execute = mmap_execute,
};
