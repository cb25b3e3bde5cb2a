/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User space has the vector unit for itself.
 */
#ifndef FUZZ_ASM_FPU_API_H
#define FUZZ_ASM_FPU_API_H

#include <stdbool.h>

static inline bool irq_fpu_usable(void)
{
	return true;
}

static inline void kernel_fpu_begin(void)
{
}

static inline void kernel_fpu_end(void)
{
}

#endif
