// SPDX-License-Identifier: MIT
#include "parts.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../job/units.h"
#include "../load/buffer.h"
#include "../measure/machine.h"

unsigned plan_job_flags(const struct job *job)
{
	return (job->direct ? IOJOB_JOB_DIRECT : 0) | (job_random(job) ? IOJOB_JOB_RANDOM : 0)
			| (job->o.sync == JOB_SYNC_SYNC ? IOJOB_JOB_SYNC : 0)
			| (job->o.sync == JOB_SYNC_DSYNC ? IOJOB_JOB_DSYNC : 0);
}

unsigned plan_open_flags(const struct job *job)
{
	return TARGET_READ | (job_changes(job) ? TARGET_WRITE : 0)
			| (job->direct ? TARGET_DIRECT : 0)
			| (job->o.sync == JOB_SYNC_SYNC ? TARGET_SYNC : 0)
			| (job->o.sync == JOB_SYNC_DSYNC ? TARGET_DSYNC : 0);
}

/* ---- what this machine can do -------------------------------------------------------------- */

/*
 * How many workers of the job's depth are in its stage with the same engine: what limits one job
 * (locked memory, reserved I/Os) limits all of them together.
 */
static uint32_t workers_beside(const struct jobs *jobs, const struct job *job)
{
	uint64_t ios = 0, depth = job_depth(job);

	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *other = &jobs->list[i];

		if (other->stage == job->stage && other->engine == job->engine && !other->skipped)
			ios += (uint64_t)other->o.numjobs * job_depth(other);
	}
	return (uint32_t)((ios + depth - 1) / depth);
}

/* Asks the engine. -EOPNOTSUPP with a text: not on this machine. */
static int check_engine(const struct plan *plan, const struct job *job, size_t nfiles,
		struct err *err)
{
	const struct iojob_engine *e = &job->engine->e;
	struct err why = { "" };
	struct iojob_setup setup = {
		.conf = job->engine_conf,
		.depth = job_depth(job),
		.workers = workers_beside(plan->jobs, job),
		.buf_bytes = job_is_postmark(job) ? job->o.postmark_size[1] + job_block_max(job)
				: job_block_max(job) * job_depth(job),
		.ops = job->ops,
		.job_flags = plan_job_flags(job),
		.nfiles = (uint32_t)nfiles,
		.error = why.text,
		.error_size = sizeof(why.text),
	};
	const char *path;
	unsigned line;
	int r = e->check ? e->check(&setup) : 0;

	if (!r)
		return 0;
	job_where(job, "ioengine", &path, &line);
	err_at(err, -r, path, line, "ioengine = %s: %s", e->name,
			why.text[0] ? why.text : strerror(-r));
	return -EOPNOTSUPP;
}

static int misaligned(const struct job *job, const char *key, uint64_t value, uint32_t align,
		const char *of, struct err *err)
{
	char text[32];
	const char *path;
	unsigned line;

	job_where(job, key, &path, &line);
	return err_at(err, EINVAL, path, line, "%s = %s: must be a multiple of %u, the %s", key,
			units_print_bytes(text, sizeof(text), value), align, of);
}

/* Do the steps of rw and of zones lead from one multiple of `align` to another? */
static int check_steps(const struct job *job, const struct plan_file *file, uint32_t align,
		const char *of, struct err *err)
{
	uint64_t zone = job->zone_range + job->o.zoneskip;
	const char *path;
	unsigned line;

	job_where(job, "rw", &path, &line);
	for (int d = 0; d < JOB_DIRS; d++) {
		int64_t step = job->step[d];

		if (step % align)
			return err_at(err, EINVAL, path, line,
					"rw = %s:%s: must be a multiple of %u, the %s",
					plan_rw_name(job), job->o.rw_modifier, align, of);
		if (step < 0 && file->length % align)
			return err_at(err, EINVAL, path, line,
					"rw = %s:%s: goes back from the end, and size must be a "
					"multiple of %u for that, the %s",
					plan_rw_name(job), job->o.rw_modifier, align, of);
	}
	if (!(zone % align))
		return 0;
	job_where(job, "zonemode", &path, &line);
	return err_at(err, EINVAL, path, line,
			"zonemode = strided: zonerange and zoneskip together must be a multiple of "
			"%u, the %s",
			align, of);
}

/* O_DIRECT: does the file know it, and do all sizes and offsets fit its alignment? */
static int check_alignment(const struct job *job, const struct plan_target *t,
		const struct plan_file *file, struct err *err)
{
	uint32_t align = t->look.offset_align;
	const char *path;
	unsigned line;
	char of[300];

	if (!job->direct && t->look.kind != TARGET_ENGINE)
		return 0;
	if (!t->look.direct) {
		job_where(job, "direct", &path, &line);
		err_at(err, EOPNOTSUPP, path, line,
				"direct = 1: the filesystem of %s has no O_DIRECT; set direct=0",
				t->path);
		return -EOPNOTSUPP;
	}
	if (job_is_postmark(job))
		return plan_postmark_align(job, t, err);
	snprintf(of, sizeof(of), "block size of %.250s", t->path);
	for (int d = 0; d < JOB_DIRS; d++) {
		const char *key = job_given(job, "bsrange") ? "bsrange" : "bs";

		if (job->ops & IOJOB_OP_BIT(d) && job->bs_min[d] % align)
			return misaligned(job, key, job->bs_min[d], align, of, err);
		if (job->ops & IOJOB_OP_BIT(d) && job->bs_max[d] % align)
			return misaligned(job, key, job->bs_max[d], align, of, err);
	}
	if (file->offset % align)
		return misaligned(job, "offset", file->offset, align, of, err);
	return check_steps(job, file, align, of, err);
}

/* May the job write to that device? */
static int check_device(const struct job *job, struct plan_target *t,
		const struct plan_options *options, struct err *err)
{
	int r;

	if (!job_changes(job))
		return 0;
	for (size_t i = 0; i < options->ndevices; i++) {
		struct stat a, b;

		if (!strcmp(options->devices[i], t->path) || (!stat(options->devices[i], &a)
				&& !stat(t->path, &b) && a.st_rdev == b.st_rdev))
			return 0;
	}
	r = target_may_write(&t->look, t->path, err);
	if (r)
		return plan_blame(job, r, err);
	t->claim = true;
	return 0;
}

/* May it use that file? Opening tells more surely than mode bits do. */
static int check_file(const struct job *job, const struct plan_target *t, uint64_t size_bytes,
		struct err *err)
{
	unsigned flags = plan_open_flags(job);
	int fd;

	if (job_needs_contents(job) && size_bytes > t->look.size_bytes)
		flags |= TARGET_WRITE; /* it will be laid out */
	fd = target_open(t->path, flags, err);
	if (fd < 0)
		return plan_blame(job, fd, err);
	close(fd);
	return 0;
}

/* Bytes rather than text: what they mean is known from the load layer on. */
static int check_pattern(const struct job *job, struct err *err)
{
	uint8_t bytes[BUFFER_PATTERN_MAX];
	const char *text = job->o.buffer_pattern, *path, *why;
	unsigned line;

	if (!text || buffer_parse(text, bytes, &why) > 0)
		return 0;
	job_where(job, "buffer_pattern", &path, &line);
	return err_at(err, EINVAL, path, line, "buffer_pattern = %.80s: %s", text, why);
}

/* Only the kernel knows: offline CPUs and those of other containers are no use. */
static int check_cpus(const struct job *job, struct err *err)
{
	cpu_set_t before, wanted;
	const char *path;
	unsigned line;

	if (!job->o.cpus_allowed || job_cpus(job, &wanted)
			|| sched_getaffinity(0, sizeof(before), &before))
		return 0;
	if (!sched_setaffinity(0, sizeof(wanted), &wanted)) {
		sched_setaffinity(0, sizeof(before), &before);
		return 0;
	}
	job_where(job, "cpus_allowed", &path, &line);
	err_at(err, EOPNOTSUPP, path, line, "cpus_allowed = %s: none of these CPUs can be used "
			"on this machine", job->o.cpus_allowed);
	return -EOPNOTSUPP;
}

static int check_readonly(const struct job *job, struct err *err)
{
	const char *path;
	unsigned line;

	if (!job_changes(job))
		return 0;
	job_where(job, job_is_postmark(job) ? "workload" : "rw", &path, &line);
	return err_at(err, EPERM, path, line, "[%s] would write, and --readonly was given",
			job->section);
}

/* ---- workers ------------------------------------------------------------------------------- */

/* Each file once a job, whichever of its clones use it. */
static int judge_files(struct plan *plan, const struct plan_worker *w,
		const struct plan_options *options, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < w->nfiles; i++) {
		struct plan_target *t = &plan->targets[w->files[i].target];

		if (t->judged == w->job)
			continue;
		t->judged = w->job;
		r = check_alignment(w->job, t, &w->files[i], err);
		if (!r && t->look.kind == TARGET_BLOCK)
			r = check_device(w->job, t, options, err);
		else if (!r && t->look.kind == TARGET_REGULAR)
			r = check_file(w->job, t, w->files[i].size_bytes, err);
	}
	return r;
}

/* What a worker does to its files, once it is sure that it runs. */
static void claim_files(struct plan *plan, const struct plan_worker *w)
{
	const struct job *job = w->job;

	for (size_t i = 0; i < w->nfiles; i++) {
		struct plan_target *t = &plan->targets[w->files[i].target];

		if (w->files[i].size_bytes > t->size_bytes)
			t->size_bytes = w->files[i].size_bytes;
		t->last_stage = job->stage;
		t->written |= job_changes(job);
		t->read |= job_does(job, IOJOB_READ);
		if ((job->o.unlink || job_is_postmark(job)) && t->look.kind != TARGET_BLOCK
				&& t->look.kind != TARGET_CHAR)
			t->unlinker = job;
	}
}

static void free_workers(struct plan_stage *stage, size_t from)
{
	for (size_t i = from; i < stage->nworkers; i++)
		free(stage->workers[i].files);
	stage->nworkers = from;
}

/* All clones of one job. Where the machine cannot run it and it is optional, there are none. */
static int plan_job(struct plan *plan, struct job *job, const struct plan_options *options,
		struct err *err)
{
	struct plan_stage *stage = &plan->stages[job->stage];
	size_t first = stage->nworkers, count = (size_t)job->o.numjobs, ntargets = plan->ntargets;
	struct plan_worker *workers;
	int r = options->readonly ? check_readonly(job, err) : 0;

	if (!r)
		r = check_pattern(job, err);
	if (!r && options->judge_machine)
		r = check_engine(plan, job, job_nfiles(job), err);
	if (!r && options->judge_machine)
		r = check_cpus(job, err);
	workers = realloc(stage->workers, (first + count) * sizeof(*workers));
	if (!workers)
		return err_memory(err);
	stage->workers = workers;
	for (size_t i = 0; !r && i < count; i++) {
		workers[first + i] = (struct plan_worker){ .job = job, .clone = (unsigned)i };
		stage->nworkers++;
		r = job_is_postmark(job) ? plan_postmark(plan, &workers[first + i], options, err)
					 : plan_files(plan, &workers[first + i], options, err);
		if (!r && options->judge_machine)
			r = judge_files(plan, &workers[first + i], options, err);
	}
	for (size_t i = first; !r && i < stage->nworkers; i++)
		claim_files(plan, &workers[i]);
	if (r == -EOPNOTSUPP && job->o.optional) {
		free_workers(stage, first);
		plan_drop_targets(plan, ntargets);
		job->skipped = strdup(err->text);
		return job->skipped ? 0 : err_memory(err);
	}
	return r;
}

/* A process cannot have more files open than its limit; the threads of a stage are one process. */
static int check_descriptors(const struct plan_stage *stage, struct err *err)
{
	enum { OTHERS = 32 }; /* that engines and iojob itself need */
	struct rlimit limit;
	size_t threads = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	for (size_t i = 0; i < stage->nworkers; i++) {
		const struct job *job = stage->workers[i].job;
		size_t files = stage->workers[i].nfiles;

		if (job->engine->e.flags & IOJOB_ENGINE_NO_FD || job->o.create_only)
			continue;
		if (job->o.thread)
			files = threads += files;
		if (files + OTHERS > limit.rlim_max)
			return err_at(err, EMFILE, job->path, job->line,
					"[%s]: %zu files at once%s: a process may open %ju "
					"(ulimit -Hn)",
					job->section, files,
					job->o.thread ? ", by all threads" : "",
					(uintmax_t)limit.rlim_max);
	}
	return 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* A file that would have to be laid out cannot be where nothing may be written. */
static int check_no_layout(const struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		if (plan->targets[i].layout_bytes)
			return err_set(err, EPERM,
					"%s: would have to be written before it is read, and "
					"--readonly was given",
					plan->targets[i].path);
	}
	return 0;
}

int plan_make(struct plan *plan, struct jobs *jobs, const struct plan_options *options,
		struct err *err)
{
	int r = 0;

	*plan = (struct plan){ .jobs = jobs };
	for (size_t i = 0; i < jobs->n; i++) {
		if (jobs->list[i].stage + 1 > plan->nstages)
			plan->nstages = jobs->list[i].stage + 1;
	}
	plan->stages = calloc(plan->nstages + 1, sizeof(*plan->stages));
	if (!plan->stages)
		r = err_memory(err);
	for (size_t i = 0; !r && i < jobs->n; i++) {
		if (!jobs->list[i].skipped)
			r = plan_job(plan, &jobs->list[i], options, err);
	}
	for (size_t s = 0; !r && options->judge_machine && s < plan->nstages; s++)
		r = check_descriptors(&plan->stages[s], err);
	if (!r)
		r = plan_space(plan, options, err);
	if (!r && options->readonly)
		r = check_no_layout(plan, err);
	if (r)
		plan_free(plan);
	return r;
}

void plan_free(struct plan *plan)
{
	for (size_t s = 0; plan->stages && s < plan->nstages; s++) {
		free_workers(&plan->stages[s], 0);
		free(plan->stages[s].workers);
	}
	free(plan->stages);
	plan_drop_targets(plan, 0);
	free(plan->targets);
	free(plan->index);
	for (size_t i = 0; i < plan->nplaces; i++) {
		free(plan->places[i].directory);
		free(plan->places[i].filesystem);
		free(plan->places[i].device);
	}
	free(plan->places);
	*plan = (struct plan){ 0 };
}
