// SPDX-License-Identifier: MIT
/*
 * The report of PostMark 1.5, verbose. Its rates are whole numbers, cut off; so are these, but of
 * times in nanoseconds: PostMark counts whole seconds, and takes one for none.
 */
#include "output.h"

#include <stdbool.h>

#include "../core/result/postmark.h"

static unsigned long long cut(double rate)
{
	return rate > 0 && rate < 0x1p63 ? (unsigned long long)rate : 0;
}

/* Whole seconds where they say enough; PostMark's are never anything else. */
static void print_seconds(FILE *to, uint64_t ns)
{
	const uint64_t second = 1000000000;

	if (ns % second == 0 || ns >= 100 * second)
		fprintf(to, "\t%llu seconds", (unsigned long long)((ns + second / 2) / second));
	else
		fprintf(to, "\t%.3f seconds", (double)ns / 1e9);
}

static void print_count(FILE *to, const char *before, uint64_t n, const char *what, double rate)
{
	fprintf(to, "%s%llu %s (%llu per second)\n", before, (unsigned long long)n, what,
			cut(rate));
}

/* Two decimals in any case, and megabytes only above one. */
static void print_bytes(FILE *to, double bytes)
{
	if (bytes > 1048576)
		fprintf(to, "%.2f megabytes", bytes / 1048576);
	else if (bytes > 0)
		fprintf(to, "%.2f kilobytes", bytes / 1024);
	else
		fprintf(to, "%f bytes", 0.0);
}

static void print_data(FILE *to, uint64_t bytes, const char *what, double rate)
{
	fputc('\t', to);
	print_bytes(to, (double)bytes);
	fprintf(to, " %s (", what);
	print_bytes(to, rate);
	fputs(" per second)\n", to);
}

static void print_report(FILE *to, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;
	const uint64_t *mixed = pm->done[RESULT_TRANSACTIONS];
	struct result_postmark_rates rates;

	result_postmark_rates(job, &rates);
	fputs("Time:\n", to);
	print_seconds(to, job->elapsed_ns);
	fputs(" total\n", to);
	print_seconds(to, pm->phase_ns[RESULT_TRANSACTIONS]);
	fprintf(to, " of transactions (%llu per second)\n", cut(rates.transactions));
	fputs("\nFiles:\n", to);
	print_count(to, "\t", result_postmark_done(pm, RESULT_CREATE), "created", rates.created);
	print_count(to, "\t\tCreation alone: ", pm->done[RESULT_CREATION][RESULT_CREATE], "files",
			rates.created_alone);
	print_count(to, "\t\tMixed with transactions: ", mixed[RESULT_CREATE], "files",
			rates.created_mixed);
	print_count(to, "\t", mixed[RESULT_READ], "read", rates.read);
	print_count(to, "\t", mixed[RESULT_APPEND], "appended", rates.appended);
	print_count(to, "\t", result_postmark_done(pm, RESULT_DELETE), "deleted", rates.deleted);
	print_count(to, "\t\tDeletion alone: ", pm->done[RESULT_DELETION][RESULT_DELETE], "files",
			rates.deleted_alone);
	print_count(to, "\t\tMixed with transactions: ", mixed[RESULT_DELETE], "files",
			rates.deleted_mixed);
	fputs("\nData:\n", to);
	print_data(to, job->dir[0].bytes, "read", rates.bytes_read);
	print_data(to, job->dir[1].bytes, "written", rates.bytes_written);
}

/* Where the original has no report at all: what went wrong, or not as it was asked for. */
static void print_remarks(FILE *to, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;
	bool whole = job->end == RESULT_END_WORK && !job->error;

	if (whole && !pm->dry && !pm->skipped)
		return;
	fputs("\nRemarks:\n", to);
	if (!whole)
		fprintf(to, "\tended early (%s)%s%s\n", result_end_name(job->end),
				job->error_text[0] ? ": " : "", job->error_text);
	if (pm->dry)
		fprintf(to, "\tout of files after %llu transactions\n",
				(unsigned long long)pm->transactions);
	if (pm->skipped)
		fprintf(to, "\t%llu creates left out, with no room in the table of files\n",
				(unsigned long long)pm->skipped);
}

static void print_title(FILE *to, const struct result_job *job)
{
	fputs(job->name, to);
	for (size_t i = 0; i < job->naxes; i++)
		fprintf(to, ", %s", job->axes[i].label);
	fputs("\n\n", to);
}

int output_postmark(
		FILE *to, const struct result *result, const struct output_options *options)
{
	size_t found = 0;

	(void)options;
	for (size_t i = 0; i < result->njobs; i++) {
		const struct result_job *job = &result->jobs[i];

		if (!result_is_postmark(job))
			continue;
		if (found++)
			fputc('\n', to);
		if (result->njobs > 1)
			print_title(to, job);
		print_report(to, job);
		print_remarks(to, job);
	}
	if (!found)
		fputs("no job has workload=postmark\n", to);
	return 0;
}
