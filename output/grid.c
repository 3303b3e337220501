// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"
#include "wrap.h"

enum {
	LABEL_MAX = 30, /* a row with a longer label has a line of its own for it */
	WORD_MAX = 20,  /* a longer word of a header is cut */
	GAP = 2,
	INDENT = 2,
};

struct grid_row *grid_add(struct grid *grid, const char *label)
{
	struct grid_row *rows = realloc(grid->rows, (grid->nrows + 1) * sizeof(*rows));
	struct grid_row *row;

	if (!rows)
		return NULL;
	grid->rows = rows;
	row = &rows[grid->nrows];
	*row = (struct grid_row){
		.label = strdup(label), .cells = calloc(grid->ncolumns, sizeof(*row->cells)),
	};
	if (!row->label || !row->cells) {
		free(row->label);
		free(row->cells);
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
	for (size_t r = 0; r < grid->nrows; r++) {
		for (size_t c = 0; c < grid->ncolumns; c++)
			free(grid->rows[r].cells[c]);
		free(grid->rows[r].cells);
		free(grid->rows[r].label);
	}
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

/* Does anything stand above this row that its label is indented under? */
static size_t indent_of(const struct grid *grid, size_t row)
{
	bool under = false;

	for (size_t r = 0; r < row; r++)
		under |= grid->rows[r].heading;
	return under && !grid->rows[row].heading ? INDENT : 0;
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

static void print_header(FILE *to, const struct grid *grid, const size_t *widths, size_t first,
		size_t end, size_t left)
{
	size_t height = 1;

	for (size_t c = first; c < end; c++)
		height = max_size(height, wrap_lines(grid->columns[c], widths[c]));
	for (size_t line = 0; line < height; line++) {
		size_t column = 0, right = left;

		for (size_t c = first; c < end; c++) {
			size_t skip = height - wrap_lines(grid->columns[c], widths[c]), bytes = 0;
			const char *text = line < skip ? NULL : wrap_line(grid->columns[c],
					widths[c], line - skip, &bytes);

			right += GAP + widths[c];
			if (text)
				print_right(to, &column, right - grid->marked, text, bytes);
		}
		fputc('\n', to);
	}
}

static void print_row(FILE *to, const struct grid *grid, const size_t *widths, size_t row,
		size_t first, size_t end, size_t left)
{
	const char *label = grid->rows[row].label;
	size_t column = indent_of(grid, row), right = left;

	fprintf(to, "%*s", (int)column, "");
	wrap_print(to, label, strlen(label));
	column += wrap_width(label);
	if (column > left && !grid->rows[row].heading) {
		fputc('\n', to);
		column = 0;
	}
	for (size_t c = first; c < end; c++) {
		const char *text = grid->rows[row].cells[c];

		right += GAP + widths[c];
		if (text)
			print_right(to, &column, right, text, strlen(text));
	}
	fputc('\n', to);
}

int grid_text(FILE *to, const struct grid *grid)
{
	size_t *widths = calloc(grid->ncolumns + 1, sizeof(*widths));
	size_t left = 0, end;

	if (!widths)
		return -ENOMEM;
	for (size_t c = 0; c < grid->ncolumns; c++)
		widths[c] = column_width(grid, c);
	for (size_t r = 0; r < grid->nrows; r++) {
		size_t width = indent_of(grid, r) + wrap_width(grid->rows[r].label);

		left = max_size(left, grid->rows[r].heading ? 0 : width);
	}
	left = left < LABEL_MAX ? left : LABEL_MAX;
	for (size_t first = 0; first < grid->ncolumns; first = end) {
		size_t width = left;

		for (end = first; end < grid->ncolumns; end++) {
			width += GAP + widths[end];
			if (width > WRAP_COLUMNS && end > first)
				break;
		}
		if (first)
			fputc('\n', to);
		print_header(to, grid, widths, first, end, left);
		for (size_t r = 0; r < grid->nrows; r++)
			print_row(to, grid, widths, r, first, end, left);
	}
	free(widths);
	return 0;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

void grid_md(FILE *to, const struct grid *grid)
{
	fputs("| |", to);
	for (size_t c = 0; c < grid->ncolumns; c++) {
		fputc(' ', to);
		md_text(to, grid->columns[c]);
		fputs(" |", to);
	}
	fputs("\n|---|", to);
	for (size_t c = 0; c < grid->ncolumns; c++)
		fputs("---:|", to);
	fputc('\n', to);
	for (size_t r = 0; r < grid->nrows; r++) {
		const struct grid_row *row = &grid->rows[r];

		fputs(row->heading ? "| **" : "| ", to);
		md_text(to, row->label);
		fputs(row->heading ? "** |" : " |", to);
		for (size_t c = 0; c < grid->ncolumns; c++) {
			size_t n = row->cells[c] ? strlen(row->cells[c]) : 0;
			char copy[256];

			while (n && row->cells[c][n - 1] == ' ')
				n--;
			snprintf(copy, sizeof(copy), "%.*s", (int)n, n ? row->cells[c] : "");
			fputc(' ', to);
			md_text(to, copy);
			fputs(n ? " |" : "|", to);
		}
		fputc('\n', to);
	}
}
