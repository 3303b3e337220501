// SPDX-License-Identifier: MIT
/* What comes next: core/load/load.c. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/load/load.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))
#define K UINT64_C(1024)

enum {
	R = IOJOB_OP_BIT(IOJOB_READ),
	W = IOJOB_OP_BIT(IOJOB_WRITE),
	T = IOJOB_OP_BIT(IOJOB_TRIM),
	FILES = 8,
	BATCH = 64,
};

/* ---- drawing ------------------------------------------------------------------------------- */

static struct iojob_file files[FILES];
static struct iojob_file *const file_list[FILES] = { &files[0], &files[1], &files[2], &files[3],
	&files[4], &files[5], &files[6], &files[7] };

/* One file of 1 MiB, 4k reads in sequence, unless the caller changes it. */
static const struct load_region one_mib[] = { { 0, 1024 * K } };

static struct load_spec spec_of(unsigned ops, uint64_t bs_min, uint64_t bs_max)
{
	struct load_spec spec = {
		.seed = 1,
		.ops = ops,
		.read_percent = 50,
		.regions = one_mib,
		.nfiles = 1,
		.files = file_list,
	};

	for (uint32_t i = 0; i < FILES; i++)
		files[i] = (struct iojob_file){ .index = i };
	for (int d = 0; d < LOAD_DIRS; d++) {
		spec.bs_min[d] = bs_min;
		spec.bs_max[d] = bs_max;
	}
	return spec;
}

static struct load load_of(const struct load_spec *spec)
{
	struct load load;

	ck_assert_int_eq(load_init(&load, spec), 0);
	return load;
}

/* What a sequence is made of. */
struct drawn {
	uint64_t offset;
	uint32_t len;
	uint32_t file;
	uint8_t op;
};

/* Draws up to max I/Os in batches of `batch`; fewer: the work is done. */
static size_t draw(struct load *load, struct drawn *to, size_t max, unsigned batch)
{
	struct iojob_io all[BATCH], *ios[BATCH];
	size_t n = 0;

	memset(all, 0xff, sizeof(all)); /* what the generator leaves would be seen */
	for (unsigned i = 0; i < BATCH; i++)
		ios[i] = &all[i];
	while (n < max) {
		unsigned want = max - n < batch ? (unsigned)(max - n) : batch;
		unsigned got = load->next(load, ios, want);

		ck_quick(got <= want);
		for (unsigned i = 0; i < got; i++, n++)
			to[n] = (struct drawn){ all[i].offset, all[i].len, all[i].file->index,
				all[i].op };
		if (got < want) {
			ck_quick(load->next(load, ios, want) == 0);
			break;
		}
	}
	return n;
}

static struct drawn one(struct load *load)
{
	struct drawn drawn = { 0 };

	ck_assert_uint_eq(draw(load, &drawn, 1, 1), 1);
	return drawn;
}

enum { MANY = 100000 };
static struct drawn sequence[MANY], another[MANY];

static bool same(const struct drawn *a, const struct drawn *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].offset != b[i].offset || a[i].len != b[i].len || a[i].file != b[i].file
				|| a[i].op != b[i].op)
			return false;
	return true;
}

/* ---- shapes -------------------------------------------------------------------------------- */

/* Files of different sizes, none a multiple of 64k, one too small for anything, none at 0 alone. */
static const struct load_region several[] = { { 0, 260 * K }, { 64 * K, 100 * K }, { 512, 511 },
	{ 4 * K, 1000 * K }, { 8 * K, 36 * K } };

struct shape {
	const char *name;
	unsigned ops;
	bool random;
	bool repeats;
	bool in_turn;
	const struct load_region *regions;
	unsigned nfiles;
	uint64_t bs[LOAD_DIRS][2];
	unsigned fsync_every;
};

#define ONE one_mib, 1
#define SEVERAL several, ROWS(several)
#define ALL_BS(min, max)                                                                           \
	{                                                                                          \
		{ min, max }, { min, max },                                                        \
		{                                                                                  \
			min, max                                                                   \
		}                                                                                  \
	}

static const struct shape shapes[] = {
	{ "seq", R, 0, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq odd", W, 0, 0, 0, ONE, ALL_BS(12 * K, 12 * K), 0 },
	{ "seq several", R, 0, 0, 0, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq several in turn", R, 0, 0, 1, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq range", R, 0, 0, 0, ONE, ALL_BS(4 * K, 64 * K), 0 },
	{ "seq range several", W, 0, 0, 0, SEVERAL, ALL_BS(512, 64 * K), 3 },
	{ "seq trim", T, 0, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq fsync", W, 0, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 5 },
	{ "random", R, 1, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "random odd", R, 1, 0, 0, ONE, ALL_BS(12 * K, 12 * K), 0 },
	{ "random several", R, 1, 0, 0, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "random several in turn", W, 1, 0, 1, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "random mixed", R | W, 1, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "random mixed several", R | W, 1, 0, 0, SEVERAL, ALL_BS(4 * K, 4 * K), 2 },
	{ "random range", R, 1, 0, 0, ONE, ALL_BS(4 * K, 64 * K), 0 },
	{ "random range several", R | W, 1, 0, 0, SEVERAL, ALL_BS(4 * K, 12 * K), 0 },
	{ "random by direction", R | W, 1, 0, 0, ONE, { { 4 * K, 4 * K }, { 16 * K, 16 * K } }, 0 },
	{ "random by direction, common 2k", R | W, 1, 0, 0, ONE,
			{ { 4 * K, 4 * K }, { 6 * K, 6 * K } }, 0 },
	{ "random ranges by direction", R | W, 1, 0, 0, SEVERAL,
			{ { 512, 4 * K }, { 2 * K, 32 * K } }, 7 },
	/* From here on blocks may come twice in a pass. */
	{ "seq mixed", R | W, 0, 0, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq mixed several", R | W, 0, 0, 0, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "seq mixed by direction", R | W, 0, 0, 0, SEVERAL,
			{ { 4 * K, 4 * K }, { 16 * K, 32 * K } }, 4 },
	{ "repeats", R, 1, 1, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "repeats mixed", R | W, 1, 1, 0, ONE, ALL_BS(4 * K, 4 * K), 0 },
	{ "repeats several", R, 1, 1, 0, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "repeats mixed several", R | W, 1, 1, 1, SEVERAL, ALL_BS(4 * K, 4 * K), 0 },
	{ "repeats range", R, 1, 1, 0, ONE, ALL_BS(4 * K, 28 * K), 0 },
	{ "repeats by direction", R | W, 1, 1, 0, SEVERAL, { { 512, 4 * K }, { 16 * K, 32 * K } },
			3 },
};

enum { ONCE = 19 }; /* so many of them visit every block exactly once a pass */

static struct load_spec spec_of_shape(const struct shape *shape)
{
	struct load_spec spec = spec_of(shape->ops, 0, 0);

	spec.random = shape->random;
	spec.repeats = shape->repeats;
	spec.in_turn = shape->in_turn;
	spec.regions = shape->regions;
	spec.nfiles = shape->nfiles;
	spec.fsync_every = shape->fsync_every;
	for (int d = 0; d < LOAD_DIRS; d++) {
		spec.bs_min[d] = shape->bs[d][0];
		spec.bs_max[d] = shape->bs[d][1];
	}
	return spec;
}

static bool is_sync(const struct drawn *io)
{
	return io->op == IOJOB_FSYNC || io->op == IOJOB_FDATASYNC;
}

/* ---- every block --------------------------------------------------------------------------- */

/* The smallest size that is a part of all of a shape. */
static uint64_t unit_of(const struct shape *shape)
{
	uint64_t unit = shape->bs[shape->ops & R ? 0 : shape->ops & W ? 1 : 2][0];

	if (shape->ops == (R | W)) {
		for (uint64_t b = shape->bs[1][0], rest; b; b = rest) {
			rest = unit % b;
			unit = b;
		}
	}
	return unit;
}

static uint8_t seen[FILES][2048]; /* how often each unit of each file was visited */

static void visit(const struct shape *shape, const struct drawn *io, uint64_t unit)
{
	const struct load_region *region = &shape->regions[io->file];

	ck_quick(io->offset >= region->offset);
	ck_quick((io->offset - region->offset) % unit == 0);
	ck_quick(io->len % unit == 0);
	for (uint64_t b = 0; b < io->len / unit; b++)
		seen[io->file][(io->offset - region->offset) / unit + b]++;
}

/* Two passes in one go: once more each time, in another order where it is random. */
START_TEST(test_every_block)
{
	const struct shape *shape = &shapes[_i];
	struct load_spec spec = spec_of_shape(shape);
	struct load load = load_of(&spec);
	uint64_t unit = unit_of(shape), pass = 0;
	size_t n[2];

	for (unsigned f = 0; f < shape->nfiles; f++)
		pass += shape->regions[f].length / unit * unit;
	ck_assert_uint_eq(load_pass_bytes(shape->regions, shape->nfiles, unit), pass);
	memset(seen, 0, sizeof(seen));
	for (int p = 0; p < 2; p++) {
		struct drawn *to = p ? another : sequence;

		load_limit(&load, pass, UINT64_MAX);
		n[p] = draw(&load, to, MANY, p ? 7 : 1);
		ck_assert_uint_lt(n[p], MANY);
		for (size_t i = 0; i < n[p]; i++)
			if (!is_sync(&to[i]))
				visit(shape, &to[i], unit);
		for (unsigned f = 0; f < shape->nfiles; f++)
			for (uint64_t b = 0; b < shape->regions[f].length / unit; b++)
				if (seen[f][b] != p + 1)
					ck_abort_msg("%s: file %u, unit %ju: %u", shape->name, f,
							(uintmax_t)b, seen[f][b]);
	}
	if (shape->random) {
		size_t equal = 0, least = n[0] < n[1] ? n[0] : n[1];

		for (size_t i = 0; i < least; i++)
			equal += sequence[i].offset == another[i].offset
				 && sequence[i].file == another[i].file;
		ck_assert_msg(equal < least / 4, "%s: %zu of %zu", shape->name, equal, least);
	}
	load_free(&load);
}
END_TEST

/* Whatever the shape, nothing leaves its region, and lengths are what the job asked for. */
START_TEST(test_inside)
{
	const struct shape *shape = &shapes[_i];
	struct load_spec spec = spec_of_shape(shape);
	struct load load = load_of(&spec);
	uint64_t unit = unit_of(shape);

	ck_quick(draw(&load, sequence, 20000, 16) == 20000);
	for (int i = 0; i < 20000; i++) {
		const struct drawn *io = &sequence[i];
		const struct load_region *region = &shape->regions[io->file];

		ck_quick(io->file < shape->nfiles);
		if (is_sync(io)) {
			ck_quick(io->len == 0);
			ck_quick(io->offset == 0);
			continue;
		}
		ck_quick(shape->ops & IOJOB_OP_BIT(io->op));
		ck_quick(io->len > 0);
		ck_quick(io->len <= shape->bs[io->op][1]);
		ck_quick(io->len % unit == 0);
		ck_quick(io->offset >= region->offset);
		ck_quick(io->offset + io->len <= region->offset + region->length);
	}
	load_free(&load);
}
END_TEST

/* Is there anything random in it? */
static bool draws(const struct shape *shape)
{
	int d = shape->ops & R ? IOJOB_READ : shape->ops & W ? IOJOB_WRITE : IOJOB_TRIM;

	return shape->random || shape->ops == (R | W) || shape->bs[d][0] != shape->bs[d][1];
}

/* Batches of any size, and a caller who says that he takes one at a time, get the same. */
START_TEST(test_same_seed)
{
	const struct shape *shape = &shapes[_i];
	struct load_spec spec = spec_of_shape(shape);
	static const struct {
		unsigned batch;
		bool single;
	} ways[] = { { 1, false }, { 1, true }, { 2, false }, { 7, false }, { BATCH, false } };

	for (int i = 0; i < ROWS(ways); i++) {
		struct load load;

		spec.single = ways[i].single;
		load = load_of(&spec);
		load_limit(&load, UINT64_MAX, 9000); /* syncs are not counted */
		ck_assert_uint_ge(draw(&load, i ? another : sequence, 10000, ways[i].batch), 9000);
		ck_assert_msg(!i || same(sequence, another, 9000), "%s: batches of %u%s",
				shape->name, ways[i].batch, ways[i].single ? ", single" : "");
		load_free(&load);
	}
	spec.single = false;
	for (int change = 0; change < 2; change++) {
		struct load load;

		spec.seed = change ? 2 : 1;
		spec.stream = change ? 0 : 1;
		load = load_of(&spec);
		draw(&load, another, 9000, BATCH);
		ck_assert_msg(same(sequence, another, 9000) == !draws(shape), "%s: another %s",
				shape->name, change ? "seed" : "stream");
		load_free(&load);
	}
}
END_TEST

/* ---- order --------------------------------------------------------------------------------- */

START_TEST(test_sequential)
{
	struct load_spec spec = spec_of(R, 4 * K, 4 * K);
	struct load load;

	spec.regions = (struct load_region[]){ { 12 * K, 10 * K } };
	load = load_of(&spec);
	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(one(&load).offset, 12 * K + (i % 2 ? 4 * K : 0));
	load_free(&load);
}
END_TEST

static const struct {
	bool in_turn;
	const char *order;
} turns[] = {
	{ false, "0123"
		 "023"
		 "03"
		 "00"
		 "0123"
		 "023"
		 "03"
		 "00" },
	{ true, "00000"
		"1"
		"22"
		"333"
		"00000"
		"1"
		"22"
		"333" },
};

/* 5, 1, 2 and 3 blocks: those that are done are passed over. */
START_TEST(test_turns)
{
	struct load_spec spec = spec_of(R, 4 * K, 4 * K);
	struct load load;

	spec.regions = (struct load_region[]){ { 0, 20 * K }, { 0, 4 * K }, { 0, 8 * K },
		{ 0, 12 * K } };
	spec.nfiles = 4;
	spec.in_turn = turns[_i].in_turn;
	load = load_of(&spec);
	for (const char *p = turns[_i].order; *p; p++)
		ck_assert_int_eq((int)one(&load).file, *p - '0');
	load_free(&load);
}
END_TEST

/* As in fio: reads and writes of a sequential mixed job are two sequences, each from the start. */
START_TEST(test_mixed_positions)
{
	struct load_spec spec = spec_of(R | W, 4 * K, 4 * K);
	uint64_t next[2] = { 0, 0 };
	struct load load;

	spec.bs_min[IOJOB_WRITE] = spec.bs_max[IOJOB_WRITE] = 16 * K;
	load = load_of(&spec);
	ck_quick(draw(&load, sequence, 5000, BATCH) == 5000);
	for (int i = 0; i < 5000; i++) {
		const struct drawn *io = &sequence[i];

		ck_quick(io->len == (io->op == IOJOB_READ ? 4 * K : 16 * K));
		ck_quick(io->offset == next[io->op]);
		next[io->op] = (io->offset + io->len) % (1024 * K);
	}
	load_free(&load);
}
END_TEST

static const unsigned shares[] = { 0, 1, 30, 50, 70, 99, 100 };

START_TEST(test_mix)
{
	for (int random = 0; random < 2; random++) {
		struct load_spec spec = spec_of(R | W, 4 * K, 4 * K);
		double p = shares[_i] / 100.0, reads = 0;
		struct load load;

		spec.random = random;
		spec.read_percent = shares[_i];
		load = load_of(&spec);
		ck_assert_uint_eq(draw(&load, sequence, MANY, BATCH), MANY);
		for (int i = 0; i < MANY; i++)
			reads += sequence[i].op == IOJOB_READ;
		/* Four sigma; exact at both ends. */
		ck_assert_double_le(fabs(reads - p * MANY), 4 * sqrt(p * (1 - p) * MANY));
		load_free(&load);
	}
}
END_TEST

/* Sizes of a range: multiples of the smallest, each as likely; what lies between is none. */
START_TEST(test_sizes)
{
	struct load_spec spec = spec_of(R, 4 * K, 22 * K);
	double chi = 0, expected = 50000 / 5.0;
	uint32_t count[6] = { 0 };
	struct load load;

	spec.regions = (struct load_region[]){ { 0, 1 << 30 } };
	load = load_of(&spec);
	draw(&load, sequence, 50000, BATCH);
	for (int i = 0; i < 50000; i++) {
		ck_quick(sequence[i].len % (4 * K) == 0);
		ck_quick(sequence[i].len <= 20 * K);
		count[sequence[i].len / (4 * K)]++;
	}
	for (int i = 1; i <= 5; i++)
		chi += (count[i] - expected) * (count[i] - expected) / expected;
	ck_quick(chi < 25); /* 4 degrees of freedom: one in 20000 */
	load_free(&load);
}
END_TEST

/* norandommap: every block as likely each time, so that some come often and others not at all. */
START_TEST(test_repeats)
{
	enum { BLOCKS = 256, DRAWS = 50000 };
	struct load_spec spec = spec_of(R, 4 * K, 4 * K);
	double chi = 0, expected = DRAWS / (double)BLOCKS;
	uint32_t count[BLOCKS] = { 0 };
	struct load load;
	int twice = 0;

	spec.random = spec.repeats = true;
	load = load_of(&spec);
	ck_quick(load_map_bytes(&spec) == 0);
	draw(&load, sequence, DRAWS, BATCH);
	for (int i = 0; i < DRAWS; i++) {
		ck_quick(sequence[i].offset % (4 * K) == 0);
		twice += ++count[sequence[i].offset / (4 * K)] > 1 && i < BLOCKS;
	}
	for (int b = 0; b < BLOCKS; b++)
		chi += (count[b] - expected) * (count[b] - expected) / expected;
	ck_quick(fabs(chi - (BLOCKS - 1)) / sqrt(2.0 * (BLOCKS - 1)) < 4);
	ck_quick(twice > 50); /* 256 of 256 that never repeat would be the other order */
	load_free(&load);
}
END_TEST

/* Each direction starts at multiples of its own smallest size, as in fio. */
START_TEST(test_alignment)
{
	for (int repeats = 0; repeats < 2; repeats++) {
		struct load_spec spec = spec_of(R | W, 4 * K, 4 * K);
		size_t aligned = 0, writes = 0;
		struct load load;

		spec.regions = (struct load_region[]){ { 0, 64 << 20 } };
		spec.random = true;
		spec.repeats = repeats;
		spec.bs_min[IOJOB_WRITE] = 16 * K;
		spec.bs_max[IOJOB_WRITE] = 32 * K;
		load = load_of(&spec);
		draw(&load, sequence, 1000, BATCH); /* a part of a pass: there is room enough */
		for (int i = 0; i < 1000; i++) {
			writes += sequence[i].op == IOJOB_WRITE;
			aligned += sequence[i].op == IOJOB_WRITE
				   && sequence[i].offset % (16 * K) == 0;
		}
		ck_assert_uint_gt(writes, 400);
		ck_assert_uint_ge(aligned, repeats ? writes : writes * 7 / 10);
		load_free(&load);
	}
}
END_TEST

/* ---- limits -------------------------------------------------------------------------------- */

static const struct {
	uint64_t bs_max; /* bs_min is 4k */
	uint64_t bytes;
	uint64_t ios;
	size_t expected; /* I/Os; 0: as many as make up bytes */
} limits[] = {
	{ 4 * K, 64 * K, UINT64_MAX, 16 },
	{ 4 * K, 10 * K, UINT64_MAX, 3 }, /* the last one passes it */
	{ 4 * K, 1, UINT64_MAX, 1 },
	{ 4 * K, 0, UINT64_MAX, 0 },
	{ 4 * K, UINT64_MAX, 7, 7 },
	{ 4 * K, 64 * K, 7, 7 },
	{ 4 * K, 16 * K, 7, 4 },
	{ 4 * K, 64 * K, 0, 0 },
	{ 4 * K, 5 * 1024 * K, UINT64_MAX, 1280 }, /* five passes */
	{ 16 * K, 64 * K, 2, 2 },
	{ 16 * K, 300 * K, UINT64_MAX, 0 },
	{ 16 * K, 301 * K, UINT64_MAX, 0 },
	{ 16 * K, 5000 * K, UINT64_MAX, 0 },
	{ 16 * K, 0, UINT64_MAX, 0 },
};

START_TEST(test_limits)
{
	struct load_spec spec = spec_of(R | W, 4 * K, limits[_i].bs_max);
	uint64_t bytes = 0;
	struct load load;
	size_t n;

	spec.random = _i % 2;
	load = load_of(&spec);
	load_limit(&load, limits[_i].bytes, limits[_i].ios);
	n = draw(&load, sequence, MANY, (unsigned)_i % 3 + 1);
	for (size_t i = 0; i < n; i++) {
		ck_quick(bytes < limits[_i].bytes);
		bytes += sequence[i].len;
	}
	if (limits[_i].expected || !limits[_i].bytes || !limits[_i].ios)
		ck_quick(n == limits[_i].expected);
	else
		ck_quick(bytes >= limits[_i].bytes);
	/* A new limit counts from there. */
	load_limit(&load, UINT64_MAX, 3);
	ck_quick(draw(&load, sequence, MANY, 1) == 3);
	load_limit(&load, UINT64_MAX, UINT64_MAX);
	ck_quick(draw(&load, sequence, MANY, BATCH) == MANY);
	load_free(&load);
}
END_TEST

/* ---- syncs --------------------------------------------------------------------------------- */

static const struct {
	unsigned fsync_every;
	unsigned fdatasync_every;
	const char *order; /* of 16 writes: w, f, d */
} syncs[] = {
	{ 1, 0, "wfwfwfwfwfwfwfwfwfwfwfwfwfwfwfwf" },
	{ 0, 1, "wdwdwdwdwdwdwdwdwdwdwdwdwdwdwdwd" },
	{ 5, 0, "wwwwwfwwwwwfwwwwwfw" },
	{ 16, 0, "wwwwwwwwwwwwwwwwf" },
	{ 17, 0, "wwwwwwwwwwwwwwww" },
	{ 4, 3, "wwwdwfwwdwwfwdwwwfwwwdwf" }, /* the order that fio's strace shows */
	{ 2, 2, "wwfwwfwwfwwfwwfwwfwwfwwf" },
};

START_TEST(test_syncs)
{
	for (unsigned nfiles = 1; nfiles <= 3; nfiles++) {
		struct load_spec spec = spec_of(W, 4 * K, 4 * K);
		const char *p = syncs[_i].order;
		struct load load;
		size_t n;

		spec.regions = (struct load_region[]){ { 0, 128 * K }, { 0, 128 * K },
			{ 0, 128 * K } };
		spec.nfiles = nfiles;
		spec.fsync_every = syncs[_i].fsync_every;
		spec.fdatasync_every = syncs[_i].fdatasync_every;
		load = load_of(&spec);
		load_limit(&load, 64 * K, 16); /* syncs are not counted */
		n = draw(&load, sequence, MANY, nfiles);
		ck_assert_uint_eq(n, strlen(p));
		for (size_t i = 0; i < n; i++, p++) {
			ck_assert_int_eq(sequence[i].op, *p == 'w'   ? IOJOB_WRITE
							 : *p == 'f' ? IOJOB_FSYNC
								     : IOJOB_FDATASYNC);
			/* It goes to the file that was written just before. */
			ck_assert(*p == 'w' || sequence[i].file == sequence[i - 1].file);
		}
		load_free(&load);
	}
}
END_TEST

/* Reads of a mixed job do not count. */
START_TEST(test_syncs_mixed)
{
	struct load_spec spec = spec_of(R | W, 4 * K, 4 * K);
	unsigned writes = 0, found = 0;
	struct load load;

	spec.random = true;
	spec.fsync_every = 3;
	load = load_of(&spec);
	draw(&load, sequence, 10000, BATCH);
	for (int i = 0; i < 10000; i++) {
		if (sequence[i].op == IOJOB_FSYNC) {
			ck_quick(writes == 3);
			ck_quick(sequence[i - 1].op == IOJOB_WRITE);
			writes = 0;
			found++;
		}
		writes += sequence[i].op == IOJOB_WRITE;
		ck_quick(writes <= 3);
	}
	ck_quick(found > 1000);
	load_free(&load);
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------- */

static const struct {
	bool random;
	bool repeats;
	uint64_t bs_min;
	uint64_t bs_max;
	uint64_t write_bs; /* 0: as the reads */
	uint64_t length;
	uint64_t bytes;
} maps[] = {
	{ true, false, 4 * K, 4 * K, 0, UINT64_C(1) << 40, 0 },
	{ true, false, 512, 512, 0, UINT64_C(1) << 50, 0 },
	{ true, true, 4 * K, 64 * K, 0, UINT64_C(1) << 40, 0 },
	{ false, false, 4 * K, 64 * K, 0, UINT64_C(1) << 40, 0 },
	{ true, false, 4 * K, 64 * K, 0, UINT64_C(1) << 30, 32 * K },
	{ true, false, 4 * K, 4 * K, 64 * K, UINT64_C(1) << 30, 32 * K },
	{ true, false, 4 * K, 4 * K, 6 * K, UINT64_C(1) << 30, 64 * K },
	{ true, false, 4 * K, 64 * K, 0, 4 * K, 8 },
	{ true, false, 4 * K, 64 * K, 0, 65 * 4 * K, 16 },
};

START_TEST(test_map_bytes)
{
	struct load_spec spec = spec_of(R | W, maps[_i].bs_min, maps[_i].bs_max);

	if (maps[_i].write_bs)
		spec.bs_min[IOJOB_WRITE] = spec.bs_max[IOJOB_WRITE] = maps[_i].write_bs;
	spec.regions = (struct load_region[]){ { 0, maps[_i].length } };
	spec.random = maps[_i].random;
	spec.repeats = maps[_i].repeats;
	ck_assert_uint_eq(load_map_bytes(&spec), maps[_i].bytes);
	spec.regions = (struct load_region[]){ { 0, maps[_i].length }, { 0, maps[_i].length } };
	spec.nfiles = 2;
	ck_assert_uint_eq(load_map_bytes(&spec), 2 * maps[_i].bytes);
}
END_TEST

static int by_offset(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* A tebibyte of 4k blocks works without a map, and reaches all parts of it. */
START_TEST(test_tebibyte)
{
	struct load_spec spec = spec_of(R, 4 * K, 4 * K);
	uint64_t tib = UINT64_C(1) << 40;
	struct load load;

	spec.random = true;
	spec.regions = (struct load_region[]){ { 4 * K, tib } };
	load = load_of(&spec);
	ck_assert_ptr_null(load.files[0].map);
	ck_quick(draw(&load, sequence, MANY, BATCH) == MANY);
	qsort(sequence, MANY, sizeof(sequence[0]), by_offset);
	for (int i = 1; i < MANY; i++)
		ck_quick(sequence[i - 1].offset < sequence[i].offset);
	ck_quick(sequence[0].offset < tib / 1000);
	ck_quick(sequence[MANY - 1].offset > tib - tib / 1000);
	load_free(&load);
}
END_TEST

/* ---- the rest ------------------------------------------------------------------------------ */

/* Layout: files one after the other, in the largest blocks, and each byte of odd sizes. */
START_TEST(test_largest)
{
	static const struct load_region regions[] = { { 0, 3 * 1024 * K + 1 }, { 1000, 777 },
		{ 5, 1 }, { 64 * K, 2 * 1024 * K } };
	struct load_spec spec = spec_of(W, 1, 1024 * K);
	uint64_t total = 0;
	struct load load;
	size_t n, at = 0;

	spec.in_turn = spec.largest = true;
	spec.regions = regions;
	spec.nfiles = ROWS(regions);
	load = load_of(&spec);
	for (int f = 0; f < ROWS(regions); f++)
		total += regions[f].length;
	load_limit(&load, total, UINT64_MAX);
	n = draw(&load, sequence, MANY, 3);
	for (uint32_t f = 0; f < (uint32_t)ROWS(regions); f++) {
		uint64_t next = regions[f].offset, end = next + regions[f].length;

		for (; next < end; next += sequence[at++].len) {
			ck_assert_uint_lt(at, n);
			ck_assert_uint_eq(sequence[at].file, f);
			ck_assert_uint_eq(sequence[at].offset, next);
			ck_assert_uint_eq(sequence[at].len,
					end - next < 1024 * K ? end - next : 1024 * K);
		}
		ck_assert_uint_eq(next, end);
	}
	ck_assert_uint_eq(at, n);
	load_free(&load);
}
END_TEST

/* Where the caller chooses directions, each shape does as it says. */
START_TEST(test_direct)
{
	const struct shape *shape = &shapes[_i];
	struct load_spec spec = spec_of_shape(shape);

	for (int single = 0; single < 2; single++) {
		struct load load;

		spec.single = single;
		load = load_of(&spec);
		ck_assert_int_eq(load.mixed, shape->ops == (R | W));
		if (load.mixed)
			load_direct(&load);
		for (int i = 0; i < 1000 && shape->ops == (R | W); i++) {
			struct drawn io;

			load.op = i % 3 ? IOJOB_READ : IOJOB_WRITE;
			io = one(&load);
			if (is_sync(&io))
				io = one(&load);
			ck_quick(io.op == load.op);
		}
		load_free(&load);
	}
}
END_TEST

static const struct {
	bool random;
	bool repeats;
	uint64_t bs_max;
	uint64_t length;
	int r;
} fits[] = {
	{ false, false, 4 * K, 4 * K, 0 },
	{ false, false, 4 * K, 4 * K - 1, -EINVAL },
	{ false, false, 64 * K, 4 * K, 0 },
	{ false, false, 64 * K, 4 * K - 1, -EINVAL },
	{ true, false, 4 * K, 4 * K, 0 },
	{ true, false, 4 * K, 4 * K - 1, -EINVAL },
	{ true, true, 4 * K, 4 * K, 0 },
	{ true, true, 4 * K, 4 * K - 1, -EINVAL },
	{ true, true, 64 * K, 4 * K, 0 },
	{ true, false, 64 * K, 4 * K, 0 },
	{ true, false, 64 * K, 0, -EINVAL },
};

/* A region of one block is that block, again and again; less than one is an error. */
START_TEST(test_fits)
{
	struct load_spec spec = spec_of(R, 4 * K, fits[_i].bs_max);
	struct load load;

	spec.random = fits[_i].random;
	spec.repeats = fits[_i].repeats;
	spec.regions = (struct load_region[]){ { 8 * K, fits[_i].length }, { 0, 100 } };
	spec.nfiles = 2;
	ck_assert_int_eq(load_init(&load, &spec), fits[_i].r);
	if (fits[_i].r)
		return;
	for (int i = 0; i < 10; i++) {
		struct drawn io = one(&load);

		ck_assert_uint_eq(io.file, 0);
		ck_assert_uint_eq(io.offset, 8 * K);
		ck_assert_uint_eq(io.len, 4 * K);
	}
	load_free(&load);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workload");
	TCase *tc = tcase_create("workload");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_every_block, 0, ONCE);
	tcase_add_loop_test(tc, test_inside, 0, ROWS(shapes));
	tcase_add_loop_test(tc, test_same_seed, 0, ROWS(shapes));
	tcase_add_test(tc, test_sequential);
	tcase_add_loop_test(tc, test_turns, 0, ROWS(turns));
	tcase_add_test(tc, test_mixed_positions);
	tcase_add_loop_test(tc, test_mix, 0, ROWS(shares));
	tcase_add_test(tc, test_sizes);
	tcase_add_test(tc, test_repeats);
	tcase_add_test(tc, test_alignment);
	tcase_add_loop_test(tc, test_limits, 0, ROWS(limits));
	tcase_add_loop_test(tc, test_syncs, 0, ROWS(syncs));
	tcase_add_test(tc, test_syncs_mixed);
	tcase_add_loop_test(tc, test_map_bytes, 0, ROWS(maps));
	tcase_add_test(tc, test_tebibyte);
	tcase_add_test(tc, test_largest);
	tcase_add_loop_test(tc, test_direct, 0, ROWS(shapes));
	tcase_add_loop_test(tc, test_fits, 0, ROWS(fits));
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
