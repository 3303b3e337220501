// SPDX-License-Identifier: MIT
/* core/result/doubt: the table, lists of doubts, and which of them --strict counts. */
#include <errno.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/result/doubt.h"
#include "unit.h"

START_TEST(table)
{
	int n = 0;

	for (const struct doubt_kind *k = doubt_kinds; k->id; k++, n++) {
		ck_assert_int_eq(doubt_find(k->id), n);
		ck_assert_msg(isupper(k->id[0]) && isdigit(k->id[1]) && !k->id[2], "%s", k->id);
		ck_assert_msg(k->title[0] && k->title[strlen(k->title) - 1] != '.', "%s", k->id);
		ck_assert_msg(strlen(k->title) < 72, "%s", k->id);
		ck_assert_msg(k->meaning[strlen(k->meaning) - 1] == '.', "%s", k->id);
		ck_assert_msg(k->fact == !k->advice[0], "%s: a doubt says what helps", k->id);
		/* In the order in which they are reported: by subject, and counted from 1. */
		if (n && k->id[0] == k[-1].id[0])
			ck_assert_msg(k->id[1] > k[-1].id[1], "%s", k->id);
		else
			ck_assert_msg(k->id[1] == '1', "%s", k->id);
	}
	ck_assert_int_eq(n, DOUBT_NO_FREQUENCY + 1);
	ck_assert_int_eq(doubt_find("c3"), DOUBT_CACHED);
	ck_assert_int_eq(doubt_find("C"), -1);
	ck_assert_int_eq(doubt_find("C33"), -1);
	ck_assert_int_eq(doubt_find(""), -1);
}
END_TEST

START_TEST(add)
{
	struct result_job job = { .name = NULL };
	static const enum doubt order[] = {
		DOUBT_OTHER_CPU, DOUBT_CACHED, DOUBT_NO_DEVICE, DOUBT_HOLES, DOUBT_CACHED,
	};
	static const char *const ids[] = { "C1", "C3", "C7", "L1" };

	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(doubt_add(&job.doubts, &job.ndoubts, order[i], "%d", i), 0);
	ck_assert_uint_eq(job.ndoubts, 4);
	for (int i = 0; i < 4; i++) {
		ck_assert_str_eq(job.doubts[i].id, ids[i]);
		ck_assert_int_eq(job.doubts[i].fact, i == 2);
	}
	ck_assert_str_eq(job.doubts[1].evidence, "1"); /* the first one stays */
	ck_assert_str_eq(job.doubts[1].advice, doubt_kinds[DOUBT_CACHED].advice);
	result_job_free(&job);
}
END_TEST

/* A PostMark job has other keys, and only some doubts are helped by them. */
START_TEST(add_job)
{
	static const enum doubt kinds[] = { DOUBT_CACHED, DOUBT_OTHER_CPU };

	for (int postmark = 0; postmark < 2; postmark++) {
		struct result_job job = { .rw = strdup(postmark ? "postmark" : "read") };

		for (size_t i = 0; i < 2; i++) {
			const char *other = postmark ? doubt_postmark_advice(kinds[i]) : NULL;

			ck_assert_int_eq(!other, !postmark || i == 1);
			ck_assert_int_eq(doubt_add_job(&job, kinds[i], "%zu", i), 0);
			ck_assert_str_eq(job.doubts[i].advice,
					other ? other : doubt_kinds[kinds[i]].advice);
		}
		ck_assert_uint_eq(job.ndoubts, 2);
		ck_assert_str_eq(job.doubts[1].evidence, "1");
		ck_assert(!postmark || !strstr(job.doubts[0].advice, "invalidate"));
		result_job_free(&job);
	}
}
END_TEST

START_TEST(check_ids)
{
	static const struct {
		const char *ids;
		const char *wrong; /* NULL: none */
	} rows[] = {
		{ "C1", NULL }, { "c1,T2", NULL }, { "C1,", "``" }, { "", "``" }, { "X1", "`X1`" },
		{ "C1,C", "`C`" }, { "C1 ,T1", "`C1 `" }, { "F1", "`F1`" }, { "C1;T1", "`C1;T1`" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err err = { "" };
		int r = doubt_check_ids("--accept: ", rows[i].ids, &err);

		if (!rows[i].wrong) {
			ck_assert_int_eq(r, 0);
			continue;
		}
		ck_assert_int_eq(r, -EINVAL);
		ck_assert_msg(strstr(err.text, rows[i].wrong) && strstr(err.text, "--accept: ")
				&& strstr(err.text, " C1 ") && !strstr(err.text, " F1"), "%s",
				err.text);
	}
}
END_TEST

/* A result with one doubt of the run, a fact, and doubts in jobs: once, or twice in repeats. */
static void fill(struct result *result, size_t repeats)
{
	struct result_job *jobs = calloc(2, sizeof(*jobs));

	for (int i = 0; i < 2; i++) {
		doubt_add(&jobs[i].doubts, &jobs[i].ndoubts, DOUBT_CACHED, "x");
		doubt_add(&jobs[i].doubts, &jobs[i].ndoubts, DOUBT_NO_DEVICE, "x");
	}
	*result = (struct result){ .version = NULL };
	doubt_add(&result->doubts, &result->ndoubts, DOUBT_CLOCK, "x");
	doubt_add(&result->doubts, &result->ndoubts, DOUBT_ONE_RUN, "x");
	if (!repeats) {
		result->jobs = jobs;
		result->njobs = 2;
		return;
	}
	result->repeats = calloc(1, sizeof(*result->repeats));
	result->nrepeats = 1;
	result->repeats[0].jobs = jobs;
	result->repeats[0].njobs = 2;
	result->jobs = malloc(sizeof(*jobs));
	result->jobs[0] = jobs[0]; /* a view */
	result->njobs = 1;
}

START_TEST(accept)
{
	for (size_t repeats = 0; repeats < 2; repeats++) {
		struct result result;

		fill(&result, repeats);
		ck_assert_uint_eq(doubt_open(&result), 3);
		doubt_accept(&result, "T1");
		ck_assert_uint_eq(doubt_open(&result), 3);
		doubt_accept(&result, "T1,c3");
		ck_assert_uint_eq(doubt_open(&result), 1);
		ck_assert(result.jobs[0].doubts[0].accepted);
		ck_assert(!result.jobs[0].doubts[1].accepted);
		doubt_accept(&result, "O1");
		ck_assert_uint_eq(doubt_open(&result), 0);
		result_free(&result);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doubt");
	TCase *tc = tcase_create("doubt");

	tcase_add_test(tc, table);
	tcase_add_test(tc, add);
	tcase_add_test(tc, add_job);
	tcase_add_test(tc, check_ids);
	tcase_add_test(tc, accept);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
