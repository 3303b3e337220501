// SPDX-License-Identifier: MIT
#include "facts.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/environ.h"

/* ---- lists --------------------------------------------------------------------------------- */

int facts_add(struct facts *facts, const char *key, const char *value)
{
	struct result_fact *list = realloc(facts->list, (facts->n + 1) * sizeof(*list));
	struct result_fact *new;
	size_t n;

	if (!list)
		return -ENOMEM;
	facts->list = list;
	value += strspn(value, " \t\n");
	for (n = strlen(value); n && strchr(" \t\n", value[n - 1]);)
		n--;
	new = &list[facts->n];
	new->key = strdup(key);
	new->value = strndup(value, n);
	if (!new->key || !new->value) {
		free(new->key);
		free(new->value);
		return -ENOMEM;
	}
	facts->n++;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct result_fact *x = a, *y = b;

	return strcmp(x->key, y->key);
}

void facts_sort(struct facts *facts)
{
	if (facts->n)
		qsort(facts->list, facts->n, sizeof(*facts->list), by_key);
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		free(facts->list[i].key);
		free(facts->list[i].value);
	}
	free(facts->list);
	*facts = (struct facts){ NULL, 0 };
}

const char *facts_get(const struct facts *facts, const char *key)
{
	struct result_fact wanted = { .key = (char *)(uintptr_t)key };
	const struct result_fact *found = NULL;

	if (facts->n)
		found = bsearch(&wanted, facts->list, facts->n, sizeof(wanted), by_key);
	return found ? found->value : NULL;
}

struct facts facts_of(const struct result *result)
{
	return (struct facts){ .list = result->facts, .n = result->nfacts };
}

/* ---- before and after ---------------------------------------------------------------------- */

/* Do two values of a key mean the same? NULL: there is none. */
static bool same(enum environ_rule rule, const char *a, const char *b)
{
	char *end_a, *end_b;
	double x, y;

	if (!a || !b)
		return a == b;
	if (rule != ENVIRON_NEARLY)
		return strcmp(a, b) == 0;
	x = strtod(a, &end_a);
	y = strtod(b, &end_b);
	if (*end_a || *end_b)
		return strcmp(a, b) == 0;
	return fabs(x - y) <= fmax(5, 0.05 * fmax(fabs(x), fabs(y)));
}

static int add_suffixed(struct facts *facts, const char *key, const char *suffix, const char *value)
{
	char *name;
	int rc;

	if (asprintf(&name, "%s%s", key, suffix) < 0)
		return -ENOMEM;
	rc = facts_add(facts, name, value);
	free(name);
	return rc;
}

static int add_change(struct facts *facts, const char *key, const char *before, const char *after)
{
	char *name, *value;
	int rc;

	if (asprintf(&name, "changed.%s", key) < 0)
		return -ENOMEM;
	if (asprintf(&value, "%s -> %s", before ? before : "none", after ? after : "none") < 0) {
		free(name);
		return -ENOMEM;
	}
	rc = facts_add(facts, name, value);
	free(value);
	free(name);
	return rc;
}

/* Either value may be missing, not both. */
static int join(struct facts *facts, const char *key, const char *before, const char *after)
{
	enum environ_rule rule = environ_rule(key);
	int rc = 0;

	if (rule == ENVIRON_MOVES) {
		if (before)
			rc = add_suffixed(facts, key, ".before", before);
		if (after && !rc)
			rc = add_suffixed(facts, key, ".after", after);
		return rc;
	}
	rc = facts_add(facts, key, before ? before : after);
	if (!rc && !same(rule, before, after))
		rc = add_change(facts, key, before, after);
	return rc;
}

/* Goes through two sorted lists at once, key by key. */
struct pairs {
	const struct facts *a, *b;
	size_t i, j;
	const char *key, *value_a, *value_b;
};

static bool pairs_next(struct pairs *p)
{
	bool more_a = p->i < p->a->n, more_b = p->j < p->b->n;
	int order;

	if (!more_a && !more_b)
		return false;
	order = !more_a ? 1 : !more_b ? -1 : strcmp(p->a->list[p->i].key, p->b->list[p->j].key);
	p->key = order <= 0 ? p->a->list[p->i].key : p->b->list[p->j].key;
	p->value_a = order <= 0 ? p->a->list[p->i++].value : NULL;
	p->value_b = order >= 0 ? p->b->list[p->j++].value : NULL;
	return true;
}

int facts_join(struct facts *joined, struct facts *before, struct facts *after)
{
	struct pairs p = { .a = before, .b = after };
	int rc = 0;

	while (!rc && pairs_next(&p))
		rc = join(joined, p.key, p.value_a, p.value_b);
	facts_sort(joined);
	facts_free(before);
	facts_free(after);
	return rc;
}

/* ---- two results --------------------------------------------------------------------------- */

/* Of "disk.vda.model" the length of "disk.vda"; 0 where the key is of no device or mount point. */
static size_t instance(const char *key, const char *kind)
{
	const char *last = strrchr(key, '.');
	size_t n = strlen(kind);

	return strncmp(key, kind, n) == 0 && last && last >= key + n ? (size_t)(last - key) : 0;
}

static bool has_instance(const struct facts *facts, const char *kind, const char *key,
		size_t length)
{
	for (size_t i = 0; i < facts->n; i++) {
		const char *other = facts->list[i].key;

		if (instance(other, kind) == length && strncmp(key, other, length) == 0)
			return true;
	}
	return false;
}

/* Of a list that is not sorted. */
static bool knows(const struct facts *facts, const char *key)
{
	size_t i = 0;

	while (i < facts->n && strcmp(facts->list[i].key, key) != 0)
		i++;
	return i < facts->n;
}

/* The devices (or mount points) that `facts` has and `other` has not, each once, in their order. */
static int only_here(const struct facts *facts, const struct facts *other, const char *kind,
		struct facts *only)
{
	for (size_t i = 0; i < facts->n; i++) {
		char *key = facts->list[i].key;
		size_t n = instance(key, kind);
		char *name;
		int rc;

		if (!n || has_instance(other, kind, key, n))
			continue;
		name = strndup(key, n);
		if (!name)
			return -ENOMEM;
		rc = knows(only, name) ? 0 : facts_add(only, name, name + strlen(kind));
		free(name);
		if (rc)
			return rc;
	}
	return 0;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int differ(struct facts_differences *d, const char *key, const char *a, const char *b)
{
	struct facts_difference *list = realloc(d->list, (d->n + 1) * sizeof(*list)), *new;

	if (!list)
		return -ENOMEM;
	d->list = list;
	new = &list[d->n++];
	*new = (struct facts_difference){ .key = copy(key), .a = copy(a), .b = copy(b) };
	return new->key && (new->a || !a) && (new->b || !b) ? 0 : -ENOMEM;
}

/* Gives the keys of b's instance the name of a's. */
static int rename_instance(struct facts *facts, const char *kind, const char *from, const char *to)
{
	size_t n = strlen(from);

	for (size_t i = 0; i < facts->n; i++) {
		char *key = facts->list[i].key, *new;

		if (instance(key, kind) != n || strncmp(key, from, n) != 0)
			continue;
		if (asprintf(&new, "%s%s", to, key + n) < 0)
			return -ENOMEM;
		free(key);
		facts->list[i].key = new;
	}
	return 0;
}

/* Names the devices of b as those of a, where only their names tell which is which. */
static int pair_instances(const struct facts *a, struct facts *b, const char *kind,
		struct facts_differences *d)
{
	struct facts here = { NULL, 0 }, there = { NULL, 0 };
	char label[16];
	int rc;

	snprintf(label, sizeof(label), "%.*s", (int)strlen(kind) - 1, kind);
	rc = only_here(a, b, kind, &here);
	if (!rc)
		rc = only_here(b, a, kind, &there);
	for (size_t i = 0; !rc && here.n == there.n && i < here.n; i++) {
		rc = differ(d, label, here.list[i].value, there.list[i].value);
		if (!rc)
			rc = rename_instance(b, kind, there.list[i].key, here.list[i].key);
	}
	facts_free(&here);
	facts_free(&there);
	return rc;
}

static bool ends_with(const char *key, const char *end)
{
	size_t n = strlen(key), m = strlen(end);

	return n > m && strcmp(key + n - m, end) == 0;
}

/* Of a key with what facts_join() has put around it. */
static enum environ_rule rule_of(const char *key)
{
	if (ends_with(key, ".before") || ends_with(key, ".after"))
		return ENVIRON_MOVES;
	return environ_rule(strncmp(key, "changed.", 8) == 0 ? key + 8 : key);
}

int facts_compare(const struct result *a, const struct result *b, struct facts_differences *d)
{
	struct facts all_a = facts_of(a), all_b = { NULL, 0 };
	struct pairs p = { .a = &all_a, .b = &all_b };
	int rc = 0;

	*d = (struct facts_differences){ NULL, 0 };
	for (size_t i = 0; !rc && i < b->nfacts; i++)
		rc = facts_add(&all_b, b->facts[i].key, b->facts[i].value);
	if (!rc)
		rc = pair_instances(&all_a, &all_b, "disk.", d);
	if (!rc)
		rc = pair_instances(&all_a, &all_b, "fs.", d);
	facts_sort(&all_b);
	while (!rc && pairs_next(&p)) {
		enum environ_rule rule = rule_of(p.key);

		if (rule != ENVIRON_MOVES && rule != ENVIRON_IGNORED &&
				!same(rule, p.value_a, p.value_b))
			rc = differ(d, p.key, p.value_a, p.value_b);
	}
	facts_free(&all_b);
	if (rc)
		facts_differences_free(d);
	return rc;
}

void facts_differences_free(struct facts_differences *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->list[i].key);
		free(d->list[i].a);
		free(d->list[i].b);
	}
	free(d->list);
	*d = (struct facts_differences){ NULL, 0 };
}
