/* SPDX-License-Identifier: MIT */
/*
 * What writes carry. By default random bytes made once, with a few of every 512 changed for each
 * write, so that no two blocks are equal and nothing compresses; refill makes all of them new.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rng.h"

enum buffer_kind {
	BUFFER_KEEP,     /* random bytes made once, the same every time */
	BUFFER_SCRAMBLE, /* the same, a few changed for each write */
	BUFFER_REFILL,   /* new random bytes for each write */
	BUFFER_ZERO,
	BUFFER_PATTERN,
};

struct buffer {
	enum buffer_kind kind;
	bool read_into; /* reads of the job leave their data in the buffers of its writes */
	struct rng rng;
	uint64_t serial; /* SCRAMBLE: of the write */
	const uint8_t *pattern; /* not owned */
	size_t pattern_bytes;
};

enum { BUFFER_PATTERN_MAX = 512 };

/*
 * Parses fio's buffer_pattern: parts one after the other, each "text", 0x-hex or a decimal number
 * of 32 bits (little endian, without its high zero bytes). Returns the number of bytes, at most
 * BUFFER_PATTERN_MAX, or -EINVAL with *why set to a static text.
 */
int buffer_parse(const char *text, uint8_t bytes[BUFFER_PATTERN_MAX], const char **why);

/* Before the first I/O: fills a buffer, a pattern from its first byte on. */
void buffer_fill(struct buffer *buffer, void *area, size_t size);

/* Does each write need buffer_next()? */
static inline bool buffer_changes(const struct buffer *buffer)
{
	switch (buffer->kind) {
	case BUFFER_SCRAMBLE:
	case BUFFER_REFILL:
		return true;
	case BUFFER_ZERO:
	case BUFFER_PATTERN:
		return buffer->read_into;
	case BUFFER_KEEP:
		break;
	}
	return false;
}

/* The contents of one write. buf is aligned to 8. */
void buffer_next(struct buffer *buffer, void *buf, size_t size);

#endif
