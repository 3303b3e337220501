// SPDX-License-Identifier: MIT
/* What a person reads, in 80 columns: where it ran, a block for each job, the tables, the disks. */
#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/units.h"
#include "../core/result/compare.h"
#include "../core/result/course.h"
#include "../core/result/postmark.h"
#include "../core/result/repeats.h"
#include "facts.h"
#include "text_repeats.h"
#include "wrap.h"

enum {
	TEXT_VALUE = 13, /* where what follows a label stands */
	TEXT_BUF = 32,
};

/* ---- numbers ------------------------------------------------------------------------------- */

static uint64_t rounded(double x)
{
	return x > 0 && x < 0x1p63 ? (uint64_t)(x + 0.5) : 0;
}

static void add_time(struct wrap *wrap, const char *before, const char *name, uint64_t ns)
{
	char buf[TEXT_BUF];

	wrap_add(wrap, before, "%s%s", name, units_print_time(buf, sizeof(buf), ns));
}

static void add_size(struct wrap *wrap, const char *before, const char *name, uint64_t bytes,
		const char *after)
{
	char buf[TEXT_BUF];

	wrap_add(wrap, before, "%s%s%s", name, units_print_size(buf, sizeof(buf), bytes), after);
}

static void add_count(struct wrap *wrap, const char *before, const char *name, uint64_t n,
		const char *after)
{
	char buf[TEXT_BUF];

	wrap_add(wrap, before, "%s%s%s", name, units_print_count(buf, sizeof(buf), n), after);
}

/* ---- what was run -------------------------------------------------------------------------- */

/* "4 KiB", "4 KiB to 64 KiB"; one for each direction where they differ. */
static void add_block_sizes(struct wrap *wrap, const struct result_job *job)
{
	int last = -1;

	for (int d = 0; d < RESULT_DIRS; d++) {
		char min[TEXT_BUF], max[TEXT_BUF];
		bool range = job->bs_min[d] != job->bs_max[d];

		if (!result_does(job, d) || !job->bs_max[d])
			continue;
		if (last >= 0 && job->bs_min[d] == job->bs_min[last] &&
				job->bs_max[d] == job->bs_max[last])
			continue;
		units_print_size(min, sizeof(min), job->bs_min[d]);
		units_print_size(max, sizeof(max), job->bs_max[d]);
		wrap_add(wrap, " ", "%s%s%s%s", last < 0 ? "" : "/ ", min, range ? " to " : "",
				range ? max : "");
		last = d;
	}
}

static void add_depth(struct wrap *wrap, const struct result_job *job)
{
	if (result_is_postmark(job))
		return; /* one call after the other, and none of them timed */
	wrap_add(wrap, ", ", "depth %u", job->iodepth);
	if (!job->sync_engine && !job->skipped)
		wrap_add(wrap, " ", "(%.1f reached)", result_depth_mean(job));
}

static const char *end_text(const struct result_job *job)
{
	switch (job->end) {
	case RESULT_END_WORK:
		return job->elapsed_ns ? "all done" : "files made, nothing run";
	case RESULT_END_RUNTIME:
		return "ended by its runtime";
	case RESULT_END_STEADY:
		return "ended steady";
	case RESULT_END_ERROR:
		return "FAILED";
	case RESULT_END_DIED:
		return "DIED";
	case RESULT_END_HUNG:
		return "HUNG";
	case RESULT_END_INTERRUPTED:
		return job->elapsed_ns ? "INTERRUPTED" : "not started: INTERRUPTED";
	case RESULT_END_OTHER:
		return "ended with another job (exitall)";
	}
	return "";
}

/* "read:-2bs" */
static void add_order(struct wrap *wrap, const struct result_job *job)
{
	const char *modifier = "";

	for (size_t i = 0; i < job->nresolved; i++) {
		if (!strcmp(job->resolved[i].key, "rw_modifier"))
			modifier = job->resolved[i].value;
	}
	wrap_add(wrap, ": ", "%s%s%s", job->rw, modifier[0] ? ":" : "", modifier);
}

static void print_title(FILE *to, const struct result *result, const struct result_job *job)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", job->name[0] ? job->name : "(no name)");
	for (size_t i = 0; i < job->naxes; i++)
		wrap_words(&wrap, ", ", job->axes[i].label);
	if (compare_has_twin(result, job)) {
		wrap_words(&wrap, " ", "of");
		wrap_words(&wrap, " ", job->file);
	}
	add_order(&wrap, job);
	add_block_sizes(&wrap, job);
	wrap_words(&wrap, ", ", job->engine);
	add_depth(&wrap, job);
	if (job->direct)
		wrap_add(&wrap, ", ", "direct");
	if (job->skipped)
		wrap_add(&wrap, "; ", "SKIPPED");
	else
		wrap_words(&wrap, "; ", end_text(job));
	wrap_end(&wrap);
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* p50 p99 p99.9, or what percentile_list asks for. */
static void add_percentiles(struct wrap *wrap, const struct result *result,
		const struct result_job *job, const struct dist *dist)
{
	static const double usual[] = { 50, 99, 99.9 };
	bool asked = result_option(result, job, "percentile_list");
	const double *list = asked ? job->percentiles : usual;
	size_t n = asked ? job->npercentiles : sizeof(usual) / sizeof(usual[0]);

	for (size_t i = 0; i < n; i++) {
		char name[TEXT_BUF];

		if (!dist_supports(dist, list[i]))
			continue;
		snprintf(name, sizeof(name), "p%.6g ", list[i]);
		add_time(wrap, ", ", name, dist_percentile(dist, list[i]));
	}
}

static void add_durations(struct wrap *wrap, const char *before, const struct result *result,
		const struct result_job *job, const struct dist *dist)
{
	add_time(wrap, before, "mean ", rounded(dist_mean(dist)));
	if (dist->n > 1)
		add_time(wrap, ", ", "sd ", rounded(dist_stddev(dist)));
	add_percentiles(wrap, result, job, dist);
	add_time(wrap, ", ", "max ", dist->max);
}

static void print_durations(FILE *to, const char *label, const struct result *result,
		const struct result_job *job, const struct dist *dist)
{
	struct wrap wrap;

	if (!dist->n)
		return;
	wrap_begin(&wrap, to, 4, TEXT_VALUE, label);
	add_durations(&wrap, " ", result, job, dist);
	wrap_end(&wrap);
}

/* lat_thresholds: "2 s 3 (0.0293 %), 10 s none". */
static void print_above(FILE *to, const struct result_job *job, const struct result_dir *dir)
{
	char buf[TEXT_BUF];
	struct wrap wrap;

	if (!job->nthresholds)
		return;
	wrap_begin(&wrap, to, 4, TEXT_VALUE, "above");
	for (size_t i = 0; i < job->nthresholds; i++) {
		wrap_add(&wrap, i ? ", " : " ", "%s",
				units_print_ns(buf, sizeof(buf), job->thresholds_ns[i]));
		if (!dir->above[i]) {
			wrap_add(&wrap, " ", "none");
			continue;
		}
		add_count(&wrap, " ", "", dir->above[i], "");
		wrap_add(&wrap, " ", "(%.4g %%)", result_above_percent(dir, i));
	}
	wrap_end(&wrap);
}

/* With a rate: from the intended start, and how the schedule was kept. */
static void print_response(FILE *to, const struct result *result, const struct result_job *job,
		const struct result_dir *dir)
{
	struct wrap wrap;

	if (!dir->response.n && !dir->due)
		return;
	wrap_begin(&wrap, to, 4, TEXT_VALUE, "response");
	add_durations(&wrap, " ", result, job, &dir->response);
	add_count(&wrap, "; ", "", dir->late, " started late");
	if (dir->late)
		add_time(&wrap, ", ", "the latest by ", dir->lag_max_ns);
	add_count(&wrap, ", ", "", dir->due, " due but never started");
	wrap_end(&wrap);
}

static void print_direction(FILE *to, const struct result *result, const struct result_job *job,
		int d)
{
	const struct result_dir *dir = &job->dir[d];
	char buf[TEXT_BUF];
	struct wrap wrap;

	wrap_begin(&wrap, to, 2, TEXT_VALUE, result_dir_name(d));
	add_size(&wrap, " ", "", rounded(result_bw(job, d)), "/s");
	wrap_add(&wrap, ", ", "%s IOPS",
			units_print_si(buf, sizeof(buf), result_iops(job, d)));
	add_size(&wrap, ", ", "", dir->bytes, "");
	add_count(&wrap, " ", "in ", dir->ios, " I/Os");
	add_time(&wrap, " ", "and ", dir->runtime_ns);
	if (dir->shorts)
		add_count(&wrap, ", ", "", dir->shorts, " of them in several transfers");
	if (dir->errors)
		add_count(&wrap, ", ", "", dir->errors, " FAILED");
	wrap_end(&wrap);
	print_durations(to, "latency", result, job, result_lat(dir));
	if (!job->sync_engine)
		print_durations(to, "submit", result, job, &dir->slat);
	if (!job->sync_engine || result_spread(dir) != result_lat(dir))
		print_durations(to, "complete", result, job, &dir->clat);
	print_above(to, job, dir);
	print_response(to, result, job, dir);
}

/* A phase of PostMark's: what was done in it, and how fast. */
static void add_phase(struct wrap *wrap, const char *before, uint64_t n, const char *what,
		uint64_t ns, double rate)
{
	char buf[TEXT_BUF];

	add_count(wrap, before, "", n, what);
	add_time(wrap, " ", "in ", ns);
	wrap_add(wrap, " ", "(%s/s)", units_print_si(buf, sizeof(buf), rate));
}

static void print_phases(FILE *to, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;
	struct result_postmark_rates rates;
	struct wrap wrap;

	result_postmark_rates(job, &rates);
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "postmark");
	add_phase(&wrap, " ", pm->done[RESULT_CREATION][RESULT_CREATE], " files created",
			pm->phase_ns[RESULT_CREATION], rates.created_alone);
	add_phase(&wrap, "; ", pm->transactions, " transactions",
			pm->phase_ns[RESULT_TRANSACTIONS], rates.transactions);
	add_phase(&wrap, "; ", pm->done[RESULT_DELETION][RESULT_DELETE], " files deleted",
			pm->phase_ns[RESULT_DELETION], rates.deleted_alone);
	if (pm->dry)
		wrap_words(&wrap, "; ", "the transactions ended early: NO FILE WAS LEFT (more "
				"files, fewer transactions, or a higher postmark_bias_create)");
	if (pm->skipped)
		add_count(&wrap, "; ", "", pm->skipped, " creates left out: twice "
				"postmark_number files were there");
	wrap_end(&wrap);
}

/* How often an operation or a call was done, and how long it took. */
static void print_timed(FILE *to, const char *label, const struct result *result,
		const struct result_job *job, const struct dist *dist)
{
	struct wrap wrap;

	if (!dist->n)
		return;
	wrap_begin(&wrap, to, 4, TEXT_VALUE, label);
	add_count(&wrap, " ", "", dist->n, ":");
	add_durations(&wrap, " ", result, job, dist);
	wrap_end(&wrap);
}

/* Much of what PostMark writes is deleted before any device sees it. */
static void print_reached(FILE *to, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;
	struct wrap wrap;

	if (!pm->device_known || !job->dir[1].bytes)
		return;
	wrap_begin(&wrap, to, 4, TEXT_VALUE, "reached");
	add_size(&wrap, " ", "", result_postmark_reached(pm), " for a device,");
	add_size(&wrap, " ", "of ", job->dir[1].bytes, " written");
	if (pm->device_cancelled)
		add_size(&wrap, "; ", "", pm->device_cancelled,
				" (in whole pages) deleted before it was sent");
	wrap_end(&wrap);
}

static void print_postmark(FILE *to, const struct result *result, const struct result_job *job)
{
	const struct result_postmark *pm = &job->postmark;

	if (!result_is_postmark(job))
		return;
	print_phases(to, job);
	for (int k = 0; k < RESULT_KINDS; k++)
		print_timed(to, result_kind_name(k), result, job, &pm->whole[k]);
	for (int c = 0; c < RESULT_CALLS; c++) {
		char label[TEXT_BUF];

		snprintf(label, sizeof(label), "%s()", result_call_name(c));
		print_timed(to, label, result, job, &pm->call[c]);
	}
	print_reached(to, job);
}

static void print_syncs(FILE *to, const struct result *result, const struct result_job *job)
{
	struct wrap wrap;

	if (!job->syncs && !job->end_sync_ns)
		return;
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "fsync");
	if (job->syncs) {
		add_count(&wrap, " ", "", job->syncs, job->syncs == 1 ? " call" : " calls");
		if (job->sync.n)
			add_durations(&wrap, ": ", result, job, &job->sync);
	}
	if (job->end_sync_ns)
		add_time(&wrap, job->syncs ? "; " : " ", "at the end ", job->end_sync_ns);
	wrap_end(&wrap);
}

/* What steadystate came to, and the rate of the seconds over which it held. */
static void print_steady(FILE *to, const struct result_job *job)
{
	const struct result_steady *steady = &job->steady;
	const struct result_window window = result_window(job);
	double mean = steady_mean(&window.fit);
	char text[160];
	struct wrap wrap;

	if (!steady->window_ns)
		return;
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "steady");
	wrap_words(&wrap, " ", steady_print(text, sizeof(text), &steady->rule, false));
	add_time(&wrap, " ", "over ", steady->window_ns);
	if (!steady->attained) {
		wrap_words(&wrap, ", ", "NOT attained");
		if (job->elapsed_ns < steady->ramp_ns + steady->window_ns)
			wrap_words(&wrap, ": ", "the job was over before that");
	} else {
		add_time(&wrap, ", ", "after ", steady->attained * 1000000000);
		if (steady_of_bw(&steady->rule))
			add_size(&wrap, ", ", "at ", rounded(mean), "/s");
		else
			wrap_add(&wrap, ", ", "at %s IOPS",
					units_print_si(text, sizeof(text), mean));
	}
	wrap_end(&wrap);
}

static void print_cpu(FILE *to, const struct result_job *job)
{
	struct wrap wrap;

	if (job->end == RESULT_END_DIED || job->end == RESULT_END_HUNG)
		return; /* nobody asked it in time */
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "cpu");
	wrap_add(&wrap, " ", "%.1f %% user, %.1f %% system", result_cpu_percent(job, false),
			result_cpu_percent(job, true));
	add_count(&wrap, ", ", "", job->ctx, " context switches");
	add_count(&wrap, ", ", "", job->majf + job->minf, " faults");
	if (job->majf)
		add_count(&wrap, " ", "(", job->majf, " major)");
	wrap_end(&wrap);
}

static void print_line(FILE *to, const char *label, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 2, TEXT_VALUE, label);
	wrap_words(&wrap, " ", text);
	wrap_end(&wrap);
}

static void print_error_of(FILE *to, const char *label, const struct result_job *job)
{
	if (job->error_text[0])
		print_line(to, label, job->error_text);
	else if (job->error)
		print_line(to, label, strerror(job->error));
}

/*
 * The error first, then everything that was measured until it came. Where the repeat that is shown
 * has none, that of the first repeat which failed.
 */
static void print_error(FILE *to, const struct result *result, size_t number)
{
	const struct result_job *job = &result->jobs[number];
	char label[40] = "ERROR";

	for (size_t i = 0; i < result->nrepeats && !result_failed(job); i++) {
		job = &result->repeats[i].jobs[number];
		snprintf(label, sizeof(label), "ERROR in repeat %zu:", i + 1);
	}
	if (result_failed(job))
		print_error_of(to, label, job);
}

static void print_workers(FILE *to, const struct result_job *job)
{
	struct wrap wrap;

	if (job->workers < 2)
		return;
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "workers");
	wrap_add(&wrap, " ", "%u:", job->workers);
	wrap_words(&wrap, " ", "bw and IOPS added, over the longest runtime; latencies merged");
	wrap_end(&wrap);
}

static void print_layout(FILE *to, const struct result_job *job)
{
	struct wrap wrap;

	if (!job->layout_bytes)
		return;
	wrap_begin(&wrap, to, 2, TEXT_VALUE, "layout");
	add_size(&wrap, " ", "", job->layout_bytes, " written before the run,");
	add_time(&wrap, " ", "in ", job->layout_ns);
	wrap_end(&wrap);
}

/* `where` ends in a colon: ":", or " in 2 of 6 repeats:". */
static void print_doubt(FILE *to, size_t indent, const struct result_doubt *doubt,
		const char *where)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, indent, indent + 2, doubt->fact ? "fact" : "note");
	wrap_add(&wrap, " ", "%s%s%s", doubt->id, doubt->accepted ? " (accepted)" : "", where);
	wrap_words(&wrap, " ", doubt->evidence);
	if (doubt->advice[0])
		wrap_words(&wrap, ": ", doubt->advice);
	wrap_end(&wrap);
}

static bool has_doubt(const struct result_job *job, const char *id)
{
	for (size_t i = 0; i < job->ndoubts; i++) {
		if (!strcmp(job->doubts[i].id, id))
			return true;
	}
	return false;
}

/* Those of one of the job's repeats, but for what was printed: of the shown one, or before it. */
static void print_repeat_doubts(FILE *to, const struct result *result, size_t number, size_t repeat)
{
	const struct result_job *shown = &result->jobs[number];
	const struct result_job *job = repeat ? &result->repeats[repeat - 1].jobs[number] : shown;

	for (size_t i = 0; i < job->ndoubts; i++) {
		const char *id = job->doubts[i].id;
		bool printed = repeat && has_doubt(shown, id);
		char where[64] = ":";
		size_t n = 0;

		for (size_t r = 0; r < result->nrepeats; r++) {
			bool has = has_doubt(&result->repeats[r].jobs[number], id);

			printed |= has && r + 1 < repeat;
			n += has;
		}
		if (n < result->nrepeats)
			snprintf(where, sizeof(where), " in %zu of %zu repeats:", n,
					result->nrepeats);
		if (!printed)
			print_doubt(to, 2, &job->doubts[i], where);
	}
}

static int print_job(FILE *to, const struct result *result, size_t number)
{
	const struct result_job *job = &result->jobs[number];

	fputc('\n', to);
	print_title(to, result, job);
	if (job->skipped) {
		print_line(to, "SKIPPED", job->skipped);
		return 0;
	}
	print_error(to, result, number);
	if (!job->elapsed_ns)
		return text_repeats_job(to, result, number, TEXT_VALUE);
	for (int d = 0; d < RESULT_DIRS; d++) {
		if (result_does(job, d))
			print_direction(to, result, job, d);
	}
	print_postmark(to, result, job);
	print_syncs(to, result, job);
	print_steady(to, job);
	print_workers(to, job);
	print_layout(to, job);
	print_cpu(to, job);
	if (text_repeats_job(to, result, number, TEXT_VALUE))
		return -ENOMEM;
	for (size_t i = 0; i <= result->nrepeats; i++)
		print_repeat_doubts(to, result, number, i);
	return 0;
}

/* ---- around the jobs ----------------------------------------------------------------------- */

/* Of an overlay there can be pages of them. */
static void add_options(struct wrap *wrap, const char *options)
{
	enum { MOST = 70 };
	bool whole = strlen(options) <= MOST;

	wrap_add(wrap, " ", "(%.*s%s)", MOST, options, whole ? "" : "...");
}

static void print_places(FILE *to, const struct result *result)
{
	struct facts facts = facts_of(result);

	for (size_t i = 0; i < result->nplaces; i++) {
		const struct result_place *place = &result->places[i];
		const char *options = facts_mount_options(&facts, place->directory);
		struct wrap wrap;

		wrap_begin(&wrap, to, 0, 2, "");
		wrap_words(&wrap, "", place->directory);
		wrap_words(&wrap, ": ", place->filesystem);
		wrap_words(&wrap, " ", "on");
		wrap_words(&wrap, " ", place->device);
		if (options && strcmp(place->filesystem, "none") != 0)
			add_options(&wrap, options);
		add_size(&wrap, ", ", "needs ", place->need_bytes, "");
		add_size(&wrap, ", ", "", place->free_bytes, " free");
		wrap_end(&wrap);
	}
}

static void print_head(FILE *to, const struct result *result)
{
	struct facts facts = facts_of(result);
	struct wrap wrap;

	wrap_begin(&wrap, to, 0, 2, result->fio ? "measured by" : "iojob");
	wrap_words(&wrap, " ", result->version);
	if (result->host[0]) {
		wrap_words(&wrap, " ", "on");
		wrap_words(&wrap, " ", result->host);
		wrap_words(&wrap, ", ", result->kernel);
	}
	wrap_end(&wrap);
	if (result->cost_execute_ns > 0) {
		wrap_begin(&wrap, to, 2, 4, "own cost");
		wrap_add(&wrap, " ", "%.0f ns an I/O, %.0f ns submitted and reaped alone",
				result->cost_execute_ns, result->cost_submit_ns);
		wrap_add(&wrap, ", ", "%.0f ns a reading of the clock", result->clock_read_ns);
		wrap_end(&wrap);
	}
	facts_print_head(to, &facts);
	print_places(to, result);
	text_repeats_head(to, result);
	if (result->interrupted)
		fputs("INTERRUPTED: the figures are of what was done until then\n", to);
}

static void print_disks(FILE *to, const struct result *result)
{
	if (result->ndisks && result->nrepeats)
		fprintf(to, "\ndisks, over all %zu repeats\n", result->nrepeats);
	else if (result->ndisks)
		fputs("\ndisks\n", to);
	for (size_t i = 0; i < result->ndisks; i++) {
		const struct result_disk *disk = &result->disks[i];
		struct wrap wrap;

		wrap_begin(&wrap, to, 2, TEXT_VALUE, disk->name);
		if (result->fio) { /* which keeps no bytes of them */
			add_count(&wrap, " ", "", disk->read_ios, " reads");
			add_count(&wrap, ", ", "", disk->write_ios, " writes");
		} else {
			add_size(&wrap, " ", "read ", disk->read_sectors * 512, "");
			add_count(&wrap, " ", "in ", disk->read_ios, " I/Os");
			add_size(&wrap, ", ", "wrote ", disk->write_sectors * 512, "");
			add_count(&wrap, " ", "in ", disk->write_ios, " I/Os");
		}
		wrap_add(&wrap, ", ", "busy %.1f %%", disk->util_percent);
		wrap_end(&wrap);
	}
}

static void print_notes(FILE *to, const struct result *result)
{
	if (result->nnotes || result->ndoubts)
		fputc('\n', to);
	for (size_t i = 0; i < result->nnotes; i++) {
		struct wrap wrap;

		wrap_begin(&wrap, to, 0, 2, "note:");
		wrap_words(&wrap, " ", result->notes[i]);
		wrap_end(&wrap);
	}
	for (size_t i = 0; i < result->ndoubts; i++)
		print_doubt(to, 0, &result->doubts[i], ":");
}

/* What went wrong, once more at the end, where it is not overlooked. */
static void print_verdict(FILE *to, const struct result *result)
{
	size_t failed = 0, skipped = 0;

	for (size_t i = 0; i < result->njobs; i++) {
		failed += result_failed(&result->jobs[i]) || repeats_failed(result, i);
		skipped += result->jobs[i].skipped != NULL;
	}
	if (failed || skipped || result->interrupted)
		fputc('\n', to);
	if (failed)
		fprintf(to, "%zu of %zu jobs FAILED: see ERROR above\n", failed, result->njobs);
	if (skipped)
		fprintf(to, "%zu of %zu jobs skipped: this machine cannot run them\n", skipped,
				result->njobs);
	if (result->interrupted)
		fputs("INTERRUPTED\n", to);
}

static bool has_axes(const struct result *result)
{
	for (size_t i = 0; i < result->njobs; i++) {
		if (result->jobs[i].naxes)
			return true;
	}
	return false;
}

int output_text(FILE *to, const struct result *result, const struct output_options *options)
{
	int err = 0;

	print_head(to, result);
	for (size_t i = 0; i < result->njobs; i++)
		err = err ? err : print_job(to, result, i);
	if (!err && has_axes(result)) {
		fputc('\n', to);
		err = output_table(to, result, options);
	}
	print_disks(to, result);
	print_notes(to, result);
	print_verdict(to, result);
	return err;
}
