// SPDX-License-Identifier: MIT
#include "perm.h"

void perm_init(struct perm *perm, uint64_t n, struct rng *rng)
{
	unsigned bits = n > 2 ? 64 - (unsigned)__builtin_clzll(n - 1) : 1;

	perm->n = n;
	perm->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	perm->shift = (bits + 1) / 2;
	for (int i = 0; i < PERM_ROUNDS; i++) {
		perm->add[i] = rng_next(rng);
		perm->mul[i] = rng_next(rng) | 1;
	}
}

uint64_t perm_walk(const struct perm *perm, uint64_t i)
{
	while (i >= perm->n)
		i = perm_mix(perm, i);
	return i;
}
