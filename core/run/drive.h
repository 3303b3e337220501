/* SPDX-License-Identifier: MIT */
/*
 * One shape over synchronous and asynchronous engines: I/Os with the core's time stamps, and the
 * continuation of short transfers.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "../engine/engine.h"
#include "../measure/clock.h"

/*
 * An I/O as the core keeps it. It lies in the mapping that the main process sees: start tells it
 * what is in flight and since when, also of a worker that hangs or died.
 */
struct io {
	struct iojob_io pub;
	uint64_t start;    /* ticks, when it was given to the engine; 0: not in flight */
	uint64_t issued;   /* ticks, when submit came back */
	uint64_t intended; /* ticks, by the schedule; 0: none */
	uint32_t moved;    /* bytes of earlier transfers, where one was short */
	uint32_t total;    /* bytes asked for at first; valid where moved is not 0 */
	void *buf;         /* its own buffer: pub.buf moves along with short transfers */
} __attribute__((aligned(64)));

struct drive {
	const struct iojob_engine *engine;
	struct iojob_worker *worker;
	unsigned inflight;
};

static inline struct io *io_of(struct iojob_io *pub)
{
	return (struct io *)pub;
}

/* Does one I/O; returns the ticks at its end. */
static inline uint64_t drive_execute(
		const struct drive *drive, const struct clock *clock, struct io *io)
{
	io->start = clock_ticks(clock);
	drive->engine->execute(drive->worker, &io->pub);
	return clock_ticks(clock);
}

/*
 * Starts up to n I/Os and returns how many the engine took, or -errno (-EPROTO: it claims to have
 * taken more); *now: ticks after it.
 */
static inline int drive_submit(struct drive *drive, const struct clock *clock,
		struct iojob_io *const *ios, unsigned n, uint64_t *now)
{
	uint64_t start = clock_ticks(clock), issued;
	int took;

	for (unsigned i = 0; i < n; i++)
		io_of(ios[i])->start = start;
	took = drive->engine->submit(drive->worker, ios, n);
	*now = issued = clock_ticks(clock);
	for (unsigned i = 0; i < n; i++)
		io_of(ios[i])->issued = issued;
	if (__builtin_expect((unsigned)took <= n, 1))
		drive->inflight += (unsigned)took;
	else if (took > 0)
		return -EPROTO;
	return took;
}

/*
 * Waits for min to max of them; returns how many, or -errno (-EPROTO: more than max); *end: ticks
 * when they were there.
 */
static inline int drive_reap(struct drive *drive, const struct clock *clock, struct iojob_io **ios,
		unsigned min, unsigned max, int64_t timeout_ns, uint64_t *end)
{
	int got = drive->engine->reap(drive->worker, ios, min, max, timeout_ns);

	*end = clock_ticks(clock);
	if (__builtin_expect((unsigned)got > max, 0))
		return got > 0 ? -EPROTO : got == -EINTR ? 0 : got;
	drive->inflight -= (unsigned)got;
	return got;
}

/*
 * An I/O came back with fewer bytes than asked, and without an error: makes it the rest of itself.
 * False: nothing was moved at all, and asking again would not help.
 */
bool drive_rest(struct io *io);

/* Bytes that an I/O moved in all its transfers; puts it back to what it was before drive_rest(). */
uint32_t drive_whole(struct io *io);

#endif
