/* SPDX-License-Identifier: MIT */
/*
 * The inside of a worker: its state, and the loop that does the I/O. worker.c leads it through its
 * life, setup.c opens and allocates; nothing is allocated, locked or printed in the loop.
 */
#ifndef LOOP_H
#define LOOP_H

#include "../engine/guard.h"
#include "../load/buffer.h"
#include "../load/load.h"
#include "../load/pace.h"
#include "../result/result.h"
#include "worker.h"

struct worker {
	struct iojob_worker pub;
	struct drive drive;
	const struct worker_args *args;
	const struct job *job;
	const struct clock *clock;
	struct stage_shared *stage;
	struct worker_shared *shared;
	struct stats *stats;

	uint64_t until;        /* ticks; 0 once an error ended it */
	unsigned batch;        /* most I/Os to submit at once */
	unsigned reap_min;
	unsigned reap_max;
	struct iojob_io **idle; /* a stack */
	unsigned nidle;
	/* Prepared: just above idle's top after prepare(), in rest once the engine refused some. */
	struct iojob_io **ready;
	unsigned nready;
	struct iojob_io **rest;  /* what the engine did not take */
	struct iojob_io **done;
	unsigned run_ops; /* reaped with equal stamps, not yet recorded: which operations ... */
	uint32_t run[IOJOB_OPS]; /* ... and how many of each */

	struct load load;
	struct pace pace;
	bool paced;            /* with a rate or with thinktime */
	bool mixed;            /* pace chooses between directions */
	uint64_t wake;         /* paced: nothing to start before these ticks */
	unsigned think_left;   /* I/Os until the next thinktime; 0: draining for it */
	uint64_t think_until;
	struct buffer buffer;
	uint8_t pattern[BUFFER_PATTERN_MAX];

	struct iojob_file *files;
	struct iojob_file **file_list;
	unsigned nopen;        /* files opened so far */
	bool engine_open;
	struct guard guard;
	char error[512];       /* the engine writes here */
	uint64_t buf_stride;
	struct postmark_run *postmark; /* in place of the load; NULL: none (postmark.h) */
};

/* A phase of length_ns (0: without end) and the schedules in it begin now. */
void loop_begin(struct worker *w, uint64_t length_ns);

/*
 * Does I/Os until the phase is over, the work is done, an error ends the worker or the stage is
 * stopped; then waits for what is in flight.
 */
void loop_run(struct worker *w);

/* Is the phase over, or the stage stopped, or did an error end the worker? */
bool loop_over(const struct worker *w);

/* Counts what the schedule wanted by the end of the phase and never got. */
void loop_record_due(struct worker *w);

/*
 * Does one I/O by itself, the rest of a short one too. False: it failed, or the engine did; that is
 * noted. Nothing is recorded, and an engine with execute costs no reading of a clock: io->start is
 * the caller's to set and to clear.
 */
bool loop_one(struct worker *w, struct io *io);

/* Notes that an I/O failed, which ends the worker unless the job goes on (continue_on_error). */
void loop_fail_io(struct worker *w, const struct io *io, int error);

/* One fsync of a file through the engine, in no histogram: it is not of the job's rhythm. */
void loop_sync_file(struct worker *w, struct iojob_file *file);

/* Sleeps until `ticks`, the end of the phase or a stop, whichever is first. */
void loop_sleep(struct worker *w, uint64_t ticks);

/* Waits while *word is `value`; timeout_ns -1: for ever. May return early. */
void loop_futex_wait(uint32_t *word, uint32_t value, int64_t timeout_ns);

/* Notes an error that ends the worker; the first one stays. */
void loop_fail(struct worker *w, int error, enum result_end end);

/* The same for a call of the engine's that failed, with its own text where it left one. */
void loop_fail_engine(struct worker *w, int error, const char *what);

/* setup.c: everything up to the start barrier. 0 or -errno, which is noted in w->shared. */
int setup_worker(struct worker *w);

/* Before a further pass over the files: the page cache is again as it was before the first. */
void setup_again(struct worker *w);

#endif
