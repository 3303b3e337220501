/* SPDX-License-Identifier: MIT */
/* A worker as the core has it, for the checks of check.c: opens, drives and watches an engine. */
#ifndef RIG_H
#define RIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "engine.h"
#include "guard.h"

enum {
	RIG_BLOCK = 4096, /* a multiple of what direct I/O asks for on common disks */
	RIG_BLOCKS = 32,  /* of a scratch file */
	RIG_FILE_BYTES = RIG_BLOCKS * RIG_BLOCK,
	RIG_BUF_BYTES = 2 * RIG_BLOCK, /* of each I/O */
	RIG_DEPTH = 8,
	RIG_FILES = 2,
};

/* What is under test, and what the check that runs has to say. One for each thread. */
struct kit {
	const struct engine *engine;
	const char *directory;
	const void *conf;
	bool optional;       /* an option is on that these files may not support */
	bool no_data;        /* it was found to move no data */
	unsigned first_file; /* number of the first scratch file */
	char why[1024];
};

/* Sets kit->why and returns the verdict. */
enum check_verdict kit_say(struct kit *kit, enum check_verdict verdict, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

#define kit_fail(kit, ...) kit_say(kit, CHECK_FAIL, __VA_ARGS__)
#define kit_skip(kit, ...) kit_say(kit, CHECK_SKIP, __VA_ARGS__)

static inline bool kit_does(const struct kit *kit, enum iojob_op op)
{
	return kit->engine->e.ops & IOJOB_OP_BIT(op);
}

static inline bool kit_has_fds(const struct kit *kit)
{
	return !(kit->engine->e.flags & IOJOB_ENGINE_NO_FD);
}

static inline bool kit_one_line(const char *text)
{
	return text && *text && !strchr(text, '\n');
}

/* How a worker is set up. */
struct spec {
	uint32_t depth; /* 1 where it is driven through execute */
	uint32_t job_flags;
	uint32_t ops; /* beside reads and writes */
	uint32_t nfiles;
	bool submit;     /* drive it through submit and reap */
	bool late;       /* files are opened after ready */
	bool write_only; /* the second file's descriptor cannot be read */
};

struct rig {
	struct kit *kit;
	const struct iojob_engine *e;
	struct spec spec;
	struct iojob_worker w;
	struct guard guard;
	struct iojob_io *executing;
	struct iojob_file *files[RIG_FILES];
	struct iojob_io *ios[RIG_DEPTH];
	char *buf;
	char *scratch;
	bool open;
	bool file_open[RIG_FILES];
	bool flying[RIG_DEPTH]; /* by slot */
	char error[512];        /* the engine writes here */
	struct iojob_file file_store[RIG_FILES];
	struct iojob_io io_store[RIG_DEPTH];
	char paths[RIG_FILES][PATH_MAX];
};

/* What the [main] hooks are given for this worker. */
struct iojob_setup rig_setup(struct rig *rig);

/* Everything that needs no engine. Whatever it returns, rig_close() undoes it. */
enum check_verdict rig_build(struct rig *rig, struct kit *kit, const struct spec *spec);

/* Asks the check hook; a refusal is the engine's right, and skips what wanted this. */
enum check_verdict rig_ask(struct rig *rig);

/* The hooks in their order, up to the point where I/O may begin. rig_close() in either case. */
enum check_verdict rig_open(struct rig *rig);

/* Closes and removes what is there. Keeps an earlier verdict. */
enum check_verdict rig_close(struct rig *rig, enum check_verdict so_far);

enum check_verdict rig_open_file(struct rig *rig, unsigned i);
enum check_verdict rig_close_file(struct rig *rig, unsigned i);
void rig_remove_file(struct rig *rig, unsigned i);

/* A hook that must succeed returned this. */
enum check_verdict rig_hook_failed(struct rig *rig, const char *hook, int ret);

/* Fills the I/O in a slot; its file is the first. */
struct iojob_io *rig_request(struct rig *rig, unsigned slot, enum iojob_op op, uint64_t offset,
		uint32_t len);

/* Does the requests in slots 0 to n - 1, n <= depth; each comes back once, with its res set. */
enum check_verdict rig_run(struct rig *rig, unsigned n);

/* Is that its res? */
enum check_verdict rig_expect(struct rig *rig, const struct iojob_io *io, int64_t res);

/* One request in slot 0, and what its res should be. */
enum check_verdict rig_single(struct rig *rig, enum iojob_op op, uint64_t offset, uint32_t len,
		int64_t res);

/* Fills the first file block by block, and looks whether that is in it; reads and compares it. */
enum check_verdict rig_write(struct rig *rig);
enum check_verdict rig_read(struct rig *rig);

#endif
