// SPDX-License-Identifier: MIT
/*
 * An engine as somebody built it long ago, against the header of that time. The test of the loader
 * compiles it several times, with macros that change it:
 *
 *	PROBE_SHORT     the last members of the structs were not invented yet
 *	PROBE_LONG      there are members that this program does not know
 *	PROBE_ENGINE=   .member = value, over what stands here
 *	PROBE_ROW=      the same for the first option
 */
#include "engine_abi1.h"

#ifndef PROBE_ENGINE
#define PROBE_ENGINE
#endif
#ifndef PROBE_ROW
#define PROBE_ROW
#endif

/* What must not be taken for a member: nothing may call or read it. */
#define POISON ((void *)8)

struct probe_conf {
	int64_t number;
	const char *text;
};

/* struct iojob_option, shorter or longer than in the header. */
struct probe_option {
	const char *name;
	const char *alias;
	enum iojob_opt_type type;
	uint32_t flags;
	uint32_t offset;
	uint32_t size;
	const char *def;
	int64_t min;
	int64_t max;
	uint64_t unit_ns;
	const struct iojob_choice *choices;
	const char *help;
#ifndef PROBE_SHORT
	const char *doc;
#endif
#ifdef PROBE_LONG
	void *future[3];
#endif
};

#ifdef PROBE_SHORT
#define DOC(text)
#else
#define DOC(text) .doc = (text),
#endif

#ifdef PROBE_LONG
#define FUTURE .future = { POISON, POISON, POISON },
#else
#define FUTURE
#endif

static const struct probe_option options[] = {
	{
		.name = "number",
		.type = IOJOB_OPT_INT,
		IOJOB_MEMBER(struct probe_conf, number),
		.def = "42",
		.min = 1,
		.max = 100,
		.help = "a number",
		DOC("A number.")
		FUTURE
		PROBE_ROW
	},
	{
		.name = "text",
		.type = IOJOB_OPT_STRING,
		IOJOB_MEMBER(struct probe_conf, text),
		.def = "abc",
		.help = "a text",
		DOC("A text.")
		FUTURE
	},
	{ .name = NULL },
};

static int probe_check(const struct iojob_setup *setup)
{
	return iojob_error(setup, 7, "depth %u workers %u buf %llu ops %u flags %u files %u",
			setup->depth, setup->workers, (unsigned long long)setup->buf_bytes,
			setup->ops, setup->job_flags, setup->nfiles);
}

static int probe_file_info(const struct iojob_setup *setup, const char *path,
		struct iojob_file_info *info)
{
	(void)setup;
	(void)path;
	info->exists = true;
	info->size_bytes = 11;
	info->block_bytes = 12;
	info->mem_align = 13;
	info->offset_align = 14;
	return 0;
}

static int probe_file_remove(const struct iojob_setup *setup, const char *path)
{
	(void)setup;
	(void)path;
	return 0;
}

/* Finds everything where it was: each member counts with a weight of its own. */
static void probe_execute(struct iojob_worker *w, struct iojob_io *io)
{
	const struct probe_conf *conf = w->conf;

	io->res = conf->number + 2 * (conf->text[0] == 'a') + 3 * (int64_t)w->depth +
			5 * (int64_t)w->nfiles + 7 * (w->files[0] == io->file) +
			11 * (w->ios[io->slot] == io) + 13 * ((char *)w->buf_base == io->buf) +
			17 * (int64_t)w->buf_bytes + 19 * (int64_t)w->ops +
			23 * (int64_t)w->job_flags + 29 * w->error[0] +
			31 * (int64_t)w->error_size + 37 * (int64_t)io->offset +
			41 * (int64_t)io->len + 43 * io->slot + 47 * io->op +
			53 * (io->scratch == w->priv) + 59 * io->file->path[0] + 61 * io->file->fd +
			67 * (int64_t)io->file->index + 71 * (int64_t)io->file->size_bytes;
}

#ifdef PROBE_SHORT
#define STRUCT_SIZE offsetof(struct iojob_engine, submit)
#elif defined(PROBE_LONG)
#define STRUCT_SIZE sizeof(struct probe_engine)
#else
#define STRUCT_SIZE sizeof(struct iojob_engine)
#endif

struct probe_engine {
	struct iojob_engine today;
	void *future[4];
};

/* The symbol iojob_engine, but larger than the header declares it. */
IOJOB_EXPORT extern const struct probe_engine probe_engine __asm__("iojob_engine");

const struct probe_engine probe_engine = {
	.today = {
		.abi = IOJOB_ENGINE_ABI,
		.struct_size = STRUCT_SIZE,
		.opt_size = sizeof(struct probe_option),
		.conf_size = sizeof(struct probe_conf),
		.name = "probe",
		.summary = "an engine of another time",
		.doc = "For the test of the loader.",
		.options = (const struct iojob_option *)options,
		.ops = IOJOB_OP_BIT(IOJOB_READ),
		.flags = IOJOB_ENGINE_NO_FD,
		.io_scratch = 24,
		.check = probe_check,
		.file_info = probe_file_info,
		.file_remove = probe_file_remove,
		.execute = probe_execute,
#ifdef PROBE_SHORT
		.submit = POISON,
		.reap = POISON,
#endif
		PROBE_ENGINE
	},
	.future = { POISON, POISON, POISON, POISON },
};
