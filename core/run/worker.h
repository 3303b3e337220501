/* SPDX-License-Identifier: MIT */
/*
 * One worker: a process, or a thread of a process that holds the thread workers of its stage. What
 * the main process knows of it lies in one mapping, written by the worker alone.
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../measure/clock.h"
#include "../measure/stat.h"
#include "drive.h"
#include "../plan/plan.h"

enum worker_phase {
	WORKER_SETUP,   /* opening files, allocating */
	WORKER_READY,   /* waiting for the others */
	WORKER_RAMP,    /* warming up: nothing counts */
	WORKER_RUN,
	WORKER_SYNC,    /* end_fsync */
	WORKER_CLOSING, /* fsync_on_close, closing files */
	WORKER_DONE,
};

/*
 * One for all workers that end together (a course of a stage); the main process writes it, and none
 * shares a cache line with another.
 */
struct stage_shared {
	uint32_t go;   /* futex: becomes 1 when all are ready */
	uint32_t stop; /* futex: becomes 1 when all shall end; the one word a loop looks at */
	uint64_t go_ticks;
} __attribute__((aligned(64)));

/* What the main process sees of a worker. Begins on a page of its own. */
struct worker_shared {
	uint32_t phase; /* enum worker_phase */
	int32_t error;  /* errno of what ended it, or of the first error */
	uint32_t end;   /* enum result_end, once done */
	uint32_t depth; /* entries of ios */
	uintptr_t files; /* address of the worker's struct iojob_file array, to tell files by */
	uint64_t ramp_ticks;  /* when the warm-up began; 0: there was none yet */
	uint64_t begin_ticks; /* of the measured phase */
	uint64_t end_ticks;
	uint64_t sync_begin_ticks; /* when end_fsync began; 0: not yet */
	uint64_t sync_ns;          /* how long it took */
	uint64_t cpu_user_ns;      /* during the measured phase */
	uint64_t cpu_sys_ns;
	uint64_t ctx;
	uint64_t majf;
	uint64_t minf;
	uint64_t fetched;     /* bytes that it read from block devices meanwhile */
	uint64_t cpu_wait_ns; /* it could have run, and no CPU was free */
	struct err text; /* of the error, without the job's name */
	struct worker_postmark *postmark; /* behind ios; NULL: the job is none (postmark.h) */
	struct stats stats;
	struct io ios[];
};

/* Bytes of one worker_shared with its I/Os, a multiple of the page size. */
size_t worker_shared_bytes(const struct job *job);

/* Sets the pointers in it, of memory that is zero. */
void worker_shared_init(struct worker_shared *shared, const struct job *job);

/* A number of it as it is at this moment; it may be running. */
static inline uint64_t worker_read(const uint64_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

/* Which phase it is in: what it wrote before it entered that is there to be read. */
static inline enum worker_phase worker_phase(const struct worker_shared *shared)
{
	return (enum worker_phase)__atomic_load_n(&shared->phase, __ATOMIC_ACQUIRE);
}

/* I/Os of a direction that it has done so far. It may be called while the worker runs. */
uint64_t worker_ios(const struct worker_shared *shared, int dir);

struct worker_args {
	const struct plan *plan;
	const struct plan_worker *spec;
	const struct clock *clock;
	struct stage_shared *stage;
	struct worker_shared *shared;
	int notify_fd; /* eventfd: 1 is added at READY, SYNC and DONE */
};

/*
 * The whole life of a worker. Runs in its own process or thread; everything it has to say is in
 * args->shared.
 */
void worker_main(const struct worker_args *args);

#endif
