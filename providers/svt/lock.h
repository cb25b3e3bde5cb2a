/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The lock of a queue: a spin lock, or nothing when the application promised, by a thread domain or
 * a flag, that it will not use the queue from two threads at once.
 */
#ifndef SVT_LOCK_H
#define SVT_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct svt_lock {
	pthread_spinlock_t spin;
	bool needed;
};

static inline void svt_lock_init(struct svt_lock *lock, bool needed)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->needed = needed;
}

static inline void svt_lock(struct svt_lock *lock)
{
	if (lock->needed)
		pthread_spin_lock(&lock->spin);
}

static inline void svt_unlock(struct svt_lock *lock)
{
	if (lock->needed)
		pthread_spin_unlock(&lock->spin);
}

#endif
