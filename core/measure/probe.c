// SPDX-License-Identifier: MIT
#include "probe.h"

#include <dirent.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "clock.h"

/* ---- control groups ------------------------------------------------------------------------ */

static const char *const controllers[PROBE_GROUPS] = {
	[PROBE_V2] = "",
	[PROBE_CPU] = "cpu",
	[PROBE_BLKIO] = "blkio",
	[PROBE_MEMORY] = "memory",
};

void probe_find_groups(struct probe_groups *groups)
{
	struct machine_mounts mounts = { 0 };
	bool known = !machine_mounts_read(&mounts);

	for (int i = 0; i < PROBE_GROUPS; i++) {
		struct machine_group *place = &groups->place[i];

		if (!known || !machine_group("", &mounts, controllers[i], place))
			place->mount[0] = place->path[0] = '\0';
	}
	machine_mounts_free(&mounts);
}

/* The number behind a word that begins a line of a cgroup's file, or of a file that is a number. */
static uint64_t group_number(const char *path, const char *word)
{
	size_t n = strlen(word);
	FILE *file = fopen(path, "re");
	char line[256];
	uint64_t value = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!n || (!strncmp(line, word, n) && line[n] == ' ')) {
			value = strtoull(line + n, NULL, 10);
			break;
		}
	}
	fclose(file);
	return value;
}

/* Our group's number, and that of every group above, added. */
static uint64_t group_sum(const struct machine_group *place, const char *name, const char *word)
{
	char path[PATH_MAX], file[2 * PATH_MAX + 64];
	uint64_t sum = 0;
	char *slash;

	if (!place->mount[0])
		return 0;
	strcpy(path, place->path);
	for (;;) {
		snprintf(file, sizeof(file), "%s%s/%s", place->mount, path, name);
		sum += group_number(file, word);
		slash = strrchr(path, '/');
		if (!slash)
			return sum;
		*slash = '\0';
	}
}

/* A limit, the rate that it limits, and the share so far. */
struct limit_search {
	const struct probe_rates *rates;
	const char *disk;
	double share;
	char *name;
	size_t size;
};

static void try_limit(struct limit_search *s, const char *what, double rate, const char *value)
{
	/*
	 * More than a limit lets through has come by another way (buffered writes of version 1,
	 * other programs): then this is not what held it back.
	 */
	const double overrun = 1.25;
	double limit = strtod(value, NULL); /* "max" is 0 */

	if (limit <= 0 || rate > limit * overrun || rate / limit <= s->share)
		return;
	s->share = rate / limit;
	snprintf(s->name, s->size, "%s %s %.0f", s->disk, what, limit);
}

/* "254:0 rbps=1048576 wbps=max ..." or, of version 1, "254:0 1048576" */
static void try_line(struct limit_search *s, const char *v1, const char *text)
{
	const struct {
		const char *v2;
		const char *v1;
		double rate;
	} rows[] = {
		{ "rbps", "blkio.throttle.read_bps_device", s->rates->read_bytes },
		{ "wbps", "blkio.throttle.write_bps_device", s->rates->write_bytes },
		{ "riops", "blkio.throttle.read_iops_device", s->rates->read_ios },
		{ "wiops", "blkio.throttle.write_iops_device", s->rates->write_ios },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = strstr(text, rows[i].v2);

		if (v1 && !strcmp(v1, rows[i].v1))
			try_limit(s, rows[i].v2, rows[i].rate, text);
		else if (!v1 && at && at[-1] == ' ' && at[strlen(rows[i].v2)] == '=')
			try_limit(s, rows[i].v2, rows[i].rate, at + strlen(rows[i].v2) + 1);
	}
}

static void try_group(struct limit_search *s, const char *dir, const char *name, bool v1, dev_t dev)
{
	char file[2 * PATH_MAX + 64], line[256];
	unsigned major_no, minor_no;
	FILE *from;
	int used;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	from = fopen(file, "re");
	while (from && fgets(line, sizeof(line), from)) {
		if (sscanf(line, "%u:%u%n", &major_no, &minor_no, &used) == 2
				&& makedev(major_no, minor_no) == dev)
			try_line(s, v1 ? name : NULL, line + used);
	}
	if (from)
		fclose(from);
}

double probe_io_limit(const struct probe_groups *groups, const struct disk *disk,
		const struct probe_rates *rates, char *name, size_t size)
{
	static const struct {
		enum probe_group group;
		const char *name;
	} files[] = {
		{ PROBE_V2, "io.max" },
		{ PROBE_BLKIO, "blkio.throttle.read_bps_device" },
		{ PROBE_BLKIO, "blkio.throttle.write_bps_device" },
		{ PROBE_BLKIO, "blkio.throttle.read_iops_device" },
		{ PROBE_BLKIO, "blkio.throttle.write_iops_device" },
	};
	struct limit_search search = {
		.rates = rates, .disk = disk->name, .name = name, .size = size,
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct machine_group *place = &groups->place[files[i].group];
		char dir[2 * PATH_MAX], *end;

		if (!place->mount[0])
			continue;
		snprintf(dir, sizeof(dir), "%s%s", place->mount, place->path);
		for (;;) {
			try_group(&search, dir, files[i].name, files[i].group != PROBE_V2,
					disk->dev);
			if (strlen(dir) <= strlen(place->mount))
				break;
			end = strrchr(dir, '/');
			*end = '\0';
		}
	}
	return search.share;
}

/* ---- counters ------------------------------------------------------------------------------ */

/* "cpu user nice system idle iowait irq softirq steal guest ..." in ticks; guest is in user. */
static void take_cpu(struct probe *p)
{
	enum { USER, NICE, STEAL = 7, FIELDS };
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK), field[FIELDS] = { 0 };
	char line[512], *at = line + 3, *end;

	if (!machine_line(line, sizeof(line), "/proc/stat") || strncmp(line, "cpu ", 4) != 0)
		return;
	for (int i = 0; i < FIELDS; i++, at = end) {
		field[i] = strtoull(at, &end, 10) * tick_ns;
		p->cpu_ns += field[i];
	}
	p->user_ns = field[USER] + field[NICE];
	p->steal_ns = field[STEAL];
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static void take_own(struct probe *p)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	p->own_user_ns = timeval_ns(own.ru_utime) + timeval_ns(children.ru_utime);
	p->own_read = (uint64_t)children.ru_inblock * 512;
	p->own_written = (uint64_t)children.ru_oublock * 512;
}

static void take_pressure(struct probe *p)
{
	char line[256];
	const char *total;

	if (machine_line(line, sizeof(line), "/proc/pressure/memory")) {
		total = strstr(line, "total=");
		p->memory_stall_ns = total ? strtoull(total + 6, NULL, 10) * 1000 : 0;
	}
	if (machine_line(line, sizeof(line), "/proc/loadavg"))
		p->load_average = strtod(line, NULL);
}

static void take_groups(struct probe *p, const struct probe_groups *groups)
{
	const struct machine_group *place = groups->place;

	p->cpu_throttled_ns = group_sum(&place[PROBE_V2], "cpu.stat", "throttled_usec") * 1000
			+ group_sum(&place[PROBE_CPU], "cpu.stat", "throttled_time");
	/* Not memory.events, where a group also counts what those below it met: ours and others. */
	p->memory_hits = group_sum(&place[PROBE_V2], "memory.events.local", "max")
			+ group_sum(&place[PROBE_V2], "memory.events.local", "high")
			+ group_sum(&place[PROBE_MEMORY], "memory.failcnt", "");
}

#define CPU "/sys/devices/system/cpu/cpu%d/"

static void take_frequency(struct probe *p)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0, seen = 0;
	char line[64];

	for (int i = 0; i < n; i++) {
		if (machine_line(line, sizeof(line), CPU "cpufreq/scaling_cur_freq", i)) {
			sum += strtoull(line, NULL, 10);
			seen++;
		}
		if (machine_line(line, sizeof(line), CPU "thermal_throttle/core_throttle_count", i))
			p->heat += strtoull(line, NULL, 10);
	}
	p->khz = seen ? sum / seen : 0;
}

void probe_take(struct probe *probe, const struct probe_groups *groups)
{
	*probe = (struct probe){ .now_ns = clock_ns() };
	take_cpu(probe);
	take_own(probe);
	take_pressure(probe);
	take_groups(probe, groups);
	take_frequency(probe);
}

bool probe_counts_reads(void)
{
	return access("/proc/self/io", F_OK) == 0; /* there with CONFIG_TASK_IO_ACCOUNTING only */
}

bool probe_governor(char *name, size_t size)
{
	name[0] = '\0';
	return machine_line(name, size, CPU "cpufreq/scaling_governor", 0);
}

/* ---- tasks --------------------------------------------------------------------------------- */

uint64_t probe_cpu_wait(void)
{
	char line[128], *waited;

	/* "ON-CPU WAITED SLICES"; every worker reads it, so without the weight of stdio. */
	if (!machine_read(line, sizeof(line), "/proc/thread-self/schedstat"))
		return 0;
	waited = strchr(line, ' ');
	return waited ? strtoull(waited, NULL, 10) : 0;
}

double probe_punted(pid_t pid)
{
	double all = 0, punted = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		char name[64], line[128];
		double ns;

		if (entry->d_name[0] == '.'
				|| !machine_line(name, sizeof(name), "%s/%s/comm", path,
						entry->d_name)
				|| !machine_line(line, sizeof(line), "%s/%s/schedstat", path,
						entry->d_name))
			continue;
		ns = strtod(line, NULL);
		all += ns;
		punted += strncmp(name, "iou-wrk-", 8) == 0 ? ns : 0;
	}
	if (dir)
		closedir(dir);
	return all > 0 ? punted / all : 0;
}

/* ---- files --------------------------------------------------------------------------------- */

enum { SYS_CACHESTAT = 451 }; /* Linux 6.5; the same number everywhere but on alpha */

struct cache_range {
	uint64_t offset;
	uint64_t length;
};

struct cache_stat { /* pages */
	uint64_t cache;
	uint64_t dirty;
	uint64_t writeback;
	uint64_t evicted;
	uint64_t recently_evicted;
};

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Older kernels: pages that a mapping would find. They tell the truth to who may write the file. */
static bool ask_mincore(int fd, uint64_t offset, uint64_t length, struct probe_cache *cache)
{
	enum { WINDOW = 1 << 28 };
	const uint64_t most = UINT64_C(1) << 36; /* looking at each page of more takes too long */
	uint64_t page = page_bytes(), end = offset + length;
	unsigned char *pages;
	bool known = length <= most;

	pages = malloc(WINDOW / page);
	if (!pages)
		return false;
	for (offset -= offset % page; known && offset < end; offset += WINDOW) {
		size_t bytes = end - offset < WINDOW ? end - offset : WINDOW;
		void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);

		known = map != MAP_FAILED && mincore(map, bytes, pages) == 0;
		for (size_t i = 0; known && i < (bytes + page - 1) / page; i++)
			cache->resident += pages[i] & 1 ? page : 0;
		if (map != MAP_FAILED)
			munmap(map, bytes);
	}
	free(pages);
	return known;
}

bool probe_cache(int fd, uint64_t offset, uint64_t length, struct probe_cache *cache)
{
	struct cache_range range = { offset, length };
	struct cache_stat stat = { 0 };

	*cache = (struct probe_cache){ 0 };
	if (!length)
		return true;
	if (syscall(SYS_CACHESTAT, fd, &range, &stat, 0))
		return ask_mincore(fd, offset, length, cache);
	cache->resident = stat.cache * page_bytes();
	cache->dirty = (stat.dirty + stat.writeback) * page_bytes();
	return true;
}

/* Holes as lseek(2) finds them, where the filesystem has no FIEMAP. */
static uint64_t seek_holes(int fd, uint64_t offset, uint64_t end)
{
	uint64_t holes = 0;

	while (offset < end) {
		off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
		uint64_t next = data < 0 || (uint64_t)data > end ? end : (uint64_t)data;
		off_t hole;

		holes += next - offset;
		if (next == end)
			break;
		hole = lseek(fd, (off_t)next, SEEK_HOLE);
		if (hole <= (off_t)next)
			break;
		offset = (uint64_t)hole;
	}
	return holes;
}

enum { EXTENTS = 256, BATCHES = 1024 };

/* A fresh page over an unwritten extent is data that the extent does not know of yet. */
static uint64_t extent_written(int fd, const struct fiemap_extent *x, uint64_t from, uint64_t to)
{
	struct probe_cache cache;

	if (!(x->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
		return to - from;
	if (!probe_cache(fd, from, to - from, &cache))
		return 0;
	return cache.dirty < to - from ? cache.dirty : to - from;
}

/* Adds what is written of [offset, end) to *written; false where that cannot be known. */
static bool map_written(int fd, uint64_t offset, uint64_t end, uint64_t *written)
{
	const size_t bytes = sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent);
	struct fiemap *map = malloc(bytes);
	bool last = false;

	for (int i = 0; map && !last; i++) {
		memset(map, 0, bytes);
		map->fm_start = offset;
		map->fm_length = end - offset;
		map->fm_extent_count = EXTENTS;
		if (i == BATCHES || ioctl(fd, FS_IOC_FIEMAP, map))
			break;
		last = map->fm_mapped_extents == 0;
		for (unsigned j = 0; j < map->fm_mapped_extents; j++) {
			const struct fiemap_extent *x = &map->fm_extents[j];
			uint64_t from = x->fe_logical > offset ? x->fe_logical : offset;
			uint64_t to = x->fe_logical + x->fe_length;

			to = to < end ? to : end;
			if (to > from)
				*written += extent_written(fd, x, from, to);
			offset = to > offset ? to : offset;
			last = x->fe_flags & FIEMAP_EXTENT_LAST || offset == end;
		}
	}
	free(map);
	return last;
}

uint64_t probe_holes(int fd, uint64_t offset, uint64_t length)
{
	uint64_t written = 0;

	if (!length)
		return 0;
	if (!map_written(fd, offset, offset + length, &written))
		return seek_holes(fd, offset, offset + length);
	return written < length ? length - written : 0;
}
