// SPDX-License-Identifier: MIT
#include "job.h"

#include <stdlib.h>

#include "list.h"

#define ROW(member, opt_type) \
	.name = #member, .type = IOJOB_OPT_##opt_type, IOJOB_MEMBER(struct job_opts, member)

#define SECOND 1000000000ll
#define MILLISECOND 1000000ll

/* Ten years: in ticks of any clock, and added to a moment, far from overflowing 64 bits. */
#define LONGEST (3650ll * 24 * 3600 * SECOND)

static const struct iojob_choice rw_choices[] = {
	{ "read", JOB_RW_READ, "sequential reads" },
	{ "write", JOB_RW_WRITE, "sequential writes" },
	{ "trim", JOB_RW_TRIM, "sequential trims of a block device" },
	{ "randread", JOB_RW_READ | JOB_RW_RANDOM, "random reads" },
	{ "randwrite", JOB_RW_WRITE | JOB_RW_RANDOM, "random writes" },
	{ "randtrim", JOB_RW_TRIM | JOB_RW_RANDOM, "random trims of a block device" },
	{ "rw", JOB_RW_READ | JOB_RW_WRITE, "sequential reads and writes, mixed" },
	{ "readwrite", JOB_RW_READ | JOB_RW_WRITE, NULL },
	{ "randrw", JOB_RW_READ | JOB_RW_WRITE | JOB_RW_RANDOM, "random reads and writes, mixed" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice sequencer_choices[] = {
	{ "sequential", JOB_SEQUENCER_SEQUENTIAL, "each follows the one before it" },
	{ "identical", JOB_SEQUENCER_IDENTICAL, "all have the offset of the first" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice zonemode_choices[] = {
	{ "none", JOB_ZONEMODE_NONE, "one region, from offset to its end" },
	{ "strided", JOB_ZONEMODE_STRIDED, "`zonesize` bytes, a gap of `zoneskip`, and so on" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice sync_choices[] = {
	{ "none", JOB_SYNC_NONE, "writes are not synchronous" },
	{ "0", JOB_SYNC_NONE, NULL },
	{ "sync", JOB_SYNC_SYNC, "O_SYNC: data and metadata are stable when a write is done" },
	{ "1", JOB_SYNC_SYNC, NULL },
	{ "dsync", JOB_SYNC_DSYNC, "O_DSYNC: the data is, and what is needed to read it" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice fallocate_choices[] = {
	{ "none", JOB_FALLOCATE_NONE, "reserves nothing" },
	{ "0", JOB_FALLOCATE_NONE, NULL },
	{ "native", JOB_FALLOCATE_NATIVE, "`fallocate(2)`; a filesystem that cannot is no error" },
	{ "posix", JOB_FALLOCATE_POSIX, "`posix_fallocate(3)`" },
	{ "1", JOB_FALLOCATE_POSIX, NULL },
	{ "keep", JOB_FALLOCATE_KEEP, "`fallocate(2)` with FALLOC_FL_KEEP_SIZE" },
	{ "truncate", JOB_FALLOCATE_TRUNCATE, "`ftruncate(2)`: the size without the blocks" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice fadvise_choices[] = {
	{ "0", JOB_FADVISE_NONE, "no advice" },
	{ "1", JOB_FADVISE_AUTO, "random or sequential, as rw says" },
	{ "random", JOB_FADVISE_RANDOM, "POSIX_FADV_RANDOM" },
	{ "sequential", JOB_FADVISE_SEQUENTIAL, "POSIX_FADV_SEQUENTIAL" },
	{ NULL, 0, NULL },
};

enum {
	CONTINUE_WRITES = JOB_CONTINUE_WRITE | JOB_CONTINUE_TRIM | JOB_CONTINUE_SYNC,
	CONTINUE_ALL = JOB_CONTINUE_READ | CONTINUE_WRITES,
};

static const struct iojob_choice continue_choices[] = {
	{ "none", 0, "the first error ends the worker" },
	{ "0", 0, NULL },
	{ "read", JOB_CONTINUE_READ, "reads may fail" },
	{ "write", CONTINUE_WRITES, "whatever is no read may fail" },
	{ "io", CONTINUE_ALL, "any I/O may fail" },
	{ "verify", 0, "verification may fail: of I/O, as none" },
	{ "all", CONTINUE_ALL, "`io` and `verify`" },
	{ "1", CONTINUE_ALL, NULL },
	{ NULL, 0, NULL },
};

static const struct iojob_choice workload_choices[] = {
	{ "io", JOB_WORKLOAD_IO, "reads, writes or trims, as rw says" },
	{ "none", JOB_WORKLOAD_IO, NULL },
	{ "postmark", JOB_WORKLOAD_POSTMARK, "PostMark's: many small files come and go" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice postmark_fsync_choices[] = {
	{ "none", JOB_POSTMARK_FSYNC_NONE, "never, as PostMark does" },
	{ "close", JOB_POSTMARK_FSYNC_CLOSE, "before a file that was written is closed" },
	{ "every", JOB_POSTMARK_FSYNC_EVERY, "after each write call" },
	{ NULL, 0, NULL },
};

static const struct iojob_choice kb_base_choices[] = {
	{ "1024", 1024, "`k` is 1024 bytes" },
	{ "1000", 1000, "`k` is 1000 bytes" },
	{ NULL, 0, NULL },
};

const struct iojob_option job_options[] = {
	/* What the job is called. */
	{
		ROW(name, STRING),
		.help = "name of the job in results",
		.doc = "Stands for the section's name in results. Files are named after the "
		       "section all the same (see `filename_format`), and `--section`, `--set` "
		       "and messages use the section's name, too.",
	},
	{
		ROW(description, STRING),
		.help = "free text that is kept with the result",
		.doc = "Has no effect on the run. Say here what the job is for, and the result "
		       "file that is looked at a year later says it too.",
	},

	/* What it does. */
	{
		ROW(ioengine, STRING),
		.def = "psync",
		.help = "engine that does the I/O; `iojob engines` lists them",
		.doc = "The name of an engine, or a path with a `/` in it, to a shared object of "
		       "your own. A path in a job file needs `--allow-exec`, since loading it runs "
		       "its author's code. Engines are sought in `$IOJOB_ENGINE_PATH`, in the "
		       "build tree that iojob is run from, and where it is installed.\n\n"
		       "Of fio's names `sync` and `pvsync` mean `psync` here, `aio` and `linuxaio` "
		       "mean `libaio`.\n\n"
		       "The engine's own keys stand in the same section. Those in [global], and "
		       "those of a section that varies its engine, apply only where that engine "
		       "runs; in a section of another engine they are an error. With `optional=1`, "
		       "an engine that cannot be had on this machine is no error.",
	},
	{
		ROW(rw, CHOICE),
		.alias = "readwrite",
		.def = "read",
		.choices = rw_choices,
		.help = "reads, writes or both; sequential or random",
		.doc = "A sequential job goes through its files from `offset` on, and begins again "
		       "at the end where it has work left. A random job visits every block exactly "
		       "once before it visits any again, in a new order each time, unless "
		       "`norandommap` is set.\n\n"
		       "In a mixed job `rwmixread` says how many of the I/Os are reads. Reads and "
		       "writes of `rw` each have a position of their own; those of `randrw` share "
		       "one random order.\n\n"
		       "What stands behind a colon changes the order (see `rw_modifier`): "
		       "`read:-2bs` reads backward, `write:3m` writes blocks 3 MiB apart, and "
		       "`randread:8` draws an offset for every eighth I/O only.\n\n"
		       "Not implemented are fio's `trimwrite` and `randtrimwrite`.",
	},
	{
		ROW(rw_modifier, STRING),
		.help = "the part of rw behind its colon, as a key of its own",
		.doc = "To vary it alone: `vary = rw_modifier: -2bs 1bs 16bs`. It cannot be given "
		       "here and in `rw` at once. fio knows it in `rw` only.\n\n"
		       "Sequential: bytes that are added to where the next I/O would begin, which "
		       "is the end of the one before it; `bs` as a unit means blocks. So `1bs` "
		       "takes every second block, `-1bs` the same one again and again, and `-2bs` "
		       "goes backward block by block. Reads and writes of a mixed job step on "
		       "their own, each by its own block size.\n\n"
		       "The first I/O is at the start. A step that leads out of the region goes "
		       "on at its start, or, backward, at as far before its end as the step is "
		       "long; `read:-2bs` thus leaves out the last block of a file and reads the "
		       "first one twice, as fio does. Work that is left goes round like that. fio "
		       "3.33 loses its way where `offset` is set, and ends early where the last "
		       "block of a round does not fit; iojob does neither.\n\n"
		       "Random: a number of I/Os of which the first draws a new offset and the "
		       "others follow it, as `rw_sequencer` says.",
	},
	{
		ROW(rw_sequencer, CHOICE),
		.def = "sequential",
		.choices = sequencer_choices,
		.help = "how the I/Os between two random offsets follow",
		.doc = "Of effect where `rw` is random and has a modifier. Reads and writes of a "
		       "mixed job follow their own. One that would lie behind the end draws an "
		       "offset.",
	},
	{
		ROW(bs, SIZE),
		.alias = "blocksize",
		.flags = IOJOB_OPT_TUPLE,
		.def = "4k",
		.min = 1,
		.max = UINT32_MAX,
		.help = "bytes of each I/O",
		.doc = "With `direct=1` it must be a multiple of what the file or device asks for, "
		       "often 512 or 4096 bytes; that is checked before anything is touched.\n\n"
		       "`bs` and `bsrange` exclude each other in one section. Where a section sets "
		       "one and [global] the other, the section's counts; in fio `bsrange` wins "
		       "even then.",
	},
	{
		ROW(bsrange, SIZE),
		.alias = "blocksize_range",
		.flags = IOJOB_OPT_TUPLE | IOJOB_OPT_RANGE,
		.min = 1,
		.max = UINT32_MAX,
		.help = "smallest and largest size of an I/O, drawn anew for each",
		.doc = "Every size of the range that is a multiple of the smallest is equally "
		       "likely.\n\n"
		       "A random job without repeats then needs a bit of memory for each block of "
		       "the smallest size; the plan says how much.",
	},

	/* How much. */
	{
		ROW(size, SIZE),
		.flags = IOJOB_OPT_PERCENT,
		.max = INT64_MAX,
		.help = "bytes that each worker's files have together",
		.doc = "The files share it evenly: with `nrfiles=4`, `size=1g` makes files of "
		       "256m. It is the part of the files that the job works on, and, unless "
		       "`io_size` or a time says otherwise, how much it reads or writes. Each of "
		       "`numjobs` workers has this much.\n\n"
		       "Without it, files and devices that exist are used as they are. A "
		       "percentage is a share of that.",
	},
	{
		ROW(io_size, SIZE),
		.alias = "io_limit",
		.flags = IOJOB_OPT_PERCENT,
		.max = INT64_MAX,
		.help = "bytes that each worker reads and writes before it is done",
		.doc = "Less than `size` does only a part of it, more goes over it again. A "
		       "percentage is one of `size`.",
	},
	{
		ROW(filesize, SIZE),
		.flags = IOJOB_OPT_RANGE,
		.min = 1,
		.max = INT64_MAX,
		.help = "bytes of each file; a range draws a size for each",
		.doc = "Sets how large the files are, and leaves to `size` how much is read or "
		       "written. Of a range, each file has a size of its own, the same in every "
		       "run as long as the seed is.",
	},
	{
		ROW(nrfiles, INT),
		.alias = "nr_files",
		.def = "1",
		.min = 1,
		.max = 1000000,
		.help = "files of each worker",
		.doc = "They are visited in turn, one I/O each. With `filename`, the names that "
		       "are listed are the files and `nrfiles` is not needed; fewer than that "
		       "takes the first ones, and more is an error.",
	},
	{
		ROW(filename, STRING),
		.flags = IOJOB_OPT_APPEND,
		.help = "files or devices to work on, a `:` between them",
		.doc = "Shared by all workers of the job. Without it every worker has files of its "
		       "own, called after job, worker and number (see `filename_format`). `\\:` is "
		       "a colon in a name. Given again in a section, it adds; a section's list "
		       "replaces that of [global].\n\n"
		       "A file that is there already is used, and overwritten by a job that "
		       "writes. A block device that is mounted, in use or carries a filesystem is "
		       "refused for writing without `--allow-device`.",
	},
	{
		ROW(directory, STRING),
		.help = "directory of the files; must exist",
		.doc = "Stands before each name, also one that begins with a `/`, as in fio; with "
		       "`directory=/` names are what they are. `--directory` sets it for all "
		       "jobs.\n\n"
		       "Several, with a `:` between them, are shared out: the first worker has its "
		       "files in the first, the second in the second, and so on in turn.",
	},
	{
		ROW(filename_format, STRING),
		.def = "$jobname.$jobnum.$filenum",
		.help = "how files are called where filename is not given",
		.doc = "`$jobname` is the section, `$jobnum` the worker, `$filenum` the number of "
		       "the file, both from 0. A name without `$jobnum` is one file that all "
		       "workers share.\n\n"
		       "`$KEY` is the value of any key of the job, so that each combination of a "
		       "`vary` can have files of its own: `$size.$bs`. fio knows the first three.",
	},
	{
		ROW(offset, SIZE),
		.alias = "fileoffset",
		.flags = IOJOB_OPT_PERCENT,
		.def = "0",
		.max = INT64_MAX,
		.help = "where in each file the work begins",
		.doc = "What lies before it is neither read nor written. A percentage is one of "
		       "the file.",
	},

	{
		ROW(zonemode, CHOICE),
		.def = "none",
		.choices = zonemode_choices,
		.help = "works on parts of the file with gaps between them",
		.doc = "After `zonesize` bytes the job goes on `zonerange` and `zoneskip` further "
		       "on, and begins anew at the first zone behind the end, until it has done "
		       "all of its work. A random job visits the blocks of a zone in a random "
		       "order. The end of the file may cut the last zone short; fio then ends the "
		       "job.\n\n"
		       "It needs a job with one file, and excludes `rw_modifier`. fio's `zbd` is "
		       "not implemented.",
	},
	{
		ROW(zonesize, SIZE),
		.min = 1,
		.max = INT64_MAX,
		.help = "bytes to do in a zone before the next one",
		.doc = "The I/O that reaches it is the last one of the zone.",
	},
	{
		ROW(zonerange, SIZE),
		.min = 1,
		.max = INT64_MAX,
		.help = "width of a zone; zonesize unless given",
		.doc = "Less than `zonesize` goes through the zone several times, more leaves a "
		       "part of it alone.",
	},
	{
		ROW(zoneskip, SIZE),
		.max = INT64_MAX,
		.help = "bytes to leave out between two zones",
		.doc = "`zonesize=64k` with `zoneskip=960k` does 64 KiB in every MiB.",
	},

	/* How many at a time. */
	{
		ROW(numjobs, INT),
		.def = "1",
		.min = 1,
		.max = 4096,
		.help = "workers that do this job at the same time",
		.doc = "Each is a process, or with `thread` a thread, and does the whole job: four "
		       "workers with `size=1g` move 4g. `group_reporting` adds them up in the "
		       "results.",
	},
	{
		ROW(iodepth, INT),
		.def = "1",
		.min = 1,
		.max = 65535,
		.help = "I/Os that each worker keeps in flight",
		.doc = "A synchronous engine such as psync does one at a time whatever this says, "
		       "which a warning mentions. What was reached stands in the results.",
	},
	{
		ROW(iodepth_batch, INT),
		.alias = "iodepth_batch_submit",
		.def = "1",
		.min = 0,
		.max = 65535,
		.help = "most I/Os handed to the engine in one call; 0: iodepth",
		.doc = "One call for several I/Os saves system calls and makes them arrive in "
		       "bursts. It cannot be larger than `iodepth`; fio quietly lowers it.",
	},
	{
		ROW(iodepth_batch_complete_min, INT),
		.alias = "iodepth_batch_complete",
		.def = "1",
		.min = 0,
		.max = 65535,
		.help = "fewest completions that are waited for; 0: none",
		.doc = "With 0 the engine is asked without waiting, which polls with a whole CPU. "
		       "It cannot be larger than `iodepth`; fio quietly lowers it.",
	},
	{
		ROW(iodepth_batch_complete_max, INT),
		.def = "0",
		.min = 0,
		.max = 65535,
		.help = "most completions taken in one call; 0: no limit",
		.doc = "Between the two, a worker takes what is there. It cannot be smaller than "
		       "`iodepth_batch_complete_min`; fio quietly raises it.",
	},

	/* Through the cache or not. */
	{
		ROW(direct, BOOL),
		.def = "0",
		.help = "opens files with O_DIRECT, past the page cache",
		.doc = "Not every filesystem can, tmpfs for one: an error before the run, or with "
		       "`optional=1` a job that is skipped. The engine directio knows nothing "
		       "else.\n\n"
		       "`direct` and `buffered` are the same switch; where one section sets both, "
		       "they must agree. In fio the later one counts.",
	},
	{
		ROW(buffered, BOOL),
		.def = "1",
		.help = "goes through the page cache; the opposite of direct",
		.doc = "A buffered write is done once the page cache has the data. To measure the "
		       "device, let the job end with `end_fsync=1`, or use `fsync`, `sync` or "
		       "`direct`.",
	},

	/* When it begins and ends. */
	{
		ROW(runtime, TIME),
		.alias = "timeout",
		.max = LONGEST,
		.help = "time after which the job ends, done or not; 0: none",
		.doc = "Counts from the end of `ramp_time`. A job whose work is done earlier ends "
		       "earlier, unless `time_based` is set. I/Os in flight at the end are waited "
		       "for, at most for `grace`.",
	},
	{
		ROW(time_based, BOOL),
		.def = "0",
		.help = "begins the work again until runtime is over",
		.doc = "Needs `runtime`. fio warns where that is missing, and goes by size; here "
		       "it is an error.",
	},
	{
		ROW(ramp_time, TIME),
		.max = LONGEST,
		.help = "time at the start that does not count in the results",
		.doc = "The work is the same, and what has been done of it stays done; only the "
		       "figures begin after it.",
	},
	{
		ROW(loops, INT),
		.def = "1",
		.min = 1,
		.max = INT32_MAX,
		.help = "how often the work is done",
		.doc = "Each time it starts from the beginning, with the cache dropped where "
		       "`invalidate` says so, and the figures add up.",
	},
	{
		ROW(number_ios, INT),
		.def = "0",
		.min = 0,
		.max = INT64_MAX,
		.help = "I/Os after which each worker is done; 0: no limit",
		.doc = "It ends a job early and never makes it longer: size and time hold beside "
		       "it.",
	},
	{
		ROW(steadystate, STRING),
		.alias = "ss",
		.def = "iops_slope:0.01%",
		.help = "ends the job when its rate is steady; needs steadystate_duration",
		.doc = "Asked each second of the samples, one a second, of the last "
		       "`steadystate_duration`. A criterion, a `:` and what it must stay below, "
		       "as a number or as a percentage of the mean:\n\n"
		       "`iops` and `bw`: the largest distance of a sample from the mean.\n\n"
		       "`iops_slope` and `bw_slope`: the slope of the line that fits the samples "
		       "best, from one second to the next.\n\n"
		       "`snia`, without a limit and not in fio: the pair of SNIA's Performance "
		       "Test Specification. The window is cut into five rounds; their bandwidths "
		       "lie within 20 % of their mean, and the line that fits them best moves by "
		       "no more than 10 % of it.\n\n"
		       "A job should have `time_based` and a `runtime`, which end it where it "
		       "never becomes steady. The results tell which of the two it was. With "
		       "`group_reporting` the jobs of a group are judged as one, and end "
		       "together.",
	},
	{
		ROW(steadystate_duration, TIME),
		.alias = "ss_dur",
		.max = LONGEST,
		.help = "seconds over which steadystate must hold; 0: it is not asked",
		.doc = "Whole seconds, 2 at least, and 5 for `snia`. With this alone `steadystate` "
		       "is what its default says.",
	},
	{
		ROW(steadystate_ramp_time, TIME),
		.alias = "ss_ramp",
		.max = LONGEST,
		.help = "time at the start that steadystate passes over",
		.doc = "Counts from the end of `ramp_time`. Unlike there, this time is in the "
		       "results of the job.",
	},
	{
		ROW(startdelay, TIME),
		.max = LONGEST,
		.help = "how long the job waits after its stage has begun",
		.doc = "The other jobs of the stage do not wait for it.",
	},
	{
		ROW(stonewall, BOOL),
		.alias = "wait_for_previous",
		.def = "0",
		.help = "waits until all jobs before this one are done",
		.doc = "Jobs run at the same time otherwise. What lies between two such walls is a "
		       "stage; its workers are all set up first and then released together. It "
		       "also begins a new group (see `new_group`). The combinations of `vary` are "
		       "stages without it, and so is the section that follows them.",
	},
	{
		ROW(exitall, BOOL),
		.def = "0",
		.help = "when this job is done, the others of its stage end too",
		.doc = "They end in order, with what they have measured so far. For a load in the "
		       "background that should last as long as the job that is measured.\n\n"
		       "fio ends the jobs of the same group, which `new_group` can make smaller "
		       "than a stage.",
	},
	{
		ROW(grace, TIME),
		.def = "60s",
		.min = MILLISECOND,
		.max = INT64_MAX,
		.help = "how long an I/O may hang once the job should be over",
		.doc = "Where a job should have ended and none of its I/Os completes for this "
		       "long, it is reported as hung, with the file, the offset and the length of "
		       "the I/O, and iojob goes on without it. An end_fsync that still makes "
		       "progress is not a hang. fio has no such key, and waits.",
	},

	/* Who does it. */
	{
		ROW(thread, BOOL),
		.def = "0",
		.help = "workers are threads instead of processes",
		.doc = "The threads of a stage share one process: cheaper with hundreds of "
		       "workers, but an engine that crashes ends them all, and mmap jobs contend "
		       "for one address space.",
	},
	{
		ROW(cpus_allowed, STRING),
		.help = "CPUs that the workers may run on, as in 0-3,5",
		.doc = "All workers of the job share the whole set, which fio calls "
		       "cpus_allowed_policy=shared.",
	},
	{
		ROW(new_group, BOOL),
		.def = "0",
		.help = "begins a new group of jobs in the results",
		.doc = "The groupid of a job counts these and the stages, from 0. "
		       "`group_reporting` acts within a group.",
	},
	{
		ROW(group_reporting, BOOL),
		.def = "0",
		.help = "reports a group as one instead of each worker",
		.doc = "Counts and bandwidths add up, and latencies are merged exactly, as if one "
		       "worker had measured them all.",
	},

	/* Order. */
	{
		ROW(rwmixread, INT),
		.def = "50",
		.min = 0,
		.max = 100,
		.help = "percent of the I/Os of a mixed job that are reads",
		.doc = "The rest are writes. Which comes next is drawn each time, so a short job "
		       "may be off by a little. Of no effect where `rw` is not mixed.\n\n"
		       "Where a section gives `rwmixwrite` as well, the two must add up to 100; in "
		       "fio the later one counts.",
	},
	{
		ROW(rwmixwrite, INT),
		.def = "50",
		.min = 0,
		.max = 100,
		.help = "percent of the I/Os of a mixed job that are writes",
		.doc = "The same as `rwmixread` from the other side.",
	},
	{
		ROW(norandommap, BOOL),
		.def = "0",
		.help = "random offsets may repeat before all have been visited",
		.doc = "Each offset is then drawn afresh, and some blocks are visited twice while "
		       "others are not yet. fio needs this key for its memory; here the default "
		       "costs none, as long as there is one block size.",
	},
	{
		ROW(randrepeat, BOOL),
		.def = "1",
		.help = "the same random sequence in every run",
		.doc = "Two runs then do the same I/Os in the same order, as a comparison wants "
		       "it. With 0 one seed is drawn for the run, and stands in the results. "
		       "Sections have different sequences, the combinations of a `vary` the same "
		       "one.",
	},
	{
		ROW(allrandrepeat, BOOL),
		.def = "0",
		.help = "everything random is repeatable, whatever randrepeat says",
		.doc = "Here one seed stands behind offsets, sizes, mixes and contents alike, so "
		       "it only undoes `randrepeat=0`.",
	},
	{
		ROW(randseed, INT),
		.help = "seed of everything random in this job",
		.doc = "Another seed is another sequence, just as repeatable. It stands above "
		       "`randrepeat=0`. The same seed does not give the sequence that fio would "
		       "make of it.",
	},

	/* Stable storage. */
	{
		ROW(fsync, INT),
		.def = "0",
		.min = 0,
		.max = INT32_MAX,
		.help = "writes after which the file is synced; 0: never",
		.doc = "The fsync(2) is an I/O of its own, with a latency of its own in the "
		       "results. Of no effect in a job that only reads.\n\n"
		       "The last of the writes has its sync, too; fio leaves that one out.",
	},
	{
		ROW(fdatasync, INT),
		.def = "0",
		.min = 0,
		.max = INT32_MAX,
		.help = "the same with fdatasync(2), which leaves some metadata out",
		.doc = "`fsync` and `fdatasync` may both be set, and count on their own.",
	},
	{
		ROW(end_fsync, BOOL),
		.def = "0",
		.help = "syncs the files when the writes are done",
		.doc = "The time that it takes belongs to the job, so that a buffered job is "
		       "charged for what it left in the page cache. It is what makes the bandwidth "
		       "of buffered writes that of the device.",
	},
	{
		ROW(fsync_on_close, BOOL),
		.def = "0",
		.help = "syncs each file before it is closed",
		.doc = "For a job that keeps its files open to the end, much the same as "
		       "`end_fsync`.",
	},
	{
		ROW(sync, CHOICE),
		.def = "none",
		.choices = sync_choices,
		.help = "makes each write synchronous",
		.doc = "The device's cache is flushed, or bypassed, for every single write.",
	},

	/* Files. */
	{
		ROW(invalidate, BOOL),
		.def = "1",
		.help = "drops the files from the page cache before the job",
		.doc = "By posix_fadvise(2), which drops clean pages only: what another process "
		       "has written and not yet synced stays. Of no effect with `pre_read`, which "
		       "wants the opposite.",
	},
	{
		ROW(pre_read, BOOL),
		.def = "0",
		.help = "reads the files into the page cache before the job",
		.doc = "For a job that is to measure memory and not the device.",
	},
	{
		ROW(overwrite, BOOL),
		.def = "0",
		.help = "writes the files once before a job that writes them",
		.doc = "Its writes then find blocks that exist, and allocate none. Files that a "
		       "job reads are always written before, if they are not there in full size.",
	},
	{
		ROW(fallocate, CHOICE),
		.def = "native",
		.choices = fallocate_choices,
		.help = "how the blocks of new files are reserved",
		.doc = "A file with reserved blocks is less scattered, and its first writes need "
		       "not search for space. They still turn unwritten extents into written ones; "
		       "`overwrite` avoids that too.",
	},
	{
		ROW(fadvise_hint, CHOICE),
		.def = "1",
		.choices = fadvise_choices,
		.help = "tells the kernel what pattern to expect",
		.doc = "By posix_fadvise(2), or madvise(2) in the engine mmap. The kernel reads "
		       "ahead more or less accordingly.",
	},
	{
		ROW(unlink, BOOL),
		.def = "0",
		.help = "removes the files when no job needs them any more",
		.doc = "Regular files only. By default they stay, and the next run finds them "
		       "ready.",
	},
	{
		ROW(create_only, BOOL),
		.def = "0",
		.help = "lays the files out, and does no more",
		.doc = "To prepare files for a later run.",
	},

	/* What is written. */
	{
		ROW(refill_buffers, BOOL),
		.def = "0",
		.help = "fills the buffer anew for each write",
		.doc = "With random bytes, so that nothing compresses and no two blocks are equal. "
		       "It costs CPU time for each write; the default, `scramble_buffers`, costs "
		       "next to none.",
	},
	{
		ROW(scramble_buffers, BOOL),
		.def = "1",
		.help = "changes a few bytes of the buffer for each write",
		.doc = "Enough that a device which looks for equal blocks finds none. The contents "
		       "are random bytes from the start, and do not compress.",
	},
	{
		ROW(zero_buffers, BOOL),
		.def = "0",
		.help = "writes zeros",
		.doc = "Devices and filesystems may store them without storing anything: what is "
		       "measured then is not the medium.",
	},
	{
		ROW(buffer_pattern, STRING),
		.help = "writes this pattern again and again",
		.doc = "Parts one after the other, each a text in double quotes, a hexadecimal "
		       "number (`0xdead`) or a decimal one. fio can also read it from a file; that "
		       "is not implemented.",
	},

	/* How fast. */
	{
		ROW(rate, SIZE),
		.flags = IOJOB_OPT_TUPLE,
		.help = "bytes per second of each worker; 0: as fast as it goes",
		.doc = "A schedule: every I/O has an intended start, and one that comes late does "
		       "not move those after it. The results then hold the response time as well, "
		       "which counts from the intended start and so includes the wait behind a "
		       "slow I/O.\n\n"
		       "`rate` and `rate_iops` exclude each other.",
	},
	{
		ROW(rate_iops, INT),
		.flags = IOJOB_OPT_TUPLE,
		.min = 0,
		.max = INT32_MAX,
		.help = "I/Os per second of each worker; 0: as fast as it goes",
		.doc = "A schedule as with `rate`.",
	},
	{
		ROW(thinktime, TIME),
		.max = LONGEST,
		.unit_ns = 1000,
		.help = "pause between I/Os; without a unit, microseconds",
		.doc = "The worker sleeps; see `thinktime_blocks` for how often.",
	},
	{
		ROW(thinktime_blocks, INT),
		.def = "1",
		.min = 1,
		.max = INT32_MAX,
		.help = "I/Os between two pauses of thinktime",
		.doc = "The pause begins when that many have completed, so no more than that are "
		       "in flight.",
	},

	/* What is measured. */
	{
		ROW(percentile_list, STRING),
		.def = "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
		.help = "percentiles in the results, a `:` between them",
		.doc = "Up to 20 numbers above 0 and up to 100. The order does not matter.",
	},
	{
		ROW(lat_percentiles, BOOL),
		.help = "percentiles of the whole latency too, not only of clat",
		.doc = "In JSON `lat_ns` gets a `percentile` object beside that of `clat_ns`.",
	},
	{
		ROW(lat_thresholds, STRING),
		.help = "latencies above which I/Os are counted, a `,` between them",
		.doc = "For each of up to 8 times, as in `2s,10s`, the results tell how many I/Os "
		       "took longer. They are counted one by one as they complete, and not read "
		       "off a histogram. A number without a unit is seconds; each must be longer "
		       "than the one before. fio has no such key.",
	},
	{
		ROW(bwavgtime, TIME),
		.def = "500",
		.min = MILLISECOND,
		.max = 3600 * SECOND,
		.unit_ns = MILLISECOND,
		.help = "length of a bandwidth sample; without a unit, milliseconds",
		.doc = "bw_min, bw_max, bw_mean and bw_dev come from these samples.",
	},
	{
		ROW(iopsavgtime, TIME),
		.def = "500",
		.min = MILLISECOND,
		.max = 3600 * SECOND,
		.unit_ns = MILLISECOND,
		.help = "length of an IOPS sample; without a unit, milliseconds",
		.doc = "iops_min, iops_max, iops_mean and iops_stddev come from these samples.",
	},

	/* When it cannot be done. */
	{
		ROW(continue_on_error, CHOICE),
		.def = "none",
		.choices = continue_choices,
		.help = "I/O errors that do not end a worker",
		.doc = "They are counted, the first one is reported, and the job still counts as "
		       "failed.",
	},
	{
		ROW(optional, BOOL),
		.def = "0",
		.help = "skips the job where this machine cannot run it",
		.doc = "Where the engine is missing or refuses (io_uring switched off, for "
		       "instance), or the filesystem knows no O_DIRECT, the job is left out with "
		       "its reason in the results, and the exit status stays 0. A mistake in the "
		       "job file stays an error. fio has no such key.",
	},

	/* What else it can be. */
	{
		ROW(workload, CHOICE),
		.def = "io",
		.choices = workload_choices,
		.help = "what kind of work: I/O on given files, or PostMark's",
		.doc = "`postmark` is PostMark 1.5's workload, with its counts to the last file: "
		       "it creates `postmark_number` files, does `postmark_transactions` "
		       "transactions, each of which reads or appends to a file and then creates or "
		       "deletes one, and deletes what is left. Creating, opening, closing and "
		       "unlinking a file is part of it and timed; the data goes through the "
		       "engine. For mmap a file gets its full size before it is mapped and "
		       "written; with null none is made.\n\n"
		       "Each worker has a directory of its own, called after section and worker, "
		       "beneath each location: it is made before the run and removed after it, "
		       "whatever became of the run. The second worker has the next seed, and so "
		       "on.\n\n"
		       "Such a job has no use for the keys of I/O on given files (`rw`, `bs`, "
		       "`size`, `iodepth`, `rate` and so on): they are an error. `runtime` ends it "
		       "early, `direct=1` needs one file size, and `sync` works as ever. "
		       "`--output-format=postmark` prints PostMark's own report.",
	},
	{
		ROW(postmark_size, SIZE),
		.flags = IOJOB_OPT_RANGE,
		.def = "500-10000",
		.min = 1,
		.max = INT32_MAX,
		.help = "bytes of a file: a size, or a range to draw from",
		.doc = "PostMark's `set size LOW HIGH`. Files grow up to the larger one by "
		       "appends, so there are no appends where all have one size. PostMark takes a "
		       "range the wrong way round for its first number; here it is an error.\n\n"
		       "Each worker needs as much memory as the largest file.",
	},
	{
		ROW(postmark_number, INT),
		.def = "500",
		.min = 1,
		.max = 1 << 30,
		.help = "files that are created before the transactions",
		.doc = "There can be twice as many at a time; a create without a free place is "
		       "left out, and counted.",
	},
	{
		ROW(postmark_transactions, INT),
		.def = "500",
		.min = 0,
		.max = INT32_MAX,
		.help = "transactions",
		.doc = "They end early where one wants a file and the last one is deleted, which "
		       "the results say.",
	},
	{
		ROW(postmark_subdirectories, INT),
		.def = "0",
		.min = 0,
		.max = 1000000,
		.help = "subdirectories that the files are spread over; below 2: none",
		.doc = "Made before the clock starts and removed after it stops.",
	},
	{
		ROW(postmark_location, STRING),
		.help = "PATH[:WEIGHT],...: where the files are; else directory",
		.doc = "A location of weight 3 gets three times the files of one of weight 1, the "
		       "default. A backslash stands before a comma or colon that belongs to a "
		       "path.\n\n"
		       "Without it the files are in `directory`, one of a list for each worker in "
		       "turn.",
	},
	{
		ROW(postmark_read, SIZE),
		.def = "512",
		.min = 1,
		.max = INT32_MAX,
		.help = "bytes that PostMark reads in one call",
		.doc = "With `postmark_buffering` the engine sees larger reads.",
	},
	{
		ROW(postmark_write, SIZE),
		.def = "512",
		.min = 1,
		.max = INT32_MAX,
		.help = "bytes that PostMark writes in one call",
		.doc = "With `postmark_buffering` the engine sees larger writes.",
	},
	{
		ROW(postmark_bias_read, INT),
		.def = "5",
		.min = -1,
		.max = 10,
		.help = "of ten transactions, how many read (the others append); -1: neither",
		.doc = "With -1 a transaction has no such half.",
	},
	{
		ROW(postmark_bias_create, INT),
		.def = "5",
		.min = -1,
		.max = 10,
		.help = "of ten transactions, how many create (the others delete); -1: neither",
		.doc = "With -1 a transaction has no such half.",
	},
	{
		ROW(postmark_buffering, BOOL),
		.def = "1",
		.help = "gathers reads and writes into calls of st_blksize, as stdio does",
		.doc = "PostMark uses stdio unless told `set buffering false`, so that a block "
		       "below st_blksize (4096 on most filesystems) becomes a part of a larger "
		       "call. Blocks above it are rounded down to whole ones. With 0 each block is "
		       "a call.",
	},
	{
		ROW(postmark_seed, INT),
		.def = "42",
		.min = INT32_MIN,
		.max = UINT32_MAX,
		.help = "seed of PostMark's random numbers",
		.doc = "The generator is PostMark's (MT19937), and so are the counts of every "
		       "seed.",
	},
	{
		ROW(postmark_fsync, CHOICE),
		.def = "none",
		.choices = postmark_fsync_choices,
		.help = "when the files are synced",
		.doc = "PostMark never does, so that much of what it writes is deleted before any "
		       "device sees it; the results say how much.",
	},

	/* How the file is read. */
	{
		ROW(kb_base, CHOICE),
		.def = "1024",
		.choices = kb_base_choices,
		.help = "what k, m and g mean in sizes of this job",
		.doc = "`Ki`, `Mi` and `Gi` are powers of 1024 always; in fio they become powers "
		       "of 1000 with the default.",
	},
	{
		ROW(repeat, INT),
		.def = "1",
		.min = 1,
		.max = 10000,
		.help = "runs the whole plan so many times",
		.doc = "In `[global]` only, since it is all jobs of all files, in their order, "
		       "that are repeated; --repeat counts more. Every repeat does the same work: "
		       "the seeds are the same, and `pre_read` and `invalidate` act again. Files "
		       "are laid out once, and `unlink` waits for the last repeat. All repeats "
		       "are kept in the result; what is shown of a job is the one whose bandwidth "
		       "is the median.",
	},
	{ .name = NULL },
};

_Static_assert(sizeof(job_options) / sizeof(job_options[0])
		<= 8 * sizeof(((struct job *)NULL)->given), "a bit for each row");

struct opt_table job_table(void)
{
	return (struct opt_table){ job_options, sizeof(job_options[0]) };
}

int job_row(const char *key)
{
	for (int i = 0; job_options[i].name; i++) {
		const struct iojob_option *row = &job_options[i];

		/* No name begins with `-` or `_`, which are the same: one look tells most apart. */
		if (row->name[0] == key[0] && opt_same_key(row->name, key))
			return i;
		if (row->alias && row->alias[0] == key[0] && opt_same_key(row->alias, key))
			return i;
	}
	return -1;
}

bool job_is_key(int row, const char *name, const char *key)
{
	const struct iojob_option *known = &job_options[row < 0 ? 0 : row];

	if (row < 0)
		return opt_same_key(name, key);
	return opt_same_key(known->name, key) || (known->alias && opt_same_key(known->alias, key));
}

bool job_same_key(const char *a, const char *b)
{
	return job_is_key(job_row(a), a, b);
}

static void free_pairs(struct jobfile_pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(pairs[i].key);
		free(pairs[i].value);
	}
	free(pairs);
}

static void free_job(struct job *job)
{
	const struct opt_table table = job_table();

	opt_free(&table, &job->o);
	if (job->engine_conf)
		opt_free(&job->engine->options, job->engine_conf);
	free(job->engine_conf);
	for (size_t i = 0; i < job->naxes; i++) {
		free(job->axes[i].name);
		free(job->axes[i].label);
	}
	free(job->axes);
	free_pairs(job->own, job->nown);
	free_pairs(job->global, job->nglobal);
	free(job->skipped);
	free(job->name);
	free(job->section);
}

void jobs_drop(struct jobs *jobs)
{
	free_job(&jobs->list[--jobs->n]);
}

void jobs_free(struct jobs *jobs)
{
	while (jobs->n)
		jobs_drop(jobs);
	free(jobs->list);
	*jobs = (struct jobs){ .list = NULL };
}

bool job_given(const struct job *job, const char *key)
{
	int row = job_row(key);

	return row >= 0 && (job->given[row / 64] >> row % 64 & 1);
}

const struct jobfile_pair *job_pair(const struct job *job, const char *key)
{
	int row = job_row(key);

	for (size_t i = job->nown; i-- > 0;)
		if (job_is_key(row, key, job->own[i].key))
			return &job->own[i];
	for (size_t i = job->nglobal; i-- > 0;)
		if (job_is_key(row, key, job->global[i].key))
			return &job->global[i];
	return NULL;
}

void job_where(const struct job *job, const char *key, const char **path, unsigned *line)
{
	const struct jobfile_pair *pair = job_pair(job, key);

	*path = pair ? pair->path : job->path;
	*line = pair ? pair->line : job->line;
}

bool job_is_sync(const struct job *job)
{
	const struct iojob_engine *e = &job->engine->e;

	return e->execute && (!e->submit || job->o.iodepth == 1);
}

unsigned job_depth(const struct job *job)
{
	return job_is_sync(job) ? 1 : (unsigned)job->o.iodepth;
}

size_t job_nfiles(const struct job *job)
{
	size_t names = job->o.filename ? list_length(job->o.filename) : 0;
	size_t n = (size_t)job->o.nrfiles;

	return !names || (job_given(job, "nrfiles") && n < names) ? n : names;
}

/* The first I/O is at the start; is there room for one where the step leads from there? */
static bool step_fits(uint64_t bs, int64_t step, uint64_t length)
{
	if (step < 0)
		return -(uint64_t)step < length;
	return !step || ((uint64_t)step < length && 2 * bs + (uint64_t)step <= length);
}

enum job_fit job_fit(const struct job *job, uint64_t length, int *dir)
{
	for (int d = 0; d < JOB_DIRS; d++) {
		*dir = d;
		if (!(job->ops & IOJOB_OP_BIT(d)))
			continue;
		if (job->bs_min[d] > length)
			return JOB_FIT_BLOCK;
		if (!step_fits(job->bs_min[d], job->step[d], length))
			return JOB_FIT_STEP;
	}
	if (job->zone_range
			&& job->zone_range + job->o.zoneskip + job_block_min(job) > length)
		return JOB_FIT_ZONE;
	return JOB_FITS;
}

uint64_t job_block_min(const struct job *job)
{
	uint64_t bs = UINT64_MAX;

	for (int d = 0; d < JOB_DIRS; d++) {
		if (job->ops & IOJOB_OP_BIT(d) && job->bs_min[d] < bs)
			bs = job->bs_min[d];
	}
	return bs;
}

uint64_t job_block_max(const struct job *job)
{
	uint64_t bs = 0;

	for (int d = 0; d < JOB_DIRS; d++) {
		if (job->ops & IOJOB_OP_BIT(d) && job->bs_max[d] > bs)
			bs = job->bs_max[d];
	}
	return bs;
}
