// SPDX-License-Identifier: MIT
#include "stat.h"

#include <string.h>

void stats_reset(struct stats *stats)
{
	memset(stats, 0, offsetof(struct stats, clat));
	for (int op = 0; op < STAT_OPS; op++) {
		hist_reset(&stats->clat[op]);
		hist_reset(&stats->slat[op]);
		hist_reset(&stats->lat[op]);
		hist_reset(&stats->response[op]);
	}
}
