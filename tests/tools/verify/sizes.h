/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_SIZES_H
#define VERIFY_SIZES_H

#include "flow.h"

/* The sizes around every boundary that a transport may have, each at four pairs of offsets. */
extern const u32 sizes[];
extern const u32 sizes_num;

struct plan *sizes_plan(struct test *t, const struct op *op, u64 tag);
/* One size, all pairs of offsets; for UC, whose messages must not come faster than they go. */
struct plan *size_plan(struct test *t, const struct op *op, u32 len, u64 tag);

#endif
