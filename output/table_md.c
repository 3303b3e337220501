// SPDX-License-Identifier: MIT
/* Tables as Markdown, for reports, bug trackers and mail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"
#include "table.h"

void md_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (strchr("|\\`*_<[", c))
			fputc('\\', to);
		fputc(c < ' ' || c == 0x7f ? '?' : c, to);
	}
}

static void print_header(FILE *to, const struct table *table)
{
	fputc('|', to);
	for (size_t i = 0; i < table_labels(table); i++) {
		fputc(' ', to);
		md_text(to, table_label_name(table, i));
		fputs(" |", to);
	}
	for (size_t c = 0; c < table->ncolumns; c++) {
		fputc(' ', to);
		md_text(to, table->columns[c]);
		fputs(" |", to);
	}
	fputs("\n|", to);
	for (size_t i = 0; i < table_labels(table); i++)
		fputs("---|", to);
	for (size_t c = 0; c < table->ncolumns; c++)
		fputs("---:|", to);
	fputc('\n', to);
}

static int md_matrix(FILE *to, const struct table *table, bool again)
{
	char *title = table_title(table);

	if (!title)
		return -ENOMEM;
	if (again)
		fputc('\n', to);
	fputs("**", to);
	md_text(to, title);
	fputs("**\n\n", to);
	free(title);
	print_header(to, table);
	for (size_t r = 0; r < table->nrows; r++) {
		fputc('|', to);
		for (size_t i = 0; i < table_labels(table); i++) {
			fputc(' ', to);
			md_text(to, table_label(table, r, i));
			fputs(" |", to);
		}
		for (size_t c = 0; c < table->ncolumns; c++) {
			char buf[40];

			fputc(' ', to);
			md_text(to, table_cell_text(table_cell(table, r, c), table->metric, buf,
					sizeof(buf)));
			fputs(" |", to);
		}
		fputc('\n', to);
	}
	return 0;
}

/* A paragraph of its own, so that it is no row of the table. */
static void md_note(FILE *to, char mark, const char *text)
{
	fprintf(to, "\n`%c` ", mark);
	md_text(to, text);
	fputc('\n', to);
}

int output_table_md(FILE *to, const struct result *result, const struct output_options *options)
{
	static const struct table_layout layout = {
		.matrix = md_matrix,
		.note = md_note,
		.none = "No table: no job has a `vary`.\n",
	};

	return table_write(to, result, options, &layout);
}
