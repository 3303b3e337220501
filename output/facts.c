// SPDX-License-Identifier: MIT
#include "facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../core/job/units.h"
#include "../core/result/value.h"
#include "wrap.h"

enum {
	LABEL = 13,  /* where what follows a label stands */
	KEY = 600,
	DISKS = 4,   /* that the head of a report has a line for */
};

void facts_print(FILE *to, const struct facts *facts)
{
	size_t width = 0;

	for (size_t i = 0; i < facts->n; i++) {
		size_t n = wrap_width(facts->list[i].key);

		width = n > width && n <= 40 ? n : width;
	}
	for (size_t i = 0; i < facts->n; i++) {
		const struct result_fact *fact = &facts->list[i];
		size_t n = wrap_width(fact->key);

		wrap_print(to, fact->key, strlen(fact->key));
		fprintf(to, "%*s", (int)(n < width ? width - n + 2 : 2), "");
		wrap_print(to, fact->value, strlen(fact->value));
		fputc('\n', to);
	}
}

int facts_print_json(FILE *to, const struct facts *facts)
{
	json_t *object = json_object();
	int r = 0;

	for (size_t i = 0; i < facts->n; i++) {
		json_t *key = value_string(facts->list[i].key);

		object = value_with(object, key ? json_string_value(key) : NULL,
				value_string(facts->list[i].value));
		json_decref(key);
	}
	if (!object || json_dumpf(object, to, JSON_INDENT(2)))
		r = -ENOMEM;
	json_decref(object);
	fputc('\n', to);
	return r;
}

/* ", governor performance"; nothing where that is not known, or there is no such thing. */
static void add(struct wrap *wrap, const struct facts *facts, const char *key, const char *name)
{
	const char *value = facts_get(facts, key);

	if (!value || strncmp(value, "not", 3) == 0)
		return;
	wrap_add(wrap, ", ", "%s %s", name, value);
}

static void add_bytes(struct wrap *wrap, const char *before, const char *value, const char *name)
{
	char buf[32];

	wrap_add(wrap, before, "%s%s", units_print_size(buf, sizeof(buf),
			strtoull(value, NULL, 10)), name);
}

/* How many CPUs "0-3,8" are. */
static unsigned long count_cpus(const char *list)
{
	unsigned long n = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		n += last - first + 1;
		list = end + (*end == ',');
	}
	return n;
}

static void print_cpu(FILE *to, const struct facts *facts)
{
	const char *online = facts_get(facts, "cpu.online");
	const char *allowed = facts_get(facts, "cpu.allowed");
	const char *model = facts_get(facts, "cpu.model");
	struct wrap wrap;

	if (!online)
		return;
	wrap_begin(&wrap, to, 2, LABEL, "cpu");
	wrap_add(&wrap, " ", "%lu x", count_cpus(online));
	wrap_words(&wrap, " ", model ? model : "an unknown model");
	if (allowed && strcmp(allowed, online))
		add(&wrap, facts, "cpu.allowed", "allowed");
	add(&wrap, facts, "cpu.smt", "SMT");
	add(&wrap, facts, "cpu.governor", "governor");
	add(&wrap, facts, "cpu.boost", "boost");
	if (facts_get(facts, "host.hypervisor"))
		wrap_words(&wrap, ", ", "a virtual machine");
	wrap_end(&wrap);
}

/* A limit of our control group, where it is less than there is. */
static void add_limit(struct wrap *wrap, const struct facts *facts, const char *key,
		unsigned long long total)
{
	const char *value = facts_get(facts, key);
	unsigned long long limit = value ? strtoull(value, NULL, 10) : 0;

	if (limit && limit < total)
		add_bytes(wrap, ", ", value, " for our control group");
}

static void print_memory(FILE *to, const struct facts *facts)
{
	const char *total = facts_get(facts, "memory.total");
	const char *swap = facts_get(facts, "memory.swap");
	struct wrap wrap;

	if (!total)
		return;
	wrap_begin(&wrap, to, 2, LABEL, "memory");
	add_bytes(&wrap, " ", total, "");
	add_limit(&wrap, facts, "cgroup.memory.max", strtoull(total, NULL, 10));
	add_limit(&wrap, facts, "cgroup.memory.limit_in_bytes", strtoull(total, NULL, 10));
	if (swap && strcmp(swap, "0"))
		add_bytes(&wrap, ", ", swap, " of swap");
	else if (swap)
		wrap_words(&wrap, ", ", "no swap");
	add(&wrap, facts, "vm.dirty_ratio", "dirty_ratio");
	wrap_end(&wrap);
}

/* The value of one of its keys, or NULL. */
static const char *disk_get(const struct facts *facts, const char *name, const char *word)
{
	char key[KEY];

	snprintf(key, sizeof(key), "disk.%s.%s", name, word);
	return facts_get(facts, key);
}

static void print_disk(FILE *to, const struct facts *facts, const char *name)
{
	const char *size = disk_get(facts, name, "size"), *model = disk_get(facts, name, "model");
	const char *scheduler = disk_get(facts, name, "scheduler");
	const char *stack = disk_get(facts, name, "stack");
	struct wrap wrap;

	wrap_begin(&wrap, to, 2, LABEL, name);
	if (model)
		wrap_words(&wrap, " ", model);
	if (size)
		add_bytes(&wrap, model ? ", " : " ", size, "");
	if (scheduler)
		wrap_add(&wrap, ", ", "scheduler %s", scheduler);
	if (stack)
		wrap_words(&wrap, ", ", stack);
	wrap_end(&wrap);
}

/*
 * Is it the `word` of a disk? Its name then. Partitions have no line: what they are on has one.
 */
static bool disk_name(const struct facts *facts, const char *key, char *name)
{
	const char *last = strrchr(key, '.');

	if (strncmp(key, "disk.", 5) != 0 || strcmp(last, ".size") != 0 || last - key < 6 ||
			last - key > 64)
		return false;
	snprintf(name, 64, "%.*s", (int)(last - key - 5), key + 5);
	return !disk_get(facts, name, "partition");
}

void facts_print_head(FILE *to, const struct facts *facts)
{
	unsigned disks = 0;
	char name[64];

	print_cpu(to, facts);
	print_memory(to, facts);
	for (size_t i = 0; i < facts->n; i++)
		if (disk_name(facts, facts->list[i].key, name) && disks++ < DISKS)
			print_disk(to, facts, name);
	if (disks > DISKS)
		fprintf(to, "  and %u more\n", disks - DISKS);
}

const char *facts_mount_options(const struct facts *facts, const char *directory)
{
	static const char end[] = ".options";
	const char *options = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const char *point = facts->list[i].key + 3;
		size_t n = strlen(point);

		if (strncmp(facts->list[i].key, "fs./", 4) != 0 || n < sizeof(end) - 1 ||
				strcmp(point + n - (sizeof(end) - 1), end) != 0)
			continue;
		n -= sizeof(end) - 1;
		if (n >= longest && strncmp(directory, point, n) == 0 &&
				(n == 1 || !directory[n] || directory[n] == '/')) {
			longest = n;
			options = facts->list[i].value;
		}
	}
	return options;
}
