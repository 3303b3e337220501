// SPDX-License-Identifier: MIT
#include "text_repeats.h"

#include <errno.h>
#include <math.h>

#include "../core/job/units.h"
#include "../core/result/repeats.h"
#include "wrap.h"

enum { BUF = 64 };

/* A figure with its unit. */
static const char *print(char buf[BUF], const struct metric *metric, double value)
{
	char number[32];
	uint64_t whole = value > 0 && value < 0x1p63 ? (uint64_t)(value + 0.5) : 0;

	switch (metric_unit(metric)) {
	case METRIC_BYTES_PER_S:
		units_print_size(number, sizeof(number), whole);
		snprintf(buf, BUF, "%s/s", number);
		break;
	case METRIC_PER_S:
	case METRIC_TRANSACTIONS_PER_S:
		units_print_si(number, sizeof(number), value);
		snprintf(buf, BUF, "%s/s", number);
		break;
	case METRIC_NS:
	case METRIC_NS_PER_IO:
		units_print_time(buf, BUF, whole);
		break;
	}
	return buf;
}

void text_repeats_head(FILE *to, const struct result *result)
{
	const struct result_until *until = &result->until;
	struct wrap wrap;

	if (!result->nrepeats)
		return;
	wrap_begin(&wrap, to, 0, 2, "");
	wrap_add(&wrap, "", "%zu repeat%s:", result->nrepeats, result->nrepeats == 1 ? "" : "s");
	wrap_words(&wrap, " ", "each job as in the one where its");
	wrap_words(&wrap, " ", result->chosen_by ? result->chosen_by : "bw");
	wrap_words(&wrap, " ", "is the median");
	wrap_end(&wrap);
	if (!until->metric)
		return;
	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", until->reached ? "until" : "NOT REACHED:");
	wrap_words(&wrap, " ", "the 95 % interval of the median");
	wrap_words(&wrap, " ", until->metric);
	wrap_add(&wrap, " ", "is at most %g %% wide", until->percent);
	if (until->widest_percent > 0 && isfinite(until->widest_percent))
		wrap_add(&wrap, " ", "(%.2g %% at the widest)", until->widest_percent);
	wrap_end(&wrap);
}

int text_repeats_job(FILE *to, const struct result *result, size_t job, size_t column)
{
	size_t failed = repeats_failed(result, job);
	struct repeats_spread spread;
	struct metric metric;
	struct wrap wrap;
	char low[BUF], high[BUF];
	struct err err;

	if (!result->nrepeats || result->jobs[job].skipped)
		return 0;
	if (metric_parse(&metric, result->chosen_by ? result->chosen_by : "bw", &err))
		return 0;
	if (repeats_spread(result, job, &metric, &spread))
		return -ENOMEM;
	wrap_begin(&wrap, to, 2, column, "repeats");
	wrap_add(&wrap, " ", "this is %u of %zu", result->jobs[job].repeat, result->nrepeats);
	if (failed)
		wrap_add(&wrap, ", ", "%zu FAILED", failed);
	if (spread.n > 1) {
		wrap_words(&wrap, "; ", metric.name);
		wrap_add(&wrap, " ", "%s .. %s", print(low, &metric, spread.min),
				print(high, &metric, spread.max));
		wrap_add(&wrap, ", ", "median %s", print(low, &metric, spread.median));
	}
	if (spread.interval)
		wrap_add(&wrap, ", ", "95 %% interval %s .. %s", print(low, &metric, spread.low),
				print(high, &metric, spread.high));
	wrap_end(&wrap);
	return 0;
}
