// SPDX-License-Identifier: MIT
/*
 * Tables as CSV: a header and the rows of each matrix, an empty line between two matrices. Every
 * row says by itself which figure, section, points and perhaps job file it is about.
 */
#include "csv.h"
#include "table.h"

static void field(FILE *to, const char *text)
{
	fputc(',', to);
	csv_field(to, text);
}

static void print_header(FILE *to, const struct table *table)
{
	fputs("metric,unit,section", to);
	for (size_t i = 0; i + 1 < table->like->naxes; i++)
		field(to, table->like->axes[i].name);
	if (table->files)
		field(to, "file");
	for (size_t c = 0; c < table->ncolumns; c++)
		field(to, table->columns[c]);
	fputc('\n', to);
}

static int csv_matrix(FILE *to, const struct table *table, bool again)
{
	if (!again)
		print_header(to, table);
	for (size_t r = 0; r < table->nrows; r++) {
		const struct result_job *job = table->rows[r];

		csv_field(to, table->metric->name);
		field(to, table_unit(table->metric));
		field(to, job->section);
		for (size_t i = 0; i + 1 < job->naxes; i++)
			field(to, job->axes[i].label);
		if (table->files)
			field(to, job->file);
		for (size_t c = 0; c < table->ncolumns; c++) {
			char buf[400]; /* DBL_MAX has 309 digits */

			field(to, table_cell_plain(table_cell(table, r, c), table->metric, buf,
					sizeof(buf)));
		}
		fputc('\n', to);
	}
	return 0;
}

int output_table_csv(FILE *to, const struct result *result, const struct output_options *options)
{
	static const struct table_layout layout = {
		.matrix = csv_matrix,
		.none = "metric,unit,section\n",
	};

	return table_write(to, result, options, &layout);
}
