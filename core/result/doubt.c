// SPDX-License-Identifier: MIT
#include "doubt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "postmark.h"

const struct doubt_kind doubt_kinds[] = {
	[DOUBT_HOLES] = {
		"C1", false, "reads of holes or unwritten extents",
		"Parts of the files that were read have never been written (SEEK_HOLE, and FIEMAP "
		"before the run; of a loop device, in its backing file): the filesystem answers "
		"with zeros and no device is asked. From 5 % of the region on: what less can do to "
		"a figure drowns in the spread of good repeats.",
		"write the file whole, or remove it and let the run lay it out",
	},
	[DOUBT_UNWRITTEN] = {
		"C2", false, "writes that never reached the device",
		"When the job ended, what it had written was still dirty in the page cache "
		"(cachestat(2)), or the device wrote less meanwhile than the jobs of the stage "
		"claim: blocks were overwritten in memory. From 5 % of the bytes on. Not asked of "
		"jobs with direct or sync, or an fsync or fdatasync after each write; with "
		"end_fsync only the device is.",
		"set end_fsync=1; where blocks are overwritten in memory, use a larger file or "
		"direct=1",
	},
	[DOUBT_CACHED] = {
		"C3", false, "reads that came from the page cache",
		"The workers fetched less from block devices (the kernel's own count of bytes, "
		"getrusage(2)) than they read; read-ahead counts as fetched. Of filesystems whose "
		"devices do not count that, what was cached before the run is looked at. From 5 % "
		"of the bytes on. A job with pre_read=1 wants it so, and has no doubt.",
		"set direct=1 or invalidate=1, or read more than memory holds",
	},
	[DOUBT_INDIRECT] = {
		"C4", false, "direct I/O that was not direct",
		"Fewer bytes went to or came from the device than direct I/O moved: the filesystem "
		"took it through the page cache after all (ext4 with data=journal, encryption or "
		"compression does). From 5 % of the bytes on.",
		"use a filesystem and mount options that do direct I/O",
	},
	[DOUBT_BOUNCED] = {
		"C5", false, "a loop device that caches",
		"Under the files is a loop device that goes through the page cache of its backing "
		"file (/sys/block/loopN/loop/dio is 0): direct I/O ends in memory there, and reads "
		"come from there. Not asked of buffered writes, which an fsync brings out all the "
		"same.",
		"set the loop device up with `losetup --direct-io=on`",
	},
	[DOUBT_SQUEEZED] = {
		"C6", false, "data that the store makes smaller",
		"The job writes zeros, a pattern or the same buffer again (zero_buffers, "
		"buffer_pattern, or neither refill_buffers nor scramble_buffers) to a filesystem "
		"or device that compresses or deduplicates.",
		"leave out zero_buffers and buffer_pattern, and set refill_buffers=1",
	},
	[DOUBT_NO_DEVICE] = {
		"C7", true, "no device under the files",
		"The files are on a filesystem without a block device (tmpfs), or are none "
		"(/dev/zero): what was measured is memory and the kernel.",
		"",
	},
	[DOUBT_PARTITION] = {
		"A1", false, "a partition that is not aligned",
		"The partition does not begin at a multiple of the device's physical block, or of "
		"4096 bytes where that is smaller (no flash device has smaller pages, whatever it "
		"says), or the kernel says so (alignment_offset): blocks straddle two of the "
		"device's.",
		"make the partition anew at a multiple of 1 MiB",
	},
	[DOUBT_BLOCKS] = {
		"A2", false, "blocks that are not whole blocks of the device",
		"A block size or an offset of direct I/O is no multiple of the device's physical "
		"block: a write makes the device read, change and write, a read fetches more than "
		"it asks for.",
		"use blocks and offsets that are multiples of the physical block",
	},
	[DOUBT_SHORT] = {
		"T1", false, "too short",
		"The measured time was less than 0.5 s: starting, caches and queues make up much "
		"of it.",
		"give it more to do, or time_based=1 and a runtime",
	},
	[DOUBT_FEW] = {
		"T2", false, "too few operations for a percentile",
		"A percentile q needs ten operations above it, that is 10/(1-q) in all; the text "
		"leaves out those that have fewer, JSON and CSV print all. Asked of p99, or of all "
		"in percentile_list where the job has one.",
		"give it more to do, or look at lower percentiles",
	},
	[DOUBT_UNSTEADY] = {
		"T3", false, "not steady",
		"In five parts of equal length the bandwidth varies by more than 20 % of its mean, "
		"or the line fitted through them moves by more than 10 %: the pair of criteria of "
		"SNIA's Solid State Storage Performance Test Specification. Asked of jobs with "
		"five samples or more, one a second, but not of PostMark jobs, whose phases "
		"differ.",
		"set a ramp_time, or run it for longer",
	},
	[DOUBT_WARMING] = {
		"T4", false, "still warming up",
		"The first second differs by 20 % or more from the mean of the others, which "
		"differ from each other by no more than that. Not asked of PostMark jobs, whose "
		"phases differ.",
		"set a ramp_time",
	},
	[DOUBT_GENERATOR] = {
		"G1", false, "the generator was the bottleneck",
		"The workers were on the CPU for 95 % of the time or more while the device was "
		"busy for less than 90 %: a faster device would not have shown. Not asked where "
		"polling (hipri) is to burn the CPU, nor where C1 to C3 say why.",
		"use more workers (numjobs), a leaner engine or larger blocks",
	},
	[DOUBT_CPU_WAIT] = {
		"G2", false, "workers waited for a CPU",
		"Workers that could have run waited for a CPU for 5 % of the time or more (run "
		"delay of /proc/thread-self/schedstat): I/Os started and were noticed late.",
		"use fewer workers than CPUs, or keep others off the machine",
	},
	[DOUBT_SCHEDULE] = {
		"G3", false, "the schedule was not kept",
		"With a rate: 1 % of the I/Os or more that were due never started, or I/Os started "
		"later than intended by two intervals on average (and 200 us, four times what a "
		"timer may be late). The load was not the one asked for; response time tells what "
		"it meant.",
		"ask for a lower rate, or a greater iodepth or numjobs",
	},
	[DOUBT_SYNCHRONOUS] = {
		"G4", false, "an asynchronous engine that was synchronous",
		"Until an fsync at the end, workers spent half of their time or more within the "
		"call that should only hand an I/O over (slat), and with direct I/O not on the "
		"CPU; or kernel threads (iou-wrk) took a fifth or more of the CPU time. Buffered "
		"I/O does it, and filesystems without asynchronous paths. Not asked of jobs that "
		"submit in batches.",
		"set direct=1, or use a synchronous engine with more workers",
	},
	[DOUBT_DEPTH] = {
		"G5", false, "the depth asked for was not reached",
		"On average, until an fsync at the end, fewer than half of iodepth I/Os were in "
		"flight (Little's law). Not asked of jobs with a rate, thinktime or batches.",
		"ask for the depth that is reached, or see what holds it back",
	},
	[DOUBT_OTHER_CPU] = {
		"L1", false, "others used the CPUs",
		"Programs that are not of this run used 10 % or more of all CPU time (user time in "
		"/proc/stat beyond ours: the kernel's threads, which work for the run too, have "
		"none).",
		"stop them, and run it again",
	},
	[DOUBT_OTHER_IO] = {
		"L2", false, "others used the device",
		"The device moved more than the workers caused: 10 % or more of its bytes. Writes "
		"count only beyond twice the run's own and 64 KiB for each fsync, or write with "
		"sync, since journals and metadata are the run's too. Data that an earlier stage "
		"left dirty counts as another's.",
		"stop what uses the device, end jobs that write with end_fsync=1",
	},
	[DOUBT_STOLEN] = {
		"L3", false, "stolen CPU time",
		"The hypervisor gave 1 % or more of the CPU time to other guests (steal in "
		"/proc/stat).",
		"use a host that is not shared, or repeat and compare",
	},
	[DOUBT_MEMORY] = {
		"L4", false, "memory was short",
		"Tasks waited for memory for 5 % of the time or more (/proc/pressure/memory).",
		"free memory, or use smaller files or direct=1",
	},
	[DOUBT_CPU_LIMIT] = {
		"M1", false, "the control group limits the CPU, and did",
		"The program's cgroup or one above it stopped it for 1 % of the time or more "
		"(cpu.stat: throttled).",
		"raise cpu.max (cpu.cfs_quota_us), or leave the cgroup",
	},
	[DOUBT_IO_LIMIT] = {
		"M2", false, "the control group limits the I/O, and did",
		"The program's cgroup or one above it has a limit for the device (io.max, "
		"blkio.throttle), and 80 % of it or more was reached: what was measured is the "
		"limit.",
		"take the limit off, or leave the cgroup",
	},
	[DOUBT_MEMORY_LIMIT] = {
		"M3", false, "the control group limits the memory, and did",
		"The program's cgroup or one above it ran into its memory limit meanwhile (max and "
		"high of memory.events.local, memory.failcnt): the page cache of the job was cut "
		"down to it. Asked of buffered jobs.",
		"raise the limit, or set direct=1",
	},
	[DOUBT_FREQUENCY] = {
		"M4", false, "the CPU's frequency moved",
		"The governor is not `performance`, and the mean frequency of the CPUs changed by "
		"10 % or more from the start to the end.",
		"set the governor to performance",
	},
	[DOUBT_HEAT] = {
		"M5", false, "the CPU was throttled by heat",
		"Thermal throttling was counted meanwhile (thermal_throttle/core_throttle_count).",
		"cool the machine, and run it again",
	},
	[DOUBT_CLOCK] = {
		"O1", false, "the clock went astray",
		"The clock of the measurement and CLOCK_MONOTONIC parted by more than 1000 ppm: "
		"twice what NTP may slew.",
		"run it again if a virtual machine was moved meanwhile; clocksource=tsc is for "
		"machines where that is stable",
	},
	[DOUBT_OWN_COST] = {
		"O2", false, "the measuring is a large share of the measured",
		"What an I/O costs iojob itself is 10 % or more of the time that a worker had for "
		"each.",
		"compare with the same version only, or use larger blocks",
	},
	[DOUBT_VIRTUAL] = {
		"F1", true, "a virtual machine",
		"The CPU says that a hypervisor is below: the devices may be shared and cached "
		"there.",
		"",
	},
	[DOUBT_ONE_RUN] = {
		"F2", true, "one run only",
		"The plan ran once: nothing is known of the spread, and no difference to another "
		"run is proof.",
		"",
	},
	[DOUBT_CLOSED_LOOP] = {
		"F3", true, "a closed loop",
		"Jobs without a rate start an I/O when another is done: a device that stalls is "
		"asked less, and the latencies show fewer of the stalls than users would meet.",
		"",
	},
	[DOUBT_NO_FREQUENCY] = {
		"F4", true, "the CPU's frequency cannot be seen",
		"The kernel has no cpufreq here: whether the frequency moved is not known.",
		"",
	},
	{ .id = NULL },
};

const char *doubt_postmark_advice(enum doubt kind)
{
	static const char *const advice[] = {
		[DOUBT_UNWRITTEN] = "set postmark_fsync=close or direct=1",
		[DOUBT_CACHED] = "set direct=1, or have more files than memory holds",
		[DOUBT_SHORT] = "give it more to do",
	};

	return (size_t)kind < sizeof(advice) / sizeof(advice[0]) ? advice[kind] : NULL;
}

/* `bytes` of the text are the id. */
static int find(const char *id, size_t bytes)
{
	for (int i = 0; doubt_kinds[i].id; i++) {
		if (strlen(doubt_kinds[i].id) == bytes
				&& !strncasecmp(doubt_kinds[i].id, id, bytes))
			return i;
	}
	return -1;
}

int doubt_find(const char *id)
{
	return find(id, strlen(id));
}

static int kind_of(const struct result_doubt *doubt)
{
	return doubt_find(doubt->id);
}

__attribute__((format(printf, 5, 0)))
static int add(struct result_doubt **doubts, size_t *n, enum doubt kind, const char *advice,
		const char *format, va_list ap)
{
	const struct doubt_kind *k = &doubt_kinds[kind];
	struct result_doubt new = { .fact = k->fact }, *list;
	size_t at;

	for (at = *n; at && kind_of(&(*doubts)[at - 1]) > (int)kind; at--)
		;
	if (at && kind_of(&(*doubts)[at - 1]) == (int)kind)
		return 0;
	list = realloc(*doubts, (*n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	*doubts = list;
	if (vasprintf(&new.evidence, format, ap) < 0)
		new.evidence = NULL;
	new.id = strdup(k->id);
	new.advice = strdup(advice);
	if (!new.evidence || !new.id || !new.advice) {
		free(new.evidence);
		free(new.id);
		free(new.advice);
		return -ENOMEM;
	}
	memmove(&list[at + 1], &list[at], (*n - at) * sizeof(*list));
	list[at] = new;
	++*n;
	return 0;
}

int doubt_add(struct result_doubt **doubts, size_t *n, enum doubt kind, const char *format, ...)
{
	va_list ap;
	int r;

	va_start(ap, format);
	r = add(doubts, n, kind, doubt_kinds[kind].advice, format, ap);
	va_end(ap);
	return r;
}

int doubt_add_job(struct result_job *job, enum doubt kind, const char *format, ...)
{
	const char *advice = result_is_postmark(job) ? doubt_postmark_advice(kind) : NULL;
	va_list ap;
	int r;

	va_start(ap, format);
	r = add(&job->doubts, &job->ndoubts, kind, advice ? advice : doubt_kinds[kind].advice,
			format, ap);
	va_end(ap);
	return r;
}

/* The next of the ids in a list; NULL at its end. */
static const char *next_id(const char **list, size_t *bytes)
{
	const char *id = *list;

	if (!id)
		return NULL;
	*bytes = strcspn(id, ",");
	*list = id[*bytes] ? id + *bytes + 1 : NULL;
	return id;
}

static int unknown_id(const char *where, const char *id, size_t bytes, struct err *err)
{
	char known[256] = "";
	size_t used = 0;

	for (int i = 0; doubt_kinds[i].id; i++) {
		if (!doubt_kinds[i].fact)
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					used ? " " : "", doubt_kinds[i].id);
	}
	return err_set(err, EINVAL, "%s`%.*s` is no doubt; there are %s (see `iojob doubts`)",
			where, (int)bytes, id, known);
}

int doubt_check_ids(const char *where, const char *ids, struct err *err)
{
	const char *id;
	size_t bytes;

	while ((id = next_id(&ids, &bytes))) {
		int kind = find(id, bytes);

		if (kind < 0 || doubt_kinds[kind].fact)
			return unknown_id(where, id, bytes, err);
	}
	return 0;
}

static void accept_in(struct result_doubt *doubts, size_t n, int kind)
{
	for (size_t i = 0; i < n; i++)
		doubts[i].accepted |= !doubts[i].fact && kind_of(&doubts[i]) == kind;
}

void doubt_accept(struct result *result, const char *ids)
{
	const char *id;
	size_t bytes;

	while ((id = next_id(&ids, &bytes))) {
		int kind = find(id, bytes);

		accept_in(result->doubts, result->ndoubts, kind);
		for (size_t i = 0; i < result->njobs; i++)
			accept_in(result->jobs[i].doubts, result->jobs[i].ndoubts, kind);
		for (size_t r = 0; r < result->nrepeats; r++) {
			struct result_repeat *repeat = &result->repeats[r];

			for (size_t i = 0; i < repeat->njobs; i++)
				accept_in(repeat->jobs[i].doubts, repeat->jobs[i].ndoubts, kind);
		}
	}
}

static size_t open_in(const struct result_doubt *doubts, size_t n)
{
	size_t open = 0;

	for (size_t i = 0; i < n; i++)
		open += !doubts[i].fact && !doubts[i].accepted;
	return open;
}

static size_t open_in_jobs(const struct result_job *jobs, size_t n)
{
	size_t open = 0;

	for (size_t i = 0; i < n; i++)
		open += open_in(jobs[i].doubts, jobs[i].ndoubts);
	return open;
}

size_t doubt_open(const struct result *result)
{
	size_t open = open_in(result->doubts, result->ndoubts);

	/* The jobs of a result with repeats are views of some of theirs. */
	if (!result->nrepeats)
		open += open_in_jobs(result->jobs, result->njobs);
	for (size_t i = 0; i < result->nrepeats; i++)
		open += open_in_jobs(result->repeats[i].jobs, result->repeats[i].njobs);
	return open;
}
