// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Can the provider be loaded, with every symbol that it needs, and does it register with the
 * libibverbs that is installed without a word on stderr?
 */
#include <dlfcn.h>

#include "test.h"

static void load(void **state)
{
	const char *said;
	void *provider;

	capture_stderr();
	provider = dlopen(PROVIDER, RTLD_NOW);
	said = captured_stderr();
	if (!provider)
		fail_msg("%s", dlerror());
	assert_string_equal(said, "");
}

const struct CMUnitTest tests[] = { cmocka_unit_test(load) };

const size_t test_count = ARRAY_SIZE(tests);
