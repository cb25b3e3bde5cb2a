/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_MM_H
#define SVT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>

/* No mapping is one */
#ifndef SVT_HAVE_VM_SHADOW_STACK
#define VM_SHADOW_STACK	0
#endif

#endif
