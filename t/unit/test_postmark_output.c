// SPDX-License-Identifier: MIT
/* PostMark's figures: how they add up, and how each format prints them. */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "../../core/result/postmark.h"
#include "../../output/output.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { SECOND = 1000000000 };

/* ---- results made by hand ------------------------------------------------------------------ */

/* Of one run: times in ns, then what was counted. */
struct figures {
	uint64_t creation_ns, transactions_ns, deletion_ns;
	uint64_t transactions;
	uint64_t created_alone, created_mixed, read, appended, deleted_alone, deleted_mixed;
	uint64_t bytes_read, bytes_written;
};

static char *copy(const char *text)
{
	char *s = strdup(text);

	ck_assert_ptr_nonnull(s);
	return s;
}

static struct result_job job_make(const char *name, const struct figures *f)
{
	struct result_postmark pm = { .transactions = f->transactions };

	pm.done[RESULT_CREATION][RESULT_CREATE] = f->created_alone;
	pm.done[RESULT_TRANSACTIONS][RESULT_CREATE] = f->created_mixed;
	pm.done[RESULT_TRANSACTIONS][RESULT_READ] = f->read;
	pm.done[RESULT_TRANSACTIONS][RESULT_APPEND] = f->appended;
	pm.done[RESULT_TRANSACTIONS][RESULT_DELETE] = f->deleted_mixed;
	pm.done[RESULT_DELETION][RESULT_DELETE] = f->deleted_alone;
	pm.phase_ns[RESULT_CREATION] = f->creation_ns;
	pm.phase_ns[RESULT_TRANSACTIONS] = f->transactions_ns;
	pm.phase_ns[RESULT_DELETION] = f->deletion_ns;
	return (struct result_job){
		.file = copy("x.ini"), .description = copy(""),
		.name = copy(name), .section = copy(name),
		.engine = copy("psync"), .rw = copy("postmark"), .error_text = copy(""),
		.iodepth = 1, .sync_engine = true, .workers = 1, .postmark = pm,
		.elapsed_ns = f->creation_ns + f->transactions_ns + f->deletion_ns,
		.dir = { { .bytes = f->bytes_read }, { .bytes = f->bytes_written } },
	};
}

static void result_make(struct result *result, size_t njobs, const struct figures *f)
{
	*result = (struct result){ .version = copy("0"), .command = copy("iojob"),
		.host = copy("host"), .kernel = copy("Linux"), .njobs = njobs };
	result->jobs = calloc(njobs, sizeof(*result->jobs));
	ck_assert_ptr_nonnull(result->jobs);
	for (size_t i = 0; i < njobs; i++)
		result->jobs[i] = job_make(i ? "second" : "first", &f[i]);
}

static char *print(const char *format, const struct result *result)
{
	static const struct output_options options = { .nmetrics = 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(output_find(format)->write(to, result, &options), 0);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

static void check_print(const struct result *result, const char *expected)
{
	char *text = print("postmark", result);

	ck_assert_str_eq(text, expected);
	free(text);
}

/* ---- PostMark's own report ----------------------------------------------------------------- */

#define DOCUMENT(creation, transacting, deletion, nread) { \
	creation * (uint64_t)SECOND, transacting * (uint64_t)SECOND, deletion * (uint64_t)SECOND, \
	9000, 500, 4546, nread, 0, 592, 4454, nread * UINT64_C(5242880), 26455572480 }

/*
 * The two kernels of Marcelo Tosatti's comparison, August 2001, bias read 10 and 1. The length of
 * creation and deletion is what is left of the whole, and fits the rates.
 */
static const struct {
	struct figures figures;
	const char *text;
} documents[] = {
	{
		DOCUMENT(48, 2216, 1, 9000),
		"Time:\n"
		"\t2265 seconds total\n"
		"\t2216 seconds of transactions (4 per second)\n"
		"\n"
		"Files:\n"
		"\t5046 created (2 per second)\n"
		"\t\tCreation alone: 500 files (10 per second)\n"
		"\t\tMixed with transactions: 4546 files (2 per second)\n"
		"\t9000 read (4 per second)\n"
		"\t0 appended (0 per second)\n"
		"\t5046 deleted (2 per second)\n"
		"\t\tDeletion alone: 592 files (592 per second)\n"
		"\t\tMixed with transactions: 4454 files (2 per second)\n"
		"\n"
		"Data:\n"
		"\t45000.00 megabytes read (19.87 megabytes per second)\n"
		"\t25230.00 megabytes written (11.14 megabytes per second)\n",
	},
	{
		DOCUMENT(47, 601, 1, 876),
		"Time:\n"
		"\t649 seconds total\n"
		"\t601 seconds of transactions (14 per second)\n"
		"\n"
		"Files:\n"
		"\t5046 created (7 per second)\n"
		"\t\tCreation alone: 500 files (10 per second)\n"
		"\t\tMixed with transactions: 4546 files (7 per second)\n"
		"\t876 read (1 per second)\n"
		"\t0 appended (0 per second)\n"
		"\t5046 deleted (7 per second)\n"
		"\t\tDeletion alone: 592 files (592 per second)\n"
		"\t\tMixed with transactions: 4454 files (7 per second)\n"
		"\n"
		"Data:\n"
		"\t4380.00 megabytes read (6.75 megabytes per second)\n"
		"\t25230.00 megabytes written (38.88 megabytes per second)\n",
	},
	{
		DOCUMENT(48, 2214, 2, 9000),
		"Time:\n"
		"\t2264 seconds total\n"
		"\t2214 seconds of transactions (4 per second)\n"
		"\n"
		"Files:\n"
		"\t5046 created (2 per second)\n"
		"\t\tCreation alone: 500 files (10 per second)\n"
		"\t\tMixed with transactions: 4546 files (2 per second)\n"
		"\t9000 read (4 per second)\n"
		"\t0 appended (0 per second)\n"
		"\t5046 deleted (2 per second)\n"
		"\t\tDeletion alone: 592 files (296 per second)\n"
		"\t\tMixed with transactions: 4454 files (2 per second)\n"
		"\n"
		"Data:\n"
		"\t45000.00 megabytes read (19.88 megabytes per second)\n"
		"\t25230.00 megabytes written (11.14 megabytes per second)\n",
	},
	{
		DOCUMENT(46, 643, 1, 876),
		"Time:\n"
		"\t690 seconds total\n"
		"\t643 seconds of transactions (13 per second)\n"
		"\n"
		"Files:\n"
		"\t5046 created (7 per second)\n"
		"\t\tCreation alone: 500 files (10 per second)\n"
		"\t\tMixed with transactions: 4546 files (7 per second)\n"
		"\t876 read (1 per second)\n"
		"\t0 appended (0 per second)\n"
		"\t5046 deleted (7 per second)\n"
		"\t\tDeletion alone: 592 files (592 per second)\n"
		"\t\tMixed with transactions: 4454 files (6 per second)\n"
		"\n"
		"Data:\n"
		"\t4380.00 megabytes read (6.35 megabytes per second)\n"
		"\t25230.00 megabytes written (36.57 megabytes per second)\n",
	},
};

START_TEST(test_documents)
{
	struct result result;

	result_make(&result, 1, &documents[_i].figures);
	check_print(&result, documents[_i].text);
	result_free(&result);
}
END_TEST

/* Units as PostMark changes them, times below a second, and nothing divided by nothing. */
START_TEST(test_small)
{
	static const struct figures figures[] = {
		{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ SECOND / 4, SECOND / 2, SECOND / 4, 3, 4, 1, 2, 1, 3, 2, 1048576, 1048577 },
	};
	struct result result;

	result_make(&result, 2, figures);
	check_print(&result,
			"first\n\n"
			"Time:\n\t0 seconds total\n\t0 seconds of transactions (0 per second)\n\n"
			"Files:\n\t0 created (0 per second)\n"
			"\t\tCreation alone: 0 files (0 per second)\n"
			"\t\tMixed with transactions: 0 files (0 per second)\n"
			"\t0 read (0 per second)\n\t0 appended (0 per second)\n"
			"\t0 deleted (0 per second)\n"
			"\t\tDeletion alone: 0 files (0 per second)\n"
			"\t\tMixed with transactions: 0 files (0 per second)\n\n"
			"Data:\n\t0.000000 bytes read (0.000000 bytes per second)\n"
			"\t0.000000 bytes written (0.000000 bytes per second)\n\n"
			"second\n\n"
			"Time:\n\t1 seconds total\n"
			"\t0.500 seconds of transactions (6 per second)\n\n"
			"Files:\n\t5 created (5 per second)\n"
			"\t\tCreation alone: 4 files (16 per second)\n"
			"\t\tMixed with transactions: 1 files (2 per second)\n"
			"\t2 read (4 per second)\n\t1 appended (2 per second)\n"
			"\t5 deleted (5 per second)\n"
			"\t\tDeletion alone: 3 files (12 per second)\n"
			"\t\tMixed with transactions: 2 files (4 per second)\n\n"
			"Data:\n\t1024.00 kilobytes read (1024.00 kilobytes per second)\n"
			"\t1.00 megabytes written (1.00 megabytes per second)\n");
	result_free(&result);
}
END_TEST

START_TEST(test_remarks)
{
	struct result result;
	struct result_job *job;
	char *text;

	result_make(&result, 1, &documents[0].figures);
	job = result.jobs;
	job->end = RESULT_END_ERROR;
	job->error = 28;
	free(job->error_text);
	job->error_text = copy("create of x/7: No space left on device");
	job->postmark.dry = true;
	job->postmark.skipped = 3;
	text = print("postmark", &result);
	ck_assert_ptr_nonnull(strstr(text, "\n\nRemarks:\n"
			"\tended early (error): create of x/7: No space left on device\n"
			"\tout of files after 9000 transactions\n"
			"\t3 creates left out, with no room in the table of files\n"));
	free(text);
	free(job->rw);
	job->rw = copy("read");
	check_print(&result, "no job has workload=postmark\n");
	result_free(&result);
}
END_TEST

/* ---- figures ------------------------------------------------------------------------------- */

/* Workers add up; their times are those of the slowest. */
START_TEST(test_merge)
{
	static const struct figures figures[] = {
		{ 1 * SECOND, 2 * (uint64_t)SECOND, SECOND, 10, 5, 4, 3, 2, 1, 8, 100, 1000 },
		{ 2 * (uint64_t)SECOND, 1 * SECOND, SECOND, 20, 6, 5, 4, 3, 2, 9, 200, 2000 },
	};
	struct result_postmark_rates rates;
	struct result_postmark *pm;
	struct result result;

	result_make(&result, 2, figures);
	for (int i = 0; i < 2; i++) {
		pm = &result.jobs[i].postmark;
		ck_assert_int_eq(dist_add(&pm->whole[RESULT_APPEND], 100, 2), 0);
		ck_assert_int_eq(dist_add(&pm->call[RESULT_CLOSE], 50, 1), 0);
		pm->device_known = true;
		pm->device_written = 5000;
		pm->device_cancelled = i ? 3000 : 1000;
	}
	result.jobs[1].postmark.skipped = 7;
	ck_assert_int_eq(result_job_merge(&result.jobs[0], &result.jobs[1]), 0);
	pm = &result.jobs[0].postmark;
	ck_assert_uint_eq(pm->transactions, 30);
	ck_assert_uint_eq(result_postmark_done(pm, RESULT_CREATE), 20);
	ck_assert_uint_eq(result_postmark_done(pm, RESULT_DELETE), 20);
	ck_assert_uint_eq(pm->phase_ns[RESULT_CREATION], 2 * (uint64_t)SECOND);
	ck_assert_uint_eq(pm->phase_ns[RESULT_TRANSACTIONS], 2 * (uint64_t)SECOND);
	ck_assert_uint_eq(pm->whole[RESULT_APPEND].n, 4);
	ck_assert_uint_eq(pm->call[RESULT_CLOSE].n, 2);
	ck_assert_uint_eq(pm->skipped, 7);
	ck_assert_uint_eq(result_postmark_reached(pm), 6000);
	result_postmark_rates(&result.jobs[0], &rates);
	ck_assert_double_eq(rates.transactions, 15);
	ck_assert_double_eq(rates.created, 5);
	ck_assert_double_eq(rates.created_alone, 5.5);
	ck_assert_double_eq(rates.bytes_written, 750);
	result_free(&result);
}
END_TEST

/* ---- the other formats --------------------------------------------------------------------- */

static FILE *source_open(const char *name)
{
	const char *dir = getenv("IOJOB_SRCDIR");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	return file;
}

static bool manual_has(const char *page, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	size_t n = strlen(word);

	for (const char *s = page; (s = strstr(s, word)); s += n) {
		if (!strchr(letters, s[-1]) && !strchr(letters, s[n]))
			return true;
	}
	return false;
}

static void check_keys_told(const char *page, const json_t *node)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)node, key, value) {
		ck_assert_msg(strchr(key, '.') || manual_has(page, key),
				"iojob-results(5) lacks %s", key);
		check_keys_told(page, value);
	}
}

/* JSON has every figure, CSV a row for each kind of operation, and the manual tells of all. */
START_TEST(test_formats)
{
	static char page[200000];
	FILE *file = source_open("output/iojob-results.5");
	struct result result;
	char *text, *line, *rest;
	json_t *root, *pm;
	size_t rows = 0;

	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	result_make(&result, 1, &documents[0].figures);
	result.jobs[0].postmark.device_known = true;
	result.jobs[0].postmark.device_written = 1000;
	ck_assert_int_eq(dist_add(&result.jobs[0].postmark.whole[RESULT_CREATE], 777, 5046), 0);
	for (int c = 0; c < RESULT_CALLS; c++)
		ck_assert_int_eq(dist_add(&result.jobs[0].postmark.call[c], 99, 1), 0);
	text = print("json", &result);
	root = json_loads(text, 0, NULL);
	free(text);
	pm = json_object_get(json_object_get(json_array_get(json_object_get(root, "jobs"), 0),
			"iojob"), "postmark");
	ck_assert_ptr_nonnull(pm);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(pm, "files"),
			"created")), 5046);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json_object_get(pm,
			"operation_ns"), "create"), "min")), 777);
	check_keys_told(page, pm);
	json_decref(root);
	text = print("csv", &result);
	rest = text;
	line = strsep(&rest, "\n");
	for (char *name; (name = strsep(&line, ","));)
		ck_assert_msg(strncmp(name, "postmark_", 9) || manual_has(page, name),
				"iojob-results(5) lacks the column %s", name);
	while ((line = strsep(&rest, "\n")) && *line)
		rows += strstr(line, ",postmark.") != NULL;
	ck_assert_uint_eq(rows, RESULT_KINDS + RESULT_CALLS);
	free(text);
	text = print("text", &result);
	ck_assert_ptr_nonnull(strstr(text, "  postmark   500 files created in 48 s"));
	ck_assert_ptr_nonnull(strstr(text, "    create   5,046: mean 777 ns"));
	ck_assert_ptr_nonnull(strstr(text, "reached  1000 B for a device"));
	free(text);
	result_free(&result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("postmark_output");
	TCase *tc = tcase_create("output");

	tcase_add_loop_test(tc, test_documents, 0, N(documents));
	tcase_add_test(tc, test_small);
	tcase_add_test(tc, test_remarks);
	tcase_add_test(tc, test_merge);
	tcase_add_test(tc, test_formats);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
