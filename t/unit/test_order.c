// SPDX-License-Identifier: MIT
/*
 * The orders of core/load/load.c that are not plain, held against fio 3.33. The offsets were taken
 * from what
 *
 *	fio --name=a --filename=f --ioengine=psync --bs=4k --write_iolog=LOG ...
 *
 * wrote with the options that stand with each of them, in KiB.
 */
#include "unit.h"

#include <string.h>

#include "../../core/load/load.h"

#define N(table) (sizeof(table) / sizeof((table)[0]))
#define K 1024

enum {
	R = IOJOB_OP_BIT(IOJOB_READ),
	W = IOJOB_OP_BIT(IOJOB_WRITE),
	MOST = 40,
	END = -1, /* of a list of offsets */
};

static struct iojob_file file;
static struct iojob_file *const files[] = { &file };

/* One that is not mixed has no lot to draw: the same offsets, I/O by I/O. */
static const struct {
	const char *fio;
	uint64_t size;
	uint64_t offset;
	int64_t step;
	struct load_zones zones;
	uint64_t bs;
	int kib[MOST];
} sequences[] = {
	{
		"rw=read:4k size=64k", 64 * K, 0, 4 * K, { 0 }, 4 * K,
		{ 0, 8, 16, 24, 32, 40, 48, 56, 0, 8, 16, 24, 32, 40, 48, 56, END },
	},
	{
		"rw=read:-8k size=64k", 64 * K, 0, -8 * K, { 0 }, 4 * K,
		{ 0, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0, END },
	},
	{
		"rw=read:-8k size=64k io_size=100k", 64 * K, 0, -8 * K, { 0 }, 4 * K,
		{ 0, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0, 56, 52, 48, 44, 40,
		  36, 32, 28, 24, END },
	},
	{
		"rw=read:-4k size=64k", 64 * K, 0, -4 * K, { 0 }, 4 * K,
		{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END },
	},
	{
		"rw=read:-12k size=64k", 64 * K, 0, -12 * K, { 0 }, 4 * K,
		{ 0, 52, 44, 36, 28, 20, 12, 4, 52, 44, 36, 28, 20, 12, 4, 52, END },
	},
	{
		"rw=read:-6k size=64k", 64 * K, 0, -6 * K, { 0 }, 4 * K,
		{ 0, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, END },
	},
	{
		"rw=read:-8k size=66k", 66 * K, 0, -8 * K, { 0 }, 4 * K,
		{ 0, 58, 54, 50, 46, 42, 38, 34, 30, 26, 22, 18, 14, 10, 6, 2, 58, END },
	},
	{
		"rw=write:12k size=64k", 64 * K, 0, 12 * K, { 0 }, 4 * K,
		{ 0, 16, 32, 48, 0, 16, 32, 48, 0, 16, 32, 48, 0, 16, 32, 48, END },
	},
	/* Here fio ends, since at 63k no block fits any more. */
	{
		"rw=read:3k size=64k", 64 * K, 0, 3 * K, { 0 }, 4 * K,
		{ 0, 7, 14, 21, 28, 35, 42, 49, 56, END },
	},
	{
		"zonesize=8k zoneskip=8k", 64 * K, 0, 0, { 8 * K, 8 * K, 8 * K }, 4 * K,
		{ 0, 4, 16, 20, 32, 36, 48, 52, 0, 4, 16, 20, 32, 36, 48, 52, END },
	},
	{
		"zonesize=8k", 64 * K, 0, 0, { 8 * K, 8 * K, 0 }, 4 * K,
		{ 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, END },
	},
	{
		"zonesize=8k zonerange=16k", 64 * K, 0, 0, { 8 * K, 16 * K, 0 }, 4 * K,
		{ 0, 4, 16, 20, 32, 36, 48, 52, 0, 4, 16, 20, 32, 36, 48, 52, END },
	},
	{
		"zonesize=16k zonerange=8k", 64 * K, 0, 0, { 16 * K, 8 * K, 0 }, 4 * K,
		{ 0, 4, 0, 4, 8, 12, 8, 12, 16, 20, 16, 20, 24, 28, 24, 28, END },
	},
	{
		"zonesize=16k zonerange=8k zoneskip=8k", 64 * K, 0, 0, { 16 * K, 8 * K, 8 * K },
		4 * K,
		{ 0, 4, 0, 4, 16, 20, 16, 20, 32, 36, 32, 36, 48, 52, 48, 52, END },
	},
	{
		"zonesize=6k zoneskip=8k", 64 * K, 0, 0, { 6 * K, 6 * K, 8 * K }, 4 * K,
		{ 0, 4, 14, 18, 28, 32, 42, 46, 56, 60, 0, 4, 14, 18, 28, 32, END },
	},
	{
		"zonesize=2k zoneskip=6k", 64 * K, 0, 0, { 2 * K, 2 * K, 6 * K }, 4 * K,
		{ 0, 8, 16, 24, 32, 40, 48, 56, 0, 8, 16, 24, 32, 40, 48, 56, END },
	},
	{
		"zonesize=24k zoneskip=16k", 64 * K, 0, 0, { 24 * K, 24 * K, 16 * K }, 4 * K,
		{ 0, 4, 8, 12, 16, 20, 40, 44, 48, 52, 56, 60, 0, 4, 8, 12, END },
	},
	{
		"zonesize=8k zoneskip=8k offset=16k", 64 * K, 16 * K, 0, { 8 * K, 8 * K, 8 * K },
		4 * K,
		{ 16, 20, 32, 36, 48, 52, 64, 68, 16, 20, 32, 36, 48, 52, 64, 68, END },
	},
	{
		"zonesize=8k zoneskip=8k offset=16k filesize=128k", 112 * K, 16 * K, 0,
		{ 8 * K, 8 * K, 8 * K }, 4 * K,
		{ 16, 20, 32, 36, 48, 52, 64, 68, 80, 84, 96, 100, 112, 116, 16, 20, END },
	},
	{
		"zonesize=128k zonerange=8k zoneskip=8k", 64 * K, 0, 0, { 128 * K, 8 * K, 8 * K },
		4 * K,
		{ 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, END },
	},
	/* Here fio ends, in a zone that the end of the file cut short. */
	{
		"zonesize=8k zoneskip=12k", 64 * K, 0, 0, { 8 * K, 8 * K, 12 * K }, 4 * K,
		{ 0, 4, 20, 24, 40, 44, 60, END },
	},
};

static struct load load_of(const struct load_spec *spec)
{
	struct load load;

	ck_assert_int_eq(load_init(&load, spec), 0);
	return load;
}

static struct load_spec spec_of(unsigned ops, uint64_t bs, const struct load_region *region)
{
	return (struct load_spec){
		.seed = 1,
		.ops = ops,
		.read_percent = 50,
		.regions = region,
		.nfiles = 1,
		.files = files,
		.bs_min = { bs, bs, bs },
		.bs_max = { bs, bs, bs },
	};
}

/* As the workers ask: batches and single I/Os give the same. */
static void draw(struct load *load, struct iojob_io *to, unsigned n, unsigned batch)
{
	struct iojob_io *ios[MOST];

	for (unsigned i = 0; i < n; i += batch) {
		unsigned want = n - i < batch ? n - i : batch;

		for (unsigned j = 0; j < want; j++)
			ios[j] = &to[i + j];
		ck_assert_uint_eq(load->next(load, ios, want), want);
	}
}

START_TEST(test_sequences)
{
	struct load_region region = { sequences[_i].offset, sequences[_i].size };
	struct load_spec spec = spec_of(_i & 1 ? R : W, sequences[_i].bs, &region);
	unsigned n = 0;

	while (sequences[_i].kib[n] != END)
		n++;
	for (int d = 0; d < LOAD_DIRS; d++)
		spec.step[d] = sequences[_i].step;
	spec.zones = sequences[_i].zones;
	for (unsigned batch = 1; batch <= 3; batch += 2) {
		struct load load = load_of(&spec);
		struct iojob_io ios[MOST];

		draw(&load, ios, n, batch);
		for (unsigned i = 0; i < n; i++) {
			ck_assert_msg(ios[i].offset == (uint64_t)sequences[_i].kib[i] * K,
					"%s: I/O %u is at %lluk", sequences[_i].fio, i,
					(unsigned long long)ios[i].offset / K);
			ck_assert_uint_eq(ios[i].len, 4 * K);
			ck_assert_uint_eq(ios[i].op, _i & 1 ? IOJOB_READ : IOJOB_WRITE);
		}
		load_free(&load);
	}
}
END_TEST

/* And where fio would have ended: it goes round. */
START_TEST(test_goes_round)
{
	static const struct {
		uint64_t size;
		int64_t step;
		struct load_zones zones;
		unsigned skip; /* what fio does, too */
		int kib[5];
	} table[] = {
		{ 64 * K, 3 * K, { 0 }, 9, { 0, 7, 14, 21, 28 } },
		{ 66 * K, 4 * K, { 0 }, 8, { 0, 8, 16, 24, 32 } },
		{ 64 * K, -2 * K, { 0 }, 31, { 0, 2, 4, 6, 8 } },
		{ 64 * K, 0, { 8 * K, 8 * K, 12 * K }, 7, { 0, 4, 20, 24, 40 } },
		{ 30 * K, 0, { 8 * K, 8 * K, 4 * K }, 5, { 0, 4, 12, 16, 24 } },
		{ 26 * K, 0, { 8 * K, 8 * K, 4 * K }, 4, { 0, 4, 12, 16, 0 } },
	};

	for (size_t t = 0; t < N(table); t++) {
		struct load_region region = { 0, table[t].size };
		struct load_spec spec = spec_of(R, 4 * K, &region);
		struct iojob_io ios[MOST];
		struct load load;

		spec.step[0] = table[t].step;
		spec.zones = table[t].zones;
		load = load_of(&spec);
		draw(&load, ios, table[t].skip + 5, 1);
		for (unsigned i = 0; i < 5; i++)
			ck_assert_msg(ios[table[t].skip + i].offset / K
						== (uint64_t)table[t].kib[i], "row %zu, I/O %u", t,
					i);
		load_free(&load);
	}
}
END_TEST

/* ---- mixes and runs ------------------------------------------------------------------------ */

/* fio's draws are not ours: what follows from them by rule is the same. */
struct io {
	char op; /* 'r', 'w' */
	uint64_t offset;
};

/* "r0 w8": fio's log in KiB. */
static unsigned parse(const char *text, struct io *to)
{
	unsigned n = 0;

	for (; *text; text += strcspn(text, " "), text += strspn(text, " "))
		to[n++] = (struct io){ *text, strtoull(text + 1, NULL, 10) * K };
	return n;
}

static unsigned ours(const struct load_spec *spec, struct io *to, unsigned n)
{
	struct load load = load_of(spec);
	struct iojob_io ios[MOST];

	draw(&load, ios, n, 1);
	for (unsigned i = 0; i < n; i++)
		to[i] = (struct io){ ios[i].op == IOJOB_READ ? 'r' : 'w', ios[i].offset };
	load_free(&load);
	return n;
}

/* Each direction steps on its own. */
static void check_steps(const char *who, const struct io *ios, unsigned n, int64_t step)
{
	int64_t end[2] = { 0, 0 };

	for (unsigned i = 0; i < n; i++) {
		int64_t *at = &end[ios[i].op == 'w'], want = *at ? *at + step : 0;

		if (want < 0)
			want = 64 * K + step;
		if (want >= 64 * K)
			want = 0;
		ck_assert_msg(ios[i].offset == (uint64_t)want, "%s: I/O %u", who, i);
		*at = want + 4 * K;
	}
}

/* Both begin each zone at its start. */
static void check_zones(const char *who, const struct io *ios, unsigned n, uint64_t size)
{
	uint64_t pos[2] = { 0, 0 }, zone = 0, done = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t *at = &pos[ios[i].op == 'w'];

		if (done == size) {
			zone = zone + size + 8 * K >= 64 * K ? 0 : zone + size + 8 * K;
			done = pos[0] = pos[1] = 0;
		}
		ck_assert_msg(ios[i].offset == zone + *at, "%s: I/O %u", who, i);
		*at += 4 * K;
		done += 4 * K;
	}
}

/* Of each three I/Os one is drawn; with `identical` the others repeat it, else they follow. */
static void check_runs(const char *who, const struct io *ios, unsigned n, bool identical)
{
	uint64_t start[2] = { 0, 0 }, end[2] = { 0, 0 };
	unsigned jumps = 0;

	for (unsigned i = 0; i < n; i++) {
		int op = ios[i].op == 'w';
		uint64_t want = identical ? start[op] : end[op];

		if (i % 3 == 0) {
			jumps += ios[i].offset != want;
			start[op] = ios[i].offset;
		} else if (want < 128 * K) {
			ck_assert_msg(ios[i].offset == want, "%s: I/O %u", who, i);
		}
		ck_assert_uint_eq(ios[i].offset % (4 * K), 0);
		ck_assert_uint_lt(ios[i].offset, 128 * K);
		end[op] = ios[i].offset + 4 * K;
	}
	ck_assert_msg(jumps >= n / 3 - 3, "%s: %u jumps", who, jumps);
}

START_TEST(test_mixed_steps)
{
	static const struct {
		int64_t step;
		const char *fio;
	} table[] = {
		{ 4 * K, "r0 r8 r16 w0 r24 r32 w8 w16 w24 r40 w32 r48 w40 r56 r0 r8" },
		{ -8 * K, "r0 r56 r52 w0 r48 r44 w56 w52 w48 r40 w44 r36 w40 r32 r28 r24" },
	};

	for (size_t t = 0; t < N(table); t++) {
		struct load_region region = { 0, 64 * K };
		struct load_spec spec = spec_of(R | W, 4 * K, &region);
		struct io ios[MOST];

		check_steps("fio", ios, parse(table[t].fio, ios), table[t].step);
		spec.step[0] = spec.step[1] = table[t].step;
		check_steps("iojob", ios, ours(&spec, ios, MOST), table[t].step);
	}
}
END_TEST

START_TEST(test_mixed_zones)
{
	static const struct {
		uint64_t size;
		const char *fio;
	} table[] = {
		{ 8 * K, "r0 r4 r16 w16 r32 r36 w48 w52 w0 r0 w16 r16 w32 r32 r48 r52" },
		{ 16 * K, "r0 r4 r8 w0 r24 r28 w24 w28 w48 r48 w52 r52 w0 r0 r4 r8" },
	};

	for (size_t t = 0; t < N(table); t++) {
		struct load_region region = { 0, 64 * K };
		struct load_spec spec = spec_of(R | W, 4 * K, &region);
		struct io ios[MOST];

		check_zones("fio", ios, parse(table[t].fio, ios), table[t].size);
		spec.zones = (struct load_zones){ table[t].size, table[t].size, 8 * K };
		check_zones("iojob", ios, ours(&spec, ios, MOST), table[t].size);
	}
}
END_TEST

START_TEST(test_runs)
{
	static const struct {
		bool identical;
		unsigned ops;
		const char *fio; /* size=128k, rw=randread:3 or randrw:3 */
	} table[] = {
		{ false, R, "r4 r8 r12 r92 r96 r100 r104 r108 r112 r60 r64 r68 r48 r52 r56 r108 "
			    "r112 r116 r52 r56 r60 r44 r48 r52 r116 r120 r124 r8 r12 r16 r112 "
			    "r116" },
		{ true, R, "r4 r4 r4 r92 r92 r92 r104 r104 r104 r60 r60 r60 r48 r48 r48 r108 r108 "
			   "r108 r52 r52 r52 r44 r44 r44 r116 r116 r116 r8 r8 r8 r112 r112" },
		{ false, R | W, "r4 r8 r12 w92 r16 r20 w104 w108 w112 r60 w116 r64 w48 r68 r72 "
				"r108 w52 w56 r52 r56 w60 w44 w48 w52 r116 w56 r120 w8 w12 w16 "
				"w112 r124" },
		{ true, R | W, "r4 r4 r4 w92 r4 r4 w104 w104 w104 r60 w104 r60 w48 r60 r60 r108 "
			       "w48 w48 r52 r52 w48 w44 w44 w44 r116 w44 r116 w8 w8 w8 w112 "
			       "r116" },
	};

	for (size_t t = 0; t < N(table); t++) {
		struct load_region region = { 0, 128 * K };
		struct load_spec spec = spec_of(table[t].ops, 4 * K, &region);
		struct io ios[MOST];

		check_runs("fio", ios, parse(table[t].fio, ios), table[t].identical);
		spec.random = true;
		spec.run = 3;
		spec.identical = table[t].identical;
		for (int repeats = 0; repeats < 2; repeats++) {
			spec.repeats = repeats;
			check_runs("iojob", ios, ours(&spec, ios, MOST), table[t].identical);
		}
	}
}
END_TEST

/* Drawn offsets do not come twice in a pass, whatever lies between them. */
START_TEST(test_runs_visit)
{
	struct load_region region = { 0, 64 * K };
	struct load_spec spec = spec_of(R, 4 * K, &region);
	unsigned seen = 0;
	struct load load;

	spec.random = spec.identical = true;
	spec.run = 2;
	load = load_of(&spec);
	for (unsigned i = 0; i < 32; i++) {
		struct iojob_io io, *one = &io;

		ck_assert_uint_eq(load.next(&load, &one, 1), 1);
		seen |= i % 2 ? 0 : 1u << io.offset / (4 * K);
	}
	ck_assert_uint_eq(seen, 0xffff);
	load_free(&load);
}
END_TEST

/*
 * fio with rw=randread zonesize=16k zoneskip=16k: 0 8 12 4 36 44 40 32 76 64 68 72 ...; each block
 * of a zone once, zone after zone.
 */
START_TEST(test_random_zones)
{
	for (int kind = 0; kind < 3; kind++) {
		struct load_region region = { 0, 128 * K };
		struct load_spec spec = spec_of(R, 4 * K, &region);
		struct load load;

		spec.random = true;
		spec.repeats = kind == 1;
		spec.bs_max[0] = kind == 2 ? 8 * K : 4 * K;
		spec.zones = (struct load_zones){ 16 * K, 16 * K, 16 * K };
		load = load_of(&spec);
		for (unsigned zone = 0; zone < 8; zone++) {
			unsigned seen = 0;
			uint64_t done = 0;

			while (done < 16 * K) {
				struct iojob_io io, *one = &io;

				ck_assert_uint_eq(load.next(&load, &one, 1), 1);
				ck_assert_uint_eq(io.offset / (32 * K), zone % 4);
				for (uint64_t at = 0; at < io.len; at += 4 * K)
					seen |= 1u << (io.offset + at) % (32 * K) / (4 * K);
				done += io.len;
			}
			ck_assert(spec.repeats ? !(seen & ~0xfu) : seen == 0xf);
		}
		load_free(&load);
	}
}
END_TEST

/* Syncs between the writes do not count as I/Os of a run or a zone. */
START_TEST(test_with_syncs)
{
	static const int kib[] = { 0, 4, -1, 16, 20, -1, 32, 36, -1, 48 };
	struct load_region region = { 0, 64 * K };
	struct load_spec spec = spec_of(W, 4 * K, &region);
	struct iojob_io ios[N(kib)];
	struct load load;

	spec.zones = (struct load_zones){ 8 * K, 8 * K, 8 * K };
	spec.fsync_every = 2;
	load = load_of(&spec);
	load_limit(&load, 28 * K, UINT64_MAX);
	draw(&load, ios, N(kib), 1);
	for (size_t i = 0; i < N(kib); i++) {
		ck_assert_uint_eq(ios[i].op, kib[i] < 0 ? IOJOB_FSYNC : IOJOB_WRITE);
		ck_assert(kib[i] < 0 || ios[i].offset == (uint64_t)kib[i] * K);
	}
	ck_assert(load_done(&load));
	load_free(&load);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("order");
	TCase *tc = tcase_create("order");

	tcase_add_loop_test(tc, test_sequences, 0, (int)N(sequences));
	tcase_add_test(tc, test_goes_round);
	tcase_add_test(tc, test_mixed_steps);
	tcase_add_test(tc, test_mixed_zones);
	tcase_add_test(tc, test_runs);
	tcase_add_test(tc, test_runs_visit);
	tcase_add_test(tc, test_random_zones);
	tcase_add_test(tc, test_with_syncs);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
