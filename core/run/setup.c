// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "loop.h"
#include "postmark.h"

static int setup_error(struct worker *w, int error, const char *what)
{
	loop_fail_engine(w, -error, what);
	return error;
}

/* What is in them before the first write. */
static int fill_buffers(struct worker *w)
{
	const struct job *job = w->job;

	w->buffer.kind = job->o.zero_buffers ? BUFFER_ZERO
			: job->o.buffer_pattern ? BUFFER_PATTERN
			: job->o.refill_buffers ? BUFFER_REFILL
			: job->o.scramble_buffers ? BUFFER_SCRAMBLE : BUFFER_KEEP;
	w->buffer.read_into = job_does(job, IOJOB_READ);
	rng_seed(&w->buffer.rng, job->seed, w->args->spec->clone * 4u + 3);
	w->buffer.serial = rng_next(&w->buffer.rng);
	if (w->buffer.kind == BUFFER_PATTERN) {
		const char *why;
		int n = buffer_parse(job->o.buffer_pattern, w->pattern, &why);

		if (n < 0)
			return n;
		w->buffer.pattern = w->pattern;
		w->buffer.pattern_bytes = (size_t)n;
	}
	/* One by one: each buffer begins with the pattern's first byte. */
	for (unsigned i = 0; i < w->pub.depth && job_does(job, IOJOB_WRITE); i++)
		buffer_fill(&w->buffer, (char *)w->pub.buf_base + i * w->buf_stride, w->buf_stride);
	return 0;
}

/* One anonymous mapping for all buffers, so that an engine can register it as one. */
static int setup_buffers(struct worker *w)
{
	const struct job *job = w->job;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), largest = job_block_max(job), size;
	void *area;

	if (w->postmark)
		largest = postmark_buffer_bytes(w, &w->postmark->read_at);

	w->buf_stride = largest < page ? (largest + 511) / 512 * 512
				       : (largest + page - 1) / page * page;
	if (job->direct)
		w->buf_stride = (w->buf_stride + page - 1) / page * page;
	size = w->buf_stride * w->pub.depth;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	w->pub.buf_base = area;
	w->pub.buf_bytes = size;
	return w->postmark ? 0 : fill_buffers(w);
}

static int setup_ios(struct worker *w)
{
	const struct iojob_engine *e = w->drive.engine;
	unsigned depth = w->pub.depth;
	size_t scratch = ((size_t)e->io_scratch + 63) / 64 * 64;
	char *scratches = NULL;

	w->idle = calloc(4 * (size_t)depth, sizeof(*w->idle));
	if (!w->idle)
		return -ENOMEM;
	w->rest = w->idle + depth;
	w->done = w->rest + depth;
	w->pub.ios = w->done + depth;
	if (scratch) {
		scratches = aligned_alloc(64, scratch * depth);
		if (!scratches)
			return -ENOMEM;
		memset(scratches, 0, scratch * depth);
	}
	for (unsigned i = 0; i < depth; i++) {
		struct io *io = &w->shared->ios[i];

		io->buf = (char *)w->pub.buf_base + i * w->buf_stride;
		io->pub.slot = (uint16_t)i;
		io->pub.buf = io->buf;
		io->pub.file = w->files;
		io->pub.scratch = scratch ? scratches + i * scratch : NULL;
		w->done[depth + i] = &io->pub;
		w->idle[depth - 1 - i] = &io->pub;
	}
	w->nidle = depth;
	return 0;
}

static int pin(const struct job *job)
{
	cpu_set_t set;

	if (!job->o.cpus_allowed || job_cpus(job, &set))
		return 0;
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/* The page cache of the region before the run, as the job wants it. */
static void setup_cache(const struct job *job, int fd, const struct plan_file *file)
{
	int advice = job->o.fadvise_hint == JOB_FADVISE_RANDOM
			|| (job->o.fadvise_hint == JOB_FADVISE_AUTO && job_random(job))
			? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL;

	if (job->o.invalidate && !job->o.pre_read)
		target_invalidate(fd, file->offset, file->length);
	if (job->o.fadvise_hint != JOB_FADVISE_NONE)
		posix_fadvise(fd, (off_t)file->offset, (off_t)file->length, advice);
}

/* pre_read: brings the region into the page cache, through a descriptor that is not O_DIRECT. */
static int pre_read(const char *path, const struct plan_file *file)
{
	enum { CHUNK = 1 << 20 };
	uint64_t at = file->offset, end = file->offset + file->length;
	char *chunk = malloc(CHUNK);
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (!chunk || fd < 0)
		err = chunk ? -errno : -ENOMEM;
	while (!err && at < end) {
		ssize_t n = pread(fd, chunk, end - at < CHUNK ? end - at : CHUNK, (off_t)at);

		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		at += (uint64_t)n;
	}
	if (fd >= 0)
		close(fd);
	free(chunk);
	return err;
}

static int open_file(struct worker *w, unsigned i)
{
	const struct plan_file *spec = &w->args->spec->files[i];
	const struct plan_target *target = &w->args->plan->targets[spec->target];
	struct iojob_file *file = &w->files[i];

	file->path = target->path;
	file->index = i;
	file->size_bytes = spec->size_bytes;
	file->fd = -1;
	if (!(w->drive.engine->flags & IOJOB_ENGINE_NO_FD)) {
		int r = w->job->o.pre_read ? pre_read(target->path, spec) : 0;

		if (r)
			return setup_error(w, r, target->path);
		file->fd = target_open(target->path, plan_open_flags(w->job)
				| (w->args->spec->layout ? TARGET_CREATE : 0), &w->shared->text);
		if (file->fd < 0) {
			loop_fail(w, -file->fd, RESULT_END_ERROR);
			return file->fd;
		}
		setup_cache(w->job, file->fd, spec);
	}
	w->nopen = i + 1;
	if (w->drive.engine->file_open) {
		int r = w->drive.engine->file_open(&w->pub, file);

		if (r) {
			if (file->fd >= 0)
				close(file->fd);
			w->nopen = i;
			return setup_error(w, r, target->path);
		}
	}
	return 0;
}

void setup_again(struct worker *w)
{
	for (unsigned i = 0; i < w->nopen; i++) {
		if (w->files[i].fd >= 0)
			setup_cache(w->job, w->files[i].fd, &w->args->spec->files[i]);
	}
}

static int setup_files(struct worker *w)
{
	const struct plan_worker *spec = w->args->spec;
	const struct iojob_engine *e = w->drive.engine;
	/* PostMark's files come and go, one at a time; each is the same one to the engine. */
	size_t nfiles = w->postmark ? 1 : spec->nfiles;
	int r;

	w->files = calloc(nfiles, sizeof(*w->files));
	w->file_list = calloc(nfiles, sizeof(struct iojob_file *));
	if (!w->files || !w->file_list)
		return setup_error(w, -ENOMEM, "files");
	w->shared->files = (uintptr_t)w->files;
	for (unsigned i = 0; i < nfiles; i++)
		w->file_list[i] = &w->files[i];
	w->pub.files = w->file_list;
	w->pub.nfiles = (uint32_t)nfiles;
	if (w->postmark) {
		w->files->fd = -1;
		w->files->path = w->shared->postmark->path;
	}

	r = setup_buffers(w);
	if (!r)
		r = setup_ios(w);
	if (r)
		return setup_error(w, r, "buffers");
	r = e->open ? e->open(&w->pub) : 0;
	if (r)
		return setup_error(w, r, "open");
	w->engine_open = true;
	for (unsigned i = 0; i < spec->nfiles && !w->postmark; i++) {
		r = open_file(w, i);
		if (r)
			return r;
	}
	r = e->ready ? e->ready(&w->pub) : 0;
	return r ? setup_error(w, r, "ready") : 0;
}

static void setup_batches(struct worker *w)
{
	const struct job_opts *o = &w->job->o;

	w->batch = o->iodepth_batch ? (unsigned)o->iodepth_batch : w->pub.depth;
	w->reap_min = (unsigned)o->iodepth_batch_complete_min;
	w->reap_max = (unsigned)o->iodepth_batch_complete_max;
	if (w->reap_max < w->reap_min)
		w->reap_max = w->reap_min;
	if (!w->reap_max)
		w->reap_max = 1;
}

static int setup_load(struct worker *w)
{
	const struct plan_worker *plan = w->args->spec;
	const struct job *job = w->job;
	struct load_region *regions = calloc(plan->nfiles, sizeof(*regions));
	struct load_spec spec = {
		.seed = job->seed,
		.stream = plan->clone,
		.ops = (unsigned)job->o.rw & 7u,
		.random = job_random(job),
		.repeats = job->o.norandommap,
		.single = w->batch == 1 || w->paced || job_is_sync(job),
		.in_turn = plan->layout,
		.largest = plan->layout,
		.read_percent = (unsigned)job->mix_read,
		.run = job->run,
		.identical = job->o.rw_sequencer == JOB_SEQUENCER_IDENTICAL,
		.zones = {
			.size = job->zone_range ? job->o.zonesize : 0,
			.range = job->zone_range,
			.skip = job->o.zoneskip,
		},
		.fsync_every = (unsigned)job->o.fsync,
		.fdatasync_every = (unsigned)job->o.fdatasync,
		.regions = regions,
		.nfiles = (unsigned)plan->nfiles,
		.files = w->file_list,
	};
	int r;

	if (!regions)
		return setup_error(w, -ENOMEM, "load");
	memcpy(spec.bs_min, job->bs_min, sizeof(spec.bs_min));
	memcpy(spec.bs_max, job->bs_max, sizeof(spec.bs_max));
	memcpy(spec.step, job->step, sizeof(spec.step));
	for (unsigned i = 0; i < plan->nfiles; i++) {
		regions[i].offset = plan->files[i].offset;
		regions[i].length = plan->files[i].length;
	}
	r = load_init(&w->load, &spec);
	free(regions);
	if (r)
		return setup_error(w, r, "load");
	w->mixed = w->load.mixed;
	if (w->paced && w->mixed)
		load_direct(&w->load);
	return 0;
}

int setup_worker(struct worker *w)
{
	const struct job_opts *o = &w->job->o;
	int r = pin(w->job);

	if (r)
		return setup_error(w, r, "cpus_allowed");
	prctl(PR_SET_TIMERSLACK, 1);
	if (job_is_postmark(w->job)) {
		w->postmark = calloc(1, sizeof(*w->postmark));
		if (!w->postmark)
			return setup_error(w, -ENOMEM, "postmark");
	}
	r = setup_files(w);
	if (r)
		return r;
	if (w->postmark) {
		r = postmark_setup(w);
		return r ? setup_error(w, r, "postmark") : 0;
	}
	setup_batches(w);
	w->think_left = (unsigned)o->thinktime_blocks;
	w->paced = pace_init(&w->pace, (unsigned)o->rw & 7u, o->rate, o->rate_iops,
			clock_rate(w->clock)) || o->thinktime;
	return setup_load(w);
}
