/* SPDX-License-Identifier: MIT */
/*
 * A job: one section (or one combination of a section's `vary` lines), checked and complete. The
 * option table stands in job.c; struct job_opts holds a member for each of its rows.
 */
#ifndef JOB_H
#define JOB_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../engine/load.h"
#include "../err.h"
#include "../measure/steady.h"
#include "jobfile.h"
#include "opt.h"

/* Directions: the first three operations, and the order of every per-direction array. */
enum { JOB_DIRS = 3 };

/* rw=: which directions, and whether offsets are random. */
enum job_rw {
	JOB_RW_READ = 1u << IOJOB_READ,
	JOB_RW_WRITE = 1u << IOJOB_WRITE,
	JOB_RW_TRIM = 1u << IOJOB_TRIM,
	JOB_RW_RANDOM = 1u << 8,
};

enum job_sequencer { JOB_SEQUENCER_SEQUENTIAL, JOB_SEQUENCER_IDENTICAL };

enum job_zonemode { JOB_ZONEMODE_NONE, JOB_ZONEMODE_STRIDED };

enum job_fallocate {
	JOB_FALLOCATE_NONE,
	JOB_FALLOCATE_NATIVE,
	JOB_FALLOCATE_POSIX,
	JOB_FALLOCATE_KEEP,
	JOB_FALLOCATE_TRUNCATE,
};

enum job_fadvise {
	JOB_FADVISE_NONE,
	JOB_FADVISE_AUTO, /* what rw says */
	JOB_FADVISE_RANDOM,
	JOB_FADVISE_SEQUENTIAL,
};

enum job_workload { JOB_WORKLOAD_IO, JOB_WORKLOAD_POSTMARK };

enum job_postmark_fsync {
	JOB_POSTMARK_FSYNC_NONE,
	JOB_POSTMARK_FSYNC_CLOSE, /* of each file that was written, before its close */
	JOB_POSTMARK_FSYNC_EVERY, /* after each write call */
};

enum job_sync { JOB_SYNC_NONE, JOB_SYNC_SYNC, JOB_SYNC_DSYNC };

enum job_continue { /* errors that do not end a worker: IOJOB_OP_BIT() of the I/O that failed */
	JOB_CONTINUE_READ = 1u << IOJOB_READ,
	JOB_CONTINUE_WRITE = 1u << IOJOB_WRITE,
	JOB_CONTINUE_TRIM = 1u << IOJOB_TRIM,
	JOB_CONTINUE_SYNC = 1u << IOJOB_FSYNC | 1u << IOJOB_FDATASYNC,
};

/*
 * One member for each row of the job table, in its type (see enum iojob_opt_type). `vary` and
 * `include` are words of a job file without a row: nothing of them is left in a job.
 */
struct job_opts {
	const char *name;
	const char *description;
	const char *ioengine;
	int rw; /* enum job_rw */
	const char *rw_modifier; /* what stood in rw behind a colon */
	int rw_sequencer;        /* enum job_sequencer */
	uint64_t bs[JOB_DIRS];
	uint64_t bsrange[JOB_DIRS][2]; /* {0, 0}: bs */
	struct opt_size size;
	struct opt_size io_size;
	uint64_t filesize[2]; /* min, max of each file */
	int nrfiles;          /* with filename: counts only where job_given() */
	const char *filename; /* list, ':' between names, "\:" for a colon */
	const char *directory;
	const char *filename_format;
	struct opt_size offset;
	int zonemode; /* enum job_zonemode */
	uint64_t zonesize;
	uint64_t zonerange; /* 0: zonesize */
	uint64_t zoneskip;
	int numjobs;
	int iodepth;
	int iodepth_batch;
	int iodepth_batch_complete_min;
	int iodepth_batch_complete_max; /* 0: iodepth_batch_complete_min is the whole rule */
	bool direct;
	bool buffered;
	uint64_t runtime;
	bool time_based;
	uint64_t ramp_time;
	int loops;
	int64_t number_ios;
	uint64_t startdelay;
	const char *steadystate;
	uint64_t steadystate_duration;
	uint64_t steadystate_ramp_time;
	bool stonewall;
	bool new_group;
	bool group_reporting;
	bool thread;
	int rwmixread;
	int rwmixwrite;
	bool norandommap;
	bool randrepeat;
	bool allrandrepeat;
	int64_t randseed;
	int fsync;
	int fdatasync;
	bool end_fsync;
	bool fsync_on_close;
	int sync; /* enum job_sync */
	bool invalidate;
	bool overwrite;
	bool unlink;
	int fallocate;    /* enum job_fallocate */
	int fadvise_hint; /* enum job_fadvise */
	bool create_only;
	bool pre_read;
	bool refill_buffers;
	bool scramble_buffers;
	bool zero_buffers;
	const char *buffer_pattern;
	const char *percentile_list;
	bool lat_percentiles;
	const char *lat_thresholds;
	const char *cpus_allowed;
	bool exitall;
	int continue_on_error; /* enum job_continue bits */
	uint64_t thinktime;
	int thinktime_blocks;
	uint64_t rate[JOB_DIRS]; /* bytes/s, 0: none */
	int64_t rate_iops[JOB_DIRS];
	uint64_t bwavgtime;
	uint64_t iopsavgtime;
	uint64_t grace;
	int workload; /* enum job_workload */
	uint64_t postmark_size[2];
	int postmark_number;
	int postmark_transactions;
	int postmark_subdirectories;
	const char *postmark_location; /* PATH[:WEIGHT],... (list_weighted); NULL: directory */
	uint64_t postmark_read;
	uint64_t postmark_write;
	int postmark_bias_read;
	int postmark_bias_create;
	bool postmark_buffering;
	int64_t postmark_seed;
	int postmark_fsync; /* enum job_postmark_fsync */
	int kb_base;
	bool optional;
	int repeat; /* of the whole plan; see struct jobs */
};

/* One varied value of a job: where it lies on one axis of the tables. */
struct job_axis {
	char *name;  /* "mode", "bs" */
	char *label; /* "Random read", "64k" */
};

enum { JOB_PERCENTILES = 20, JOB_THRESHOLDS = 8 };

struct job {
	char *name;       /* name= or the section's; what files are named after */
	char *section;    /* the section's name */
	const char *file; /* the job file that it belongs to; a string of the jobfile */
	const char *path; /* where the section stands: there, or in a file that it includes */
	unsigned line;

	struct job_opts o;
	uint64_t given[4]; /* bit i: row i of the job table was given, in a file or by --set */

	const struct engine *engine; /* NULL only in a job that is skipped */
	void *engine_conf;           /* its options, conf_size bytes */

	struct job_axis *axes; /* outermost first */
	size_t naxes;
	size_t variant;  /* which combination of its section this is, from 0 */
	size_t variants; /* how many the section has; 1 without vary */

	/*
	 * As written, for the echo in results: the job's own (the section's, then the
	 * combination's, then the command line's, each without what a later one replaced), and
	 * what [global] gave. Those of the command line have a path ("--set") and the line 0.
	 */
	struct jobfile_pair *own;
	size_t nown;
	struct jobfile_pair *global;
	size_t nglobal;

	/* Given by jobs_build(), which knows the other jobs. */
	bool first;     /* of its job file: waits for all of the file before */
	unsigned stage; /* jobs of one stage run at the same time; from 0 */
	unsigned group; /* group id, as fio counts them */
	uint64_t seed;  /* the same for all variants; worker i derives its own from it and i */

	/* Worked out of the options by job_check(), the only writer. */
	uint64_t bs_min[JOB_DIRS]; /* bytes */
	uint64_t bs_max[JOB_DIRS];
	bool direct;  /* direct=1, buffered=0 or an engine that knows nothing else */
	unsigned ops; /* IOJOB_OP_BIT()s that it issues */
	int64_t step[JOB_DIRS]; /* sequential: bytes between one I/O's end and the next; 0: none */
	unsigned run; /* random: of so many I/Os the first one draws its offset */
	uint64_t zone_range; /* bytes; 0: there are no zones */
	int mix_read; /* percent of I/Os that are reads, in a mixed job */
	double percentiles[JOB_PERCENTILES];
	size_t npercentiles;
	uint64_t thresholds_ns[JOB_THRESHOLDS]; /* lat_thresholds, ascending */
	size_t nthresholds;
	struct steady_rule steady; /* counts with steadystate_duration */

	char *skipped; /* why this machine cannot run it (optional=1), or NULL */
};

struct jobs {
	struct job *list; /* in the order in which they run */
	size_t n;
	unsigned repeat; /* as [global] says; 0: it does not */
};

/* How the command line changes what the files say. */
struct job_override {
	const char *section_glob; /* NULL: every section */
	const char *key;
	const char *value; /* NULL: a bare key */
};

struct job_builder {
	const struct job_override *overrides;
	size_t noverrides;
	const char *directory;       /* --directory, or NULL */
	const char *const *sections; /* --section, fnmatch(3) patterns; any of them */
	size_t nsections;
	bool allow_exec;         /* an engine may be given by path in a job file */
	struct engines *engines; /* where engines are loaded into */
	/* Tells the user what is odd but harmless, once each; text as in err. */
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

/* The job table; rows in the order of the manual. */
extern const struct iojob_option job_options[];
struct opt_table job_table(void);

/* Index in job_options of a key by any of its names, or -1. */
int job_row(const char *key);

/*
 * Is `key` a name of the option whose row and name these are? Of a key that has no row, -1, the
 * name is all there is.
 */
bool job_is_key(int row, const char *name, const char *key);

/* Do two keys name the same option? */
bool job_same_key(const char *a, const char *b);

/*
 * Sections -> jobs: merges [global], multiplies vary lines, applies overrides, loads engines,
 * parses every value, and checks what can be known without looking at files. What counts more comes
 * later: [global], the section, a point of vary, --directory, --set. On error nothing is left. The
 * jobs point into file, which must outlive them.
 */
int jobs_build(struct jobs *jobs, const struct jobfile *file, const struct job_builder *builder,
		struct err *err);
void jobs_free(struct jobs *jobs);

/* Forgets the last one. */
void jobs_drop(struct jobs *jobs);

/* The rules across options; fills the derived members. The error has file and line. */
int job_check(struct job *job, struct err *err);

/* The rules across jobs, once they have their groups: what is reported as one fits together. */
int job_check_groups(const struct jobs *jobs, struct err *err);

/* repeat stands in [global], and is the same wherever it does: fills jobs->repeat. */
int job_check_repeat(struct jobs *jobs, struct err *err);

/* Was this key given for the job (rather than defaulted)? By its name in the table. */
bool job_given(const struct job *job, const char *key);

/* The pair that decides a key which has no rival, by any of its names; NULL: it was not given. */
const struct jobfile_pair *job_pair(const struct job *job, const char *key);

/*
 * Where the value of a key comes from: "jobs/x.ini", 7, or "--set", 0; the section's own line where
 * the key was not given. By any of its names.
 */
void job_where(const struct job *job, const char *key, const char **path, unsigned *line);

/* The set that cpus_allowed names. -EINVAL where there is none: job_check() has refused that. */
int job_cpus(const struct job *job, cpu_set_t *set);

/* Is it driven through the engine's execute, one I/O at a time? */
bool job_is_sync(const struct job *job);

/* I/Os in flight at once: 1 for an engine that only executes. */
unsigned job_depth(const struct job *job);

static inline bool job_is_postmark(const struct job *job)
{
	return job->o.workload == JOB_WORKLOAD_POSTMARK;
}

/* Does it read, write ...; is it random? */
static inline bool job_does(const struct job *job, enum iojob_op op)
{
	int rw = job_is_postmark(job) ? JOB_RW_READ | JOB_RW_WRITE : job->o.rw;

	return (rw & (int)IOJOB_OP_BIT(op)) != 0;
}

static inline bool job_random(const struct job *job)
{
	return (job->o.rw & JOB_RW_RANDOM) != 0;
}

/* Does it change its files? */
static inline bool job_changes(const struct job *job)
{
	return job_does(job, IOJOB_WRITE) || job_does(job, IOJOB_TRIM);
}

/* Has that direction a schedule? */
static inline bool job_is_rated(const struct job *job, int dir)
{
	return job->o.rate[dir] || job->o.rate_iops[dir];
}

/* Does it sync between its I/Os? */
static inline bool job_syncs(const struct job *job)
{
	return job->o.fsync || job->o.fdatasync || job->o.postmark_fsync;
}

/* Must its files be written before it runs? */
static inline bool job_needs_contents(const struct job *job)
{
	return !job_is_postmark(job) && (job_does(job, IOJOB_READ) || job->o.overwrite);
}

/* How many files each of its workers has. */
size_t job_nfiles(const struct job *job);

/* What does not fit into a region of so many bytes? */
enum job_fit {
	JOB_FITS,
	JOB_FIT_BLOCK, /* one of some direction */
	JOB_FIT_STEP,  /* a second one behind the first step */
	JOB_FIT_ZONE,  /* one in the second zone */
};

/* *dir is the direction to blame for a block or a step. */
enum job_fit job_fit(const struct job *job, uint64_t length, int *dir);

/* Smallest and largest block of all directions, bytes. */
uint64_t job_block_min(const struct job *job);
uint64_t job_block_max(const struct job *job);

#endif
