// SPDX-License-Identifier: MIT
#include "loop.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
	SPIN_NS = 50000, /* sleeping ends so long before its time, and the rest is spun */
	LATE_NS = 50000, /* a start behind its intended start by more than this is late */
	LONGEST_NS = 100000000, /* one sleep, so that no lost wake-up is for long */
};

/* ---- the end of an I/O that was not plain -------------------------------------------------- */

void loop_fail(struct worker *w, int error, enum result_end end)
{
	w->until = 0;
	if (!w->shared->error)
		w->shared->error = error;
	if (w->shared->end == RESULT_END_WORK)
		w->shared->end = end;
}

void loop_fail_io(struct worker *w, const struct io *io, int error)
{
	static const char *const why_end = "end of file";
	const char *why = error == ENODATA ? why_end : strerror(error);

	if (!w->shared->text.text[0]) {
		if (io->pub.op >= IOJOB_FSYNC)
			err_set(&w->shared->text, error, "%s of %s: %s",
					engine_op_name(io->pub.op), io->pub.file->path, why);
		else
			err_set(&w->shared->text, error, "%s of %u bytes at offset %llu of %s: %s",
					engine_op_name(io->pub.op), io->pub.len,
					(unsigned long long)io->pub.offset, io->pub.file->path,
					why);
	}
	w->stats->op[io->pub.op].errors++;
	if (!w->shared->error)
		w->shared->error = error;
	if (!(w->job->o.continue_on_error & (int)IOJOB_OP_BIT(io->pub.op)))
		loop_fail(w, error, RESULT_END_ERROR);
}

void loop_fail_engine(struct worker *w, int error, const char *what)
{
	if (!w->shared->text.text[0])
		err_set(&w->shared->text, error, "%s: %s: %s", w->drive.engine->name, what,
				w->error[0] ? w->error : strerror(error));
	loop_fail(w, error, RESULT_END_ERROR);
}

/* How a synchronous I/O ended that took more than one call. */
struct sync_end {
	uint64_t ticks;
	uint32_t bytes; /* that it moved in all */
	bool whole;     /* false: it failed, and that is noted */
};

/* Carries on a synchronous I/O that came back short or failed, at these ticks. */
static struct sync_end finish_sync(struct worker *w, struct io *io, uint64_t ticks)
{
	while (io->pub.res != io->pub.len) {
		if (!drive_rest(io)) {
			loop_fail_io(w, io, io->pub.res ? (int)-io->pub.res : ENODATA);
			drive_whole(io);
			return (struct sync_end){ .ticks = ticks };
		}
		w->drive.engine->execute(&w->pub, &io->pub);
		ticks = clock_ticks(w->clock);
	}
	w->stats->op[io->pub.op].shorts++;
	return (struct sync_end){ ticks, drive_whole(io), true };
}

/*
 * The same for one that was reaped. True: it is whole, and *bytes is what it moved in all. False
 * with *again: it is in flight once more; else it failed, and that is noted.
 */
static bool finish_async(struct worker *w, struct io *io, uint32_t *bytes, bool *again)
{
	struct iojob_io *pub = &io->pub;
	int took;

	*again = false;
	if (pub->res != pub->len) {
		if (!drive_rest(io)) {
			loop_fail_io(w, io, pub->res ? (int)-pub->res : ENODATA);
			drive_whole(io);
			return false;
		}
		took = w->drive.engine->submit(&w->pub, &pub, 1);
		if (took < 1) {
			loop_fail_io(w, io, took ? -took : EAGAIN);
			drive_whole(io);
			return false;
		}
		w->drive.inflight++;
		*again = true;
		return false;
	}
	*bytes = drive_whole(io);
	w->stats->op[pub->op].shorts++;
	return true;
}

/* ---- the schedule -------------------------------------------------------------------------- */

void loop_futex_wait(uint32_t *word, uint32_t value, int64_t timeout_ns)
{
	struct timespec ts = {
		.tv_sec = timeout_ns / 1000000000,
		.tv_nsec = timeout_ns % 1000000000,
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns < 0 ? NULL : &ts, NULL, 0);
}

void loop_sleep(struct worker *w, uint64_t ticks)
{
	uint64_t spin = clock_span_ticks(w->clock, SPIN_NS);

	if (ticks > w->until)
		ticks = w->until;
	for (;;) {
		uint64_t now = clock_ticks(w->clock), ns;

		if (__atomic_load_n(&w->stage->stop, __ATOMIC_RELAXED) || now >= ticks)
			return;
		if (ticks - now <= spin) {
#if defined(__x86_64__)
			_mm_pause();
#endif
			continue;
		}
		ns = clock_span_ns(w->clock, ticks - now - spin);
		loop_futex_wait(&w->stage->stop, 0, ns < LONGEST_NS ? (int64_t)ns : LONGEST_NS);
	}
}

/*
 * thinktime: is a pause due, or on? *wake gets when to look again, in ticks (UINT64_MAX: when what
 * is in flight is there).
 */
static bool thinking(struct worker *w, uint64_t now, uint64_t *wake)
{
	if (w->think_left)
		return false;
	if (w->drive.inflight) {
		*wake = UINT64_MAX;
		return true;
	}
	if (!w->think_until)
		w->think_until = now + clock_span_ticks(w->clock, w->job->o.thinktime);
	*wake = w->think_until;
	if (now < w->think_until)
		return true;
	w->think_until = 0;
	w->think_left = (unsigned)w->job->o.thinktime_blocks;
	return false;
}

/*
 * Fills up to n I/Os that are due now. Returns how many; w->wake: when the next is due, in ticks,
 * or 0 where n were; *more turns false when the work is done.
 */
static unsigned next_due(
		struct worker *w, struct iojob_io *const *ios, unsigned n, uint64_t now, bool *more)
{
	unsigned i;

	w->wake = 0;
	for (i = 0; i < n; i++) {
		uint64_t due = 0;

		/* A sync belongs to the write before it, and is no block of its own. */
		if (!w->load.sync_due) {
			if (w->job->o.thinktime && thinking(w, now, &w->wake))
				break;
			due = pace_pick(&w->pace, &w->load, w->mixed, now);
			if (due > now) {
				w->wake = due;
				break;
			}
		}
		if (!w->load.next(&w->load, &ios[i], 1)) {
			*more = false;
			break;
		}
		io_of(ios[i])->intended = due;
		if (due)
			pace_take(&w->pace, ios[i]->op, ios[i]->len);
		if (w->think_left && ios[i]->op < IOJOB_FSYNC)
			w->think_left--;
	}
	return i;
}

static void record_response(const struct worker *w, const struct io *io, uint64_t end)
{
	struct stat_op *op = &w->stats->op[io->pub.op];
	uint64_t lag;

	if (!io->intended)
		return;
	hist_add(&w->stats->response[io->pub.op], clock_between(w->clock, io->intended, end),
			1);
	lag = clock_between(w->clock, io->intended, io->start);
	if (lag > LATE_NS)
		op->late++;
	if (lag > op->lag_max)
		op->lag_max = lag;
}

/* What few jobs ask for: they have loops of their own, so that it costs the others nothing. */
static void record_extra(
		const struct worker *w, const struct io *io, uint64_t issued, uint64_t end)
{
	uint64_t *above = w->stats->above[io->pub.op];

	if (w->job->nthresholds) {
		uint64_t lat = clock_between(w->clock, io->start, issued)
				+ clock_between(w->clock, issued, end);

		for (size_t i = 0; i < w->job->nthresholds && lat > w->job->thresholds_ns[i]; i++)
			above[i]++;
	}
	record_response(w, io, end);
}

/*
 * It waited until the end of the phase at least, and counts as that. A schedule far behind owes
 * more I/Os than can be counted one by one: those that one bucket cannot tell apart are counted
 * together.
 */
static void record_due_of(struct worker *w, uint8_t d, uint64_t end)
{
	uint32_t len = (uint32_t)((w->load.bs_min[d] + w->load.bs_max[d]) / 2);
	u128 step = w->pace.per_io[d] + len * w->pace.per_byte[d];
	uint64_t period = (uint64_t)(step >> 32), *left = &w->load.left_bytes;

	while (!load_done(&w->load) && pace_next(&w->pace, d) < end) {
		uint64_t waited = end - pace_next(&w->pace, d);
		uint64_t n = period && waited / period > 512 ? waited / period / 256 : 1;

		if (n > w->load.left_ios)
			n = w->load.left_ios;
		if (!w->load.fixed && n > *left / len + 1)
			n = *left / len + 1;
		hist_add(&w->stats->response[d], clock_span_ns(w->clock, waited - n / 2 * period),
				n);
		w->stats->op[d].due += n;
		w->load.left_ios -= n;
		if (!w->load.fixed && *left != UINT64_MAX)
			*left -= n * len < *left ? n * len : *left;
		w->pace.next[d] += n * step;
	}
}

void loop_record_due(struct worker *w)
{
	uint64_t end = w->shared->end_ticks < w->until ? w->shared->end_ticks : w->until;

	for (uint8_t d = 0; d < LOAD_DIRS; d++) {
		if (w->pace.rated[d])
			record_due_of(w, d, end);
	}
}

/* ---- the hot loops ------------------------------------------------------------------------- */

ALWAYS_INLINE bool worker_over(const struct worker *w, uint64_t now)
{
	return __atomic_load_n(&w->stage->stop, __ATOMIC_RELAXED) || now >= w->until;
}

bool loop_over(const struct worker *w)
{
	return worker_over(w, clock_ticks(w->clock));
}

/* A copy of the clock, for which it is settled at compile time whether it is the TSC. */
ALWAYS_INLINE struct clock own_clock(const struct worker *w, const bool tsc)
{
	struct clock clock = *w->clock;

	clock.tsc = tsc;
	return clock;
}

/* One I/O at a time, each done when execute returns. What is const is settled at compile time. */
ALWAYS_INLINE void loop_sync(struct worker *w, const bool tsc, const bool extra, const bool fills)
{
	/* In registers, whatever is written. */
	const struct clock clock = own_clock(w, tsc);
	const struct drive drive = w->drive;
	struct stats *const stats = w->stats;
	struct iojob_io *const pub = w->idle[0];
	struct io *const io = io_of(pub);
	const bool paced = extra && w->paced;
	uint64_t now = clock_ticks(&clock);
	bool more = true;

	while (!worker_over(w, now)) {
		bool whole = true;
		uint64_t end;
		uint32_t bytes;

		if (paced) {
			if (!next_due(w, w->idle, 1, now, &more)) {
				if (!more)
					break;
				loop_sleep(w, w->wake);
				now = clock_ticks(&clock);
				continue;
			}
		} else if (!w->load.next(&w->load, w->idle, 1)) {
			break;
		}
		if (fills && pub->op == IOJOB_WRITE)
			buffer_next(&w->buffer, pub->buf, pub->len);
		bytes = pub->len;
		end = drive_execute(&drive, &clock, io);
		if (__builtin_expect(pub->res != bytes, 0)) {
			struct sync_end last = finish_sync(w, io, end);

			whole = last.whole;
			bytes = last.bytes;
			end = last.ticks;
		}
		if (__builtin_expect(whole, 1)) {
			stats_pay(stats, 1);
			stats_owe(stats, 0, &stats->clat[pub->op],
					clock_between(&clock, io->start, end));
			stats->op[pub->op].bytes += bytes;
			if (extra)
				record_extra(w, io, io->start, end);
		}
		io->start = 0;
		now = end;
	}
}

/* Records `count` I/Os of one operation with the same stamps. */
ALWAYS_INLINE void record(struct stats *stats, const struct clock *clock, unsigned op,
		uint64_t start, uint64_t issued, uint64_t end, uint64_t count)
{
	uint64_t slat = clock_between(clock, start, issued);
	uint64_t clat = clock_between(clock, issued, end);

	hist_add(&stats->slat[op], slat, count);
	hist_add(&stats->clat[op], clat, count);
	hist_add(&stats->lat[op], slat + clat, count);
}

/* Records one I/O that was reaped alone. */
ALWAYS_INLINE void record_one(struct stats *stats, const struct clock *clock, const struct io *io,
		uint64_t end)
{
	unsigned op = io->pub.op;
	uint64_t slat = clock_between(clock, io->start, io->issued);
	uint64_t clat = clock_between(clock, io->issued, end);

	stats_pay(stats, 3);
	stats_owe(stats, 0, &stats->slat[op], slat);
	stats_owe(stats, 1, &stats->clat[op], clat);
	stats_owe(stats, 2, &stats->lat[op], slat + clat);
}

/* Records the I/Os counted in w->run. */
ALWAYS_INLINE void record_run(struct worker *w, const struct clock *clock, uint64_t start,
		uint64_t issued, uint64_t end)
{
	for (; w->run_ops; w->run_ops &= w->run_ops - 1) {
		unsigned op = (unsigned)__builtin_ctz(w->run_ops);

		record(w->stats, clock, op, start, issued, end, w->run[op]);
		w->run[op] = 0;
	}
}

/*
 * Records what was reaped together and puts it back on the idle stack. I/Os that were also
 * submitted together cost as much as one.
 */
ALWAYS_INLINE void record_reaped(struct worker *w, const struct clock *clock, unsigned n,
		uint64_t end, const bool extra, const bool one)
{
	uint64_t start = 0, issued = 0;

	for (unsigned i = 0; i < n; i++) {
		struct iojob_io *pub = w->done[i];
		struct io *io = io_of(pub);
		uint32_t bytes = pub->len;
		bool again;

		if (!one && (io->start != start || io->issued != issued)) {
			record_run(w, clock, start, issued, end);
			start = io->start;
			issued = io->issued;
		}
		if (__builtin_expect(pub->res != bytes || io->moved, 0)
				&& !finish_async(w, io, &bytes, &again)) {
			if (again)
				continue;
		} else {
			if (one) {
				record_one(w->stats, clock, io, end);
			} else {
				w->run_ops |= 1u << pub->op;
				w->run[pub->op]++;
			}
			w->stats->op[pub->op].bytes += bytes;
			if (extra)
				record_extra(w, io, io->issued, end);
		}
		io->start = 0;
		w->idle[w->nidle++] = pub;
	}
	if (!one)
		record_run(w, clock, start, issued, end);
}

/* Moves `ready` from `from` on out of the idle stack's way. */
static void keep_aside(struct worker *w, struct iojob_io *const *from, unsigned n)
{
	memmove(w->rest, from, n * sizeof(*from));
	w->ready = w->rest;
	w->nready = n;
}

/*
 * Takes I/Os off the idle stack, filled with what comes next, as `ready`. False: no work is left.
 */
ALWAYS_INLINE bool prepare(
		struct worker *w, uint64_t now, const bool paced, const bool fills, const bool one)
{
	unsigned want = one ? 1 : w->nidle < w->batch ? w->nidle : w->batch, n;
	struct iojob_io **ios = &w->idle[w->nidle - want];
	bool more = true;

	n = paced ? next_due(w, ios, want, now, &more) : w->load.next(&w->load, ios, want);
	if (n > want)
		__builtin_unreachable();
	for (unsigned i = 0; fills && i < n; i++) {
		if (ios[i]->op == IOJOB_WRITE)
			buffer_next(&w->buffer, ios[i]->buf, ios[i]->len);
	}
	w->ready = ios;
	w->nready = n;
	w->nidle -= n;
	if (__builtin_expect(n < want, 0)) {
		keep_aside(w, ios, n);
		memmove(ios, ios + n, (want - n) * sizeof(*ios));
		more = more && paced;
	}
	return more;
}

/* The engine took less than it was given: the rest stays ready. False: it is through. */
static bool keep_rest(struct worker *w, int took)
{
	unsigned rest = w->nready - (took > 0 ? (unsigned)took : 0);

	if (took < 0 || !w->drive.inflight) {
		loop_fail_engine(w, took < 0 ? -took : EAGAIN, "submit");
		return false;
	}
	keep_aside(w, w->ready + took, rest);
	for (unsigned i = 0; i < rest; i++)
		io_of(w->ready[i])->start = 0;
	return true;
}

ALWAYS_INLINE void count_submit(const struct worker *w, unsigned n)
{
	w->stats->submit[stat_batch_group(n)]++;
	w->stats->depth[stat_group(w->drive.inflight)] += n;
}

/* Gives `ready` to the engine. False: the engine is through. */
ALWAYS_INLINE bool submit_ready(
		struct worker *w, const struct clock *clock, uint64_t *now, const bool one)
{
	unsigned n = one ? 1 : w->nready;
	int took = drive_submit(&w->drive, clock, w->ready, n, now);

	if (__builtin_expect(took != (int)n, 0)) {
		if (!keep_rest(w, took))
			return false;
		count_submit(w, (unsigned)took);
	} else {
		w->nready = 0;
		count_submit(w, n);
	}
	return true;
}

/* How long a reap may wait before the schedule wants something: ns, -1 for ever; 0: just look. */
static int64_t reap_timeout(const struct worker *w, uint64_t now)
{
	uint64_t spin = clock_span_ticks(w->clock, SPIN_NS);

	if (!w->wake || w->wake == UINT64_MAX)
		return -1;
	return w->wake > now + spin ? (int64_t)clock_span_ns(w->clock, w->wake - now - spin) : 0;
}

/*
 * Keeps the queue full until the end, then waits for what is in flight. `one`: submits and reaps
 * one at a time, as jobs do that say nothing of batches.
 */
ALWAYS_INLINE void loop_async(struct worker *w, const bool tsc, const bool extra,
		const bool fills, const bool one)
{
	const struct clock clock = own_clock(w, tsc); /* in registers, whatever is written */
	const bool paced = extra && w->paced;
	uint64_t now = clock_ticks(&clock);
	bool more = true, over = false;

	for (;;) {
		unsigned min = one ? 1 : w->reap_min;
		int64_t timeout = -1;
		int got;

		over = over || worker_over(w, now);
		if (!over) {
			if (more && !w->nready && w->nidle)
				more = prepare(w, now, paced, fills, one);
			if (w->nready && !submit_ready(w, &clock, &now, one))
				return;
		}
		if (!w->drive.inflight) {
			if (over || !more)
				return;
			if (paced) {
				loop_sleep(w, w->wake);
				now = clock_ticks(&clock);
			}
			continue;
		}
		if (!over && more && w->nidle && !w->nready && !(paced && w->wake))
			continue; /* there is room for more */
		if (over || !more)
			min = 1;
		else if (paced && (timeout = reap_timeout(w, now)) >= 0)
			min = timeout > 0;
		else if (!one && min > w->drive.inflight)
			min = w->drive.inflight;
		got = drive_reap(&w->drive, &clock, w->done, min, one ? 1 : w->reap_max, timeout,
				&now);
		if (__builtin_expect(got < 0, 0)) {
			loop_fail_engine(w, -got, "reap");
			return;
		}
		if (!paced || got) /* what a schedule polls for is no batch of the job's */
			w->stats->complete[stat_batch_group((unsigned)got)]++;
		record_reaped(w, &clock, (unsigned)got, now, extra, one);
	}
}

/* What is settled before the run: a loop for each shape of it, with either clock. */
#define LOOP(name, loop, ...) \
	static void name##_system(struct worker *w) \
	{ \
		loop(w, false, __VA_ARGS__); \
	} \
	static void name##_tsc(struct worker *w) \
	{ \
		loop(w, true, __VA_ARGS__); \
	}

LOOP(sync_plain, loop_sync, false, false)
LOOP(sync_fills, loop_sync, false, true)
LOOP(sync_extra, loop_sync, true, buffer_changes(&w->buffer))
LOOP(one_plain, loop_async, false, false, true)
LOOP(one_fills, loop_async, false, true, true)
LOOP(batch_plain, loop_async, false, false, false)
LOOP(batch_fills, loop_async, false, true, false)
LOOP(async_extra, loop_async, true, buffer_changes(&w->buffer), false)

enum shape { PLAIN, FILLS, EXTRA }; /* the columns */

#define CLOCKS(name) { name##_system, name##_tsc }

static void (*const loops[3][3][2])(struct worker *w) = {
	{ CLOCKS(sync_plain), CLOCKS(sync_fills), CLOCKS(sync_extra) },
	{ CLOCKS(one_plain), CLOCKS(one_fills), CLOCKS(async_extra) },
	{ CLOCKS(batch_plain), CLOCKS(batch_fills), CLOCKS(async_extra) },
};

void loop_begin(struct worker *w, uint64_t length_ns)
{
	uint64_t now = clock_ticks(w->clock);

	w->until = length_ns ? now + clock_span_ticks(w->clock, length_ns) : UINT64_MAX;
	w->wake = 0;
	pace_start(&w->pace, now);
	/* What the engine did not take in the phase before is not of this one. */
	for (unsigned i = 0; i < w->nready; i++)
		w->idle[w->nidle + i] = w->ready[i];
	w->nidle += w->nready;
	w->nready = 0;
}

static void run_shape(void *arg)
{
	struct worker *w = arg;
	bool fills = job_does(w->job, IOJOB_WRITE) && buffer_changes(&w->buffer);
	bool one = w->batch == 1 && w->reap_min == 1 && w->reap_max == 1;
	enum shape shape = w->paced || w->job->nthresholds ? EXTRA : fills ? FILLS : PLAIN;

	loops[job_is_sync(w->job) ? 0 : one ? 1 : 2][shape][w->clock->tsc](w);
}

void loop_run(struct worker *w)
{
	struct io *io = io_of(w->idle[0]);

	stats_settle(w->stats);
	if (!(w->drive.engine->flags & IOJOB_ENGINE_SIGBUS) || !job_is_sync(w->job)) {
		run_shape(w);
		return;
	}
	/* A SIGBUS left the loop in the middle of an I/O: that one is over, the rest goes on. */
	while (!guard_call(&w->guard, &io->start, run_shape, w)) {
		loop_fail_io(w, io, EIO);
		drive_whole(io);
		io->start = 0;
	}
}

/* Waits for the only I/O that is in flight. 1 or -errno. */
static int reap_one(struct worker *w)
{
	uint64_t end;
	int n;

	do
		n = drive_reap(&w->drive, w->clock, w->done, 1, 1, -1, &end);
	while (!n);
	return n;
}

bool loop_one(struct worker *w, struct io *io)
{
	struct iojob_io *pub = &io->pub;
	bool again = true, whole = false;
	uint32_t bytes;
	uint64_t end;
	int n;

	if (job_is_sync(w->job)) {
		w->drive.engine->execute(&w->pub, pub);
		return __builtin_expect(pub->res == pub->len, 1) || finish_sync(w, io, 0).whole;
	}
	n = drive_submit(&w->drive, w->clock, &pub, 1, &end);
	while (n == 1 && again) {
		n = reap_one(w);
		again = false;
		whole = n == 1 && ((pub->res == pub->len && !io->moved)
				|| finish_async(w, io, &bytes, &again));
	}
	if (n < 1)
		loop_fail_engine(w, n ? -n : EAGAIN, engine_op_name(pub->op));
	return whole;
}

/* Outside the loop: end_fsync and fsync_on_close. */
void loop_sync_file(struct worker *w, struct iojob_file *file)
{
	struct io *io = io_of(w->idle[w->nidle - 1]);

	io->pub.op = IOJOB_FSYNC;
	io->pub.file = file;
	io->pub.offset = 0;
	io->pub.len = 0;
	io->start = clock_ticks(w->clock);
	loop_one(w, io);
	io->start = 0;
}
