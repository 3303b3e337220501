/* SPDX-License-Identifier: MIT */
/*
 * A scratch directory and loop devices for tests of what files and disks are. What needs root or a
 * kernel feature says "skip: REASON" where that is missing. Everything goes away when the test
 * process ends, however it ends: loop devices detach with their last descriptor, mounts live in a
 * private namespace, and the teardown, which runs in the parent, does the rest.
 */
#ifndef DISK_H
#define DISK_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

/* Shared with the parent, whose teardown undoes what outlives a process. */
struct disk_scratch {
	char root[128]; /* of all tests of this program */
	char dir[136];  /* of the running test */
	char swap[64];  /* device that is swapped to */
	char dm[64];    /* device-mapper device */
};

static struct disk_scratch *scratch;

#define disk_skip(...) (printf("skip: "), printf(__VA_ARGS__), printf("\n"), (void)fflush(stdout))

/* Runs a command silently; its exit status. */
__attribute__((format(printf, 1, 2))) static inline int disk_run(const char *format, ...)
{
	char line[1024] = "PATH=$PATH:/usr/sbin:/sbin; exec >/dev/null 2>&1; ";
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + n, sizeof(line) - n, format, ap);
	va_end(ap);
	return system(line);
}

/* Unchecked fixtures: before the first test and after the last one, in the parent. */
static inline void disk_setup(void)
{
	scratch = mmap(NULL, sizeof(*scratch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	ck_assert(scratch != MAP_FAILED);
	snprintf(scratch->root, sizeof(scratch->root), "%s/iojob-disk-XXXXXX",
			getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ck_assert(mkdtemp(scratch->root) != NULL);
	ck_assert_int_eq(chmod(scratch->root, 0755), 0);
}

/* Checked fixture: each test has a directory of its own. */
static inline void disk_setup_test(void)
{
	snprintf(scratch->dir, sizeof(scratch->dir), "%s/XXXXXX", scratch->root);
	ck_assert(mkdtemp(scratch->dir) != NULL);
	ck_assert_int_eq(chmod(scratch->dir, 0755), 0);
}

static inline int disk_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	while (umount2(path, MNT_DETACH) == 0)
		continue;
	/* What cannot be removed goes with its mount, a step up. */
	remove(path);
	return 0;
}

static inline void disk_teardown(void)
{
	if (scratch->swap[0])
		swapoff(scratch->swap);
	if (scratch->dm[0])
		disk_run("dmsetup remove --force %s", scratch->dm);
	nftw(scratch->root, disk_remove, 16, FTW_DEPTH | FTW_PHYS);
	munmap(scratch, sizeof(*scratch));
}

static inline void disk_fixtures(TCase *tc)
{
	tcase_add_unchecked_fixture(tc, disk_setup, disk_teardown);
	tcase_add_checked_fixture(tc, disk_setup_test, NULL);
	tcase_set_timeout(tc, 60);
}

/* A name in the scratch directory, in one of sixteen buffers that take turns. */
static inline const char *disk_path(const char *name)
{
	static char buffers[16][256];
	static unsigned turn;
	char *path = buffers[turn++ % 16];

	snprintf(path, sizeof(buffers[0]), "%s/%s", scratch->dir, name);
	return path;
}

/* Creates a file of `size` bytes, a hole, in the scratch directory. */
static inline const char *disk_file(const char *name, uint64_t size)
{
	const char *path = disk_path(name);
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	close(fd);
	return path;
}

struct disk_loop {
	int fd;
	char path[32];    /* "/dev/loop3" */
	char part[48];    /* "/dev/loop3p1" */
	const char *name; /* "loop3" */
};

/* A loop device over a file, until loop->fd is closed; false with a reason printed. */
static inline bool disk_attach(struct disk_loop *loop, const char *image)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN };
	int control, number, file, tries, rc = -1;

	*loop = (struct disk_loop){ .fd = -1 };
	if (geteuid() != 0) {
		disk_skip("loop devices need root");
		return false;
	}
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0) {
		disk_skip("no loop devices: /dev/loop-control: %s", strerror(errno));
		return false;
	}
	file = open(image, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	config.fd = (uint32_t)file;
	/* Somebody else may take the free one first. */
	for (tries = 0; tries < 20 && rc < 0; tries++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		snprintf(loop->path, sizeof(loop->path), "/dev/loop%d", number);
		loop->fd = open(loop->path, O_RDWR | O_CLOEXEC);
		if (loop->fd < 0)
			break;
		rc = ioctl(loop->fd, LOOP_CONFIGURE, &config);
		if (rc < 0)
			close(loop->fd);
	}
	if (rc < 0)
		disk_skip("no loop device: %s: %s", loop->path, strerror(errno));
	close(control);
	close(file);
	loop->name = loop->path + strlen("/dev/");
	snprintf(loop->part, sizeof(loop->part), "%sp1", loop->path);
	return rc == 0;
}

static inline void disk_detach(struct disk_loop *loop)
{
	close(loop->fd);
}

/* Partition 1, from 1 MiB on; known to the kernel alone, nothing is written. */
static inline bool disk_partition(struct disk_loop *loop, uint64_t bytes)
{
	struct blkpg_partition part = { .start = MIB, .length = (long long)bytes, .pno = 1 };
	struct blkpg_ioctl_arg arg = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part
	};
	struct stat st;

	if (ioctl(loop->fd, BLKPG, &arg) < 0 || stat(loop->part, &st) < 0) {
		disk_skip("no partition of %s: %s", loop->path, strerror(errno));
		return false;
	}
	return true;
}

/* Mounts of this process end with it and are seen by nobody else. */
static inline bool disk_namespace(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		disk_skip("no mount namespace: %s", strerror(errno));
		return false;
	}
	return true;
}

/* Mounts on a new directory of the scratch directory; its path, or NULL with a reason printed. */
static inline const char *disk_mount(const char *source, const char *name, const char *type,
		unsigned long flags, const char *options)
{
	const char *point = disk_path(name);

	ck_assert(mkdir(point, 0755) == 0 || errno == EEXIST);
	if (mount(source, point, type, flags, options) < 0) {
		disk_skip("cannot mount %s: %s", type, strerror(errno));
		return NULL;
	}
	return point;
}

static inline bool disk_mkfs(const char *command, const char *device)
{
	if (disk_run("%s %s", command, device) != 0) {
		disk_skip("cannot run %s", command);
		return false;
	}
	return true;
}

#endif
