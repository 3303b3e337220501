// SPDX-License-Identifier: MIT
#include "hist.h"

#include <stdbool.h>

void hist_used(const struct hist *h, unsigned *first, unsigned *last)
{
	bool odd = h->max > INT64_MAX;

	*first = odd ? 0 : hist_index(hist_min(h));
	*last = odd ? HIST_BUCKETS - 1 : hist_index(h->max);
}

void hist_reset(struct hist *h)
{
	if (h->n) {
		unsigned first, last;

		hist_used(h, &first, &last);
		memset(&h->bucket[first], 0, (last - first + 1) * sizeof(h->bucket[0]));
	}
	h->n = 0;
	h->not_min = 0;
	h->max = 0;
	h->sum = 0;
	h->sumsq = 0;
}
