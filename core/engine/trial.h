/* SPDX-License-Identifier: MIT */
/*
 * `iojob engines NAME --check`: the conformance kit (check.h) as the author of an engine runs it.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include <stdio.h>

#include "check.h"

/*
 * Runs the kit in a process of its own, so that an engine that crashes or hangs is a failure and no
 * more. Scratch files lie in a directory below `directory` that is removed again; nothing is made
 * where a setting is wrong. One line a check, last the totals. Returns how many failed, or -errno
 * with a text.
 */
int trial_run(FILE *to, const struct engine *engine, const char *directory,
		const struct engine_setting *settings, size_t nsettings, struct err *err);

#endif
