/* SPDX-License-Identifier: MIT */
/*
 * Looks at the machine and the files around a stage, so that measure/doctor can judge what came of
 * it. The order: exam_begin, the stage, exam_ran, exam_worker for each worker, exam_end.
 */
#ifndef EXAMINE_H
#define EXAMINE_H

#include <stddef.h>

#include "../measure/doctor.h"
#include "../measure/probe.h"
#include "../plan/plan.h"
#include "stage.h"

/* What is known of a job of the stage. */
struct exam_job {
	const struct job *job;
	const struct plan_worker *leader; /* its first worker, in the plan; NULL: it has none */
	struct doctor_job seen;
	bool counts;   /* a device under all of its files counts what it moves */
};

/* What those workers of a job measured that are one result, or part of one. */
struct exam_part {
	size_t result; /* index in the result's jobs */
	size_t job;    /* index in exam's */
	double asked_ns;
	uint64_t cpu_wait_ns;
	double punted;
	struct doctor_flow direct_reads;
	struct doctor_flow cached_reads;
};

struct exam {
	const struct plan *plan;
	const struct plan_stage *workers;
	const struct probe_groups *groups;
	struct disks *disks; /* of the run; not owned */
	size_t first;        /* job of the stage, in the plan's list */
	struct exam_job *jobs;
	size_t njobs;
	struct exam_part *parts; /* in the order of the results; behind the last one room for one */
	size_t nparts;
	size_t stride;          /* of so many files one is looked at */
	uint64_t syncs;         /* of all workers */
	struct disk_stat *sums; /* of the disks at the beginning */
	unsigned char *place;   /* of each disk: enum exam_place */
	struct probe before;
	struct probe after;
	struct doctor_stage stage;
};

/* Before the workers start, once the files are as these will find them. 0 or -ENOMEM. */
int exam_begin(struct exam *exam, const struct plan *plan, size_t stage, struct disks *disks,
		const struct probe_groups *groups);

/* As soon as the last one is gone, disks_stop() included. */
void exam_ran(struct exam *exam);

/* A worker's own result; then, once that is (part of) result->jobs[index], where it went. */
void exam_worker(struct exam *exam, const struct stage_worker *w, const struct result_job *result);
void exam_reported(struct exam *exam, size_t index);

/* Judges the results that the workers were part of. 0 or -ENOMEM. */
int exam_end(struct exam *exam, struct result *result);

void exam_free(struct exam *exam); /* also of one that is all zero */

#endif
