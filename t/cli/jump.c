// SPDX-License-Identifier: MIT
/*
 * For LD_PRELOAD: CLOCK_MONOTONIC is a minute ahead as soon as the file $JUMP_FILE is there, which
 * is what a TSC that fell back looks like.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *ts)
{
	const char *file = getenv("JUMP_FILE");
	int r = (int)syscall(SYS_clock_gettime, id, ts);

	if (id == CLOCK_MONOTONIC && file && access(file, F_OK) == 0)
		ts->tv_sec += 60;
	return r;
}
