/* SPDX-License-Identifier: MIT */
/*
 * `vary` lines: a sweep out of one section.
 *
 *	vary = bs: 4k 64k 1m                               one key, its values
 *	vary = mode: Normal read rw=read | Direct read rw=read direct=1
 *	                                                   named points that set several keys
 */
#ifndef VARY_H
#define VARY_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "jobfile.h"

struct vary_setting {
	char *key;
	char *value; /* NULL: a bare key */
};

struct vary_point {
	char *label;
	struct vary_setting *settings;
	size_t nsettings;
};

struct vary {
	char *name; /* of the axis */
	struct vary_point *points;
	size_t npoints;
	const char *path;
	unsigned line;
};

/* Parses the value of one vary line. The error has file and line. */
int vary_parse(struct vary *vary, const struct jobfile_pair *pair, struct err *err);
void vary_free(struct vary *vary);

/* Does any point set this key? */
bool vary_sets(const struct vary *vary, const char *key);

#endif
