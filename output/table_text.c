// SPDX-License-Identifier: MIT
/* Tables for people: columns of 80 characters at most; more columns than fit go into blocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "wrap.h"

enum {
	LABEL_MAX = 30, /* where it is the only one of its row; a longer one has its own line */
	WORD_MAX = 20,  /* a longer word of a header is cut */
	GAP = 2,
};

/* How wide everything is. */
struct layout {
	const struct table *table;
	size_t labels[TABLE_LABELS];
	size_t label_width; /* of all labels together */
	size_t *columns;
};

/* ---- widths -------------------------------------------------------------------------------- */

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* A column is as wide as its widest cell and the longest word above it. */
static size_t column_width(const struct table *table, size_t column)
{
	const char *label = table->columns[column];
	size_t width = 1;
	char buf[40];

	while (*label) {
		size_t bytes = strcspn(label, " ");
		char word[WORD_MAX * 4 + 1];

		snprintf(word, sizeof(word), "%.*s", (int)bytes, label);
		width = max_size(width, wrap_width(word));
		label += bytes + strspn(label + bytes, " ");
	}
	if (width > WORD_MAX)
		width = WORD_MAX;
	for (size_t r = 0; r < table->nrows; r++)
		width = max_size(width, strlen(table_cell_text(table_cell(table, r, column),
				table->metric, buf, sizeof(buf))));
	return width;
}

/* Labels and the widest of columns fit into a line. */
static size_t label_max(size_t labels)
{
	size_t width = (WRAP_COLUMNS - WORD_MAX - GAP - (labels - 1) * GAP) / labels;

	return width < LABEL_MAX ? width : LABEL_MAX;
}

static int layout_init(struct layout *layout, const struct table *table)
{
	const size_t most = label_max(table_labels(table));

	*layout = (struct layout){ .table = table };
	layout->columns = calloc(table->ncolumns, sizeof(*layout->columns));
	if (!layout->columns)
		return -ENOMEM;
	for (size_t c = 0; c < table->ncolumns; c++)
		layout->columns[c] = column_width(table, c);
	for (size_t i = 0; i < table_labels(table); i++) {
		size_t width = wrap_width(table_label_name(table, i));

		for (size_t r = 0; r < table->nrows; r++)
			width = max_size(width, wrap_width(table_label(table, r, i)));
		layout->labels[i] = width < most ? width : most;
		layout->label_width += (i ? GAP : 0) + layout->labels[i];
	}
	return 0;
}

/* ---- printing ------------------------------------------------------------------------------ */

/* A text that ends at `end`; *column is where the line is. No blanks without a text. */
static void print_right(FILE *to, size_t *column, size_t end, const char *text, size_t bytes)
{
	char copy[WORD_MAX * 4 + 1];
	size_t width;

	if (!bytes)
		return;
	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	width = wrap_width(copy);
	fprintf(to, "%*s", (int)(end - width - *column), "");
	wrap_print(to, copy, strlen(copy));
	*column = end;
}

static void print_words(FILE *to, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", text);
	wrap_end(&wrap);
}

/* Label i of a row, or of the header: SIZE_MAX. */
static const char *label(const struct table *table, size_t row, size_t i)
{
	return row == SIZE_MAX ? table_label_name(table, i) : table_label(table, row, i);
}

/* The labels at the start of a line; one that is too long has lines of its own. */
static size_t print_labels(const struct layout *layout, FILE *to, size_t row)
{
	size_t start = 0, column = 0;

	for (size_t i = 0; i < table_labels(layout->table); i++) {
		const char *text = label(layout->table, row, i);

		if (wrap_width(text) > layout->labels[i]) {
			if (column)
				fputc('\n', to);
			print_words(to, text);
			column = 0;
		} else if (*text) {
			fprintf(to, "%*s", (int)(start - column), "");
			wrap_print(to, text, strlen(text));
			column = start + wrap_width(text);
		}
		start += layout->labels[i] + GAP;
	}
	return column;
}

static void print_header(const struct layout *layout, FILE *to, size_t first, size_t end)
{
	const struct table *table = layout->table;
	size_t height = 1;

	for (size_t c = first; c < end; c++)
		height = max_size(height, wrap_lines(table->columns[c], layout->columns[c]));
	for (size_t line = 0; line < height; line++) {
		size_t column = line + 1 == height ? print_labels(layout, to, SIZE_MAX) : 0;
		size_t right = layout->label_width;

		for (size_t c = first; c < end; c++) {
			size_t width = layout->columns[c], bytes = 0;
			size_t skip = height - wrap_lines(table->columns[c], width);
			const char *text = line < skip ? NULL : wrap_line(table->columns[c],
					width, line - skip, &bytes);

			right += GAP + width;
			print_right(to, &column, right, text ? text : "", bytes);
		}
		fputc('\n', to);
	}
}

static void print_row(const struct layout *layout, FILE *to, size_t row, size_t first, size_t end)
{
	const struct table *table = layout->table;
	size_t column = print_labels(layout, to, row), right = layout->label_width;

	for (size_t c = first; c < end; c++) {
		char number[40];
		const char *text = table_cell_text(table_cell(table, row, c), table->metric,
				number, sizeof(number));

		right += GAP + layout->columns[c];
		print_right(to, &column, right, text, strlen(text));
	}
	fputc('\n', to);
}

/* As many columns at a time as a line holds. */
static void print_blocks(const struct layout *layout, FILE *to)
{
	const struct table *table = layout->table;
	size_t first = 0, end;

	while (first < table->ncolumns) {
		size_t width = layout->label_width;

		for (end = first; end < table->ncolumns; end++) {
			width += GAP + layout->columns[end];
			if (width > WRAP_COLUMNS && end > first)
				break;
		}
		if (first)
			fputc('\n', to);
		print_header(layout, to, first, end);
		for (size_t r = 0; r < table->nrows; r++)
			print_row(layout, to, r, first, end);
		first = end;
	}
}

static int text_matrix(FILE *to, const struct table *table, bool again)
{
	char *title = table_title(table);
	struct layout layout;
	int err = layout_init(&layout, table);

	if (!err && title) {
		if (again)
			fputc('\n', to);
		print_words(to, title);
		print_blocks(&layout, to);
	}
	free(layout.columns);
	free(title);
	return title ? err : -ENOMEM;
}

static void text_note(FILE *to, char mark, const char *text)
{
	struct wrap wrap;
	char label[] = { mark, '\0' };

	wrap_begin(&wrap, to, 2, 4, label);
	wrap_words(&wrap, " ", text);
	wrap_end(&wrap);
}

int output_table(FILE *to, const struct result *result, const struct output_options *options)
{
	static const struct table_layout layout = {
		.matrix = text_matrix,
		.note = text_note,
		.none = "No table: no job has a `vary`.\n",
	};

	return table_write(to, result, options, &layout);
}
