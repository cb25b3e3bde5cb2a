// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sizes and offsets of the data tests.
 */
#include "sizes.h"

const u32 sizes[] = {
	0, 1, 3, 63, 64, 65, 255, 256, 1023, 1024, 1025, 4095, 4096, 4097, 3 * 4096 + 1,
	65536, 65536 + 7, 1048576 + 13,
};

const u32 sizes_num = ARRAY_SIZE(sizes);

static const struct {
	u32 local, remote;
} offsets[] = {
	{ 0, 0 }, { 1, 7 }, { 7, 4095 }, { 4095, 1 },
};

static void add_size(struct plan *p, const struct op *op, u32 len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct xfer x = {
			.op = op,
			.len = len,
			.local_off = offsets[i].local,
			.remote_off = offsets[i].remote,
		};

		plan_add(p, &x);
	}
}

struct plan *sizes_plan(struct test *t, const struct op *op, u64 tag)
{
	struct plan *p = plan_new(t, sizes_num * ARRAY_SIZE(offsets), tag);
	u32 i;

	for (i = 0; i < sizes_num; i++)
		add_size(p, op, sizes[i]);
	return p;
}

struct plan *size_plan(struct test *t, const struct op *op, u32 len, u64 tag)
{
	struct plan *p = plan_new(t, ARRAY_SIZE(offsets) + 1, tag);

	add_size(p, op, len);
	return p;
}
