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

static int md_matrix(FILE *to, const struct table *table, bool again)
{
	char *title = table_title(table);
	struct grid grid;
	int err = table_grid(table, &grid);

	if (!title)
		err = -ENOMEM;
	if (!err) {
		fputs(again ? "\n**" : "**", to);
		md_text(to, title);
		fputs("**\n\n", to);
		grid_md(to, &grid);
	}
	grid_free(&grid);
	free(title);
	return err;
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
