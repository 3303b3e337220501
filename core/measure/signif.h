/* SPDX-License-Identifier: MIT */
/*
 * Is a difference between two sets of runs more than chance? Figures of storage are not normally
 * distributed, so all of it goes by rank: median, order statistics, Mann-Whitney U.
 */
#ifndef SIGNIF_H
#define SIGNIF_H

#include <stdbool.h>
#include <stddef.h>

void signif_sort(double *values, size_t n);

/* Of sorted values; NaN of none. */
double signif_median(const double *sorted, size_t n);

/*
 * A confidence interval of the median of which nothing need be known of the distribution: the
 * narrowest pair of values, as far from one end as from the other, that holds the median with at
 * least this confidence (0.95), by the binomial distribution. false where even the smallest and the
 * largest value do not (at 95 %: fewer than 6 values); then *low and *high are NaN.
 */
bool signif_interval(const double *sorted, size_t n, double confidence, double *low, double *high);

/*
 * The two-sided p value of the Mann-Whitney U test, of samples of at least one value each: how
 * often chance alone parts them at least as far. 0 or -ENOMEM.
 *
 * Exact, ties included, while the smaller sample times both together is at most SIGNIF_EXACT (38
 * values against 38, 4 against 746): of all ways to deal the pooled ranks to the samples, the share
 * whose rank sum lies at least as far from its mean. It takes some 10 ms there, and four times that
 * for samples of twice the size. Beyond, the normal approximation, with corrections for ties and
 * continuity, errs to the careful side: at 38 against 38 its p is 1 % too large at 0.05, 6 % at
 * 0.01 and 20 % at 0.001.
 */
enum { SIGNIF_EXACT = 3000 };
int signif_mann_whitney(const double *a, size_t na, const double *b, size_t nb, double *p);

/* The approximation, whatever the size. 0 or -ENOMEM. */
int signif_mann_whitney_normal(const double *a, size_t na, const double *b, size_t nb, double *p);

/* The smallest p that samples of these sizes can come to: that of one wholly above the other. */
double signif_best_p(size_t na, size_t nb);

/*
 * p values of a family of m corrected for its size, into adjusted (not p itself): each is what
 * alpha would have to be for its test to be significant. Holm keeps the chance of any false find
 * below alpha, Benjamini-Hochberg the share of false ones among the finds. 0 or -ENOMEM.
 */
int signif_holm(const double *p, double *adjusted, size_t m);
int signif_benjamini_hochberg(const double *p, double *adjusted, size_t m);

/*
 * The smallest number of runs a side with which one difference among m tests can be significant
 * after either correction: the best p of n against n is at most alpha / m.
 */
size_t signif_runs_needed(size_t m, double alpha);

/* The geometric mean of values above 0; NaN of none. */
double signif_geomean(const double *values, size_t n);

#endif
