/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_WORKQUEUE_H
#define SVT_COMPAT_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>

/* What is not unbound is bound */
#ifndef SVT_HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

#endif
