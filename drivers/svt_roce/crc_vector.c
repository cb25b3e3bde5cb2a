// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CRC32 on x86-64, with AVX and PCLMULQDQ (V. Gopal et al., "Fast CRC Computation for Generic
 * Polynomials Using PCLMULQDQ Instruction", Intel 2009). Two multiplications of 64 bits fold a
 * block of 16 bytes n bits ahead onto another block, which is then equivalent to both. Four lanes
 * keep the multiplier busy. The constants are powers of x modulo the polynomial, bits reversed,
 * shifted by one because a product of reversed factors is.
 *
 * The compiler uses no vector registers, so they keep their values between asm statements: xmm0 to
 * xmm3 are the lanes (xmm0 alone between groups), xmm4 and xmm5 scratch, xmm6 and xmm7 constants.
 * Call all of this between roce_vector_enter() and roce_vector_leave().
 */
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "crc_vector.h"

/* Bytes of a group: a block for each lane */
#define GROUP	(4 * ROCE_CRC_BLOCK)

/* x^(n + 32) and x^(n - 32), for n of 512 and of 128 */
static const u64 by_512[2] __aligned(16) = { 0x154442bd4, 0x1c6e41596 };
static const u64 by_128[2] __aligned(16) = { 0x1751997d0, 0x0ccaa009e };
/* x^64; the quotient of x^64 and the polynomial; the polynomial */
static const u64 by_64[2] __aligned(16) = { 0x163cd6124, 0 };
static const u64 barrett[2] __aligned(16) = { 0x1f7011641, 0x1db710641 };
static const u64 low_32[2] __aligned(16) = { 0xffffffff, 0 };

/* xmm@lane, multiplied by the constants in xmm@by, is xmm@lane plus xmm4 */
#define MULTIPLY(lane, by)						\
	"vpclmulqdq $0x00, %%xmm" by ", %%xmm" lane ", %%xmm4\n\t"	\
	"vpclmulqdq $0x11, %%xmm" by ", %%xmm" lane ", %%xmm" lane "\n\t"

/* Plus the block at @at */
#define FOLD(lane, by, at)						\
	MULTIPLY(lane, by)						\
	"vpxor " at ", %%xmm4, %%xmm4\n\t"				\
	"vpxor %%xmm4, %%xmm" lane ", %%xmm" lane "\n\t"

/* Two lanes with the 32 bytes at @at(from), which are read once, for the sake of those who write */
#define FOLD_COPY(first, second, at)					\
	"vmovdqu " at "(%[from]), %%ymm5\n\t"				\
	"vmovdqu %%ymm5, " at "(%[to])\n\t"				\
	FOLD(first, "6", "%%xmm5")					\
	FOLD(second, "6", at "+16(%[to])")

/* A group of four blocks, and two of them */
#define FOLD_GROUP(at)							\
	FOLD("0", "6", at "(%[from])") FOLD("1", "6", at "+16(%[from])")	\
	FOLD("2", "6", at "+32(%[from])") FOLD("3", "6", at "+48(%[from])")

#define FOLD_COPY_GROUP(at)						\
	FOLD_COPY("0", "1", at) FOLD_COPY("2", "3", at "+32")

#define FOLD_GROUPS(at)							\
	FOLD_GROUP(at) FOLD_GROUP(at "+64")

#define FOLD_COPY_GROUPS(at)						\
	FOLD_COPY_GROUP(at) FOLD_COPY_GROUP(at "+64")

#define TURN	8

/* BH off until roce_vector_leave(). Return: false: no such unit, or interrupted code uses it */
bool roce_vector_enter(void)
{
	if (!boot_cpu_has(X86_FEATURE_AVX) || !boot_cpu_has(X86_FEATURE_PCLMULQDQ) ||
	    !irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

void roce_vector_leave(void)
{
	asm volatile("vzeroupper");
	kernel_fpu_end();
}

static void load_constants(void)
{
	asm volatile("vmovdqa %0, %%xmm6\n\t"
		     "vmovdqa %1, %%xmm7"
		     : : "m" (by_512), "m" (by_128));
}

static void load(const u8 *folded)
{
	load_constants();
	asm volatile("vmovdqa %0, %%xmm0" : : "m" (*(const u8 (*)[16])folded));
}

/* The first block, onto a register of ones: they are added to its first four bytes */
static void load_first(const u8 *block)
{
	load_constants();
	asm volatile("vmovdqa %[ones], %%xmm0\n\t"
		     "vpxor %[block], %%xmm0, %%xmm0"
		     : : [ones] "m" (low_32), [block] "m" (*(const u8 (*)[16])block));
}

static void store(u8 *folded)
{
	asm volatile("vmovdqa %%xmm0, %0" : "=m" (*(u8 (*)[16])folded));
}

static void fold_block(const u8 *from)
{
	asm volatile(FOLD("0", "7", "(%[from])") : : [from] "r" (from) : "memory");
}

static void fold_copy_block(u8 *to, const u8 *from)
{
	asm volatile("vmovdqu (%[from]), %%xmm5\n\t"
		     "vmovdqu %%xmm5, (%[to])\n\t"
		     FOLD("0", "7", "%%xmm5")
		     : : [from] "r" (from), [to] "r" (to) : "memory");
}

/* A group onto the one lane that there is, which makes four of it */
static void spread_group(const u8 *from)
{
	asm volatile(FOLD("0", "7", "(%[from])")
		     "vmovdqu 16(%[from]), %%xmm1\n\t"
		     "vmovdqu 32(%[from]), %%xmm2\n\t"
		     "vmovdqu 48(%[from]), %%xmm3"
		     : : [from] "r" (from) : "memory");
}

static void spread_copy_group(u8 *to, const u8 *from)
{
	asm volatile("vmovdqu (%[from]), %%xmm5\n\t"
		     "vmovdqu 16(%[from]), %%xmm1\n\t"
		     "vmovdqu 32(%[from]), %%xmm2\n\t"
		     "vmovdqu 48(%[from]), %%xmm3\n\t"
		     "vmovdqu %%xmm5, (%[to])\n\t"
		     "vmovdqu %%xmm1, 16(%[to])\n\t"
		     "vmovdqu %%xmm2, 32(%[to])\n\t"
		     "vmovdqu %%xmm3, 48(%[to])\n\t"
		     FOLD("0", "7", "%%xmm5")
		     : : [from] "r" (from), [to] "r" (to) : "memory");
}

/* The four lanes into one, block by block */
static void gather_lanes(void)
{
	asm volatile(FOLD("0", "7", "%%xmm1") FOLD("0", "7", "%%xmm2") FOLD("0", "7", "%%xmm3")
		     : :);
}

static void fold(const u8 *from, const u8 *end)
{
	if (end - from >= GROUP) {
		spread_group(from);
		from += GROUP;
		for (; end - from >= TURN * GROUP; from += TURN * GROUP)
			asm volatile(FOLD_GROUPS("0") FOLD_GROUPS("128")
				     FOLD_GROUPS("256") FOLD_GROUPS("384")
				     : : [from] "r" (from) : "memory");
		for (; end - from >= GROUP; from += GROUP)
			asm volatile(FOLD_GROUP("0") : : [from] "r" (from) : "memory");
		gather_lanes();
	}
	for (; from < end; from += ROCE_CRC_BLOCK)
		fold_block(from);
}

/* @folded, aligned to 16 bytes, becomes equivalent to itself and the blocks at @from */
void roce_vector_fold(u8 *folded, const u8 *from, unsigned int blocks)
{
	load(folded);
	fold(from, from + blocks * ROCE_CRC_BLOCK);
	store(folded);
}

static void fold_copy(u8 *to, const u8 *from, const u8 *end)
{
	if (end - from >= GROUP) {
		spread_copy_group(to, from);
		from += GROUP;
		to += GROUP;
		for (; end - from >= TURN * GROUP; from += TURN * GROUP, to += TURN * GROUP)
			asm volatile(FOLD_COPY_GROUPS("0") FOLD_COPY_GROUPS("128")
				     FOLD_COPY_GROUPS("256") FOLD_COPY_GROUPS("384")
				     : : [from] "r" (from), [to] "r" (to) : "memory");
		for (; end - from >= GROUP; from += GROUP, to += GROUP)
			asm volatile(FOLD_COPY_GROUP("0")
				     : : [from] "r" (from), [to] "r" (to) : "memory");
		gather_lanes();
	}
	for (; from < end; from += ROCE_CRC_BLOCK, to += ROCE_CRC_BLOCK)
		fold_copy_block(to, from);
}

/* The same with a copy. Nobody else writes to @to */
void roce_vector_fold_copy(u8 *folded, u8 *to, const u8 *from, unsigned int blocks)
{
	load(folded);
	fold_copy(to, from, from + blocks * ROCE_CRC_BLOCK);
	store(folded);
}

/*
 * The CRC of xmm0. 128 bits become 96, 64, then 64 with the CRC in the lower half: the upper 64 or
 * 32 go down by x^64. Barrett's estimate of the quotient by the polynomial is exact here.
 */
static u32 reduce(void)
{
	u32 crc;

	asm volatile("vmovdqa %[by_64], %%xmm6\n\t"
		     "vmovdqa %[low_32], %%xmm7\n\t"
		     "vmovdqa %[barrett], %%xmm3\n\t"
		     "vpclmulqdq $0x00, %%xmm6, %%xmm0, %%xmm1\n\t"
		     "vpsrldq $8, %%xmm0, %%xmm0\n\t"
		     "vpslldq $4, %%xmm0, %%xmm0\n\t"
		     "vpxor %%xmm1, %%xmm0, %%xmm0\n\t"
		     "vpand %%xmm7, %%xmm0, %%xmm1\n\t"
		     "vpclmulqdq $0x00, %%xmm6, %%xmm1, %%xmm1\n\t"
		     "vpsrldq $4, %%xmm0, %%xmm0\n\t"
		     "vpxor %%xmm1, %%xmm0, %%xmm0\n\t"
		     "vpand %%xmm7, %%xmm0, %%xmm1\n\t"
		     "vpclmulqdq $0x00, %%xmm6, %%xmm1, %%xmm1\n\t"
		     "vpsrlq $32, %%xmm0, %%xmm0\n\t"
		     "vpxor %%xmm1, %%xmm0, %%xmm0\n\t"
		     "vpand %%xmm7, %%xmm0, %%xmm1\n\t"
		     "vpclmulqdq $0x00, %%xmm3, %%xmm1, %%xmm1\n\t"
		     "vpand %%xmm7, %%xmm1, %%xmm1\n\t"
		     "vpclmulqdq $0x10, %%xmm3, %%xmm1, %%xmm1\n\t"
		     "vpxor %%xmm1, %%xmm0, %%xmm0\n\t"
		     "vpextrd $1, %%xmm0, %[crc]"
		     : [crc] "=r" (crc)
		     : [by_64] "m" (by_64), [low_32] "m" (low_32), [barrett] "m" (barrett));
	return crc;
}

/* @folded: aligned to 16 bytes. Return: the register after it, if it was zero before */
u32 roce_vector_reduce(const u8 *folded)
{
	load(folded);
	return reduce();
}

/* @head_blocks: at least one; @to may be NULL. Return: the register, if it held ones before */
u32 roce_vector_crc(const u8 *head, unsigned int head_blocks, u8 *to, const u8 *from,
		    unsigned int blocks)
{
	const u8 *end = from + blocks * ROCE_CRC_BLOCK;

	load_first(head);
	fold(head + ROCE_CRC_BLOCK, head + head_blocks * ROCE_CRC_BLOCK);
	if (to)
		fold_copy(to, from, end);
	else
		fold(from, end);
	return reduce();
}
