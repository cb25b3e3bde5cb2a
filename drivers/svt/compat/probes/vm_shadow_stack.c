// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.6: shadow stacks of user space */
#include <linux/mm.h>

#ifndef OLD
unsigned long probe(struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_SHADOW_STACK;
}
#endif
