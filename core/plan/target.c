// SPDX-License-Identifier: MIT
#include "target.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../measure/machine.h"

/* Linux 6.1; the C library's headers may be older. The place in struct statx is ABI. */
#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x2000u
#endif
enum { STATX_DIO_PLACE = 0x98 };

/* ---- words -------------------------------------------------------------------------------- */

/* What an errno of open() means here; the first row fits whose flags were all asked for. */
static const struct {
	int code;
	unsigned flags; /* enum target_open_flags */
	const char *text;
} target_reasons[] = {
	{ EACCES, TARGET_CREATE, "no permission to create it or to write to it" },
	{ EACCES, TARGET_WRITE, "no permission to write to it" },
	{ EACCES, 0, "no permission to read it" },
	{ EPERM, TARGET_WRITE, "writing is not permitted: immutable or append-only?" },
	{ EPERM, 0, "opening it is forbidden, by its attributes or by the kernel" },
	{ EROFS, 0, "its filesystem is mounted read-only" },
	{ EISDIR, 0, "a directory where a file is expected" },
	{ ENOTDIR, 0, "a part of the path is a file where a directory is expected" },
	{ ENOENT, TARGET_CREATE, "its directory does not exist" },
	{ ENOENT, 0, "does not exist" },
	{ ELOOP, 0, "too many symbolic links: do they form a circle?" },
	{ EINVAL, TARGET_DIRECT, "no O_DIRECT there: use direct=0, or another filesystem" },
	{ EBUSY, 0, "in use: mounted, part of a volume, or opened exclusively by a program" },
	{ ETXTBSY, 0, "in use: a running program, or an active swap file" },
	{ ENXIO, 0, "not a file or a device that can be opened" },
	{ EMFILE, 0, "more open files than allowed: raise the limit (ulimit -n)" },
	{ ENOSPC, 0, "no space, or no inode, left on its filesystem" },
	{ EDQUOT, 0, "the disk quota is used up" },
};

static int target_fail(struct err *err, const char *path, int code, unsigned flags)
{
	size_t i;

	for (i = 0; i < sizeof(target_reasons) / sizeof(target_reasons[0]); i++)
		if (target_reasons[i].code == code && (target_reasons[i].flags & ~flags) == 0)
			return err_set(err, code, "%s: %s", path, target_reasons[i].text);
	return err_set(err, code, "%s: %s", path, strerror(code));
}

/* The directory of a path; on the heap. */
static char *target_parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	while (slash > path && slash[-1] == '/')
		slash--;
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *target_join(const char *directory, const char *name)
{
	size_t n = directory ? strlen(directory) : 0;
	char *path;

	if (n == 0)
		return strdup(name);
	name += strspn(name, "/");
	if (asprintf(&path, "%s%s%s", directory, directory[n - 1] == '/' ? "" : "/", name) < 0)
		return NULL;
	return path;
}

/* ---- looking ------------------------------------------------------------------------------ */

static int look_statx(int dir, const char *path, int flags, struct statx *stx)
{
	memset(stx, 0, sizeof(*stx));
	return statx(dir, path, flags, STATX_BASIC_STATS | STATX_DIOALIGN, stx);
}

/* The kernel's own word on O_DIRECT; false where it gives none. */
static bool look_align(struct target *target, const struct statx *stx)
{
	uint32_t align[2]; /* of memory, of offsets; 0: no O_DIRECT */

	if (!(stx->stx_mask & STATX_DIOALIGN))
		return false;
	memcpy(align, (const char *)stx + STATX_DIO_PLACE, sizeof(align));
	target->direct = align[0] && align[1];
	if (target->direct) {
		target->mem_align = align[0];
		target->offset_align = align[1];
	}
	return true;
}

/* Logical block of the disk that a filesystem is on; 512 where none is known. */
static uint32_t look_logical_block(dev_t dev)
{
	unsigned long bytes = 0;
	char line[32];

	dev = machine_disk(dev);
	if (machine_line(line, sizeof(line), MACHINE_BLOCK "/queue/logical_block_size", major(dev),
			    minor(dev)))
		bytes = strtoul(line, NULL, 10);
	return bytes ? (uint32_t)bytes : 512;
}

static void look_guess(struct target *target, bool direct)
{
	target->direct = direct;
	if (direct)
		target->mem_align = target->offset_align = look_logical_block(target->dev);
}

static int look_regular(
		struct target *target, const char *path, const struct statx *stx, struct err *err)
{
	int fd;

	target->kind = TARGET_REGULAR;
	target->size_bytes = stx->stx_size;
	target->alloc_bytes = stx->stx_blocks * 512;
	if (eaccess(path, R_OK) < 0 && eaccess(path, W_OK) < 0)
		return target_fail(err, path, EACCES, 0);
	if (look_align(target, stx))
		return 0;
	fd = open(path, O_RDONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_WRONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC);
	look_guess(target, fd >= 0);
	if (fd >= 0)
		close(fd);
	return 0;
}

static int look_block(
		struct target *target, const char *path, const struct statx *stx, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), logical = 0, rc;

	target->kind = TARGET_BLOCK;
	target->dev = makedev(stx->stx_rdev_major, stx->stx_rdev_minor);
	if (fd < 0)
		return target_fail(err, path, errno, 0);
	if (ioctl(fd, BLKGETSIZE64, &target->size_bytes) < 0 ||
			ioctl(fd, BLKSSZGET, &logical) < 0) {
		rc = err_set(err, errno, "%s: a device that does not tell its size: %s", path,
				strerror(errno));
	} else if (!target->size_bytes) {
		rc = err_set(err, ENOMEDIUM, "%s: a device of size 0: nothing is in it", path);
	} else {
		rc = 0;
		target->alloc_bytes = target->size_bytes;
		target->block_bytes = (uint32_t)logical;
		if (!look_align(target, stx))
			look_guess(target, true);
	}
	close(fd);
	return rc;
}

/*
 * Asks the filesystem of a directory through a file without a name. One that has no O_TMPFILE is
 * believed to know O_DIRECT: opening will tell.
 */
static int look_tmpfile(struct target *target, const char *path, const char *dir, struct err *err)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), code = errno;
	struct statx stx;

	if (fd >= 0) {
		if (look_statx(fd, "", AT_EMPTY_PATH, &stx) < 0 || !look_align(target, &stx))
			look_guess(target, fcntl(fd, F_SETFL, O_DIRECT) == 0);
		close(fd);
		return 0;
	}
	if (code == EOPNOTSUPP || code == EISDIR || code == ENOENT || code == EINVAL) {
		if (eaccess(dir, W_OK | X_OK) == 0) {
			look_guess(target, true);
			return 0;
		}
		code = errno;
	}
	return target_fail(err, path, code, TARGET_CREATE);
}

/* A file there would be a mistyped device, and fill the memory. */
static bool look_devices(const char *dir)
{
	char *filesystem, *device;
	bool devices;

	if (machine_place(dir, &filesystem, &device) != 0)
		return false;
	devices = strcmp(filesystem, "devtmpfs") == 0;
	free(filesystem);
	free(device);
	return devices;
}

static int look_absent(struct target *target, const char *path, struct err *err)
{
	size_t n = strlen(path);
	struct statx stx;
	struct stat st;
	char *dir;
	int rc;

	target->kind = TARGET_ABSENT;
	if (n == 0)
		return err_set(err, ENOENT, "a file without a name");
	if (path[n - 1] == '/')
		return target_fail(err, path, EISDIR, 0);
	if (lstat(path, &st) == 0)
		return err_set(err, ENOENT,
				"%s: a symbolic link to a file that does not exist: remove the "
				"link, or create the file",
				path);
	dir = target_parent(path);
	if (!dir)
		return err_set(err, ENOMEM, "%s: no memory", path);
	if (look_devices(dir)) {
		rc = err_set(err, ENOENT, "%s: no such device", path);
	} else if (look_statx(AT_FDCWD, dir, 0, &stx) == 0) {
		target->dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
		target->block_bytes = stx.stx_blksize;
		rc = look_tmpfile(target, path, dir, err);
	} else if (errno == ENOENT) {
		rc = err_set(err, ENOENT,
				"%s: the directory %s does not exist: create it (mkdir -p), or "
				"name another with directory= or --directory",
				path, dir);
	} else {
		rc = target_fail(err, dir, errno, 0);
	}
	free(dir);
	return rc;
}

int target_look(struct target *target, const char *path, struct err *err)
{
	struct statx stx;

	*target = (struct target){ .mem_align = 1, .offset_align = 1 };
	if (look_statx(AT_FDCWD, path, 0, &stx) < 0) {
		if (errno == ENOENT)
			return look_absent(target, path, err);
		return target_fail(err, path, errno, 0);
	}
	target->dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	target->block_bytes = stx.stx_blksize;
	switch (stx.stx_mode & S_IFMT) {
	case S_IFREG:
		return look_regular(target, path, &stx, err);
	case S_IFBLK:
		return look_block(target, path, &stx, err);
	case S_IFCHR:
		/* Not opened: that alone rewinds a tape. None has O_DIRECT. */
		target->kind = TARGET_CHAR;
		return 0;
	case S_IFDIR:
		return err_set(err, EISDIR,
				"%s: a directory where a file is expected: name a file in it, or "
				"give it as directory=",
				path);
	default:
		return err_set(err, EINVAL, "%s: a %s where a file or a device is expected", path,
				S_ISSOCK(stx.stx_mode) ? "socket" : "pipe");
	}
}

/* ---- may it be written? ------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static int refuse(
		struct err *err, const char *path, const char *format, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return err_set(err, EBUSY,
			"%s: %s; writing may destroy data: give --allow-device=%s if that is what "
			"you want",
			path, what, path);
}

/* Is it an area to swap to? */
static bool swapped_to(dev_t dev)
{
	FILE *file = fopen("/proc/swaps", "re"); /* absent from kernels without swap */
	char line[PATH_MAX + 128];
	bool found = false;
	struct stat st;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\n")] = '\0';
		found = line[0] == '/' && stat(line, &st) == 0 && S_ISBLK(st.st_mode) &&
			st.st_rdev == dev;
	}
	fclose(file);
	return found;
}

/* The first device that is built on this one ("dm-0", "md0"), if any. */
static bool held_by(dev_t dev, char *name, size_t size)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), MACHINE_BLOCK "/holders", major(dev), minor(dev));
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		found = entry->d_name[0] != '.';
		if (found)
			snprintf(name, size, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* Who uses the device, or one partition of it; `part` is "" or names that. */
static int check_users(const struct machine_mounts *mounts, dev_t dev, const char *part,
		const char *path, struct err *err)
{
	char holder[256];
	size_t i;

	for (i = 0; i < mounts->n; i++)
		if (machine_mount_block(&mounts->list[i]) == dev)
			return refuse(err, path, "%sis mounted on %s (%s)", part,
					mounts->list[i].point, mounts->list[i].type);
	if (swapped_to(dev))
		return refuse(err, path, "%sis swapped to", part);
	if (held_by(dev, holder, sizeof(holder)))
		return refuse(err, path, "%sis part of %s", part, holder);
	return 0;
}

/* Refuses a device with partitions; one that is used is named rather than just any. */
static int check_partitions(
		const struct machine_mounts *mounts, dev_t dev, const char *path, struct err *err)
{
	char place[64], line[64], part[300], any[256] = "";
	unsigned major_no, minor_no;
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	snprintf(place, sizeof(place), MACHINE_BLOCK, major(dev), minor(dev));
	dir = opendir(place);
	if (!dir)
		return 0;
	while (!rc && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !machine_line(line, sizeof(line), "%s/%s/partition",
							       place, entry->d_name))
			continue;
		snprintf(any, sizeof(any), "%s", entry->d_name);
		snprintf(part, sizeof(part), "its partition %s ", entry->d_name);
		if (machine_line(line, sizeof(line), "%s/%s/dev", place, entry->d_name) &&
				sscanf(line, "%u:%u", &major_no, &minor_no) == 2)
			rc = check_users(mounts, makedev(major_no, minor_no), part, path, err);
	}
	closedir(dir);
	if (!rc && any[0])
		rc = refuse(err, path, "holds partitions (%s)", any);
	return rc;
}

/* What libblkid calls the usage of a signature, in words. */
static const struct {
	const char *usage;
	const char *text;
} signature_words[] = {
	{ "filesystem", "a filesystem" },
	{ "raid", "a member of a RAID or LVM volume" },
	{ "crypto", "an encrypted volume" },
};

static const char *probe_value(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

static int check_signature(int fd, const char *path, struct err *err)
{
	const char *type, *usage, *what = "a signature";
	blkid_probe probe = blkid_new_probe();
	int rc, found;
	size_t i;

	if (!probe)
		return err_set(err, ENOMEM, "%s: no memory to look for signatures", path);
	blkid_probe_enable_superblocks(probe, 1);
	/* A damaged filesystem, or the spare copy of a partition table, may be all that is left. */
	blkid_probe_set_superblocks_flags(
			probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT);
	found = blkid_probe_set_device(probe, fd, 0, 0) ? -1 : blkid_do_probe(probe);
	if (found == 1) {
		rc = 0;
	} else if (found != 0) {
		rc = refuse(err, path, "cannot be searched for signatures of a filesystem");
	} else if ((type = probe_value(probe, "TYPE"))) {
		usage = probe_value(probe, "USAGE");
		for (i = 0; usage && i < sizeof(signature_words) / sizeof(signature_words[0]); i++)
			if (strcmp(usage, signature_words[i].usage) == 0)
				what = signature_words[i].text;
		rc = refuse(err, path, "holds %s (%s)", what, type);
	} else {
		type = probe_value(probe, "PTTYPE");
		rc = refuse(err, path, "holds a partition table (%s)", type ? type : "unknown");
	}
	blkid_free_probe(probe);
	return rc;
}

int target_may_write(const struct target *target, const char *path, struct err *err)
{
	struct machine_mounts mounts;
	int fd, rc;

	if (target->kind != TARGET_BLOCK)
		return 0;
	rc = machine_mounts_read(&mounts);
	if (rc)
		return err_set(err, -rc, "%s: is it mounted? Cannot read mountinfo: %s", path,
				strerror(-rc));
	rc = check_users(&mounts, target->dev, "", path, err);
	if (!rc)
		rc = check_partitions(&mounts, target->dev, path, err);
	machine_mounts_free(&mounts);
	if (rc)
		return rc;
	/* Never for writing: closing such a descriptor would set udev to work. */
	fd = open(path, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return refuse(err, path, "is in use by the kernel or another program");
	if (fd < 0)
		return target_fail(err, path, errno, 0);
	rc = check_signature(fd, path, err);
	close(fd);
	return rc;
}

/* ---- opening and sizing ------------------------------------------------------------------- */

int target_open(const char *path, unsigned flags, struct err *err)
{
	static const struct {
		unsigned flag;
		int open;
	} bits[] = {
		{ TARGET_DIRECT, O_DIRECT },
		{ TARGET_SYNC, O_SYNC },
		{ TARGET_DSYNC, O_DSYNC },
		{ TARGET_CREATE, O_CREAT },
		{ TARGET_EXCL, O_EXCL },
	};
	int mode = O_CLOEXEC | O_NOCTTY, fd;
	size_t i;

	/* O_EXCL beside O_CREAT means something else; and a device is not created. */
	if (flags & TARGET_EXCL)
		flags &= ~(unsigned)TARGET_CREATE;
	if (flags & TARGET_WRITE)
		mode |= flags & TARGET_READ ? O_RDWR : O_WRONLY;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (flags & bits[i].flag)
			mode |= bits[i].open;
	fd = open(path, mode, 0644);
	return fd >= 0 ? fd : target_fail(err, path, errno, flags);
}

/* Makes a file longer, never shorter. 0 or -errno. */
static int create_grow(int fd, off_t size)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (st.st_size < size && ftruncate(fd, size) < 0))
		return -errno;
	return 0;
}

static int create_fallocate(int fd, int mode, off_t size)
{
	int rc;

	do
		rc = fallocate(fd, mode, 0, size);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

static int create_allocate(int fd, off_t size, enum target_allocate how)
{
	int rc = 0;

	if (size == 0)
		return 0; /* which fallocate() refuses */
	switch (how) {
	case TARGET_ALLOCATE_NONE:
		break;
	case TARGET_ALLOCATE_NATIVE:
		rc = create_fallocate(fd, 0, size);
		if (rc == -EOPNOTSUPP || rc == -ENOSYS)
			rc = 0;
		break;
	case TARGET_ALLOCATE_POSIX:
		do
			rc = -posix_fallocate(fd, 0, size);
		while (rc == -EINTR);
		break;
	case TARGET_ALLOCATE_KEEP:
		rc = create_fallocate(fd, FALLOC_FL_KEEP_SIZE, size);
		break;
	case TARGET_ALLOCATE_TRUNCATE:
		rc = create_grow(fd, size);
		break;
	}
	return rc;
}

static int create_fail(struct err *err, const char *path, uint64_t size_bytes, int code)
{
	struct err ignored;
	struct target_room room;

	switch (code) {
	case ENOSPC:
		if (target_room(path, &room, &ignored) != 0)
			break;
		return err_set(err, code,
				"%s: no space for its %" PRIu64 " bytes: %" PRIu64 " are free on "
				"its filesystem",
				path, size_bytes, room.bytes);
	case EFBIG:
		return err_set(err, code,
				"%s: %" PRIu64 " bytes are more than its filesystem, or ulimit -f, "
				"allows a file",
				path, size_bytes);
	case EOPNOTSUPP:
		return err_set(err, code,
				"%s: its filesystem cannot reserve blocks: use fallocate=none or "
				"fallocate=truncate",
				path);
	default:
		break;
	}
	return target_fail(err, path, code, TARGET_WRITE | TARGET_CREATE);
}

int target_create(const char *path, uint64_t size_bytes, enum target_allocate how, bool sized,
		struct err *err)
{
	/* posix_fallocate() reads where it has to write blocks itself. */
	int mode = (how == TARGET_ALLOCATE_POSIX ? O_RDWR : O_WRONLY) | O_NONBLOCK | O_CLOEXEC;
	off_t size = (off_t)size_bytes;
	bool made = true;
	struct stat st;
	int fd, rc;

	if (size_bytes > INT64_MAX)
		return create_fail(err, path, size_bytes, EFBIG);
	fd = open(path, mode | O_CREAT | O_EXCL, 0644);
	if (fd < 0 && errno == EEXIST) {
		made = false;
		fd = open(path, mode);
	}
	if (fd < 0)
		return target_fail(err, path, errno, TARGET_WRITE | TARGET_CREATE);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, EINVAL, "%s: not a regular file: its size is fixed", path);
	}
	/* What is large enough already is used as it is, holes included. */
	rc = made || st.st_size < size ? create_allocate(fd, size, how) : 0;
	if (!rc && sized)
		rc = create_grow(fd, size);
	/* What failed leaves everything as it was; its error is the one to tell. */
	if (rc && made)
		unlink(path);
	else if (rc)
		(void)!ftruncate(fd, st.st_size);
	close(fd);
	return rc ? create_fail(err, path, size_bytes, -rc) : 0;
}

void target_invalidate(int fd, uint64_t offset, uint64_t length)
{
	struct stat st;

	/* A device's cache goes as a whole, and only where that is permitted. */
	if (fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && ioctl(fd, BLKFLSBUF, 0) == 0)
		return;
	(void)posix_fadvise(fd, (off_t)offset, (off_t)length, POSIX_FADV_DONTNEED);
}

int target_room(const char *path, struct target_room *room, struct err *err)
{
	struct statvfs vfs;
	char *dir;
	int rc = statvfs(path, &vfs);

	if (rc < 0 && errno == ENOENT) {
		dir = target_parent(path);
		if (!dir)
			return err_set(err, ENOMEM, "%s: no memory", path);
		rc = statvfs(dir, &vfs);
		free(dir);
	}
	if (rc < 0)
		return err_set(err, errno, "%s: cannot tell the free space there: %s", path,
				strerror(errno));
	/* ramfs and the like count no blocks, btrfs no inodes: they know no limit. */
	room->bytes = vfs.f_blocks ? (uint64_t)vfs.f_bavail * vfs.f_frsize : UINT64_MAX;
	room->files = vfs.f_files ? vfs.f_favail : UINT64_MAX;
	return 0;
}
