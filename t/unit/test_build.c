// SPDX-License-Identifier: MIT
/*
 * From a job file to jobs. The engines are made up: a directory of empty files stands for them, and
 * the list of what is loaded already says what is in them.
 */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../core/job/job.h"

/* ---- engines ------------------------------------------------------------------------------- */

struct fake_conf {
	int batch;
	const char *label;
	bool poll;
	bool must;
};

static const struct iojob_option ring_options[] = {
	{
			.name = "ring_batch",
			.alias = "rb",
			.type = IOJOB_OPT_INT,
			IOJOB_MEMBER(struct fake_conf, batch),
			.def = "4",
			.min = 1,
			.max = 99,
			.help = "entries at once",
	},
	{
			.name = "ring_label",
			.type = IOJOB_OPT_STRING,
			IOJOB_MEMBER(struct fake_conf, label),
			.help = "a text",
	},
	{
			.name = "hipri",
			.type = IOJOB_OPT_BOOL,
			IOJOB_MEMBER(struct fake_conf, poll),
			.help = "polls",
	},
	{ .name = NULL },
};

static const struct iojob_option strict_options[] = {
	{
			.name = "must",
			.type = IOJOB_OPT_BOOL,
			.flags = IOJOB_OPT_REQUIRED,
			IOJOB_MEMBER(struct fake_conf, must),
			.help = "what it cannot do without",
	},
	{ .name = NULL },
};

static void execute(struct iojob_worker *w, struct iojob_io *io)
{
	(void)w;
	(void)io;
}

static int submit(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n)
{
	(void)w;
	(void)ios;
	return (int)n;
}

#define ALL_OPS ((1u << IOJOB_OPS) - 1)

static const struct iojob_engine fakes[] = {
	{ .name = "psync", .ops = ALL_OPS, .execute = execute },
	{ .name = "libaio", .ops = ALL_OPS, .submit = submit },
	{ .name = "ring",
			.ops = ALL_OPS,
			.submit = submit,
			.options = ring_options,
			.conf_size = sizeof(struct fake_conf) },
	{ .name = "strict",
			.ops = ALL_OPS,
			.execute = execute,
			.options = strict_options,
			.conf_size = sizeof(struct fake_conf) },
};

enum { FAKES = sizeof(fakes) / sizeof(fakes[0]) };

/* ---- a build ------------------------------------------------------------------------------- */

struct world {
	char dir[64];
	char home[PATH_MAX];
	struct engines engines;
	struct jobfile file;
	struct jobs jobs;
	struct err err;
	char warnings[2048]; /* a line each */
};

static struct world *w;

static void touch(const char *name, const char *text)
{
	FILE *to = fopen(name, "w");

	ck_assert(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

static void load_fakes(void)
{
	w->engines.list = calloc(FAKES, sizeof(*w->engines.list));
	ck_assert_ptr_nonnull(w->engines.list);
	for (size_t i = 0; i < FAKES; i++) {
		struct engine *engine = calloc(1, sizeof(*engine));
		char name[64];

		ck_assert_ptr_nonnull(engine);
		snprintf(name, sizeof(name), "%s.so", fakes[i].name);
		touch(name, "");
		engine->e = fakes[i];
		engine->options =
				(struct opt_table){ fakes[i].options, sizeof(struct iojob_option) };
		engine->path = realpath(name, NULL);
		ck_assert_ptr_nonnull(engine->path);
		w->engines.list[w->engines.n++] = engine;
	}
}

static void setup(void)
{
	w = calloc(1, sizeof(*w));
	ck_assert_ptr_nonnull(w);
	strcpy(w->dir, "/tmp/iojob-build.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(w->dir));
	ck_assert_ptr_nonnull(getcwd(w->home, sizeof(w->home)));
	ck_assert_int_eq(chdir(w->dir), 0);
	setenv("IOJOB_ENGINE_PATH", w->dir, 1);
	load_fakes();
	touch("broken.so", "");
}

static void teardown(void)
{
	for (size_t i = 0; i < w->engines.n; i++)
		unlink(w->engines.list[i]->path);
	unlink("broken.so");
	unlink("t.ini");
	ck_assert_int_eq(chdir(w->home), 0);
	rmdir(w->dir);
	jobs_free(&w->jobs);
	jobfile_free(&w->file);
	engines_free(&w->engines);
	free(w);
}

static void hear(void *ctx, const char *text)
{
	char *to = ctx;
	size_t used = strlen(to);

	snprintf(to + used, sizeof(w->warnings) - used, "%s\n", text);
}

/* Builds t.ini anew. `how` may be NULL. */
static int try(const char *text, const struct job_builder *how)
{
	struct job_builder builder = how ? *how : (struct job_builder){ 0 };

	jobs_free(&w->jobs);
	jobfile_free(&w->file);
	w->err.text[0] = '\0';
	w->warnings[0] = '\0';
	touch("t.ini", text);
	ck_assert_msg(jobfile_read(&w->file, "t.ini", &w->err) == 0, "%s", w->err.text);
	builder.engines = &w->engines;
	builder.warn = hear;
	builder.ctx = w->warnings;
	return jobs_build(&w->jobs, &w->file, &builder, &w->err);
}

static void build(const char *text, const struct job_builder *how, size_t njobs)
{
	ck_assert_msg(try(text, how) == 0, "%s", w->err.text);
	ck_assert_uint_eq(w->jobs.n, njobs);
}

/* The same with one --set. */
static void build_set(const char *text, const char *glob, const char *key, const char *value,
		size_t njobs)
{
	const struct job_override set = { glob, key, value };
	const struct job_builder how = { .overrides = &set, .noverrides = 1 };

	build(text, &how, njobs);
}

static void refused(const char *text, const struct job_builder *how, const char *error)
{
	ck_assert_int_lt(try(text, how), 0);
	ck_assert_str_eq(w->err.text, error);
	ck_assert_uint_eq(w->jobs.n, 0);
	ck_assert_ptr_null(w->jobs.list);
}

/* Combinations whose block or step does not fit into their file are left out, and that is said. */
START_TEST(test_unfit_combinations)
{
	static const struct {
		const char *text;
		const char *left; /* size/bs, in the order in which they run */
		const char *warning;
	} table[] = {
		{ "[a]\nvary=size: 64k 1m\nvary=bs: 4k 128k 1m\n",
				"64k/4k 1m/4k 1m/128k 1m/1m",
				"t.ini:1: [a]: leaves out 2 of its 6 combinations" },
		{ "[a]\nrw=read:16bs\nvary=size: 64k 1m\nvary=bs: 4k 32k\n",
				"1m/4k 1m/32k",
				"t.ini:1: [a]: leaves out 2 of its 4 combinations" },
		{ "[a]\nnrfiles=2\nsize=64k\nvary=bs: 32k 64k\n", "64k/32k",
				"t.ini:1: [a]: leaves out 1 of its 2 combinations" },
		{ "[a]\nrw=write\nvary=size: 64k\nvary=bs: 4k,128k 128k,4k\n", "64k/128k",
				"t.ini:1: [a]: leaves out 1 of its 2 combinations" },
		/* All of them, or one that is no combination: the plan's to refuse. */
		{ "[a]\nsize=64k\nvary=bs: 128k 1m\n", "64k/128k 64k/1m", "" },
		{ "[a]\nsize=64k\nbs=128k\n", "64k/128k", "" },
		/* What nobody knows yet. */
		{ "[a]\nsize=50%\nvary=bs: 4k 1m\n", "50%/4k 50%/1m", "" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char left[256] = "";

		ck_assert_msg(try(table[i].text, NULL) == 0, "%s", w->err.text);
		for (size_t j = 0; j < w->jobs.n; j++) {
			const struct job *job = &w->jobs.list[j];
			char size[32], bs[32];
			struct opt_table rows = job_table();
			size_t used = strlen(left);
			uint64_t read[3] = { job->bs_min[0], job->bs_min[0], job->bs_min[0] };
			struct job_opts o = job->o;

			memcpy(o.bs, read, sizeof(read));
			snprintf(left + used, sizeof(left) - used, "%s%s/%s", j ? " " : "",
					opt_print(&rows.rows[job_row("size")], &o, size, 32),
					opt_print(&rows.rows[job_row("bs")], &o, bs, 32));
			ck_assert_uint_eq(job->stage, j);
			ck_assert(job->first == !j);
		}
		ck_assert_str_eq(left, table[i].left);
		ck_assert_msg(strncmp(w->warnings, table[i].warning, strlen(table[i].warning)) == 0
				&& !*table[i].warning == !*w->warnings, "%s", w->warnings);
	}
}
END_TEST

static const struct fake_conf *conf(size_t job)
{
	return w->jobs.list[job].engine_conf;
}

/* "key=value key" of an echo. */
static const char *echo(const struct jobfile_pair *pairs, size_t n)
{
	static char text[1024];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s%s", i ? " " : "",
				pairs[i].key, pairs[i].value ? "=" : "",
				pairs[i].value ? pairs[i].value : "");
	return text;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static const struct {
	const char *text;
	const char *error;
} refusals[] = {
	/* keys */
	{ "[a]\niodpeth=4\n", "t.ini:2: iodpeth: unknown key; did you mean iodepth?" },
	{ "[a]\nring_bacth=4\nioengine=ring\n",
			"t.ini:2: ring_bacth: unknown key; did you mean ring_batch?" },
	{ "[a]\nvery=bs: 1\n", "t.ini:2: very: unknown key; did you mean vary?" },
	{ "[a]\nverifi=md5\n", "t.ini:2: verifi: unknown key; did you mean verify?" },
	{ "[a]\nsomething_else=4\n", "t.ini:2: something_else: unknown key" },
	{ "[global]\niodpeth=4\n[a]\n", "t.ini:2: iodpeth: unknown key; did you mean iodepth?" },
	{ "[global]\nsomething_else=4\n[a]\n", "t.ini:2: something_else: unknown key" },
	{ "[a]\nverify=md5\n", "t.ini:2: verify: a key of fio that this version of iojob does not "
			       "implement" },
	{ "[global]\nwrite_bw_log\n[a]\n", "t.ini:2: write_bw_log: a key of fio that this version "
					   "of iojob does not implement" },
	{ "[a]\ncpuload=50\n", "t.ini:2: cpuload: an option of one of fio's engines, which no "
			       "engine here has" },
	{ "[global]\ncpuload=50\n[a]\n", "t.ini:2: cpuload: an option of one of fio's engines, "
					 "which no engine here has" },
	/* values */
	{ "[a]\nnumjobs=0\n", "t.ini:2: numjobs = 0: must be from 1 to 4096" },
	{ "[a]\nrw=raed\n", "t.ini:2: rw = raed: must be one of read, write, trim, randread, "
			    "randwrite, randtrim, rw, randrw" },
	{ "[a]\nrw=raed:8k\n", "t.ini:2: rw = raed: must be one of read, write, trim, randread, "
			       "randwrite, randtrim, rw, randrw" },
	{ "[a]\nrw=read:8q\n", "t.ini:2: rw: `8q` must be a size or a number of blocks, as in "
			       "64k, -8k, -2bs" },
	{ "[global]\nreadwrite=randread:x\n[a]\n[b]\n", "t.ini:2: rw: `x` must be a number of "
			       "I/Os, 1 or more: of a random job it says how many there are for "
			       "each random offset" },
	{ "[a]\nrw=read:\n", "t.ini:2: rw_modifier = : a value is missing" },
	{ "[a]\nrw_modifier=4k\nrw=read:8k\n",
			"t.ini:3: rw_modifier = 8k: rw has a modifier already, `4k`" },
	{ "[global]\nrw=read:8k\n[a]\nrw_modifier=4k\n",
			"t.ini:4: rw_modifier = 4k: rw has a modifier already, `8k`" },
	{ "[a]\nzonemode=zbd\n", "t.ini:2: zonemode = zbd: zoned block devices, which this "
				 "version of iojob does not implement" },
	{ "[a]\nrw=randtrimwrite\n", "t.ini:2: rw = randtrimwrite: a mix of trims and writes, "
				     "which this version of iojob does not implement" },
	{ "[a]\nstartdelay=1-5\n", "t.ini:2: startdelay = 1-5: a range to draw a delay from, which "
				   "this version of iojob does not implement" },
	{ "[a]\nbs=0\n", "t.ini:2: bs = 0: must be from 1 to 4294967295" },
	{ "[a]\nbs=4g\n", "t.ini:2: bs = 4g: must be from 1 to 4294967295" },
	{ "[a]\nnumjobs=4097\n", "t.ini:2: numjobs = 4097: must be from 1 to 4096" },
	{ "[a]\nbsrange=8k-4k\n",
			"t.ini:2: bsrange = 8k-4k: the smaller value must come first in a range" },
	{ "[a]\nioengine=ring\nring_batch=100\n",
			"t.ini:3: ring_batch = 100: must be from 1 to 99" },
	{ "[a]\nfilename\n", "t.ini:2: filename: a value is missing" },
	{ "[a]\nfilename=a#b\n", "t.ini:2: filename = a: is what follows a comment? Put a blank "
				 "before it, or write \\# or \\; for the character" },
	{ "[a]\nioengine=ring\nring_label=x;y\n",
			"t.ini:3: ring_label = x: is what follows a comment? Put a blank before "
			"it, or write \\# or \\; for the character" },
	/* engines */
	{ "[a]\nioengine=./ring.so\n", "t.ini:2: ioengine = ./ring.so: an engine given by its path "
				       "runs its author's code; --allow-exec allows that" },
	{ "[a]\nhipri=1\n", "t.ini:2: hipri: an option of the engine ring; this job runs psync" },
	{ "[global]\nioengine=ring\n[a]\nmust=1\n",
			"t.ini:4: must: an option of the engine strict; this job runs ring" },
	{ "[a]\nioengine=strict\n",
			"t.ini:2: the engine strict needs must= (what it cannot do without)" },
	/* rules across keys know the line of [global] */
	{ "[global]\niodepth_batch=8\n[a]\n",
			"t.ini:2: iodepth_batch = 8: larger than iodepth, which is 1" },
	{ "[a]\nbs=4k\nbsrange=1k-2k\n",
			"t.ini:3: bsrange: bs is set as well; only one of them can count" },
	/* vary */
	{ "[a]\nvary=bs: 4k 8k\nvary=bs: 4k 8k\n", "t.ini:3: vary: `bs` is varied twice" },
	{ "[a]\nvary=bs: 4k 8k\nvary=size: small blocksize=4k | large blocksize=8k\n",
			"t.ini:3: vary: blocksize is varied by `bs` already" },
	{ "[a]\nvary=bs 4k 8k\n",
			"t.ini:2: vary = bs 4k 8k: a `:` is missing; write KEY: VALUE VALUE ..." },
	{ "[a]\nvary=numjobs: 1 0\n", "t.ini:2: numjobs = 0: must be from 1 to 4096" },
	{ "[a]\nvary=iodpeth: 1 2\n", "t.ini:2: iodpeth: unknown key; did you mean iodepth?" },
	{ "[a]\nvary=ioengine: ring ./ring.so\n",
			"t.ini:2: ioengine = ./ring.so: an engine given by its path runs its "
			"author's code; --allow-exec allows that" },
	/* no job at all */
	{ "[global]\nbs=4k\n", "t.ini: no job in it: a job file needs a section besides [global]" },
	{ "\n", "t.ini: no job in it: a job file needs a section besides [global]" },
};

START_TEST(test_refusals)
{
	refused(refusals[_i].text, NULL, refusals[_i].error);
}
END_TEST

START_TEST(test_refused_engines)
{
	const char text[] =
			"t.ini:3: ioengine = nosuch: no engine `nosuch`: there is no nosuch.so in ";

	ck_assert_int_eq(try("[a]\n\nioengine=nosuch\n", NULL), -ENOENT);
	ck_assert_msg(!strncmp(w->err.text, text, strlen(text)), "%s", w->err.text);
	ck_assert_msg(strstr(w->err.text, w->dir), "%s does not name the place", w->err.text);
	ck_assert_int_eq(try("[a]\nioengine=broken\n", NULL), -ENOEXEC);
	ck_assert_msg(strstr(w->err.text, "t.ini:2: ioengine = broken: ") == w->err.text, "%s",
			w->err.text);
	/* Not a thing that optional forgives: the name is wrong on every machine. */
	ck_assert_int_eq(try("[a]\noptional\nioengine=no such\n", NULL), -EINVAL);
}
END_TEST

START_TEST(test_too_many_combinations)
{
	char text[4096];
	size_t used = 0;

	used += (size_t)snprintf(text, sizeof(text), "[a]\n");
	for (int axis = 0; axis < 2; axis++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
				"vary=%s:", axis ? "loops" : "iodepth");
		for (int i = 1; i <= 101; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %d", i);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	refused(text, NULL, "t.ini:1: [a]: its vary lines multiply to more than 10000 jobs");
}
END_TEST

/* ---- [global] and duplicates, as fio 3.33 has them ----------------------------------------- */

START_TEST(test_globals)
{
	build("[global]\nbs=8k\nsize=1m\n[a]\n[b]\nsize=2m\nsize=3m\n[global]\nrw=write\nbs=16k\n["
	      "c]\n",
			NULL, 3);
	ck_assert_uint_eq(w->jobs.list[0].o.bs[0], 8192);
	ck_assert_int_eq(w->jobs.list[0].o.rw, JOB_RW_READ);
	ck_assert_uint_eq(w->jobs.list[1].o.size.bytes, 3 << 20);
	ck_assert_uint_eq(w->jobs.list[2].o.size.bytes, 1 << 20);
	ck_assert_uint_eq(w->jobs.list[2].o.bs[0], 16384);
	ck_assert_int_eq(w->jobs.list[2].o.rw, JOB_RW_WRITE);
	ck_assert(job_given(&w->jobs.list[2], "rw") && !job_given(&w->jobs.list[0], "rw"));
	ck_assert_str_eq(w->warnings, "");
}
END_TEST

START_TEST(test_last_global_is_idle)
{
	build("[a]\n[global]\nbs=4k\n", NULL, 1);
	ck_assert_str_eq(w->warnings,
			"t.ini:2: [global]: changes nothing, since no job stands after it\n");
}
END_TEST

START_TEST(test_filenames_add_up)
{
	build("[global]\nfilename=g1\nfilename=g2\n[a]\nfilename=x\nfilename=y\n[b]\n", NULL, 2);
	ck_assert_str_eq(w->jobs.list[0].o.filename, "x:y");
	ck_assert_str_eq(w->jobs.list[1].o.filename, "g1:g2");
	build_set("[a]\nfilename=x\nfilename=y\n", NULL, "filename", "z", 1);
	ck_assert_str_eq(w->jobs.list[0].o.filename, "z");
}
END_TEST

START_TEST(test_what_is_nearer_replaces_its_rival)
{
	build("[global]\nbsrange=1k-2k\nbuffered=1\nrwmixread=10\nnrfiles=9\n"
	      "[a]\nblocksize=8k\ndirect=1\nrwmixwrite=30\nfilename=x\n",
			NULL, 1);
	ck_assert_uint_eq(w->jobs.list[0].bs_max[0], 8192);
	ck_assert(w->jobs.list[0].direct);
	ck_assert_int_eq(w->jobs.list[0].mix_read, 70);
	ck_assert(!job_given(&w->jobs.list[0], "nrfiles"));

	build_set("[a]\nbs=8k\n", NULL, "bsrange", "1k-4k", 1);
	ck_assert_uint_eq(w->jobs.list[0].bs_min[0], 1024);
	ck_assert_uint_eq(w->jobs.list[0].bs_max[0], 4096);
}
END_TEST

START_TEST(test_kb_base_counts_for_the_lines_before_it)
{
	build("[a]\nsize=1k\nbs=1Ki\nkb_base=1000\n[b]\nsize=1k\n", NULL, 2);
	ck_assert_uint_eq(w->jobs.list[0].o.size.bytes, 1000);
	ck_assert_uint_eq(w->jobs.list[0].o.bs[0], 1024);
	ck_assert_uint_eq(w->jobs.list[1].o.size.bytes, 1024);
}
END_TEST

START_TEST(test_names)
{
	build("[a b]\nname=shown\n[a b]\n", NULL, 2);
	ck_assert_str_eq(w->jobs.list[0].name, "shown");
	ck_assert_str_eq(w->jobs.list[0].section, "a b");
	ck_assert_str_eq(w->jobs.list[1].name, "a b");
	ck_assert_uint_eq(w->jobs.list[1].line, 3);
	ck_assert_str_eq(w->jobs.list[1].path, "t.ini");
}
END_TEST

START_TEST(test_stages_and_groups)
{
	static const struct {
		unsigned stage;
		unsigned group;
	} expected[] = { { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 }, { 1, 2 }, { 2, 3 }, { 2, 3 },
		{ 2, 3 } };

	build("[a]\nstonewall\n[b]\n[c]\nnew_group\n[d]\n[e]\nstonewall\n[f]\nnew_"
	      "group\nstonewall\n"
	      "[g]\nnew_group=0\n[h]\nwait_for_previous=0\n",
			NULL, 8);
	for (size_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(w->jobs.list[i].stage, expected[i].stage);
		ck_assert_uint_eq(w->jobs.list[i].group, expected[i].group);
	}
}
END_TEST

START_TEST(test_harmless_keys)
{
	build("[global]\nclocksource=cpu\n[a]\nunit-base=8\n[b]\nclocksource=gettimeofday\n", NULL,
			2);
	ck_assert_str_eq(w->warnings,
			"t.ini:2: clocksource: a key of fio that has no effect in iojob\n"
			"t.ini:4: unit-base: a key of fio that has no effect in iojob\n");
}
END_TEST

START_TEST(test_depth_of_a_synchronous_engine)
{
	build("[global]\niodepth=32\n[a]\n[b]\n[c]\nioengine=libaio\n", NULL, 3);
	ck_assert_str_eq(w->warnings,
			"t.ini:2: iodepth = 32: psync is synchronous and does one I/O at a time\n");
}
END_TEST

/* ---- vary ---------------------------------------------------------------------------------- */

START_TEST(test_vary_multiplies)
{
	static const struct {
		const char *mode;
		const char *bs;
		int rw;
		uint64_t bytes;
	} expected[] = {
		{ "Normal read", "4k", JOB_RW_READ, 4096 },
		{ "Normal read", "64k", JOB_RW_READ, 65536 },
		{ "Direct write", "4k", JOB_RW_WRITE, 4096 },
		{ "Direct write", "64k", JOB_RW_WRITE, 65536 },
	};

	build("[before]\n[a]\nrw=randread\nbs=1k\n"
	      "vary = mode: Normal read rw=read | Direct write rw=write direct=1\n"
	      "vary = bs: 4k 64k\n[after]\n[last]\n",
			NULL, 7);
	for (size_t i = 0; i < 4; i++) {
		const struct job *job = &w->jobs.list[i + 1];

		ck_assert_uint_eq(job->naxes, 2);
		ck_assert_str_eq(job->axes[0].name, "mode");
		ck_assert_str_eq(job->axes[0].label, expected[i].mode);
		ck_assert_str_eq(job->axes[1].name, "bs");
		ck_assert_str_eq(job->axes[1].label, expected[i].bs);
		ck_assert_int_eq(job->o.rw, expected[i].rw);
		ck_assert_uint_eq(job->o.bs[0], expected[i].bytes);
		ck_assert(job->direct == (i > 1));
		ck_assert_uint_eq(job->variant, i);
		ck_assert_uint_eq(job->variants, 4);
		ck_assert_str_eq(job->section, "a");
		ck_assert_str_eq(job->name, "a");
		ck_assert_uint_eq(job->stage, i + 1);
		ck_assert_uint_eq(job->group, i + 1);
		ck_assert_uint_eq(job->seed, w->jobs.list[1].seed);
		ck_assert(job_given(job, "bs"));
	}
	ck_assert_uint_eq(w->jobs.list[0].naxes, 0);
	ck_assert_uint_eq(w->jobs.list[0].variants, 1);
	ck_assert_uint_eq(w->jobs.list[5].stage, 5);
	ck_assert_uint_eq(w->jobs.list[6].stage, 5);
}
END_TEST

/* An axis of one point is still a sweep, and a stage of its own. */
START_TEST(test_vary_one_point)
{
	build("[a]\n[b]\nvary=bs: 4k\n[c]\n", NULL, 3);
	ck_assert_uint_eq(w->jobs.list[1].naxes, 1);
	ck_assert_uint_eq(w->jobs.list[1].stage, 1);
	ck_assert_uint_eq(w->jobs.list[2].stage, 2);
}
END_TEST

START_TEST(test_vary_in_global)
{
	build("[global]\nvary=rw: read write\n[a]\nvary=bs: 4k 8k\n[b]\nvary=rw: randread\n", NULL,
			5);
	ck_assert_str_eq(w->jobs.list[0].axes[0].name, "rw");
	ck_assert_str_eq(w->jobs.list[0].axes[1].name, "bs");
	ck_assert_str_eq(w->jobs.list[1].axes[0].label, "read");
	ck_assert_str_eq(w->jobs.list[1].axes[1].label, "8k");
	ck_assert_uint_eq(w->jobs.list[4].naxes, 1);
	ck_assert_int_eq(w->jobs.list[4].o.rw, JOB_RW_READ | JOB_RW_RANDOM);
}
END_TEST

START_TEST(test_overrides_and_axes)
{
	static const char text[] =
			"[a]\nvary=bs: 4k 8k\n"
			"vary=mode: Normal rw=read direct=0 | Direct rw=write direct=1\n[b]\n";

	/* One key: the axis is gone. */
	build_set(text, NULL, "blocksize", "1k", 3);
	ck_assert_uint_eq(w->jobs.list[1].naxes, 1);
	ck_assert_str_eq(w->jobs.list[1].axes[0].label, "Direct");
	ck_assert_uint_eq(w->jobs.list[1].o.bs[0], 1024);
	ck_assert_str_eq(w->warnings, "");
	/* Of a point, the others stay. */
	build_set(text, "a", "rw", "randrw", 5);
	ck_assert_uint_eq(w->jobs.list[0].naxes, 2);
	ck_assert_int_eq(w->jobs.list[3].o.rw, JOB_RW_READ | JOB_RW_WRITE | JOB_RW_RANDOM);
	ck_assert(w->jobs.list[3].direct);
	ck_assert_int_eq(w->jobs.list[4].o.rw, JOB_RW_READ);
	ck_assert_str_eq(w->warnings, "t.ini:3: vary: `mode` keeps its labels; the command line "
				      "replaces its rw\n");
	/* A sweep on the command line takes the place of that one, or is one more. */
	build_set(text, NULL, "vary", "bs: 1k 2k 3k", 9);
	ck_assert_str_eq(w->jobs.list[5].axes[0].label, "3k");
	ck_assert_str_eq(w->jobs.list[8].axes[0].label, "3k");
	build_set("[a]\nsize=1m\n", NULL, "vary", "size: 2m 3m", 2);
	ck_assert_uint_eq(w->jobs.list[1].o.size.bytes, 3 << 20);
}
END_TEST

/* ---- the command line ---------------------------------------------------------------------- */

START_TEST(test_overrides)
{
	static const struct job_override sets[] = {
		{ NULL, "bs", "1k" },
		{ "seq*", "bs", "2k" },
		{ "[x]", "time_based", NULL },
		{ "[x]", "runtime", "3" },
	};
	const struct job_builder how = { .overrides = sets, .noverrides = 4, .directory = "/tmp" };

	build("[global]\nbs=8k\ndirectory=/a\n[seq read]\nbs=16k\ndirectory=/b\n[[x]]\n", &how, 2);
	ck_assert_uint_eq(w->jobs.list[0].o.bs[0], 2048);
	ck_assert_str_eq(w->jobs.list[0].o.directory, "/tmp");
	ck_assert_uint_eq(w->jobs.list[1].o.bs[0], 1024);
	ck_assert(w->jobs.list[1].o.time_based && !w->jobs.list[0].o.time_based);
	ck_assert_str_eq(echo(w->jobs.list[0].own, w->jobs.list[0].nown), "directory=/tmp bs=2k");
	ck_assert_str_eq(echo(w->jobs.list[0].global, w->jobs.list[0].nglobal),
			"bs=8k directory=/a");
}
END_TEST

START_TEST(test_refused_overrides)
{
	static const struct {
		struct job_override set;
		const char *error;
	} cases[] = {
		{ { "c*", "bs", "1k" }, "--set: no section is called `c*`; there are: a, b b" },
		{ { NULL, "bz", "1k" }, "--set: bz: unknown key; did you mean bs?" },
		{ { NULL, "numjobs", "0" }, "--set: numjobs = 0: must be from 1 to 4096" },
		{ { NULL, "iodepth_batch", "5" },
				"--set: iodepth_batch = 5: larger than iodepth, which is 1" },
		{ { NULL, "verify", "md5" }, "--set: verify: a key of fio that this version of "
					     "iojob does not implement" },
		{ { NULL, "ring_batch", "5" }, "--set: ring_batch: no job here runs an engine that "
					       "has this option" },
		{ { NULL, "something_else", NULL }, "--set: something_else: unknown key" },
		{ { NULL, "vary", "bs" },
				"--set: vary = bs: a `:` is missing; write KEY: VALUE VALUE ..." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct job_builder how = { .overrides = &cases[i].set, .noverrides = 1 };

		refused("[a]\n[b b]\n", &how, cases[i].error);
	}
}
END_TEST

START_TEST(test_sections)
{
	const char *two[] = { "a", "*z" };
	const char *wrong[] = { "a", "q" };
	struct job_builder how = { .sections = two, .nsections = 2 };

	build("[a]\n[global]\nbs=8k\n[b]\nstonewall\nbs=nonsense\n[xz]\n", &how, 2);
	ck_assert_str_eq(w->jobs.list[0].section, "a");
	ck_assert_str_eq(w->jobs.list[1].section, "xz");
	ck_assert_uint_eq(w->jobs.list[1].o.bs[0], 8192);
	ck_assert_uint_eq(w->jobs.list[1].stage, 0);
	how.sections = wrong;
	refused("[a]\n[b]\n", &how, "--section: no section is called `q`; there are: a, b");
}
END_TEST

/* ---- engines ------------------------------------------------------------------------------- */

START_TEST(test_engine_options)
{
	build("[global]\nring-batch=7\n[a]\nioengine=ring\nring_label=x\nhipri\n[b]\n"
	      "[c]\nioengine=ring\nrb=9\n[d]\nioengine=strict\nmust=0\n",
			NULL, 4);
	ck_assert_int_eq(conf(0)->batch, 7);
	ck_assert_str_eq(conf(0)->label, "x");
	ck_assert(conf(0)->poll);
	ck_assert_int_eq(conf(2)->batch, 9);
	ck_assert_ptr_null(conf(2)->label);
	ck_assert_str_eq(w->jobs.list[1].engine->e.name, "psync");
	ck_assert_str_eq(w->warnings, "");
	build("[a]\nioengine=ring\n", NULL, 1);
	ck_assert_int_eq(conf(0)->batch, 4);
}
END_TEST

START_TEST(test_engine_options_of_no_job)
{
	build("[global]\nhipri=1\n[a]\n[b]\n", NULL, 2);
	ck_assert_str_eq(w->warnings,
			"t.ini:2: hipri: no job here runs an engine that has this option\n");
	/* The key was seen first in a job that is left out. */
	build("[global]\nhipri=1\n[a]\nsize=64k\nvary=bs: 1m 4k\n[b]\n", NULL, 2);
	ck_assert_ptr_nonnull(strstr(w->warnings,
			"t.ini:2: hipri: no job here runs an engine that has this option\n"));
}
END_TEST

START_TEST(test_engine_varied)
{
	build("[a]\nvary=ioengine: psync ring\nring_batch=8\n", NULL, 2);
	ck_assert_str_eq(w->jobs.list[0].engine->e.name, "psync");
	ck_assert_int_eq(conf(1)->batch, 8);
	build("[a]\nvary=e: Calls ioengine=psync | Ring ioengine=ring hipri=1\n", NULL, 2);
	ck_assert(conf(1)->poll);
	/* fio's names */
	build("[a]\nioengine=aio\n[b]\nioengine=sync\n", NULL, 2);
	ck_assert_str_eq(w->jobs.list[0].engine->e.name, "libaio");
	ck_assert_str_eq(w->jobs.list[1].engine->e.name, "psync");
}
END_TEST

START_TEST(test_engine_by_path)
{
	const struct job_builder how = { .allow_exec = true };

	build("[a]\nioengine=./ring.so\n", &how, 1);
	ck_assert_str_eq(w->jobs.list[0].engine->e.name, "ring");
	build_set("[a]\n", NULL, "ioengine", "./ring.so", 1);
	ck_assert_str_eq(w->jobs.list[0].engine->e.name, "ring");
}
END_TEST

START_TEST(test_optional)
{
	build("[global]\noptional=1\nrocket_fuel=3\ncpuload=4\n[a]\nioengine=nosuch\nbs=8k\n"
	      "nosuch_key=1\n[b]\nioengine=broken\n[c]\n",
			NULL, 3);
	ck_assert_ptr_null(w->jobs.list[0].engine);
	ck_assert_ptr_null(w->jobs.list[0].engine_conf);
	ck_assert_msg(strstr(w->jobs.list[0].skipped, "no engine `nosuch`") ==
					w->jobs.list[0].skipped,
			"%s", w->jobs.list[0].skipped);
	ck_assert_uint_eq(w->jobs.list[0].bs_min[0], 8192);
	ck_assert_msg(strstr(w->jobs.list[1].skipped, "broken.so: cannot be loaded"), "%s",
			w->jobs.list[1].skipped);
	ck_assert_ptr_null(w->jobs.list[2].skipped);
	ck_assert_str_eq(w->jobs.list[2].engine->e.name, "psync");
	/* What is wrong on every machine stays an error. */
	refused("[a]\noptional\nioengine=nosuch\niodpeth=4\n", NULL,
			"t.ini:4: iodpeth: unknown key; did you mean iodepth?");
	refused("[a]\noptional\nioengine=nosuch\niodepth=0\n", NULL,
			"t.ini:4: iodepth = 0: must be from 1 to 65535");
	refused("[a]\noptional\nioengine=nosuch\ntime_based\n", NULL,
			"t.ini:4: time_based: needs runtime=, or the job would never end");
}
END_TEST

/* ---- echo and seeds ------------------------------------------------------------------------ */

START_TEST(test_echo)
{
	build("[global]\nbs=8k\nsize= 1m\nsize=2m\n[a]\nblocksize=16k\nthread\nbs = 32k\n"
	      "vary=rw: read write\n",
			NULL, 2);
	ck_assert_str_eq(echo(w->jobs.list[1].own, w->jobs.list[1].nown), "thread bs=32k rw=write");
	ck_assert_str_eq(echo(w->jobs.list[1].global, w->jobs.list[1].nglobal), "bs=8k size=2m");
	ck_assert_uint_eq(w->jobs.list[1].own[2].line, 9);
}
END_TEST

START_TEST(test_seeds)
{
	static const char text[] =
			"[a]\n[b]\n[c]\nrandseed=7\n[d]\nrandrepeat=0\n"
			"[e]\nrandrepeat=0\nallrandrepeat=1\n[f]\nrandrepeat=0\nrandseed=7\n";
	uint64_t first[6];

	build(text, NULL, 6);
	for (size_t i = 0; i < 6; i++)
		first[i] = w->jobs.list[i].seed;
	build(text, NULL, 6);
	for (size_t i = 0; i < 6; i++) {
		ck_assert_msg((first[i] == w->jobs.list[i].seed) == (i != 3), "job %zu", i);
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(first[i] != first[k], "jobs %zu and %zu", i, k);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("build");
	TCase *tests = tcase_create("build");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_refusals, 0, sizeof(refusals) / sizeof(refusals[0]));
	tcase_add_test(tests, test_refused_engines);
	tcase_add_test(tests, test_too_many_combinations);
	tcase_add_test(tests, test_unfit_combinations);
	tcase_add_test(tests, test_globals);
	tcase_add_test(tests, test_last_global_is_idle);
	tcase_add_test(tests, test_filenames_add_up);
	tcase_add_test(tests, test_what_is_nearer_replaces_its_rival);
	tcase_add_test(tests, test_kb_base_counts_for_the_lines_before_it);
	tcase_add_test(tests, test_names);
	tcase_add_test(tests, test_stages_and_groups);
	tcase_add_test(tests, test_harmless_keys);
	tcase_add_test(tests, test_depth_of_a_synchronous_engine);
	tcase_add_test(tests, test_vary_multiplies);
	tcase_add_test(tests, test_vary_one_point);
	tcase_add_test(tests, test_vary_in_global);
	tcase_add_test(tests, test_overrides_and_axes);
	tcase_add_test(tests, test_overrides);
	tcase_add_test(tests, test_refused_overrides);
	tcase_add_test(tests, test_sections);
	tcase_add_test(tests, test_engine_options);
	tcase_add_test(tests, test_engine_options_of_no_job);
	tcase_add_test(tests, test_engine_varied);
	tcase_add_test(tests, test_engine_by_path);
	tcase_add_test(tests, test_optional);
	tcase_add_test(tests, test_echo);
	tcase_add_test(tests, test_seeds);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
