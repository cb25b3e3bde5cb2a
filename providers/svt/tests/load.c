// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Can the provider be loaded, with every symbol that it needs, and does it register with the
 * libibverbs that is installed without a word on stderr?
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "test.h"

static void load(void **state)
{
	int saved = dup(STDERR_FILENO);
	FILE *words = tmpfile();
	char said[1000];
	void *provider;

	assert_non_null(words);
	dup2(fileno(words), STDERR_FILENO);
	provider = dlopen(PROVIDER, RTLD_NOW);
	dup2(saved, STDERR_FILENO);
	close(saved);
	if (!provider)
		fail_msg("%s", dlerror());
	rewind(words);
	if (fgets(said, sizeof(said), words))
		fail_msg("%s", said);
	fclose(words);
}

const struct CMUnitTest tests[] = { cmocka_unit_test(load) };

const size_t test_count = ARRAY_SIZE(tests);
