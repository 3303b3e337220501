/* SPDX-License-Identifier: MIT */
/*
 * Files and devices that jobs work on: looking at them without touching them, refusing what would
 * destroy somebody's data, opening, sizing, dropping caches. The only file that knows libblkid.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../err.h"

enum target_kind {
	TARGET_ABSENT, /* not there yet; its directory is */
	TARGET_REGULAR,
	TARGET_BLOCK,
	TARGET_CHAR,   /* /dev/null, /dev/zero ... */
	TARGET_ENGINE, /* a name that only the engine understands; filled by the caller */
};

/* What is known of one before the run. */
struct target {
	enum target_kind kind;
	uint64_t size_bytes;   /* of the file or device now; 0 where absent */
	uint64_t alloc_bytes;  /* blocks that it occupies already */
	dev_t dev;             /* of the filesystem it is on, or of the block device itself */
	bool direct;           /* O_DIRECT works there */
	uint32_t mem_align;    /* for O_DIRECT: of buffers, bytes; 1 without it */
	uint32_t offset_align; /* for O_DIRECT: of offsets and lengths, bytes; 1 without it */
	uint32_t block_bytes;  /* st_blksize, or the device's logical block */
};

/*
 * Looks. A path that is not there is judged by its directory, through an O_TMPFILE where O_DIRECT
 * is concerned (tmpfs and directories report no STATX_DIOALIGN); kernels without STATX_DIOALIGN are
 * asked by opening with O_DIRECT, and the logical block size (else 512) stands for the alignment.
 * Errors: a directory or socket where a file is expected, a directory that is missing, no
 * permission.
 */
int target_look(struct target *target, const char *path, struct err *err);

/*
 * May this block device be written? Refused (-EBUSY) where it or a part of it is mounted, in use
 * (O_EXCL), or carries a signature: filesystem, partition table, RAID, LVM, LUKS. The text names
 * what was found and --allow-device. Nothing is changed.
 */
int target_may_write(const struct target *target, const char *path, struct err *err);

enum target_open_flags {
	TARGET_READ = 1u << 0,
	TARGET_WRITE = 1u << 1,
	TARGET_DIRECT = 1u << 2,
	TARGET_SYNC = 1u << 3,
	TARGET_DSYNC = 1u << 4,
	TARGET_CREATE = 1u << 5,
	TARGET_EXCL = 1u << 6, /* a block device: O_EXCL */
};

/* Returns a descriptor (close-on-exec) or -errno with a text that explains EINVAL and the like. */
int target_open(const char *path, unsigned flags, struct err *err);

enum target_allocate { /* same values as enum job_fallocate */
	TARGET_ALLOCATE_NONE,
	TARGET_ALLOCATE_NATIVE,
	TARGET_ALLOCATE_POSIX,
	TARGET_ALLOCATE_KEEP,
	TARGET_ALLOCATE_TRUNCATE,
};

/*
 * Creates a regular file and reserves its blocks as fallocate= says (NATIVE: a filesystem that
 * cannot is not an error). With `sized` the file has size_bytes afterwards in every case. A file
 * that is larger already keeps its size.
 */
int target_create(const char *path, uint64_t size_bytes, enum target_allocate how, bool sized,
		struct err *err);

/* Drops what the page cache holds of [offset, offset + length): invalidate=1. Best effort. */
void target_invalidate(int fd, uint64_t offset, uint64_t length);

/* What a filesystem has left for this user; UINT64_MAX where it knows no limit. */
struct target_room {
	uint64_t bytes;
	uint64_t files; /* inodes */
};

/* Of the filesystem that holds path (or its directory). */
int target_room(const char *path, struct target_room *room, struct err *err);

/*
 * A name in a directory (NULL: none), also where it begins with a '/', as in fio. On the heap;
 * NULL: no memory.
 */
char *target_join(const char *directory, const char *name);

#endif
