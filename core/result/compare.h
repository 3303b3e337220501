/* SPDX-License-Identifier: MIT */
/*
 * Results of two sides or more against those of the first: which jobs belong together, how far
 * apart they are, and whether that is more than chance. Plain data in, plain data out; what is
 * printed of it stands in output/compare*.c.
 *
 * A side is one or more results, each with one or more runs (repeats). Jobs are matched by name and
 * axes; what a run has several of under one name is merged. A cell is one such job; a figure what
 * one side's runs of it came to in one metric.
 *
 * Runs within one boot share its luck, so boots are what counts as soon as a side has several: then
 * the medians of the boots are tested, else the runs.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "metric.h"
#include "result.h"

enum compare_verdict {
	COMPARE_ABSENT,  /* this side or the base has no figure; of the base: always */
	COMPARE_ONE_RUN, /* one run a side: there is a change, and no verdict */
	COMPARE_TOO_FEW, /* so few that no difference at all could be significant: see needs */
	COMPARE_SAME,    /* not significant, or less than the noise */
	COMPARE_BOOTS,   /* differs between these two boots: whether for another reason is open */
	COMPARE_REAL,
};

/* "real", "boots", "same", "too few", "one run", "" */
const char *compare_verdict_name(enum compare_verdict verdict);

enum compare_correction { COMPARE_BH, COMPARE_HOLM, COMPARE_NONE };

/* "bh", "holm", "none"; -EINVAL with a text. */
int compare_correction_parse(enum compare_correction *correction, const char *name,
		struct err *err);
const char *compare_correction_name(enum compare_correction correction);

/* "bw<-5%": a change of a metric that must not be. */
struct compare_condition {
	struct metric metric;
	bool above;    /* ">" rather than "<" */
	double change; /* a share: -0.05 */
};

/* -EINVAL with a text. */
int compare_condition_parse(struct compare_condition *condition, const char *text,
		struct err *err);

/* What is compared. All of it must outlive the comparison. */
struct compare_input {
	const char *label;
	const struct result *results;
	size_t nresults;
};

struct compare_options {
	struct metric primary;
	const struct compare_condition *conditions; /* their metrics are looked at, too */
	size_t nconditions;
	double noise;      /* smallest change that is called one, a share: 0.01 */
	double confidence; /* 0.95 */
	enum compare_correction correction;
};

struct compare_side {
	const char *label;
	size_t runs;
	size_t boots;     /* different ones; those unknown count as one */
	bool boots_known; /* every run says in which boot it was */
	/* Against the base: */
	bool same_boot; /* both had the same one, and no other */
	bool apart;     /* all runs of one side came before those of the other */
};

struct compare_figure {
	double *values; /* of the runs, or the boots' medians; sorted; owned */
	size_t n;
	size_t runs;    /* that have a figure */
	size_t lacking; /* runs that have none: the job failed, was skipped or interrupted there */
	double median;  /* NaN where n is 0 */
	double low;     /* its interval; NaN where n is too small for one */
	double high;
	/* Against the base; NaN in the base's own: */
	double change;  /* a share: -0.05 */
	double p;
	double corrected; /* over all cells, where the metric is corrected; else p */
	enum compare_verdict verdict;
	size_t needs;   /* runs (or boots) a side with which one cell could be significant */
};

struct compare_geomean {
	double ratio; /* NaN of none */
	size_t n;     /* of so many cells: those with a figure above 0 on both sides */
};

struct compare_metric {
	struct metric metric;
	bool corrected;   /* for the number of its cells */
	struct compare_geomean *geomean; /* of the ratios to the base, one a side; owned */
	size_t family;    /* how many p values it has */
};

struct compare_cell {
	const struct result_job *job; /* name and axes: the first one found */
	struct compare_figure *figures; /* [metric * nsides + side]; owned */
};

/* Something that is not the same on all sides. */
struct compare_difference {
	char *key;
	char **values; /* one a side; of several results "a | b"; NULL: not known there */
	size_t cells;  /* in how many cells this is so; 0: not of a job but of the whole side */
	size_t cell;   /* the first of them */
	bool work;     /* then it is not the same work */
};

/* A job that not every side has. */
struct compare_unmatched {
	const struct result_job *job;
	bool *has;  /* one a side; owned */
	bool shown; /* the base and another side have it, so that it is a cell, too */
};

struct compare {
	const struct compare_options *options;
	struct compare_side *sides; /* the base is the first */
	size_t nsides;
	bool by_boots; /* n counts boots */
	struct compare_metric *metrics; /* the primary one is the first */
	size_t nmetrics;
	struct compare_cell *cells; /* in the order of the base */
	size_t ncells;
	struct compare_difference *differences;
	size_t ndifferences;
	struct compare_unmatched *unmatched;
	size_t nunmatched;
};

/*
 * Compares inputs[1], ... with inputs[0]. 0; -ENOMEM; -EINVAL where there is nothing to compare. It
 * does not refuse different work: see compare_different_work(). compare_free() in every case.
 */
int compare_make(struct compare *c, const struct compare_input *inputs, size_t n,
		const struct compare_options *options, struct err *err);
void compare_free(struct compare *c);

const struct compare_figure *compare_figure(const struct compare *c, size_t cell, size_t metric,
		size_t side);

/* Have they one name, and the same axes? */
bool compare_same_job(const struct result_job *a, const struct result_job *b);

/* Is there another one of that name and those axes, out of another job file? */
bool compare_has_twin(const struct result *result, const struct result_job *job);

/* How many differences there are in what the jobs do. */
size_t compare_different_work(const struct compare *c);

/* Has any cell a figure of the condition's metric on the base, to hold others against? */
bool compare_can_break(const struct compare *c, const struct compare_condition *condition);

/*
 * Does the cell break the condition on that side? Only a significant change does, unless `any`; and
 * a figure that the base has and this side lacks.
 */
bool compare_breaks(const struct compare *c, const struct compare_condition *condition, size_t cell,
		size_t side, bool any);

#endif
