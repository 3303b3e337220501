// SPDX-License-Identifier: MIT
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../measure/clock.h"

enum {
	REAP_MAX = 3,    /* fewer than there are, so that some stay behind */
	LOST_MS = 10000, /* an I/O that is not back by then never comes */
	POISON = 0xa5,   /* a buffer before a read */
};

enum check_verdict kit_say(struct kit *kit, enum check_verdict verdict, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(kit->why, sizeof(kit->why), format, ap);
	va_end(ap);
	return verdict;
}

/* ---- setting up and taking down ------------------------------------------------------------ */

struct iojob_setup rig_setup(struct rig *rig)
{
	return (struct iojob_setup){
		.conf = rig->w.conf,
		.depth = rig->w.depth,
		.workers = 1,
		.buf_bytes = rig->w.buf_bytes,
		.ops = rig->w.ops,
		.job_flags = rig->w.job_flags,
		.nfiles = rig->w.nfiles,
		.error = rig->error,
		.error_size = sizeof(rig->error),
	};
}

enum check_verdict rig_hook_failed(struct rig *rig, const char *hook, int ret)
{
	if (ret > 0)
		return kit_fail(rig->kit, "%s returned %d, which is neither 0 nor -errno", hook,
				ret);
	return kit_fail(rig->kit, "%s: %s", hook, rig->error[0] ? rig->error : strerror(-ret));
}

/* Opens the descriptor as the core would, makes the file as long as it has to be. */
static enum check_verdict open_fd(struct rig *rig, struct iojob_file *file)
{
	static const struct {
		uint32_t job_flag;
		int flag;
	} flags[] = {
		{ IOJOB_JOB_DIRECT, O_DIRECT },
		{ IOJOB_JOB_SYNC, O_SYNC },
		{ IOJOB_JOB_DSYNC, O_DSYNC },
	};
	int how = O_CREAT | O_CLOEXEC;
	size_t i;

	how |= rig->spec.write_only && file->index == 1 ? O_WRONLY : O_RDWR;
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (rig->spec.job_flags & flags[i].job_flag)
			how |= flags[i].flag;
	file->fd = open(file->path, how, 0600);
	if (file->fd < 0 && errno == EINVAL && how & O_DIRECT)
		return kit_skip(rig->kit, "%s: no direct I/O here", rig->kit->directory);
	if (file->fd < 0 || ftruncate(file->fd, RIG_FILE_BYTES) < 0)
		return kit_fail(rig->kit, "%s: %s", file->path, strerror(errno));
	file->size_bytes = RIG_FILE_BYTES;
	return CHECK_OK;
}

/* The same for a name that only the engine understands. */
static enum check_verdict look_up(struct rig *rig, struct iojob_file *file)
{
	struct iojob_setup setup = rig_setup(rig);
	struct iojob_file_info info = { 0 };
	int ret = rig->e->file_info(&setup, file->path, &info);

	file->fd = -1;
	if (ret < 0)
		return rig_hook_failed(rig, "file_info", ret);
	file->size_bytes = info.exists ? info.size_bytes : RIG_FILE_BYTES;
	if (file->size_bytes < RIG_FILE_BYTES)
		return kit_skip(rig->kit, "its files have %llu bytes, fewer than it takes",
				(unsigned long long)file->size_bytes);
	return CHECK_OK;
}

enum check_verdict rig_open_file(struct rig *rig, unsigned i)
{
	struct iojob_file *file = rig->files[i];
	enum check_verdict v = kit_has_fds(rig->kit) ? open_fd(rig, file) : look_up(rig, file);
	int ret = 0;

	if (v != CHECK_OK)
		return v;
	if (rig->e->file_open)
		ret = rig->e->file_open(&rig->w, file);
	if (ret)
		return rig_hook_failed(rig, "file_open", ret);
	rig->file_open[i] = true;
	return CHECK_OK;
}

enum check_verdict rig_close_file(struct rig *rig, unsigned i)
{
	struct iojob_file *file = rig->files[i];
	int ret = 0;

	if (rig->file_open[i] && rig->e->file_close)
		ret = rig->e->file_close(&rig->w, file);
	rig->file_open[i] = false;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	return ret ? rig_hook_failed(rig, "file_close", ret) : CHECK_OK;
}

void rig_remove_file(struct rig *rig, unsigned i)
{
	struct iojob_setup setup = rig_setup(rig);

	if (rig->e->file_remove)
		rig->e->file_remove(&setup, rig->paths[i]);
	else
		unlink(rig->paths[i]);
}

enum check_verdict rig_close(struct rig *rig, enum check_verdict so_far)
{
	enum check_verdict v = CHECK_OK;
	unsigned i;

	for (i = 0; i < rig->w.nfiles; i++) {
		if (rig_close_file(rig, i) != CHECK_OK)
			v = CHECK_FAIL;
		rig_remove_file(rig, i);
	}
	if (rig->open && rig->e->close)
		rig->e->close(&rig->w);
	guard_leave(&rig->guard);
	free(rig->buf);
	free(rig->scratch);
	return so_far == CHECK_OK ? v : so_far;
}

enum check_verdict rig_build(struct rig *rig, struct kit *kit, const struct spec *spec)
{
	const struct iojob_engine *e = &kit->engine->e;
	size_t align = e->buf_align > RIG_BLOCK ? e->buf_align : RIG_BLOCK;
	size_t scratch = (e->io_scratch + 63u) / 64 * 64;
	size_t buf_bytes = (size_t)spec->depth * RIG_BUF_BYTES;
	unsigned i;

	memset(rig, 0, sizeof(*rig));
	rig->kit = kit;
	rig->e = e;
	rig->spec = *spec;
	if (e->flags & IOJOB_ENGINE_DIRECT)
		rig->spec.job_flags |= IOJOB_JOB_DIRECT;
	rig->buf = aligned_alloc(align, (buf_bytes + align - 1) / align * align);
	rig->scratch = aligned_alloc(64, scratch * spec->depth + 64);
	if (!rig->buf || !rig->scratch || guard_enter(&rig->guard) < 0)
		return kit_fail(kit, "no memory");
	memset(rig->scratch, 0, scratch * spec->depth + 64);
	for (i = 0; i < spec->depth; i++) {
		rig->ios[i] = &rig->io_store[i];
		rig->ios[i]->slot = (uint16_t)i;
		rig->ios[i]->buf = rig->buf + (size_t)i * RIG_BUF_BYTES;
		rig->ios[i]->scratch = scratch ? rig->scratch + i * scratch : NULL;
	}
	for (i = 0; i < spec->nfiles; i++) {
		rig->files[i] = &rig->file_store[i];
		rig->files[i]->path = rig->paths[i];
		rig->files[i]->index = i;
		rig->files[i]->fd = -1;
		snprintf(rig->paths[i], sizeof(rig->paths[i]), "%s/iojob-check.%d.%u",
				kit->directory, (int)getpid(), kit->first_file + i);
	}
	rig->w = (struct iojob_worker){
		.conf = kit->conf,
		.depth = spec->depth,
		.nfiles = spec->nfiles,
		.files = rig->files,
		.ios = rig->ios,
		.buf_base = rig->buf,
		.buf_bytes = buf_bytes,
		.ops = e->ops & (IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | spec->ops),
		.job_flags = rig->spec.job_flags,
		.error = rig->error,
		.error_size = sizeof(rig->error),
	};
	return CHECK_OK;
}

enum check_verdict rig_ask(struct rig *rig)
{
	struct iojob_setup setup = rig_setup(rig);
	int ret = rig->e->check ? rig->e->check(&setup) : 0;

	if (ret > 0 || (ret < 0 && !kit_one_line(rig->error)))
		return kit_fail(rig->kit, "check returned %d, and the text \"%s\"", ret,
				rig->error);
	return ret < 0 ? kit_skip(rig->kit, "%s", rig->error) : CHECK_OK;
}

enum check_verdict rig_open(struct rig *rig)
{
	enum check_verdict v = rig_ask(rig);
	unsigned i;
	int ret;

	if (v != CHECK_OK)
		return v;
	ret = rig->e->open ? rig->e->open(&rig->w) : 0;
	if (ret)
		return rig_hook_failed(rig, "open", ret);
	rig->open = true;
	for (i = 0; i < rig->w.nfiles && !rig->spec.late && v == CHECK_OK; i++)
		v = rig_open_file(rig, i);
	if (v != CHECK_OK)
		return v;
	ret = rig->e->ready ? rig->e->ready(&rig->w) : 0;
	if (ret)
		return rig_hook_failed(rig, "ready", ret);
	for (i = 0; i < rig->w.nfiles && rig->spec.late && v == CHECK_OK; i++)
		v = rig_open_file(rig, i);
	return v;
}

/* ---- I/Os ---------------------------------------------------------------------------------- */

struct iojob_io *rig_request(
		struct rig *rig, unsigned slot, enum iojob_op op, uint64_t offset, uint32_t len)
{
	struct iojob_io *io = rig->ios[slot];

	io->op = (uint8_t)op;
	io->offset = offset;
	io->len = len;
	io->file = rig->files[0];
	io->res = INT64_MIN;
	return io;
}

/* Judges what reap handed out; every I/O has to come back once. */
static enum check_verdict landed(struct rig *rig, struct iojob_io **ios, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (!ios[i] || ios[i] < rig->io_store || ios[i] >= rig->io_store + rig->w.depth)
			return kit_fail(rig->kit, "reap handed out something that is no I/O");
		if (!rig->flying[ios[i]->slot])
			return kit_fail(rig->kit,
					"reap handed out slot %u, which was not under way",
					ios[i]->slot);
		rig->flying[ios[i]->slot] = false;
	}
	return CHECK_OK;
}

/* Reaps once; *got: how many came. */
static enum check_verdict reap(struct rig *rig, unsigned flying, unsigned min, unsigned *got)
{
	struct iojob_io *done[RIG_DEPTH];
	unsigned max = flying < REAP_MAX ? flying : REAP_MAX;
	uint64_t start = clock_ns();
	int n = rig->e->reap(&rig->w, done, min, max, INT64_C(1000000) * LOST_MS);

	*got = n > 0 ? (unsigned)n : 0;
	if (n < 0 && n != -EINTR)
		return kit_fail(rig->kit, "reap: %s", strerror(-n));
	if (*got > max)
		return kit_fail(rig->kit, "reap handed out %d I/Os, more than its max of %u", n,
				max);
	if (*got < min && clock_ns() - start > UINT64_C(900000) * LOST_MS)
		return kit_fail(rig->kit, "%u I/Os are not back after %d s", flying,
				LOST_MS / 1000);
	return landed(rig, done, *got);
}

static enum check_verdict submit_all(struct rig *rig, unsigned n)
{
	unsigned sent = 0;
	unsigned back = 0;
	unsigned got;
	enum check_verdict v;
	int ret;

	while (back < n) {
		ret = sent < n ? rig->e->submit(&rig->w, rig->ios + sent, n - sent) : 0;
		if (ret < 0)
			return kit_fail(rig->kit, "submit: %s", strerror(-ret));
		if ((unsigned)ret > n - sent)
			return kit_fail(rig->kit, "submit took %d of %u I/Os", ret, n - sent);
		for (; ret > 0; ret--)
			rig->flying[sent++] = true;
		if (sent == back)
			return kit_fail(rig->kit,
					"submit took nothing though nothing is under way");
		v = reap(rig, sent - back, 1, &got);
		if (v != CHECK_OK)
			return v;
		back += got;
	}
	return CHECK_OK;
}

static void execute(void *arg)
{
	struct rig *rig = arg;

	rig->e->execute(&rig->w, rig->executing);
}

/* As the program does it: a SIGBUS that the engine announces ends the I/O. */
static void run_execute(struct rig *rig, struct iojob_io *io)
{
	const uint64_t busy = rig->e->flags & IOJOB_ENGINE_SIGBUS;

	rig->executing = io;
	if (!guard_call(&rig->guard, &busy, execute, rig))
		io->res = -EIO;
}

/* Does the requests in the slots 0 to n - 1; their res is then set. */
enum check_verdict rig_run(struct rig *rig, unsigned n)
{
	enum check_verdict v = CHECK_OK;
	unsigned i;

	if (rig->spec.submit)
		v = submit_all(rig, n);
	else
		for (i = 0; i < n; i++)
			run_execute(rig, rig->ios[i]);
	for (i = 0; i < n && v == CHECK_OK; i++)
		if (rig->ios[i]->res == INT64_MIN || rig->ios[i]->res > (int64_t)rig->ios[i]->len)
			v = kit_fail(rig->kit, "the res of an I/O of %u bytes is %lld",
					rig->ios[i]->len, (long long)rig->ios[i]->res);
	return v;
}

enum check_verdict rig_expect(struct rig *rig, const struct iojob_io *io, int64_t res)
{
	if (io->res == res)
		return CHECK_OK;
	if (io->res == -EOPNOTSUPP && (rig->kit->optional || io->op == IOJOB_TRIM))
		return kit_skip(rig->kit, "%s: %s", engine_op_name(io->op), strerror(EOPNOTSUPP));
	return kit_fail(rig->kit, "%s of %u bytes at %llu: res is %lld%s%s%s, and should be %lld",
			engine_op_name(io->op), io->len, (unsigned long long)io->offset,
			(long long)io->res, io->res < 0 ? " (" : "",
			io->res < 0 ? strerror((int)-io->res) : "", io->res < 0 ? ")" : "",
			(long long)res);
}

/* One request, with its result. */
enum check_verdict rig_single(
		struct rig *rig, enum iojob_op op, uint64_t offset, uint32_t len, int64_t res)
{
	struct iojob_io *io = rig_request(rig, 0, op, offset, len);
	enum check_verdict v = rig_run(rig, 1);

	return v == CHECK_OK ? rig_expect(rig, io, res) : v;
}

/* What block `number` of a file holds; word by word unlike any other block and file. */
static void fill(const struct rig *rig, char *buf, uint64_t number)
{
	uint64_t words[RIG_BLOCK / sizeof(uint64_t)];
	uint64_t seed = number + 1000 * rig->kit->first_file;
	size_t i;

	for (i = 0; i < RIG_BLOCK / sizeof(words[0]); i++)
		words[i] = (seed << 32 | i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	memcpy(buf, words, RIG_BLOCK);
}

/* Is in the buffer of a read what was written there? */
static enum check_verdict compare(struct rig *rig, const struct iojob_io *io)
{
	char want[RIG_BLOCK];

	fill(rig, want, io->offset / RIG_BLOCK);
	if (memcmp(io->buf, want, RIG_BLOCK) == 0)
		return CHECK_OK;
	memset(want, POISON, RIG_BLOCK);
	rig->kit->no_data = !kit_has_fds(rig->kit) && memcmp(io->buf, want, RIG_BLOCK) == 0;
	if (rig->kit->no_data)
		return kit_skip(rig->kit, "it moves no data: buffers stay as they were");
	return kit_fail(rig->kit, "block %llu does not read back as it was written",
			(unsigned long long)(io->offset / RIG_BLOCK));
}

/* One pass over the file, depth blocks at a time; reads go backwards. */
static enum check_verdict pass(struct rig *rig, enum iojob_op op)
{
	enum check_verdict v = CHECK_OK;
	struct iojob_io *io;
	uint64_t number;
	unsigned done;
	unsigned n;
	unsigned i;

	for (done = 0; done < RIG_BLOCKS && v == CHECK_OK; done += n) {
		n = RIG_BLOCKS - done < rig->w.depth ? RIG_BLOCKS - done : rig->w.depth;
		for (i = 0; i < n; i++) {
			number = op == IOJOB_WRITE ? done + i : RIG_BLOCKS - 1 - done - i;
			io = rig_request(rig, i, op, number * RIG_BLOCK, RIG_BLOCK);
			if (op == IOJOB_WRITE)
				fill(rig, io->buf, number);
			else
				memset(io->buf, POISON, RIG_BLOCK);
		}
		v = rig_run(rig, n);
		for (i = 0; i < n && v == CHECK_OK; i++) {
			v = rig_expect(rig, rig->ios[i], RIG_BLOCK);
			if (v == CHECK_OK && op == IOJOB_READ)
				v = compare(rig, rig->ios[i]);
		}
	}
	return v;
}

/* Is what was written in the file, for somebody else to read? */
static enum check_verdict look_inside(struct rig *rig)
{
	enum check_verdict v = CHECK_OK;
	struct iojob_io io = { 0 };
	char got[RIG_BLOCK];
	int fd = open(rig->paths[0], O_RDONLY | O_CLOEXEC);
	unsigned i;

	if (fd < 0)
		return kit_fail(rig->kit, "%s: %s", rig->paths[0], strerror(errno));
	io.buf = got;
	for (i = 0; i < RIG_BLOCKS && v == CHECK_OK; i++) {
		io.offset = (uint64_t)i * RIG_BLOCK;
		if (pread(fd, got, RIG_BLOCK, (off_t)io.offset) != RIG_BLOCK)
			v = kit_fail(rig->kit, "the file has no block %u", i);
		else
			v = compare(rig, &io);
	}
	close(fd);
	return v;
}

enum check_verdict rig_write(struct rig *rig)
{
	enum check_verdict v = pass(rig, IOJOB_WRITE);

	return v == CHECK_OK && kit_has_fds(rig->kit) ? look_inside(rig) : v;
}

enum check_verdict rig_read(struct rig *rig)
{
	return pass(rig, IOJOB_READ);
}
