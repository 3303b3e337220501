// SPDX-License-Identifier: MIT
/*
 * What a command costs from start to finish:
 *
 *	cost [-g CGROUP] COMMAND [ARGUMENT]...
 *
 * runs it and prints milliseconds, the peak resident memory of its largest process, and the memory
 * that the whole system gave for it at its peak, both in KiB: page tables, kernel stacks and shared
 * memory count, and what processes share counts once. With -g the kernel tells that: the command
 * runs in the control group CGROUP, which is made for it and removed (of version 1 or 2, with
 * memory accounting; it takes root). Otherwise it is the most that MemAvailable fell, looked at
 * every two milliseconds, to which everything else on the machine adds its noise. Exits as the
 * command does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	exit(125);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* The number behind `key` in a file; with "" the first one. -1: there is none. */
static long long number_in(const char *path, const char *key)
{
	char text[8192], *at;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	at = strstr(text, key);
	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

static long long available_kib(void)
{
	return number_in("/proc/meminfo", "MemAvailable:");
}

/* The calling process and what it forks belong to the group from now on. */
static void enter_group(const char *group)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die(path);
	close(fd);
}

static long long group_peak_kib(const char *group)
{
	static const char *const names[] = { "memory.peak", "memory.max_usage_in_bytes", };
	char path[4096];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		long long bytes;

		snprintf(path, sizeof(path), "%s/%s", group, names[i]);
		bytes = number_in(path, "");
		if (bytes >= 0)
			return bytes >> 10;
	}
	errno = ENOENT;
	die(group);
}

/* Looks at MemAvailable until the process ends; returns the smallest value. */
static long long watch(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	long long least = available_kib();

	while (!poll(&p, 1, 2)) {
		long long kib = available_kib();

		if (kib < least)
			least = kib;
	}
	return least;
}

int main(int argc, char **argv)
{
	bool grouped = argc > 2 && !strcmp(argv[1], "-g");
	char **command = argv + (grouped ? 3 : 1);
	const char *group = grouped ? argv[2] : NULL;
	long long before, system_kib;
	struct rusage usage;
	double begin, ms;
	int status, started[2];
	pid_t pid;

	if (argc < 2 || !*command) {
		fprintf(stderr, "usage: cost [-g CGROUP] COMMAND [ARGUMENT]...\n");
		return 125;
	}
	if (grouped && mkdir(group, 0755))
		die(group);
	if (pipe2(started, O_CLOEXEC))
		die("pipe");
	before = available_kib();
	pid = fork();
	if (!pid) {
		if (grouped)
			enter_group(group);
		begin = now_ms(); /* to enter a group takes the kernel up to 20 ms */
		if (write(started[1], &begin, sizeof(begin)) != sizeof(begin))
			die("pipe");
		execvp(*command, command);
		die(*command);
	}
	close(started[1]);
	if (pid < 0 || read(started[0], &begin, sizeof(begin)) != sizeof(begin))
		die("fork");
	system_kib = grouped ? 0 : before - watch((int)syscall(SYS_pidfd_open, pid, 0));
	while (wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			die("wait");
	}
	ms = now_ms() - begin;
	if (grouped) {
		system_kib = group_peak_kib(group);
		rmdir(group);
	}
	printf("%.2f %ld %lld\n", ms, usage.ru_maxrss, system_kib);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
