// SPDX-License-Identifier: MIT
/* `iojob show`: results of earlier runs in any format. */
#include "command.h"

#include "../../output/output.h"
#include "../result/read.h"

int command_write(const struct cli *cli, const struct result *result)
{
	const struct output_options options = { cli->metrics, cli->nmetrics };
	struct err err;
	int bad = 0;

	for (size_t i = 0; i < cli->ntargets; i++) {
		if (output_write(&cli->targets[i], result, &options, &err))
			bad = command_complain(&err);
	}
	return bad ? EXIT_IO : EXIT_FINE;
}

int command_show(const struct command *command)
{
	const struct cli *cli = command->cli;
	struct err err;
	int status = EXIT_FINE;

	if (output_check(cli->targets, cli->ntargets, &err))
		return command_complain(&err);
	for (size_t i = 0; i < cli->nfiles; i++) {
		struct result result;
		int one;

		if (result_read(&result, cli->files[i], &err)) {
			one = command_complain(&err);
		} else {
			one = command_write(cli, &result);
			result_free(&result);
		}
		status = one > status ? one : status;
	}
	return status;
}
