// SPDX-License-Identifier: MIT
#include "buffer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct out {
	uint8_t *bytes;
	size_t n;
};

static int put(struct out *out, uint8_t byte, const char **why)
{
	if (out->n == BUFFER_PATTERN_MAX) {
		*why = "a pattern holds at most 512 bytes";
		return -EINVAL;
	}
	out->bytes[out->n++] = byte;
	return 0;
}

/* "text": up to the closing quote. Returns what follows it, or NULL. */
static const char *parse_text(const char *p, struct out *out, const char **why)
{
	for (p++; *p && *p != '"'; p++) {
		if (put(out, (uint8_t)*p, why))
			return NULL;
	}
	if (*p)
		return p + 1;
	*why = "the closing \" is missing";
	return NULL;
}

static uint8_t hex_digit(char c)
{
	return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* 0xabc: bytes as written, a single first digit stands alone. */
static const char *parse_hex(const char *p, struct out *out, const char **why)
{
	size_t digits;

	p += 2;
	digits = strspn(p, "0123456789abcdefABCDEF");
	if (!digits) {
		*why = "0x needs hexadecimal digits behind it";
		return NULL;
	}
	if (digits % 2) {
		if (put(out, hex_digit(*p++), why))
			return NULL;
		digits--;
	}
	for (; digits; digits -= 2, p += 2) {
		if (put(out, (uint8_t)(hex_digit(p[0]) << 4 | hex_digit(p[1])), why))
			return NULL;
	}
	return p;
}

static const char *parse_number(const char *p, struct out *out, const char **why)
{
	char *end;
	long long value = strtoll(p, &end, 10);

	if (value < INT32_MIN || value > UINT32_MAX) {
		*why = "a decimal number has 32 bits; write longer patterns as 0x...";
		return NULL;
	}
	for (uint32_t rest = (uint32_t)value, first = 1; first || rest; rest >>= 8, first = 0) {
		if (put(out, (uint8_t)rest, why))
			return NULL;
	}
	return end;
}

int buffer_parse(const char *text, uint8_t bytes[BUFFER_PATTERN_MAX], const char **why)
{
	struct out out = { .bytes = bytes };
	const char *p = text;

	*why = "write \"text\", 0x and hexadecimal digits, or a decimal number";
	if (!*p)
		return -EINVAL;
	while (p && *p) {
		if (*p == '"')
			p = parse_text(p, &out, why);
		else if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			p = parse_hex(p, &out, why);
		else if (isdigit((unsigned char)*p) || (*p == '-' && isdigit((unsigned char)p[1])))
			p = parse_number(p, &out, why);
		else
			return -EINVAL;
	}
	if (!p)
		return -EINVAL;
	if (!out.n) {
		*why = "the pattern is empty";
		return -EINVAL;
	}
	return (int)out.n;
}

static void fill_random(struct buffer *buffer, void *area, size_t size)
{
	uint8_t *p = area;
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word), p += sizeof(word)) {
		word = rng_next(&buffer->rng);
		memcpy(p, &word, sizeof(word));
	}
	word = rng_next(&buffer->rng);
	memcpy(p, &word, size);
}

void buffer_fill(struct buffer *buffer, void *area, size_t size)
{
	uint8_t *p = area;

	switch (buffer->kind) {
	case BUFFER_ZERO:
		memset(area, 0, size);
		break;
	case BUFFER_PATTERN:
		for (size_t i = 0; i < size; i++)
			p[i] = buffer->pattern[i % buffer->pattern_bytes];
		break;
	case BUFFER_KEEP:
	case BUFFER_SCRAMBLE:
	case BUFFER_REFILL:
		fill_random(buffer, area, size);
		break;
	}
}

void buffer_next(struct buffer *buffer, void *buf, size_t size)
{
	uint8_t *p = buf;
	uint64_t word;

	if (buffer->kind != BUFFER_SCRAMBLE) {
		buffer_fill(buffer, buf, size);
		return;
	}
	/* What differs from write to write need not be random: a number that never comes again. */
	word = buffer->serial += 0x9e3779b97f4a7c15u;
	for (; size >= 512; size -= 512, p += 512, word += 0xd1342543de82ef95u)
		memcpy(p, &word, sizeof(word));
	memcpy(p, &word, size < sizeof(word) ? size : sizeof(word));
}
