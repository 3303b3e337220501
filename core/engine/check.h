/* SPDX-License-Identifier: MIT */
/*
 * The conformance kit: does an engine keep the contract of engine.h? It drives the engine as a
 * worker does, on small files of its own.
 */
#ifndef ENGINE_CHECK_H
#define ENGINE_CHECK_H

#include "load.h"

enum check_verdict {
	CHECK_OK,
	CHECK_FAIL,
	CHECK_SKIP, /* this machine, these files or this engine cannot do what it takes */
};

/* A key of the engine's own, over its default. */
struct engine_setting {
	const char *key;
	const char *value; /* NULL: a bare key */
};

struct engine_check {
	const struct engine *engine;
	const char *directory; /* for scratch files, which are removed again */
	const struct engine_setting *settings;
	size_t nsettings;

	/* Called after each check: its name, and for FAIL and SKIP the reason, else "". */
	void (*line)(void *ctx, enum check_verdict verdict, const char *what, const char *why);
	void *ctx;
};

/*
 * Runs every check that applies to the engine, in this process and in two threads of it. An engine
 * that crashes or hangs takes the process along: callers run it in a child. Returns how many
 * failed.
 */
unsigned engine_check(const struct engine_check *check);

/*
 * Are the settings keys of the engine with values that it takes, and all there that it must have?
 * 0 or -EINVAL with a text.
 */
int engine_check_settings(const struct engine_check *check, struct err *err);

#endif
