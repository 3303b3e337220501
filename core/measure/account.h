/* SPDX-License-Identifier: MIT */
/* What the kernel says a process or thread made the devices move: /proc/self/io. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct account {
	bool known;         /* false: this kernel keeps no such account, or shows it to nobody */
	uint64_t read;      /* bytes fetched from a device */
	uint64_t written;   /* bytes sent to one, or put into the page cache to be sent later */
	uint64_t cancelled; /* of those put there: gone before they were sent, with their file */
};

/* Of this thread alone, or of the whole process. */
void account_read(struct account *account, bool thread);

/* What was added since. */
void account_since(struct account *account, const struct account *before);

#endif
