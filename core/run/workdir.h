/* SPDX-License-Identifier: MIT */
/*
 * The directory of a PostMark worker: made before its stage, and removed after it with whatever a
 * worker that died has left there.
 */
#ifndef WORKDIR_H
#define WORKDIR_H

#include "../err.h"

/* Makes it and s0 .. in it (below two: none). On error nothing is left of it. */
int workdir_make(const char *path, unsigned subdirectories, struct err *err);

/* Only what PostMark makes is removed; what else is in there stays, and is an error. */
int workdir_remove(const char *path, struct err *err);

#endif
