// SPDX-License-Identifier: MIT
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/measure/machine.h"
#include "../../core/plan/target.h"
#include "disk.h"

static void expect(int rc, int code, const struct err *err, const char *text)
{
	ck_assert_msg(rc == code, "%d, not %d: %s", rc, code, rc < 0 ? err->text : "");
	if (!text)
		return;
	ck_assert_msg(strstr(err->text, text) != NULL, "no \"%s\" in: %s", text, err->text);
	ck_assert_ptr_null(strchr(err->text, '\n'));
}

static struct target look(const char *path)
{
	struct target target;
	struct err err;

	expect(target_look(&target, path, &err), 0, &err, NULL);
	ck_assert_uint_gt(target.mem_align, 0);
	ck_assert_uint_gt(target.offset_align, 0);
	return target;
}

static void expect_look(const char *path, int code, const char *text)
{
	struct target target;
	struct err err;

	expect(target_look(&target, path, &err), code, &err, text);
	if (path[0])
		ck_assert_msg(strstr(err.text, path) == err.text, "%s: %s", path, err.text);
}

static void expect_open(const char *path, unsigned flags, int code, const char *text)
{
	struct err err;
	int fd = target_open(path, flags, &err);

	if (fd >= 0)
		close(fd);
	expect(fd < 0 ? fd : 0, code, &err, text);
}

static void expect_create(const char *path, uint64_t size, enum target_allocate how, int code,
		const char *text)
{
	struct err err;

	expect(target_create(path, size, how, true, &err), code, &err, text);
}

/* Refused, with these words and with the option that allows it. */
static void expect_refused(const char *path, const char *text)
{
	struct target target = look(path);
	char option[128];
	struct err err;

	ck_assert_int_eq(target.kind, TARGET_BLOCK);
	expect(target_may_write(&target, path, &err), -EBUSY, &err, text);
	snprintf(option, sizeof(option), "--allow-device=%s ", path);
	expect(-EBUSY, -EBUSY, &err, option);
	ck_assert_msg(strstr(err.text, path) == err.text, "%s", err.text);
}

static void expect_allowed(const char *path)
{
	struct target target = look(path);
	struct err err;

	expect(target_may_write(&target, path, &err), 0, &err, NULL);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

/* ---- looking ------------------------------------------------------------------------------ */

START_TEST(test_look_regular)
{
	const char *path = disk_file("file", 5 * MIB + 3);
	struct target target = look(path);
	struct stat st;
	int fd;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(target.kind, TARGET_REGULAR);
	ck_assert_uint_eq(target.size_bytes, 5 * MIB + 3);
	ck_assert_uint_eq(target.alloc_bytes, 0); /* a hole */
	ck_assert_uint_eq(target.dev, st.st_dev);
	ck_assert_uint_eq(target.block_bytes, (uint64_t)st.st_blksize);

	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	ck_assert_int_eq(target.direct, fd >= 0);
	if (fd >= 0)
		close(fd);
}
END_TEST

START_TEST(test_look_allocated)
{
	const char *path = disk_path("full");
	struct err err;

	expect(target_create(path, MIB, TARGET_ALLOCATE_POSIX, true, &err), 0, &err, NULL);
	ck_assert_uint_ge(look(path).alloc_bytes, MIB);
}
END_TEST

START_TEST(test_look_absent)
{
	struct target there = look(disk_file("there", 0)), target = look(disk_path("absent"));

	ck_assert_int_eq(target.kind, TARGET_ABSENT);
	ck_assert_uint_eq(target.size_bytes, 0);
	ck_assert_uint_eq(target.dev, there.dev);
	/* The file that will be there must answer alike. */
	ck_assert_int_eq(target.direct, there.direct);
	ck_assert_uint_eq(target.mem_align, there.mem_align);
	ck_assert_uint_eq(target.offset_align, there.offset_align);
	ck_assert_int_eq(access(disk_path("absent"), F_OK), -1);

	ck_assert_int_eq(chdir(scratch->dir), 0);
	ck_assert_int_eq(look("absent").kind, TARGET_ABSENT);
	ck_assert_int_eq(look("there").kind, TARGET_REGULAR);
}
END_TEST

START_TEST(test_look_links)
{
	const char *link = disk_path("link");
	const char *file = disk_file("file", 4096);

	ck_assert_int_eq(symlink(file, link), 0);
	ck_assert_int_eq(look(link).kind, TARGET_REGULAR);
	ck_assert_uint_eq(look(link).size_bytes, 4096);
	ck_assert_int_eq(unlink(file), 0);
	expect_look(link, -ENOENT, "a symbolic link to a file that does not exist");
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(symlink(link, link), 0);
	expect_look(link, -ELOOP, "symbolic links");
}
END_TEST

START_TEST(test_look_char)
{
	struct target target = look("/dev/zero");
	struct err err;

	ck_assert_int_eq(target.kind, TARGET_CHAR);
	ck_assert(!target.direct);
	expect(target_may_write(&target, "/dev/zero", &err), 0, &err, NULL);
}
END_TEST

START_TEST(test_look_refusals)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = disk_path("socket");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(chdir(scratch->dir), 0); /* sun_path is short */
	strcpy(address.sun_path, "socket");
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	expect_look(path, -EINVAL, "a socket where a file or a device is expected");

	path = disk_path("pipe");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_look(path, -EINVAL, "a pipe where");

	expect_look(scratch->dir, -EISDIR, "a directory where a file is expected");
	expect_look(disk_path("new/"), -EISDIR, "a directory where a file is expected");
	expect_look("", -ENOENT, "without a name");
	expect_look(disk_path("no/file"), -ENOENT, "/no does not exist: create it");
	disk_file("plain", 0);
	expect_look(disk_path("plain/file"), -ENOTDIR, "where a directory is expected");
}
END_TEST

/* The classic: a mistyped device must not become a file in /dev. */
START_TEST(test_look_no_device)
{
	char *filesystem, *device;

	ck_assert_int_eq(machine_place("/dev", &filesystem, &device), 0);
	if (strcmp(filesystem, "devtmpfs") == 0)
		expect_look("/dev/iojob-no-such-device", -ENOENT, "no such device");
	else
		disk_skip("/dev is a %s", filesystem);
	free(filesystem);
	free(device);
}
END_TEST

START_TEST(test_look_tmpfs)
{
	struct target absent, there;
	const char *path;

	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "tmpfs", "tmpfs", 0, "size=1m"))
		return;
	path = disk_path("tmpfs/file");
	absent = look(path);
	there = look(disk_file("tmpfs/file", 8192));
	ck_assert_int_eq(absent.kind, TARGET_ABSENT);
	ck_assert_int_eq(absent.direct, there.direct);
	ck_assert_uint_eq(absent.offset_align, there.offset_align);
	expect_open(path, TARGET_READ | TARGET_DIRECT, there.direct ? 0 : -EINVAL,
			there.direct ? NULL : "no O_DIRECT");
}
END_TEST

/* Files of /proc know neither statx's word nor O_DIRECT. */
START_TEST(test_look_no_direct)
{
	struct target target = look("/proc/version");

	ck_assert_int_eq(target.kind, TARGET_REGULAR);
	ck_assert(!target.direct);
	ck_assert_uint_eq(target.mem_align, 1);
	ck_assert_uint_eq(target.offset_align, 1);
	expect_open("/proc/version", TARGET_READ | TARGET_DIRECT, -EINVAL, "no O_DIRECT there");
	expect_open("/proc/version", TARGET_READ, 0, NULL);
}
END_TEST

/* Where data go through the journal, ext4 takes the flag but not the way. */
START_TEST(test_look_journal)
{
	struct disk_loop loop;
	struct statx stx;
	const char *path;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext4 -q", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "journal", "ext4", 0, "data=journal"))
		return;
	path = disk_file("journal/file", 4096);
	ck_assert_int_eq(statx(AT_FDCWD, path, 0, 0x2000u, &stx), 0);
	if (!(stx.stx_mask & 0x2000u)) {
		disk_skip("no STATX_DIOALIGN in this kernel");
		return;
	}
	ck_assert(!look(path).direct);
	ck_assert(!look(disk_path("journal/absent")).direct);
	ck_assert_int_eq(umount(disk_path("journal")), 0);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_look_block)
{
	struct disk_loop loop;
	struct target target;
	struct stat st;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	target = look(loop.path);
	ck_assert_int_eq(stat(loop.path, &st), 0);
	ck_assert_int_eq(target.kind, TARGET_BLOCK);
	ck_assert_uint_eq(target.size_bytes, 4 * MIB);
	ck_assert_uint_eq(target.alloc_bytes, 4 * MIB);
	ck_assert_uint_eq(target.dev, st.st_rdev);
	ck_assert_uint_eq(target.block_bytes, 512);
	ck_assert(target.direct);
	ck_assert_uint_eq(target.offset_align % 512, 0);
	disk_detach(&loop);

	if (!disk_attach(&loop, disk_file("nothing", 0)))
		return;
	expect_look(loop.path, -ENOMEDIUM, "size 0");
	disk_detach(&loop);
}
END_TEST

/* ---- may it be written? ------------------------------------------------------------------- */

START_TEST(test_write_empty)
{
	struct disk_loop loop;
	struct target target;
	struct err err;

	target = look(disk_file("file", 4096));
	expect(target_may_write(&target, disk_path("file"), &err), 0, &err, NULL);
	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	expect_allowed(loop.path);
	disk_detach(&loop);
}
END_TEST

static const struct {
	const char *command;
	const char *text;
} signatures[] = {
	{ "mkfs.ext4 -q", "holds a filesystem (ext4)" },
	{ "mkfs.ext2 -q", "holds a filesystem (ext2)" },
	{ "mkswap", "holds a signature (swap)" },
	{ "mkfs.xfs -q -f", "holds a filesystem (xfs)" },
	{ "mkfs.btrfs -q -f", "holds a filesystem (btrfs)" },
	{ "mkfs.vfat", "holds a filesystem (vfat)" },
	{ "echo label: gpt | sfdisk -q", "holds a partition table (gpt)" },
	{ "pvcreate -q -y", "holds a member of a RAID or LVM volume (LVM2_member)" },
	{ "echo x | cryptsetup -q luksFormat --pbkdf-force-iterations 4 --pbkdf-memory 32",
			"holds an encrypted volume (crypto_LUKS)" },
};

START_TEST(test_write_signatures)
{
	const char *image = disk_file("image", 320 * MIB);
	struct disk_loop loop;

	if (!disk_attach(&loop, image) || !disk_mkfs(signatures[_i].command, loop.path))
		return;
	expect_refused(loop.path, signatures[_i].text);
	disk_detach(&loop);
}
END_TEST

static void image_write(const char *path, off_t offset, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, data, n, offset), (ssize_t)n);
	close(fd);
}

/* Signatures that need no tool: written by hand into the image. */
static const struct {
	off_t offset;
	const char *bytes;
	size_t n;
	const char *text;
} raw_signatures[] = {
	/* An MBR: one partition of type 83 from sector 2048 on, 2048 sectors. */
	{ 446, "\x00\x00\x02\x00\x83\x00\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00", 16,
			"holds a partition table (dos)" },
	{ 0, "LUKS\xba\xbe\x00\x01", 8, "holds an encrypted volume (crypto_LUKS)" },
	{ 4086, "SWAPSPACE2", 10, "holds a signature (swap" },
	/* An LVM label in the second sector; its checksum is wrong. */
	{ 512,
			"LABELONE\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00"
			"LVM2 001",
			32, "(LVM2_member)" },
};

START_TEST(test_write_raw_signatures)
{
	const char *image = disk_file("image", 8 * MIB);
	struct disk_loop loop;
	const uint32_t swap[] = { 1, 100 }; /* version, last page */

	image_write(image, raw_signatures[_i].offset, raw_signatures[_i].bytes,
			raw_signatures[_i].n);
	if (raw_signatures[_i].offset == 446)
		image_write(image, 510, "\x55\xaa", 2);
	if (raw_signatures[_i].offset == 4086)
		image_write(image, 1024, swap, sizeof(swap));
	if (!disk_attach(&loop, image))
		return;
	expect_refused(loop.path, raw_signatures[_i].text);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_mounted)
{
	struct disk_loop loop;
	char text[256];

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext4 -q", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "with blank", "ext4", 0, NULL))
		return;
	snprintf(text, sizeof(text), "is mounted on %s/with blank (ext4)", scratch->dir);
	expect_refused(loop.path, text);
	expect_open(loop.path, TARGET_READ | TARGET_WRITE | TARGET_EXCL, -EBUSY, "in use");
	ck_assert_int_eq(umount(disk_path("with blank")), 0);
	expect_refused(loop.path, "holds a filesystem (ext4)");
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_btrfs)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 320 * MIB)) ||
			!disk_mkfs("mkfs.btrfs -q -f", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "btrfs", "btrfs", 0, NULL))
		return;
	expect_refused(loop.path, "is mounted on");
	ck_assert_int_eq(umount(disk_path("btrfs")), 0);
	disk_detach(&loop);
}
END_TEST

/* The mount of another namespace is not to be seen, but the kernel tells that it is in use. */
START_TEST(test_write_mounted_elsewhere)
{
	struct disk_loop loop;
	int ready[2], done[2];
	char mounted = 0;
	pid_t pid;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext4 -q", loop.path))
		return;
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(done, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(done[1]);
		mounted = disk_namespace() && disk_mount(loop.path, "away", "ext4", 0, NULL);
		if (write(ready[1], &mounted, 1) != 1 || read(done[0], &mounted, 1) < 0)
			_exit(1);
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &mounted, 1), 1);
	if (mounted)
		expect_refused(loop.path, "is in use by the kernel or another program");
	close(done[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_exclusive)
{
	struct disk_loop loop;
	int fd;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	fd = open(loop.path, O_RDONLY | O_EXCL | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	expect_refused(loop.path, "is in use");
	expect_open(loop.path, TARGET_WRITE | TARGET_EXCL | TARGET_CREATE, -EBUSY, "in use");
	expect_open(loop.path, TARGET_WRITE, 0, NULL);
	close(fd);
	expect_allowed(loop.path);
	expect_open(loop.path, TARGET_WRITE | TARGET_EXCL | TARGET_CREATE, 0, NULL);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_partitions)
{
	struct disk_loop loop;
	char text[512];

	if (!disk_attach(&loop, disk_file("image", 32 * MIB)) || !disk_partition(&loop, 16 * MIB))
		return;
	snprintf(text, sizeof(text), "holds partitions (%sp1)", loop.name);
	expect_refused(loop.path, text);
	expect_allowed(loop.part);
	if (!disk_mkfs("mkfs.ext4 -q", loop.part) || !disk_namespace() ||
			!disk_mount(loop.part, "part", "ext4", 0, NULL))
		return;
	snprintf(text, sizeof(text), "its partition %sp1 is mounted on %s/part", loop.name,
			scratch->dir);
	expect_refused(loop.path, text);
	expect_refused(loop.part, ": is mounted on");
	ck_assert_int_eq(umount(disk_path("part")), 0);
	expect_refused(loop.part, "holds a filesystem (ext4)");
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_swap)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)) || !disk_mkfs("mkswap", loop.path))
		return;
	strcpy(scratch->swap, loop.path);
	if (swapon(loop.path, 0) < 0) {
		disk_skip("swapon: %s", strerror(errno));
	} else {
		expect_refused(loop.path, "is swapped to");
		ck_assert_int_eq(swapoff(loop.path), 0);
		expect_refused(loop.path, "holds a signature (swap)");
	}
	scratch->swap[0] = '\0';
	disk_detach(&loop);
}
END_TEST

START_TEST(test_write_held)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	snprintf(scratch->dm, sizeof(scratch->dm), "iojob-test-%d", (int)getpid());
	if (disk_run("dmsetup create %s --table '0 4096 linear %s 0'", scratch->dm, loop.path)) {
		scratch->dm[0] = '\0';
		disk_skip("no device-mapper");
		return;
	}
	expect_refused(loop.path, "is part of dm-");
	ck_assert_int_eq(disk_run("dmsetup remove %s", scratch->dm), 0);
	scratch->dm[0] = '\0';
	expect_allowed(loop.path);
	disk_detach(&loop);
}
END_TEST

/* ---- opening ------------------------------------------------------------------------------ */

START_TEST(test_open)
{
	const char *path = disk_path("file");
	struct err err;
	int fd, mode;

	expect_open(path, TARGET_READ, -ENOENT, "does not exist");
	fd = target_open(path, TARGET_READ | TARGET_WRITE | TARGET_CREATE | TARGET_DSYNC, &err);
	ck_assert_int_ge(fd, 0);
	mode = fcntl(fd, F_GETFL);
	ck_assert_int_eq(mode & O_ACCMODE, O_RDWR);
	ck_assert_int_eq(mode & O_SYNC, O_DSYNC);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);

	fd = target_open(path, TARGET_WRITE | TARGET_SYNC, &err);
	ck_assert_int_ge(fd, 0);
	mode = fcntl(fd, F_GETFL);
	ck_assert_int_eq(mode & O_ACCMODE, O_WRONLY);
	ck_assert_int_eq(mode & O_SYNC, O_SYNC);
	close(fd);

	fd = target_open(path, TARGET_READ, &err);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDONLY);
	close(fd);
	if (look(path).direct) {
		fd = target_open(path, TARGET_READ | TARGET_DIRECT, &err);
		ck_assert_int_eq(fcntl(fd, F_GETFL) & O_DIRECT, O_DIRECT);
		close(fd);
	}
}
END_TEST

START_TEST(test_open_refusals)
{
	expect_open(scratch->dir, TARGET_WRITE, -EISDIR, "a directory where");
	expect_open(disk_path("no/file"), TARGET_WRITE | TARGET_CREATE, -ENOENT,
			"its directory does not exist");
	disk_file("plain", 0);
	expect_open(disk_path("plain/file"), TARGET_READ, -ENOTDIR, "where a directory");
}
END_TEST

START_TEST(test_open_running)
{
	const char *path = disk_path("sleep");
	int out[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(disk_run("cp $(command -v sleep) %s", path), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, "sleep", "60", (char *)NULL);
		_exit(1);
	}
	close(out[1]);
	/* exec() has closed the other end: it runs. */
	ck_assert_int_eq(read(out[0], &byte, 1), 0);
	expect_open(path, TARGET_WRITE, -ETXTBSY, "a running program");
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(out[0]);
}
END_TEST

START_TEST(test_open_limit)
{
	struct rlimit limit = { .rlim_cur = 0, .rlim_max = 0 }, old;
	struct err err;
	int fd;

	disk_file("file", 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit.rlim_max = old.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	fd = target_open(disk_path("file"), TARGET_READ, &err);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	expect(fd, -EMFILE, &err, "ulimit -n");
}
END_TEST

START_TEST(test_readonly_filesystem)
{
	struct target target;
	struct err err;

	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "ro", "tmpfs", 0, "size=1m"))
		return;
	disk_file("ro/file", 4096);
	ck_assert_int_eq(mount("none", disk_path("ro"), "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
	expect_open(disk_path("ro/file"), TARGET_READ, 0, NULL);
	expect_open(disk_path("ro/file"), TARGET_WRITE, -EROFS, "mounted read-only");
	expect_create(disk_path("ro/new"), 4096, TARGET_ALLOCATE_NONE, -EROFS, "read-only");
	expect(target_look(&target, disk_path("ro/new"), &err), -EROFS, &err, "read-only");
	ck_assert_int_eq(look(disk_path("ro/file")).kind, TARGET_REGULAR);
}
END_TEST

/* ---- without privileges ------------------------------------------------------------------- */

enum nobody_call { NOBODY_LOOK, NOBODY_READ, NOBODY_WRITE, NOBODY_CREATE, NOBODY_CREATE_OPEN };

/* Does it as another user, in a process of its own; what came of it is in *err. */
static int as_nobody(enum nobody_call call, const char *path, struct err *err)
{
	struct {
		int rc;
		struct err err;
	} * shared;
	struct target target;
	int status, rc;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	ck_assert(shared != MAP_FAILED);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		switch (call) {
		case NOBODY_LOOK:
			shared->rc = target_look(&target, path, &shared->err);
			break;
		case NOBODY_READ:
			shared->rc = target_open(path, TARGET_READ, &shared->err);
			break;
		case NOBODY_WRITE:
			shared->rc = target_open(path, TARGET_WRITE, &shared->err);
			break;
		case NOBODY_CREATE:
			shared->rc = target_create(
					path, MIB, TARGET_ALLOCATE_NONE, true, &shared->err);
			break;
		case NOBODY_CREATE_OPEN:
			shared->rc = target_open(path, TARGET_WRITE | TARGET_CREATE, &shared->err);
			break;
		}
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	rc = shared->rc;
	*err = shared->err;
	munmap(shared, sizeof(*shared));
	return rc;
}

static const struct {
	enum nobody_call call;
	const char *name; /* in the scratch directory */
	mode_t mode;      /* of the file, which root owns; 0: there is none */
	int code;
	const char *text;
} nobody[] = {
	{ NOBODY_LOOK, "file", 0644, 0, NULL },
	{ NOBODY_LOOK, "file", 0600, -EACCES, "no permission" },
	{ NOBODY_LOOK, "shut/file", 0, -EACCES, "no permission" },
	{ NOBODY_LOOK, "absent", 0, -EACCES, "no permission to create" },
	{ NOBODY_READ, "file", 0600, -EACCES, "no permission to read" },
	{ NOBODY_WRITE, "file", 0644, -EACCES, "no permission to write" },
	{ NOBODY_CREATE_OPEN, "absent", 0, -EACCES, "no permission to create" },
	{ NOBODY_CREATE, "absent", 0, -EACCES, "no permission to create" },
	{ NOBODY_CREATE, "file", 0644, -EACCES, "no permission to create it or to write" },
};

START_TEST(test_nobody)
{
	const char *path;
	struct err err;
	int rc;

	if (geteuid() != 0) {
		disk_skip("becoming another user needs root");
		return;
	}
	ck_assert_int_eq(mkdir(disk_path("shut"), 0700), 0);
	if (nobody[_i].mode)
		ck_assert_int_eq(chmod(disk_file(nobody[_i].name, 4096), nobody[_i].mode), 0);
	path = disk_path(nobody[_i].name);
	rc = as_nobody(nobody[_i].call, path, &err);
	expect(rc, nobody[_i].code, &err, nobody[_i].text);
}
END_TEST

START_TEST(test_nobody_device)
{
	struct disk_loop loop;
	struct err err;
	int rc;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	rc = as_nobody(NOBODY_LOOK, loop.path, &err);
	expect(rc, -EACCES, &err, "no permission to read");
	disk_detach(&loop);
}
END_TEST

/* ---- creating ----------------------------------------------------------------------------- */

/* Size and blocks of a new file, with and without `sized`. */
static const struct {
	enum target_allocate how;
	bool sized;
	off_t size;
	bool blocks;
} creations[] = {
	{ TARGET_ALLOCATE_NONE, false, 0, false },
	{ TARGET_ALLOCATE_NONE, true, MIB, false },
	{ TARGET_ALLOCATE_NATIVE, false, MIB, true },
	{ TARGET_ALLOCATE_NATIVE, true, MIB, true },
	{ TARGET_ALLOCATE_POSIX, false, MIB, true },
	{ TARGET_ALLOCATE_POSIX, true, MIB, true },
	{ TARGET_ALLOCATE_KEEP, false, 0, true },
	{ TARGET_ALLOCATE_KEEP, true, MIB, true },
	{ TARGET_ALLOCATE_TRUNCATE, false, MIB, false },
	{ TARGET_ALLOCATE_TRUNCATE, true, MIB, false },
};

static void create_one(const char *path, int i)
{
	struct stat st;
	struct err err;

	expect(target_create(path, MIB, creations[i].how, creations[i].sized, &err), 0, &err, NULL);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, creations[i].size);
	if (creations[i].blocks)
		ck_assert_int_ge(st.st_blocks * 512, MIB);
	else
		ck_assert_int_eq(st.st_blocks, 0);
	ck_assert_int_eq(st.st_mode & 0777 & ~0644u, 0);

	/* Larger: stays. */
	ck_assert_int_eq(truncate(path, 3 * MIB), 0);
	expect(target_create(path, MIB, creations[i].how, creations[i].sized, &err), 0, &err, NULL);
	ck_assert_int_eq(size_of(path), 3 * MIB);
	ck_assert_int_eq(unlink(path), 0);
}

START_TEST(test_create)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext4 -q", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "ext4", "ext4", 0, NULL))
		return;
	create_one(disk_path("ext4/file"), _i);
	ck_assert_int_eq(umount(disk_path("ext4")), 0);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_create_zero)
{
	int how;

	for (how = TARGET_ALLOCATE_NONE; how <= TARGET_ALLOCATE_TRUNCATE; how++)
		expect_create(disk_path("zero"), 0, (enum target_allocate)how, 0, NULL);
	ck_assert_int_eq(size_of(disk_path("zero")), 0);
}
END_TEST

START_TEST(test_create_refusals)
{
	expect_create(scratch->dir, MIB, TARGET_ALLOCATE_NONE, -EISDIR, "a directory where");
	expect_create(disk_path("no/file"), MIB, TARGET_ALLOCATE_NONE, -ENOENT,
			"its directory does not exist");
	expect_create("/dev/null", MIB, TARGET_ALLOCATE_NONE, -EINVAL, "not a regular file");
	expect_create(disk_path("huge"), UINT64_MAX, TARGET_ALLOCATE_NONE, -EFBIG, "allows a file");
	ck_assert_int_eq(mkfifo(disk_path("pipe"), 0600), 0);
	expect_create(disk_path("pipe"), MIB, TARGET_ALLOCATE_NONE, -ENXIO, "not a file");
}
END_TEST

static const enum target_allocate reserving[] = {
	TARGET_ALLOCATE_NATIVE,
	TARGET_ALLOCATE_POSIX,
	TARGET_ALLOCATE_KEEP,
};

static void no_space(const char *absent, const char *there, enum target_allocate how)
{
	struct target_room before, after;
	struct err err;

	expect(target_room(absent, &before, &err), 0, &err, NULL);
	expect_create(absent, 64 * MIB, how, -ENOSPC, "no space for its 67108864 bytes");
	ck_assert_int_eq(size_of(absent), -1);
	expect_create(there, 64 * MIB, how, -ENOSPC, "are free on its filesystem");
	ck_assert_int_eq(size_of(there), 4096);
	expect(target_room(absent, &after, &err), 0, &err, NULL);
	ck_assert_uint_ge(after.bytes + 65536, before.bytes);
}

START_TEST(test_create_no_space_tmpfs)
{
	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "tmpfs", "tmpfs", 0, "size=1m"))
		return;
	no_space(disk_path("tmpfs/absent"), disk_file("tmpfs/there", 4096), reserving[_i]);
	expect_create(disk_path("tmpfs/hole"), 64 * MIB, TARGET_ALLOCATE_TRUNCATE, 0, NULL);
	ck_assert_int_eq(size_of(disk_path("tmpfs/hole")), 64 * MIB);
}
END_TEST

START_TEST(test_create_no_space_ext4)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext4 -q", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "ext4", "ext4", 0, NULL))
		return;
	no_space(disk_path("ext4/absent"), disk_file("ext4/there", 4096), reserving[_i]);
	ck_assert_int_eq(umount(disk_path("ext4")), 0);
	disk_detach(&loop);
}
END_TEST

/* A filesystem that can reserve nothing and has an end of its own. */
START_TEST(test_create_ext2)
{
	struct disk_loop loop;
	const char *path;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)) ||
			!disk_mkfs("mkfs.ext2 -q", loop.path) || !disk_namespace() ||
			!disk_mount(loop.path, "ext2", "ext2", 0, NULL))
		return;
	path = disk_path("ext2/file");
	expect_create(path, MIB, TARGET_ALLOCATE_KEEP, -EOPNOTSUPP, "fallocate=none");
	ck_assert_int_eq(size_of(path), -1);
	expect_create(path, MIB, TARGET_ALLOCATE_NATIVE, 0, NULL);
	ck_assert_int_eq(size_of(path), MIB);
	ck_assert_uint_eq(look(path).alloc_bytes, 0);
	/* The C library does this by itself: it reads what is there, and writes. */
	/* It is large enough, so its holes stay; a new one has its blocks. */
	expect_create(path, MIB, TARGET_ALLOCATE_POSIX, 0, NULL);
	ck_assert_uint_lt(look(path).alloc_bytes, MIB);
	ck_assert_int_eq(unlink(path), 0);
	expect_create(path, MIB, TARGET_ALLOCATE_POSIX, 0, NULL);
	ck_assert_uint_ge(look(path).alloc_bytes, MIB);
	ck_assert_int_eq(unlink(path), 0);
	expect_create(path, UINT64_C(1) << 50, TARGET_ALLOCATE_TRUNCATE, -EFBIG, "allows a file");
	ck_assert_int_eq(size_of(path), -1);
	ck_assert_int_eq(umount(disk_path("ext2")), 0);
	disk_detach(&loop);
}
END_TEST

/* ---- the rest ----------------------------------------------------------------------------- */

static size_t resident(int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = bytes / page, i, count = 0;
	unsigned char *vec = calloc(n, 1);
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert(vec && map != MAP_FAILED);
	ck_assert_int_eq(mincore(map, bytes, vec), 0);
	for (i = 0; i < n; i++)
		count += vec[i] & 1;
	munmap(map, bytes);
	free(vec);
	return count;
}

static void fill(int fd, size_t bytes)
{
	char *data = calloc(1, bytes);

	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(pwrite(fd, data, bytes, 0), (ssize_t)bytes);
	ck_assert_int_eq(fsync(fd), 0);
	free(data);
}

START_TEST(test_invalidate)
{
	struct statfs fs;
	int fd = open(disk_path("cached"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	fill(fd, 2 * MIB);
	ck_assert_uint_gt(resident(fd, 2 * MIB), 0);
	target_invalidate(fd, 0, 2 * MIB);
	ck_assert_int_eq(fstatfs(fd, &fs), 0);
	if (fs.f_type == 0x01021994 || fs.f_type == 0x794c7630)
		disk_skip("a filesystem whose cache stays (tmpfs, overlay)");
	else
		ck_assert_uint_eq(resident(fd, 2 * MIB), 0);
	close(fd);
}
END_TEST

START_TEST(test_invalidate_device)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	fill(loop.fd, 4 * MIB);
	ck_assert_uint_gt(resident(loop.fd, 4 * MIB), 0);
	target_invalidate(loop.fd, 0, 4 * MIB);
	ck_assert_uint_eq(resident(loop.fd, 4 * MIB), 0);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_room)
{
	struct target_room room, same;
	struct err err;

	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "tmpfs", "tmpfs", 0, "size=1m,nr_inodes=50"))
		return;
	expect(target_room(disk_path("tmpfs"), &room, &err), 0, &err, NULL);
	expect(target_room(disk_path("tmpfs/absent"), &same, &err), 0, &err, NULL);
	ck_assert_uint_eq(room.bytes, MIB);
	ck_assert_uint_eq(room.files, 49); /* its root is one */
	ck_assert_uint_eq(same.bytes, MIB);
	ck_assert_uint_eq(same.files, 49);
	expect(target_room(disk_path("no/file"), &room, &err), -ENOENT, &err, "free space");
}
END_TEST

static const struct {
	const char *directory;
	const char *name;
	const char *path;
} joins[] = {
	{ "/mnt", "file", "/mnt/file" },
	{ "/mnt/", "file", "/mnt/file" },
	{ "/", "file", "/file" },
	{ "dir", "a/b", "dir/a/b" },
	{ NULL, "file", "file" },
	{ "", "file", "file" },
	{ "/mnt", "/dev/vdb", "/mnt/dev/vdb" },
	{ NULL, "/dev/vdb", "/dev/vdb" },
};

START_TEST(test_join)
{
	char *path = target_join(joins[_i].directory, joins[_i].name);

	ck_assert_str_eq(path, joins[_i].path);
	free(path);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("target");
	TCase *tc = tcase_create("target");

	disk_fixtures(tc);
	tcase_add_test(tc, test_look_regular);
	tcase_add_test(tc, test_look_allocated);
	tcase_add_test(tc, test_look_absent);
	tcase_add_test(tc, test_look_links);
	tcase_add_test(tc, test_look_char);
	tcase_add_test(tc, test_look_refusals);
	tcase_add_test(tc, test_look_no_device);
	tcase_add_test(tc, test_look_tmpfs);
	tcase_add_test(tc, test_look_no_direct);
	tcase_add_test(tc, test_look_journal);
	tcase_add_test(tc, test_look_block);
	tcase_add_test(tc, test_write_empty);
	tcase_add_loop_test(tc, test_write_signatures, 0, ROWS(signatures));
	tcase_add_loop_test(tc, test_write_raw_signatures, 0, ROWS(raw_signatures));
	tcase_add_test(tc, test_write_mounted);
	tcase_add_test(tc, test_write_btrfs);
	tcase_add_test(tc, test_write_mounted_elsewhere);
	tcase_add_test(tc, test_write_exclusive);
	tcase_add_test(tc, test_write_partitions);
	tcase_add_test(tc, test_write_swap);
	tcase_add_test(tc, test_write_held);
	tcase_add_test(tc, test_open);
	tcase_add_test(tc, test_open_refusals);
	tcase_add_test(tc, test_open_running);
	tcase_add_test(tc, test_open_limit);
	tcase_add_test(tc, test_readonly_filesystem);
	tcase_add_loop_test(tc, test_nobody, 0, ROWS(nobody));
	tcase_add_test(tc, test_nobody_device);
	tcase_add_loop_test(tc, test_create, 0, ROWS(creations));
	tcase_add_test(tc, test_create_zero);
	tcase_add_test(tc, test_create_refusals);
	tcase_add_loop_test(tc, test_create_no_space_tmpfs, 0, ROWS(reserving));
	tcase_add_loop_test(tc, test_create_no_space_ext4, 0, ROWS(reserving));
	tcase_add_test(tc, test_create_ext2);
	tcase_add_test(tc, test_invalidate);
	tcase_add_test(tc, test_invalidate_device);
	tcase_add_test(tc, test_room);
	tcase_add_loop_test(tc, test_join, 0, ROWS(joins));
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
