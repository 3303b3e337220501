/* SPDX-License-Identifier: MIT */
/* Frozen: engine.h of ABI 1 as it was released. Engines built against this must go on loading. */
/*
 * The contract between iojob and an I/O engine; installed as <iojob/engine.h>.
 *
 * An engine is a shared object that exports one symbol:
 *
 *	const struct iojob_engine iojob_engine = { IOJOB_ENGINE_HEAD(struct my_conf), .name = ... };
 *
 * It registers nothing, keeps nothing writable at file scope, and needs no symbol of the program
 * that loads it. The manual page iojob-engine(7) explains the whole and holds a complete example.
 *
 * How it grows: structs gain members at their end only, and every struct that an engine indexes is
 * reached through an array of pointers, so that an engine built against an older header goes on
 * working. IOJOB_ENGINE_ABI moves only when older engines must be refused.
 *
 * Threads: a hook marked [main] is called in the parent process, before any worker exists. A hook
 * marked [worker] is called in one worker (a process or a thread), always the same one for a given
 * struct iojob_worker; two workers may be inside the same hook at the same time.
 *
 * Errors: a [main] or set-up hook returns 0 or -errno and may explain itself with iojob_error(). On
 * the data path the only report is iojob_io.res: bytes moved, or -errno.
 *
 * Time: an engine never reads a clock; the core stamps every I/O around the calls.
 */
#ifndef IOJOB_ENGINE_H
#define IOJOB_ENGINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define IOJOB_ENGINE_ABI 1

/* What an I/O does. New operations come before IOJOB_OPS only in a new ABI. */
enum iojob_op {
	IOJOB_READ,
	IOJOB_WRITE,
	IOJOB_TRIM,
	IOJOB_FSYNC,     /* data and metadata of io->file reach stable storage */
	IOJOB_FDATASYNC, /* as above, without metadata that a later read does not need */
	IOJOB_OPS
};

#define IOJOB_OP_BIT(op) (1u << (op))

/* ---- options ------------------------------------------------------------------------------- */

enum iojob_opt_type {
	IOJOB_OPT_BOOL,   /* bool; a bare key means true */
	IOJOB_OPT_INT,    /* int, or int64_t where size is 8 */
	IOJOB_OPT_SIZE,   /* uint64_t, bytes */
	IOJOB_OPT_TIME,   /* uint64_t, nanoseconds */
	IOJOB_OPT_STRING, /* const char *, owned by the core; NULL: absent and without default */
	IOJOB_OPT_CHOICE, /* int: the value of the iojob_choice that was named */
};

/* Flags of a row. An engine's rows use IOJOB_OPT_REQUIRED; the others serve the core's own keys. */
#define IOJOB_OPT_REQUIRED (1u << 0) /* absent is an error */
#define IOJOB_OPT_TUPLE (1u << 1)    /* three members: read, write, trim ("4k,8k") */
#define IOJOB_OPT_RANGE (1u << 2)    /* each member is a pair: min, max ("4k-16k") */
#define IOJOB_OPT_PERCENT (1u << 3)  /* SIZE: member is struct opt_size, which also takes "50%" */
#define IOJOB_OPT_APPEND (1u << 4)   /* STRING: given again, it is added after a ':' */

struct iojob_choice {
	const char *name; /* NULL ends the list */
	int value;        /* several names may share one value */
	const char *help; /* one line, or NULL for a mere alias */
};

/* One row of an option table: it drives parsing, checks, --help, the manual and the JSON echo. */
struct iojob_option {
	const char *name;  /* the key; NULL ends the table */
	const char *alias; /* a second name, or NULL */
	enum iojob_opt_type type;
	uint32_t flags;
	uint32_t offset; /* of the member in the engine's conf struct, bytes */
	uint32_t size;   /* of the member, bytes */
	const char *def; /* default, written as a user would; NULL: zero, or no string */
	int64_t min;     /* smallest and largest value, inclusive; both 0: any of the type */
	int64_t max;
	uint64_t unit_ns; /* TIME: what a number without a unit counts, ns; 0: seconds */
	const struct iojob_choice *choices;
	const char *help; /* one line, no full stop */
	const char *doc;  /* paragraphs for the manual, separated by "\n\n" */
};

/* Fills offset and size of a row. */
#define IOJOB_MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* ---- what an engine works on --------------------------------------------------------------- */

/* A file of one worker. The core owns it and everything in it except priv. */
struct iojob_file {
	const char *path;
	int fd;              /* O_RDONLY, or O_RDWR where the job writes; -1 with NO_FD */
	uint32_t index;      /* position in iojob_worker.files */
	uint64_t size_bytes; /* length of the file or device that the job may touch: [0, size) */
	void *priv;          /* the engine's own */
};

/*
 * One I/O. The core fills everything down to `scratch` before execute or submit, the engine sets
 * `res`. The struct stays at the same address for the whole life of the worker, and `buf` stays
 * inside iojob_worker.buf_base, so both may be registered or remembered by `slot`.
 */
struct iojob_io {
	uint64_t offset; /* bytes from the start of the file */
	uint32_t len;    /* bytes; 0 for fsync */
	uint16_t slot;   /* 0 .. iojob_worker.depth - 1, unique in the worker, constant */
	uint8_t op;      /* enum iojob_op */
	uint8_t pad;
	void *buf;
	struct iojob_file *file;
	void *scratch; /* iojob_engine.io_scratch bytes, 64-byte aligned, zero at first; or NULL */
	int64_t res;   /* out: bytes moved (may be short), 0 for a sync, or -errno */
};

/* One worker, as its engine sees it. The core owns it and everything in it except priv. */
struct iojob_worker {
	const void *conf; /* the engine's parsed options, read-only */
	void *priv;       /* the engine's own */
	uint32_t depth;   /* I/Os that may be in flight at once */
	uint32_t nfiles;
	struct iojob_file *const *files;
	struct iojob_io *const *ios; /* all `depth` of them, by slot */
	void *buf_base;              /* one area that holds every I/O's buffer */
	uint64_t buf_bytes;
	uint32_t ops;              /* IOJOB_OP_BIT()s that this job will issue */
	uint32_t job_flags;        /* IOJOB_JOB_*: how the job treats its files */
	char *error;               /* text of a failed set-up hook; write it with iojob_error() */
	uint32_t error_size;
};

#define IOJOB_JOB_DIRECT (1u << 0) /* descriptors were opened with O_DIRECT */
#define IOJOB_JOB_RANDOM (1u << 1) /* offsets are random */
#define IOJOB_JOB_SYNC (1u << 2)   /* every write is to reach stable storage (O_SYNC) */
#define IOJOB_JOB_DSYNC (1u << 3)  /* as above, data only (O_DSYNC) */

/* What the check hook may judge, before anything is touched. */
struct iojob_setup {
	const void *conf;
	uint32_t depth;      /* of each worker */
	uint32_t workers;    /* that run at the same time, counted in workers of this depth */
	uint64_t buf_bytes;  /* of each worker */
	uint32_t ops;        /* as in struct iojob_worker */
	uint32_t job_flags;  /* as in struct iojob_worker */
	uint32_t nfiles;     /* of each worker */
	char *error;
	uint32_t error_size;
};

/* What file_info answers. The core fills it with zeros before the call. */
struct iojob_file_info {
	bool exists;
	uint64_t size_bytes;  /* 0 where it does not exist */
	uint32_t block_bytes; /* smallest unit of an I/O; 0: 1 */
	uint32_t mem_align;   /* of a buffer, bytes; 0: 1 */
	uint32_t offset_align;/* of offset and length, bytes; 0: 1 */
};

/* ---- the engine ---------------------------------------------------------------------------- */

/* iojob_engine.flags */
#define IOJOB_ENGINE_NO_FD (1u << 0)      /* files are names that only the engine understands */
#define IOJOB_ENGINE_ONE_WORKER (1u << 1) /* more than one worker at a time is refused */
#define IOJOB_ENGINE_SIGBUS (1u << 2)     /* execute may raise SIGBUS, and may be left by it */
#define IOJOB_ENGINE_DIRECT (1u << 3)     /* descriptors are always opened with O_DIRECT */
#define IOJOB_ENGINE_SIZED (1u << 4)      /* files must have their whole size before file_open */

struct iojob_engine {
	/* Head: filled by IOJOB_ENGINE_HEAD, read before anything else. */
	uint32_t abi;         /* IOJOB_ENGINE_ABI of the header it was built against */
	uint32_t struct_size; /* sizeof(struct iojob_engine) there */
	uint32_t opt_size;    /* sizeof(struct iojob_option) there: the stride of `options` */
	uint32_t conf_size;   /* bytes of the struct that the options fill; 0 without options */

	const char *name;    /* as in ioengine=NAME and NAME.so */
	const char *summary; /* one line, no full stop */
	const char *doc;     /* paragraphs for its manual page, separated by "\n\n" */
	const char *version; /* of the library it drives, or NULL */

	const struct iojob_option *options; /* ends with a row without a name; or NULL */
	uint32_t ops;                       /* IOJOB_OP_BIT()s that it can do */
	uint32_t flags;                     /* IOJOB_ENGINE_* */
	uint32_t max_depth;                 /* largest iodepth; 0: any (execute alone: always 1) */
	uint32_t buf_align;                 /* of buffers, beyond the files' own; 0: none */
	uint32_t io_scratch;                /* bytes of scratch memory for each I/O */

	/*
	 * [main] Can a job run like this on this machine? -errno with a text says no. Touches no
	 * file of the job.
	 */
	int (*check)(const struct iojob_setup *setup);

	/* [main] Looks at a file that need not exist, without changing it. Needed with NO_FD. */
	int (*file_info)(const struct iojob_setup *setup, const char *path,
			struct iojob_file_info *info);

	/* [main] Removes a file (unlink=1). Needed with NO_FD; -ENOENT is fine. */
	int (*file_remove)(const struct iojob_setup *setup, const char *path);

	/*
	 * [worker] In this order: open, file_open for each file, ready, I/O, file_close for each
	 * file, close. file_open and file_close may also come between I/Os. `ready` is the place to
	 * register buffers and files. Where a hook fails, what was opened before is closed again.
	 * Except with NO_FD the core has opened file->fd before file_open, and closes it after
	 * file_close.
	 */
	int (*open)(struct iojob_worker *w);
	int (*file_open)(struct iojob_worker *w, struct iojob_file *file);
	int (*ready)(struct iojob_worker *w);
	int (*file_close)(struct iojob_worker *w, struct iojob_file *file);
	void (*close)(struct iojob_worker *w);

	/*
	 * [worker] Does one I/O and returns when it is done. A synchronous engine has only this; an
	 * engine that also has submit is driven through execute where iodepth is 1.
	 *
	 * With IOJOB_ENGINE_SIGBUS it may touch memory that vanishes (the file under a mapping was
	 * cut short, its device failed): the signal leaves execute for good, and the core ends that
	 * I/O with -EIO. It costs nothing, but execute must hold nothing that it would have to give
	 * back: no lock, no memory.
	 */
	void (*execute)(struct iojob_worker *w, struct iojob_io *io);

	/*
	 * [worker] Starts I/Os, in order, and returns how many of the n it took; 0 means that it is
	 * full until something is reaped. -errno: the worker cannot go on. An I/O that fails alone
	 * counts as taken, and its error comes out of reap.
	 */
	int (*submit)(struct iojob_worker *w, struct iojob_io *const *ios, unsigned n);

	/*
	 * [worker] Stores up to max completed I/Os and returns how many; waits until there are at
	 * least min, or timeout_ns have passed (-1: no limit). min 0: looks only. -errno: the
	 * worker cannot go on. -EINTR counts as 0.
	 */
	int (*reap)(struct iojob_worker *w, struct iojob_io **ios, unsigned min, unsigned max,
			int64_t timeout_ns);
};

#define IOJOB_ENGINE_HEAD(conf_type) \
	.abi = IOJOB_ENGINE_ABI, .struct_size = sizeof(struct iojob_engine), \
	.opt_size = sizeof(struct iojob_option), .conf_size = sizeof(conf_type)

/* For an engine without options. */
#define IOJOB_ENGINE_HEAD_PLAIN \
	.abi = IOJOB_ENGINE_ABI, .struct_size = sizeof(struct iojob_engine), \
	.opt_size = sizeof(struct iojob_option), .conf_size = 0

/* Put before the definition of iojob_engine: engines are built with hidden visibility. */
#define IOJOB_EXPORT __attribute__((visibility("default")))

/* The symbol that an engine exports. */
IOJOB_EXPORT extern const struct iojob_engine iojob_engine;

/* ---- helpers ------------------------------------------------------------------------------- */

/*
 * Writes the text of an error and returns -code, so that a hook can end with
 * `return iojob_error(w, EINVAL, "...")`. `where` is a struct iojob_worker or iojob_setup.
 */
#define iojob_error(where, code, ...) \
	iojob_error_text((where)->error, (where)->error_size, (code), __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static inline int iojob_error_text(
		char *text, uint32_t size, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, size, format, ap);
	va_end(ap);
	return -code;
}

#endif
