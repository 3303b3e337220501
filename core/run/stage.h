/* SPDX-License-Identifier: MIT */
/*
 * One stage: its workers are started, released together, watched and waited for. The main process
 * does no I/O of theirs; it sleeps on signals and on the workers' word, takes samples of their
 * counters, and enforces what must hold even when an I/O never returns.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../err.h"
#include "../measure/machine.h"
#include "../result/progress.h"
#include "../result/result.h"
#include "../plan/plan.h"
#include "course.h"
#include "worker.h"

/* Rates over fixed intervals, taken from a worker's counters. */
struct sampler {
	uint64_t interval_ns;
	uint64_t last_ns; /* 0: not begun */
	uint64_t due_ns;  /* of the next sample */
	uint64_t last[RESULT_DIRS];
	struct result_samples samples[RESULT_DIRS];
};

/* How the main process sees a worker. */
struct stage_worker {
	const struct plan_worker *spec;
	struct worker_shared *shared;
	struct course *course;
	pid_t pid;   /* of its process, shared by thread workers; 0: none (any more) */
	bool over;   /* done, dead or given up */
	bool died;
	int status;  /* of waitpid, where it died */
	bool hung;
	uint64_t lost_ns;   /* when it died or was found hung */
	uint64_t idle_ns;   /* how long it had not moved then */
	uint64_t killed_ns; /* when it was killed by us; 0: not yet */
	uint64_t moves;     /* what its counters said when last looked at */
	uint64_t moved_ns;  /* when they last changed */
	double punted;      /* share of its CPU time that the kernel's I/O threads took */
	struct sampler bw;
	struct sampler iops;
};

/* Which phase it is in; the worker may be running. */
static inline enum worker_phase stage_phase(const struct stage_worker *w)
{
	return worker_phase(w->shared);
}

struct stage {
	/* Given by the caller. */
	const struct plan *plan;
	struct clock *clock;
	const struct plan_worker *specs;
	size_t n;
	struct disks *disks; /* under the files: whether an fsync still moves */
	int signals;         /* signalfd of SIGCHLD, SIGINT, SIGTERM, SIGHUP, all blocked; or -1 */
	struct progress progress; /* stage, nstages, doing preset */
	void (*show)(void *ctx, const struct progress *progress); /* or NULL */
	void *ctx;

	/* Results. */
	struct stage_worker *workers;
	struct course *courses; /* of the workers that are reported as one */
	size_t ncourses;
	int interrupted;     /* number of the signal, or 0 */
	bool clock_jumped;   /* what was timed counts for nothing */
	int64_t clock_off_ns; /* how far the TSC left CLOCK_MONOTONIC then */
	bool exitall;        /* a job with exitall ended the others */
	uint64_t started_ms; /* since the epoch: when the workers were released */
	uint64_t elapsed_ns; /* from then to the last one's end */

	/* Inside. */
	struct stage_shared *shared; /* one for each course */
	size_t map_bytes;
	int notify;         /* eventfd; -1 at first */
	uint64_t stop_ns;   /* when all were told to stop; 0: not yet */
	uint64_t go_ns;
	uint64_t shown_ns;
	uint64_t shown_bytes;
	uint64_t shown_ios;
	uint64_t disk_sectors;
	uint64_t disk_ns;
};

/*
 * Runs it to its end. 0, or -errno with a text where it could not be started at all; what happened
 * to single workers stands in stage->workers. stage_free() in either case.
 */
int stage_run(struct stage *stage, struct err *err);
void stage_free(struct stage *stage);

/* One worker's result, without its options; call after stage_run(). 0 or -ENOMEM. */
int stage_result(
		const struct stage *stage, const struct stage_worker *w, struct result_job *result);

/* A result without a run: names and axes of a job. 0 or -ENOMEM. */
int result_of_job(const struct job *job, struct result_job *result);

/*
 * Into a result: the options of its job, and of one worker of it (or NULL) what they came to; of a
 * thousand workers that are reported as one they are wanted once. 0 or -ENOMEM.
 */
int result_options(const struct job *job, const struct plan_worker *worker,
		struct result_job *result);

#endif
