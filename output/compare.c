// SPDX-License-Identifier: MIT
/*
 * Comparisons for people: what the sides are and what is not the same on them, then for each set of
 * jobs with one axis a grid, its points across, a row for each side and one for the change.
 */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "md.h"
#include "table.h"
#include "wrap.h"

enum { BUF = 512, KEY = 24 /* where the value of a key stands */ };

/* How a layout writes what there is. */
struct layout {
	void (*title)(FILE *to, const char *text);
	void (*pair)(FILE *to, const char *key, const char *value);
	void (*note)(FILE *to, const char *mark, const char *text); /* "": without a mark */
	int (*grid)(FILE *to, const struct grid *grid);
};

struct view {
	FILE *to;
	const struct compare *c;
	const struct layout *layout;
	int err; /* the first one */
};

static const struct {
	const char *mark;
	const char *meaning;
} marks[] = {
	[COMPARE_ABSENT] = { "", "" },
	[COMPARE_ONE_RUN] = { "", "one run a side" },
	[COMPARE_TOO_FEW] = { "?", "too few runs" },
	[COMPARE_SAME] = { "~", "not more than chance or noise" },
	[COMPARE_BOOTS] = { "b", "differs between these two boots" },
	[COMPARE_REAL] = { "*", "real" },
};

/* ---- words --------------------------------------------------------------------------------- */

char *compare_job_name(const struct result_job *job, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s", job->name);

	for (size_t i = 0; i < job->naxes && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, ", %s", job->axes[i].label);
	return buf;
}

const char *compare_unit(const struct metric *metric)
{
	switch (metric_unit(metric)) {
	case METRIC_BYTES_PER_S:
		return "bytes/s";
	case METRIC_PER_S:
	case METRIC_TRANSACTIONS_PER_S:
		return "1/s";
	case METRIC_NS:
		return "ns";
	case METRIC_NS_PER_IO:
		return "ns per I/O";
	}
	return "";
}

/* "-7.1%"; "n/a" where there is none. Returns buf. */
static char *print_percent(double change, char *buf, size_t size)
{
	double percent = round(change * 1000) / 10;

	if (!isfinite(percent))
		snprintf(buf, size, "n/a");
	else if (percent > 0 || percent < 0)
		snprintf(buf, size, "%+.1f%%", percent);
	else
		snprintf(buf, size, "0.0%%");
	return buf;
}

char *compare_condition_text(const struct compare *c, const struct compare_condition *condition,
		size_t cell, size_t side, char *buf, size_t size)
{
	const struct compare_figure *f;
	size_t metric = 0;
	char name[BUF / 2], change[32], limit[32];

	while (strcmp(c->metrics[metric].metric.name, condition->metric.name))
		metric++;
	f = compare_figure(c, cell, metric, side);
	compare_job_name(c->cells[cell].job, name, sizeof(name));
	if (f->verdict == COMPARE_ABSENT)
		snprintf(buf, size, "%s: %s has no %s", name, c->sides[side].label,
				condition->metric.name);
	else
		snprintf(buf, size, "%s: %s %s in %s (%s), and must not be %s %s", name,
				condition->metric.name,
				print_percent(f->change, change, sizeof(change)),
				c->sides[side].label, marks[f->verdict].meaning,
				condition->above ? "above" : "below",
				print_percent(condition->change, limit, sizeof(limit)));
	return buf;
}

__attribute__((format(printf, 3, 4)))
static void say(struct view *v, const char *mark, const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		v->layout->note(v->to, mark, text);
	else
		v->err = -ENOMEM;
	free(text);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- the sides ----------------------------------------------------------------------------- */

static void say_side(struct view *v, size_t s)
{
	const struct compare_side *side = &v->c->sides[s];
	const char *base = v->c->sides[0].label;
	char text[BUF];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "%zu run%s", side->runs, plural(side->runs));
	if (!side->boots_known && side->runs > 1)
		snprintf(text + n, sizeof(text) - n, "; in which boots is not recorded");
	else if (side->boots > 1)
		snprintf(text + n, sizeof(text) - n, " in %zu boots", side->boots);
	else if (side->boots_known)
		snprintf(text + n, sizeof(text) - n, " in one boot%s%.200s",
				s && side->same_boot ? ", that of " : "",
				s && side->same_boot ? base : "");
	v->layout->pair(v->to, side->label, text);
}

static void say_difference(struct view *v, const struct compare_difference *d)
{
	const struct compare *c = v->c;
	char jobs[BUF] = "", name[BUF / 2];
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to) {
		v->err = -ENOMEM;
		return;
	}
	for (size_t s = 0; s < c->nsides; s++)
		fprintf(to, "%s%s", s == 0 ? "" : c->nsides > 2 ? " / " : " -> ",
				!d->values[s] ? "not known" : d->values[s][0] ? d->values[s] : "-");
	compare_job_name(c->cells[d->cell].job, name, sizeof(name));
	if (d->cells && d->cells == c->ncells)
		snprintf(jobs, sizeof(jobs), "%s", d->cells > 1 ? " (all jobs)" : "");
	else if (d->cells > 1)
		snprintf(jobs, sizeof(jobs), " (%zu jobs, first %s)", d->cells, name);
	else if (d->cells)
		snprintf(jobs, sizeof(jobs), " (%s)", name);
	fputs(jobs, to);
	if (fclose(to))
		v->err = -ENOMEM;
	else
		v->layout->pair(v->to, d->key, text);
	free(text);
}

/* Differences of the sides or of where jobs ran, or those that make it other work. */
static void say_differences(struct view *v, const char *title, bool work)
{
	bool any = false;

	for (size_t i = 0; i < v->c->ndifferences; i++) {
		const struct compare_difference *d = &v->c->differences[i];

		if (d->work != work)
			continue;
		if (!any)
			v->layout->title(v->to, title);
		any = true;
		say_difference(v, d);
	}
}

static void say_unmatched(struct view *v)
{
	const struct compare *c = v->c;

	for (size_t s = 0; s < c->nsides; s++) {
		char *text = NULL;
		size_t size, n = 0;
		FILE *to = open_memstream(&text, &size);

		for (size_t i = 0; i < c->nunmatched && to; i++) {
			char name[BUF];

			if (c->unmatched[i].has[s])
				continue;
			fprintf(to, "%s%s", n++ ? "; " : "", compare_job_name(
					c->unmatched[i].job, name, sizeof(name)));
		}
		if (!to || fclose(to))
			v->err = -ENOMEM;
		else if (n)
			say(v, "", "not in %s: %s", c->sides[s].label, text);
		free(text);
	}
}

/* ---- blocks -------------------------------------------------------------------------------- */

/*
 * The cells whose last axis has the same name, or that have none. Its columns are the points of
 * that axis, or the jobs; a group is one job but for that axis, named by its first cell.
 */
struct block {
	const struct compare *c;
	const char **columns;
	size_t ncolumns;
	size_t *groups;
	size_t ngroups;
	size_t *cells; /* [group * ncolumns + column]; SIZE_MAX: none */
	bool axes;
};

static const struct result_axis *last_axis(const struct result_job *job)
{
	return job->naxes ? &job->axes[job->naxes - 1] : NULL;
}

static bool same_block(const struct result_job *a, const struct result_job *b)
{
	const struct result_axis *x = last_axis(a), *y = last_axis(b);

	return x && y ? !strcmp(x->name, y->name) : x == y;
}

static bool same_group(const struct result_job *a, const struct result_job *b)
{
	if (!a->naxes)
		return true;
	if (strcmp(a->name, b->name) || a->naxes != b->naxes)
		return false;
	for (size_t i = 0; i + 1 < a->naxes; i++) {
		if (strcmp(a->axes[i].name, b->axes[i].name) ||
				strcmp(a->axes[i].label, b->axes[i].label))
			return false;
	}
	return true;
}

static bool first_of_block(const struct compare *c, size_t cell)
{
	for (size_t i = 0; i < cell; i++) {
		if (same_block(c->cells[i].job, c->cells[cell].job))
			return false;
	}
	return true;
}

/* Finds the group and the column of a cell, which may be new ones. */
static void block_place(struct block *b, size_t cell, size_t *group, size_t *column)
{
	const struct result_job *job = b->c->cells[cell].job;
	const char *label = job->naxes ? last_axis(job)->label : job->name;
	size_t g = 0, col = 0;

	while (g < b->ngroups && !same_group(b->c->cells[b->groups[g]].job, job))
		g++;
	while (col < b->ncolumns && strcmp(b->columns[col], label))
		col++;
	if (g == b->ngroups)
		b->groups[b->ngroups++] = cell;
	if (col == b->ncolumns)
		b->columns[b->ncolumns++] = label;
	*group = g;
	*column = col;
}

static int block_init(struct block *b, const struct compare *c, size_t cell)
{
	const size_t n = c->ncells;
	size_t (*places)[2] = calloc(n, sizeof(*places));

	*b = (struct block){
		.c = c, .axes = c->cells[cell].job->naxes > 0,
		.columns = calloc(n, sizeof(*b->columns)), .groups = calloc(n, sizeof(*b->groups)),
	};
	for (size_t i = cell; i < n && places && b->columns && b->groups; i++) {
		places[i][0] = SIZE_MAX;
		if (same_block(c->cells[i].job, c->cells[cell].job))
			block_place(b, i, &places[i][0], &places[i][1]);
	}
	b->cells = calloc(b->ngroups * b->ncolumns + 1, sizeof(*b->cells));
	for (size_t i = 0; i < b->ngroups * b->ncolumns && b->cells; i++)
		b->cells[i] = SIZE_MAX;
	for (size_t i = cell; i < n && b->ngroups && b->cells; i++) {
		if (places[i][0] != SIZE_MAX)
			b->cells[places[i][0] * b->ncolumns + places[i][1]] = i;
	}
	free(places);
	return b->ngroups && b->cells ? 0 : -ENOMEM;
}

static void block_free(struct block *b)
{
	free(b->columns);
	free(b->groups);
	free(b->cells);
}

/* ---- grids --------------------------------------------------------------------------------- */

/* The texts of one row: of a figure and its metric into buf, or "" for an empty cell. */
typedef void figure_text(const struct compare_metric *m, const struct compare_figure *f, char *buf);

static void value_text(const struct compare_metric *m, const struct compare_figure *f, char *buf)
{
	if (f->n)
		table_figure(f->median, &m->metric, buf, BUF);
	else
		snprintf(buf, BUF, "%s", f->lacking ? "-" : "");
}

/* The interval by its farther end, as a share of the median. */
static void interval_text(const struct compare_metric *m, const struct compare_figure *f, char *buf)
{
	double away = fmax(f->high - f->median, f->median - f->low);

	(void)m;
	buf[0] = '\0';
	if (away >= 0 && f->median > 0)
		snprintf(buf, BUF, "\xc2\xb1%.1f%%", away / f->median * 100);
}

static void change_text(const struct compare_metric *m, const struct compare_figure *f, char *buf)
{
	(void)m;
	buf[0] = '\0';
	if (f->verdict == COMPARE_ABSENT)
		return;
	print_percent(f->change, buf, BUF / 2);
	strcat(buf, marks[f->verdict].mark);
}

static void p_text(const struct compare_metric *m, const struct compare_figure *f, char *buf)
{
	(void)m;
	buf[0] = '\0';
	if (f->verdict <= COMPARE_ONE_RUN)
		return;
	if (f->corrected < 0.001)
		snprintf(buf, BUF, "<0.001");
	else
		snprintf(buf, BUF, "%.3f", f->corrected);
}

/* Does the table of a metric have marks, for which the other rows then keep a column? */
static bool is_marked(const struct compare *c, size_t metric)
{
	for (size_t i = 0; i < c->ncells; i++) {
		for (size_t s = 1; s < c->nsides; s++) {
			if (marks[compare_figure(c, i, metric, s)->verdict].mark[0])
				return true;
		}
	}
	return false;
}

/* A row of a group; none where all of it would be empty. */
static int add_row(struct grid *grid, const struct block *b, size_t group, size_t metric,
		size_t side, const char *label, figure_text *text)
{
	bool any = false;
	int r = 0;

	for (size_t col = 0; col < b->ncolumns && !r; col++) {
		size_t cell = b->cells[group * b->ncolumns + col];
		const struct compare_figure *f;
		char buf[BUF];

		if (cell == SIZE_MAX)
			continue;
		f = compare_figure(b->c, cell, metric, side);
		text(&b->c->metrics[metric], f, buf);
		if (!buf[0])
			continue;
		if (grid->marked && (text != change_text || !marks[f->verdict].mark[0]))
			strcat(buf, " ");
		if (!any && !grid_add(grid, &label))
			return -ENOMEM;
		any = true;
		r = grid_set(grid, col, buf);
	}
	return r;
}

static int add_heading(struct grid *grid, const struct block *b, size_t group)
{
	const struct result_job *job = b->c->cells[b->groups[group]].job;
	struct result_job outer = { .name = job->name, .axes = job->axes };
	struct grid_row *row;
	char name[BUF];
	const char *label;

	if (!b->axes)
		return 0;
	outer.naxes = job->naxes - 1;
	label = compare_job_name(&outer, name, sizeof(name));
	row = grid_add(grid, &label);
	if (!row)
		return -ENOMEM;
	row->heading = true;
	return 0;
}

/* The document's shape: a row for each side, and what it changes. */
static int fill_metric(struct grid *grid, const struct block *b, size_t metric)
{
	const struct compare *c = b->c;
	const struct compare_metric *m = &c->metrics[metric];
	const char *change = metric_larger_is_better(&m->metric) ? "Performance" : "Change";
	char interval[BUF];
	int r = 0;

	snprintf(interval, sizeof(interval), "%.4g%% interval", c->options->confidence * 100);
	grid->marked = is_marked(c, metric);
	for (size_t g = 0; g < b->ngroups && !r; g++) {
		r = add_heading(grid, b, g);
		for (size_t s = 0; s < c->nsides && !r; s++) {
			r = add_row(grid, b, g, metric, s, c->sides[s].label, value_text);
			if (!r)
				r = add_row(grid, b, g, metric, s, interval, interval_text);
			if (!r)
				r = add_row(grid, b, g, metric, s, change, change_text);
			if (!r)
				r = add_row(grid, b, g, metric, s, "p", p_text);
		}
	}
	return r;
}

/* The changes alone, a row for each metric that is not corrected. */
static int fill_secondary(struct grid *grid, const struct block *b)
{
	const struct compare *c = b->c;
	int r = 0;

	for (size_t i = 0; i < c->nmetrics; i++)
		grid->marked |= !c->metrics[i].corrected && is_marked(c, i);
	for (size_t g = 0; g < b->ngroups && !r; g++) {
		r = add_heading(grid, b, g);
		for (size_t i = 0; i < c->nmetrics; i++) {
			for (size_t s = 1; s < c->nsides && !r && !c->metrics[i].corrected; s++) {
				char label[BUF];

				snprintf(label, sizeof(label), "%s%s%s", c->metrics[i].metric.name,
						c->nsides > 2 ? ", " : "",
						c->nsides > 2 ? c->sides[s].label : "");
				r = add_row(grid, b, g, i, s, label, change_text);
			}
		}
	}
	return r;
}

static void say_title(struct view *v, const struct block *b, size_t metric)
{
	const struct metric *m = &v->c->metrics[metric].metric;
	const struct result_axis *axis = last_axis(v->c->cells[b->groups[0]].job);
	char title[BUF];

	snprintf(title, sizeof(title), "%s, %s%s%s%s%s", m->name, table_unit(m),
			axis ? ", by " : "", axis ? axis->name : "",
			v->c->by_boots ? ", medians of boots" : "",
			metric_larger_is_better(m) ? "" : "; less is better");
	v->layout->title(v->to, title);
}

/* The grids of a metric, or of all secondary ones: SIZE_MAX. */
static void show_grids(struct view *v, size_t metric)
{
	for (size_t i = 0; i < v->c->ncells && !v->err; i++) {
		struct grid grid = { .names = { "" }, .nlabels = 1 };
		struct block block;

		if (!first_of_block(v->c, i))
			continue;
		v->err = block_init(&block, v->c, i);
		grid.columns = block.columns;
		grid.ncolumns = block.ncolumns;
		if (!v->err)
			v->err = metric == SIZE_MAX ? fill_secondary(&grid, &block)
						    : fill_metric(&grid, &block, metric);
		if (!v->err && metric != SIZE_MAX)
			say_title(v, &block, metric);
		if (!v->err)
			v->err = v->layout->grid(v->to, &grid);
		grid_free(&grid);
		block_free(&block);
	}
}

/* ---- what is to be said of a table --------------------------------------------------------- */

/* A figure with that verdict, or NULL. */
static const struct compare_figure *any_with(const struct compare *c, size_t metric,
		enum compare_verdict verdict)
{
	for (size_t i = 0; i < c->ncells; i++) {
		for (size_t s = 1; s < c->nsides; s++) {
			const struct compare_figure *f = compare_figure(c, i, metric, s);

			if (f->verdict == verdict)
				return f;
		}
	}
	return NULL;
}

static const char *correction_text(const struct compare *c)
{
	static const char *const texts[] = {
		[COMPARE_BH] = ", corrected (Benjamini-Hochberg)",
		[COMPARE_HOLM] = ", corrected (Holm)",
		[COMPARE_NONE] = ", not corrected",
	};

	return texts[c->options->correction];
}

static void say_marks(struct view *v, size_t metric)
{
	const struct compare *c = v->c;
	const struct compare_metric *m = &c->metrics[metric];
	const char *unit = c->by_boots ? "boot" : "run";
	const struct compare_figure *f;
	char family[32] = "";
	bool known = true;

	if (m->family > 1)
		snprintf(family, sizeof(family), " of %zu", m->family);
	for (size_t s = 0; s < c->nsides; s++)
		known &= c->sides[s].boots_known;
	if (any_with(c, metric, COMPARE_REAL))
		say(v, marks[COMPARE_REAL].mark, "%s: p over %zu cell%s at most %.3g%s, and at "
				"least %.3g %%", marks[COMPARE_REAL].meaning, m->family,
				plural(m->family), 1 - c->options->confidence, correction_text(c),
				c->options->noise * 100);
	if (any_with(c, metric, COMPARE_BOOTS))
		say(v, marks[COMPARE_BOOTS].mark, "%s%s", known
				? marks[COMPARE_BOOTS].meaning : "differs between these runs",
				known ? ", which may be all that it is: run both sides in several "
					"boots each"
				      : "; in which boots they were is not recorded, and another "
					"boot alone can make such a difference");
	if (any_with(c, metric, COMPARE_SAME))
		say(v, marks[COMPARE_SAME].mark, "%s (%.3g %%)", marks[COMPARE_SAME].meaning,
				c->options->noise * 100);
	f = any_with(c, metric, COMPARE_TOO_FEW);
	if (f)
		say(v, marks[COMPARE_TOO_FEW].mark, "too few %ss: to tell a change of one cell%s "
				"from chance takes %zu a side", unit, family, f->needs);
	f = any_with(c, metric, COMPARE_ONE_RUN);
	if (f)
		say(v, "", "One run a side: the changes have no verdict. %zu runs could "
				"(--repeat=%zu).", f->needs, f->needs);
}

/* Cells whose figure rests on fewer runs than there are. */
static void say_lacking(struct view *v)
{
	const struct compare *c = v->c;

	for (size_t i = 0; i < c->ncells; i++) {
		for (size_t s = 0; s < c->nsides; s++) {
			const struct compare_figure *f = compare_figure(c, i, 0, s);
			bool has = true;
			char name[BUF];

			compare_job_name(c->cells[i].job, name, sizeof(name));
			for (size_t j = 0; j < c->nunmatched; j++)
				has &= c->unmatched[j].job != c->cells[i].job ||
						c->unmatched[j].has[s];
			if (f->lacking && has)
				say(v, "-", "%s: no figure in %zu of %zu run%s of %s", name,
						f->lacking, c->sides[s].runs,
						plural(c->sides[s].runs), c->sides[s].label);
		}
	}
}

static void say_apart(struct view *v)
{
	for (size_t s = 1; s < v->c->nsides; s++) {
		const struct compare_side *side = &v->c->sides[s];

		if (side->apart && side->same_boot && side->runs > 1)
			say(v, "", "The runs of %s came all before or all after those of %s, not "
					"in turns: what changed with time is in the difference.",
					side->label, v->c->sides[0].label);
	}
}

/* Cells that cannot be part of it (none done on one side) are told from those that are. */
static void say_geomean(struct view *v, size_t metric)
{
	const struct compare *c = v->c;
	bool many = c->nsides > 2;

	for (size_t s = 1; s < c->nsides && c->ncells > 1; s++) {
		const struct compare_geomean *mean = &c->metrics[metric].geomean[s];
		char percent[32], share[64] = "";

		if (mean->n < c->ncells)
			snprintf(share, sizeof(share), ", over %zu of %zu cells", mean->n,
					c->ncells);
		print_percent(mean->ratio - 1, percent, sizeof(percent));
		if (mean->n)
			say(v, "", "geometric mean%s%s: %s%s", many ? " of " : "",
					many ? c->sides[s].label : "", percent, share);
	}
}

static void show_secondary(struct view *v)
{
	const struct compare *c = v->c;
	char less[BUF] = "", title[2 * BUF];
	bool any = false;

	for (size_t i = 0; i < c->nmetrics; i++) {
		bool shown = false;

		for (size_t j = 0; j < c->ncells; j++) {
			for (size_t s = 1; s < c->nsides; s++)
				shown |= compare_figure(c, j, i, s)->verdict != COMPARE_ABSENT;
		}
		if (c->metrics[i].corrected || !shown)
			continue;
		any = true;
		if (!metric_larger_is_better(&c->metrics[i].metric))
			snprintf(less + strlen(less), sizeof(less) - strlen(less), "%s%s",
					less[0] ? ", " : "", c->metrics[i].metric.name);
	}
	if (!any)
		return;
	snprintf(title, sizeof(title), "secondary metrics: changes, not corrected for how many "
			"they are%s%s", less[0] ? "; less is better: " : "", less);
	v->layout->title(v->to, title);
	show_grids(v, SIZE_MAX);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int show(FILE *to, const struct compare *c, const struct layout *layout)
{
	struct view v = { .to = to, .c = c, .layout = layout };

	for (size_t s = 0; s < c->nsides; s++)
		say_side(&v, s);
	say_differences(&v, "not the same", false);
	say_differences(&v, "different work, compared all the same", true);
	if (c->nunmatched)
		layout->title(to, "not compared");
	say_unmatched(&v);
	for (size_t i = 0; i < c->nmetrics && !v.err; i++) {
		if (!c->metrics[i].corrected)
			continue;
		show_grids(&v, i);
		say_geomean(&v, i);
		say_marks(&v, i);
		if (i == 0)
			say_lacking(&v);
	}
	say_apart(&v);
	show_secondary(&v);
	return v.err;
}

static void text_title(FILE *to, const char *text)
{
	struct wrap wrap;

	fputc('\n', to);
	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", text);
	wrap_end(&wrap);
}

static void text_pair(FILE *to, const char *key, const char *value)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 2, KEY, key);
	wrap_words(&wrap, "  ", value);
	wrap_end(&wrap);
}

static void text_note(FILE *to, const char *mark, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 2, 4, mark);
	wrap_words(&wrap, "", text);
	wrap_end(&wrap);
}

int compare_text(FILE *to, const struct compare *c)
{
	static const struct layout layout = { text_title, text_pair, text_note, grid_text };

	return show(to, c, &layout);
}

static void md_title(FILE *to, const char *text)
{
	fputs("\n**", to);
	md_text(to, text);
	fputs("**\n\n", to);
}

static void md_pair(FILE *to, const char *key, const char *value)
{
	fputs("- ", to);
	md_text(to, key);
	fputs(": ", to);
	md_text(to, value);
	fputc('\n', to);
}

static void md_note(FILE *to, const char *mark, const char *text)
{
	fputs("- ", to);
	if (mark[0])
		fprintf(to, "`%s` ", mark);
	md_text(to, text);
	fputc('\n', to);
}

static int md_grid(FILE *to, const struct grid *grid)
{
	grid_md(to, grid);
	fputc('\n', to);
	return 0;
}

int compare_md(FILE *to, const struct compare *c)
{
	static const struct layout layout = { md_title, md_pair, md_note, md_grid };

	return show(to, c, &layout);
}
