// SPDX-License-Identifier: MIT
/* Tables for people: columns of 80 characters at most; more columns than fit go into blocks. */
#include <errno.h>
#include <stdlib.h>

#include "table.h"
#include "wrap.h"

static void print_title(FILE *to, const char *title)
{
	struct wrap wrap;

	wrap_begin(&wrap, to, 0, 2, "");
	wrap_words(&wrap, "", title);
	wrap_end(&wrap);
}

static int text_matrix(FILE *to, const struct table *table, bool again)
{
	char *title = table_title(table);
	struct grid grid;
	int err = table_grid(table, &grid);

	if (!title)
		err = -ENOMEM;
	if (!err) {
		if (again)
			fputc('\n', to);
		print_title(to, title);
		err = grid_text(to, &grid);
	}
	grid_free(&grid);
	free(title);
	return err;
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
