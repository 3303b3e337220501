/* SPDX-License-Identifier: MIT */
/* What the course of a job says of it: figures over its samples, one a second. */
#ifndef RESULT_COURSE_H
#define RESULT_COURSE_H

#include "result.h"

/*
 * All directions together. How many whole samples it has; bytes or I/Os of
 * one of them.
 */
size_t result_course(const struct result_job *job);
uint64_t result_course_at(const struct result_job *job, size_t i, bool bytes);

/*
 * n samples from first on as the mean rates (bytes/s or 1/s) of that many rounds, of about equal
 * length; rounds <= n. As many rounds as samples: each sample.
 */
struct steady result_fit(const struct result_series *const dirs[RESULT_DIRS], size_t first,
		size_t n, size_t rounds, bool bytes);

/* Was the bandwidth of the whole course, in five rounds, steady by the SNIA pair? */
struct result_verdict {
	bool judged; /* false: it has too few samples, or phases that differ (PostMark) */
	bool steady;
	double range_percent;    /* largest - smallest round, of the mean */
	double movement_percent; /* of the fitted line, of the mean */
};
struct result_verdict result_verdict(const struct result_job *job);

/* What steadystate looked at last. */
struct result_window {
	size_t first; /* sample of the course */
	size_t n;     /* fewer than steadystate_duration asks for: there never were as many */
	struct steady fit; /* of the samples */
	double criterion;
};
struct result_window result_window(const struct result_job *job);

#endif
