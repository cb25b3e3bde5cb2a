// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.11: a lock for what is per CPU, as BH off need not be one on real-time kernels */
#include <linux/sched.h>
#include <linux/local_lock.h>

#ifdef OLD
static void local_lock_nested_bh(local_lock_t __percpu *lock)
{
	lockdep_assert_in_softirq();
}

static void local_unlock_nested_bh(local_lock_t __percpu *lock)
{
	lockdep_assert_in_softirq();
}
#endif

static DEFINE_PER_CPU(local_lock_t, lock) = INIT_LOCAL_LOCK(lock);

void probe(void)
{
	local_lock_nested_bh(&lock);
	local_unlock_nested_bh(&lock);
}
