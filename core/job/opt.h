/* SPDX-License-Identifier: MIT */
/*
 * The option-table machine: it parses a value into the member that a row names, for the core's job
 * table and for every engine's table alike. Rows are data (see engine.h); rules across options
 * stand in job_check().
 */
#ifndef OPT_H
#define OPT_H

#include "../engine/engine.h"
#include "../err.h"

/* A SIZE with IOJOB_OPT_PERCENT: bytes, or (percent != 0) a share of something known later. */
struct opt_size {
	uint64_t bytes;
	uint32_t percent;
};

/* A table as its owner laid it out; stride = sizeof(struct iojob_option) there (engine.h). */
struct opt_table {
	const struct iojob_option *rows;
	size_t stride;
};

/*
 * Row i, or NULL where the table ends; ask no further than that. Members that an older header
 * lacked read as zero in *copy.
 */
const struct iojob_option *opt_row(
		const struct opt_table *table, size_t i, struct iojob_option *copy);

/* Are two keys the same? `-` and `_` in them are. */
bool opt_same_key(const char *a, const char *b);

/* The row of that name or alias, or NULL. */
const struct iojob_option *opt_find(
		const struct opt_table *table, const char *key, struct iojob_option *copy);

/* Puts every row's default into base. Fails only where a default is wrong: a fault of the table. */
int opt_defaults(const struct opt_table *table, void *base, struct err *err);

/* Makes `to` what `from` is, with strings of its own. 0 or -ENOMEM, and then it has none. */
int opt_copy(const struct opt_table *table, void *to, const void *from);

/*
 * Parses value (NULL: a bare key) into base; one that is refused changes nothing. The error text is
 * "KEY = VALUE: what is wrong", without file and line, which the caller puts in front. Strings are
 * copied; opt_free() gives them back.
 */
int opt_set(const struct iojob_option *row, void *base, const char *value, unsigned kb_base,
		struct err *err);

/* The strings that opt_defaults, opt_copy and opt_set made. */
void opt_free(const struct opt_table *table, void *base);

/* The value as a job file (with kb_base 1024) would say it, into buf; returns buf. */
char *opt_print(const struct iojob_option *row, const void *base, char *buf, size_t size);

/*
 * Helps with a misspelt key: keeps in *best the name nearest to key by edit distance, over several
 * calls. Start with { .distance = UINT_MAX }; .name stays NULL where nothing is near.
 */
struct opt_nearest {
	const char *name;
	unsigned distance;
};
void opt_nearest_name(struct opt_nearest *best, const char *key, const char *name);
void opt_nearest_row(struct opt_nearest *best, const char *key, const struct opt_table *table);

#endif
