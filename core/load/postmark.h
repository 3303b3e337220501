/* SPDX-License-Identifier: MIT */
/*
 * What PostMark (Jeffrey Katcher, 1997) does, decision by decision: which file is created, read,
 * appended to or deleted next, and how large it is. The order of its draws is kept to the last one,
 * so that every count is PostMark's own. Whoever asks carries the decisions out and takes the time.
 */
#ifndef POSTMARK_H
#define POSTMARK_H

#include <stdbool.h>
#include <stdint.h>

/* MT19937 as published in 1998, with the seeding of then: not what std::mt19937 does. */
struct postmark_rng {
	uint32_t state[624];
	unsigned at;
};

void postmark_seed(struct postmark_rng *rng, uint32_t seed);
uint32_t postmark_draw(struct postmark_rng *rng);

enum postmark_kind {
	POSTMARK_CREATE,
	POSTMARK_READ,
	POSTMARK_APPEND,
	POSTMARK_DELETE,
	POSTMARK_KINDS
};

enum postmark_phase {
	POSTMARK_CREATION,
	POSTMARK_TRANSACTIONS,
	POSTMARK_DELETION, /* of what is left */
	POSTMARK_PHASES
};

struct postmark_conf {
	uint32_t seed;
	uint32_t size_low; /* bytes, at least 1 */
	uint32_t size_high;
	uint32_t number; /* of files before the transactions, 1 to 2^30 */
	uint64_t transactions;
	uint32_t subdirectories; /* below 2: none */
	int bias_read;           /* of ten; -1: the first half of a transaction is off */
	int bias_create;
	const uint32_t *weights; /* of the locations; stays the caller's, as long as it runs */
	unsigned nlocations;
};

/* One operation. The file is `name` in subdirectory `dir` (where there are any) of `location`. */
struct postmark_op {
	enum postmark_kind kind;
	enum postmark_phase phase;
	uint32_t name; /* a running number, from 1 */
	uint32_t dir;
	unsigned location;
	uint32_t offset; /* where the transfer begins: the old size, of an append */
	uint32_t bytes;  /* to write or to read; of a delete, what goes with the file */
};

struct postmark_file {
	uint32_t name; /* 0: the slot is free */
	uint32_t size;
	uint32_t dir;
	uint32_t location;
};

struct postmark {
	struct postmark_conf conf;
	struct postmark_rng rng;
	uint64_t drawn; /* characters of the source text */
	struct postmark_file *slots; /* owned */
	uint32_t nslots;             /* twice the number of files */
	uint32_t used;               /* slots that hold a file */
	uint32_t next;               /* the slot after the one filled last */
	uint32_t full;               /* no slot below this one is free */
	uint32_t names;              /* given so far */
	uint32_t weight;             /* of all locations */
	enum postmark_phase phase;
	bool halfway;          /* of the transaction at hand, the first half is decided */
	uint64_t transactions; /* decided so far */
	uint64_t skipped;      /* creates without a free slot */
	bool dry;              /* a transaction wanted a file, and there was none left */
	uint32_t cursor;       /* slots that the deletion has seen */
};

/* Seeds the generator, makes room for the files. 0 or -ENOMEM; postmark_free() in either case. */
int postmark_init(struct postmark *p, const struct postmark_conf *conf);

/*
 * Draws a further part of the source text, which is twice size_high characters and comes before the
 * first operation; the first `size_high` go into text (NULL: nowhere). False: that was the last.
 */
bool postmark_text(struct postmark *p, char *text);

void postmark_free(struct postmark *p);

/* The next operation. False: all is done. */
bool postmark_next(struct postmark *p, struct postmark_op *op);

/* No transactions any more: what comes next is the deletion of what is left. */
void postmark_stop(struct postmark *p);

#endif
