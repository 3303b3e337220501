// SPDX-License-Identifier: MIT
#include "signif.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void signif_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_value);
}

double signif_median(const double *sorted, size_t n)
{
	if (!n)
		return (double)NAN;
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* log of n over k */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

bool signif_interval(const double *sorted, size_t n, double confidence, double *low, double *high)
{
	double outside = 0; /* the chance that the median lies below sorted[k], or above its twin */
	size_t k;

	*low = *high = (double)NAN;
	for (k = 0; k < (n + 1) / 2; k++) {
		outside += exp(log_choose((double)n, (double)k) - (double)n * log(2));
		if (2 * outside > 1 - confidence)
			break;
		*low = sorted[k];
		*high = sorted[n - 1 - k];
	}
	return k > 0;
}

/* ---- Mann-Whitney -------------------------------------------------------------------------- */

struct pooled {
	double value;
	bool first; /* of the first sample */
};

/*
 * Two samples as ranks. All of them are doubled, so that the mean of those that tie is a whole
 * number, too.
 */
struct ranks {
	size_t n;       /* of both samples */
	size_t nfirst;
	uint32_t *rank; /* doubled, ascending */
	uint64_t sum;   /* of the first sample */
	double ties;    /* sum of t^3 - t over all groups of t equal values */
};

static int by_pooled(const void *a, const void *b)
{
	const struct pooled *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int ranks_make(struct ranks *r, const double *a, size_t na, const double *b, size_t nb)
{
	struct pooled *all;

	*r = (struct ranks){ .n = na + nb, .nfirst = na };
	all = malloc(r->n * sizeof(*all));
	r->rank = malloc(r->n * sizeof(*r->rank));
	if (!all || !r->rank) {
		free(all);
		free(r->rank);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->n; i++)
		all[i] = (struct pooled){ i < na ? a[i] : b[i - na], i < na };
	qsort(all, r->n, sizeof(*all), by_pooled);
	for (size_t i = 0, end; i < r->n; i = end) {
		double t;

		for (end = i; end < r->n && !(all[end].value > all[i].value); end++)
			;
		t = (double)(end - i);
		r->ties += t * t * t - t;
		for (size_t j = i; j < end; j++) {
			r->rank[j] = (uint32_t)(i + 1 + end); /* first + last, from 1 */
			r->sum += all[j].first ? r->rank[j] : 0;
		}
	}
	free(all);
	return 0;
}

/* Looks at the smaller sample, whose rank sum says as much: what is over from the sum of all. */
static void ranks_turn(struct ranks *r)
{
	if (r->nfirst <= r->n / 2)
		return;
	r->nfirst = r->n - r->nfirst;
	r->sum = (uint64_t)r->n * (r->n + 1) - r->sum;
}

/* How far a doubled rank sum is from its mean. */
static uint64_t distance(const struct ranks *r, uint64_t sum)
{
	uint64_t mean = (uint64_t)r->nfirst * (r->n + 1);

	return sum > mean ? sum - mean : mean - sum;
}

/*
 * ways[k][s]: in how many ways can k of the ranks seen so far add up to s? Doubles count without
 * error up to 2^53, and beyond that to 16 digits, since all that is done is adding.
 */
static int exact_p(const struct ranks *r, double *p)
{
	size_t k = r->nfirst, sums = 0;
	double all = 0, far = 0;
	double *ways;

	for (size_t i = r->n - k; i < r->n; i++)
		sums += r->rank[i];
	sums++;
	ways = calloc((k + 1) * sums, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < r->n; i++) {
		size_t rank = r->rank[i];

		for (size_t j = i + 1 < k ? i + 1 : k; j > 0; j--) {
			double *to = ways + j * sums;
			const double *from = to - sums;

			for (size_t s = rank; s < sums; s++)
				to[s] += from[s - rank];
		}
	}
	for (size_t s = 0; s < sums; s++) {
		all += ways[k * sums + s];
		if (distance(r, s) >= distance(r, r->sum))
			far += ways[k * sums + s];
	}
	free(ways);
	*p = far / all;
	return 0;
}

/* Of half the doubled rank sum: variance n1 n2 / 12 * (n + 1 - ties / (n (n - 1))). */
static double normal_p(const struct ranks *r)
{
	double n = (double)r->n;
	double pairs = (double)r->nfirst * (n - (double)r->nfirst);
	double variance = pairs / 12 * (n + 1 - r->ties / (n * (n - 1)));
	double away = (double)distance(r, r->sum) / 2 - 0.5;

	return away > 0 && variance > 0 ? erfc(away / sqrt(variance) / sqrt(2)) : 1;
}

int signif_mann_whitney_normal(const double *a, size_t na, const double *b, size_t nb, double *p)
{
	struct ranks r;
	int err = ranks_make(&r, a, na, b, nb);

	if (err)
		return err;
	*p = normal_p(&r);
	free(r.rank);
	return 0;
}

int signif_mann_whitney(const double *a, size_t na, const double *b, size_t nb, double *p)
{
	struct ranks r;
	int err = ranks_make(&r, a, na, b, nb);

	if (err)
		return err;
	ranks_turn(&r);
	if (r.nfirst * r.n <= SIGNIF_EXACT)
		err = exact_p(&r, p);
	else
		*p = normal_p(&r);
	free(r.rank);
	return err;
}

double signif_best_p(size_t na, size_t nb)
{
	double p = 2 * exp(-log_choose((double)(na + nb), (double)na));

	return p < 1 ? p : 1;
}

/* ---- families of tests --------------------------------------------------------------------- */

struct ordered {
	double p;
	size_t place;
};

static int by_p(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* The p values in ascending order, and where each came from; NULL without memory. */
static struct ordered *in_order(const double *p, size_t m)
{
	struct ordered *order = malloc((m ? m : 1) * sizeof(*order));

	for (size_t i = 0; order && i < m; i++)
		order[i] = (struct ordered){ p[i], i };
	if (order)
		qsort(order, m, sizeof(*order), by_p);
	return order;
}

int signif_holm(const double *p, double *adjusted, size_t m)
{
	struct ordered *order = in_order(p, m);
	double least = 0; /* none is smaller than one before it */

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < m; i++) {
		least = fmin(1, fmax(least, order[i].p * (double)(m - i)));
		adjusted[order[i].place] = least;
	}
	free(order);
	return 0;
}

int signif_benjamini_hochberg(const double *p, double *adjusted, size_t m)
{
	struct ordered *order = in_order(p, m);
	double most = 1; /* none is larger than one behind it */

	if (!order)
		return -ENOMEM;
	for (size_t i = m; i-- > 0;) {
		most = fmin(most, order[i].p * (double)m / (double)(i + 1));
		adjusted[order[i].place] = most;
	}
	free(order);
	return 0;
}

size_t signif_runs_needed(size_t m, double alpha)
{
	double threshold = alpha / (double)(m ? m : 1);
	size_t n = 1;

	/* The rounding of log_choose() shall not cost a run where both are the same number. */
	while (signif_best_p(n, n) > threshold * (1 + 1e-9))
		n++;
	return n;
}

double signif_geomean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(values[i]);
	return n ? exp(sum / (double)n) : (double)NAN;
}
