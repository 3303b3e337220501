/* SPDX-License-Identifier: MIT */
/* Finding and loading engines. A loaded engine stays until the program ends (no dlclose). */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "../err.h"
#include "../job/opt.h"
#include "engine.h"

/* An engine as the core keeps it: in today's layout, zero where an older one had no member. */
struct engine {
	struct iojob_engine e;
	struct opt_table options; /* e.options with the engine's own stride */
	char *path;               /* the file it came from */
	bool sought;              /* it is what a search for its name finds */
};

/* The engines loaded so far, and where others are sought. Zero-initialised but for the places. */
struct engines {
	const char *build_dir; /* engines/ of the build tree, or NULL; before the installed ones */
	struct engine **list;  /* each once, however often it is asked for; owned */
	size_t n;
};

/*
 * Loads by name, or by path where `name` holds a '/'. Searched: $IOJOB_ENGINE_PATH (a ':' list),
 * build_dir, then the installed $libdir/iojob; never the current directory. -ENOENT lists the
 * places searched; -ENOEXEC: it is no engine, is of another ABI, or its own tables are wrong;
 * -EINVAL: this can be no name.
 */
int engine_load(struct engines *engines, const char *name, const struct engine **engine,
		struct err *err);

/* Loads every engine in the places searched; those that do not load are passed over. */
int engine_load_all(struct engines *engines, struct err *err);

/* The engine meant by a name that other job files use (sync: psync), or the name itself. */
const char *engine_canonical(const char *name);

/* "read", "fdatasync" ...; "?" for what is no operation. */
const char *engine_op_name(unsigned op);

/*
 * engines/ beside the program where that is its build tree (a Makefile, and engines/psync.so), else
 * NULL. Written into buf.
 */
const char *engine_build_dir(char *buf, size_t size);

void engines_free(struct engines *engines); /* memory only; the objects stay loaded */

#endif
