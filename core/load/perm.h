/* SPDX-License-Identifier: MIT */
/*
 * A random order of 0 .. n-1 that is computed instead of remembered: six rounds of add, multiply
 * (odd, modulo a power of two) and xorshift, each a bijection of the next power of two; what falls
 * outside n is sent round again (cycle walking, under two rounds on average). Fewer rounds, or a
 * Feistel network of multiply-shifts, are visibly not random where n is a power of two: t/unit
 * holds the chi-square test that tells.
 */
#ifndef PERM_H
#define PERM_H

#include <stdint.h>

#include "rng.h"

enum { PERM_ROUNDS = 6 };

struct perm {
	uint64_t n;
	uint64_t mask;
	uint32_t shift;
	uint64_t add[PERM_ROUNDS];
	uint64_t mul[PERM_ROUNDS];
};

/* An order of n numbers, n > 0, another one at each call. */
void perm_init(struct perm *perm, uint64_t n, struct rng *rng);

static inline uint64_t perm_mix(const struct perm *perm, uint64_t i)
{
#pragma GCC unroll 6
	for (int r = 0; r < PERM_ROUNDS; r++) {
		i = (i + perm->add[r]) * perm->mul[r] & perm->mask;
		i ^= i >> perm->shift;
	}
	return i;
}

/* Walks on from a place that is outside. */
uint64_t perm_walk(const struct perm *perm, uint64_t i);

/* Where i stands in the order. */
static inline uint64_t perm_at(const struct perm *perm, uint64_t i)
{
	i = perm_mix(perm, i);
	return __builtin_expect(i < perm->n, 1) ? i : perm_walk(perm, i);
}

#endif
