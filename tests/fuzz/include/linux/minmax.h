/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_MINMAX_H
#define FUZZ_LINUX_MINMAX_H

#define min_t(type, a, b)					\
({								\
	type min_first = (a), min_second = (b);			\
								\
	min_first < min_second ? min_first : min_second;	\
})

#endif
