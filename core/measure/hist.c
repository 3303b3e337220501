// SPDX-License-Identifier: MIT
#include "hist.h"

#include <stdbool.h>

void hist_widen(struct hist *h, uint64_t ns)
{
	uint64_t max = hist_max(h);

	if (!h->n) {
		h->min = ns;
		h->span = 0;
	} else if (ns < h->min) {
		h->min = ns;
		h->span = max - ns;
	} else {
		h->span = ns - h->min;
	}
}

void hist_used(const struct hist *h, unsigned *first, unsigned *last)
{
	bool odd = hist_max(h) > INT64_MAX;

	*first = odd ? 0 : hist_index(h->min);
	*last = odd ? HIST_BUCKETS - 1 : hist_index(hist_max(h));
}

void hist_reset(struct hist *h)
{
	if (h->n) {
		unsigned first, last;

		hist_used(h, &first, &last);
		memset(&h->bucket[first], 0, (last - first + 1) * sizeof(h->bucket[0]));
	}
	h->n = 0;
	h->min = 0;
	h->span = 0;
	h->sum = 0;
	h->sumsq = 0;
}
