/* SPDX-License-Identifier: MIT */
/* How far a stage is, for who wants to see it: out of the counters of its workers. */
#ifndef SHOW_H
#define SHOW_H

#include <stdint.h>

#include "stage.h"

enum { SHOW_NS = 250000000 }; /* between two pictures */

/* Hands a picture to stage->show, if it is time for one. */
void show_progress(struct stage *stage, uint64_t now_ns);

#endif
