// SPDX-License-Identifier: MIT
/* A run: job files become jobs, jobs a plan, the plan results, and these are written. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../output/eta.h"
#include "../../output/output.h"
#include "../job/job.h"
#include "../job/jobfile.h"
#include "../measure/doctor.h"
#include "../measure/machine.h"
#include "../plan/plan.h"
#include "../result/doubt.h"
#include "../result/repeats.h"
#include "../run/cost.h"
#include "../run/run.h"
#include "scene.h"

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "iojob: %s\n", text);
}

static int read_jobs(struct jobs *jobs, struct jobfile *file, struct engines *engines,
		const struct cli *cli, struct err *err)
{
	struct job_builder builder = {
		.overrides = cli->overrides,
		.noverrides = cli->noverrides,
		.directory = cli->directory,
		.sections = (const char *const *)cli->sections,
		.nsections = cli->nsections,
		.allow_exec = cli->allow_exec,
		.engines = engines,
		.warn = warn,
	};

	for (size_t i = 0; i < cli->nfiles; i++) {
		int r = jobfile_read(file, cli->files[i], err);

		if (r)
			return r;
	}
	return jobs_build(jobs, file, &builder, err);
}

static int copy_options(struct result *result, const struct jobs *jobs)
{
	const struct job *job = jobs->list;

	result->global = calloc(jobs->n ? job->nglobal + 1 : 1, sizeof(*result->global));
	if (!result->global)
		return -ENOMEM;
	for (size_t i = 0; jobs->n && i < job->nglobal; i++) {
		struct result_option *o = &result->global[result->nglobal++];

		o->key = strdup(job->global[i].key);
		o->value = strdup(job->global[i].value ? job->global[i].value : "");
		if (!o->key || !o->value)
			return -ENOMEM;
	}
	return 0;
}

/* What holds for the whole result, whatever its jobs. */
static int describe(struct result *result, const struct cli *cli, const struct jobs *jobs,
		const struct clock *clock, const struct cost *cost, struct err *err)
{
	result->version = strdup(IOJOB_VERSION);
	result->command = strdup(cli->text);
	result->clock_tsc = clock->tsc;
	result->clock_read_ns = clock->read_ns;
	result->clock_drift_ppm = clock->drift_ppm;
	result->cost_execute_ns = cost->execute_ns;
	result->cost_submit_ns = cost->submit_ns;
	if (!result->version || !result->command || machine_describe(result)
			|| copy_options(result, jobs))
		return err_memory(err);
	return 0;
}

/* Doubts come into all repeats, and what was chosen of them is chosen anew to have them too. */
static int judge(struct result *result, const struct cli *cli, const struct metric *chosen_by,
		struct err *err)
{
	if (doctor_judge_result(result) || repeats_choose(result, chosen_by))
		return err_memory(err);
	for (size_t i = 0; i < cli->naccepts; i++)
		doubt_accept(result, cli->accepts[i]);
	return 0;
}

static int exit_status(const struct result *result, int interrupted)
{
	if (interrupted)
		return 128 + interrupted;
	for (size_t i = 0; i < result->njobs; i++) {
		if (result->jobs[i].error || repeats_failed(result, i))
			return EXIT_IO;
	}
	return EXIT_FINE;
}

/* The command line counts more than [global]. */
static int settle_turns(struct turns *turns, const struct cli *cli, const struct jobs *jobs,
		struct err *err)
{
	int r = 0;

	*turns = cli->turns;
	if (cli->nmetrics)
		turns->chosen_by = cli->metrics[0];
	else if (turns->by_rule)
		turns->chosen_by = turns->metric;
	else
		r = metric_parse(&turns->chosen_by, "bw", err);
	if (!turns->repeats)
		turns->repeats = jobs->repeat ? jobs->repeat : 1;
	if (!turns->most)
		turns->most = turns->repeats > TURNS_MOST ? turns->repeats : TURNS_MOST;
	if (!r && turns->by_rule && turns->most < turns->repeats)
		return err_set(err, EINVAL, "--max-repeat=%zu: less than the %zu repeats that are "
				"to be made in any case", turns->most, turns->repeats);
	if (!r && turns->drop_caches && !cli->parse_only)
		r = turns_may_drop(err);
	return r;
}

/* "6 to 30 repeats of it all" */
static void print_turns(FILE *to, const struct turns *turns)
{
	if (turns->by_rule)
		fprintf(to, "%zu to %zu repeats, until the 95 %% interval of the median %s is at "
				"most %g %% wide for every job\n",
				turns->repeats < 6 ? (size_t)6 : turns->repeats, turns->most,
				turns->metric.name, turns->percent);
	else if (turns->repeats > 1)
		fprintf(to, "all of it %zu times\n", turns->repeats);
	if (turns->interleave)
		fputs("the job files in turns, in an order that favours none\n", to);
}

static int run(const struct plan *plan, const struct command *command, const struct turns *turns)
{
	const struct cli *cli = command->cli;
	struct clock *clock = command->clock;
	struct eta eta = { .to = stderr };
	struct run_options options = { .clock = clock, .ctx = &eta, .turns = *turns };
	struct result result = { 0 };
	struct scene scene;
	struct cost cost;
	int interrupted, status = EXIT_FINE, written;
	bool terminal = isatty(STDERR_FILENO);
	struct err err;

	if (cli->eta == CLI_ETA_ALWAYS || (cli->eta == CLI_ETA_AUTO && terminal)) {
		options.show = eta_show;
		plan_print(stderr, plan);
		print_turns(stderr, turns);
	}
	/*
	 * A limit reached or a reader gone shall not cost the report: both are errors of a write.
	 */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (output_check(cli->targets, cli->ntargets, &err)
			|| engine_load(command->engines, "psync", &options.layout, &err))
		return command_complain(&err);
	if (scene_begin(&scene, plan, &err)) {
		scene_free(&scene);
		return command_complain(&err);
	}
	clock_prove(clock);
	cost_measure(&cost, clock); /* in the time that the clock's calibration waits for anyway */
	clock_calibrate(clock);
	if (run_plan(plan, &options, &result, &interrupted, &err)) {
		eta_clear(&eta);
		command_complain(&err);
		status = EXIT_IO; /* 2 would say that nothing was touched */
	}
	eta_clear(&eta);
	clock_check(clock);
	if (describe(&result, cli, plan->jobs, clock, &cost, &err)
			|| scene_end(&scene, plan->jobs, &result, &err)
			|| judge(&result, cli, &turns->chosen_by, &err)) {
		command_complain(&err);
		written = EXIT_IO;
	} else {
		written = command_write(cli, &result);
	}
	if (status == EXIT_FINE)
		status = exit_status(&result, interrupted);
	if (status == EXIT_FINE)
		status = written;
	if (status == EXIT_FINE && cli->strict && doubt_open(&result))
		status = EXIT_DOUBT;
	result_free(&result);
	scene_free(&scene);
	return status;
}

int command_run(const struct command *command)
{
	const struct cli *cli = command->cli;
	struct plan_options options = {
		.devices = (const char *const *)cli->devices,
		.ndevices = cli->ndevices,
		.readonly = cli->readonly,
		.judge_machine = !cli->parse_only,
	};
	struct jobfile file = { 0 };
	struct jobs jobs = { 0 };
	struct plan plan = { 0 };
	struct turns turns;
	struct err err;
	int status;

	if (read_jobs(&jobs, &file, command->engines, cli, &err)
			|| settle_turns(&turns, cli, &jobs, &err)
			|| plan_make(&plan, &jobs, &options, &err)) {
		status = command_complain(&err);
	} else if (cli->parse_only) {
		plan_print(stdout, &plan);
		print_turns(stdout, &turns);
		status = EXIT_FINE;
	} else {
		status = run(&plan, command, &turns);
	}
	plan_free(&plan);
	jobs_free(&jobs);
	jobfile_free(&file);
	return status;
}
