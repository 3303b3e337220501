// SPDX-License-Identifier: MIT
/* io_uring(7): submissions and completions through rings shared with the kernel. */
#include "../core/engine/engine.h"

#include <errno.h>
#include <liburing.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct uring_conf {
	bool hipri;
	bool fixedbufs;
	bool registerfiles;
	bool sqthread_poll;
	int sqthread_poll_cpu;
	bool one_enter;
};

struct uring {
	struct io_uring ring;
	const struct uring_conf *conf;
	int (*push)(struct io_uring *ring); /* hands queued entries to the kernel */
	bool push_late;                     /* when reaping, not when submitting */
	bool registered;                    /* the table of files is there */
};

/* The kernel's limit for one registered buffer. */
#define URING_BUFFER_MAX (UINT64_C(1) << 30)

/* A feature that came with Linux 6.14 (IORING_FEAT_RW_ATTR, which older headers do not know). */
#define URING_FEAT_6_14 (1u << 16)

#define URING_SYNCS (IOJOB_OP_BIT(IOJOB_FSYNC) | IOJOB_OP_BIT(IOJOB_FDATASYNC))

static const struct iojob_option uring_options[] = {
	{
		.name = "fixedbufs",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct uring_conf, fixedbufs),
		.help = "register the buffers once, instead of mapping their pages for each I/O",
		.doc = "The buffers of a worker are registered as one area before the first "
		       "I/O, which saves direct I/O the mapping of their pages each time. "
		       "Registered memory is locked memory: all workers of a user together may "
		       "lock as much as ulimit -l says, unless it has CAP_IPC_LOCK.",
	},
	{
		.name = "registerfiles",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct uring_conf, registerfiles),
		.help = "register the files once, instead of looking them up for each I/O",
		.doc = "The kernel keeps a reference to each file of a worker, which saves "
		       "taking one for each I/O.",
	},
	{
		.name = "sqthread_poll",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct uring_conf, sqthread_poll),
		.help = "a kernel thread polls for submissions, which then take no system call",
		.doc = "Sets IORING_SETUP_SQPOLL. The thread keeps a CPU busy for each worker "
		       "while there is work, so this pays only where CPUs are idle; its time "
		       "is not in the job's own CPU figures. Submission latency then is only "
		       "the time to write into the ring.",
	},
	{
		.name = "sqthread_poll_cpu",
		.type = IOJOB_OPT_INT,
		IOJOB_MEMBER(struct uring_conf, sqthread_poll_cpu),
		.def = "-1",
		.min = -1,
		.max = 65535,
		.help = "CPU that the thread of sqthread_poll is bound to, -1 for any",
		.doc = "Without sqthread_poll it has no effect. All workers of the job share "
		       "that CPU.",
	},
	{
		.name = "hipri",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct uring_conf, hipri),
		.help = "poll the device for completions instead of waiting for interrupts",
		.doc = "Sets IORING_SETUP_IOPOLL. It takes `direct=1` and a device with "
		       "polling queues (nvme.poll_queues=); on others each I/O fails with "
		       "EOPNOTSUPP. `fsync` and `fdatasync` cannot be polled and are refused "
		       "with it.",
	},
	{
		.name = "one_enter",
		.type = IOJOB_OPT_BOOL,
		IOJOB_MEMBER(struct uring_conf, one_enter),
		.help = "submit and wait in one system call; submission latency means nothing then",
		.doc = "Entries are only written into the ring when they are submitted, and go "
		       "to the kernel with the call that waits for completions: one "
		       "io_uring_enter(2) a round instead of two. It gives the highest rates. "
		       "The time between start and that call counts as completion latency, and "
		       "slat measures nothing but memory. Without effect with sqthread_poll.",
	},
	{ .name = NULL },
};

static const char uring_doc[] =
		"Up to iodepth I/Os of a worker are under way through a ring of their own; "
		"they are submitted as many at a time as `iodepth_batch` says, by one "
		"io_uring_enter(2), and completions are read from memory, with a second call "
		"only where the job has to wait for them. Unlike libaio it is asynchronous "
		"with `direct=0` too, though a read that the page cache can serve is done "
		"during submission, and what would block is passed to kernel threads.\n\n"
		"The ring is set up with IORING_SETUP_COOP_TASKRUN, SINGLE_ISSUER and "
		"DEFER_TASKRUN as far as the kernel knows them. Buffers and files are not "
		"registered unless asked for (`fixedbufs`, `registerfiles`).\n\n"
		"Kernels and containers may switch io_uring off (sysctl "
		"kernel.io_uring_disabled, seccomp). The job then ends with an error that says "
		"so before anything runs, or is skipped with `optional=1`; it never falls back "
		"to another engine.";

/* The best first; what an older kernel does not know makes it answer EINVAL. */
static const unsigned uring_tries[] = {
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	IORING_SETUP_SUBMIT_ALL,
	0,
};

/* Its own flags exclude those about who runs completions in the submitting task. */
static const unsigned uring_tries_sqpoll[] = {
	IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL,
	IORING_SETUP_SQPOLL,
};

#define URING_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Makes the ring as the options ask. 0 or -errno. */
static int uring_setup(struct io_uring *ring, const struct uring_conf *conf, unsigned depth)
{
	const unsigned *tries = conf->sqthread_poll ? uring_tries_sqpoll : uring_tries;
	size_t n = conf->sqthread_poll ? URING_COUNT(uring_tries_sqpoll) : URING_COUNT(uring_tries);
	struct io_uring_params params;
	unsigned patience = 20;
	size_t i = 0;
	int err;

	for (;;) {
		memset(&params, 0, sizeof(params));
		params.flags = tries[i];
		if (conf->hipri)
			params.flags |= IORING_SETUP_IOPOLL;
		if (conf->sqthread_poll && conf->sqthread_poll_cpu >= 0) {
			params.flags |= IORING_SETUP_SQ_AFF;
			params.sq_thread_cpu = (unsigned)conf->sqthread_poll_cpu;
		}
		err = io_uring_queue_init_params(depth, ring, &params);
		/* The kernel gives back the locked memory of rings that were closed a bit later. */
		if (err == -ENOMEM && patience-- > 0)
			usleep(10000);
		else if (err != -EINVAL || ++i == n)
			return err;
	}
}

static int uring_refused(const struct iojob_setup *setup, int err)
{
	const struct uring_conf *conf = setup->conf;
	FILE *file;
	int disabled = 0;

	file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	if (file) {
		if (fscanf(file, "%d", &disabled) != 1)
			disabled = 0;
		fclose(file);
	}
	if (err == -ENOSYS)
		return iojob_error(setup, ENOSYS,
				"this kernel has no io_uring, or a container hides it");
	if (err == -EPERM && disabled)
		return iojob_error(setup, EPERM, "io_uring is switched off%s "
				"(sysctl kernel.io_uring_disabled is %d)",
				disabled == 1 ? " for ordinary users" : "", disabled);
	if (err == -EPERM)
		return iojob_error(setup, EPERM, "the kernel refuses io_uring to this process "
				"(seccomp, as containers set it up, or a security module)");
	if (err == -EINVAL && conf->sqthread_poll && conf->sqthread_poll_cpu >= 0)
		return iojob_error(setup, EINVAL,
				"sqthread_poll_cpu=%d: the kernel refuses that CPU",
				conf->sqthread_poll_cpu);
	if (err == -ENOMEM)
		return iojob_error(setup, ENOMEM,
				"no memory for a ring (locked memory: ulimit -l)");
	return iojob_error(setup, -err, "the kernel refuses the ring: %s", strerror(-err));
}

/* Without CAP_IPC_LOCK registered buffers count as locked memory of the user. */
static bool uring_may_lock(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &head, caps) < 0)
		return false;
	return caps[CAP_IPC_LOCK / 32].effective >> CAP_IPC_LOCK % 32 & 1;
}

static uint64_t uring_pages(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/*
 * Bytes that one worker locks: its buffers, and from Linux 6.14 on its rings, of 64 bytes for each
 * submission, and 16 for each of twice as many completions.
 */
static uint64_t uring_locked(const struct iojob_setup *setup, unsigned features)
{
	const struct uring_conf *conf = setup->conf;
	uint64_t bytes = conf->fixedbufs ? uring_pages(setup->buf_bytes) : 0;
	uint64_t entries = 1;

	while (entries < setup->depth)
		entries *= 2;
	if (features & URING_FEAT_6_14)
		bytes += uring_pages(entries * 64) + uring_pages(entries * (2 * 16 + 4) + 64);
	return bytes;
}

static int uring_check_memory(const struct iojob_setup *setup, unsigned features)
{
	const struct uring_conf *conf = setup->conf;
	uint64_t need = setup->workers * uring_locked(setup, features);
	struct rlimit limit;

	if (conf->fixedbufs && setup->buf_bytes > URING_BUFFER_MAX)
		return iojob_error(setup, EINVAL,
				"fixedbufs: buffers of %llu MiB a worker, and at most 1024 MiB can "
				"be registered: lower iodepth or bs",
				(unsigned long long)(setup->buf_bytes >> 20));
	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
			need <= limit.rlim_cur || uring_may_lock())
		return 0;
	return iojob_error(setup, ENOMEM,
			"%u worker%s of depth %u would lock %llu KiB of memory for %s, and ulimit "
			"-l allows %llu KiB: raise it, or lower numjobs or iodepth%s",
			setup->workers, setup->workers == 1 ? "" : "s", setup->depth,
			(unsigned long long)(need >> 10),
			conf->fixedbufs ? "rings and registered buffers" : "rings",
			(unsigned long long)(limit.rlim_cur >> 10),
			conf->fixedbufs ? ", or do without fixedbufs" : "");
}

static int uring_check(const struct iojob_setup *setup)
{
	const struct uring_conf *conf = setup->conf;
	struct io_uring ring;
	unsigned features;
	int err;

	if (conf->hipri && !(setup->job_flags & IOJOB_JOB_DIRECT))
		return iojob_error(setup, EINVAL,
				"hipri: only direct I/O can be polled: add direct=1");
	if (conf->hipri && setup->ops & URING_SYNCS)
		return iojob_error(setup, EINVAL,
				"hipri: fsync and fdatasync cannot be polled: do without one");
	err = uring_setup(&ring, conf, 1);
	if (err < 0)
		return uring_refused(setup, err);
	features = ring.features;
	io_uring_queue_exit(&ring);
	if (!(features & IORING_FEAT_EXT_ARG))
		return iojob_error(setup, ENOSYS,
				"this kernel's io_uring cannot wait for a limited time, as Linux "
				"5.11 and later can");
	return uring_check_memory(setup, features);
}

static int uring_open(struct iojob_worker *w)
{
	struct uring *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return iojob_error(w, ENOMEM, "no memory for a ring");
	u->conf = w->conf;
	err = uring_setup(&u->ring, u->conf, w->depth);
	if (err < 0) {
		free(u);
		return iojob_error(w, -err, "setting up a ring of %u: %s", w->depth,
				strerror(-err));
	}
	/*
	 * Deferred completions run when the task enters the kernel to get events. Submitting is
	 * such an entry too, and often saves the one that waits. A polling thread needs neither.
	 */
	u->push = u->conf->sqthread_poll ? io_uring_submit : io_uring_submit_and_get_events;
	u->push_late = u->conf->one_enter && !u->conf->sqthread_poll;
	w->priv = u;
	return 0;
}

/* In the kernel's table a file has its index, and one that is closed is -1. */
static int uring_register_file(struct iojob_worker *w, const struct iojob_file *file, int fd)
{
	struct uring *u = w->priv;
	int err;

	if (!u->registered)
		return 0;
	err = io_uring_register_files_update(&u->ring, file->index, &fd, 1);
	if (err < 0)
		return iojob_error(w, -err, "%s: registering the file: %s", file->path,
				strerror(-err));
	return 0;
}

static int uring_file_open(struct iojob_worker *w, struct iojob_file *file)
{
	return uring_register_file(w, file, file->fd);
}

static int uring_file_close(struct iojob_worker *w, struct iojob_file *file)
{
	return uring_register_file(w, file, -1);
}

static int uring_register_files(struct iojob_worker *w, struct uring *u)
{
	int *fds = calloc(w->nfiles, sizeof(fds[0]));
	uint32_t i;
	int err = -ENOMEM;

	if (fds) {
		for (i = 0; i < w->nfiles; i++)
			fds[i] = w->files[i]->fd;
		err = io_uring_register_files(&u->ring, fds, w->nfiles);
		free(fds);
	}
	if (err < 0)
		return iojob_error(w, -err, "registering %u files: %s", w->nfiles, strerror(-err));
	u->registered = true;
	return 0;
}

static int uring_ready(struct iojob_worker *w)
{
	const struct iovec area = { .iov_base = w->buf_base, .iov_len = w->buf_bytes };
	struct uring *u = w->priv;
	int err;

	if (u->conf->fixedbufs) {
		err = io_uring_register_buffers(&u->ring, &area, 1);
		if (err < 0)
			return iojob_error(w, -err, "registering %llu KiB of buffers: %s%s",
					(unsigned long long)(w->buf_bytes >> 10), strerror(-err),
					err == -ENOMEM ? " (locked memory: ulimit -l)" : "");
	}
	if (u->conf->registerfiles && w->nfiles > 0)
		return uring_register_files(w, u);
	return 0;
}

static void uring_close(struct iojob_worker *w)
{
	struct uring *u = w->priv;

	if (u->conf->fixedbufs)
		io_uring_unregister_buffers(&u->ring); /* at once; the exit gives back later */
	io_uring_queue_exit(&u->ring);
	free(u);
}

static void uring_prepare(struct uring *u, struct io_uring_sqe *sqe, struct iojob_io *io)
{
	int fd = u->registered ? (int)io->file->index : io->file->fd;
	bool fixed = u->conf->fixedbufs;

	switch ((enum iojob_op)io->op) {
	case IOJOB_READ:
		if (fixed)
			io_uring_prep_read_fixed(sqe, fd, io->buf, io->len, io->offset, 0);
		else
			io_uring_prep_read(sqe, fd, io->buf, io->len, io->offset);
		break;
	case IOJOB_WRITE:
		if (fixed)
			io_uring_prep_write_fixed(sqe, fd, io->buf, io->len, io->offset, 0);
		else
			io_uring_prep_write(sqe, fd, io->buf, io->len, io->offset);
		break;
	case IOJOB_FSYNC:
		io_uring_prep_fsync(sqe, fd, 0);
		break;
	case IOJOB_FDATASYNC:
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
		break;
	case IOJOB_TRIM:
	case IOJOB_OPS:
		io_uring_prep_rw(IORING_OP_LAST, sqe, fd, NULL, 0, 0); /* reap brings the error */
		break;
	}
	if (u->registered)
		sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, io);
}

/* Short of something for the moment, or interrupted: the entries wait in the ring. */
static bool uring_passing(int err)
{
	return err == -EAGAIN || err == -EBUSY || err == -EINTR || err == -ETIME;
}

/*
 * An entry in the ring is taken, whether or not the kernel had it yet: what it leaves there goes
 * along with the next call.
 */
static int uring_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	struct uring *u = w->priv;
	struct io_uring_sqe *sqe;
	unsigned i;
	int err;

	for (i = 0; i < n; i++) {
		sqe = io_uring_get_sqe(&u->ring);
		if (!sqe)
			break;
		uring_prepare(u, sqe, ios[i]);
	}
	if (!u->push_late) {
		err = u->push(&u->ring);
		if (err < 0 && !uring_passing(err))
			return err;
	}
	return (int)i;
}

/* Hands over what is still queued and waits until min completions are in the ring. 0 or -errno. */
static int uring_enter(struct uring *u, unsigned min, int64_t timeout_ns)
{
	struct __kernel_timespec ts = { 0 };
	struct io_uring_cqe *cqe;
	int err;

	if (min == 0) {
		err = u->push(&u->ring);
	} else if (timeout_ns < 0) {
		err = io_uring_submit_and_wait(&u->ring, min);
	} else {
		ts.tv_sec = timeout_ns / 1000000000;
		ts.tv_nsec = timeout_ns % 1000000000;
		err = io_uring_submit_and_wait_timeout(&u->ring, &cqe, min, &ts, NULL);
	}
	if (err == -EAGAIN || err == -EBUSY)
		err = io_uring_get_events(&u->ring); /* completions give back what it is short of */
	return err < 0 && !uring_passing(err) ? err : 0;
}

/* Can a call to the kernel bring completions that are not in the ring yet? */
static bool uring_hidden(struct uring *u)
{
	if (u->conf->sqthread_poll)
		return false;
	return u->conf->hipri || IO_URING_READ_ONCE(*u->ring.sq.kflags) &
			(IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* Are there entries that the kernel was not told of? A polling thread finds them by itself. */
static bool uring_queued(struct uring *u)
{
	return !u->conf->sqthread_poll && io_uring_sq_ready(&u->ring) > 0;
}

static int uring_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	struct uring *u = w->priv;
	unsigned ready = io_uring_cq_ready(&u->ring);
	struct io_uring_cqe *cqe;
	unsigned head;
	unsigned n = 0;
	int err;

	if (ready < min || uring_queued(u) || (ready == 0 && uring_hidden(u))) {
		err = uring_enter(u, min, timeout_ns);
		if (err < 0)
			return err;
	}
	io_uring_for_each_cqe(&u->ring, head, cqe) {
		if (n == max)
			break;
		ios[n] = io_uring_cqe_get_data(cqe);
		ios[n++]->res = cqe->res;
	}
	io_uring_cq_advance(&u->ring, n);
	return (int)n;
}

/* LIBURING is the version that it was built with, as configure found it: 2.3; perhaps nothing. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const struct iojob_engine iojob_engine = {
	IOJOB_ENGINE_HEAD(struct uring_conf),
	.name = "io_uring",
	.summary = "asynchronous I/O through rings shared with the kernel",
	.doc = uring_doc,
	.version = TEXT(LIBURING),
	.options = uring_options,
	.ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) | URING_SYNCS,
	.max_depth = 32768, /* the kernel's limit for a ring */
	.check = uring_check,
	.open = uring_open,
	.file_open = uring_file_open,
	.ready = uring_ready,
	.file_close = uring_file_close,
	.close = uring_close,
	.submit = uring_submit,
	.reap = uring_reap,
};
