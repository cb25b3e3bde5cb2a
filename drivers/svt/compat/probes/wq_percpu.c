// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.17: a workqueue is bound to CPUs by a flag, not by the lack of another */
#include <linux/workqueue.h>

#ifndef OLD
unsigned int flags = WQ_PERCPU;
#endif
