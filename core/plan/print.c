// SPDX-License-Identifier: MIT
/* The plan as people read it, before anything runs. */
#include <string.h>

#include "../job/units.h"
#include "plan.h"

/* "ends after 64 MiB or 10 s, whichever is first" */
static void print_end(char *buf, size_t size, const struct plan_worker *w)
{
	const struct job_opts *o = &w->job->o;
	char bytes[64], time[32], ios[40], *limits[3];
	size_t n = 0, at;

	if (job_is_postmark(w->job)) {
		units_print_count(ios, sizeof(ios) - 13, (uint64_t)o->postmark_transactions);
		limits[n++] = strcat(ios, " transactions");
	} else if (!w->limit_bytes) { /* of files whose size this machine does not know */
		snprintf(bytes, sizeof(bytes), o->loops > 1 ? "%d passes" : "one pass", o->loops);
		limits[n++] = bytes;
	} else if (w->limit_bytes != UINT64_MAX) {
		limits[n++] = units_print_size(bytes, sizeof(bytes), w->limit_bytes);
	}
	if (w->limit_ios != UINT64_MAX) {
		units_print_count(ios, sizeof(ios) - 5, w->limit_ios);
		limits[n++] = strcat(ios, " I/Os");
	}
	if (o->runtime)
		limits[n++] = units_print_time(time, sizeof(time), o->runtime);
	at = (size_t)snprintf(buf, size, n ? "ends after " : "never ends by itself");
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				!i ? "" : i + 1 == n ? " or " : ", ", limits[i]);
	if (n > 1 && at < size)
		at += (size_t)snprintf(buf + at, size - at, ", whichever is first");
	if (o->steadystate_duration && at < size)
		snprintf(buf + at, size - at, ", earlier once %s holds over %s",
				steady_print(bytes, sizeof(bytes), &w->job->steady, false),
				units_print_time(time, sizeof(time), o->steadystate_duration));
}

const char *plan_rw_name(const struct job *job)
{
	static const char *const names[2][8] = {
		{ "", "read", "write", "rw", "trim", "", "trimwrite", "" },
		{ "", "randread", "randwrite", "randrw", "randtrim", "", "randtrimwrite", "" },
	};

	return job_is_postmark(job) ? "postmark" : names[job_random(job)][job->o.rw & 7];
}

static void print_block(FILE *to, const struct job *job)
{
	char min[32], max[32];
	const char *before = "";

	for (int d = 0; d < JOB_DIRS; d++) {
		if (!(job->ops & IOJOB_OP_BIT(d)))
			continue;
		units_print_bytes(min, sizeof(min), job->bs_min[d]);
		units_print_bytes(max, sizeof(max), job->bs_max[d]);
		fprintf(to, "%s%s%s%s", before, min, strcmp(min, max) ? "-" : "",
				strcmp(min, max) ? max : "");
		before = "/";
	}
}

static void print_title(FILE *to, const struct job *job)
{
	char a[32], b[32];

	fprintf(to, "  %s", job->name);
	for (size_t i = 0; i < job->naxes; i++)
		fprintf(to, "%s %s", i ? "," : ":", job->axes[i].label);
	if (job->skipped) {
		fprintf(to, ": skipped: %s\n", job->skipped);
		return;
	}
	fprintf(to, ": %s%s%s ", plan_rw_name(job), job->o.rw_modifier ? ":" : "",
			job->o.rw_modifier ? job->o.rw_modifier : "");
	print_block(to, job);
	fprintf(to, ", %s", job->engine->e.name);
	if (job_depth(job) > 1)
		fprintf(to, " depth %u", job_depth(job));
	if (job->zone_range)
		fprintf(to, ", zones of %s in steps of %s",
				units_print_size(a, sizeof(a), job->o.zonesize),
				units_print_size(b, sizeof(b), job->zone_range + job->o.zoneskip));
	if (job->direct)
		fputs(", direct", to);
	if (job->o.numjobs > 1)
		fprintf(to, ", %d %s", job->o.numjobs, job->o.thread ? "threads" : "processes");
	fputs("\n", to);
}

/* "creates 500 files of 500 to 10000 bytes, then deletes what is left" */
static void print_postmark(FILE *to, const struct job *job)
{
	const struct job_opts *o = &job->o;
	char low[32], high[32];

	units_print_size(low, sizeof(low), o->postmark_size[0]);
	units_print_size(high, sizeof(high), o->postmark_size[1]);
	fprintf(to, "    creates %d file%s of %s%s%s", o->postmark_number,
			o->postmark_number > 1 ? "s" : "", low, strcmp(low, high) ? " to " : "",
			strcmp(low, high) ? high : "");
	if (o->postmark_subdirectories > 1)
		fprintf(to, " in %d subdirectories", o->postmark_subdirectories);
	fputs("; ", to);
	if (o->postmark_bias_read >= 0)
		fprintf(to, "%d of ten transactions read, the others append",
				o->postmark_bias_read);
	if (o->postmark_bias_create >= 0)
		fprintf(to, "%s%d of ten %screate, the others delete",
				o->postmark_bias_read >= 0 ? "; " : "", o->postmark_bias_create,
				o->postmark_bias_read >= 0 ? "" : "transactions ");
	fputs("; deletes what is left\n", to);
}

/* Files of all clones of one job: how many, the first and the last. */
static void print_files(FILE *to, const struct plan *plan, const struct plan_worker *w, size_t n)
{
	const struct plan_file *first = &w[0].files[0];
	const struct plan_file *last = &w[n - 1].files[w[n - 1].nfiles - 1];
	const struct plan_target *t = &plan->targets[first->target];
	uint64_t total = 0, map = 0;
	char size[32];
	size_t files = 0;

	for (size_t i = 0; i < n; i++) {
		map += w[i].map_bytes;
		if (i && w[i].files[0].target == first->target)
			continue; /* all share the files of the first */
		files += w[i].nfiles;
		for (size_t f = 0; f < w[i].nfiles; f++)
			total += w[i].files[f].length;
	}
	fprintf(to, "    %s", t->path);
	if (first->target != last->target)
		fprintf(to, " .. %s (%zu %s)", plan->targets[last->target].path, files,
				job_is_postmark(w->job) ? "directories" : "files");
	fprintf(to, ", %s%s", !job_is_postmark(w->job) ? ""
			: t->engine ? "never made, about " : "made and removed, about ",
			total ? units_print_size(size, sizeof(size), total) : "all of it");
	if (t->missing)
		fputs(", not on this machine", to);
	else if (t->look.kind == TARGET_REGULAR && t->written)
		fputs(", exists and is overwritten", to);
	fputs("\n", to);
	if (map)
		fprintf(to, "    %s of memory for the random order of mixed block sizes\n",
				units_print_size(size, sizeof(size), map));
}

/* `workers` are its own: n, or none where it is skipped. */
static void print_job(FILE *to, const struct plan *plan, const struct job *job,
		const struct plan_worker *workers, size_t n)
{
	char end[200];

	print_title(to, job);
	if (!n)
		return;
	if (job_is_postmark(job))
		print_postmark(to, job);
	print_files(to, plan, workers, n);
	print_end(end, sizeof(end), workers);
	fprintf(to, "    %s%s\n", end, n > 1 ? ", each" : "");
}

/* Jobs and workers come in the order of the plan: `next` is the first not yet in a stage. */
static void print_stage(FILE *to, const struct plan *plan, size_t s, size_t *next)
{
	const struct plan_stage *stage = &plan->stages[s];
	size_t done = 0, n;

	for (; *next < plan->jobs->n && plan->jobs->list[*next].stage == s; ++*next, done += n) {
		const struct job *job = &plan->jobs->list[*next];

		for (n = 0; done + n < stage->nworkers && stage->workers[done + n].job == job; n++)
			;
		print_job(to, plan, job, &stage->workers[done], n);
	}
}

static void print_layout(FILE *to, const struct plan *plan)
{
	uint64_t bytes = 0;
	size_t files = 0;
	char size[32];

	for (size_t i = 0; i < plan->ntargets; i++) {
		bytes += plan->targets[i].layout_bytes;
		files += plan->targets[i].layout_bytes != 0;
	}
	if (files)
		fprintf(to, "%zu file%s laid out before %s read: %s\n", files,
				files > 1 ? "s are" : " is", files > 1 ? "they are" : "it is",
				units_print_size(size, sizeof(size), bytes));
}

void plan_print(FILE *to, const struct plan *plan)
{
	char need[32], have[32];
	size_t next = 0;

	for (size_t i = 0; i < plan->nplaces; i++) {
		const struct result_place *p = &plan->places[i];

		fprintf(to, "%s: %s on %s, %s needed, %s free\n", p->directory, p->filesystem,
				p->device, units_print_size(need, sizeof(need), p->need_bytes),
				units_print_size(have, sizeof(have), p->free_bytes));
	}
	print_layout(to, plan);
	for (size_t s = 0; s < plan->nstages; s++) {
		fprintf(to, "stage %zu of %zu\n", s + 1, plan->nstages);
		print_stage(to, plan, s, &next);
	}
}
