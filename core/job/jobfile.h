/* SPDX-License-Identifier: MIT */
/*
 * The text of job files: sections, keys, values, lines. It knows the syntax and no key's meaning
 * (but include, which is syntax). The only file that knows libinih.
 */
#ifndef JOBFILE_H
#define JOBFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"

struct jobfile_pair {
	char *key;        /* as written, without blanks around it */
	char *value;      /* variables expanded, blanks around it gone; NULL: a bare key */
	const char *path; /* where it stands (the included file's own path) */
	unsigned line;    /* counted from 1 */
	bool commented;   /* the line ended in a comment that followed the value without a blank */
};

struct jobfile_section {
	char *name;       /* between the brackets, whole */
	const char *path;
	unsigned line;
	bool global;
	bool first;       /* of a file that jobfile_read() was called for */
	struct jobfile_pair *pairs; /* in file order */
	size_t npairs;
};

/* Several files may be read into one struct: their sections follow each other. */
struct jobfile {
	struct jobfile_section *sections; /* in file order; pairs before any header are an error */
	size_t nsections;
	char **paths; /* every file read, owned; what .path points to */
	size_t npaths;
};

/* Reads a file ("-": standard input) after what is there already. Every error has file and line. */
int jobfile_read(struct jobfile *file, const char *path, struct err *err);

void jobfile_free(struct jobfile *file);

#endif
