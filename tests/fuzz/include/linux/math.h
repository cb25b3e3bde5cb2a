/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_MATH_H
#define FUZZ_LINUX_MATH_H

#define round_down(value, step)					\
({								\
	__auto_type round_value = (value);			\
								\
	round_value - round_value % (step);			\
})

#endif
