// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "../measure/machine.h"
#include "../result/repeats.h"
#include "examine.h"
#include "files.h"
#include "layout.h"
#include "stage.h"

struct run {
	const struct plan *plan;
	const struct run_options *options;
	struct result *result;
	struct disks disks;
	struct probe_groups groups;
	struct exam exam; /* of the running stage */
	int *claims; /* devices, open with O_EXCL */
	size_t nclaims;
	struct turn *files; /* whose stages take turns */
	size_t nfiles;
	size_t repeat;      /* from 0 */
	size_t begun;       /* stages that were, in any repeat */
	int signals;
	int interrupted;
};

/* ---- signals ------------------------------------------------------------------------------- */

/* From here on the signals wait in a descriptor until somebody looks. */
static int take_signals(sigset_t *before, struct err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		sigprocmask(SIG_SETMASK, before, NULL);
		return err_set(err, errno, "signalfd: %s", strerror(errno));
	}
	return fd;
}

/* Was the run interrupted between two stages? */
static bool look_for_signal(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			run->interrupted = (int)info.ssi_signo;
	}
	return run->interrupted;
}

static uint64_t epoch_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- results ------------------------------------------------------------------------------- */

static struct result_job *add_job(struct result *result)
{
	struct result_job *jobs = realloc(result->jobs, (result->njobs + 1) * sizeof(*jobs));

	if (!jobs)
		return NULL;
	result->jobs = jobs;
	return &jobs[result->njobs];
}

/* A result of a worker (NULL: of none) becomes an entry of its own, or part of its group's. */
static int add_result(struct run *run, const struct job *job, const struct plan_worker *worker,
		struct result_job *new)
{
	struct result *result = run->result;
	struct result_job *last = result->njobs ? &result->jobs[result->njobs - 1] : NULL;
	struct result_job *entry;

	if (last && last->grouped && new->grouped && last->group == new->group
			&& last->stage == new->stage && !last->skipped) {
		int r = result_job_merge(last, new);

		result_job_free(new);
		return r;
	}
	entry = add_job(result);
	if (!entry) {
		result_job_free(new);
		return -ENOMEM;
	}
	*entry = *new;
	result->njobs++;
	return result_options(job, worker, entry);
}

/* The same, of a worker that ran: the examination follows it to where it goes. */
static int add_measured(struct run *run, const struct stage_worker *w, struct result_job *new)
{
	int r;

	exam_worker(&run->exam, w, new);
	r = add_result(run, w->spec->job, w->spec, new);
	if (!r)
		exam_reported(&run->exam, run->result->njobs - 1);
	return r;
}

/* A result without figures: of a job that was skipped, only creates files, or never began. */
static int add_empty(struct run *run, const struct job *job, enum result_end end)
{
	struct result_job r;

	if (result_of_job(job, &r)) {
		result_job_free(&r);
		return -ENOMEM;
	}
	r.end = end;
	r.grouped = job->o.group_reporting;
	return add_result(run, job, NULL, &r);
}

/* What an interruption left undone stands in the result all the same, so that no job is missing. */
static int add_undone(struct run *run, size_t s)
{
	const struct plan_stage *stage = &run->plan->stages[s];
	const struct jobs *jobs = run->plan->jobs;
	int bad = 0;

	for (size_t i = 0; !bad && i < jobs->n; i++) {
		if (jobs->list[i].stage != s)
			continue;
		if (jobs->list[i].skipped)
			bad = add_empty(run, &jobs->list[i], RESULT_END_WORK);
		for (size_t w = 0; !bad && w < stage->nworkers; w++) {
			if (stage->workers[w].job == &jobs->list[i])
				bad = add_empty(run, &jobs->list[i], RESULT_END_INTERRUPTED);
		}
	}
	return bad;
}

/* Results of a stage in the order of its jobs; jobs without workers have theirs too. */
static int add_results(struct run *run, size_t s, const struct stage *stage,
		const struct layout *layout, uint64_t layout_ns)
{
	const struct jobs *jobs = run->plan->jobs;
	size_t at = 0, first = run->result->njobs;
	struct result_job r;
	int bad = 0;

	for (size_t i = 0; !bad && i < jobs->n; i++) {
		const struct job *job = &jobs->list[i];

		if (job->stage != s)
			continue;
		if (job->skipped || job->o.create_only)
			bad = add_empty(run, job, RESULT_END_WORK);
		for (; !bad && at < stage->n && stage->specs[at].job == job; at++) {
			bad = stage_result(stage, &stage->workers[at], &r);
			if (bad)
				result_job_free(&r);
			else
				bad = add_measured(run, &stage->workers[at], &r);
		}
	}
	if (first < run->result->njobs && layout->bytes) {
		run->result->jobs[first].layout_bytes = layout->bytes;
		run->result->jobs[first].layout_ns = layout_ns;
	}
	return bad;
}

/* ---- repeats ------------------------------------------------------------------------------- */

static size_t most_repeats(const struct turns *turns)
{
	size_t n = turns->by_rule ? turns->most : turns->repeats;

	return n ? n : 1;
}

/* Puts the jobs, which are in the order of the turns, into that of the plan. 0 or -ENOMEM. */
static int sort_jobs(struct run *run)
{
	struct result *result = run->result;
	struct result_job *sorted = calloc(result->njobs + 1, sizeof(*sorted));
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t s = 0; s < run->plan->nstages; s++) {
		for (size_t i = 0; i < result->njobs; i++) {
			if (result->jobs[i].stage == s)
				sorted[n++] = result->jobs[i];
		}
	}
	free(result->jobs);
	result->jobs = sorted;
	return 0;
}

/* The jobs of the repeat that is over move into a place of their own. 0 or -ENOMEM. */
static int keep_repeat(struct run *run, uint64_t started_ms)
{
	struct result *result = run->result;
	struct result_repeat *repeats = realloc(result->repeats,
			(result->nrepeats + 1) * sizeof(*repeats));

	if (!repeats)
		return -ENOMEM;
	result->repeats = repeats;
	if (sort_jobs(run))
		return -ENOMEM;
	for (size_t i = 0; i < result->njobs; i++) {
		struct result_job *job = &result->jobs[i];

		job->repeat = (unsigned)run->repeat + 1;
		if (run->repeat && !job->layout_bytes) { /* it was laid out for all of them */
			job->layout_bytes = repeats[0].jobs[i].layout_bytes;
			job->layout_ns = repeats[0].jobs[i].layout_ns;
		}
	}
	repeats[result->nrepeats++] = (struct result_repeat){
		.started_ms = started_ms,
		.ended_ms = epoch_ms(),
		.jobs = result->jobs,
		.njobs = result->njobs,
	};
	result->jobs = NULL;
	result->njobs = 0;
	return 0;
}

/* What an interruption left of a repeat goes; a first and only one is what was run. */
static int end_repeats(struct run *run)
{
	struct result *result = run->result;

	if (!result->nrepeats)
		return 0;
	for (size_t i = 0; i < result->njobs; i++)
		result_job_free(&result->jobs[i]);
	free(result->jobs);
	result->jobs = NULL;
	result->njobs = 0;
	if (result->nrepeats > 1)
		return repeats_choose(result, &run->options->turns.chosen_by);
	result->jobs = result->repeats[0].jobs;
	result->njobs = result->repeats[0].njobs;
	for (size_t i = 0; i < result->njobs; i++)
		result->jobs[i].repeat = 0;
	free(result->repeats);
	result->repeats = NULL;
	result->nrepeats = 0;
	return 0;
}

/* What is new in the first repeat is not in the others, and a filesystem may feel that. */
static int note_new_files(struct run *run)
{
	const char *one = NULL;
	char others[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < run->plan->ntargets; i++) {
		const struct plan_target *t = &run->plan->targets[i];

		if (t->look.kind != TARGET_ABSENT || !t->written || t->layout_bytes
				|| (t->unlinker && job_is_postmark(t->unlinker)))
			continue; /* PostMark makes its files anew each time */
		one = n++ ? one : t->path;
	}
	if (!n || run->result->nrepeats < 2)
		return 0;
	if (n > 1)
		snprintf(others, sizeof(others), " and %zu other file%s", n - 1,
				n > 2 ? "s" : "");
	return result_note(run->result, "%s%s had to be made in the first repeat and only "
			"overwritten in the others, which a filesystem may do at another speed; "
			"overwrite=1 writes what is missing beforehand", one, others);
}

/* ---- one stage ----------------------------------------------------------------------------- */

static struct stage new_stage(struct run *run, size_t s, const struct plan_worker *specs,
		size_t n)
{
	return (struct stage){
		.plan = run->plan,
		.clock = run->options->clock,
		.specs = specs,
		.n = n,
		.disks = &run->disks,
		.signals = run->signals,
		.notify = -1,
		.progress = {
			.stage = s,
			.nstages = run->plan->nstages,
			.repeat = run->repeat,
			.repeats = most_repeats(&run->options->turns),
		},
		.show = run->options->show,
		.ctx = run->options->ctx,
	};
}

/* 0 or -errno. The clock is the old one until it is over. */
static int run_workers(struct run *run, struct stage *stage, struct err *err)
{
	struct clock *clock = run->options->clock;
	int64_t off_ns;
	bool jumped = clock_jumped(clock, &off_ns); /* since the stage before */
	int r;

	if (jumped)
		clock_give_up_tsc(clock);
	r = stage_run(stage, err);
	if (stage->clock_jumped)
		clock_give_up_tsc(clock);
	if ((jumped || stage->clock_jumped) && result_note(run->result,
			"the CPU's clock (TSC) jumped %s stage %zu: what ran later was timed by "
			"CLOCK_MONOTONIC, which takes longer to read",
			stage->clock_jumped ? "in" : "before", stage->progress.stage + 1))
		r = r ? r : err_memory(err);
	return r;
}

/* Writes what the stage's jobs read. */
static int lay_out(struct run *run, size_t s, struct layout *layout, uint64_t *ns,
		struct failures *failures, struct err *err)
{
	struct stage stage;
	int r = layout_make(layout, run->plan, s, run->options->layout, err);

	*ns = 0;
	if (r || !layout->nworkers)
		return r;
	stage = new_stage(run, s, layout->workers, layout->nworkers);
	r = run_workers(run, &stage, err);
	*ns = stage.elapsed_ns;
	run->interrupted = run->interrupted ? run->interrupted : stage.interrupted;
	if (!r && stage.clock_jumped && !run->interrupted) {
		/* Nothing is measured here: what is missing is written by the new clock. */
		stage_free(&stage);
		layout_free(layout);
		return lay_out(run, s, layout, ns, failures, err);
	}
	for (size_t i = 0; !r && i < stage.n; i++) {
		struct result_job result;

		if (stage_result(&stage, &stage.workers[i], &result))
			r = err_memory(err);
		if (!r && result.error) {
			struct err text;
			const char *why;

			err_set(&text, result.error, "laying out: %s", result.error_text);
			why = failures_keep(failures, text.text);
			for (size_t f = 0; f < layout->workers[i].nfiles; f++)
				files_fail(&run->plan->stages[s],
						layout->workers[i].files[f].target, why);
		}
		result_job_free(&result);
	}
	stage_free(&stage);
	return r;
}

/* In the last of the repeats only, where that is known. */
static void remove_files(const struct run *run, size_t s)
{
	const struct turns *turns = &run->options->turns;

	if (!turns->by_rule && !turns->interleave && run->repeat + 1 >= turns->repeats)
		files_remove(run->plan, s, run->result);
}

/* Workers that are to run: those of create_only jobs are swapped to the end, and stay there. */
static size_t running(struct plan_stage *stage)
{
	size_t n = 0;

	for (size_t i = 0; i < stage->nworkers; i++) {
		struct plan_worker w = stage->workers[i];

		if (w.job->o.create_only)
			continue;
		stage->workers[i] = stage->workers[n];
		stage->workers[n++] = w;
	}
	return n;
}

static int run_stage(struct run *run, size_t s, struct err *err)
{
	struct plan_stage *plan = &run->plan->stages[s];
	struct failures failures = { 0 };
	struct layout layout;
	struct stage stage;
	uint64_t layout_ns;
	int r = lay_out(run, s, &layout, &layout_ns, &failures, err);

	if (r)
		goto out;
	if (!look_for_signal(run))
		files_create(run->plan, s, &failures);
	stage = new_stage(run, s, plan->workers, running(plan));
	if (exam_begin(&run->exam, run->plan, s, &run->disks, &run->groups)) {
		r = err_memory(err);
	} else if (!look_for_signal(run) && stage.n) {
		disks_start(&run->disks);
		r = run_workers(run, &stage, err);
		disks_stop(&run->disks);
		exam_ran(&run->exam);
		run->interrupted = stage.interrupted;
		if (!r && (add_results(run, s, &stage, &layout, layout_ns)
					  || exam_end(&run->exam, run->result)))
			r = err_memory(err);
	} else {
		if (run->interrupted ? add_undone(run, s)
				     : add_results(run, s, &stage, &layout, layout_ns))
			r = err_memory(err);
	}
	stage_free(&stage);
	exam_free(&run->exam);
	files_remove_directories(run->plan, s, run->result);
	remove_files(run, s);
out:
	layout_free(&layout);
	/* The next repeat tries again, and these texts are gone then. */
	for (size_t i = 0; i < plan->nworkers; i++)
		plan->workers[i].failed = NULL;
	failures_free(&failures);
	return r;
}

/* The stages of a job file. */
static int run_turn(struct run *run, const struct turn *file, struct err *err)
{
	int r = 0;

	if (run->options->turns.drop_caches && !run->interrupted)
		r = turns_drop(err);
	for (size_t s = file->first; !r && s < file->end; s++) {
		if (look_for_signal(run)) {
			r = add_undone(run, s) ? err_memory(err) : 0;
			continue;
		}
		run->begun = s < run->begun ? run->begun : s + 1;
		r = run_stage(run, s, err);
	}
	return r;
}

/* The whole plan once; kept as a repeat unless it was interrupted. */
static int run_repeat(struct run *run, struct err *err)
{
	uint64_t started_ms = epoch_ms();
	int r = 0;

	for (size_t j = 0; !r && j < run->nfiles; j++)
		r = run_turn(run, &run->files[turns_file(&run->options->turns, run->repeat, j,
				run->nfiles)], err);
	if (!r && !run->interrupted && keep_repeat(run, started_ms))
		r = err_memory(err);
	if (!r && run->interrupted && run->repeat && result_note(run->result,
			"repeat %zu was interrupted and is left out", run->repeat + 1))
		r = err_memory(err);
	return r;
}

/* All of them: r is how it went. */
static int run_repeats(struct run *run, struct err *err)
{
	const struct turns *turns = &run->options->turns;
	struct result *result = run->result;
	int r = 0, more = 1;

	if (turns->by_rule) {
		result->until.percent = turns->percent;
		result->until.metric = strdup(turns->metric.name);
		if (!result->until.metric)
			return err_memory(err);
	}
	for (; !r && more > 0; run->repeat++) {
		r = run_repeat(run, err);
		more = run->interrupted || r ? 0 : turns_more(turns, result);
		if (more > 0 && look_for_signal(run))
			more = 0;
	}
	if (r || run->interrupted || turns->by_rule || turns->interleave)
		files_remove_all(run->plan, run->begun, run->result);
	if (!r && (more < 0 || note_new_files(run)))
		r = err_memory(err);
	if (end_repeats(run) && !r)
		r = err_memory(err);
	return r;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int find_disks(struct run *run, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < run->plan->ntargets; i++) {
		const struct plan_target *t = &run->plan->targets[i];

		if (t->look.kind != TARGET_ENGINE && t->look.kind != TARGET_CHAR)
			r = disks_add(&run->disks, t->look.dev, err);
	}
	return r;
}

/* For all workers together: each on its own would shut out the others. */
static int claim_devices(struct run *run, struct err *err)
{
	const struct plan *plan = run->plan;

	run->claims = calloc(plan->ntargets + 1, sizeof(*run->claims));
	if (!run->claims)
		return err_memory(err);
	for (size_t i = 0; i < plan->ntargets; i++) {
		int fd;

		if (!plan->targets[i].claim)
			continue;
		fd = target_open(plan->targets[i].path, TARGET_READ | TARGET_EXCL, err);
		if (fd < 0)
			return fd;
		run->claims[run->nclaims++] = fd;
	}
	return 0;
}

static void release_devices(struct run *run)
{
	while (run->nclaims)
		close(run->claims[--run->nclaims]);
	free(run->claims);
}

static int copy_places(const struct plan *plan, struct result *result)
{
	result->places = calloc(plan->nplaces + 1, sizeof(*result->places));
	if (!result->places)
		return -ENOMEM;
	for (size_t i = 0; i < plan->nplaces; i++) {
		struct result_place *to = &result->places[i];
		const struct result_place *from = &plan->places[i];

		result->nplaces = i + 1;
		*to = *from;
		to->directory = strdup(from->directory);
		to->filesystem = strdup(from->filesystem);
		to->device = strdup(from->device);
		if (!to->directory || !to->filesystem || !to->device)
			return -ENOMEM;
	}
	return 0;
}

int run_plan(const struct plan *plan, const struct run_options *options, struct result *result,
		int *interrupted, struct err *err)
{
	struct run run = { .plan = plan, .options = options, .result = result };
	long nfiles = turns_files(plan, &run.files);
	sigset_t before;
	int r = nfiles < 0 || copy_places(plan, result) ? err_memory(err) : 0;

	*interrupted = 0;
	run.nfiles = nfiles > 0 ? (size_t)nfiles : 0;
	probe_find_groups(&run.groups);
	if (!r)
		r = find_disks(&run, err);
	if (!r)
		r = claim_devices(&run, err);
	if (r)
		goto out;
	run.signals = take_signals(&before, err);
	if (run.signals < 0) {
		r = run.signals;
		goto out;
	}
	result->started_ms = epoch_ms();
	r = run_repeats(&run, err);
	look_for_signal(&run); /* whoever comes this late still gets a report */
	result->ended_ms = epoch_ms();
	result->interrupted = run.interrupted;
	*interrupted = run.interrupted;
	close(run.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!r && disks_result(&run.disks, result))
		r = err_memory(err);
out:
	release_devices(&run);
	disks_free(&run.disks);
	free(run.files);
	return r;
}
