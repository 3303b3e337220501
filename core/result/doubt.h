/* SPDX-License-Identifier: MIT */
/*
 * Reasons to doubt a result: the one table of them, which --accept, `iojob doubts` and the
 * judgement (measure/doctor) share. A doubt is evidence that a figure is not what it claims to be;
 * a fact is worth knowing and counts for nothing.
 */
#ifndef DOUBT_H
#define DOUBT_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "result.h"

/* By subject; in the order in which they are reported. */
enum doubt {
	DOUBT_HOLES,     /* C1 */
	DOUBT_UNWRITTEN,
	DOUBT_CACHED,
	DOUBT_INDIRECT,
	DOUBT_BOUNCED,
	DOUBT_SQUEEZED,
	DOUBT_NO_DEVICE, /* C7, a fact */
	DOUBT_PARTITION, /* A1 */
	DOUBT_BLOCKS,
	DOUBT_SHORT,     /* T1 */
	DOUBT_FEW,
	DOUBT_UNSTEADY,
	DOUBT_WARMING,
	DOUBT_GENERATOR, /* G1 */
	DOUBT_CPU_WAIT,
	DOUBT_SCHEDULE,
	DOUBT_SYNCHRONOUS,
	DOUBT_DEPTH,
	DOUBT_OTHER_CPU, /* L1 */
	DOUBT_OTHER_IO,
	DOUBT_STOLEN,
	DOUBT_MEMORY,
	DOUBT_CPU_LIMIT, /* M1 */
	DOUBT_IO_LIMIT,
	DOUBT_MEMORY_LIMIT,
	DOUBT_FREQUENCY,
	DOUBT_HEAT,
	DOUBT_CLOCK,     /* O1 */
	DOUBT_OWN_COST,
	DOUBT_VIRTUAL,   /* F1, facts from here on */
	DOUBT_ONE_RUN,
	DOUBT_CLOSED_LOOP,
	DOUBT_NO_FREQUENCY,
};

struct doubt_kind {
	const char *id;      /* stable: "C3". NULL ends the table */
	bool fact;
	const char *title;   /* one line without a full stop */
	const char *meaning; /* how it is seen, from when on, and why from then */
	const char *advice;  /* what to do about it, as part of a sentence; "" for none */
};

extern const struct doubt_kind doubt_kinds[]; /* index: enum doubt */

/* The advice where it is another for PostMark jobs, whose keys are others; else NULL. */
const char *doubt_postmark_advice(enum doubt kind);

/* The kind of an id ("C3", in either case); -1 for none. */
int doubt_find(const char *id);

/*
 * Adds one to a list, which stays in the order of the table; each kind once, the first stays.
 * 0 or -ENOMEM.
 */
int doubt_add(struct result_doubt **doubts, size_t *n, enum doubt kind, const char *format, ...)
		__attribute__((format(printf, 4, 5)));

/* The same for a job, with the advice that this one can take. */
int doubt_add_job(struct result_job *job, enum doubt kind, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/*
 * A list of ids with commas between them: are they all doubts? -EINVAL names the one that is none,
 * behind the words `where`.
 */
int doubt_check_ids(const char *where, const char *ids, struct err *err);

/* Marks the doubts of these ids, of the run and of every job in it, as accepted. */
void doubt_accept(struct result *result, const char *ids);

/* Doubts in the result that are no facts and are not accepted. */
size_t doubt_open(const struct result *result);

#endif
