/* SPDX-License-Identifier: MIT */
/*
 * What the program can be asked to do: a function for each command of cli.h. Each tells its user
 * what is wrong, on standard error, and returns the exit status.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "../cli.h"
#include "../engine/load.h"
#include "../err.h"
#include "../measure/clock.h"
#include "../result/result.h"

enum { EXIT_FINE, EXIT_IO, EXIT_USAGE, EXIT_CONDITION, EXIT_DOUBT };

struct command {
	const struct cli *cli;
	struct engines *engines; /* loaded so far, and where others are sought */
	struct clock *clock;     /* begun, not yet calibrated */
};

int command_run(const struct command *command);
int command_show(const struct command *command);
int command_compare(const struct command *command);
int command_engines(const struct command *command);
int command_options(const struct command *command);
int command_environment(const struct command *command);
int command_doubts(const struct command *command);
int command_help(const struct command *command);
int command_version(const struct command *command);

/* Prints the text of an error as the program's; returns EXIT_USAGE. */
int command_complain(const struct err *err);

/* Writes a result to all its targets; EXIT_FINE or EXIT_IO. */
int command_write(const struct cli *cli, const struct result *result);

#endif
