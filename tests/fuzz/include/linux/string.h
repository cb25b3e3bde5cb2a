/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_STRING_H
#define FUZZ_LINUX_STRING_H

#include <string.h>

#endif
