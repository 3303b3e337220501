/* SPDX-License-Identifier: MIT */
/*
 * A worker of a PostMark job: carries out what load/postmark.c decides and takes the time of each
 * operation, as a whole and call by call.
 */
#ifndef RUN_POSTMARK_H
#define RUN_POSTMARK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../load/postmark.h"
#include "../measure/account.h"
#include "../measure/hist.h"

struct worker;

enum postmark_call { POSTMARK_CREAT, POSTMARK_OPEN, POSTMARK_CLOSE, POSTMARK_CALLS };

/* What the main process sees of it: in the worker's mapping, and only where the job is one. */
struct worker_postmark {
	uint64_t ticks[POSTMARK_PHASES]; /* when each phase began; 0: not yet */
	uint64_t done[POSTMARK_PHASES][POSTMARK_KINDS];
	uint64_t transactions; /* done */
	uint64_t skipped;      /* creates that found no free slot */
	uint64_t calls[2];     /* reads, writes */
	uint64_t cleared;      /* files removed after an early end: a sign of life */
	uint32_t dry;          /* the transactions ended since no file was left */
	struct account account; /* of the run and the clearing up */
	char path[PATH_MAX];   /* of the file at hand */
	struct hist whole[POSTMARK_KINDS]; /* ns of an operation, and of ... */
	struct hist call[POSTMARK_CALLS];  /* ... single calls; of a delete both are the same */
};

/* What it has for itself. */
struct postmark_run {
	struct postmark next;
	uint32_t *weights;
	int flags;          /* of open(2) */
	uint64_t read_at;   /* offset in the worker's buffers of what is read into */
	struct account account; /* before the run */
};

/* Bytes of buffers: the source text, then room for one read, which begins at *read_at. */
uint64_t postmark_buffer_bytes(const struct worker *w, uint64_t *read_at);

/* In place of the load. 0 or -errno. */
int postmark_setup(struct worker *w);

/* The measured phase. True: all of it was done. */
bool postmark_run(struct worker *w);

/* After it: removes the files that an early end left, and looks at what reached the device. */
void postmark_end(struct worker *w);

#endif
