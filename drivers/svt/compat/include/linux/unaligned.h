/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Up to 6.11 these accessors stand in <asm/unaligned.h>. This directory is searched after the
 * kernel's own, so a kernel that has <linux/unaligned.h> never sees this file.
 */
#ifndef SVT_COMPAT_LINUX_UNALIGNED_H
#define SVT_COMPAT_LINUX_UNALIGNED_H

#include <asm/unaligned.h>

#endif
