/* SPDX-License-Identifier: MIT */
/*
 * The judgement: which doubts (result/doubt.h) do the figures of a job and what was seen of the
 * machine meanwhile give? Plain data in, doubts out; measure/probe and run/examine fill the data.
 * In all of it zero means: not seen, and nothing is said of it.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../result/result.h"

/* Bytes that jobs moved by their own account, and bytes of them that a device moved. */
struct doctor_flow {
	uint64_t claimed;
	uint64_t moved;
};

enum { DOCTOR_NAME = 64 };

/* What is known of a job besides its result. Of jobs that form one result it adds up. */
struct doctor_job {
	/* Only of files whose device counts what it moves. */
	struct doctor_flow cached_reads; /* through the page cache; moved: fetched by the workers */
	struct doctor_flow direct_reads;
	uint64_t lazy_bytes;   /* written into the page cache and not synced I/O by I/O */
	uint64_t direct_bytes; /* written directly */

	uint64_t left_bytes;   /* of lazy_bytes: in memory only when the job ended */
	uint64_t read_region;  /* bytes of regular files and loop devices that it reads from */
	uint64_t hole_bytes;   /* of them: never written */
	uint64_t blind_region; /* bytes that it reads of files whose device does not count */
	uint64_t blind_cached; /* of them: in the page cache at the start, and not dropped */

	bool files;                   /* it works on files at all, not on names of the engine */
	bool memory;                  /* they are all in memory: tmpfs, /dev/zero */
	bool device;                  /* a block device is under one of them */
	bool buffered;                /* it goes through the page cache */
	char device_name[DOCTOR_NAME]; /* the first of them */
	char loop[DOCTOR_NAME];       /* a loop device that caches behind its I/O; "": none */
	char partition[DOCTOR_NAME];  /* one that is not aligned; "": none */
	uint64_t partition_bytes;     /* where it begins */
	uint64_t physical_bytes;      /* block of the device that ... */
	uint64_t odd_bytes;           /* ... this block size or offset of direct I/O does not fit */
	char store[DOCTOR_NAME];      /* what makes the job's dull data smaller: "btrfs compress" */

	double asked_ns;      /* iodepth times the time in which I/Os were in flight, added */
	uint64_t cpu_wait_ns; /* its workers could have run, and did not; added */
	double punted;        /* share of the CPU time that the kernel's I/O threads took */
	bool paced;           /* rate or thinktime */
	bool polls;           /* burns the CPU while it waits */
	bool wants_cache;     /* pre_read: its reads are meant to come from the page cache */
	bool batches;         /* does not keep its depth full, or waits within submit */
};

/* One stage: what the machine did from the start of its workers to the end of the last one. */
struct doctor_stage {
	uint64_t elapsed_ns;
	struct doctor_flow writes; /* of all jobs, on devices that count */
	bool lazy;                 /* some of it through the page cache */
	double util_percent;       /* of the busiest device under the files */

	uint64_t cpu_ns;        /* of all CPUs: what there was to use */
	uint64_t other_user_ns; /* user time of others' programs */
	uint64_t steal_ns;
	double load_average;    /* at the end, for the evidence */
	double memory_stall;    /* share of the time in which a task waited for memory */

	char other_device[DOCTOR_NAME];
	uint64_t device_bytes;  /* moved by the devices that only the jobs' files are on */
	uint64_t other_read;    /* of them: in nobody's name of ours */
	uint64_t other_written; /* the same, what journals may write for us taken off */

	uint64_t cpu_throttled_ns; /* by cgroups */
	uint64_t memory_hits;      /* how often a cgroup's memory limit was met */
	char io_limit[DOCTOR_NAME]; /* the limit of a cgroup that was met: "vda rbps 1048576"; "" */
	double io_limit_share;     /* how much of it was reached */

	char governor[DOCTOR_NAME]; /* of the first CPU; "": none to be seen */
	uint64_t khz_before;       /* mean of the CPUs */
	uint64_t khz_after;
	uint64_t heat;             /* thermal throttling events */
};

/* Adds what was seen of another job that is in the same result. */
void doctor_job_merge(struct doctor_job *job, const struct doctor_job *other);

/* Doubts that need what was seen, into job->doubts; straight after its stage. 0 or -ENOMEM. */
int doctor_judge(struct result_job *job, const struct doctor_job *seen,
		const struct doctor_stage *stage);

/*
 * Doubts that the figures and facts of the finished result show by themselves, of every job and of
 * the run; before views are made of jobs (result_choose). 0 or -ENOMEM.
 */
int doctor_judge_result(struct result *result);

#endif
