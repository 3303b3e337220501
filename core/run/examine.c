// SPDX-License-Identifier: MIT
#include "examine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Of a disk, in a stage; bits. */
enum exam_place {
	EXAM_TOP = 1,   /* files lie on it */
	EXAM_BELOW = 2, /* it carries a device that files lie on */
};

enum {
	FILES = 1024, /* so many are looked at in a stage, about */
	SECTOR = 512,
	FSYNC_BYTES = 64 * 1024, /* what a journal may write for one fsync */
};

/* ---- what a job is ------------------------------------------------------------------------- */

/* A switch of the engine's own by its name; false where it has none of that name. */
static bool engine_switch(const struct job *job, const char *name)
{
	struct iojob_option copy;
	const struct iojob_option *row = opt_find(&job->engine->options, name, &copy);

	return row && row->type == IOJOB_OPT_BOOL
			&& *(const bool *)((const char *)job->engine_conf + row->offset);
}

/* Are its writes left to the page cache, I/O by I/O? */
static bool is_lazy(const struct job *job)
{
	return job_does(job, IOJOB_WRITE) && !job->direct && job->o.sync == JOB_SYNC_NONE
			&& job->o.fsync != 1 && job->o.fdatasync != 1 && !job->o.postmark_fsync;
}

static bool ends_synced(const struct job *job)
{
	return job->o.end_fsync || job->o.fsync_on_close;
}

static void describe_job(struct exam_job *j, const struct plan_worker *w)
{
	const struct job *job = w->job;
	struct doctor_job *seen = &j->seen;

	j->leader = w;
	j->counts = probe_counts_reads();
	seen->buffered = !job->direct;
	seen->wants_cache = job->o.pre_read && !job->direct;
	for (int d = 0; d < JOB_DIRS; d++)
		seen->paced |= job_is_rated(job, d);
	seen->paced |= job->o.thinktime > 0;
	seen->polls = engine_switch(job, "hipri");
	seen->batches = job->o.iodepth_batch > 1 || job->o.iodepth_batch_complete_min > 1
			|| engine_switch(job, "one_enter");
}

/* ---- devices ------------------------------------------------------------------------------- */

static void copy_name(char to[DOCTOR_NAME], const char *name)
{
	if (!to[0])
		snprintf(to, DOCTOR_NAME, "%s", name);
}

static uint64_t block_number(dev_t dev, const char *file)
{
	char line[64];

	return machine_line(line, sizeof(line), MACHINE_BLOCK "/%s", major(dev), minor(dev), file)
			? strtoull(line, NULL, 10) : 0;
}

/*
 * A partition that does not begin where blocks of its device do, at the bottom of all that is under
 * a file: LVM or encryption may stand on it.
 */
static void look_at_partitions(struct doctor_job *seen, dev_t block, int depth)
{
	enum { PAGE = 4096, DEPTH = 8 };
	dev_t below[MACHINE_BELOW], disk = machine_disk(block);
	uint64_t start = block_number(block, "start") * SECTOR;
	uint64_t unit = block_number(disk, "queue/physical_block_size");
	size_t n = depth < DEPTH ? machine_below("", block, below, MACHINE_BELOW) : 0;
	char name[MACHINE_NAME];

	unit = unit > PAGE ? unit : PAGE;
	if (!seen->partition[0] && block != disk && machine_block_name("", block, name)
			&& (start % unit || block_number(block, "alignment_offset"))) {
		copy_name(seen->partition, name);
		seen->partition_bytes = start;
	}
	for (size_t i = 0; i < n; i++)
		look_at_partitions(seen, below[i], depth + 1);
}

/* Block sizes and offsets of direct I/O against the block of the device. */
static void look_at_blocks(struct exam_job *j, const struct plan_file *file, uint64_t physical)
{
	const struct job *job = j->job;
	uint64_t odd = 0;

	if (!job->direct || !physical || j->seen.odd_bytes
			|| (job_is_postmark(job) && job->o.postmark_buffering))
		return;
	for (int d = 0; d < JOB_DIRS; d++) {
		uint64_t step = (uint64_t)llabs(job->step[d]);

		if (!job_does(job, (enum iojob_op)d))
			continue;
		if (step % physical)
			odd = step;
		if (job->bs_min[d] % physical)
			odd = job->bs_min[d];
	}
	if (!odd && file->offset % physical)
		odd = file->offset;
	if (odd) {
		j->seen.odd_bytes = odd;
		j->seen.physical_bytes = physical;
	}
}

/* Nothing but the same, or nothing at all, in every write? */
static bool is_dull(const struct job *job, bool deduplicates)
{
	const struct job_opts *o = &job->o;

	if (job_is_postmark(job))
		return deduplicates; /* every file begins with the same text */
	return job_does(job, IOJOB_WRITE)
			&& (o->zero_buffers || o->buffer_pattern
			|| (deduplicates && !o->refill_buffers && !o->scramble_buffers));
}

static void look_at_disk(struct exam_job *j, const struct disk *disk)
{
	char line[256];

	if ((j->job->direct || (job_does(j->job, IOJOB_READ) && !j->seen.wants_cache))
			&& machine_line(line, sizeof(line), "/sys/block/%s/loop/dio", disk->name)
			&& !strcmp(line, "0"))
		copy_name(j->seen.loop, disk->name);
	if (!strncmp(disk->name, "zram", 4) && is_dull(j->job, false))
		copy_name(j->seen.store, disk->name);
	if (machine_line(line, sizeof(line), "/sys/block/%s/dm/uuid", disk->name)
			&& !strncmp(line, "VDO-", 4) && is_dull(j->job, true))
		copy_name(j->seen.store, disk->name);
}

/* Everything under a file, from its st_dev on. */
static void look_below(struct exam *e, struct exam_job *j, const struct plan_file *file, dev_t dev)
{
	struct disks stack = { 0 };
	dev_t block = 0;
	struct err err;

	if (machine_block_of(dev, &block) || !block || disks_add(&stack, dev, &err) || !stack.n) {
		j->counts = false;
	} else {
		uint64_t physical = block_number(stack.list[0].dev, "queue/physical_block_size");

		j->seen.device = true;
		copy_name(j->seen.device_name, stack.list[0].name);
		look_at_partitions(&j->seen, block, 0);
		look_at_blocks(j, file, physical);
	}
	for (size_t i = 0; i < stack.n; i++) {
		look_at_disk(j, &stack.list[i]);
		for (size_t k = 0; k < e->disks->n; k++) {
			if (e->disks->list[k].dev == stack.list[i].dev)
				e->place[k] |= i ? EXAM_BELOW : EXAM_TOP;
		}
	}
	disks_free(&stack);
}

/* ---- filesystems --------------------------------------------------------------------------- */

struct filesystem {
	uint32_t magic;
	bool memory;
	bool blind;       /* its devices are several, or not read in the name of who asks */
	const char *word; /* in its mount options: it compresses */
};

static const struct filesystem filesystems[] = {
	{ TMPFS_MAGIC, true, true, NULL },
	{ RAMFS_MAGIC, true, true, NULL },
	{ HUGETLBFS_MAGIC, true, true, NULL },
	{ BTRFS_SUPER_MAGIC, false, true, "compress" },
	{ F2FS_SUPER_MAGIC, false, false, "compress_algorithm" },
	{ FUSE_SUPER_MAGIC, false, true, NULL },
	{ 0xca451a4e, false, true, "compression" }, /* bcachefs */
	{ 0x2fc12fc1, false, true, "" },            /* zfs: what it does is no mount option */
};

static const struct filesystem *filesystem_of(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs))
		return NULL;
	for (size_t i = 0; i < sizeof(filesystems) / sizeof(filesystems[0]); i++) {
		if (filesystems[i].magic == (uint32_t)fs.f_type)
			return &filesystems[i];
	}
	return NULL;
}

/* Does the filesystem make what is written to it smaller? Its mount options say so. */
static bool compresses(const char *path, const struct filesystem *fs)
{
	struct machine_mounts mounts;
	const struct machine_mount *mount;
	char *real;
	bool yes = false;

	if (!fs->word || machine_mounts_read(&mounts))
		return false;
	real = realpath(path, NULL);
	mount = real ? machine_mount_of(&mounts, real) : NULL;
	if (mount)
		yes = strstr(mount->options, fs->word) != NULL;
	free(real);
	machine_mounts_free(&mounts);
	return yes;
}

static bool is_dax(const char *path)
{
	struct statx stx;

	return !statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &stx)
			&& (stx.stx_attributes & STATX_ATTR_DAX);
}

/* True: it is in memory. */
static bool look_at_filesystem(struct exam_job *j, const struct plan_target *t)
{
	const struct filesystem *fs = filesystem_of(t->path);

	if ((fs && fs->blind) || is_dax(t->path))
		j->counts = false;
	if (fs && is_dull(j->job, fs->word && !*fs->word) && compresses(t->path, fs)) {
		copy_name(j->seen.store, "the filesystem");
		j->counts = false; /* what compresses moves less than it is given */
	}
	return fs && fs->memory;
}

/* ---- files --------------------------------------------------------------------------------- */

static int open_to_look(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* What a loop device reads: the holes of its backing file are its own. */
static uint64_t loop_holes(dev_t dev, uint64_t offset, uint64_t length)
{
	uint64_t holes;
	char path[PATH_MAX];
	int fd;

	if (!machine_line(path, sizeof(path), MACHINE_BLOCK "/loop/backing_file", major(dev),
			    minor(dev)))
		return 0;
	fd = open_to_look(path);
	if (fd < 0)
		return 0;
	holes = probe_holes(fd, offset + block_number(dev, "loop/offset"), length);
	close(fd);
	return holes;
}

/* The region that a worker reads, before it does. */
static void look_at_region(struct exam_job *j, const struct plan_target *t,
		const struct plan_file *file)
{
	struct doctor_job *seen = &j->seen;
	struct probe_cache cache;
	int fd;

	if (!job_does(j->job, IOJOB_READ) || file->as_written || job_is_postmark(j->job))
		return; /* PostMark reads what it has written itself */
	fd = open_to_look(t->path);
	if (fd < 0)
		return;
	if (t->look.kind <= TARGET_REGULAR) {
		seen->read_region += file->length;
		seen->hole_bytes += probe_holes(fd, file->offset, file->length);
	} else if (t->look.kind == TARGET_BLOCK) {
		seen->read_region += file->length;
		seen->hole_bytes += loop_holes(t->look.dev, file->offset, file->length);
	}
	if (!j->counts && !j->seen.memory && !j->job->direct && !j->job->o.invalidate
			&& probe_cache(fd, file->offset, file->length, &cache)) {
		seen->blind_region += file->length;
		seen->blind_cached += cache.resident;
	}
	close(fd);
}

static bool same_region(const struct plan_worker *a, const struct plan_worker *b, size_t f)
{
	return a != b && f < b->nfiles && a->files[f].target == b->files[f].target
			&& a->files[f].offset == b->files[f].offset
			&& a->files[f].length == b->files[f].length;
}

/* The devices and filesystems under a job's files: every one is looked at once. */
static void look_at_places(struct exam *e, struct exam_job *j)
{
	const struct plan_worker *w = j->leader;
	bool memory = w->nfiles > 0;
	dev_t last = 0;

	for (size_t f = 0; f < w->nfiles; f++) {
		const struct plan_target *t = &e->plan->targets[w->files[f].target];

		if (t->look.kind == TARGET_ENGINE) {
			j->counts = memory = false;
			continue;
		}
		j->seen.files = true;
		if (f && t->look.dev == last)
			continue;
		last = t->look.dev;
		if (t->look.kind == TARGET_CHAR) {
			j->counts = false;
			continue;
		}
		if (t->look.kind != TARGET_BLOCK)
			memory &= look_at_filesystem(j, t);
		else
			memory = false;
		look_below(e, j, &w->files[f], t->look.dev);
	}
	j->seen.memory = memory && j->seen.files;
}

static struct exam_job *job_of(const struct exam *e, const struct job *job)
{
	return &e->jobs[(size_t)(job - e->plan->jobs->list) - e->first];
}

static void look_at_worker(struct exam *e, const struct plan_worker *w, size_t *number)
{
	struct exam_job *j = job_of(e, w->job);

	if (!j->leader) {
		describe_job(j, w);
		look_at_places(e, j);
	}
	for (size_t f = 0; f < w->nfiles; f++) {
		const struct plan_target *t = &e->plan->targets[w->files[f].target];

		if (t->look.kind > TARGET_BLOCK || same_region(w, j->leader, f)
				|| (*number)++ % e->stride)
			continue;
		look_at_region(j, t, &w->files[f]);
	}
}

int exam_begin(struct exam *e, const struct plan *plan, size_t stage, struct disks *disks,
		const struct probe_groups *groups)
{
	size_t nfiles = 0, number = 0;

	*e = (struct exam){
		.plan = plan, .workers = &plan->stages[stage], .groups = groups, .disks = disks,
	};
	while (e->first < plan->jobs->n && plan->jobs->list[e->first].stage != stage)
		e->first++;
	for (size_t i = e->first; i < plan->jobs->n && plan->jobs->list[i].stage == stage; i++)
		e->njobs++;
	e->jobs = calloc(e->njobs + 1, sizeof(*e->jobs));
	e->parts = calloc(e->workers->nworkers + 1, sizeof(*e->parts));
	e->sums = calloc(disks->n + 1, sizeof(*e->sums));
	e->place = calloc(disks->n + 1, sizeof(*e->place));
	if (!e->jobs || !e->parts || !e->sums || !e->place)
		return -ENOMEM;
	for (size_t i = 0; i < e->njobs; i++)
		e->jobs[i].job = &plan->jobs->list[e->first + i];
	for (size_t i = 0; i < disks->n; i++)
		e->sums[i] = disks->list[i].sum;
	for (size_t i = 0; i < e->workers->nworkers; i++)
		nfiles += e->workers->workers[i].nfiles;
	e->stride = 1 + nfiles / FILES;
	for (size_t i = 0; i < e->workers->nworkers; i++)
		look_at_worker(e, &e->workers->workers[i], &number);
	probe_take(&e->before, groups);
	return 0;
}

void exam_free(struct exam *e)
{
	free(e->jobs);
	free(e->parts);
	free(e->sums);
	free(e->place);
	*e = (struct exam){ 0 };
}

/* ---- afterwards ---------------------------------------------------------------------------- */

/* What of a worker's files is in memory only. Files that several of a job share count once. */
static void look_at_left(struct exam *e, const struct plan_worker *w, size_t *number)
{
	struct exam_job *j = job_of(e, w->job);

	if (!is_lazy(w->job) || ends_synced(w->job) || j->seen.memory)
		return;
	for (size_t f = 0; f < w->nfiles; f++) {
		const struct plan_target *t = &e->plan->targets[w->files[f].target];
		struct probe_cache cache;
		int fd;

		if (t->look.kind > TARGET_BLOCK || same_region(w, j->leader, f)
				|| (*number)++ % e->stride)
			continue;
		fd = open_to_look(t->path);
		if (fd < 0)
			continue;
		if (probe_cache(fd, w->files[f].offset, w->files[f].length, &cache))
			j->seen.left_bytes += cache.dirty * e->stride;
		close(fd);
	}
}

/* What the disks of these places moved in the stage. */
static struct disk_stat moved(const struct exam *e, unsigned want, unsigned without)
{
	struct disk_stat sum = { 0 };

	for (size_t i = 0; i < e->disks->n; i++) {
		const struct disk_stat *now = &e->disks->list[i].sum, *then = &e->sums[i];

		if ((e->place[i] & want) != want || (e->place[i] & without))
			continue;
		sum.read_sectors += now->read_sectors - then->read_sectors;
		sum.write_sectors += now->write_sectors - then->write_sectors;
	}
	return sum;
}

/*
 * What the devices moved beyond what was caused by the workers, who are charged for what they dirty
 * as for what they write. A device that carries another one of the stage is left out: what the
 * kernel does there for us is in nobody's name.
 */
static void fill_others(struct exam *e)
{
	const struct disk_stat sum = moved(e, EXAM_TOP, EXAM_BELOW);
	uint64_t read = sum.read_sectors * SECTOR, written = sum.write_sectors * SECTOR;
	uint64_t own_read = e->after.own_read - e->before.own_read;
	uint64_t own_written = 2 * (e->after.own_written - e->before.own_written)
			+ FSYNC_BYTES * e->syncs;
	struct doctor_stage *s = &e->stage;

	if (!probe_counts_reads())
		return;
	s->device_bytes = read + written;
	s->other_read = read > own_read ? read - own_read : 0;
	s->other_written = written > own_written ? written - own_written : 0;
	for (size_t i = 0; i < e->disks->n; i++) {
		if (e->place[i] & EXAM_TOP && !(e->place[i] & EXAM_BELOW))
			copy_name(s->other_device, e->disks->list[i].name);
	}
}

/* The part of what files' devices did that was ours: others may do more than our limit. */
static double own_part(uint64_t own, uint64_t device)
{
	return own < device ? (double)own / (double)device : 1;
}

static void fill_limits(struct exam *e)
{
	const struct disk_stat sum = moved(e, EXAM_TOP, 0);
	double reads = own_part(e->after.own_read - e->before.own_read, sum.read_sectors * SECTOR);
	double writes = own_part(e->after.own_written - e->before.own_written,
			sum.write_sectors * SECTOR);
	double seconds = (double)(e->after.now_ns - e->before.now_ns) / 1e9;
	struct doctor_stage *s = &e->stage;

	for (size_t i = 0; i < e->disks->n; i++) {
		const struct disk *disk = &e->disks->list[i];
		const struct disk_stat *then = &e->sums[i];
		const struct probe_rates rates = {
			.read_bytes = reads * SECTOR / seconds
					* (double)(disk->sum.read_sectors - then->read_sectors),
			.write_bytes = writes * SECTOR / seconds
					* (double)(disk->sum.write_sectors - then->write_sectors),
			.read_ios = reads / seconds
					* (double)(disk->sum.read_ios - then->read_ios),
			.write_ios = writes / seconds
					* (double)(disk->sum.write_ios - then->write_ios),
		};
		char name[DOCTOR_NAME];
		double share = e->place[i] ? probe_io_limit(e->groups, disk, &rates, name,
				sizeof(name)) : 0;

		if (share > s->io_limit_share) {
			s->io_limit_share = share;
			memcpy(s->io_limit, name, sizeof(name));
		}
	}
}

static void fill_util(struct exam *e)
{
	double ms = (double)(e->after.now_ns - e->before.now_ns) / 1e6;

	for (size_t i = 0; i < e->disks->n; i++) {
		double busy = (double)(e->disks->list[i].sum.io_ticks_ms - e->sums[i].io_ticks_ms);

		if (e->place[i] & EXAM_TOP && 100 * busy / ms > e->stage.util_percent)
			e->stage.util_percent = 100 * busy / ms;
	}
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void exam_ran(struct exam *e)
{
	const struct probe *a = &e->before, *b = &e->after;
	size_t number = 0;

	probe_take(&e->after, e->groups);
	e->stage = (struct doctor_stage){
		.elapsed_ns = b->now_ns - a->now_ns,
		.cpu_ns = minus(b->cpu_ns, a->cpu_ns),
		.other_user_ns = minus(minus(b->user_ns, a->user_ns),
				minus(b->own_user_ns, a->own_user_ns)),
		.steal_ns = minus(b->steal_ns, a->steal_ns),
		.load_average = b->load_average,
		.cpu_throttled_ns = minus(b->cpu_throttled_ns, a->cpu_throttled_ns),
		.memory_hits = minus(b->memory_hits, a->memory_hits),
		.khz_before = a->khz,
		.khz_after = b->khz,
		.heat = minus(b->heat, a->heat),
	};
	e->stage.memory_stall = (double)minus(b->memory_stall_ns, a->memory_stall_ns)
			/ (double)e->stage.elapsed_ns;
	probe_governor(e->stage.governor, sizeof(e->stage.governor));
	for (size_t i = 0; i < e->workers->nworkers; i++)
		look_at_left(e, &e->workers->workers[i], &number);
}

/* Claims against what was moved for them, where a device counts that. */
static void add_flows(struct exam *e, struct exam_job *j, struct exam_part *part,
		const struct stage_worker *w, const struct result_job *r)
{
	const struct job *job = j->job;
	uint64_t read = r->dir[IOJOB_READ].bytes, written = r->dir[IOJOB_WRITE].bytes;
	struct doctor_flow *flow = job->direct ? &part->direct_reads : &part->cached_reads;
	/*
	 * What the kernel's threads do for a thread worker is not in its name, and one that died or
	 * hangs has not said what was fetched for it.
	 */
	bool charged = (!job->o.thread || r->sync_engine) && !w->died && !w->hung;

	if (is_lazy(job))
		j->seen.lazy_bytes += written;
	if (!j->counts)
		return;
	if (job->direct)
		j->seen.direct_bytes += written;
	e->stage.writes.claimed += written;
	e->stage.lazy |= written && !job->direct;
	if (charged) {
		flow->claimed += read;
		flow->moved += w->shared->fetched < read ? w->shared->fetched : read;
	}
}

void exam_worker(struct exam *e, const struct stage_worker *w, const struct result_job *r)
{
	struct exam_job *j = job_of(e, w->spec->job);
	struct exam_part *part = &e->parts[e->nparts];

	e->syncs += r->syncs + w->spec->nfiles; /* those at the end are not counted in syncs */
	if (j->job->o.sync != JOB_SYNC_NONE)
		e->syncs += r->dir[IOJOB_WRITE].ios; /* each of them is one */
	*part = (struct exam_part){
		.job = (size_t)(j - e->jobs),
		.asked_ns = (double)(r->sync_engine ? 1 : r->iodepth)
				* (double)result_flight_ns(r),
		.cpu_wait_ns = w->shared->cpu_wait_ns,
		.punted = w->punted,
	};
	add_flows(e, j, part, w, r);
}

static void add_flow(struct doctor_flow *flow, const struct doctor_flow *other)
{
	flow->claimed += other->claimed;
	flow->moved += other->moved;
}

/* It joins the part before, where that is of the same job and result. */
void exam_reported(struct exam *e, size_t index)
{
	struct exam_part *new = &e->parts[e->nparts], *part = e->nparts ? new - 1 : NULL;

	new->result = index;
	if (!part || part->result != index || part->job != new->job) {
		e->nparts++;
		return;
	}
	part->asked_ns += new->asked_ns;
	part->cpu_wait_ns += new->cpu_wait_ns;
	part->punted = new->punted > part->punted ? new->punted : part->punted;
	add_flow(&part->direct_reads, &new->direct_reads);
	add_flow(&part->cached_reads, &new->cached_reads);
}

/* A job as it was for these of its workers: what was seen of its files is the same for all. */
static void add_part(const struct exam *e, const struct exam_part *part, struct doctor_job *all)
{
	struct doctor_job seen = e->jobs[part->job].seen;

	seen.asked_ns = part->asked_ns;
	seen.cpu_wait_ns = part->cpu_wait_ns;
	seen.punted = part->punted;
	seen.direct_reads = part->direct_reads;
	seen.cached_reads = part->cached_reads;
	doctor_job_merge(all, &seen);
}

int exam_end(struct exam *e, struct result *result)
{
	int r = 0;

	e->stage.writes.moved = moved(e, EXAM_TOP, 0).write_sectors * SECTOR;
	fill_util(e);
	fill_others(e);
	fill_limits(e);
	for (size_t i = 0; !r && i < e->nparts;) {
		struct doctor_job all = { .files = false };
		size_t index = e->parts[i].result;

		for (; i < e->nparts && e->parts[i].result == index; i++)
			add_part(e, &e->parts[i], &all);
		r = doctor_judge(&result->jobs[index], &all, &e->stage);
	}
	return r;
}
