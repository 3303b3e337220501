/* SPDX-License-Identifier: MIT */
/*
 * The environment of a run: kernel, CPU, memory, limits, and for the files their filesystems and
 * the devices under them, read out of /proc and /sys. What a machine has not is simply not there.
 */
#ifndef ENVIRON_H
#define ENVIRON_H

#include <stddef.h>
#include <sys/types.h>

#include "../err.h"
#include "../result/facts.h"

/* How a fact is compared, between two results or before and after a run. */
enum environ_rule {
	ENVIRON_PLAIN,
	ENVIRON_NEARLY,  /* numbers no more than 5, or 5 percent, apart are the same */
	ENVIRON_MOVES,   /* load and the like: recorded before and after, never compared */
	ENVIRON_IGNORED, /* another one with every boot or login: never compared */
};

/* Of a key as struct facts has it. */
enum environ_rule environ_rule(const char *key);

/* Whose environment is read, and what it is about. */
struct environ {
	const char *root; /* where proc/, sys/ and etc/ lie: "" is this machine; not owned */
	char **paths;     /* files and directories */
	size_t npaths;
	dev_t *devices;   /* block devices */
	size_t ndevices;
};

/*
 * Adds a file or directory, which need not exist yet, or a block device; the filesystem and the
 * devices under it will be part of the environment. With a root the path is taken as it is.
 */
int environ_add(struct environ *env, const char *path, struct err *err);
int environ_add_device(struct environ *env, dev_t dev);
void environ_free(struct environ *env);

/* Everything that is known now, sorted, added to facts. A few milliseconds. 0 or -ENOMEM. */
int environ_read(const struct environ *env, struct facts *facts);

/*
 * Masks what may be a password or a key, in place: in words with blanks or commas between them
 * ("cifs,password=x"), the value of each whose name speaks of one, and "user:password" before an @.
 */
void environ_mask(char *words);

#endif
