// SPDX-License-Identifier: MIT
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/signif.h"
#include "differ.h"

/* What is looked at besides the primary metric. */
static const char *const usual[] = {
	"bw", "iops", "lat_mean", "p50", "p99", "p99.9", "cpu", "transactions",
};

enum { USUAL = sizeof(usual) / sizeof(usual[0]) };

/* Shares that are equal but for the rounding of their making. */
static const double SLACK = 1e-9;

/* ---- names --------------------------------------------------------------------------------- */

static const char *const corrections[] = {
	[COMPARE_BH] = "bh",
	[COMPARE_HOLM] = "holm",
	[COMPARE_NONE] = "none",
};

static const char *const verdicts[] = {
	[COMPARE_ABSENT] = "",
	[COMPARE_ONE_RUN] = "one run",
	[COMPARE_TOO_FEW] = "too few",
	[COMPARE_SAME] = "same",
	[COMPARE_BOOTS] = "boots",
	[COMPARE_REAL] = "real",
};

const char *compare_verdict_name(enum compare_verdict verdict)
{
	return verdicts[verdict];
}

const char *compare_correction_name(enum compare_correction correction)
{
	return corrections[correction];
}

int compare_correction_parse(enum compare_correction *correction, const char *name,
		struct err *err)
{
	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++) {
		if (!strcmp(corrections[i], name)) {
			*correction = (enum compare_correction)i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "`%s` is none of bh (Benjamini-Hochberg), holm, none", name);
}

int compare_condition_parse(struct compare_condition *condition, const char *text,
		struct err *err)
{
	size_t n = strcspn(text, "<>");
	char name[sizeof(condition->metric.name)];
	char *end;

	if (!text[n] || n >= sizeof(name))
		return err_set(err, EINVAL,
				"`%s`: write METRIC<CHANGE or METRIC>CHANGE, such as bw<-5%%",
				text);
	condition->above = text[n] == '>';
	memcpy(name, text, n);
	while (n && name[n - 1] == ' ')
		n--;
	name[n] = '\0';
	condition->change = strtod(text + strcspn(text, "<>") + 1, &end) / 100;
	if (end[0] != '%' || end[1] || end[-1] == '<' || end[-1] == '>' ||
			!isfinite(condition->change))
		return err_set(err, EINVAL,
				"`%s`: behind the `%c` stands a change in percent, such as -5%%",
				text, condition->above ? '>' : '<');
	return metric_parse(&condition->metric, name, err);
}

/* ---- runs ---------------------------------------------------------------------------------- */

struct run {
	const struct result *result;
	const struct result_job *jobs;
	size_t njobs;
	size_t side;
	const char *boot;  /* NULL: not known */
	size_t same_boot;  /* the first run of its side in this boot */
	uint64_t started_ms;
	uint64_t ended_ms;
};

/* A job by its name and axes, and who has it. */
struct key {
	const struct result_job *job;
	bool *has; /* one a side */
};

struct matching {
	struct compare *c;
	struct run *runs; /* side by side */
	size_t nruns;
	struct key *keys;
	size_t nkeys;
	size_t hint; /* where the next job's key probably is: jobs come in the same order */
	double *values; /* [(run * ncells + cell) * nmetrics + metric]; NaN: none */
};

static const char *boot_of(const struct result *result)
{
	for (size_t i = 0; i < result->nfacts; i++) {
		if (!strcmp(result->facts[i].key, "boot_id") && result->facts[i].value[0])
			return result->facts[i].value;
	}
	return NULL;
}

static bool same_boot(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void run_add(struct matching *m, struct run run)
{
	struct compare_side *side = &m->c->sides[run.side];
	size_t i;

	for (i = m->nruns - side->runs; i < m->nruns; i++) {
		if (same_boot(m->runs[i].boot, run.boot))
			break;
	}
	run.same_boot = i < m->nruns ? m->runs[i].same_boot : m->nruns;
	side->boots += i == m->nruns;
	side->boots_known &= run.boot != NULL;
	side->runs++;
	m->runs[m->nruns++] = run;
}

static void runs_of(struct matching *m, const struct result *result, size_t side)
{
	struct run run = {
		.result = result, .jobs = result->jobs, .njobs = result->njobs, .side = side,
		.boot = boot_of(result),
		.started_ms = result->started_ms, .ended_ms = result->ended_ms,
	};

	if (!result->nrepeats)
		run_add(m, run);
	for (size_t i = 0; i < result->nrepeats; i++) {
		const struct result_repeat *repeat = &result->repeats[i];

		run.jobs = repeat->jobs;
		run.njobs = repeat->njobs;
		run.started_ms = repeat->started_ms;
		run.ended_ms = repeat->ended_ms;
		run_add(m, run);
	}
}

/* The runs of a side lie together. */
static const struct run *first_run(const struct matching *m, size_t side)
{
	const struct run *run = m->runs;

	while (run->side != side)
		run++;
	return run;
}

/* Did all runs of one side end before the first of the other began? Not where the time is open. */
static bool sides_apart(const struct matching *m, size_t side)
{
	uint64_t begin[2] = { UINT64_MAX, UINT64_MAX }, end[2] = { 0, 0 };

	for (size_t i = 0; i < m->nruns; i++) {
		const struct run *run = &m->runs[i];
		int which = run->side == side;

		if (run->side && run->side != side)
			continue;
		if (!run->started_ms)
			return false;
		if (run->started_ms < begin[which])
			begin[which] = run->started_ms;
		if (run->ended_ms > end[which])
			end[which] = run->ended_ms;
	}
	return end[0] <= begin[1] || end[1] <= begin[0];
}

static int find_runs(struct matching *m, const struct compare_input *inputs)
{
	struct compare *c = m->c;
	size_t n = 0;

	for (size_t s = 0; s < c->nsides; s++) {
		for (size_t i = 0; i < inputs[s].nresults; i++)
			n += 1 + inputs[s].results[i].nrepeats;
	}
	m->runs = calloc(n + 1, sizeof(*m->runs));
	if (!m->runs)
		return -ENOMEM;
	for (size_t s = 0; s < c->nsides; s++) {
		c->sides[s] = (struct compare_side){
			.label = inputs[s].label, .boots_known = true,
		};
		for (size_t i = 0; i < inputs[s].nresults; i++)
			runs_of(m, &inputs[s].results[i], s);
	}
	for (size_t s = 0; s < c->nsides; s++) {
		struct compare_side *side = &c->sides[s];
		const char *boot = first_run(m, s)->boot;

		side->same_boot = side->boots == 1 && c->sides[0].boots == 1 && boot &&
				same_boot(boot, m->runs[0].boot);
		side->apart = s && sides_apart(m, s);
		c->by_boots |= side->boots > 1;
	}
	return 0;
}

/* ---- cells --------------------------------------------------------------------------------- */

bool compare_same_job(const struct result_job *a, const struct result_job *b)
{
	if (strcmp(a->name, b->name) || a->naxes != b->naxes)
		return false;
	for (size_t i = 0; i < a->naxes; i++) {
		if (strcmp(a->axes[i].name, b->axes[i].name) ||
				strcmp(a->axes[i].label, b->axes[i].label))
			return false;
	}
	return true;
}

bool compare_has_twin(const struct result *result, const struct result_job *job)
{
	for (size_t i = 0; i < result->njobs; i++) {
		if (compare_same_job(&result->jobs[i], job) &&
				strcmp(result->jobs[i].file, job->file))
			return true;
	}
	return false;
}

static int key_add(struct matching *m, const struct result_job *job, size_t side)
{
	size_t i = 0;

	for (; i < m->nkeys; i++) {
		size_t at = (m->hint + i) % m->nkeys;

		if (compare_same_job(m->keys[at].job, job)) {
			m->keys[at].has[side] = true;
			m->hint = at + 1;
			return 0;
		}
	}
	m->keys[i].job = job;
	m->keys[i].has = calloc(m->c->nsides, sizeof(bool));
	if (!m->keys[i].has)
		return -ENOMEM;
	m->keys[i].has[side] = true;
	m->hint = ++m->nkeys;
	return 0;
}

static int find_keys(struct matching *m)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < m->nruns; i++)
		n += m->runs[i].njobs;
	m->keys = calloc(n + 1, sizeof(*m->keys));
	if (!m->keys)
		return -ENOMEM;
	for (size_t i = 0; i < m->nruns && !r; i++) {
		const struct run *run = &m->runs[i];

		for (size_t j = 0; j < run->njobs && !r; j++)
			r = key_add(m, &run->jobs[j], run->side);
	}
	return r;
}

/* Keys of the base and another side become cells; those that a side lacks are noted. */
static int split_keys(struct matching *m)
{
	struct compare *c = m->c;

	c->cells = calloc(m->nkeys + 1, sizeof(*c->cells));
	c->unmatched = calloc(m->nkeys + 1, sizeof(*c->unmatched));
	if (!c->cells || !c->unmatched)
		return -ENOMEM;
	for (size_t i = 0; i < m->nkeys; i++) {
		struct key *key = &m->keys[i];
		size_t have = 0;
		bool shown;

		for (size_t s = 0; s < c->nsides; s++)
			have += key->has[s];
		shown = key->has[0] && have > 1;
		if (shown)
			c->cells[c->ncells++].job = key->job;
		if (have == c->nsides)
			continue;
		c->unmatched[c->nunmatched++] = (struct compare_unmatched){
			key->job, key->has, shown,
		};
		key->has = NULL;
	}
	return 0;
}

/* ---- values -------------------------------------------------------------------------------- */

/*
 * Ten values at least must lie above a percentile. One that was asked for is shown in any case.
 */
static bool supported(const struct compare_metric *metric, const struct result_job *job)
{
	uint64_t n = 0;

	for (int d = 0; d < RESULT_DIRS; d++) {
		if (metric->metric.dir < 0 || metric->metric.dir == d)
			n += result_lat(&job->dir[d])->n;
	}
	return metric->corrected || metric->metric.percent <= 0 ||
			(double)n * (100 - metric->metric.percent) >= 1000 * (1 - SLACK);
}

static void take_values(const struct compare *c, const struct result_job *job, double *values)
{
	if (job->end == RESULT_END_INTERRUPTED)
		return;
	for (size_t i = 0; i < c->nmetrics; i++) {
		if (supported(&c->metrics[i], job))
			values[i] = metric_of(&c->metrics[i].metric, job);
	}
}

/* The values of a run of the jobs with this name and axes: several are several workers of one. */
static int run_values(const struct compare *c, const struct run *run, const struct result_job *key,
		double *values)
{
	const struct result_job *found = NULL;
	struct result_job merged;
	bool several = false;
	int r = result_job_begin(&merged, key);

	for (size_t i = 0; i < run->njobs && !r; i++) {
		const struct result_job *job = &run->jobs[i];

		if (job->skipped || !compare_same_job(job, key))
			continue;
		if (found && !several)
			r = result_job_merge(&merged, found);
		several = found != NULL;
		if (several && !r)
			r = result_job_merge(&merged, job);
		found = job;
	}
	if (!r && found)
		take_values(c, several ? &merged : found, values);
	result_job_free(&merged);
	return r;
}

static int find_values(struct matching *m)
{
	struct compare *c = m->c;
	size_t n = m->nruns * c->ncells * c->nmetrics;
	double *values;
	int r = 0;

	values = m->values = malloc((n + 1) * sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		values[i] = (double)NAN;
	for (size_t i = 0; i < m->nruns; i++) {
		for (size_t j = 0; j < c->ncells && !r; j++, values += c->nmetrics)
			r = run_values(c, &m->runs[i], c->cells[j].job, values);
	}
	return r;
}

static struct compare_figure *figure(const struct compare *c, size_t cell, size_t metric,
		size_t side)
{
	return &c->cells[cell].figures[metric * c->nsides + side];
}

/* The values of a side's runs: of all, or of those in the boot that begins with run `boot`. */
static size_t side_values(const struct matching *m, size_t cell, size_t metric, size_t side,
		size_t boot, double *values)
{
	const struct compare *c = m->c;
	size_t n = 0;

	for (size_t i = 0; i < m->nruns; i++) {
		double x = m->values[(i * c->ncells + cell) * c->nmetrics + metric];

		if (m->runs[i].side != side || isnan(x))
			continue;
		if (boot == SIZE_MAX || m->runs[i].same_boot == boot)
			values[n++] = x;
	}
	signif_sort(values, n);
	return n;
}

static int fill_figure(const struct matching *m, size_t cell, size_t metric, size_t side)
{
	const struct compare *c = m->c;
	struct compare_figure *f = figure(c, cell, metric, side);
	double *values = calloc(m->nruns, sizeof(*values));

	*f = (struct compare_figure){
		.values = calloc(m->nruns, sizeof(*values)),
		.change = (double)NAN, .p = (double)NAN, .corrected = (double)NAN,
	};
	if (!values || !f->values) {
		free(values);
		return -ENOMEM;
	}
	f->runs = f->n = side_values(m, cell, metric, side, SIZE_MAX, f->values);
	f->lacking = c->sides[side].runs - f->runs;
	if (c->by_boots) {
		f->n = 0;
		for (size_t i = 0; i < m->nruns; i++) {
			size_t n = side_values(m, cell, metric, side, i, values);

			if (n)
				f->values[f->n++] = signif_median(values, n);
		}
		signif_sort(f->values, f->n);
	}
	free(values);
	f->median = signif_median(f->values, f->n);
	signif_interval(f->values, f->n, c->options->confidence, &f->low, &f->high);
	return 0;
}

static int fill_figures(const struct matching *m)
{
	struct compare *c = m->c;
	int r = 0;

	for (size_t i = 0; i < c->ncells; i++) {
		struct compare_cell *cell = &c->cells[i];

		cell->figures = calloc(c->nmetrics * c->nsides, sizeof(*cell->figures));
		if (!cell->figures)
			return -ENOMEM;
		for (size_t j = 0; j < c->nmetrics; j++) {
			for (size_t s = 0; s < c->nsides && !r; s++)
				r = fill_figure(m, i, j, s);
		}
	}
	return r;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* The p values of one metric, in the order of cells and sides. */
struct family {
	enum compare_correction correction;
	double alpha;
	struct compare_figure **figures;
	const struct compare_figure **bases;
	double *p;
	double *corrected;
	size_t n;
};

static int correct(const struct family *family)
{
	switch (family->correction) {
	case COMPARE_BH:
		return signif_benjamini_hochberg(family->p, family->corrected, family->n);
	case COMPARE_HOLM:
		return signif_holm(family->p, family->corrected, family->n);
	case COMPARE_NONE:
		break;
	}
	memcpy(family->corrected, family->p, family->n * sizeof(*family->p));
	return 0;
}

static bool within(double p, double alpha)
{
	return p <= alpha * (1 + SLACK);
}

/* Had its values been wholly apart, the others being as they are: would it be significant? */
static int could_be(const struct family *family, size_t i, bool *could)
{
	double best = signif_best_p(family->figures[i]->n, family->bases[i]->n);
	double p = family->p[i];
	int r;

	*could = within(best * (double)family->n, family->alpha);
	if (*could)
		return 0;
	family->p[i] = best;
	r = correct(family);
	family->p[i] = p;
	*could = !r && within(family->corrected[i], family->alpha);
	return r;
}

static double change_of(double value, double base)
{
	return value > base || value < base ? value / base - 1 : 0;
}

static int judge(const struct compare *c, const struct family *family, size_t i, bool boots)
{
	struct compare_figure *f = family->figures[i];
	bool could;
	int r;

	if (f->runs == 1 && family->bases[i]->runs == 1) {
		f->verdict = COMPARE_ONE_RUN;
		return 0;
	}
	if (within(f->corrected, family->alpha)) {
		bool small = fabs(f->change) < c->options->noise * (1 - SLACK);

		f->verdict = small ? COMPARE_SAME : boots ? COMPARE_BOOTS : COMPARE_REAL;
		return 0;
	}
	r = could_be(family, i, &could);
	f->verdict = could ? COMPARE_SAME : COMPARE_TOO_FEW;
	return r;
}

/* Finds the pairs of figures of a metric and the p value of each. */
static int family_fill(const struct compare *c, struct family *family, size_t metric)
{
	for (size_t i = 0; i < c->ncells; i++) {
		for (size_t s = 1; s < c->nsides; s++) {
			struct compare_figure *f = figure(c, i, metric, s);
			const struct compare_figure *base = figure(c, i, metric, 0);
			size_t n = family->n;

			if (!f->n || !base->n)
				continue;
			f->change = change_of(f->median, base->median);
			if (signif_mann_whitney(base->values, base->n, f->values, f->n, &f->p))
				return -ENOMEM;
			family->figures[n] = f;
			family->bases[n] = base;
			family->p[n] = f->p;
			family->n++;
		}
	}
	return 0;
}

static int family_judge(const struct compare *c, struct family *family)
{
	bool none = family->correction == COMPARE_NONE;
	size_t needs = signif_runs_needed(none ? 1 : family->n, family->alpha);
	int r = correct(family);

	for (size_t i = 0; i < family->n && !r; i++) {
		family->figures[i]->corrected = family->corrected[i];
		family->figures[i]->needs = needs;
	}
	for (size_t i = 0; i < family->n && !r; i++) {
		/* The base's figure is the first of those of its metric. */
		size_t side = (size_t)(family->figures[i] - family->bases[i]);

		r = judge(c, family, i, !c->by_boots && !c->sides[side].same_boot);
	}
	return r;
}

/* The mean of what is there on both sides and above 0. */
static int find_geomean(const struct compare *c, size_t metric)
{
	struct compare_metric *m = &c->metrics[metric];
	double *ratios = calloc(c->ncells + 1, sizeof(*ratios));

	m->geomean = calloc(c->nsides, sizeof(*m->geomean));
	if (!ratios || !m->geomean) {
		free(ratios);
		return -ENOMEM;
	}
	m->geomean[0].ratio = (double)NAN;
	for (size_t s = 1; s < c->nsides; s++) {
		size_t n = 0;

		for (size_t i = 0; i < c->ncells; i++) {
			double base = figure(c, i, metric, 0)->median;
			double value = figure(c, i, metric, s)->median;

			if (base > 0 && value > 0)
				ratios[n++] = value / base;
		}
		m->geomean[s] = (struct compare_geomean){ signif_geomean(ratios, n), n };
	}
	free(ratios);
	return 0;
}

static int judge_metric(const struct compare *c, size_t metric)
{
	struct compare_metric *m = &c->metrics[metric];
	size_t most = c->ncells * c->nsides + 1;
	struct family family = {
		.correction = m->corrected ? c->options->correction : COMPARE_NONE,
		.alpha = 1 - c->options->confidence,
		.figures = calloc(most, sizeof(*family.figures)),
		.bases = calloc(most, sizeof(*family.bases)),
		.p = calloc(most, sizeof(*family.p)),
		.corrected = calloc(most, sizeof(*family.corrected)),
	};
	int r = -ENOMEM;

	if (family.figures && family.bases && family.p && family.corrected)
		r = family_fill(c, &family, metric);
	if (!r)
		r = family_judge(c, &family);
	m->family = family.n;
	free(family.figures);
	free(family.bases);
	free(family.p);
	free(family.corrected);
	return r ? r : find_geomean(c, metric);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void metric_add(struct compare *c, const struct metric *metric, bool corrected)
{
	for (size_t i = 0; i < c->nmetrics; i++) {
		if (!strcmp(c->metrics[i].metric.name, metric->name))
			return;
	}
	c->metrics[c->nmetrics++] = (struct compare_metric){
		.metric = *metric, .corrected = corrected,
	};
}

/* The primary one, those that a condition names, and the usual ones, each once. */
static int find_metrics(struct compare *c, struct err *err)
{
	const struct compare_options *o = c->options;

	c->metrics = calloc(1 + o->nconditions + USUAL, sizeof(*c->metrics));
	if (!c->metrics)
		return err_memory(err);
	metric_add(c, &o->primary, true);
	for (size_t i = 0; i < o->nconditions; i++)
		metric_add(c, &o->conditions[i].metric, true);
	for (size_t i = 0; i < USUAL; i++) {
		struct metric metric;
		int r = metric_parse(&metric, usual[i], err);

		if (r)
			return r;
		metric_add(c, &metric, false);
	}
	return 0;
}

static int match_and_judge(struct matching *m, const struct compare_input *inputs, struct err *err)
{
	struct compare *c = m->c;

	if (find_runs(m, inputs) || find_keys(m) || split_keys(m))
		return err_memory(err);
	if (!c->ncells)
		return err_set(err, EINVAL,
				"nothing to compare: no job of %s has the name and the axes of "
				"one of %s", inputs[1].label, inputs[0].label);
	if (find_values(m) || fill_figures(m))
		return err_memory(err);
	for (size_t i = 0; i < c->nmetrics; i++) {
		if (judge_metric(c, i))
			return err_memory(err);
	}
	return differ_find(c, inputs) ? err_memory(err) : 0;
}

int compare_make(struct compare *c, const struct compare_input *inputs, size_t n,
		const struct compare_options *options, struct err *err)
{
	struct matching m = { .c = c };
	int r;

	*c = (struct compare){ .options = options, .nsides = n };
	c->sides = calloc(n, sizeof(*c->sides));
	r = c->sides ? find_metrics(c, err) : err_memory(err);
	if (!r)
		r = match_and_judge(&m, inputs, err);
	for (size_t i = 0; i < m.nkeys; i++)
		free(m.keys[i].has);
	free(m.keys);
	free(m.runs);
	free(m.values);
	return r;
}

void compare_free(struct compare *c)
{
	for (size_t i = 0; i < c->ncells; i++) {
		for (size_t j = 0; c->cells[i].figures && j < c->nmetrics * c->nsides; j++)
			free(c->cells[i].figures[j].values);
		free(c->cells[i].figures);
	}
	for (size_t i = 0; i < c->nmetrics; i++)
		free(c->metrics[i].geomean);
	for (size_t i = 0; i < c->nunmatched; i++)
		free(c->unmatched[i].has);
	differ_free(c);
	free(c->sides);
	free(c->metrics);
	free(c->cells);
	free(c->unmatched);
	*c = (struct compare){ .options = NULL };
}

const struct compare_figure *compare_figure(const struct compare *c, size_t cell, size_t metric,
		size_t side)
{
	return figure(c, cell, metric, side);
}

size_t compare_different_work(const struct compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->ndifferences; i++)
		n += c->differences[i].work;
	return n;
}

/* Is it more than chance, by this data? */
static bool significant(enum compare_verdict verdict)
{
	return verdict == COMPARE_REAL || verdict == COMPARE_BOOTS;
}

static size_t metric_of_condition(const struct compare *c,
		const struct compare_condition *condition)
{
	size_t metric = 0;

	while (strcmp(c->metrics[metric].metric.name, condition->metric.name))
		metric++;
	return metric;
}

bool compare_can_break(const struct compare *c, const struct compare_condition *condition)
{
	size_t metric = metric_of_condition(c, condition);

	for (size_t i = 0; i < c->ncells; i++) {
		if (figure(c, i, metric, 0)->n)
			return true;
	}
	return false;
}

bool compare_breaks(const struct compare *c, const struct compare_condition *condition, size_t cell,
		size_t side, bool any)
{
	size_t metric = metric_of_condition(c, condition);
	const struct compare_figure *f = figure(c, cell, metric, side);

	if (!f->n)
		return figure(c, cell, metric, 0)->n > 0;
	if (!any && !significant(f->verdict))
		return false;
	return condition->above ? f->change > condition->change : f->change < condition->change;
}
