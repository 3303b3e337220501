// SPDX-License-Identifier: MIT
/*
 * core/measure/doctor: from which value on each doubt is one, and that the value next to it is
 * none. A healthy patient, whom nobody doubts, is changed in one place at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "../../core/measure/doctor.h"
#include "../../core/result/doubt.h"
#include "unit.h"

enum { SECOND = 1000000000, IOS = 100000 };
#define MIB (UINT64_C(1) << 20)

struct patient {
	struct result_job job;
	struct doctor_job seen;
	struct doctor_stage stage;
	struct result result; /* its only job is a copy of job */
};

/* Ten seconds of direct reads, 4 in flight, on an idle machine with two CPUs. */
static void healthy(struct patient *p)
{
	struct result_dir *read = &p->job.dir[0];

	memset(p, 0, sizeof(*p));
	p->job.rw = strdup("read");
	p->job.iodepth = 4;
	p->job.end = RESULT_END_RUNTIME;
	p->job.workers = 1;
	p->job.runtime_ns = p->job.elapsed_ns = UINT64_C(10) * SECOND;
	p->job.cpu_user_ns = SECOND;
	p->job.cpu_sys_ns = SECOND;
	read->ios = read->lat.n = read->slat.n = IOS;
	read->bytes = 1000 * MIB;
	read->lat.sum = UINT64_C(40) * SECOND;
	read->slat.sum = SECOND;
	p->seen = (struct doctor_job){
		.files = true,
		.device = true,
		.device_name = "vda",
		.direct_reads = { 1000 * MIB, 1000 * MIB },
		.read_region = 1000 * MIB,
		.asked_ns = 40.0 * SECOND,
	};
	p->stage = (struct doctor_stage){
		.elapsed_ns = UINT64_C(10) * SECOND,
		.cpu_ns = UINT64_C(20) * SECOND,
		.util_percent = 100,
		.other_device = "vda",
		.device_bytes = 1000 * MIB,
	};
	p->result.cost_execute_ns = 20;
	p->result.cost_submit_ns = 40;
	p->result.nrepeats = 0;
}

static void discharge(struct patient *p)
{
	p->result.jobs = NULL;
	p->result.njobs = 0;
	result_free(&p->result);
	result_job_free(&p->job);
}

/* Both judgements of the patient, all of it in the job's list. */
static void judge(struct patient *p)
{
	ck_assert_int_eq(doctor_judge(&p->job, &p->seen, &p->stage), 0);
	p->result.jobs = &p->job;
	p->result.njobs = 1;
	ck_assert_int_eq(doctor_judge_result(&p->result), 0);
}

static const struct result_doubt *find(const struct result_doubt *list, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i].id, id))
			return &list[i];
	}
	return NULL;
}

static const struct result_doubt *has(const struct patient *p, const char *id)
{
	const struct result_doubt *doubt = find(p->job.doubts, p->job.ndoubts, id);

	return doubt ? doubt : find(p->result.doubts, p->result.ndoubts, id);
}

START_TEST(health)
{
	struct patient p;

	healthy(&p);
	judge(&p);
	ck_assert_msg(p.job.ndoubts == 0, "%s", p.job.ndoubts ? p.job.doubts[0].evidence : "");
	ck_assert_uint_eq(doubt_open(&p.result), 0);
	ck_assert_ptr_nonnull(has(&p, "F2")); /* facts, all the same */
	ck_assert_ptr_nonnull(has(&p, "F3"));
	ck_assert_ptr_null(has(&p, "F1"));
	ck_assert_ptr_null(has(&p, "F4"));
	discharge(&p);
}
END_TEST

/* ---- one value more or less ---------------------------------------------------------------- */

static void lazy(struct patient *p)
{
	p->seen.lazy_bytes = 1000 * MIB;
	p->seen.buffered = true;
	p->seen.direct_reads = (struct doctor_flow){ 0, 0 };
	p->stage.writes = (struct doctor_flow){ 1000 * MIB, 1000 * MIB };
	p->stage.lazy = true;
}

static void direct_writes(struct patient *p)
{
	p->seen.direct_bytes = 1000 * MIB;
	p->stage.writes = (struct doctor_flow){ 1000 * MIB, 1000 * MIB };
}

static void buffered(struct patient *p)
{
	p->seen.buffered = true;
	p->seen.direct_reads = (struct doctor_flow){ 0, 0 };
	p->seen.cached_reads = (struct doctor_flow){ 1000 * MIB, 1000 * MIB };
}

static void cached(struct patient *p)
{
	buffered(p);
	p->seen.cached_reads.moved = 0;
}

static void blind(struct patient *p)
{
	buffered(p);
	p->seen.cached_reads.claimed = p->seen.cached_reads.moved = 0;
	p->seen.blind_region = 1000 * MIB;
}

static void odd(struct patient *p)
{
	p->seen.physical_bytes = 4096;
}

static void busy(struct patient *p)
{
	p->job.cpu_sys_ns = UINT64_C(17) * SECOND / 2;
	p->stage.util_percent = 89;
}

/* Three I/Os a second, each done in no time; then the mean lag is the mean response. */
static void paced(struct patient *p)
{
	struct result_dir *read = &p->job.dir[0];

	p->seen.paced = true;
	read->response.n = IOS;
	read->response.sum = read->lat.sum;
}

static void paced_slowly(struct patient *p)
{
	paced(p);
	p->job.runtime_ns = UINT64_C(400) * SECOND; /* 4 ms for each */
	p->job.dir[0].lat.sum = 0;
}

static void limited(struct patient *p)
{
	strcpy(p->stage.io_limit, "vda rbps 1048576");
}

static void powersave(struct patient *p)
{
	strcpy(p->stage.governor, "powersave");
	p->stage.khz_before = 1000000;
	p->stage.khz_after = 1000000;
}

static void submits(struct patient *p)
{
	p->job.dir[0].slat.sum = UINT64_C(6) * SECOND;
}

static void submits_and_copies(struct patient *p)
{
	submits(p);
	p->job.cpu_sys_ns = UINT64_C(6) * SECOND;
}

static void cached_and_busy(struct patient *p)
{
	busy(p);
	buffered(p);
	p->seen.cached_reads.moved = 0;
}

enum kind { U64, REAL, FLAG };

#define FIELD(member) offsetof(struct patient, member)

static const struct {
	const char *id;
	void (*prepare)(struct patient *p);
	enum kind kind;
	size_t field;
	double doubted;
	double fine;
} edges[] = {
	{ "C1", NULL, U64, FIELD(seen.hole_bytes), 50 * MIB, 50 * MIB - 1 },
	{ "C2", lazy, U64, FIELD(stage.writes.moved), 950 * MIB, 950 * MIB + 1 },
	{ "C2", lazy, U64, FIELD(seen.left_bytes), 50 * MIB, 50 * MIB - 1 },
	{ "C2", direct_writes, U64, FIELD(seen.lazy_bytes), -1, 0 },
	{ "C3", buffered, U64, FIELD(seen.cached_reads.moved), 950 * MIB, 950 * MIB + 1 },
	{ "C3", buffered, U64, FIELD(seen.cached_reads.moved), 0, 2000 * MIB },
	{ "C3", blind, U64, FIELD(seen.blind_cached), 50 * MIB, 50 * MIB - 1 },
	{ "C3", cached, FLAG, FIELD(seen.wants_cache), 0, 1 },
	{ "C4", NULL, U64, FIELD(seen.direct_reads.moved), 950 * MIB, 950 * MIB + 1 },
	{ "C4", direct_writes, U64, FIELD(stage.writes.moved), 950 * MIB, 950 * MIB + 1 },
	{ "C7", NULL, FLAG, FIELD(seen.memory), 1, 0 },
	{ "A2", odd, U64, FIELD(seen.odd_bytes), 512, 0 },
	{ "T1", NULL, U64, FIELD(job.elapsed_ns), 499999999, 500000000 },
	{ "T2", NULL, U64, FIELD(job.dir[0].lat.n), 999, 1000 },
	{ "G1", busy, U64, FIELD(job.cpu_user_ns), SECOND, SECOND - 1 },
	{ "G1", busy, REAL, FIELD(stage.util_percent), 89.9, 90 },
	{ "G1", busy, FLAG, FIELD(seen.polls), 0, 1 },
	{ "G1", busy, FLAG, FIELD(seen.paced), 0, 1 },
	{ "G1", busy, FLAG, FIELD(seen.device), 1, 0 },
	{ "G1", busy, FLAG, FIELD(seen.wants_cache), 0, 1 },
	{ "G1", cached_and_busy, U64, FIELD(seen.cached_reads.moved), 1000 * MIB, 0 },
	{ "G2", NULL, U64, FIELD(seen.cpu_wait_ns), SECOND / 2, SECOND / 2 - 1 },
	{ "G3", paced, U64, FIELD(job.dir[0].due), 1011, 1009 },
	{ "G3", paced_slowly, U64, FIELD(job.dir[0].response.sum), 800.0 * SECOND,
		799.9 * SECOND },
	{ "G3", paced, U64, FIELD(job.dir[0].response.sum), 60.0 * SECOND, 59.9 * SECOND },
	{ "G4", NULL, U64, FIELD(job.dir[0].slat.sum), 5.0 * SECOND, 4.9 * SECOND },
	{ "G4", submits, U64, FIELD(job.cpu_sys_ns), 1.9 * SECOND, 2.0 * SECOND },
	{ "G4", submits_and_copies, FLAG, FIELD(seen.buffered), 1, 0 },
	{ "G4", submits, FLAG, FIELD(seen.batches), 0, 1 },
	{ "G4", submits, FLAG, FIELD(seen.files), 1, 0 },
	{ "G4", NULL, REAL, FIELD(seen.punted), 0.2, 0.19 },
	{ "G5", NULL, U64, FIELD(job.dir[0].lat.sum), 19.9 * SECOND, 20.0 * SECOND },
	{ "G5", NULL, REAL, FIELD(seen.asked_ns), 80.1 * SECOND, 80.0 * SECOND },
	{ "L1", NULL, U64, FIELD(stage.other_user_ns), 2.0 * SECOND, 1.9 * SECOND },
	{ "L2", NULL, U64, FIELD(stage.other_read), 100 * MIB, 100 * MIB - 1 },
	{ "L2", NULL, U64, FIELD(stage.other_written), 100 * MIB, 100 * MIB - 1 },
	{ "L3", NULL, U64, FIELD(stage.steal_ns), 0.2 * SECOND, 0.19 * SECOND },
	{ "L4", NULL, REAL, FIELD(stage.memory_stall), 0.05, 0.049 },
	{ "M1", NULL, U64, FIELD(stage.cpu_throttled_ns), 0.1 * SECOND, 0.09 * SECOND },
	{ "M2", limited, REAL, FIELD(stage.io_limit_share), 0.8, 0.79 },
	{ "M3", buffered, U64, FIELD(stage.memory_hits), 1, 0 },
	{ "M4", powersave, U64, FIELD(stage.khz_after), 1100001, 1099999 },
	{ "M4", powersave, U64, FIELD(stage.khz_after), 899999, 900001 },
	{ "M5", NULL, U64, FIELD(stage.heat), 1, 0 },
	{ "O1", NULL, REAL, FIELD(result.clock_drift_ppm), -1001, 1000 },
	{ "O2", NULL, REAL, FIELD(result.cost_submit_ns), 10000, 9999 },
};

static void set(struct patient *p, enum kind kind, size_t field, double value)
{
	char *at = (char *)p + field;

	switch (kind) {
	case U64:
		*(uint64_t *)(void *)at = (uint64_t)value;
		break;
	case REAL:
		*(double *)(void *)at = value;
		break;
	case FLAG:
		*(bool *)(void *)at = value > 0;
		break;
	}
}

START_TEST(edge)
{
	const char *id = edges[_i].id;
	struct patient p;

	for (int doubted = 0; doubted < 2; doubted++) {
		double value = doubted ? edges[_i].doubted : edges[_i].fine;
		const struct result_doubt *doubt;

		if (value < 0 && edges[_i].kind == U64)
			continue; /* only the other way is of interest */
		healthy(&p);
		if (edges[_i].prepare)
			edges[_i].prepare(&p);
		set(&p, edges[_i].kind, edges[_i].field, value);
		judge(&p);
		doubt = has(&p, id);
		ck_assert_msg(!doubt == !doubted, "row %d, %s at %f: %s", _i, id, value,
				doubt ? doubt->evidence : "not seen");
		ck_assert_msg(!doubt || (doubt->evidence[0] && (doubt->fact || doubt->advice[0])),
				"%s", id);
		discharge(&p);
	}
}
END_TEST

/* What is a name where it is there, and empty where not. */
static const struct {
	const char *id;
	size_t field;
} names[] = {
	{ "C5", FIELD(seen.loop) },
	{ "C6", FIELD(seen.store) },
	{ "A1", FIELD(seen.partition) },
};

START_TEST(name)
{
	struct patient p;

	healthy(&p);
	strcpy((char *)&p + names[_i].field, "xyz7");
	judge(&p);
	ck_assert_ptr_nonnull(has(&p, names[_i].id));
	ck_assert_ptr_nonnull(strstr(has(&p, names[_i].id)->evidence, "xyz7"));
	ck_assert_uint_eq(p.job.ndoubts, 1);
	discharge(&p);
}
END_TEST

/* ---- what is not judged -------------------------------------------------------------------- */

static void nothing_moved(struct patient *p)
{
	p->seen.direct_reads.moved = 0;
	p->job.elapsed_ns = 1;
}

static void failed(struct patient *p)
{
	p->job.error = 5;
	p->job.end = RESULT_END_ERROR;
}

static void skipped(struct patient *p)
{
	p->job.skipped = strdup("no");
}

static void interrupted(struct patient *p)
{
	p->job.end = RESULT_END_INTERRUPTED;
}

static void never_ran(struct patient *p)
{
	p->job.elapsed_ns = 0;
}

static void (*const unjudged[])(struct patient *p) = {
	failed, skipped, interrupted, never_ran,
};

START_TEST(not_judged)
{
	struct patient p;

	healthy(&p);
	nothing_moved(&p);
	unjudged[_i](&p);
	judge(&p);
	ck_assert_uint_eq(p.job.ndoubts, 0);
	discharge(&p);
}
END_TEST

START_TEST(holes_explain)
{
	struct patient p;

	healthy(&p);
	p.seen.hole_bytes = p.seen.read_region;
	p.seen.direct_reads.moved = 0;
	judge(&p);
	ck_assert_uint_eq(p.job.ndoubts, 1);
	ck_assert_str_eq(p.job.doubts[0].id, "C1");
	discharge(&p);
}
END_TEST

/* A direct job beside a buffered one, whose writes are those that are missing. */
START_TEST(mixed_stage)
{
	struct patient p;

	healthy(&p);
	direct_writes(&p);
	p.stage.lazy = true;
	p.stage.writes.moved = 0;
	judge(&p);
	ck_assert_uint_eq(p.job.ndoubts, 0);
	discharge(&p);
}
END_TEST

/* Where percentile_list asks for one, it is what counts; without it p99 is. */
START_TEST(percentiles)
{
	static const struct {
		uint64_t n;
		double asked; /* 0: no list */
		bool few;
	} rows[] = {
		{ 9999, 99.9, true }, { 10000, 99.9, false }, { 9999, 0, false },
		{ 20, 50, false }, { 19, 50, true },
	};
	char key[] = "percentile_list", value[] = "x";
	struct result_option option = { key, value };
	struct patient p;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		healthy(&p);
		p.job.dir[0].lat.n = rows[i].n;
		p.job.percentiles[0] = rows[i].asked;
		p.job.npercentiles = 1;
		if (rows[i].asked > 0) {
			p.job.options = &option;
			p.job.noptions = 1;
		}
		judge(&p);
		ck_assert_msg(!has(&p, "T2") == !rows[i].few, "row %zu", i);
		p.job.options = NULL;
		p.job.noptions = 0;
		discharge(&p);
	}
}
END_TEST

START_TEST(course)
{
	static const struct {
		size_t n; /* whole samples */
		uint64_t bytes[8];
		bool warming;
		bool unsteady;
	} rows[] = {
		{ 6, { 100, 100, 100, 100, 100, 100 }, false, false },
		{ 6, { 79, 100, 100, 100, 100, 100 }, true, false },
		{ 6, { 121, 100, 100, 100, 100, 100 }, true, false },
		{ 6, { 81, 100, 100, 100, 100, 100 }, false, true },
		{ 6, { 90, 100, 100, 100, 100, 100 }, false, false },
		{ 3, { 10, 100, 100 }, true, false },
		{ 2, { 10, 100 }, false, false },
		{ 5, { 100, 100, 50, 100, 100 }, false, true },
		{ 5, { 10, 100, 50, 100, 100 }, false, true },
		{ 5, { 100, 98, 96, 92, 88 }, false, true }, /* it moves */
		{ 5, { 100, 90, 82, 90, 100 }, false, false },
		{ 4, { 100, 100, 50, 100 }, false, false },
		{ 5, { 0, 0, 0, 0, 0 }, false, true },
	};
	struct patient p;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result_series *series;

		healthy(&p);
		series = &p.job.dir[0].series;
		series->interval_ns = SECOND;
		series->n = rows[i].n + 1; /* and the end of the last one, cut short */
		series->bytes = calloc(series->n, sizeof(*series->bytes));
		series->ios = calloc(series->n, sizeof(*series->ios));
		memcpy(series->bytes, rows[i].bytes, rows[i].n * sizeof(*series->bytes));
		judge(&p);
		ck_assert_msg(!has(&p, "T4") == !rows[i].warming, "row %zu, T4", i);
		ck_assert_msg(!has(&p, "T3") == !rows[i].unsteady, "row %zu, T3", i);
		discharge(&p);
	}
}
END_TEST

/* Creating files is not a warm-up of what comes after it. */
START_TEST(phases)
{
	struct result_series *series;
	struct patient p;

	healthy(&p);
	free(p.job.rw);
	p.job.rw = strdup("postmark");
	series = &p.job.dir[0].series;
	series->interval_ns = SECOND;
	series->n = 7;
	series->bytes = calloc(series->n, sizeof(*series->bytes));
	series->ios = calloc(series->n, sizeof(*series->ios));
	for (size_t i = 1; i < series->n; i++)
		series->bytes[i] = 100;
	judge(&p);
	ck_assert_ptr_null(has(&p, "T3"));
	ck_assert_ptr_null(has(&p, "T4"));
	discharge(&p);
}
END_TEST

/* A synchronous engine has no depth, and no submit time; performance may move its frequency. */
START_TEST(not_asked)
{
	struct patient p;

	healthy(&p);
	p.job.sync_engine = true;
	p.job.dir[0].lat.sum = SECOND;
	p.job.dir[0].slat.sum = SECOND;
	strcpy(p.stage.governor, "performance");
	p.stage.khz_before = 1000000;
	p.stage.khz_after = 3000000;
	p.stage.memory_hits = 5; /* of no concern to direct I/O */
	judge(&p);
	ck_assert_msg(p.job.ndoubts == 0, "%s", p.job.ndoubts ? p.job.doubts[0].evidence : "");
	discharge(&p);
	healthy(&p);
	p.job.dir[0].lat.sum = SECOND;
	p.job.dir[0].slat.sum = SECOND;
	p.seen.batches = true;
	judge(&p);
	ck_assert_uint_eq(p.job.ndoubts, 0);
	discharge(&p);
}
END_TEST

START_TEST(facts)
{
	char governor[] = "cpu.governor", hypervisor[] = "host.hypervisor", value[] = "x";
	struct result_fact list[] = { { governor, value }, { hypervisor, value } };
	static const struct {
		size_t first;
		size_t n;
		bool virtual_machine;
		bool hidden;
	} rows[] = {
		{ 0, 0, false, false }, { 0, 1, false, false }, { 0, 2, true, false },
		{ 1, 1, true, true },
	};
	struct patient p;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		healthy(&p);
		p.result.facts = list + rows[i].first;
		p.result.nfacts = rows[i].n;
		judge(&p);
		ck_assert_int_eq(has(&p, "F1") != NULL, rows[i].virtual_machine);
		ck_assert_int_eq(has(&p, "F4") != NULL, rows[i].hidden);
		p.result.facts = NULL;
		p.result.nfacts = 0;
		discharge(&p);
	}
}
END_TEST

/* ---- groups -------------------------------------------------------------------------------- */

START_TEST(merge)
{
	struct doctor_job all = { .files = false };
	struct doctor_job a = {
		.files = true, .memory = true, .cached_reads = { 10, 1 }, .lazy_bytes = 3,
		.partition = "vda1", .partition_bytes = 512, .cpu_wait_ns = 5, .punted = 0.5,
		.asked_ns = 3,
	};
	struct doctor_job b = {
		.files = true, .device = true, .device_name = "vdb", .cached_reads = { 20, 2 },
		.partition = "vdb1", .partition_bytes = 1024, .odd_bytes = 512,
		.physical_bytes = 4096, .cpu_wait_ns = 6, .punted = 0.1, .paced = true,
		.asked_ns = 4,
	};

	doctor_job_merge(&all, &a);
	ck_assert(all.memory);
	doctor_job_merge(&all, &b);
	ck_assert(!all.memory && all.device && all.files && all.paced);
	ck_assert_uint_eq(all.cached_reads.claimed, 30);
	ck_assert_uint_eq(all.cached_reads.moved, 3);
	ck_assert_uint_eq(all.lazy_bytes, 3);
	ck_assert_str_eq(all.device_name, "vdb");
	ck_assert_str_eq(all.partition, "vda1");
	ck_assert_uint_eq(all.partition_bytes, 512);
	ck_assert_uint_eq(all.odd_bytes, 512);
	ck_assert_uint_eq(all.cpu_wait_ns, 11);
	ck_assert_double_eq(all.asked_ns, 7);
	ck_assert(all.punted > 0.4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doctor");
	TCase *tc = tcase_create("doctor");

	tcase_add_test(tc, health);
	tcase_add_loop_test(tc, edge, 0, sizeof(edges) / sizeof(edges[0]));
	tcase_add_loop_test(tc, name, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_loop_test(tc, not_judged, 0, sizeof(unjudged) / sizeof(unjudged[0]));
	tcase_add_test(tc, holes_explain);
	tcase_add_test(tc, mixed_stage);
	tcase_add_test(tc, percentiles);
	tcase_add_test(tc, course);
	tcase_add_test(tc, phases);
	tcase_add_test(tc, not_asked);
	tcase_add_test(tc, facts);
	tcase_add_test(tc, merge);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
