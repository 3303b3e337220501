// SPDX-License-Identifier: MIT
/* A comparison as JSON. What cannot be (an interval of two values) is null. */
#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "../core/result/value.h"
#include "compare.h"

static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *whole(size_t n)
{
	return json_integer(value_whole(n));
}

static json_t *text(const char *s)
{
	return s ? value_string(s) : json_null();
}

static json_t *axes(const struct result_job *job)
{
	json_t *array = json_array();

	for (size_t i = 0; i < job->naxes; i++)
		array = value_item(array, json_pack("{s:o, s:o}", "name",
				text(job->axes[i].name), "label", text(job->axes[i].label)));
	return array;
}

static json_t *sides(const struct compare *c)
{
	json_t *array = json_array();

	for (size_t s = 0; s < c->nsides; s++) {
		const struct compare_side *side = &c->sides[s];
		json_t *object = json_pack("{s:o, s:o, s:o, s:b}", "label", text(side->label),
				"runs", whole(side->runs), "boots", whole(side->boots),
				"boots_known", side->boots_known);

		if (s) {
			object = value_with(object, "same_boot", json_boolean(side->same_boot));
			object = value_with(object, "apart", json_boolean(side->apart));
		}
		array = value_item(array, object);
	}
	return array;
}

static json_t *differences(const struct compare *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->ndifferences; i++) {
		const struct compare_difference *d = &c->differences[i];
		const struct result_job *job = c->cells[d->cell].job;
		json_t *values = json_array();
		json_t *object;

		for (size_t s = 0; s < c->nsides; s++)
			values = value_item(values, text(d->values[s]));
		object = json_pack("{s:o, s:o, s:b, s:o}", "key", text(d->key), "values", values,
				"work", d->work, "cells", whole(d->cells));
		if (d->cells) {
			object = value_with(object, "job", text(job->name));
			object = value_with(object, "axes", axes(job));
		}
		array = value_item(array, object);
	}
	return array;
}

static json_t *unmatched(const struct compare *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->nunmatched; i++) {
		const struct compare_unmatched *u = &c->unmatched[i];
		json_t *has = json_array();

		for (size_t s = 0; s < c->nsides; s++)
			has = value_item(has, json_boolean(u->has[s]));
		array = value_item(array, json_pack("{s:o, s:o, s:o}", "job", text(u->job->name),
				"axes", axes(u->job), "has", has));
	}
	return array;
}

static json_t *figure(const struct compare_figure *f, bool base)
{
	json_t *values = json_array();
	json_t *object;

	for (size_t i = 0; i < f->n; i++)
		values = value_item(values, real(f->values[i]));
	object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "runs", whole(f->runs),
			"lacking", whole(f->lacking), "values", values, "median", real(f->median),
			"low", real(f->low), "high", real(f->high));
	if (base)
		return object;
	object = value_with(object, "change_percent", real(f->change * 100));
	object = value_with(object, "p", real(f->p));
	object = value_with(object, "p_corrected", real(f->corrected));
	if (f->verdict == COMPARE_ABSENT)
		return value_with(object, "verdict", json_null());
	object = value_with(object, "verdict", text(compare_verdict_name(f->verdict)));
	return value_with(object, "needs", whole(f->needs));
}

static json_t *cells(const struct compare *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->ncells; i++) {
		json_t *metrics = json_object();

		for (size_t m = 0; m < c->nmetrics; m++) {
			json_t *figures = json_array();

			for (size_t s = 0; s < c->nsides; s++)
				figures = value_item(figures,
						figure(compare_figure(c, i, m, s), s == 0));
			metrics = value_with(metrics, c->metrics[m].metric.name, figures);
		}
		array = value_item(array, json_pack("{s:o, s:o, s:o}", "job",
				text(c->cells[i].job->name), "axes", axes(c->cells[i].job),
				"metrics", metrics));
	}
	return array;
}

static json_t *metrics(const struct compare *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct compare_metric *m = &c->metrics[i];
		json_t *geomeans = json_array();

		for (size_t s = 1; s < c->nsides; s++)
			geomeans = value_item(geomeans, real((m->geomean[s].ratio - 1) * 100));
		array = value_item(array, json_pack("{s:o, s:s, s:b, s:b, s:o, s:o}",
				"name", text(m->metric.name),
				"unit", compare_unit(&m->metric),
				"larger_is_better", metric_larger_is_better(&m->metric),
				"secondary", !m->corrected, "tests", whole(m->family),
				"geomean_change_percent", geomeans));
	}
	return array;
}

int compare_json(FILE *to, const struct compare *c)
{
	json_t *root = json_pack("{s:{s:i, s:s, s:s}, s:s, s:f, s:f, s:s, s:s, s:o, s:o, s:o, s:o,"
				 " s:o}",
			"iojob", "schema", RESULT_SCHEMA, "version", IOJOB_VERSION,
			"kind", "compare",
			"metric", c->options->primary.name,
			"confidence_percent", c->options->confidence * 100,
			"noise_percent", c->options->noise * 100,
			"correction", compare_correction_name(c->options->correction),
			"tested", c->by_boots ? "boots" : "runs",
			"sides", sides(c), "differences", differences(c),
			"unmatched", unmatched(c), "metrics", metrics(c), "cells", cells(c));
	int err = 0;

	if (!root || json_dumpf(root, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		err = -ENOMEM;
	json_decref(root);
	fputc('\n', to);
	return err;
}
