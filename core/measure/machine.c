// SPDX-License-Identifier: MIT
#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"

/* ---- mounts ------------------------------------------------------------------------------- */

/* "\040" becomes a blank, in place: mountinfo writes blank, tab, newline and backslash so. */
static void mount_unescape(char *text)
{
	unsigned char code;
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
				text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			code = (unsigned char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
					       (text[3] - '0'));
			*out++ = (char)code;
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE FS-OPTIONS" */
static bool mount_parse(struct machine_mount *mount, char *line)
{
	char *before[6], *after[3], *tag;
	unsigned major_no, minor_no;
	size_t i;

	for (i = 0; i < 6; i++) {
		before[i] = strsep(&line, " ");
		if (!before[i])
			return false;
	}
	do
		tag = strsep(&line, " ");
	while (tag && strcmp(tag, "-") != 0);
	for (i = 0; i < 3; i++) {
		after[i] = strsep(&line, " ");
		if (!after[i])
			return false;
		mount_unescape(after[i]);
	}
	if (sscanf(before[2], "%u:%u", &major_no, &minor_no) != 2)
		return false;
	mount_unescape(before[3]);
	mount_unescape(before[4]);
	*mount = (struct machine_mount){
		.dev = makedev(major_no, minor_no),
		.point = before[4],
		.type = after[0],
		.source = after[1],
		.options = after[2],
		.flags = before[5],
		.top = before[3],
	};
	return true;
}

int machine_mounts_read_at(const char *root, struct machine_mounts *mounts)
{
	struct machine_mount *list;
	size_t size = 0, room = 0;
	char path[PATH_MAX], *rest, *line;
	int rc = 0;
	FILE *file;

	*mounts = (struct machine_mounts){ 0 };
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	/* The text holds no NUL: this reads all of it. */
	if (getdelim(&mounts->text, &size, '\0', file) < 0) {
		rc = ferror(file) ? -EIO : -ENOENT;
		goto out;
	}
	rest = mounts->text;
	while ((line = strsep(&rest, "\n"))) {
		if (mounts->n == room) {
			room = room ? 2 * room : 32;
			list = realloc(mounts->list, room * sizeof(*list));
			if (!list) {
				rc = -ENOMEM;
				goto out;
			}
			mounts->list = list;
		}
		if (mount_parse(&mounts->list[mounts->n], line))
			mounts->n++;
	}
out:
	fclose(file);
	if (rc)
		machine_mounts_free(mounts);
	return rc;
}

int machine_mounts_read(struct machine_mounts *mounts)
{
	return machine_mounts_read_at("", mounts);
}

void machine_mounts_free(struct machine_mounts *mounts)
{
	free(mounts->list);
	free(mounts->text);
	*mounts = (struct machine_mounts){ 0 };
}

static bool path_under(const char *path, const char *point)
{
	size_t n = strlen(point);

	return strcmp(point, "/") == 0 ||
	       (strncmp(path, point, n) == 0 && (path[n] == '/' || path[n] == '\0'));
}

const struct machine_mount *machine_mount_of(const struct machine_mounts *mounts, const char *path)
{
	const struct machine_mount *best = NULL, *mount;
	size_t i;

	for (i = 0; i < mounts->n; i++) {
		mount = &mounts->list[i];
		if (path_under(path, mount->point) &&
				(!best || strlen(mount->point) >= strlen(best->point)))
			best = mount;
	}
	return best;
}

/* Where an overlay writes: the filesystem of its upper layer, if that is visible from here. */
static dev_t overlay_block(const struct machine_mount *mount)
{
	const char *dir = strstr(mount->options, "upperdir=");
	struct stat st;
	char *path;
	dev_t dev = 0;

	if (!dir)
		return 0;
	dir += strlen("upperdir=");
	path = strndup(dir, strcspn(dir, ","));
	if (path && stat(path, &st) == 0 && major(st.st_dev) != 0)
		dev = st.st_dev;
	free(path);
	return dev;
}

dev_t machine_mount_block(const struct machine_mount *mount)
{
	struct stat st;

	if (major(mount->dev) != 0)
		return mount->dev;
	if (strcmp(mount->type, "overlay") == 0)
		return overlay_block(mount);
	if (mount->source[0] == '/' && stat(mount->source, &st) == 0 && S_ISBLK(st.st_mode))
		return st.st_rdev;
	return 0;
}

/* Files of btrfs have the number of their subvolume as st_dev, which mountinfo does not show. */
static bool mount_has(const struct machine_mount *mount, dev_t dev)
{
	struct stat st;

	if (mount->dev == dev)
		return true;
	return strcmp(mount->type, "btrfs") == 0 && stat(mount->point, &st) == 0 &&
	       st.st_dev == dev;
}

int machine_block_of(dev_t dev, dev_t *block)
{
	struct machine_mounts mounts;
	size_t i;
	int rc;

	*block = dev;
	if (major(dev) != 0)
		return 0;
	*block = 0;
	rc = machine_mounts_read(&mounts);
	if (rc)
		return rc;
	for (i = 0; i < mounts.n && !*block; i++)
		if (mount_has(&mounts.list[i], dev))
			*block = machine_mount_block(&mounts.list[i]);
	machine_mounts_free(&mounts);
	return 0;
}

/* ---- disks -------------------------------------------------------------------------------- */

bool machine_read(char *line, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, line, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
}

bool machine_line(char *line, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return machine_read(line, size, path);
}

static bool dev_parse(const char *text, dev_t *dev)
{
	unsigned major_no, minor_no;

	if (sscanf(text, "%u:%u", &major_no, &minor_no) != 2)
		return false;
	*dev = makedev(major_no, minor_no);
	return true;
}

dev_t machine_disk(dev_t dev)
{
	unsigned major_no = major(dev), minor_no = minor(dev);
	char line[64];

	if (machine_line(line, sizeof(line), MACHINE_BLOCK "/partition", major_no, minor_no) &&
			machine_line(line, sizeof(line), MACHINE_BLOCK "/../dev", major_no,
					minor_no))
		dev_parse(line, &dev);
	return dev;
}

bool machine_block_name(const char *root, dev_t dev, char name[MACHINE_NAME])
{
	char link[PATH_MAX], path[PATH_MAX];
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "%s" MACHINE_BLOCK, root, major(dev), minor(dev));
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	snprintf(name, MACHINE_NAME, "%.*s", MACHINE_NAME - 1, slash ? slash + 1 : path);
	return true;
}

/* What dm and md are made of. */
static size_t block_slaves(const char *block, dev_t *list, size_t room)
{
	char path[PATH_MAX + 8], line[64];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/slaves", block);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (n < room && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
				machine_line(line, sizeof(line), "%s/%s/dev", path,
						entry->d_name) &&
				dev_parse(line, &list[n]))
			n++;
	closedir(dir);
	return n;
}

/*
 * The block device under what a loop device reads and writes: a file, or another block device. A
 * file that cannot be seen from here is judged by its name.
 */
static dev_t block_backing(const char *root, const char *path)
{
	struct machine_mounts mounts;
	const struct machine_mount *mount;
	dev_t block = 0;
	struct stat st;

	if (!*root && stat(path, &st) == 0) {
		if (S_ISBLK(st.st_mode))
			return st.st_rdev;
		return machine_block_of(st.st_dev, &block) ? 0 : block;
	}
	if (machine_mounts_read_at(root, &mounts))
		return 0;
	mount = machine_mount_of(&mounts, path);
	block = mount ? machine_mount_block(mount) : 0;
	machine_mounts_free(&mounts);
	return block;
}

size_t machine_below(const char *root, dev_t dev, dev_t *list, size_t room)
{
	char block[PATH_MAX], line[PATH_MAX];
	size_t n = 0;

	snprintf(block, sizeof(block), "%s" MACHINE_BLOCK, root, major(dev), minor(dev));
	if (machine_line(line, sizeof(line), "%s/partition", block)) {
		if (room && machine_line(line, sizeof(line), "%s/../dev", block))
			n = dev_parse(line, list);
	} else if (machine_line(line, sizeof(line), "%s/loop/backing_file", block)) {
		if (room)
			list[n] = block_backing(root, line);
		n = room && list[n];
	} else {
		n = block_slaves(block, list, room);
	}
	return n;
}

static int disks_add_block(struct disks *disks, dev_t dev, struct err *err)
{
	struct disk *list, disk = { .dev = machine_disk(dev) };
	dev_t below[MACHINE_BELOW];
	size_t i, n;
	int rc = 0;

	for (i = 0; i < disks->n; i++)
		if (disks->list[i].dev == disk.dev)
			return 0;
	if (!machine_block_name("", disk.dev, disk.name))
		return 0;
	list = realloc(disks->list, (disks->n + 1) * sizeof(*list));
	if (!list)
		return err_set(err, ENOMEM, "no memory for the list of disks");
	list[disks->n++] = disk;
	disks->list = list;
	n = machine_below("", disk.dev, below, MACHINE_BELOW);
	for (i = 0; !rc && i < n; i++)
		rc = disks_add_block(disks, below[i], err);
	return rc;
}

int disks_add(struct disks *disks, dev_t dev, struct err *err)
{
	dev_t block;
	int rc = machine_block_of(dev, &block);

	if (rc)
		return err_set(err, -rc, "cannot read /proc/self/mountinfo: %s", strerror(-rc));
	return block ? disks_add_block(disks, block, err) : 0;
}

void disks_free(struct disks *disks)
{
	free(disks->list);
	*disks = (struct disks){ 0 };
}

/* In the order of /sys/block/D/stat. */
static const size_t disk_fields[] = {
	offsetof(struct disk_stat, read_ios),
	offsetof(struct disk_stat, read_merges),
	offsetof(struct disk_stat, read_sectors),
	offsetof(struct disk_stat, read_ticks_ms),
	offsetof(struct disk_stat, write_ios),
	offsetof(struct disk_stat, write_merges),
	offsetof(struct disk_stat, write_sectors),
	offsetof(struct disk_stat, write_ticks_ms),
	offsetof(struct disk_stat, in_flight),
	offsetof(struct disk_stat, io_ticks_ms),
	offsetof(struct disk_stat, in_queue_ms),
};

enum { DISK_FIELDS = sizeof(disk_fields) / sizeof(disk_fields[0]) };

static uint64_t *disk_field(struct disk_stat *stat, size_t i)
{
	return (uint64_t *)(void *)((char *)stat + disk_fields[i]);
}

static bool disk_read(const struct disk *disk, struct disk_stat *stat)
{
	char line[512], *text = line, *end;
	size_t i;

	if (!machine_line(line, sizeof(line), "/sys/block/%s/stat", disk->name))
		return false;
	for (i = 0; i < DISK_FIELDS; i++) {
		*disk_field(stat, i) = strtoull(text, &end, 10);
		if (end == text)
			return false;
		text = end;
	}
	return true;
}

/* Times are 32 bits wide in every kernel, all counters are on 32-bit ones: they wrap. */
static uint64_t disk_since(uint64_t now, uint64_t then)
{
	return now >= then ? now - then : now + (UINT64_C(1) << 32) - then;
}

void disks_start(struct disks *disks)
{
	struct disk *disk;
	size_t i;

	for (i = 0; i < disks->n; i++) {
		disk = &disks->list[i];
		disk->started_ns = disk_read(disk, &disk->at) ? clock_ns() : 0;
	}
}

void disks_stop(struct disks *disks)
{
	struct disk_stat now;
	struct disk *disk;
	size_t i, j;

	for (i = 0; i < disks->n; i++) {
		disk = &disks->list[i];
		if (disk->started_ns && disk_read(disk, &now)) {
			for (j = 0; j < DISK_FIELDS; j++)
				*disk_field(&disk->sum, j) += disk_since(
						*disk_field(&now, j), *disk_field(&disk->at, j));
			disk->sum.in_flight = 0; /* a level, which no sum can hold */
			disk->at = now;
			disk->wall_ms += (clock_ns() - disk->started_ns + 500000) / 1000000;
		}
		disk->started_ns = 0;
	}
}

uint64_t disks_written(const struct disks *disks)
{
	struct disk_stat now;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < disks->n; i++)
		if (disk_read(&disks->list[i], &now))
			sum += now.write_sectors;
	return sum;
}

static double disk_util_percent(const struct disk *disk)
{
	double percent;

	if (!disk->wall_ms)
		return 0;
	/* The kernel counts busy time in ticks of its timer, which may overshoot. */
	percent = 100.0 * (double)disk->sum.io_ticks_ms / (double)disk->wall_ms;
	return percent > 100 ? 100 : percent;
}

int disks_result(const struct disks *disks, struct result *result)
{
	const struct disk *disk;
	struct result_disk *list;
	char *name;
	size_t i;

	if (!disks->n)
		return 0;
	list = realloc(result->disks, (result->ndisks + disks->n) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	result->disks = list;
	for (i = 0; i < disks->n; i++) {
		disk = &disks->list[i];
		name = strdup(disk->name);
		if (!name)
			return -ENOMEM;
		list[result->ndisks++] = (struct result_disk){
			.name = name,
			.read_ios = disk->sum.read_ios,
			.write_ios = disk->sum.write_ios,
			.read_merges = disk->sum.read_merges,
			.write_merges = disk->sum.write_merges,
			.read_ticks_ms = disk->sum.read_ticks_ms,
			.write_ticks_ms = disk->sum.write_ticks_ms,
			.in_queue_ms = disk->sum.in_queue_ms,
			.read_sectors = disk->sum.read_sectors,
			.write_sectors = disk->sum.write_sectors,
			.util_percent = disk_util_percent(disk),
		};
	}
	return 0;
}

/* ---- places ------------------------------------------------------------------------------- */

char *machine_real_path(const char *path)
{
	char *cut = strdup(*path ? path : "."), *real = NULL, *slash;
	int code;

	while (cut && !(real = realpath(cut, NULL)) && (errno == ENOENT || errno == ENOTDIR) &&
			strcmp(cut, ".") != 0 && strcmp(cut, "/") != 0) {
		slash = strrchr(cut, '/');
		if (!slash)
			strcpy(cut, ".");
		else
			slash[slash == cut] = '\0';
	}
	code = errno;
	free(cut);
	errno = code;
	return real;
}

int machine_place(const char *path, char **filesystem, char **device)
{
	struct machine_mounts mounts = { 0 };
	const struct machine_mount *mount = NULL;
	char name[MACHINE_NAME] = "none", *real;
	struct stat st;
	dev_t dev = 0;
	int rc = 0;

	*filesystem = NULL;
	*device = NULL;
	real = machine_real_path(path);
	if (!real || stat(real, &st) < 0) {
		rc = -errno;
		goto out;
	}
	if (S_ISBLK(st.st_mode)) {
		dev = st.st_rdev;
	} else {
		rc = machine_mounts_read(&mounts);
		if (rc)
			goto out;
		mount = machine_mount_of(&mounts, real);
		dev = mount ? machine_mount_block(mount) : 0;
	}
	if (dev)
		machine_block_name("", machine_disk(dev), name);
	*filesystem = strdup(mount ? mount->type : "none");
	*device = strdup(name);
	if (!*filesystem || !*device) {
		free(*filesystem);
		free(*device);
		*filesystem = *device = NULL;
		rc = -ENOMEM;
	}
out:
	machine_mounts_free(&mounts);
	free(real);
	return rc;
}

/* ---- control groups ----------------------------------------------------------------------- */

bool machine_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, n) == 0 && (list[n] == ',' || !list[n]))
			return true;
	}
	return false;
}

/* Our group as the kernel knows it, "/user.slice"; "ID:CONTROLLERS:PATH" a line, v2's is "0::". */
static bool group_path(const char *root, const char *controller, char *path)
{
	char name[PATH_MAX], line[PATH_MAX + 256];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
	file = fopen(name, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		char *rest = line, *id = strsep(&rest, ":"), *list = strsep(&rest, ":");

		if (!list || !rest)
			continue;
		rest[strcspn(rest, "\n")] = '\0';
		found = *controller ? machine_has_word(list, controller)
				    : !strcmp(id, "0") && !*list;
		snprintf(path, PATH_MAX, "%s", strcmp(rest, "/") ? rest : "");
	}
	if (file)
		fclose(file);
	return found;
}

static const struct machine_mount *group_mount(
		const struct machine_mounts *mounts, const char *controller)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct machine_mount *m = &mounts->list[i];

		if (*controller ? !strcmp(m->type, "cgroup")
						&& machine_has_word(m->options, controller)
				: !strcmp(m->type, "cgroup2"))
			return m;
	}
	return NULL;
}

bool machine_group(const char *root, const struct machine_mounts *mounts, const char *controller,
		struct machine_group *group)
{
	const struct machine_mount *m = group_mount(mounts, controller);
	size_t top;
	char *path;

	if (!m || !group_path(root, controller, group->path))
		return false;
	snprintf(group->mount, PATH_MAX, "%s", m->point);
	/* In a container the group that we see as the top may have a name that we see as well. */
	top = strlen(m->top);
	path = group->path;
	if (strncmp(path, m->top, top) == 0 && strchr("/", path[top]))
		memmove(path, path + top, strlen(path + top) + 1);
	return true;
}

/* ---- host --------------------------------------------------------------------------------- */

int machine_describe(struct result *result)
{
	struct utsname uts;
	char *kernel, *host;

	if (uname(&uts) < 0)
		return -errno;
	if (asprintf(&kernel, "%s %s %s", uts.sysname, uts.release, uts.machine) < 0)
		return -ENOMEM;
	host = strdup(uts.nodename);
	if (!host) {
		free(kernel);
		return -ENOMEM;
	}
	free(result->host);
	free(result->kernel);
	result->host = host;
	result->kernel = kernel;
	return 0;
}
