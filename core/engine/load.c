// SPDX-License-Identifier: MIT
#include "load.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef IOJOB_ENGINE_DIR
#error "IOJOB_ENGINE_DIR is where installed engines are: -DIOJOB_ENGINE_DIR='\"/usr/lib/iojob\"'"
#endif

static const char suffix[] = ".so";

/* The names that other job files use for what we have. */
static const struct {
	const char *name;
	const char *canonical;
} aliases[] = {
	{ "aio", "libaio" },
	{ "linuxaio", "libaio" },
	{ "sync", "psync" },
	{ "pvsync", "psync" },
};

const char *engine_canonical(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(name, aliases[i].name) == 0)
			return aliases[i].canonical;
	return name;
}

const char *engine_op_name(unsigned op)
{
	static const char *const names[IOJOB_OPS] = {
		[IOJOB_READ] = "read",
		[IOJOB_WRITE] = "write",
		[IOJOB_TRIM] = "trim",
		[IOJOB_FSYNC] = "fsync",
		[IOJOB_FDATASYNC] = "fdatasync",
	};

	return op < IOJOB_OPS ? names[op] : "?";
}

const char *engine_build_dir(char *buf, size_t size)
{
	static const char engines[] = "/engines";
	char probe[PATH_MAX + sizeof("/engines/psync.so")];
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	if (n < 0)
		return NULL;
	program[n] = '\0';
	slash = strrchr(program, '/');
	if (!slash || (size_t)(slash - program) + sizeof(engines) > size)
		return NULL;
	*slash = '\0';
	snprintf(probe, sizeof(probe), "%s/Makefile", program);
	if (access(probe, F_OK) < 0)
		return NULL;
	snprintf(probe, sizeof(probe), "%s%s/psync%s", program, engines, suffix);
	if (access(probe, F_OK) < 0)
		return NULL;
	snprintf(buf, size, "%s%s", program, engines);
	return buf;
}

/* ---- where to look ------------------------------------------------------------------------- */

/* The directories searched, in order. */
struct places {
	char *env; /* $IOJOB_ENGINE_PATH, cut at its colons */
	const char **list;
	size_t n;
};

static void places_free(struct places *places)
{
	free(places->list);
	free(places->env);
}

static int places_find(struct places *places, const struct engines *engines, struct err *err)
{
	const char *env = getenv("IOJOB_ENGINE_PATH");
	size_t room = 2; /* the build tree and the installed ones */
	const char *c;
	char *rest;
	char *dir;

	memset(places, 0, sizeof(*places));
	for (c = env; c && *c; c++)
		room += *c == ':';
	places->env = strdup(env ? env : "");
	places->list = calloc(room + 1, sizeof(places->list[0]));
	if (!places->env || !places->list) {
		places_free(places);
		return err_memory(err);
	}
	/* An empty member would mean the current directory, which is never searched. */
	for (rest = places->env; (dir = strsep(&rest, ":"));)
		if (*dir)
			places->list[places->n++] = dir;
	if (engines->build_dir)
		places->list[places->n++] = engines->build_dir;
	places->list[places->n++] = IOJOB_ENGINE_DIR;
	return 0;
}

/* The engine whose name is most like one that is not there; "" for none. */
static void nearest(const struct places *places, const char *name, char *near, size_t size)
{
	struct opt_nearest best = { .distance = UINT_MAX };

	near[0] = '\0';
	for (size_t i = 0; i < places->n; i++) {
		DIR *dir = opendir(places->list[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			size_t n = strlen(entry->d_name), end = strlen(suffix);

			if (n <= end || strcmp(entry->d_name + n - end, suffix))
				continue;
			entry->d_name[n - end] = '\0';
			opt_nearest_name(&best, name, entry->d_name);
			if (best.name == entry->d_name)
				snprintf(near, size, "%s", entry->d_name);
			best.name = near; /* the entry does not last */
		}
		if (dir)
			closedir(dir);
	}
}

static int not_found(const struct places *places, const char *name, struct err *err)
{
	char near[256];
	size_t used;
	size_t i;
	int code = err_set(err, ENOENT, "no engine `%s`: there is no %s%s in", name, name, suffix);

	for (i = 0; i < places->n; i++) {
		used = strlen(err->text);
		snprintf(err->text + used, sizeof(err->text) - used, "%s %s", i ? "," : "",
				places->list[i]);
	}
	nearest(places, name, near, sizeof(near));
	used = strlen(err->text);
	if (near[0])
		snprintf(err->text + used, sizeof(err->text) - used, "; did you mean %s?", near);
	return code;
}

/* ---- is it an engine, and a sound one? ----------------------------------------------------- */

static int refuse(const char *path, struct err *err, const char *why)
{
	return err_set(err, ENOEXEC, "%s: %s", path, why);
}

/* The faults of an option row that opt.c does not find itself while it stores the defaults. */
static const char *row_fault(const struct iojob_option *row, size_t conf_size)
{
	if (!row->help)
		return "has no help";
	if (row->type > IOJOB_OPT_CHOICE)
		return "has an unknown type";
	if (row->size == 0 || (uint64_t)row->offset + row->size > conf_size)
		return "lies outside of the engine's conf struct";
	if (row->type == IOJOB_OPT_CHOICE && !row->choices)
		return "has no choices";
	if (row->min > row->max)
		return "has a smallest value above its largest";
	return NULL;
}

/* Do two rows answer to one key? */
static bool clash(const struct iojob_option *a, const struct iojob_option *b)
{
	const char *const left[] = { a->name, a->alias };
	const char *const right[] = { b->name, b->alias };
	int i;

	for (i = 0; i < 4; i++)
		if (left[i / 2] && right[i % 2] && opt_same_key(left[i / 2], right[i % 2]))
			return true;
	return false;
}

/* Does a row before row i answer to one of its keys? */
static bool has_twin(const struct opt_table *options, size_t i, const struct iojob_option *row)
{
	struct iojob_option other;

	while (i-- > 0)
		if (clash(opt_row(options, i, &other), row))
			return true;
	return false;
}

static int check_options(const struct engine *engine, const char *path, struct err *err)
{
	struct iojob_option row;
	struct err fault = { "" };
	const char *why;
	void *conf;
	size_t i;
	int ret;

	for (i = 0; opt_row(&engine->options, i, &row); i++) {
		why = row_fault(&row, engine->e.conf_size);
		if (!why && has_twin(&engine->options, i, &row))
			why = "shares its key with another";
		if (why)
			return err_set(err, ENOEXEC, "%s: its option `%s` %s", path, row.name, why);
	}
	conf = calloc(1, engine->e.conf_size + 1u);
	if (!conf)
		return err_memory(err);
	ret = opt_defaults(&engine->options, conf, &fault);
	opt_free(&engine->options, conf);
	free(conf);
	if (ret < 0)
		return err_set(err, ENOEXEC, "%s: a wrong default: %s", path, fault.text);
	return 0;
}

/* The engine has to be named as its file, or a job would get another than it asked for. */
static bool same_name(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t n = strlen(name);

	base = base ? base + 1 : path;
	return strncmp(base, name, n) == 0 && strcmp(base + n, suffix) == 0;
}

static int check_engine(const struct engine *engine, const char *path, struct err *err)
{
	const struct iojob_engine *e = &engine->e;

	if (!e->name || !e->summary)
		return refuse(path, err, "the engine has no name or no summary");
	if (!same_name(path, e->name))
		return err_set(err, ENOEXEC,
				"%s: the engine in it is named `%s`, so the file has to be %s%s",
				path, e->name, e->name, suffix);
	if (!e->ops || e->ops >> IOJOB_OPS)
		return refuse(path, err, "the engine has no operations, or unknown ones");
	if (!e->submit != !e->reap)
		return refuse(path, err, "the engine has only one of submit and reap");
	if (!e->execute && !e->submit)
		return refuse(path, err, "the engine has neither execute nor submit and reap");
	if (e->flags & IOJOB_ENGINE_NO_FD && (!e->file_info || !e->file_remove))
		return refuse(path, err,
				"the engine opens its files itself (NO_FD), so it needs file_info "
				"and file_remove");
	if (e->buf_align & (e->buf_align - 1))
		return refuse(path, err, "the engine's buf_align is no power of two");
	return check_options(engine, path, err);
}

/* Takes over what the engine has of today's struct, once its head has been judged. */
static int adopt(struct engine *engine, const struct iojob_engine *theirs, const char *path,
		struct err *err)
{
	const size_t least = offsetof(struct iojob_engine, max_depth);
	size_t size;

	if (theirs->abi != IOJOB_ENGINE_ABI)
		return err_set(err, ENOEXEC, "%s: built for engine ABI %u, this iojob speaks %d",
				path, theirs->abi, IOJOB_ENGINE_ABI);
	size = theirs->struct_size < sizeof(engine->e) ? theirs->struct_size : sizeof(engine->e);
	if (size < least || theirs->opt_size % _Alignof(struct iojob_option) ||
			theirs->opt_size < offsetof(struct iojob_option, min))
		return refuse(path, err,
				"the engine's head is wrong: define it with IOJOB_ENGINE_HEAD");
	memcpy(&engine->e, theirs, size);
	engine->options = (struct opt_table){ engine->e.options, engine->e.opt_size };
	return check_engine(engine, path, err);
}

/* ---- loading ------------------------------------------------------------------------------- */

static int remember(struct engines *engines, struct engine *engine, struct err *err)
{
	struct engine **list =
			reallocarray(engines->list, engines->n + 1, sizeof(engines->list[0]));

	if (!list)
		return err_memory(err);
	engines->list = list;
	list[engines->n++] = engine;
	return 0;
}

/* dlerror() without the path, which dlopen's texts mostly begin with. */
static const char *dl_reason(const char *path)
{
	const char *text = dlerror();
	size_t n = strlen(path);

	if (!text)
		return "unknown error";
	return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

/*
 * Loads the file at `real`, an absolute path without links, which was asked for as `path`: a link
 * may give the file the name of its engine.
 */
static int open_new(struct engines *engines, const char *path, const char *real,
		const struct engine **found, struct err *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	const struct iojob_engine *theirs;
	void *handle;
	int ret;

	if (!engine || !(engine->path = strdup(real))) {
		ret = err_memory(err);
		goto out;
	}
	handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		ret = err_set(err, ENOEXEC, "%s: cannot be loaded: %s", path, dl_reason(real));
		goto out;
	}
	theirs = dlsym(handle, "iojob_engine");
	ret = theirs ? adopt(engine, theirs, path, err)
		     : refuse(path, err, "is no engine: it exports no symbol `iojob_engine`");
	if (ret == 0)
		ret = remember(engines, engine, err);
out:
	if (ret < 0 && engine) {
		free(engine->path);
		free(engine);
		engine = NULL;
	}
	*found = engine;
	return ret;
}

static int open_path(struct engines *engines, const char *path, const struct engine **found,
		struct err *err)
{
	char *real = realpath(path, NULL);
	size_t i;
	int ret;

	if (!real)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	for (i = 0; i < engines->n; i++) {
		if (strcmp(engines->list[i]->path, real) == 0) {
			*found = engines->list[i];
			free(real);
			return 0;
		}
	}
	ret = open_new(engines, path, real, found, err);
	free(real);
	return ret;
}

/* Only what can be the name of an engine becomes part of a path. */
static bool good_name(const char *name)
{
	static const char letters[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+.-";
	size_t n = strlen(name);

	return n > 0 && n <= 64 && strspn(name, letters) == n && name[0] != '.';
}

int engine_load(struct engines *engines, const char *name, const struct engine **engine,
		struct err *err)
{
	char path[PATH_MAX];
	struct places places;
	size_t i;
	int ret;

	*engine = NULL;
	if (strchr(name, '/'))
		return open_path(engines, name, engine, err);
	for (i = 0; i < engines->n; i++) {
		if (engines->list[i]->sought && strcmp(engines->list[i]->e.name, name) == 0) {
			*engine = engines->list[i];
			return 0;
		}
	}
	if (!good_name(name))
		return err_set(err, EINVAL,
				"`%.80s` cannot be the name of an engine (a path has a `/`)", name);
	ret = places_find(&places, engines, err);
	if (ret < 0)
		return ret;
	for (i = 0; i < places.n; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", places.list[i], name, suffix);
		if (access(path, F_OK) == 0)
			break;
	}
	ret = i < places.n ? open_path(engines, path, engine, err) : not_found(&places, name, err);
	places_free(&places);
	for (i = 0; i < engines->n && ret == 0; i++)
		engines->list[i]->sought |= engines->list[i] == *engine &&
				strcmp((*engine)->e.name, name) == 0;
	return ret;
}

static int load_dir(struct engines *engines, const char *dir, struct err *err)
{
	const struct engine *engine;
	struct dirent *entry;
	DIR *stream = opendir(dir);
	char *dot;
	int ret = 0;

	if (!stream)
		return 0;
	while (ret != -ENOMEM && (entry = readdir(stream))) {
		dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, suffix) != 0)
			continue;
		*dot = '\0';
		if (good_name(entry->d_name))
			ret = engine_load(engines, entry->d_name, &engine, err);
	}
	closedir(stream);
	return ret == -ENOMEM ? ret : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct engine *const *left = a;
	const struct engine *const *right = b;

	return strcmp((*left)->e.name, (*right)->e.name);
}

int engine_load_all(struct engines *engines, struct err *err)
{
	struct err passed_over = { "" };
	struct places places;
	size_t i;
	int ret = places_find(&places, engines, err);

	if (ret < 0)
		return ret;
	for (i = 0; i < places.n && ret == 0; i++)
		ret = load_dir(engines, places.list[i], &passed_over);
	if (ret < 0)
		*err = passed_over;
	places_free(&places);
	if (engines->n)
		qsort(engines->list, engines->n, sizeof(engines->list[0]), by_name);
	return ret;
}

void engines_free(struct engines *engines)
{
	size_t i;

	for (i = 0; i < engines->n; i++) {
		free(engines->list[i]->path);
		free(engines->list[i]);
	}
	free(engines->list);
	engines->list = NULL;
	engines->n = 0;
}
