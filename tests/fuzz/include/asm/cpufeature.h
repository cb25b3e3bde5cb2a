/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_ASM_CPUFEATURE_H
#define FUZZ_ASM_CPUFEATURE_H

#define X86_FEATURE_AVX		"avx"
#define X86_FEATURE_PCLMULQDQ	"pclmul"

#define boot_cpu_has(feature)	__builtin_cpu_supports(feature)

#endif
