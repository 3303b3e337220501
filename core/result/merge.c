// SPDX-License-Identifier: MIT
#include "postmark.h"
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int rank; /* of two workers' ends the greater one is the job's */
} ends[] = {
	[RESULT_END_WORK] = { "work", 0 },
	[RESULT_END_RUNTIME] = { "runtime", 1 },
	[RESULT_END_STEADY] = { "steady", 2 },
	[RESULT_END_OTHER] = { "other", 3 },
	[RESULT_END_INTERRUPTED] = { "interrupted", 4 },
	[RESULT_END_ERROR] = { "error", 5 },
	[RESULT_END_DIED] = { "died", 6 },
	[RESULT_END_HUNG] = { "hung", 7 },
};

static const char *const dirs[RESULT_DIRS] = { "read", "write", "trim" };

const char *result_end_name(enum result_end end)
{
	return ends[end].name;
}

const char *result_dir_name(int dir)
{
	return dirs[dir];
}

bool result_does(const struct result_job *job, int dir)
{
	const struct result_dir *d = &job->dir[dir];

	return d->ios || d->errors || d->due || strstr(job->rw, dirs[dir]) ||
			(dir < 2 && (strstr(job->rw, "rw") || !strcmp(job->rw, "postmark")));
}

bool result_failed(const struct result_job *job)
{
	return !job->skipped && (job->error || ends[job->end].rank >= ends[RESULT_END_ERROR].rank);
}

const char *result_option(const struct result *result, const struct result_job *job,
		const char *key)
{
	for (size_t i = job->noptions; i-- > 0;) {
		if (!strcmp(job->options[i].key, key))
			return job->options[i].value;
	}
	for (size_t i = result->nglobal; i-- > 0;) {
		if (!strcmp(result->global[i].key, key))
			return result->global[i].value;
	}
	return NULL;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The smaller one, where 0 means that there is none. */
static uint64_t min_set(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

double result_samples_mean(const struct result_samples *samples)
{
	return samples->n ? samples->sum / (double)samples->n : 0;
}

static double samples_variance(const struct result_samples *samples)
{
	double n = (double)samples->n;
	double squares = samples->sumsq - samples->sum * samples->sum / (n > 0 ? n : 1);

	return n > 1 && squares > 0 ? squares / (n - 1) : 0;
}

double result_samples_stddev(const struct result_samples *samples)
{
	return sqrt(samples_variance(samples));
}

static void samples_merge(struct result_samples *samples, const struct result_samples *other)
{
	double mean = result_samples_mean(samples) + result_samples_mean(other);
	double variance = samples_variance(samples) + samples_variance(other);
	double n = (double)(samples->n + other->n);

	if (!other->n)
		return;
	if (!samples->n) {
		*samples = *other;
		return;
	}
	samples->n += other->n;
	samples->min += other->min;
	samples->max += other->max;
	samples->sum = mean * n;
	samples->sumsq = variance * (n - 1) + mean * mean * n;
}

static int series_merge(struct result_series *series, const struct result_series *other)
{
	uint64_t *bytes, *ios;

	if (other->n > series->n) {
		bytes = realloc(series->bytes, other->n * sizeof(*bytes));
		series->bytes = bytes ? bytes : series->bytes;
		ios = realloc(series->ios, other->n * sizeof(*ios));
		series->ios = ios ? ios : series->ios;
		if (!bytes || !ios)
			return -ENOMEM;
		for (; series->n < other->n; series->n++)
			bytes[series->n] = ios[series->n] = 0;
	}
	if (!series->interval_ns)
		series->interval_ns = other->interval_ns;
	for (size_t i = 0; i < other->n; i++) {
		series->bytes[i] += other->bytes[i];
		series->ios[i] += other->ios[i];
	}
	return 0;
}

static int dir_merge(struct result_dir *dir, const struct result_dir *other)
{
	int err = dist_merge(&dir->slat, &other->slat);

	if (!err)
		err = dist_merge(&dir->clat, &other->clat);
	if (!err)
		err = dist_merge(&dir->lat, &other->lat);
	if (!err)
		err = dist_merge(&dir->response, &other->response);
	if (!err)
		err = series_merge(&dir->series, &other->series);
	if (err)
		return err;
	for (int i = 0; i < RESULT_THRESHOLDS; i++)
		dir->above[i] += other->above[i];
	dir->ios += other->ios;
	dir->bytes += other->bytes;
	dir->shorts += other->shorts;
	dir->errors += other->errors;
	dir->runtime_ns = max_u64(dir->runtime_ns, other->runtime_ns);
	dir->late += other->late;
	dir->due += other->due;
	dir->lag_max_ns = max_u64(dir->lag_max_ns, other->lag_max_ns);
	samples_merge(&dir->bw, &other->bw);
	samples_merge(&dir->iops, &other->iops);
	return 0;
}

/* The first error stays; the worst end is kept; a job that ran in part was not skipped. */
static int end_merge(struct result_job *job, const struct result_job *other)
{
	if (!job->error && !job->error_text[0] && (other->error || other->error_text[0])) {
		char *text = strdup(other->error_text);

		if (!text)
			return -ENOMEM;
		free(job->error_text);
		job->error_text = text;
		job->error = other->error;
	}
	if (job->skipped && !other->skipped) {
		free(job->skipped);
		job->skipped = NULL;
		job->end = other->end;
	}
	if (!other->skipped && ends[other->end].rank > ends[job->end].rank)
		job->end = other->end;
	return 0;
}

int result_job_begin(struct result_job *sum, const struct result_job *like)
{
	*sum = (struct result_job){
		.rw = strdup(like->rw), .error_text = strdup(""), .sync_engine = true,
	};
	return sum->rw && sum->error_text ? 0 : -ENOMEM;
}

int result_job_merge(struct result_job *job, const struct result_job *other)
{
	int err = end_merge(job, other);

	for (int d = 0; d < RESULT_DIRS && !err; d++) {
		job->bs_min[d] = min_set(job->bs_min[d], other->bs_min[d]);
		job->bs_max[d] = max_u64(job->bs_max[d], other->bs_max[d]);
		err = dir_merge(&job->dir[d], &other->dir[d]);
	}
	if (!err)
		err = dist_merge(&job->sync, &other->sync);
	if (!err)
		err = result_postmark_merge(&job->postmark, &other->postmark);
	if (err)
		return err;
	job->grouped = true;
	job->sync_engine &= other->sync_engine;
	if (other->iodepth > job->iodepth)
		job->iodepth = other->iodepth;
	job->workers += other->workers;
	job->start_ms = min_set(job->start_ms, other->start_ms);
	job->syncs += other->syncs;
	job->end_sync_ns = max_u64(job->end_sync_ns, other->end_sync_ns);
	job->end_syncs_ns += other->end_syncs_ns;
	job->runtime_ns += other->runtime_ns;
	job->elapsed_ns = max_u64(job->elapsed_ns, other->elapsed_ns);
	job->phase_ns = max_u64(job->phase_ns, other->phase_ns);
	job->cpu_user_ns += other->cpu_user_ns;
	job->cpu_sys_ns += other->cpu_sys_ns;
	job->ctx += other->ctx;
	job->majf += other->majf;
	job->minf += other->minf;
	for (int i = 0; i < RESULT_DEPTHS; i++) {
		job->depth[i] += other->depth[i];
		job->submit[i] += other->submit[i];
		job->complete[i] += other->complete[i];
	}
	job->layout_bytes += other->layout_bytes;
	job->layout_ns = max_u64(job->layout_ns, other->layout_ns);
	job->steady.attained = max_u64(job->steady.attained, other->steady.attained);
	return 0;
}

static void options_free(struct result_option *options, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(options[i].key);
		free(options[i].value);
	}
	free(options);
}

static void doubts_free(struct result_doubt *doubts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(doubts[i].id);
		free(doubts[i].evidence);
		free(doubts[i].advice);
	}
	free(doubts);
}

void result_job_free(struct result_job *job)
{
	free(job->name);
	free(job->file);
	free(job->section);
	free(job->description);
	free(job->engine);
	free(job->rw);
	for (size_t i = 0; i < job->naxes; i++) {
		free(job->axes[i].name);
		free(job->axes[i].label);
	}
	free(job->axes);
	options_free(job->options, job->noptions);
	options_free(job->resolved, job->nresolved);
	doubts_free(job->doubts, job->ndoubts);
	free(job->error_text);
	free(job->skipped);
	for (int d = 0; d < RESULT_DIRS; d++) {
		dist_free(&job->dir[d].slat);
		dist_free(&job->dir[d].clat);
		dist_free(&job->dir[d].lat);
		dist_free(&job->dir[d].response);
		free(job->dir[d].series.bytes);
		free(job->dir[d].series.ios);
	}
	dist_free(&job->sync);
	result_postmark_free(&job->postmark);
	*job = (struct result_job){ .name = NULL };
}

int result_note(struct result *result, const char *format, ...)
{
	char **notes = realloc(result->notes, (result->nnotes + 1) * sizeof(*notes));
	va_list ap;
	int n;

	if (!notes)
		return -ENOMEM;
	result->notes = notes;
	va_start(ap, format);
	n = vasprintf(&notes[result->nnotes], format, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	result->nnotes++;
	return 0;
}

void result_free(struct result *result)
{
	free(result->version);
	free(result->command);
	free(result->host);
	free(result->kernel);
	options_free(result->global, result->nglobal);
	for (size_t i = 0; i < result->nplaces; i++) {
		free(result->places[i].directory);
		free(result->places[i].filesystem);
		free(result->places[i].device);
	}
	free(result->places);
	for (size_t i = 0; i < result->njobs && !result->nrepeats; i++)
		result_job_free(&result->jobs[i]);
	free(result->jobs);
	for (size_t i = 0; i < result->nrepeats; i++) {
		for (size_t j = 0; j < result->repeats[i].njobs; j++)
			result_job_free(&result->repeats[i].jobs[j]);
		free(result->repeats[i].jobs);
	}
	free(result->repeats);
	free(result->chosen_by);
	free(result->until.metric);
	for (size_t i = 0; i < result->ndisks; i++)
		free(result->disks[i].name);
	free(result->disks);
	for (size_t i = 0; i < result->nnotes; i++)
		free(result->notes[i]);
	free(result->notes);
	for (size_t i = 0; i < result->nfacts; i++) {
		free(result->facts[i].key);
		free(result->facts[i].value);
	}
	free(result->facts);
	doubts_free(result->doubts, result->ndoubts);
	*result = (struct result){ .version = NULL };
}

/* n each second. */
static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e9 / (double)ns : 0;
}

double result_bw(const struct result_job *job, int dir)
{
	return per_second(job->dir[dir].bytes, job->dir[dir].runtime_ns);
}

double result_iops(const struct result_job *job, int dir)
{
	return per_second(job->dir[dir].ios, job->dir[dir].runtime_ns);
}

const struct dist *result_lat(const struct result_dir *dir)
{
	return dir->lat.n ? &dir->lat : &dir->clat;
}

double result_above_percent(const struct result_dir *dir, size_t threshold)
{
	return dir->ios ? (double)dir->above[threshold] * 100 / (double)dir->ios : 0;
}

/* Of fio's results often clat alone has percentiles. */
const struct dist *result_spread(const struct result_dir *dir)
{
	bool known = dir->lat.n && (!dir->lat.coarse || dir->lat.npoints);

	return known || !dir->clat.n ? &dir->lat : &dir->clat;
}

double result_cpu_percent(const struct result_job *job, bool sys)
{
	uint64_t ns = sys ? job->cpu_sys_ns : job->cpu_user_ns;

	return job->runtime_ns ? (double)ns * 100 / (double)job->runtime_ns : 0;
}

uint64_t result_flight_ns(const struct result_job *job)
{
	return job->runtime_ns > job->end_syncs_ns ? job->runtime_ns - job->end_syncs_ns : 0;
}

/* I/Os in flight in a worker, on average: the time they took together over the time that passed. */
double result_depth_mean(const struct result_job *job)
{
	uint64_t ns = result_flight_ns(job);
	double sum = 0;

	for (int d = 0; d < RESULT_DIRS; d++)
		sum += (double)result_lat(&job->dir[d])->sum;
	return ns ? sum / (double)ns : 0;
}
