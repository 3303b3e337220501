// SPDX-License-Identifier: MIT
/* Which files a worker works on, how large they are, and how much of them is its work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../job/list.h"
#include "../job/units.h"
#include "../load/load.h"
#include "parts.h"

/* ---- names --------------------------------------------------------------------------------- */

/* The value of a key that stands as $KEY at p; returns the bytes that it takes there, or 0. */
static size_t put_key(const struct job *job, const char *p, FILE *out)
{
	size_t n = *p == '$' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
	char key[64], value[256];
	int row;

	if (!n || n >= sizeof(key))
		return 0;
	memcpy(key, p + 1, n);
	key[n] = '\0';
	row = job_row(key);
	if (row < 0)
		return 0;
	fputs(opt_print(&job_options[row], &job->o, value, sizeof(value)), out);
	return n + 1;
}

/* filename_format with $jobname, $jobnum, $filenum, and $KEY for any key of the job. */
static char *format_name(const struct job *job, unsigned clone, unsigned filenum)
{
	static const char *const words[] = { "$jobname", "$jobnum", "$filenum" };
	char clone_text[12], file_text[12], *name = NULL;
	const char *const texts[] = { job->section, clone_text, file_text };
	const char *p = job->o.filename_format;
	size_t size, n;
	FILE *out = open_memstream(&name, &size);

	if (!out)
		return NULL;
	snprintf(clone_text, sizeof(clone_text), "%u", clone);
	snprintf(file_text, sizeof(file_text), "%u", filenum);
	while (*p) {
		size_t i;

		for (i = 0; i < 3 && strncmp(p, words[i], strlen(words[i])); i++)
			;
		if (i < 3) {
			fputs(texts[i], out);
			p += strlen(words[i]);
		} else if ((n = put_key(job, p, out))) {
			p += n;
		} else {
			fputc(*p++, out);
		}
	}
	if (fclose(out)) {
		free(name);
		return NULL;
	}
	/* A name is one file: a section called "read/4k" is no directory. */
	for (char *slash = name;
			!strchr(job->o.filename_format, '/') && (slash = strchr(slash, '/'));)
		*slash = '_';
	return name;
}

/*
 * The path of file i of a worker, on the heap; *names is where the list of filename goes on. A list
 * of directories is shared out among the clones.
 */
static char *file_path(const struct job *job, unsigned clone, unsigned i, const char **names)
{
	const char *dirs = job->o.directory;
	char *directory = NULL, *name, *path = NULL;

	name = *names ? list_next(names) : format_name(job, clone, i);
	if (dirs)
		directory = list_item(dirs, clone % list_length(dirs));
	if (name && (directory || !dirs))
		path = job->engine->e.flags & IOJOB_ENGINE_NO_FD && !dirs ? strdup(name)
				: target_join(directory, name);
	free(directory);
	free(name);
	return path;
}

/* ---- targets ------------------------------------------------------------------------------- */

static int look_engine(struct plan_target *target, const struct job *job, struct err *err)
{
	const struct iojob_engine *e = &job->engine->e;
	struct iojob_file_info info = { 0 };
	struct iojob_setup setup = {
		.conf = job->engine_conf,
		.error = err->text,
		.error_size = sizeof(err->text),
	};
	int r;

	err->text[0] = '\0';
	r = e->file_info(&setup, target->path, &info);
	if (r) {
		if (!err->text[0])
			err_set(err, -r, "%s: %s: %s", e->name, target->path, strerror(-r));
		return r;
	}
	target->look = (struct target){
		.kind = TARGET_ENGINE,
		.size_bytes = info.exists ? info.size_bytes : 0,
		.alloc_bytes = info.exists ? info.size_bytes : 0,
		.direct = true,
		.mem_align = info.mem_align ? info.mem_align : 1,
		.offset_align = info.offset_align ? info.offset_align : 1,
		.block_bytes = info.block_bytes ? info.block_bytes : 1,
	};
	return 0;
}

/* Length of the directory's part of a path. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/*
 * A file that is not there yet is what its neighbour in the directory is. Only the first one is
 * asked for, since that makes a file each time.
 */
static bool look_alike(struct plan_target *target, const struct plan_target *neighbour)
{
	size_t n = directory_length(target->path);
	struct stat st;

	if (neighbour->look.kind != TARGET_ABSENT || neighbour->engine || neighbour->missing
			|| n != directory_length(neighbour->path)
			|| memcmp(target->path, neighbour->path, n) || !target->path[n]
			|| !lstat(target->path, &st) || errno != ENOENT)
		return false;
	target->look = neighbour->look;
	return true;
}

static int look(struct plan *plan, struct plan_target *target, const struct job *job,
		struct err *err)
{
	if (target->engine)
		return look_engine(target, job, err);
	if (plan->ntargets && look_alike(target, target - 1))
		return 0;
	return target_look(&target->look, target->path, err);
}

/*
 * The index: numbers of targets plus 1, each at the place that its path hashes to or the next free
 * one behind that; 0: free. At least half of the places are.
 */
static size_t *index_find(const struct plan *plan, const struct engine *owner, const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	size_t i;

	for (const char *p = path; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	for (i = (size_t)hash % plan->index_size; plan->index[i]; i = (i + 1) % plan->index_size) {
		const struct plan_target *t = &plan->targets[plan->index[i] - 1];

		if (t->engine == owner && !strcmp(t->path, path))
			break;
	}
	return &plan->index[i];
}

static void index_fill(struct plan *plan)
{
	memset(plan->index, 0, plan->index_size * sizeof(*plan->index));
	for (size_t i = 0; i < plan->ntargets; i++)
		*index_find(plan, plan->targets[i].engine, plan->targets[i].path) = i + 1;
}

/* Room for one target more. */
static int make_room(struct plan *plan)
{
	size_t n = plan->index_size ? 2 * plan->index_size : 64;
	struct plan_target *targets;
	size_t *index;

	if (2 * plan->ntargets < plan->index_size)
		return 0;
	targets = realloc(plan->targets, (n / 2 + 1) * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	plan->targets = targets;
	index = realloc(plan->index, n * sizeof(*index));
	if (!index)
		return -ENOMEM;
	plan->index = index;
	plan->index_size = n;
	index_fill(plan);
	return 0;
}

void plan_drop_targets(struct plan *plan, size_t n)
{
	while (plan->ntargets > n)
		free(plan->targets[--plan->ntargets].path);
	if (plan->index)
		index_fill(plan);
}

int plan_add_target(struct plan *plan, const struct job *job, char *path, bool judge, size_t *index,
		struct err *err)
{
	const struct engine *owner = job->engine->e.flags & IOJOB_ENGINE_NO_FD ? job->engine : NULL;
	struct plan_target *t;
	size_t *place;
	int r;

	if (make_room(plan)) {
		free(path);
		return err_memory(err);
	}
	place = index_find(plan, owner, path);
	if (*place) {
		free(path);
		*index = *place - 1;
		return 0;
	}
	t = &plan->targets[plan->ntargets];
	*t = (struct plan_target){ .path = path, .engine = owner, .first_stage = job->stage };
	r = look(plan, t, job, err);
	if (r && !judge) {
		t->look = (struct target){ .kind = TARGET_ABSENT, .direct = true, .mem_align = 1,
			.offset_align = 1, .block_bytes = 1 };
		t->missing = true;
		r = 0;
	}
	if (r) {
		free(path);
		return r;
	}
	*index = plan->ntargets++;
	*place = plan->ntargets;
	return 0;
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* filesize=A-B: each file another size between them, from the job's seed. */
static uint64_t draw_filesize(const struct job *job, unsigned clone, unsigned i)
{
	uint64_t min = job->o.filesize[0], max = job->o.filesize[1], bs = job_block_min(job);
	struct rng rng;

	if (min == max)
		return min;
	rng_seed(&rng, job->seed, (uint64_t)(clone + 1) << 32 | i);
	return min + rng_below(&rng, (max - min) / bs + 1) * bs;
}

/* How large a file is when the job begins: as it lies there, or as earlier jobs leave it. */
static uint64_t size_before(const struct plan_target *t)
{
	bool grows = t->look.kind == TARGET_ABSENT || t->look.kind == TARGET_REGULAR;

	return grows && t->size_bytes > t->look.size_bytes ? t->size_bytes : t->look.size_bytes;
}

static uint64_t share(uint64_t bytes, unsigned percent)
{
	return (uint64_t)((u128)bytes * percent / 100);
}

static int no_size(const struct job *job, const struct plan_target *t, struct err *err)
{
	return err_at(err, EINVAL, job->path, job->line,
			"[%s]: no size is known: %s %s; set size= in bytes, or filesize=",
			job->section, t->path,
			t->look.kind == TARGET_ABSENT ? "is not there yet"
			: t->look.kind == TARGET_REGULAR ? "is empty" : "has none");
}

static int behind_end(const struct job *job, uint64_t offset, uint64_t end,
		const struct plan_target *t, struct err *err)
{
	char a[32], b[32];
	const char *path;
	unsigned line;

	job_where(job, "offset", &path, &line);
	return err_at(err, EINVAL, path, line, "offset = %s: behind the end of %s, which has %s",
			units_print_bytes(a, sizeof(a), offset), t->path,
			units_print_size(b, sizeof(b), end));
}

/*
 * The region of one file, whose whole size is `end` (0: not known): from offset to there, or the
 * size that the job gives. Percentages count from `end`; an offset of so many is rounded up to
 * whole blocks.
 */
static int choose_region(const struct job *job, struct plan_file *file, uint64_t end, size_t nfiles,
		const struct plan_target *t, struct err *err)
{
	const struct opt_size *size = &job->o.size, *offset = &job->o.offset;
	uint64_t bs = job_block_min(job);
	bool given = size->bytes && !job->o.filesize[1]; /* each file's share of it */

	if (!end && (!given || offset->percent))
		return no_size(job, t, err);
	file->offset = offset->percent ? (share(end, offset->percent) + bs - 1) / bs * bs
			: offset->bytes;
	file->length = given ? size->bytes / nfiles : end - file->offset;
	if (!given && file->offset >= end)
		return behind_end(job, file->offset, end, t, err);
	if (size->percent && share(end, size->percent) < file->length)
		file->length = share(end, size->percent);
	return 0;
}

/*
 * Is the region large enough for a block of every direction, and for more than one, so that no job
 * goes round on the first block of it?
 */
static int check_region(const struct job *job, const struct plan_file *file,
		const struct plan_target *t, struct err *err)
{
	const char *bs = job_given(job, "bsrange") ? "bsrange" : "bs", *path;
	char a[32], b[32];
	unsigned line;
	int dir;

	units_print_size(b, sizeof(b), file->length);
	switch (job_fit(job, file->length, &dir)) {
	case JOB_FITS:
		break;
	case JOB_FIT_BLOCK:
		job_where(job, bs, &path, &line);
		return err_at(err, EINVAL, path, line, "%s = %s: more than the %s of %s", bs,
				units_print_bytes(a, sizeof(a), job->bs_min[dir]), b, t->path);
	case JOB_FIT_STEP:
		job_where(job, "rw", &path, &line);
		return err_at(err, EINVAL, path, line,
				"rw = %s:%s: no second block lies within the %s of %s",
				plan_rw_name(job), job->o.rw_modifier, b, t->path);
	case JOB_FIT_ZONE:
		units_print_size(a, sizeof(a), job->zone_range + job->o.zoneskip);
		job_where(job, "zonemode", &path, &line);
		return err_at(err, EINVAL, path, line,
				"zonemode = strided: no second zone lies within the %s of %s: it "
				"would begin at %s",
				b, t->path, a);
	}
	return 0;
}

/* Region and size of one file. */
static int size_file(const struct plan *plan, const struct plan_worker *w, unsigned i, bool judge,
		struct err *err)
{
	const struct job *job = w->job;
	struct plan_file *file = &w->files[i];
	struct plan_target *t = &plan->targets[file->target];
	uint64_t have = size_before(t), end = have;
	bool fixed = have && (t->look.kind == TARGET_BLOCK || t->look.kind == TARGET_ENGINE);
	int r;

	if (job->o.filesize[1])
		end = draw_filesize(job, w->clone, i);
	r = choose_region(job, file, end, w->nfiles, t, err);
	if (r && !end && !judge && t->look.kind == TARGET_ABSENT) {
		t->missing = true;
		return 0;
	}
	if (!r && fixed && file->offset >= have)
		r = behind_end(job, file->offset, have, t, err);
	if (r)
		return r;
	if (fixed && file->length > have - file->offset)
		file->length = have - file->offset;
	file->size_bytes = file->offset + file->length;
	return check_region(job, file, t, err);
}

/* ---- limits -------------------------------------------------------------------------------- */

/* What the job moves: each loop a pass, or what size and io_size make less; io_size in any case. */
static uint64_t work_bytes(const struct job *job, uint64_t pass, uint64_t *pass_bytes)
{
	uint64_t loops = (uint64_t)job->o.loops, once = pass, least = job->o.io_size.bytes;

	if (job->o.io_size.percent)
		once = share(pass, job->o.io_size.percent);
	else if (least)
		once = least < pass ? least : pass;
	else if (job->o.filesize[1] && job->o.size.bytes && job->o.size.bytes < pass)
		once = job->o.size.bytes;
	if (once > UINT64_MAX / loops)
		return UINT64_MAX;
	if (loops > 1)
		*pass_bytes = once;
	return once * loops > least ? once * loops : least;
}

static void set_limits(struct plan_worker *w, const struct load_region *regions)
{
	const struct job *job = w->job;
	uint64_t pass = load_pass_bytes(regions, (unsigned)w->nfiles, job_block_min(job));
	uint64_t loops = (uint64_t)job->o.loops;
	struct load_spec spec = {
		.ops = (unsigned)job->o.rw & 7u,
		.random = job_random(job),
		.repeats = job->o.norandommap,
		.regions = regions,
		.nfiles = (unsigned)w->nfiles,
	};

	memcpy(spec.bs_min, job->bs_min, sizeof(spec.bs_min));
	memcpy(spec.bs_max, job->bs_max, sizeof(spec.bs_max));
	w->map_bytes = load_map_bytes(&spec);
	w->pass_ios = job->o.number_ios ? (uint64_t)job->o.number_ios : UINT64_MAX;
	if (__builtin_mul_overflow(w->pass_ios, loops, &w->limit_ios))
		w->limit_ios = UINT64_MAX;
	w->pass_bytes = UINT64_MAX;
	w->limit_bytes = job->o.time_based ? UINT64_MAX : work_bytes(job, pass, &w->pass_bytes);
}

int plan_blame(const struct job *job, int r, struct err *err)
{
	const char *key = job->o.filename ? "filename"
			  : job->o.postmark_location ? "postmark_location"
			  : job->o.directory ? "directory"
			  : job_is_postmark(job) ? "workload" : "rw", *path;
	struct err what = *err;
	unsigned line;

	job_where(job, key, &path, &line);
	return err_at(err, -r, path, line, "%s", what.text);
}

int plan_files(struct plan *plan, struct plan_worker *w, const struct plan_options *options,
		struct err *err)
{
	const struct job *job = w->job;
	const char *names = job->o.filename;
	struct load_region *regions;
	int r = 0;

	w->nfiles = job_nfiles(job);
	w->files = calloc(w->nfiles, sizeof(*w->files));
	regions = calloc(w->nfiles, sizeof(*regions));
	if (!w->files || !regions)
		r = err_memory(err);
	for (unsigned i = 0; !r && i < w->nfiles; i++) {
		char *path = file_path(job, w->clone, i, &names);

		r = path ? plan_add_target(plan, job, path, options->judge_machine,
				&w->files[i].target, err)
			 : err_memory(err);
		if (r)
			plan_blame(job, r, err);
		else
			r = size_file(plan, w, i, options->judge_machine, err);
		regions[i].offset = w->files[i].offset;
		regions[i].length = w->files[i].length;
	}
	if (!r)
		set_limits(w, regions);
	free(regions);
	return r;
}
