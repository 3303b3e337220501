// SPDX-License-Identifier: MIT
#include "wrap.h"

#include <stdarg.h>
#include <string.h>

/* The first byte of a character; the others of UTF-8 take no column. */
static bool takes_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes; i++)
		width += takes_column(text[i]);
	return width;
}

size_t wrap_width(const char *text)
{
	return width_of(text, strlen(text));
}

size_t wrap_fit(const char *text, size_t width)
{
	size_t i, blank = 0, columns = 0;

	for (i = 0; text[i]; i++) {
		if (takes_column(text[i]) && columns++ == width)
			return text[i] == ' ' || !blank ? i : blank;
		if (text[i] == ' ')
			blank = i;
	}
	return i;
}

const char *wrap_line(const char *text, size_t width, size_t line, size_t *bytes)
{
	for (;; line--) {
		text += strspn(text, " ");
		if (!*text)
			return NULL;
		*bytes = wrap_fit(text, width);
		if (!line)
			return text;
		text += *bytes;
	}
}

size_t wrap_lines(const char *text, size_t width)
{
	size_t lines = 0, bytes;

	while (wrap_line(text, width, lines, &bytes))
		lines++;
	return lines;
}

void wrap_print(FILE *to, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		fputc(c < ' ' || c == 0x7f ? '?' : c, to);
	}
}

static void put(struct wrap *wrap, const char *text, size_t bytes)
{
	wrap_print(wrap->to, text, bytes);
	wrap->column += width_of(text, bytes);
	wrap->fresh = false;
}

/* Parts the next piece, `width` wide, from the one before, on this line or at the next. */
static void part(struct wrap *wrap, const char *before, size_t width)
{
	size_t mark = strcspn(before, " ");
	size_t blanks = strlen(before) - mark;

	if (wrap->fresh)
		return;
	put(wrap, before, mark);
	/* One column is kept for the comma that may follow. */
	if (wrap->column + blanks + width < WRAP_COLUMNS) {
		put(wrap, before + mark, blanks);
		return;
	}
	fprintf(wrap->to, "\n%*s", (int)wrap->indent, "");
	wrap->column = wrap->indent;
	wrap->fresh = true;
}

void wrap_begin(struct wrap *wrap, FILE *to, size_t first, size_t indent, const char *label)
{
	*wrap = (struct wrap){ .to = to, .indent = indent, .column = first, .fresh = true };
	fprintf(to, "%*s", (int)first, "");
	if (!label[0])
		return;
	put(wrap, label, strlen(label));
	if (wrap->column < indent) {
		fprintf(to, "%*s", (int)(indent - wrap->column), "");
		wrap->column = indent;
		wrap->fresh = true;
	}
}

void wrap_add(struct wrap *wrap, const char *before, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (wrap->indent + wrap_width(text) < WRAP_COLUMNS) {
		part(wrap, before, wrap_width(text));
		put(wrap, text, strlen(text));
	} else {
		wrap_words(wrap, before, text);
	}
}

void wrap_words(struct wrap *wrap, const char *before, const char *text)
{
	text += strspn(text, " ");
	while (*text) {
		size_t bytes = strcspn(text, " ");

		part(wrap, before, width_of(text, bytes));
		put(wrap, text, bytes);
		before = " ";
		text += bytes;
		text += strspn(text, " ");
	}
}

void wrap_end(struct wrap *wrap)
{
	fputc('\n', wrap->to);
}
