// SPDX-License-Identifier: MIT
/* PostMark's decisions: its generator, its text, and its counts to the last file. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../core/load/postmark.h"

/* ---- the generator ------------------------------------------------------------------------- */

START_TEST(test_generator)
{
	static const struct {
		uint32_t after; /* so many draws */
		uint32_t draws[5];
	} rows[] = {
		{ 0, { 4179544424u, 615236124u, 4165290828u, 3119652344u, 1623863471u } },
		{ 20000, { 4228792890u, 257796232u, 1953659083u } },
		{ 10485760, { 3157316675u, 1896817129u, 1702977762u } },
	};
	struct postmark_rng rng;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		postmark_seed(&rng, 42);
		for (uint32_t n = 0; n < rows[i].after; n++)
			postmark_draw(&rng);
		for (size_t n = 0; n < 5 && rows[i].draws[n]; n++)
			ck_assert_uint_eq(postmark_draw(&rng), rows[i].draws[n]);
	}
}
END_TEST

/* ---- counts -------------------------------------------------------------------------------- */

static const uint32_t weights[] = { 1, 3 };

#define CONF(low, high, files, trans, bias_r, bias_c, subdirs, nlocs) { \
	.seed = 42, .size_low = (low), .size_high = (high), .number = (files), \
	.transactions = (trans), .bias_read = (bias_r), .bias_create = (bias_c), \
	.subdirectories = (subdirs), .weights = weights, .nlocations = (nlocs) }

struct counts {
	uint64_t done[POSTMARK_PHASES][POSTMARK_KINDS];
	uint64_t read;
	uint64_t written;
	uint64_t most; /* files at a time */
	struct postmark at; /* its end */
};

static void begin(struct postmark *p, const struct postmark_conf *conf, char *text)
{
	ck_assert_int_eq(postmark_init(p, conf), 0);
	while (postmark_text(p, text)) {
	}
}

static void play(struct counts *c, const struct postmark_conf *conf)
{
	struct postmark_op op;
	uint64_t files = 0;

	*c = (struct counts){ .most = 0 };
	begin(&c->at, conf, NULL);
	while (postmark_next(&c->at, &op)) {
		ck_quick(op.name && op.bytes && op.offset + op.bytes <= conf->size_high);
		ck_quick(op.location < conf->nlocations);
		ck_quick(op.dir < conf->subdirectories || !op.dir);
		c->done[op.phase][op.kind]++;
		if (op.kind == POSTMARK_READ)
			c->read += op.bytes;
		if (op.kind == POSTMARK_CREATE || op.kind == POSTMARK_APPEND)
			c->written += op.bytes;
		files += op.kind == POSTMARK_CREATE;
		files -= op.kind == POSTMARK_DELETE;
		if (files > c->most)
			c->most = files;
	}
	ck_assert_uint_eq(files, 0);
	ck_assert_uint_eq(c->at.used, 0);
	postmark_free(&c->at);
}

#define DOCUMENT(bias) CONF(5242880, 5242880, 500, 9000, bias, 5, 0, 1)
#define SMALL(bias) CONF(512, 512, 500, 9000, bias, 5, 0, 1)
#define DEFAULTS(trans, bias) CONF(500, 10000, 500, trans, 5, bias, 0, 1)
#define TWENTY(subdirs, nlocs) CONF(500, 10000, 20, 100, 5, 5, subdirs, nlocs)
#define TINY(files, trans, bias_r, bias_c) CONF(500, 10000, files, trans, bias_r, bias_c, 0, 1)

/* What PostMark 1.5 and 1.51 counted. */
static const struct {
	const char *what;
	struct postmark_conf conf;
	uint64_t created;
	uint64_t mixed;
	uint64_t read;
	uint64_t appended;
	uint64_t deleted_alone;
	uint64_t deleted_mixed;
	uint64_t bytes_read; /* 0: not known */
	uint64_t bytes_written;
} golden[] = {
	{
		"the document, bias read 10", DOCUMENT(10),
		5046, 4546, 9000, 0, 592, 4454, 47185920000, 26455572480,
	},
	{
		"the document, bias read 1", DOCUMENT(1),
		5046, 4546, 876, 0, 592, 4454, 4592762880, 26455572480,
	},
	{
		"512 bytes, bias read 10", SMALL(10),
		4940, 4440, 9000, 0, 380, 4560, 4608000, 2529280,
	},
	{
		"512 bytes, bias read 1", SMALL(1),
		4940, 4440, 870, 0, 380, 4560, 445440, 2529280,
	},
	{
		"defaults", DEFAULTS(500, 5),
		764, 264, 243, 257, 528, 236, 1430770, 4662068,
	},
	{
		"20 files", TWENTY(0, 1),
		74, 54, 54, 46, 28, 46, 365989, 505373,
	},
	{
		"subdirectories", TWENTY(10, 1),
		77, 57, 65, 35, 34, 43, 434653, 470790,
	},
	{
		"two locations with subdirectories", TWENTY(10, 2),
		76, 56, 44, 56, 32, 44, 323262, 508861,
	},
	{
		"two locations", TWENTY(0, 2),
		77, 57, 65, 35, 34, 43, 0, 0,
	},
	{
		"the table fills up", DEFAULTS(2000, 10),
		1000, 500, 1009, 990, 1000, 0, 6294299, 7097628,
	},
	{
		"no second half", DEFAULTS(2000, -1),
		500, 0, 997, 993, 500, 0, 6927133, 4139405,
	},
};

enum { GOLDEN = sizeof(golden) / sizeof(golden[0]) };

START_TEST(test_counts)
{
	const size_t i = (size_t)_i;
	struct counts c;

	play(&c, &golden[i].conf);
	ck_assert_uint_eq(c.done[POSTMARK_CREATION][POSTMARK_CREATE], golden[i].conf.number);
	ck_assert_uint_eq(c.done[POSTMARK_TRANSACTIONS][POSTMARK_CREATE], golden[i].mixed);
	ck_assert_uint_eq(golden[i].conf.number + golden[i].mixed, golden[i].created);
	ck_assert_uint_eq(c.done[POSTMARK_TRANSACTIONS][POSTMARK_READ], golden[i].read);
	ck_assert_uint_eq(c.done[POSTMARK_TRANSACTIONS][POSTMARK_APPEND], golden[i].appended);
	ck_assert_uint_eq(c.done[POSTMARK_DELETION][POSTMARK_DELETE], golden[i].deleted_alone);
	ck_assert_uint_eq(c.done[POSTMARK_TRANSACTIONS][POSTMARK_DELETE], golden[i].deleted_mixed);
	ck_assert_uint_eq(c.at.transactions, golden[i].conf.transactions);
	ck_assert(!c.at.dry && c.most <= 2 * golden[i].conf.number);
	if (golden[i].bytes_read) {
		ck_assert_uint_eq(c.read, golden[i].bytes_read);
		ck_assert_uint_eq(c.written, golden[i].bytes_written);
	}
}
END_TEST

/* The document's size: its 10 million draws and 19,000 operations take no time to speak of. */
START_TEST(test_fast)
{
	struct timespec a, b;
	struct counts c;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	play(&c, &golden[0].conf);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	ck_assert_double_lt((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9,
			getenv("IOJOB_SANITIZE") && *getenv("IOJOB_SANITIZE") ? 20 : 1);
}
END_TEST

/* ---- corners ------------------------------------------------------------------------------- */

START_TEST(test_text)
{
	const struct postmark_conf conf = DEFAULTS(500, 5);
	char text[10001] = "";
	struct postmark p;

	begin(&p, &conf, text);
	ck_assert_int_eq(strncmp(text, "LeZebJ6S5~qPv$C$", 16), 0);
	ck_assert_uint_eq(strlen(text), 10000);
	/* 20,000 draws, not 10,000. */
	ck_assert_uint_eq(postmark_draw(&p.rng), 4228792890u);
	postmark_free(&p);
}
END_TEST

/* Where PostMark divides by nothing, or ends without a word. */
START_TEST(test_few)
{
	for (uint64_t n = 0; n < 12; n++) {
		const struct postmark_conf conf = TINY(1, n, 5, 5);
		struct counts c;

		play(&c, &conf);
		ck_assert_uint_le(c.at.transactions, n);
		ck_assert_int_eq(c.at.dry, c.at.transactions < n);
		ck_assert_uint_ge(c.done[POSTMARK_CREATION][POSTMARK_CREATE], 1);
	}
}
END_TEST

START_TEST(test_out_of_files)
{
	const struct postmark_conf conf = TINY(5, 30, 5, 0);
	struct counts c;

	play(&c, &conf);
	ck_assert(c.at.dry);
	ck_assert_uint_eq(c.at.transactions, 5);
	ck_assert_uint_eq(c.done[POSTMARK_TRANSACTIONS][POSTMARK_DELETE], 5);
	ck_assert_uint_eq(c.done[POSTMARK_DELETION][POSTMARK_DELETE], 0);
}
END_TEST

START_TEST(test_full_table)
{
	const struct postmark_conf conf = TINY(5, 30, -1, 10);
	struct counts c;

	play(&c, &conf);
	ck_assert_uint_eq(c.most, 10);
	ck_assert_uint_eq(c.at.skipped, 25);
	ck_assert_uint_eq(c.at.transactions, 30);
}
END_TEST

/* Stopped anywhere, it deletes what is there, and nothing twice. */
START_TEST(test_stop)
{
	const struct postmark_conf conf = TWENTY(0, 1);

	for (unsigned stop = 0; stop < 150; stop += 7) {
		struct postmark_op op;
		struct postmark p;
		int files = 0;

		begin(&p, &conf, NULL);
		for (unsigned i = 0; postmark_next(&p, &op); i++) {
			if (i == stop)
				postmark_stop(&p);
			ck_assert(i <= stop || op.kind == POSTMARK_DELETE);
			files += op.kind == POSTMARK_CREATE;
			files -= op.kind == POSTMARK_DELETE;
		}
		ck_assert_int_eq(files, 0);
		postmark_free(&p);
	}
}
END_TEST

/* Files without number take more memory than there is: nothing is done, and nothing cleared up. */
START_TEST(test_no_memory)
{
	struct postmark_conf conf = DEFAULTS(500, 5);
	struct rlimit before, tight = { .rlim_cur = 1 << 30 };
	struct postmark_op op;
	struct postmark p;
	int r;

	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	tight.rlim_max = before.rlim_max;
	conf.number = 1 << 30;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &tight), 0);
	r = postmark_init(&p, &conf);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	ck_assert_int_eq(r, -ENOMEM);
	postmark_stop(&p);
	ck_assert(!postmark_next(&p, &op));
	postmark_free(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("postmark");
	TCase *tc = tcase_create("decisions");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, test_generator);
	tcase_add_loop_test(tc, test_counts, 0, GOLDEN);
	tcase_add_test(tc, test_fast);
	tcase_add_test(tc, test_text);
	tcase_add_test(tc, test_few);
	tcase_add_test(tc, test_out_of_files);
	tcase_add_test(tc, test_full_table);
	tcase_add_test(tc, test_stop);
	/* An allocator that is sanitized has address space of its own, and ends the program. */
	if (!getenv("IOJOB_SANITIZE") || !*getenv("IOJOB_SANITIZE"))
		tcase_add_test(tc, test_no_memory);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
