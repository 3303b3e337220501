// SPDX-License-Identifier: MIT
#include "metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postmark.h"

/* What a kind's figure is made of: one direction, or the sum of all. */
struct part {
	uint64_t ios;
	double bw;   /* bytes/s */
	double iops; /* 1/s */
	struct dist lat;
	struct dist spread; /* what percentiles are of */
};

struct metric_kind {
	const char *name; /* "p": followed by a percentage */
	enum metric_unit unit;
	bool larger_is_better;
	double (*value)(const struct metric *m, const struct result_job *job,
			const struct part *part);
};

static double bw(const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)m;
	(void)job;
	return part->bw;
}

static double iops(const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)m;
	(void)job;
	return part->iops;
}

static double lat_mean(
		const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)m;
	(void)job;
	return part->lat.n ? dist_mean(&part->lat) : (double)NAN;
}

static double lat_max(const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)m;
	(void)job;
	return part->lat.n ? (double)part->lat.max : (double)NAN;
}

static double percentile(
		const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)job;
	return dist_knows(&part->spread, m->percent)
			? (double)dist_percentile(&part->spread, m->percent) : (double)NAN;
}

/* CPU time is the workers' as a whole: it cannot be told whose I/O it was. */
static double cpu(const struct metric *m, const struct result_job *job, const struct part *part)
{
	(void)m;
	return (double)(job->cpu_user_ns + job->cpu_sys_ns) / (double)part->ios;
}

/* PostMark's figure, which no other job has. */
static double transactions(
		const struct metric *m, const struct result_job *job, const struct part *part)
{
	struct result_postmark_rates rates;

	(void)m;
	(void)part;
	if (!result_is_postmark(job))
		return (double)NAN;
	result_postmark_rates(job, &rates);
	return rates.transactions;
}

static const struct metric_kind kinds[] = {
	{ "bw", METRIC_BYTES_PER_S, true, bw },
	{ "iops", METRIC_PER_S, true, iops },
	{ "lat_mean", METRIC_NS, false, lat_mean },
	{ "lat_max", METRIC_NS, false, lat_max },
	{ "cpu", METRIC_NS_PER_IO, false, cpu },
	{ "transactions", METRIC_TRANSACTIONS_PER_S, true, transactions },
	{ "p", METRIC_NS, false, percentile },
};

enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* "p99.9": false where it is no percentage. */
static bool parse_percent(const char *text, double *percent)
{
	char *end;

	if (text[0] != 'p' || text[1] < '0' || text[1] > '9')
		return false;
	*percent = strtod(text + 1, &end);
	return !*end && *percent > 0 && *percent <= 100;
}

int metric_parse(struct metric *metric, const char *name, struct err *err)
{
	const char *rest = name;

	*metric = (struct metric){ .dir = -1 };
	for (int d = 0; d < RESULT_DIRS; d++) {
		size_t n = strlen(result_dir_name(d));

		if (!strncmp(name, result_dir_name(d), n) && name[n] == '.') {
			metric->dir = d;
			rest = name + n + 1;
		}
	}
	for (int i = 0; i < NKINDS; i++) {
		if (!strcmp(kinds[i].name, "p") ? parse_percent(rest, &metric->percent)
						: !strcmp(rest, kinds[i].name))
			metric->kind = &kinds[i];
	}
	if (metric->dir >= 0 && metric->kind
			&& (metric->kind->value == cpu || metric->kind->value == transactions))
		metric->kind = NULL;
	if (!metric->kind || strlen(name) >= sizeof(metric->name))
		return err_set(err, EINVAL, "no metric is called `%s`; there are bw, iops, "
				"lat_mean, lat_max, cpu (CPU time per I/O), transactions "
				"(PostMark's), or a percentile of the latency such as p99 or "
				"p99.9; of one direction: read.bw, write.p99", name);
	memcpy(metric->name, name, strlen(name) + 1);
	return 0;
}

double metric_of(const struct metric *metric, const struct result_job *job)
{
	struct part part = { 0 };
	double value = (double)NAN;
	int bad = 0;

	if (job->skipped || result_failed(job))
		return (double)NAN;
	for (int d = 0; d < RESULT_DIRS; d++) {
		const struct result_dir *dir = &job->dir[d];

		if (metric->dir >= 0 && metric->dir != d)
			continue;
		part.ios += dir->ios;
		part.bw += result_bw(job, d);
		part.iops += result_iops(job, d);
		bad |= dist_merge(&part.lat, result_lat(dir));
		bad |= dist_merge(&part.spread, result_spread(dir));
	}
	if (part.ios && !bad)
		value = metric->kind->value(metric, job, &part);
	dist_free(&part.lat);
	dist_free(&part.spread);
	return value;
}

enum metric_unit metric_unit(const struct metric *metric)
{
	return metric->kind->unit;
}

bool metric_larger_is_better(const struct metric *metric)
{
	return metric->kind->larger_is_better;
}
