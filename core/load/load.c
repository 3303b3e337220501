// SPDX-License-Identifier: MIT
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How offsets follow each other. */
enum order {
	SEQUENTIAL,
	RANDOM,  /* any block, again and again */
	VISIT,   /* every block once a pass, in a computed order: one block size */
	VISIT_MAP, /* the same with several sizes: a map remembers */
	STEP,    /* sequential, with a step between each two */
	RUNS,    /* some drawn as one of the three above says, the others follow from them */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

uint64_t load_pass_bytes(const struct load_region *regions, unsigned nfiles, uint64_t bs_min)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < nfiles; i++)
		bytes += regions[i].length / bs_min * bs_min;
	return bytes;
}

static uint64_t smallest_block(const struct load_spec *spec)
{
	uint64_t unit = UINT64_MAX;

	for (int d = 0; d < LOAD_DIRS; d++) {
		if (spec->ops & IOJOB_OP_BIT(d) && spec->bs_min[d] < unit)
			unit = spec->bs_min[d];
	}
	return unit;
}

/* The largest size that divides all that may be issued. */
static uint64_t common_unit(const struct load_spec *spec)
{
	uint64_t unit = 0;

	for (int d = 0; d < LOAD_DIRS; d++) {
		uint64_t a = spec->ops & IOJOB_OP_BIT(d) ? spec->bs_min[d] : 0;

		while (a) {
			uint64_t rest = unit % a;

			unit = a;
			a = rest;
		}
	}
	return unit;
}

/* One size for everything that the job does? */
static bool one_size(const struct load_spec *spec)
{
	uint64_t unit = smallest_block(spec);

	for (int d = 0; d < LOAD_DIRS; d++) {
		if (spec->ops & IOJOB_OP_BIT(d)
				&& (spec->bs_min[d] != unit || spec->bs_max[d] != unit))
			return false;
	}
	return true;
}

static size_t map_words(uint64_t blocks)
{
	return (size_t)((blocks + 63) / 64);
}

uint64_t load_map_bytes(const struct load_spec *spec)
{
	uint64_t bytes = 0, unit = common_unit(spec);

	if (!spec->random || spec->repeats || one_size(spec))
		return 0;
	for (unsigned i = 0; i < spec->nfiles; i++)
		bytes += map_words(spec->regions[i].length / unit) * sizeof(uint64_t);
	return bytes;
}

/* ---- files --------------------------------------------------------------------------------- */

ALWAYS_INLINE bool file_done(
		const struct load_file *f, uint8_t op, uint64_t len, const enum order order)
{
	switch (order) {
	case SEQUENTIAL:
		return f->pos[op] + len > f->length;
	case RANDOM:
		return len > f->length;
	case VISIT:
		return f->next == f->blocks;
	case VISIT_MAP:
		return !f->left;
	case STEP:
	case RUNS:
		return len > f->length; /* they go round by themselves */
	}
	return true;
}

/* Begins a pass over a file: for a sequential job that of one direction. */
static void file_begin(struct load *l, struct load_file *f, uint8_t op, enum order order)
{
	switch (order) {
	case SEQUENTIAL:
		f->pos[op] = 0;
		break;
	case RANDOM:
		break;
	case VISIT:
		f->next = 0;
		if (f->blocks)
			perm_init(&f->perm, f->blocks, &l->order);
		break;
	case VISIT_MAP:
		f->left = f->blocks;
		memset(f->map, 0, map_words(f->blocks) * sizeof(*f->map));
		break;
	case STEP:
	case RUNS:
		break; /* they have no passes */
	}
}

/* Several files: round robin or in turn, skipping those whose pass is over. */
ALWAYS_INLINE struct load_file *file_next(
		struct load *l, uint8_t op, uint64_t len, const enum order order)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < l->nfiles; i++) {
			struct load_file *f = &l->files[l->turn];

			if (!file_done(f, op, len, order)) {
				if (!l->in_turn)
					l->turn = l->turn + 1 == l->nfiles ? 0 : l->turn + 1;
				return f;
			}
			l->turn = l->turn + 1 == l->nfiles ? 0 : l->turn + 1;
		}
		for (unsigned i = 0; i < l->nfiles; i++)
			file_begin(l, &l->files[i], op, order);
		l->turn = 0;
	}
	return NULL;
}

/* The same for generators that are not lean, which need no copy of their own. */
static __attribute__((noinline)) struct load_file *file_next_odd(struct load *l, uint8_t op,
		uint64_t len)
{
	return file_next(l, op, len, l->order_kind);
}

ALWAYS_INLINE struct load_file *pick_file(
		struct load *l, uint8_t op, uint64_t len, const enum order order, const bool many)
{
	struct load_file *f = &l->files[0];

	if (many)
		return order <= VISIT_MAP ? file_next(l, op, len, order)
					  : file_next_odd(l, op, len);
	if (__builtin_expect(file_done(f, op, len, order), 0)) {
		file_begin(l, f, op, order);
		if (file_done(f, op, len, order))
			return NULL;
	}
	return f;
}

/* ---- offsets and lengths ------------------------------------------------------------------- */

/*
 * A free unit at random and as many free ones behind it as *len asks for; the map has at least one
 * free bit. The search starts at a random multiple of the direction's own block size, so that
 * blocks lie as they would without a map, and goes round.
 */
ALWAYS_INLINE uint64_t map_take(struct load *l, struct load_file *f, uint8_t op, uint64_t *len)
{
	uint64_t step = l->bs_min[op] / l->unit, want = *len / l->unit, got = 0;
	uint64_t b = rng_below(&l->order, (f->blocks + step - 1) / step) * step;

	while (f->map[b / 64] >> b % 64 & 1) {
		if (!(b % 64) && f->map[b / 64] == UINT64_MAX)
			b += 64;
		else
			b++;
		if (b >= f->blocks)
			b = 0;
	}
	while (got < want && b + got < f->blocks
			&& !(f->map[(b + got) / 64] >> (b + got) % 64 & 1)) {
		f->map[(b + got) / 64] |= UINT64_C(1) << (b + got) % 64;
		got++;
	}
	f->left -= got;
	*len = got * l->unit;
	return b * l->unit;
}

/* The end of a region cuts a length to what fits there, in units of the smallest. */
ALWAYS_INLINE uint64_t fit(uint64_t len, uint64_t room, uint64_t bs_min)
{
	return len > room ? room / bs_min * bs_min : len;
}

/*
 * A step may lead out of the region: forward to its start, backward to as far before its end. The
 * very first I/O is at the start in any case, as in fio.
 */
static uint64_t step_offset(struct load *l, struct load_file *f, uint8_t op, uint64_t *len)
{
	uint64_t end = f->pos[op], min = l->bs_min[op], back = -(uint64_t)l->step[op];
	uint64_t at = end ? end - back : 0; /* what is below 0 is a large number */

	if (at > f->length || f->length - at < min)
		at = l->step[op] < 0 && back >= min && back <= f->length ? f->length - back : 0;
	*len = fit(*len, f->length - at, min);
	f->pos[op] = at + *len;
	return at;
}

static uint64_t run_offset(struct load *l, struct load_file *f, uint8_t op, uint64_t *len);

ALWAYS_INLINE uint64_t pick_offset(struct load *l, struct load_file *f, uint8_t op, uint64_t *len,
		const enum order order, const bool fixed)
{
	uint64_t at;

	switch (order) {
	case SEQUENTIAL:
		at = f->pos[op];
		if (!fixed)
			*len = fit(*len, f->length - at, l->bs_min[op]);
		f->pos[op] = at + *len;
		return at;
	case RANDOM:
		if (fixed)
			return rng_below(&l->order, f->blocks) * *len;
		at = rng_below(&l->order, f->length / l->bs_min[op]) * l->bs_min[op];
		*len = fit(*len, f->length - at, l->bs_min[op]);
		return at;
	case VISIT:
		return perm_at(&f->perm, f->next++) * *len;
	case VISIT_MAP:
		return map_take(l, f, op, len);
	case STEP:
		return step_offset(l, f, op, len);
	case RUNS:
		return run_offset(l, f, op, len);
	}
	return 0;
}

static uint64_t draw_offset(struct load *l, struct load_file *f, uint8_t op, uint64_t *len)
{
	enum order order = l->drawn_kind;

	if (file_done(f, op, *len, order))
		file_begin(l, f, op, order);
	return pick_offset(l, f, op, len, order, false);
}

/*
 * The count is the worker's, the positions are each file's and direction's own. One that would go
 * on behind the end of the region is drawn.
 */
static uint64_t run_offset(struct load *l, struct load_file *f, uint8_t op, uint64_t *len)
{
	bool draw = !l->run_left;
	uint64_t *start = &l->starts[f - l->files][op];
	uint64_t at = l->identical ? *start : f->pos[op];

	l->run_left = (draw ? l->run : l->run_left) - 1;
	if (draw || f->length - at < l->bs_min[op]) {
		at = draw_offset(l, f, op, len);
		*start = at;
	}
	*len = fit(*len, f->length - at, l->bs_min[op]);
	f->pos[op] = at + *len;
	return at;
}

static uint64_t pick_length(struct load *l, uint8_t op)
{
	uint64_t min = l->bs_min[op], steps = (l->bs_max[op] - min) / min + 1;

	if (l->largest)
		return l->bs_max[op];
	return steps == 1 ? min : min * (1 + rng_below(&l->size, steps));
}

/* ---- the generators ------------------------------------------------------------------------ */

/* After a write: is a sync owed to its file? An fsync does for both. */
static void count_write(struct load *l, struct iojob_file *file)
{
	if (l->fdatasync_every && !--l->fdatasync_left) {
		l->fdatasync_left = l->fdatasync_every;
		l->sync_due = IOJOB_FDATASYNC;
	}
	if (l->fsync_every && !--l->fsync_left) {
		l->fsync_left = l->fsync_every;
		l->sync_due = IOJOB_FSYNC;
	}
	l->sync_file = file;
}

static void make_sync(struct load *l, struct iojob_io *io)
{
	io->op = l->sync_due;
	io->file = l->sync_file;
	io->offset = 0;
	io->len = 0;
	l->sync_due = 0;
}

uint8_t load_mix(struct load *l)
{
	return rng_next(&l->mix) < l->read_below ? IOJOB_READ : l->other;
}

/*
 * The body of every generator. What is const is known to each at compile time, so none asks in its
 * loop what holds for the whole run.
 */
ALWAYS_INLINE unsigned generate(struct load *l, struct iojob_io *const *ios, unsigned n,
		const enum order order, const bool fixed, const bool many, const bool mixed,
		const bool syncs)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		struct iojob_io *io = ios[i];
		struct load_file *f;
		uint64_t len;
		uint8_t op;

		if (syncs && l->sync_due) {
			make_sync(l, io);
			continue;
		}
		if (!l->left_ios || (!fixed && !l->left_bytes))
			break;
		op = mixed ? load_mix(l) : l->op;
		f = pick_file(l, op, fixed ? l->len : l->bs_min[op], order, many);
		if (!f)
			break;
		len = fixed ? l->len : pick_length(l, op);
		io->op = op;
		io->file = f->file;
		io->offset = f->offset + pick_offset(l, f, op, &len, order, fixed);
		io->len = (uint32_t)len;
		l->left_ios--;
		if (!fixed)
			l->left_bytes -= len < l->left_bytes ? len : l->left_bytes;
		if (syncs && op == IOJOB_WRITE)
			count_write(l, io->file);
	}
	return i;
}

#define GENERATOR(name, count, ...) \
	static unsigned name(struct load *l, struct iojob_io *const *ios, unsigned n) \
	{ \
		(void)n; \
		return generate(l, ios, count, __VA_ARGS__); \
	}

/*
 * Lean ones for the common shapes (one block size, no syncs between), also for one I/O at a time.
 */
#define LEAN(name, order, many, mixed) \
	GENERATOR(name, n, order, true, many, mixed, false) \
	GENERATOR(name##_single, 1, order, true, many, mixed, false)

LEAN(seq_one, SEQUENTIAL, false, false)
LEAN(seq_one_mixed, SEQUENTIAL, false, true)
LEAN(seq_many, SEQUENTIAL, true, false)
LEAN(seq_many_mixed, SEQUENTIAL, true, true)
LEAN(random_one, RANDOM, false, false)
LEAN(random_one_mixed, RANDOM, false, true)
LEAN(random_many, RANDOM, true, false)
LEAN(random_many_mixed, RANDOM, true, true)
LEAN(visit_one, VISIT, false, false)
LEAN(visit_one_mixed, VISIT, false, true)
LEAN(visit_many, VISIT, true, false)
LEAN(visit_many_mixed, VISIT, true, true)

/* And for each order one that can do everything. */
GENERATOR(seq_any, n, SEQUENTIAL, false, true, l->mixed, true)
GENERATOR(random_any, n, RANDOM, false, true, l->mixed, true)
GENERATOR(visit_any, n, VISIT, true, true, l->mixed, true)
GENERATOR(map_any, n, VISIT_MAP, false, true, l->mixed, true)
GENERATOR(step_any, n, STEP, false, true, l->mixed, true)
GENERATOR(runs_any, n, RUNS, false, true, l->mixed, true)

#define SINGLE_TOO(name) { name, name##_single }

/* [order][several files][mixed][one at a time] */
static unsigned (*const lean[3][2][2][2])(struct load *, struct iojob_io *const *, unsigned) = {
	[SEQUENTIAL] = {
		{ SINGLE_TOO(seq_one), SINGLE_TOO(seq_one_mixed) },
		{ SINGLE_TOO(seq_many), SINGLE_TOO(seq_many_mixed) },
	},
	[RANDOM] = {
		{ SINGLE_TOO(random_one), SINGLE_TOO(random_one_mixed) },
		{ SINGLE_TOO(random_many), SINGLE_TOO(random_many_mixed) },
	},
	[VISIT] = {
		{ SINGLE_TOO(visit_one), SINGLE_TOO(visit_one_mixed) },
		{ SINGLE_TOO(visit_many), SINGLE_TOO(visit_many_mixed) },
	},
};

static unsigned (*const full[6])(struct load *, struct iojob_io *const *, unsigned) = {
	[SEQUENTIAL] = seq_any,
	[RANDOM] = random_any,
	[VISIT] = visit_any,
	[VISIT_MAP] = map_any,
	[STEP] = step_any,
	[RUNS] = runs_any,
};

/* ---- zones --------------------------------------------------------------------------------- */

/* From the start of the zone again. */
static void zone_begin(struct load *l)
{
	struct load_file *f = &l->files[0];

	for (uint8_t d = 0; d < LOAD_DIRS; d++) {
		if (!d || l->order_kind == SEQUENTIAL)
			file_begin(l, f, d, l->order_kind);
	}
}

/*
 * Makes the zone at zone_at, or the first one where no block fits there any more, the only thing
 * that the generator sees. One that the end of the region cuts short ends there.
 */
static void zone_enter(struct load *l)
{
	const struct load_zones *z = &l->zones;
	struct load_file *f = &l->files[0];
	uint64_t rest;

	if (l->zone_at >= l->region.length || l->region.length - l->zone_at < l->zone_least)
		l->zone_at = 0;
	rest = l->region.length - l->zone_at;
	f->offset = l->region.offset + l->zone_at;
	/* A sequential I/O that begins in the zone may end behind it, as in fio. */
	f->length = l->order_kind != SEQUENTIAL && z->range < rest ? z->range : rest;
	f->blocks = f->length / l->unit;
	l->zone_done = 0;
	l->zone_left = rest < z->range && rest < z->size ? rest / l->unit * l->unit : z->size;
	zone_begin(l);
}

/* Works its way through one zone after the other; inside of one it is like any other job. */
static unsigned zoned(struct load *l, struct iojob_io *const *ios, unsigned n)
{
	struct load_file *f = &l->files[0];
	unsigned i;

	for (i = 0; i < n; i++) {
		if (!l->zone_left) {
			l->zone_at += l->zones.range + l->zones.skip;
			zone_enter(l);
		} else if (l->zone_done && l->zone_done % l->zones.range == 0) {
			zone_begin(l);
		}
		for (int d = 0; d < LOAD_DIRS; d++)
			f->pos[d] = f->pos[d] < l->zones.range ? f->pos[d] : 0;
		if (!l->in_zone(l, &ios[i], 1))
			break;
		l->zone_done += ios[i]->len;
		l->zone_left -= ios[i]->len < l->zone_left ? ios[i]->len : l->zone_left;
	}
	return i;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static enum order order_of(const struct load_spec *spec)
{
	if (!spec->random)
		return SEQUENTIAL;
	if (spec->repeats)
		return RANDOM;
	return one_size(spec) ? VISIT : VISIT_MAP;
}

/* The same with what lies over it. */
static enum order shape_of(const struct load_spec *spec, enum order order)
{
	if (order != SEQUENTIAL)
		return spec->run > 1 ? RUNS : order;
	for (int d = 0; d < LOAD_DIRS; d++) {
		if (spec->ops & IOJOB_OP_BIT(d) && spec->step[d])
			return STEP;
	}
	return SEQUENTIAL;
}

static void choose_generator(struct load *l)
{
	bool syncs = l->fsync_every || l->fdatasync_every;

	if (l->fixed && !syncs && l->order_kind < VISIT_MAP)
		l->next = lean[l->order_kind][l->nfiles > 1][l->mixed][l->single];
	else
		l->next = full[l->order_kind];
	if (l->zones.size) {
		l->in_zone = l->next;
		l->next = zoned;
	}
}

static int init_files(struct load *l, const struct load_spec *spec)
{
	enum order order = l->drawn_kind;
	bool any = false;

	l->files = calloc(spec->nfiles, sizeof(*l->files));
	if (l->order_kind == RUNS)
		l->starts = calloc(spec->nfiles, sizeof(*l->starts));
	if (!l->files || (l->order_kind == RUNS && !l->starts))
		return -ENOMEM;
	for (unsigned i = 0; i < spec->nfiles; i++) {
		struct load_file *f = &l->files[i];

		f->file = spec->files[i];
		f->offset = spec->regions[i].offset;
		f->length = spec->regions[i].length;
		f->blocks = f->length / l->unit;
		any |= f->length >= smallest_block(spec);
		if (order == VISIT_MAP) {
			f->map = calloc(map_words(f->blocks) + 1, sizeof(*f->map));
			if (!f->map)
				return -ENOMEM;
		}
		for (uint8_t d = 0; d < LOAD_DIRS; d++) {
			if (!d || order == SEQUENTIAL)
				file_begin(l, f, d, order);
		}
	}
	return any ? 0 : -EINVAL;
}

int load_init(struct load *l, const struct load_spec *spec)
{
	int err;

	memset(l, 0, sizeof(*l));
	rng_seed(&l->order, spec->seed, spec->stream * 4);
	rng_seed(&l->mix, spec->seed, spec->stream * 4 + 1);
	rng_seed(&l->size, spec->seed, spec->stream * 4 + 2);
	l->unit = common_unit(spec);
	l->len = (uint32_t)l->unit;
	memcpy(l->bs_min, spec->bs_min, sizeof(l->bs_min));
	memcpy(l->bs_max, spec->bs_max, sizeof(l->bs_max));
	l->nfiles = spec->nfiles;
	l->in_turn = spec->in_turn;
	l->largest = spec->largest;
	l->op = spec->ops & IOJOB_OP_BIT(IOJOB_READ) ? IOJOB_READ
			: spec->ops & IOJOB_OP_BIT(IOJOB_WRITE) ? IOJOB_WRITE : IOJOB_TRIM;
	l->other = spec->ops & IOJOB_OP_BIT(IOJOB_WRITE) ? IOJOB_WRITE
			: spec->ops & IOJOB_OP_BIT(IOJOB_TRIM) ? IOJOB_TRIM : l->op;
	l->mixed = l->op != l->other;
	l->read_below = spec->read_percent >= 100 ? UINT64_MAX
			: (uint64_t)((double)spec->read_percent / 100 * 0x1p64);
	l->fsync_every = l->fsync_left = spec->fsync_every;
	l->fdatasync_every = l->fdatasync_left = spec->fdatasync_every;
	l->fixed = one_size(spec);
	load_limit(l, UINT64_MAX, UINT64_MAX);
	l->drawn_kind = order_of(spec);
	l->order_kind = shape_of(spec, l->drawn_kind);
	memcpy(l->step, spec->step, sizeof(l->step));
	l->run = spec->run;
	l->identical = spec->identical;
	l->zones = spec->zones;
	err = init_files(l, spec);
	if (err) {
		load_free(l);
		return err;
	}
	if (l->zones.size) {
		for (int d = 0; d < LOAD_DIRS; d++) {
			if (spec->ops & IOJOB_OP_BIT(d) && spec->bs_min[d] > l->zone_least)
				l->zone_least = spec->bs_min[d];
		}
		l->region = spec->regions[0];
		zone_enter(l);
	}
	l->single = spec->single;
	choose_generator(l);
	return 0;
}

void load_limit(struct load *l, uint64_t limit_bytes, uint64_t limit_ios)
{
	l->left_ios = limit_ios;
	l->left_bytes = limit_bytes;
	if (l->fixed && limit_bytes != UINT64_MAX) {
		uint64_t ios = limit_bytes / l->len + !!(limit_bytes % l->len);

		if (ios < l->left_ios)
			l->left_ios = ios;
	}
}

void load_direct(struct load *l)
{
	l->mixed = false;
	choose_generator(l);
}

void load_free(struct load *l)
{
	for (unsigned i = 0; l->files && i < l->nfiles; i++)
		free(l->files[i].map);
	free(l->files);
	free(l->starts);
	l->files = NULL;
	l->starts = NULL;
}
