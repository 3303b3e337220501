/* SPDX-License-Identifier: MIT */
/* The result files of a comparison: which of them make a side, and what it is called. */
#ifndef SIDES_H
#define SIDES_H

#include "../err.h"
#include "compare.h"

struct side {
	char *label;
	struct result *results;
	size_t nresults;
};

struct sides {
	struct side *list; /* the base is the first */
	struct compare_input *inputs; /* the same, for compare_make() */
	size_t n;
};

/*
 * One word alone is a result of several job files, each of which is a side and is called after it.
 *
 * Else: reads the files that patterns name (glob(3); a file of that very name comes first). All of
 * `bases` are one side; each of `words` is another, and the first of them the base where there are
 * no bases. A side is called after its file or pattern: "6.12" for a/6.12.json and for the pattern
 * 6.12-*, its directory where a pattern begins with a star; by all of it where two were called the
 * same. 0, or -errno with a text: a pattern without a file, a file that is no result, one result
 * twice on a side, or on two that are not all the same, less than two sides. sides_free() in every
 * case.
 */
int sides_read(struct sides *sides, const char *const *bases, size_t nbases,
		const char *const *words, size_t nwords, struct err *err);
void sides_free(struct sides *sides);

#endif
