/* SPDX-License-Identifier: MIT */
/* Lists of facts, written as lines. */
#ifndef UNIT_FACTS_H
#define UNIT_FACTS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/result/facts.h"

/* "key=value" lines as a sorted list. */
static inline struct facts facts_from(const char *text)
{
	struct facts facts = { NULL, 0 };
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		ck_assert_int_eq(facts_add(&facts, line, value), 0);
	}
	free(copy);
	facts_sort(&facts);
	return facts;
}

#endif
