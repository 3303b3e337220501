/* SPDX-License-Identifier: MIT */
/*
 * One figure of a job by its name: "bw", "iops", "lat_mean", "p99.9", "write.p99", "cpu". What
 * --metric, --until and compare's conditions name, and the only place that knows what it means.
 */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>

#include "../err.h"
#include "result.h"

enum metric_unit {
	METRIC_BYTES_PER_S,
	METRIC_PER_S,
	METRIC_NS,
	METRIC_NS_PER_IO,
	METRIC_TRANSACTIONS_PER_S,
};

struct metric_kind; /* a row of the table in metric.c */

struct metric {
	const struct metric_kind *kind;
	int dir;        /* a direction, or -1: all that the job does, together */
	double percent; /* of a percentile */
	char name[32];  /* as it was asked for */
};

/* -EINVAL with a text that lists what there is. */
int metric_parse(struct metric *metric, const char *name, struct err *err);

/* Its value, in its unit; NaN where the job has none (it failed, or does no such I/O). */
double metric_of(const struct metric *metric, const struct result_job *job);

enum metric_unit metric_unit(const struct metric *metric);

/* Is a larger value the better one? */
bool metric_larger_is_better(const struct metric *metric);

#endif
