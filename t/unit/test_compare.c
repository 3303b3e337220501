// SPDX-License-Identifier: MIT
/* core/result/compare: what belongs together, what is called different, and how often wrongly. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/job/job.h"
#include "../../core/load/rng.h"
#include "../../core/result/compare.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- results made by hand ------------------------------------------------------------------ */

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_quick(s);
	return s;
}

static void *make(size_t n, size_t size)
{
	void *p = calloc(n, size);

	ck_quick(p);
	return p;
}

/* A job that read so many bytes in a second. */
static struct result_job job_make(const char *name, const char *label, double bw)
{
	struct result_job job = {
		.name = copy(name), .section = copy(name), .description = copy(""),
		.engine = copy("psync"), .rw = copy("read"), .error_text = copy(""),
		.iodepth = 1, .workers = 1, .seed = 7, .sync_engine = true,
		.runtime_ns = 1000000000,
	};

	job.bs_min[0] = job.bs_max[0] = 4096;
	job.dir[0].ios = 100;
	job.dir[0].bytes = (uint64_t)bw;
	job.dir[0].runtime_ns = 1000000000;
	if (label) {
		job.axes = make(1, sizeof(*job.axes));
		job.axes[0] = (struct result_axis){ copy("mode"), copy(label) };
		job.naxes = 1;
	}
	return job;
}

/*
 * A result of `runs` runs with `n` jobs each, j0, j1, ...; bw[run * n + job]. In the boot of that
 * id, unless it is NULL.
 */
static struct result result_make(const char *boot, size_t runs, size_t n, const double *bw)
{
	struct result result = { .version = copy("0.1.0"), .nrepeats = runs };

	result.repeats = make(runs, sizeof(*result.repeats));
	for (size_t r = 0; r < runs; r++) {
		struct result_repeat *repeat = &result.repeats[r];

		repeat->jobs = make(n, sizeof(*repeat->jobs));
		repeat->njobs = n;
		for (size_t j = 0; j < n; j++) {
			char name[16];

			snprintf(name, sizeof(name), "j%zu", j);
			repeat->jobs[j] = job_make(name, NULL, bw[r * n + j]);
		}
	}
	if (boot) {
		result.facts = make(1, sizeof(*result.facts));
		result.facts[0] = (struct result_fact){ copy("boot_id"), copy(boot) };
		result.nfacts = 1;
	}
	return result;
}

static struct compare_options options(void)
{
	struct compare_options o = { .noise = 0.01, .confidence = 0.95 };
	struct err err;

	ck_quick(!metric_parse(&o.primary, "bw", &err));
	return o;
}

/* Compares two sides; the results stay the caller's. */
static void compare_two(struct compare *c, const struct result *a, size_t na,
		const struct result *b, size_t nb, const struct compare_options *o)
{
	const struct compare_input inputs[] = { { "old", a, na }, { "new", b, nb } };
	struct err err = { "" };
	int r = compare_make(c, inputs, 2, o, &err);

	ck_assert_msg(r == 0, "%s", err.text);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* One job; runs up to the first 0. */
static const struct {
	const char *what;
	double a[12];
	double b[12];
	const char *boots[2];
	double change;
	enum compare_verdict verdict;
	size_t needs;
} verdicts[] = {
	{ "one run each", { 1000 }, { 930 }, { "x", "x" }, -0.07, COMPARE_ONE_RUN, 4 },
	{ "one run each, two boots", { 1000 }, { 930 }, { "x", "y" }, -0.07, COMPARE_ONE_RUN, 4 },
	{ "three each", { 1000, 1001, 1002 }, { 900, 901, 902 }, { "x", "x" }, -0.0999,
			COMPARE_TOO_FEW, 4 },
	{ "one against three", { 1000 }, { 900, 901, 902 }, { "x", "x" }, -0.099,
			COMPARE_TOO_FEW, 4 },
	{ "four each, apart", { 1000, 1001, 1002, 1003 }, { 900, 901, 902, 903 }, { "x", "x" },
			-0.09985, COMPARE_REAL, 4 },
	{ "of two boots", { 1000, 1001, 1002, 1003 }, { 900, 901, 902, 903 }, { "x", "y" },
			-0.09985, COMPARE_BOOTS, 4 },
	{ "of boots unknown", { 1000, 1001, 1002, 1003 }, { 900, 901, 902, 903 }, { NULL, NULL },
			-0.09985, COMPARE_BOOTS, 4 },
	{ "of one boot unknown", { 1000, 1001, 1002, 1003 }, { 900, 901, 902, 903 },
			{ "x", NULL }, -0.09985, COMPARE_BOOTS, 4 },
	{ "apart, but not by much", { 1000, 1001, 1002, 1003 }, { 1004, 1005, 1006, 1007 },
			{ "x", "x" }, 0.003995, COMPARE_SAME, 4 },
	{ "mixed", { 1000, 1100, 1200, 1300 }, { 1050, 1150, 1250, 1350 }, { "x", "x" },
			0.04348, COMPARE_SAME, 4 },
	{ "all the same", { 1000, 1000, 1000, 1000 }, { 1000, 1000, 1000, 1000 }, { "x", "x" },
			0, COMPARE_SAME, 4 },
	{ "up", { 900, 901, 902, 903 }, { 1000, 1001, 1002, 1003 }, { "x", "x" },
			0.11092, COMPARE_REAL, 4 },
};

static size_t length(const double *values)
{
	size_t n = 0;

	while (values[n] > 0)
		n++;
	return n;
}

START_TEST(verdict)
{
	const double *a = verdicts[_i].a, *b = verdicts[_i].b;
	struct result old = result_make(verdicts[_i].boots[0], length(a), 1, a);
	struct result new = result_make(verdicts[_i].boots[1], length(b), 1, b);
	struct compare_options o = options();
	const struct compare_figure *f;
	struct compare c;

	compare_two(&c, &old, 1, &new, 1, &o);
	ck_assert_uint_eq(c.ncells, 1);
	f = compare_figure(&c, 0, 0, 1);
	ck_assert_msg(f->verdict == verdicts[_i].verdict, "%s: %s", verdicts[_i].what,
			compare_verdict_name(f->verdict));
	ck_assert_double_eq_tol(f->change, verdicts[_i].change, 5e-5);
	ck_assert_uint_eq(f->needs, verdicts[_i].needs);
	ck_assert_double_eq_tol(c.metrics[0].geomean[1].ratio, 1 + f->change, 1e-9);
	ck_assert_int_eq(compare_figure(&c, 0, 0, 0)->verdict, COMPARE_ABSENT);
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

/* Six boots a side, each with runs that hardly differ: the boots are what counts. */
START_TEST(boots_are_tested)
{
	static const double luck[] = { 1, 1.02, 0.99, 1.03, 0.98, 1.01 };
	struct compare_options o = options();

	for (int boots = 2; boots <= 6; boots += 4) {
		struct result old[6], new[6];
		struct compare c;
		const struct compare_figure *f;

		for (int i = 0; i < boots; i++) {
			char id[16];
			double a[5], b[5];

			for (int j = 0; j < 5; j++) {
				a[j] = 100000 * luck[i] + j;
				b[j] = 110000 * luck[i] + j;
			}
			snprintf(id, sizeof(id), "a%d", i);
			old[i] = result_make(id, 5, 1, a);
			snprintf(id, sizeof(id), "b%d", i);
			new[i] = result_make(id, 5, 1, b);
		}
		compare_two(&c, old, (size_t)boots, new, (size_t)boots, &o);
		ck_assert(c.by_boots);
		ck_assert_uint_eq(c.sides[1].boots, (size_t)boots);
		ck_assert_uint_eq(c.sides[1].runs, 5 * (size_t)boots);
		f = compare_figure(&c, 0, 0, 1);
		ck_assert_uint_eq(f->n, (size_t)boots);
		ck_assert_uint_eq(f->runs, 5 * (size_t)boots);
		ck_assert_int_eq(f->verdict, boots == 2 ? COMPARE_TOO_FEW : COMPARE_REAL);
		ck_assert_int_eq(isnan(f->low), boots == 2);
		compare_free(&c);
		for (int i = 0; i < boots; i++) {
			result_free(&old[i]);
			result_free(&new[i]);
		}
	}
}
END_TEST

/* Of 14 cells: what the correction makes of one that changed, and how many runs it takes. */
START_TEST(corrections)
{
	static const struct {
		enum compare_correction correction;
		size_t runs;
		size_t changed;
		enum compare_verdict verdict;
		enum compare_verdict others;
		size_t needs;
	} rows[] = {
		{ COMPARE_BH, 4, 1, COMPARE_TOO_FEW, COMPARE_TOO_FEW, 6 },
		{ COMPARE_BH, 5, 1, COMPARE_TOO_FEW, COMPARE_TOO_FEW, 6 },
		{ COMPARE_BH, 6, 1, COMPARE_REAL, COMPARE_SAME, 6 },
		{ COMPARE_BH, 4, 13, COMPARE_REAL, COMPARE_SAME, 6 }, /* all would be */
		{ COMPARE_HOLM, 4, 13, COMPARE_TOO_FEW, COMPARE_TOO_FEW, 6 },
		{ COMPARE_HOLM, 6, 1, COMPARE_REAL, COMPARE_SAME, 6 },
		{ COMPARE_NONE, 4, 1, COMPARE_REAL, COMPARE_SAME, 4 },
		{ COMPARE_NONE, 3, 1, COMPARE_TOO_FEW, COMPARE_TOO_FEW, 4 },
	};

	for (size_t i = 0; i < N(rows); i++) {
		double a[14 * 6], b[14 * 6];
		struct compare_options o = options();
		struct result old, new;
		struct compare c;

		o.correction = rows[i].correction;
		for (size_t r = 0; r < rows[i].runs; r++) {
			for (size_t j = 0; j < 14; j++) {
				a[r * 14 + j] = 100000 + 100 * (double)r;
				b[r * 14 + j] = a[r * 14 + j] + (j < rows[i].changed ? 9000 : 0);
			}
		}
		old = result_make("x", rows[i].runs, 14, a);
		new = result_make("x", rows[i].runs, 14, b);
		compare_two(&c, &old, 1, &new, 1, &o);
		ck_assert_uint_eq(c.ncells, 14);
		for (size_t j = 0; j < 14; j++) {
			const struct compare_figure *f = compare_figure(&c, j, 0, 1);

			ck_assert_int_eq(f->verdict,
					j < rows[i].changed ? rows[i].verdict : rows[i].others);
			ck_assert_uint_eq(f->needs, rows[i].needs);
			ck_assert_double_ge(f->corrected, f->p);
		}
		compare_free(&c);
		result_free(&old);
		result_free(&new);
	}
}
END_TEST

/* ---- simulated tables ---------------------------------------------------------------------- */

/* Box and Muller: standard normal. */
static double normal(struct rng *rng)
{
	double u = ((double)(rng_next(rng) >> 11) + 1) * 0x1p-53;
	double v = (double)(rng_next(rng) >> 11) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

enum { CELLS = 14, RUNS = 8 };

struct simulation {
	double noise;      /* from run to run */
	double boot_noise; /* shared by the runs of a boot, cell by cell */
	double change;
	size_t changed;    /* cells that change */
	size_t boots;      /* a side, RUNS runs each; 0: both sides in one */
};

struct counts {
	size_t wrong; /* tables with a cell called different that is none */
	size_t found; /* changed cells that were called so */
	size_t differ; /* tables with a cell called different, of two boots */
};

static struct result simulate_side(struct rng *rng, const struct simulation *s, bool new,
		size_t boot)
{
	double bw[CELLS * RUNS], luck[CELLS];
	char id[32];

	for (size_t j = 0; j < CELLS; j++)
		luck[j] = s->boot_noise * normal(rng);
	for (size_t i = 0; i < N(bw); i++) {
		bool changes = new && i % CELLS < s->changed;

		bw[i] = 1e9 * (1 + (changes ? s->change : 0))
				* (1 + luck[i % CELLS] + s->noise * normal(rng));
	}
	snprintf(id, sizeof(id), "%s%zu", s->boots ? (new ? "new" : "old") : "both", boot);
	return result_make(id, RUNS, CELLS, bw);
}

static void simulate_table(struct rng *rng, const struct simulation *s, struct counts *counts)
{
	size_t boots = s->boots ? s->boots : 1;
	struct compare_options o = options();
	struct result old[8], new[8];
	size_t wrong = 0, differ = 0;
	struct compare c;

	for (size_t i = 0; i < boots; i++) {
		old[i] = simulate_side(rng, s, false, i);
		new[i] = simulate_side(rng, s, true, i);
	}
	compare_two(&c, old, boots, new, boots, &o);
	for (size_t j = 0; j < CELLS; j++) {
		bool real = compare_figure(&c, j, 0, 1)->verdict == COMPARE_REAL;

		differ += compare_figure(&c, j, 0, 1)->verdict == COMPARE_BOOTS;
		counts->found += real && j < s->changed;
		wrong += real && j >= s->changed;
	}
	counts->wrong += wrong > 0;
	counts->differ += differ > 0;
	compare_free(&c);
	for (size_t i = 0; i < boots; i++) {
		result_free(&old[i]);
		result_free(&new[i]);
	}
}

static struct counts simulate(const struct simulation *s, size_t tables)
{
	struct counts counts = { 0 };
	struct rng rng;

	rng_seed(&rng, 20090727, s->changed);
	for (size_t i = 0; i < tables; i++)
		simulate_table(&rng, s, &counts);
	return counts;
}

START_TEST(simulated)
{
	const struct simulation equal = { .noise = 0.02 };
	const struct simulation all = { .noise = 0.02, .change = 0.05, .changed = CELLS };
	const struct simulation one = { .noise = 0.02, .change = 0.05, .changed = 1 };
	size_t tables = 400;
	struct counts counts;

	counts = simulate(&equal, tables);
	ck_assert_msg(counts.wrong * 100 <= 5 * tables, "%zu false of %zu", counts.wrong, tables);
	ck_assert_uint_gt(counts.wrong, 0); /* or it is no test of chance */
	counts = simulate(&all, tables);
	ck_assert_msg(counts.found * 100 >= 95 * tables * CELLS, "%zu found", counts.found);
	counts = simulate(&one, tables);
	ck_assert_msg(counts.found * 100 >= 80 * tables, "%zu of %zu found", counts.found, tables);
}
END_TEST

/* Equal systems, but each boot has its luck: runs within it know nothing of that. */
START_TEST(simulated_boots)
{
	struct simulation s = { .noise = 0.005, .boot_noise = 0.02 };
	size_t tables = 100;
	struct counts counts;

	for (s.boots = 1; s.boots <= 3; s.boots += 2) {
		counts = simulate(&s, tables);
		ck_assert_uint_eq(counts.wrong, 0);
		/* It is seen, and called what it is. */
		ck_assert_uint_eq(counts.differ, s.boots == 1 ? tables : 0);
	}
	s.boots = 6;
	counts = simulate(&s, tables);
	ck_assert_msg(counts.wrong * 100 <= 5 * tables, "%zu false of %zu", counts.wrong, tables);
	s.change = 0.1;
	s.changed = CELLS;
	counts = simulate(&s, tables);
	ck_assert_msg(counts.found * 100 >= 95 * tables * CELLS, "%zu found", counts.found);
}
END_TEST

/* ---- matching ------------------------------------------------------------------------------ */

/* A result of one run, with jobs of these names and labels. */
static struct result plain(size_t n, const char *const jobs[][2])
{
	struct result result = { .version = copy("0.1.0") };

	result.jobs = make(n, sizeof(*result.jobs));
	for (result.njobs = 0; result.njobs < n; result.njobs++)
		result.jobs[result.njobs] = job_make(jobs[result.njobs][0], jobs[result.njobs][1],
				1000 * (double)(result.njobs + 1));
	return result;
}

START_TEST(matching)
{
	static const char *const olds[][2] = {
		{ "a", "Read" }, { "a", "Write" }, { "gone", NULL }, { "a", NULL },
		{ "twin", NULL }, { "twin", NULL },
	};
	static const char *const news[][2] = {
		{ "twin", NULL }, { "twin", NULL }, { "new", "Read" }, { "a", "Write" },
		{ "a", "Read" }, { "b", "Read" }, { "a", NULL },
	};
	struct compare_options o = options();
	struct result old = plain(N(olds), olds), new = plain(N(news), news);
	struct compare c;

	compare_two(&c, &old, 1, &new, 1, &o);
	ck_assert_uint_eq(c.ncells, 4);
	ck_assert_str_eq(c.cells[1].job->axes[0].label, "Write");
	ck_assert_double_eq(compare_figure(&c, 1, 0, 0)->median, 2000);
	ck_assert_double_eq(compare_figure(&c, 1, 0, 1)->median, 4000);
	/* Workers of one name are added. */
	ck_assert_str_eq(c.cells[3].job->name, "twin");
	ck_assert_double_eq(compare_figure(&c, 3, 0, 0)->median, 11000);
	ck_assert_double_eq(compare_figure(&c, 3, 0, 1)->median, 3000);
	ck_assert_uint_eq(c.nunmatched, 3);
	ck_assert_str_eq(c.unmatched[0].job->name, "gone");
	ck_assert(c.unmatched[0].has[0] && !c.unmatched[0].has[1] && !c.unmatched[0].shown);
	ck_assert(!c.unmatched[1].has[0] && c.unmatched[1].has[1]);
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

START_TEST(three_sides)
{
	static const char *const both[][2] = { { "a", NULL }, { "b", NULL } };
	struct compare_options o = options();
	struct result old = plain(2, both), one = plain(1, both), other = plain(2, both);
	const struct compare_input inputs[] = {
		{ "old", &old, 1 }, { "one", &one, 1 }, { "other", &other, 1 },
	};
	struct err err;
	struct compare c;

	other.jobs[1].dir[0].bytes = 2200;
	other.jobs[0].error = EIO;
	ck_assert_int_eq(compare_make(&c, inputs, 3, &o, &err), 0);
	ck_assert_uint_eq(c.ncells, 2);
	ck_assert_uint_eq(c.nunmatched, 1);
	ck_assert(c.unmatched[0].shown);
	ck_assert_int_eq(compare_figure(&c, 1, 0, 1)->verdict, COMPARE_ABSENT);
	ck_assert_double_eq_tol(compare_figure(&c, 1, 0, 2)->change, 0.1, 1e-9);
	/* It failed there. */
	ck_assert_int_eq(compare_figure(&c, 0, 0, 2)->verdict, COMPARE_ABSENT);
	ck_assert_uint_eq(compare_figure(&c, 0, 0, 2)->lacking, 1);
	ck_assert_uint_eq(c.metrics[0].family, 2);
	compare_free(&c);
	result_free(&old);
	result_free(&one);
	result_free(&other);
}
END_TEST

START_TEST(nothing_in_common)
{
	static const char *const olds[][2] = { { "a", "Read" } };
	static const char *const news[][2] = { { "a", "Write" } };
	struct compare_options o = options();
	struct result old = plain(1, olds), new = plain(1, news);
	const struct compare_input inputs[] = { { "old", &old, 1 }, { "new", &new, 1 } };
	struct err err;
	struct compare c;

	ck_assert_int_eq(compare_make(&c, inputs, 2, &o, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "nothing to compare"));
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

/* ---- different work ------------------------------------------------------------------------ */

static void option_add(struct result_option **list, size_t *n, const char *key, const char *value)
{
	*list = realloc(*list, (*n + 1) * sizeof(**list));
	ck_assert_ptr_nonnull(*list);
	(*list)[(*n)++] = (struct result_option){ copy(key), copy(value) };
}

static void text_set(char **member, const char *text)
{
	free(*member);
	*member = copy(text);
}

/* Two jobs that differ in one thing: the key that is told, its values, and whether it is work. */
static const struct difference {
	const char *key;
	const char *a; /* how it is written in the job: NULL: not at all */
	const char *b;
	const char *says; /* the difference as "a / b", or NULL: there is none */
	bool work;
	bool resolved; /* else an option as written */
} different[] = {
	{ "size", "1g", "2g", "1g / 2g", true, true },
	{ "runtime", "10", "5", "10 / 5", true, true },
	{ "directory", "/a", "/b", "/a / /b", false, true },
	{ "filename", "/dev/a", "/dev/b", "/dev/a / /dev/b", false, true },
	{ "mode", "1", "2", NULL, false, true },         /* varied */
	{ "hipri", "1", NULL, NULL, false, true },       /* a key that one has not */
	{ "size", "1g", "1024m", NULL, false, false },   /* in two spellings */
	{ "blocksize_range", "4k-8k", "4k-64k", "4k-8k / 4k-64k", true, false }, /* by an alias */
	{ "rate", "10m", NULL, "10m / 0", true, false },
	{ "rwmixread", "50", NULL, NULL, false, false }, /* the default */
	{ "random_distribution", "zipf", NULL, "zipf / not set", true, false }, /* fio's alone */
	{ "thread", "", "1", NULL, false, false },       /* a bare key */
	{ "unlink", "1", NULL, "1 / 0", false, false },
	{ "description", "x", "y", NULL, false, false },
};

static void differ_by(struct result *result, const struct difference *d, const char *value)
{
	struct result_job *job = &result->jobs[0];

	option_add(&job->options, &job->noptions, "loops", "1");
	if (d->resolved)
		option_add(&job->resolved, &job->nresolved, "loops", "1");
	if (value && d->resolved)
		option_add(&job->resolved, &job->nresolved, d->key, value);
	else if (value)
		option_add(&job->options, &job->noptions, d->key, value);
}

START_TEST(difference)
{
	static const char *const jobs[][2] = { { "a", "Read" } };
	const struct difference *d = &different[_i];
	struct result old = plain(1, jobs), new = plain(1, jobs);
	struct compare_options o = options();
	struct compare c;
	char says[128];

	differ_by(&old, d, d->a);
	differ_by(&new, d, d->b);
	compare_two(&c, &old, 1, &new, 1, &o);
	ck_assert_uint_eq(c.ndifferences, d->says != NULL);
	ck_assert_uint_eq(compare_different_work(&c), d->work);
	if (d->says) {
		snprintf(says, sizeof(says), "%s / %s", c.differences[0].values[0],
				c.differences[0].values[1]);
		ck_assert_str_eq(says, d->says);
		ck_assert_uint_eq(c.differences[0].cells, 1);
	}
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

/*
 * Keys that do not make it other work: where and how, what is reported, and members of the result,
 * which are looked at as such.
 */
static const char *const elsewhere[] = {
	"buffered", "bs", "description", "direct", "iodepth", "ioengine", "name", "numjobs", "rw",
	"bwavgtime", "continue_on_error", "cpus_allowed", "create_only", "directory", "exitall",
	"fadvise_hint", "fallocate", "filename", "filename_format", "grace", "group_reporting",
	"invalidate", "iodepth_batch", "iodepth_batch_complete_max", "iodepth_batch_complete_min",
	"iopsavgtime", "kb_base", "lat_percentiles", "lat_thresholds", "new_group", "optional",
	"overwrite", "percentile_list", "postmark_location", "pre_read", "ramp_time",
	"refill_buffers", "repeat", "scramble_buffers", "startdelay", "steadystate",
	"steadystate_ramp_time", "stonewall", "thread", "unlink", "zero_buffers", "buffer_pattern",
};

/* Every key of the job table is one of these, or work. */
START_TEST(every_key)
{
	static const char *const jobs[][2] = { { "a", NULL } };

	for (const struct iojob_option *row = job_options; row->name; row++) {
		struct result old = plain(1, jobs), new = plain(1, jobs);
		struct compare_options o = options();
		bool work = true;
		struct compare c;

		for (size_t i = 0; i < N(elsewhere); i++)
			work &= strcmp(elsewhere[i], row->name) != 0;
		old.jobs[0].seed = new.jobs[0].seed = 0; /* or randseed is not looked at */
		option_add(&old.jobs[0].resolved, &old.jobs[0].nresolved, row->name, "1");
		option_add(&new.jobs[0].resolved, &new.jobs[0].nresolved, row->name, "2");
		compare_two(&c, &old, 1, &new, 1, &o);
		ck_assert_msg((compare_different_work(&c) > 0) == work,
				"%s: is it work (core/result/differ.c), or among those above?",
				row->name);
		compare_free(&c);
		result_free(&old);
		result_free(&new);
	}
}
END_TEST

/* A job of which all keys are known, and one of fio's that tells what was written for it. */
START_TEST(against_fio)
{
	static const char *const jobs[][2] = { { "a", NULL } };
	static const struct {
		const char *key;
		const char *value; /* of the job that knows all */
		const char *fio_key; /* what fio's has besides numjobs, or NULL */
		const char *fio_value;
		const char *says;
	} rows[] = {
		{ "io_size", "1m", NULL, NULL, NULL },   /* worked out of the size */
		{ "unlink", "1", NULL, NULL, NULL },     /* perhaps left out */
		{ "rate", "0", NULL, NULL, NULL },       /* the default */
		{ "rate", "10m", NULL, NULL, "rate: 10m / 0" },
		{ "hipri", "0", NULL, NULL, NULL },
		{ "norandommap", "1", NULL, NULL, NULL }, /* fio leaves out bare keys */
		{ "time_based", "1", NULL, NULL, NULL },
		{ "norandommap", "1", "norandommap", "0", "norandommap: 1 / 0" },
		{ "rwmixread", "70", "rwmixread", "70", NULL },
		{ "rwmixread", "70", "rwmixwrite", "30", NULL },
		{ "rwmixread", "70", "rwmixwrite", "70", "rwmixread: 70 / 30" },
		{ "rwmixread", "70", NULL, NULL, "rwmixread: 70 / 50" },
		{ "size", "1m", "size", "50%", NULL },   /* of what is not known */
		{ "size", "1m", "size", "2m", "size: 1m / 2m" },
		{ "zonerange", "64k", "zonesize", "64k", NULL }, /* worked out of the other */
		{ "randseed", "99", "randseed", "5", NULL }, /* its seed as used is known */
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct result known = plain(1, jobs), fio = plain(1, jobs);
		struct compare_options o = options();
		struct compare c;
		char says[128] = "";

		known.jobs[0].workers = 2;
		fio.fio = true;
		fio.jobs[0].seed = 0;
		option_add(&known.jobs[0].resolved, &known.jobs[0].nresolved, rows[i].key,
				rows[i].value);
		option_add(&fio.jobs[0].options, &fio.jobs[0].noptions, "numjobs", "2");
		if (rows[i].fio_key)
			option_add(&fio.jobs[0].options, &fio.jobs[0].noptions, rows[i].fio_key,
					rows[i].fio_value);
		compare_two(&c, &known, 1, &fio, 1, &o);
		ck_assert_msg(c.ndifferences == (rows[i].says != NULL), "row %zu", i);
		if (rows[i].says) {
			snprintf(says, sizeof(says), "%s: %s / %s", c.differences[0].key,
					c.differences[0].values[0], c.differences[0].values[1]);
			ck_assert_str_eq(says, rows[i].says);
			ck_assert(c.differences[0].work);
		}
		compare_free(&c);
		/* The other way round there are as many. */
		compare_two(&c, &fio, 1, &known, 1, &o);
		ck_assert_msg(c.ndifferences == (rows[i].says != NULL), "row %zu, turned", i);
		compare_free(&c);
		result_free(&known);
		result_free(&fio);
	}
}
END_TEST

static void fact_add(struct result *result, const char *key, const char *value)
{
	result->facts = realloc(result->facts, (result->nfacts + 1) * sizeof(*result->facts));
	ck_assert_ptr_nonnull(result->facts);
	result->facts[result->nfacts++] = (struct result_fact){ copy(key), copy(value) };
}

/* Environments are held against that of the first result; what one lacks is told, too. */
START_TEST(different_environments)
{
	static const char *const jobs[][2] = { { "a", NULL } };
	static const struct {
		const char *key;
		const char *a;
		const char *b;
	} rows[] = {
		{ "cgroup.io.max", "-", "8:0 rbps=1" }, { "kernel.release", "6.1", "6.1 | 6.2" },
		{ "memory.swap", "0", "1 | 0" },
	};
	struct result old = plain(1, jobs), new[3] = {
		plain(1, jobs), plain(1, jobs), plain(1, jobs),
	};
	struct compare_options o = options();
	struct compare c;

	fact_add(&old, "kernel.release", "6.1");
	fact_add(&old, "memory.swap", "0");
	fact_add(&new[0], "cgroup.io.max", "8:0 rbps=1");
	fact_add(&new[0], "kernel.release", "6.1");
	fact_add(&new[0], "memory.swap", "1");
	fact_add(&new[1], "cgroup.io.max", "8:0 rbps=1");
	fact_add(&new[1], "kernel.release", "6.2");
	fact_add(&new[1], "memory.swap", "0");
	compare_two(&c, &old, 1, new, N(new), &o); /* the last one knows nothing */
	ck_assert_uint_eq(c.ndifferences, N(rows));
	for (size_t i = 0; i < N(rows); i++) {
		const struct compare_difference *d = NULL;

		for (size_t j = 0; j < c.ndifferences; j++) {
			if (!strcmp(c.differences[j].key, rows[i].key))
				d = &c.differences[j];
		}
		ck_assert_msg(d != NULL, "%s", rows[i].key);
		ck_assert_str_eq(d->values[0], rows[i].a);
		ck_assert_str_eq(d->values[1], rows[i].b);
		ck_assert(!d->work && !d->cells);
	}
	compare_free(&c);
	result_free(&old);
	for (size_t i = 0; i < N(new); i++)
		result_free(&new[i]);
}
END_TEST

START_TEST(different_members)
{
	static const char *const jobs[][2] = {
		{ "a", "Read" }, { "a", "Write" }, { "c", NULL }, { "c", NULL },
	};
	static const struct {
		const char *key;
		const char *says;
		bool work;
	} rows[] = {
		{ "version", "0.1.0 / 0.2.0", false }, { "rw", "read / randread", true },
		{ "bs", "4k / 4k-8k", true }, { "iodepth", "1 / 16", true },
		{ "direct", "0 / 1", true }, { "seed", "7 / 8", true },
		{ "engine", "psync / libaio", false }, { "numjobs", "2 / 1", true },
	};
	struct result old = plain(4, jobs), new = plain(3, jobs);
	struct compare_options o = options();
	struct compare c;

	text_set(&new.version, "0.2.0");
	for (int i = 0; i < 2; i++) {
		text_set(&new.jobs[i].rw, "randread");
		text_set(&new.jobs[i].engine, "libaio");
		new.jobs[i].bs_max[0] = 8192;
		new.jobs[i].bs_max[1] = 65536; /* which it does not do */
		new.jobs[i].iodepth = 16;
		new.jobs[i].direct = true;
		new.jobs[i].seed = 8;
		/* Is the seed once more, and is not told twice. */
		option_add(&old.jobs[i].resolved, &old.jobs[i].nresolved, "randseed", "7");
		option_add(&new.jobs[i].resolved, &new.jobs[i].nresolved, "randseed", "8");
	}
	compare_two(&c, &old, 1, &new, 1, &o);
	ck_assert_uint_eq(c.ndifferences, N(rows));
	for (size_t i = 0; i < N(rows); i++) {
		const struct compare_difference *d = &c.differences[i];
		char says[128];

		snprintf(says, sizeof(says), "%s / %s", d->values[0], d->values[1]);
		ck_assert_str_eq(d->key, rows[i].key);
		ck_assert_str_eq(says, rows[i].says);
		ck_assert_int_eq(d->work, rows[i].work);
		ck_assert_uint_eq(d->cells, i == 0 ? 0 : i + 1 < N(rows) ? 2 : 1);
	}
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

/* Several files of one side that differ are told as such, each value once. */
START_TEST(difference_within_a_side)
{
	static const char *const jobs[][2] = { { "a", NULL } };
	struct result old[3] = { plain(1, jobs), plain(1, jobs), plain(1, jobs) };
	struct result new = plain(1, jobs);
	struct compare_options o = options();
	struct compare c;

	old[1].jobs[0].iodepth = 16;
	old[2].jobs[0].iodepth = 6;
	compare_two(&c, old, 3, &new, 1, &o);
	ck_assert_uint_eq(c.ndifferences, 1);
	ck_assert_str_eq(c.differences[0].values[0], "1 | 16 | 6");
	ck_assert_str_eq(c.differences[0].values[1], "1");
	ck_assert_uint_eq(compare_different_work(&c), 1);
	compare_free(&c);
	for (size_t i = 0; i < N(old); i++)
		result_free(&old[i]);
	result_free(&new);
}
END_TEST

/* ---- conditions ---------------------------------------------------------------------------- */

START_TEST(conditions)
{
	static const struct {
		const char *text;
		bool breaks[2]; /* significant changes only; any */
	} rows[] = {
		{ "bw<-5%", { true, true } },     { "bw < -5%", { true, true } },
		{ "bw<-15%", { false, false } },  { "bw>-5%", { false, false } },
		{ "bw<-9.99%", { false, false } }, { "iops<5%", { false, true } },
		{ "iops>-1%", { false, true } },  { "read.bw<-5%", { true, true } },
	};
	const double a[] = { 1000, 1001, 1002, 1003 }, b[] = { 900, 901, 902, 903 };
	struct result old = result_make("x", 4, 1, a), new = result_make("x", 4, 1, b);

	for (size_t i = 0; i < N(rows); i++) {
		struct compare_condition condition;
		struct compare_options o = options();
		struct compare c;
		struct err err = { "" };

		ck_assert_msg(compare_condition_parse(&condition, rows[i].text, &err) == 0, "%s",
				err.text);
		o.conditions = &condition;
		o.nconditions = 1;
		compare_two(&c, &old, 1, &new, 1, &o);
		for (int any = 0; any < 2; any++)
			ck_assert_msg(compare_breaks(&c, &condition, 0, 1, any)
					== rows[i].breaks[any], "%s", rows[i].text);
		compare_free(&c);
	}
	result_free(&old);
	result_free(&new);
}
END_TEST

/* A job that the base did and the other failed is no success. */
START_TEST(condition_of_a_failure)
{
	static const char *const jobs[][2] = { { "a", NULL } };
	struct result old = plain(1, jobs), new = plain(1, jobs);
	struct compare_condition condition;
	struct compare_options o = options();
	struct compare c;
	struct err err;

	new.jobs[0].error = EIO;
	ck_assert_int_eq(compare_condition_parse(&condition, "bw<-5%", &err), 0);
	o.conditions = &condition;
	o.nconditions = 1;
	compare_two(&c, &old, 1, &new, 1, &o);
	ck_assert(compare_breaks(&c, &condition, 0, 1, false));
	compare_free(&c);
	compare_two(&c, &new, 1, &old, 1, &o);
	ck_assert(!compare_breaks(&c, &condition, 0, 1, true));
	compare_free(&c);
	result_free(&old);
	result_free(&new);
}
END_TEST

START_TEST(wrong_conditions)
{
	static const char *const texts[] = {
		"", "bw", "bw<", "bw<%", "bw<5", "bw=5%", "<5%", "speed<5%", "bw<5%x", "bw<x%",
		"bw<nan%", "bw<<5%",
	};
	struct compare_condition condition;

	for (size_t i = 0; i < N(texts); i++) {
		struct err err = { "" };

		ck_assert_msg(compare_condition_parse(&condition, texts[i], &err) == -EINVAL, "%s",
				texts[i]);
		ck_assert(err.text[0]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compare");
	TCase *tcase = tcase_create("compare");

	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, verdict, 0, N(verdicts));
	tcase_add_test(tcase, boots_are_tested);
	tcase_add_test(tcase, corrections);
	tcase_add_test(tcase, simulated);
	tcase_add_test(tcase, simulated_boots);
	tcase_add_test(tcase, matching);
	tcase_add_test(tcase, three_sides);
	tcase_add_test(tcase, nothing_in_common);
	tcase_add_loop_test(tcase, difference, 0, N(different));
	tcase_add_test(tcase, every_key);
	tcase_add_test(tcase, against_fio);
	tcase_add_test(tcase, different_environments);
	tcase_add_test(tcase, different_members);
	tcase_add_test(tcase, difference_within_a_side);
	tcase_add_test(tcase, conditions);
	tcase_add_test(tcase, condition_of_a_failure);
	tcase_add_test(tcase, wrong_conditions);
	return unit_run(suite);
}
