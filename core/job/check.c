// SPDX-License-Identifier: MIT
/* The rules across options. What depends on files and devices is the plan's to judge. */
#include "job.h"
#include "list.h"
#include "units.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The key to blame stands in front of the text with its file and line. */
static int refuse(const struct job *job, const char *key, struct err *err, const char *format, ...)
		__attribute__((format(printf, 4, 5)));

static int refuse(const struct job *job, const char *key, struct err *err, const char *format, ...)
{
	char text[sizeof(err->text)];
	const char *path;
	unsigned line;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	job_where(job, key, &path, &line);
	return err_at(err, EINVAL, path, line, "%s", text);
}

/*
 * What a PostMark job may say beside its own keys. Any other key would be of no effect, and so is
 * refused rather than ignored; a new one, until somebody puts it here.
 */
static const char *const beside_postmark[] = {
	"name", "description", "ioengine", "directory", "numjobs", "direct", "buffered", "runtime",
	"startdelay", "stonewall", "exitall", "grace", "thread", "cpus_allowed", "new_group",
	"group_reporting", "sync", "percentile_list", "bwavgtime", "iopsavgtime", "workload",
	"optional", "kb_base", "repeat",
};

static bool is_beside_postmark(const char *key)
{
	for (size_t i = 0; i < sizeof(beside_postmark) / sizeof(beside_postmark[0]); i++)
		if (!strcmp(beside_postmark[i], key))
			return true;
	return !strncmp(key, "postmark_", 9);
}

static int check_locations(const struct job *job, struct err *err)
{
	const char *list = job->o.postmark_location;
	int r = 0;

	if (!list)
		return 0;
	if (job_given(job, "directory"))
		return refuse(job, "directory", err, "directory: postmark_location is set as well; "
				"only one of them can count");
	do {
		uint32_t weight;
		char *name = NULL;

		r = list_weighted(&list, &name, &weight);
		free(name);
	} while (!r && *list);
	if (r == -EINVAL)
		return refuse(job, "postmark_location", err,
				"postmark_location = %s: must be PATH[:WEIGHT], several with a "
				"comma between them, and a WEIGHT a number from 1 to 1000000",
				job->o.postmark_location);
	return r ? err_memory(err) : 0;
}

static int check_workload(struct job *job, struct err *err)
{
	const struct iojob_engine *e = job->engine ? &job->engine->e : NULL;

	for (size_t i = 0; !job_is_postmark(job) && i < job->nown; i++) {
		if (!strncmp(job->own[i].key, "postmark", 8))
			return refuse(job, job->own[i].key, err,
					"%s: only workload=postmark has a use for it",
					job->own[i].key);
	}
	if (!job_is_postmark(job))
		return 0;
	for (const struct iojob_option *row = job_options; row->name; row++) {
		if (job_given(job, row->name) && !is_beside_postmark(row->name))
			return refuse(job, row->name, err,
					"%s: workload=postmark has no use for it", row->name);
	}
	/* An engine like null opens nothing; any other keeps files that no worker can make. */
	if (e && e->flags & IOJOB_ENGINE_NO_FD && e->file_open)
		return refuse(job, "ioengine", err,
				"ioengine = %s: workload=postmark makes and removes files, and "
				"this engine's are names that only it understands", e->name);
	return check_locations(job, err);
}

static int check_sizes(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;

	if (job_given(job, "bs") && job_given(job, "bsrange"))
		return refuse(job, "bsrange", err,
				"bsrange: bs is set as well; only one of them can count");
	for (int d = 0; d < JOB_DIRS; d++) {
		job->bs_min[d] = o->bsrange[d][0] ? o->bsrange[d][0] : o->bs[d];
		job->bs_max[d] = o->bsrange[d][0] ? o->bsrange[d][1] : o->bs[d];
	}
	if (job_is_postmark(job)) {
		job->bs_min[IOJOB_READ] = job->bs_max[IOJOB_READ] = o->postmark_read;
		job->bs_min[IOJOB_WRITE] = job->bs_max[IOJOB_WRITE] = o->postmark_write;
	}
	return 0;
}

static int check_direct(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;
	bool direct_given = job_given(job, "direct");
	bool buffered_given = job_given(job, "buffered");
	const char *key = direct_given ? "direct" : "buffered";

	if (direct_given && buffered_given && o->direct == o->buffered)
		return refuse(job, "buffered", err, "buffered = %d: contradicts direct = %d",
				o->buffered, o->direct);
	job->direct = direct_given ? o->direct : !o->buffered;
	if (!job->engine || !(job->engine->e.flags & IOJOB_ENGINE_DIRECT))
		return 0;
	if (!job->direct && (direct_given || buffered_given))
		return refuse(job, key, err, "%s = %d: the engine %s always uses O_DIRECT", key,
				direct_given ? o->direct : o->buffered, job->engine->e.name);
	job->direct = true;
	return 0;
}

static int check_ops(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;
	const bool writes = job_does(job, IOJOB_WRITE);
	const char *rw = job_is_postmark(job) ? "workload" : "rw";
	const struct {
		enum iojob_op op;
		const char *key; /* what asks for it */
		bool wanted;
	} wants[] = {
		{ IOJOB_READ, rw, job_does(job, IOJOB_READ) },
		{ IOJOB_WRITE, rw, writes },
		{ IOJOB_TRIM, "rw", job_does(job, IOJOB_TRIM) },
		{ IOJOB_FSYNC, "fsync", writes && o->fsync },
		{ IOJOB_FSYNC, "end_fsync", writes && o->end_fsync },
		{ IOJOB_FSYNC, "fsync_on_close", writes && o->fsync_on_close },
		{ IOJOB_FDATASYNC, "fdatasync", writes && o->fdatasync },
		{ IOJOB_FSYNC, "postmark_fsync", job_is_postmark(job) && o->postmark_fsync },
	};

	job->ops = 0;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		if (!wants[i].wanted)
			continue;
		job->ops |= IOJOB_OP_BIT(wants[i].op);
		if (job->engine && !(job->engine->e.ops & IOJOB_OP_BIT(wants[i].op)))
			return refuse(job, wants[i].key, err, "%s: the engine %s does no %s",
					wants[i].key, job->engine->e.name,
					engine_op_name(wants[i].op));
	}
	return 0;
}

static int check_mix(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;
	bool write_given = job_given(job, "rwmixwrite");

	if (job_given(job, "rwmixread") && write_given && o->rwmixread + o->rwmixwrite != 100)
		return refuse(job, "rwmixwrite", err,
				"rwmixwrite = %d: together with rwmixread = %d it must be 100",
				o->rwmixwrite, o->rwmixread);
	job->mix_read = write_given ? 100 - o->rwmixwrite : o->rwmixread;
	return 0;
}

/* The key that gave the modifier: mostly rw itself. */
static const char *modifier_key(const struct job *job)
{
	const char *path;
	unsigned line;

	job_where(job, "rw_modifier", &path, &line);
	return path == job->path && line == job->line ? "rw" : "rw_modifier";
}

/* Of a sequential job: a size, or a number of blocks ("2bs") with *blocks set; without its sign. */
static bool parse_step(const struct job *job, const char *text, uint64_t *n, bool *blocks)
{
	size_t length = strlen(text);
	char number[32];
	const char *why;

	if (length >= sizeof(number) || *text < '0' || *text > '9')
		return false;
	*blocks = length > 2 && strcmp(text + length - 2, "bs") == 0;
	memcpy(number, text, length + 1);
	number[*blocks ? length - 2 : length] = '\0';
	if (*blocks && number[strspn(number, "0123456789")])
		return false;
	return units_size(number, (unsigned)job->o.kb_base, n, &why) == 0 && *n <= INT64_MAX;
}

static int check_step(struct job *job, const char *key, struct err *err)
{
	const char *text = job->o.rw_modifier;
	bool back = *text == '-', blocks;
	uint64_t n;

	if (!parse_step(job, text + (back || *text == '+'), &n, &blocks))
		return refuse(job, key, err,
				"%s: `%s` must be a size or a number of blocks, as in 64k, -8k, "
				"-2bs",
				key, text);
	for (int d = 0; d < JOB_DIRS; d++) {
		uint64_t unit = blocks ? job->bs_min[d] : 1;

		if (n > INT64_MAX / unit)
			return refuse(job, key, err, "%s: `%s` is too large", key, text);
		job->step[d] = back ? -(int64_t)(n * unit) : (int64_t)(n * unit);
	}
	return 0;
}

static int check_run(struct job *job, const char *key, struct err *err)
{
	const char *text = job->o.rw_modifier;
	int64_t n = 0;
	const char *why;

	if (text[strspn(text, "0123456789")] || units_int(text, &n, &why) || n < 1 || n > INT_MAX)
		return refuse(job, key, err,
				"%s: `%s` must be a number of I/Os, 1 or more: of a random job it "
				"says how many there are for each random offset",
				key, text);
	job->run = (unsigned)n;
	return 0;
}

static int check_modifier(struct job *job, struct err *err)
{
	const char *key = modifier_key(job);

	if (!job->o.rw_modifier)
		return 0;
	if (job_does(job, IOJOB_TRIM))
		return refuse(job, key, err, "%s: trims go in plain order; `%s` is for reads and "
				"writes", key, job->o.rw_modifier);
	return job_random(job) ? check_run(job, key, err) : check_step(job, key, err);
}

static int check_zones(struct job *job, struct err *err)
{
	static const char *const keys[] = { "zonesize", "zonerange", "zoneskip" };
	const struct job_opts *o = &job->o;

	for (size_t i = 0; i < 3 && o->zonemode == JOB_ZONEMODE_NONE; i++) {
		if (job_given(job, keys[i]))
			return refuse(job, keys[i], err, "%s: needs zonemode=strided", keys[i]);
	}
	if (o->zonemode == JOB_ZONEMODE_NONE)
		return 0;
	if (!o->zonesize)
		return refuse(job, "zonemode", err, "zonemode = strided: needs zonesize=");
	if (o->rw_modifier)
		return refuse(job, "zonemode", err,
				"zonemode = strided: rw has a modifier, `%s`; only one of them can "
				"say what comes next",
				o->rw_modifier);
	if (job_nfiles(job) > 1)
		return refuse(job, "zonemode", err, "zonemode = strided: for one file only");
	job->zone_range = o->zonerange ? o->zonerange : o->zonesize;
	for (int d = 0; d < JOB_DIRS; d++) {
		if (job->ops & IOJOB_OP_BIT(d) && job_random(job) &&
				job->bs_max[d] > job->zone_range)
			return refuse(job, o->zonerange ? "zonerange" : "zonesize", err,
					"%s: smaller than a block, of which a random job needs one "
					"in each zone",
					o->zonerange ? "zonerange" : "zonesize");
	}
	return 0;
}

static int check_depth(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;
	const struct iojob_engine *e = job->engine ? &job->engine->e : NULL;

	if (e && e->submit && e->max_depth && (uint32_t)o->iodepth > e->max_depth)
		return refuse(job, "iodepth", err, "iodepth = %d: the engine %s goes up to %u",
				o->iodepth, e->name, e->max_depth);
	if (o->iodepth_batch > o->iodepth)
		return refuse(job, "iodepth_batch", err,
				"iodepth_batch = %d: larger than iodepth, which is %d",
				o->iodepth_batch, o->iodepth);
	if (o->iodepth_batch_complete_min > o->iodepth)
		return refuse(job, "iodepth_batch_complete_min", err,
				"iodepth_batch_complete_min = %d: larger than iodepth, which is %d",
				o->iodepth_batch_complete_min, o->iodepth);
	if (o->iodepth_batch_complete_max &&
			o->iodepth_batch_complete_max < o->iodepth_batch_complete_min)
		return refuse(job, "iodepth_batch_complete_max", err,
				"iodepth_batch_complete_max = %d: smaller than "
				"iodepth_batch_complete_min, which is %d",
				o->iodepth_batch_complete_max, o->iodepth_batch_complete_min);
	return 0;
}

static int check_time(struct job *job, struct err *err)
{
	if (job->o.time_based && !job->o.runtime)
		return refuse(job, "time_based", err,
				"time_based: needs runtime=, or the job would never end");
	return 0;
}

static int check_rate(struct job *job, struct err *err)
{
	for (int d = 0; d < JOB_DIRS; d++)
		if (job->o.rate[d] && job->o.rate_iops[d])
			return refuse(job, "rate_iops", err,
					"rate_iops: rate is set as well; only one of them can "
					"count for a %s",
					engine_op_name((unsigned)d));
	return 0;
}

static int check_workers(struct job *job, struct err *err)
{
	if (job->engine && job->engine->e.flags & IOJOB_ENGINE_ONE_WORKER && job->o.numjobs > 1)
		return refuse(job, "numjobs", err,
				"numjobs = %d: the engine %s can only have one worker",
				job->o.numjobs, job->engine->e.name);
	return 0;
}

static int check_files(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;

	if (o->directory && list_has_empty(o->directory))
		return refuse(job, "directory", err, "directory = %s: one of the names is empty",
				o->directory);
	if (o->filename && list_has_empty(o->filename))
		return refuse(job, "filename", err, "filename = %s: one of the names is empty",
				o->filename);
	return 0;
}

static int check_buffers(struct job *job, struct err *err)
{
	if (job->o.zero_buffers && job->o.buffer_pattern)
		return refuse(job, "buffer_pattern", err,
				"buffer_pattern: zero_buffers is set as well; only one of them can "
				"count");
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static int check_percentiles(struct job *job, struct err *err)
{
	const char *list = job->o.percentile_list;
	double *p = job->percentiles;
	size_t n = 0;

	for (const char *at = list;;) {
		size_t length = strcspn(at, ":");
		char *end = NULL;
		double value = length && strspn(at, "0123456789.") >= length ? strtod(at, &end) : 0;

		if (value <= 0 || value > 100 || end != at + length)
			return refuse(job, "percentile_list", err,
					"percentile_list: `%.*s` is no number above 0 and up to "
					"100",
					(int)length, at);
		if (n == JOB_PERCENTILES)
			return refuse(job, "percentile_list", err,
					"percentile_list: more than %d numbers", JOB_PERCENTILES);
		p[n++] = value;
		if (!at[length])
			break;
		at += length + 1;
	}
	qsort(p, n, sizeof(*p), by_value);
	job->npercentiles = 1;
	for (size_t i = 1; i < n; i++)
		if (p[i] > p[job->npercentiles - 1])
			p[job->npercentiles++] = p[i];
	return 0;
}

static int check_thresholds(struct job *job, struct err *err)
{
	const char *list = job->o.lat_thresholds;
	uint64_t *ns = job->thresholds_ns, last = 0;

	job->nthresholds = 0;
	for (const char *at = list; at; at = *at ? at + 1 : NULL) {
		size_t n = job->nthresholds, length = strcspn(at, ",");
		char text[64];
		const char *why = "must be above 0";

		snprintf(text, sizeof(text), "%.*s", (int)length, at);
		if (n == JOB_THRESHOLDS)
			return refuse(job, "lat_thresholds", err,
					"lat_thresholds: more than %d times", JOB_THRESHOLDS);
		if (length >= sizeof(text) || units_time(text, 1000000000, &ns[n], &why)
				|| !ns[n])
			return refuse(job, "lat_thresholds", err, "lat_thresholds: `%s`: %s", text,
					why);
		if (ns[n] <= last)
			return refuse(job, "lat_thresholds", err,
					"lat_thresholds: `%s` is not longer than the one before",
					text);
		last = ns[job->nthresholds++];
		at += length;
	}
	return 0;
}

static int check_steady(struct job *job, struct err *err)
{
	const struct job_opts *o = &job->o;
	const uint64_t second = 1000000000;
	const char *why;
	uint64_t least;

	if (steady_parse(&job->steady, o->steadystate, (unsigned)o->kb_base, &why))
		return refuse(job, "steadystate", err, "steadystate = %s: %s", o->steadystate,
				why);
	if (job_given(job, "steadystate") && !job_given(job, "steadystate_duration"))
		return refuse(job, "steadystate", err,
				"steadystate: needs steadystate_duration=, or it is never asked");
	least = job->steady.kind == STEADY_SNIA ? STEADY_ROUNDS : 2;
	if (o->steadystate_duration && (o->steadystate_duration % second
			|| o->steadystate_duration < least * second))
		return refuse(job, "steadystate_duration", err,
				"steadystate_duration: must be whole seconds, and %llu at least",
				(unsigned long long)least);
	return 0;
}

/* A whole number at *text, which moves behind it; -1: there is none that could be a CPU. */
static int cpu_number(const char **text)
{
	char *end;
	long n = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : -1;

	if (n < 0 || n >= CPU_SETSIZE)
		return -1;
	*text = end;
	return (int)n;
}

int job_cpus(const struct job *job, cpu_set_t *set)
{
	const char *text = job->o.cpus_allowed;

	CPU_ZERO(set);
	if (!text)
		return -EINVAL;
	for (;; text++) {
		int first = cpu_number(&text);
		int last = first;

		if (*text == '-') {
			text++;
			last = cpu_number(&text);
		}
		if (first < 0 || last < first || (*text && *text != ','))
			return -EINVAL;
		for (int cpu = first; cpu <= last; cpu++)
			CPU_SET((size_t)cpu, set);
		if (!*text)
			return 0;
	}
}

static int check_cpus(struct job *job, struct err *err)
{
	cpu_set_t set;

	if (job->o.cpus_allowed && job_cpus(job, &set))
		return refuse(job, "cpus_allowed", err,
				"cpus_allowed = %s: must be CPUs from 0 to %d and ranges of them, "
				"as in 0-3,5",
				job->o.cpus_allowed, CPU_SETSIZE - 1);
	return 0;
}

int job_check(struct job *job, struct err *err)
{
	static int (*const rules[])(struct job * job, struct err * err) = {
		check_workload,
		check_sizes,
		check_direct,
		check_ops,
		check_mix,
		check_modifier,
		check_zones,
		check_depth,
		check_time,
		check_rate,
		check_workers,
		check_files,
		check_buffers,
		check_percentiles,
		check_thresholds,
		check_steady,
		check_cpus,
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		int rc = rules[i](job, err);

		if (rc)
			return rc;
	}
	return 0;
}

/* Two jobs whose results become one. */
static int check_pair(const struct job *a, const struct job *b, struct err *err)
{
	if (a->nthresholds != b->nthresholds
			|| memcmp(a->thresholds_ns, b->thresholds_ns, sizeof(a->thresholds_ns)))
		return refuse(b, "lat_thresholds", err,
				"lat_thresholds: not those of [%s], with which [%s] is reported as "
				"one (group_reporting)", a->section, b->section);
	if (a->o.steadystate_duration != b->o.steadystate_duration
			|| a->o.steadystate_ramp_time != b->o.steadystate_ramp_time
			|| !steady_same(&a->steady, &b->steady))
		return refuse(b, "steadystate", err,
				"steadystate: not that of [%s], with which [%s] is judged as one "
				"(group_reporting)", a->section, b->section);
	return 0;
}

/* The job's own pair of a file, not of the command line; NULL: there is none. */
static const struct jobfile_pair *own_pair(const struct job *job, const char *key)
{
	for (size_t i = 0; i < job->nown; i++) {
		if (job->own[i].line && job_same_key(job->own[i].key, key))
			return &job->own[i];
	}
	return NULL;
}

int job_check_repeat(struct jobs *jobs, struct err *err)
{
	const struct job *other = NULL;

	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *job = &jobs->list[i];
		const struct jobfile_pair *pair = own_pair(job, "repeat");
		unsigned line;
		const char *path;

		if (pair)
			return err_at(err, EINVAL, pair->path, pair->line, "repeat: is of the "
					"whole plan, all jobs in their order, and belongs into "
					"[global]");
		if (!job_given(job, "repeat"))
			continue;
		if (other && other->o.repeat != job->o.repeat) {
			job_where(job, "repeat", &path, &line);
			return err_at(err, EINVAL, path, line, "repeat = %d: [%s] is to be "
					"repeated %d times, and all are repeated together; "
					"--repeat=N says it for all", job->o.repeat,
					other->section, other->o.repeat);
		}
		other = job;
		jobs->repeat = (unsigned)job->o.repeat;
	}
	return 0;
}

int job_check_groups(const struct jobs *jobs, struct err *err)
{
	int r = 0;

	for (size_t i = 1; i < jobs->n && !r; i++) {
		const struct job *a = &jobs->list[i - 1], *b = &jobs->list[i];

		if (a->group == b->group && a->o.group_reporting && b->o.group_reporting)
			r = check_pair(a, b, err);
	}
	return r;
}
