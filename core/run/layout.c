// SPDX-License-Identifier: MIT
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	AT_A_TIME = 4,
	BLOCK = 1 << 20,
};

/* How much of a file is there already: at this moment, since earlier stages write files too. */
static uint64_t present(const struct plan_target *target, const struct job *reader)
{
	struct iojob_setup setup = { .conf = reader->engine_conf };
	struct iojob_file_info info = { 0 };
	struct stat st;

	switch (target->look.kind) {
	case TARGET_ABSENT:
	case TARGET_REGULAR:
		return stat(target->path, &st) ? 0 : (uint64_t)st.st_size;
	case TARGET_ENGINE:
		return target->engine->e.file_info(&setup, target->path, &info) || !info.exists
				? 0 : info.size_bytes;
	case TARGET_BLOCK:
	case TARGET_CHAR:
		break;
	}
	return UINT64_MAX;
}

static struct job *writer_job(const struct job *reader, const struct engine *engine)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	/* Only what a worker looks at; strings stay the reader's. */
	job->name = reader->name;
	job->section = reader->section;
	job->path = reader->path;
	job->line = reader->line;
	job->engine = engine;
	job->engine_conf = engine == reader->engine ? reader->engine_conf : NULL;
	job->stage = reader->stage;
	job->seed = reader->seed;
	job->ops = IOJOB_OP_BIT(IOJOB_WRITE) | IOJOB_OP_BIT(IOJOB_FSYNC);
	job->bs_min[IOJOB_WRITE] = 1;
	job->bs_max[IOJOB_WRITE] = BLOCK;
	job->o.rw = JOB_RW_WRITE;
	job->o.numjobs = AT_A_TIME;
	job->o.iodepth = job->o.iodepth_batch = job->o.iodepth_batch_complete_min = 1;
	job->o.loops = 1;
	job->o.end_fsync = true;
	job->o.refill_buffers = true;
	job->o.invalidate = false;
	job->o.grace = reader->o.grace;
	job->o.bwavgtime = job->o.iopsavgtime = reader->o.bwavgtime;
	return job;
}

/* Writers that use this engine; *first is the number of the first of AT_A_TIME workers. */
static int find_writers(struct layout *layout, const struct job *reader,
		const struct engine *engine, size_t *first)
{
	struct plan_worker *workers;
	struct job **jobs;
	size_t n = layout->njobs;

	for (*first = 0; *first < n * AT_A_TIME; *first += AT_A_TIME) {
		if (layout->workers[*first].job->engine == engine)
			return 0;
	}
	jobs = realloc(layout->jobs, (n + 1) * sizeof(struct job *));
	if (!jobs)
		return -ENOMEM;
	layout->jobs = jobs;
	workers = realloc(layout->workers, (n + 1) * AT_A_TIME * sizeof(*workers));
	if (!workers)
		return -ENOMEM;
	layout->workers = workers;
	jobs[n] = writer_job(reader, engine);
	if (!jobs[n])
		return -ENOMEM;
	layout->njobs++;
	for (unsigned i = 0; i < AT_A_TIME; i++)
		workers[layout->nworkers++] = (struct plan_worker){
			.job = jobs[n],
			.clone = i,
			.limit_bytes = UINT64_MAX,
			.limit_ios = UINT64_MAX,
			.pass_bytes = UINT64_MAX,
			.pass_ios = UINT64_MAX,
			.layout = true,
		};
	return 0;
}

/*
 * The region of a file that is missing goes to one of the writers, in turn. *number counts their
 * files from 1 and says which of them this is; 0: it is new.
 */
static int add_file(struct layout *layout, struct plan_worker *writers, size_t *number,
		const struct plan_file *region)
{
	struct plan_file *files;
	struct plan_worker *w;
	size_t n = 0;

	if (*number) {
		n = *number - 1;
		files = &writers[n % AT_A_TIME].files[n / AT_A_TIME];
		if (region->size_bytes > files->size_bytes) { /* this reader wants more of it */
			layout->bytes += region->length - files->length;
			*files = *region;
		}
		return 0;
	}
	for (size_t i = 0; i < AT_A_TIME; i++)
		n += writers[i].nfiles;
	w = &writers[n % AT_A_TIME];
	if (!(w->nfiles & (w->nfiles - 1))) { /* full: twice as many */
		files = realloc(w->files, (2 * w->nfiles + 1) * sizeof(*files));
		if (!files)
			return -ENOMEM;
		w->files = files;
	}
	w->files[w->nfiles++] = *region;
	layout->bytes += region->length;
	*number = n + 1;
	return 0;
}

/* All files of one reader that are not there, or not whole. */
static int add_reader(struct layout *layout, const struct plan *plan, const struct plan_worker *w,
		const struct engine *engine, size_t *numbers)
{
	bool own = w->job->engine->e.flags & IOJOB_ENGINE_NO_FD;
	size_t first;
	int r = 0;

	for (size_t f = 0; !r && f < w->nfiles; f++) {
		const struct plan_file *file = &w->files[f];
		uint64_t have = present(&plan->targets[file->target], w->job);
		struct plan_file region = *file;

		if (have >= file->size_bytes || file->as_written)
			continue;
		region.offset = have;
		region.length = file->size_bytes - have;
		r = find_writers(layout, w->job, own ? w->job->engine : engine, &first);
		if (!r)
			r = add_file(layout, &layout->workers[first], &numbers[file->target],
					&region);
	}
	return r;
}

/* Writers without a file go, and each learns how much it has to write. */
static void settle(struct layout *layout)
{
	size_t n = 0;

	for (size_t i = 0; i < layout->nworkers; i++) {
		struct plan_worker *w = &layout->workers[i];

		if (!w->nfiles)
			continue;
		w->limit_bytes = 0;
		for (size_t f = 0; f < w->nfiles; f++)
			w->limit_bytes += w->files[f].length;
		layout->workers[n++] = *w;
	}
	layout->nworkers = n;
}

int layout_make(struct layout *layout, const struct plan *plan, size_t s,
		const struct engine *engine, struct err *err)
{
	const struct plan_stage *stage = &plan->stages[s];
	size_t *numbers = calloc(plan->ntargets + 1, sizeof(*numbers));
	int r = numbers ? 0 : -ENOMEM;

	*layout = (struct layout){ 0 };
	for (size_t i = 0; !r && i < stage->nworkers; i++) {
		const struct plan_worker *w = &stage->workers[i];

		if (job_needs_contents(w->job))
			r = add_reader(layout, plan, w, engine, numbers);
	}
	free(numbers);
	if (r) {
		layout_free(layout);
		return err_memory(err);
	}
	settle(layout);
	return 0;
}

void layout_free(struct layout *layout)
{
	for (size_t i = 0; i < layout->nworkers; i++)
		free(layout->workers[i].files);
	free(layout->workers);
	for (size_t i = 0; i < layout->njobs; i++)
		free(layout->jobs[i]);
	free(layout->jobs);
	*layout = (struct layout){ 0 };
}
