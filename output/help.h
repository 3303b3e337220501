/* SPDX-License-Identifier: MIT */
/*
 * What the program tells about itself, in 80 columns: its engines, its keys, and the layout that
 * --help uses too. Everything comes from the option tables.
 */
#ifndef HELP_H
#define HELP_H

#include <stdio.h>

#include "../core/engine/load.h"
#include "../core/err.h"

/* ---- layout -------------------------------------------------------------------------------- */

/*
 * Paragraphs (separated by "\n\n") behind `indent` blanks, wrapped; a paragraph that begins with a
 * tab is an example, and its lines stay as they are. Ends with a newline.
 */
void help_text(FILE *to, unsigned indent, const char *text);

/* Two columns: a name, and one or more wrapped lines about it. */
void help_row(FILE *to, const char *name, const char *text);

/* One paragraph of a text and the start of the next (NULL: the last), for help and manual alike. */
const char *help_paragraph(const char *text, size_t *length);

/* ---- facts of a row ------------------------------------------------------------------------ */

/* How its value is written: "SIZE[,SIZE[,SIZE]]", "TEXT". Returns buf. */
char *help_value(const struct iojob_option *row, char *buf, size_t size);

/* One thing to know beside the doc: of a row its "default", "range" ... */
struct help_fact {
	const char *label;
	char text[200];
};
enum { HELP_FACTS = 5 };
size_t help_facts(const struct iojob_option *row, struct help_fact facts[HELP_FACTS]);

/* The same of an engine: "manner", "does" ... */
size_t help_engine_facts(const struct engine *engine, struct help_fact facts[HELP_FACTS]);

/* The other names of a choice's value, ", " between them; "" for none. Returns buf. */
char *help_aliases(const struct iojob_option *row, const struct iojob_choice *choice, char *buf,
		size_t size);

/* The words of a job file that are no rows of the job table (vary, include), in the same form. */
struct opt_table help_words(void);

/* ---- commands ------------------------------------------------------------------------------ */

/*
 * `iojob engines` (name NULL) and `iojob engines NAME`. Errors are those of engine_load() and
 * engine_load_all().
 */
int help_engines(FILE *to, struct engines *engines, const char *name, struct err *err);

/* `iojob options` and `iojob options NAME`, a key of the job table or of an engine. */
int help_options(FILE *to, struct engines *engines, const char *name, struct err *err);

/* `iojob doubts` (id NULL) and `iojob doubts ID`; -EINVAL for an id that there is not. */
int help_doubts(FILE *to, const char *id, struct err *err);

#endif
