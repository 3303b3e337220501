// SPDX-License-Identifier: MIT
/*
 * core/measure/signif against figures from elsewhere: R 4.2.2 (wilcox.test, p.adjust, qbinom) and
 * SciPy 1.10.1 (permutation_test); each says which call gave it.
 */
#include <math.h>
#include <string.h>

#include "../../core/measure/signif.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(median)
{
	double odd[] = { 3, 1, 2 };
	double even[] = { 4, 1, 3, 10 };

	signif_sort(odd, N(odd));
	signif_sort(even, N(even));
	ck_assert_double_eq(signif_median(odd, N(odd)), 2);
	ck_assert_double_eq(signif_median(even, N(even)), 3.5);
	ck_assert_double_eq(signif_median(even, 1), 1);
	ck_assert(isnan(signif_median(even, 0)));
	signif_sort(NULL, 0);
}
END_TEST

/* Of the values 1 to n: which one is the lower end? R: qbinom(alpha / 2, n, 0.5), 0 for none. */
START_TEST(interval)
{
	static const struct {
		size_t n;
		double confidence;
		double low;
	} rows[] = {
		{ 0, 0.95, 0 }, { 1, 0.95, 0 }, { 5, 0.95, 0 }, { 6, 0.95, 1 }, { 8, 0.95, 1 },
		{ 9, 0.95, 2 }, { 11, 0.95, 2 }, { 15, 0.95, 4 }, { 20, 0.95, 6 },
		{ 50, 0.95, 18 }, { 101, 0.95, 41 }, { 7, 0.99, 0 }, { 8, 0.99, 1 },
		{ 20, 0.99, 4 }, { 5, 0.9, 1 }, { 2000, 0.95, 956 },
	};
	double values[2000];

	for (size_t i = 0; i < N(values); i++)
		values[i] = (double)(i + 1);
	for (size_t i = 0; i < N(rows); i++) {
		double low, high;
		bool any = signif_interval(values, rows[i].n, rows[i].confidence, &low, &high);

		ck_assert_int_eq(any, rows[i].low > 0);
		if (any) {
			ck_assert_double_eq(low, rows[i].low);
			ck_assert_double_eq(high, (double)rows[i].n + 1 - rows[i].low);
		} else {
			ck_assert(isnan(low) && isnan(high));
		}
	}
}
END_TEST

/* Samples end with a 0. */
struct samples {
	double a[16];
	double b[16];
	double p;
};

static size_t length(const double *values)
{
	size_t n = 0;

	while (values[n] > 0)
		n++;
	return n;
}

static const struct samples exact[] = {
	/* R: wilcox.test(a, b)$p.value */
	{ { 47932, 47100, 48011, 47555 }, { 45102, 46000, 45911, 46555 }, 0.0285714285714286 },
	{ { 1, 2, 3, 10, 12 }, { 4, 5, 6, 7, 8, 9, 11 }, 0.53030303030303 },
	{ { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
			{ 1.15, 0.88, 0.90, 0.74, 1.21 }, 0.254412254412254 },
	/*
	 * Ties. SciPy: ranks = rankdata(a + b), then permutation_test((ranks of a, ranks of b),
	 * lambda x, y: abs(sum(x) - mean), n_resamples=inf, alternative="greater"), with
	 * mean = len(a) * (len(ranks) + 1) / 2.
	 */
	{ { 1, 1, 2, 2, 3, 4, 5, 5 }, { 2, 3, 3, 5, 6, 6, 7, 8 }, 550.0 / 12870 },
	{ { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, 1 },
	{ { 1, 2, 2, 3 }, { 2, 3, 4, 4, 5, 5, 6 }, 13.0 / 330 },
	{ { 10, 10, 10, 10, 11 }, { 11, 12, 12, 12, 12 }, 4.0 / 252 },
	{ { 5, 5, 7 }, { 1, 1, 5, 5, 5, 5 }, 21.0 / 84 },
	/* One against one, one against many: nothing can be far. */
	{ { 1 }, { 2 }, 1 },
	{ { 1 }, { 2, 3, 4, 5 }, 0.4 },
};

START_TEST(mann_whitney_exact)
{
	const struct samples *s = &exact[_i];
	double p;

	ck_assert_int_eq(signif_mann_whitney(s->a, length(s->a), s->b, length(s->b), &p), 0);
	ck_assert_double_eq_tol(p, s->p, 1e-12);
	ck_assert_int_eq(signif_mann_whitney(s->b, length(s->b), s->a, length(s->a), &p), 0);
	ck_assert_double_eq_tol(p, s->p, 1e-12);
}
END_TEST

/* Two samples wholly apart: the exact table, 2 / choose(2n, n). */
START_TEST(mann_whitney_apart)
{
	static const struct {
		size_t n;
		double p;
	} rows[] = {
		{ 3, 0.1 }, { 4, 0.0285714285714286 }, { 5, 0.00793650793650794 },
		{ 6, 0.00216450216450216 }, { 7, 0.000582750582750583 },
		{ 8, 0.000155400155400155 },
	};

	for (size_t i = 0; i < N(rows); i++) {
		double a[8], b[8], p;

		for (size_t j = 0; j < rows[i].n; j++) {
			a[j] = (double)j;
			b[j] = (double)j + 100;
		}
		ck_assert_int_eq(signif_mann_whitney(a, rows[i].n, b, rows[i].n, &p), 0);
		ck_assert_double_eq_tol(p, rows[i].p, 1e-12);
		ck_assert_double_eq_tol(signif_best_p(rows[i].n, rows[i].n), p, 1e-12);
	}
}
END_TEST

START_TEST(mann_whitney_normal)
{
	static const double tied_a[] = { 1, 1, 2, 2, 3, 4, 5, 5 };
	static const double tied_b[] = { 2, 3, 3, 5, 6, 6, 7, 8 };
	double a[60], b[55], p;

	/* R: wilcox.test(a, b, exact=FALSE)$p.value */
	ck_assert_int_eq(signif_mann_whitney_normal(tied_a, 8, tied_b, 8, &p), 0);
	ck_assert_double_eq_tol(p, 0.0496225717694063, 1e-12);
	/* R: a <- (1:60*37)%%101; b <- (1:55*53)%%97+8; large enough to go this way by itself */
	for (int i = 0; i < 60; i++)
		a[i] = (i + 1) * 37 % 101;
	for (int i = 0; i < 55; i++)
		b[i] = (i + 1) * 53 % 97 + 8;
	ck_assert_int_eq(signif_mann_whitney(a, 60, b, 55, &p), 0);
	ck_assert_double_eq_tol(p, 0.528749311769978, 1e-12);
	/* All equal: no variance. */
	for (int i = 0; i < 60; i++)
		a[i] = 7;
	ck_assert_int_eq(signif_mann_whitney(a, 60, a, 60, &p), 0);
	ck_assert_double_eq(p, 1);
}
END_TEST

/*
 * Where the one takes over from the other, the approximation is the careful one. R: a <- 0:37*2,
 * b <- 0:37*2+1+shift, wilcox.test(a, b, exact=...)$p.value
 */
START_TEST(exact_meets_normal)
{
	static const struct {
		int shift;
		double exact;
		double normal;
	} rows[] = {
		{ 8, 0.09558535, 0.09543726 }, { 12, 0.01853657, 0.01914711 },
		{ 16, 0.0025828, 0.002916868 }, { 20, 0.0002674768, 0.0003590004 },
		{ 40, 1.23475e-10, 3.505519e-09 },
	};

	for (size_t row = 0; row < N(rows); row++) {
		double a[38], b[38], p;

		for (int i = 0; i < 38; i++) {
			a[i] = i * 2;
			b[i] = i * 2 + 1 + rows[row].shift;
		}
		ck_assert_int_eq(signif_mann_whitney(a, 38, b, 38, &p), 0);
		ck_assert_double_eq_tol(p / rows[row].exact, 1, 1e-6);
		ck_assert_int_eq(signif_mann_whitney_normal(a, 38, b, 38, &p), 0);
		ck_assert_double_eq_tol(p / rows[row].normal, 1, 1e-6);
	}
}
END_TEST

/* R: p.adjust(p, "holm") and p.adjust(p, "BH") */
START_TEST(families)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005, 0.5, 0.0301, 0.8, 0.002, 0.2, 0.03 };
	static const double holm[] = { 0.080, 0.210, 0.210, 0.045, 1, 0.210, 1, 0.020, 0.6, 0.210 };
	static const double bh[] = {
		0.0333333333333333, 0.0571428571428571, 0.0501666666666667, 0.025,
		0.555555555555556, 0.0501666666666667, 0.8, 0.02, 0.25, 0.0501666666666667,
	};
	double adjusted[N(p)];

	ck_assert_int_eq(signif_holm(p, adjusted, N(p)), 0);
	for (size_t i = 0; i < N(p); i++)
		ck_assert_double_eq_tol(adjusted[i], holm[i], 1e-12);
	ck_assert_int_eq(signif_benjamini_hochberg(p, adjusted, N(p)), 0);
	for (size_t i = 0; i < N(p); i++)
		ck_assert_double_eq_tol(adjusted[i], bh[i], 1e-12);
	ck_assert_int_eq(signif_holm(p, adjusted, 0), 0);
	ck_assert_int_eq(signif_benjamini_hochberg(p, adjusted, 0), 0);
}
END_TEST

START_TEST(runs_needed)
{
	ck_assert_uint_eq(signif_runs_needed(1, 0.05), 4);
	ck_assert_uint_eq(signif_runs_needed(0, 0.05), 4);
	ck_assert_uint_eq(signif_runs_needed(6, 0.05), 5);
	ck_assert_uint_eq(signif_runs_needed(14, 0.05), 6);
	ck_assert_uint_eq(signif_runs_needed(84, 0.05), 7);
	ck_assert_uint_eq(signif_runs_needed(1, 0.01), 5);
	ck_assert_uint_eq(signif_runs_needed(1, 0.1), 3); /* exactly 0.1 */
	ck_assert_uint_eq(signif_runs_needed(1, 1), 1);
}
END_TEST

/* R: exp(mean(log(...))) */
START_TEST(geomean)
{
	static const double ratios[] = { 0.985, 0.957, 0.929, 1.025, 1.024, 0.974 };

	ck_assert_double_eq_tol(signif_geomean(ratios, N(ratios)), 0.981727847307387, 1e-12);
	ck_assert(isnan(signif_geomean(ratios, 0)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signif");
	TCase *tcase = tcase_create("signif");

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, median);
	tcase_add_test(tcase, interval);
	tcase_add_loop_test(tcase, mann_whitney_exact, 0, N(exact));
	tcase_add_test(tcase, mann_whitney_apart);
	tcase_add_test(tcase, mann_whitney_normal);
	tcase_add_test(tcase, exact_meets_normal);
	tcase_add_test(tcase, families);
	tcase_add_test(tcase, runs_needed);
	tcase_add_test(tcase, geomean);
	return unit_run(suite);
}
