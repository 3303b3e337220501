/* SPDX-License-Identifier: MIT */
/*
 * The result of a run: plain data, made once after the workers are gone, or read back from a file.
 * Every output format works on this alone. Everything in it that belongs to a job merges by
 * addition (result_job_merge). Times are ns unless the name says otherwise; strings are owned and
 * never NULL unless the comment says so.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../measure/dist.h"
#include "../measure/steady.h"

enum { RESULT_SCHEMA = 1 }; /* moves when a field of ours changes its meaning */

enum { RESULT_DIRS = 3 };   /* read, write, trim */
enum { RESULT_DEPTHS = 8 }; /* see STAT_DEPTHS */
enum { RESULT_THRESHOLDS = 8, RESULT_PERCENTILES = 20 }; /* as many as a job may have */

/*
 * Samples of a rate over fixed intervals. Workers at the same time add their rates: the merged
 * mean, min and max are sums, and so is the variance.
 */
struct result_samples {
	uint64_t n;
	double min;
	double max;
	double sum;
	double sumsq;
};

/*
 * The course of a job: what it did in each interval of its measured phase (end_fsync is not in it).
 * The last one is cut short, all others are whole. Workers at the same time add theirs, interval by
 * interval; the workers of a group on one machine have one course, with the first of them.
 */
struct result_series {
	uint64_t interval_ns; /* 0: there is none */
	uint64_t *bytes;      /* one an interval; owned */
	uint64_t *ios;
	size_t n;
};

struct result_dir {
	uint64_t ios;     /* completed */
	uint64_t bytes;   /* moved */
	uint64_t shorts;
	uint64_t errors;
	uint64_t above[RESULT_THRESHOLDS]; /* I/Os that took longer than the job's thresholds */
	uint64_t runtime_ns; /* longest of the workers merged; 0 where the job never did this */
	struct dist slat;    /* empty for a synchronous engine */
	struct dist clat;
	struct dist lat;
	struct dist response; /* from the intended start; only with a rate */
	uint64_t late;        /* started after their intended start */
	uint64_t due;         /* due by the schedule, never started */
	uint64_t lag_max_ns;
	struct result_samples bw;   /* bytes/s */
	struct result_samples iops; /* 1/s */
	struct result_series series;
};

/* steadystate: the rule that ends a job, and whether it did. */
struct result_steady {
	struct steady_rule rule;
	uint64_t window_ns; /* steadystate_duration; 0: there is no rule */
	uint64_t ramp_ns;
	uint64_t attained;  /* the rule held after so many samples of the course; 0: never */
};

/* What PostMark counts: in each of its phases, each kind of operation (see load/postmark.h). */
enum { RESULT_CREATION, RESULT_TRANSACTIONS, RESULT_DELETION, RESULT_PHASES };
enum { RESULT_CREATE, RESULT_READ, RESULT_APPEND, RESULT_DELETE, RESULT_KINDS };
enum { RESULT_CREAT, RESULT_OPEN, RESULT_CLOSE, RESULT_CALLS };

struct result_postmark {
	uint64_t done[RESULT_PHASES][RESULT_KINDS];
	uint64_t transactions;
	uint64_t skipped;    /* creates left out, since as many files as there may be were there */
	bool dry;            /* the transactions ended early, since no file was left */
	uint64_t phase_ns[RESULT_PHASES]; /* longest of the workers merged */
	struct dist whole[RESULT_KINDS]; /* an operation from its beginning to its end */
	struct dist call[RESULT_CALLS];  /* open(2) of a new file, of one that is there, close(2) */
	/* What its files moved to and from devices, bytes; of a run that made none, 0. */
	bool device_known;
	uint64_t device_read;
	uint64_t device_written; /* what the page cache was given, or the device at once ... */
	uint64_t device_cancelled; /* ... less this, which was deleted before it was sent there */
};

/* Why the job stopped. */
enum result_end {
	RESULT_END_WORK,        /* all of its work was done */
	RESULT_END_RUNTIME,     /* runtime was over */
	RESULT_END_STEADY,      /* steadystate was attained */
	RESULT_END_ERROR,       /* an I/O failed */
	RESULT_END_DIED,        /* a worker died of a signal or exited */
	RESULT_END_HUNG,        /* an I/O never came back */
	RESULT_END_INTERRUPTED, /* Ctrl-C */
	RESULT_END_OTHER,       /* another job's exitall */
};

/* One axis value of a job out of a `vary`. */
struct result_axis {
	char *name;
	char *label;
};

struct result_option {
	char *key;
	char *value; /* as written; "" for a bare key (fio's echo) */
};

/* Something known of where and how it ran: "kernel.release", "disk.vda.scheduler". */
struct result_fact {
	char *key;
	char *value;
};

/* A reason to doubt a result, or a plain fact that a reader should know with it. */
struct result_doubt {
	char *id;       /* "C3": what --accept takes */
	bool fact;      /* counts for nothing in --strict */
	bool accepted;  /* waived by --accept */
	char *evidence; /* what was seen, with figures */
	char *advice;   /* what to do about it; "" for none */
};

struct result_job {
	char *file; /* the job file; "" where that is not known */
	char *name;
	char *section;
	char *description; /* "" for none */
	char *engine;
	char *rw; /* as fio writes it: "randread" */
	uint64_t bs_min[RESULT_DIRS];
	uint64_t bs_max[RESULT_DIRS];
	unsigned iodepth;
	bool direct;
	bool sync_engine; /* driven through execute */
	bool grouped;     /* several workers merged (group_reporting) */
	bool lat_percentiles;
	unsigned workers; /* merged in here */
	unsigned group;   /* group id */
	unsigned stage;   /* which stage, from 0 */
	unsigned repeat;  /* of which repeat, from 1; 0: the plan ran once */
	uint64_t seed;
	uint64_t start_ms; /* since the epoch: when its stage was released */

	struct result_axis *axes;
	size_t naxes;
	struct result_option *options; /* "job options" */
	size_t noptions;
	/*
	 * Every key of the job table as the run took it, in the table's order and in one spelling,
	 * then the engine's own keys: what compare looks at.
	 */
	struct result_option *resolved;
	size_t nresolved;

	int error;            /* first errno of a worker, or 0 */
	char *error_text;     /* "" for none: file, offset and what failed; a signal; a hang */
	enum result_end end;
	char *skipped;        /* reason, or NULL where it ran */

	struct result_dir dir[RESULT_DIRS];
	struct result_postmark postmark; /* zero where the job is none of PostMark's */
	uint64_t syncs;
	struct dist sync;     /* fsync and fdatasync */
	uint64_t end_sync_ns; /* longest end_fsync of the workers */
	uint64_t end_syncs_ns; /* that of all of them, added: nothing is in flight then */

	uint64_t runtime_ns;  /* of the workers, added: what CPU shares are relative to */
	uint64_t elapsed_ns;  /* longest worker */
	/*
	 * From when the workers were released until the last one was through, startdelay and
	 * ramp_time apart: workers that come late to a busy CPU make it longer than elapsed_ns.
	 */
	uint64_t phase_ns;
	uint64_t cpu_user_ns; /* added, during the measured phase */
	uint64_t cpu_sys_ns;
	uint64_t ctx;         /* context switches, voluntary and not */
	uint64_t majf;
	uint64_t minf;

	uint64_t thresholds_ns[RESULT_THRESHOLDS]; /* lat_thresholds */
	size_t nthresholds;
	struct result_steady steady;

	uint64_t depth[RESULT_DEPTHS];
	uint64_t submit[RESULT_DEPTHS];
	uint64_t complete[RESULT_DEPTHS];

	double percentiles[RESULT_PERCENTILES]; /* which ones to print */
	size_t npercentiles;

	/* Before the run. */
	uint64_t layout_bytes; /* written to have something to read */
	uint64_t layout_ns;

	struct result_doubt *doubts;
	size_t ndoubts;
};

/* One block device under the files, over the measured stages that used it. */
struct result_disk {
	char *name; /* "vda" */
	uint64_t read_ios;
	uint64_t write_ios;
	uint64_t read_merges;
	uint64_t write_merges;
	uint64_t read_ticks_ms;
	uint64_t write_ticks_ms;
	uint64_t in_queue_ms;
	uint64_t read_sectors; /* 512 bytes */
	uint64_t write_sectors;
	double util_percent;
};

/* Where the files are: the first lines of the text. */
struct result_place {
	char *directory;
	char *filesystem; /* "ext4" */
	char *device;     /* "vda", or "none" */
	uint64_t need_bytes;
	uint64_t free_bytes;
};

/* The whole plan, run once. */
struct result_repeat {
	uint64_t started_ms; /* since the epoch */
	uint64_t ended_ms;
	/*
	 * In the order of the plan, whatever turns its files took: jobs[i] is the same one in all
	 * repeats, and start_ms says when it ran.
	 */
	struct result_job *jobs;
	size_t njobs;
};

/* The rule that ended the repeats (--until). */
struct result_until {
	char *metric;          /* its name; NULL: there was no rule */
	double percent;        /* how wide the interval of a median may be, of the median */
	double widest_percent; /* how wide it was at the end, of the job where it was widest */
	bool reached;
};

struct result {
	char *version;   /* of the program that measured it */
	bool fio;        /* that was fio: read back from a file of its */
	char *command;   /* the command line */
	uint64_t started_ms; /* since the epoch */
	uint64_t ended_ms;
	char *host;
	char *kernel;    /* uname -srm */
	bool clock_tsc;
	double clock_read_ns; /* cost of one reading */
	double clock_drift_ppm;
	double cost_execute_ns; /* what an I/O costs the program itself: see struct cost */
	double cost_submit_ns;
	bool interrupted;

	struct result_option *global; /* "global options" */
	size_t nglobal;
	struct result_place *places;
	size_t nplaces;
	/*
	 * In the order of the plan. Where there are repeats these are views of the jobs in them,
	 * for each job its median one (repeats_choose), and the repeats own all of it.
	 */
	struct result_job *jobs;
	size_t njobs;
	struct result_repeat *repeats; /* none: the plan ran once, and jobs is all */
	size_t nrepeats;
	char *chosen_by; /* the metric of which each job in `jobs` is the median, or NULL */
	struct result_until until;
	struct result_disk *disks; /* over all repeats */
	size_t ndisks;
	char **notes; /* things a reader should know, one line each */
	size_t nnotes;
	struct result_fact *facts; /* the environment; sorted by key */
	size_t nfacts;
	struct result_doubt *doubts; /* of the run as a whole */
	size_t ndoubts;
};

/*
 * An empty job that others like this one are merged into: what it does, nothing done. 0 or -ENOMEM;
 * result_job_free() in either case.
 */
int result_job_begin(struct result_job *sum, const struct result_job *like);

/* Adds the workers of `other` to job: counts add, times take the longest, the first error stays. */
int result_job_merge(struct result_job *job, const struct result_job *other);

/* Adds a note. 0 or -ENOMEM. */
int result_note(struct result *result, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

void result_job_free(struct result_job *job);
void result_free(struct result *result);

/* Does the job do this direction: by what it did, or, where it came to nothing, by its rw? */
bool result_does(const struct result_job *job, int dir);

/* Did it fail (rather than end as it should, or be skipped or interrupted)? */
bool result_failed(const struct result_job *job);

/* A key as it was written for the job or else in [global]; NULL where it was not. */
const char *result_option(const struct result *result, const struct result_job *job,
		const char *key);

/* Figures that several formats print; each is computed here alone. */
double result_bw(const struct result_job *job, int dir);      /* bytes/s */
double result_iops(const struct result_job *job, int dir);    /* 1/s */
const struct dist *result_lat(const struct result_dir *dir);  /* lat, else clat */
double result_above_percent(const struct result_dir *dir, size_t threshold); /* of its I/Os */
double result_cpu_percent(const struct result_job *job, bool sys); /* of one CPU per worker */
/* What knows its percentiles: lat, else clat. */
const struct dist *result_spread(const struct result_dir *dir);
uint64_t result_flight_ns(const struct result_job *job);      /* runtime_ns, without end_fsync */
double result_depth_mean(const struct result_job *job);       /* achieved: Little's law */
double result_samples_mean(const struct result_samples *samples);
double result_samples_stddev(const struct result_samples *samples);
const char *result_end_name(enum result_end end);             /* "runtime", "error", ... */
const char *result_dir_name(int dir);                         /* "read", "write", "trim" */

#endif
