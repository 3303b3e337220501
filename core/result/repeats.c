// SPDX-License-Identifier: MIT
#include "repeats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/signif.h"

static const double confidence = 0.95;

struct result repeats_one(const struct result *result, size_t i)
{
	const struct result_repeat *repeat = &result->repeats[i];
	struct result one = *result;

	one.started_ms = repeat->started_ms;
	one.ended_ms = repeat->ended_ms;
	one.jobs = repeat->jobs;
	one.njobs = repeat->njobs;
	one.repeats = NULL;
	one.nrepeats = 0;
	return one;
}

/* The figures that there are, sorted. How many, or -ENOMEM; *values to be freed. */
static long figures(const struct result *result, size_t job, const struct metric *metric,
		double **values)
{
	size_t n = 0;

	*values = calloc(result->nrepeats + 1, sizeof(**values));
	if (!*values)
		return -ENOMEM;
	for (size_t i = 0; i < result->nrepeats; i++) {
		double value = metric_of(metric, &result->repeats[i].jobs[job]);

		if (isfinite(value))
			(*values)[n++] = value;
	}
	signif_sort(*values, n);
	return (long)n;
}

/* Which repeat to show of a job: the first with this figure; without one, the first that failed. */
static size_t chosen(const struct result *result, size_t job, const struct metric *metric,
		const double *median)
{
	size_t failed = result->nrepeats;

	for (size_t i = result->nrepeats; i-- > 0;) {
		const struct result_job *one = &result->repeats[i].jobs[job];

		if (median ? metric_of(metric, one) == *median : result_failed(one))
			failed = i;
	}
	return failed < result->nrepeats ? failed : 0;
}

int repeats_choose(struct result *result, const struct metric *metric)
{
	size_t n = result->nrepeats ? result->repeats[0].njobs : 0;
	char *name;

	if (!result->nrepeats)
		return 0;
	name = strdup(metric->name);
	free(result->chosen_by);
	result->chosen_by = name;
	free(result->jobs);
	result->njobs = 0;
	result->jobs = calloc(n + 1, sizeof(*result->jobs));
	if (!result->jobs || !name)
		return -ENOMEM;
	for (size_t j = 0; j < n; j++) {
		double *values;
		long found = figures(result, j, metric, &values);
		size_t i;

		if (found < 0)
			return -ENOMEM;
		i = chosen(result, j, metric, found ? &values[(found - 1) / 2] : NULL);
		free(values);
		result->jobs[result->njobs++] = result->repeats[i].jobs[j];
	}
	return 0;
}

int repeats_spread(const struct result *result, size_t job, const struct metric *metric,
		struct repeats_spread *spread)
{
	double *values;
	long n = figures(result, job, metric, &values);

	*spread = (struct repeats_spread){ .n = n > 0 ? (size_t)n : 0 };
	if (n > 0) {
		spread->min = values[0];
		spread->max = values[n - 1];
		spread->median = signif_median(values, spread->n);
		spread->interval = signif_interval(values, spread->n, confidence, &spread->low,
				&spread->high);
	}
	free(values);
	return n < 0 ? -ENOMEM : 0;
}

int repeats_widest(const struct result *result, const struct metric *metric, double *percent)
{
	size_t n = result->nrepeats ? result->repeats[0].njobs : 0;

	*percent = (double)NAN;
	for (size_t j = 0; j < n; j++) {
		struct repeats_spread spread;
		double width = (double)INFINITY;

		if (repeats_spread(result, j, metric, &spread))
			return -ENOMEM;
		if (!spread.n)
			continue;
		if (spread.interval && spread.median > 0)
			width = (spread.high - spread.low) * 100 / spread.median;
		if (!(width <= *percent)) /* the first one, too */
			*percent = width;
	}
	return 0;
}

size_t repeats_failed(const struct result *result, size_t job)
{
	size_t n = 0;

	for (size_t i = 0; i < result->nrepeats; i++)
		n += result_failed(&result->repeats[i].jobs[job]);
	return n;
}
