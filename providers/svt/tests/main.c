// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs all tests of the provider's own code, against the kernel that fake.c pretends to be. Prints
 * a line for each and "N passed, N failed" last; fails when one of them did.
 */
#include <unistd.h>

#include "test.h"

#define TIME_LIMIT_S	120

int main(void)
{
	/* A wake-up that is lost would otherwise be waited for until the end of time */
	alarm(TIME_LIMIT_S);
	test_run(send_tests);
	test_run(wr_api_tests);
	test_run(recv_tests);
	test_run(cq_tests);
	test_run(library_tests);
	test_run(stress_tests);
	return test_summary();
}
