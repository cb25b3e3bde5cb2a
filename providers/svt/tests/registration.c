// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the provider registers with libibverbs, for which this program stands in: the linker finds
 * its function first. Devices of a module with another ABI are refused, in one line.
 */
#include <dlfcn.h>
#include <stdio.h>

#include <rdma/svt-abi.h>

#include "../rdma-core.h"
#include "test.h"

static const struct verbs_device_ops *registered;

void verbs_register_driver(const struct verbs_device_ops *ops)
{
	registered = ops;
}

/* It registers when it is loaded for the first time, and stays */
static int load(void **state)
{
	return dlopen(PROVIDER, RTLD_NOW) && registered ? 0 : -1;
}

static bool matches(const struct verbs_match_ent *match, uint32_t abi, const char *words)
{
	struct verbs_sysfs_dev device = { .match = match, .abi_ver = abi, .ibdev_name = "svt7" };
	bool matched;

	capture_stderr();
	matched = registered->match_device(&device);
	assert_string_equal(captured_stderr(), words);
	return matched;
}

static void another_abi_is_told_once(void **state)
{
	const struct verbs_match_ent *ours = registered->match_table;
	uint32_t abi = SVT_UVERBS_ABI_VERSION;
	char words[200];

	snprintf(words, sizeof(words),
		 "svt: svt7 has ABI %u, this provider %u: install both from one release\n",
		 abi + 1, abi);
	assert_true(matches(ours, abi, ""));
	assert_false(matches(ours, abi + 1, words));
	assert_false(matches(ours, abi - 1, ""));
	assert_true(matches(ours, abi, ""));
}

static void devices_of_others_are_not_taken(void **state)
{
	assert_false(matches(NULL, SVT_UVERBS_ABI_VERSION, ""));
	assert_false(matches(NULL, SVT_UVERBS_ABI_VERSION + 1, ""));
}

static void one_abi_is_claimed(void **state)
{
	assert_int_equal(registered->match_min_abi_version, SVT_UVERBS_ABI_VERSION);
	assert_int_equal(registered->match_max_abi_version, SVT_UVERBS_ABI_VERSION);
	assert_int_equal(registered->match_table[0].kind, VERBS_MATCH_DRIVER_ID);
	assert_int_equal(registered->match_table[0].u.driver_id, SVT_DRIVER_ID);
	assert_int_equal(registered->match_table[1].kind, VERBS_MATCH_SENTINEL);
}

const struct CMUnitTest tests[] = {
	{ "registration: a module with another ABI is told once", another_abi_is_told_once,
	  load, NULL, NULL },
	{ "registration: devices of others are not taken", devices_of_others_are_not_taken,
	  load, NULL, NULL },
	{ "registration: one driver and one ABI is claimed", one_abi_is_claimed, load, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
