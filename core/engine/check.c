// SPDX-License-Identifier: MIT
#include "check.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../measure/clock.h"
#include "rig.h"

enum {
	PROMPT_MS = 500, /* what does not wait is back by then, on a busy machine too */
	ROUNDS = 3,      /* of what has to work again and again */
};

#define READ_WRITE (IOJOB_OP_BIT(IOJOB_READ) | IOJOB_OP_BIT(IOJOB_WRITE))
#define SYNCS (IOJOB_OP_BIT(IOJOB_FSYNC) | IOJOB_OP_BIT(IOJOB_FDATASYNC))
#define TRIM IOJOB_OP_BIT(IOJOB_TRIM)

/* ---- checks of the tables ------------------------------------------------------------------ */

static enum check_verdict check_words(struct kit *kit, const struct spec *spec)
{
	const struct iojob_engine *e = &kit->engine->e;

	(void)spec;
	if (!kit_one_line(e->summary) || e->summary[strlen(e->summary) - 1] == '.')
		return kit_fail(kit, "its summary is not one line without a full stop");
	if (!e->doc || !*e->doc)
		return kit_fail(kit, "doc is empty, so its manual page would be");
	return CHECK_OK;
}

static enum check_verdict check_options(struct kit *kit, const struct spec *spec)
{
	struct iojob_option row;
	size_t i;

	(void)spec;
	for (i = 0; opt_row(&kit->engine->options, i, &row); i++) {
		if (!kit_one_line(row.help) || row.help[strlen(row.help) - 1] == '.')
			return kit_fail(kit, "the help of `%s` is not one line without a full stop",
					row.name);
		if (!row.doc || !*row.doc)
			return kit_fail(kit, "`%s` has no doc", row.name);
	}
	return CHECK_OK;
}

/* Can it run here at all? */
static enum check_verdict check_plain(struct kit *kit, const struct spec *spec)
{
	struct rig rig;
	enum check_verdict v = rig_build(&rig, kit, spec);

	if (v == CHECK_OK)
		v = rig_ask(&rig);
	return rig_close(&rig, v);
}

/* ---- checks of files ----------------------------------------------------------------------- */

static enum check_verdict check_file_info(struct kit *kit, const struct spec *spec)
{
	struct iojob_file_info info = { 0 };
	struct iojob_setup setup;
	struct rig rig;
	enum check_verdict v = rig_build(&rig, kit, spec);
	int ret;

	if (v != CHECK_OK)
		return rig_close(&rig, v);
	setup = rig_setup(&rig);
	ret = rig.e->file_info(&setup, rig.paths[0], &info);
	if (ret)
		v = rig_hook_failed(&rig, "file_info", ret);
	else if (!info.exists && info.size_bytes)
		v = kit_fail(kit, "a file that does not exist has a size");
	else if (kit_has_fds(kit) && info.exists)
		v = kit_fail(kit, "a file that is not there exists");
	return rig_close(&rig, v);
}

static enum check_verdict check_file_remove(struct rig *rig)
{
	struct iojob_setup setup = rig_setup(rig);
	enum check_verdict v = rig_close_file(rig, 0);
	int ret;
	int i;

	for (i = 0; i < 2 && v == CHECK_OK; i++) {
		ret = rig->e->file_remove(&setup, rig->paths[0]);
		if (ret && ret != -ENOENT)
			v = rig_hook_failed(rig, "file_remove", ret);
	}
	return v;
}

/* ---- checks of a worker that is open ------------------------------------------------------- */

static enum check_verdict check_nothing(struct rig *rig)
{
	(void)rig;
	return CHECK_OK;
}

static enum check_verdict check_data(struct rig *rig)
{
	enum check_verdict v = rig_write(rig);

	return v == CHECK_OK ? rig_read(rig) : v;
}

/* What is opened again is another file of the same name and, most likely, descriptor. */
static enum check_verdict check_reopen(struct rig *rig)
{
	enum check_verdict v = CHECK_OK;
	int i;

	for (i = 0; i < ROUNDS && v == CHECK_OK; i++) {
		v = rig_single(rig, IOJOB_WRITE, 0, RIG_BLOCK, RIG_BLOCK);
		if (v == CHECK_OK)
			v = rig_close_file(rig, 0);
		rig_remove_file(rig, 0);
		if (v == CHECK_OK)
			v = rig_open_file(rig, 0);
	}
	return v == CHECK_OK ? check_data(rig) : v;
}

static enum check_verdict check_idle(struct rig *rig)
{
	static const struct {
		const char *what;
		unsigned min;
		int64_t timeout_ns;
	} calls[] = {
		{ "min 0 and no limit", 0, -1 },
		{ "min 0 and 1 s", 0, 1000000000 },
		{ "min 1 and 20 ms", 1, 20000000 },
		{ "min 1 and 0 ns", 1, 0 },
	};
	struct iojob_io *done[RIG_DEPTH];
	uint64_t start;
	size_t i;
	int n;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		start = clock_ns();
		n = rig->e->reap(&rig->w, done, calls[i].min, rig->w.depth, calls[i].timeout_ns);
		if (n != 0 && n != -EINTR)
			return kit_fail(rig->kit, "reap with %s returned %d", calls[i].what, n);
		if (clock_ns() - start > UINT64_C(1000000) * PROMPT_MS)
			return kit_fail(rig->kit, "reap with %s came back late", calls[i].what);
	}
	return CHECK_OK;
}

static enum check_verdict check_sync(struct rig *rig)
{
	static const enum iojob_op ops[] = { IOJOB_FSYNC, IOJOB_FDATASYNC };
	enum check_verdict v = CHECK_OK;
	size_t i;

	for (i = 0; i < 2 && v == CHECK_OK; i++) {
		v = rig_single(rig, IOJOB_WRITE, i * RIG_BLOCK, RIG_BLOCK, RIG_BLOCK);
		if (v == CHECK_OK && kit_does(rig->kit, ops[i]))
			v = rig_single(rig, ops[i], 0, 0, 0);
	}
	return v;
}

static enum check_verdict check_trim(struct rig *rig)
{
	static const char zeros[RIG_BLOCK];
	enum check_verdict v = rig_write(rig);

	if (v == CHECK_OK)
		v = rig_single(rig, IOJOB_TRIM, RIG_BLOCK, RIG_BLOCK, RIG_BLOCK);
	if (v == CHECK_OK)
		v = rig_single(rig, IOJOB_READ, RIG_BLOCK, RIG_BLOCK, RIG_BLOCK);
	if (v == CHECK_OK && kit_has_fds(rig->kit) &&
			memcmp(rig->ios[0]->buf, zeros, RIG_BLOCK) != 0)
		v = kit_fail(rig->kit, "a trimmed block of a file does not read as zeros");
	return v;
}

/* At the end a short read, then none; far beyond it none, or an error. */
static enum check_verdict check_end(struct rig *rig)
{
	uint64_t end = rig->files[0]->size_bytes;
	struct iojob_io *io;
	enum check_verdict v;

	if (end > INT64_MAX - 2 * RIG_BLOCK)
		return kit_skip(rig->kit, "its files have no end");
	v = rig_single(rig, IOJOB_READ, end - RIG_BLOCK, 2 * RIG_BLOCK, RIG_BLOCK);
	if (v == CHECK_OK)
		v = rig_single(rig, IOJOB_READ, end, RIG_BLOCK, 0);
	if (v != CHECK_OK)
		return v;
	io = rig_request(rig, 0, IOJOB_READ, INT64_MAX - RIG_BLOCK + 1, RIG_BLOCK);
	v = rig_run(rig, 1);
	if (v == CHECK_OK && io->res > 0)
		v = kit_fail(rig->kit, "a read at 2^63 moved %lld bytes", (long long)io->res);
	return v;
}

/* Judges a read through either descriptor of check_errors(). */
static enum check_verdict judge(struct rig *rig, const struct iojob_io *io)
{
	if (io->file == rig->files[0])
		return rig_expect(rig, io, RIG_BLOCK);
	if (io->res >= 0)
		return kit_fail(rig->kit, "a read through a write-only descriptor has res %lld",
				(long long)io->res);
	return CHECK_OK;
}

/* Reads of a file that cannot be read among reads of one that can; first, last and neighbours. */
static enum check_verdict check_errors(struct rig *rig)
{
	static const bool bad[RIG_DEPTH] = { true, false, false, true, true, false, false, true };
	enum check_verdict v = CHECK_OK;
	uint32_t depth = rig->w.depth;
	unsigned done;
	unsigned i;

	for (done = 0; done < RIG_DEPTH && v == CHECK_OK; done += depth) {
		for (i = 0; i < depth; i++)
			rig_request(rig, i, IOJOB_READ, i * RIG_BLOCK, RIG_BLOCK)->file =
					rig->files[bad[done + i]];
		v = rig_run(rig, depth);
		for (i = 0; i < depth && v == CHECK_OK; i++)
			v = judge(rig, rig->ios[i]);
	}
	return v;
}

static enum check_verdict check_sigbus(struct rig *rig)
{
	static const enum iojob_op ops[] = { IOJOB_READ, IOJOB_WRITE };
	int fd = rig->files[0]->fd;
	struct iojob_io *io;
	enum check_verdict v;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (ftruncate(fd, 0) < 0)
			return kit_fail(rig->kit, "ftruncate: %s", strerror(errno));
		io = rig_request(rig, 0, ops[i], RIG_BLOCK, RIG_BLOCK);
		v = rig_run(rig, 1);
		if (v != CHECK_OK)
			return v;
		if (io->res >= 0)
			return kit_fail(rig->kit, "res is %lld where the file is gone",
					(long long)io->res);
		if (ftruncate(fd, RIG_FILE_BYTES) < 0)
			return kit_fail(rig->kit, "ftruncate: %s", strerror(errno));
	}
	return check_data(rig);
}

/* ---- running one --------------------------------------------------------------------------- */

/* What an engine has to have for a check to make sense; bits. */
enum {
	OPTIONS = 1u << 0,
	EXECUTE = 1u << 1, /* the check goes through execute */
	SUBMIT = 1u << 2,  /* ... through submit and reap; neither: through what there is */
	FILE_INFO = 1u << 3,
	FILE_REMOVE = 1u << 4,
	FD = 1u << 5,
	UNREADABLE = 1u << 6, /* it takes descriptors that cannot be read */
	SYNC = 1u << 7,
	TRIMS = 1u << 8,
	SIGBUS_TOO = 1u << 9,
	WORKERS = 1u << 10,
	DATA = 1u << 11,
};

/* One of `tables` (the worker is its own affair) and `worker` (is given an open one). */
struct row {
	const char *what;
	enum check_verdict (*tables)(struct kit *kit, const struct spec *spec);
	enum check_verdict (*worker)(struct rig *rig);
	unsigned needs;
	struct spec spec;
};

static unsigned has(const struct kit *kit)
{
	const struct iojob_engine *e = &kit->engine->e;
	unsigned bits = 0;

	bits |= e->options ? OPTIONS : 0;
	bits |= e->execute ? EXECUTE : 0;
	bits |= e->submit ? SUBMIT : 0;
	bits |= e->file_info ? FILE_INFO : 0;
	bits |= e->file_remove ? FILE_REMOVE : 0;
	bits |= kit_has_fds(kit) ? FD : 0;
	bits |= e->flags & IOJOB_ENGINE_SIGBUS ? 0 : UNREADABLE; /* who maps a file must read it */
	bits |= e->ops & SYNCS ? SYNC : 0;
	bits |= e->ops & TRIM ? TRIMS : 0;
	bits |= e->flags & IOJOB_ENGINE_SIGBUS ? SIGBUS_TOO : 0;
	bits |= e->flags & IOJOB_ENGINE_ONE_WORKER ? 0 : WORKERS;
	bits |= kit->no_data ? 0 : DATA;
	return bits;
}

static enum check_verdict run(struct kit *kit, const struct row *row, const struct spec *spec)
{
	enum check_verdict v;
	struct rig rig;

	if (row->tables)
		return row->tables(kit, spec);
	v = rig_build(&rig, kit, spec);
	if (v == CHECK_OK)
		v = rig_open(&rig);
	if (v == CHECK_OK)
		v = row->worker(&rig);
	return rig_close(&rig, v);
}

static enum check_verdict run_row(struct kit *kit, const struct row *row, uint32_t job_flags)
{
	const struct iojob_engine *e = &kit->engine->e;
	struct spec spec = row->spec;

	kit->why[0] = '\0';
	spec.submit = row->needs & SUBMIT || !e->execute;
	spec.job_flags |= job_flags;
	spec.depth = spec.depth ? spec.depth : 1;
	spec.nfiles = spec.nfiles ? spec.nfiles : 1;
	/* As many as may be in flight, a power of two. */
	while (spec.depth > 1 && (!spec.submit || (e->max_depth && spec.depth > e->max_depth)))
		spec.depth /= 2;
	return run(kit, row, &spec);
}

static unsigned tell(const struct engine_check *check, struct kit *kit, enum check_verdict v,
		const char *what)
{
	check->line(check->ctx, v, what, v == CHECK_OK ? "" : kit->why);
	return v == CHECK_FAIL;
}

/* ---- several workers ----------------------------------------------------------------------- */

struct twin {
	struct kit kit;
	const struct spec *spec;
	enum check_verdict v;
};

static void *run_twin(void *arg)
{
	static const struct row data = { .worker = check_data };
	struct twin *twin = arg;
	int i;

	for (i = 0; i < ROUNDS && twin->v == CHECK_OK; i++)
		twin->v = run(&twin->kit, &data, twin->spec);
	return NULL;
}

static enum check_verdict check_twins(struct kit *kit, const struct spec *spec)
{
	struct twin twins[2] = {
		{ .kit = *kit, .spec = spec },
		{ .kit = *kit, .spec = spec },
	};
	const struct twin *worse;
	pthread_t thread;

	twins[1].kit.first_file = RIG_FILES;
	if (pthread_create(&thread, NULL, run_twin, &twins[1]))
		return kit_fail(kit, "no second thread");
	run_twin(&twins[0]);
	pthread_join(thread, NULL);
	worse = twins[0].v != CHECK_OK ? &twins[0] : &twins[1];
	return kit_say(kit, worse->v, "%s", worse->kit.why);
}

static enum check_verdict check_lives(struct kit *kit, const struct spec *spec)
{
	static const struct row nothing = { .worker = check_nothing };
	enum check_verdict v = CHECK_OK;
	int i;

	for (i = 0; i < ROUNDS && v == CHECK_OK; i++)
		v = run(kit, &nothing, spec);
	return v;
}

/* ---- the list ------------------------------------------------------------------------------ */

static const struct row table_rows[] = {
	{
		.what = "has a summary and a manual",
		.tables = check_words,
	},
	{
		.what = "explains its options",
		.tables = check_options,
		.needs = OPTIONS,
	},
};

static const struct row rows[] = {
	{
		.what = "opens and closes, again and again",
		.tables = check_lives,
	},
	{
		.what = "file_info of a file that is not there",
		.tables = check_file_info,
		.needs = FILE_INFO,
	},
	{
		.what = "file_remove, also of what is gone",
		.worker = check_file_remove,
		.needs = FILE_REMOVE,
	},
	{
		.what = "data, by execute",
		.worker = check_data,
		.needs = EXECUTE | DATA,
	},
	{
		.what = "data, submitted one at a time",
		.worker = check_data,
		.needs = SUBMIT | DATA,
	},
	{
		.what = "data, 8 in flight",
		.worker = check_data,
		.needs = SUBMIT | DATA,
		.spec = { .depth = RIG_DEPTH },
	},
	{
		.what = "data, direct",
		.worker = check_data,
		.needs = DATA,
		.spec = { .depth = RIG_DEPTH, .job_flags = IOJOB_JOB_DIRECT },
	},
	{
		.what = "data, sync=1",
		.worker = check_data,
		.needs = DATA,
		.spec = { .job_flags = IOJOB_JOB_SYNC },
	},
	{
		.what = "data, sync=dsync",
		.worker = check_data,
		.needs = DATA,
		.spec = { .job_flags = IOJOB_JOB_DSYNC },
	},
	{
		.what = "data, random",
		.worker = check_data,
		.needs = DATA,
		.spec = { .job_flags = IOJOB_JOB_RANDOM },
	},
	{
		.what = "data, files opened after ready",
		.worker = check_data,
		.needs = DATA,
		.spec = { .late = true },
	},
	{
		.what = "data, files closed and opened between I/Os",
		.worker = check_reopen,
		.needs = DATA,
	},
	{
		.what = "fsync and fdatasync",
		.worker = check_sync,
		.needs = SYNC,
		.spec = { .ops = SYNCS },
	},
	{
		.what = "trim",
		.worker = check_trim,
		.needs = TRIMS,
		.spec = { .ops = TRIM },
	},
	{
		.what = "the end of a file, and beyond",
		.worker = check_end,
	},
	{
		.what = "an I/O that fails, by execute",
		.worker = check_errors,
		.needs = EXECUTE | FD | UNREADABLE,
		.spec = { .nfiles = 2, .write_only = true },
	},
	{
		.what = "I/Os that fail among others, submitted together",
		.worker = check_errors,
		.needs = SUBMIT | FD | UNREADABLE,
		.spec = { .depth = RIG_DEPTH, .nfiles = 2, .write_only = true },
	},
	{
		.what = "reap does not block an idle worker",
		.worker = check_idle,
		.needs = SUBMIT,
		.spec = { .depth = RIG_DEPTH },
	},
	{
		.what = "a file cut short under it",
		.worker = check_sigbus,
		.needs = SIGBUS_TOO | FD,
	},
	{
		.what = "two workers at once",
		.tables = check_twins,
		.needs = WORKERS | DATA,
	},
	{
		.what = "two workers at once, 8 in flight each",
		.tables = check_twins,
		.needs = WORKERS | DATA | SUBMIT,
		.spec = { .depth = RIG_DEPTH },
	},
};

/* With each switch of an engine turned on. */
static const struct row switch_rows[] = {
	{
		.what = "data",
		.worker = check_data,
		.spec = { .depth = RIG_DEPTH },
	},
	{
		.what = "files opened after ready",
		.worker = check_data,
		.spec = { .depth = RIG_DEPTH, .late = true },
	},
	{
		.what = "files closed and opened between I/Os",
		.worker = check_reopen,
		.spec = { .depth = RIG_DEPTH },
	},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned check_switch(const struct engine_check *check, struct kit *kit,
		const struct iojob_option *option, uint32_t job_flags)
{
	struct err err;
	unsigned failed = 0;
	char what[128];
	void *conf = calloc(1, kit->engine->e.conf_size);
	size_t i;

	if (!conf || opt_copy(&kit->engine->options, conf, kit->conf) ||
			opt_set(option, conf, NULL, 1024, &err) < 0) {
		failed = tell(check, kit, kit_fail(kit, "cannot be switched on"), option->name);
		goto out;
	}
	kit->conf = conf;
	kit->optional = true;
	for (i = 0; i < COUNT(switch_rows); i++) {
		snprintf(what, sizeof(what), "%s=1: %s", option->name, switch_rows[i].what);
		failed += tell(check, kit, run_row(kit, &switch_rows[i], job_flags), what);
	}
out:
	if (conf)
		opt_free(&kit->engine->options, conf);
	free(conf);
	return failed;
}

/* Switches are tried with direct I/O where that works at all, since some need it. */
static unsigned check_switches(const struct engine_check *check, const struct kit *plain)
{
	static const struct row direct = {
		.worker = check_data,
		.spec = { .job_flags = IOJOB_JOB_DIRECT },
	};
	struct iojob_option row;
	struct kit kit = *plain;
	uint32_t job_flags = run_row(&kit, &direct, 0) == CHECK_OK ? IOJOB_JOB_DIRECT : 0;
	unsigned failed = 0;
	size_t i;

	for (i = 0; opt_row(&plain->engine->options, i, &row); i++) {
		kit = *plain;
		if (row.type == IOJOB_OPT_BOOL && !(row.flags & IOJOB_OPT_TUPLE))
			failed += check_switch(check, &kit, &row, job_flags);
	}
	return failed;
}

static unsigned check_rows(
		const struct engine_check *check, struct kit *kit, const struct row *list, size_t n)
{
	unsigned failed = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (!(list[i].needs & ~has(kit)))
			failed += tell(check, kit, run_row(kit, &list[i], 0), list[i].what);
	return failed;
}

static int set_option(const struct opt_table *table, void *conf,
		const struct engine_setting *setting, struct err *err)
{
	struct opt_nearest nearest = { .distance = UINT_MAX };
	struct iojob_option copy;
	const struct iojob_option *row = opt_find(table, setting->key, &copy);
	struct err why;

	if (row && opt_set(row, conf, setting->value, 1024, &why) == 0)
		return 0;
	if (row)
		return err_set(err, EINVAL, "--set: %s", why.text);
	opt_nearest_row(&nearest, setting->key, table);
	return err_set(err, EINVAL, "--set: %s: no key of this engine%s%s%s", setting->key,
			nearest.name ? "; did you mean " : "", nearest.name ? nearest.name : "",
			nearest.name ? "?" : "");
}

/* Its options by the defaults and the settings. */
static int set_options(const struct engine_check *check, void *conf, struct err *err)
{
	const struct opt_table *table = &check->engine->options;
	int r = opt_defaults(table, conf, err);
	struct iojob_option row;

	for (size_t i = 0; i < check->nsettings && r == 0; i++)
		r = set_option(table, conf, &check->settings[i], err);
	for (size_t i = 0; r == 0 && opt_row(table, i, &row); i++) {
		size_t j = 0;

		while (j < check->nsettings && !opt_same_key(check->settings[j].key, row.name) &&
				!(row.alias && opt_same_key(check->settings[j].key, row.alias)))
			j++;
		if (row.flags & IOJOB_OPT_REQUIRED && j == check->nsettings)
			r = err_set(err, EINVAL, "the engine %s needs --set %s= (%s)",
					check->engine->e.name, row.name, row.help);
	}
	return r;
}

int engine_check_settings(const struct engine_check *check, struct err *err)
{
	void *conf = calloc(1, check->engine->e.conf_size + 1u);
	int r = conf ? set_options(check, conf, err) : err_memory(err);

	if (conf)
		opt_free(&check->engine->options, conf);
	free(conf);
	return r;
}

unsigned engine_check(const struct engine_check *check)
{
	static const struct row plain = { .what = "accepts a plain job", .tables = check_plain };
	struct kit kit = { .engine = check->engine, .directory = check->directory };
	struct err err;
	unsigned failed = check_rows(check, &kit, table_rows, COUNT(table_rows));
	void *conf = calloc(1, check->engine->e.conf_size + 1u);
	enum check_verdict v;

	kit.conf = conf;
	if (!conf || set_options(check, conf, &err) < 0 || guard_catch() < 0)
		v = kit_fail(&kit, "cannot be set up");
	else
		v = run_row(&kit, &plain, 0);
	failed += tell(check, &kit, v, plain.what);
	if (v == CHECK_OK) {
		failed += check_rows(check, &kit, rows, COUNT(rows));
		failed += check_switches(check, &kit);
	}
	if (conf)
		opt_free(&check->engine->options, conf);
	free(conf);
	return failed;
}
