// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory: copies stay within it, and what the kernel says of it is checked.
 */
#include <errno.h>
#include <unistd.h>

#include "../dm.h"
#include "fake.h"

#define LENGTH	100

static struct ibv_dm *alloc(uint64_t length, uint64_t mapped, uint32_t comp_mask)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .comp_mask = comp_mask };

	fake.dm = (struct svt_dm_info){ .mmap_length = mapped, .length = length };
	assert_int_equal(ftruncate(fake_context()->cmd_fd, mapped), 0);
	return svt_alloc_dm(fake_context(), &attr);
}

static int dm_setup(void **state)
{
	fake_setup(state);
	*state = alloc(LENGTH, 4096, 0);
	return *state ? 0 : -1;
}

static int dm_teardown(void **state)
{
	return svt_free_dm(*state);
}

static void copies_arrive_and_come_back(void **state)
{
	struct ibv_dm *dm = *state;
	char found[8];

	assert_int_equal(dm->memcpy_to_dm(dm, 92, "contents", 8), 0);
	assert_int_equal(pread(fake_context()->cmd_fd, found, 8, 92), 8);
	assert_memory_equal(found, "contents", 8);
	memset(found, 0, sizeof(found));
	assert_int_equal(dm->memcpy_from_dm(found, dm, 92, 8), 0);
	assert_memory_equal(found, "contents", 8);
}

static void copies_stay_within_it_in_whole_words(void **state)
{
	static const struct {
		uint64_t offset;
		size_t length;
		int err;
	} copies[] = {
		{ 0, LENGTH, 0 }, { LENGTH - 4, 4, 0 }, { LENGTH, 0, 0 },
		{ 0, LENGTH + 4, EINVAL }, { LENGTH - 4, 8, EINVAL }, { LENGTH + 4, 0, EINVAL },
		{ 2, 4, EINVAL }, { 4, 2, EINVAL },
		{ UINT64_MAX - 3, 4, EINVAL }, { 4, SIZE_MAX - 3, EINVAL },
	};
	struct ibv_dm *dm = *state;
	char data[LENGTH] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		assert_int_equal(dm->memcpy_to_dm(dm, copies[i].offset, data, copies[i].length),
				 copies[i].err);
		assert_int_equal(dm->memcpy_from_dm(data, dm, copies[i].offset, copies[i].length),
				 copies[i].err);
	}
}

static void what_cannot_be_mapped_is_not_there(void **state)
{
	assert_null(alloc(LENGTH, 4096, 1));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(alloc(4100, 4096, 0));
	assert_int_equal(errno, EPROTO);
	fake.no_mappings = 1;
	assert_null(alloc(LENGTH, 4096, 0));
	assert_int_equal(errno, ENOMEM);
}

const struct CMUnitTest tests[] = {
	{ "dm: copies arrive and come back", copies_arrive_and_come_back,
	  dm_setup, dm_teardown, NULL },
	{ "dm: copies stay within it, in whole words", copies_stay_within_it_in_whole_words,
	  dm_setup, dm_teardown, NULL },
	{ "dm: what cannot be mapped is not there", what_cannot_be_mapped_is_not_there,
	  fake_setup, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
