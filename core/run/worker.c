// SPDX-License-Identifier: MIT
#include "worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../measure/probe.h"
#include "loop.h"
#include "postmark.h"

/* Where the part begins that only some jobs have. */
static size_t more_at(const struct job *job)
{
	return sizeof(struct worker_shared) + job_depth(job) * sizeof(struct io);
}

size_t worker_shared_bytes(const struct job *job)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = more_at(job);

	bytes += job_is_postmark(job) ? sizeof(struct worker_postmark) : 0;
	return (bytes + page - 1) / page * page;
}

void worker_shared_init(struct worker_shared *shared, const struct job *job)
{
	if (job_is_postmark(job))
		shared->postmark = (struct worker_postmark *)((char *)shared + more_at(job));
}

uint64_t worker_ios(const struct worker_shared *shared, int dir)
{
	const uint64_t *n = &shared->stats.clat[dir].n;

	if (shared->postmark && dir <= IOJOB_WRITE)
		n = &shared->postmark->calls[dir];
	else if (!worker_read(&shared->stats.op[dir].bytes))
		return 0; /* looking into the histogram would make a page of it real */
	return worker_read(n);
}

static void enter(struct worker *w, enum worker_phase phase)
{
	__atomic_store_n(&w->shared->phase, phase, __ATOMIC_RELEASE);
	if (phase == WORKER_READY || phase == WORKER_SYNC || phase == WORKER_DONE) {
		uint64_t one = 1;
		ssize_t n = write(w->args->notify_fd, &one, sizeof(one));

		(void)n; /* the main process looks every now and then anyway */
	}
}

static void wait_for_go(struct worker *w)
{
	while (!__atomic_load_n(&w->stage->go, __ATOMIC_ACQUIRE))
		loop_futex_wait(&w->stage->go, 0, -1);
}

struct usage {
	struct rusage ru;
	uint64_t cpu_wait_ns;
};

static void usage(const struct worker *w, struct usage *usage)
{
	usage->cpu_wait_ns = probe_cpu_wait();
	/*
	 * A process also counts what the kernel's threads do in its name (io_uring's, for
	 * instance).
	 */
	getrusage(w->job->o.thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage->ru);
}

static uint64_t timeval_ns(struct timeval a, struct timeval b)
{
	return (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + (b.tv_usec - a.tv_usec) * 1000);
}

static void record_usage(struct worker *w, const struct usage *before, const struct usage *after)
{
	const struct rusage *a = &before->ru, *b = &after->ru;

	w->shared->cpu_user_ns = timeval_ns(a->ru_utime, b->ru_utime);
	w->shared->cpu_sys_ns = timeval_ns(a->ru_stime, b->ru_stime);
	w->shared->ctx = (uint64_t)(b->ru_nvcsw - a->ru_nvcsw + b->ru_nivcsw - a->ru_nivcsw);
	w->shared->majf = (uint64_t)(b->ru_majflt - a->ru_majflt);
	w->shared->minf = (uint64_t)(b->ru_minflt - a->ru_minflt);
	w->shared->fetched = (uint64_t)(b->ru_inblock - a->ru_inblock) * 512;
	w->shared->cpu_wait_ns = after->cpu_wait_ns - before->cpu_wait_ns;
}

static void sync_files(struct worker *w)
{
	uint64_t begin = clock_ticks(w->clock);

	__atomic_store_n(&w->shared->sync_begin_ticks, begin, __ATOMIC_RELAXED);
	enter(w, WORKER_SYNC);
	for (unsigned i = 0; i < w->nopen; i++)
		loop_sync_file(w, &w->files[i]);
	w->shared->sync_ns = clock_span_ns(w->clock, clock_ticks(w->clock) - begin);
}

static enum result_end how_ended(const struct worker *w, bool done)
{
	if (done)
		return RESULT_END_WORK;
	return __atomic_load_n(&w->stage->stop, __ATOMIC_RELAXED) ? RESULT_END_INTERRUPTED
								  : RESULT_END_RUNTIME;
}

static uint64_t take(uint64_t *left, uint64_t pass)
{
	uint64_t part = pass < *left ? pass : *left;

	if (*left != UINT64_MAX)
		*left -= part;
	return part;
}

/*
 * The work, in as many passes as loops= asks for, each with the page cache as it was at first.
 * True: all of it was done.
 */
static bool run_passes(struct worker *w)
{
	const struct plan_worker *spec = w->args->spec;
	uint64_t left = spec->limit_bytes, left_ios = spec->limit_ios;

	for (;;) {
		uint64_t bytes = take(&left, spec->pass_bytes);

		load_limit(&w->load, bytes, take(&left_ios, spec->pass_ios));
		loop_run(w);
		if (!load_done(&w->load) || w->nready)
			return false;
		if (!left || !left_ios || (left == UINT64_MAX && left_ios == UINT64_MAX))
			return true;
		if (loop_over(w))
			return false;
		setup_again(w);
	}
}

/* The measured phase, and the fsync that belongs to its time. */
static void run_measured(struct worker *w)
{
	struct usage before, after;
	bool done;

	usage(w, &before);
	__atomic_store_n(&w->shared->begin_ticks, clock_ticks(w->clock), __ATOMIC_RELAXED);
	enter(w, WORKER_RUN);
	loop_begin(w, w->job->o.runtime);
	done = w->postmark ? postmark_run(w) : run_passes(w);
	w->shared->end_ticks = clock_ticks(w->clock);
	if (w->until) {
		w->shared->end = how_ended(w, done);
		loop_record_due(w);
	}
	if (w->job->o.end_fsync && job_does(w->job, IOJOB_WRITE) && w->until) {
		sync_files(w);
		w->shared->end_ticks = clock_ticks(w->clock);
	}
	usage(w, &after);
	record_usage(w, &before, &after);
}

/* Warms up; of what went wrong and did not end the worker, nothing is left either. */
static void run_ramp(struct worker *w)
{
	__atomic_store_n(&w->shared->ramp_ticks, clock_ticks(w->clock), __ATOMIC_RELAXED);
	enter(w, WORKER_RAMP);
	loop_begin(w, w->job->o.ramp_time);
	loop_run(w);
	if (!w->until)
		return;
	stats_reset(w->stats);
	w->shared->error = 0;
	w->shared->text.text[0] = '\0';
}

static void close_files(struct worker *w)
{
	for (unsigned i = 0; i < w->nopen; i++) {
		struct iojob_file *file = &w->files[i];
		int r;

		if (w->job->o.fsync_on_close && job_does(w->job, IOJOB_WRITE) && w->until)
			loop_sync_file(w, file);
		r = w->drive.engine->file_close ? w->drive.engine->file_close(&w->pub, file) : 0;
		if (file->fd >= 0 && close(file->fd) && !r)
			r = -errno;
		if (r)
			loop_fail_engine(w, -r, file->path);
	}
	if (w->engine_open && w->drive.engine->close)
		w->drive.engine->close(&w->pub);
}

static void run_worker(struct worker *w)
{
	bool guarded = w->drive.engine->flags & IOJOB_ENGINE_SIGBUS;
	int r = guarded ? guard_enter(&w->guard) : 0;

	if (r)
		loop_fail_engine(w, -r, "signal stack");
	if (!r && !setup_worker(w)) {
		enter(w, WORKER_READY);
		wait_for_go(w);
		w->until = UINT64_MAX;
		if (w->job->o.startdelay)
			loop_sleep(w, w->stage->go_ticks
					+ clock_span_ticks(w->clock, w->job->o.startdelay));
		if (w->job->o.ramp_time)
			run_ramp(w);
		if (w->until)
			run_measured(w);
	}
	enter(w, WORKER_CLOSING);
	if (w->postmark)
		postmark_end(w);
	close_files(w);
	if (guarded)
		guard_leave(&w->guard);
	enter(w, WORKER_DONE);
}

void worker_main(const struct worker_args *args)
{
	struct worker *w = aligned_alloc(64, (sizeof(*w) + 63) / 64 * 64);

	if (!w) {
		args->shared->error = ENOMEM;
		args->shared->end = RESULT_END_ERROR;
		__atomic_store_n(&args->shared->phase, WORKER_DONE, __ATOMIC_RELEASE);
		return;
	}
	memset(w, 0, sizeof(*w));
	w->args = args;
	w->job = args->spec->job;
	w->clock = args->clock;
	w->stage = args->stage;
	w->shared = args->shared;
	w->stats = &args->shared->stats;
	w->shared->end = RESULT_END_WORK;
	w->until = UINT64_MAX;
	w->drive = (struct drive){
		.engine = &w->job->engine->e,
		.worker = &w->pub,
	};
	w->pub.conf = w->job->engine_conf;
	w->pub.depth = job_depth(w->job);
	w->pub.ops = w->job->ops;
	w->pub.job_flags = plan_job_flags(w->job);
	w->pub.error = w->error;
	w->pub.error_size = sizeof(w->error);
	w->shared->depth = w->pub.depth;
	run_worker(w);
}
