// SPDX-License-Identifier: MIT
/*
 * The floor under a load generator's start and end: the barest program whose workers are ready, are
 * released together, and do one I/O each that is timed and counted in memory of their own, which
 * the main process sees.
 *
 *	start processes|threads N [FILE]
 *
 * FILE has at least 64 MiB: each worker opens it and reads 4 KiB at random; without one an I/O is
 * an empty call. Prints how many I/Os there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 16384, MOST = 4096, STACK_BYTES = 128 * 1024 };

/* Of one worker; a page, as others have counters on it that nobody else may slow down. */
struct worker {
	uint64_t bucket[BLOCK / sizeof(uint64_t)]; /* by the logarithm of the time */
};

struct shared {
	uint32_t waiting; /* workers that are not ready yet */
	uint32_t go;      /* futex */
	struct worker worker[] __attribute__((aligned(BLOCK)));
};

static const char *path;
static struct shared *shared;

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "start: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t offset = (uint64_t)(w - shared->worker) * 0x9e3779b97f4a7c15u % BLOCKS * BLOCK;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char *buf = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start;

	if (buf == MAP_FAILED)
		die("memory");
	if (path && fd < 0)
		die(path);
	__atomic_sub_fetch(&shared->waiting, 1, __ATOMIC_ACQ_REL);
	while (!__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &shared->go, FUTEX_WAIT, 0, NULL, NULL, 0);
	start = now_ns();
	if (path && pread(fd, buf, BLOCK, (off_t)offset) != BLOCK)
		die(path);
	w->bucket[64 - __builtin_clzll(now_ns() - start + 1)]++;
	if (path)
		close(fd);
	munmap(buf, BLOCK);
	return NULL;
}

/* A child that ends before has failed, and has said why. */
static void release(void)
{
	while (__atomic_load_n(&shared->waiting, __ATOMIC_ACQUIRE)) {
		if (waitpid(-1, NULL, WNOHANG) > 0)
			exit(1);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->go, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void run_processes(unsigned n)
{
	int status;

	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(&shared->worker[i]);
			_exit(0);
		}
	}
	release();
	while (wait(&status) > 0) {
		if (status)
			exit(1);
	}
}

static void run_threads(unsigned n)
{
	static pthread_t threads[MOST];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], &attr, work, &shared->worker[i]);
		if (errno)
			die("thread");
	}
	release();
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	int threads = argc > 1 && !strcmp(argv[1], "threads");
	uint64_t sum = 0;

	if (argc < 3 || argc > 4 || !n || n > MOST || (!threads && strcmp(argv[1], "processes"))) {
		fprintf(stderr, "usage: start processes|threads N [FILE]    N is 1 to %d\n", MOST);
		return 2;
	}
	path = argv[3];
	shared = mmap(NULL, sizeof(*shared) + n * sizeof(shared->worker[0]),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		die("memory");
	shared->waiting = n;
	(threads ? run_threads : run_processes)(n);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < 65; j++)
			sum += shared->worker[i].bucket[j];
	}
	printf("%llu\n", (unsigned long long)sum);
	return sum != n;
}
