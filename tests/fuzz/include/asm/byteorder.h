/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt/wire takes from the kernel's header of this name.
 */
#ifndef FUZZ_ASM_BYTEORDER_H
#define FUZZ_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>

#define cpu_to_be16	__cpu_to_be16
#define cpu_to_be32	__cpu_to_be32
#define be16_to_cpu	__be16_to_cpu
#define be32_to_cpu	__be32_to_cpu

#endif
