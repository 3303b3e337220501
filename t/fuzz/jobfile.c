// SPDX-License-Identifier: MIT
/*
 * A libFuzzer target: any bytes as a job file. What the reader takes goes on to the parsers of
 * `vary` lines, sizes, times and numbers; all of it must end in a value or in one error text,
 * whatever the bytes. t/fuzz/run builds and starts it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/job/jobfile.h"
#include "../../core/job/units.h"
#include "../../core/job/vary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_value(const struct jobfile_pair *pair)
{
	const char *why = NULL;
	struct vary vary;
	struct err err = { "" };
	uint64_t u;
	int64_t i;

	if (!pair->value)
		return;
	if (units_size(pair->value, 1024, &u, &why) && !why)
		abort();
	why = NULL;
	if (units_time(pair->value, 1000000000, &u, &why) && !why)
		abort();
	why = NULL;
	if (units_int(pair->value, &i, &why) && !why)
		abort();
	if (!vary_parse(&vary, pair, &err))
		vary_free(&vary);
	else if (!err.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jobfile file = { 0 };
	struct err err = { "" };
	char path[64];
	int fd = memfd_create("jobfile", 0);

	/* An include would reach out of the test, into files that nobody chose. */
	if (fd < 0 || memmem(data, size, "include", 7)) {
		close(fd);
		return 0;
	}
	if (write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (jobfile_read(&file, path, &err) && (!err.text[0] || strchr(err.text, '\n')))
		abort();
	for (size_t s = 0; s < file.nsections; s++) {
		for (size_t p = 0; p < file.sections[s].npairs; p++)
			parse_value(&file.sections[s].pairs[p]);
	}
	jobfile_free(&file);
	close(fd);
	return 0;
}
