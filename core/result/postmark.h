/* SPDX-License-Identifier: MIT */
/* What follows from PostMark's counts; each figure is computed here alone. */
#ifndef RESULT_POSTMARK_H
#define RESULT_POSTMARK_H

#include "result.h"

/* Per second: 0 where there was no time. */
struct result_postmark_rates {
	double transactions; /* over the time of the transactions; so is all that was mixed in */
	double created, created_alone, created_mixed; /* over the whole time, creation's, ... */
	double read, appended;
	double deleted, deleted_alone, deleted_mixed;
	double bytes_read, bytes_written; /* over the whole time */
};

/* Is it such a job, and did it run? */
bool result_is_postmark(const struct result_job *job);

/* Adds the workers of another: counts add, times take the longest. 0 or -ENOMEM. */
int result_postmark_merge(struct result_postmark *pm, const struct result_postmark *other);
void result_postmark_free(struct result_postmark *pm);

uint64_t result_postmark_done(const struct result_postmark *pm, int kind); /* in all phases */
uint64_t result_postmark_reached(const struct result_postmark *pm); /* bytes, a device */
void result_postmark_rates(const struct result_job *job, struct result_postmark_rates *rates);

const char *result_kind_name(int kind); /* "create", "read", "append", "delete" */
const char *result_call_name(int call); /* "creat", "open", "close" */

#endif
