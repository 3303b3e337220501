/* SPDX-License-Identifier: MIT */
/* Lists of names with ':' between them, where "\:" is a colon that belongs to a name. */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many names there are; an empty list is one empty name. */
size_t list_length(const char *list);

/* Is one of the names empty? */
bool list_has_empty(const char *list);

/* The next name, on the heap; *list moves behind it. NULL: no memory. */
char *list_next(const char **list);

/* Name i, on the heap. NULL: no memory. */
char *list_item(const char *list, size_t i);

/*
 * The next of "NAME[:WEIGHT],...", where a backslash stands before a ',' or ':' that belongs to a
 * name. *name is on the heap, *weight 1 where there is none; *list moves behind it, to "" at the
 * end. 0, -ENOMEM, or -EINVAL: no name, or a weight that is no number from 1 to 1000000.
 */
int list_weighted(const char **list, char **name, uint32_t *weight);

#endif
