// SPDX-License-Identifier: MIT
#include "doctor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../job/units.h"
#include "../result/course.h"
#include "../result/doubt.h"
#include "../result/facts.h"
#include "../result/postmark.h"

/* Where a doubt begins; doubt.c tells users the same, and why. */
static const double share_min = 0.05;      /* C1 to C4, G2, L4 */
static const double busy_min = 0.95;       /* G1 */
static const double util_max = 90;         /* G1 */
static const double due_min = 0.01;        /* G3 */
static const double slat_min = 0.5;        /* G4 */
static const double punted_min = 0.2;      /* G4 */
static const double depth_min = 0.5;       /* G5 */
static const double other_min = 0.1;       /* L1, L2 */
static const double steal_min = 0.01;      /* L3 */
static const double throttled_min = 0.01;  /* M1 */
static const double limit_min = 0.8;       /* M2 */
static const double frequency_min = 0.1;   /* M4 */
static const double drift_ppm_max = 1000;  /* O1 */
static const double cost_min = 0.1;        /* O2 */

enum {
	MS = 1000000,
	SHORT_NS = 500 * MS,
	SEEN_NS = 200 * MS,       /* of less time, what counts in ticks of 10 ms says nothing */
	TICKS_NS = 50 * MS,       /* and less than five of them is no evidence */
	LAG_NS = 200000,          /* four times what counts as late */
	WARM_SAMPLES = 3,         /* the first, and two to compare it with */
	OTHER_BYTES = 1 << 20,    /* by others: less is anybody's housekeeping */
	TEXT = 400,
};

struct view {
	struct result_job *job;
	const struct doctor_job *seen;
	const struct doctor_stage *stage;
};

/* Puts its evidence into text where it has reason to doubt. */
typedef bool rule_fn(const struct view *v, char *text);

__attribute__((format(printf, 2, 3)))
static bool say(char *text, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, TEXT, format, ap);
	va_end(ap);
	return true;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* What part of the claim no device moved. */
static double missing(const struct doctor_flow *flow)
{
	return flow->moved < flow->claimed ? share(flow->claimed - flow->moved, flow->claimed) : 0;
}

struct size {
	char text[32];
};

static struct size size_of(uint64_t bytes)
{
	struct size size;

	units_print_size(size.text, sizeof(size.text), bytes);
	return size;
}

static struct size time_of(uint64_t ns)
{
	struct size size;

	units_print_time(size.text, sizeof(size.text), ns);
	return size;
}

/* ---- contents and cache -------------------------------------------------------------------- */

static bool holes(const struct view *v)
{
	return share(v->seen->hole_bytes, v->seen->read_region) >= share_min;
}

static bool see_holes(const struct view *v, char *text)
{
	return holes(v) && say(text, "%s of the %s that it reads from were never written",
			size_of(v->seen->hole_bytes).text, size_of(v->seen->read_region).text);
}

static bool see_unwritten(const struct view *v, char *text)
{
	const struct doctor_job *seen = v->seen;
	const struct doctor_flow *writes = &v->stage->writes;

	if (!seen->lazy_bytes)
		return false;
	if (missing(writes) >= share_min)
		return say(text, "%s were written to files, %s to the device",
				size_of(writes->claimed).text, size_of(writes->moved).text);
	return share(seen->left_bytes, seen->lazy_bytes) >= share_min && say(text,
			"%s of the %s written were in memory only when the job ended",
			size_of(seen->left_bytes).text, size_of(seen->lazy_bytes).text);
}

static bool see_cached(const struct view *v, char *text)
{
	const struct doctor_job *seen = v->seen;
	double part = missing(&seen->cached_reads);

	if (holes(v) || seen->wants_cache)
		return false; /* holes come from no device either */
	if (part >= share_min)
		return say(text, "%.0f %% of the reads came from the page cache (%s read from %s)",
				part * 100, size_of(seen->cached_reads.moved).text,
				seen->device_name);
	part = share(seen->blind_cached, seen->blind_region);
	return part >= share_min && say(text,
			"%.0f %% of what it reads from was in the page cache already", part * 100);
}

static bool see_indirect(const struct view *v, char *text)
{
	const struct doctor_job *seen = v->seen;

	if (!holes(v) && missing(&seen->direct_reads) >= share_min)
		return say(text, "%s were read directly, but only %s from %s",
				size_of(seen->direct_reads.claimed).text,
				size_of(seen->direct_reads.moved).text, seen->device_name);
	return seen->direct_bytes && !v->stage->lazy && missing(&v->stage->writes) >= share_min
			&& say(text,
			"the stage wrote %s, but only %s to the device",
			size_of(v->stage->writes.claimed).text,
			size_of(v->stage->writes.moved).text);
}

static bool see_bounced(const struct view *v, char *text)
{
	return v->seen->loop[0] && say(text, "%s goes through the page cache of its backing file",
			v->seen->loop);
}

static bool see_squeezed(const struct view *v, char *text)
{
	return v->seen->store[0] && say(text,
			"the data written are dull, and %s makes them smaller", v->seen->store);
}

static bool see_no_device(const struct view *v, char *text)
{
	return v->seen->memory && say(text, "its files are in memory");
}

/* ---- alignment ----------------------------------------------------------------------------- */

static bool see_partition(const struct view *v, char *text)
{
	return v->seen->partition[0] && say(text, "%s begins at byte %llu of its disk",
			v->seen->partition, (unsigned long long)v->seen->partition_bytes);
}

static bool see_blocks(const struct view *v, char *text)
{
	return v->seen->odd_bytes && say(text,
			"blocks or offsets of %llu bytes on %s, whose physical block is %llu",
			(unsigned long long)v->seen->odd_bytes, v->seen->device_name,
			(unsigned long long)v->seen->physical_bytes);
}

/* ---- the generator ------------------------------------------------------------------------- */

static bool see_generator(const struct view *v, char *text)
{
	const struct result_job *job = v->job;
	double busy = share(job->cpu_user_ns + job->cpu_sys_ns, job->runtime_ns);
	char ignored[TEXT];

	if (!v->seen->device || v->seen->polls || v->seen->paced || v->seen->wants_cache
			|| busy < busy_min || v->stage->util_percent >= util_max
			|| holes(v) || see_cached(v, ignored) || see_unwritten(v, ignored))
		return false;
	return say(text, "workers were on the CPU for %.0f %% of the time, and %s was busy for "
			"%.0f %%", fmin(busy, 1) * 100, v->seen->device_name,
			v->stage->util_percent);
}

static bool see_cpu_wait(const struct view *v, char *text)
{
	double part = share(v->seen->cpu_wait_ns, v->job->runtime_ns);

	return part >= share_min && v->job->elapsed_ns >= SEEN_NS && say(text,
			"workers waited for a CPU for %.0f %% of the time", fmin(part, 1) * 100);
}

/*
 * A submit that only hands over is a small part of a worker's time. Where the CPU is what it takes,
 * direct I/O is not synchronous for that: the generator has come to its end.
 */
static bool see_synchronous(const struct view *v, char *text)
{
	const struct result_job *job = v->job;
	uint64_t slat = 0;
	double part;

	if (job->sync_engine || job->iodepth < 2)
		return false;
	for (int d = 0; d < RESULT_DIRS; d++)
		slat += job->dir[d].slat.sum;
	if (v->seen->punted >= punted_min)
		return say(text, "kernel threads (iou-wrk) took %.0f %% of the CPU time",
				v->seen->punted * 100);
	part = share(slat, result_flight_ns(job));
	return part >= slat_min && v->seen->files && !v->seen->batches
			&& (v->seen->buffered || share(job->cpu_user_ns + job->cpu_sys_ns, slat)
					< slat_min)
			&& say(text, "workers spent %.0f %% of the time within submit",
					fmin(part, 1) * 100);
}

/* Workers of one result may have different depths: as what they reached, theirs is the mean. */
static bool see_depth(const struct view *v, char *text)
{
	double depth = result_depth_mean(v->job);
	double asked = v->seen->asked_ns / fmax((double)result_flight_ns(v->job), 1);

	if (v->job->sync_engine || v->job->iodepth < 2 || v->seen->paced || v->seen->batches
			|| !v->seen->files || !result_flight_ns(v->job))
		return false;
	return depth < depth_min * asked && say(text,
			"%.1f of %.4g I/Os were in flight on average", depth, asked);
}

/* ---- others -------------------------------------------------------------------------------- */

static bool see_other_cpu(const struct view *v, char *text)
{
	const struct doctor_stage *s = v->stage;

	if (s->elapsed_ns < SEEN_NS || s->other_user_ns < TICKS_NS)
		return false;
	return share(s->other_user_ns, s->cpu_ns) >= other_min && say(text,
			"other programs used %.0f %% of all CPU time (load average %.2f)",
			share(s->other_user_ns, s->cpu_ns) * 100, s->load_average);
}

static bool see_other_io(const struct view *v, char *text)
{
	const struct doctor_stage *s = v->stage;
	uint64_t other = s->other_read + s->other_written;

	if (!v->seen->device || other < OTHER_BYTES || share(other, s->device_bytes) < other_min)
		return false;
	return say(text, "%s read %s and wrote %s more than the jobs caused", s->other_device,
			size_of(s->other_read).text, size_of(s->other_written).text);
}

static bool see_stolen(const struct view *v, char *text)
{
	const struct doctor_stage *s = v->stage;

	return s->elapsed_ns >= SEEN_NS && s->steal_ns >= TICKS_NS
			&& share(s->steal_ns, s->cpu_ns) >= steal_min && say(text,
			"the hypervisor took %.1f %% of the CPU time",
			share(s->steal_ns, s->cpu_ns) * 100);
}

static bool see_memory(const struct view *v, char *text)
{
	return v->stage->memory_stall >= share_min && say(text,
			"tasks waited for memory for %.0f %% of the time",
			v->stage->memory_stall * 100);
}

/* ---- limits -------------------------------------------------------------------------------- */

static bool see_cpu_limit(const struct view *v, char *text)
{
	double part = share(v->stage->cpu_throttled_ns, v->stage->elapsed_ns);

	/* The kernel adds up what each CPU was kept from. */
	return part >= throttled_min && say(text, "it was stopped for %s, all CPUs together, in %s",
			time_of(v->stage->cpu_throttled_ns).text,
			time_of(v->stage->elapsed_ns).text);
}

static bool see_io_limit(const struct view *v, char *text)
{
	return v->seen->device && v->stage->io_limit[0] && v->stage->io_limit_share >= limit_min
			&& say(text, "%.0f %% of the limit %s was reached",
			v->stage->io_limit_share * 100, v->stage->io_limit);
}

static bool see_memory_limit(const struct view *v, char *text)
{
	return v->seen->buffered && v->stage->memory_hits && say(text,
			"the limit was met %llu times", (unsigned long long)v->stage->memory_hits);
}

static bool see_frequency(const struct view *v, char *text)
{
	const struct doctor_stage *s = v->stage;
	double change;

	if (!s->governor[0] || !strcmp(s->governor, "performance") || !s->khz_before)
		return false;
	change = (double)s->khz_after / (double)s->khz_before - 1;
	return fabs(change) >= frequency_min && say(text,
			"governor %s: from %llu MHz to %llu MHz", s->governor,
			(unsigned long long)s->khz_before / 1000,
			(unsigned long long)s->khz_after / 1000);
}

static bool see_heat(const struct view *v, char *text)
{
	return v->stage->heat && say(text, "%llu times", (unsigned long long)v->stage->heat);
}

/* ---- figures of the result ----------------------------------------------------------------- */

static bool see_short(const struct view *v, char *text)
{
	return v->job->elapsed_ns < SHORT_NS && say(text, "it was measured for %s",
			time_of(v->job->elapsed_ns).text);
}

/* Of the samples after the first one: is that far from their mean, and they from each other not? */
static bool warms_up(const struct result_job *job, double *change)
{
	struct steady rest = { .n = 0 };
	size_t n = result_course(job);
	double mean;

	*change = 0;
	if (result_is_postmark(job))
		return false; /* its first second is of another phase */
	for (size_t i = 1; i < n; i++)
		steady_add(&rest, (double)result_course_at(job, i, true));
	mean = steady_mean(&rest);
	if (n < WARM_SAMPLES || mean <= 0
			|| steady_percent(&rest, steady_range(&rest)) > STEADY_RANGE_PERCENT)
		return false;
	*change = 100 * ((double)result_course_at(job, 0, true) / mean - 1);
	return fabs(*change) >= STEADY_RANGE_PERCENT;
}

static bool see_unsteady(const struct view *v, char *text)
{
	struct result_verdict verdict = result_verdict(v->job);
	double change;

	if (!verdict.judged || verdict.steady || warms_up(v->job, &change))
		return false;
	return say(text, "in five parts it varies by %.0f %% (%d would be steady) and moves by "
			"%.0f %% (%d)", verdict.range_percent, STEADY_RANGE_PERCENT,
			verdict.movement_percent, STEADY_MOVEMENT_PERCENT);
}

static bool see_warming(const struct view *v, char *text)
{
	double change;

	return warms_up(v->job, &change) && say(text,
			"the first second moved %.0f %% %s than the others", fabs(change),
			change < 0 ? "less" : "more");
}

/* I/Os behind their schedule: by how much on average, against the time between two of them. */
static bool see_schedule(const struct view *v, char *text)
{
	for (int d = 0; d < RESULT_DIRS; d++) {
		const struct result_dir *dir = &v->job->dir[d];
		double interval, lag;

		if (!dir->response.n)
			continue;
		if (share(dir->due, dir->due + dir->ios) >= due_min)
			return say(text, "%llu of %llu %ss that were due never started",
					(unsigned long long)dir->due,
					(unsigned long long)(dir->due + dir->ios),
					result_dir_name(d));
		lag = dist_mean(&dir->response) - dist_mean(result_lat(dir));
		interval = (double)v->job->runtime_ns / (double)dir->response.n;
		if (lag >= LAG_NS && lag >= 2 * interval)
			return say(text, "%ss started %s late on average, the latest by %s",
					result_dir_name(d), time_of((uint64_t)lag).text,
					time_of(dir->lag_max_ns).text);
	}
	return false;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct rule {
	enum doubt kind;
	rule_fn *see;
};

static const struct rule seen_rules[] = {
	{ DOUBT_HOLES, see_holes },
	{ DOUBT_UNWRITTEN, see_unwritten },
	{ DOUBT_CACHED, see_cached },
	{ DOUBT_INDIRECT, see_indirect },
	{ DOUBT_BOUNCED, see_bounced },
	{ DOUBT_SQUEEZED, see_squeezed },
	{ DOUBT_NO_DEVICE, see_no_device },
	{ DOUBT_PARTITION, see_partition },
	{ DOUBT_BLOCKS, see_blocks },
	{ DOUBT_GENERATOR, see_generator },
	{ DOUBT_CPU_WAIT, see_cpu_wait },
	{ DOUBT_SYNCHRONOUS, see_synchronous },
	{ DOUBT_DEPTH, see_depth },
	{ DOUBT_OTHER_CPU, see_other_cpu },
	{ DOUBT_OTHER_IO, see_other_io },
	{ DOUBT_STOLEN, see_stolen },
	{ DOUBT_MEMORY, see_memory },
	{ DOUBT_CPU_LIMIT, see_cpu_limit },
	{ DOUBT_IO_LIMIT, see_io_limit },
	{ DOUBT_MEMORY_LIMIT, see_memory_limit },
	{ DOUBT_FREQUENCY, see_frequency },
	{ DOUBT_HEAT, see_heat },
};

static const struct rule figure_rules[] = {
	{ DOUBT_SHORT, see_short },
	{ DOUBT_UNSTEADY, see_unsteady },
	{ DOUBT_WARMING, see_warming },
	{ DOUBT_SCHEDULE, see_schedule },
};

/* What failed, was interrupted or never ran is no result that could be doubted. */
static bool judged(const struct result_job *job)
{
	return !job->skipped && !result_failed(job) && job->elapsed_ns
			&& job->end != RESULT_END_INTERRUPTED;
}

static int apply(const struct rule *rules, size_t n, const struct view *v)
{
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		char text[TEXT];

		if (rules[i].see(v, text))
			r = doubt_add_job(v->job, rules[i].kind, "%s", text);
	}
	return r;
}

int doctor_judge(struct result_job *job, const struct doctor_job *seen,
		const struct doctor_stage *stage)
{
	const struct view view = { job, seen, stage };

	return judged(job) ? apply(seen_rules, sizeof(seen_rules) / sizeof(seen_rules[0]), &view)
			   : 0;
}

/* The percentile that is asked for first and has too few operations; 0: none. */
static double unsupported(const struct result *result, const struct result_job *job,
		const struct dist *dist)
{
	static const double usual[] = { 99 };
	bool asked = result_option(result, job, "percentile_list");
	const double *list = asked ? job->percentiles : usual;
	size_t n = asked ? job->npercentiles : 1;

	for (size_t i = 0; i < n; i++) {
		if (!dist_supports(dist, list[i]))
			return list[i];
	}
	return 0;
}

static int judge_few(const struct result *result, struct result_job *job)
{
	for (int d = 0; d < RESULT_DIRS; d++) {
		const struct dist *dist = result_lat(&job->dir[d]);
		double percentile = dist->n ? unsupported(result, job, dist) : 0;

		if (percentile > 0)
			return doubt_add_job(job, DOUBT_FEW,
					"%llu %ss are too few for p%.6g",
					(unsigned long long)dist->n, result_dir_name(d),
					percentile);
	}
	return 0;
}

/* For how many I/Os, or operations and calls of PostMark's, the time was taken. */
static uint64_t times_taken(const struct result_job *job)
{
	uint64_t n = 0;

	for (int d = 0; d < RESULT_DIRS; d++)
		n += result_lat(&job->dir[d])->n;
	for (int k = 0; k < RESULT_KINDS; k++)
		n += job->postmark.whole[k].n;
	for (int c = 0; c < RESULT_CALLS; c++)
		n += job->postmark.call[c].n;
	return n;
}

/* The program's own cost an I/O, against the time that a worker had for each. */
static int judge_cost(const struct result *result, struct result_job *job)
{
	double cost = job->sync_engine ? result->cost_execute_ns : result->cost_submit_ns;
	uint64_t ios = times_taken(job);
	double part;

	part = job->runtime_ns ? cost * (double)ios / (double)job->runtime_ns : 0;
	if (part < cost_min)
		return 0;
	return doubt_add_job(job, DOUBT_OWN_COST,
			"%.0f ns of the %.0f ns for each I/O are iojob's own", cost,
			(double)job->runtime_ns / (double)ios);
}

static int judge_figures(const struct result *result, struct result_job *jobs, size_t n)
{
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		const struct view view = { .job = &jobs[i] };

		if (!judged(&jobs[i]))
			continue;
		r = apply(figure_rules, sizeof(figure_rules) / sizeof(figure_rules[0]), &view);
		if (!r)
			r = judge_few(result, &jobs[i]);
		if (!r)
			r = judge_cost(result, &jobs[i]);
	}
	return r;
}

static bool has_closed_loop(const struct result *result)
{
	for (size_t i = 0; i < result->njobs; i++) {
		const struct result_job *job = &result->jobs[i];

		if (judged(job) && !job->dir[0].response.n && !job->dir[1].response.n
				&& !job->dir[2].response.n)
			return true;
	}
	return false;
}

static int judge_whole(struct result *result)
{
	const struct facts facts = facts_of(result);
	struct result_doubt **doubts = &result->doubts;
	size_t *n = &result->ndoubts;
	int r = 0;

	if (fabs(result->clock_drift_ppm) > drift_ppm_max)
		r |= doubt_add(doubts, n, DOUBT_CLOCK, "it parted from CLOCK_MONOTONIC by %.0f ppm",
				result->clock_drift_ppm);
	if (facts_get(&facts, "host.hypervisor"))
		r |= doubt_add(doubts, n, DOUBT_VIRTUAL, "this is a virtual machine");
	if (result->nrepeats < 2)
		r |= doubt_add(doubts, n, DOUBT_ONE_RUN, "one run: nothing is known of the spread");
	if (has_closed_loop(result))
		r |= doubt_add(doubts, n, DOUBT_CLOSED_LOOP,
				"jobs without a rate are closed loops");
	if (facts.n && !facts_get(&facts, "cpu.governor"))
		r |= doubt_add(doubts, n, DOUBT_NO_FREQUENCY,
				"the CPU's frequency cannot be seen here");
	return r ? -ENOMEM : 0;
}

int doctor_judge_result(struct result *result)
{
	int r = 0;

	/* The jobs of a result with repeats are views of some of theirs. */
	if (!result->nrepeats)
		r = judge_figures(result, result->jobs, result->njobs);
	for (size_t i = 0; !r && i < result->nrepeats; i++)
		r = judge_figures(result, result->repeats[i].jobs, result->repeats[i].njobs);
	return r ? r : judge_whole(result);
}

static void keep_name(char name[DOCTOR_NAME], const char *other)
{
	if (!name[0])
		memcpy(name, other, DOCTOR_NAME);
}

void doctor_job_merge(struct doctor_job *job, const struct doctor_job *other)
{
	job->cached_reads.claimed += other->cached_reads.claimed;
	job->cached_reads.moved += other->cached_reads.moved;
	job->direct_reads.claimed += other->direct_reads.claimed;
	job->direct_reads.moved += other->direct_reads.moved;
	job->lazy_bytes += other->lazy_bytes;
	job->direct_bytes += other->direct_bytes;
	job->left_bytes += other->left_bytes;
	job->read_region += other->read_region;
	job->hole_bytes += other->hole_bytes;
	job->blind_region += other->blind_region;
	job->blind_cached += other->blind_cached;
	job->memory = (job->memory || !job->files) && other->memory;
	job->files |= other->files;
	job->device |= other->device;
	job->buffered |= other->buffered;
	keep_name(job->device_name, other->device_name);
	keep_name(job->loop, other->loop);
	if (!job->partition[0])
		job->partition_bytes = other->partition_bytes;
	keep_name(job->partition, other->partition);
	if (!job->odd_bytes) {
		job->odd_bytes = other->odd_bytes;
		job->physical_bytes = other->physical_bytes;
	}
	keep_name(job->store, other->store);
	job->asked_ns += other->asked_ns;
	job->cpu_wait_ns += other->cpu_wait_ns;
	job->punted = fmax(job->punted, other->punted);
	job->paced |= other->paced;
	job->polls |= other->polls;
	job->batches |= other->batches;
	job->wants_cache |= other->wants_cache;
}
