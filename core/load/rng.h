/* SPDX-License-Identifier: MIT */
/*
 * Pseudo-random numbers: wyrand (Wang Yi, 2019), a Weyl sequence whipped by one 128-bit product; it
 * passes BigCrush and PractRand at a third of the instructions of its peers, which matters where
 * each I/O draws one or two. The same seed gives the same sequence on every machine.
 */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

#include "../u128.h"

struct rng {
	uint64_t state;
};

/*
 * One step of SplitMix64 (Steele, Lea and Flood, 2014): moves *state on and returns a well-mixed
 * number.
 */
static inline uint64_t rng_split(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Different streams of one seed start at unrelated places of the sequence, whose length is 2^64. */
static inline void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	state = rng_split(&state) ^ stream * 0xd1342543de82ef95u;
	rng->state = rng_split(&state);
}

static inline uint64_t rng_next(struct rng *rng)
{
	u128 product;

	rng->state += 0xa0761d6478bd642fu;
	product = (u128)rng->state * (rng->state ^ 0xe7037ed1a0b428dbu);
	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* A number in [0, n), n > 0, by the high half of a product: bias below n / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return (uint64_t)((u128)rng_next(rng) * n >> 64);
}

#endif
