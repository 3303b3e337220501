// SPDX-License-Identifier: MIT
/* The commands that tell what there is, and the program about itself. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../output/help.h"
#include "../../output/man.h"
#include "../engine/trial.h"
#include "scene.h"

int command_complain(const struct err *err)
{
	fprintf(stderr, "iojob: %s\n", err->text);
	return EXIT_USAGE;
}

static int check_engine(const struct engine *engine, const struct cli *cli)
{
	struct engine_setting *settings = calloc(cli->noverrides + 1, sizeof(*settings));
	struct err err;
	int failed;

	for (size_t i = 0; settings && i < cli->noverrides; i++) {
		settings[i].key = cli->overrides[i].key;
		settings[i].value = cli->overrides[i].value;
	}
	failed = settings ? trial_run(stdout, engine, cli->directory ? cli->directory : ".",
					settings, cli->noverrides, &err) : err_memory(&err);
	free(settings);
	if (failed < 0)
		return command_complain(&err);
	return failed ? EXIT_IO : EXIT_FINE;
}

int command_engines(const struct command *command)
{
	const struct cli *cli = command->cli;
	const struct engine *engine;
	struct err err;

	if (!cli->man && !cli->check) {
		if (help_engines(stdout, command->engines, cli->topic, &err))
			return command_complain(&err);
		return EXIT_FINE;
	}
	if (engine_load(command->engines, cli->topic, &engine, &err))
		return command_complain(&err);
	if (cli->check)
		return check_engine(engine, cli);
	man_engine(stdout, engine);
	return EXIT_FINE;
}

int command_options(const struct command *command)
{
	const struct cli *cli = command->cli;
	struct err err;

	if (cli->man)
		man_job(stdout);
	else if (help_options(stdout, command->engines, cli->topic, &err))
		return command_complain(&err);
	return EXIT_FINE;
}

int command_environment(const struct command *command)
{
	struct err err;

	return scene_print(stdout, command->cli, &err) ? command_complain(&err) : EXIT_FINE;
}

int command_doubts(const struct command *command)
{
	struct err err;

	return help_doubts(stdout, command->cli->topic, &err) ? command_complain(&err) : EXIT_FINE;
}

int command_help(const struct command *command)
{
	(void)command;
	cli_help(stdout);
	return EXIT_FINE;
}

int command_version(const struct command *command)
{
	(void)command;
	printf("iojob %s\n", IOJOB_VERSION);
	return EXIT_FINE;
}
