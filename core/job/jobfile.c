// SPDX-License-Identifier: MIT
/*
 * libinih reads the pairs, and only the pairs: it loses sections without keys, cuts section names
 * and long lines, folds indented lines into the key before, has its own mind about comments, and
 * knows no line numbers. So a reader of ours stands before it, which understands lines and hands
 * each pair on in the one spelling that every build of inih takes as it is meant.
 */
#include "jobfile.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grow.h"

#define BLANKS " \t\r\v\f"

enum { INCLUDES = 16 }; /* files within files */

struct source {
	FILE *stream;
	const char *path;
	unsigned line;
	bool inside;    /* included from within a section, which it goes on with */
	size_t section; /* where its pairs go: 1 + index of a section, 0: none has begun */
	dev_t dev;
	ino_t ino;
};

struct reader {
	struct jobfile *file;
	struct err *err;
	int rc;
	struct source sources[1 + INCLUDES]; /* each included by the one before */
	size_t nsources;
	char *line;
	size_t line_size;

	/* The pair on its way through inih. */
	char *key;   /* in line */
	char *value; /* owned; NULL: a bare key */
	bool commented;
	bool aside; /* inih would not read it faithfully and was given a stand-in */
};

static struct source *top(struct reader *r)
{
	return &r->sources[r->nsources - 1];
}

/* An error at the present line. */
#define FAIL(r, ...) err_at((r)->err, EINVAL, top(r)->path, top(r)->line, __VA_ARGS__)

/* ---- the product --------------------------------------------------------------------------- */

static struct jobfile_section *add_section(
		struct jobfile *file, const char *name, const char *path, unsigned line)
{
	struct jobfile_section *sections = grow(file->sections, file->nsections, sizeof(*sections));
	struct jobfile_section *section;

	if (!sections)
		return NULL;
	file->sections = sections;
	section = &sections[file->nsections];
	*section = (struct jobfile_section){
		.name = strdup(name),
		.path = path,
		.line = line,
		.global = strcmp(name, "global") == 0,
	};
	if (!section->name)
		return NULL;
	file->nsections++;
	return section;
}

/* At the end of a section. */
static int add_pair(struct jobfile_section *section, const char *key, const char *value,
		const char *path, unsigned line)
{
	struct jobfile_pair *pairs = grow(section->pairs, section->npairs, sizeof(*pairs));
	struct jobfile_pair *pair;

	if (!pairs)
		return -ENOMEM;
	section->pairs = pairs;
	pair = &pairs[section->npairs];
	*pair = (struct jobfile_pair){ .key = strdup(key), .path = path, .line = line };
	if (value)
		pair->value = strdup(value);
	if (!pair->key || (value && !pair->value)) {
		free(pair->key);
		free(pair->value);
		return -ENOMEM;
	}
	section->npairs++;
	return 0;
}

void jobfile_free(struct jobfile *file)
{
	for (size_t i = 0; i < file->nsections; i++) {
		struct jobfile_section *section = &file->sections[i];

		for (size_t j = 0; j < section->npairs; j++) {
			free(section->pairs[j].key);
			free(section->pairs[j].value);
		}
		free(section->pairs);
		free(section->name);
	}
	for (size_t i = 0; i < file->npaths; i++)
		free(file->paths[i]);
	free(file->sections);
	free(file->paths);
	*file = (struct jobfile){ 0 };
}

/* ---- text ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
	char *end;

	text += strspn(text, BLANKS);
	end = text + strlen(text);
	while (end > text && is_blank(end[-1]))
		end--;
	*end = '\0';
	return text;
}

/*
 * Ends the text at its comment and turns \# and \; into the characters, in place. True where the
 * comment follows something else than a blank.
 */
static bool cut_comment(char *text)
{
	char *out = text;
	char before = ' ';

	for (; *text && *text != '#' && *text != ';'; text++) {
		if (text[0] == '\\' && (text[1] == '#' || text[1] == ';'))
			text++;
		before = *text;
		*out++ = before;
	}
	before = *text ? before : ' ';
	*out = '\0';
	return !is_blank(before);
}

static long long keyword_value(int conf)
{
	long long value = sysconf(conf);

	return conf == _SC_PHYS_PAGES ? value * sysconf(_SC_PAGESIZE) >> 20 : value;
}

/* Writes the value of the keyword at text; returns the keyword's length, or 0 where none stands. */
static size_t expand_keyword(const char *text, FILE *out)
{
	static const struct {
		const char *name;
		int conf;
	} keywords[] = {
		{ "$ncpus", _SC_NPROCESSORS_ONLN },
		{ "$pagesize", _SC_PAGESIZE },
		{ "$mb_memory", _SC_PHYS_PAGES },
	};
	size_t len = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_0123456789"
					  "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (len == strlen(keywords[i].name) && !strncmp(text, keywords[i].name, len)) {
			fprintf(out, "%lld", keyword_value(keywords[i].conf));
			return len;
		}
	return 0;
}

/* Writes the variable whose "${" stands at text; returns the length of it all. */
static int expand_variable(struct reader *r, const char *text, FILE *out)
{
	const char *end = strchr(text, '}');
	const char *value;
	char *name;
	int rc;

	if (!end)
		return FAIL(r, "`%.60s`: the closing `}` is missing", text);
	if (end - text > INT_MAX)
		return FAIL(r, "the name of a variable is too long");
	name = strndup(text + 2, (size_t)(end - text) - 2);
	if (!name)
		return err_memory(r->err);
	value = getenv(name);
	rc = (int)(end - text) + 1;
	if (!value)
		rc = FAIL(r, "${%.60s} is not set in the environment", name);
	else if (strpbrk(value, "\r\n"))
		rc = FAIL(r, "${%.60s} holds a line break, and a value is one line", name);
	else
		fputs(value, out);
	free(name);
	return rc;
}

/*
 * The text with ${VARIABLES} replaced, and where keywords is given $ncpus and its like, too; tells
 * whether there was any. *copy is the caller's to free.
 */
static int expand(struct reader *r, const char *text, char **copy, bool *keywords)
{
	size_t size;
	FILE *out;
	int rc = 0;

	if (!strchr(text, '$')) { /* most have none, and a stream is much for a word */
		*copy = strdup(text);
		return *copy ? 0 : err_memory(r->err);
	}
	out = open_memstream(copy, &size);
	if (!out)
		return err_memory(r->err);
	while (*text && rc >= 0) {
		size_t plain = strcspn(text, "$");
		size_t keyword = 0;

		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		if (text[1] == '{') {
			rc = expand_variable(r, text, out);
			text += rc > 0 ? rc : 0;
			continue;
		}
		if (keywords)
			keyword = expand_keyword(text, out);
		if (keyword) {
			*keywords = true;
			text += keyword;
		} else {
			fputc(*text++, out);
		}
	}
	if (fclose(out) && rc >= 0)
		rc = err_memory(r->err);
	if (rc < 0) {
		free(*copy);
		*copy = NULL;
	}
	return rc < 0 ? rc : 0;
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

static const char not_a_sum[] = "";

/* Works out whole numbers with * / + -. NULL, or not_a_sum, or what is wrong with the sum. */
static const char *calculate(const char *text, int64_t *result)
{
	int64_t sum = 0;
	int64_t term = 0; /* the products so far of what is to be added next */
	char op = '+';

	do {
		const char *digits = text += strspn(text, BLANKS);
		bool over = false;
		int64_t n = 0;

		for (; *text >= '0' && *text <= '9'; text++)
			over |= __builtin_mul_overflow(n, 10, &n) ||
					__builtin_add_overflow(n, *text - '0', &n);
		if (text == digits || !strchr("*/+-", op))
			return not_a_sum;
		if (op == '/' && n == 0)
			return "divides by zero";
		if (op == '/')
			term /= n;
		else if (op == '*')
			over |= __builtin_mul_overflow(term, n, &term);
		else
			over |= __builtin_add_overflow(sum, term, &sum);
		if (op == '+' || op == '-')
			term = op == '+' ? n : -n;
		if (over)
			return "the result is too large";
		text += strspn(text, BLANKS);
		op = *text;
	} while (*text++);
	return __builtin_add_overflow(sum, term, result) ? "the result is too large" : NULL;
}

/* A value: expanded, and worked out where it holds a keyword. */
static int expand_value(struct reader *r, const char *text, char **value)
{
	bool keywords = false;
	int64_t result;
	const char *fault;
	char *start;
	int rc;

	rc = expand(r, text, value, &keywords);
	if (rc)
		return rc;
	start = trim(*value);
	memmove(*value, start, strlen(start) + 1);
	fault = keywords ? calculate(*value, &result) : not_a_sum;
	/* What "/dev/ram$ncpus" must be is for its option to say. */
	if (fault == not_a_sum)
		return 0;
	if (fault)
		return FAIL(r, "%s = %.60s: %s", r->key, *value, fault);
	free(*value);
	if (asprintf(value, "%lld", (long long)result) >= 0)
		return 0;
	*value = NULL;
	return err_memory(r->err);
}

/* ---- files --------------------------------------------------------------------------------- */

/* "a.ini -> b.ini -> PATH" */
static void print_chain(const struct reader *r, const char *path, char *buf, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < r->nsources && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s -> ", r->sources[i].path);
	if (len < size)
		snprintf(buf + len, size - len, "%s", path);
}

/* The path goes to r->file->paths, in any case. */
static int open_source(struct reader *r, char *path)
{
	struct jobfile *file = r->file;
	const struct source *from = r->nsources ? top(r) : NULL;
	struct source source = { .path = path };
	char **paths = grow(file->paths, file->npaths, sizeof(*paths));
	char chain[768];
	struct stat st;

	if (!paths) {
		free(path);
		return err_memory(r->err);
	}
	file->paths = paths;
	paths[file->npaths++] = path;
	print_chain(r, path, chain, sizeof(chain));
	if (r->nsources > INCLUDES)
		return FAIL(r, "more than %d files included in each other: %s", INCLUDES, chain);

	source.stream = !from && !strcmp(path, "<stdin>") ? stdin : fopen(path, "re");
	if (!source.stream || fstat(fileno(source.stream), &st) || S_ISDIR(st.st_mode)) {
		int code = source.stream && S_ISDIR(st.st_mode) ? EISDIR : errno;

		if (source.stream && source.stream != stdin)
			fclose(source.stream);
		return err_at(r->err, code, from ? from->path : NULL, from ? from->line : 0,
				"cannot read %s: %s", path, strerror(code));
	}
	source.dev = st.st_dev;
	source.ino = st.st_ino;
	source.inside = from && from->section;
	source.section = from ? from->section : 0;
	r->sources[r->nsources++] = source;
	for (size_t i = 0; i + 1 < r->nsources; i++)
		if (r->sources[i].dev == source.dev && r->sources[i].ino == source.ino)
			return err_at(r->err, ELOOP, from->path, from->line,
					"include goes in a circle: %s", chain);
	return 0;
}

static void close_source(struct reader *r)
{
	FILE *stream = r->sources[--r->nsources].stream;

	if (stream != stdin)
		fclose(stream);
}

/* The next line, of whatever file is being read: 1, or 0 at the end of all. */
static int next_line(struct reader *r)
{
	static const char bom[] = "\xef\xbb\xbf";

	while (r->nsources) {
		struct source *source = top(r);
		ssize_t len = getline(&r->line, &r->line_size, source->stream);

		if (len >= 0) {
			source->line++;
			if (memchr(r->line, '\0', (size_t)len))
				return FAIL(r, "a NUL byte: this is no text file");
			if (source->line == 1 && strncmp(r->line, bom, 3) == 0)
				memmove(r->line, r->line + 3, (size_t)len - 2);
			if (len && strchr(r->line, '\n'))
				*strchr(r->line, '\n') = '\0';
			return 1;
		}
		if (!feof(source->stream))
			return err_set(r->err, errno, "cannot read %s: %s", source->path,
					strerror(errno));
		close_source(r);
	}
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* "include FILE": relative to the file that says so. */
static int take_include(struct reader *r, char *name, bool commented)
{
	const char *slash = strrchr(top(r)->path, '/');
	int dir = slash ? (int)(slash - top(r)->path) + 1 : 0;
	char *expanded = NULL;
	char *path;
	int rc;

	if (!*name)
		return FAIL(r, "include: the name of a file is missing");
	if (commented)
		return FAIL(r, "include %.200s: is what follows a comment? Put a blank before it, "
				"or write \\# or \\; for the character", name);
	rc = expand(r, name, &expanded, NULL);
	if (rc)
		return rc;
	if (asprintf(&path, "%.*s%s", *expanded == '/' ? 0 : dir, top(r)->path, expanded) < 0)
		path = NULL;
	free(expanded);
	return path ? open_source(r, path) : err_memory(r->err);
}

/* The end of a section's name: its `]`, where brackets in the name itself are balanced; or NULL. */
static char *closing_bracket(char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += *text == '[';
		depth -= *text == ']';
		if (!depth)
			return text;
	}
	return NULL;
}

static int take_section(struct reader *r, char *text)
{
	char *end = closing_bracket(text);
	struct source *source = top(r);
	char *name = NULL;
	char *rest;
	int rc;

	if (!end)
		return FAIL(r, "%.200s: the closing `]` is missing (brackets within a name come in "
				"pairs)", text);
	*end = '\0';
	rest = end + 1;
	cut_comment(rest);
	rest = trim(rest);
	if (*rest)
		return FAIL(r, "[%.200s]%.60s: `%.60s` must not follow the section's name",
				text + 1, rest, rest);
	if (source->inside)
		return FAIL(r, "[%.200s]: a file that is included within a section cannot begin "
				"another", text + 1);
	rc = expand(r, text + 1, &name, NULL);
	if (rc)
		return rc;
	if (!name[strspn(name, BLANKS)])
		rc = FAIL(r, "[%s]: the section's name is missing", name);
	else if (!add_section(r->file, name, source->path, source->line))
		rc = err_memory(r->err);
	source->section = r->file->nsections;
	free(name);
	return rc;
}

static bool key_fits(const char *key)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.";

	return !key[strspn(key, letters)];
}

/* Takes a line apart: 1 where it leaves a pair in r. */
static int take_line(struct reader *r)
{
	char *text = trim(r->line);
	bool commented;
	char *equals;

	if (*text == '[')
		return take_section(r, text);
	commented = cut_comment(text);
	text = trim(text);
	if (!*text)
		return 0;
	if (strncmp(text, "include", 7) == 0 && (!text[7] || is_blank(text[7]) || text[7] == '=')) {
		text += 7 + strspn(text + 7, BLANKS);
		return take_include(r, trim(text + (*text == '=')), commented);
	}
	equals = strchr(text, '=');
	if (equals)
		*equals = '\0';
	r->key = trim(text);
	if (!*r->key)
		return FAIL(r, "a key is missing before `=`");
	if (!key_fits(r->key))
		return FAIL(r, "`%.200s` is no key; a line says KEY = VALUE, or KEY alone", r->key);
	if (!top(r)->section)
		return FAIL(r, "%.200s: stands before any [section]", r->key);
	if (equals) {
		int rc = expand_value(r, trim(equals + 1), &r->value);

		if (rc)
			return rc;
	}
	r->commented = commented && r->value && *r->value;
	return 1;
}

/* Does every inih give this value back as it is? */
static bool plain(const char *value)
{
	for (; *value; value++)
		if (*value < ' ' || *value > '~' || *value == '#' || *value == ';')
			return false;
	return true;
}

/* What inih takes for fgets(3): the next pair as a line, or NULL at the end and after an error. */
static char *read_pair(char *line, int size, void *user)
{
	struct reader *r = user;

	free(r->value);
	r->value = NULL;
	if (r->key && r->rc == 0)
		r->rc = FAIL(r, "%.200s: the INI library lost this line", r->key);
	while (r->rc == 0) {
		r->rc = next_line(r);
		if (r->rc == 0)
			return NULL;
		if (r->rc > 0)
			r->rc = take_line(r);
	}
	if (r->rc < 0)
		return NULL;
	r->rc = 0;
	r->aside = !r->value || !plain(r->value) ||
			strlen(r->key) + strlen(r->value) + sizeof("=\n") > (size_t)size;
	snprintf(line, (size_t)size, "%s=%s\n", r->aside ? "aside" : r->key,
			r->aside ? "" : r->value);
	return line;
}

/* What inih calls with each pair, before it asks for the next line. */
static int take_pair(void *user, const char *section, const char *key, const char *value)
{
	struct reader *r = user;
	struct jobfile_section *to = &r->file->sections[top(r)->section - 1];

	(void)section;
	if (r->aside) {
		key = r->key;
		value = r->value;
	}
	if (add_pair(to, key, value, top(r)->path, top(r)->line)) {
		r->rc = err_memory(r->err);
		return 0;
	}
	to->pairs[to->npairs - 1].commented = r->commented;
	r->key = NULL;
	return 1;
}

int jobfile_read(struct jobfile *file, const char *path, struct err *err)
{
	struct reader r = { .file = file, .err = err };
	size_t first = file->nsections;
	char *copy = strdup(strcmp(path, "-") == 0 ? "<stdin>" : path);

	r.rc = copy ? open_source(&r, copy) : err_memory(r.err);
	if (r.rc == 0 && ini_parse_stream(read_pair, &r, take_pair, &r) && r.rc == 0)
		r.rc = err_set(err, EINVAL, "%s: the INI library cannot read it", path);
	if (file->nsections > first)
		file->sections[first].first = true;
	while (r.nsources)
		close_source(&r);
	free(r.value);
	free(r.line);
	return r.rc;
}
