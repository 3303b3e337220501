/* SPDX-License-Identifier: MIT */
/*
 * Is a rate steady? Judged by values of it at equal distances: fio's criteria (steadystate), and
 * those of SNIA's Solid State Storage Performance Test Specification. Pure.
 */
#ifndef STEADY_H
#define STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* SNIA: steady when over five rounds both hold, in percent of their mean. */
enum {
	STEADY_ROUNDS = 5,
	STEADY_RANGE_PERCENT = 20,    /* largest - smallest */
	STEADY_MOVEMENT_PERCENT = 10, /* of the fitted line, from the first round to the last */
};

enum steady_kind {
	STEADY_IOPS,
	STEADY_IOPS_SLOPE,
	STEADY_BW,
	STEADY_BW_SLOPE,
	STEADY_SNIA, /* of the bandwidth */
};

struct steady_rule {
	enum steady_kind kind;
	double limit; /* what it must stay below; for bandwidth bytes/s. Of SNIA: unused */
	bool percent; /* of the mean */
};

/*
 * "iops:10%", "bw_slope:1k", "snia". -EINVAL with *why, a static text; percentages may have
 * fractions. kb_base as in units_size().
 */
int steady_parse(
		struct steady_rule *rule, const char *text, unsigned kb_base, const char **why);

bool steady_same(const struct steady_rule *a, const struct steady_rule *b);

/*
 * The rule into buf (64 bytes are enough); returns it. "iops:10%", or, as fio's JSON prints it,
 * "iops:10.000000%".
 */
char *steady_print(char *buf, size_t size, const struct steady_rule *rule, bool as_fio);

/* Does it look at bandwidth, rather than at IOPS? */
bool steady_of_bw(const struct steady_rule *rule);

/* What is known of a series of values, added one after the other; starts zeroed. */
struct steady {
	size_t n;
	double min;
	double max;
	double sum;
	double sum_xy; /* each value times its number, from 0 */
};

void steady_add(struct steady *s, double value);

/* Of no values, or of one where it takes two, they are 0. */
double steady_mean(const struct steady *s);
double steady_range(const struct steady *s);     /* largest - smallest */
double steady_deviation(const struct steady *s); /* largest distance from the mean */
double steady_slope(const struct steady *s);     /* of the least-squares line, per value */
double steady_movement(const struct steady *s);  /* of that line from first to last, >= 0 */

/* As a share of the mean, percent; 0 where the mean is 0. */
double steady_percent(const struct steady *s, double figure);

/* The SNIA pair, whose values are rounds. Where nothing moved at all, nothing was steady. */
bool steady_snia(const struct steady *s);

/* What the rule compares with its limit, in the limit's unit; of SNIA the range in percent. */
double steady_criterion(const struct steady_rule *rule, const struct steady *s);
bool steady_holds(const struct steady_rule *rule, const struct steady *s);

#endif
