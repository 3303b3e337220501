/* SPDX-License-Identifier: MIT */
/*
 * What the machine tells of itself around a stage: counters, of which two readings are subtracted,
 * and what can be seen of a file. Nothing here touches the run; what cannot be read is zero.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "machine.h"

/* The hierarchies of cgroups that limit something; version 2 is one of them. */
enum probe_group { PROBE_V2, PROBE_CPU, PROBE_BLKIO, PROBE_MEMORY, PROBE_GROUPS };

/* Where the program is in each of them; mount is "" for nowhere. */
struct probe_groups {
	struct machine_group place[PROBE_GROUPS];
};

void probe_find_groups(struct probe_groups *groups);

/* Counters since the boot, or since the program began. */
struct probe {
	uint64_t now_ns;
	uint64_t cpu_ns;      /* of all CPUs together, idle or not */
	uint64_t user_ns;     /* of all programs, nice ones too */
	uint64_t steal_ns;
	uint64_t own_user_ns; /* of this program and its children that are gone */
	uint64_t own_read;    /* bytes that these children fetched from block devices */
	uint64_t own_written; /* bytes that they wrote, or made dirty */
	uint64_t memory_stall_ns;
	double load_average;
	uint64_t cpu_throttled_ns;
	uint64_t memory_hits;
	uint64_t khz;         /* a level: mean of the CPUs */
	uint64_t heat;
};

void probe_take(struct probe *probe, const struct probe_groups *groups);

/* Does the kernel count what a task fetches from block devices? */
bool probe_counts_reads(void);

/* Is the CPU's frequency to be seen? Its governor into name, "" where it is not. */
bool probe_governor(char *name, size_t size);

/* What the devices did a second. */
struct probe_rates {
	double read_bytes;
	double write_bytes;
	double read_ios;
	double write_ios;
};

/*
 * Of the limits that cgroups put on the device, the one that these rates come nearest to from
 * below, or exceed by what a limit may be overrun by; how much of it, and what it is ("vda rbps
 * 1048576"). 0 for none.
 */
double probe_io_limit(const struct probe_groups *groups, const struct disk *disk,
		const struct probe_rates *rates, char *name, size_t size);

/* What the page cache holds of a region, bytes. False: cannot be known. */
struct probe_cache {
	uint64_t resident;
	uint64_t dirty; /* and under writeback; 0 where only mincore(2) answers */
};
bool probe_cache(int fd, uint64_t offset, uint64_t length, struct probe_cache *cache);

/*
 * Bytes of a region of a regular file that are holes or extents never written, and that no dirty
 * page covers.
 */
uint64_t probe_holes(int fd, uint64_t offset, uint64_t length);

/* What share of a process' CPU time its io_uring kernel threads (iou-wrk) took. */
double probe_punted(pid_t pid);

/* How long the calling thread could have run and had no CPU, ns since its start. */
uint64_t probe_cpu_wait(void);

#endif
