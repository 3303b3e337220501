// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../output/help.h"
#include "job/foreign.h"
#include "job/opt.h"
#include "job/units.h"
#include "result/doubt.h"

enum option_id {
	OPT_SET,
	OPT_DIRECTORY,
	OPT_SECTION,
	OPT_PARSE_ONLY,
	OPT_READONLY,
	OPT_OUTPUT,
	OPT_OUTPUT_FORMAT,
	OPT_METRIC,
	OPT_REPEAT,
	OPT_UNTIL,
	OPT_MAX_REPEAT,
	OPT_INTERLEAVE,
	OPT_DROP_CACHES,
	OPT_BASE,
	OPT_NOISE,
	OPT_CONFIDENCE,
	OPT_CORRECTION,
	OPT_FAIL_IF,
	OPT_ANY,
	OPT_FORCE,
	OPT_ETA,
	OPT_ALLOW_DEVICE,
	OPT_ALLOW_EXEC,
	OPT_STRICT,
	OPT_ACCEPT,
	OPT_MAN,
	OPT_CHECK,
	OPT_VERSION,
	OPT_HELP,
};

/* Which commands an option goes with. */
enum {
	RUN = 1u << CLI_RUN,
	ENGINES = 1u << CLI_ENGINES,
	OPTIONS = 1u << CLI_OPTIONS,
	SHOW = 1u << CLI_SHOW,
	ENVIRONMENT = 1u << CLI_ENVIRONMENT,
	COMPARE = 1u << CLI_COMPARE,
	ANY = INT_MAX,
};

/* What the words after a command are. */
enum takes { TAKES_NAME, TAKES_FILES };

struct command {
	enum cli_command id;
	const char *word; /* NULL: a run, which needs none */
	enum takes takes;
	const char *usage; /* what follows the word; NULL: told among the options of all */
	const char *help;
};

static const struct command commands[] = {
	{
		CLI_RUN, NULL, TAKES_FILES, "[options] FILE...",
		"runs job files, one after the other; `-` is standard input",
	},
	{
		CLI_ENGINES, "engines", TAKES_NAME, "[NAME [--man | --check]]",
		"tells which engines there are and whether they work on this machine; of one, its "
		"keys",
	},
	{
		CLI_OPTIONS, "options", TAKES_NAME, "[NAME] [--man]",
		"tells the keys of job files",
	},
	{
		CLI_SHOW, "show", TAKES_FILES, "[options] FILE...",
		"prints results again, out of JSON that iojob or fio wrote; `-` is standard input",
	},
	{
		CLI_DOUBTS, "doubts", TAKES_NAME, "[ID]",
		"tells the reasons to doubt a result: how they are seen, and what helps",
	},
	{
		CLI_ENVIRONMENT, "environment", TAKES_FILES, "[options] [PATH...]",
		"tells what results record of this machine, and of the filesystems and disks under "
		"the files, directories and devices that are named (else the current directory)",
	},
	{
		CLI_COMPARE, "compare", TAKES_FILES, "[options] BASE NEW... | BOTH",
		"tells whether results in JSON, of iojob or fio, are really different; BASE and "
		"NEW are files, or patterns in quotes that name several of one side",
	},
	{ CLI_HELP, "help", TAKES_FILES, NULL, NULL },
	{ CLI_VERSION, "version", TAKES_FILES, NULL, NULL },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

struct cli_option {
	const char *name; /* without dashes */
	char letter;      /* -h; 0: none */
	enum option_id id;
	unsigned scope;   /* of commands: RUN | ... */
	const char *arg; /* what its value is called; NULL: it takes none */
	const char *help;
};

static const struct cli_option cli_options[] = {
	{
		"set", 0, OPT_SET, RUN | ENGINES, "[SECTIONS:]KEY[=VALUE]",
		"set a key over what the job files say; only in the sections whose names match the "
		"pattern SECTIONS, if it is there; for --check a key of the engine (repeatable)",
	},
	{
		"section", 0, OPT_SECTION, RUN, "NAME",
		"run only the sections of that name or pattern (repeatable)",
	},
	{
		"directory", 0, OPT_DIRECTORY, RUN | ENGINES, "DIR",
		"directory of the files, whatever the job files say; of those of --check",
	},
	{
		"parse-only", 0, OPT_PARSE_ONLY, RUN, NULL,
		"check the job files and print the plan; run nothing, touch nothing",
	},
	{
		"readonly", 0, OPT_READONLY, RUN, NULL,
		"refuse jobs that would write or trim, and lay out no file",
	},
	{
		"output", 0, OPT_OUTPUT, RUN | SHOW | COMPARE, "[FORMAT:]FILE",
		"write the result to FILE, `-` for standard output (repeatable with FORMAT)",
	},
	{
		"output-format", 0, OPT_OUTPUT_FORMAT, RUN | SHOW | ENVIRONMENT | COMPARE,
		"FORMAT[,FORMAT]",
		"format of an --output without one and of standard output; text unless given",
	},
	{
		"metric", 0, OPT_METRIC, RUN | SHOW | COMPARE, "NAME[,NAME]",
		"figures of the tables: bw (the default), iops, lat_mean, lat_max, cpu, "
		"transactions (PostMark's), p99 or another percentile; of one direction: read.bw, "
		"write.p99; of compare the one that is judged",
	},
	{
		"base", 0, OPT_BASE, COMPARE, "PATTERN",
		"results to compare with, instead of the first FILE; all of them are one side "
		"(repeatable)",
	},
	{
		"noise", 0, OPT_NOISE, COMPARE, "PERCENT",
		"smallest change that is called one; 1% unless given",
	},
	{
		"confidence", 0, OPT_CONFIDENCE, COMPARE, "PERCENT",
		"of intervals and verdicts; 95% unless given",
	},
	{
		"correction", 0, OPT_CORRECTION, COMPARE, "WORD",
		"for the number of cells looked at: bh (Benjamini-Hochberg, the default), holm, "
		"none",
	},
	{
		"fail-if", 0, OPT_FAIL_IF, COMPARE, "CONDITION",
		"exit with 3 if a figure changed so in any job, and significantly: 'bw<-5%', "
		"'p99>10%' (repeatable)",
	},
	{
		"any", 0, OPT_ANY, COMPARE, NULL,
		"let --fail-if count changes that may be chance, too",
	},
	{
		"force", 0, OPT_FORCE, COMPARE, NULL,
		"compare jobs that do different work, too",
	},
	{
		"repeat", 0, OPT_REPEAT, RUN, "N",
		"run the whole plan N times, whatever the job files say",
	},
	{
		"until", 0, OPT_UNTIL, RUN, "PERCENT[,METRIC]",
		"repeat until the 95 % interval of the median of bw, or of another metric, is at "
		"most PERCENT of the median wide for every job",
	},
	{
		"max-repeat", 0, OPT_MAX_REPEAT, RUN, "N",
		"with --until: N times at most (30)",
	},
	{
		"interleave", 0, OPT_INTERLEAVE, RUN, NULL,
		"job files take turns in a balanced order, A B B A, so that a drift hits all alike",
	},
	{
		"drop-caches", 0, OPT_DROP_CACHES, RUN, NULL,
		"write out and drop all caches of the machine before every repeat of a job file; "
		"for root",
	},
	{
		"eta", 0, OPT_ETA, RUN, "WHEN",
		"progress line on standard error: always, never, or auto (on a terminal)",
	},
	{
		"allow-device", 0, OPT_ALLOW_DEVICE, RUN, "PATH",
		"write to this block device although it is in use or carries data (repeatable)",
	},
	{
		"allow-exec", 0, OPT_ALLOW_EXEC, RUN, NULL,
		"let job files name engines by path, which runs their code",
	},
	{
		"strict", 0, OPT_STRICT, RUN, NULL,
		"exit with 4 where there is reason to doubt a result (`iojob doubts`)",
	},
	{
		"accept", 0, OPT_ACCEPT, RUN, "ID[,ID]",
		"accept this doubt: it stays in the result and is none to --strict (repeatable)",
	},
	{
		"man", 0, OPT_MAN, ENGINES | OPTIONS, NULL,
		"print the manual page (mdoc; pipe it into `man -l -`)",
	},
	{
		"check", 0, OPT_CHECK, ENGINES, NULL,
		"try whether the engine keeps the contract, on small files in --directory or here",
	},
	{ "version", 'V', OPT_VERSION, ANY, NULL, "print the version, as the word `version` does" },
	{ "help", 'h', OPT_HELP, ANY, NULL, "print this, as the word `help` does" },
};

enum { CLI_OPTIONS_N = sizeof(cli_options) / sizeof(cli_options[0]) };

/* The options of fio that iojob has not, so that a script learns why it fails. */
struct foreign {
	const char *name;
	const char *instead; /* NULL: nothing yet */
};

static const struct foreign fio_options[] = {
	{ "enghelp", "`iojob engines [NAME]`" },
	{ "cmdhelp", "`iojob options [NAME]`" },
	{ "minimal", "--output-format=csv" },
	{ "terse-version", "--output-format=csv" },
	{ "append-terse", "--output=csv:FILE" },
	{ "showcmd", NULL },
	{ "eta-newline", NULL },
	{ "eta-interval", NULL },
	{ "status-interval", NULL },
	{ "idle-prof", NULL },
	{ "warnings-fatal", NULL },
	{ "max-jobs", NULL },
	{ "debug", NULL },
	{ "merge-blktrace-only", NULL },
	{ "bandwidth-log", NULL },
	{ "latency-log", NULL },
	{ "cpuclock-test", NULL },
	{ "crctest", NULL },
	{ "alloc-size", NULL },
	{ "server", NULL },
	{ "daemonize", NULL },
	{ "client", NULL },
	{ "remote-config", NULL },
	{ "profile", NULL },
	{ "inflate-log", NULL },
	{ "trigger-file", NULL },
	{ "trigger-timeout", NULL },
	{ "trigger", NULL },
	{ "trigger-remote", NULL },
	{ "aux-path", NULL },
};

enum { FIO_OPTIONS = sizeof(fio_options) / sizeof(fio_options[0]) };

/* Formats of fio's that are none of ours, so that `--output=terse:x` makes no file "terse:x". */
static const char *const fio_formats[] = { "terse", "json+" };

enum { FIO_FORMATS = sizeof(fio_formats) / sizeof(fio_formats[0]) };

/* What the options leave behind for the end. */
struct parser {
	struct cli *cli;
	struct err *err;
	const char *plain;  /* --output=FILE without a format */
	char *formats;      /* --output-format, the last one */
	const struct cli_option *given[CLI_OPTIONS_N]; /* each option that was there, once */
	size_t ngiven;
};

/* ---- values -------------------------------------------------------------------------------- */

/* `normal` is what fio calls its text. */
static const struct output_format *find_format(const char *name)
{
	return output_find(strcmp(name, "normal") == 0 ? "text" : name);
}

static bool is_fio_format(const char *name)
{
	for (size_t i = 0; i < FIO_FORMATS; i++)
		if (strcmp(fio_formats[i], name) == 0)
			return true;
	return false;
}

static int wrong_format(struct err *err, const char *option, const char *name)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct output_format *f = output_formats; f->name; f++) {
		int n = snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "",
				f->name);

		if (n > 0 && (size_t)n < sizeof(known) - used)
			used += (size_t)n;
	}
	return err_set(err, EINVAL, "%s: `%s` %s; there are %s", option, name,
			is_fio_format(name) ? "is a format of fio's that is not implemented"
					    : "is no format",
			known);
}

/* Cuts the blanks off both ends. */
static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t", text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

/* [SECTIONS:]KEY[=VALUE]. No key holds a ':', so the last one before the '=' ends the pattern. */
static int take_set(struct parser *p, char *value)
{
	struct job_override *override = &p->cli->overrides[p->cli->noverrides];
	char *equals = strchr(value, '=');
	char *colon;

	if (equals) {
		*equals = '\0';
		override->value = trim(equals + 1);
	}
	colon = strrchr(value, ':');
	if (colon) {
		*colon = '\0';
		override->section_glob = trim(value);
		value = colon + 1;
	}
	override->key = trim(value);
	if (!*override->key)
		return err_set(p->err, EINVAL, "--set: no key; write --set [SECTIONS:]KEY[=VALUE]");
	if (override->section_glob && !*override->section_glob)
		return err_set(p->err, EINVAL,
				"--set: no section before the ':' of `:%s`; `*` means all of them",
				override->key);
	p->cli->noverrides++;
	return 0;
}

static int take_output(struct parser *p, char *value)
{
	char *colon = strchr(value, ':');
	const struct output_format *format = NULL;

	if (colon) {
		*colon = '\0';
		format = find_format(value);
		/* A word alone can only mean a format; a file of that name is `./WORD:...`. */
		if (!format && *value && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz+-")])
			return wrong_format(p->err, "--output", value);
		*colon = format ? '\0' : ':';
	}
	if (format && !colon[1])
		return err_set(p->err, EINVAL,
				"--output=%s: no file after the ':'; `-` is standard output",
				value);
	if (format) {
		p->cli->targets[p->cli->ntargets++] = (struct output_target) { format, colon + 1 };
		return 0;
	}
	if (p->plain)
		return err_set(p->err, EINVAL,
				"--output: two files, `%s` and `%s`, without a format; "
				"write --output=FORMAT:FILE", p->plain, value);
	p->plain = value;
	return 0;
}

static int take_eta(struct parser *p, const char *value)
{
	static const char *const names[] = {
		[CLI_ETA_AUTO] = "auto",
		[CLI_ETA_ALWAYS] = "always",
		[CLI_ETA_NEVER] = "never",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			p->cli->eta = (enum cli_eta)i;
			return 0;
		}
	}
	return err_set(p->err, EINVAL, "--eta: `%s` is none of always, never, auto", value);
}

/* A table for each name of the list; the last --metric counts. */
static int take_metrics(struct parser *p, char *list)
{
	struct cli *cli = p->cli;
	struct metric *metrics;
	size_t n = 1;
	char *name;
	int rc = 0;

	for (const char *c = list; *c; c++)
		n += *c == ',';
	metrics = reallocarray(cli->metrics, n, sizeof(*metrics));
	if (!metrics)
		return err_memory(p->err);
	cli->metrics = metrics;
	cli->nmetrics = 0;
	while (rc == 0 && (name = strsep(&list, ",")))
		rc = metric_parse(&metrics[cli->nmetrics++], name, p->err);
	return rc;
}

/* "1%", "0.5": a share from `least` up to, not including, 1. */
static int take_percent(struct parser *p, const char *option, const char *value, double least,
		double *share)
{
	char *end;

	*share = strtod(value, &end) / 100;
	if (end > value && *end == '%')
		end++;
	if (end == value || *end || !(*share >= least && *share < 1))
		return err_set(p->err, EINVAL, "%s=%s: must be a percentage from %g to below 100",
				option, value, least * 100);
	return 0;
}

static int take_correction(struct parser *p, const char *value)
{
	struct err why;

	if (compare_correction_parse(&p->cli->correction, value, &why))
		return err_set(p->err, EINVAL, "--correction: %s", why.text);
	return 0;
}

static int take_condition(struct parser *p, const char *value)
{
	struct err why;

	if (compare_condition_parse(&p->cli->conditions[p->cli->nconditions++], value, &why))
		return err_set(p->err, EINVAL, "--fail-if: %s", why.text);
	return 0;
}

static int take_count(struct parser *p, const char *option, const char *value, size_t min,
		size_t *to)
{
	int64_t n;
	const char *why;

	if (units_int(value, &n, &why) || n < (int64_t)min || n > 10000)
		return err_set(p->err, EINVAL, "--%s=%s: must be a number from %zu to 10000",
				option, value, min);
	*to = (size_t)n;
	return 0;
}

/* "2%", "2%,p99" */
static int take_until(struct parser *p, char *value)
{
	struct turns *turns = &p->cli->turns;
	char *comma = strchr(value, ','), *end;

	if (comma)
		*comma = '\0';
	turns->percent = strtod(value, &end);
	end += *end == '%';
	if (end == value || *end || !(turns->percent > 0 && turns->percent <= 100))
		return err_set(p->err, EINVAL, "--until=%s: must be a percentage up to 100, such "
				"as 2%%, and perhaps a metric behind a comma", value);
	turns->by_rule = true;
	return metric_parse(&turns->metric, comma ? comma + 1 : "bw", p->err);
}

static int take(struct parser *p, enum option_id id, char *value)
{
	struct cli *cli = p->cli;

	switch (id) {
	case OPT_SET:
		return take_set(p, value);
	case OPT_DIRECTORY:
		cli->directory = value;
		return 0;
	case OPT_SECTION:
		cli->sections[cli->nsections++] = value;
		return 0;
	case OPT_PARSE_ONLY:
		cli->parse_only = true;
		return 0;
	case OPT_READONLY:
		cli->readonly = true;
		return 0;
	case OPT_OUTPUT:
		return take_output(p, value);
	case OPT_OUTPUT_FORMAT:
		p->formats = value;
		return 0;
	case OPT_METRIC:
		return take_metrics(p, value);
	case OPT_BASE:
		cli->bases[cli->nbases++] = value;
		return 0;
	case OPT_NOISE:
		return take_percent(p, "--noise", value, 0, &cli->noise);
	case OPT_CONFIDENCE:
		return take_percent(p, "--confidence", value, 0.5, &cli->confidence);
	case OPT_CORRECTION:
		return take_correction(p, value);
	case OPT_FAIL_IF:
		return take_condition(p, value);
	case OPT_ANY:
		cli->any = true;
		return 0;
	case OPT_FORCE:
		cli->force = true;
		return 0;
	case OPT_REPEAT:
		return take_count(p, "repeat", value, 1, &cli->turns.repeats);
	case OPT_UNTIL:
		return take_until(p, value);
	case OPT_MAX_REPEAT:
		return take_count(p, "max-repeat", value, 6, &cli->turns.most);
	case OPT_INTERLEAVE:
		cli->turns.interleave = true;
		return 0;
	case OPT_DROP_CACHES:
		cli->turns.drop_caches = true;
		return 0;
	case OPT_ETA:
		return take_eta(p, value);
	case OPT_ALLOW_DEVICE:
		cli->devices[cli->ndevices++] = value;
		return 0;
	case OPT_ALLOW_EXEC:
		cli->allow_exec = true;
		return 0;
	case OPT_STRICT:
		cli->strict = true;
		return 0;
	case OPT_ACCEPT:
		cli->accepts[cli->naccepts++] = value;
		return doubt_check_ids("--accept: ", value, p->err);
	case OPT_MAN:
		cli->man = true;
		return 0;
	case OPT_CHECK:
		cli->check = true;
		return 0;
	case OPT_VERSION:
		cli->command = CLI_VERSION;
		return 0;
	case OPT_HELP:
		cli->command = CLI_HELP;
		return 0;
	}
	return 0;
}

/* ---- options and words --------------------------------------------------------------------- */

static const struct cli_option *find_option(const char *name)
{
	for (size_t i = 0; i < CLI_OPTIONS_N; i++) {
		const struct cli_option *o = &cli_options[i];

		if (strcmp(o->name, name) == 0)
			return o;
		if (o->letter && name[0] == o->letter && !name[1])
			return o;
	}
	return NULL;
}

static int unknown_option(struct err *err, const char *name)
{
	struct opt_table keys = job_table();
	struct opt_nearest nearest = { .distance = UINT_MAX }, key = nearest;
	struct iojob_option row;

	for (size_t i = 0; i < FIO_OPTIONS; i++) {
		const struct foreign *f = &fio_options[i];

		if (strcmp(f->name, name) == 0)
			return err_set(err, EINVAL,
					"--%s: an option of fio's that is not implemented%s%s",
					name, f->instead ? "; see " : "",
					f->instead ? f->instead : "");
	}
	if (opt_find(&keys, name, &row))
		return err_set(err, EINVAL,
				"--%s: jobs on the command line are not implemented; "
				"write a job file, and --set %s%s to change it",
				name, name, row.type == IOJOB_OPT_BOOL ? "" : "=VALUE");
	if (foreign_find(name))
		return err_set(err, EINVAL,
				"--%s: jobs on the command line are not implemented; "
				"write a job file", name);
	for (size_t i = 0; i < CLI_OPTIONS_N; i++)
		opt_nearest_name(&nearest, name, cli_options[i].name);
	opt_nearest_row(&key, name, &keys);
	if (key.distance < nearest.distance)
		return err_set(err, EINVAL, "--%s: unknown option; did you mean the key %s of a "
				"job file? Write --set %s=VALUE", name, key.name, key.name);
	if (nearest.name)
		return err_set(err, EINVAL, "--%s: unknown option; did you mean --%s?", name,
				nearest.name);
	return err_set(err, EINVAL, "--%s: unknown option; `iojob --help` lists them", name);
}

static void note_given(struct parser *p, const struct cli_option *option)
{
	for (size_t i = 0; i < p->ngiven; i++) {
		if (p->given[i] == option)
			return;
	}
	p->given[p->ngiven++] = option;
}

/*
 * One argument that begins with a dash; `next` may be its value, NULL: there is none. Returns how
 * many arguments it took, or -EINVAL.
 */
static int parse_option(struct parser *p, char *arg, char *next)
{
	char *name = arg + (arg[1] == '-' ? 2 : 1);
	char *value = strchr(name, '=');
	const struct cli_option *option;
	int taken = 1;
	int rc;

	if (value)
		*value++ = '\0';
	option = find_option(name);
	if (!option)
		return unknown_option(p->err, name);
	if (value && !option->arg)
		return err_set(p->err, EINVAL, "--%s=%s: --%s takes no value", option->name, value,
				option->name);
	if (option->arg && !value) {
		value = next;
		taken = 2;
		/* A lone dash is a file; anything longer is more likely the next option. */
		if (value && value[0] == '-' && value[1])
			value = NULL;
	}
	if (option->arg && (!value || !*value))
		return err_set(p->err, EINVAL, "--%s needs a value: --%s=%s", option->name,
				option->name, option->arg);
	note_given(p, option);
	rc = take(p, option->id, value);
	return rc < 0 ? rc : taken;
}

static const struct command *command_of(enum cli_command id)
{
	size_t i = COMMANDS - 1;

	while (i && commands[i].id != id)
		i--;
	return &commands[i];
}

static int parse_word(struct parser *p, char *word)
{
	struct cli *cli = p->cli;

	/* The first word may be a command; `./engines` is a file of that name. */
	for (size_t i = 0; cli->command == CLI_RUN && !cli->nfiles && i < COMMANDS; i++) {
		if (commands[i].word && strcmp(word, commands[i].word) == 0) {
			cli->command = commands[i].id;
			return 0;
		}
	}
	if (command_of(cli->command)->takes == TAKES_FILES) {
		cli->files[cli->nfiles++] = word;
		return 0;
	}
	if (cli->topic)
		return err_set(p->err, EINVAL,
				"`%s`: one name at a time, and there is `%s` already", word,
				cli->topic);
	cli->topic = word;
	return 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Some formats are of results alone, some of comparisons. */
static int check_formats(const struct parser *p)
{
	bool compare = p->cli->command == CLI_COMPARE;

	for (size_t i = 0; i < p->cli->ntargets; i++) {
		const struct output_format *f = p->cli->targets[i].format;

		if (compare ? !f->compare : !f->write)
			return err_set(p->err, EINVAL, "`%s` is a format of %s", f->name, compare
					? "results, not of comparisons"
					: "comparisons (`iojob compare`), not of results");
	}
	return 0;
}

/* --output-format's list goes to the --output that has no format of its own, else to stdout. */
static int finish_targets(struct parser *p)
{
	struct cli *cli = p->cli;
	struct output_target *targets;
	char text[] = "text";
	char *list = p->formats ? p->formats : text;
	size_t n = cli->ntargets + 1;
	char *name;

	if (!p->formats && !p->plain && cli->ntargets)
		return check_formats(p);
	for (const char *c = list; *c; c++)
		n += *c == ',';
	targets = reallocarray(cli->targets, n, sizeof(*targets));
	if (!targets)
		return err_memory(p->err);
	cli->targets = targets;
	while ((name = strsep(&list, ","))) {
		const struct output_format *format = find_format(name);

		if (!format)
			return wrong_format(p->err, "--output-format", name);
		cli->targets[cli->ntargets++] = (struct output_target) { format, p->plain };
	}
	return check_formats(p);
}

/* "a run", "`iojob engines`", "a run and `iojob show`". */
static void scope_text(char *text, size_t size, unsigned scope)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < COMMANDS && used < size; i++) {
		const struct command *c = &commands[i];

		if (scope >> c->id & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
					used ? " and " : "", c->word ? "`iojob " : "a run",
					c->word ? c->word : "", c->word ? "`" : "");
	}
}

static int check_scopes(const struct parser *p)
{
	enum cli_command command = p->cli->command;

	for (size_t i = 0; i < p->ngiven; i++) {
		char right[256], here[64];

		if (p->given[i]->scope >> command & 1)
			continue;
		scope_text(right, sizeof(right), p->given[i]->scope);
		scope_text(here, sizeof(here), 1u << command);
		return err_set(p->err, EINVAL, "--%s goes with %s, not with %s", p->given[i]->name,
				right, here);
	}
	return 0;
}

/* A first word that is no file, and nearly a command. */
static int check_word(struct parser *p)
{
	struct opt_nearest nearest = { .distance = UINT_MAX };
	const char *word = p->cli->files[0];

	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].word)
			opt_nearest_name(&nearest, word, commands[i].word);
	}
	if (!nearest.name || word[0] == '-' || strchr(word, '/') || access(word, F_OK) == 0)
		return 0;
	return err_set(p->err, ENOENT, "%s: no such job file; did you mean `iojob %s`?", word,
			nearest.name);
}

/* How often, as far as the command line alone says. */
static int finish_run(struct parser *p)
{
	const struct cli *cli = p->cli;
	const struct turns *turns = &cli->turns;

	if (!cli->nfiles)
		return err_set(p->err, EINVAL, "no job file; write `iojob [options] FILE...` "
				"(`iojob --help` tells more)");
	if (turns->most && !turns->by_rule)
		return err_set(p->err, EINVAL, "--max-repeat: is the end of --until, which is not "
				"there; --repeat=%zu repeats so many times", turns->most);
	if (turns->interleave && cli->nfiles < 2)
		return err_set(p->err, EINVAL, "--interleave: there is one job file, and nothing "
				"to take turns with it");
	return check_word(p) ? -EINVAL : finish_targets(p);
}

static int finish_show(struct parser *p)
{
	const struct cli *cli = p->cli;

	if (!cli->nfiles)
		return err_set(p->err, EINVAL, "no result file; write `iojob show FILE...`");
	if (cli->nfiles > 1 && (p->plain || cli->ntargets))
		return err_set(p->err, EINVAL, "--output: one file for %zu results; "
				"show one at a time", cli->nfiles);
	return finish_targets(p);
}

static int finish_compare(struct parser *p)
{
	const struct cli *cli = p->cli;

	if (cli->nmetrics > 1)
		return err_set(p->err, EINVAL, "--metric: one is judged, and these are %zu; the "
				"usual others are shown in any case", cli->nmetrics);
	if (cli->any && !cli->nconditions)
		return err_set(p->err, EINVAL, "--any goes with --fail-if");
	return finish_targets(p);
}

static int finish_environment(struct parser *p)
{
	const struct output_format *format = p->formats ? find_format(p->formats) : NULL;

	if (p->formats && (!format || (format != output_find("text")
			&& format != output_find("json"))))
		return err_set(p->err, EINVAL, "--output-format: `%s`: `iojob environment` prints "
				"text or json", p->formats);
	return finish_targets(p);
}

static int finish_engines(struct parser *p)
{
	const char *option = p->cli->man ? "man" : "check";

	if ((p->cli->man || p->cli->check) && !p->cli->topic)
		return err_set(p->err, EINVAL, "engines --%s: which? Write "
				"`iojob engines NAME --%s`", option, option);
	if (p->cli->noverrides && !p->cli->check)
		return err_set(p->err, EINVAL, "--set %s: `iojob engines` only takes it with "
				"--check", p->cli->overrides[0].key);
	for (size_t i = 0; i < p->cli->noverrides; i++) {
		if (p->cli->overrides[i].section_glob)
			return err_set(p->err, EINVAL, "--set %s:%s: --check has no sections",
					p->cli->overrides[i].section_glob,
					p->cli->overrides[i].key);
	}
	return 0;
}

static int finish_options(struct parser *p)
{
	if (p->cli->man && p->cli->topic)
		return err_set(p->err, EINVAL, "options %s --man: the page holds all keys; "
				"write `iojob options --man`", p->cli->topic);
	return 0;
}

/* What the words and options of a command must be together; NULL: nothing more. */
static int (*const finishers[])(struct parser *p) = {
	[CLI_RUN] = finish_run,
	[CLI_SHOW] = finish_show,
	[CLI_COMPARE] = finish_compare,
	[CLI_ENVIRONMENT] = finish_environment,
	[CLI_ENGINES] = finish_engines,
	[CLI_OPTIONS] = finish_options,
	[CLI_DOUBTS] = NULL,
	[CLI_HELP] = NULL,
	[CLI_VERSION] = NULL,
};

static int finish(struct parser *p)
{
	enum cli_command command = p->cli->command;
	int r = command == CLI_HELP || command == CLI_VERSION ? 0 : check_scopes(p);

	return r || !finishers[command] ? r : finishers[command](p);
}

/* As a shell would read it back. */
static void print_quoted(FILE *to, const char *arg)
{
	const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "_-+=.,:/@%";

	if (*arg && !arg[strspn(arg, plain)]) {
		fputs(arg, to);
		return;
	}
	fputc('\'', to);
	for (; *arg; arg++) {
		if (*arg == '\'')
			fputs("'\\''", to);
		else
			fputc(*arg, to);
	}
	fputc('\'', to);
}

static char *join_args(int argc, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i)
			fputc(' ', to);
		print_quoted(to, argv[i]);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* A copy of argv that may be cut up: the pointers, NULL, and the strings behind them. */
static char **copy_args(int argc, char *const *argv)
{
	size_t n = (size_t)argc + 1;
	size_t bytes = 0;
	char **args;
	char *text;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	args = malloc(n * sizeof(*args) + bytes);
	if (!args)
		return NULL;
	text = (char *)(args + n);
	for (int i = 0; i < argc; i++) {
		args[i] = text;
		text = stpcpy(text, argv[i]) + 1;
	}
	args[argc] = NULL;
	return args;
}

/* Every list can be as long as argv; only targets may grow, in finish_targets(). */
static int allocate(struct cli *cli, int argc, char *const *argv, struct err *err)
{
	size_t n = (size_t)argc + 1;

	cli->text = join_args(argc, argv);
	cli->args = copy_args(argc, argv);
	cli->files = calloc(n, sizeof(*cli->files));
	cli->overrides = calloc(n, sizeof(*cli->overrides));
	cli->sections = calloc(n, sizeof(*cli->sections));
	cli->devices = calloc(n, sizeof(*cli->devices));
	cli->bases = calloc(n, sizeof(*cli->bases));
	cli->conditions = calloc(n, sizeof(*cli->conditions));
	cli->targets = calloc(n, sizeof(*cli->targets));
	cli->accepts = calloc(n, sizeof(*cli->accepts));
	if (!cli->text || !cli->args || !cli->files || !cli->overrides || !cli->sections ||
			!cli->devices || !cli->bases || !cli->conditions || !cli->targets ||
			!cli->accepts)
		return err_memory(err);
	return 0;
}

int cli_parse(struct cli *cli, int argc, char *const *argv, struct err *err)
{
	struct parser p = { .cli = cli, .err = err };
	bool words = false; /* after `--` nothing is an option */
	int taken = 1;

	*cli = (struct cli) { .noise = 0.01, .confidence = 0.95 };
	if (allocate(cli, argc, argv, err))
		return -ENOMEM;
	for (int i = 1; i < argc; i += taken) {
		char *arg = cli->args[i];

		taken = 1;
		if (!words && strcmp(arg, "--") == 0)
			words = true;
		else if (!words && arg[0] == '-' && arg[1])
			taken = parse_option(&p, arg, cli->args[i + 1]);
		else if (parse_word(&p, arg))
			return -EINVAL;
		if (taken < 0)
			return taken;
	}
	return finish(&p);
}

void cli_free(struct cli *cli)
{
	free(cli->files);
	free(cli->overrides);
	free(cli->sections);
	free(cli->devices);
	free(cli->bases);
	free(cli->conditions);
	free(cli->targets);
	free(cli->metrics);
	free(cli->accepts);
	free(cli->text);
	free(cli->args);
	memset(cli, 0, sizeof(*cli));
}

static void help_option(FILE *to, const struct cli_option *o)
{
	char left[64];
	char letter[] = "-x, ";

	letter[1] = o->letter;
	snprintf(left, sizeof(left), "%s--%s%s%s", o->letter ? letter : "", o->name,
			o->arg ? "=" : "", o->arg ? o->arg : "");
	help_row(to, left, o->help);
}

/* Each option under the first command that it goes with. */
static void help_options_of(FILE *to, const struct command *c)
{
	unsigned before = 0;
	bool any = false;

	for (const struct command *other = commands; other < c; other++)
		before |= 1u << other->id;
	for (size_t i = 0; i < CLI_OPTIONS_N; i++) {
		const struct cli_option *o = &cli_options[i];

		if (o->scope == ANY || !(o->scope >> c->id & 1) || o->scope & before)
			continue;
		if (!any)
			fprintf(to, "\nOptions of %s%s:\n", c->word ? "iojob " : "a run",
					c->word ? c->word : "");
		any = true;
		help_option(to, o);
	}
}

void cli_help(FILE *to)
{
	help_text(to, 0, "iojob runs the I/O experiments that a job file describes, and reports "
			 "what they did.");
	fputc('\n', to);
	for (size_t i = 0; i < COMMANDS && commands[i].usage; i++)
		fprintf(to, "%s iojob %s%s%s\n", i ? "      " : "usage:",
				commands[i].word ? commands[i].word : "",
				commands[i].word ? " " : "", commands[i].usage);
	fputc('\n', to);
	for (size_t i = 0; i < COMMANDS && commands[i].usage; i++)
		help_row(to, commands[i].word ? commands[i].word : "FILE...", commands[i].help);
	for (size_t i = 0; i < COMMANDS && commands[i].usage; i++)
		help_options_of(to, &commands[i]);
	fputs("\nOf all:\n", to);
	for (size_t i = 0; i < CLI_OPTIONS_N; i++) {
		if (cli_options[i].scope == ANY)
			help_option(to, &cli_options[i]);
	}
	fputs("\nFormats:\n", to);
	for (const struct output_format *f = output_formats; f->name; f++)
		help_row(to, f->name, f->help);
	fputc('\n', to);
	help_text(to, 0, "Exit status: 0 fine, 1 an I/O error or a worker that died or hung, 2 "
			 "a mistake on the command line or in a job file, 3 a condition of "
			 "--fail-if that is not kept, 4 a doubt with --strict, 130 or 143 "
			 "interrupted (the report is whole).");
}
