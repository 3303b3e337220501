// SPDX-License-Identifier: MIT
#include "course.h"

#include "postmark.h"

struct steady result_fit(const struct result_series *const dirs[RESULT_DIRS], size_t first,
		size_t n, size_t rounds, bool bytes)
{
	struct steady fit = { .n = 0 };

	for (size_t r = 0; r < rounds; r++) {
		size_t from = first + r * n / rounds, to = first + (r + 1) * n / rounds;
		uint64_t sum = 0, ns = 0;

		for (int d = 0; d < RESULT_DIRS; d++) {
			const uint64_t *values = bytes ? dirs[d]->bytes : dirs[d]->ios;

			for (size_t i = from; i < to && i < dirs[d]->n; i++)
				sum += values[i];
			if (dirs[d]->n)
				ns = dirs[d]->interval_ns * (to - from);
		}
		steady_add(&fit, ns ? (double)sum * 1e9 / (double)ns : 0);
	}
	return fit;
}

static struct steady fit_job(const struct result_job *job, size_t first, size_t n, size_t rounds,
		bool bytes)
{
	const struct result_series *dirs[RESULT_DIRS];

	for (int d = 0; d < RESULT_DIRS; d++)
		dirs[d] = &job->dir[d].series;
	return result_fit(dirs, first, n, rounds, bytes);
}

/* The direction whose series is the longest, or NULL where there is none. */
static const struct result_series *longest(const struct result_job *job)
{
	const struct result_series *found = NULL;

	for (int d = 0; d < RESULT_DIRS; d++) {
		const struct result_series *series = &job->dir[d].series;

		if (series->n && (!found || series->n > found->n))
			found = series;
	}
	return found;
}

size_t result_course(const struct result_job *job)
{
	const struct result_series *series = longest(job);

	return series ? series->n - 1 : 0;
}

uint64_t result_course_at(const struct result_job *job, size_t i, bool bytes)
{
	uint64_t sum = 0;

	for (int d = 0; d < RESULT_DIRS; d++) {
		const struct result_series *series = &job->dir[d].series;

		if (i < series->n)
			sum += bytes ? series->bytes[i] : series->ios[i];
	}
	return sum;
}

struct result_verdict result_verdict(const struct result_job *job)
{
	size_t n = result_course(job);
	struct steady fit;

	/* PostMark's phases are not alike, and are not meant to be. */
	if (n < STEADY_ROUNDS || result_is_postmark(job))
		return (struct result_verdict){ .judged = false };
	fit = fit_job(job, 0, n, STEADY_ROUNDS, true);
	return (struct result_verdict){
		.judged = true,
		.steady = steady_snia(&fit),
		.range_percent = steady_percent(&fit, steady_range(&fit)),
		.movement_percent = steady_percent(&fit, steady_movement(&fit)),
	};
}

struct result_window result_window(const struct result_job *job)
{
	const struct result_series *series = longest(job);
	const struct result_steady *steady = &job->steady;
	bool snia = steady->rule.kind == STEADY_SNIA;
	struct result_window window = { .n = 0 };
	size_t end = steady->attained ? steady->attained : result_course(job), ramp;

	if (!series || !steady->window_ns)
		return window;
	ramp = (steady->ramp_ns + series->interval_ns - 1) / series->interval_ns;
	window.n = steady->window_ns / series->interval_ns;
	if (window.n > (end > ramp ? end - ramp : 0))
		window.n = end > ramp ? end - ramp : 0;
	window.first = end - window.n;
	window.fit = fit_job(job, window.first, window.n, window.n, steady_of_bw(&steady->rule));
	window.criterion = steady_criterion(&steady->rule, &window.fit);
	if (snia && window.n >= STEADY_ROUNDS) {
		struct steady rounds = fit_job(job, window.first, window.n, STEADY_ROUNDS, true);

		window.criterion = steady_criterion(&steady->rule, &rounds);
	}
	return window;
}
