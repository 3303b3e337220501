/* SPDX-License-Identifier: MIT */
/* The environment of a run, and `iojob environment`, which prints it without one. */
#ifndef SCENE_H
#define SCENE_H

#include <stdio.h>

#include "../cli.h"
#include "../measure/environ.h"
#include "../plan/plan.h"
#include "../result/result.h"

/* What there is to know about the files of a plan. */
struct scene {
	struct environ env;
	struct facts before;
};

/* Before the run. scene_free() in every case. */
int scene_begin(struct scene *scene, const struct plan *plan, struct err *err);

/* After the run: the facts of the result, with the versions of what did it. */
int scene_end(struct scene *scene, const struct jobs *jobs, struct result *result,
		struct err *err);
void scene_free(struct scene *scene);

/* `iojob environment`: of the files that are named, or of the current directory. */
int scene_print(FILE *to, const struct cli *cli, struct err *err);

#endif
