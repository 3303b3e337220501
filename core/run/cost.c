// SPDX-License-Identifier: MIT
#include "cost.h"

#include <sys/mman.h>

#include "loop.h"

enum {
	DEPTH = 16,
	ROUNDS = 8,
	COUNT = 250, /* I/Os a round: some microseconds, so that most rounds are not disturbed */
};

static void idle_execute(struct iojob_worker *w, struct iojob_io *io)
{
	(void)w;
	io->res = io->len;
}

/* A ring of DEPTH I/Os, in priv. */
struct idle {
	struct iojob_io *ring[DEPTH];
	unsigned head;
	unsigned tail;
};

static int idle_submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	struct idle *idle = w->priv;

	for (unsigned i = 0; i < n; i++)
		idle->ring[idle->tail++ % DEPTH] = ios[i];
	return (int)n;
}

static int idle_reap(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
		int64_t timeout_ns)
{
	struct idle *idle = w->priv;
	unsigned n = 0;

	(void)min;
	(void)timeout_ns;
	for (; n < max && idle->head != idle->tail; n++) {
		ios[n] = idle->ring[idle->head++ % DEPTH];
		ios[n]->res = ios[n]->len;
	}
	return (int)n;
}

static const struct engine idle_engine = {
	.e = {
		.name = "idle",
		.execute = idle_execute,
		.submit = idle_submit,
		.reap = idle_reap,
	},
};

/* What a loop looks at besides the shared memory. */
struct bench {
	struct worker w;
	struct job job;
	struct stage_shared stage;
	struct iojob_file file;
	struct iojob_file *files[1];
	struct iojob_io *stacks[3 * DEPTH];
	struct idle idle;
};

static int bench_set_up(struct bench *b, struct worker_shared *shared, const struct clock *clock,
		unsigned depth)
{
	static const struct load_region region = { 0, UINT64_C(1) << 30 };
	struct worker *w = &b->w;
	struct load_spec spec = {
		.ops = IOJOB_OP_BIT(IOJOB_READ),
		.random = true,
		.single = true,
		.bs_min = { 4096 },
		.bs_max = { 4096 },
		.regions = &region,
		.nfiles = 1,
		.files = b->files,
	};

	b->files[0] = &b->file;
	b->job.o.rw = JOB_RW_READ | JOB_RW_RANDOM;
	w->job = &b->job;
	w->clock = clock;
	w->stage = &b->stage;
	w->shared = shared;
	w->stats = &shared->stats;
	w->pub.priv = &b->idle;
	w->drive = (struct drive){ .engine = &idle_engine.e, .worker = &w->pub };
	w->batch = w->reap_min = w->reap_max = 1;
	w->idle = b->stacks;
	w->rest = w->idle + DEPTH;
	w->done = w->rest + DEPTH;
	for (w->nidle = 0; w->nidle < depth; w->nidle++)
		w->idle[w->nidle] = &shared->ios[w->nidle].pub;
	return load_init(&w->load, &spec);
}

/* The fastest of some rounds: what disturbs one is not the program's cost. */
static double measure(const struct clock *clock, unsigned depth)
{
	struct bench b = { .job = { .engine = &idle_engine, .o.iodepth = (int)depth } };
	size_t bytes = worker_shared_bytes(&b.job);
	struct worker_shared *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t best = UINT64_MAX;

	if (shared == MAP_FAILED)
		return 0;
	if (bench_set_up(&b, shared, clock, depth)) {
		best = 0;
		goto out;
	}
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_ns(), ns;

		load_limit(&b.w.load, UINT64_MAX, COUNT);
		loop_begin(&b.w, 0);
		loop_run(&b.w);
		ns = clock_ns() - begin;
		best = ns < best ? ns : best;
	}
	load_free(&b.w.load);
out:
	munmap(shared, bytes);
	return (double)best / COUNT;
}

void cost_measure(struct cost *cost, const struct clock *clock)
{
	cost->execute_ns = measure(clock, 1);
	cost->submit_ns = measure(clock, DEPTH);
}
