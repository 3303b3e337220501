// SPDX-License-Identifier: MIT
#include "vary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"

/* A word of the line, without its quotes. */
struct token {
	char *text;  /* a key, where there is a value; NULL: a `|` */
	char *value; /* what followed an `=` outside quotes, or NULL */
};

/* An error about the pair at hand. */
#define FAIL(pair, err, format, ...) \
	err_at(err, EINVAL, (pair)->path, (pair)->line, "vary = %.80s: " format, \
			(pair)->value, __VA_ARGS__)

/*
 * Cuts text into tokens, in place; there must be room for strlen(text) of them. False: a quote is
 * left open.
 */
static bool split(char *text, struct token *tokens, size_t *ntokens)
{
	struct token *token = NULL;
	bool quoted = false;
	char *out = text; /* lags behind text by the quotes dropped */
	char c;

	*ntokens = 0;
	do {
		c = *text++;
		if (quoted ? c == '\0' : c == '\0' || c == ' ' || c == '\t' || c == '|') {
			*out = '\0';
			token = NULL;
			if (c == '|')
				tokens[(*ntokens)++] = (struct token){ 0 };
			continue;
		}
		if (!token) {
			token = &tokens[(*ntokens)++];
			*token = (struct token){ .text = out = text - 1 };
		}
		if (c == '"') {
			quoted = !quoted;
		} else if (c == '=' && !quoted && !token->value) {
			*out++ = '\0';
			token->value = out;
		} else {
			*out++ = c;
		}
	} while (c);
	return !quoted;
}

static bool is_point_list(const struct token *tokens, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!tokens[i].text || tokens[i].value)
			return true;
	return false;
}

static int add_setting(struct vary_point *point, const char *key, const char *value)
{
	struct vary_setting *setting = &point->settings[point->nsettings++];

	setting->key = strdup(key);
	setting->value = strdup(value);
	return setting->key && setting->value ? 0 : -ENOMEM;
}

/* The label: the words before the settings; or the settings, where there is none. */
static char *make_label(const struct token *tokens, size_t nwords, size_t n)
{
	char *label = NULL;
	size_t size;
	FILE *out = open_memstream(&label, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < (nwords ? nwords : n); i++)
		fprintf(out, "%s%s%s%s", i ? " " : "", tokens[i].text,
				tokens[i].value ? "=" : "",
				tokens[i].value ? tokens[i].value : "");
	if (fclose(out)) {
		free(label);
		return NULL;
	}
	return label;
}

/* One point of a point list: words, then settings. */
static int take_point(struct vary *vary, const struct jobfile_pair *pair,
		const struct token *tokens, size_t n, struct err *err)
{
	struct vary_point *point = &vary->points[vary->npoints++];
	size_t nwords = 0;

	if (n == 0)
		return FAIL(pair, err, "an empty point: %s",
				"something must stand on both sides of `|`");
	while (nwords < n && !tokens[nwords].value)
		nwords++;
	point->label = make_label(tokens, nwords, n);
	point->settings = calloc(n, sizeof(*point->settings));
	if (!point->label || !point->settings)
		return err_memory(err);
	if (nwords == n)
		return FAIL(pair, err, "`%.80s` sets nothing; a point is LABEL KEY=VALUE ...",
				point->label);
	for (size_t i = nwords; i < n; i++) {
		if (!tokens[i].value)
			return FAIL(pair, err, "`%.80s` stands behind settings and has no `=`; a "
					"bare key is written as KEY=1, a value with blanks in \"\"",
					tokens[i].text);
		if (!*tokens[i].text)
			return FAIL(pair, err, "a key is missing before `=%.80s`",
					tokens[i].value);
		if (add_setting(point, tokens[i].text, tokens[i].value))
			return err_memory(err);
	}
	return 0;
}

static int take_points(struct vary *vary, const struct jobfile_pair *pair,
		const struct token *tokens, size_t n, struct err *err)
{
	size_t start = 0;
	int rc;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && tokens[i].text)
			continue;
		rc = take_point(vary, pair, &tokens[start], i - start, err);
		if (rc)
			return rc;
		start = i + 1;
	}
	return 0;
}

/* A list of values for the key that the axis is named after. */
static int take_values(struct vary *vary, const struct jobfile_pair *pair,
		const struct token *tokens, size_t n, struct err *err)
{
	if (strpbrk(vary->name, " \t"))
		return FAIL(pair, err, "`%.80s` is no key; write KEY: VALUE VALUE ...",
				vary->name);
	for (size_t i = 0; i < n; i++) {
		const char *text = tokens[i].text;
		size_t len = strlen(text);
		struct vary_point *point = &vary->points[vary->npoints++];

		/* "4k," would be a value: the one for reads alone. */
		if (len && text[len - 1] == ',' && i + 1 < n)
			return FAIL(pair, err, "`%.80s`: blanks alone separate the values", text);
		point->label = strdup(text);
		point->settings = calloc(1, sizeof(*point->settings));
		if (!point->label || !point->settings || add_setting(point, vary->name, text))
			return err_memory(err);
	}
	return 0;
}

static int check_points(const struct vary *vary, const struct jobfile_pair *pair, struct err *err)
{
	for (size_t i = 0; i < vary->npoints; i++) {
		const char *label = vary->points[i].label;

		if (!*label)
			return FAIL(pair, err, "%s", "a label must not be empty");
		for (size_t j = 0; j < i; j++)
			if (strcmp(vary->points[j].label, label) == 0)
				return FAIL(pair, err, "`%.80s` is there twice", label);
	}
	if (vary_sets(vary, "vary"))
		return FAIL(pair, err, "%s", "vary cannot be varied");
	return 0;
}

/* The text behind the name. */
static int take_text(
		struct vary *vary, const struct jobfile_pair *pair, char *text, struct err *err)
{
	size_t n = 0;
	struct token *tokens = calloc(strlen(text) + 1, sizeof(*tokens));
	int rc;

	if (!tokens)
		return err_memory(err);
	if (!split(text, tokens, &n)) {
		rc = FAIL(pair, err, "%s", "the closing `\"` is missing");
		goto out;
	}
	if (n == 0) {
		rc = FAIL(pair, err, "nothing follows `%.80s:`; write KEY: VALUE VALUE ... or "
				"NAME: LABEL KEY=VALUE ... | LABEL KEY=VALUE ...", vary->name);
		goto out;
	}
	vary->points = calloc(n + 1, sizeof(*vary->points));
	if (!vary->points)
		rc = err_memory(err);
	else if (is_point_list(tokens, n))
		rc = take_points(vary, pair, tokens, n, err);
	else
		rc = take_values(vary, pair, tokens, n, err);
	if (rc == 0)
		rc = check_points(vary, pair, err);
out:
	free(tokens);
	return rc;
}

int vary_parse(struct vary *vary, const struct jobfile_pair *pair, struct err *err)
{
	const char *name = pair->value ? pair->value + strspn(pair->value, " \t") : "";
	const char *colon = strchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : 0;
	char *text;
	int rc;

	*vary = (struct vary){ .path = pair->path, .line = pair->line };
	if (!*name)
		return err_at(err, EINVAL, pair->path, pair->line,
				"vary: a value is missing; write vary = KEY: VALUE VALUE ...");
	if (pair->commented)
		return FAIL(pair, err, "%s", "is what follows a comment? Put a blank before it, or "
				"write \\# or \\; for the character");
	if (!colon)
		return FAIL(pair, err, "%s", "a `:` is missing; write KEY: VALUE VALUE ...");
	while (len && strchr(" \t", name[len - 1]))
		len--;
	if (!len)
		return FAIL(pair, err, "%s", "a name is missing before `:`");
	vary->name = strndup(name, len);
	text = strdup(colon + 1);
	rc = vary->name && text ? take_text(vary, pair, text, err) : err_memory(err);
	free(text);
	if (rc)
		vary_free(vary);
	return rc;
}

void vary_free(struct vary *vary)
{
	for (size_t i = 0; i < vary->npoints; i++) {
		struct vary_point *point = &vary->points[i];

		for (size_t j = 0; j < point->nsettings; j++) {
			free(point->settings[j].key);
			free(point->settings[j].value);
		}
		free(point->settings);
		free(point->label);
	}
	free(vary->points);
	free(vary->name);
	*vary = (struct vary){ 0 };
}

bool vary_sets(const struct vary *vary, const char *key)
{
	for (size_t i = 0; i < vary->npoints; i++)
		for (size_t j = 0; j < vary->points[i].nsettings; j++)
			if (opt_same_key(vary->points[i].settings[j].key, key))
				return true;
	return false;
}
