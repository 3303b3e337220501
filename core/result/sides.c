// SPDX-License-Identifier: MIT
#include "sides.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read.h"

/* ---- files --------------------------------------------------------------------------------- */

/* Be one file a copy of the other: when a result was made is known to the millisecond. */
static bool same_result(const struct result *a, const struct result *b)
{
	return a->ended_ms && a->ended_ms == b->ended_ms && a->started_ms == b->started_ms
			&& a->njobs && a->njobs == b->njobs
			&& a->jobs[0].elapsed_ns == b->jobs[0].elapsed_ns;
}

static int read_file(struct side *side, const char *path, struct err *err)
{
	struct result *results;

	results = realloc(side->results, (side->nresults + 1) * sizeof(*results));
	if (!results)
		return err_memory(err);
	side->results = results;
	if (result_read(&results[side->nresults], path, err))
		return -EINVAL;
	for (size_t i = 0; i < side->nresults; i++) {
		if (!same_result(&results[i], &results[side->nresults]))
			continue;
		result_free(&results[side->nresults]);
		return err_set(err, EINVAL, "%s: is the same result as one before it, and would "
				"count twice", path);
	}
	side->nresults++;
	return 0;
}

static int read_pattern(struct side *side, const char *pattern, struct err *err)
{
	glob_t found;
	int r;

	if (!strpbrk(pattern, "*?[") || access(pattern, F_OK) == 0)
		return read_file(side, pattern, err);
	r = glob(pattern, 0, NULL, &found);
	if (r == GLOB_NOMATCH)
		return err_set(err, ENOENT, "no file matches `%s`", pattern);
	if (r)
		return r == GLOB_NOSPACE ? err_memory(err)
					 : err_set(err, EIO, "%s: cannot be read", pattern);
	for (size_t i = 0; i < found.gl_pathc && !r; i++)
		r = read_file(side, found.gl_pathv[i], err);
	globfree(&found);
	return r;
}

/* ---- names --------------------------------------------------------------------------------- */

/*
 * "6.12" of "x/6.12-*.json", with the suffix ".json"; the directory where that leaves nothing, else
 * the pattern.
 */
static char *short_label(const char *pattern, const char *ending)
{
	const char *slash = strrchr(pattern, '/');
	const char *name = slash ? slash + 1 : pattern;
	size_t n = strcspn(name, "*?[");
	size_t suffix = strlen(ending);

	if (!name[n]) {
		if (n > suffix && !strcmp(name + n - suffix, ending))
			n -= suffix;
	} else {
		while (n && strchr("-_.", name[n - 1]))
			n--;
	}
	if (!n && slash) {
		const char *end = slash;

		while (slash > pattern && slash[-1] != '/')
			slash--;
		name = slash;
		n = (size_t)(end - slash);
	}
	if (n && memchr(name, '*', n))
		n = 0;
	return n ? strndup(name, n) : strdup(pattern);
}

static bool label_twice(const struct sides *sides, size_t i)
{
	for (size_t j = 0; j < sides->n; j++) {
		if (i != j && !strcmp(sides->list[i].label, sides->list[j].label))
			return true;
	}
	return false;
}

/* Sides of one name are called by the whole of their pattern; both of them. */
static int part_labels(struct sides *sides, const char *const *names, struct err *err)
{
	bool *twice = calloc(sides->n, sizeof(*twice));
	int r = 0;

	if (!twice)
		return err_memory(err);
	for (size_t i = 0; i < sides->n; i++)
		twice[i] = label_twice(sides, i);
	for (size_t i = 0; i < sides->n && !r; i++) {
		char *whole = twice[i] ? strdup(names[i]) : NULL;

		if (!twice[i])
			continue;
		free(sides->list[i].label);
		sides->list[i].label = whole;
		r = whole ? 0 : err_memory(err);
	}
	free(twice);
	return r;
}

/* ---- jobs of one name in several job files ------------------------------------------------- */

/* Calls those that are in several job files "NAME of FILE": they are not workers of one job. */
static int part_jobs(struct result_job *jobs, size_t n)
{
	const struct result run = { .jobs = jobs, .njobs = n };
	char **names;
	size_t same = 0;
	int r;

	while (same < n && !strcmp(jobs[same].file, jobs[0].file))
		same++;
	if (same == n)
		return 0;
	names = calloc(n, sizeof(*names));
	r = names ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !r; i++) {
		if (!compare_has_twin(&run, &jobs[i]))
			continue;
		if (asprintf(&names[i], "%s of %s", jobs[i].name, jobs[i].file) < 0) {
			names[i] = NULL;
			r = -ENOMEM;
		}
	}
	for (size_t i = 0; i < n && names; i++) {
		if (!names[i])
			continue;
		free(jobs[i].name);
		jobs[i].name = names[i];
	}
	free(names);
	return r;
}

/* In all runs of a result. Where it has repeats, its jobs are views of theirs, and go. */
static int part_twins(struct result *result)
{
	int r = 0;

	if (!result->nrepeats)
		return part_jobs(result->jobs, result->njobs);
	result->njobs = 0;
	for (size_t i = 0; i < result->nrepeats && !r; i++)
		r = part_jobs(result->repeats[i].jobs, result->repeats[i].njobs);
	return r;
}

static int part_sides(struct sides *sides, struct err *err)
{
	for (size_t i = 0; i < sides->n; i++) {
		for (size_t j = 0; j < sides->list[i].nresults; j++) {
			if (part_twins(&sides->list[i].results[j]))
				return err_memory(err);
		}
	}
	return 0;
}

/* ---- sides --------------------------------------------------------------------------------- */

/* The files of side i: all bases, where there are any, are the first. */
static int read_side(struct side *side, const char *const *patterns, size_t n, struct err *err)
{
	int r = 0;

	side->label = short_label(patterns[0], ".json");
	if (!side->label)
		return err_memory(err);
	for (size_t i = 0; i < n && !r; i++)
		r = read_pattern(side, patterns[i], err);
	return r;
}

static size_t count_shared(const struct side *a, const struct side *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->nresults; i++) {
		for (size_t j = 0; j < b->nresults; j++)
			n += same_result(&a->results[i], &b->results[j]);
	}
	return n;
}

/* A pattern may catch results of another side. Two sides of the same results are let pass. */
static int check_shared(const struct sides *sides, struct err *err)
{
	for (size_t i = 0; i < sides->n; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct side *a = &sides->list[j], *b = &sides->list[i];
			size_t n = count_shared(a, b);

			if (n && (n < a->nresults || n < b->nresults))
				return err_set(err, EINVAL, "compare: %zu of the results of %s %s "
						"of %s, too, and would count on both sides", n,
						b->label, n == 1 ? "is" : "are", a->label);
		}
	}
	return 0;
}

/* ---- job files of one result --------------------------------------------------------------- */

/* Leaves the jobs of one job file alone. */
static void keep_jobs(struct result_job *jobs, size_t *n, const char *file, bool owned)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (!strcmp(jobs[i].file, file))
			jobs[kept++] = jobs[i];
		else if (owned)
			result_job_free(&jobs[i]);
	}
	*n = kept;
}

/* Views first: what they are of goes with the repeats. */
static void keep_file(struct result *result, const char *file)
{
	keep_jobs(result->jobs, &result->njobs, file, !result->nrepeats);
	for (size_t i = 0; i < result->nrepeats; i++)
		keep_jobs(result->repeats[i].jobs, &result->repeats[i].njobs, file, true);
}

/* The different job files of a result, in their order; strings of the result. NULL: no memory. */
static const char **job_files(const struct result *result, size_t *n)
{
	const char **files = calloc(result->njobs + 1, sizeof(*files));

	*n = 0;
	for (size_t i = 0; files && i < result->njobs; i++) {
		size_t k = 0;

		while (k < *n && strcmp(files[k], result->jobs[i].file))
			k++;
		if (k == *n)
			files[(*n)++] = result->jobs[i].file;
	}
	return files;
}

/* Reads the result once for each of its job files. */
static int split(struct sides *sides, const char *path, const char *const *files, size_t n,
		struct err *err)
{
	int r = 0;

	*sides = (struct sides){
		.n = n,
		.list = calloc(n, sizeof(*sides->list)),
		.inputs = calloc(n, sizeof(*sides->inputs)),
	};
	if (!sides->list || !sides->inputs)
		return err_memory(err);
	for (size_t i = 0; i < n && !r; i++) {
		struct side *side = &sides->list[i];

		side->label = short_label(files[i], ".ini");
		r = side->label ? read_file(side, path, err) : err_memory(err);
		if (!r)
			keep_file(&side->results[0], files[i]);
	}
	return r ? r : part_labels(sides, files, err);
}

static int read_job_files(struct sides *sides, const char *path, struct err *err)
{
	struct result whole;
	const char **files;
	size_t n;
	int r = result_read(&whole, path, err);

	if (r)
		return r;
	files = job_files(&whole, &n);
	if (!files)
		r = err_memory(err);
	else if (n < 2)
		r = err_set(err, EINVAL, "compare: there is nothing to compare %s with: it is of "
				"one job file; write `iojob compare BASE NEW...`", path);
	else
		r = split(sides, path, files, n, err);
	free(files);
	result_free(&whole);
	return r;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void make_inputs(struct sides *sides)
{
	for (size_t i = 0; i < sides->n; i++) {
		const struct side *side = &sides->list[i];

		sides->inputs[i] = (struct compare_input){
			side->label, side->results, side->nresults,
		};
	}
}

int sides_read(struct sides *sides, const char *const *bases, size_t nbases,
		const char *const *words, size_t nwords, struct err *err)
{
	const size_t first = nbases > 0;
	const char **names; /* what each side is called by */
	int r = 0;

	*sides = (struct sides){ .n = 0 };
	if (!nbases && nwords == 1) {
		r = read_job_files(sides, words[0], err);
		if (!r)
			make_inputs(sides);
		return r;
	}
	sides->n = nwords + first;
	if (sides->n < 2)
		return err_set(err, EINVAL, "compare: %s; write `iojob compare BASE NEW...` or "
				"`iojob compare --base=PATTERN NEW...`", sides->n
				? "there is nothing to compare it with" : "no result files");
	sides->list = calloc(sides->n, sizeof(*sides->list));
	sides->inputs = calloc(sides->n, sizeof(*sides->inputs));
	names = calloc(sides->n, sizeof(*names));
	if (!sides->list || !sides->inputs || !names)
		r = err_memory(err);
	for (size_t i = 0; i < sides->n && !r; i++) {
		const char *const *patterns = i < first ? bases : &words[i - first];

		names[i] = patterns[0];
		r = read_side(&sides->list[i], patterns, i < first ? nbases : 1, err);
	}
	if (!r)
		r = part_labels(sides, names, err);
	if (!r)
		r = check_shared(sides, err);
	if (!r)
		r = part_sides(sides, err);
	if (!r)
		make_inputs(sides);
	free(names);
	return r;
}

void sides_free(struct sides *sides)
{
	for (size_t i = 0; sides->list && i < sides->n; i++) {
		for (size_t j = 0; j < sides->list[i].nresults; j++)
			result_free(&sides->list[i].results[j]);
		free(sides->list[i].results);
		free(sides->list[i].label);
	}
	free(sides->list);
	free(sides->inputs);
	*sides = (struct sides){ .n = 0 };
}
