/* SPDX-License-Identifier: MIT */
/* What every unit test program shares: one suite, run to its end, its totals printed by Check. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>

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
