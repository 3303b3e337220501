// SPDX-License-Identifier: MIT
/*
 * The floor under a load generator: for each interface the barest loop that still measures. An I/O
 * costs its call, one random draw, one reading of the TSC and one histogram add; no other
 * direction, size, file or end is thought of, and no result is looked at more closely than "did it
 * work".
 *
 *	floor INTERFACE SECONDS WORKERS DEPTH BATCH [FILE]
 *
 * prints the I/Os a second of all workers, which are processes, together. INTERFACE is null, queue
 * (the null of asynchronous engines), pread, mmap, libaio or io_uring; FILE has at least 64 MiB, of
 * which blocks of 4 KiB are read. No library but libc is used, so that there is nothing between the
 * loop and the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum {
	BLOCK = 4096,
	BLOCKS = 16384, /* 64 MiB */
	SUB_BITS = 6,   /* buckets for each power of two, as a power of two */
};

/* What an asynchronous loop must remember of an I/O. */
struct io {
	uint64_t offset;
	uint64_t start; /* ticks */
	char *buf;
};

struct ring {
	int fd;
	unsigned *sq_tail, *cq_head, *cq_tail;
	unsigned sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

struct floor {
	uint64_t random[2];
	int fd;
	unsigned depth;
	unsigned batch;
	char *map;             /* of the file */
	char *bufs;            /* depth blocks */
	struct io *ios;        /* depth */
	struct io **queue;     /* null: those in flight, oldest at head */
	unsigned head;
	aio_context_t aio;
	struct iocb *iocbs;    /* depth */
	struct iocb **iocb_list;
	struct io_event *events;
	struct ring ring;
	uint64_t bucket[64 << SUB_BITS];
};

struct interface {
	const char *name;
	bool file;
	void (*setup)(struct floor *f);
	uint64_t (*loop)(struct floor *f); /* returns how many I/Os it did */
};

static volatile sig_atomic_t stop;

static void on_alarm(int signal)
{
	(void)signal;
	stop = 1;
}

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		die("memory");
	return p;
}

/* ---- what each I/O costs beside its call --------------------------------------------------- */

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
#endif
}

/* A 128-bit Lehmer generator: one multiplication, and good high bits. */
static inline uint64_t random_offset(struct floor *f)
{
	__extension__ typedef unsigned __int128 u128;
	u128 state = (u128)f->random[1] << 64 | f->random[0];

	state *= 0xda942042e4dd58b5u;
	f->random[0] = (uint64_t)state;
	f->random[1] = (uint64_t)(state >> 64);
	return f->random[1] % BLOCKS * BLOCK;
}

/* Log-linear, by the top bits of the value as a double. */
static inline void record(struct floor *f, uint64_t value)
{
	double d = (double)(int64_t)(value | 1);
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	f->bucket[(bits >> (52 - SUB_BITS)) - (1023u << SUB_BITS)]++;
}

/* ---- null ---------------------------------------------------------------------------------- */

/* The empty asm is work for all that the compiler knows: the call stays. */
__attribute__((noinline)) static void null_execute(struct io *io)
{
	__asm__ volatile("" : : "r"(io) : "memory");
}

static uint64_t null_loop(struct floor *f)
{
	uint64_t n = 0, last = ticks(), now;
	struct io io;

	for (; !stop; n++, last = now) {
		io.offset = random_offset(f);
		null_execute(&io);
		now = ticks();
		record(f, now - last);
	}
	return n;
}

/* I/Os wait in a queue of depth places, which is full again after each submit. */
static void queue_setup(struct floor *f)
{
	f->queue = zeroed(f->depth, sizeof(f->queue[0]));
	for (unsigned i = 0; i < f->depth; i++)
		f->queue[i] = &f->ios[i];
}

__attribute__((noinline)) static void queue_submit(struct floor *f, struct io **ios, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		f->queue[f->head] = ios[i];
		f->head = f->head + 1 == f->depth ? 0 : f->head + 1;
	}
}

__attribute__((noinline)) static unsigned queue_reap(struct floor *f, struct io **ios, unsigned n)
{
	for (unsigned i = 0, at = f->head; i < n; i++) {
		ios[i] = f->queue[at];
		at = at + 1 == f->depth ? 0 : at + 1;
	}
	return n;
}

static uint64_t queue_loop(struct floor *f)
{
	struct io **ios = zeroed(f->batch, sizeof(struct io *));
	uint64_t n = 0, now = ticks();

	for (unsigned i = 0; i < f->depth; i++)
		f->ios[i].start = now;
	for (; !stop; n += f->batch) {
		unsigned got = queue_reap(f, ios, f->batch);

		for (unsigned i = 0; i < got; i++) {
			now = ticks();
			record(f, now - ios[i]->start);
		}
		for (unsigned i = 0; i < got; i++) {
			ios[i]->offset = random_offset(f);
			ios[i]->start = now;
		}
		queue_submit(f, ios, got);
	}
	free(ios);
	return n;
}

/* ---- pread, mmap --------------------------------------------------------------------------- */

static void no_setup(struct floor *f)
{
	(void)f;
}

static uint64_t pread_loop(struct floor *f)
{
	uint64_t n = 0, last = ticks(), now;

	for (; !stop; n++, last = now) {
		if (pread(f->fd, f->bufs, BLOCK, (off_t)random_offset(f)) != BLOCK)
			die("pread");
		now = ticks();
		record(f, now - last);
	}
	return n;
}

static void mmap_setup(struct floor *f)
{
	f->map = mmap(NULL, (size_t)BLOCKS * BLOCK, PROT_READ, MAP_SHARED, f->fd, 0);
	if (f->map == MAP_FAILED)
		die("mmap");
	posix_madvise(f->map, (size_t)BLOCKS * BLOCK, POSIX_MADV_RANDOM);
}

static uint64_t mmap_loop(struct floor *f)
{
	uint64_t n = 0, last = ticks(), now;
	size_t block = BLOCK;

	/* The copy is to be libc's, not one that the compiler makes for this very size. */
	__asm__("" : "+r"(block));
	for (; !stop; n++, last = now) {
		memcpy(f->bufs, f->map + random_offset(f), block);
		__asm__ volatile("" : : "r"(f->bufs) : "memory");
		now = ticks();
		record(f, now - last);
	}
	return n;
}

/* ---- libaio, without the library ----------------------------------------------------------- */

static void aio_setup(struct floor *f)
{
	f->iocbs = zeroed(f->depth, sizeof(f->iocbs[0]));
	f->iocb_list = zeroed(f->depth, sizeof(f->iocb_list[0]));
	f->events = zeroed(f->depth, sizeof(f->events[0]));
	for (unsigned i = 0; i < f->depth; i++) {
		f->iocb_list[i] = &f->iocbs[i];
		f->iocbs[i].aio_data = i;
		f->iocbs[i].aio_lio_opcode = IOCB_CMD_PREAD;
		f->iocbs[i].aio_fildes = (uint32_t)f->fd;
		f->iocbs[i].aio_buf = (uintptr_t)f->ios[i].buf;
		f->iocbs[i].aio_nbytes = BLOCK;
	}
	if (syscall(SYS_io_setup, f->depth, &f->aio))
		die("io_setup");
}

static void aio_submit(struct floor *f, unsigned n)
{
	uint64_t start = ticks();

	for (unsigned i = 0; i < n; i++) {
		f->iocb_list[i]->aio_offset = (int64_t)random_offset(f);
		f->ios[f->iocb_list[i]->aio_data].start = start;
	}
	if (syscall(SYS_io_submit, f->aio, n, f->iocb_list) != (long)n)
		die("io_submit");
}

static uint64_t aio_loop(struct floor *f)
{
	uint64_t n = 0;

	aio_submit(f, f->depth - f->batch);
	for (unsigned i = 0; i < f->batch; i++)
		f->iocb_list[i] = &f->iocbs[f->depth - f->batch + i];
	for (; !stop; n += f->batch) {
		aio_submit(f, f->batch);
		if (syscall(SYS_io_getevents, f->aio, f->batch, f->batch, f->events, NULL)
				!= (long)f->batch) {
			if (stop)
				break;
			die("io_getevents");
		}
		for (unsigned i = 0; i < f->batch; i++) {
			if (f->events[i].res != BLOCK)
				die("read");
			record(f, ticks() - f->ios[f->events[i].data].start);
			f->iocb_list[i] = &f->iocbs[f->events[i].data];
		}
	}
	return n;
}

/* ---- io_uring: registered buffers and file, one call submits and waits --------------------- */

static void ring_map(struct ring *r, const struct io_uring_params *p)
{
	size_t sq = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	char *rings = mmap(NULL, sq > cq ? sq : cq, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);

	r->sqes = mmap(NULL, p->sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	if (rings == MAP_FAILED || r->sqes == MAP_FAILED)
		die("mmap of the rings");
	r->sq_tail = (unsigned *)(void *)(rings + p->sq_off.tail);
	r->sq_mask = p->sq_entries - 1;
	r->cq_head = (unsigned *)(void *)(rings + p->cq_off.head);
	r->cq_tail = (unsigned *)(void *)(rings + p->cq_off.tail);
	r->cq_mask = p->cq_entries - 1;
	r->cqes = (struct io_uring_cqe *)(void *)(rings + p->cq_off.cqes);
	for (unsigned i = 0; i < p->sq_entries; i++)
		((unsigned *)(void *)(rings + p->sq_off.array))[i] = i;
}

static void uring_setup(struct floor *f)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	};
	const struct iovec area = { .iov_base = f->bufs, .iov_len = (size_t)f->depth * BLOCK };
	struct ring *r = &f->ring;

	r->fd = (int)syscall(SYS_io_uring_setup, f->depth, &p);
	if (r->fd < 0 && errno == EINVAL) {
		memset(&p, 0, sizeof(p));
		r->fd = (int)syscall(SYS_io_uring_setup, f->depth, &p);
	}
	if (r->fd < 0)
		die("io_uring_setup");
	if (!(p.features & IORING_FEAT_SINGLE_MMAP)) {
		errno = ENOSYS;
		die("io_uring before Linux 5.4");
	}
	ring_map(r, &p);
	if (syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS, &area, 1)
			|| syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_FILES, &f->fd, 1))
		die("io_uring_register");
	for (unsigned i = 0; i <= r->sq_mask; i++) {
		r->sqes[i].opcode = IORING_OP_READ_FIXED;
		r->sqes[i].flags = IOSQE_FIXED_FILE;
		r->sqes[i].len = BLOCK;
	}
}

static void uring_prepare(struct floor *f, unsigned slot, unsigned tail, uint64_t start)
{
	struct io_uring_sqe *sqe = &f->ring.sqes[tail & f->ring.sq_mask];

	f->ios[slot].start = start;
	sqe->off = random_offset(f);
	sqe->addr = (uintptr_t)f->ios[slot].buf;
	sqe->user_data = slot;
}

/* False: the time was over before as many I/Os were complete as were waited for. */
static bool uring_enter(struct floor *f, unsigned tail, unsigned submit, unsigned wait)
{
	long got;

	__atomic_store_n(f->ring.sq_tail, tail, __ATOMIC_RELEASE);
	got = syscall(SYS_io_uring_enter, f->ring.fd, submit, wait, IORING_ENTER_GETEVENTS, NULL,
			0);
	if (got != (long)submit && !stop)
		die("io_uring_enter");
	return !stop;
}

static uint64_t uring_loop(struct floor *f)
{
	unsigned tail = 0, head = 0;
	uint64_t n = 0, now = ticks();

	while (tail < f->depth) {
		for (unsigned i = 0; i < f->batch; i++, tail++)
			uring_prepare(f, tail, tail, now);
		if (!uring_enter(f, tail, f->batch, tail < f->depth ? 0 : f->batch))
			return 0;
	}
	for (;;) {
		unsigned at = head;

		if (__atomic_load_n(f->ring.cq_tail, __ATOMIC_ACQUIRE) - head < f->batch)
			die("completions are missing");
		for (unsigned i = 0; i < f->batch; i++, at++) {
			const struct io_uring_cqe *cqe = &f->ring.cqes[at & f->ring.cq_mask];

			if (cqe->res != BLOCK)
				die("read");
			now = ticks();
			record(f, now - f->ios[cqe->user_data].start);
		}
		for (; head != at; head++, tail++) {
			uint64_t slot = f->ring.cqes[head & f->ring.cq_mask].user_data;

			uring_prepare(f, (unsigned)slot, tail, now);
		}
		__atomic_store_n(f->ring.cq_head, head, __ATOMIC_RELEASE);
		n += f->batch;
		if (!uring_enter(f, tail, f->batch, f->batch))
			return n;
	}
}

/* ---- all of them --------------------------------------------------------------------------- */

static const struct interface interfaces[] = {
	{ "null", false, no_setup, null_loop, },
	{ "queue", false, queue_setup, queue_loop, },
	{ "pread", true, no_setup, pread_loop, },
	{ "mmap", true, mmap_setup, mmap_loop, },
	{ "libaio", true, aio_setup, aio_loop, },
	{ "io_uring", true, uring_setup, uring_loop, },
};

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* One worker; returns its I/Os a second. */
static double work(const struct interface *interface, struct floor *f, double seconds,
		unsigned *waiting)
{
	struct itimerval timer = {
		.it_value = {
			.tv_sec = (time_t)seconds,
			.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6),
		},
	};
	double begin;
	uint64_t n;

	f->random[0] = (uint64_t)getpid() << 1 | 1;
	f->random[1] = 0x9e3779b97f4a7c15u;
	f->bufs = mmap(NULL, (size_t)f->depth * BLOCK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (f->bufs == MAP_FAILED)
		die("buffers");
	f->ios = zeroed(f->depth, sizeof(f->ios[0]));
	for (unsigned i = 0; i < f->depth; i++)
		f->ios[i].buf = f->bufs + (size_t)i * BLOCK;
	interface->setup(f);
	__atomic_sub_fetch(waiting, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(waiting, __ATOMIC_ACQUIRE) > 0)
		sched_yield();
	setitimer(ITIMER_REAL, &timer, NULL);
	begin = seconds_now();
	n = interface->loop(f);
	return (double)n / (seconds_now() - begin);
}

/* What the workers share: how many are not ready yet, and each one's result, on its own line. */
struct shared {
	unsigned waiting;
	struct {
		double iops __attribute__((aligned(64)));
	} worker[];
};

static double run(const struct interface *interface, struct floor *f, double seconds,
		unsigned workers)
{
	struct shared *shared = mmap(NULL, sizeof(*shared) + workers * sizeof(shared->worker[0]),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double sum = 0;
	int status;

	if (shared == MAP_FAILED)
		die("memory");
	shared->waiting = workers;
	for (unsigned i = 0; i < workers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			shared->worker[i].iops = work(interface, f, seconds, &shared->waiting);
			_exit(0);
		}
	}
	while (wait(&status) > 0) {
		if (status)
			exit(1);
	}
	for (unsigned i = 0; i < workers; i++)
		sum += shared->worker[i].iops;
	return sum;
}

static unsigned number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || !value || value > 4096) {
		fprintf(stderr, "floor: %s is not a number from 1 to 4096\n", text);
		exit(2);
	}
	return (unsigned)value;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	struct floor *f = zeroed(1, sizeof(*f));
	const struct interface *interface = NULL;

	for (size_t i = 0; argc > 1 && i < sizeof(interfaces) / sizeof(interfaces[0]); i++) {
		if (!strcmp(interfaces[i].name, argv[1]))
			interface = &interfaces[i];
	}
	if (!interface || argc != 6 + interface->file) {
		fprintf(stderr, "usage: floor INTERFACE SECONDS WORKERS DEPTH BATCH [FILE]\n");
		return 2;
	}
	f->depth = number(argv[4]);
	f->batch = number(argv[5]);
	if (f->depth % f->batch) {
		fprintf(stderr, "floor: DEPTH must be a multiple of BATCH\n");
		return 2;
	}
	f->fd = interface->file ? open(argv[6], O_RDONLY | O_CLOEXEC) : -1;
	if (interface->file && f->fd < 0)
		die(argv[6]);
	sigaction(SIGALRM, &action, NULL);
	printf("%.0f\n", run(interface, f, strtod(argv[2], NULL), number(argv[3])));
	return 0;
}
