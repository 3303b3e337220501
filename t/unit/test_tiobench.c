// SPDX-License-Identifier: MIT
/* tiotest's layout, byte for byte, with the figures of two real runs of it; and what is ours. */
#include <stdlib.h>
#include <string.h>

#include "../../output/output.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_assert_ptr_nonnull(s);
	return s;
}

static struct result_job *job_add(struct result *result, const char *name, const char *rw)
{
	struct result_job *job = &result->jobs[result->njobs++];

	*job = (struct result_job){
		.file = copy("x.ini"), .description = copy(""),
		.name = copy(name), .section = copy(name),
		.engine = copy("psync"), .rw = copy(rw), .error_text = copy(""),
		.workers = 4, .grouped = true, .stage = (unsigned)result->njobs,
		.elapsed_ns = 1000000000, .phase_ns = 1000000000,
	};
	return job;
}

static void begin(struct result *result)
{
	*result = (struct result){ .jobs = calloc(16, sizeof(struct result_job)) };
	ck_assert_ptr_nonnull(result->jobs);
}

static char *print(const struct result *result)
{
	static const struct output_options none = { .nmetrics = 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(output_tiobench(to, result, &none), 0);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

static void check_print(struct result *result, const char *want)
{
	char *text = print(result);

	ck_assert_msg(!strcmp(text, want), "%s\ninstead of\n%s", text, want);
	free(text);
	result_free(result);
}

#define ck_says(text, what) ck_assert_msg(strstr(text, what), "no \"%s\" in\n%s", what, text)

/* A row as it was printed: the rate gives the time, the shares their times. */
static void add_phase(struct result *result, const char *name, const char *rw, uint64_t ios,
		double rate, double user, double sys, double mean_ms, double max_ms, uint64_t over)
{
	struct result_job *job = job_add(result, name, rw);
	struct result_dir *dir = &job->dir[strstr(rw, "write") != NULL];

	dir->ios = ios;
	dir->bytes = ios * 4096;
	job->phase_ns = job->elapsed_ns = (uint64_t)((double)dir->bytes / 1048576 / rate * 1e9);
	job->cpu_user_ns = (uint64_t)((double)job->phase_ns * user / 100);
	job->cpu_sys_ns = (uint64_t)((double)job->phase_ns * sys / 100);
	dir->clat.n = ios;
	dir->clat.sum = (uint64_t)(mean_ms * 1e6 * (double)ios + 0.5);
	dir->clat.min = 1000;
	dir->clat.max = (uint64_t)(max_ms * 1e6 + 0.5);
	job->nthresholds = 2;
	job->thresholds_ns[0] = 2000000000;
	job->thresholds_ns[1] = 10000000000;
	dir->above[0] = over;
}

static const char old_kernel[] =
	"Tiotest results for 4 concurrent io threads:\n"
	",----------------------------------------------------------------------.\n"
	"| Item                  | Time     | Rate         | Usr CPU  | Sys CPU |\n"
	"+-----------------------+----------+--------------+----------+---------+\n"
	"| Write          40 MBs |    9.7 s |   4.135 MB/s |   0.3 %  |   3.9 % |\n"
	"| Random Write   16 MBs |   27.3 s |   0.573 MB/s |   0.0 %  |   0.4 % |\n"
	"| Read           40 MBs |    1.7 s |  23.597 MB/s |   0.6 %  |  14.2 % |\n"
	"| Random Read    16 MBs |    4.0 s |   3.879 MB/s |   0.7 %  |   4.5 % |\n"
	"`----------------------------------------------------------------------'\n"
	"Tiotest latency results:\n"
	",-------------------------------------------------------------------------.\n"
	"| Item         | Average latency | Maximum latency | % >2 sec | % >10 sec |\n"
	"+--------------+-----------------+-----------------+----------+-----------+\n"
	"| Write        |        0.618 ms |     1449.211 ms |  0.00000 |   0.00000 |\n"
	"| Random Write |        0.100 ms |       61.018 ms |  0.00000 |   0.00000 |\n"
	"| Read         |        0.158 ms |       59.913 ms |  0.00000 |   0.00000 |\n"
	"| Random Read  |        1.561 ms |      484.705 ms |  0.00000 |   0.00000 |\n"
	"|--------------+-----------------+-----------------+----------+-----------|\n"
	"| Total        |        0.512 ms |     1449.211 ms |  0.00000 |   0.00000 |\n"
	"`--------------+-----------------+-----------------+----------+-----------'\n";

static const char new_kernel[] =
	"Tiotest results for 4 concurrent io threads:\n"
	",----------------------------------------------------------------------.\n"
	"| Item                  | Time     | Rate         | Usr CPU  | Sys CPU |\n"
	"+-----------------------+----------+--------------+----------+---------+\n"
	"| Write          40 MBs |    8.9 s |   4.509 MB/s |   0.4 %  |   6.2 % |\n"
	"| Random Write   16 MBs |   19.5 s |   0.802 MB/s |   0.0 %  |   1.4 % |\n"
	"| Read           40 MBs |    7.9 s |   5.090 MB/s |   0.3 %  |   4.9 % |\n"
	"| Random Read    16 MBs |   37.3 s |   0.419 MB/s |   0.1 %  |   1.2 % |\n"
	"`----------------------------------------------------------------------'\n"
	"Tiotest latency results:\n"
	",-------------------------------------------------------------------------.\n"
	"| Item         | Average latency | Maximum latency | % >2 sec | % >10 sec |\n"
	"+--------------+-----------------+-----------------+----------+-----------+\n"
	"| Write        |        2.144 ms |     3340.874 ms |  0.02930 |   0.00000 |\n"
	"| Random Write |        7.420 ms |     8241.095 ms |  0.10000 |   0.00000 |\n"
	"| Read         |        2.526 ms |      534.798 ms |  0.00000 |   0.00000 |\n"
	"| Random Read  |       35.709 ms |      131.234 ms |  0.00000 |   0.00000 |\n"
	"|--------------+-----------------+-----------------+----------+-----------|\n"
	"| Total        |        7.737 ms |     8241.095 ms |  0.02458 |   0.00000 |\n"
	"`--------------+-----------------+-----------------+----------+-----------'\n";

START_TEST(test_layout)
{
	struct result result;

	begin(&result);
	add_phase(&result, "Write", "write", 10240, 4.135, 0.3, 3.9, 0.618, 1449.211, 0);
	add_phase(&result, "Random Write", "randwrite", 4000, 0.573, 0, 0.4, 0.1, 61.018, 0);
	add_phase(&result, "Read", "read", 10240, 23.597, 0.6, 14.2, 0.158, 59.913, 0);
	add_phase(&result, "Random Read", "randread", 4000, 3.879, 0.7, 4.5, 1.561, 484.705, 0);
	check_print(&result, old_kernel);

	begin(&result);
	add_phase(&result, "Write", "write", 10240, 4.509, 0.4, 6.2, 2.144, 3340.874, 3);
	add_phase(&result, "Random Write", "randwrite", 4000, 0.802, 0, 1.4, 7.42, 8241.095, 4);
	add_phase(&result, "Read", "read", 10240, 5.09, 0.3, 4.9, 2.526, 534.798, 0);
	add_phase(&result, "Random Read", "randread", 4000, 0.419, 0.1, 1.2, 35.709, 131.234, 0);
	check_print(&result, new_kernel);
}
END_TEST

/* A figure or a name that does not fit makes its column wider, and nothing else moves. */
START_TEST(test_wide)
{
	struct result result;
	struct result_job *job;

	begin(&result);
	add_phase(&result, "Write", "write", 10240, 4.135, 0.3, 3.9, 0.618, 1449.211, 0);
	add_phase(&result, "R\xc3\xa9" "ad of the whole", "read", 100000, 12345.678, 1234.5,
			98765.4, 123456789.125, 1234567890.5, 100000);
	job = &result.jobs[0];
	job->thresholds_ns[0] = result.jobs[1].thresholds_ns[0] = 1500000;
	job->thresholds_ns[1] = result.jobs[1].thresholds_ns[1] = 3600000000000;
	check_print(&result,
	"Tiotest results for 4 concurrent io threads:\n"
	",-------------------------------------------------------------------------------.\n"
	"| Item                      | Time     | Rate           | Usr CPU   | Sys CPU   |\n"
	"+---------------------------+----------+----------------+-----------+-----------+\n"
	"| Write              40 MBs |    9.7 s |     4.135 MB/s |    0.3 %  |     3.9 % |\n"
	"| R\xc3\xa9" "ad of the whole 391 MBs |    0.0 s | 12345.678 MB/s | 1234.5 %  | "
	"98765.4 % |\n"
	"`-------------------------------------------------------------------------------'\n"
	"Tiotest latency results:\n"
	",-------------------------------------------------------------------------------------."
	"\n"
	"| Item              | Average latency  | Maximum latency   | % >1500 us | % >3600 sec |"
	"\n"
	"+-------------------+------------------+-------------------+------------+-------------+"
	"\n"
	"| Write             |         0.618 ms |       1449.211 ms |    0.00000 |     0.00000 |"
	"\n"
	"| R\xc3\xa9" "ad of the whole | 123456789.125 ms | 1234567890.500 ms |  100.00000 |"
	"     0.00000 |\n"
	"|-------------------+------------------+-------------------+------------+-------------|"
	"\n"
	"| Total             | 111989104.851 ms | 1234567890.500 ms |   90.71118 |     0.00000 |"
	"\n"
	"`-------------------+------------------+-------------------+------------+-------------'"
	"\n");
}
END_TEST

/* Workers that are results of their own are one row: the longest time, everything else added. */
START_TEST(test_workers)
{
	struct result result;
	char *text;

	begin(&result);
	for (unsigned i = 0; i < 2; i++) {
		add_phase(&result, "Read", "read", 5120, 20, 10, 20, 1, 2 + i, 1);
		result.jobs[i].workers = 1;
		result.jobs[i].grouped = false;
		result.jobs[i].stage = 0;
		result.jobs[i].phase_ns += i * 1000000000;
	}
	/* With other workers or other thresholds it is another pair of tables. */
	add_phase(&result, "Lone", "read", 512, 20, 10, 20, 1, 2, 0);
	result.jobs[2].workers = 1;
	add_phase(&result, "Plain", "read", 512, 20, 10, 20, 1, 2, 0);
	result.jobs[3].workers = 1;
	result.jobs[3].nthresholds = 0;
	memset(result.jobs[3].thresholds_ns, 0, sizeof(result.jobs[3].thresholds_ns));
	text = print(&result);
	/* 2 s, in which 40 MB were read; CPU time of 2 x 0.1 and 2 x 0.2 s. */
	ck_says(text, "| Read           40 MBs |    2.0 s |  20.000 MB/s |  10.0 %  |  20.0 % |\n");
	ck_says(text, "| Read         |        1.000 ms |        3.000 ms |  0.01953 |   0.00000 |"
			"\n");
	ck_says(text, "results for 2 concurrent");
	ck_says(text, "-'\n\nTiotest results for 1 concurrent io threads:\n,-");
	ck_says(text, "| Lone            2 MBs |");
	ck_says(text, "| Plain        |        1.000 ms |        2.000 ms |\n|----");
	free(text);
	result_free(&result);
}
END_TEST

static void axis_add(struct result_job *job, const char *label)
{
	job->axes = realloc(job->axes, (job->naxes + 1) * sizeof(*job->axes));
	ck_assert_ptr_nonnull(job->axes);
	job->axes[job->naxes++] = (struct result_axis){ copy("x"), copy(label) };
}

/* Points of a vary and directions are rows of their own. */
START_TEST(test_labels)
{
	struct result result;
	char *text;

	begin(&result);
	for (int i = 0; i < 2; i++) {
		add_phase(&result, "mix", "randrw", 256, 1, 0, 0, 1, 2, 0);
		result.jobs[i].dir[1] = result.jobs[i].dir[0];
		result.jobs[i].stage = 0;
		axis_add(&result.jobs[i], i ? "8k" : "4\nk");
	}
	text = print(&result);
	ck_says(text, "| mix, 4?k read   1 MBs |");
	ck_says(text, "| mix, 4?k write  1 MBs |");
	ck_says(text, "| mix, 8k read    1 MBs |");
	ck_says(text, "| mix, 8k write  |  ");
	free(text);
	result_free(&result);
}
END_TEST

START_TEST(test_below)
{
	struct result result;
	struct result_job *job;
	char *text;

	begin(&result);
	add_phase(&result, "Write", "write", 10240, 20, 0, 0, 1, 2, 0);
	result.jobs[0].end_sync_ns = 500000000;
	add_phase(&result, "Read", "read", 10240, 20, 0, 0, 1, 2, 0);
	job = job_add(&result, "Gone", "read");
	job->skipped = copy("no such engine");
	job = job_add(&result, "Bad", "read");
	job->end = RESULT_END_ERROR;
	job->elapsed_ns = 0;
	free(job->error_text);
	job->error_text = copy("read of 4096 bytes: Input/output error");
	job = job_add(&result, "Late", "read");
	job->end = RESULT_END_INTERRUPTED;
	job->elapsed_ns = 0;
	text = print(&result);
	ck_says(text, "-'\nFsync, which is in the time and in no latency:\n"
		",-----------------------------------------.\n"
		"| Item         | At the end | Of the time |\n"
		"+--------------+------------+-------------+\n"
		"| Write        |    0.500 s |      25.0 % |\n"
		"`-----------------------------------------'\n"
		"Gone: no such engine\nBad: read of 4096 bytes: Input/output error\n"
		"Late: not run\n");
	free(text);
	/* Some in between. */
	result.jobs[0].syncs = 4;
	result.jobs[0].sync.n = 4;
	result.jobs[0].sync.sum = 10000000;
	result.jobs[0].sync.max = 7000000;
	text = print(&result);
	ck_says(text, "| Item         | At the end | Of the time | In between | Average    | "
			"Maximum      |\n");
	ck_says(text, "| Write        |    0.500 s |      25.0 % |          4 |   2.500 ms | "
			"    7.000 ms |\n");
	free(text);
	/* Nothing ran: no table of nothing. */
	for (size_t i = 0; i < 2; i++)
		result.jobs[i].elapsed_ns = 0;
	check_print(&result, "No table: no job has run.\nWrite: not run\nRead: not run\n"
			"Gone: no such engine\nBad: read of 4096 bytes: Input/output error\n"
			"Late: not run\n");
}
END_TEST

static void doubt_add(struct result_doubt **doubts, size_t *n, const char *id, bool fact,
		bool accepted, const char *advice)
{
	*doubts = realloc(*doubts, (*n + 1) * sizeof(**doubts));
	ck_assert_ptr_nonnull(*doubts);
	(*doubts)[(*n)++] = (struct result_doubt){ copy(id), fact, accepted, copy("seen"),
			copy(advice) };
}

/* Doubts, none that is accepted; facts of a job (its files are in memory), none of the whole. */
START_TEST(test_doubts)
{
	struct result result;
	struct result_job *job;
	char *text;

	begin(&result);
	add_phase(&result, "Read", "read", 10240, 20, 0, 0, 1, 2, 0);
	job = &result.jobs[0];
	doubt_add(&job->doubts, &job->ndoubts, "C3", false, false, "do this");
	doubt_add(&job->doubts, &job->ndoubts, "C4", false, true, "do this");
	doubt_add(&job->doubts, &job->ndoubts, "C7", true, false, "");
	doubt_add(&result.doubts, &result.ndoubts, "F1", true, false, "");
	doubt_add(&result.doubts, &result.ndoubts, "O1", false, false, "");
	text = print(&result);
	ck_says(text, "-'\nRead: note C3: seen: do this\nRead: fact C7: seen\n"
			"All: note O1: seen\n");
	free(text);
	result_free(&result);
}
END_TEST

/* A row has one note of a kind, however many workers and repeats it stands for. */
START_TEST(test_doubts_of_workers)
{
	struct result result;
	char *text;

	begin(&result);
	for (int i = 0; i < 3; i++) {
		struct result_job *job;

		add_phase(&result, "Read", "read", 10240, 20, 0, 0, 1, 2, 0);
		job = &result.jobs[i];
		job->stage = 0;
		if (i)
			doubt_add(&job->doubts, &job->ndoubts, "C3", false, false, "");
		doubt_add(&job->doubts, &job->ndoubts, "T1", false, false, "");
	}
	axis_add(&result.jobs[0], "4k");
	axis_add(&result.jobs[1], "4k");
	axis_add(&result.jobs[2], "4k");
	text = print(&result);
	ck_says(text, "-'\nRead, 4k: note T1: seen\nRead, 4k: note C3 in 2 of 3 workers: seen\n");
	free(text);
	/* The third one is alone, and the first two were repeated. */
	result.jobs[2].axes[0].label[0] = '8';
	result.nrepeats = 2;
	result.repeats = calloc(2, sizeof(*result.repeats));
	ck_assert_ptr_nonnull(result.repeats);
	result.repeats[0] = (struct result_repeat){ .jobs = result.jobs, .njobs = 3 };
	result.repeats[1] = (struct result_repeat){
		.jobs = calloc(3, sizeof(struct result_job)), .njobs = 3,
	};
	ck_assert_ptr_nonnull(result.repeats[1].jobs);
	doubt_add(&result.repeats[1].jobs[0].doubts, &result.repeats[1].jobs[0].ndoubts, "L1",
			false, false, "");
	result.repeats[1].jobs[2].end = RESULT_END_ERROR;
	text = print(&result);
	ck_says(text, "Read, 8k: note C3 in 1 of 2 runs: seen\nRead, 8k: note T1 in 1 of 2 runs: "
			"seen\nRead, 8k: 1 of 2 repeats failed\n");
	ck_says(text, "Read, 4k: note T1 in 2 of 4 runs: seen\n"
			"Read, 4k: note C3 in 1 of 4 runs: seen\n"
			"Read, 4k: note L1 in 1 of 4 runs: seen\n"
			"Read, 8k: note C3 in 1 of 2 runs: seen\n");
	free(text);
	result.jobs = NULL;
	result_free(&result);
}
END_TEST

/* What two job files have alike is told apart by them. */
START_TEST(test_files)
{
	struct result result;
	char *text;

	begin(&result);
	add_phase(&result, "Read", "read", 10240, 20, 0, 0, 1, 2, 0);
	add_phase(&result, "Read", "read", 10240, 20, 0, 0, 1, 2, 0);
	result.jobs[1].file[0] = 'y';
	doubt_add(&result.jobs[1].doubts, &result.jobs[1].ndoubts, "C3", false, false, "");
	text = print(&result);
	ck_says(text, "| Read of x.ini  40 MBs |");
	ck_says(text, "| Read of y.ini  40 MBs |");
	ck_says(text, "-'\nRead of y.ini: note C3: seen\n");
	free(text);
	result_free(&result);
}
END_TEST

/* Nothing at all, and a phase of no length. */
START_TEST(test_nothing)
{
	struct result result;
	char *text;

	begin(&result);
	check_print(&result, "No table: no job has run.\n");
	begin(&result);
	job_add(&result, "Read", "read");
	text = print(&result);
	ck_says(text, "| Read            0 MBs |    1.0 s |   0.000 MB/s |   0.0 %  |   0.0 % |\n");
	ck_says(text, "| Total        |               - |               - |\n");
	free(text);
	result_free(&result);
}
END_TEST

/* I/Os without a latency, as PostMark's, are none of 0 ms, and thin no mean. */
START_TEST(test_untimed)
{
	struct result result;
	char *text;

	begin(&result);
	add_phase(&result, "Read", "read", 1000, 1, 0, 0, 2, 10, 100);
	add_phase(&result, "Mail", "write", 1000, 1, 0, 0, 2, 10, 0);
	result.jobs[1].dir[1].clat = (struct dist){ .n = 0 };
	text = print(&result);
	ck_says(text, "| Read         |        2.000 ms |       10.000 ms | 10.00000 |");
	ck_says(text, "| Mail         |               - |               - |        - |");
	ck_says(text, "| Total        |        2.000 ms |       10.000 ms | 10.00000 |");
	free(text);
	result_free(&result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tiobench");
	TCase *tcase = tcase_create("tiobench");

	tcase_add_test(tcase, test_layout);
	tcase_add_test(tcase, test_wide);
	tcase_add_test(tcase, test_workers);
	tcase_add_test(tcase, test_labels);
	tcase_add_test(tcase, test_below);
	tcase_add_test(tcase, test_doubts);
	tcase_add_test(tcase, test_doubts_of_workers);
	tcase_add_test(tcase, test_files);
	tcase_add_test(tcase, test_nothing);
	tcase_add_test(tcase, test_untimed);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
