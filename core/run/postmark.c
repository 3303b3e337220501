// SPDX-License-Identifier: MIT
#include "postmark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop.h"

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

/* ---- before -------------------------------------------------------------------------------- */

static const struct plan_target *directory(const struct worker *w, unsigned location)
{
	return &w->args->plan->targets[w->args->spec->files[location].target];
}

uint64_t postmark_buffer_bytes(const struct worker *w, uint64_t *read_at)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), largest = 0;

	for (unsigned i = 0; i < w->args->spec->nfiles; i++) {
		uint64_t call = plan_postmark_call(w->job, IOJOB_READ, directory(w, i));

		largest = call > largest ? call : largest;
	}
	*read_at = round_up(w->job->o.postmark_size[1], page);
	return *read_at + round_up(largest, page);
}

int postmark_setup(struct worker *w)
{
	const struct job_opts *o = &w->job->o;
	const struct plan_worker *spec = w->args->spec;
	struct postmark_run *run = w->postmark;
	unsigned flags = plan_open_flags(w->job);
	struct postmark_conf conf = {
		.seed = (uint32_t)o->postmark_seed + spec->clone,
		.size_low = (uint32_t)o->postmark_size[0],
		.size_high = (uint32_t)o->postmark_size[1],
		.number = (uint32_t)o->postmark_number,
		.transactions = (uint64_t)o->postmark_transactions,
		.subdirectories = (uint32_t)o->postmark_subdirectories,
		.bias_read = o->postmark_bias_read,
		.bias_create = o->postmark_bias_create,
		.nlocations = (unsigned)spec->nfiles,
	};

	run->flags = O_RDWR | O_CLOEXEC | (flags & TARGET_DIRECT ? O_DIRECT : 0)
			| (flags & TARGET_SYNC ? O_SYNC : 0) | (flags & TARGET_DSYNC ? O_DSYNC : 0);
	run->weights = calloc(spec->nfiles, sizeof(*run->weights));
	if (!run->weights)
		return -ENOMEM;
	for (size_t i = 0; i < spec->nfiles; i++)
		run->weights[i] = spec->files[i].weight;
	conf.weights = run->weights;
	account_read(&run->account, w->job->o.thread);
	if (postmark_init(&run->next, &conf))
		return err_set(&w->shared->text, ENOMEM, "[%s]: no memory for a table of twice "
				"postmark_number = %d files", w->job->section, o->postmark_number);
	/* Gigabytes of text take a while. */
	while (!__atomic_load_n(&w->stage->stop, __ATOMIC_RELAXED)
			&& postmark_text(&run->next, w->pub.buf_base)) {
	}
	return 0;
}

/* ---- one operation ------------------------------------------------------------------------- */

/* Ticks from `since` to now into a histogram; *since becomes now. */
static void note(const struct worker *w, struct hist *hist, uint64_t *since)
{
	uint64_t now = clock_ticks(w->clock);

	hist_add(hist, clock_between(w->clock, *since, now), 1);
	*since = now;
}

static bool fail(struct worker *w, int error, const char *what)
{
	if (!w->shared->text.text[0])
		err_set(&w->shared->text, error, "%s of %s: %s", what, w->files->path,
				strerror(error));
	loop_fail(w, error, RESULT_END_ERROR);
	return false;
}

static void name_file(struct worker *w, const struct postmark_op *op)
{
	struct worker_postmark *pm = w->shared->postmark;
	const char *path = directory(w, op->location)->path;

	if (w->job->o.postmark_subdirectories > 1)
		snprintf(pm->path, sizeof(pm->path), "%s/s%u/%u", path, op->dir, op->name);
	else
		snprintf(pm->path, sizeof(pm->path), "%s/%u", path, op->name);
}

/* An engine that maps a file needs all of it there; the blocks, too, or a full disk is a SIGBUS. */
static int give_size(int fd, uint64_t bytes)
{
	if (!fallocate(fd, 0, 0, (off_t)bytes))
		return 0;
	if (errno == EOPNOTSUPP && !ftruncate(fd, (off_t)bytes))
		return 0;
	return errno;
}

static bool open_file(struct worker *w, const struct postmark_op *op)
{
	const struct iojob_engine *e = w->drive.engine;
	struct iojob_file *file = w->files;
	bool new = op->kind == POSTMARK_CREATE;

	file->size_bytes = (uint64_t)op->offset + op->bytes;
	file->priv = NULL;
	if (!(e->flags & IOJOB_ENGINE_NO_FD)) {
		int error;

		file->fd = open(file->path, w->postmark->flags | (new ? O_CREAT | O_EXCL : 0),
				0666);
		if (file->fd < 0)
			return fail(w, errno, new ? "create" : "open");
		error = e->flags & IOJOB_ENGINE_SIZED && op->kind != POSTMARK_READ
				? give_size(file->fd, file->size_bytes) : 0;
		if (error) {
			close(file->fd);
			return fail(w, error, "fallocate");
		}
	}
	if (e->file_open) {
		int r = e->file_open(&w->pub, file);

		if (r) {
			close(file->fd);
			loop_fail_engine(w, -r, file->path);
			return false;
		}
	}
	return true;
}

static bool close_file(struct worker *w)
{
	const struct iojob_engine *e = w->drive.engine;
	struct iojob_file *file = w->files;
	int r = e->file_close ? e->file_close(&w->pub, file) : 0;

	if (r)
		loop_fail_engine(w, -r, file->path);
	if (file->fd >= 0 && close(file->fd) && !r)
		return fail(w, errno, "close");
	file->fd = -1;
	return !r;
}

static bool sync_file(struct worker *w)
{
	struct io *io = io_of(w->idle[0]);
	uint64_t since = clock_ticks(w->clock);

	io->start = since;
	io->pub.op = IOJOB_FSYNC;
	io->pub.offset = 0;
	io->pub.len = 0;
	if (!loop_one(w, io))
		return false;
	note(w, &w->stats->clat[IOJOB_FSYNC], &since);
	return true;
}

struct transfer {
	struct worker *w;
	const struct postmark_op *op;
	bool done;
};

/* All data of one operation, in calls; no clock is read for any of them. */
static void transfer(void *arg)
{
	struct transfer *t = arg;
	struct worker *w = t->w;
	const struct postmark_op *op = t->op;
	enum iojob_op what = op->kind == POSTMARK_READ ? IOJOB_READ : IOJOB_WRITE;
	bool syncs = what == IOJOB_WRITE && w->job->o.postmark_fsync == JOB_POSTMARK_FSYNC_EVERY;
	uint32_t call = plan_postmark_call(w->job, what, directory(w, op->location));
	uint64_t *calls = &w->shared->postmark->calls[what != IOJOB_READ];
	uint64_t *bytes = &w->stats->op[what].bytes, start = clock_ticks(w->clock);
	char *base = (char *)w->pub.buf_base + (what == IOJOB_READ ? w->postmark->read_at : 0);
	struct io *io = io_of(w->idle[0]);

	for (uint32_t at = 0, n; at < op->bytes; at += n) {
		n = op->bytes - at < call ? op->bytes - at : call;
		if (__atomic_load_n(&w->stage->stop, __ATOMIC_RELAXED))
			return;
		io->start = start;
		io->pub.op = (uint8_t)what;
		io->pub.offset = (uint64_t)op->offset + at;
		io->pub.len = n;
		/* A file is the source text from its beginning; so is what an append adds. */
		io->pub.buf = what == IOJOB_READ ? base : base + at;
		if (__builtin_expect(!loop_one(w, io), 0))
			return;
		++*calls;
		*bytes += n;
		if (syncs && !sync_file(w))
			return;
	}
	t->done = true;
}

/* Where the engine's access raises SIGBUS, the operation is over, and the worker with it. */
static bool guarded_transfer(struct worker *w, const struct postmark_op *op)
{
	struct transfer t = { .w = w, .op = op };
	struct io *io = io_of(w->idle[0]);

	if (!(w->drive.engine->flags & IOJOB_ENGINE_SIGBUS))
		transfer(&t);
	else if (!guard_call(&w->guard, &io->start, transfer, &t))
		loop_fail_io(w, io, EIO);
	io->start = 0;
	return t.done;
}

/* Create, read or append. */
static bool visit_file(struct worker *w, const struct postmark_op *op, uint64_t *since)
{
	struct worker_postmark *pm = w->shared->postmark;
	bool syncs = op->kind != POSTMARK_READ
			&& w->job->o.postmark_fsync == JOB_POSTMARK_FSYNC_CLOSE;
	bool done;

	if (!open_file(w, op))
		return false;
	note(w, &pm->call[op->kind == POSTMARK_CREATE ? POSTMARK_CREAT : POSTMARK_OPEN], since);
	done = guarded_transfer(w, op) && (!syncs || sync_file(w));
	*since = clock_ticks(w->clock);
	if (!close_file(w) || !done)
		return false;
	note(w, &pm->call[POSTMARK_CLOSE], since);
	return true;
}

static bool delete_file(struct worker *w)
{
	if (w->drive.engine->flags & IOJOB_ENGINE_NO_FD || !unlink(w->files->path))
		return true;
	return fail(w, errno, "unlink");
}

static bool do_op(struct worker *w, const struct postmark_op *op)
{
	struct worker_postmark *pm = w->shared->postmark;
	uint64_t begun = clock_ticks(w->clock), since = begun;

	name_file(w, op);
	if (op->kind == POSTMARK_DELETE ? !delete_file(w) : !visit_file(w, op, &since))
		return false;
	note(w, &pm->whole[op->kind], &begun);
	pm->done[op->phase][op->kind]++;
	pm->transactions = w->postmark->next.transactions;
	return true;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* This phase, and whatever lies before it, has begun. */
static void begin_phase(struct worker *w, enum postmark_phase phase)
{
	uint64_t *ticks = w->shared->postmark->ticks;

	for (unsigned i = 0; !ticks[phase] && i <= phase; i++) {
		if (!ticks[i])
			ticks[i] = clock_ticks(w->clock);
	}
}

bool postmark_run(struct worker *w)
{
	struct worker_postmark *pm = w->shared->postmark;
	struct postmark *next = &w->postmark->next;
	struct postmark_op op;

	begin_phase(w, POSTMARK_CREATION);
	while (!loop_over(w)) {
		if (!postmark_next(next, &op)) {
			begin_phase(w, POSTMARK_DELETION);
			pm->transactions = next->transactions;
			return true;
		}
		begin_phase(w, op.phase);
		if (!do_op(w, &op))
			break;
	}
	return false;
}

void postmark_end(struct worker *w)
{
	struct worker_postmark *pm = w->shared->postmark;
	struct postmark_run *run = w->postmark;
	struct postmark_op op;

	pm->skipped = run->next.skipped;
	pm->dry = run->next.dry;
	postmark_stop(&run->next);
	while (postmark_next(&run->next, &op)) {
		name_file(w, &op);
		if (!(w->drive.engine->flags & IOJOB_ENGINE_NO_FD))
			unlink(w->files->path); /* what fails is left for workdir_remove() */
		pm->cleared++;
	}
	account_read(&pm->account, w->job->o.thread);
	account_since(&pm->account, &run->account);
	postmark_free(&run->next);
	free(run->weights);
}
