/* SPDX-License-Identifier: MIT */
/* What every unit test program shares: one suite, run to its end, its totals printed by Check. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>

/* ck_assert() for hot loops: Check notes each of its own in a file before it looks. */
#define ck_quick(condition) ((condition) ? (void)0 : ck_abort_msg("%s", #condition))

static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
