// SPDX-License-Identifier: MIT
/* `iojob compare`: results of several sides, and whether they really differ. */
#include "command.h"

#include <errno.h>
#include <stdio.h>

#include "../../output/compare.h"
#include "../result/compare.h"
#include "../result/sides.h"

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
	return command_complain(err);
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

/* A condition that nothing can break would let everything pass: it is a mistake. */
static int check_conditions(const struct compare *c, const struct cli *cli, struct err *err)
{
	for (size_t i = 0; i < cli->nconditions; i++) {
		if (!compare_can_break(c, &cli->conditions[i]))
			return err_set(err, EINVAL, "--fail-if: no job of %s that can be compared "
					"has %s", c->sides[0].label,
					cli->conditions[i].metric.name);
	}
	return 0;
}

static int write_comparison(const struct compare *c, const struct cli *cli, struct err *err)
{
	int status = EXIT_FINE;

	for (size_t i = 0; i < cli->ntargets; i++) {
		if (output_write_compare(&cli->targets[i], c, err)) {
			command_complain(err);
			status = EXIT_IO;
		}
	}
	/* Both are told; that the condition is broken counts for more. */
	return any_breaks(c, cli) ? EXIT_CONDITION : status;
}

int command_compare(const struct command *command)
{
	const struct cli *cli = command->cli;
	struct compare_options options = {
		.conditions = cli->conditions,
		.nconditions = cli->nconditions,
		.noise = cli->noise,
		.confidence = cli->confidence,
		.correction = cli->correction,
	};
	struct compare c = { .options = NULL };
	struct sides sides = { .list = NULL };
	struct err err;
	int status;

	if (cli->nmetrics)
		options.primary = cli->metrics[0];
	if ((!cli->nmetrics && metric_parse(&options.primary, "bw", &err))
			|| output_check(cli->targets, cli->ntargets, &err)
			|| sides_read(&sides, (const char *const *)cli->bases, cli->nbases,
					(const char *const *)cli->files, cli->nfiles, &err)
			|| compare_make(&c, sides.inputs, sides.n, &options, &err)
			|| check_conditions(&c, cli, &err))
		status = command_complain(&err);
	else if (compare_different_work(&c) && !cli->force)
		status = refuse_work(&c, &err);
	else
		status = write_comparison(&c, cli, &err);
	compare_free(&c);
	sides_free(&sides);
	return status;
}
