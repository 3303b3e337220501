// SPDX-License-Identifier: MIT
/* The job table, and the rules across options. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "../../core/job/foreign.h"
#include "../../core/job/job.h"
#include "../../core/job/list.h"

/* ---- the table ----------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a && b && opt_same_key(a, b);
}

START_TEST(test_names_are_unique)
{
	for (const struct iojob_option *a = job_options; a->name; a++) {
		ck_assert_msg(!same(a->name, a->alias), "%s", a->name);
		for (const struct iojob_option *b = job_options; b != a; b++)
			ck_assert_msg(!same(a->name, b->name) && !same(a->name, b->alias) &&
							!same(a->alias, b->name) &&
							!same(a->alias, b->alias),
					"%s and %s", a->name, b->name);
	}
}
END_TEST

START_TEST(test_rows_are_told)
{
	for (const struct iojob_option *row = job_options; row->name; row++) {
		size_t length = row->help ? strlen(row->help) : 0;

		ck_assert_msg(length > 0 && length <= 72, "%s: help of %zu", row->name, length);
		ck_assert_msg(!strchr(row->help, '\n'), "%s", row->name);
		ck_assert_msg(row->help[length - 1] != '.', "%s", row->name);
		ck_assert_msg(row->doc && strlen(row->doc) > 20, "%s: doc", row->name);
		ck_assert_msg(row->doc[strlen(row->doc) - 1] == '.', "%s: doc", row->name);
	}
}
END_TEST

START_TEST(test_members_lie_in_the_struct)
{
	bool taken[sizeof(struct job_opts)] = { false };
	size_t rows = 0;

	for (const struct iojob_option *row = job_options; row->name; row++, rows++) {
		ck_assert_msg(row->size > 0 && row->offset + row->size <= sizeof(struct job_opts),
				"%s", row->name);
		for (size_t i = row->offset; i < row->offset + row->size; i++) {
			ck_assert_msg(!taken[i], "%s lies on another row's member", row->name);
			taken[i] = true;
		}
		ck_assert_msg(row->min <= row->max, "%s: min, max", row->name);
	}
	ck_assert(rows <= 8 * sizeof(((struct job *)0)->given));
	/* What no row has is padding. */
	for (size_t i = 0, gap = 0; i < sizeof(taken); i++) {
		gap = taken[i] ? 0 : gap + 1;
		ck_assert_msg(gap < 8, "a member before byte %zu has no row", i);
	}
}
END_TEST

START_TEST(test_choices)
{
	for (const struct iojob_option *row = job_options; row->name; row++) {
		const struct iojob_choice *choice = row->choices;

		ck_assert_msg((choice != NULL) == (row->type == IOJOB_OPT_CHOICE), "%s", row->name);
		if (!choice)
			continue;
		ck_assert_msg(choice->name && choice->help, "%s: the first one is an alias",
				row->name);
		while (choice->name && choice - row->choices < 100)
			choice++;
		ck_assert_msg(!choice->name, "%s: does not end", row->name);
	}
}
END_TEST

/* The defaults are fio's, and ours. */
START_TEST(test_defaults)
{
	static const struct {
		const char *key;
		const char *value;
	} defaults[] = {
		{ "ioengine", "psync" },
		{ "rw", "read" },
		{ "bs", "4k" },
		{ "bsrange", "0" },
		{ "iodepth", "1" },
		{ "nrfiles", "1" },
		{ "numjobs", "1" },
		{ "loops", "1" },
		{ "invalidate", "1" },
		{ "randrepeat", "1" },
		{ "rwmixread", "50" },
		{ "rwmixwrite", "50" },
		{ "thinktime_blocks", "1" },
		{ "fallocate", "native" },
		{ "fadvise_hint", "1" },
		{ "scramble_buffers", "1" },
		{ "bwavgtime", "500ms" },
		{ "iopsavgtime", "500ms" },
		{ "iodepth_batch", "1" },
		{ "iodepth_batch_complete_min", "1" },
		{ "iodepth_batch_complete_max", "0" },
		{ "buffered", "1" },
		{ "direct", "0" },
		{ "runtime", "0s" },
		{ "grace", "60s" },
		{ "kb_base", "1024" },
		{ "optional", "0" },
		{ "continue_on_error", "none" },
		{ "sync", "none" },
		{ "workload", "io" },
		{ "postmark_size", "500-10000" },
		{ "postmark_number", "500" },
		{ "postmark_transactions", "500" },
		{ "postmark_subdirectories", "0" },
		{ "postmark_read", "512" },
		{ "postmark_write", "512" },
		{ "postmark_bias_read", "5" },
		{ "postmark_bias_create", "5" },
		{ "postmark_buffering", "1" },
		{ "postmark_seed", "42" },
		{ "postmark_fsync", "none" },
	};
	const struct opt_table table = job_table();
	struct job_opts o;
	struct err err = { "" };
	char text[64];

	ck_assert_msg(opt_defaults(&table, &o, &err) == 0, "%s", err.text);
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		ck_assert_str_eq(opt_print(&job_options[job_row(defaults[i].key)], &o, text,
						 sizeof(text)),
				defaults[i].value);
	ck_assert_uint_eq(o.bs[2], 4096);
	ck_assert_ptr_null(o.filename);
	opt_free(&table, &o);
}
END_TEST

/* Prints what is in base, reads that into another struct, and wants the same bytes there. */
static void print_and_parse(const struct iojob_option *row, const struct job_opts *o)
{
	const char *from = (const char *)o + row->offset;
	struct job_opts again;
	struct err err = { "" };
	char text[256];

	memset(&again, 0xff, sizeof(again));
	opt_print(row, o, text, sizeof(text));
	ck_assert_msg(*text && opt_set(row, &again, text, 1024, &err) == 0, "%s", err.text);
	ck_assert_msg(memcmp(from, (char *)&again + row->offset, row->size) == 0, "%s = %s",
			row->name, text);
}

/* Numbers in all members of a row. */
static void put_numbers(const struct iojob_option *row, struct job_opts *o, int64_t first,
		int64_t step)
{
	size_t n = (row->flags & IOJOB_OPT_TUPLE ? 3u : 1u) *
			(row->flags & IOJOB_OPT_RANGE ? 2u : 1u);
	char *member = (char *)o + row->offset;

	for (size_t i = 0; i < n; i++, first += step, member += row->size / n) {
		int number = (int)first;

		if (row->size / n == sizeof(number))
			memcpy(member, &number, sizeof(number));
		else
			memcpy(member, &first, sizeof(first));
	}
}

/* Every row, over its choices, bounds, and values that differ from member to member. */
START_TEST(test_prints_are_parsed)
{
	static const int64_t values[] = { 0, 1, 7, 1000, 4096, 12288, 1500000000, 1ll << 40 };
	const struct iojob_option *row = &job_options[_i];
	int64_t max = row->max ? row->max : row->size == sizeof(int) ? INT32_MAX : INT64_MAX;
	struct job_opts o;

	memset(&o, 0, sizeof(o));
	if (row->type == IOJOB_OPT_STRING)
		return; /* is itself */
	for (const struct iojob_choice *c = row->choices; c && c->name; c++) {
		memcpy((char *)&o + row->offset, &c->value, sizeof(c->value));
		print_and_parse(row, &o);
	}
	if (row->type == IOJOB_OPT_BOOL)
		for (int value = 0; value < 2; value++) {
			*((bool *)&o + row->offset) = value;
			print_and_parse(row, &o);
		}
	if (row->type == IOJOB_OPT_BOOL || row->type == IOJOB_OPT_CHOICE)
		return;
	put_numbers(row, &o, row->min, 0);
	if (row->min)
		print_and_parse(row, &o);
	put_numbers(row, &o, max, 0);
	print_and_parse(row, &o);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (int64_t step = 0; step < 3000; step = 3 * step + 1) {
			if (values[i] < row->min || values[i] + 5 * step > max)
				continue;
			put_numbers(row, &o, values[i], step);
			print_and_parse(row, &o);
		}
	if (row->flags & IOJOB_OPT_PERCENT) {
		*(struct opt_size *)(void *)((char *)&o + row->offset) =
				(struct opt_size){ .percent = 37 };
		print_and_parse(row, &o);
	}
}
END_TEST

static int rows(void)
{
	int n = 0;

	while (job_options[n].name)
		n++;
	return n;
}

START_TEST(test_rows_are_found)
{
	ck_assert_str_eq(job_options[job_row("blocksize")].name, "bs");
	ck_assert_str_eq(job_options[job_row("wait-for-previous")].name, "stonewall");
	ck_assert_int_eq(job_row("bsize"), -1);
	ck_assert(job_same_key("readwrite", "rw"));
	ck_assert(job_same_key("io_limit", "io-size"));
	ck_assert(job_same_key("sqthread-poll", "sqthread_poll"));
	ck_assert(!job_same_key("bs", "bsrange"));
}
END_TEST

/* A key is either ours or fio's. */
START_TEST(test_foreign_keys)
{
	char before[64] = "";

	for (const struct foreign_key *row = foreign_keys; row->name; row++) {
		char folded[64];
		size_t i;

		for (i = 0; row->name[i] && i < sizeof(folded) - 1; i++)
			folded[i] = row->name[i] == '-' ? '_' : row->name[i];
		folded[i] = '\0';
		ck_assert_msg(strcmp(before, folded) < 0, "%s is not in order", row->name);
		memcpy(before, folded, sizeof(before));
		ck_assert_msg(job_row(row->name) < 0, "%s is ours", row->name);
	}
	ck_assert_int_eq(foreign_find("alloc_size")->kind, FOREIGN_HARMLESS);
	ck_assert_int_eq(foreign_find("verify")->kind, FOREIGN_MISSING);
	ck_assert_int_eq(foreign_find("cpuload")->kind, FOREIGN_ENGINE);
	ck_assert_ptr_null(foreign_find("iodepth"));
	ck_assert_ptr_null(foreign_find("vary"));
}
END_TEST

/* ---- the rules ----------------------------------------------------------------------------- */

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

static int file_open(struct iojob_worker *w, struct iojob_file *file)
{
	(void)w;
	(void)file;
	return 0;
}

enum { ANY, READER, ONE, DIRECT, SHALLOW, NAMES, NOTHING, NONE };

static const struct engine engines[] = {
	[ANY] = { .e = { .name = "any", .ops = (1u << IOJOB_OPS) - 1, .execute = execute } },
	[READER] = { .e = { .name = "reader",
				     .ops = IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE),
				     .execute = execute } },
	[ONE] = { .e = { .name = "one",
				  .ops = (1u << IOJOB_OPS) - 1,
				  .flags = IOJOB_ENGINE_ONE_WORKER,
				  .execute = execute } },
	[DIRECT] = { .e = { .name = "straight",
				     .ops = (1u << IOJOB_OPS) - 1,
				     .flags = IOJOB_ENGINE_DIRECT,
				     .execute = execute } },
	[SHALLOW] = { .e = { .name = "shallow",
				      .ops = (1u << IOJOB_OPS) - 1,
				      .max_depth = 64,
				      .submit = submit } },
	[NAMES] = { .e = { .name = "names",
				    .ops = (1u << IOJOB_OPS) - 1,
				    .flags = IOJOB_ENGINE_NO_FD,
				    .file_open = file_open,
				    .execute = execute } },
	[NOTHING] = { .e = { .name = "nothing",
				      .ops = (1u << IOJOB_OPS) - 1,
				      .flags = IOJOB_ENGINE_NO_FD,
				      .execute = execute } },
};

/* A job of "key=value" lines in t.ini, from line 1; jobs_free() frees it. */
static void make(struct jobs *jobs, const char *lines, int engine)
{
	const struct opt_table table = job_table();
	struct job *job = calloc(1, sizeof(*job));
	char *text = strdup(lines);
	char *rest = text;
	char *key;
	struct err err = { "" };

	ck_assert(job && text);
	*jobs = (struct jobs){ .list = job, .n = 1 };
	job->path = "t.ini";
	job->engine = engine == NONE ? NULL : &engines[engine];
	ck_assert_msg(opt_defaults(&table, &job->o, &err) == 0, "%s", err.text);
	job->own = calloc(20, sizeof(*job->own));
	ck_assert(job->own);
	while ((key = strsep(&rest, "\n"))) {
		struct jobfile_pair *pair = &job->own[job->nown++];
		char *value = strchr(key, '=');
		int row;

		if (value)
			*value++ = '\0';
		row = job_row(key);
		ck_assert_msg(row >= 0, "%s", key);
		*pair = (struct jobfile_pair){ .key = strdup(key),
			.value = value ? strdup(value) : NULL,
			.path = "t.ini",
			.line = (unsigned)job->nown };
		ck_assert_msg(opt_set(&job_options[row], &job->o, value, 1024, &err) == 0, "%s",
				err.text);
		job->given[row / 64] |= UINT64_C(1) << row % 64;
	}
	free(text);
}

struct refusal {
	const char *lines;
	int engine;
	const char *error; /* NULL: it passes */
};

static const struct refusal refusals[] = {
	/* sizes */
	{ "bs=8k\nbsrange=4k-8k", ANY,
			"t.ini:2: bsrange: bs is set as well; only one of them can count" },
	/* direct */
	{ "direct=1\nbuffered=1", ANY, "t.ini:2: buffered = 1: contradicts direct = 1" },
	{ "direct=0\nbuffered=0", ANY, "t.ini:2: buffered = 0: contradicts direct = 0" },
	{ "direct=1\nbuffered=0", ANY, NULL },
	{ "direct=0", DIRECT, "t.ini:1: direct = 0: the engine straight always uses O_DIRECT" },
	{ "buffered=1", DIRECT, "t.ini:1: buffered = 1: the engine straight always uses O_DIRECT" },
	{ "direct=1", DIRECT, NULL },
	{ "numjobs=2", DIRECT, NULL },
	/* operations */
	{ "rw=trim", READER, "t.ini:1: rw: the engine reader does no trim" },
	{ "rw=write\nfsync=4", READER, "t.ini:2: fsync: the engine reader does no fsync" },
	{ "rw=write\nend_fsync=1", READER, "t.ini:2: end_fsync: the engine reader does no fsync" },
	{ "rw=write\nfsync_on_close=1", READER,
			"t.ini:2: fsync_on_close: the engine reader does no fsync" },
	{ "rw=write\nfdatasync=4", READER,
			"t.ini:2: fdatasync: the engine reader does no fdatasync" },
	{ "rw=read\nend_fsync=1\nfsync=1\nfdatasync=1", READER, NULL },
	{ "rw=trim", NONE, NULL },
	/* mix */
	{ "rwmixread=30\nrwmixwrite=30", ANY,
			"t.ini:2: rwmixwrite = 30: together with rwmixread = 30 it must be 100" },
	{ "rwmixread=60\nrwmixwrite=40", ANY, NULL },
	{ "rw=read\nrwmixread=10", ANY, NULL },
	/* order */
	{ "rw=trim\nrw_modifier=8k", ANY,
			"t.ini:2: rw_modifier: trims go in plain order; `8k` is for reads and "
			"writes" },
	{ "rw=randtrim\nrw_modifier=8", ANY,
			"t.ini:2: rw_modifier: trims go in plain order; `8` is for reads and "
			"writes" },
	{ "rw_modifier=--8k", ANY, "t.ini:1: rw_modifier: `--8k` must be a size or a number of "
				   "blocks, as in 64k, -8k, -2bs" },
	{ "rw_modifier=bs", ANY, "t.ini:1: rw_modifier: `bs` must be a size or a number of "
				 "blocks, as in 64k, -8k, -2bs" },
	{ "rw_modifier=1kbs", ANY, "t.ini:1: rw_modifier: `1kbs` must be a size or a number of "
				   "blocks, as in 64k, -8k, -2bs" },
	{ "rw_modifier=10z", ANY, "t.ini:1: rw_modifier: `10z` must be a size or a number of "
				  "blocks, as in 64k, -8k, -2bs" },
	{ "rw_modifier=50%", ANY, "t.ini:1: rw_modifier: `50%` must be a size or a number of "
				  "blocks, as in 64k, -8k, -2bs" },
	{ "rw_modifier=9000000000000000bs", ANY,
			"t.ini:1: rw_modifier: `9000000000000000bs` is too large" },
	{ "rw=randread\nrw_modifier=0", ANY,
			"t.ini:2: rw_modifier: `0` must be a number of I/Os, 1 or more: of a "
			"random job it says how many there are for each random offset" },
	{ "rw=randread\nrw_modifier=2bs", ANY,
			"t.ini:2: rw_modifier: `2bs` must be a number of I/Os, 1 or more: of a "
			"random job it says how many there are for each random offset" },
	{ "zonesize=8k", ANY, "t.ini:1: zonesize: needs zonemode=strided" },
	{ "zonemode=none\nzoneskip=8k", ANY, "t.ini:2: zoneskip: needs zonemode=strided" },
	{ "zonemode=strided\nzonerange=8k", ANY, "t.ini:1: zonemode = strided: needs zonesize=" },
	{ "zonemode=strided\nzonesize=8k\nrw_modifier=4k", ANY,
			"t.ini:1: zonemode = strided: rw has a modifier, `4k`; only one of them "
			"can say what comes next" },
	{ "zonemode=strided\nzonesize=8k\nnrfiles=2", ANY,
			"t.ini:1: zonemode = strided: for one file only" },
	{ "zonemode=strided\nzonesize=8k\nfilename=a:b", ANY,
			"t.ini:1: zonemode = strided: for one file only" },
	{ "rw=randread\nzonemode=strided\nzonesize=2k", ANY,
			"t.ini:3: zonesize: smaller than a block, of which a random job needs one "
			"in each zone" },
	{ "rw=randread\nzonemode=strided\nzonesize=8k\nzonerange=2k", ANY,
			"t.ini:4: zonerange: smaller than a block, of which a random job needs one "
			"in each zone" },
	{ "rw=read\nzonemode=strided\nzonesize=2k", ANY, NULL },
	{ "zonemode=strided\nzonesize=8k\nfilename=a:b\nnrfiles=1", ANY, NULL },
	/* depth */
	{ "iodepth=65", SHALLOW, "t.ini:1: iodepth = 65: the engine shallow goes up to 64" },
	{ "iodepth=64", SHALLOW, NULL },
	{ "iodepth=65", ANY, NULL },
	{ "iodepth=4\niodepth_batch=5", ANY,
			"t.ini:2: iodepth_batch = 5: larger than iodepth, which is 4" },
	{ "iodepth=4\niodepth_batch=0", ANY, NULL },
	{ "iodepth_batch_complete=2", ANY,
			"t.ini:1: iodepth_batch_complete_min = 2: larger than iodepth, which is "
			"1" },
	{ "iodepth=8\niodepth_batch_complete_min=4\niodepth_batch_complete_max=3", ANY,
			"t.ini:3: iodepth_batch_complete_max = 3: smaller than "
			"iodepth_batch_complete_min, which is 4" },
	{ "iodepth=8\niodepth_batch_complete_min=4\niodepth_batch_complete_max=4", ANY, NULL },
	/* time */
	{ "time_based", ANY, "t.ini:1: time_based: needs runtime=, or the job would never end" },
	{ "runtime=0\ntime_based=1", ANY,
			"t.ini:2: time_based: needs runtime=, or the job would never end" },
	{ "time_based\nruntime=1", ANY, NULL },
	/* rates */
	{ "rate=1m\nrate_iops=5", ANY,
			"t.ini:2: rate_iops: rate is set as well; only one of them can count for a "
			"read" },
	{ "rate=,1m\nrate_iops=,5", ANY,
			"t.ini:2: rate_iops: rate is set as well; only one of them can count for a "
			"write" },
	{ "rate=1m,0\nrate_iops=,5", ANY, NULL },
	/* workers and files */
	{ "numjobs=2", ONE, "t.ini:1: numjobs = 2: the engine one can only have one worker" },
	{ "numjobs=1", ONE, NULL },
	{ "filename=a:b\nnrfiles=3", ANY, NULL },
	{ "filename=a:b\nnrfiles=1", ANY, NULL },
	{ "filename=a:b:c", ANY, NULL },
	{ "filename=a::b", ANY, "t.ini:1: filename = a::b: one of the names is empty" },
	{ "filename=a:", ANY, "t.ini:1: filename = a:: one of the names is empty" },
	{ "directory=/a:/b", ANY, NULL },
	{ "directory=/a:", ANY, "t.ini:1: directory = /a:: one of the names is empty" },
	{ "directory=/a\\:/b", ANY, NULL },
	/* contents */
	{ "zero_buffers\nbuffer_pattern=0xff", ANY,
			"t.ini:2: buffer_pattern: zero_buffers is set as well; only one of them "
			"can count" },
	{ "zero_buffers=0\nbuffer_pattern=0xff", ANY, NULL },
	/* lists */
	{ "percentile_list=50:x", ANY,
			"t.ini:1: percentile_list: `x` is no number above 0 and up to 100" },
	{ "percentile_list=0:50", ANY,
			"t.ini:1: percentile_list: `0` is no number above 0 and up to 100" },
	{ "percentile_list=100.1", ANY,
			"t.ini:1: percentile_list: `100.1` is no number above 0 and up to 100" },
	{ "percentile_list=50:", ANY,
			"t.ini:1: percentile_list: `` is no number above 0 and up to 100" },
	{ "percentile_list=1.2.3", ANY,
			"t.ini:1: percentile_list: `1.2.3` is no number above 0 and up to 100" },
	{ "percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21", ANY,
			"t.ini:1: percentile_list: more than 20 numbers" },
	{ "lat_thresholds=1ms,2s,10", ANY, NULL },
	{ "lat_thresholds=2s,1s", ANY,
			"t.ini:1: lat_thresholds: `1s` is not longer than the one before" },
	{ "rw=read\nlat_thresholds=1s,1000ms", ANY,
			"t.ini:2: lat_thresholds: `1000ms` is not longer than the one before" },
	{ "lat_thresholds=0,1s", ANY, "t.ini:1: lat_thresholds: `0`: must be above 0" },
	{ "lat_thresholds=1s,", ANY, "t.ini:1: lat_thresholds: ``: a value is missing" },
	{ "lat_thresholds=1s,2x", ANY,
			"t.ini:1: lat_thresholds: `2x`: no unit of time follows the number; those "
			"are ns us ms s m h d (sec, min, ...)" },
	{ "lat_thresholds=1,2,3,4,5,6,7,8", ANY, NULL },
	{ "lat_thresholds=1,2,3,4,5,6,7,8,9", ANY, "t.ini:1: lat_thresholds: more than 8 times" },
	{ "steadystate=iops:10%\nsteadystate_duration=2", ANY, NULL },
	{ "ss=bw_slope:1m\nss_dur=10s\nss_ramp=500ms", ANY, NULL },
	{ "ss=snia\nss_dur=5", ANY, NULL },
	{ "ss_dur=5", ANY, NULL },
	{ "ss=iops:1\nss_dur=0", ANY, NULL },
	{ "ss=iops:1", ANY,
			"t.ini:1: steadystate: needs steadystate_duration=, or it is never asked" },
	{ "ss=iops\nss_dur=5", ANY,
			"t.ini:1: steadystate = iops: a limit must follow, as in iops:10%" },
	{ "ss=snia:5%\nss_dur=5", ANY,
			"t.ini:1: steadystate = snia:5%: snia has its own limits, and takes none" },
	{ "ss=lat:5%\nss_dur=5", ANY,
			"t.ini:1: steadystate = lat:5%: must be one of iops, iops_slope, bw, "
			"bw_slope with a limit, as in iops:10%, or snia" },
	{ "ss=iops:0\nss_dur=5", ANY,
			"t.ini:1: steadystate = iops:0: the limit must be above 0" },
	{ "ss=iops:x%\nss_dur=5", ANY,
			"t.ini:1: steadystate = iops:x%: the percentage must be a number and a "
			"`%`" },
	{ "ss=snia\nss_dur=4", ANY,
			"t.ini:2: steadystate_duration: must be whole seconds, and 5 at least" },
	{ "ss_dur=1", ANY,
			"t.ini:1: steadystate_duration: must be whole seconds, and 2 at least" },
	{ "ss_dur=2500ms", ANY,
			"t.ini:1: steadystate_duration: must be whole seconds, and 2 at least" },
	/* PostMark: keys that mean nothing to it, and its own elsewhere */
	{ "workload=postmark", ANY, NULL },
	{ "workload=postmark\npostmark_size=4k\nnumjobs=4\nthread\nruntime=1\nsync=1", ANY, NULL },
	{ "workload=postmark\nrw=randread", ANY,
			"t.ini:2: rw: workload=postmark has no use for it" },
	{ "blocksize=4k\nworkload=postmark", ANY,
			"t.ini:1: bs: workload=postmark has no use for it" },
	{ "workload=postmark\nloops=2", ANY,
			"t.ini:2: loops: workload=postmark has no use for it" },
	{ "postmark_seed=7", ANY,
			"t.ini:1: postmark_seed: only workload=postmark has a use for it" },
	{ "workload=io\npostmark_seed=7", ANY,
			"t.ini:2: postmark_seed: only workload=postmark has a use for it" },
	{ "workload=postmark", READER, NULL },
	{ "workload=postmark", NOTHING, NULL },
	{ "ioengine=names\nworkload=postmark", NAMES,
			"t.ini:1: ioengine = names: workload=postmark makes and removes files, and "
			"this engine's are names that only it understands" },
	{ "workload=postmark\npostmark_fsync=every", READER,
			"t.ini:2: postmark_fsync: the engine reader does no fsync" },
	{ "workload=postmark\npostmark_location=a,b:3,c\\:1", ANY, NULL },
	{ "workload=postmark\npostmark_location=a:b", ANY,
			"t.ini:2: postmark_location = a:b: must be PATH[:WEIGHT], several with a "
			"comma between them, and a WEIGHT a number from 1 to 1000000" },
	{ "directory=a\nworkload=postmark\npostmark_location=b", ANY,
			"t.ini:1: directory: postmark_location is set as well; only one of them "
			"can count" },
	{ "cpus_allowed=0-3,5", ANY, NULL },
	{ "cpus_allowed=3-0", ANY,
			"t.ini:1: cpus_allowed = 3-0: must be CPUs from 0 to 1023 and ranges of "
			"them, as "
			"in 0-3,5" },
	{ "cpus_allowed=1024", ANY,
			"t.ini:1: cpus_allowed = 1024: must be CPUs from 0 to 1023 and ranges of "
			"them, as "
			"in 0-3,5" },
	{ "cpus_allowed=0,", ANY,
			"t.ini:1: cpus_allowed = 0,: must be CPUs from 0 to 1023 and ranges of "
			"them, as "
			"in 0-3,5" },
	{ "cpus_allowed=0-", ANY,
			"t.ini:1: cpus_allowed = 0-: must be CPUs from 0 to 1023 and ranges of "
			"them, as "
			"in 0-3,5" },
};

START_TEST(test_rules)
{
	const struct refusal *r = &refusals[_i];
	struct err err = { "" };
	struct jobs jobs;
	struct job_opts before;
	int rc;

	make(&jobs, r->lines, r->engine);
	before = jobs.list[0].o;
	rc = job_check(&jobs.list[0], &err);
	if (r->error) {
		ck_assert_int_eq(rc, -EINVAL);
		ck_assert_str_eq(err.text, r->error);
	} else {
		ck_assert_msg(rc == 0, "%s", err.text);
	}
	ck_assert_msg(!memcmp(&before, &jobs.list[0].o, sizeof(before)), "an option was changed");
	jobs_free(&jobs);
}
END_TEST

/* What job_check() works out. */
static struct job *checked(struct jobs *jobs, const char *lines, int engine)
{
	struct err err = { "" };

	make(jobs, lines, engine);
	ck_assert_msg(job_check(&jobs->list[0], &err) == 0, "%s", err.text);
	return &jobs->list[0];
}

START_TEST(test_weights)
{
	static const struct {
		const char *list;
		struct {
			const char *name; /* NULL: the end */
			uint32_t weight;  /* 0: refused */
		} items[4];
	} cases[] = {
		{ "a", { { "a", 1 } } },
		{ "/x/y:3,b", { { "/x/y", 3 }, { "b", 1 } } },
		{ "a\\:3,b\\,c:10,\\d", { { "a:3", 1 }, { "b,c", 10 }, { "\\d", 1 } } },
		{ "a:1000000,b:1000001", { { "a", 1000000 }, { "", 0 } } },
		{ "", { { "", 0 } } },
		{ ",a", { { "", 0 } } },
		{ "a,", { { "", 0 } } },
		{ "a:", { { "", 0 } } },
		{ ":3", { { "", 0 } } },
		{ "a:-1", { { "", 0 } } },
		{ "a:0", { { "", 0 } } },
		{ "a:4294967297", { { "", 0 } } },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const char *list = cases[c].list;

		for (size_t i = 0; cases[c].items[i].name; i++) {
			uint32_t weight;
			char *name;
			int r = list_weighted(&list, &name, &weight);

			if (!cases[c].items[i].weight) {
				ck_assert_msg(r == -EINVAL, "%s", cases[c].list);
				break;
			}
			ck_assert_msg(!r, "%s", cases[c].list);
			ck_assert_str_eq(name, cases[c].items[i].name);
			ck_assert_uint_eq(weight, cases[c].items[i].weight);
			free(name);
			ck_assert_msg(cases[c].items[i + 1].name || !*list, "%s", cases[c].list);
		}
	}
}
END_TEST

START_TEST(test_derived_sizes)
{
	struct jobs jobs;
	struct job *job = checked(&jobs, "bs=4k,8k", ANY);

	ck_assert_uint_eq(job->bs_min[IOJOB_READ], 4096);
	ck_assert_uint_eq(job->bs_max[IOJOB_READ], 4096);
	ck_assert_uint_eq(job->bs_min[IOJOB_WRITE], 8192);
	ck_assert_uint_eq(job->bs_max[IOJOB_TRIM], 8192);
	jobs_free(&jobs);

	job = checked(&jobs, "bsrange=4k-16k,1k-2k", ANY);
	ck_assert_uint_eq(job->bs_min[IOJOB_READ], 4096);
	ck_assert_uint_eq(job->bs_max[IOJOB_READ], 16384);
	ck_assert_uint_eq(job->bs_min[IOJOB_WRITE], 1024);
	ck_assert_uint_eq(job->bs_max[IOJOB_WRITE], 2048);
	jobs_free(&jobs);
}
END_TEST

START_TEST(test_derived_direct)
{
	static const struct {
		const char *lines;
		int engine;
		bool direct;
	} cases[] = {
		{ "bs=4k", ANY, false },
		{ "direct=1", ANY, true },
		{ "buffered=0", ANY, true },
		{ "buffered=1", ANY, false },
		{ "bs=4k", DIRECT, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct jobs jobs;

		ck_assert_msg(checked(&jobs, cases[i].lines, cases[i].engine)->direct ==
						cases[i].direct,
				"%s", cases[i].lines);
		jobs_free(&jobs);
	}
}
END_TEST

START_TEST(test_derived_ops_and_mix)
{
	struct jobs jobs;
	struct job *job = checked(&jobs, "rw=randrw\nfsync=8\nfdatasync=8\nrwmixwrite=30", ANY);

	ck_assert_uint_eq(job->ops, IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE) |
						    IOJOB_OP_BIT(IOJOB_FSYNC) |
						    IOJOB_OP_BIT(IOJOB_FDATASYNC));
	ck_assert(job_random(job) && job_does(job, IOJOB_READ) && !job_does(job, IOJOB_TRIM));
	ck_assert_int_eq(job->mix_read, 70);
	jobs_free(&jobs);

	job = checked(&jobs, "rw=read\nend_fsync=1\nrwmixread=20", ANY);
	ck_assert_uint_eq(job->ops, IOJOB_OP_BIT(IOJOB_READ));
	ck_assert_int_eq(job->mix_read, 20);
	jobs_free(&jobs);
}
END_TEST

START_TEST(test_derived_order)
{
	static const struct {
		const char *lines;
		int64_t step[2];
		unsigned run;
		uint64_t range;
	} table[] = {
		{ "rw=rw", { 0, 0 }, 0, 0 },
		{ "rw=rw\nrw_modifier=8k", { 8192, 8192 }, 0, 0 },
		{ "rw=rw\nrw_modifier=+8", { 8, 8 }, 0, 0 },
		{ "rw=rw\nrw_modifier=-3m", { -3145728, -3145728 }, 0, 0 },
		{ "rw=rw\nrw_modifier=0", { 0, 0 }, 0, 0 },
		{ "rw=rw\nbs=4k,16k\nrw_modifier=-2bs", { -8192, -32768 }, 0, 0 },
		{ "rw=rw\nbsrange=4k-16k\nrw_modifier=16bs", { 65536, 65536 }, 0, 0 },
		{ "rw=randread\nrw_modifier=8", { 0, 0 }, 8, 0 },
		{ "zonemode=strided\nzonesize=8k\nzoneskip=1m", { 0, 0 }, 0, 8192 },
		{ "zonemode=strided\nzonesize=8k\nzonerange=4k", { 0, 0 }, 0, 4096 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct jobs jobs;
		struct job *job = checked(&jobs, table[i].lines, ANY);

		ck_assert_int_eq(job->step[0], table[i].step[0]);
		ck_assert_int_eq(job->step[1], table[i].step[1]);
		ck_assert_uint_eq(job->run, table[i].run);
		ck_assert_uint_eq(job->zone_range, table[i].range);
		jobs_free(&jobs);
	}
}
END_TEST

START_TEST(test_derived_thresholds)
{
	struct jobs jobs;
	struct job *job = checked(&jobs, "lat_thresholds=1500us, 2 s,10", ANY);

	ck_assert_uint_eq(job->nthresholds, 3);
	ck_assert_uint_eq(job->thresholds_ns[0], 1500000);
	ck_assert_uint_eq(job->thresholds_ns[1], 2000000000);
	ck_assert_uint_eq(job->thresholds_ns[2], 10000000000);
	jobs_free(&jobs);
	job = checked(&jobs, "bs=4k", ANY);
	ck_assert_uint_eq(job->nthresholds, 0);
	jobs_free(&jobs);
}
END_TEST

START_TEST(test_derived_percentiles)
{
	static const double expected[] = { 1, 50, 99, 99.9, 100 };
	struct jobs jobs;
	struct job *job = checked(&jobs, "percentile_list=99.9:50:1:99:100:50.0", ANY);

	ck_assert_uint_eq(job->npercentiles, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_double_eq(job->percentiles[i], expected[i]);
	jobs_free(&jobs);

	job = checked(&jobs, "bs=4k", ANY);
	ck_assert_uint_eq(job->npercentiles, 17);
	ck_assert_double_eq(job->percentiles[0], 1);
	ck_assert_double_eq(job->percentiles[16], 99.99);
	jobs_free(&jobs);
}
END_TEST

START_TEST(test_cpus)
{
	struct jobs jobs;
	struct job *job = checked(&jobs, "cpus_allowed=0-2,7,1023", ANY);
	cpu_set_t set;

	ck_assert_int_eq(job_cpus(job, &set), 0);
	ck_assert_int_eq(CPU_COUNT(&set), 5);
	ck_assert(CPU_ISSET(1, &set) && CPU_ISSET(7, &set) && CPU_ISSET(1023, &set));
	jobs_free(&jobs);

	job = checked(&jobs, "bs=4k", ANY);
	ck_assert_int_eq(job_cpus(job, &set), -EINVAL);
	jobs_free(&jobs);
}
END_TEST

START_TEST(test_given_and_where)
{
	struct jobs jobs;
	struct job *job = checked(&jobs, "rw=read\nblocksize=4k", ANY);
	const char *path;
	unsigned line;

	ck_assert(job_given(job, "bs") && job_given(job, "readwrite"));
	ck_assert(!job_given(job, "size") && !job_given(job, "nonsense"));
	job_where(job, "bs", &path, &line);
	ck_assert_str_eq(path, "t.ini");
	ck_assert_uint_eq(line, 2);
	job->line = 77;
	job_where(job, "size", &path, &line);
	ck_assert_uint_eq(line, 77);
	jobs_free(&jobs);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("job");
	TCase *table = tcase_create("table");
	TCase *rules = tcase_create("rules");

	tcase_add_test(table, test_names_are_unique);
	tcase_add_test(table, test_rows_are_told);
	tcase_add_test(table, test_members_lie_in_the_struct);
	tcase_add_test(table, test_choices);
	tcase_add_test(table, test_defaults);
	tcase_add_loop_test(table, test_prints_are_parsed, 0, rows());
	tcase_add_test(table, test_rows_are_found);
	tcase_add_test(table, test_foreign_keys);
	suite_add_tcase(suite, table);
	tcase_add_loop_test(rules, test_rules, 0, sizeof(refusals) / sizeof(refusals[0]));
	tcase_add_test(rules, test_weights);
	tcase_add_test(rules, test_derived_sizes);
	tcase_add_test(rules, test_derived_direct);
	tcase_add_test(rules, test_derived_ops_and_mix);
	tcase_add_test(rules, test_derived_percentiles);
	tcase_add_test(rules, test_derived_order);
	tcase_add_test(rules, test_derived_thresholds);
	tcase_add_test(rules, test_cpus);
	tcase_add_test(rules, test_given_and_where);
	suite_add_tcase(suite, rules);
	return unit_run(suite);
}
