// SPDX-License-Identifier: MIT
/* core/measure/probe: what it sees of files, of control groups, and of this process. */
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>

#include "../../core/measure/probe.h"
#include "disk.h"
#include "unit.h"

static void fill(int fd, uint64_t offset, uint64_t length)
{
	char *data = malloc(length);

	memset(data, 'x', length);
	ck_assert_int_eq(pwrite(fd, data, length, (off_t)offset), (ssize_t)length);
	free(data);
}

static int new_file(void)
{
	int fd = open(disk_path("file"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* ---- files --------------------------------------------------------------------------------- */

START_TEST(holes)
{
	int fd = new_file();

	ck_assert_uint_eq(probe_holes(fd, 0, 0), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)(8 * MIB)), 0);
	ck_assert_uint_eq(probe_holes(fd, 0, 8 * MIB), 8 * MIB);
	fill(fd, 2 * MIB, MIB);
	fill(fd, 6 * MIB, MIB);
	for (int synced = 0; synced < 2; synced++) {
		ck_assert_uint_eq(probe_holes(fd, 0, 8 * MIB), 6 * MIB);
		ck_assert_uint_eq(probe_holes(fd, 2 * MIB, MIB), 0);
		ck_assert_uint_eq(probe_holes(fd, 2 * MIB, 2 * MIB), MIB);
		ck_assert_uint_eq(probe_holes(fd, MIB, 2 * MIB), MIB);
		ck_assert_uint_eq(probe_holes(fd, 3 * MIB, 3 * MIB), 3 * MIB);
		ck_assert_int_eq(fsync(fd), 0);
	}
	close(fd);
}
END_TEST

START_TEST(unwritten)
{
	int fd = new_file();

	if (fallocate(fd, 0, 0, (off_t)(4 * MIB))) {
		disk_skip("no fallocate here");
		close(fd);
		return;
	}
	ck_assert_uint_eq(probe_holes(fd, 0, 4 * MIB), 4 * MIB);
	fill(fd, 0, MIB);
	/* Whether the extent knows of it yet or not. */
	ck_assert_uint_eq(probe_holes(fd, 0, 4 * MIB), 3 * MIB);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_uint_eq(probe_holes(fd, 0, 4 * MIB), 3 * MIB);
	close(fd);
}
END_TEST

/* More extents than one call tells of. */
START_TEST(many_extents)
{
	int fd = new_file();

	ck_assert_int_eq(ftruncate(fd, 1000 * 65536), 0);
	for (uint64_t i = 0; i < 1000; i++)
		fill(fd, i * 65536, 16384);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_uint_eq(probe_holes(fd, 0, 1000 * 65536), 1000 * (65536 - 16384));
	close(fd);
}
END_TEST

START_TEST(cache)
{
	struct probe_cache seen;
	int fd = new_file();

	fill(fd, 0, 4 * MIB);
	if (!probe_cache(fd, 0, 4 * MIB, &seen)) {
		disk_skip("the page cache cannot be seen here");
		close(fd);
		return;
	}
	ck_assert_uint_eq(seen.resident, 4 * MIB);
	ck_assert_uint_le(seen.dirty, 4 * MIB);
	ck_assert(probe_cache(fd, MIB, MIB, &seen));
	ck_assert_uint_eq(seen.resident, MIB);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert(probe_cache(fd, 0, 4 * MIB, &seen));
	ck_assert_uint_eq(seen.dirty, 0);
	ck_assert_int_eq(posix_fadvise(fd, 0, 2 * MIB, POSIX_FADV_DONTNEED), 0);
	ck_assert(probe_cache(fd, 0, 4 * MIB, &seen));
	ck_assert_uint_le(seen.resident, 4 * MIB);
	ck_assert(probe_cache(fd, 0, 0, &seen));
	ck_assert_uint_eq(seen.resident, 0);
	close(fd);
}
END_TEST

/* From here on this process has the system calls of a kernel before 6.5. */
static bool refuse_cachestat(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 451, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
			&& !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What mincore(2) tells instead: no dirty pages, the others to the page. */
START_TEST(old_kernel)
{
	struct probe_cache seen;
	int fd = new_file();

	fill(fd, 0, 4 * MIB);
	ck_assert_int_eq(ftruncate(fd, 300 * MIB + 100), 0); /* two looks, and part of a page */
	if (!refuse_cachestat()) {
		disk_skip("no seccomp here");
		close(fd);
		return;
	}
	ck_assert(probe_cache(fd, 0, 300 * MIB + 100, &seen));
	ck_assert_uint_eq(seen.resident, 4 * MIB);
	ck_assert_uint_eq(seen.dirty, 0);
	ck_assert(probe_cache(fd, 3 * MIB, 2 * MIB, &seen));
	ck_assert_uint_eq(seen.resident, MIB);
	ck_assert(!probe_cache(-1, 0, MIB, &seen));
	close(fd);
}
END_TEST

/* ---- control groups ------------------------------------------------------------------------ */

static void put(const char *name, const char *text)
{
	FILE *file = fopen(disk_path(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* Hierarchies in the scratch directory: v2 and one for each controller, and we are in a/b. */
static void make_groups(struct probe_groups *groups)
{
	static const char *const names[PROBE_GROUPS] = { "v2", "cpu", "blkio", "memory" };

	memset(groups, 0, sizeof(*groups));
	for (int i = 0; i < PROBE_GROUPS; i++) {
		static const char *const below[] = { "", "/a", "/a/b" };

		for (int k = 0; k < 3; k++) {
			char path[64];

			snprintf(path, sizeof(path), "%s%s", names[i], below[k]);
			ck_assert_int_eq(mkdir(disk_path(path), 0700), 0);
		}
		snprintf(groups->place[i].mount, PATH_MAX, "%s", disk_path(names[i]));
		strcpy(groups->place[i].path, "/a/b");
	}
}

START_TEST(counters)
{
	struct probe_groups groups;
	struct probe before, after;

	make_groups(&groups);
	probe_take(&before, &groups);
	ck_assert_uint_eq(before.cpu_throttled_ns, 0);
	ck_assert_uint_eq(before.memory_hits, 0);
	put("v2/a/b/cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 7\n");
	put("v2/a/cpu.stat", "throttled_usec 2\n");
	put("cpu/a/cpu.stat", "nr_throttled 3\nthrottled_time 500\n");
	put("v2/memory.events.local", "low 1\nhigh 10\nmax 20\noom 40\n");
	put("v2/a/memory.events", "high 1000\nmax 2000\n"); /* those of a neighbour, say */
	put("memory/a/b/memory.failcnt", "100\n");
	probe_take(&after, &groups);
	ck_assert_uint_eq(after.cpu_throttled_ns, 9500);
	ck_assert_uint_eq(after.memory_hits, 130);
	ck_assert_uint_gt(after.now_ns, before.now_ns);
	ck_assert_uint_ge(after.cpu_ns, before.cpu_ns);
	ck_assert_uint_gt(after.cpu_ns, after.user_ns);
	ck_assert_uint_ge(after.user_ns, before.user_ns);
	ck_assert_uint_ge(after.own_user_ns, before.own_user_ns);
}
END_TEST

/* Which limit is named, and how much of it was reached; 0: none. */
static const struct {
	const char *file; /* "GROUP/NAME" */
	const char *text;
	struct probe_rates rates;
	double share;
	const char *name;
} limits[] = {
	{ "v2/a/b/io.max", "8:16 rbps=1000 wbps=max riops=max wiops=max\n",
		{ .read_bytes = 900 }, 0.9, "sdb rbps 1000" },
	{ "v2/a/io.max", "8:0 rbps=9\n8:16 rbps=max wbps=max riops=max wiops=50\n",
		{ .read_bytes = 900, .write_ios = 25 }, 0.5, "sdb wiops 50" },
	{ "v2/io.max", "8:16 rbps=100 wbps=max riops=10 wiops=max\n",
		{ .read_bytes = 50, .read_ios = 9 }, 0.9, "sdb riops 10" },
	{ "v2/a/b/io.max", "8:0 rbps=1000 wbps=max\n", { .read_bytes = 900 }, 0, NULL },
	{ "v2/a/b/io.max", "8:16 rbps=1000\n", { .read_bytes = 1300 }, 0, NULL },
	{ "v2/a/b/io.max", "8:16 rbps=1000\n", { .read_bytes = 1200 }, 1.2, "sdb rbps 1000" },
	{ "v2/a/b/io.max", "8:16 rbps=1000\n", { .write_bytes = 900 }, 0, NULL },
	{ "v2/a/b/io.max", "", { .read_bytes = 900 }, 0, NULL },
	{ "blkio/a/b/blkio.throttle.read_bps_device", "8:0 10\n8:16 1000\n",
		{ .read_bytes = 900 }, 0.9, "sdb rbps 1000" },
	{ "blkio/a/blkio.throttle.write_bps_device", "8:16 1000\n",
		{ .write_bytes = 800 }, 0.8, "sdb wbps 1000" },
	{ "blkio/blkio.throttle.write_iops_device", "8:16 100\n",
		{ .write_ios = 100 }, 1, "sdb wiops 100" },
	{ "blkio/a/b/blkio.throttle.read_iops_device", "8:16 100\n",
		{ .read_bytes = 100 }, 0, NULL },
};

START_TEST(limit)
{
	const struct disk disk = { .name = "sdb", .dev = makedev(8, 16) };
	struct probe_groups groups;
	char name[64] = "";
	double share;

	make_groups(&groups);
	put(limits[_i].file, limits[_i].text);
	share = probe_io_limit(&groups, &disk, &limits[_i].rates, name, sizeof(name));
	ck_assert_double_eq_tol(share, limits[_i].share, 1e-9);
	ck_assert_str_eq(name, limits[_i].name ? limits[_i].name : "");
}
END_TEST

START_TEST(no_groups)
{
	const struct disk disk = { .name = "sdb", .dev = makedev(8, 16) };
	const struct probe_rates rates = { 1, 1, 1, 1 };
	struct probe_groups groups;
	struct probe probe;
	char name[64];

	memset(&groups, 0, sizeof(groups));
	ck_assert_double_eq(probe_io_limit(&groups, &disk, &rates, name, sizeof(name)), 0);
	probe_take(&probe, &groups);
	ck_assert_uint_eq(probe.cpu_throttled_ns + probe.memory_hits, 0);
	probe_find_groups(&groups); /* whatever this machine has */
	for (int i = 0; i < PROBE_GROUPS; i++) {
		const struct machine_group *place = &groups.place[i];

		ck_assert(!place->mount[0] || place->mount[0] == '/');
		ck_assert(!place->path[0] || place->path[0] == '/');
	}
}
END_TEST

/* ---- this process -------------------------------------------------------------------------- */

START_TEST(tasks)
{
	uint64_t before = probe_cpu_wait();
	char name[64];

	/* A process without kernel threads for its I/O. */
	ck_assert_double_eq(probe_punted(getpid()), 0);
	ck_assert_double_eq(probe_punted(0x7fffffff), 0);
	ck_assert_uint_ge(probe_cpu_wait(), before);
	ck_assert(probe_governor(name, sizeof(name)) == (name[0] != '\0'));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe");
	TCase *tc = tcase_create("probe");

	disk_fixtures(tc);
	tcase_add_test(tc, holes);
	tcase_add_test(tc, unwritten);
	tcase_add_test(tc, many_extents);
	tcase_add_test(tc, cache);
	tcase_add_test(tc, old_kernel);
	tcase_add_test(tc, counters);
	tcase_add_loop_test(tc, limit, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tc, no_groups);
	tcase_add_test(tc, tasks);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
