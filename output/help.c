// SPDX-License-Identifier: MIT
#include "help.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/foreign.h"
#include "../core/job/job.h"
#include "../core/job/units.h"
#include "../core/result/doubt.h"
#include "wrap.h"

enum {
	COLUMN = 21,       /* where the second column starts */
	PAGE_BYTES = 4096, /* buffers that an engine is asked about */
};

/* ---- layout -------------------------------------------------------------------------------- */

const char *help_paragraph(const char *text, size_t *length)
{
	const char *end = strstr(text, "\n\n");

	*length = end ? (size_t)(end - text) : strlen(text);
	return end ? end + 2 : NULL;
}

/* Adds the words of a text that may hold line breaks. */
static void words(struct wrap *wrap, const char *text, size_t length)
{
	const char *end = text + length;
	const char *before = "";

	while ((text += strspn(text, " \t\n")) < end) {
		size_t n = strcspn(text, " \t\n");

		wrap_add(wrap, before, "%.*s", (int)n, text);
		before = " ";
		text += n;
	}
	wrap_end(wrap);
}

/* Lines that start with a tab, as they are. */
static void example(FILE *to, unsigned indent, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t n = strcspn(text, "\n");

		if (text + n > end)
			n = (size_t)(end - text);
		if (*text == '\t') {
			text++;
			n--;
		}
		fprintf(to, "%*s%.*s\n", (int)indent + 4, "", (int)n, text);
		text += n + 1;
	}
}

void help_text(FILE *to, unsigned indent, const char *text)
{
	bool first = true;
	struct wrap wrap;

	while (text) {
		size_t length;
		const char *next = help_paragraph(text, &length);

		if (!first)
			fputc('\n', to);
		if (*text == '\t') {
			example(to, indent, text, length);
		} else {
			wrap_begin(&wrap, to, indent, indent, "");
			words(&wrap, text, length);
		}
		first = false;
		text = next;
	}
}

void help_row(FILE *to, const char *name, const char *text)
{
	struct wrap wrap;

	if (2 + wrap_width(name) < COLUMN) {
		wrap_begin(&wrap, to, 2, COLUMN, name);
	} else {
		fprintf(to, "  %s\n", name);
		wrap_begin(&wrap, to, COLUMN, COLUMN, "");
	}
	words(&wrap, text, strlen(text));
}

/* ---- facts of a row ------------------------------------------------------------------------ */

char *help_value(const struct iojob_option *row, char *buf, size_t size)
{
	static const char *const names[] = {
		[IOJOB_OPT_BOOL] = "0|1",
		[IOJOB_OPT_INT] = "N",
		[IOJOB_OPT_SIZE] = "SIZE",
		[IOJOB_OPT_TIME] = "TIME",
		[IOJOB_OPT_STRING] = "TEXT",
		[IOJOB_OPT_CHOICE] = "WORD",
	};
	const char *name = names[row->type];
	char one[32];

	if (row->flags & IOJOB_OPT_RANGE)
		snprintf(one, sizeof(one), "%s[-%s]", name, name);
	else
		snprintf(one, sizeof(one), "%s%s", name,
				row->flags & IOJOB_OPT_PERCENT ? "|N%" : "");
	if (row->flags & IOJOB_OPT_TUPLE)
		snprintf(buf, size, "%s[,%s[,%s]]", one, one, one);
	else
		snprintf(buf, size, "%s", one);
	return buf;
}

static char *print_limit(const struct iojob_option *row, int64_t limit, char *buf, size_t size)
{
	if (row->type == IOJOB_OPT_SIZE)
		return units_print_bytes(buf, size, (uint64_t)limit);
	if (row->type == IOJOB_OPT_TIME)
		return units_print_time(buf, size, (uint64_t)limit);
	snprintf(buf, size, "%" PRId64, limit);
	return buf;
}

static void print_range(const struct iojob_option *row, char *buf, size_t size)
{
	bool narrow = row->type == IOJOB_OPT_INT && row->size == sizeof(int);
	int64_t largest = narrow ? INT_MAX : INT64_MAX;
	char min[32];
	char max[32];

	print_limit(row, row->min, min, sizeof(min));
	print_limit(row, row->max, max, sizeof(max));
	if (row->max >= largest)
		snprintf(buf, size, "%s or more", min);
	else
		snprintf(buf, size, "%s to %s", min, max);
}

static void print_unit(const struct iojob_option *row, char *buf, size_t size)
{
	char unit[32];

	if (row->unit_ns == 0 || row->unit_ns == 1000000000)
		snprintf(unit, sizeof(unit), "seconds");
	else if (row->unit_ns == 1000000)
		snprintf(unit, sizeof(unit), "milliseconds");
	else if (row->unit_ns == 1000)
		snprintf(unit, sizeof(unit), "microseconds");
	else
		units_print_time(unit, sizeof(unit), row->unit_ns);
	snprintf(buf, size, "%s, where the value names none", unit);
}

static const char *default_text(const struct iojob_option *row)
{
	if (row->flags & IOJOB_OPT_REQUIRED)
		return "none: it must be given";
	if (row->def && *row->def)
		return row->def;
	if (row->type == IOJOB_OPT_BOOL)
		return "0";
	return "none";
}

size_t help_facts(const struct iojob_option *row, struct help_fact facts[HELP_FACTS])
{
	size_t n = 0;

	/* A word without a member (vary) has a syntax, and nothing of this. */
	if (!row->size)
		return 0;
	facts[n].label = "default";
	snprintf(facts[n].text, sizeof(facts[n].text), "%s", default_text(row));
	n++;
	if (row->min || row->max) {
		facts[n].label = "range";
		print_range(row, facts[n].text, sizeof(facts[n].text));
		n++;
	}
	if (row->type == IOJOB_OPT_TIME) {
		facts[n].label = "unit";
		print_unit(row, facts[n].text, sizeof(facts[n].text));
		n++;
	}
	if (row->flags & IOJOB_OPT_TUPLE) {
		facts[n].label = "tuple";
		snprintf(facts[n].text, sizeof(facts[n].text), "%s",
				"one value for all, or one each for reads, writes and trims");
		n++;
	}
	if (row->flags & IOJOB_OPT_APPEND) {
		facts[n].label = "again";
		snprintf(facts[n].text, sizeof(facts[n].text), "%s", "given once more, it adds");
		n++;
	}
	return n;
}

char *help_aliases(const struct iojob_option *row, const struct iojob_choice *choice, char *buf,
		size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (const struct iojob_choice *c = row->choices; c->name; c++) {
		int n;

		if (c == choice || c->help || c->value != choice->value)
			continue;
		n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", c->name);
		if (n > 0 && (size_t)n < size - used)
			used += (size_t)n;
	}
	return buf;
}

struct opt_table help_words(void)
{
	static const struct iojob_option words[] = {
		{
			.name = "vary",
			.type = IOJOB_OPT_STRING,
			.help = "makes a sweep: the section once for each of several values",
			.doc = "Two forms. A key and its values, separated by blanks:\n\n"
			       "\tvary = bs: 4k 64k 1m\n\n"
			       "Or the name of an axis and its points, separated by `|`; a point "
			       "is a label, which may hold blanks, and the keys that it "
			       "sets:\n\n"
			       "\tvary = mode: Normal read rw=read | Direct read rw=read "
			       "direct=1\n\n"
			       "Several vary lines multiply; the last one varies fastest. The "
			       "combinations run one after the other, each as a stage of its "
			       "own, on the files of the section. The points of the last axis "
			       "become the columns of the table that the text ends with, those of "
			       "the one or two axes before it its rows; sections that vary one "
			       "thing alone, the same one, share a table.\n\n"
			       "Combinations that cannot be, since a block or a step of `rw` is "
			       "larger than the file, are left out with a warning, as long as "
			       "others are left.\n\n"
			       "`--set KEY=VALUE` of a key that is varied replaces its axis.",
		},
		{
			.name = "include",
			.type = IOJOB_OPT_STRING,
			.help = "reads another file at this place",
			.doc = "Written without `=`: `include FILE`. The path is relative to the "
			       "file that includes. Inside a section the file continues that "
			       "section.",
		},
		{ .name = NULL },
	};

	return (struct opt_table) { words, sizeof(words[0]) };
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void print_choices(FILE *to, const struct iojob_option *row)
{
	for (const struct iojob_choice *c = row->choices; c->name; c++) {
		char others[128];
		char text[512];

		if (!c->help)
			continue;
		help_aliases(row, c, others, sizeof(others));
		snprintf(text, sizeof(text), "%s%s%s%s", c->help, *others ? " (also " : "", others,
				*others ? ")" : "");
		help_row(to, c->name, text);
	}
}

/* All of one key; a key of an engine's says whose it is. */
static void print_key(FILE *to, const struct iojob_option *row, const struct engine *engine)
{
	struct help_fact facts[HELP_FACTS];
	size_t n = help_facts(row, facts);
	char value[64];

	fprintf(to, "%s = %s\n", row->name, help_value(row, value, sizeof(value)));
	help_text(to, 4, row->help);
	if (n)
		fputc('\n', to);
	if (engine)
		help_row(to, "engine", engine->e.name);
	if (row->alias)
		help_row(to, "also", row->alias);
	for (size_t i = 0; i < n; i++)
		help_row(to, facts[i].label, facts[i].text);
	if (row->choices) {
		fputs("\nWords:\n", to);
		print_choices(to, row);
	}
	if (row->doc && *row->doc) {
		fputc('\n', to);
		help_text(to, 0, row->doc);
	}
}

static void list_keys(FILE *to)
{
	const struct opt_table tables[] = { job_table(), help_words() };
	const struct iojob_option *row;
	struct iojob_option copy;

	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; (row = opt_row(&tables[t], i, &copy)); i++)
			help_row(to, row->name, row->help);
	fputc('\n', to);
	help_text(to, 0, "`iojob options NAME` tells all of one key. The engines have keys of "
			 "their own: `iojob engines NAME`.");
}

static int unknown_key(const char *name, const struct opt_nearest *nearest, struct err *err)
{
	const struct foreign_key *foreign = foreign_find(name);

	if (foreign)
		return err_set(err, EINVAL, "options %s: a key of fio's that %s", name,
				foreign->kind == FOREIGN_HARMLESS ? "has no effect here"
								  : "is not implemented");
	if (nearest->name)
		return err_set(err, EINVAL, "options %s: unknown key; did you mean `%s`?", name,
				nearest->name);
	return err_set(err, EINVAL, "options %s: unknown key; `iojob options` lists them", name);
}

int help_options(FILE *to, struct engines *engines, const char *name, struct err *err)
{
	const struct opt_table tables[] = { job_table(), help_words() };
	struct opt_nearest nearest = { .distance = UINT_MAX };
	const struct iojob_option *row;
	struct iojob_option copy;

	if (!name) {
		list_keys(to);
		return 0;
	}
	for (size_t i = 0; i < 2; i++) {
		row = opt_find(&tables[i], name, &copy);
		if (row) {
			print_key(to, row, NULL);
			return 0;
		}
		opt_nearest_row(&nearest, name, &tables[i]);
	}
	/* Without engines there is still the job table to answer from. */
	if (engine_load_all(engines, err))
		err->text[0] = '\0';
	for (size_t i = 0; i < engines->n; i++) {
		const struct engine *engine = engines->list[i];

		row = opt_find(&engine->options, name, &copy);
		if (row) {
			print_key(to, row, engine);
			return 0;
		}
		opt_nearest_row(&nearest, name, &engine->options);
	}
	return unknown_key(name, &nearest, err);
}

/* ---- engines ------------------------------------------------------------------------------- */

static bool needs_options(const struct opt_table *table)
{
	const struct iojob_option *row;
	struct iojob_option copy;

	for (size_t i = 0; (row = opt_row(table, i, &copy)); i++)
		if (row->flags & IOJOB_OPT_REQUIRED)
			return true;
	return false;
}

/*
 * Asks the engine whether a small job with its defaults could run here; the reason against it goes
 * into text. An engine with required options cannot be asked without them.
 */
static bool runs_here(const struct engine *engine, char *text, uint32_t size)
{
	struct iojob_setup setup = {
		.depth = 1,
		.workers = 1,
		.buf_bytes = PAGE_BYTES,
		.ops = engine->e.ops,
		.job_flags = engine->e.flags & IOJOB_ENGINE_DIRECT ? IOJOB_JOB_DIRECT : 0,
		.nfiles = 1,
		.error = text,
		.error_size = size,
	};
	struct err err = { "" };
	void *conf;
	int rc;

	text[0] = '\0';
	if (!engine->e.check || needs_options(&engine->options))
		return true;
	conf = calloc(1, engine->e.conf_size + 1);
	rc = conf ? opt_defaults(&engine->options, conf, &err) : -ENOMEM;
	setup.conf = conf;
	if (!rc)
		rc = engine->e.check(&setup);
	if (rc && !text[0])
		snprintf(text, size, "%s", err.text[0] ? err.text : strerror(-rc));
	if (conf)
		opt_free(&engine->options, conf);
	free(conf);
	return !rc;
}

static const char *manner(const struct iojob_engine *e)
{
	if (e->execute && e->submit)
		return "sync at depth 1, else async";
	return e->submit ? "async" : "sync";
}

static void print_ops(const struct iojob_engine *e, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned op = 0; op < IOJOB_OPS; op++) {
		int n;

		if (!(e->ops & IOJOB_OP_BIT(op)))
			continue;
		n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
				engine_op_name(op));
		if (n > 0 && (size_t)n < size - used)
			used += (size_t)n;
	}
}

size_t help_engine_facts(const struct engine *engine, struct help_fact facts[HELP_FACTS])
{
	const struct iojob_engine *e = &engine->e;
	size_t n = 0;

	facts[n].label = "manner";
	snprintf(facts[n].text, sizeof(facts[n].text), "%s", manner(e));
	n++;
	facts[n].label = "does";
	print_ops(e, facts[n].text, sizeof(facts[n].text));
	n++;
	if (e->max_depth) {
		facts[n].label = "iodepth";
		snprintf(facts[n].text, sizeof(facts[n].text), "%" PRIu32 " at most", e->max_depth);
		n++;
	}
	if (e->flags & IOJOB_ENGINE_ONE_WORKER) {
		facts[n].label = "workers";
		snprintf(facts[n].text, sizeof(facts[n].text), "one at a time");
		n++;
	}
	if (e->version) {
		facts[n].label = "library";
		snprintf(facts[n].text, sizeof(facts[n].text), "%s", e->version);
		n++;
	}
	return n;
}

static void print_engine(FILE *to, const struct engine *engine)
{
	struct help_fact facts[HELP_FACTS];
	size_t n = help_engine_facts(engine, facts);
	const struct iojob_option *row;
	struct iojob_option copy;
	char reason[512];
	char here[520];

	fprintf(to, "%s: %s\n\n", engine->e.name, engine->e.summary);
	for (size_t i = 0; i < n; i++)
		help_row(to, facts[i].label, facts[i].text);
	help_row(to, "file", engine->path);
	if (runs_here(engine, reason, sizeof(reason)))
		snprintf(here, sizeof(here), "yes");
	else
		snprintf(here, sizeof(here), "no: %s", reason);
	help_row(to, "here", here);
	if (engine->e.doc && *engine->e.doc) {
		fputc('\n', to);
		help_text(to, 0, engine->e.doc);
	}
	row = opt_row(&engine->options, 0, &copy);
	fputs(row ? "\nIts keys, beside those of every job:\n"
		  : "\nIt has no keys of its own.\n", to);
	for (size_t i = 0; (row = opt_row(&engine->options, i, &copy)); i++) {
		fputc('\n', to);
		print_key(to, row, NULL);
	}
}

static void print_engines(FILE *to, const struct engines *engines)
{
	for (size_t i = 0; i < engines->n; i++) {
		const struct engine *engine = engines->list[i];
		char reason[512];
		char text[1024];

		snprintf(text, sizeof(text), "%s (%s)", engine->e.summary, manner(&engine->e));
		help_row(to, engine->e.name, text);
		if (!runs_here(engine, reason, sizeof(reason))) {
			snprintf(text, sizeof(text), "not on this machine: %s", reason);
			help_row(to, "", text);
		}
	}
	fputc('\n', to);
	help_text(to, 0, "`iojob engines NAME` tells more of one and its keys.");
}

int help_engines(FILE *to, struct engines *engines, const char *name, struct err *err)
{
	const struct engine *engine;
	int rc;

	if (name) {
		rc = engine_load(engines, engine_canonical(name), &engine, err);
		if (!rc)
			print_engine(to, engine);
		return rc;
	}
	rc = engine_load_all(engines, err);
	if (rc)
		return rc;
	/* Where there is none, one that every run needs tells where they were sought. */
	if (!engines->n)
		return engine_load(engines, "psync", &engine, err);
	print_engines(to, engines);
	return 0;
}

/* ---- iojob doubts -------------------------------------------------------------------------- */

static void print_doubt(FILE *to, enum doubt which)
{
	const struct doubt_kind *kind = &doubt_kinds[which];
	const char *postmark = doubt_postmark_advice(which);
	struct wrap wrap;

	fprintf(to, "%s%s: %s\n\n", kind->id, kind->fact ? " (a fact)" : "", kind->title);
	help_text(to, 2, kind->meaning);
	if (!*kind->advice)
		return;
	fputc('\n', to);
	wrap_begin(&wrap, to, 2, 2, "What helps:");
	wrap_words(&wrap, " ", kind->advice);
	if (postmark) {
		wrap_words(&wrap, "; ", "in a PostMark job:");
		wrap_words(&wrap, " ", postmark);
	}
	wrap_end(&wrap);
}

int help_doubts(FILE *to, const char *id, struct err *err)
{
	int kind = id ? doubt_find(id) : -1;

	if (kind >= 0) {
		print_doubt(to, (enum doubt)kind);
		return 0;
	}
	if (id)
		return err_set(err, EINVAL, "doubts: there is no `%s`; `iojob doubts` lists them",
				id);
	for (int facts = 0; facts < 2; facts++) {
		fputs(facts ? "\nFacts, which count for nothing:\n"
			    : "Reasons to doubt a result:\n", to);
		for (const struct doubt_kind *k = doubt_kinds; k->id; k++) {
			if (k->fact == facts)
				fprintf(to, "  %-4s%s\n", k->id, k->title);
		}
	}
	fputc('\n', to);
	help_text(to, 0, "`iojob doubts ID` tells how one is seen and what helps. --strict makes "
			 "doubts an exit status, --accept=ID takes one out of it.");
	return 0;
}
