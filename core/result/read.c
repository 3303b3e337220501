// SPDX-License-Identifier: MIT
#include "read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../job/units.h"
#include "facts.h"
#include "fields.h"

/* ---- the document -------------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 30 };

static int read_stream(FILE *from, char **text, size_t *size)
{
	size_t room = 0;

	do {
		char *more;

		if (*size == room) {
			room = room ? 2 * room : 1 << 16;
			more = room <= MOST_BYTES ? realloc(*text, room) : NULL;
			if (!more)
				return room <= MOST_BYTES ? -ENOMEM : -EFBIG;
			*text = more;
		}
		*size += fread(*text + *size, 1, room - *size, from);
		if (ferror(from))
			return -EIO;
	} while (!feof(from));
	return 0;
}

static int read_all(const char *path, char **text, size_t *size, struct err *err)
{
	FILE *from = strcmp(path, "-") ? fopen(path, "re") : stdin;
	int r;

	*text = NULL;
	*size = 0;
	if (!from)
		return err_at(err, errno, path, 0, "%s", strerror(errno));
	errno = 0;
	r = read_stream(from, text, size);
	if (r == -EIO && errno)
		r = -errno;
	if (from != stdin)
		fclose(from);
	return r ? err_at(err, -r, path, 0, "%s", strerror(-r)) : 0;
}

/* Line of the first character that can begin a result, or 0: there is none. */
static unsigned line_of_brace(const char *text, size_t size)
{
	unsigned line = 1;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '{' && (!i || text[i - 1] == '\n'))
			return line;
		line += text[i] == '\n';
	}
	return 0;
}

static int parse(json_t **root, const char *path, const char *text, size_t size, struct err *err)
{
	size_t blank = 0;
	json_error_t error;
	unsigned brace;

	*root = NULL;
	while (blank < size && strchr(" \t\r\n", text[blank]))
		blank++;
	if (blank == size)
		return err_at(err, EINVAL, path, 0, "is empty: a result is one JSON object");
	brace = line_of_brace(text, size);
	if (text[blank] != '{' && brace > 1)
		return err_at(err, EINVAL, path, 1, "text before the JSON, which begins in line %u:"
				" take it off (fio puts its warnings there unless it is given"
				" --output)", brace);
	if (text[blank] != '{')
		return err_at(err, EINVAL, path, 1, "is no result, which is one JSON object"
				" (fio: --output-format=json)");
	*root = json_loadb(text, size, 0, &error);
	if (*root)
		return 0;
	for (char *c = error.text; *c; c++) /* it may quote the end of a line */
		*c = (char)((unsigned char)*c < ' ' ? '?' : *c);
	return err_at(err, EINVAL, path, (unsigned)error.line, "broken JSON: %s", error.text);
}

/* ---- what fio's keys say ------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static uint64_t whole(const json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));

	return n > 0 ? (uint64_t)n : 0;
}

/* json+: {"NS": COUNT}, by the middle of buckets like ours. Leaves dist empty where it is none. */
static int read_bins(const json_t *bins, struct dist *dist)
{
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)(uintptr_t)bins, key, count) {
		char *end;
		unsigned long long ns = strtoull(key, &end, 10);
		json_int_t n = json_integer_value(count);

		if (end == key || *end || ns > INT64_MAX || n <= 0)
			continue;
		if (dist_add(dist, ns, (uint64_t)n))
			return -ENOMEM;
	}
	return 0;
}

static int read_percentiles(const json_t *percentiles, struct dist *dist)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)percentiles, key, value) {
		json_int_t ns = json_integer_value(value);

		if (json_is_integer(value) && ns >= 0
				&& dist_add_point(dist, strtod(key, NULL), (uint64_t)ns))
			return -ENOMEM;
	}
	return 0;
}

/* An object of min, max, mean, stddev and N. What is there already is left alone. */
static int read_latency(const json_t *object, struct dist *dist, const struct field_place *place,
		struct err *err)
{
	struct dist figures = { .n = 0 }, bins = { .n = 0 };
	uint64_t n = whole(object, "N");
	int r;

	if (!n || dist->n)
		return 0;
	if (dist_coarse(&figures, n, whole(object, "min"), whole(object, "max"),
			number(object, "mean"), number(object, "stddev")))
		return field_error(place, err, "N, min, max, mean and stddev cannot be");
	r = read_bins(json_object_get(object, "bins"), &bins);
	if (!r && bins.n) {
		*dist = bins;
		dist->n = n;
		dist->min = figures.min;
		dist->max = figures.max;
		dist->sum = figures.sum;
		dist->sumsq = figures.sumsq;
		return 0;
	}
	dist_free(&bins);
	if (!r)
		r = read_percentiles(json_object_get(object, "percentile"), &figures);
	*dist = figures;
	return r ? err_memory(err) : 0;
}

static int read_latencies(const json_t *object, struct result_dir *dir,
		const struct field_place *place, struct err *err)
{
	struct {
		const char *key;
		struct dist *dist;
	} rows[] = {
		{ "slat_ns", &dir->slat }, { "clat_ns", &dir->clat }, { "lat_ns", &dir->lat },
	};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct field_place here = { place, rows[i].key, 0 };

		r = read_latency(json_object_get(object, rows[i].key), rows[i].dist, &here, err);
	}
	return r;
}

/* fio's own samples: of their sums only what the keys tell. */
static void read_samples(const json_t *object, const char *name, const char *deviation,
		double unit, struct result_samples *samples)
{
	char key[32];
	double mean, sd;

	if (samples->n)
		return;
	snprintf(key, sizeof(key), "%s_samples", name);
	samples->n = whole(object, key);
	snprintf(key, sizeof(key), "%s_min", name);
	samples->min = number(object, key) * unit;
	snprintf(key, sizeof(key), "%s_max", name);
	samples->max = number(object, key) * unit;
	snprintf(key, sizeof(key), "%s_mean", name);
	mean = number(object, key) * unit;
	sd = number(object, deviation) * unit;
	samples->sum = mean * (double)samples->n;
	samples->sumsq = samples->n ? sd * sd * (double)(samples->n - 1) + mean * samples->sum : 0;
}

/* Which percentiles the file prints. */
static void take_percentiles(struct result_job *job, const json_t *percentiles)
{
	const char *key;
	json_t *value;

	if (job->npercentiles)
		return;
	json_object_foreach((json_t *)(uintptr_t)percentiles, key, value) {
		if (job->npercentiles < RESULT_PERCENTILES)
			job->percentiles[job->npercentiles++] = strtod(key, NULL);
	}
}

/* An object for each of the job's thresholds, which stand with the job. */
static int read_above(const json_t *array, const struct result_job *job, struct result_dir *dir,
		const struct field_place *place, struct err *err)
{
	struct field_place iojob = { place, "iojob", 0 }, here = { &iojob, "above", 0 };

	if (array && json_array_size(array) != job->nthresholds)
		return field_error(&here, err, "must be an array, one for each of thresholds_ns");
	for (size_t i = 0; i < json_array_size(array); i++)
		dir->above[i] = whole(json_array_get(array, i), "ios");
	return 0;
}

/* Whoever divides by its interval may do so. */
static int check_series(const struct result_dir *dir, const struct field_place *place,
		struct err *err)
{
	struct field_place iojob = { place, "iojob", 0 }, here = { &iojob, "series", 0 };

	if (dir->series.n && !dir->series.interval_ns)
		return field_error(&here, err, "its interval_ns must be above 0");
	return 0;
}

static int read_dir(struct result_job *job, int d, const json_t *object,
		const struct field_place *place, struct err *err)
{
	struct result_dir *dir = &job->dir[d];
	const json_t *ours = json_object_get(object, "iojob");
	int r = fields_read(&fields_dir, object, ours, dir, place, err);

	if (!r)
		r = check_series(dir, place, err);
	if (!r)
		r = read_above(json_object_get(ours, "above"), job, dir, place, err);
	if (!r)
		r = read_latencies(object, dir, place, err);
	if (r)
		return r;
	if (!dir->runtime_ns)
		dir->runtime_ns = whole(object, "runtime") * 1000000;
	if (json_object_size(field_find(object, "lat_ns.percentile")))
		job->lat_percentiles = true;
	read_samples(object, "bw", "bw_dev", 1024, &dir->bw);
	read_samples(object, "iops", "iops_stddev", 1, &dir->iops);
	take_percentiles(job, field_find(object, "clat_ns.percentile"));
	take_percentiles(job, field_find(object, "lat_ns.percentile"));
	return 0;
}

/* ---- a job --------------------------------------------------------------------------------- */

/* A key by either of its names, as the job or [global] has it. */
static const char *option(const struct result *result, const struct result_job *job,
		const char *name, const char *alias, const char *otherwise)
{
	const char *value = result_option(result, job, name);

	if (!value)
		value = result_option(result, job, alias);
	return value ? value : otherwise;
}

static bool flag(const char *value)
{
	return !*value || strtol(value, NULL, 10) != 0; /* "" is a bare key */
}

/* "4k", "4k,8k,": what a direction does not say it takes from the one before. */
static void read_block_sizes(struct result_job *job, const char *text)
{
	uint64_t bytes = 0;

	for (int d = 0; d < RESULT_DIRS; d++) {
		size_t n = strcspn(text, ",");
		char word[32];
		const char *why;

		if (n && n < sizeof(word)) {
			snprintf(word, sizeof(word), "%.*s", (int)n, text);
			if (units_size(word, 1024, &bytes, &why))
				bytes = 0;
		}
		job->bs_min[d] = job->bs_max[d] = bytes;
		text += n + (text[n] == ',');
	}
}

static int set_text(char **to, const char *text, struct err *err)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : err_memory(err);
}

/* What fio tells only by the options of a job, with fio's defaults. */
static int describe_fio_job(const struct result *result, struct result_job *job,
		const json_t *object, struct err *err)
{
	const char *sizes = option(result, job, "bs", "blocksize", "4k");
	const char *word = option(result, job, "rw", "readwrite", "read");
	size_t both = strncmp(word, "readwrite", 9) ? 0 : 9; /* of two names for one */
	const char *buffered = result_option(result, job, "buffered");
	const char *direct = result_option(result, job, "direct");
	bool ranges = result_option(result, job, "bsrange") || result_option(result, job, "bssplit")
			|| result_option(result, job, "blocksize_range");
	double cpu_ns = (double)whole(object, "job_runtime") * 1e6 / 100;
	char rw[64];
	int r = set_text(&job->engine, option(result, job, "ioengine", "ioengine", "psync"), err);

	snprintf(rw, sizeof(rw), "%s%s", both ? "rw" : "", word + both);
	if (!r)
		r = set_text(&job->section, job->name, err);
	if (!r)
		r = set_text(&job->file, "", err);
	if (!r)
		r = set_text(&job->rw, rw, err);
	if (r)
		return r;
	if (!ranges)
		read_block_sizes(job, sizes);
	job->iodepth = (unsigned)strtoul(option(result, job, "iodepth", "iodepth", "1"), NULL, 10);
	job->direct = direct ? flag(direct) : buffered && !flag(buffered);
	job->grouped = flag(option(result, job, "group_reporting", "group_reporting", "0"));
	job->workers = 1;
	if (job->grouped)
		job->workers = (unsigned)strtoul(option(result, job, "numjobs", "numjobs", "1"),
				NULL, 10);
	job->group = (unsigned)whole(object, "groupid");
	job->end = job->error ? RESULT_END_ERROR : RESULT_END_WORK;
	job->runtime_ns = whole(object, "job_runtime") * 1000000;
	job->cpu_user_ns = (uint64_t)fmax(0, number(object, "usr_cpu") * cpu_ns);
	job->cpu_sys_ns = (uint64_t)fmax(0, number(object, "sys_cpu") * cpu_ns);
	job->sync_engine = true;
	for (int d = 0; d < RESULT_DIRS; d++) {
		job->sync_engine &= !job->dir[d].slat.n;
		if (job->dir[d].runtime_ns > job->elapsed_ns)
			job->elapsed_ns = job->dir[d].runtime_ns;
	}
	return 0;
}

/* steadystate can have ended a job only within its course. */
static int check_steady(const struct result_job *job, const struct field_place *place,
		struct err *err)
{
	struct field_place iojob = { place, "iojob", 0 }, here = { &iojob, "steadystate", 0 };
	uint64_t longest = 0;

	for (int d = 0; d < RESULT_DIRS; d++) {
		if (job->dir[d].series.n > longest)
			longest = job->dir[d].series.n;
	}
	if (job->steady.attained > longest)
		return field_error(&here, err, "attained after more samples than there are");
	return 0;
}

static int read_job(const struct result *result, struct result_job *job, const json_t *object,
		const struct field_place *place, struct err *err)
{
	const json_t *ours = json_object_get(object, "iojob");
	struct field_place sync = { place, "sync", 0 }, lat = { &sync, "lat_ns", 0 };
	int r;

	if (!json_is_object(object))
		return field_error(place, err, "must be an object");
	r = fields_read(&fields_job, object, ours, job, place, err);
	for (int d = 0; !r && d < RESULT_DIRS; d++) {
		struct field_place here = { place, result_dir_name(d), 0 };

		r = read_dir(job, d, json_object_get(object, here.key), &here, err);
	}
	if (!r)
		r = check_steady(job, place, err);
	if (!r)
		r = read_latency(field_find(object, "sync.lat_ns"), &job->sync, &lat, err);
	if (!r && !ours)
		r = describe_fio_job(result, job, object, err);
	return r;
}

static int read_jobs(const struct result *result, const json_t *array, struct result_job **jobs,
		size_t *n, const struct field_place *place, struct err *err)
{
	int r = 0;

	if (!json_is_array(array))
		return field_error(place, err, "there must be an array of jobs");
	*jobs = calloc(json_array_size(array) + 1, sizeof(**jobs));
	if (!*jobs)
		return err_memory(err);
	for (size_t i = 0; !r && i < json_array_size(array); i++) {
		struct field_place here = { place, NULL, i };

		*n = i + 1;
		r = read_job(result, &(*jobs)[i], json_array_get(array, i), &here, err);
	}
	return r;
}

/* ---- repeats ------------------------------------------------------------------------------- */

static int read_repeats(struct result *result, const json_t *array,
		const struct field_place *place, struct err *err)
{
	int r = 0;

	if (array && !json_is_array(array))
		return field_error(place, err, "must be an array");
	if (!json_array_size(array))
		return 0;
	result->repeats = calloc(json_array_size(array), sizeof(*result->repeats));
	if (!result->repeats)
		return err_memory(err);
	for (size_t i = 0; !r && i < json_array_size(array); i++) {
		struct field_place here = { place, NULL, i }, jobs = { &here, "jobs", 0 };
		const json_t *object = json_array_get(array, i);
		struct result_repeat *repeat = &result->repeats[i];

		result->nrepeats = i + 1;
		r = fields_read(&fields_repeat, NULL, object, repeat, &here, err);
		if (!r)
			r = read_jobs(result, json_object_get(object, "jobs"), &repeat->jobs,
					&repeat->njobs, &jobs, err);
	}
	return r;
}

/* Of each job at the top only from which repeat it comes: there it has been read. */
static int read_views(struct result *result, const json_t *array, const struct field_place *place,
		struct err *err)
{
	size_t n = json_array_size(array);

	for (size_t i = 0; i < result->nrepeats; i++) {
		if (result->repeats[i].njobs != n)
			return field_error(place, err, "there are %zu, and %zu in repeat %zu", n,
					result->repeats[i].njobs, i + 1);
	}
	result->jobs = calloc(n + 1, sizeof(*result->jobs));
	if (!result->jobs)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		struct field_place here = { place, NULL, i };
		uint64_t number = whole(field_find(json_array_get(array, i), "iojob"), "repeat");

		if (!number || number > result->nrepeats)
			return field_error(&here, err, "its iojob.repeat is none of the repeats");
		result->jobs[result->njobs++] = result->repeats[number - 1].jobs[i];
	}
	return 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* What a reader of fio's figures must know. */
static int note_fio(struct result *result, const json_t *jobs, struct err *err)
{
	bool completion = false, mixed = false;
	int bad = 0;

	for (size_t i = 0; i < result->njobs; i++) {
		mixed |= json_is_object(json_object_get(json_array_get(jobs, i), "mixed"));
		for (int d = 0; d < RESULT_DIRS; d++) {
			const struct result_dir *dir = &result->jobs[i].dir[d];

			completion |= dir->lat.n && result_spread(dir) == &dir->clat;
		}
	}
	if (completion)
		bad |= result_note(result, "percentiles are of clat: fio wrote none of lat"
				" (lat_percentiles)");
	if (mixed)
		bad |= result_note(result, "jobs with unified_rw_reporting have no figures of reads"
				" and writes, and none are shown");
	return bad ? err_memory(err) : 0;
}

/* Whose file is it, and do we know the layout? */
static int check_kind(struct result *result, const json_t *root, const char *path, struct err *err)
{
	const json_t *ours = json_object_get(root, "iojob");
	const json_t *schema = json_object_get(ours, "schema");
	const char *version = json_string_value(json_object_get(root, "fio version"));

	if (ours && !json_is_integer(schema))
		return err_at(err, EINVAL, path, 0, "iojob.schema: must be a whole number");
	if (ours && json_integer_value(schema) != RESULT_SCHEMA)
		return err_at(err, EINVAL, path, 0, "has the schema %lld; this iojob reads %d",
				(long long)json_integer_value(schema), RESULT_SCHEMA);
	result->fio = !ours;
	if (ours)
		return 0;
	if (!version)
		return err_at(err, EINVAL, path, 0, "is no result of iojob, nor of fio: it has"
				" neither an \"iojob\" nor a \"fio version\"");
	if (strncmp(version, "fio-3", 5))
		return err_at(err, EINVAL, path, 0, "is a result of %s; of fio's only those of"
				" fio 3 can be read", version);
	return set_text(&result->version, version, err);
}

static int read_root(struct result *result, const json_t *root, const char *path, struct err *err)
{
	const json_t *ours = json_object_get(root, "iojob");
	const json_t *jobs = json_object_get(root, "jobs");
	struct field_place top = { NULL, path, 0 }, place = { &top, "jobs", 0 };
	struct field_place repeats = { &top, "iojob.repeats", 0 };
	int r = check_kind(result, root, path, err);
	struct facts facts;

	if (!r)
		r = fields_read(&fields_result, root, ours, result, &top, err);
	if (!r) {
		/* Whoever has written the file, facts are sought by halving. */
		facts = facts_of(result);
		facts_sort(&facts);
	}
	if (!r)
		r = read_repeats(result, json_object_get(ours, "repeats"), &repeats, err);
	if (!r && result->nrepeats)
		r = read_views(result, jobs, &place, err);
	else if (!r)
		r = read_jobs(result, jobs, &result->jobs, &result->njobs, &place, err);
	if (!r && !ours)
		r = note_fio(result, jobs, err);
	return r;
}

int result_read(struct result *result, const char *path, struct err *err)
{
	json_t *root = NULL;
	char *text;
	size_t size;
	int r = read_all(path, &text, &size, err);

	*result = (struct result){ .version = NULL };
	if (!r)
		r = parse(&root, path, text, size, err);
	if (!r)
		r = read_root(result, root, path, err);
	json_decref(root);
	free(text);
	if (r)
		result_free(result);
	return r;
}
