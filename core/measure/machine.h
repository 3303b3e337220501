/* SPDX-License-Identifier: MIT */
/* What this machine is and what its disks count: /proc and /sys read into plain data. */
#ifndef MACHINE_H
#define MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../err.h"
#include "../result/result.h"

/* Where the kernel tells about a block device, by major and minor number. */
#define MACHINE_BLOCK "/sys/dev/block/%u:%u"

/* The first line of a file of /proc or /sys, without its newline; false where there is none. */
bool machine_read(char *line, size_t size, const char *path);

/* The same, of a path that is printed from a format. */
bool machine_line(char *line, size_t size, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* The disk of a partition; what is no partition stays what it is. */
dev_t machine_disk(dev_t dev);

enum {
	MACHINE_NAME = 64,  /* of a block device, with its NUL */
	MACHINE_BELOW = 64, /* the most devices that are looked at under one */
};

/* The kernel's name of a block device, "vda1"; false where there is none. root as below. */
bool machine_block_name(const char *root, dev_t dev, char name[MACHINE_NAME]);

/*
 * The devices right under one, into list; returns how many: a partition's disk, what dm and md are
 * made of, where a loop device's file lies.
 */
size_t machine_below(const char *root, dev_t dev, dev_t *list, size_t room);

/* A line of /proc/self/mountinfo, its escapes resolved; strings belong to struct machine_mounts. */
struct machine_mount {
	dev_t dev; /* anonymous (major 0) for btrfs, overlay, tmpfs ... */
	const char *point;
	const char *type;    /* "ext4" */
	const char *source;  /* "/dev/vda1" */
	const char *options; /* of the filesystem, not of this mount */
	const char *flags;   /* of this mount: "rw,noatime" */
	const char *top;     /* the directory of the filesystem that is mounted: "/", a subtree */
};

struct machine_mounts {
	char *text; /* what the strings point into */
	struct machine_mount *list;
	size_t n;
};

/* In the order of the file: of two on one point the later one is seen. 0 or -errno. */
int machine_mounts_read(struct machine_mounts *mounts);
void machine_mounts_free(struct machine_mounts *mounts);

/* The same of a tree that has its proc/ and sys/ in another place; "" is this machine. */
int machine_mounts_read_at(const char *root, struct machine_mounts *mounts);

/* The mount that a real path is on; NULL in a namespace that has none. */
const struct machine_mount *machine_mount_of(const struct machine_mounts *mounts, const char *path);

/* The block device under a mount: its own, its source, an overlay's upper layer's; 0 for none. */
dev_t machine_mount_block(const struct machine_mount *mount);

/* The block device under the files that have this st_dev; 0 for none. 0 or -errno. */
int machine_block_of(dev_t dev, dev_t *block);

/* Is the word one of a list with commas between them? */
bool machine_has_word(const char *list, const char *word);

/* A cgroup: where its hierarchy is mounted, and its path below, "/a/b" or "" for the top. */
struct machine_group {
	char mount[PATH_MAX];
	char path[PATH_MAX];
};

/* This program's cgroup in the hierarchy of a v1 controller, or in the v2 one (""). False: none. */
bool machine_group(const char *root, const struct machine_mounts *mounts, const char *controller,
		struct machine_group *group);

/* Counters of /sys/block/D/stat. Milliseconds and 512-byte sectors, as the kernel gives them. */
struct disk_stat {
	uint64_t read_ios, read_merges, read_sectors, read_ticks_ms;
	uint64_t write_ios, write_merges, write_sectors, write_ticks_ms;
	uint64_t in_flight, io_ticks_ms, in_queue_ms;
};

struct disk {
	char name[MACHINE_NAME]; /* "vda", "dm-0" */
	dev_t dev;            /* of the whole disk */
	struct disk_stat at;  /* when last read */
	struct disk_stat sum; /* over the intervals between disks_start() and disks_stop() */
	uint64_t wall_ms;     /* length of those intervals */
	uint64_t started_ns;  /* 0 between them */
};

struct disks {
	struct disk *list;
	size_t n;
};

/*
 * Adds the disk behind st_dev of a file (or st_rdev of a block device) and everything under it:
 * a partition's disk, dm and md slaves, a loop device's backing file's disk. A filesystem of an
 * anonymous device (btrfs, overlay) is found by the source that /proc/self/mountinfo names; one
 * without a device (tmpfs) adds nothing. Each disk once.
 */
int disks_add(struct disks *disks, dev_t dev, struct err *err);
void disks_start(struct disks *disks); /* takes the counters */
void disks_stop(struct disks *disks);  /* adds what has come since into sum */
void disks_free(struct disks *disks);

/* Sectors written so far by all of them: does a device still make progress? */
uint64_t disks_written(const struct disks *disks);

/* Into the result's list. */
int disks_result(const struct disks *disks, struct result *result);

/* The real path of what exists of a path; on the heap, or NULL with errno. */
char *machine_real_path(const char *path);

/*
 * Filesystem type ("ext4") and disk ("vda", "none") under a path, or under its nearest parent that
 * exists; "none" and its disk for a block device. 0 or -errno; strings on the heap.
 */
int machine_place(const char *path, char **filesystem, char **device);

/* host and kernel of the result. */
int machine_describe(struct result *result);

#endif
