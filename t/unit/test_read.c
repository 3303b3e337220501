// SPDX-License-Identifier: MIT
/* Results into files and back: nothing is lost, whatever is no result is refused in one line. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/load/rng.h"
#include "../../core/result/facts.h"
#include "../../core/result/fields.h"
#include "../../core/result/metric.h"
#include "../../core/result/read.h"
#include "../../core/result/repeats.h"
#include "../../output/output.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the tables and the header ------------------------------------------------------------- */

static FILE *source_open(const char *path)
{
	const char *srcdir = getenv("IOJOB_SRCDIR");
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", srcdir ? srcdir : ".", path);
	file = fopen(name, "r");
	ck_assert_msg(file != NULL, "%s: %s", name, strerror(errno));
	return file;
}

/* Is a row of this member, or of one element of it, or counted by it? */
static bool has_row(const struct fields *fields, const char *member)
{
	size_t n = strlen(member);

	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->list[i];

		if (!strncmp(f->member, member, n) && (!f->member[n] || f->member[n] == '['))
			return true;
		if (f->counter && !strcmp(f->counter, member))
			return true;
	}
	return false;
}

/* Cuts comments out of a line; *inside is true between its lines. */
static void strip(char *line, bool *inside)
{
	char *from = line, *to = line;

	while (*from) {
		if (*inside && !strncmp(from, "*/", 2)) {
			*inside = false;
			from += 2;
		} else if (*inside) {
			from++;
		} else if (!strncmp(from, "/*", 2)) {
			*inside = true;
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* The members that a line declares: words before a [ or ; that are no types. */
static unsigned check_line(const struct fields *fields, char *line)
{
	char *end = strpbrk(line, "[;"), *name;

	if (!end || !strchr(line, ';'))
		return 0;
	*end = '\0';
	for (name = end; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
		name--;
	ck_assert_msg(has_row(fields, name),
			"struct %s: %s has no row in core/result/fields.c: it would be lost in a "
			"file", fields->name, name);
	return 1;
}

static unsigned check_struct(const struct fields *fields)
{
	FILE *header = source_open("core/result/result.h");
	bool found = false, comment = false;
	char line[512], head[64];
	unsigned n = 0;

	snprintf(head, sizeof(head), "struct %s {", fields->name);
	while (fgets(line, sizeof(line), header)) {
		strip(line, &comment);
		if (found && line[0] == '}')
			break;
		if (found)
			n += check_line(fields, line);
		found |= !strncmp(line, head, strlen(head));
	}
	fclose(header);
	ck_assert_msg(n, "no %s in result.h", head);
	return n;
}

START_TEST(test_all_members)
{
	unsigned n = 0;

	for (size_t i = 0; fields_all[i]; i++)
		n += check_struct(fields_all[i]);
	ck_assert_uint_gt(n, 120);
}
END_TEST

/* And every struct of the header that is no pair has a table. */
START_TEST(test_all_structs)
{
	FILE *header = source_open("core/result/result.h");
	char line[512], name[64];

	while (fgets(line, sizeof(line), header)) {
		bool known = false;

		if (sscanf(line, "struct %63[a-z_] {", name) != 1 || !strchr(line, '{'))
			continue;
		for (size_t i = 0; fields_all[i]; i++)
			known |= !strcmp(fields_all[i]->name, name);
		known |= !strcmp(name, "result_option") || !strcmp(name, "result_fact");
		ck_assert_msg(known, "struct %s has no table in core/result/fields.c", name);
	}
	fclose(header);
}
END_TEST

/* ---- a result with every member set -------------------------------------------------------- */

static uint64_t next(void)
{
	static uint64_t n = 1000;

	return n += 7;
}

static char *text_of(const char *what)
{
	char *text;

	ck_assert_int_gt(asprintf(&text, "%s \"%llu\"", what, (unsigned long long)next()), 0);
	return text;
}

static void fill(const struct fields *fields, void *data);

static void fill_dist(struct dist *dist)
{
	for (int i = 0; i < 40; i++)
		ck_assert_int_eq(dist_add(dist, next() * 1234 * (uint64_t)(i % 7 + 1), next()), 0);
}

static void fill_one(const struct field *f, void *at)
{
	struct result_option *pair = at;

	switch (f->type) {
	case FIELD_BOOL:
		*(bool *)at = true;
		return;
	case FIELD_INT:
	case FIELD_UINT:
		*(unsigned *)at = (unsigned)next();
		return;
	case FIELD_U64:
	case FIELD_SECTORS:
		*(uint64_t *)at = next() * 1000003;
		return;
	case FIELD_U64_TEXT:
		*(uint64_t *)at = UINT64_MAX - next();
		return;
	case FIELD_REAL:
		*(double *)at = (double)next() + 0.125;
		return;
	case FIELD_REAL_TEXT:
		*(double *)at = (double)next() / 3;
		return;
	case FIELD_STRING:
	case FIELD_STRING_OR_NULL:
		*(char **)at = text_of(f->member);
		return;
	case FIELD_END:
		*(enum result_end *)at = RESULT_END_OTHER;
		return;
	case FIELD_RULE:
		*(struct steady_rule *)at = (struct steady_rule){ .kind = STEADY_BW_SLOPE,
				.limit = (double)next() };
		return;
	case FIELD_DIST:
		fill_dist(at);
		return;
	case FIELD_PAIR:
		pair->key = text_of(f->member);
		pair->value = text_of("value");
		return;
	case FIELD_STRUCT:
		fill(f->of, at);
		return;
	case FIELD_HAND:
		return;
	}
}

static size_t *count_at(const struct field *f, void *data)
{
	return (void *)((char *)data + f->count);
}

/* How large one of them is, by making two of them. */
static size_t stride(const struct field *f)
{
	static const size_t sizes[] = {
		[FIELD_U64] = sizeof(uint64_t), [FIELD_REAL] = sizeof(double),
		[FIELD_STRING] = sizeof(char *), [FIELD_PAIR] = sizeof(struct result_option),
	};

	return f->type == FIELD_STRUCT ? f->of->size : sizes[f->type];
}

static void fill(const struct fields *fields, void *data)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->list[i];
		char *at = (char *)data + f->offset;
		size_t n = f->shape == FIELD_HEAP ? 2 : f->n;

		if (f->type == FIELD_HAND)
			continue;
		if (f->shape == FIELD_HEAP) {
			*(void **)(void *)at = calloc(n, stride(f));
			at = *(char **)(void *)at;
		}
		if (f->counter)
			*count_at(f, data) = n;
		if (f->shape == FIELD_ONE)
			fill_one(f, at);
		for (size_t j = 0; f->shape != FIELD_ONE && j < n; j++)
			fill_one(f, at + j * stride(f));
	}
}

static void fill_dir(struct result_dir *dir)
{
	fill(&fields_dir, dir);
	for (int i = 0; i < RESULT_THRESHOLDS; i++)
		dir->above[i] = next();
}

static void fill_jobs(struct result_job **jobs, size_t *n)
{
	*n = 2;
	*jobs = calloc(*n, sizeof(**jobs));
	for (size_t i = 0; i < *n; i++) {
		fill(&fields_job, &(*jobs)[i]);
		for (int d = 0; d < RESULT_DIRS; d++)
			fill_dir(&(*jobs)[i].dir[d]);
		(*jobs)[i].steady.attained = (*jobs)[i].dir[0].series.n;
		/* Of a synchronous engine the two are one. */
		dist_free(&(*jobs)[i].dir[1].lat);
		ck_assert_int_eq(dist_merge(&(*jobs)[i].dir[1].lat, &(*jobs)[i].dir[1].clat), 0);
	}
}

static void fill_result(struct result *result)
{
	*result = (struct result){ .version = NULL };
	fill(&fields_result, result);
	fill_jobs(&result->jobs, &result->njobs);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static void check_same(const struct fields *fields, const void *a, const void *b);

static void check_same_dist(const char *member, const struct dist *a, const struct dist *b)
{
	ck_assert_msg(a->n == b->n && a->min == b->min && a->max == b->max && a->sum == b->sum
			&& a->sumsq == b->sumsq && a->coarse == b->coarse
			&& a->npoints == b->npoints && a->nbuckets == b->nbuckets
			&& a->first == b->first, "%s", member);
	for (uint32_t i = 0; i < a->nbuckets; i++)
		ck_assert_msg(a->bucket[i] == b->bucket[i], "%s: bucket %u", member, i);
}

static void check_same_one(const struct field *f, const void *a, const void *b)
{
	const struct result_option *x = a, *y = b;
	const char *const *text = a, *const *other = b;
	static const size_t plain[] = {
		[FIELD_BOOL] = sizeof(bool), [FIELD_INT] = sizeof(int),
		[FIELD_UINT] = sizeof(int), [FIELD_U64] = 8, [FIELD_U64_TEXT] = 8,
		[FIELD_SECTORS] = 8, [FIELD_REAL] = 8, [FIELD_REAL_TEXT] = 8,
		[FIELD_END] = sizeof(enum result_end), [FIELD_HAND] = 0,
	};

	if (f->type == FIELD_STRUCT)
		check_same(f->of, a, b);
	else if (f->type == FIELD_RULE)
		ck_assert(steady_same(a, b));
	else if (f->type == FIELD_DIST)
		check_same_dist(f->member, a, b);
	else if (f->type == FIELD_PAIR)
		ck_assert_msg(!strcmp(x->key, y->key) && !strcmp(x->value, y->value), "%s",
				f->member);
	else if (f->type == FIELD_STRING || f->type == FIELD_STRING_OR_NULL)
		ck_assert_pstr_eq(*text, *other);
	else
		ck_assert_msg(!memcmp(a, b, plain[f->type]), "%s", f->member);
}

static void check_same(const struct fields *fields, const void *a, const void *b)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->list[i];
		const char *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
		size_t n = f->counter ? *count_at(f, (void *)(uintptr_t)a) : f->n;

		if (f->type == FIELD_HAND)
			continue;
		if (f->counter)
			ck_assert_uint_eq(n, *count_at(f, (void *)(uintptr_t)b));
		if (f->shape == FIELD_ONE)
			check_same_one(f, x, y);
		if (f->shape == FIELD_ONE)
			continue;
		if (f->shape == FIELD_HEAP) {
			x = *(char *const *)(const void *)x;
			y = *(char *const *)(const void *)y;
		}
		for (size_t j = 0; j < n; j++)
			check_same_one(f, x + j * stride(f), y + j * stride(f));
	}
}

static void check_same_jobs(const struct result_job *a, const struct result_job *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		check_same(&fields_job, &a[i], &b[i]);
		for (int d = 0; d < RESULT_DIRS; d++) {
			check_same(&fields_dir, &a[i].dir[d], &b[i].dir[d]);
			for (size_t t = 0; t < RESULT_THRESHOLDS; t++)
				ck_assert_uint_eq(a[i].dir[d].above[t], b[i].dir[d].above[t]);
		}
	}
}

/* ---- there and back ------------------------------------------------------------------------ */

static char *print(const struct result *result)
{
	const struct output_options options = { NULL, 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(output_json(to, result, &options), 0);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

/* A file in memory with that text; its path. */
static int file_make(const char *text, size_t size, char path[64])
{
	int fd = memfd_create("result", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static int read_text(struct result *result, const char *text, struct err *err)
{
	char path[64];
	int fd = file_make(text, strlen(text), path);
	int r;

	err->text[0] = '\0';
	r = result_read(result, path, err);
	close(fd);
	ck_assert_msg(!r == !err->text[0], "%d: %s", r, err->text);
	if (r) {
		ck_assert_msg(!strncmp(err->text, path, strlen(path)), "%s", err->text);
		ck_assert_msg(!strchr(err->text, '\n'), "%s", err->text);
		ck_assert_ptr_null(result->jobs);
	}
	return r;
}

START_TEST(test_round_trip)
{
	struct result result, back;
	char *before, *after;
	struct err err;

	fill_result(&result);
	before = print(&result);
	ck_assert_msg(!read_text(&back, before, &err), "%s", err.text);
	after = print(&back);
	ck_assert_str_eq(before, after);
	check_same(&fields_result, &result, &back);
	ck_assert_uint_eq(back.njobs, result.njobs);
	check_same_jobs(result.jobs, back.jobs, result.njobs);
	free(before);
	free(after);
	result_free(&result);
	result_free(&back);
}
END_TEST

/* Repeats come back whole, and the jobs on top are views of them again. */
START_TEST(test_repeats)
{
	enum { REPEATS = 3 };
	struct result result, back;
	struct metric metric;
	char *before, *after;
	struct err err;

	result = (struct result){ .version = NULL };
	fill(&fields_result, &result);
	result.repeats = calloc(REPEATS, sizeof(*result.repeats));
	result.nrepeats = REPEATS;
	for (unsigned i = 0; i < REPEATS; i++) {
		fill(&fields_repeat, &result.repeats[i]);
		fill_jobs(&result.repeats[i].jobs, &result.repeats[i].njobs);
		for (int j = 0; j < 2; j++) {
			struct result_job *job = &result.repeats[i].jobs[j];

			job->repeat = i + 1;
			job->error = 0;
			free(job->skipped);
			job->skipped = NULL;
			job->dir[0].bytes = (uint64_t)((i + 1 + (unsigned)j) % REPEATS) << 40;
		}
	}
	ck_assert_int_eq(metric_parse(&metric, "read.bw", &err), 0);
	ck_assert_int_eq(repeats_choose(&result, &metric), 0);
	ck_assert_uint_ne(result.jobs[0].repeat, result.jobs[1].repeat);
	before = print(&result);
	ck_assert_msg(!read_text(&back, before, &err), "%s", err.text);
	after = print(&back);
	ck_assert_str_eq(before, after);
	check_same(&fields_result, &result, &back);
	ck_assert_uint_eq(back.nrepeats, REPEATS);
	for (int i = 0; i < REPEATS; i++) {
		check_same(&fields_repeat, &result.repeats[i], &back.repeats[i]);
		check_same_jobs(result.repeats[i].jobs, back.repeats[i].jobs, 2);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(back.jobs[i].repeat, result.jobs[i].repeat);
		ck_assert_ptr_eq(back.jobs[i].name,
				back.repeats[back.jobs[i].repeat - 1].jobs[i].name);
	}
	free(before);
	free(after);
	result_free(&result);
	result_free(&back);
}
END_TEST

/* Of nothing: lists are empty, texts "" and what can be NULL is. */
START_TEST(test_empty)
{
	struct result result = {
		.version = strdup(""), .command = strdup(""), .host = strdup(""),
		.kernel = strdup(""),
	}, back;
	char *before = print(&result), *after;
	struct err err;

	ck_assert_msg(!read_text(&back, before, &err), "%s", err.text);
	after = print(&back);
	ck_assert_str_eq(before, after);
	ck_assert_uint_eq(back.njobs, 0);
	free(before);
	free(after);
	result_free(&result);
	result_free(&back);
}
END_TEST

/* What is not there is not made up; what was written before a field came stays readable. */
START_TEST(test_sparse)
{
	struct result result;
	struct metric p99, bw;
	struct err err;

	ck_assert_int_eq(metric_parse(&p99, "p99", &err), 0);
	ck_assert_int_eq(metric_parse(&bw, "bw", &err), 0);
	ck_assert_msg(!read_text(&result, "{\"iojob\": {\"schema\": 1}, \"jobs\": ["
			"{\"jobname\": \"a\", \"iojob\": {\"rw\": \"read\"}, \"read\": {"
			"\"io_bytes\": 4096, \"total_ios\": 1, "
			"\"iojob\": {\"runtime_ns\": 1000}}}]}", &err), "%s", err.text);
	ck_assert_str_eq(result.jobs[0].name, "a");
	ck_assert_str_eq(result.jobs[0].engine, "");
	ck_assert_str_eq(result.host, "");
	ck_assert_ptr_null(result.jobs[0].skipped);
	ck_assert_double_eq(metric_of(&bw, &result.jobs[0]), 4096e6);
	ck_assert(isnan(metric_of(&p99, &result.jobs[0])));
	result_free(&result);
}
END_TEST

/* ---- fio's --------------------------------------------------------------------------------- */

#define FIO_HEAD "{\"fio version\": \"fio-3.35\", \"timestamp_ms\": 1700000000000, " \
	"\"global options\": {\"ioengine\": \"libaio\", \"bs\": \"4k,64k\", \"direct\": \"1\"},"
#define FIO_LAT(n, more) "{\"min\": 100, \"max\": 9000, \"mean\": 1500.25, " \
	"\"stddev\": 300.5, \"N\": " #n more "}"
#define FIO_JOB "{\"jobname\": \"a\", \"groupid\": 3, \"error\": 0, " \
	"\"job options\": {\"rw\": \"randrw\", \"iodepth\": \"16\", \"numjobs\": \"4\", " \
	"\"group_reporting\": \"\"}, \"job_runtime\": 8000, \"usr_cpu\": 12.5, " \
	"\"sys_cpu\": 25.0, \"ctx\": 77, \"majf\": 1, \"minf\": 2, " \
	"\"read\": {\"io_bytes\": 4096000, \"total_ios\": 1000, \"short_ios\": 0, " \
	"\"runtime\": 2000, \"slat_ns\": " FIO_LAT(1000, "") ", " \
	"\"lat_ns\": " FIO_LAT(1000, "") ", \"clat_ns\": " FIO_LAT(1000, \
	", \"percentile\": {\"50.000000\": 1400, \"99.900000\": 8000}") "}, " \
	"\"write\": {\"io_bytes\": 65536, \"total_ios\": 1, \"runtime\": 1000, " \
	"\"lat_ns\": " FIO_LAT(1, "") "}, \"iodepth_level\": {\"16\": 100.0}}"

static double figure(const struct result_job *job, const char *name)
{
	struct metric metric;
	struct err err;

	ck_assert_msg(!metric_parse(&metric, name, &err), "%s", err.text);
	return metric_of(&metric, job);
}

START_TEST(test_fio)
{
	struct result result;
	struct result_job *job;
	struct err err;

	ck_assert_msg(!read_text(&result, FIO_HEAD "\"jobs\": [" FIO_JOB "]}", &err), "%s",
			err.text);
	ck_assert(result.fio);
	ck_assert_str_eq(result.version, "fio-3.35");
	ck_assert_uint_eq(result.njobs, 1);
	job = &result.jobs[0];
	ck_assert_str_eq(job->name, "a");
	ck_assert_str_eq(job->engine, "libaio");
	ck_assert_str_eq(job->rw, "randrw");
	ck_assert_uint_eq(job->iodepth, 16);
	ck_assert_uint_eq(job->workers, 4);
	ck_assert_uint_eq(job->group, 3);
	ck_assert(job->direct && job->grouped && !job->sync_engine && !result_failed(job));
	ck_assert_uint_eq(job->bs_min[0], 4096);
	ck_assert_uint_eq(job->bs_max[1], 65536);
	ck_assert_double_eq(figure(job, "read.bw"), 2048000);
	ck_assert_double_eq(figure(job, "read.iops"), 500);
	ck_assert_double_eq_tol(figure(job, "read.lat_mean"), 1500.25, 1e-3);
	ck_assert_double_eq_tol(dist_stddev(&job->dir[0].lat), 300.5, 1e-3);
	ck_assert_double_eq(figure(job, "read.lat_max"), 9000);
	ck_assert_double_eq(figure(job, "read.p50"), 1400);
	ck_assert_double_eq(figure(job, "read.p99.9"), 8000);
	ck_assert(isnan(figure(job, "read.p99")));  /* the file does not say */
	ck_assert(isnan(figure(job, "p50")));       /* nor of both directions together */
	ck_assert(isnan(figure(job, "trim.bw")));
	ck_assert_double_eq_tol(figure(job, "cpu"), 3e9 / 1001, 1);
	ck_assert_uint_eq(result.nnotes, 1); /* of clat, not lat */
	result_free(&result);
}
END_TEST

/* What a job did, by options that have several names. */
START_TEST(test_fio_options)
{
	static const struct {
		const char *options;
		const char *rw;
		bool direct;
	} rows[] = {
		{ "", "read", false },
		{ "\"readwrite\": \"randwrite\"", "randwrite", false },
		{ "\"rw\": \"readwrite\", \"direct\": \"1\"", "rw", true },
		{ "\"rw\": \"readwrite:8k\", \"buffered\": \"0\"", "rw:8k", true },
		{ "\"rw\": \"randread:4\", \"buffered\": \"1\"", "randread:4", false },
		{ "\"direct\": \"0\", \"buffered\": \"0\"", "read", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result result;
		char text[512];
		struct err err;

		snprintf(text, sizeof(text), "{\"fio version\": \"fio-3.33\", \"jobs\": [{"
				"\"jobname\": \"a\", \"job options\": {%s}}]}", rows[i].options);
		ck_assert_msg(!read_text(&result, text, &err), "%s", err.text);
		ck_assert_str_eq(result.jobs[0].rw, rows[i].rw);
		ck_assert_int_eq(result.jobs[0].direct, rows[i].direct);
		result_free(&result);
	}
}
END_TEST

/* json+ holds the buckets: any percentile, and both directions together. */
START_TEST(test_fio_bins)
{
	struct result result;
	struct err err;

	ck_assert_msg(!read_text(&result, FIO_HEAD "\"jobs\": [{\"jobname\": \"a\", "
			"\"read\": {\"io_bytes\": 1, \"total_ios\": 4, \"runtime\": 1, "
			"\"clat_ns\": {\"min\": 100, \"max\": 903, \"mean\": 302.0, "
			"\"stddev\": 400.5, \"N\": 4, "
			"\"bins\": {\"100\": 2, \"105\": 1, \"900\": 1}}}, "
			"\"write\": {\"io_bytes\": 1, \"total_ios\": 4, \"runtime\": 1, "
			"\"clat_ns\": {\"min\": 30, \"max\": 30, \"mean\": 30.0, "
			"\"stddev\": 0.0, \"N\": 4, \"bins\": {\"30\": 4}}}}]}", &err),
			"%s", err.text);
	ck_assert_double_eq(figure(&result.jobs[0], "read.p75"), 105);
	ck_assert_double_eq(figure(&result.jobs[0], "read.p100"), 903);
	ck_assert_double_eq(figure(&result.jobs[0], "p60"), 100);
	ck_assert_double_eq(figure(&result.jobs[0], "lat_mean"), 166);
	ck_assert_uint_eq(result.nnotes, 0);
	result_free(&result);
}
END_TEST

/* A result of fio's, once read, can be kept as one of ours, which reads the same. */
START_TEST(test_fio_kept)
{
	struct result result, back;
	struct err err;
	char *first, *second;

	ck_assert_int_eq(read_text(&result, FIO_HEAD "\"jobs\": [" FIO_JOB "]}", &err), 0);
	first = print(&result);
	ck_assert_msg(!read_text(&back, first, &err), "%s", err.text);
	second = print(&back);
	ck_assert_str_eq(first, second);
	ck_assert(back.fio);
	ck_assert_double_eq(figure(&back.jobs[0], "read.p99.9"), 8000);
	ck_assert(isnan(figure(&back.jobs[0], "read.p99")));
	free(first);
	free(second);
	result_free(&result);
	result_free(&back);
}
END_TEST

/* Facts are in their order whatever that of the file is. */
START_TEST(test_environment)
{
	struct result result;
	struct facts facts;
	struct err err;

	ck_assert_msg(!read_text(&result, "{\"iojob\": {\"schema\": 1, \"environment\": {"
			"\"c\": \"3\", \"a\": \"1\", \"b\": \"2\"}}, \"jobs\": []}", &err), "%s",
			err.text);
	facts = facts_of(&result);
	ck_assert_uint_eq(facts.n, 3);
	ck_assert_str_eq(facts_get(&facts, "a"), "1");
	ck_assert_str_eq(facts_get(&facts, "b"), "2");
	ck_assert_str_eq(facts_get(&facts, "c"), "3");
	result_free(&result);
}
END_TEST

/* ---- what is none -------------------------------------------------------------------------- */

#define OURS(more) "{\"iojob\": {\"schema\": 1}, \"jobs\": [{\"iojob\": {" more "}}]}"
#define DIR(more) "{\"iojob\": {\"schema\": 1}, \"jobs\": [{\"read\": {\"iojob\": {" more "}}}]}"
#define DIST(more) \
	DIR("\"dist\": {\"clat\": {\"n\": 1, \"min\": 1, \"max\": 1, \"sum\": 1, " more "}}")

START_TEST(test_refusals)
{
	static const struct {
		const char *text;
		const char *why; /* what follows the path */
	} table[] = {
		{ "", ": is empty" },
		{ " \n\t\n", ": is empty" },
		{ "[1, 2]", ":1: is no result" },
		{ "hello", ":1: is no result" },
		{ "fio: a warning\nanother\n{\"jobs\": []}\n",
				":1: text before the JSON, which begins in line 3" },
		{ "{\n\"jobs\": [\n{\"a\": 1", ":3: broken JSON" },
		{ "{\"jobs\": []} {}", ":1: broken JSON" },
		{ "{\"a\": 1e999}", ":1: broken JSON: real number overflow" },
		{ "{\"a\":\n99999999999999999999999}", ":2: broken JSON: too big integer" },
		{ "{}", ": is no result of iojob, nor of fio" },
		{ "{\"fio version\": \"fio-2.16\", \"jobs\": []}", ": is a result of fio-2.16" },
		{ "{\"fio version\": \"fio-3.1\"}", ": jobs: there must be an array" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": 3}", ": jobs: there must be an array" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": [3]}", ": jobs[0]: must be an object" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": [{\"jobname\": 3}]}",
				": jobs[0].jobname: must be a string" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": [{\"read\": {\"io_bytes\": -1}}]}",
				": jobs[0].read.io_bytes: must be a whole number" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": [{\"read\": {\"clat_ns\": "
				"{\"N\": 3, \"min\": 9, \"max\": 2}}}]}",
				": jobs[0].read.clat_ns: N, min, max, mean and stddev cannot be" },
		{ "{\"fio version\": \"fio-3.1\", \"jobs\": [{\"read\": {\"clat_ns\": "
				"{\"N\": 9000000000, \"mean\": 1e300}}}]}",
				": jobs[0].read.clat_ns: N, min, max" },
		{ "{\"iojob\": 7}", ": iojob.schema: must be" },
		{ "{\"iojob\": {\"schema\": \"1\"}}", ": iojob.schema: must be" },
		{ "{\"iojob\": {\"schema\": 2}, \"jobs\": []}", ": has the schema 2; this iojob" },
		{ "{\"iojob\": {\"schema\": 1}}", ": jobs: there must be an array" },
		{ "{\"iojob\": {\"schema\": 1, \"notes\": [1]}, \"jobs\": []}",
				": iojob.notes[0]: must be a string" },
		{ "{\"iojob\": {\"schema\": 1, \"notes\": {}}, \"jobs\": []}",
				": iojob.notes: must be an array" },
		{ "{\"iojob\": {\"schema\": 1, \"environment\": []}, \"jobs\": []}",
				": iojob.environment: must be an object" },
		{ "{\"iojob\": {\"schema\": 1, \"places\": [1]}, \"jobs\": []}",
				": iojob.places[0]: must be an object" },
		{ "{\"iojob\": {\"schema\": 1, \"doubts\": [{\"fact\": 1}]}, \"jobs\": []}",
				": iojob.doubts[0].fact: must be true or false" },
		{ "{\"iojob\": {\"schema\": 1, \"clock\": {\"read_ns\": \"1\"}}, \"jobs\": []}",
				": iojob.clock.read_ns: must be a number" },
		{ "{\"iojob\": {\"schema\": 1}, \"jobs\": [{\"iojob\": 1}]}",
				": jobs[0].iojob: must be an object" },
		{ "{\"iojob\": {\"schema\": 1, \"repeats\": 1}, \"jobs\": []}",
				": iojob.repeats: must be an array" },
		{ "{\"iojob\": {\"schema\": 1, \"repeats\": [1]}, \"jobs\": []}",
				": iojob.repeats[0]: must be an object" },
		{ "{\"iojob\": {\"schema\": 1, \"repeats\": [{}]}, \"jobs\": []}",
				": iojob.repeats[0].jobs: there must be an array" },
		{ "{\"iojob\": {\"schema\": 1, \"repeats\": [{\"jobs\": [{}]}]}, \"jobs\": []}",
				": jobs: there are 0, and 1 in repeat 1" },
		{ "{\"iojob\": {\"schema\": 1, \"repeats\": [{\"jobs\": [{}]}]}, "
				"\"jobs\": [{\"iojob\": {\"repeat\": 2}}]}",
				": jobs[0]: its iojob.repeat is none" },
		{ OURS("\"seed\": 1"), ": jobs[0].iojob.seed: must be a string of digits" },
		{ OURS("\"seed\": \"18446744073709551616\""), ": jobs[0].iojob.seed: must be" },
		{ OURS("\"end\": \"never\""), ": jobs[0].iojob.end: must say" },
		{ OURS("\"iodepth\": 4294967296"), ": jobs[0].iojob.iodepth: must be a whole" },
		{ OURS("\"percentiles\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]"),
				": jobs[0].iojob.percentiles: must have at most 20 items" },
		{ OURS("\"depths\": {\"level\": [1]}"),
				": jobs[0].iojob.depths.level: must have 8 items" },
		{ DIR("\"series\": {\"bytes\": [1, 2], \"ios\": [1]}"),
				": jobs[0].read.iojob.series.ios: must be as long" },
		{ OURS("\"steadystate\": {\"attained_samples\": 1}"),
				": jobs[0].iojob.steadystate: attained after more samples" },
		{ DIR("\"above\": [{}]"), ": jobs[0].read.iojob.above: must be an array" },
		{ DIR("\"series\": {\"bytes\": [1], \"ios\": [1]}"),
				": jobs[0].read.iojob.series: its interval_ns must be" },
		{ DIR("\"series\": {\"ios\": [1]}"),
				": jobs[0].read.iojob.series.ios: must be as long" },
		{ DIR("\"bw_samples\": {\"sum\": \"1 apple\"}"),
				": jobs[0].read.iojob.bw_samples.sum: must be" },
		{ DIR("\"dist\": {\"lat\": \"slat\"}"),
				": jobs[0].read.iojob.dist.lat: must be an object or \"clat\"" },
		{ DIST("\"sumsq\": 1"), ": jobs[0].read.iojob.dist.clat: its sumsq" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"4096:1\""), ": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"5:1 5:1\""), ": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"4095:1,1\""), ": jobs[0].read.iojob" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"5:1,\""), ": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"5\""), ": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"\""), ": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"buckets\": \"5:99999999999999999999\""),
				": jobs[0].read.iojob.dist" },
		{ DIST("\"sumsq\": \"1\", \"percentiles\": {\"99\": \"x\"}"),
				": jobs[0].read.iojob.dist.clat.99: must be a whole number" },
	};
	struct result result;
	struct err err;

	for (size_t i = 0; i < N(table); i++) {
		const char *why;

		ck_assert_msg(read_text(&result, table[i].text, &err), "%s", table[i].text);
		why = err.text + strcspn(err.text, ":");
		ck_assert_msg(!strncmp(why, table[i].why, strlen(table[i].why)),
				"\"%s\" does not begin with \"%s\"", why, table[i].why);
	}
	ck_assert_int_eq(result_read(&result, "/nowhere/at/all.json", &err), -ENOENT);
	ck_assert_str_eq(err.text, "/nowhere/at/all.json: No such file or directory");
	ck_assert_int_eq(result_read(&result, "/", &err), -EISDIR);
}
END_TEST

/* Half a file is no result, wherever it ends. */
START_TEST(test_prefixes)
{
	struct result result;
	char path[64];
	char *text;
	size_t whole;
	struct err err;
	int fd;

	result = (struct result){ .version = NULL };
	fill(&fields_result, &result);
	result.njobs = 1;
	result.jobs = calloc(1, sizeof(*result.jobs));
	fill(&fields_job, result.jobs);
	fill(&fields_dir, &result.jobs[0].dir[0]);
	text = print(&result);
	result_free(&result);
	fd = file_make(text, strlen(text), path);
	whole = strlen(text) - 1;
	for (size_t n = whole; n-- > 0;) {
		ck_assert_int_eq(ftruncate(fd, (off_t)n), 0);
		ck_assert_msg(result_read(&result, path, &err), "%zu of %zu bytes", n, whole);
		ck_quick(err.text[0] && !strchr(err.text, '\n'));
	}
	close(fd);
	free(text);
}
END_TEST

/* A byte here and there is another one: read or refused, never worse. */
START_TEST(test_mutations)
{
	static const char bytes[] = "0123456789-,:\"{}[]ae. \n\xff";
	unsigned taken = 0, refused = 0;
	struct result result;
	char *text, *changed;
	struct rng rng;
	size_t n;

	rng_seed(&rng, 1, 0);
	fill_result(&result);
	text = print(&result);
	result_free(&result);
	n = strlen(text);
	for (int i = 0; i < 1500; i++) {
		struct err err = { "" };
		char path[64];
		int fd;

		changed = strdup(text);
		for (uint64_t k = rng_below(&rng, 3) + 1; k; k--)
			changed[rng_below(&rng, n)] = bytes[rng_below(&rng, sizeof(bytes) - 1)];
		fd = file_make(changed, n, path);
		if (result_read(&result, path, &err)) {
			ck_quick(err.text[0] && !strchr(err.text, '\n'));
			refused++;
		} else {
			free(changed);
			changed = print(&result);
			taken++;
			result_free(&result);
		}
		close(fd);
		free(changed);
	}
	ck_assert_uint_gt(taken, 100);
	ck_assert_uint_gt(refused, 100);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("read");
	TCase *tcase = tcase_create("read");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_all_members);
	tcase_add_test(tcase, test_all_structs);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_repeats);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_sparse);
	tcase_add_test(tcase, test_fio);
	tcase_add_test(tcase, test_fio_options);
	tcase_add_test(tcase, test_fio_bins);
	tcase_add_test(tcase, test_fio_kept);
	tcase_add_test(tcase, test_environment);
	tcase_add_test(tcase, test_refusals);
	tcase_add_test(tcase, test_prefixes);
	tcase_add_test(tcase, test_mutations);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
