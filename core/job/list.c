// SPDX-License-Identifier: MIT
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The weight that ends at `end`, or 0. */
static uint32_t weight_of(const char *text, const char *end)
{
	enum { MOST = 1000000 };
	uint32_t weight = 0;

	for (; text < end && weight <= MOST; text++) {
		if (*text < '0' || *text > '9')
			return 0;
		weight = 10 * weight + (uint32_t)(*text - '0');
	}
	return weight <= MOST ? weight : 0;
}

int list_weighted(const char **list, char **name, uint32_t *weight)
{
	const char *p = *list, *end = p, *colon = NULL;
	char *to;

	for (; *end && *end != ','; end++) {
		if (*end == ':')
			colon = end;
		end += *end == '\\' && end[1];
	}
	*weight = colon ? weight_of(colon + 1, end) : 1;
	*list = end + (*end && end[1]);
	if (*end && !end[1]) /* a comma that nothing follows */
		return -EINVAL;
	if (!colon)
		colon = end;
	if (colon == p || !*weight)
		return -EINVAL;
	*name = to = malloc((size_t)(colon - p) + 1);
	if (!to)
		return -ENOMEM;
	while (p < colon) {
		p += *p == '\\' && p + 1 < colon && strchr(",:", p[1]);
		*to++ = *p++;
	}
	*to = '\0';
	return 0;
}
