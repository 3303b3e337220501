// SPDX-License-Identifier: MIT
/* A comparison as CSV: a row for each cell, metric and side but the base, then geometric means. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "csv.h"

/* Behind a comma; empty where there is none. */
static void real(FILE *to, double x)
{
	fputc(',', to);
	if (isfinite(x))
		fprintf(to, "%.10g", x);
}

static void text(FILE *to, const char *s)
{
	fputc(',', to);
	csv_field(to, s);
}

static void side(FILE *to, const struct compare *c, size_t s, const struct compare_figure *f)
{
	text(to, c->sides[s].label);
	fprintf(to, ",%zu,%zu", f->runs, f->n);
	real(to, f->median);
	real(to, f->low);
	real(to, f->high);
}

static void row(FILE *to, const struct compare *c, size_t cell, const char *axes, size_t metric,
		size_t s)
{
	const struct compare_metric *m = &c->metrics[metric];
	const struct compare_figure *f = compare_figure(c, cell, metric, s);

	csv_field(to, m->metric.name);
	text(to, compare_unit(&m->metric));
	fprintf(to, ",%d", !m->corrected);
	text(to, c->cells[cell].job->name);
	text(to, axes);
	side(to, c, 0, compare_figure(c, cell, metric, 0));
	side(to, c, s, f);
	real(to, f->change * 100);
	real(to, f->p);
	real(to, f->corrected);
	text(to, compare_verdict_name(f->verdict));
	if (f->verdict == COMPARE_ABSENT)
		fputs(",\n", to);
	else
		fprintf(to, ",%zu\n", f->needs);
}

int compare_csv(FILE *to, const struct compare *c)
{
	fputs("metric,unit,secondary,job,axes,base,base_runs,base_n,base_median,base_low,"
	      "base_high,side,runs,n,median,low,high,change_percent,p,p_corrected,verdict,needs\n",
			to);
	for (size_t i = 0; i < c->ncells; i++) {
		char *axes = csv_axes(c->cells[i].job);

		if (!axes)
			return -ENOMEM;
		for (size_t m = 0; m < c->nmetrics; m++) {
			for (size_t s = 1; s < c->nsides; s++)
				row(to, c, i, axes, m, s);
		}
		free(axes);
	}
	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct compare_metric *m = &c->metrics[i];

		for (size_t s = 1; s < c->nsides; s++) {
			fprintf(to, "%s,,%d,geometric mean,", m->metric.name, !m->corrected);
			text(to, c->sides[0].label);
			fputs(",,,,,", to);
			text(to, c->sides[s].label);
			fputs(",,,,,", to);
			real(to, (m->geomean[s].ratio - 1) * 100);
			fputs(",,,,\n", to);
		}
	}
	return 0;
}
