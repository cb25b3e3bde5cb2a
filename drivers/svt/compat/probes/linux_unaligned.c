// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.12 moved the header */
#ifdef OLD
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif
