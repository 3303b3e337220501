// SPDX-License-Identifier: MIT
#include "postmark.h"

#include <string.h>

const char *result_kind_name(int kind)
{
	static const char *const names[RESULT_KINDS] = {
		[RESULT_CREATE] = "create",
		[RESULT_READ] = "read",
		[RESULT_APPEND] = "append",
		[RESULT_DELETE] = "delete",
	};

	return names[kind];
}

const char *result_call_name(int call)
{
	static const char *const names[RESULT_CALLS] = {
		[RESULT_CREAT] = "creat",
		[RESULT_OPEN] = "open",
		[RESULT_CLOSE] = "close",
	};

	return names[call];
}

bool result_is_postmark(const struct result_job *job)
{
	return !job->skipped && !strcmp(job->rw, "postmark");
}

int result_postmark_merge(struct result_postmark *pm, const struct result_postmark *other)
{
	int err = 0;

	for (int k = 0; k < RESULT_KINDS && !err; k++)
		err = dist_merge(&pm->whole[k], &other->whole[k]);
	for (int c = 0; c < RESULT_CALLS && !err; c++)
		err = dist_merge(&pm->call[c], &other->call[c]);
	if (err)
		return err;
	for (int p = 0; p < RESULT_PHASES; p++) {
		for (int k = 0; k < RESULT_KINDS; k++)
			pm->done[p][k] += other->done[p][k];
		if (other->phase_ns[p] > pm->phase_ns[p])
			pm->phase_ns[p] = other->phase_ns[p];
	}
	pm->transactions += other->transactions;
	pm->skipped += other->skipped;
	pm->dry |= other->dry;
	pm->device_known &= other->device_known;
	pm->device_read += other->device_read;
	pm->device_written += other->device_written;
	pm->device_cancelled += other->device_cancelled;
	return 0;
}

void result_postmark_free(struct result_postmark *pm)
{
	for (int k = 0; k < RESULT_KINDS; k++)
		dist_free(&pm->whole[k]);
	for (int c = 0; c < RESULT_CALLS; c++)
		dist_free(&pm->call[c]);
}

uint64_t result_postmark_done(const struct result_postmark *pm, int kind)
{
	uint64_t n = 0;

	for (int p = 0; p < RESULT_PHASES; p++)
		n += pm->done[p][kind];
	return n;
}

uint64_t result_postmark_reached(const struct result_postmark *pm)
{
	return pm->device_written > pm->device_cancelled
			? pm->device_written - pm->device_cancelled : 0;
}

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e9 / (double)ns : 0;
}

void result_postmark_rates(const struct result_job *job, struct result_postmark_rates *rates)
{
	const struct result_postmark *pm = &job->postmark;
	const uint64_t *mixed = pm->done[RESULT_TRANSACTIONS];
	const uint64_t *ns = pm->phase_ns, all = job->elapsed_ns;

	*rates = (struct result_postmark_rates){
		.transactions = per_second(pm->transactions, ns[RESULT_TRANSACTIONS]),
		.created = per_second(result_postmark_done(pm, RESULT_CREATE), all),
		.created_alone = per_second(pm->done[RESULT_CREATION][RESULT_CREATE],
				ns[RESULT_CREATION]),
		.created_mixed = per_second(mixed[RESULT_CREATE], ns[RESULT_TRANSACTIONS]),
		.read = per_second(mixed[RESULT_READ], ns[RESULT_TRANSACTIONS]),
		.appended = per_second(mixed[RESULT_APPEND], ns[RESULT_TRANSACTIONS]),
		.deleted = per_second(result_postmark_done(pm, RESULT_DELETE), all),
		.deleted_alone = per_second(pm->done[RESULT_DELETION][RESULT_DELETE],
				ns[RESULT_DELETION]),
		.deleted_mixed = per_second(mixed[RESULT_DELETE], ns[RESULT_TRANSACTIONS]),
		.bytes_read = per_second(job->dir[0].bytes, all),
		.bytes_written = per_second(job->dir[1].bytes, all),
	};
}
