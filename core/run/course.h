/* SPDX-License-Identifier: MIT */
/*
 * What a job does second by second, and whether that has become steady: taken by the main process
 * from the counters of those workers of a stage that are reported as one.
 */
#ifndef COURSE_H
#define COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../measure/clock.h"
#include "../result/result.h"

struct stage_worker;

/* Counters at some moment, added over the workers. */
struct course_counts {
	uint64_t bytes[RESULT_DIRS];
	uint64_t ios[RESULT_DIRS];
};

struct course {
	const struct stage_worker *workers; /* n of them, one after the other in the stage */
	size_t n;
	uint64_t stop_ns;  /* when they were told to end, being steady; 0: they were not */
	uint64_t begin_ns; /* when the first of them began to be measured; 0: not yet */
	uint64_t seen_ns;  /* when the counters were last looked at ... */
	struct course_counts seen;
	struct course_counts given; /* ... and how much of them is in samples */
	struct result_series series[RESULT_DIRS];
	size_t capacity;   /* of each series */
	uint64_t attained; /* as in struct result_steady */
	bool over;         /* the last sample is there */
	bool failed;       /* there was no memory */
};

/* Takes the samples that are due. True: steadystate has been attained, just now. */
bool course_look(struct course *course, const struct clock *clock, uint64_t now_ns);

/* All workers are over: takes what is left. */
void course_end(struct course *course, const struct clock *clock, uint64_t now_ns);

/* Until the next sample is due, ns; UINT64_MAX where none is. */
uint64_t course_wait(const struct course *course, uint64_t now_ns);

/* The course into the result of its first worker. 0 or -ENOMEM. */
int course_result(const struct course *course, struct result_job *result);

void course_free(struct course *course);

#endif
