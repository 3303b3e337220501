/* SPDX-License-Identifier: MIT */
/* Lists that get longer one by one, whose room nobody keeps. */
#ifndef GROW_H
#define GROW_H

#include <stdlib.h>
#include <string.h>

/*
 * The list of n with room for one more, which is zero; NULL: no memory, and the list is as it was.
 * The room doubles: it may be full where n is a power of two. Lists may also become shorter.
 */
static inline void *grow(void *list, size_t n, size_t size)
{
	char *bigger = n & (n - 1) ? list : reallocarray(list, n ? 2 * n : 1, size);

	if (bigger)
		memset(bigger + n * size, 0, size);
	return bigger;
}

#endif
