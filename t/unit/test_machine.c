// SPDX-License-Identifier: MIT
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../core/measure/machine.h"
#include "disk.h"

static dev_t dev_of(const char *path)
{
	struct stat st;

	ck_assert_msg(stat(path, &st) == 0, "%s: %s", path, strerror(errno));
	return S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
}

static void expect_place(const char *path, const char *filesystem, const char *device)
{
	char *fs, *dev;

	ck_assert_int_eq(machine_place(path, &fs, &dev), 0);
	ck_assert_msg(strcmp(fs, filesystem) == 0, "%s: %s, not %s", path, fs, filesystem);
	ck_assert_msg(strcmp(dev, device) == 0, "%s: %s, not %s", path, dev, device);
	free(fs);
	free(dev);
}

static bool has_disk(const struct disks *disks, const char *name)
{
	size_t i;

	for (i = 0; i < disks->n; i++)
		if (strcmp(disks->list[i].name, name) == 0)
			return true;
	return false;
}

static void add(struct disks *disks, dev_t dev)
{
	struct err err;

	ck_assert_msg(disks_add(disks, dev, &err) == 0, "%s", err.text);
}

/* A mount needs root; so does a namespace to hide it in. */
static bool may_mount(void)
{
	if (geteuid() == 0)
		return disk_namespace();
	disk_skip("mounting needs root");
	return false;
}

/* A loop device with a filesystem, mounted as NAME in the scratch directory. */
static bool mount_loop(struct disk_loop *loop, const char *name, const char *type, const char *mkfs)
{
	return disk_attach(loop, disk_file("image", 320 * MIB)) && disk_mkfs(mkfs, loop->path) &&
	       may_mount() && disk_mount(loop->path, name, type, 0, NULL);
}

/* ---- mounts ------------------------------------------------------------------------------- */

START_TEST(test_mounts)
{
	struct machine_mounts mounts;
	size_t i, proc = 0;

	ck_assert_int_eq(machine_mounts_read(&mounts), 0);
	ck_assert_uint_gt(mounts.n, 0);
	for (i = 0; i < mounts.n; i++) {
		ck_assert_int_eq(mounts.list[i].point[0], '/');
		ck_assert_int_ne(mounts.list[i].type[0], '\0');
		proc += strcmp(mounts.list[i].point, "/proc") == 0 &&
			strcmp(mounts.list[i].type, "proc") == 0 &&
			mounts.list[i].dev == dev_of("/proc");
	}
	ck_assert_uint_ge(proc, 1);
	machine_mounts_free(&mounts);
	ck_assert_uint_eq(mounts.n, 0);
}
END_TEST

START_TEST(test_mounts_escapes)
{
	static const char name[] = "a b\tc\\d\\040e";
	struct machine_mounts mounts;
	const char *point;
	size_t i, found = 0;

	if (!may_mount())
		return;
	point = disk_mount("a source", name, "tmpfs", 0, NULL);
	if (!point)
		return;
	/* Gives its line a tag, "shared:N". */
	ck_assert_int_eq(mount(NULL, point, NULL, MS_SHARED, NULL), 0);
	ck_assert_int_eq(machine_mounts_read(&mounts), 0);
	for (i = 0; i < mounts.n; i++)
		found += strcmp(mounts.list[i].point, point) == 0 &&
			 strcmp(mounts.list[i].source, "a source") == 0 &&
			 strcmp(mounts.list[i].type, "tmpfs") == 0 &&
			 machine_mount_block(&mounts.list[i]) == 0;
	ck_assert_uint_eq(found, 1);
	machine_mounts_free(&mounts);
	expect_place(point, "tmpfs", "none");
}
END_TEST

/* ---- places ------------------------------------------------------------------------------- */

START_TEST(test_place_virtual)
{
	char *fs, *dev;

	expect_place("/proc/self/status", "proc", "none");
	expect_place("/sys", "sysfs", "none");
	/* Some filesystem holds the program's directory. */
	ck_assert_int_eq(machine_place("", &fs, &dev), 0);
	ck_assert_int_ne(fs[0], '\0');
	ck_assert_int_ne(dev[0], '\0');
	expect_place("no/such/file", fs, dev);
	expect_place("nothing", fs, dev);
	expect_place(".", fs, dev);
	free(fs);
	free(dev);
}
END_TEST

START_TEST(test_place_refusal)
{
	const char *link = disk_path("link");
	char *fs, *dev;

	ck_assert_int_eq(symlink(link, link), 0);
	ck_assert_int_eq(machine_place(link, &fs, &dev), -ELOOP);
	ck_assert_ptr_null(fs);
	ck_assert_ptr_null(dev);
}
END_TEST

START_TEST(test_place_mount)
{
	struct disk_loop loop;
	const char *point;
	char *fs, *dev;

	if (!mount_loop(&loop, "ext4", "ext4", "mkfs.ext4 -q"))
		return;
	point = disk_path("ext4");
	expect_place(point, "ext4", loop.name);
	expect_place(disk_path("ext4/absent/deeper"), "ext4", loop.name);
	expect_place(disk_file("ext4/file", 0), "ext4", loop.name);
	expect_place(disk_path("ext4/file/below"), "ext4", loop.name);
	expect_place(loop.path, "none", loop.name);

	/* Through a link, and relative. */
	ck_assert_int_eq(symlink(point, disk_path("link")), 0);
	expect_place(disk_path("link/file"), "ext4", loop.name);
	ck_assert_int_eq(chdir(point), 0);
	expect_place("file", "ext4", loop.name);
	expect_place("../ext4/absent", "ext4", loop.name);
	ck_assert_int_eq(chdir("/"), 0);

	/* "ext" is not the parent of "ext4", nor of "ext4/sub"; the later mount hides the other. */
	if (!disk_mount("none", "ext", "tmpfs", 0, NULL) ||
			!disk_mount("none", "ext4/sub", "tmpfs", 0, NULL))
		return;
	expect_place(disk_path("ext4/file"), "ext4", loop.name);
	ck_assert_int_eq(mkdir(disk_path("ext-not"), 0700), 0);
	ck_assert_int_eq(machine_place(scratch->dir, &fs, &dev), 0);
	expect_place(disk_path("ext-not/file"), fs, dev);
	free(fs);
	free(dev);
	expect_place(disk_path("ext4/sub/file"), "tmpfs", "none");
	if (!disk_mount("none", "ext4", "ramfs", 0, NULL))
		return;
	expect_place(point, "ramfs", "none");
	ck_assert_int_eq(umount(point), 0);
	ck_assert_int_eq(umount(disk_path("ext4/sub")), 0);
	ck_assert_int_eq(umount(point), 0);
	disk_detach(&loop);
}
END_TEST

/* ---- disks -------------------------------------------------------------------------------- */

START_TEST(test_line)
{
	char line[8];

	ck_assert(!machine_line(line, sizeof(line), "%s/absent", scratch->dir));
	ck_assert(!machine_line(line, sizeof(line), "%s", disk_file("empty", 0)));
	ck_assert_int_eq(disk_run("printf '12:34\\nmore\\n' >%s", disk_path("line")), 0);
	ck_assert(machine_line(line, sizeof(line), "%s/%s", scratch->dir, "line"));
	ck_assert_str_eq(line, "12:34");
}
END_TEST

START_TEST(test_add_loop)
{
	const char *image = disk_file("image", 4 * MIB);
	struct disks disks = { 0 }, under = { 0 };
	struct disk_loop loop;
	size_t i;

	if (!disk_attach(&loop, image))
		return;
	add(&under, dev_of(image));
	add(&disks, dev_of(loop.path));
	ck_assert_uint_eq(disks.n, 1 + under.n);
	ck_assert_str_eq(disks.list[0].name, loop.name);
	ck_assert_uint_eq(disks.list[0].dev, dev_of(loop.path));
	for (i = 0; i < under.n; i++)
		ck_assert(has_disk(&disks, under.list[i].name));

	/* Each once, in whatever order they come. */
	add(&disks, dev_of(loop.path));
	add(&disks, dev_of(image));
	ck_assert_uint_eq(disks.n, 1 + under.n);
	add(&under, dev_of(loop.path));
	ck_assert_uint_eq(disks.n, under.n);
	disks_free(&disks);
	disks_free(&under);
	ck_assert_uint_eq(disks.n, 0);
	disk_detach(&loop);
}
END_TEST

/* A loop device over a loop device: the backing "file" is a block device. */
START_TEST(test_add_stacked)
{
	struct disk_loop lower, upper;
	struct disks disks = { 0 };

	if (!disk_attach(&lower, disk_file("image", 4 * MIB)) || !disk_attach(&upper, lower.path))
		return;
	add(&disks, dev_of(upper.path));
	ck_assert(has_disk(&disks, upper.name));
	ck_assert(has_disk(&disks, lower.name));
	disks_free(&disks);
	disk_detach(&upper);
	disk_detach(&lower);
}
END_TEST

START_TEST(test_add_partition)
{
	struct disks disks = { 0 };
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 32 * MIB)) || !disk_partition(&loop, 16 * MIB))
		return;
	ck_assert_uint_ne(dev_of(loop.part), dev_of(loop.path));
	ck_assert_uint_eq(machine_disk(dev_of(loop.part)), dev_of(loop.path));
	ck_assert_uint_eq(machine_disk(dev_of(loop.path)), dev_of(loop.path));
	add(&disks, dev_of(loop.part));
	ck_assert_str_eq(disks.list[0].name, loop.name);
	disks_free(&disks);
	expect_place(loop.part, "none", loop.name);
	if (!disk_mkfs("mkfs.ext4 -q", loop.part) || !may_mount() ||
			!disk_mount(loop.part, "part", "ext4", 0, NULL))
		return;
	expect_place(disk_path("part/file"), "ext4", loop.name);
	ck_assert_int_eq(umount(disk_path("part")), 0);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_add_none)
{
	struct machine_mounts mounts;
	size_t i;
	struct disks disks = { 0 };

	add(&disks, dev_of("/proc"));
	add(&disks, makedev(4095, 7)); /* no such device */
	add(&disks, 0);
	ck_assert_uint_eq(disks.n, 0);
	disks_start(&disks);
	disks_stop(&disks);
	ck_assert_uint_eq(disks_written(&disks), 0);
	if (!may_mount() || !disk_mount("/dev/zero", "tmpfs", "tmpfs", 0, NULL))
		return;
	add(&disks, dev_of(disk_path("tmpfs")));
	ck_assert_uint_eq(disks.n, 0);
	/* Its source is a device, but not one of blocks. */
	ck_assert_int_eq(machine_mounts_read(&mounts), 0);
	for (i = 0; i < mounts.n; i++)
		if (strcmp(mounts.list[i].source, "/dev/zero") == 0)
			ck_assert_uint_eq(machine_mount_block(&mounts.list[i]), 0);
	machine_mounts_free(&mounts);
}
END_TEST

START_TEST(test_add_dm)
{
	struct disks disks = { 0 };
	struct disk_loop loop;
	char path[128];

	if (!disk_attach(&loop, disk_file("image", 4 * MIB)))
		return;
	snprintf(scratch->dm, sizeof(scratch->dm), "iojob-test-%d", (int)getpid());
	if (disk_run("dmsetup create %s --table '0 4096 linear %s 0'", scratch->dm, loop.path)) {
		scratch->dm[0] = '\0';
		disk_skip("no device-mapper");
		return;
	}
	snprintf(path, sizeof(path), "/dev/mapper/%s", scratch->dm);
	add(&disks, dev_of(path));
	ck_assert_int_eq(strncmp(disks.list[0].name, "dm-", 3), 0);
	ck_assert(has_disk(&disks, loop.name));
	disks_free(&disks);
	ck_assert_int_eq(disk_run("dmsetup remove %s", scratch->dm), 0);
	scratch->dm[0] = '\0';
	disk_detach(&loop);
}
END_TEST

/* st_dev of a file on btrfs is its subvolume's number, and mountinfo shows another one. */
START_TEST(test_add_btrfs)
{
	struct disks disks = { 0 };
	struct disk_loop loop;

	if (!mount_loop(&loop, "btrfs", "btrfs", "mkfs.btrfs -q -f"))
		return;
	add(&disks, dev_of(disk_file("btrfs/file", 0)));
	ck_assert(has_disk(&disks, loop.name));
	disks_free(&disks);
	expect_place(disk_path("btrfs/file"), "btrfs", loop.name);
	ck_assert_int_eq(umount(disk_path("btrfs")), 0);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_add_overlay)
{
	struct disks disks = { 0 };
	struct disk_loop loop;
	char options[1024];

	if (!mount_loop(&loop, "ext4", "ext4", "mkfs.ext4 -q"))
		return;
	ck_assert_int_eq(mkdir(disk_path("ext4/lower"), 0755), 0);
	ck_assert_int_eq(mkdir(disk_path("ext4/upper"), 0755), 0);
	ck_assert_int_eq(mkdir(disk_path("ext4/work"), 0755), 0);
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s",
			disk_path("ext4/lower"), disk_path("ext4/upper"), disk_path("ext4/work"));
	if (!disk_mount("overlay", "over", "overlay", 0, options))
		return;
	add(&disks, dev_of(disk_path("over")));
	ck_assert(has_disk(&disks, loop.name));
	disks_free(&disks);
	expect_place(disk_path("over/file"), "overlay", loop.name);
	ck_assert_int_eq(umount(disk_path("over")), 0);
	ck_assert_int_eq(umount(disk_path("ext4")), 0);
	disk_detach(&loop);
}
END_TEST

/* ---- counters ----------------------------------------------------------------------------- */

enum { BLOCK = 65536 };

/* Moves n blocks past the page cache, one by one. */
static void move(const char *path, bool writing, int n)
{
	int fd = open(path, (writing ? O_WRONLY : O_RDONLY) | O_DIRECT | O_CLOEXEC), i;
	void *buf;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(posix_memalign(&buf, 4096, BLOCK), 0);
	memset(buf, 7, BLOCK);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(writing ? pwrite(fd, buf, BLOCK, (off_t)i * BLOCK)
					 : pread(fd, buf, BLOCK, (off_t)i * BLOCK),
				BLOCK);
	free(buf);
	close(fd);
}

START_TEST(test_counters)
{
	struct disks disks = { 0 };
	struct disk_loop loop;
	struct disk *disk;
	uint64_t written;

	if (!disk_attach(&loop, disk_file("image", 8 * MIB)))
		return;
	add(&disks, dev_of(loop.path));
	disk = &disks.list[0];
	move(loop.path, true, 8); /* before: not ours */
	disks_start(&disks);
	written = disks_written(&disks);
	move(loop.path, true, 16);
	move(loop.path, false, 4);
	ck_assert_uint_ge(disks_written(&disks), written + 16 * BLOCK / 512);
	usleep(20000);
	disks_stop(&disks);
	move(loop.path, false, 8); /* between: not ours */
	disks_start(&disks);
	move(loop.path, false, 2);
	usleep(20000);
	disks_stop(&disks);

	ck_assert_uint_eq(disk->sum.write_sectors, 16 * BLOCK / 512);
	ck_assert_uint_eq(disk->sum.write_ios + disk->sum.write_merges, 16);
	ck_assert_uint_eq(disk->sum.read_sectors, 6 * BLOCK / 512);
	ck_assert_uint_eq(disk->sum.read_ios + disk->sum.read_merges, 6);
	ck_assert_uint_eq(disk->sum.in_flight, 0);
	ck_assert_uint_ge(disk->wall_ms, 40);
	ck_assert_uint_le(disk->wall_ms, 30000);
	disks_stop(&disks); /* without a start: nothing more */
	ck_assert_uint_eq(disk->sum.read_ios + disk->sum.read_merges, 6);
	disks_free(&disks);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_counters_wrap)
{
	struct disks disks = { 0 };
	struct disk_loop loop;
	struct disk *disk;

	if (!disk_attach(&loop, disk_file("image", 8 * MIB)))
		return;
	add(&disks, dev_of(loop.path));
	disk = &disks.list[0];
	disks_start(&disks);
	disk->at.in_flight = 5;
	disk->at.in_queue_ms = UINT32_MAX - 6;
	disk->at.io_ticks_ms = UINT32_MAX - 10;
	disks_stop(&disks);
	ck_assert_uint_eq(disk->sum.in_queue_ms, disk->at.in_queue_ms + 7);
	ck_assert_uint_eq(disk->sum.io_ticks_ms, disk->at.io_ticks_ms + 11);
	ck_assert_uint_eq(disk->sum.in_flight, 0);
	disks_free(&disks);
	disk_detach(&loop);
}
END_TEST

/* One that came after the start, and one that went away, have no interval. */
START_TEST(test_counters_partial)
{
	struct disk list[2] = { { .name = "no-such-disk" },
		{ .name = "no-such-disk", .started_ns = 1 } };
	struct disks disks = { .list = list, .n = 2 };

	disks_stop(&disks);
	ck_assert_uint_eq(list[0].wall_ms, 0);
	ck_assert_uint_eq(list[1].wall_ms, 0);
	ck_assert_uint_eq(list[1].started_ns, 0);
	disks_start(&disks);
	ck_assert_uint_eq(list[0].started_ns, 0);
	ck_assert_uint_eq(disks_written(&disks), 0);
}
END_TEST

static void result_disks_free(struct result *result)
{
	size_t i;

	for (i = 0; i < result->ndisks; i++)
		free(result->disks[i].name);
	free(result->disks);
}

START_TEST(test_result)
{
	struct disk list[] = {
		{ .name = "vda", .wall_ms = 400, .sum = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 100, 11 } },
		{ .name = "dm-0", .wall_ms = 100, .sum = { .io_ticks_ms = 104 } },
		{ .name = "loop1" },
	};
	const struct disks disks = { .list = list, .n = 3 }, none = { 0 };
	struct result result = { 0 };
	struct result_disk *disk;

	ck_assert_int_eq(disks_result(&none, &result), 0);
	ck_assert_uint_eq(result.ndisks, 0);
	ck_assert_int_eq(disks_result(&disks, &result), 0);
	ck_assert_uint_eq(result.ndisks, 3);
	disk = &result.disks[0];
	ck_assert_str_eq(disk->name, "vda");
	ck_assert_uint_eq(disk->read_ios, 1);
	ck_assert_uint_eq(disk->read_merges, 2);
	ck_assert_uint_eq(disk->read_sectors, 3);
	ck_assert_uint_eq(disk->read_ticks_ms, 4);
	ck_assert_uint_eq(disk->write_ios, 5);
	ck_assert_uint_eq(disk->write_merges, 6);
	ck_assert_uint_eq(disk->write_sectors, 7);
	ck_assert_uint_eq(disk->write_ticks_ms, 8);
	ck_assert_uint_eq(disk->in_queue_ms, 11);
	ck_assert_double_eq(disk->util_percent, 25);
	ck_assert_double_eq(result.disks[1].util_percent, 100);
	ck_assert_double_eq(result.disks[2].util_percent, 0);
	ck_assert_int_eq(disks_result(&disks, &result), 0);
	ck_assert_uint_eq(result.ndisks, 6);
	ck_assert_str_eq(result.disks[4].name, "dm-0");
	result_disks_free(&result);
}
END_TEST

/* Field by field as the kernel prints them. */
START_TEST(test_fields)
{
	static const char name[] = "/sys/block/%s/stat";
	unsigned long long f[11];
	struct disks disks = { 0 };
	struct disk_loop loop;
	char path[64];
	FILE *file;
	size_t i;

	if (!disk_attach(&loop, disk_file("image", 8 * MIB)))
		return;
	move(loop.path, true, 3);
	add(&disks, dev_of(loop.path));
	disks_start(&disks);
	snprintf(path, sizeof(path), name, loop.name);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	for (i = 0; i < 11; i++)
		ck_assert_int_eq(fscanf(file, "%llu", &f[i]), 1);
	fclose(file);
	ck_assert_uint_gt(f[6], 0);
	ck_assert_uint_eq(disks.list[0].at.read_ios, f[0]);
	ck_assert_uint_eq(disks.list[0].at.read_sectors, f[2]);
	ck_assert_uint_eq(disks.list[0].at.write_ios, f[4]);
	ck_assert_uint_eq(disks.list[0].at.write_sectors, f[6]);
	ck_assert_uint_eq(disks.list[0].at.write_ticks_ms, f[7]);
	ck_assert_uint_eq(disks.list[0].at.in_flight, f[8]);
	ck_assert_uint_eq(disks.list[0].at.io_ticks_ms, f[9]);
	ck_assert_uint_eq(disks.list[0].at.in_queue_ms, f[10]);
	disks_free(&disks);
	disk_detach(&loop);
}
END_TEST

START_TEST(test_describe)
{
	struct result result = { .host = strdup("old"), .kernel = strdup("old") };
	struct utsname uts;
	char kernel[256];

	ck_assert_int_eq(uname(&uts), 0);
	ck_assert_int_eq(machine_describe(&result), 0);
	ck_assert_str_eq(result.host, uts.nodename);
	snprintf(kernel, sizeof(kernel), "Linux %s %s", uts.release, uts.machine);
	ck_assert_str_eq(result.kernel, kernel);
	free(result.host);
	free(result.kernel);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tc = tcase_create("machine");

	disk_fixtures(tc);
	tcase_add_test(tc, test_mounts);
	tcase_add_test(tc, test_mounts_escapes);
	tcase_add_test(tc, test_place_virtual);
	tcase_add_test(tc, test_place_refusal);
	tcase_add_test(tc, test_place_mount);
	tcase_add_test(tc, test_line);
	tcase_add_test(tc, test_add_loop);
	tcase_add_test(tc, test_add_stacked);
	tcase_add_test(tc, test_add_partition);
	tcase_add_test(tc, test_add_none);
	tcase_add_test(tc, test_add_dm);
	tcase_add_test(tc, test_add_btrfs);
	tcase_add_test(tc, test_add_overlay);
	tcase_add_test(tc, test_counters);
	tcase_add_test(tc, test_counters_wrap);
	tcase_add_test(tc, test_counters_partial);
	tcase_add_test(tc, test_result);
	tcase_add_test(tc, test_fields);
	tcase_add_test(tc, test_describe);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
