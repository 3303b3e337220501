// SPDX-License-Identifier: MIT
#include "turns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../result/repeats.h"

static const char drop_path[] = "/proc/sys/vm/drop_caches";

long turns_files(const struct plan *plan, struct turn **files)
{
	size_t n = 0;

	*files = calloc(plan->nstages + 1, sizeof(**files));
	if (!*files)
		return -ENOMEM;
	for (size_t i = 0; i < plan->jobs->n; i++) {
		const struct job *job = &plan->jobs->list[i];

		if (!n || job->first)
			(*files)[n++].first = job->stage;
		(*files)[n - 1].end = job->stage + 1;
	}
	return (long)n;
}

size_t turns_file(const struct turns *turns, size_t round, size_t j, size_t k)
{
	size_t sum = j;

	for (; turns->interleave && k > 1 && round; round /= k)
		sum += round % k;
	return sum % k;
}

static int open_drop(struct err *err)
{
	int fd = open(drop_path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, errno, "--drop-caches: %s: %s%s", drop_path, strerror(errno),
				errno == EACCES ? " (only root may drop them)" : "");
	return fd;
}

int turns_may_drop(struct err *err)
{
	int fd = open_drop(err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int turns_drop(struct err *err)
{
	int fd = open_drop(err);
	int r = 0;

	if (fd < 0)
		return fd;
	sync();
	if (write(fd, "3\n", 2) != 2)
		r = err_set(err, errno, "--drop-caches: %s: %s", drop_path, strerror(errno));
	close(fd);
	return r;
}

int turns_more(const struct turns *turns, struct result *result)
{
	struct result_until *until = &result->until;

	if (result->nrepeats < turns->repeats)
		return 1;
	if (!turns->by_rule)
		return 0;
	if (repeats_widest(result, &turns->metric, &until->widest_percent))
		return -ENOMEM;
	until->reached = until->widest_percent <= turns->percent;
	/* Not a number: no job has a figure, and none will come. */
	return until->widest_percent > turns->percent && result->nrepeats < turns->most;
}
