/* SPDX-License-Identifier: MIT */
/* The command line as plain data. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../output/output.h"
#include "err.h"
#include "job/job.h"
#include "result/compare.h"
#include "run/turns.h"

enum cli_command {
	CLI_RUN,
	CLI_ENGINES, /* iojob engines [NAME] */
	CLI_OPTIONS, /* iojob options [NAME] */
	CLI_SHOW,    /* iojob show FILE... */
	CLI_DOUBTS,  /* iojob doubts [ID] */
	CLI_ENVIRONMENT, /* iojob environment [PATH...] */
	CLI_COMPARE, /* iojob compare BASE NEW... */
	CLI_HELP,
	CLI_VERSION,
};

enum cli_eta { CLI_ETA_AUTO, CLI_ETA_ALWAYS, CLI_ETA_NEVER };

struct cli {
	enum cli_command command;
	const char *topic; /* NAME of engines and options, or NULL */
	bool man;          /* engines NAME --man, options --man: print the manual page (mdoc) */
	bool check;        /* engines NAME --check: the conformance kit */

	const char **files; /* job or result files in order; "-" is standard input */
	size_t nfiles;
	struct job_override *overrides; /* --set, in order */
	size_t noverrides;
	const char **sections; /* --section */
	size_t nsections;
	const char **devices; /* --allow-device */
	size_t ndevices;
	struct output_target *targets; /* --output, --output-format; at least one */
	size_t ntargets;
	struct metric *metrics; /* --metric */
	size_t nmetrics;
	const char **bases; /* --base */
	size_t nbases;
	struct compare_condition *conditions; /* --fail-if */
	size_t nconditions;
	double noise;      /* --noise, a share */
	double confidence; /* --confidence, a share */
	enum compare_correction correction;
	bool any;          /* conditions count changes that are not significant */
	bool force;        /* compare different work */
	const char *directory; /* --directory: of job files and of --check; or NULL */
	enum cli_eta eta;
	bool parse_only;
	bool readonly; /* refuse jobs that write, and never lay out a file */
	bool allow_exec;
	bool strict;          /* a doubt that is not accepted is an exit status */
	const char **accepts; /* --accept: lists of known ids */
	size_t naccepts;
	struct turns turns; /* --repeat (0: not given), --until, --interleave ... */
	char *text; /* the command line as one string, as a shell would take it; owned */
	char **args; /* a copy of argv, cut into what the strings above point to; owned */
};

/*
 * Parses argv, of which nothing is kept. -EINVAL with a text that names the argument and what would
 * be right. cli_free() in either case.
 */
int cli_parse(struct cli *cli, int argc, char *const *argv, struct err *err);
void cli_free(struct cli *cli);

/* --help, out of the table that drives cli_parse. */
void cli_help(FILE *to);

#endif
