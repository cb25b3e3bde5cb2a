/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_ROAM_H
#define VERIFY_ROAM_H

#include "test.h"

struct roam;

/* For a thread that goes from CPU to CPU. At the end of the test it is free again. */
struct roam *roam_new(struct test *t);
/* To the @n-th CPU, counted around, of those that it had at first. */
void roam_to(struct roam *r, u32 n);

#endif
