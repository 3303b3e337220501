// SPDX-License-Identifier: MIT
#include "postmark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------- */

enum {
	MT_N = 624,
	MT_M = 397,
};

void postmark_seed(struct postmark_rng *rng, uint32_t seed)
{
	for (unsigned i = 0; i < MT_N; i++) {
		uint32_t high = seed & 0xffff0000u;

		seed = 69069u * seed + 1;
		rng->state[i] = high | seed >> 16;
		seed = 69069u * seed + 1;
	}
	rng->at = MT_N;
}

static void mt_twist(uint32_t state[MT_N])
{
	for (unsigned i = 0; i < MT_N; i++) {
		uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % MT_N] & 0x7fffffffu);

		state[i] = state[(i + MT_M) % MT_N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
	}
}

uint32_t postmark_draw(struct postmark_rng *rng)
{
	uint32_t y;

	if (rng->at == MT_N) {
		mt_twist(rng->state);
		rng->at = 0;
	}
	y = rng->state[rng->at++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

/* Below n. Of nothing, nothing is drawn. */
static uint32_t below(struct postmark *p, uint32_t n)
{
	return n ? postmark_draw(&p->rng) % n : 0;
}

/* ---- files --------------------------------------------------------------------------------- */

/* The slot after the one filled last, or else the first free one; nslots: there is none. */
static uint32_t free_slot(struct postmark *p)
{
	if (p->next < p->nslots && !p->slots[p->next].name)
		return p->next;
	while (p->full < p->nslots && p->slots[p->full].name)
		p->full++;
	return p->full;
}

static unsigned choose_location(struct postmark *p)
{
	uint32_t at = below(p, p->weight);
	unsigned i = 0;

	while (at >= p->conf.weights[i])
		at -= p->conf.weights[i++];
	return i;
}

static void fill_op(const struct postmark *p, struct postmark_op *op, enum postmark_kind kind,
		const struct postmark_file *file)
{
	*op = (struct postmark_op){
		.kind = kind,
		.phase = p->phase,
		.name = file->name,
		.dir = file->dir,
		.location = file->location,
		.bytes = file->size,
	};
}

/* False: every slot is in use. */
static bool create(struct postmark *p, struct postmark_op *op)
{
	uint32_t slot = free_slot(p);
	struct postmark_file *file = &p->slots[slot];

	if (slot == p->nslots) {
		p->skipped++;
		return false;
	}
	p->next = slot + 1;
	p->used++;
	file->name = ++p->names;
	file->location = p->conf.nlocations > 1 ? choose_location(p) : 0;
	file->dir = p->conf.subdirectories > 1 ? below(p, p->conf.subdirectories) : 0;
	file->size = p->conf.size_low + below(p, p->conf.size_high - p->conf.size_low);
	fill_op(p, op, POSTMARK_CREATE, file);
	return true;
}

static void delete(struct postmark *p, struct postmark_op *op, struct postmark_file *file)
{
	uint32_t slot = (uint32_t)(file - p->slots);

	fill_op(p, op, POSTMARK_DELETE, file);
	file->name = 0;
	p->used--;
	if (slot < p->full)
		p->full = slot;
}

static bool append(struct postmark *p, struct postmark_op *op, struct postmark_file *file)
{
	if (file->size >= p->conf.size_high)
		return false;
	fill_op(p, op, POSTMARK_APPEND, file);
	op->offset = file->size;
	op->bytes = below(p, p->conf.size_high - file->size) + 1;
	file->size += op->bytes;
	return true;
}

/* ---- transactions -------------------------------------------------------------------------- */

/* A file in use, each as likely as any other. NULL: there is none: the transactions are over. */
static struct postmark_file *pick(struct postmark *p)
{
	struct postmark_file *file;

	if (!p->used) {
		p->dry = true;
		postmark_stop(p);
		return NULL;
	}
	do {
		file = &p->slots[below(p, p->nslots)];
	} while (!file->name);
	return file;
}

static bool first_half(struct postmark *p, struct postmark_op *op)
{
	bool reads = below(p, 10) < (uint32_t)p->conf.bias_read;
	struct postmark_file *file = pick(p);

	if (!file)
		return false;
	if (!reads)
		return append(p, op, file);
	fill_op(p, op, POSTMARK_READ, file);
	return true;
}

static bool second_half(struct postmark *p, struct postmark_op *op)
{
	struct postmark_file *file;

	if (below(p, 10) < (uint32_t)p->conf.bias_create)
		return create(p, op);
	file = pick(p);
	if (file)
		delete(p, op, file);
	return file;
}

static bool transact(struct postmark *p, struct postmark_op *op)
{
	while (p->phase == POSTMARK_TRANSACTIONS && p->transactions < p->conf.transactions) {
		p->halfway = !p->halfway;
		if (p->halfway) {
			if (p->conf.bias_read >= 0 && first_half(p, op))
				return true;
			continue;
		}
		if (p->conf.bias_create >= 0 && second_half(p, op)) {
			p->transactions++;
			return true;
		}
		p->transactions += !p->dry;
	}
	return false;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int postmark_init(struct postmark *p, const struct postmark_conf *conf)
{
	*p = (struct postmark){ .conf = *conf };
	for (unsigned i = 0; i < conf->nlocations; i++)
		p->weight += conf->weights[i];
	p->slots = calloc(2 * (size_t)conf->number, sizeof(*p->slots));
	if (!p->slots)
		return -ENOMEM;
	p->nslots = 2 * conf->number;
	postmark_seed(&p->rng, conf->seed);
	return 0;
}

bool postmark_text(struct postmark *p, char *text)
{
	enum { PART = 1 << 20 };
	uint64_t all = 2 * (uint64_t)p->conf.size_high;
	uint64_t end = all - p->drawn > PART ? p->drawn + PART : all;

	for (; p->drawn < end; p->drawn++) {
		char c = (char)(32 + below(p, 95));

		if (text && p->drawn < p->conf.size_high)
			text[p->drawn] = c;
	}
	return end < all;
}

void postmark_free(struct postmark *p)
{
	free(p->slots);
	p->slots = NULL;
}

void postmark_stop(struct postmark *p)
{
	p->phase = POSTMARK_DELETION;
}

bool postmark_next(struct postmark *p, struct postmark_op *op)
{
	if (p->phase == POSTMARK_CREATION) {
		if (p->names < p->conf.number)
			return create(p, op);
		p->phase = POSTMARK_TRANSACTIONS;
	}
	if (p->phase == POSTMARK_TRANSACTIONS) {
		if (transact(p, op))
			return true;
		postmark_stop(p);
	}
	while (p->cursor < p->nslots) {
		struct postmark_file *file = &p->slots[p->cursor++];

		if (file->name) {
			delete(p, op, file);
			return true;
		}
	}
	return false;
}
