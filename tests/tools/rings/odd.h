/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_ODD_H
#define RINGS_ODD_H

#include "random.h"

/* Small, near a power of two, near the end, or anything */
u64 random_odd(struct random *r);
/* Flips 1 to 8 bits of one byte */
void random_flip(struct random *r, void *at, size_t bytes);

#endif
