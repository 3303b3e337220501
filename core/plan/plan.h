/* SPDX-License-Identifier: MIT */
/*
 * From checked jobs to what exactly will be done: stages, workers, their files with sizes and
 * regions, what must be laid out, what ends each job. Looks at the filesystem and changes nothing;
 * all that can be refused is refused here.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../err.h"
#include "../job/job.h"
#include "../result/result.h"
#include "target.h"

/* A file or device, whoever uses it; each path once. */
struct plan_target {
	char *path;
	struct target look;         /* before the run */
	const struct engine *engine; /* whose name it is, with IOJOB_ENGINE_NO_FD; else NULL */
	const struct job *judged;    /* the last job that may use it as it wants to */
	uint64_t size_bytes;        /* the most that any job needs of it */
	uint64_t layout_bytes; /* to be written because somebody reads it; over the whole run */
	size_t first_stage;         /* uses it */
	size_t last_stage;
	bool written;
	bool read;
	bool claim;                 /* a device: nobody else may use it during the run */
	const struct job *unlinker; /* wants it removed after last_stage; or NULL */
	bool missing;               /* not on this machine; only where that is not judged */
};

/* One file of one worker. */
struct plan_file {
	size_t target;
	uint64_t size_bytes; /* what the file must hold before an I/O touches it */
	uint64_t offset;     /* the region that the worker works on, bytes */
	uint64_t length;
	bool as_written;     /* read beside its writer, an earlier job of the stage: not laid out */
	uint32_t weight;     /* the directory of a PostMark job beneath a location of this weight */
};

struct plan_worker {
	const struct job *job;
	unsigned clone; /* which of numjobs, from 0 */
	struct plan_file *files;
	size_t nfiles;
	uint64_t limit_bytes; /* UINT64_MAX: none */
	uint64_t limit_ios;
	uint64_t pass_bytes; /* of each of the loops, where there are several; else UINT64_MAX */
	uint64_t pass_ios;   /* UINT64_MAX: no limit */
	uint64_t map_bytes;   /* memory for a random order of mixed sizes */
	bool layout;          /* writes files whole, a file after the other: layout.c */
	bool made;            /* the directories of a PostMark worker are there, and its own */
	const char *failed;   /* set before its stage: why it cannot start; not owned */
};

/* Jobs that run at the same time. */
struct plan_stage {
	struct plan_worker *workers;
	size_t nworkers;
};

struct plan {
	struct jobs *jobs;
	struct plan_stage *stages;
	size_t nstages;
	struct plan_target *targets;
	size_t ntargets;
	size_t *index; /* finds targets by path (files.c) */
	size_t index_size;
	struct result_place *places; /* one a filesystem */
	size_t nplaces;
};

struct plan_options {
	const char *const *devices; /* --allow-device */
	size_t ndevices;
	bool readonly;
	bool judge_machine; /* false (--parse-only): what is missing on this machine is no error */
};

/* Bytes of a read or write call in that directory: postmark_read or what stdio makes of it. */
uint32_t plan_postmark_call(
		const struct job *job, enum iojob_op op, const struct plan_target *directory);

/*
 * jobs must outlive the plan; a job with optional=1 that this machine cannot run gets its reason in
 * job->skipped and no workers. On error nothing is left to free.
 */
int plan_make(struct plan *plan, struct jobs *jobs, const struct plan_options *options,
		struct err *err);
void plan_free(struct plan *plan);

/* Where files lie, what each job does to which files, and what ends it. */
void plan_print(FILE *to, const struct plan *plan);

/* rw as fio writes it: "randread". */
const char *plan_rw_name(const struct job *job);

/* IOJOB_JOB_* of engine.h. */
unsigned plan_job_flags(const struct job *job);

/* Flags for target_open() as the job wants its files. */
unsigned plan_open_flags(const struct job *job);

#endif
