// SPDX-License-Identifier: MIT
#include "resolved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../u128.h"

enum { VALUE = 256 }; /* of an option that is no string */

static int add(struct result_job *r, const char *key, const char *value)
{
	struct result_option *o = &r->resolved[r->nresolved];

	o->key = strdup(key);
	o->value = strdup(value);
	if (!o->key || !o->value) {
		free(o->key);
		free(o->value);
		return -ENOMEM;
	}
	r->nresolved++;
	return 0;
}

static size_t count_rows(const struct opt_table *table)
{
	struct iojob_option row;
	size_t n = 0;

	while (opt_row(table, n, &row))
		n++;
	return n;
}

static int add_rows(struct result_job *r, const struct opt_table *table, const void *base)
{
	struct iojob_option row;
	int rc = 0;

	for (size_t i = 0; !rc && opt_row(table, i, &row); i++) {
		const char *text = NULL;
		char value[VALUE];

		if (row.type == IOJOB_OPT_STRING)
			memcpy(&text, (const char *)base + row.offset, sizeof(text));
		else
			text = opt_print(&row, base, value, sizeof(value));
		rc = add(r, row.name, text ? text : "");
	}
	return rc;
}

/*
 * What the worker's files have together. A size that they merely do not share out evenly is the one
 * that was asked for.
 */
static uint64_t whole_size(const struct job *job, const struct plan_worker *worker)
{
	uint64_t sum = 0, given = job->o.size.bytes;

	for (size_t i = 0; i < worker->nfiles; i++)
		sum += worker->files[i].length;
	return given && (job->o.filesize[1] || (sum <= given && given - sum < worker->nfiles))
			? given : sum;
}

static void resolve_sizes(const struct job *job, const struct plan_worker *worker,
		struct job_opts *o)
{
	uint64_t size = whole_size(job, worker);

	o->size = (struct opt_size){ .bytes = size };
	if (o->io_size.percent)
		o->io_size.bytes = (uint64_t)((u128)size * o->io_size.percent / 100);
	else if (!o->io_size.bytes)
		o->io_size.bytes = size;
	o->io_size.percent = 0;
}

static void print_percentiles(const struct job *job, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < job->npercentiles && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.10g", i ? ":" : "",
				job->percentiles[i]);
}

/* The options with what job_check() and the plan made of them. */
static void resolve(const struct job *job, const struct plan_worker *worker, struct job_opts *o)
{
	*o = job->o;
	o->name = job->name;
	if (job->engine)
		o->ioengine = job->engine->e.name;
	for (int d = 0; d < JOB_DIRS; d++) {
		o->bs[d] = o->bsrange[d][0] = job->bs_min[d];
		o->bsrange[d][1] = job->bs_max[d];
	}
	o->direct = job->direct;
	o->buffered = !job->direct;
	o->rwmixread = job->mix_read;
	o->rwmixwrite = 100 - job->mix_read;
	o->nrfiles = (int)job_nfiles(job);
	o->zonerange = job->zone_range;
	if (worker)
		resolve_sizes(job, worker, o);
}

/* It has all 64 bits, and no sign: nothing that a value of the key would print as. */
static int put_seed(struct result_job *r, uint64_t seed)
{
	struct result_option *o = &r->resolved[job_row("randseed")];

	char *value;

	if (asprintf(&value, "%llu", (unsigned long long)seed) < 0)
		return -ENOMEM;
	free(o->value);
	o->value = value;
	return 0;
}

int resolved_options(const struct job *job, const struct plan_worker *worker,
		struct result_job *r)
{
	struct opt_table ours = job_table(), engines = { NULL, 0 };
	char percentiles[32 * JOB_PERCENTILES];
	struct job_opts o;
	size_t n;
	int rc;

	if (job->engine && job->engine_conf)
		engines = job->engine->options;
	n = count_rows(&ours) + count_rows(&engines);
	r->resolved = calloc(n + 1, sizeof(*r->resolved));
	if (!r->resolved)
		return -ENOMEM;
	resolve(job, worker, &o);
	print_percentiles(job, percentiles, sizeof(percentiles));
	o.percentile_list = percentiles;
	rc = add_rows(r, &ours, &o);
	if (!rc)
		rc = put_seed(r, job->seed);
	return rc ? rc : add_rows(r, &engines, job->engine_conf);
}
