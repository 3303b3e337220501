/* SPDX-License-Identifier: MIT */
/* Result files back into results: JSON that iojob wrote, and JSON of fio 3. */
#ifndef READ_H
#define READ_H

#include "../err.h"
#include "result.h"

/*
 * Reads a file (`-`: standard input) into an empty result. One of iojob's comes back whole; of one
 * of fio's what it holds: latencies are coarse (see dist.h) unless it is json+, and a note says
 * what is not what it seems. 0, or -errno with a text that names the file and the line or the place
 * in it, and an empty result. Free with result_free().
 */
int result_read(struct result *result, const char *path, struct err *err);

#endif
