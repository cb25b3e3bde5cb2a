/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_LOCAL_LOCK_H
#define SVT_COMPAT_LINUX_LOCAL_LOCK_H

/* For current, which older ones leave to who includes them */
#include <linux/sched.h>
#include_next <linux/local_lock.h>

/* Then BH off is the lock, on real-time kernels too */
#ifndef SVT_HAVE_LOCAL_LOCK_NESTED_BH
static inline void local_lock_nested_bh(local_lock_t __percpu *lock)
{
	lockdep_assert_in_softirq();
}

static inline void local_unlock_nested_bh(local_lock_t __percpu *lock)
{
	lockdep_assert_in_softirq();
}
#endif

#endif
