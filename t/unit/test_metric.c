// SPDX-License-Identifier: MIT
/* core/result/metric: what a name means, and what it comes to. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/result/metric.h"
#include "unit.h"

/* Reads: 100 I/Os of 4 KiB in a second, 1 us each; writes: 300 of 8 KiB, 5 us each. */
static struct result_job job(void)
{
	struct result_job j = { .cpu_user_ns = 3000, .cpu_sys_ns = 1000, .rw = strdup("rw") };

	for (int d = 0; d < 2; d++) {
		struct result_dir *dir = &j.dir[d];

		dir->ios = d ? 300 : 100;
		dir->bytes = dir->ios * (d ? 8192 : 4096);
		dir->runtime_ns = 1000000000;
		ck_assert_int_eq(dist_add(&dir->clat, d ? 5000 : 1000, dir->ios), 0);
	}
	return j;
}

START_TEST(values)
{
	static const struct {
		const char *name;
		double value;
		enum metric_unit unit;
		bool larger;
	} rows[] = {
		{ "bw", 100 * 4096 + 300 * 8192, METRIC_BYTES_PER_S, true },
		{ "read.bw", 100 * 4096, METRIC_BYTES_PER_S, true },
		{ "iops", 400, METRIC_PER_S, true },
		{ "write.iops", 300, METRIC_PER_S, true },
		{ "lat_mean", 4000, METRIC_NS, false },
		{ "read.lat_mean", 1000, METRIC_NS, false },
		{ "lat_max", 5000, METRIC_NS, false },
		{ "p20", 1000, METRIC_NS, false },
		{ "p25.1", 5000, METRIC_NS, false },
		{ "write.p100", 5000, METRIC_NS, false },
		{ "cpu", 10, METRIC_NS_PER_IO, false },
		{ "transactions", (double)NAN, METRIC_TRANSACTIONS_PER_S, true },
		{ "trim.bw", (double)NAN, METRIC_BYTES_PER_S, true },
		{ "trim.p50", (double)NAN, METRIC_NS, false },
	};
	struct result_job j = job();
	struct metric m;
	struct err err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double value;

		ck_assert_int_eq(metric_parse(&m, rows[i].name, &err), 0);
		ck_assert_str_eq(m.name, rows[i].name);
		value = metric_of(&m, &j);
		if (isnan(rows[i].value))
			ck_assert_msg(isnan(value), "%s", rows[i].name);
		else /* a percentile is within its bucket, 1/128 */
			ck_assert_double_eq_tol(value, rows[i].value, rows[i].value / 128);
		ck_assert_int_eq(metric_unit(&m), rows[i].unit);
		ck_assert_int_eq(metric_larger_is_better(&m), rows[i].larger);
	}
	ck_assert_int_eq(metric_parse(&m, "transactions", &err), 0);
	free(j.rw);
	j.rw = strdup("postmark");
	j.postmark.transactions = 600;
	j.postmark.phase_ns[RESULT_TRANSACTIONS] = 2000000000;
	ck_assert_double_eq(metric_of(&m, &j), 300);
	j.error = 5;
	ck_assert_int_eq(metric_parse(&m, "bw", &err), 0);
	ck_assert(isnan(metric_of(&m, &j)));
	result_job_free(&j);
}
END_TEST

START_TEST(refused)
{
	static const char *const names[] = {
		"", "bandwidth", "p", "p0", "p101", "p99x", "read.", "readbw", "read.cpu", "BW",
		"read.transactions",
		"p999999999999999999999999999999999999999999999999",
	};
	struct metric m;
	struct err err;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert_int_eq(metric_parse(&m, names[i], &err), -EINVAL);
		ck_assert_ptr_nonnull(strstr(err.text, "lat_mean"));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metric");
	TCase *tcase = tcase_create("metric");

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, values);
	tcase_add_test(tcase, refused);
	return unit_run(suite);
}
