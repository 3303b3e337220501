// SPDX-License-Identifier: MIT
#include "environ.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "machine.h"

enum {
	TEXT = 16384,  /* of a file that is looked at; of /proc/cpuinfo the first CPU is enough */
	VALUE = 4096,
	KEY = 512,
	DEPTH = 16,    /* devices on top of each other */
};

/* ---- the tables ---------------------------------------------------------------------------- */

/*
 * One fact: a key, the file it stands in, and how the value is got out of the file's text. A `*`
 * in the path stands for several files: where the key has one too, each is a fact of its own,
 * else their different values are one. Of several rows with one key the first that exists counts.
 * Rows of one file stand together: it is read once for all of them.
 */
struct row {
	const char *key;
	const char *path;
	bool (*get)(const struct row *row, char *text, char *value);
	enum environ_rule rule;
	const char *word; /* what get looks for in the text */
};

static bool get_line(const struct row *row, char *text, char *value);
static bool get_lines(const struct row *row, char *text, char *value);
static bool get_chosen(const struct row *row, char *text, char *value);
static bool get_named(const struct row *row, char *text, char *value);
static bool get_kilobytes(const struct row *row, char *text, char *value);
static bool get_flag(const struct row *row, char *text, char *value);
static bool get_on(const struct row *row, char *text, char *value);
static bool get_off(const struct row *row, char *text, char *value);
static bool get_sectors(const struct row *row, char *text, char *value);
static bool get_load(const struct row *row, char *text, char *value);
static bool get_kind(const struct row *row, char *text, char *value);
static bool get_masked(const struct row *row, char *text, char *value);
static bool get_groups(const struct row *row, char *text, char *value);

#define CPU "/sys/devices/system/cpu/"
#define POLICY CPU "cpufreq/policy*/"
#define KERNEL "/proc/sys/kernel/"
#define VM "/proc/sys/vm/"

static const struct row machine_rows[] = {
	{ "boot_id", KERNEL "random/boot_id", get_line, ENVIRON_IGNORED, NULL },
	{ "kernel.release", KERNEL "osrelease", get_line, 0, NULL },
	{ "kernel.version", KERNEL "version", get_line, 0, NULL },
	{ "kernel.cmdline", "/proc/cmdline", get_masked, 0, NULL },
	{ "kernel.tainted", KERNEL "tainted", get_line, 0, NULL },
	{ "distribution", "/etc/os-release", get_named, 0, "PRETTY_NAME" },
	{ "host.vendor", "/sys/class/dmi/id/sys_vendor", get_line, 0, NULL },
	{ "host.model", "/sys/class/dmi/id/product_name", get_line, 0, NULL },
	{ "host.model", "/proc/device-tree/model", get_line, 0, NULL },
	{ "host.bios", "/sys/class/dmi/id/bios_version", get_line, 0, NULL },
	{ "host.container", "/run/systemd/container", get_line, 0, NULL },
	{ "host.hypervisor", "/sys/hypervisor/type", get_line, 0, NULL },
	{ "host.hypervisor", "/proc/device-tree/hypervisor/compatible", get_line, 0, NULL },
	{ "host.hypervisor", "/proc/cpuinfo", get_flag, 0, "hypervisor" },
	{ "cpu.model", "/proc/cpuinfo", get_named, 0, "model name" },
	{ "cpu.microcode", "/proc/cpuinfo", get_named, 0, "microcode" },
	{ "cpu.online", CPU "online", get_line, 0, NULL },
	{ "cpu.isolated", CPU "isolated", get_line, 0, NULL },
	{ "cpu.allowed", "/proc/self/status", get_named, 0, "Cpus_allowed_list" },
	{ "cpu.nodes", "/sys/devices/system/node/online", get_line, 0, NULL },
	{ "cpu.smt", CPU "smt/control", get_line, 0, NULL },
	{ "cpu.driver", POLICY "scaling_driver", get_line, 0, NULL },
	{ "cpu.governor", POLICY "scaling_governor", get_line, 0, NULL },
	{ "cpu.preference", POLICY "energy_performance_preference", get_line, 0, NULL },
	{ "cpu.min_khz", POLICY "scaling_min_freq", get_line, 0, NULL },
	{ "cpu.max_khz", POLICY "scaling_max_freq", get_line, 0, NULL },
	{ "cpu.now_khz", POLICY "scaling_cur_freq", get_line, ENVIRON_MOVES, NULL },
	{ "cpu.boost", CPU "cpufreq/boost", get_on, 0, NULL },
	{ "cpu.boost", CPU "intel_pstate/no_turbo", get_off, 0, NULL },
	{ "cpu.idle_driver", CPU "cpuidle/current_driver", get_line, 0, NULL },
	{ "cpu.idle_governor", CPU "cpuidle/current_governor", get_line, 0, NULL },
	{ "cpu.mitigations.*", CPU "vulnerabilities/*", get_line, 0, NULL },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		get_line, 0, NULL },

	{ "memory.total", "/proc/meminfo", get_kilobytes, ENVIRON_NEARLY, "MemTotal" },
	{ "memory.available", "/proc/meminfo", get_kilobytes, ENVIRON_MOVES, "MemAvailable" },
	{ "memory.dirty", "/proc/meminfo", get_kilobytes, ENVIRON_MOVES, "Dirty" },
	{ "memory.swap", "/proc/meminfo", get_kilobytes, 0, "SwapTotal" },
	{ "memory.hugepages", "/proc/meminfo", get_named, 0, "HugePages_Total" },
	{ "memory.thp", "/sys/kernel/mm/transparent_hugepage/enabled", get_chosen, 0, NULL },
	{ "vm.dirty_ratio", VM "dirty_ratio", get_line, 0, NULL },
	{ "vm.dirty_bytes", VM "dirty_bytes", get_line, 0, NULL },
	{ "vm.dirty_background_ratio", VM "dirty_background_ratio", get_line, 0, NULL },
	{ "vm.dirty_background_bytes", VM "dirty_background_bytes", get_line, 0, NULL },
	{ "vm.dirty_expire_centisecs", VM "dirty_expire_centisecs", get_line, 0, NULL },
	{ "vm.dirty_writeback_centisecs", VM "dirty_writeback_centisecs", get_line, 0, NULL },
	{ "vm.swappiness", VM "swappiness", get_line, 0, NULL },
	{ "vm.vfs_cache_pressure", VM "vfs_cache_pressure", get_line, 0, NULL },
	{ "vm.overcommit_memory", VM "overcommit_memory", get_line, 0, NULL },
	{ "vm.zone_reclaim_mode", VM "zone_reclaim_mode", get_line, 0, NULL },
	{ "fs.aio-max-nr", "/proc/sys/fs/aio-max-nr", get_line, 0, NULL },
	{ "io_uring_disabled", KERNEL "io_uring_disabled", get_line, 0, NULL },
	{ "cgroup.path", "/proc/self/cgroup", get_groups, ENVIRON_IGNORED, NULL },

	{ "load", "/proc/loadavg", get_load, ENVIRON_MOVES, NULL },
	{ "psi.cpu", "/proc/pressure/cpu", get_lines, ENVIRON_MOVES, NULL },
	{ "psi.io", "/proc/pressure/io", get_lines, ENVIRON_MOVES, NULL },
	{ "psi.memory", "/proc/pressure/memory", get_lines, ENVIRON_MOVES, NULL },
	{ NULL, NULL, NULL, 0, NULL },
};

/*
 * Of our control groups: word is the controller of a v1 hierarchy, "" the v2 one. Rows of one stand
 * together: the group is looked up once for all of them.
 */
static const struct row cgroup_rows[] = {
	{ "cgroup.cpu.max", "cpu.max", get_lines, 0, "" },
	{ "cgroup.cpu.weight", "cpu.weight", get_lines, 0, "" },
	{ "cgroup.cpuset", "cpuset.cpus.effective", get_lines, 0, "" },
	{ "cgroup.io.max", "io.max", get_lines, 0, "" },
	{ "cgroup.io.latency", "io.latency", get_lines, 0, "" },
	{ "cgroup.io.weight", "io.weight", get_lines, 0, "" },
	{ "cgroup.io.bfq.weight", "io.bfq.weight", get_lines, 0, "" },
	{ "cgroup.memory.high", "memory.high", get_lines, 0, "" },
	{ "cgroup.memory.max", "memory.max", get_lines, 0, "" },
	{ "cgroup.memory.swap.max", "memory.swap.max", get_lines, 0, "" },
	{ "cgroup.blkio.throttle.read_bps_device", "blkio.throttle.read_bps_device", get_lines, 0,
		"blkio" },
	{ "cgroup.blkio.throttle.read_iops_device", "blkio.throttle.read_iops_device", get_lines, 0,
		"blkio" },
	{ "cgroup.blkio.throttle.write_bps_device", "blkio.throttle.write_bps_device", get_lines, 0,
		"blkio" },
	{ "cgroup.blkio.throttle.write_iops_device", "blkio.throttle.write_iops_device", get_lines,
		0, "blkio" },
	{ "cgroup.blkio.weight", "blkio.weight", get_lines, 0, "blkio" },
	{ "cgroup.blkio.bfq.weight", "blkio.bfq.weight", get_lines, 0, "blkio" },
	{ "cgroup.cpu.shares", "cpu.shares", get_lines, 0, "cpu" },
	{ "cgroup.cpu.cfs_period_us", "cpu.cfs_period_us", get_lines, 0, "cpu" },
	{ "cgroup.cpu.cfs_quota_us", "cpu.cfs_quota_us", get_lines, 0, "cpu" },
	{ "cgroup.cpuset", "cpuset.effective_cpus", get_lines, 0, "cpuset" },
	{ "cgroup.memory.limit_in_bytes", "memory.limit_in_bytes", get_lines, 0, "memory" },
	{ NULL, NULL, NULL, 0, NULL },
};

/* Of a block device, "disk.NAME." before the key, its directory in sysfs before the path. */
static const struct row disk_rows[] = {
	{ "model", "device/model", get_line, 0, NULL },
	{ "model", "device/name", get_line, 0, NULL },
	{ "vendor", "device/vendor", get_line, 0, NULL },
	{ "firmware", "device/firmware_rev", get_line, 0, NULL },
	{ "firmware", "device/rev", get_line, 0, NULL },
	{ "transport", "device/transport", get_line, 0, NULL },
	{ "numa_node", "device/numa_node", get_line, 0, NULL },
	{ "queue_depth", "device/queue_depth", get_line, 0, NULL },
	{ "queue_count", "device/queue_count", get_line, 0, NULL },
	{ "size", "size", get_sectors, 0, NULL },
	{ "start", "start", get_sectors, 0, NULL },
	{ "partition", "partition", get_line, 0, NULL },
	{ "alignment_offset", "alignment_offset", get_line, 0, NULL },
	{ "readonly", "ro", get_line, 0, NULL },
	{ "rotational", "queue/rotational", get_line, 0, NULL },
	{ "scheduler", "queue/scheduler", get_chosen, 0, NULL },
	{ "nr_requests", "queue/nr_requests", get_line, 0, NULL },
	{ "read_ahead_kb", "queue/read_ahead_kb", get_line, 0, NULL },
	{ "logical_block_size", "queue/logical_block_size", get_line, 0, NULL },
	{ "physical_block_size", "queue/physical_block_size", get_line, 0, NULL },
	{ "minimum_io_size", "queue/minimum_io_size", get_line, 0, NULL },
	{ "optimal_io_size", "queue/optimal_io_size", get_line, 0, NULL },
	{ "max_sectors_kb", "queue/max_sectors_kb", get_line, 0, NULL },
	{ "write_cache", "queue/write_cache", get_line, 0, NULL },
	{ "fua", "queue/fua", get_line, 0, NULL },
	{ "wbt_lat_usec", "queue/wbt_lat_usec", get_line, 0, NULL },
	{ "discard_max_bytes", "queue/discard_max_bytes", get_line, 0, NULL },
	{ "discard_granularity", "queue/discard_granularity", get_line, 0, NULL },
	{ "nomerges", "queue/nomerges", get_line, 0, NULL },
	{ "rq_affinity", "queue/rq_affinity", get_line, 0, NULL },
	{ "iostats", "queue/iostats", get_line, 0, NULL },
	{ "io_poll", "queue/io_poll", get_line, 0, NULL },
	{ "zoned", "queue/zoned", get_line, 0, NULL },
	{ "iosched_*", "queue/iosched/*", get_line, 0, NULL },
	{ "dm_name", "dm/name", get_line, 0, NULL },
	{ "dm_kind", "dm/uuid", get_kind, 0, NULL },
	{ "md_level", "md/level", get_line, 0, NULL },
	{ "md_disks", "md/raid_disks", get_line, 0, NULL },
	{ "md_chunk_size", "md/chunk_size", get_line, 0, NULL },
	{ "md_degraded", "md/degraded", get_line, 0, NULL },
	{ "md_sync_action", "md/sync_action", get_line, 0, NULL },
	{ "md_stripe_cache_size", "md/stripe_cache_size", get_line, 0, NULL },
	{ "backing_file", "loop/backing_file", get_line, 0, NULL },
	{ "loop_dio", "loop/dio", get_line, 0, NULL },
	{ "loop_offset", "loop/offset", get_line, 0, NULL },
	{ NULL, NULL, NULL, 0, NULL },
};

/* Those that are computed and yet are not to be compared as they are. */
static const struct {
	const char *kind; /* how the key begins */
	const char *word; /* its last word */
	enum environ_rule rule;
} computed[] = {
	{ "fs.", "size", ENVIRON_NEARLY }, /* of zfs it follows what is free */
	{ "fs.", "used_percent", ENVIRON_NEARLY },
};

/* "cpu.mitigations.*" for one of them; at most one star, at the end. */
static bool key_matches(const char *pattern, const char *key)
{
	size_t n = strcspn(pattern, "*");

	return pattern[n] ? strncmp(pattern, key, n) == 0 : strcmp(pattern, key) == 0;
}

enum environ_rule environ_rule(const char *key)
{
	const char *last = strrchr(key, '.');
	const struct row *row;

	for (row = machine_rows; row->key; row++)
		if (key_matches(row->key, key))
			return row->rule;
	for (size_t i = 0; last && i < sizeof(computed) / sizeof(computed[0]); i++)
		if (strncmp(key, computed[i].kind, strlen(computed[i].kind)) == 0 &&
				strcmp(last + 1, computed[i].word) == 0)
			return computed[i].rule;
	return ENVIRON_PLAIN;
}

/* ---- secrets ------------------------------------------------------------------------------- */

/* Does a name speak of something secret? */
static bool secret_name(const char *name, size_t n)
{
	static const char *const words[] = {
		"pass", "pwd", "psk", "secret", "token", "cred", "auth", "key",
	};
	static const char *const harmless[] = { "keymap", "keyboard", "keytable" };
	char *copy = strndup(name, n);
	bool found = !copy; /* rather too much than too little */

	for (size_t i = 0; copy && i < sizeof(words) / sizeof(words[0]); i++)
		found |= strcasestr(copy, words[i]) != NULL;
	for (size_t i = 0; copy && i < sizeof(harmless) / sizeof(harmless[0]); i++)
		found &= strcasestr(copy, harmless[i]) == NULL;
	free(copy);
	return found;
}

/* Puts an asterisk in the place of [from, to); returns where the text goes on. */
static char *cover(char *from, char *to)
{
	if (from == to)
		return to;
	*from++ = '*';
	memmove(from, to, strlen(to) + 1);
	return from;
}

/* A word ends at a blank or comma that is not in double quotes. */
static char *word_end(char *word)
{
	bool quoted = false;

	for (; *word && (quoted || !strchr(" \t\n,", *word)); word++)
		quoted ^= *word == '"';
	return word;
}

void environ_mask(char *words)
{
	char *word = words;

	while (*word) {
		char *end = word_end(word), *value = memchr(word, '=', (size_t)(end - word));
		char *at = memchr(word, '@', (size_t)(end - word)), *colon;

		if (value && secret_name(word, (size_t)(value - word))) {
			word = cover(value + 1, end);
			continue;
		}
		/* nfs://user:password@host, iscsi:user:password@host */
		colon = at ? memchr(word, ':', (size_t)(at - word)) : NULL;
		if (colon) {
			colon += strspn(colon + 1, "/") + 1;
			cover(colon, at);
			end = word_end(colon);
		}
		word = end + (*end != '\0');
	}
}

/* ---- from a text to a value ---------------------------------------------------------------- */

/* Adds to a value of several parts; what does not fit any more is left out. */
static void append(char *value, const char *separator, const char *part)
{
	size_t used = strlen(value);

	if (used + strlen(separator) + strlen(part) < VALUE)
		stpcpy(stpcpy(value + used, used ? separator : ""), part);
}

static bool get_line(const struct row *row, char *text, char *value)
{
	(void)row;
	return snprintf(value, VALUE, "%.*s", (int)strcspn(text, "\n"), text) > 0;
}

static bool get_lines(const struct row *row, char *text, char *value)
{
	char *line;

	(void)row;
	value[0] = '\0';
	while ((line = strsep(&text, "\n")))
		if (*line)
			append(value, "; ", line);
	return *value;
}

/* The one in brackets: "none [mq-deadline] kyber". */
static bool get_chosen(const struct row *row, char *text, char *value)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return get_line(row, text, value);
	return snprintf(value, VALUE, "%.*s", (int)(close - open - 1), open + 1) > 0;
}

/* What follows "NAME :" or "NAME=", without quotes around it. Leaves the text to the next row. */
static bool get_named(const struct row *row, char *text, char *value)
{
	size_t n = strlen(row->word);

	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *end = "\n";

		if (strncmp(line, row->word, n) != 0 || !strchr(" \t:=", line[n]))
			continue;
		line += n + strspn(line + n, " \t:=");
		if (*line == '"') {
			line++;
			end = "\"\n";
		}
		return snprintf(value, VALUE, "%.*s", (int)strcspn(line, end), line) > 0;
	}
	return false;
}

static bool get_kilobytes(const struct row *row, char *text, char *value)
{
	if (!get_named(row, text, value))
		return false;
	snprintf(value, VALUE, "%llu", strtoull(value, NULL, 10) * 1024);
	return true;
}

static bool get_flag(const struct row *row, char *text, char *value)
{
	struct row flags = { .word = "flags" };
	char *words = value, *word;

	if (!get_named(&flags, text, value))
		return false;
	while ((word = strsep(&words, " "))) {
		if (strcmp(word, row->word) == 0) {
			strcpy(value, "yes");
			return true;
		}
	}
	return false;
}

/* "on" for 1, and the other way round. */
static bool get_on(const struct row *row, char *text, char *value)
{
	(void)row;
	return snprintf(value, VALUE, "%s", text[0] == '0' ? "off" : "on") > 0;
}

static bool get_off(const struct row *row, char *text, char *value)
{
	(void)row;
	return snprintf(value, VALUE, "%s", text[0] == '0' ? "on" : "off") > 0;
}

static bool get_sectors(const struct row *row, char *text, char *value)
{
	(void)row;
	return snprintf(value, VALUE, "%llu", strtoull(text, NULL, 10) * 512) > 0;
}

/* The three averages, without what follows them. */
static bool get_load(const struct row *row, char *text, char *value)
{
	char *end = text;

	(void)row;
	for (int i = 0; i < 3; i++)
		end += strspn(end, " ") + strcspn(end + strspn(end, " "), " \n");
	return snprintf(value, VALUE, "%.*s", (int)(end - text), text) > 0;
}

/* "CRYPT-LUKS2-...", "LVM-..." */
static bool get_kind(const struct row *row, char *text, char *value)
{
	(void)row;
	return snprintf(value, VALUE, "%.*s", (int)strcspn(text, "-\n"), text) > 0;
}

static bool get_masked(const struct row *row, char *text, char *value)
{
	environ_mask(text);
	return get_line(row, text, value);
}

/* The different values of several files (or lines) as one. */
static void add_distinct(char *values, const char *value)
{
	size_t n = strlen(value);

	for (const char *at = values; (at = strstr(at, value)); at += n)
		if ((at == values || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return;
	append(values, " ", value);
}

/* "ID:CONTROLLERS:PATH" lines: the paths. */
static bool get_groups(const struct row *row, char *text, char *value)
{
	char *line;

	(void)row;
	value[0] = '\0';
	while ((line = strsep(&text, "\n"))) {
		char *path = strchr(line, '/');

		if (path)
			add_distinct(value, path);
	}
	return *value;
}

/* ---- from a row to facts ------------------------------------------------------------------- */

/* A reading that goes on. */
struct reading {
	const char *root;
	struct machine_mounts mounts;
	struct facts *facts;
	dev_t *seen; /* devices whose facts are there */
	size_t nseen;
};

/* The file's text, at most TEXT - 1 bytes; false where there is none. */
static bool load(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n, used = 0;

	if (fd < 0)
		return false;
	while ((n = read(fd, text + used, (size_t)(TEXT - 1 - used))) > 0)
		used += n;
	close(fd);
	text[used] = '\0';
	return used > 0;
}

static bool get(const struct row *row, const char *path, char *value)
{
	char text[TEXT];

	return load(path, text) && row->get(row, text, value) && *value;
}

/* prefix: "disk.vda.", or "". Of two rows for one key the first one that exists counts. */
static int add(struct reading *r, const char *prefix, const char *word, const char *value)
{
	const struct facts *facts = r->facts;
	char key[KEY];

	snprintf(key, sizeof(key), "%s%s", prefix, word);
	if (facts->n && strcmp(facts->list[facts->n - 1].key, key) == 0)
		return 0;
	return facts_add(r->facts, key, value);
}

static int add_files(struct reading *r, const struct row *row, const char *prefix, const char *path)
{
	size_t star = strcspn(row->key, "*");
	char value[VALUE], values[VALUE] = "", word[KEY];
	glob_t files;
	int rc = 0;

	if (glob(path, 0, NULL, &files) != 0)
		return 0;
	for (size_t i = 0; !rc && i < files.gl_pathc; i++) {
		const char *file = files.gl_pathv[i];

		if (!get(row, file, value))
			continue;
		if (row->key[star]) {
			snprintf(word, sizeof(word), "%.*s%s", (int)star, row->key,
					strrchr(file, '/') + 1);
			rc = add(r, prefix, word, value);
		} else {
			add_distinct(values, value);
		}
	}
	globfree(&files);
	return !rc && *values ? add(r, prefix, row->key, values) : rc;
}

/* Files are sought in a directory, "" or one that ends in a slash. */
static int add_rows(struct reading *r, const struct row *row, const char *prefix, const char *dir)
{
	char path[PATH_MAX], text[TEXT], value[VALUE];
	const char *loaded = "";
	bool there = false;
	int rc = 0;

	for (; !rc && row->key; row++) {
		snprintf(path, sizeof(path), "%s%s", dir, row->path);
		if (strchr(row->path, '*')) {
			rc = add_files(r, row, prefix, path);
			continue;
		}
		if (strcmp(row->path, loaded) != 0)
			there = load(path, text);
		loaded = row->path;
		if (there && row->get(row, text, value) && *value)
			rc = add(r, prefix, row->key, value);
	}
	return rc;
}

/* ---- control groups ------------------------------------------------------------------------ */

/* "max", "max 100000", and what version 1 writes for no limit. */
static bool unlimited(const char *value)
{
	return strncmp(value, "max", 3) == 0 || strcmp(value, "-1") == 0 ||
			strtoull(value, NULL, 10) >= INT64_MAX / 4096 * 4096;
}

/*
 * A limit holds for everything below: where our own group sets none, the nearest above that does is
 * what counts, and is named.
 */
static int add_limit(struct reading *r, const struct row *row, const struct machine_group *group)
{
	char path[PATH_MAX], file[3 * PATH_MAX], value[VALUE], none[VALUE] = "";
	size_t length = strlen(strcpy(path, group->path));
	char *slash;

	for (;; *slash = '\0') {
		snprintf(file, sizeof(file), "%s%s%s/%s", r->root, group->mount, path, row->path);
		if (get(row, file, value)) {
			if (!unlimited(value))
				break;
			if (!*none)
				strcpy(none, value);
		}
		slash = strrchr(path, '/');
		if (!slash)
			return *none ? add(r, "", row->key, none) : 0;
	}
	if (strlen(path) < length)
		append(value, " of ", *path ? path : "/");
	return add(r, "", row->key, value);
}

static int add_limits(struct reading *r)
{
	const char *controller = NULL;
	struct machine_group group;
	bool there = false;
	int rc = 0;

	for (const struct row *row = cgroup_rows; !rc && row->key; row++) {
		if (!controller || strcmp(row->word, controller) != 0)
			there = machine_group(r->root, &r->mounts, row->word, &group);
		controller = row->word;
		if (there)
			rc = add_limit(r, row, &group);
	}
	return rc;
}

/* ---- filesystems and devices --------------------------------------------------------------- */

/* "dm-0(md127(sda1(sda) sdb1(sdb)))" */
static void print_stack(FILE *to, const struct reading *r, dev_t dev, int depth)
{
	char name[MACHINE_NAME];
	dev_t below[MACHINE_BELOW];
	size_t n = depth < DEPTH ? machine_below(r->root, dev, below, MACHINE_BELOW) : 0;

	if (!machine_block_name(r->root, dev, name))
		return;
	fputs(name, to);
	for (size_t i = 0; i < n; i++) {
		fputc(i ? ' ' : '(', to);
		print_stack(to, r, below[i], depth + 1);
	}
	if (n)
		fputc(')', to);
}

static int add_stack(struct reading *r, dev_t dev, const char *prefix)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int rc;

	if (!to)
		return -ENOMEM;
	print_stack(to, r, dev, 0);
	rc = fclose(to) ? -ENOMEM : 0;
	if (!rc && strchr(text, '('))
		rc = add(r, prefix, "stack", text);
	free(text);
	return rc;
}

/* A device and all that are under it. */
static int add_device(struct reading *r, dev_t dev)
{
	char name[MACHINE_NAME], prefix[KEY], dir[PATH_MAX];
	dev_t below[MACHINE_BELOW], *seen;
	size_t n;
	int rc;

	for (size_t i = 0; i < r->nseen; i++)
		if (r->seen[i] == dev)
			return 0;
	if (!machine_block_name(r->root, dev, name))
		return 0;
	seen = realloc(r->seen, (r->nseen + 1) * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	r->seen = seen;
	seen[r->nseen++] = dev;
	snprintf(prefix, sizeof(prefix), "disk.%s.", name);
	snprintf(dir, sizeof(dir), "%s" MACHINE_BLOCK "/", r->root, major(dev), minor(dev));
	rc = add_rows(r, disk_rows, prefix, dir);
	if (!rc)
		rc = add_stack(r, dev, prefix);
	n = machine_below(r->root, dev, below, MACHINE_BELOW);
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_device(r, below[i]);
	return rc;
}

/* Of the mount and of the filesystem, each once, as /proc/mounts has them. */
static void mount_options(const struct machine_mount *mount, char *value)
{
	char options[VALUE], *rest = options, *word;

	snprintf(value, VALUE, "%s", mount->flags);
	snprintf(options, sizeof(options), "%s", mount->options);
	while ((word = strsep(&rest, ",")))
		if (!machine_has_word(value, word))
			append(value, ",", word);
	environ_mask(value);
}

static int add_usage(struct reading *r, const char *prefix, const char *point)
{
	char path[PATH_MAX], value[64];
	struct statvfs fs;
	uint64_t used;
	int rc;

	snprintf(path, sizeof(path), "%s%s", r->root, point);
	if (statvfs(path, &fs) < 0 || !fs.f_blocks)
		return 0;
	used = fs.f_blocks - fs.f_bfree;
	snprintf(value, sizeof(value), "%llu",
			(unsigned long long)fs.f_blocks * (unsigned long long)fs.f_frsize);
	rc = add(r, prefix, "size", value);
	/* Of what is not reserved, as df(1) counts. */
	snprintf(value, sizeof(value), "%.0f", 100.0 * (double)used / (double)(used + fs.f_bavail));
	return !rc && used + fs.f_bavail ? add(r, prefix, "used_percent", value) : rc;
}

static int add_mount(struct reading *r, const struct machine_mount *mount)
{
	char prefix[PATH_MAX + 8], value[VALUE], name[MACHINE_NAME];
	dev_t dev = machine_mount_block(mount);
	int rc;

	snprintf(prefix, sizeof(prefix), "fs.%s.", mount->point);
	rc = add(r, prefix, "type", mount->type);
	mount_options(mount, value);
	if (!rc)
		rc = add(r, prefix, "options", value);
	snprintf(value, sizeof(value), "%s", mount->source);
	environ_mask(value);
	if (!rc)
		rc = add(r, prefix, "source", value);
	if (!rc && dev && machine_block_name(r->root, dev, name))
		rc = add(r, prefix, "device", name);
	if (!rc)
		rc = add_usage(r, prefix, mount->point);
	return !rc && dev ? add_device(r, dev) : rc;
}

/* Each filesystem once, however many of the files are on it. */
static int add_places(struct reading *r, const struct environ *env)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < env->npaths; i++) {
		const struct machine_mount *mount = machine_mount_of(&r->mounts, env->paths[i]);
		bool again = !mount;

		for (size_t j = 0; !again && j < i; j++)
			again = machine_mount_of(&r->mounts, env->paths[j]) == mount;
		if (!again)
			rc = add_mount(r, mount);
	}
	for (size_t i = 0; !rc && i < env->ndevices; i++)
		rc = add_device(r, env->devices[i]);
	return rc;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int environ_read(const struct environ *env, struct facts *facts)
{
	struct reading r = { .root = env->root, .facts = facts };
	int rc;

	/* Without /proc there is little to tell, and that little is still told. */
	if (machine_mounts_read_at(env->root, &r.mounts) == -ENOMEM)
		return -ENOMEM;
	rc = add_rows(&r, machine_rows, "", env->root);
	if (!rc)
		rc = add_limits(&r);
	if (!rc)
		rc = add_places(&r, env);
	facts_sort(facts);
	free(r.seen);
	machine_mounts_free(&r.mounts);
	return rc;
}

static int add_path(struct environ *env, char *path)
{
	char **paths = realloc(env->paths, (env->npaths + 1) * sizeof(*paths));

	if (!paths) {
		free(path);
		return -ENOMEM;
	}
	env->paths = paths;
	paths[env->npaths++] = path;
	return 0;
}

int environ_add_device(struct environ *env, dev_t dev)
{
	dev_t *devices = realloc(env->devices, (env->ndevices + 1) * sizeof(*devices));

	if (!devices)
		return -ENOMEM;
	env->devices = devices;
	devices[env->ndevices++] = dev;
	return 0;
}

int environ_add(struct environ *env, const char *path, struct err *err)
{
	char *real = *env->root ? strdup(path) : machine_real_path(path);
	struct stat st = { .st_mode = S_IFREG };
	int rc;

	if (!real || (!*env->root && stat(real, &st) < 0)) {
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
		free(real);
		return rc;
	}
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
		rc = add_path(env, real);
	} else {
		rc = S_ISBLK(st.st_mode) ? environ_add_device(env, st.st_rdev) : 0;
		free(real);
	}
	return rc ? err_memory(err) : 0;
}

void environ_free(struct environ *env)
{
	for (size_t i = 0; i < env->npaths; i++)
		free(env->paths[i]);
	free(env->paths);
	free(env->devices);
	*env = (struct environ){ .root = "" };
}
