// SPDX-License-Identifier: MIT
/* From what a worker left in its mapping to a result. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../job/units.h"
#include "resolved.h"
#include "postmark.h"
#include "stage.h"

/* What is copied as a whole from a job or a worker to its result. */
_Static_assert((int)RESULT_DIRS == (int)JOB_DIRS && (int)RESULT_DEPTHS == (int)STAT_DEPTHS
		&& (int)RESULT_PERCENTILES == (int)JOB_PERCENTILES
		&& (int)RESULT_THRESHOLDS == (int)JOB_THRESHOLDS
		&& (int)RESULT_THRESHOLDS == (int)STAT_ABOVE
		&& (int)RESULT_PHASES == (int)POSTMARK_PHASES
		&& (int)RESULT_KINDS == (int)POSTMARK_KINDS
		&& (int)RESULT_CALLS == (int)POSTMARK_CALLS, "the same lists");

static int copy(char **to, const char *text)
{
	*to = strdup(text ? text : "");
	return *to ? 0 : -ENOMEM;
}

static int copy_axes(const struct job *job, struct result_job *r)
{
	int bad = 0;

	r->axes = calloc(job->naxes + 1, sizeof(*r->axes));
	if (!r->axes)
		return -ENOMEM;
	for (r->naxes = 0; r->naxes < job->naxes; r->naxes++) {
		bad |= copy(&r->axes[r->naxes].name, job->axes[r->naxes].name);
		bad |= copy(&r->axes[r->naxes].label, job->axes[r->naxes].label);
	}
	return bad ? -ENOMEM : 0;
}

static int copy_options(const struct jobfile_pair *pairs, size_t n, struct result_option **options,
		size_t *count)
{
	int bad = 0;

	*options = calloc(n + 1, sizeof(**options));
	if (!*options)
		return -ENOMEM;
	for (*count = 0; *count < n; ++*count) {
		bad |= copy(&(*options)[*count].key, pairs[*count].key);
		bad |= copy(&(*options)[*count].value, pairs[*count].value);
	}
	return bad ? -ENOMEM : 0;
}

int result_of_job(const struct job *job, struct result_job *r)
{
	int bad = 0;

	*r = (struct result_job){
		.iodepth = (unsigned)job->o.iodepth,
		.direct = job->direct,
		.sync_engine = job->engine && job_is_sync(job),
		.lat_percentiles = job->o.lat_percentiles,
		.group = job->group,
		.stage = job->stage,
		.seed = job->seed,
		.npercentiles = job->npercentiles,
		.nthresholds = job->nthresholds,
	};
	if (job->o.steadystate_duration)
		r->steady = (struct result_steady){
			.rule = job->steady,
			.window_ns = job->o.steadystate_duration,
			.ramp_ns = job->o.steadystate_ramp_time,
		};
	memcpy(r->bs_min, job->bs_min, sizeof(r->bs_min));
	memcpy(r->bs_max, job->bs_max, sizeof(r->bs_max));
	memcpy(r->percentiles, job->percentiles, sizeof(r->percentiles));
	memcpy(r->thresholds_ns, job->thresholds_ns, sizeof(r->thresholds_ns));
	bad |= copy(&r->name, job->name);
	bad |= copy(&r->file, job->file);
	bad |= copy(&r->section, job->section);
	bad |= copy(&r->description, job->o.description);
	bad |= copy(&r->engine, job->engine ? job->engine->e.name : job->o.ioengine);
	bad |= copy(&r->rw, plan_rw_name(job));
	bad |= copy(&r->error_text, "");
	bad |= copy_axes(job, r);
	if (job->skipped)
		bad |= copy(&r->skipped, job->skipped);
	return bad ? -ENOMEM : 0;
}

int result_options(const struct job *job, const struct plan_worker *worker, struct result_job *r)
{
	int bad = copy_options(job->own, job->nown, &r->options, &r->noptions);

	return bad ? bad : resolved_options(job, worker, r);
}

/* ---- how it ended -------------------------------------------------------------------------- */

/* The worker's pointer to a file means nothing here; its place in the worker's list does. */
static const char *path_of(const struct stage *s, const struct stage_worker *w, const struct io *io)
{
	size_t i;

	if (w->shared->postmark)
		return w->shared->postmark->path;
	i = ((uintptr_t)io->pub.file - w->shared->files) / sizeof(struct iojob_file);

	return i < w->spec->nfiles ? s->plan->targets[w->spec->files[i].target].path : "?";
}

/* The I/O that is longest in flight. */
static void describe_hang(const struct stage *s, const struct stage_worker *w, struct err *text)
{
	uint64_t then = clock_from_ns(s->clock, w->lost_ns);
	const struct io *oldest = NULL;
	char idle[32], age[32];

	units_print_time(idle, sizeof(idle), w->idle_ns);
	for (uint32_t i = 0; i < w->shared->depth; i++) {
		const struct io *io = &w->shared->ios[i];

		if (io->start && (!oldest || io->start < oldest->start))
			oldest = io;
	}
	if (!oldest) {
		err_set(text, ETIMEDOUT, "hung: nothing came of it for %s", idle);
		return;
	}
	units_print_time(age, sizeof(age), clock_between(s->clock, oldest->start, then));
	if (oldest->pub.op >= IOJOB_FSYNC)
		err_set(text, ETIMEDOUT,
				"hung: nothing completed for %s; %s of %s in flight for %s", idle,
				engine_op_name(oldest->pub.op), path_of(s, w, oldest), age);
	else
		err_set(text, ETIMEDOUT,
				"hung: nothing completed for %s; %s of %u bytes at offset %llu of "
				"%s in flight for %s",
				idle, engine_op_name(oldest->pub.op), oldest->pub.len,
				(unsigned long long)oldest->pub.offset, path_of(s, w, oldest), age);
}

static void describe_death(const struct stage_worker *w, struct err *text)
{
	const char *who = w->spec->job->o.thread ? "the process of the stage's threads"
						 : "the worker";

	if (WIFSIGNALED(w->status))
		err_set(text, EIO, "%s was killed by signal %d (%s)", who, WTERMSIG(w->status),
				strsignal(WTERMSIG(w->status)));
	else
		err_set(text, EIO, "%s exited with status %d before the job was done", who,
				WEXITSTATUS(w->status));
}

static void describe_jump(const struct stage *s, struct err *text)
{
	char off[32];

	units_print_time(off, sizeof(off), (uint64_t)llabs(s->clock_off_ns));
	err_set(text, ECANCELED,
			"the CPU's clock (TSC) jumped by %s while it ran: the machine slept, or "
			"the virtual machine was moved; what was measured is dropped, so run it "
			"again",
			off);
}

static int set_end(const struct stage *s, const struct stage_worker *w, struct result_job *r)
{
	struct err text = w->shared->text;

	r->end = (enum result_end)w->shared->end;
	r->error = w->shared->error;
	if (r->end == RESULT_END_INTERRUPTED && w->course->stop_ns)
		r->end = RESULT_END_STEADY;
	if (r->end == RESULT_END_INTERRUPTED && s->exitall && !s->interrupted)
		r->end = RESULT_END_OTHER;
	if (s->clock_jumped && !w->died && !w->hung && !r->error) {
		r->end = RESULT_END_ERROR;
		r->error = ECANCELED;
		describe_jump(s, &text);
	} else if (w->hung) {
		r->end = RESULT_END_HUNG;
		r->error = ETIMEDOUT;
		describe_hang(s, w, &text);
	} else if (w->died && s->interrupted) {
		r->end = RESULT_END_INTERRUPTED;
	} else if (w->died) {
		r->end = RESULT_END_DIED;
		r->error = EIO;
		describe_death(w, &text);
	}
	free(r->error_text);
	return copy(&r->error_text, text.text);
}

/* ---- what it counted ----------------------------------------------------------------------- */

/*
 * Of the histograms only those that the job can have filled: to look into one is to make a page of
 * it real, and a thousand workers have many.
 */
static int add_dir(const struct job *job, const struct stats *stats, int d, struct result_dir *dir)
{
	const struct stat_op *op = &stats->op[d];
	int bad;

	dir->ios = stats->clat[d].n;
	dir->bytes = op->bytes;
	dir->shorts = op->shorts;
	dir->errors = op->errors;
	dir->late = op->late;
	dir->due = op->due;
	dir->lag_max_ns = op->lag_max;
	memcpy(dir->above, stats->above[d], sizeof(dir->above));
	bad = dist_add_hist(&dir->clat, &stats->clat[d]);
	if (job_is_sync(job)) {
		/* A synchronous engine's whole latency is its completion latency. */
		bad |= dist_add_hist(&dir->lat, &stats->clat[d]);
	} else {
		bad |= dist_add_hist(&dir->slat, &stats->slat[d]);
		bad |= dist_add_hist(&dir->lat, &stats->lat[d]);
	}
	if (job_is_rated(job, d))
		bad |= dist_add_hist(&dir->response, &stats->response[d]);
	return bad ? -ENOMEM : 0;
}

static int add_syncs(const struct job *job, const struct stats *stats, struct result_job *r)
{
	bool whole = job_is_sync(job) || job_is_postmark(job); /* clat is all of the latency */
	const struct hist *lat = whole ? stats->clat : stats->lat;
	int bad = 0;

	for (int op = IOJOB_FSYNC; op < IOJOB_OPS && job_syncs(job); op++) {
		r->syncs += stats->clat[op].n;
		bad |= dist_add_hist(&r->sync, &lat[op]);
	}
	return bad ? -ENOMEM : 0;
}

/*
 * When the worker's time was over, in ticks: one that was lost while it closed its files had come
 * to its end before.
 */
static uint64_t end_of(const struct stage *s, const struct stage_worker *w)
{
	if (w->lost_ns && (stage_phase(w) < WORKER_CLOSING || !w->shared->end_ticks))
		return clock_from_ns(s->clock, w->lost_ns);
	return w->shared->end_ticks;
}

/* A phase ends when the next begins; one that never began took no time. */
static void add_phases(const struct stage *s, const struct stage_worker *w,
		struct result_postmark *r)
{
	const uint64_t *ticks = w->shared->postmark->ticks;
	uint64_t next = end_of(s, w);

	for (int p = RESULT_PHASES; p--;) {
		if (!ticks[p])
			continue;
		r->phase_ns[p] = clock_between(s->clock, ticks[p], next);
		next = ticks[p];
	}
}

/* Its blocks are the calls that the engine was given, and not what stdio gathered them from. */
static void set_calls(const struct stage *s, const struct stage_worker *w, struct result_job *r)
{
	const struct plan_worker *spec = w->spec;

	for (int d = IOJOB_READ; d <= IOJOB_WRITE; d++) {
		r->bs_min[d] = UINT64_MAX;
		r->bs_max[d] = 0;
		for (size_t i = 0; i < spec->nfiles; i++) {
			uint64_t call = plan_postmark_call(spec->job, (enum iojob_op)d,
					&s->plan->targets[spec->files[i].target]);

			if (call > spec->job->o.postmark_size[1])
				call = spec->job->o.postmark_size[1];
			r->bs_min[d] = call < r->bs_min[d] ? call : r->bs_min[d];
			r->bs_max[d] = call > r->bs_max[d] ? call : r->bs_max[d];
		}
	}
}

static int add_postmark(const struct stage *s, const struct stage_worker *w, struct result_job *job)
{
	const struct worker_postmark *pm = w->shared->postmark;
	struct result_postmark *r = &job->postmark;
	int bad = 0;

	memcpy(r->done, pm->done, sizeof(r->done));
	r->transactions = pm->transactions;
	r->skipped = pm->skipped;
	r->dry = pm->dry;
	set_calls(s, w, job);
	add_phases(s, w, r);
	for (int k = 0; k < RESULT_KINDS; k++)
		bad |= dist_add_hist(&r->whole[k], &pm->whole[k]);
	for (int c = 0; c < RESULT_CALLS; c++)
		bad |= dist_add_hist(&r->call[c], &pm->call[c]);
	r->device_known = pm->account.known;
	r->device_read = pm->account.read;
	r->device_written = pm->account.written;
	r->device_cancelled = pm->account.cancelled;
	return bad ? -ENOMEM : 0;
}

/* From some ticks to the end of a worker's measured phase; 0 where it never was in it. */
static uint64_t until_end_ns(const struct stage *s, const struct stage_worker *w, uint64_t from)
{
	uint64_t end = end_of(s, w);

	if (!w->shared->begin_ticks)
		return 0;
	return end > from ? clock_span_ns(s->clock, end - from) : 0;
}

/* When the measured phase would have begun if the worker had had a CPU at once, ticks. */
static uint64_t phase_begin(const struct stage *s, const struct stage_worker *w)
{
	const struct job_opts *o = &w->spec->job->o;

	return s->shared->go_ticks + clock_span_ticks(s->clock, o->startdelay + o->ramp_time);
}

int stage_result(const struct stage *s, const struct stage_worker *w, struct result_job *r)
{
	const struct worker_shared *shared = w->shared;
	const struct job *job = w->spec->job;
	int bad = result_of_job(job, r);

	if (bad)
		return bad;
	stats_settle(&w->shared->stats);
	r->workers = 1;
	r->grouped = job->o.group_reporting;
	r->start_ms = s->started_ms;
	/* No figure is true, or what it counted was its warm-up. */
	if (s->clock_jumped || !shared->begin_ticks)
		return set_end(s, w, r) ? -ENOMEM : 0;
	r->elapsed_ns = r->runtime_ns = until_end_ns(s, w, shared->begin_ticks);
	r->phase_ns = until_end_ns(s, w, phase_begin(s, w));
	r->end_sync_ns = r->end_syncs_ns = shared->sync_ns;
	r->cpu_user_ns = shared->cpu_user_ns;
	r->cpu_sys_ns = shared->cpu_sys_ns;
	r->ctx = shared->ctx;
	r->majf = shared->majf;
	r->minf = shared->minf;
	memcpy(r->depth, shared->stats.depth, sizeof(r->depth));
	memcpy(r->submit, shared->stats.submit, sizeof(r->submit));
	memcpy(r->complete, shared->stats.complete, sizeof(r->complete));
	for (int d = 0; d < RESULT_DIRS; d++) {
		if (!job_does(job, (enum iojob_op)d))
			continue;
		bad |= add_dir(job, &shared->stats, d, &r->dir[d]);
		if (shared->postmark)
			r->dir[d].ios = shared->postmark->calls[d];
		r->dir[d].runtime_ns = r->elapsed_ns;
		r->dir[d].bw = w->bw.samples[d];
		r->dir[d].iops = w->iops.samples[d];
		if (r->sync_engine) {
			/* One at a time: depth 1, each submitted and completed alone. */
			r->depth[1] += r->dir[d].ios;
			r->submit[1] += r->dir[d].ios;
			r->complete[1] += r->dir[d].ios;
		}
	}
	if (w == w->course->workers)
		bad |= course_result(w->course, r);
	if (shared->postmark)
		bad |= add_postmark(s, w, r);
	bad |= add_syncs(job, &shared->stats, r);
	bad |= set_end(s, w, r);
	return bad ? -ENOMEM : 0;
}
