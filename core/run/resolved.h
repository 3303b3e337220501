/* SPDX-License-Identifier: MIT */
/* A job as it was run: all its keys, whether they were given or not. */
#ifndef RESOLVED_H
#define RESOLVED_H

#include "../plan/plan.h"
#include "../result/result.h"

/*
 * Fills result->resolved: every key of the job table and of the engine's, in the spelling of
 * opt_print(), "" where it has no value. Keys that follow from others are as they followed: direct
 * and buffered, bs and bsrange, rwmixread and rwmixwrite, nrfiles, and randseed, which is the seed
 * as used. With a worker (else NULL) size and io_size are bytes. 0 or -ENOMEM.
 */
int resolved_options(const struct job *job, const struct plan_worker *worker,
		struct result_job *result);

#endif
