/* SPDX-License-Identifier: MIT */
/*
 * The structs of result.h as tables: a row says where a member stands in a result file, and drives
 * both its writing and its reading back. A member without a row is lost on the way; a test compares
 * the tables with the header.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "result.h"
#include "value.h"

enum field_type {
	FIELD_BOOL,
	FIELD_INT,
	FIELD_UINT,
	FIELD_U64,
	FIELD_U64_TEXT, /* digits in a string: many readers round a number of 64 bits */
	FIELD_SECTORS,  /* a count of 512 bytes; in the file it is bytes */
	FIELD_REAL,     /* 15 digits of it */
	FIELD_REAL_TEXT, /* all of it, in a string */
	FIELD_STRING,
	FIELD_STRING_OR_NULL,
	FIELD_END,      /* enum result_end, by name */
	FIELD_RULE,     /* struct steady_rule, as a job file has it */
	FIELD_DIST,     /* left out where it is empty */
	FIELD_PAIR,     /* struct result_option or result_fact; a list of them is one object */
	FIELD_STRUCT,   /* left out where all of it is zero */
	FIELD_HAND,     /* written by output/json.c and read by read.c without this table */
};

enum field_shape {
	FIELD_ONE,
	FIELD_ARRAY, /* of n */
	FIELD_ROOM,  /* for n, of which `count` are in use */
	FIELD_HEAP,  /* a pointer to `count` of them */
};

struct field {
	const char *key; /* in the object, a '.' between the names of nested ones */
	const char *member;
	enum field_type type;
	enum field_shape shape;
	bool fio;        /* stands among fio's keys, where output/json.c writes it */
	size_t offset;
	size_t n;
	const char *counter; /* the member that holds the count, a size_t; NULL: none */
	size_t count;        /* its offset */
	const struct fields *of; /* of a FIELD_STRUCT */
	size_t like; /* of a FIELD_DIST: offset of the row's neighbour that it often equals; or 0 */
	const char *like_key;
};

struct fields {
	const char *name; /* "result_job" */
	size_t size;
	const struct field *list;
	size_t n;
};

extern const struct fields fields_result, fields_job, fields_dir, fields_disk, fields_postmark,
		fields_repeat;

/* All tables there are; NULL ends them. */
extern const struct fields *const fields_all[];

/* Where in a document something stands, for texts: a chain up to the file's own name. */
struct field_place {
	const struct field_place *outer;
	const char *key; /* NULL: an item of an array */
	size_t index;
};

/* "FILE: jobs[2].iojob.seed: what is wrong"; returns -EINVAL. */
int field_error(const struct field_place *place, struct err *err, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* What is ours of a struct, as an object; NULL: no memory. */
json_t *fields_write(const struct fields *fields, const void *data);

/* One object of key and value; of a key that is there twice the last counts. */
json_t *fields_pairs(const struct result_option *pairs, size_t n);

/*
 * Fills a zeroed struct: rows of fio's out of `fio`, the others out of `ours`; either may be NULL.
 * What is not there stays 0, a string becomes "". Of a wrong type: -EINVAL with a text; what was
 * read until then is the caller's to free.
 */
int fields_read(const struct fields *fields, const json_t *fio, const json_t *ours, void *data,
		const struct field_place *place, struct err *err);

/* The member of an object at a path with dots, or NULL. */
json_t *field_find(const json_t *object, const char *path);

#endif
