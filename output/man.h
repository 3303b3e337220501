/* SPDX-License-Identifier: MIT */
/* The manual pages that come out of the option tables, as mdoc(7). */
#ifndef MAN_H
#define MAN_H

#include <stdio.h>

#include "../core/engine/load.h"

/* iojob-job(5): the syntax of job files and every key of the job table. */
void man_job(FILE *to);

/* iojob-NAME(7): an engine and its keys. */
void man_engine(FILE *to, const struct engine *engine);

#endif
