// SPDX-License-Identifier: MIT
#include "man.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../core/job/job.h"
#include "help.h"

/* Of the last change to these pages by hand; the tables change with the program. */
#define MAN_DATE "November 30, 2026"

enum { FILL = 72 }; /* where a line of text is broken */

struct topic {
	const char *title;
	const char *text; /* as in a row's doc */
};

static const struct topic syntax[] = {
	{
		"Sections",
		"A job file is a list of sections, each a name in brackets on a line of its own "
		"and the keys below it. Every section is a job; its name is free text, and names "
		"the job's files and results. It may hold anything, brackets in pairs. A section "
		"without keys is a job too, and two sections of one name are two jobs.\n\n"
		"\t[global]\n"
		"\tbs = 4k\n"
		"\tsize = 1g\n"
		"\t\n"
		"\t[reader]\n"
		"\trw = randread\n"
		"\truntime = 10\n"
		"\t\n"
		"\t[writer]\n"
		"\tstonewall\n"
		"\trw = write\n\n"
		"The keys of a `[global]` section are defaults for the sections after it; a "
		"job's own keys win. There may be several: a later one adds to the earlier and "
		"counts for the jobs below it alone.\n\n"
		"Jobs run at the same time, unless `stonewall` makes one wait until all before "
		"it are done.",
	},
	{
		"Lines",
		"A line holds `KEY = VALUE`, or a bare `KEY`, which switches a 0|1 key on. "
		"Blanks around both and in front of the line do not matter. Lines may have any "
		"length, and end in LF or CRLF. `-` and `_` in a key are the same. Where a key "
		"is given twice in a section, the last one counts, unless the key says that it "
		"adds.\n\n"
		"`#` and `;` begin a comment, on a line of their own or after a value. To have "
		"one of them in a value, write `\\#` or `\\;`.",
	},
	{
		"Variables",
		"`${NAME}` is replaced by the environment variable of that name; one that is not "
		"set is an error. `$ncpus`, `$pagesize` and `$mb_memory` are facts of this "
		"machine; whole numbers may be computed from them with `*`, `/`, `+` and "
		"`-`:\n\n"
		"\tnumjobs = $ncpus\n"
		"\tsize = 2*1048576*$mb_memory",
	},
	{
		"Units",
		"A size is a number with `k`, `m`, `g`, `t` or `p`, in either case: powers of "
		"1024, or of 1000 with `kb_base=1000`. `Ki`, `Mi`, `Gi` are powers of 1024 "
		"always. Fractions are allowed (`1.5g`), hexadecimal numbers too (`0x1000`). "
		"Where a key takes a percentage, `50%` is a share of the file or device.\n\n"
		"A time is a number with `ns`, `us`, `ms`, `s`, `m`, `h` or `d`; without a unit "
		"it counts what the key says, seconds as a rule.",
	},
	{
		"Tuples",
		"A key that takes a tuple has a value each for reads, writes and trims. One "
		"value alone counts for all; an empty one leaves that direction as it "
		"was:\n\n"
		"\tbs = 4k,64k\n"
		"\trate = ,10m",
	},
};

/* ---- escaping ------------------------------------------------------------------------------ */

/*
 * One word of running text. A control character at the start of a line and a backslash would be
 * orders to the formatter, `-` would come out as a hyphen that nobody can paste; `x` turns bold.
 */
static void put_text(FILE *to, const char *text, size_t length, bool line_start, bool *bold)
{
	if (line_start && length && (*text == '.' || *text == '\''))
		fputs("\\&", to);
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '\\':
			fputs("\\e", to);
			break;
		case '-':
			fputs("\\-", to);
			break;
		case '`':
			*bold = !*bold;
			fputs(*bold ? "\\fB" : "\\fR", to);
			break;
		default:
			fputc(text[i], to);
			break;
		}
	}
}

/* An argument of a macro: quoted, and never taken for a macro itself. */
static void put_arg(FILE *to, const char *text)
{
	fputs(" \"\\&", to);
	for (; *text; text++) {
		if (*text == '"')
			fputs("\\(dq", to);
		else if (*text == '\\')
			fputs("\\e", to);
		else if (*text == '-')
			fputs("\\-", to);
		else
			fputc(*text, to);
	}
	fputc('"', to);
}

/* ---- running text -------------------------------------------------------------------------- */

static bool ends_sentence(const char *word, size_t length)
{
	while (length && strchr(")`\"", word[length - 1]))
		length--;
	return length && strchr(".!?", word[length - 1]);
}

/* Fills lines, and begins a new one behind every sentence, as mdoc wants it. */
static void fill(FILE *to, const char *text, size_t length)
{
	const char *end = text + length;
	size_t at = 0;
	bool bold = false;

	while ((text += strspn(text, " \t\n")) < end) {
		size_t n = strcspn(text, " \t\n");

		if (n > (size_t)(end - text))
			n = (size_t)(end - text);
		if (at && at + 1 + n > FILL) {
			fputc('\n', to);
			at = 0;
		} else if (at) {
			fputc(' ', to);
			at++;
		}
		put_text(to, text, n, at == 0, &bold);
		at += n;
		if (ends_sentence(text, n)) {
			fputc('\n', to);
			at = 0;
		}
		text += n;
	}
	/* A lone backtick must not make the rest of the page bold. */
	if (bold)
		fputs("\\fR", to);
	if (at || bold)
		fputc('\n', to);
}

static void example(FILE *to, const char *text, size_t length)
{
	const char *end = text + length;

	fputs(".Bd -literal -offset indent\n", to);
	while (text < end) {
		size_t n = strcspn(text, "\n");
		bool tab = *text == '\t';
		bool bold = false;

		if (n > (size_t)(end - text))
			n = (size_t)(end - text);
		put_text(to, text + tab, n - tab, true, &bold);
		fputc('\n', to);
		text += n + 1;
	}
	fputs(".Ed\n", to);
}

static void paragraphs(FILE *to, const char *text)
{
	bool first = true;

	while (text && *text) {
		size_t length;
		const char *next = help_paragraph(text, &length);

		if (*text == '\t') {
			example(to, text, length);
		} else {
			if (!first)
				fputs(".Pp\n", to);
			fill(to, text, length);
		}
		first = false;
		text = next;
	}
}

/* A text without a full stop, as a sentence. */
static void sentence(FILE *to, const char *text)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s.", text);

	if (n <= 0)
		return;
	line[0] = (char)toupper((unsigned char)line[0]);
	fill(to, line, strlen(line));
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void print_facts(FILE *to, const struct help_fact *facts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char line[sizeof(facts[0].text) + 32];

		snprintf(line, sizeof(line), "%s: %s", facts[i].label, facts[i].text);
		sentence(to, line);
	}
}

static void print_choices(FILE *to, const struct iojob_option *row)
{
	fputs(".Bl -tag -width Ds -compact\n", to);
	for (const struct iojob_choice *c = row->choices; c->name; c++) {
		char others[128];

		if (!c->help)
			continue;
		fputs(".It Cm", to);
		put_arg(to, c->name);
		if (*help_aliases(row, c, others, sizeof(others))) {
			fputs(" Pq also", to);
			put_arg(to, others);
		}
		fputc('\n', to);
		sentence(to, c->help);
	}
	fputs(".El\n", to);
}

static void print_row(FILE *to, const struct iojob_option *row)
{
	struct help_fact facts[HELP_FACTS];
	size_t n = help_facts(row, facts);
	char value[64];

	fputs(".It Cm", to);
	put_arg(to, row->name);
	fputs(" Ns = Ns Ar", to);
	put_arg(to, help_value(row, value, sizeof(value)));
	if (row->alias) {
		fputs(" Pq also Cm", to);
		put_arg(to, row->alias);
	}
	fputc('\n', to);
	sentence(to, row->help);
	if (row->doc && *row->doc) {
		/* An example makes its own distance. */
		if (*row->doc != '\t')
			fputs(".Pp\n", to);
		paragraphs(to, row->doc);
	}
	if (n)
		fputs(".Pp\n", to);
	print_facts(to, facts, n);
	if (row->choices) {
		fputs("The words are:\n", to);
		print_choices(to, row);
	}
}

static void print_rows(FILE *to, const struct opt_table *table)
{
	const struct iojob_option *row;
	struct iojob_option copy;

	fputs(".Bl -tag -width Ds\n", to);
	for (size_t i = 0; (row = opt_row(table, i, &copy)); i++)
		print_row(to, row);
	fputs(".El\n", to);
}

/* ---- pages --------------------------------------------------------------------------------- */

void man_job(FILE *to)
{
	struct opt_table words = help_words();
	struct opt_table table = job_table();

	fputs(".\\\" Printed by `iojob options --man` out of the option table.\n"
	      ".Dd " MAN_DATE "\n"
	      ".Dt IOJOB-JOB 5\n"
	      ".Os iojob " IOJOB_VERSION "\n"
	      ".Sh NAME\n"
	      ".Nm iojob-job\n"
	      ".Nd job files of iojob\n"
	      ".Sh DESCRIPTION\n",
			to);
	paragraphs(to, "A job file describes I/O experiments: what is read and written, where, "
		       "through which interface, and when it ends. Keys and their meanings are "
		       "fio's wherever fio has them. What iojob does not know or cannot do is "
		       "an error, never passed over; a key of fio's that would change nothing "
		       "here is a warning.");
	for (size_t i = 0; i < sizeof(syntax) / sizeof(syntax[0]); i++) {
		fputs(".Ss", to);
		put_arg(to, syntax[i].title);
		fputc('\n', to);
		paragraphs(to, syntax[i].text);
	}
	fputs(".Ss \"Sweeps and parts\"\n", to);
	print_rows(to, &words);
	fputs(".Sh KEYS\n", to);
	print_rows(to, &table);
	fputs(".Sh FILES\n"
	      ".Bl -tag -width Ds\n"
	      ".It Pa share/iojob/jobs/*.ini\n"
	      "Job files to start from, with comments that explain them, below the prefix of\n"
	      "the installation; in\n"
	      ".Pa jobs/\n"
	      "of the source.\n"
	      ".El\n"
	      ".Sh SEE ALSO\n"
	      ".Xr fio 1 ,\n"
	      ".Xr iojob 1 ,\n"
	      ".Xr iojob-results 5 ,\n"
	      ".Xr iojob-engine 7\n",
			to);
}

void man_engine(FILE *to, const struct engine *engine)
{
	const struct iojob_engine *e = &engine->e;
	struct help_fact facts[HELP_FACTS];
	struct iojob_option copy;

	fprintf(to, ".\\\" Printed by `iojob engines %s --man` out of the engine's "
		    "tables.\n", e->name);
	fputs(".Dd " MAN_DATE "\n.Dt \"IOJOB-", to);
	for (const char *c = e->name; *c; c++)
		fputc(toupper((unsigned char)*c), to);
	fputs("\" 7\n.Os iojob " IOJOB_VERSION "\n.Sh NAME\n", to);
	fprintf(to, ".Nm iojob-%s\n.Nd", e->name);
	put_arg(to, e->summary);
	fputs("\n.Sh SYNOPSIS\n.Cm ioengine Ns = Ns", to);
	put_arg(to, e->name);
	fputs("\n.Sh DESCRIPTION\n", to);
	if (e->doc && *e->doc)
		paragraphs(to, e->doc);
	else
		sentence(to, e->summary);
	fputs(".Pp\n", to);
	print_facts(to, facts, help_engine_facts(engine, facts));
	fputs(".Sh KEYS\n", to);
	if (opt_row(&engine->options, 0, &copy)) {
		fputs("Beside the keys of every job, which\n.Xr iojob-job 5\nexplains:\n", to);
		print_rows(to, &engine->options);
	} else {
		fputs("It has none beside those of every job, which\n.Xr iojob-job "
		      "5\nexplains.\n", to);
	}
	fputs(".Sh SEE ALSO\n"
	      ".Xr iojob 1 ,\n"
	      ".Xr iojob-job 5 ,\n"
	      ".Xr iojob-engine 7\n",
			to);
}
