// SPDX-License-Identifier: MIT
#include "differ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../job/job.h"
#include "../job/units.h"
#include "facts.h"

enum { VALUE = 4096 };

/*
 * Keys that say what a job does, beside those that are members of a result. Some are fio's alone.
 * What differs in them is not the same work, and no comparison of machines. Where it runs and how
 * it is asked for there is what people compare.
 */
static const char *const work_keys[] = {
	"allrandrepeat", "bsrange", "bssplit", "do_verify", "end_fsync", "fdatasync", "filesize",
	"fsync", "fsync_on_close", "io_size", "loops", "norandommap", "nrfiles", "number_ios",
	"offset", "percentage_random", "postmark_bias_create", "postmark_bias_read",
	"postmark_buffering", "postmark_fsync", "postmark_number", "postmark_read",
	"postmark_seed", "postmark_size", "postmark_subdirectories", "postmark_transactions",
	"postmark_write", "random_distribution", "randrepeat", "randseed", "rate", "rate_iops",
	"rate_process", "runtime", "rw_modifier", "rw_sequencer", "rwmixread", "rwmixwrite",
	"size", "steadystate_duration", "sync", "thinktime", "thinktime_blocks", "time_based",
	"verify", "workload", "zonemode", "zonerange", "zonesize", "zoneskip",
};

/* Keys of a job that are no such thing, or that a member of the result stands for. */
static const char *const other_keys[] = {
	"buffered", "bs", "description", "direct", "iodepth", "ioengine", "name", "numjobs", "rw",
	"rw_modifier", "rwmixread", "rwmixwrite",
};

/*
 * Keys whose defaults say nothing: they are worked out of others where they are not given, or fio
 * leaves them out where they were written without a value.
 */
static const char *const derived_keys[] = {
	"bsrange", "filesize", "io_size", "norandommap", "randseed", "size", "time_based",
	"zonerange",
};

#define HAS(list, key) has(list, sizeof(list) / sizeof((list)[0]), key)

static bool has(const char *const *list, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i], key))
			return true;
	}
	return false;
}

/* A cell's job as one result has it. */
struct seen {
	const struct result *result;
	const struct result_job *job; /* the first of them */
	unsigned workers; /* of all */
	size_t side;
};

/* Values of a key, one for each of `n` results; NULL where it is not known. */
struct values {
	const struct seen *seen;
	char **value;
	size_t n;
	bool resolved; /* of the jobs of one at least all keys are known */
};

/* ---- noting a difference ------------------------------------------------------------------- */

static bool any_differs(const struct values *values)
{
	const char *first = NULL;

	for (size_t i = 0; i < values->n; i++) {
		const char *value = values->value[i];

		if (value && first && strcmp(value, first))
			return true;
		if (value)
			first = value;
	}
	return false;
}

/* Appends " | value" to what a side has, unless that is there already. 0 or -ENOMEM. */
static int join(char **to, const char *value)
{
	char *text, *at = *to ? *to : strdup("");
	size_t n = strlen(value);

	*to = at;
	for (char *found = at; at && (found = strstr(found, value)); found += n) {
		bool begins = found == at || (found - at >= 3 && !strncmp(found - 3, " | ", 3));

		if (n && begins && (!found[n] || !strncmp(found + n, " | ", 3)))
			return 0;
		if (!n)
			break;
	}
	if (!at || asprintf(&text, "%s%s%s", at, *at ? " | " : "", value) < 0)
		return -ENOMEM;
	free(at);
	*to = text;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_difference(const struct compare *c, const struct compare_difference *a,
		const struct compare_difference *b)
{
	if (strcmp(a->key, b->key) || !a->cells || !b->cells)
		return false;
	for (size_t s = 0; s < c->nsides; s++) {
		if (!same_text(a->values[s], b->values[s]))
			return false;
	}
	return true;
}

static void difference_free(const struct compare *c, struct compare_difference *d)
{
	for (size_t s = 0; d->values && s < c->nsides; s++)
		free(d->values[s]);
	free(d->values);
	free(d->key);
}

/* One more of c's, which takes it over; cells with the same difference share one. */
static int difference_add(struct compare *c, struct compare_difference *d)
{
	struct compare_difference *list;

	for (size_t i = 0; i < c->ndifferences; i++) {
		if (!same_difference(c, &c->differences[i], d))
			continue;
		c->differences[i].cells++;
		difference_free(c, d);
		return 0;
	}
	list = realloc(c->differences, (c->ndifferences + 1) * sizeof(*list));
	if (!list) {
		difference_free(c, d);
		return -ENOMEM;
	}
	c->differences = list;
	list[c->ndifferences++] = *d;
	return 0;
}

/* Notes the values where they differ; cell SIZE_MAX: they are of no job. Frees them. */
static int note(struct compare *c, const char *key, size_t cell, bool work, struct values *values)
{
	struct compare_difference d = {
		.cells = cell != SIZE_MAX, .cell = cell != SIZE_MAX ? cell : 0, .work = work,
	};
	int r = 0;

	if (any_differs(values)) {
		d.key = strdup(key);
		d.values = calloc(c->nsides, sizeof(*d.values));
		r = d.key && d.values ? 0 : -ENOMEM;
		for (size_t i = 0; i < values->n && !r; i++) {
			if (values->value[i])
				r = join(&d.values[values->seen[i].side], values->value[i]);
		}
		if (r)
			difference_free(c, &d);
		else
			r = difference_add(c, &d);
	}
	for (size_t i = 0; i < values->n; i++) {
		free(values->value[i]);
		values->value[i] = NULL;
	}
	return r;
}

/* ---- what is a member of a result ---------------------------------------------------------- */

/* As the job table calls it, which knows it by other names, too. */
static const char *canonical(const char *key)
{
	int row = job_row(key);

	return row < 0 ? key : job_options[row].name;
}

static const char *find_option(const struct result_option *list, size_t n, const char *key)
{
	while (n--) {
		if (!strcmp(canonical(list[n].key), key))
			return list[n].value;
	}
	return NULL;
}

/* Of a result without all keys: are there those that were written? */
static bool tells(const struct seen *seen)
{
	return seen->job->noptions + seen->result->nglobal > 0;
}

/* As the job has it, or as it was written for it or else in [global]; NULL: it was not. */
static const char *told(const struct seen *seen, const char *key)
{
	const struct result_job *job = seen->job;
	const struct result *result = seen->result;
	const char *text;

	if (job->nresolved)
		return find_option(job->resolved, job->nresolved, key);
	text = find_option(job->options, job->noptions, key);
	return text ? text : find_option(result->global, result->nglobal, key);
}

/* Each prints its value into buf, or "" where it is not known. "randread:4", as fio has it. */
static void print_rw(const struct seen *seen, char *buf)
{
	const char *modifier = told(seen, "rw_modifier");

	snprintf(buf, VALUE, "%s%s%s", seen->job->rw, modifier && *modifier ? ":" : "",
			modifier ? modifier : "");
}

/* Reads in percent: of rwmixread and rwmixwrite one does for both. */
static void print_mix(const struct seen *seen, char *buf)
{
	const char *reads = told(seen, "rwmixread"), *writes = told(seen, "rwmixwrite");

	buf[0] = '\0';
	if (reads)
		snprintf(buf, VALUE, "%s", reads);
	else if (writes)
		snprintf(buf, VALUE, "%ld", 100 - strtol(writes, NULL, 10));
	else if (!seen->job->nresolved && tells(seen))
		snprintf(buf, VALUE, "50");
}

/* "4k", "4k-64k"; one for each direction that it does where they differ: "4k,64k". */
static void print_bs(const struct seen *seen, char *buf)
{
	const struct result_job *job = seen->job;
	char last[70] = "";
	size_t n = 0;

	buf[0] = '\0';
	for (int d = 0; d < RESULT_DIRS; d++) {
		char min[32], max[32], text[70];

		if (!job->bs_min[d] || !result_does(job, d))
			continue;
		units_print_bytes(min, sizeof(min), job->bs_min[d]);
		units_print_bytes(max, sizeof(max), job->bs_max[d]);
		snprintf(text, sizeof(text), "%s%s%s", min, strcmp(min, max) ? "-" : "",
				strcmp(min, max) ? max : "");
		if (strcmp(text, last))
			n += (size_t)snprintf(buf + n, VALUE - n, "%s%s", n ? "," : "", text);
		memcpy(last, text, sizeof(last));
	}
}

static void print_count(char *buf, unsigned long long n)
{
	buf[0] = '\0';
	if (n)
		snprintf(buf, VALUE, "%llu", n);
}

static void print_iodepth(const struct seen *seen, char *buf)
{
	print_count(buf, seen->job->iodepth);
}

/* In fio's results the workers of a group are not counted. */
static void print_numjobs(const struct seen *seen, char *buf)
{
	const char *told = result_option(seen->result, seen->job, "numjobs");

	if (seen->result->fio)
		snprintf(buf, VALUE, "%s", told ? told : "1");
	else
		print_count(buf, seen->workers);
}

static void print_direct(const struct seen *seen, char *buf)
{
	snprintf(buf, VALUE, "%d", seen->job->direct);
}

static void print_seed(const struct seen *seen, char *buf)
{
	print_count(buf, seen->job->seed);
}

static void print_engine(const struct seen *seen, char *buf)
{
	snprintf(buf, VALUE, "%s", seen->job->engine);
}

/* Which latency percentiles are of, where there are two kinds: of fio's results often clat. */
static void print_spread(const struct seen *seen, char *buf)
{
	buf[0] = '\0';
	for (int d = 0; d < RESULT_DIRS && !seen->job->sync_engine; d++) {
		const struct result_dir *dir = &seen->job->dir[d];

		if (dir->lat.n && dir->clat.n)
			snprintf(buf, VALUE, "of %s", result_spread(dir) == &dir->lat ? "lat"
										: "clat");
	}
}

static const struct member {
	const char *key;
	bool work;
	void (*print)(const struct seen *seen, char *buf);
} members[] = {
	{ "rw", true, print_rw },
	{ "rwmixread", true, print_mix },
	{ "bs", true, print_bs },
	{ "iodepth", true, print_iodepth },
	{ "numjobs", true, print_numjobs },
	{ "direct", true, print_direct },
	{ "seed", true, print_seed },
	{ "engine", false, print_engine },
	{ "percentiles", false, print_spread },
};

/* A copy; NULL for "". */
static int copy_known(char **to, const char *text)
{
	*to = text[0] ? strdup(text) : NULL;
	return text[0] && !*to ? -ENOMEM : 0;
}

static int differ_members(struct compare *c, size_t cell, struct values *values)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && !r; i++) {
		char buf[VALUE];

		for (size_t j = 0; j < values->n && !r; j++) {
			members[i].print(&values->seen[j], buf);
			r = copy_known(&values->value[j], buf);
		}
		if (!r)
			r = note(c, members[i].key, cell, members[i].work, values);
	}
	return r;
}

/* ---- what is a key of a job ---------------------------------------------------------------- */

/* A value as a job has it whose key was written so (NULL: was not), in one spelling; NULL: none. */
static char *normal(const char *key, const char *value)
{
	struct opt_table table = job_table();
	struct job_opts *opts = calloc(1, sizeof(*opts));
	struct iojob_option copy;
	const struct iojob_option *row = opt_find(&table, key, &copy);
	char buf[VALUE];
	struct err err;

	if (!opts)
		return NULL;
	if (!value && row)
		value = row->def;
	snprintf(buf, sizeof(buf), "%s", value ? value : "not set");
	if (row && (!value || !opt_set(row, opts, value[0] ? value : NULL, 1024, &err)))
		opt_print(row, opts, buf, sizeof(buf));
	opt_free(&table, opts);
	free(opts);
	return strdup(buf);
}

/*
 * Is a key that was not written for a job known by its default? Yes among jobs that all tell only
 * what was written. Held against all keys of another, only where it says what is done: fio leaves
 * out some that were written without a value.
 */
static bool defaulted(const struct values *values, const char *key)
{
	return !values->resolved || (HAS(work_keys, key) && !HAS(derived_keys, key));
}

/* The value of a key in a result; NULL where it cannot be known. */
static int value_of(const struct values *values, const struct seen *seen, const char *key,
		char **value)
{
	const char *text = told(seen, key);

	*value = NULL;
	if (seen->job->nresolved)
		return text && !(*value = strdup(text)) ? -ENOMEM : 0;
	/* Without all keys there may be those that were written. */
	if (!tells(seen) || (!text && !defaulted(values, key)))
		return 0;
	/* How many bytes a share of a file comes to is known of the other alone. */
	if (text && strchr(text, '%') && values->resolved && HAS(derived_keys, key))
		return 0;
	return (*value = normal(key, text)) ? 0 : -ENOMEM;
}

static int differ_key(struct compare *c, size_t cell, const char *key, struct values *values)
{
	int r = 0;

	for (size_t i = 0; i < values->n && !r; i++)
		r = value_of(values, &values->seen[i], key, &values->value[i]);
	return r ? r : note(c, key, cell, HAS(work_keys, key), values);
}

/* Is it a key to look at: no member, and no axis, whose value is what jobs are matched by? */
static bool is_open(const struct compare *c, size_t cell, const struct values *values,
		const char *key)
{
	const struct result_job *job = c->cells[cell].job;

	for (size_t i = 0; i < job->naxes; i++) {
		if (job_same_key(job->axes[i].name, key))
			return false;
	}
	/* The seed as used has been looked at, where it is known; fio's is never known. */
	for (size_t i = 0; i < values->n && !strcmp(key, "randseed"); i++) {
		if (values->seen[i].job->seed)
			return false;
	}
	return !HAS(other_keys, key);
}

struct keys {
	const char **list;
	size_t n;
};

static void keys_add(struct keys *keys, const struct result_option *options, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *key = canonical(options[i].key);

		if (!has(keys->list, keys->n, key))
			keys->list[keys->n++] = key;
	}
}

/* All keys that a result tells. */
static int differ_keys(struct compare *c, size_t cell, struct values *values)
{
	struct keys keys = { .n = 0 };
	size_t most = 1;
	int r = 0;

	for (size_t i = 0; i < values->n; i++) {
		const struct seen *seen = &values->seen[i];

		most += seen->job->nresolved + seen->job->noptions + seen->result->nglobal;
	}
	keys.list = calloc(most, sizeof(*keys.list));
	if (!keys.list)
		return -ENOMEM;
	values->resolved = false;
	for (size_t i = 0; i < values->n; i++) {
		const struct seen *seen = &values->seen[i];

		values->resolved |= seen->job->nresolved > 0;
		keys_add(&keys, seen->job->resolved, seen->job->nresolved);
		keys_add(&keys, seen->job->options, seen->job->noptions);
		keys_add(&keys, seen->result->global, seen->result->nglobal);
	}
	for (size_t i = 0; i < keys.n && !r; i++) {
		if (is_open(c, cell, values, keys.list[i]))
			r = differ_key(c, cell, keys.list[i], values);
	}
	free(keys.list);
	return r;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* The job of a cell in a result's first run; ->job NULL: it has none, or did not run it. */
static struct seen look(const struct result *result, const struct result_job *key, size_t side)
{
	const struct result_job *jobs = result->nrepeats ? result->repeats[0].jobs : result->jobs;
	size_t n = result->nrepeats ? result->repeats[0].njobs : result->njobs;
	struct seen seen = { .result = result, .side = side };

	for (size_t i = 0; i < n; i++) {
		if (jobs[i].skipped || !compare_same_job(&jobs[i], key))
			continue;
		if (!seen.job)
			seen.job = &jobs[i];
		seen.workers += jobs[i].workers;
	}
	return seen;
}

static int differ_cells(struct compare *c, const struct compare_input *inputs, struct seen *seen,
		struct values *values)
{
	int r = 0;

	for (size_t i = 0; i < c->ncells && !r; i++) {
		values->n = 0;
		for (size_t s = 0; s < c->nsides; s++) {
			for (size_t j = 0; j < inputs[s].nresults; j++) {
				seen[values->n] = look(&inputs[s].results[j], c->cells[i].job, s);
				values->n += seen[values->n].job != NULL;
			}
		}
		r = differ_members(c, i, values);
		if (!r)
			r = differ_keys(c, i, values);
	}
	return r;
}

/* A fact that a member of a result stands for. */
static const char version_fact[] = "iojob.version";

/* What is a member of a result as a whole. Some of it is a fact, too, where there are facts. */
static int differ_results(struct compare *c, struct values *values)
{
	static const struct {
		const char *key;
		size_t offset;
		bool without_facts;
	} rows[] = {
		{ "version", offsetof(struct result, version), false },
		{ "host", offsetof(struct result, host), false },
		{ "kernel", offsetof(struct result, kernel), true },
	};
	bool facts = true;
	int r = 0;

	for (size_t i = 0; i < values->n; i++)
		facts &= values->seen[i].result->nfacts > 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !r; i++) {
		if (rows[i].without_facts && facts)
			continue;
		for (size_t j = 0; j < values->n && !r; j++) {
			const char *result = (const char *)values->seen[j].result;
			const char *text = *(char *const *)(result + rows[i].offset);

			r = copy_known(&values->value[j], text ? text : "");
		}
		if (!r)
			r = note(c, rows[i].key, SIZE_MAX, false, values);
	}
	return r;
}

static const struct facts_difference *find_fact(const struct facts_differences *differences,
		const char *key)
{
	for (size_t i = 0; i < differences->n; i++) {
		if (!strcmp(differences->list[i].key, key))
			return &differences->list[i];
	}
	return NULL;
}

/*
 * One fact: all[i] is how result i differs from the first one. What a machine has not is "-"; a
 * result without any facts knows nothing.
 */
static int differ_fact(struct compare *c, const struct facts_differences *all,
		const struct facts_difference *like, struct values *values)
{
	int r = 0;

	for (size_t i = 0; i < values->n && !r; i++) {
		const struct facts_difference *d = find_fact(&all[i], like->key);
		const char *text = d ? d->b : like->a;

		if (values->seen[i].result->nfacts)
			r = copy_known(&values->value[i], text && text[0] ? text : "-");
	}
	return r ? r : note(c, like->key, SIZE_MAX, false, values);
}

/* The environments, each against that of the first result. */
static int differ_facts(struct compare *c, struct values *values)
{
	const struct result *first = values->seen[0].result;
	struct facts_differences *all = calloc(values->n, sizeof(*all));
	int r = all ? 0 : -ENOMEM;

	for (size_t i = 1; i < values->n && first->nfacts && !r; i++) {
		if (values->seen[i].result->nfacts)
			r = facts_compare(first, values->seen[i].result, &all[i]);
	}
	for (size_t i = 1; i < values->n && !r; i++) {
		for (size_t j = 0; j < all[i].n && !r; j++) {
			bool before = !strcmp(all[i].list[j].key, version_fact);

			for (size_t k = 1; k < i; k++)
				before |= find_fact(&all[k], all[i].list[j].key) != NULL;
			if (!before)
				r = differ_fact(c, all, &all[i].list[j], values);
		}
	}
	for (size_t i = 0; all && i < values->n; i++)
		facts_differences_free(&all[i]);
	free(all);
	return r;
}

int differ_find(struct compare *c, const struct compare_input *inputs)
{
	struct values values = { .n = 0 };
	struct seen *seen;
	size_t n = 1;
	int r = -ENOMEM;

	for (size_t s = 0; s < c->nsides; s++)
		n += inputs[s].nresults;
	values.seen = seen = calloc(n, sizeof(*seen));
	values.value = calloc(n, sizeof(*values.value));
	if (seen && values.value)
		r = 0;
	for (size_t s = 0; s < c->nsides && !r; s++) {
		for (size_t j = 0; j < inputs[s].nresults; j++)
			seen[values.n++] = (struct seen){ &inputs[s].results[j], NULL, 0, s };
	}
	if (!r)
		r = differ_results(c, &values);
	if (!r)
		r = differ_facts(c, &values);
	if (!r)
		r = differ_cells(c, inputs, seen, &values);
	for (size_t i = 0; values.value && i < n; i++)
		free(values.value[i]);
	free(values.value);
	free(seen);
	return r;
}

void differ_free(struct compare *c)
{
	for (size_t i = 0; i < c->ndifferences; i++)
		difference_free(c, &c->differences[i]);
	free(c->differences);
	c->differences = NULL;
	c->ndifferences = 0;
}
