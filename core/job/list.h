/* SPDX-License-Identifier: MIT */
/* Lists of names with ':' between them, where "\:" is a colon that belongs to a name. */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stddef.h>

/* How many names there are; an empty list is one empty name. */
size_t list_length(const char *list);

/* Is one of the names empty? */
bool list_has_empty(const char *list);

/* The next name, on the heap; *list moves behind it. NULL: no memory. */
char *list_next(const char **list);

/* Name i, on the heap. NULL: no memory. */
char *list_item(const char *list, size_t i);

#endif
