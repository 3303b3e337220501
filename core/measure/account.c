// SPDX-License-Identifier: MIT
#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void account_read(struct account *account, bool thread)
{
	FILE *file = fopen(thread ? "/proc/thread-self/io" : "/proc/self/io", "re");
	char line[64], name[32];
	uint64_t value;

	*account = (struct account){ .known = file };
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31[a-z_]: %" SCNu64, name, &value) != 2)
			continue;
		if (!strcmp(name, "read_bytes"))
			account->read = value;
		else if (!strcmp(name, "write_bytes"))
			account->written = value;
		else if (!strcmp(name, "cancelled_write_bytes"))
			account->cancelled = value;
	}
	if (file)
		fclose(file);
}

void account_since(struct account *account, const struct account *before)
{
	account->known = account->known && before->known;
	account->read -= before->read;
	account->written -= before->written;
	account->cancelled -= before->cancelled;
}
