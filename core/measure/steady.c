// SPDX-License-Identifier: MIT
#include "steady.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../job/units.h"

static const struct {
	const char *name;
	bool bw;
	bool slope;
} kinds[] = {
	[STEADY_IOPS] = { "iops", false, false },
	[STEADY_IOPS_SLOPE] = { "iops_slope", false, true },
	[STEADY_BW] = { "bw", true, false },
	[STEADY_BW_SLOPE] = { "bw_slope", true, true },
	[STEADY_SNIA] = { "snia", true, false },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- rules --------------------------------------------------------------------------------- */

static int refuse(const char **why, const char *text)
{
	*why = text;
	return -EINVAL;
}

/* "0.3%", a whole number, or for bandwidth a size. */
static int parse_limit(
		struct steady_rule *rule, const char *text, unsigned kb_base, const char **why)
{
	uint64_t bytes;
	int64_t ios;
	char *end;

	rule->percent = strchr(text, '%');
	if (rule->percent) {
		rule->limit = strtod(text, &end);
		/* strtod takes "inf" and "0x1p3" too. */
		if (end == text || strcmp(end, "%") || text[strspn(text, "0123456789.")] != '%')
			return refuse(why, "the percentage must be a number and a `%`");
	} else if (kinds[rule->kind].bw) {
		if (units_size(text, kb_base, &bytes, why))
			return -EINVAL;
		rule->limit = (double)bytes;
	} else {
		if (units_int(text, &ios, why))
			return -EINVAL;
		rule->limit = (double)ios;
	}
	return rule->limit > 0 ? 0 : refuse(why, "the limit must be above 0");
}

int steady_parse(
		struct steady_rule *rule, const char *text, unsigned kb_base, const char **why)
{
	size_t length = strcspn(text, ":");
	size_t kind = 0;

	while (kind < KINDS && (strlen(kinds[kind].name) != length
			|| strncmp(kinds[kind].name, text, length)))
		kind++;
	if (kind == KINDS)
		return refuse(why, "must be one of iops, iops_slope, bw, bw_slope with a limit, as "
				"in iops:10%, or snia");
	*rule = (struct steady_rule){ .kind = (enum steady_kind)kind };
	if (kind == STEADY_SNIA)
		return text[length] ? refuse(why, "snia has its own limits, and takes none") : 0;
	if (!text[length])
		return refuse(why, "a limit must follow, as in iops:10%");
	return parse_limit(rule, text + length + 1, kb_base, why);
}

bool steady_same(const struct steady_rule *a, const struct steady_rule *b)
{
	return a->kind == b->kind && a->percent == b->percent && !(a->limit < b->limit)
			&& !(a->limit > b->limit);
}

char *steady_print(char *buf, size_t size, const struct steady_rule *rule, bool as_fio)
{
	if (rule->kind == STEADY_SNIA)
		snprintf(buf, size, "%s", kinds[rule->kind].name);
	else
		snprintf(buf, size, as_fio ? "%s:%f%s" : "%s:%.15g%s", kinds[rule->kind].name,
				rule->limit, rule->percent ? "%" : "");
	return buf;
}

bool steady_of_bw(const struct steady_rule *rule)
{
	return kinds[rule->kind].bw;
}

/* ---- values -------------------------------------------------------------------------------- */

void steady_add(struct steady *s, double value)
{
	if (!s->n || value < s->min)
		s->min = value;
	if (!s->n || value > s->max)
		s->max = value;
	s->sum += value;
	s->sum_xy += (double)s->n * value;
	s->n++;
}

double steady_mean(const struct steady *s)
{
	return s->n ? s->sum / (double)s->n : 0;
}

double steady_range(const struct steady *s)
{
	return s->max - s->min;
}

double steady_deviation(const struct steady *s)
{
	return fmax(s->max - steady_mean(s), steady_mean(s) - s->min);
}

/* The x are 0 to n - 1: their sum is n (n - 1) / 2, that of their squares (2 n - 1) / 3 of it. */
double steady_slope(const struct steady *s)
{
	double n = (double)s->n;

	if (s->n < 2)
		return 0;
	return (s->sum_xy - (n - 1) / 2 * s->sum) / (n * (n * n - 1) / 12);
}

double steady_movement(const struct steady *s)
{
	return s->n ? fabs(steady_slope(s)) * (double)(s->n - 1) : 0;
}

double steady_percent(const struct steady *s, double figure)
{
	double mean = steady_mean(s);

	return mean > 0 ? figure * 100 / mean : 0;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

bool steady_snia(const struct steady *s)
{
	return steady_mean(s) > 0
			&& steady_percent(s, steady_range(s)) <= STEADY_RANGE_PERCENT
			&& steady_percent(s, steady_movement(s)) <= STEADY_MOVEMENT_PERCENT;
}

double steady_criterion(const struct steady_rule *rule, const struct steady *s)
{
	double figure = kinds[rule->kind].slope ? steady_slope(s) : steady_deviation(s);

	if (rule->kind == STEADY_SNIA)
		return steady_percent(s, steady_range(s));
	return rule->percent ? steady_percent(s, figure) : figure;
}

bool steady_holds(const struct steady_rule *rule, const struct steady *s)
{
	if (rule->kind == STEADY_SNIA)
		return steady_snia(s);
	/* Nothing moved: of no rate can it be said that it is within some percent of itself. */
	if (rule->percent && steady_mean(s) <= 0)
		return false;
	return fabs(steady_criterion(rule, s)) < rule->limit;
}
