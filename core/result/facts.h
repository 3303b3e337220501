/* SPDX-License-Identifier: MIT */
/*
 * What is known of where and how a run was done: keys with values, sorted by key. Keys are made of
 * words with dots between them; those of a device or a mount point hold its name in the middle:
 * "kernel.release", "disk.vda.scheduler", "fs./mnt/a.b.options".
 */
#ifndef FACTS_H
#define FACTS_H

#include <stddef.h>

#include "result.h"

struct facts {
	struct result_fact *list;
	size_t n;
};

/* Appends copies of both; the value without blanks and newlines around it. 0 or -ENOMEM. */
int facts_add(struct facts *facts, const char *key, const char *value);
void facts_sort(struct facts *facts);
void facts_free(struct facts *facts);

/* The value of a key in a sorted list, or NULL. */
const char *facts_get(const struct facts *facts, const char *key);

/* The list of a result, for facts_get(): it stays the result's. */
struct facts facts_of(const struct result *result);

/*
 * Joins what was found before and after a run, both sorted, and empties them: what always moves
 * (load, pressure) is there as KEY.before and KEY.after, all else as it was before; where it is
 * another one afterwards, "changed.KEY" says "BEFORE -> AFTER". 0 or -ENOMEM.
 */
int facts_join(struct facts *joined, struct facts *before, struct facts *after);

/* A key whose values differ; NULL for the side that does not know it. */
struct facts_difference {
	char *key;
	char *a;
	char *b;
};

struct facts_differences {
	struct facts_difference *list;
	size_t n;
};

/*
 * How two results' environments differ, in the order of the keys. Left out is what differs always
 * (boot, load, pressure) or by so little that it does not count (a filesystem 3 percent fuller).
 * Devices and mount points that only one side has are held against those that only the other one
 * has where there are as many: "disk: sda, sdb", then what differs between the two under the key
 * of a's. 0 or -ENOMEM.
 */
int facts_compare(const struct result *a, const struct result *b,
		struct facts_differences *differences);
void facts_differences_free(struct facts_differences *differences);

#endif
