/* SPDX-License-Identifier: MIT */
/*
 * The keys of fio (3.33) that stand in nobody's option table here, so that a job file is told what
 * becomes of them. Whoever implements one takes it out.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "opt.h"

enum foreign_kind {
	FOREIGN_HARMLESS, /* changes neither the I/O nor a number here: accepted with a warning */
	FOREIGN_MISSING,  /* changes what is done: refused */
	FOREIGN_ENGINE,   /* the same, of one of fio's engines */
};

struct foreign_key {
	const char *name;
	enum foreign_kind kind;
};

/* Ends with a row without a name; sorted, `-` as `_`. */
extern const struct foreign_key foreign_keys[];

/* The row of a key, or NULL. */
const struct foreign_key *foreign_find(const char *key);

/* What of a value of a key in the job table fio understands and this version does not; or NULL. */
const char *foreign_value(const char *key, const char *value);

#endif
