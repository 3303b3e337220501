// SPDX-License-Identifier: MIT
/*
 * The program as one paragraph: job files become jobs, jobs a plan, the plan results, these text.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../output/compare.h"
#include "../output/eta.h"
#include "../output/help.h"
#include "../output/man.h"
#include "../output/output.h"
#include "cli.h"
#include "engine/trial.h"
#include "err.h"
#include "job/job.h"
#include "job/jobfile.h"
#include "measure/clock.h"
#include "measure/doctor.h"
#include "measure/machine.h"
#include "plan/plan.h"
#include "result/compare.h"
#include "result/doubt.h"
#include "result/read.h"
#include "result/repeats.h"
#include "result/result.h"
#include "result/sides.h"
#include "run/cost.h"
#include "run/run.h"
#include "scene.h"

enum { EXIT_FINE, EXIT_IO, EXIT_USAGE, EXIT_CONDITION, EXIT_DOUBT };

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "iojob: %s\n", text);
}

static int complain(const struct err *err)
{
	fprintf(stderr, "iojob: %s\n", err->text);
	return EXIT_USAGE;
}

/* ---- iojob engines, iojob options ---------------------------------------------------------- */

static int print_engines(struct engines *engines, const struct cli *cli, int *status,
		struct err *err)
{
	const struct engine *engine;
	int r;

	if (!cli->man && !cli->check)
		return help_engines(stdout, engines, cli->topic, err);
	r = engine_load(engines, cli->topic, &engine, err);
	if (r)
		return r;
	if (cli->man) {
		man_engine(stdout, engine);
		return 0;
	}
	r = trial_run(stdout, engine, cli->directory ? cli->directory : ".", err);
	*status = r > 0 ? EXIT_IO : EXIT_FINE;
	return r < 0 ? r : 0;
}

static int print_options(struct engines *engines, const struct cli *cli, struct err *err)
{
	if (!cli->man)
		return help_options(stdout, engines, cli->topic, err);
	man_job(stdout);
	return 0;
}

/* ---- iojob show ---------------------------------------------------------------------------- */

static int write_results(const struct cli *cli, const struct result *result, struct err *err)
{
	const struct output_options options = { cli->metrics, cli->nmetrics };
	int bad = 0;

	for (size_t i = 0; i < cli->ntargets; i++) {
		if (output_write(&cli->targets[i], result, &options, err))
			bad = complain(err);
	}
	return bad ? EXIT_IO : EXIT_FINE;
}

static int show_results(const struct cli *cli, struct err *err)
{
	int status = EXIT_FINE;

	if (output_check(cli->targets, cli->ntargets, err))
		return complain(err);
	for (size_t i = 0; i < cli->nfiles; i++) {
		struct result result;
		int one;

		if (result_read(&result, cli->files[i], err)) {
			one = complain(err);
		} else {
			one = write_results(cli, &result, err);
			result_free(&result);
		}
		status = one > status ? one : status;
	}
	return status;
}

/* ---- iojob compare ------------------------------------------------------------------------- */

/* Different work is no comparison of machines: all of it is told at once. */
static int refuse_work(const struct compare *c, struct err *err)
{
	size_t n = compare_different_work(c);

	for (size_t i = 0; i < c->ndifferences; i++) {
		const struct compare_difference *d = &c->differences[i];
		char name[256];

		if (!d->work)
			continue;
		fprintf(stderr, "iojob: %s: ", d->key);
		for (size_t s = 0; s < c->nsides; s++)
			fprintf(stderr, "%s%s in %s", s ? ", " : "",
					d->values[s] ? d->values[s] : "not known",
					c->sides[s].label);
		fprintf(stderr, " (%s", compare_job_name(c->cells[d->cell].job, name,
				sizeof(name)));
		if (d->cells > 1)
			fprintf(stderr, " and %zu more", d->cells - 1);
		fputs(")\n", stderr);
	}
	err_set(err, EINVAL, "compare: the jobs do different work (%zu difference%s, above); "
			"--force compares them all the same", n, n == 1 ? "" : "s");
	return complain(err);
}

/* Tells which conditions are broken, and where. */
static bool any_breaks(const struct compare *c, const struct cli *cli)
{
	bool any = false;

	for (size_t i = 0; i < cli->nconditions; i++) {
		const struct compare_condition *o = &cli->conditions[i];

		for (size_t cell = 0; cell < c->ncells; cell++) {
			for (size_t s = 1; s < c->nsides; s++) {
				char text[512];

				if (!compare_breaks(c, o, cell, s, cli->any))
					continue;
				any = true;
				compare_condition_text(c, o, cell, s, text, sizeof(text));
				fprintf(stderr, "iojob: --fail-if: %s\n", text);
			}
		}
	}
	return any;
}

static int write_comparison(const struct compare *c, const struct cli *cli, struct err *err)
{
	int status = EXIT_FINE;

	for (size_t i = 0; i < cli->ntargets; i++) {
		if (output_write_compare(&cli->targets[i], c, err)) {
			complain(err);
			status = EXIT_IO;
		}
	}
	/* Both are told; that the condition is broken counts for more. */
	return any_breaks(c, cli) ? EXIT_CONDITION : status;
}

static int compare_results(const struct cli *cli, struct err *err)
{
	struct compare_options options = {
		.conditions = cli->conditions,
		.nconditions = cli->nconditions,
		.noise = cli->noise,
		.confidence = cli->confidence,
		.correction = cli->correction,
	};
	struct compare c = { .options = NULL };
	struct sides sides = { .list = NULL };
	int status;

	if (cli->nmetrics)
		options.primary = cli->metrics[0];
	if ((!cli->nmetrics && metric_parse(&options.primary, "bw", err))
			|| output_check(cli->targets, cli->ntargets, err)
			|| sides_read(&sides, (const char *const *)cli->bases, cli->nbases,
					(const char *const *)cli->files, cli->nfiles, err)
			|| compare_make(&c, sides.inputs, sides.n, &options, err))
		status = complain(err);
	else if (compare_different_work(&c) && !cli->force)
		status = refuse_work(&c, err);
	else
		status = write_comparison(&c, cli, err);
	compare_free(&c);
	sides_free(&sides);
	return status;
}

/* ---- running ------------------------------------------------------------------------------- */

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
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* Doubts come into all repeats, and what was chosen of them is chosen anew to have them too. */
static int judge(struct result *result, const struct cli *cli, const struct metric *chosen_by,
		struct err *err)
{
	if (doctor_judge_result(result) || repeats_choose(result, chosen_by))
		return err_set(err, ENOMEM, "out of memory");
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
}

static int run(const struct plan *plan, struct engines *engines, const struct cli *cli,
		struct clock *clock, const struct turns *turns)
{
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
			|| engine_load(engines, "psync", &options.layout, &err))
		return complain(&err);
	if (scene_begin(&scene, plan, &err)) {
		scene_free(&scene);
		return complain(&err);
	}
	cost_measure(&cost, clock); /* in the time that the clock's calibration waits for anyway */
	clock_calibrate(clock);
	if (run_plan(plan, &options, &result, &interrupted, &err)) {
		eta_clear(&eta);
		complain(&err);
		status = EXIT_IO; /* 2 would say that nothing was touched */
	}
	eta_clear(&eta);
	clock_check(clock);
	if (describe(&result, cli, plan->jobs, clock, &cost, &err)
			|| scene_end(&scene, plan->jobs, &result, &err)
			|| judge(&result, cli, &turns->chosen_by, &err)) {
		complain(&err);
		written = EXIT_IO;
	} else {
		written = write_results(cli, &result, &err);
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

static int run_files(struct engines *engines, const struct cli *cli, struct clock *clock)
{
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

	if (read_jobs(&jobs, &file, engines, cli, &err)
			|| settle_turns(&turns, cli, &jobs, &err)
			|| plan_make(&plan, &jobs, &options, &err)) {
		status = complain(&err);
	} else if (cli->parse_only) {
		plan_print(stdout, &plan);
		print_turns(stdout, &turns);
		status = EXIT_FINE;
	} else {
		status = run(&plan, engines, cli, clock, &turns);
	}
	plan_free(&plan);
	jobs_free(&jobs);
	jobfile_free(&file);
	return status;
}

int main(int argc, char **argv)
{
	char build_dir[4096];
	struct engines engines = {
		.build_dir = engine_build_dir(build_dir, sizeof(build_dir)),
	};
	struct clock clock;
	struct cli cli;
	struct err err;
	int status = EXIT_FINE, r;

	clock_begin(&clock);
	r = cli_parse(&cli, argc, argv, &err);
	if (!r) {
		switch (cli.command) {
		case CLI_RUN:
			status = run_files(&engines, &cli, &clock);
			break;
		case CLI_ENGINES:
			r = print_engines(&engines, &cli, &status, &err);
			break;
		case CLI_ENVIRONMENT:
			r = scene_print(stdout, &cli, &err);
			break;
		case CLI_SHOW:
			status = show_results(&cli, &err);
			break;
		case CLI_COMPARE:
			status = compare_results(&cli, &err);
			break;
		case CLI_OPTIONS:
			r = print_options(&engines, &cli, &err);
			break;
		case CLI_DOUBTS:
			r = help_doubts(stdout, cli.topic, &err);
			break;
		case CLI_HELP:
			cli_help(stdout);
			break;
		case CLI_VERSION:
			printf("iojob %s\n", IOJOB_VERSION);
			break;
		}
	}
	if (r)
		status = complain(&err);
	cli_free(&cli);
	engines_free(&engines);
	return status;
}
