// SPDX-License-Identifier: MIT
/*
 * A libFuzzer target: any bytes as a result file. What is read goes on to the figures that formats
 * print, and is given back; all of it must end in a result or in one error text, whatever the
 * bytes. t/fuzz/run builds and starts it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/result/metric.h"
#include "../../core/result/read.h"
#include "../../core/result/repeats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct result *result)
{
	static const char *const names[] = { "bw", "lat_mean", "p99", "read.p50", "cpu" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct metric metric;
		double widest;
		struct err err;

		if (metric_parse(&metric, names[i], &err))
			abort();
		for (size_t j = 0; j < result->njobs; j++)
			metric_of(&metric, &result->jobs[j]);
		if (repeats_widest(result, &metric, &widest) || repeats_choose(result, &metric))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result result;
	struct err err = { "" };
	char path[64];
	int fd = memfd_create("result", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!result_read(&result, path, &err))
		look(&result);
	else if (!err.text[0] || strchr(err.text, '\n'))
		abort();
	result_free(&result);
	close(fd);
	return 0;
}
