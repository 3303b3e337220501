// SPDX-License-Identifier: MIT
#include "show.h"

#include "postmark.h"

static const char *doing(enum worker_phase phase)
{
	switch (phase) {
	case WORKER_SETUP:
	case WORKER_READY:
		return "starting";
	case WORKER_RAMP:
		return "warming up";
	case WORKER_RUN:
		return "running";
	case WORKER_SYNC:
		return "fsync";
	case WORKER_CLOSING:
	case WORKER_DONE:
		return "closing";
	}
	return "";
}

/* PostMark's work is counted in files of the creation and in transactions. */
static double postmark_share(const struct stage_worker *w)
{
	const struct worker_postmark *pm = w->shared->postmark;
	const struct job_opts *o = &w->spec->job->o;

	return (double)(worker_read(&pm->done[POSTMARK_CREATION][POSTMARK_CREATE])
			+ worker_read(&pm->transactions))
			/ ((double)o->postmark_number + (double)o->postmark_transactions);
}

/*
 * What part of its work or time a worker has behind it, and the seconds that it still needs; -1:
 * nobody knows.
 */
static double share_of(
		const struct stage *s, const struct stage_worker *w, uint64_t now, double *left_s)
{
	const struct stats *stats = &w->shared->stats;
	const struct job_opts *o = &w->spec->job->o;
	double share = -1, bytes = 0, ios = 0, begin;

	*left_s = -1;
	if (w->over || stage_phase(w) >= WORKER_SYNC)
		return 1;
	if (stage_phase(w) != WORKER_RUN)
		return 0;
	for (int d = 0; d < RESULT_DIRS; d++) {
		bytes += (double)worker_read(&stats->op[d].bytes);
		ios += (double)worker_ios(w->shared, d);
	}
	if (w->shared->postmark)
		share = postmark_share(w);
	if (w->spec->limit_bytes != UINT64_MAX)
		share = bytes / (double)w->spec->limit_bytes;
	if (w->spec->limit_ios != UINT64_MAX && ios / (double)w->spec->limit_ios > share)
		share = ios / (double)w->spec->limit_ios;
	begin = (double)clock_to_ns(s->clock, worker_read(&w->shared->begin_ticks));
	if (o->runtime && ((double)now - begin) / (double)o->runtime > share)
		share = ((double)now - begin) / (double)o->runtime;
	share = share > 1 ? 1 : share;
	if (share > 0)
		*left_s = ((double)now - begin) / 1e9 * (1 - share) / share;
	return share;
}

void show_progress(struct stage *s, uint64_t now)
{
	struct progress *p = &s->progress;
	uint64_t bytes = 0, ios = 0, since = now - s->shown_ns;
	const struct stage_worker *first = NULL;

	if (!s->show || since < SHOW_NS)
		return;
	p->workers = 0;
	p->share = 2;
	p->left_s = -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct stage_worker *w = &s->workers[i];
		double left_s, share = share_of(s, w, now, &left_s);

		for (int d = 0; d < RESULT_DIRS; d++) {
			bytes += worker_read(&w->shared->stats.op[d].bytes);
			ios += worker_ios(w->shared, d);
		}
		if (w->over || stage_phase(w) == WORKER_DONE)
			continue;
		if (!first)
			first = w;
		p->workers++;
		if (share < p->share)
			p->share = share;
		if (left_s > p->left_s)
			p->left_s = left_s;
	}
	if (first) {
		p->what = first->spec->job->name;
		p->naxes = first->spec->job->naxes;
		for (size_t i = 0; i < p->naxes && i < PROGRESS_AXES; i++)
			p->axes[i] = first->spec->job->axes[i].label;
		p->doing = first->spec->layout && stage_phase(first) == WORKER_RUN
				? "laying out" : doing(stage_phase(first));
		p->bytes_per_s = bytes >= s->shown_bytes
				? (double)(bytes - s->shown_bytes) * 1e9 / (double)since : 0;
		p->ios_per_s = ios >= s->shown_ios
				? (double)(ios - s->shown_ios) * 1e9 / (double)since : 0;
		s->show(s->ctx, p);
	}
	s->shown_ns = now;
	s->shown_bytes = bytes;
	s->shown_ios = ios;
}
