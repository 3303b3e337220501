// SPDX-License-Identifier: MIT
#include "eta.h"

#include <string.h>

#include "../core/job/units.h"

enum {
	WIDTH = 77, /* of the line, and two columns for the ^C that a terminal puts behind it */
	CLEAR = 79,
};

void eta_show(void *ctx, const struct progress *p)
{
	struct eta *eta = ctx;
	char rate[32], iops[32], left[32], share[32] = "", name[64], repeat[64] = "", line[256];
	size_t at = (size_t)snprintf(name, sizeof(name), "%s", p->what);

	for (size_t i = 0; i < p->naxes && i < PROGRESS_AXES && at < sizeof(name); i++)
		at += (size_t)snprintf(name + at, sizeof(name) - at, ", %s", p->axes[i]);

	units_print_size(rate, sizeof(rate), (uint64_t)p->bytes_per_s);
	units_print_si(iops, sizeof(iops), p->ios_per_s);
	if (p->share >= 0 && p->share <= 1)
		snprintf(share, sizeof(share), " %3.0f %%", p->share * 100);
	if (p->left_s >= 0)
		snprintf(left, sizeof(left), ", %.0f s left", p->left_s);
	else
		left[0] = '\0';
	if (p->repeats > 1)
		snprintf(repeat, sizeof(repeat), "%zu/%zu: ", p->repeat + 1, p->repeats);
	snprintf(line, sizeof(line), "[%s%zu/%zu] %.32s: %s%s, %s/s, %s IOPS%s", repeat,
			p->stage + 1, p->nstages, name, p->doing, share, rate, iops, left);
	fprintf(eta->to, "\r%-*.*s", WIDTH, WIDTH, line);
	fflush(eta->to);
	eta->shown = true;
}

void eta_clear(struct eta *eta)
{
	if (eta->shown)
		fprintf(eta->to, "\r%*s\r", CLEAR, "");
	fflush(eta->to);
	eta->shown = false;
}
