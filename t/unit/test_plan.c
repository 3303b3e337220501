// SPDX-License-Identifier: MIT
/*
 * From checked jobs to what will be done: files.c, plan.c, layout.c, print.c. What sizes and
 * limits mean was measured with fio 3.33 under strace, row by row; where a row differs it says so.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../../core/job/job.h"
#include "../../core/job/jobfile.h"
#include "../../core/plan/plan.h"
#include "../../core/run/layout.h"
#include "disk.h"

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))
#define K UINT64_C(1024)

enum { NOBODY = 65534 };

static struct engines engines;
static struct jobfile file;
static struct jobs jobs;
static struct plan plan;
static struct err err;
static const char *device; /* what '&' stands for */

static const struct plan_options judging = { .judge_machine = true };

/* ---- plans --------------------------------------------------------------------------------- */

static void forget(void)
{
	plan_free(&plan);
	jobs_free(&jobs);
	jobfile_free(&file);
	file = (struct jobfile){ 0 };
	jobs = (struct jobs){ 0 };
}

/*
 * Three lines of [global] (two with PostMark, which has no bs) and the text as jobs; '@' is the
 * scratch directory, '&' the device.
 */
static void build(const char *text)
{
	const char *path = disk_path("job.ini");
	struct job_builder builder = { .engines = &engines };
	FILE *to = fopen(path, "we");

	forget();
	ck_assert_ptr_nonnull(to);
	fprintf(to, "[global]\n%s", strstr(text, "postmark") ? "" : "bs=4k\n");
	fputs(strstr(text, "directory=") ? "" : "directory=", to);
	fprintf(to, "%s\n", strstr(text, "directory=") ? "" : scratch->dir);
	for (; *text; text++)
		*text == '@'   ? fputs(scratch->dir, to)
		: *text == '&' ? fputs(device, to)
			       : fputc(*text, to);
	ck_assert_int_eq(fclose(to), 0);
	ck_assert_msg(!jobfile_read(&file, path, &err), "%s", err.text);
	ck_assert_int_eq(unlink(path), 0);
	setenv("IOJOB_ENGINE_PATH", "engines", 0); /* by hand, in the build tree */
	ck_assert_msg(!jobs_build(&jobs, &file, &builder, &err), "%s", err.text);
}

static int make(const char *text, const struct plan_options *options)
{
	build(text);
	return plan_make(&plan, &jobs, options, &err);
}

static void expect_plan(const char *text)
{
	ck_assert_msg(!make(text, &judging), "%s: %s", text, err.text);
}

static void expect_refusal(
		const char *text, const struct plan_options *options, int code, const char *why)
{
	int r = make(text, options);

	ck_assert_msg(r == code, "%s: %d, not %d: %s", text, r, code, r ? err.text : "planned");
	ck_assert_msg(strstr(err.text, why) != NULL, "no \"%s\" in: %s", why, err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	ck_assert_ptr_null(plan.targets); /* nothing is left */
	ck_assert_ptr_null(plan.stages);
}

/* Files in the scratch directory. */
static int count_files(void)
{
	DIR *dir = opendir(scratch->dir);
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* "a 64k b 1m": makes these files, holes all over. */
static void make_files(const char *list)
{
	char name[64];
	unsigned kib;
	int used;

	for (; sscanf(list, " %63s %uk%n", name, &kib, &used) == 2; list += used)
		disk_file(name, kib * K);
}

static void put_size(FILE *to, uint64_t bytes)
{
	if (bytes == UINT64_MAX)
		fputs("-", to);
	else if (bytes % K)
		fprintf(to, "%ju", (uintmax_t)bytes);
	else
		fprintf(to, "%juk", (uintmax_t)(bytes / K));
}

/* A path as seen from the scratch directory. */
static const char *short_name(const char *path)
{
	size_t n = strlen(scratch->dir);

	if (device && !strcmp(path, device))
		return "&";
	return strncmp(path, scratch->dir, n) ? path : path + n + 1;
}

/* "f 0k+64k g 0k+64k = 128k 7 I/Os; ... | ...": workers behind ';', stages behind '|'. */
static void put_plan(FILE *to)
{
	for (size_t s = 0; s < plan.nstages; s++) {
		for (size_t i = 0; i < plan.stages[s].nworkers; i++) {
			const struct plan_worker *w = &plan.stages[s].workers[i];

			fputs(i ? "; " : s ? " | " : "", to);
			for (size_t f = 0; f < w->nfiles; f++) {
				const struct plan_file *at = &w->files[f];

				ck_assert_uint_eq(at->size_bytes, at->offset + at->length);
				fprintf(to, "%s ", short_name(plan.targets[at->target].path));
				put_size(to, at->offset);
				fputc('+', to);
				put_size(to, at->length);
				fputc(' ', to);
			}
			fputs("= ", to);
			put_size(to, w->limit_bytes);
			if (w->limit_ios != UINT64_MAX)
				fprintf(to, " %ju I/Os", (uintmax_t)w->limit_ios);
		}
	}
}

/* "f 64k": what is laid out over the whole run. */
static void put_layout(FILE *to)
{
	const char *before = "";

	for (size_t i = 0; i < plan.ntargets; i++) {
		if (!plan.targets[i].layout_bytes)
			continue;
		fprintf(to, "%s%s ", before, short_name(plan.targets[i].path));
		put_size(to, plan.targets[i].layout_bytes);
		before = " ";
	}
}

static void expect_put(void (*put)(FILE *to), const char *text, const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	ck_assert_ptr_nonnull(to);
	put(to);
	fclose(to);
	ck_assert_msg(!strcmp(got, expected), "%s: %s\n  expected: %s", text, got, expected);
	free(got);
}

/* ---- sizes, regions, limits ---------------------------------------------------------------- */

static const struct {
	const char *files; /* that are there */
	const char *job;
	const char *plan;
	const char *layout;
} rows[] = {
	/* size */
	{ "", "[j]\nrw=write\nsize=64k\n", "j.0.0 0k+64k = 64k", "" },
	{ "", "[j]\nrw=read\nsize=64k\n", "j.0.0 0k+64k = 64k", "j.0.0 64k" },
	{ "", "[j]\nrw=write\nsize=64k\nnrfiles=4\n",
			"j.0.0 0k+16k j.0.1 0k+16k j.0.2 0k+16k j.0.3 0k+16k = 64k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nnrfiles=3\n",
			"j.0.0 0k+21845 j.0.1 0k+21845 j.0.2 0k+21845 = 60k", "" },
	{ "", "[j]\nrw=read\nsize=30k\nnrfiles=2\n", "j.0.0 0k+15k j.0.1 0k+15k = 24k",
			"j.0.0 15k j.0.1 15k" },
	{ "", "[j]\nrw=write\nsize=66k\n", "j.0.0 0k+66k = 64k", "" },
	{ "", "[j]\nrw=randwrite\nsize=66k\nloops=3\n", "j.0.0 0k+66k = 192k", "" },
	{ "", "[j]\nrw=write\nsize=12k\nbs=8k,4k\n", "j.0.0 0k+12k = 12k", "" },
	{ "", "[j]\nrw=rw\nsize=60k\nbs=4k,8k\n", "j.0.0 0k+60k = 60k", "j.0.0 60k" },
	{ "", "[j]\nrw=write\nsize=66k\nbsrange=4k-12k\n", "j.0.0 0k+66k = 64k", "" },

	/* filesize */
	{ "", "[j]\nrw=write\nfilesize=16k\nnrfiles=4\n",
			"j.0.0 0k+16k j.0.1 0k+16k j.0.2 0k+16k j.0.3 0k+16k = 64k", "" },
	{ "", "[j]\nrw=write\nfilesize=16k\nnrfiles=4\nsize=32k\n",
			"j.0.0 0k+16k j.0.1 0k+16k j.0.2 0k+16k j.0.3 0k+16k = 32k", "" },
	{ "", "[j]\nrw=write\nfilesize=16k\nnrfiles=4\nsize=32k\nloops=3\n",
			"j.0.0 0k+16k j.0.1 0k+16k j.0.2 0k+16k j.0.3 0k+16k = 96k", "" },
	{ "", "[j]\nrw=write\nfilesize=16k\nnrfiles=4\nsize=128k\n",
			"j.0.0 0k+16k j.0.1 0k+16k j.0.2 0k+16k j.0.3 0k+16k = 64k", "" },
	{ "", "[j]\nrw=write\nfilesize=18k\nnrfiles=2\n", "j.0.0 0k+18k j.0.1 0k+18k = 32k", "" },
	{ "", "[j]\nrw=write\nfilesize=16k\noffset=8k\nnrfiles=2\n",
			"j.0.0 8k+8k j.0.1 8k+8k = 16k", "" },
	/* fio: of a file that is not there the percentage is 0. */
	{ "", "[j]\nrw=write\nfilesize=16k\noffset=50%\n", "j.0.0 8k+8k = 8k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nfilesize=64k\n", "ex 0k+64k = 64k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nfilesize=2m\n", "ex 0k+2048k = 2048k",
			"ex 1024k" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nfilesize=64k\nsize=50%\n", "ex 0k+32k = 32k",
			"" },

	/* io_size, loops, number_ios, time_based */
	{ "", "[j]\nrw=write\nsize=64k\nio_size=256k\n", "j.0.0 0k+64k = 256k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=32k\n", "j.0.0 0k+64k = 32k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=10k\n", "j.0.0 0k+64k = 10k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=32k\nloops=3\n", "j.0.0 0k+64k = 96k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=96k\nloops=2\n", "j.0.0 0k+64k = 128k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=50%\n", "j.0.0 0k+64k = 32k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=50%\nloops=3\n", "j.0.0 0k+64k = 96k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nloops=3\n", "j.0.0 0k+64k = 192k", "" },
	{ "", "[j]\nrw=write\nsize=64k\nnumber_ios=3\nloops=2\n", "j.0.0 0k+64k = 128k 6 I/Os",
			"" },
	{ "", "[j]\nrw=write\nsize=64k\nnumber_ios=20\n", "j.0.0 0k+64k = 64k 20 I/Os", "" },
	{ "", "[j]\nrw=write\nsize=64k\nio_size=32k\ntime_based\nruntime=1\n", "j.0.0 0k+64k = -",
			"" },

	/* offset */
	{ "", "[j]\nrw=write\nsize=64k\noffset=64k\n", "j.0.0 64k+64k = 64k", "" },
	{ "", "[j]\nrw=read\nsize=64k\noffset=64k\n", "j.0.0 64k+64k = 64k", "j.0.0 128k" },
	{ "", "[j]\nrw=write\nsize=32k\noffset=8k\nnrfiles=2\n", "j.0.0 8k+16k j.0.1 8k+16k = 32k",
			"" },

	/* files that are there */
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\n", "ex 0k+1024k = 1024k", "" },
	{ "ex 66k", "[j]\nrw=randread\nfilename=ex\nloops=3\n", "ex 0k+66k = 192k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\noffset=960k\n", "ex 960k+64k = 64k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\noffset=960k\nsize=128k\n", "ex 960k+128k = 128k",
			"ex 64k" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nsize=2m\n", "ex 0k+2048k = 2048k", "ex 1024k" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\noffset=2m\nsize=64k\n", "ex 2048k+64k = 64k",
			"ex 1088k" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\nsize=50%\n", "ex 0k+512k = 512k", "" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\nsize=100%\n", "ex 0k+1024k = 1024k", "" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\noffset=50%\n", "ex 512k+512k = 512k", "" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\nsize=50%\noffset=50%\n", "ex 512k+512k = 512k",
			"" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\nsize=50%\noffset=75%\n", "ex 768k+256k = 256k",
			"" },
	{ "ex 1024k", "[j]\nrw=write\nfilename=ex\nsize=33%\noffset=33%\n", "ex 340k+346030 = 336k",
			"" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nio_size=64k\n", "ex 0k+1024k = 64k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\nio_size=50%\n", "ex 0k+1024k = 512k", "" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex:ne\nsize=512k\n", "ex 0k+256k ne 0k+256k = 512k",
			"ne 256k" },

	/* names */
	{ "x 64k y 128k", "[j]\nrw=write\nfilename=x:y\nsize=50%\n", "x 0k+32k y 0k+64k = 96k",
			"" },
	{ "x 64k y 128k", "[j]\nrw=write\nfilename=x:y\n", "x 0k+64k y 0k+128k = 192k", "" },
	{ "", "[j]\nrw=write\nfilename=x\\:1:y\nsize=16k\n", "x:1 0k+8k y 0k+8k = 16k", "" },
	{ "", "[j]\nrw=write\nfilename=x:y:z\nnrfiles=2\nsize=48k\n", "x 0k+24k y 0k+24k = 48k",
			"" },
	{ "", "[j]\nrw=write\nfilename=x:y:z\nnrfiles=1\nsize=48k\n", "x 0k+48k = 48k", "" },
	{ "", "[j]\nrw=write\nfilename=/x\nsize=48k\n", "x 0k+48k = 48k", "" },
	{ "", "[j]\nrw=write\nsize=16k\nnumjobs=3\n",
			"j.0.0 0k+16k = 16k; j.1.0 0k+16k = 16k; j.2.0 0k+16k = 16k", "" },
	{ "", "[j]\nrw=read\nfilename=s\nsize=16k\nnumjobs=3\n",
			"s 0k+16k = 16k; s 0k+16k = 16k; s 0k+16k = 16k", "s 16k" },
	{ "",
			"[j]\nrw=write\nfilename_format=$jobname-$jobnum-$filenum.$x\n"
			"size=16k\nnumjobs=2\nnrfiles=2\n",
			"j-0-0.$x 0k+8k j-0-1.$x 0k+8k = 16k; j-1-0.$x 0k+8k j-1-1.$x 0k+8k = 16k",
			"" },
	{ "", "[a b]\nname=c\nrw=write\nsize=16k\n", "a b.0.0 0k+16k = 16k", "" },
	{ "", "[j]\nfilename_format=$size.$bs-$blocksize$zz$\nrw=write\nsize=16k\n",
			"16k.4k-4k$zz$ 0k+16k = 16k", "" },
	{ "", "[j]\nfilename_format=$jobnum_$bs.$bsrange\nrw=write\nsize=16k\nbsrange=4k-8k\n",
			"0_4k.4k-8k 0k+16k = 16k", "" },
	/* fio: a directory a/. */
	{ "", "[a/b]\nrw=write\nsize=16k\n", "a_b.0.0 0k+16k = 16k", "" },

	/* several jobs: what one writes is not laid out for a later one, which finds its size */
	{ "",
			"[w]\nrw=write\nfilename=f\nsize=64k\n"
			"[r]\nstonewall\nrw=read\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k | f 0k+64k = 64k", "" },
	{ "", "[w]\nrw=write\nfilename=f\nsize=64k\n[r]\nstonewall\nrw=read\nfilename=f\n",
			"f 0k+64k = 64k | f 0k+64k = 64k", "" },
	{ "",
			"[w]\nrw=write\nfilename=f\nsize=64k\n"
			"[r]\nstonewall\nrw=read\nfilename=f\nsize=50%\n",
			"f 0k+64k = 64k | f 0k+32k = 32k", "" },
	{ "",
			"[w]\nrw=write\nfilename=f\nsize=64k\n"
			"[r]\nstonewall\nrw=read\nfilename=f\nsize=96k\n",
			"f 0k+64k = 64k | f 0k+96k = 96k", "f 32k" },
	{ "", "[w]\nrw=write\nfilename=f\nsize=64k\n[r]\nrw=read\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k; f 0k+64k = 64k", "" },
	{ "", "[r]\nrw=read\nfilename=f\nsize=64k\n[w]\nrw=write\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k; f 0k+64k = 64k", "f 64k" },
	{ "",
			"[w]\nrw=write\nfallocate=none\nfilename=f\nsize=64k\n"
			"[r]\nrw=read\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k; f 0k+64k = 64k", "f 64k" },
	{ "",
			"[r]\nrw=read\nfilename=f\nsize=64k\n"
			"[w]\nstonewall\nrw=write\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k | f 0k+64k = 64k", "f 64k" },
	{ "", "[w]\nrw=write\nfilename=f\nsize=64k\noverwrite=1\n", "f 0k+64k = 64k", "f 64k" },
	{ "f 16k", "[w]\nrw=randrw\nfilename=f\nsize=64k\n", "f 0k+64k = 64k", "f 48k" },
	/* Removed behind the last that uses it, and not earlier. */
	{ "",
			"[w]\nrw=write\nfilename=f\nsize=64k\nunlink=1\n"
			"[r]\nstonewall\nrw=read\nfilename=f\nsize=64k\n",
			"f 0k+64k = 64k | f 0k+64k = 64k", "" },
};

START_TEST(test_rows)
{
	int n;

	make_files(rows[_i].files);
	n = count_files();
	expect_plan(rows[_i].job);
	expect_put(put_plan, rows[_i].job, rows[_i].plan);
	expect_put(put_layout, rows[_i].job, rows[_i].layout);
	ck_assert_int_eq(count_files(), n); /* it looks and changes nothing */
	forget();
}
END_TEST

/* A size of its own for each file, between both ends, the same every time. */
START_TEST(test_filesize_range)
{
	static const char text[] = "[j]\nrw=write\nfilesize=4k-40k\nnrfiles=100\nnumjobs=2\n"
				   "randseed=5\n";
	uint64_t sizes[200], sum = 0;
	unsigned differ = 0;

	expect_plan(text);
	for (size_t i = 0; i < 200; i++) {
		const struct plan_worker *w = &plan.stages[0].workers[i / 100];

		sizes[i] = w->files[i % 100].length;
		ck_assert_uint_ge(sizes[i], 4 * K);
		ck_assert_uint_le(sizes[i], 40 * K);
		ck_assert_uint_eq(sizes[i] % (4 * K), 0);
		sum += sizes[i];
		differ += i >= 100 && sizes[i] != sizes[i - 100];
	}
	ck_assert_uint_gt(sum / 200, 18 * K); /* 22k on average */
	ck_assert_uint_lt(sum / 200, 26 * K);
	ck_assert_uint_gt(differ, 50);
	ck_assert_uint_eq(plan.stages[0].workers[0].limit_bytes
					  + plan.stages[0].workers[1].limit_bytes,
			sum);
	expect_plan(text);
	for (size_t i = 0; i < 200; i++)
		ck_assert_uint_eq(plan.stages[0].workers[i / 100].files[i % 100].length, sizes[i]);
	forget();
}
END_TEST

/* Workers take turns with the directories of a list, as in fio. */
START_TEST(test_directories)
{
	const char *own;
	char list[600];

	build("[j]\nrw=write\nsize=16k\nnrfiles=2\nnumjobs=3\n");
	ck_assert_int_eq(mkdir(disk_path("a"), 0755), 0);
	ck_assert_int_eq(mkdir(disk_path("b:c"), 0755), 0);
	snprintf(list, sizeof(list), "%s:%s/b\\:c/", disk_path("a"), scratch->dir);
	own = jobs.list[0].o.directory;
	jobs.list[0].o.directory = list; /* whether a job file may say that is another matter */
	ck_assert_msg(!plan_make(&plan, &jobs, &judging, &err), "%s", err.text);
	expect_put(put_plan, "directories",
			"a/j.0.0 0k+8k a/j.0.1 0k+8k = 16k; b:c/j.1.0 0k+8k b:c/j.1.1 0k+8k = 16k; "
			"a/j.2.0 0k+8k a/j.2.1 0k+8k = 16k");
	jobs.list[0].o.directory = own;
	forget();
}
END_TEST

START_TEST(test_map_bytes)
{
	expect_plan("[j]\nrw=randwrite\nsize=64m\n");
	ck_assert_uint_eq(plan.stages[0].workers[0].map_bytes, 0);
	expect_plan("[j]\nrw=randwrite\nsize=64m\nbsrange=4k-64k\n");
	ck_assert_uint_eq(plan.stages[0].workers[0].map_bytes, 2 * K);
	expect_plan("[j]\nrw=randwrite\nsize=64m\nbsrange=4k-64k\nnorandommap\n");
	ck_assert_uint_eq(plan.stages[0].workers[0].map_bytes, 0);
	expect_plan("[j]\nrw=randrw\nsize=64m\nbs=4k,8k\n");
	ck_assert_uint_eq(plan.stages[0].workers[0].map_bytes, 2 * K);
	forget();
}
END_TEST

/* ---- targets ------------------------------------------------------------------------------- */

/* Each path once, with what all of its users need and do. */
START_TEST(test_targets)
{
	const struct plan_target *t;

	make_files("f 16k");
	expect_plan("[a]\nrw=read\nfilename=f\nsize=16k\n"
		    "[b]\nstonewall\nrw=write\nfilename=f:g\nsize=128k\n"
		    "[c]\nstonewall\nrw=read\nfilename=g\nsize=8k\nunlink=1\nnumjobs=2\n"
		    "[d]\nioengine=null\nfilename=f\nsize=1m\n");
	ck_assert_uint_eq(plan.ntargets, 3);
	t = &plan.targets[0];
	ck_assert_str_eq(short_name(t->path), "f");
	ck_assert_int_eq(t->look.kind, TARGET_REGULAR);
	ck_assert_uint_eq(t->size_bytes, 64 * K);
	ck_assert_uint_eq(t->first_stage, 0);
	ck_assert_uint_eq(t->last_stage, 1);
	ck_assert(t->written && !t->unlinker && !t->missing);
	t = &plan.targets[1];
	ck_assert_str_eq(short_name(t->path), "g");
	ck_assert_int_eq(t->look.kind, TARGET_ABSENT);
	ck_assert_uint_eq(t->first_stage, 1);
	ck_assert_uint_eq(t->last_stage, 2);
	ck_assert(t->written && t->unlinker);
	/* What an engine calls by the same name is another thing. */
	t = &plan.targets[2];
	ck_assert_str_eq(short_name(t->path), "f");
	ck_assert_int_eq(t->look.kind, TARGET_ENGINE);
	ck_assert_ptr_eq(t->engine, jobs.list[3].engine);
	ck_assert_uint_eq(plan.nplaces, 1);
	ck_assert_str_eq(plan.places[0].directory, scratch->dir);
	ck_assert_uint_gt(plan.places[0].free_bytes, 0);
	ck_assert_uint_eq(plan.places[0].need_bytes, 128 * K);
	forget();
}
END_TEST

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

enum { EACH = 1000 };

/* CPU time for n files, EACH of them a worker's. */
static double plan_many(unsigned n)
{
	struct layout layout;
	char text[100];
	double begin;

	snprintf(text, sizeof(text), "[j]\nrw=read\nnumjobs=%u\nnrfiles=%d\nfilesize=4k\n",
			n / EACH, EACH);
	build(text);
	begin = cpu_seconds();
	ck_assert_msg(!plan_make(&plan, &jobs, &judging, &err), "%s", err.text);
	ck_assert_msg(!layout_make(&layout, &plan, 0, jobs.list[0].engine, &err), "%s", err.text);
	begin = cpu_seconds() - begin;
	ck_assert_uint_eq(plan.ntargets, n);
	ck_assert_uint_eq(layout.bytes, n * 4 * K);
	layout_free(&layout);
	return begin;
}

/* The time grows with the number of files, not with its square. */
START_TEST(test_many_files)
{
	double some = plan_many(10000), many = plan_many(100000);

	ck_assert_msg(many < 30 * some + 0.1, "%.2f s for 10000 files, %.2f s for 100000", some,
			many);
	for (size_t i = 0; i < plan.ntargets; i++) {
		char name[32];

		snprintf(name, sizeof(name), "j.%zu.%zu", i / EACH, i % EACH);
		ck_quick(!strcmp(short_name(plan.targets[i].path), name));
		ck_quick(plan.stages[0].workers[i / EACH].files[i % EACH].target == i);
	}
	forget();
}
END_TEST

/* Neighbours of a file that is not there are still looked at one by one. */
START_TEST(test_neighbours)
{
	make_files("b 64k");
	ck_assert_int_eq(mkdir(disk_path("d"), 0755), 0);
	expect_plan("[j]\nrw=write\nfilename=a:b:c:d/e:f\nsize=80k\n");
	ck_assert_int_eq(plan.targets[0].look.kind, TARGET_ABSENT);
	ck_assert_int_eq(plan.targets[1].look.kind, TARGET_REGULAR);
	ck_assert_int_eq(plan.targets[2].look.kind, TARGET_ABSENT);
	ck_assert_int_eq(plan.targets[3].look.kind, TARGET_ABSENT);
	expect_refusal("[j]\nrw=write\nfilename=a:d\nsize=80k\n", &judging, -EISDIR,
			"a directory where a file is expected");
	expect_refusal("[j]\nrw=write\nfilename=a:c:n/x\nsize=80k\n", &judging, -ENOENT,
			"/n does not exist");
	ck_assert_int_eq(symlink("nowhere", disk_path("l")), 0);
	expect_refusal("[j]\nrw=write\nfilename=a:l\nsize=80k\n", &judging, -ENOENT,
			"a symbolic link to a file that does not exist");
	forget();
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------ */

static const struct {
	const char *files;
	const char *job; /* from line 4 on */
	int code;
	const char *why;
} refusals[] = {
	{ "", "[j]\nrw=write\n", EINVAL, "job.ini:4: [j]: no size is known: " },
	{ "", "[j]\nrw=read\nio_size=64k\n", EINVAL, "j.0.0 is not there yet; set size= in bytes" },
	{ "", "[j]\nrw=write\nsize=50%\n", EINVAL, "j.0.0 is not there yet" },
	{ "", "[j]\nrw=write\nsize=64k\noffset=50%\n", EINVAL, "j.0.0 is not there yet" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex:ne\n", EINVAL, "/ne is not there yet" },
	{ "ex 0k", "[j]\nrw=read\nfilename=ex\n", EINVAL, "/ex is empty" },
	{ "", "[j]\nrw=read\nfilename=/dev/zero\ndirectory=/\n", EINVAL, "/dev/zero has none" },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\noffset=2m\n", EINVAL,
			"job.ini:7: offset = 2m: behind the end of " },
	{ "ex 1024k", "[j]\nrw=read\nfilename=ex\noffset=1m\n", EINVAL, "which has 1 MiB" },
	{ "", "[j]\nrw=write\nfilesize=16k\noffset=20k\n", EINVAL,
			"job.ini:7: offset = 20k: behind the end of " },
	{ "", "[j]\nrw=write\nsize=64k\nbs=128k\n", EINVAL,
			"job.ini:7: bs = 128k: more than the 64 KiB of " },
	{ "", "[j]\nrw=write\nsize=64k\nbsrange=128k-1m\n", EINVAL,
			"job.ini:7: bsrange = 128k: more than the 64 KiB of " },
	{ "ex 66k", "[j]\nrw=read\nfilename=ex\nbs=128k\n", EINVAL, "more than the 66 KiB of " },
	{ "", "[j]\nrw=write\nsize=8k\nnrfiles=4\n", EINVAL,
			"job.ini:2: bs = 4k: more than the 2 KiB" },
	{ "", "[j]\nrw=write\nsize=2\nnrfiles=4\n", EINVAL, "bs = 4k: more than the 0" },
	{ "", "[j]\nrw=rw\nsize=4k\nbs=4k,8k\n", EINVAL, "bs = 8k: more than the 4 KiB" },
	{ "", "[j]\nrw=write\nsize=64k\nfilename=no/x\n", ENOENT, "job.ini:7: " },
	{ "", "[j]\nrw=write\nsize=64k\nfilename=.\n", EISDIR,
			"a directory where a file is expected" },
	{ "", "[j]\nrw=write\nsize=64k\ndirectory=@/no\n", ENOENT, "job.ini:7: " },
	{ "", "[j]\nrw=write\nsize=900t\n", ENOSPC, "the files need 900 TiB" },
	{ "", "[a]\nrw=write\nsize=1m\n[j]\nstonewall\nrw=read\nsize=900t\n", ENOSPC,
			"make them smaller (size=, postmark_size=) or use another directory" },
	{ "", "[j]\nrw=write\nsize=8000p\nnumjobs=4\n", ENOSPC, "the files need" },
};

START_TEST(test_refusals)
{
	int n;

	make_files(refusals[_i].files);
	n = count_files();
	expect_refusal(refusals[_i].job, &judging, -refusals[_i].code, refusals[_i].why);
	ck_assert_int_eq(count_files(), n);
	forget();
}
END_TEST

/* What O_DIRECT asks for. */
static const struct {
	const char *job;
	const char *why; /* NULL: fine */
} alignments[] = {
	{ "[j]\nrw=write\ndirect=1\nsize=64k\n", NULL },
	{ "[j]\nrw=write\ndirect=1\nsize=66k\noffset=8k\n", NULL },
	{ "[j]\nrw=write\ndirect=1\nsize=64k\nbs=1000\n",
			"job.ini:8: bs = 1000: must be a multiple of" },
	{ "[j]\nrw=write\ndirect=1\nsize=64k\nbs=100,4k\n", NULL }, /* it does not read */
	{ "[j]\nrw=rw\ndirect=1\nsize=64k\nbs=100,4k\n", "bs = 100: must be a multiple of" },
	{ "[j]\nrw=write\ndirect=1\nsize=64k\nbsrange=4k-4100\n",
			"job.ini:8: bsrange = 4100: must be a multiple of" },
	{ "[j]\nrw=write\ndirect=1\nsize=64k\noffset=100\n",
			"job.ini:8: offset = 100: must be a multiple of" },
	{ "[j]\nrw=write:100\ndirect=1\nsize=64k\n",
			"job.ini:5: rw = write:100: must be a multiple of" },
	{ "[j]\nrw=write:-8k\ndirect=1\nsize=65000\n",
			"job.ini:5: rw = write:-8k: goes back from the end, and size must be a "
			"multiple of" },
	{ "[j]\nrw=write:8k\ndirect=1\nsize=65000\n", NULL },
	{ "[j]\nrw=write\ndirect=1\nsize=64k\nzonemode=strided\nzonesize=8k\nzoneskip=100\n",
			"job.ini:8: zonemode = strided: zonerange and zoneskip together must be a "
			"multiple of" },
	{ "[j]\nrw=write\nsize=64k\nbs=1000\noffset=100\n", NULL },
	{ "[j]\nrw=write\ndirect=1\nfilename=odd\nsize=33%\noffset=33%\n", NULL },
};

START_TEST(test_alignment)
{
	struct target target;

	disk_file("odd", 1000001);
	ck_assert_int_eq(target_look(&target, disk_path("odd"), &err), 0);
	if (!target.direct || target.offset_align > 4096) {
		disk_skip("no O_DIRECT with 4k blocks in %s", scratch->dir);
		return;
	}
	if (alignments[_i].why)
		expect_refusal(alignments[_i].job, &judging, -EINVAL, alignments[_i].why);
	else
		expect_plan(alignments[_i].job);
	forget();
}
END_TEST

/* --readonly: nothing is written, not even to lay out. */
START_TEST(test_readonly)
{
	static const struct plan_options readonly = { .readonly = true, .judge_machine = true };

	make_files("ex 64k");
	ck_assert_int_eq(make("[j]\nrw=randread\nfilename=ex\n", &readonly), 0);
	expect_refusal("[j]\nfilename=ex\nrw=write\n", &readonly, -EPERM,
			"job.ini:6: [j] would write, and --readonly was given");
	expect_refusal("[j]\nfilename=ex\nrw=randrw\n", &readonly, -EPERM, "would write");
	expect_refusal("[j]\nfilename=ex\nrw=read\nsize=128k\n", &readonly, -EPERM,
			"would have to be written before it is read");
	forget();
}
END_TEST

/* ---- permissions --------------------------------------------------------------------------- */

static const struct {
	mode_t mode; /* of ex, 64 KiB, somebody else's */
	const char *job;
	const char *why; /* NULL: fine */
} permissions[] = {
	{ 0644, "[j]\nrw=read\nfilename=ex\n", NULL },
	{ 0644, "[j]\nrw=write\nfilename=ex\n", "job.ini:6: " },
	{ 0644, "[j]\nrw=randrw\nfilename=ex\n", "no permission to write to it" },
	{ 0644, "[j]\nrw=read\nfilename=ex\nsize=128k\n", "no permission to write to it" },
	{ 0666, "[j]\nrw=write\nfilename=ex\n", NULL },
	{ 0666, "[j]\nrw=read\nfilename=ex\nsize=128k\n", NULL },
	{ 0600, "[j]\nrw=read\nfilename=ex\n", "no permission to read it" },
	{ 0602, "[j]\nrw=read\nfilename=ex\n", "no permission to read it" },
	{ 0644, "[j]\nrw=write\nsize=4k\nfilename=new\n", "no permission to create it" },
	{ 0644, "[j]\nrw=read\nsize=4k\nfilename=new\n", "no permission to create it" },
};

START_TEST(test_permissions)
{
	struct plan_options parsing = { 0 };
	int r;

	if (geteuid() != 0) {
		disk_skip("becoming another user needs root");
		return;
	}
	make_files("ex 64k");
	ck_assert_int_eq(chmod(disk_path("ex"), permissions[_i].mode), 0);
	build(permissions[_i].job);
	ck_assert_int_eq(seteuid(NOBODY), 0);
	r = plan_make(&plan, &jobs, &judging, &err);
	ck_assert_int_eq(seteuid(0), 0);
	if (permissions[_i].why) {
		ck_assert_int_eq(r, -EACCES);
		ck_assert_msg(strstr(err.text, permissions[_i].why) != NULL, "%s", err.text);
		ck_assert_ptr_nonnull(strstr(err.text, "job.ini:"));
	} else {
		ck_assert_msg(!r, "%s", err.text);
	}
	/* Whose files they are here is no matter of the job file. */
	plan_free(&plan);
	ck_assert_int_eq(seteuid(NOBODY), 0);
	r = plan_make(&plan, &jobs, &parsing, &err);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_msg(!r, "%s", err.text);
	forget();
}
END_TEST

/* ---- what this machine cannot do ----------------------------------------------------------- */

/* /proc knows no O_DIRECT, on any machine. */
START_TEST(test_optional)
{
	static const char text[] = "[a]\nrw=read\ndirectory=/\nfilename=@/ex:/proc/"
				   "version\nsize=8k\nunlink=1\n"
				   "direct=1\noptional=%d\nnumjobs=2\n"
				   "[b]\nrw=write\ndirectory=@\nsize=64k\n";
	char job[400];

	make_files("ex 64k");
	snprintf(job, sizeof(job), text, 0);
	expect_refusal(job, &judging, -EOPNOTSUPP, "job.ini:10: direct = 1: the filesystem of ");
	snprintf(job, sizeof(job), text, 1);
	expect_plan(job);
	ck_assert_ptr_nonnull(jobs.list[0].skipped);
	ck_assert_msg(strstr(jobs.list[0].skipped, "has no O_DIRECT") != NULL, "%s",
			jobs.list[0].skipped);
	ck_assert_ptr_null(jobs.list[1].skipped);
	/* Nothing of it is left: above all no file that would be removed. */
	ck_assert_uint_eq(plan.stages[0].nworkers, 1);
	ck_assert_uint_eq(plan.ntargets, 1);
	ck_assert_str_eq(short_name(plan.targets[0].path), "b.0.0");
	expect_put(put_plan, "optional", "b.0.0 0k+64k = 64k");
	forget();
}
END_TEST

static int refuse_all(const struct iojob_setup *setup)
{
	return iojob_error(setup, EPERM, "%u workers of %u files at depth %u: not here",
			setup->workers, setup->nfiles, setup->depth);
}

/* An engine that says no, and what it is told. */
START_TEST(test_engine_check)
{
	struct engine engine;

	for (int optional = 0; optional < 2; optional++) {
		build("[a]\nrw=write\nfilename=x:y:z\nsize=64k\nnumjobs=2\niodepth=4\n"
		      "ioengine=libaio\n[b]\nrw=write\nsize=64k\n");
		engine = *jobs.list[0].engine;
		engine.e.check = refuse_all;
		jobs.list[0].engine = &engine;
		jobs.list[0].o.optional = optional;
		if (!optional) {
			ck_assert_int_eq(plan_make(&plan, &jobs, &judging, &err), -EOPNOTSUPP);
			ck_assert_ptr_nonnull(strstr(err.text,
					"job.ini:10: ioengine = libaio: 2 workers of 3 files at "
					"depth 4: not here"));
			continue;
		}
		ck_assert_msg(!plan_make(&plan, &jobs, &judging, &err), "%s", err.text);
		ck_assert_ptr_nonnull(strstr(jobs.list[0].skipped, "not here"));
		expect_put(put_plan, "skipped", "b.0.0 0k+64k = 64k");
	}
	/* --parse-only does not ask. */
	plan_free(&plan);
	free(jobs.list[0].skipped);
	jobs.list[0].skipped = NULL;
	ck_assert_int_eq(plan_make(&plan, &jobs, &(struct plan_options){ 0 }, &err), 0);
	ck_assert_ptr_null(jobs.list[0].skipped);
	forget();
}
END_TEST

/* --parse-only judges the file: what is not on this machine is noted. */
START_TEST(test_parse_only)
{
	static const struct plan_options parsing = { 0 };
	char *got = NULL;
	size_t size;
	FILE *to;

	ck_assert_int_eq(make("[a]\nrw=read\ndirectory=@/no\nfilename=x\n"
			      "[b]\nrw=write\ndirectory=@/no\nsize=64k\nloops=3\n"
			      "[c]\nrw=read\ndirectory=@\nfilename=absent\nloops=2\n",
					 &parsing),
			0);
	ck_assert(plan.targets[0].missing && plan.targets[1].missing && plan.targets[2].missing);
	ck_assert_uint_eq(plan.stages[0].workers[1].limit_bytes, 192 * K);
	to = open_memstream(&got, &size);
	ck_assert_ptr_nonnull(to);
	plan_print(to, &plan);
	fclose(to);
	ck_assert_msg(strstr(got, "/no/x, all of it, not on this machine\n    ends after one "
				  "pass\n")
					!= NULL,
			"%s", got);
	ck_assert_msg(strstr(got, "/no/b.0.0, 64 KiB, not on this machine\n"
				  "    ends after 192 KiB\n")
					!= NULL,
			"%s", got);
	ck_assert_msg(strstr(got, "/absent, all of it, not on this machine\n"
				  "    ends after 2 passes\n")
					!= NULL,
			"%s", got);
	free(got);
	/* What is wrong with the file itself is wrong everywhere. */
	expect_refusal("[b]\nrw=write\ndirectory=@/no\nsize=64k\nbs=1m\n", &parsing, -EINVAL,
			"bs = 1m: more than the 64 KiB");
	forget();
}
END_TEST

/* So many files cannot be open at once; threads are one process, and names are no files. */
START_TEST(test_descriptors)
{
	struct rlimit before, limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = (struct rlimit){ 200, 200 };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0); /* of this test's process */
	expect_plan("[j]\nrw=write\nfilesize=4k\nnrfiles=100\nnumjobs=3\n");
	expect_plan("[j]\nrw=write\nfilesize=4k\nnrfiles=100\nthread\n[k]\nstonewall\nrw=write\n"
		    "filesize=4k\nnrfiles=100\nthread\n");
	expect_plan("[j]\nrw=write\nfilesize=4k\nnrfiles=300\nioengine=null\n");
	expect_refusal("[j]\nrw=write\nfilesize=4k\nnrfiles=200\n", &judging, -EMFILE,
			"job.ini:4: [j]: 200 files at once: a process may open 200 (ulimit -Hn)");
	expect_refusal("[j]\nrw=write\nfilesize=4k\nnrfiles=100\nthread\n[k]\nrw=write\n"
		       "filesize=4k\nnrfiles=100\nthread\n",
			&judging, -EMFILE, "job.ini:9: [k]: 200 files at once, by all threads");
	forget();
	(void)setrlimit(RLIMIT_NOFILE, &before);
}
END_TEST

/* ---- space --------------------------------------------------------------------------------- */

static void expect_need(const char *text, uint64_t bytes)
{
	expect_plan(text);
	ck_assert_uint_eq(plan.nplaces, 1);
	ck_assert_msg(plan.places[0].need_bytes == bytes, "%s: %ju, not %ju", text,
			(uintmax_t)plan.places[0].need_bytes, (uintmax_t)bytes);
}

START_TEST(test_space)
{
	struct stat st;
	uint64_t have;

	ck_assert_int_eq(target_create(disk_path("full"), 256 * K, TARGET_ALLOCATE_POSIX, true,
					 &err),
			0);
	ck_assert_int_eq(stat(disk_path("full"), &st), 0);
	have = (uint64_t)st.st_blocks * 512;
	make_files("hole 256k");
	expect_need("[j]\nrw=write\nsize=64k\n", 64 * K);
	expect_need("[j]\nrw=read\nsize=64k\nnumjobs=3\n", 192 * K);
	expect_need("[j]\nrw=write\nfilename=s\nsize=64k\nnumjobs=3\n", 64 * K);
	expect_need("[j]\nrw=write\nfilename=full\n", 0);
	expect_need("[j]\nrw=write\nfilename=full\nsize=1m\n", 1024 * K - have);
	expect_need("[j]\nrw=write\nfilename=hole\n", 256 * K);
	expect_need("[j]\nrw=read\nfilename=hole\n", 0);
	/* What an earlier stage removes is there for a later one. */
	expect_need("[a]\nrw=write\nfilename=a\nsize=64k\nunlink=1\n"
		    "[b]\nstonewall\nrw=write\nfilename=b\nsize=96k\n",
			96 * K);
	expect_need("[a]\nrw=write\nfilename=a\nsize=64k\n"
		    "[b]\nstonewall\nrw=write\nfilename=b\nsize=96k\nunlink=1\n"
		    "[c]\nstonewall\nrw=write\nfilename=c\nsize=16k\n",
			160 * K);
	/* Also a file that was there before the run. */
	expect_need("[a]\nrw=read\nfilename=full\nunlink=1\n"
		    "[b]\nstonewall\nrw=write\nfilename=b\nsize=64k\n",
			0);
	expect_need("[a]\nrw=read\nfilename=full\nunlink=1\n"
		    "[b]\nstonewall\nrw=write\nfilename=b\nsize=1m\n",
			1024 * K - have);
	forget();
}
END_TEST

START_TEST(test_small_filesystem)
{
	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "small", "tmpfs", 0, "size=1m"))
		return;
	expect_refusal("[j]\nrw=write\ndirectory=@/small\nsize=512k\nnumjobs=3\n", &judging,
			-ENOSPC, "/small: the files need 1.50 MiB, and 1 MiB is free");
	expect_plan("[j]\nrw=write\ndirectory=@/small\nsize=512k\nnumjobs=2\n"
		    "[k]\nrw=write\ndirectory=@\nsize=64k\n");
	/* One of each filesystem. */
	ck_assert_uint_eq(plan.nplaces, 2);
	ck_assert_str_eq(short_name(plan.places[0].directory), "small");
	ck_assert_str_eq(plan.places[0].filesystem, "tmpfs");
	ck_assert_uint_eq(plan.places[0].need_bytes, 1024 * K);
	ck_assert_uint_eq(plan.places[0].free_bytes, 1024 * K);
	ck_assert_str_eq(plan.places[1].directory, scratch->dir);
	ck_assert_uint_eq(plan.places[1].need_bytes, 64 * K);
	forget();
}
END_TEST

START_TEST(test_few_inodes)
{
	if (geteuid() != 0) {
		disk_skip("mounting needs root");
		return;
	}
	if (!disk_namespace() || !disk_mount("none", "few", "tmpfs", 0, "size=1m,nr_inodes=41"))
		return;
	expect_plan("[j]\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=40\n");
	expect_refusal("[j]\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=41\n", &judging,
			-ENOSPC, "/few: 41 files and directories are to be made, and its "
			"filesystem has room for 40 (df -i); make fewer");
	/* 30 files, their directory, 4 in it, 5 others; and those of the next stage come after. */
#define POSTMARK "workload=postmark\npostmark_size=100\npostmark_transactions=0\n" \
	"postmark_subdirectories=4\ndirectory=@/few\n"
	expect_plan("[j]\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=4\n"
		    "[p]\n" POSTMARK "postmark_number=30\n"
		    "[q]\nstonewall\n" POSTMARK "postmark_number=30\n");
	/* What is removed in between makes room. */
	expect_plan("[j]\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=30\nunlink=1\n"
		    "[k]\nstonewall\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=40\n");
	expect_refusal("[j]\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=30\n"
		       "[k]\nstonewall\nrw=write\ndirectory=@/few\nsize=4k\nnumjobs=11\n",
			&judging, -ENOSPC, "/few: 41 files and directories");
	expect_refusal("[p]\n" POSTMARK "postmark_number=36\n", &judging, -ENOSPC,
			"/few: 41 files and directories");
	expect_refusal("[p]\nnumjobs=2\n" POSTMARK "postmark_number=20\n", &judging, -ENOSPC,
			"/few: 50 files and directories");
	forget();
}
END_TEST

/* ---- block devices ------------------------------------------------------------------------- */

static void expect_device(const char *text, const char *expected)
{
	expect_plan(text);
	expect_put(put_plan, text, expected);
	ck_assert_uint_eq(plan.targets[0].layout_bytes, 0);
	ck_assert(!plan.targets[0].unlinker);
}

/* Never beyond its end, whatever size says; it is neither laid out nor removed. */
START_TEST(test_device)
{
	struct disk_loop loop;

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)))
		return;
	device = loop.path;
	expect_device("[j]\nrw=write\ndirectory=/\nfilename=&\nunlink=1\n", "& 0k+16384k = 16384k");
	expect_device("[j]\nrw=read\ndirectory=/\nfilename=&\nsize=32m\n", "& 0k+16384k = 16384k");
	expect_device("[j]\nrw=read\ndirectory=/\nfilename=&\nfilesize=32m\n",
			"& 0k+16384k = 16384k");
	expect_device("[j]\nrw=read\ndirectory=/\nfilename=&\nsize=16m\noffset=12m\n",
			"& 12288k+4096k = 4096k");
	expect_device("[j]\nrw=read\ndirectory=/\nfilename=&\nsize=1m\noffset=50%\n",
			"& 8192k+1024k = 1024k");
	forget();
	disk_detach(&loop);
}
END_TEST

START_TEST(test_device_refusals)
{
	struct disk_loop loop;
	const char *const devices[] = { loop.path };
	struct plan_options allowed = { .judge_machine = true, .devices = devices, .ndevices = 1 };

	if (!disk_attach(&loop, disk_file("image", 16 * MIB)))
		return;
	device = loop.path;
	expect_refusal("[j]\nrw=read\ndirectory=/\nfilename=&\nsize=1m\noffset=20m\n", &judging,
			-EINVAL, "job.ini:9: offset = 20m: behind the end of");
	expect_refusal("[j]\nrw=read\ndirectory=/\nfilename=&\noffset=16m\n", &judging, -EINVAL,
			"which has 16 MiB");
	if (disk_mkfs("mkfs.ext4 -q", loop.path)) {
		expect_refusal("[j]\nrw=write\nnumjobs=2\ndirectory=/\nfilename=&\n", &judging,
				-EBUSY, "job.ini:8: ");
		expect_refusal("[j]\nrw=randrw\ndirectory=/\nfilename=&\n", &judging, -EBUSY,
				"holds a filesystem (ext4)");
		expect_plan("[j]\nrw=read\ndirectory=/\nfilename=&\n");
		ck_assert_msg(!make("[j]\nrw=write\ndirectory=/\nfilename=&\n", &allowed), "%s",
				err.text);
	}
	forget();
	disk_detach(&loop);
}
END_TEST

/* ---- layout -------------------------------------------------------------------------------- */

/* "f 16k+48k g 0k+64k; ...": what each writer writes. */
static struct layout layout;

static void put_writers(FILE *to)
{
	for (size_t i = 0; i < layout.nworkers; i++) {
		const struct plan_worker *w = &layout.workers[i];
		uint64_t sum = 0;

		ck_assert(w->layout);
		ck_assert(job_does(w->job, IOJOB_WRITE) && w->job->o.end_fsync);
		ck_assert_uint_eq(w->limit_ios, UINT64_MAX);
		fputs(i ? "; " : "", to);
		for (size_t f = 0; f < w->nfiles; f++) {
			fprintf(to, "%s%s ", f ? " " : "",
					short_name(plan.targets[w->files[f].target].path));
			put_size(to, w->files[f].offset);
			fputc('+', to);
			put_size(to, w->files[f].length);
			sum += w->files[f].length;
		}
		ck_assert_uint_eq(w->limit_bytes, sum);
	}
}

static void expect_layout(size_t stage, const char *expected, uint64_t bytes)
{
	ck_assert_msg(!layout_make(&layout, &plan, stage, jobs.list[0].engine, &err), "%s",
			err.text);
	expect_put(put_writers, "layout", expected);
	ck_assert_uint_eq(layout.bytes, bytes);
	layout_free(&layout);
}

START_TEST(test_layout)
{
	make_files("part 16k whole 64k");
	expect_plan("[r]\nrw=read\nfilename=part:whole:a:b:c:d:e\nsize=448k\n"
		    "[w]\nrw=write\nfilename=x\nsize=64k\n"
		    "[more]\nrw=randrw\nfilename=b:whole\nsize=192k\n");
	expect_layout(0,
			"part 16k+48k d 0k+64k; a 0k+64k e 0k+64k; b 0k+96k whole 64k+32k; c "
			"0k+64k",
			(48 + 64 + 64 + 64 + 96 + 64 + 32) * K);
	forget();
}
END_TEST

/* What is there when the stage begins counts, not what was when it was planned. */
START_TEST(test_layout_later)
{
	expect_plan("[w]\nrw=write\nfilename=f\nsize=64k\nnumber_ios=2\n"
		    "[r]\nstonewall\nrw=read\nfilename=f\n"
		    "[o]\nstonewall\nrw=write\noverwrite=1\nfilename=g\nsize=8k\n");
	expect_layout(0, "", 0);
	expect_layout(1, "f 0k+64k", 64 * K); /* nobody has run */
	make_files("f 8k");
	expect_layout(1, "f 8k+56k", 56 * K);
	make_files("f 64k");
	expect_layout(1, "", 0);
	expect_layout(2, "g 0k+8k", 8 * K);
	forget();
}
END_TEST

static uint64_t engine_size;

static int fake_info(
		const struct iojob_setup *setup, const char *path, struct iojob_file_info *info)
{
	(void)setup;
	info->exists = strcmp(short_name(path), "there") == 0;
	info->size_bytes = engine_size;
	return 0;
}

/* Files that only an engine knows are laid out by it, beside the others. */
START_TEST(test_layout_engine)
{
	struct engine engine;

	build("[f]\nrw=read\nfilename=f\nsize=64k\n"
	      "[e]\nrw=read\nioengine=null\nfilename=there:not\nsize=64k\n"
	      "[g]\nrw=read\nfilename=g\nsize=64k\n");
	engine = *jobs.list[1].engine;
	engine.e.file_info = fake_info;
	jobs.list[1].engine = &engine;
	engine_size = 32 * K;
	ck_assert_msg(!plan_make(&plan, &jobs, &judging, &err), "%s", err.text);
	ck_assert_int_eq(layout_make(&layout, &plan, 0, jobs.list[0].engine, &err), 0);
	expect_put(put_writers, "engines", "f 0k+64k; g 0k+64k; not 0k+32k");
	ck_assert_ptr_eq(layout.workers[0].job->engine, jobs.list[0].engine);
	ck_assert_ptr_eq(layout.workers[1].job->engine, jobs.list[0].engine);
	ck_assert_ptr_eq(layout.workers[2].job->engine, &engine);
	layout_free(&layout);
	forget();
}
END_TEST

/* ---- the plan in words --------------------------------------------------------------------- */

static const char *const lines[] = {
	" 256 KiB needed, ",
	"2 files are laid out before they are read: 128 KiB\n",
	"stage 1 of 2\n",
	"  r: randread 4k, libaio depth 8\n",
	"/r.0.0 .. @/r.0.1 (2 files), 128 KiB\n",
	"    ends after 128 KiB or 10 s, whichever is first\n",
	"  w: write 4k-64k, psync, 3 threads\n",
	"    @/s, 64 KiB\n",
	"    ends after 192 KiB, 1,500 I/Os or 20 s, whichever is first, each\n",
	"stage 2 of 2\n",
	"  m: randrw 4k-8k/16k-32k, psync\n",
	"    @/old, 64 KiB, exists and is overwritten\n",
	"    8 B of memory for the random order of mixed block sizes\n",
	"    ends after 10 s\n",
};

START_TEST(test_print)
{
	char *got = NULL, want[512];
	size_t size;
	FILE *to;

	make_files("old 64k");
	expect_plan("[r]\nrw=randread\nsize=128k\nnrfiles=2\nioengine=libaio\niodepth=8\n"
		    "iodepth_batch_complete_min=1\nruntime=10\n"
		    "[w]\nrw=write\nbsrange=4k-64k\nfilename=s\nsize=64k\nloops=3\nnumber_ios=500\n"
		    "numjobs=3\nthread\nruntime=20\n"
		    "[m]\nstonewall\nrw=randrw\nfilename=old\nbsrange=4k-8k,16k-32k\ntime_based\n"
		    "runtime=10\n");
	to = open_memstream(&got, &size);
	ck_assert_ptr_nonnull(to);
	plan_print(to, &plan);
	fclose(to);
	for (int i = 0; i < ROWS(lines); i++) {
		const char *at = strchr(lines[i], '@');

		snprintf(want, sizeof(want), "%.*s%s%s",
				at ? (int)(at - lines[i]) : (int)strlen(lines[i]), lines[i],
				at ? scratch->dir : "", at ? at + 1 : "");
		ck_assert_msg(strstr(got, want) != NULL, "no \"%s\" in:\n%s", want, got);
	}
	free(got);
	forget();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *tc = tcase_create("plan");

	disk_fixtures(tc);
	tcase_add_loop_test(tc, test_rows, 0, ROWS(rows));
	tcase_add_test(tc, test_filesize_range);
	tcase_add_test(tc, test_directories);
	tcase_add_test(tc, test_map_bytes);
	tcase_add_test(tc, test_targets);
	tcase_add_test(tc, test_many_files);
	tcase_add_test(tc, test_neighbours);
	tcase_add_loop_test(tc, test_refusals, 0, ROWS(refusals));
	tcase_add_loop_test(tc, test_alignment, 0, ROWS(alignments));
	tcase_add_test(tc, test_readonly);
	tcase_add_loop_test(tc, test_permissions, 0, ROWS(permissions));
	tcase_add_test(tc, test_optional);
	tcase_add_test(tc, test_engine_check);
	tcase_add_test(tc, test_parse_only);
	tcase_add_test(tc, test_descriptors);
	tcase_add_test(tc, test_space);
	tcase_add_test(tc, test_small_filesystem);
	tcase_add_test(tc, test_few_inodes);
	tcase_add_test(tc, test_device);
	tcase_add_test(tc, test_device_refusals);
	tcase_add_test(tc, test_layout);
	tcase_add_test(tc, test_layout_later);
	tcase_add_test(tc, test_layout_engine);
	tcase_add_test(tc, test_print);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
