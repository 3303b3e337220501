// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"
#include "wrap.h"

enum {
	LABEL_MAX = 30, /* where it is the only one of its row; a longer one has its own line */
	WORD_MAX = 20,  /* a longer word of a header is cut */
	GAP = 2,
	INDENT = 2,
};

static void row_free(const struct grid *grid, struct grid_row *row)
{
	for (size_t c = 0; row->cells && c < grid->ncolumns; c++)
		free(row->cells[c]);
	free(row->cells);
	for (size_t i = 0; i < grid->nlabels; i++)
		free(row->labels[i]);
}

struct grid_row *grid_add(struct grid *grid, const char *const *labels)
{
	struct grid_row *rows = realloc(grid->rows, (grid->nrows + 1) * sizeof(*rows));
	struct grid_row *row;
	bool bad;

	if (!rows)
		return NULL;
	grid->rows = rows;
	row = &rows[grid->nrows];
	*row = (struct grid_row){ .cells = calloc(grid->ncolumns, sizeof(*row->cells)) };
	bad = !row->cells;
	for (size_t i = 0; i < grid->nlabels; i++) {
		row->labels[i] = strdup(labels[i]);
		bad |= !row->labels[i];
	}
	if (bad) {
		row_free(grid, row);
		return NULL;
	}
	grid->nrows++;
	return row;
}

int grid_set(struct grid *grid, size_t column, const char *text)
{
	char **cell = &grid->rows[grid->nrows - 1].cells[column];

	free(*cell);
	*cell = strdup(text);
	return *cell ? 0 : -ENOMEM;
}

void grid_free(struct grid *grid)
{
	for (size_t r = 0; r < grid->nrows; r++)
		row_free(grid, &grid->rows[r]);
	free(grid->rows);
	*grid = (struct grid){ .columns = NULL };
}

/* ---- text ---------------------------------------------------------------------------------- */

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* A column is as wide as its widest cell and the longest word above it. */
static size_t column_width(const struct grid *grid, size_t column)
{
	const char *label = grid->columns[column];
	size_t width = 1;

	while (*label) {
		size_t bytes = strcspn(label, " ");
		char word[WORD_MAX * 4 + 1];

		snprintf(word, sizeof(word), "%.*s", (int)bytes, label);
		width = max_size(width, wrap_width(word));
		label += bytes + strspn(label + bytes, " ");
	}
	if (width > WORD_MAX)
		width = WORD_MAX;
	for (size_t r = 0; r < grid->nrows; r++) {
		if (grid->rows[r].cells[column])
			width = max_size(width, wrap_width(grid->rows[r].cells[column]));
	}
	return width;
}

/* Where there are headings the first row is one, and the labels of others are indented. */
static size_t indent_of(const struct grid *grid, const struct grid_row *row)
{
	return grid->rows[0].heading && !row->heading ? INDENT : 0;
}

/* How wide everything is. */
struct widths {
	size_t labels[GRID_LABELS];
	size_t left; /* all of them */
	size_t *columns;
};

/* Labels and the widest of columns fit into a line. */
static size_t label_max(size_t labels)
{
	size_t width = (WRAP_COLUMNS - WORD_MAX - GAP - (labels - 1) * GAP) / labels;

	return width < LABEL_MAX ? width : LABEL_MAX;
}

static int widths_init(struct widths *w, const struct grid *grid)
{
	const size_t most = label_max(grid->nlabels);

	*w = (struct widths){ .columns = calloc(grid->ncolumns + 1, sizeof(*w->columns)) };
	if (!w->columns)
		return -ENOMEM;
	for (size_t c = 0; c < grid->ncolumns; c++)
		w->columns[c] = column_width(grid, c);
	for (size_t i = 0; i < grid->nlabels; i++) {
		size_t width = wrap_width(grid->names[i]);

		for (size_t r = 0; r < grid->nrows; r++) {
			const struct grid_row *row = &grid->rows[r];

			if (!row->heading)
				width = max_size(width, wrap_width(row->labels[i])
						+ (i ? 0 : indent_of(grid, row)));
		}
		w->labels[i] = width < most ? width : most;
		w->left += (i ? GAP : 0) + w->labels[i];
	}
	return 0;
}

/* Ends a text at `end` of a line that is at *column; blanks at its end are left to the next one. */
static void print_right(FILE *to, size_t *column, size_t end, const char *text, size_t bytes)
{
	char copy[256];
	size_t width;

	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	width = wrap_width(copy);
	bytes = strlen(copy);
	while (bytes && copy[bytes - 1] == ' ')
		bytes--;
	if (!bytes)
		return;
	fprintf(to, "%*s", (int)(end - width - *column), "");
	wrap_print(to, copy, bytes);
	copy[bytes] = '\0';
	*column = end - width + wrap_width(copy);
}

/* A line of its own, or several. */
static void print_words(FILE *to, size_t indent, const char *text)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, indent, indent + INDENT, "");
	wrap_words(&wrap, "", text);
	wrap_end(&wrap);
}

/* At the start of a line, which then is at the column that is returned. */
static size_t print_labels(FILE *to, const struct grid *grid, const struct widths *w,
		const char *const *labels, size_t indent)
{
	size_t start = indent, column = 0;

	for (size_t i = 0; i < grid->nlabels; i++) {
		const char *text = labels[i];
		size_t room = w->labels[i] - (i ? 0 : indent);

		if (wrap_width(text) > room) {
			if (column)
				fputc('\n', to);
			print_words(to, indent, text);
			column = 0;
		} else if (*text) {
			fprintf(to, "%*s", (int)(start - column), "");
			wrap_print(to, text, strlen(text));
			column = start + wrap_width(text);
		}
		start += room + GAP;
	}
	return column;
}

static void print_header(FILE *to, const struct grid *grid, const struct widths *w, size_t first,
		size_t end)
{
	size_t height = 1;

	for (size_t c = first; c < end; c++)
		height = max_size(height, wrap_lines(grid->columns[c], w->columns[c]));
	for (size_t line = 0; line < height; line++) {
		size_t column = 0, right = w->left;

		if (line + 1 == height)
			column = print_labels(to, grid, w, grid->names, 0);
		for (size_t c = first; c < end; c++) {
			size_t width = w->columns[c], bytes = 0;
			size_t skip = height - wrap_lines(grid->columns[c], width);
			const char *text = line < skip ? NULL : wrap_line(grid->columns[c],
					width, line - skip, &bytes);

			right += GAP + width;
			if (text)
				print_right(to, &column, right - grid->marked, text, bytes);
		}
		fputc('\n', to);
	}
}

static void print_row(FILE *to, const struct grid *grid, const struct widths *w,
		const struct grid_row *row, size_t first, size_t end)
{
	size_t column, right = w->left;

	if (row->heading) {
		print_words(to, 0, row->labels[0]);
		return;
	}
	column = print_labels(to, grid, w, (const char *const *)row->labels,
			indent_of(grid, row));
	for (size_t c = first; c < end; c++) {
		const char *text = row->cells[c];

		right += GAP + w->columns[c];
		if (text)
			print_right(to, &column, right, text, strlen(text));
	}
	fputc('\n', to);
}

int grid_text(FILE *to, const struct grid *grid)
{
	struct widths w;
	size_t end;

	if (widths_init(&w, grid))
		return -ENOMEM;
	for (size_t first = 0; first < grid->ncolumns; first = end) {
		size_t width = w.left;

		for (end = first; end < grid->ncolumns; end++) {
			width += GAP + w.columns[end];
			if (width > WRAP_COLUMNS && end > first)
				break;
		}
		if (first)
			fputc('\n', to);
		print_header(to, grid, &w, first, end);
		for (size_t r = 0; r < grid->nrows; r++)
			print_row(to, grid, &w, &grid->rows[r], first, end);
	}
	free(w.columns);
	return 0;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

/* Behind the bar that parts it from the one before. NULL and "": nothing is in it. */
static void md_text_cell(FILE *to, const char *text)
{
	fputc(' ', to);
	if (text && *text) {
		md_text(to, text);
		fputc(' ', to);
	}
	fputc('|', to);
}

/* The same of a figure, without the blank that stands for its mark. */
static void md_figure_cell(FILE *to, const char *text)
{
	char copy[256];
	int n = text ? (int)strlen(text) : 0;

	while (n && text[n - 1] == ' ')
		n--;
	snprintf(copy, sizeof(copy), "%.*s", n, n ? text : "");
	md_text_cell(to, copy);
}

void grid_md(FILE *to, const struct grid *grid)
{
	fputc('|', to);
	for (size_t i = 0; i < grid->nlabels; i++)
		md_text_cell(to, grid->names[i]);
	for (size_t c = 0; c < grid->ncolumns; c++)
		md_text_cell(to, grid->columns[c]);
	fputs("\n|", to);
	for (size_t i = 0; i < grid->nlabels; i++)
		fputs("---|", to);
	for (size_t c = 0; c < grid->ncolumns; c++)
		fputs("---:|", to);
	fputc('\n', to);
	for (size_t r = 0; r < grid->nrows; r++) {
		const struct grid_row *row = &grid->rows[r];

		fputc('|', to);
		if (row->heading) {
			fputs(" **", to);
			md_text(to, row->labels[0]);
			fputs("** |", to);
		}
		for (size_t i = 0; i < grid->nlabels && !row->heading; i++)
			md_text_cell(to, row->labels[i]);
		for (size_t c = 0; c < grid->ncolumns; c++)
			md_figure_cell(to, row->cells[c]);
		fputc('\n', to);
	}
}
