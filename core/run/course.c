// SPDX-License-Identifier: MIT
#include "course.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../result/course.h"
#include "../u128.h"
#include "stage.h"

static const uint64_t interval_ns = 1000000000;

/* ---- workers ------------------------------------------------------------------------------- */

/* When a worker began to be measured; 0: not yet, or never. */
static uint64_t begun_ns(const struct stage_worker *w, const struct clock *clock)
{
	uint64_t begin;

	if (worker_phase(w->shared) < WORKER_RUN)
		return 0;
	begin = worker_read(&w->shared->begin_ticks);
	return begin ? clock_to_ns(clock, begin) : 0;
}

/* When its last I/O was over; now where it is still at it. */
static uint64_t ended_ns(const struct stage_worker *w, const struct clock *clock, uint64_t now)
{
	const struct worker_shared *shared = w->shared;
	uint64_t end;

	if (worker_phase(shared) <= WORKER_RUN)
		return w->lost_ns ? w->lost_ns : now;
	end = shared->sync_begin_ticks ? shared->sync_begin_ticks : shared->end_ticks;
	if (end)
		end = clock_to_ns(clock, end);
	else
		end = w->lost_ns ? w->lost_ns : now;
	return end < now ? end : now; /* later only where the clock has jumped */
}

static bool at_work(const struct stage_worker *w)
{
	return !w->over && !w->hung
			&& worker_phase(w->shared) <= WORKER_RUN;
}

static void count(const struct course *c, const struct clock *clock, struct course_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	for (size_t i = 0; i < c->n; i++) {
		const struct worker_shared *shared = c->workers[i].shared;

		if (!begun_ns(&c->workers[i], clock))
			continue; /* what it counts is thrown away after its ramp_time */
		for (int d = 0; d < RESULT_DIRS; d++) {
			counts->bytes[d] += worker_read(&shared->stats.op[d].bytes);
			counts->ios[d] += worker_ios(shared, d);
		}
	}
}

static void begin(struct course *c, const struct clock *clock)
{
	for (size_t i = 0; i < c->n; i++) {
		uint64_t ns = begun_ns(&c->workers[i], clock);

		if (ns && (!c->begin_ns || ns < c->begin_ns))
			c->begin_ns = c->seen_ns = ns;
	}
}

/* When the last of them was through with its I/Os; 0: some are at it, or still to begin. */
static uint64_t end_of(const struct course *c, const struct clock *clock, uint64_t now)
{
	uint64_t end = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct stage_worker *w = &c->workers[i];
		uint64_t ns = begun_ns(w, clock) ? ended_ns(w, clock, now) : 1;

		if (at_work(w))
			return 0;
		if (ns > end)
			end = ns;
	}
	return end;
}

/* ---- samples ------------------------------------------------------------------------------- */

static bool grow(struct course *c)
{
	size_t capacity = c->capacity ? 2 * c->capacity : 64;

	for (int d = 0; d < RESULT_DIRS; d++) {
		struct result_series *series = &c->series[d];
		uint64_t *bytes = realloc(series->bytes, capacity * sizeof(*bytes)), *ios;

		series->bytes = bytes ? bytes : series->bytes;
		ios = realloc(series->ios, capacity * sizeof(*ios));
		series->ios = ios ? ios : series->ios;
		if (!bytes || !ios)
			return false;
		series->interval_ns = interval_ns;
	}
	c->capacity = capacity;
	return true;
}

/*
 * What a counter said at a moment between two looks, in a straight line: the main process may wake
 * late, and its samples still are a second long each.
 */
static uint64_t between(uint64_t seen, uint64_t now, uint64_t part_ns, uint64_t whole_ns)
{
	return seen + (whole_ns ? (uint64_t)((u128)(now - seen) * part_ns / whole_ns)
				: now - seen);
}

/* A sample that ends at at_ns, between the last look and the one that found `now` at now_ns. */
static void add_sample(struct course *c, const struct course_counts *now, uint64_t now_ns,
		uint64_t at_ns)
{
	uint64_t part = at_ns - c->seen_ns, whole = now_ns - c->seen_ns;

	if (c->failed || (c->series[0].n == c->capacity && !grow(c))) {
		c->failed = true;
		return;
	}
	for (int d = 0; d < RESULT_DIRS; d++) {
		struct result_series *series = &c->series[d];
		uint64_t bytes = between(c->seen.bytes[d], now->bytes[d], part, whole);
		uint64_t ios = between(c->seen.ios[d], now->ios[d], part, whole);

		series->bytes[series->n] = bytes - c->given.bytes[d];
		series->ios[series->n++] = ios - c->given.ios[d];
		c->given.bytes[d] = bytes;
		c->given.ios[d] = ios;
	}
}

/* Does the rule hold over the last samples? */
static bool holds(const struct course *c)
{
	const struct job *job = c->workers[0].spec->job;
	size_t window = job->o.steadystate_duration / interval_ns, n = c->series[0].n;
	size_t ramp = (job->o.steadystate_ramp_time + interval_ns - 1) / interval_ns;
	const struct result_series *dirs[RESULT_DIRS];
	struct steady fit;

	if (!window || n < ramp + window)
		return false;
	for (int d = 0; d < RESULT_DIRS; d++)
		dirs[d] = &c->series[d];
	fit = result_fit(dirs, n - window, window,
			job->steady.kind == STEADY_SNIA ? STEADY_ROUNDS : window,
			steady_of_bw(&job->steady));
	return steady_holds(&job->steady, &fit);
}

/* All samples that are whole at now_ns. */
static void add_whole(struct course *c, const struct course_counts *now, uint64_t now_ns)
{
	while (!c->failed) {
		uint64_t due = c->begin_ns + (c->series[0].n + 1) * interval_ns;

		if (due > now_ns)
			break;
		add_sample(c, now, now_ns, due);
		if (!c->attained && !c->stop_ns && holds(c))
			c->attained = c->series[0].n;
	}
	c->seen = *now;
	c->seen_ns = now_ns;
}

bool course_look(struct course *c, const struct clock *clock, uint64_t now_ns)
{
	struct course_counts now;
	bool attained = c->attained;
	uint64_t end;

	if (c->over)
		return false;
	if (!c->begin_ns)
		begin(c, clock);
	end = end_of(c, clock, now_ns);
	if (end)
		course_end(c, clock, now_ns);
	else if (!course_wait(c, now_ns)) {
		count(c, clock, &now);
		add_whole(c, &now, now_ns);
	}
	return c->attained && !attained;
}

void course_end(struct course *c, const struct clock *clock, uint64_t now_ns)
{
	struct course_counts now;
	uint64_t end = end_of(c, clock, now_ns);

	if (c->over || !c->begin_ns)
		return;
	c->over = true;
	end = end ? end : now_ns;
	if (end < c->seen_ns)
		end = c->seen_ns;
	count(c, clock, &now);
	add_whole(c, &now, end);
	add_sample(c, &now, end, end);
}

uint64_t course_wait(const struct course *c, uint64_t now_ns)
{
	uint64_t due = c->begin_ns + (c->series[0].n + 1) * interval_ns;

	if (!c->begin_ns || c->over || c->failed)
		return UINT64_MAX;
	return due > now_ns ? due - now_ns : 0;
}

/* ---- its end ------------------------------------------------------------------------------- */

static int copy_series(struct result_series *to, const struct result_series *from)
{
	if (!from->n)
		return 0;
	to->bytes = malloc(from->n * sizeof(*to->bytes));
	to->ios = malloc(from->n * sizeof(*to->ios));
	if (!to->bytes || !to->ios)
		return -ENOMEM;
	memcpy(to->bytes, from->bytes, from->n * sizeof(*to->bytes));
	memcpy(to->ios, from->ios, from->n * sizeof(*to->ios));
	to->interval_ns = from->interval_ns;
	to->n = from->n;
	return 0;
}

int course_result(const struct course *c, struct result_job *result)
{
	int bad = c->failed ? -ENOMEM : 0;

	result->steady.attained = c->attained;
	for (int d = 0; d < RESULT_DIRS && !bad; d++) {
		if (c->given.ios[d])
			bad = copy_series(&result->dir[d].series, &c->series[d]);
	}
	return bad;
}

void course_free(struct course *c)
{
	for (int d = 0; d < RESULT_DIRS; d++) {
		free(c->series[d].bytes);
		free(c->series[d].ios);
	}
}
