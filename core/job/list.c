// SPDX-License-Identifier: MIT
#include "list.h"

#include <stdlib.h>

size_t list_length(const char *list)
{
	size_t n = 1;

	for (const char *p = list; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == ':')
			n++;
	}
	return n;
}

bool list_has_empty(const char *list)
{
	size_t length = 0; /* of the name at hand */

	for (; *list; list++) {
		if (*list == ':' && !length)
			return true;
		length = *list == ':' ? 0 : length + 1;
		if (list[0] == '\\' && list[1])
			list++;
	}
	return !length;
}

char *list_next(const char **list)
{
	const char *p = *list, *end = p;
	char *item, *to;

	while (*end && *end != ':')
		end += 1 + (*end == '\\' && end[1]);
	item = to = malloc((size_t)(end - p) + 1);
	if (!item)
		return NULL;
	for (; p < end; p++) {
		if (*p == '\\' && p + 1 < end && p[1] == ':')
			p++;
		*to++ = *p;
	}
	*to = '\0';
	*list = *end ? end + 1 : end;
	return item;
}

char *list_item(const char *list, size_t i)
{
	char *item = list_next(&list);

	while (item && i--) {
		free(item);
		item = list_next(&list);
	}
	return item;
}
