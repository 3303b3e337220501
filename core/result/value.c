// SPDX-License-Identifier: MIT
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_int_t value_whole(uint64_t n)
{
	return n < INT64_MAX ? (json_int_t)n : INT64_MAX;
}

double value_real(double x)
{
	return isfinite(x) ? x : 0;
}

/* How many bytes the UTF-8 character at s has, by its first byte; 1 for no character. */
static size_t utf8_length(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

	return strnlen(s, n);
}

json_t *value_string(const char *s)
{
	json_t *value = json_string(s);
	char *clean, *to;

	if (value)
		return value;
	clean = malloc(3 * strlen(s) + 1);
	if (!clean)
		return NULL;
	for (to = clean; *s;) {
		size_t n = utf8_length(s);

		value = json_stringn(s, n);
		if (!value)
			n = 1;
		memcpy(to, value ? s : "\xef\xbf\xbd", value ? n : 3);
		to += value ? n : 3;
		s += n;
		json_decref(value);
	}
	*to = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

json_t *value_with(json_t *object, const char *key, json_t *value)
{
	if (object && json_object_set_new(object, key, value)) {
		json_decref(object);
		return NULL;
	}
	if (!object)
		json_decref(value);
	return object;
}

json_t *value_item(json_t *array, json_t *value)
{
	if (array && json_array_append_new(array, value)) {
		json_decref(array);
		return NULL;
	}
	if (!array)
		json_decref(value);
	return array;
}
