/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_UNALIGNED_H
#define SVT_COMPAT_LINUX_UNALIGNED_H

#ifdef SVT_HAVE_LINUX_UNALIGNED
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
