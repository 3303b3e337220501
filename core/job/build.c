// SPDX-License-Identifier: MIT
/* From sections to jobs. */
#include "job.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "../load/rng.h"
#include "foreign.h"
#include "grow.h"
#include "list.h"
#include "vary.h"

enum { VARIANTS_MAX = 10000 };

/* Where repeatable sequences begin. */
#define SEED UINT64_C(0x696f6a6f62)

/* Pairs that own their keys and values. */
struct pairs {
	struct jobfile_pair *list;
	size_t n;
};

/* Who wrote a vary line: it replaces the axis of the same name of one that counts less. */
enum author { GLOBAL, SECTION, COMMAND_LINE };

struct axis {
	struct vary vary;
	enum author author;
};

/* An engine's key where it need not apply to every job. */
struct engine_key {
	const char *path; /* the job file's */
	unsigned line;
	char *key;
	bool used;
};

struct build {
	const struct job_builder *how;
	const struct jobfile *file;
	struct jobs *jobs;
	struct err *err;
	struct pairs global;              /* of this file's [global]s so far, without vary */
	const char *path;                 /* of the job file that is being built */
	bool first;                       /* the next job is the first of its file */
	const struct jobfile_pair **vary; /* of the [global]s so far */
	size_t nvary;
	char **warned; /* what is not to be said again */
	size_t nwarned;
	struct engine_key *engine_keys;
	size_t nengine_keys;
	struct err doubt;    /* the first key that only a missing engine could explain */
	bool engine_missing; /* a job is skipped for want of one */
	bool all_engines;    /* every engine there is has been loaded */
	uint64_t drawn;      /* seed of the jobs that are not to be repeatable */
	struct job_opts defaults; /* what every job begins with */
};

/* A section on its way to its jobs. */
struct plot {
	const struct jobfile_section *section;
	struct pairs own;
	struct pairs set; /* by the command line */
	struct axis *axes;
	size_t naxes;
	bool varies_engine;
};

/* ---- helpers ------------------------------------------------------------------------------- */

/* Tells the user, unless something was said under this name before. */
static int warn(struct build *b, const char *name, const struct err *text)
{
	char **warned;

	for (size_t i = 0; i < b->nwarned; i++)
		if (strcmp(b->warned[i], name) == 0)
			return 0;
	warned = grow(b->warned, b->nwarned, sizeof(*warned));
	if (!warned)
		return err_memory(b->err);
	b->warned = warned;
	warned[b->nwarned] = strdup(name);
	if (!warned[b->nwarned])
		return err_memory(b->err);
	b->nwarned++;
	if (b->how->warn)
		b->how->warn(b->how->ctx, text->text);
	return 0;
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* Keys of which one takes the place of the other where it is written higher up. */
static const struct {
	const char *key;
	const char *hides;
} rivals[] = {
	{ "bs", "bsrange" },
	{ "bsrange", "bs" },
	{ "direct", "buffered" },
	{ "buffered", "direct" },
	{ "rwmixread", "rwmixwrite" },
	{ "rwmixwrite", "rwmixread" },
	{ "filename", "nrfiles" },
};

/* The name in the job table of a key that is there. */
static const char *canonical(const char *key)
{
	int row = job_row(key);

	return row >= 0 ? job_options[row].name : key;
}

/* Does one of these take the place of a key that stands below them? */
static bool hides(const struct pairs *over, const char *key)
{
	key = canonical(key);
	for (size_t i = 0; i < over->n; i++) {
		const char *above = canonical(over->list[i].key);

		if (opt_same_key(above, key))
			return true;
		for (size_t r = 0; r < sizeof(rivals) / sizeof(rivals[0]); r++)
			if (strcmp(above, rivals[r].key) == 0 && strcmp(key, rivals[r].hides) == 0)
				return true;
	}
	return false;
}

static void pairs_drop(struct pairs *pairs, size_t i)
{
	free(pairs->list[i].key);
	free(pairs->list[i].value);
	pairs->n--;
	memmove(&pairs->list[i], &pairs->list[i + 1], (pairs->n - i) * sizeof(pairs->list[0]));
}

static void pairs_free(struct pairs *pairs)
{
	while (pairs->n)
		pairs_drop(pairs, pairs->n - 1);
	free(pairs->list);
	pairs->list = NULL;
}

/* At the end; the same key before it gives way, unless such keys add up. Copies key and value. */
static int pairs_put(struct build *b, struct pairs *pairs, const char *key, const char *value,
		const char *path, unsigned line)
{
	int row = job_row(key);
	bool adds = row >= 0 && job_options[row].flags & IOJOB_OPT_APPEND;
	struct jobfile_pair *list;

	for (size_t i = pairs->n; i-- > 0;)
		if (!adds && job_is_key(row, key, pairs->list[i].key))
			pairs_drop(pairs, i);
	list = grow(pairs->list, pairs->n, sizeof(*list));
	if (!list)
		return err_memory(b->err);
	pairs->list = list;
	list += pairs->n++;
	*list = (struct jobfile_pair){ .key = strdup(key), .path = path, .line = line };
	if (value)
		list->value = strdup(value);
	return list->key && (list->value || !value) ? 0 : err_memory(b->err);
}

static int pairs_add(struct build *b, struct pairs *pairs, const struct jobfile_pair *pair)
{
	int rc = pairs_put(b, pairs, pair->key, pair->value, pair->path, pair->line);

	if (rc == 0)
		pairs->list[pairs->n - 1].commented = pair->commented;
	return rc;
}

/* Puts `over` above what is there. */
static int pairs_over(struct build *b, struct pairs *pairs, const struct pairs *over)
{
	int rc = 0;

	for (size_t i = pairs->n; i-- > 0;)
		if (hides(over, pairs->list[i].key))
			pairs_drop(pairs, i);
	for (size_t i = 0; i < over->n && rc == 0; i++)
		rc = pairs_add(b, pairs, &over->list[i]);
	return rc;
}

/* ---- which sections ------------------------------------------------------------------------ */

static bool matches(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

static bool selected(const struct build *b, const char *name)
{
	for (size_t i = 0; i < b->how->nsections; i++)
		if (matches(b->how->sections[i], name))
			return true;
	return b->how->nsections == 0;
}

/* A pattern of the command line that fits no section is a mistake, and hides nothing. */
static int check_pattern(struct build *b, const char *option, const char *pattern)
{
	const struct jobfile *file = b->file;
	char names[768] = "";
	size_t used = 0;

	for (size_t i = 0; i < file->nsections; i++)
		if (!file->sections[i].global && matches(pattern, file->sections[i].name))
			return 0;
	for (size_t i = 0; i < file->nsections && used < sizeof(names); i++)
		if (!file->sections[i].global)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					used ? ", " : "", file->sections[i].name);
	return err_set(b->err, EINVAL, "%s: no section is called `%.80s`; there are: %s", option,
			pattern, names);
}

static int check_patterns(struct build *b)
{
	const struct job_builder *how = b->how;
	size_t jobs = 0;
	int rc = 0;

	for (size_t i = 0; i < b->file->nsections; i++)
		jobs += !b->file->sections[i].global;
	if (!jobs)
		return err_set(b->err, EINVAL,
				"%s: no job in it: a job file needs a section besides [global]",
				b->file->npaths ? b->file->paths[0] : "job file");
	for (size_t i = 0; i < how->nsections && rc == 0; i++)
		rc = check_pattern(b, "--section", how->sections[i]);
	for (size_t i = 0; i < how->noverrides && rc == 0; i++)
		if (how->overrides[i].section_glob)
			rc = check_pattern(b, "--set", how->overrides[i].section_glob);
	return rc;
}

/* ---- axes ---------------------------------------------------------------------------------- */

static int axes_add(struct build *b, struct plot *plot, const struct jobfile_pair *pair,
		enum author author)
{
	struct axis *old = NULL;
	struct axis *list;
	struct vary vary;
	int rc = vary_parse(&vary, pair, b->err);

	if (rc)
		return rc;
	for (size_t i = 0; i < plot->naxes; i++)
		if (strcmp(plot->axes[i].vary.name, vary.name) == 0)
			old = &plot->axes[i];
	if (old && old->author == author) {
		rc = err_at(b->err, EINVAL, pair->path, pair->line, "vary: `%s` is varied twice",
				vary.name);
		vary_free(&vary);
		return rc;
	}
	if (!old) {
		list = grow(plot->axes, plot->naxes, sizeof(*list));
		if (!list) {
			vary_free(&vary);
			return err_memory(b->err);
		}
		plot->axes = list;
		old = &list[plot->naxes++];
	}
	vary_free(&old->vary);
	*old = (struct axis){ vary, author };
	return 0;
}

static bool axis_sets(const struct vary *vary, const char *key)
{
	for (size_t p = 0; p < vary->npoints; p++)
		for (size_t s = 0; s < vary->points[p].nsettings; s++)
			if (job_same_key(vary->points[p].settings[s].key, key))
				return true;
	return false;
}

/* The first setting that `set` replaces, or else that it does not; NULL: there is none. */
static const char *axis_setting(const struct vary *vary, const struct pairs *set, bool replaced)
{
	for (size_t p = 0; p < vary->npoints; p++)
		for (size_t s = 0; s < vary->points[p].nsettings; s++)
			if (hides(set, vary->points[p].settings[s].key) == replaced)
				return vary->points[p].settings[s].key;
	return NULL;
}

/* Drops the axes of which the command line replaces every setting. */
static int drop_replaced(struct build *b, struct plot *plot)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < plot->naxes; i++) {
		struct vary *vary = &plot->axes[i].vary;
		const char *key = axis_setting(vary, &plot->set, true);
		struct err text;

		if (!axis_setting(vary, &plot->set, false)) {
			vary_free(vary);
			continue;
		}
		if (key && rc == 0) {
			err_at(&text, 0, vary->path, vary->line,
					"vary: `%s` keeps its labels; the command line replaces "
					"its %s",
					vary->name, key);
			rc = warn(b, text.text, &text);
		}
		plot->axes[kept++] = plot->axes[i];
	}
	plot->naxes = kept;
	return rc;
}

/* No key may be varied by two axes. */
static int check_axes(struct build *b, const struct plot *plot, size_t axis)
{
	const struct vary *vary = &plot->axes[axis].vary;

	for (size_t i = 0; i < axis; i++)
		for (size_t p = 0; p < vary->npoints; p++)
			for (size_t s = 0; s < vary->points[p].nsettings; s++) {
				const char *key = vary->points[p].settings[s].key;

				if (axis_sets(&plot->axes[i].vary, key))
					return err_at(b->err, EINVAL, vary->path, vary->line,
							"vary: %s is varied by `%s` already", key,
							plot->axes[i].vary.name);
			}
	return 0;
}

static int axes_finish(struct build *b, struct plot *plot)
{
	int rc = drop_replaced(b, plot);

	for (size_t i = 0; i < plot->naxes && rc == 0; i++) {
		plot->varies_engine |= axis_sets(&plot->axes[i].vary, "ioengine");
		rc = check_axes(b, plot, i);
	}
	return rc;
}

/* ---- keys of engines, of fio and of nobody ------------------------------------------------- */

/* Any engine that has this option, into *found; NULL: none. */
static int find_engine(struct build *b, const char *key, const struct engine **found)
{
	const struct engines *engines = b->how->engines;
	struct iojob_option copy;

	*found = NULL;
	if (!b->all_engines && engine_load_all(b->how->engines, b->err))
		return -ENOMEM;
	b->all_engines = true;
	for (size_t i = 0; i < engines->n && !*found; i++)
		if (opt_find(&engines->list[i]->options, key, &copy))
			*found = engines->list[i];
	return 0;
}

static int note_engine_key(struct build *b, const struct jobfile_pair *pair, bool used)
{
	struct engine_key *list = b->engine_keys;
	size_t i = 0;

	while (i < b->nengine_keys && !(list[i].path == pair->path && list[i].line == pair->line &&
						      opt_same_key(list[i].key, pair->key)))
		i++;
	if (i == b->nengine_keys) {
		list = grow(list, i, sizeof(*list));
		if (!list)
			return err_memory(b->err);
		b->engine_keys = list;
		/* A copy: the pair is a job's, which may be dropped. */
		list[i] = (struct engine_key){ pair->path, pair->line, strdup(pair->key), false };
		if (!list[i].key)
			return err_memory(b->err);
		b->nengine_keys++;
	}
	list[i].used |= used;
	return 0;
}

/* The known key that is nearest, or NULL. */
static const char *nearest_key(const struct job *job, const char *key)
{
	const struct opt_table table = job_table();
	struct opt_nearest best = { .distance = UINT_MAX };

	opt_nearest_row(&best, key, &table);
	opt_nearest_name(&best, key, "vary");
	if (job->engine)
		opt_nearest_row(&best, key, &job->engine->options);
	for (const struct foreign_key *row = foreign_keys; row->name; row++)
		opt_nearest_name(&best, key, row->name);
	return best.name;
}

/* fio has it, and no option table here. */
static int foreign_key(
		struct build *b, const struct foreign_key *foreign, const struct jobfile_pair *pair)
{
	struct err text;
	char name[512];

	switch (foreign->kind) {
	case FOREIGN_HARMLESS:
		err_at(&text, 0, pair->path, pair->line,
				"%s: a key of fio that has no effect in iojob", pair->key);
		snprintf(name, sizeof(name), "%s %s", foreign->name, pair->path);
		return warn(b, name, &text);
	case FOREIGN_MISSING:
		return err_at(b->err, EINVAL, pair->path, pair->line,
				"%s: a key of fio that this version of iojob does not implement",
				pair->key);
	case FOREIGN_ENGINE:
		break;
	}
	return err_at(b->err, EINVAL, pair->path, pair->line,
			"%s: an option of one of fio's engines, which no engine here has",
			pair->key);
}

/*
 * A key that no option table here has. Where it might be one of an engine that is missing on this
 * machine (`may_idle`), the answer waits until all jobs are known.
 */
static int orphan_key(struct build *b, const struct job *job, const struct jobfile_pair *pair,
		bool may_idle)
{
	const struct foreign_key *foreign = foreign_find(pair->key);
	const char *nearest = NULL;
	int rc;

	if (foreign) {
		rc = foreign_key(b, foreign, pair);
		if (foreign->kind != FOREIGN_ENGINE)
			return rc;
	} else {
		nearest = nearest_key(job, pair->key);
		rc = err_at(b->err, EINVAL, pair->path, pair->line, "%s: unknown key%s%s%s",
				pair->key, nearest ? "; did you mean " : "", nearest ? nearest : "",
				nearest ? "?" : "");
	}
	if (!may_idle || nearest)
		return rc;
	if (!b->doubt.text[0])
		b->doubt = *b->err;
	return 0;
}

/* ---- one pair ------------------------------------------------------------------------------ */

static int set_value(struct build *b, const struct job *job, const struct iojob_option *row,
		void *base, const struct jobfile_pair *pair)
{
	struct err why;
	int rc;

	if (row->type == IOJOB_OPT_STRING && pair->commented)
		return err_at(b->err, EINVAL, pair->path, pair->line,
				"%s = %.80s: is what follows a comment? Put a blank before it, or "
				"write \\# or \\; for the character",
				row->name, pair->value ? pair->value : "");
	rc = opt_set(row, base, pair->value, (unsigned)job->o.kb_base, &why);
	return rc ? err_at(b->err, -rc, pair->path, pair->line, "%s", why.text) : 0;
}

/* A blank before the unit, or "min", "sec" and the like: fio makes something else of these. */
static bool reads_otherwise(const struct iojob_option *row, const char *value)
{
	static const char *const times[] = { "", "us", "ms", "s", "m", "h", "d" };
	const char *unit = value + strspn(value, "0123456789.");

	if (unit == value || (row->type != IOJOB_OPT_TIME && row->type != IOJOB_OPT_SIZE))
		return false;
	if (*unit == ' ' || *unit == '\t')
		return true;
	if (row->type == IOJOB_OPT_SIZE)
		return false;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcasecmp(unit, times[i]) == 0)
			return false;
	return true;
}

static int set_core(struct build *b, struct job *job, int row, const struct jobfile_pair *pair)
{
	const char *key = job_options[row].name;
	const char *missing = pair->value ? foreign_value(key, pair->value) : NULL;
	struct err text;
	int rc;

	if (missing)
		return err_at(b->err, EINVAL, pair->path, pair->line,
				"%s = %.80s: %s, which this version of iojob does not implement",
				key, pair->value, missing);
	job->given[row / 64] |= UINT64_C(1) << row % 64;
	rc = set_value(b, job, &job_options[row], &job->o, pair);
	if (rc || !pair->value || !reads_otherwise(&job_options[row], pair->value))
		return rc;
	err_at(&text, 0, pair->path, pair->line,
			"%s = %.80s: taken as it reads; fio would make something else of it", key,
			pair->value);
	return warn(b, text.text, &text);
}

static int set_modifier(struct build *b, struct job *job, const struct jobfile_pair *pair)
{
	if (job_given(job, "rw_modifier"))
		return err_at(b->err, EINVAL, pair->path, pair->line,
				"rw_modifier = %.80s: rw has a modifier already, `%s`",
				pair->value ? pair->value : "", job->o.rw_modifier);
	return set_core(b, job, job_row("rw_modifier"), pair);
}

/* "rw = read:-8k" sets rw_modifier as well. */
static int set_rw(struct build *b, struct job *job, int row, const struct jobfile_pair *pair)
{
	char *colon = pair->value ? strchr(pair->value, ':') : NULL;
	struct jobfile_pair rw = *pair, modifier = *pair;
	int rc;

	if (!colon)
		return set_core(b, job, row, pair);
	rw.value = strndup(pair->value, (size_t)(colon - pair->value));
	modifier.value = colon + 1;
	rc = rw.value ? set_core(b, job, row, &rw) : err_memory(b->err);
	free(rw.value);
	return rc ? rc : set_modifier(b, job, &modifier);
}

/* A key that is not the core's. */
static int set_engine(struct build *b, const struct plot *plot, struct job *job,
		const struct jobfile_pair *pair, bool own)
{
	/* Where the section names one engine for itself, the key must be that one's. */
	bool may_idle = !own || plot->varies_engine || pair->line == 0 || !job->engine;
	const struct iojob_option *row = NULL;
	const struct engine *other;
	struct iojob_option copy;
	int rc;

	if (job->engine)
		row = opt_find(&job->engine->options, pair->key, &copy);
	if (row) {
		rc = set_value(b, job, row, job->engine_conf, pair);
		return rc || !may_idle ? rc : note_engine_key(b, pair, true);
	}
	rc = find_engine(b, pair->key, &other);
	if (rc)
		return rc;
	if (!other)
		return orphan_key(b, job, pair, may_idle);
	if (!may_idle)
		return err_at(b->err, EINVAL, pair->path, pair->line,
				"%s: an option of the engine %s; this job runs %s", pair->key,
				other->e.name, job->engine->e.name);
	return note_engine_key(b, pair, false);
}

static int set_pair(struct build *b, const struct plot *plot, struct job *job,
		const struct jobfile_pair *pair, bool own)
{
	int row = job_row(pair->key);

	if (row < 0)
		return set_engine(b, plot, job, pair, own);
	if (row == job_row("rw"))
		return set_rw(b, job, row, pair);
	if (row == job_row("rw_modifier"))
		return set_modifier(b, job, pair);
	return set_core(b, job, row, pair);
}

/* ---- one job ------------------------------------------------------------------------------- */

/* What the other keys are read by comes before them. */
static int set_first(struct build *b, struct job *job)
{
	static const char *const keys[] = { "kb_base", "optional", "ioengine" };
	const struct opt_table table = job_table();
	int rc = opt_copy(&table, &job->o, &b->defaults) ? err_memory(b->err) : 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && rc == 0; i++) {
		const struct jobfile_pair *pair = job_pair(job, keys[i]);

		if (pair)
			rc = set_core(b, job, job_row(keys[i]), pair);
	}
	return rc;
}

static int load_engine(struct build *b, struct job *job)
{
	const char *name = job->o.ioengine, *path;
	struct err why = { "" };
	unsigned line;
	int rc;

	job_where(job, "ioengine", &path, &line);
	if (strchr(name, '/') && line && !b->how->allow_exec)
		return err_at(b->err, EPERM, path, line,
				"ioengine = %s: an engine given by its path runs its author's "
				"code; --allow-exec allows that",
				name);
	rc = engine_load(b->how->engines, engine_canonical(name), &job->engine, &why);
	if ((rc == -ENOENT || rc == -ENOEXEC) && job->o.optional) {
		b->engine_missing = true;
		job->skipped = strdup(why.text);
		return job->skipped ? 0 : err_memory(b->err);
	}
	if (rc)
		return err_at(b->err, -rc, path, line, "ioengine = %s: %s", name, why.text);
	job->engine_conf = calloc(1, job->engine->e.conf_size + 1u);
	if (!job->engine_conf)
		return err_memory(b->err);
	return opt_defaults(&job->engine->options, job->engine_conf, b->err);
}

/* Is there a pair for this row of the engine's table? */
static bool engine_given(const struct job *job, const struct iojob_option *row)
{
	return job_pair(job, row->name) || (row->alias && job_pair(job, row->alias));
}

static int check_required(struct build *b, const struct job *job)
{
	struct iojob_option row;
	const char *path;
	unsigned line;

	if (!job->engine)
		return 0;
	job_where(job, "ioengine", &path, &line);
	for (size_t i = 0; opt_row(&job->engine->options, i, &row); i++)
		if (row.flags & IOJOB_OPT_REQUIRED && !engine_given(job, &row))
			return err_at(b->err, EINVAL, path, line, "the engine %s needs %s= (%s)",
					job->engine->e.name, row.name, row.help);
	return 0;
}

static int warn_depth(struct build *b, const struct job *job)
{
	struct err text;
	const char *path;
	unsigned line;

	if (!job->engine || job->engine->e.submit || job->o.iodepth == 1)
		return 0;
	job_where(job, "iodepth", &path, &line);
	err_at(&text, 0, path, line, "iodepth = %d: %s is synchronous and does one I/O at a time",
			job->o.iodepth, job->engine->e.name);
	return warn(b, text.text, &text);
}

static int warn_nrfiles(struct build *b, const struct job *job)
{
	size_t names = job->o.filename ? list_length(job->o.filename) : 0;
	struct err text;
	const char *path;
	unsigned line;

	if (!names || !job_given(job, "nrfiles") || (size_t)job->o.nrfiles <= names)
		return 0;
	job_where(job, "nrfiles", &path, &line);
	err_at(&text, 0, path, line,
			"nrfiles = %d: filename has %zu name%s, and those are the files",
			job->o.nrfiles, names, names == 1 ? "" : "s");
	return warn(b, text.text, &text);
}

/*
 * Sections differ in their sequences, the combinations of one do not: what is compared does the
 * same work. FNV-1a over the section's name, then mixed.
 */
static uint64_t job_seed(const struct build *b, const struct job *job)
{
	uint64_t seed = SEED;

	if (job_given(job, "randseed"))
		seed = (uint64_t)job->o.randseed;
	else if (!job->o.randrepeat && !job->o.allrandrepeat)
		seed = b->drawn;
	for (const char *c = job->section; *c; c++)
		seed = (seed ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	return rng_split(&seed);
}

/* Everything that follows from the pairs, which the job has already. */
static int job_fill(struct build *b, const struct plot *plot, struct job *job)
{
	const struct pairs own = { job->own, job->nown };
	int rc = set_first(b, job);

	if (rc == 0)
		rc = load_engine(b, job);
	for (size_t i = 0; i < job->nglobal && rc == 0; i++)
		if (!hides(&own, job->global[i].key))
			rc = set_pair(b, plot, job, &job->global[i], false);
	for (size_t i = 0; i < job->nown && rc == 0; i++)
		rc = set_pair(b, plot, job, &job->own[i], true);
	if (rc == 0)
		rc = check_required(b, job);
	if (rc)
		return rc;
	job->name = strdup(job->o.name ? job->o.name : job->section);
	if (!job->name)
		return err_memory(b->err);
	job->seed = job_seed(b, job);
	rc = job_check(job, b->err);
	if (rc == 0)
		rc = warn_depth(b, job);
	return rc ? rc : warn_nrfiles(b, job);
}

/* ---- one section --------------------------------------------------------------------------- */

/* Which point of axis `axis` combination `variant` is at; the last axis varies fastest. */
static const struct vary_point *point_of(const struct plot *plot, size_t axis, size_t variant)
{
	for (size_t i = plot->naxes; i-- > axis + 1;)
		variant /= plot->axes[i].vary.npoints;
	return &plot->axes[axis].vary.points[variant % plot->axes[axis].vary.npoints];
}

static int add_axis(struct build *b, struct job *job, const char *name, const char *label)
{
	struct job_axis *axis = &job->axes[job->naxes++];

	axis->name = strdup(name);
	axis->label = strdup(label);
	return axis->name && axis->label ? 0 : err_memory(b->err);
}

/* The pairs of one combination, and where it lies on the axes. */
static int job_pairs(struct build *b, const struct plot *plot, struct job *job)
{
	struct pairs own = { NULL, 0 };
	struct pairs point = { NULL, 0 };
	struct pairs global = { NULL, 0 };
	int rc;

	job->axes = calloc(plot->naxes + 1, sizeof(*job->axes));
	rc = job->axes ? 0 : err_memory(b->err);
	for (size_t i = 0; i < plot->naxes && rc == 0; i++) {
		const struct vary *vary = &plot->axes[i].vary;
		const struct vary_point *at = point_of(plot, i, job->variant);

		rc = add_axis(b, job, vary->name, at->label);
		for (size_t s = 0; s < at->nsettings && rc == 0; s++)
			rc = pairs_put(b, &point, at->settings[s].key, at->settings[s].value,
					vary->path, vary->line);
	}
	if (rc == 0)
		rc = pairs_over(b, &own, &plot->own);
	if (rc == 0)
		rc = pairs_over(b, &own, &point);
	if (rc == 0)
		rc = pairs_over(b, &own, &plot->set);
	if (rc == 0)
		rc = pairs_over(b, &global, &b->global);
	pairs_free(&point);
	job->own = own.list;
	job->nown = own.n;
	job->global = global.list;
	job->nglobal = global.n;
	return rc;
}

static int add_job(struct build *b, const struct plot *plot, size_t variant, size_t variants)
{
	struct jobs *jobs = b->jobs;
	struct job *list = grow(jobs->list, jobs->n, sizeof(*list));
	struct job *job;
	int rc;

	if (!list)
		return err_memory(b->err);
	jobs->list = list;
	job = &list[jobs->n++];
	job->first = b->first;
	b->first = false;
	job->file = b->path;
	job->path = plot->section->path;
	job->line = plot->section->line;
	job->variant = variant;
	job->variants = variants;
	job->section = strdup(plot->section->name);
	if (!job->section)
		return err_memory(b->err);
	rc = job_pairs(b, plot, job);
	return rc ? rc : job_fill(b, plot, job);
}

/* What the command line says about this section. */
static int plot_command_line(struct build *b, struct plot *plot)
{
	const struct job_builder *how = b->how;
	int rc = 0;

	if (how->directory)
		rc = pairs_put(b, &plot->set, "directory", how->directory, "--directory", 0);
	for (size_t i = 0; i < how->noverrides && rc == 0; i++) {
		const struct job_override *set = &how->overrides[i];

		if (set->section_glob && !matches(set->section_glob, plot->section->name))
			continue;
		rc = pairs_put(b, &plot->set, set->key, set->value, "--set", 0);
		if (rc == 0 && opt_same_key(set->key, "vary")) {
			rc = axes_add(b, plot, &plot->set.list[plot->set.n - 1], COMMAND_LINE);
			pairs_drop(&plot->set, plot->set.n - 1);
		}
	}
	return rc;
}

static int plot_fill(struct build *b, struct plot *plot)
{
	const struct jobfile_section *section = plot->section;
	int rc = 0;

	for (size_t i = 0; i < b->nvary && rc == 0; i++)
		rc = axes_add(b, plot, b->vary[i], GLOBAL);
	for (size_t i = 0; i < section->npairs && rc == 0; i++) {
		if (opt_same_key(section->pairs[i].key, "vary"))
			rc = axes_add(b, plot, &section->pairs[i], SECTION);
		else
			rc = pairs_add(b, &plot->own, &section->pairs[i]);
	}
	if (rc == 0)
		rc = plot_command_line(b, plot);
	return rc ? rc : axes_finish(b, plot);
}

/* As far as the job says how large its files are. */
static bool unfit(const struct job *job)
{
	uint64_t bytes = job->o.filesize[0] ? job->o.filesize[0]
			: job->o.size.bytes / job_nfiles(job);
	int dir;

	return bytes && job_fit(job, bytes, &dir) != JOB_FITS;
}

/*
 * Axes multiply, and a table of block sizes against file sizes has a corner that cannot be: it
 * stays empty, unless it is all of the table, which the plan will refuse.
 */
static int drop_unfit(struct build *b, const struct jobfile_section *section, size_t variants)
{
	struct job *list = &b->jobs->list[b->jobs->n - variants];
	bool first = list[0].first;
	size_t kept = 0;
	struct err text;

	for (size_t i = 0; i < variants; i++)
		kept += !unfit(&list[i]);
	if (kept == 0 || kept == variants)
		return 0;
	for (size_t i = 0, to = 0; i < variants; i++) {
		struct job job = list[i];

		if (unfit(&job))
			continue;
		list[i] = list[to];
		list[to++] = job;
	}
	for (size_t i = kept; i < variants; i++)
		jobs_drop(b->jobs);
	list[0].first = first;
	err_at(&text, 0, section->path, section->line,
			"[%s]: leaves out %zu of its %zu combinations, in which a block or a step "
			"is larger than the file",
			section->name, variants - kept, variants);
	return warn(b, text.text, &text);
}

static int build_section(struct build *b, const struct jobfile_section *section)
{
	struct plot plot = { .section = section };
	size_t variants = 1;
	int rc = plot_fill(b, &plot);

	for (size_t i = 0; i < plot.naxes && rc == 0; i++) {
		variants *= plot.axes[i].vary.npoints;
		if (variants > VARIANTS_MAX)
			rc = err_at(b->err, EINVAL, section->path, section->line,
					"[%s]: its vary lines multiply to more than %d jobs",
					section->name, VARIANTS_MAX);
	}
	for (size_t i = 0; i < variants && rc == 0; i++)
		rc = add_job(b, &plot, i, variants);
	if (rc == 0)
		rc = drop_unfit(b, section, variants);
	for (size_t i = 0; i < plot.naxes; i++)
		vary_free(&plot.axes[i].vary);
	free(plot.axes);
	pairs_free(&plot.own);
	pairs_free(&plot.set);
	return rc;
}

static int build_global(struct build *b, const struct jobfile_section *section)
{
	const struct jobfile_pair **vary;
	int rc = 0;

	for (size_t i = 0; i < section->npairs && rc == 0; i++) {
		const struct jobfile_pair *pair = &section->pairs[i];

		if (!opt_same_key(pair->key, "vary")) {
			rc = pairs_add(b, &b->global, pair);
			continue;
		}
		vary = grow(b->vary, b->nvary, sizeof(*vary));
		if (!vary)
			return err_memory(b->err);
		b->vary = vary;
		vary[b->nvary++] = pair;
	}
	return rc;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* A stage of its own is also a group of its own, as in fio, and the first job begins both. */
static void number_jobs(struct jobs *jobs)
{
	for (size_t i = 1; i < jobs->n; i++) {
		const struct job *before = &jobs->list[i - 1];
		struct job *job = &jobs->list[i];
		bool stage = job->o.stonewall || job->first || job->naxes || before->naxes;

		job->stage = before->stage + stage;
		job->group = before->group + (stage || job->o.new_group);
	}
}

/* Engines' keys that apply nowhere. What a missing engine might have explained is let pass. */
static int check_engine_keys(struct build *b)
{
	struct err text;
	int rc = 0;

	if (b->engine_missing)
		return 0;
	if (b->doubt.text[0]) {
		*b->err = b->doubt;
		return -EINVAL;
	}
	for (size_t i = 0; i < b->nengine_keys && rc == 0; i++) {
		const struct engine_key *key = &b->engine_keys[i];

		if (key->used)
			continue;
		err_at(&text, 0, key->path, key->line,
				"%s: no job here runs an engine that has this option", key->key);
		if (key->line == 0)
			rc = err_set(b->err, EINVAL, "%s", text.text);
		else if (b->how->nsections == 0)
			rc = warn(b, text.text, &text);
	}
	return rc;
}

/* A [global] counts for its own file, and files run one after the other, as in fio. */
static void begin_file(struct build *b, const char *path)
{
	b->path = path;
	pairs_free(&b->global);
	b->global = (struct pairs){ NULL, 0 };
	b->nvary = 0;
	b->first = true;
}

static int build_all(struct build *b)
{
	const struct jobfile *file = b->file;
	struct err text;
	int rc = 0;

	for (size_t i = 0; i < file->nsections && rc == 0; i++) {
		const struct jobfile_section *section = &file->sections[i];
		bool last = i + 1 == file->nsections || file->sections[i + 1].first;

		if (section->first)
			begin_file(b, section->path);
		if (section->global)
			rc = build_global(b, section);
		else if (selected(b, section->name))
			rc = build_section(b, section);
		if (rc == 0 && section->global && section->npairs && last) {
			err_at(&text, 0, section->path, section->line,
					"[global]: changes nothing, since no job stands after it");
			rc = warn(b, text.text, &text);
		}
	}
	if (rc == 0)
		rc = check_engine_keys(b);
	number_jobs(b->jobs);
	if (rc == 0)
		rc = job_check_repeat(b->jobs, b->err);
	return rc ? rc : job_check_groups(b->jobs, b->err);
}

int jobs_build(struct jobs *jobs, const struct jobfile *file, const struct job_builder *builder,
		struct err *err)
{
	struct build b = { .how = builder, .file = file, .jobs = jobs, .err = err };
	const struct opt_table table = job_table();
	int rc;

	*jobs = (struct jobs){ .list = NULL };
	if (getrandom(&b.drawn, sizeof(b.drawn), 0) != (ssize_t)sizeof(b.drawn))
		return err_set(err, errno, "no random numbers: %s", strerror(errno));
	rc = opt_defaults(&table, &b.defaults, err);
	if (rc == 0)
		rc = check_patterns(&b);
	if (rc == 0)
		rc = build_all(&b);
	opt_free(&table, &b.defaults);
	pairs_free(&b.global);
	free(b.vary);
	for (size_t i = 0; i < b.nwarned; i++)
		free(b.warned[i]);
	free(b.warned);
	for (size_t i = 0; i < b.nengine_keys; i++)
		free(b.engine_keys[i].key);
	free(b.engine_keys);
	if (rc)
		jobs_free(jobs);
	return rc;
}
