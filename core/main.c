// SPDX-License-Identifier: MIT
/* The command line says what to do, and a function of core/command/ does it. */
#include "command/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int (*const commands[])(const struct command *) = {
	[CLI_RUN] = command_run,
	[CLI_SHOW] = command_show,
	[CLI_COMPARE] = command_compare,
	[CLI_ENGINES] = command_engines,
	[CLI_OPTIONS] = command_options,
	[CLI_ENVIRONMENT] = command_environment,
	[CLI_DOUBTS] = command_doubts,
	[CLI_HELP] = command_help,
	[CLI_VERSION] = command_version,
};

/* What was only put into a buffer may never arrive: on a full disk, say. */
static int flush_output(void)
{
	int code = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;
	struct err err;

	if (!code)
		return EXIT_FINE;
	err_set(&err, code, "standard output: %s", strerror(code));
	command_complain(&err);
	return EXIT_IO;
}

int main(int argc, char **argv)
{
	char build_dir[4096];
	struct engines engines = {
		.build_dir = engine_build_dir(build_dir, sizeof(build_dir)),
	};
	struct clock clock;
	struct cli cli;
	struct command command = { .cli = &cli, .engines = &engines, .clock = &clock };
	struct err err;
	int status;

	clock_begin(&clock);
	if (cli_parse(&cli, argc, argv, &err))
		status = command_complain(&err);
	else
		status = commands[cli.command](&command);
	if (status == EXIT_FINE)
		status = flush_output();
	cli_free(&cli);
	engines_free(&engines);
	return status;
}
