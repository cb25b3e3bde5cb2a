// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of single QPs (`rdma statistic qp`). A bound QP counts there and no longer with the
 * others of its device; ib_core adds both for the port. A mutex of ib_core serialises the
 * operations on one counter, but for dealloc; svt_qp.modify_lock, taken under it, keeps two
 * counters from one QP. The engine counts and `rdma statistic` reads in RCU read sections: a set
 * is freed a grace period after its last QP has left.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "verbs.h"

/* Many: a mode of `rdma statistic` gives each process its own set */
#define SVT_MAX_COUNTER_SETS	XA_LIMIT(1, U32_MAX)

/* The QPs bound to a rdma_counter count here. In svt_core.counter_sets by rdma_counter.id. */
struct svt_counter_set {
	struct svt_counters __percpu *counters;
};

static struct svt_core *svt_counter_core(const struct rdma_counter *counter)
{
	return to_svt_device(counter->device)->core;
}

/* NULL: no QP was ever bound to @counter. The set stays until the end of the read section. */
static struct svt_counter_set *svt_counter_set_find(const struct rdma_counter *counter)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "a set of counters may be freed at any time");
	return xa_load(&svt_counter_core(counter)->counter_sets, counter->id);
}

static void svt_counter_set_free(struct svt_counter_set *set)
{
	free_percpu(set->counters);
	kfree(set);
}

static int svt_counter_set_alloc(struct rdma_counter *counter)
{
	struct svt_counter_set *set = kzalloc(sizeof(*set), SVT_GFP_CHARGED);
	int ret = -ENOMEM;

	if (!set)
		return -ENOMEM;
	set->counters = alloc_percpu_gfp(struct svt_counters, SVT_GFP_CHARGED);
	if (set->counters)
		ret = xa_alloc(&svt_counter_core(counter)->counter_sets, &counter->id, set,
			       SVT_MAX_COUNTER_SETS, SVT_GFP_CHARGED);
	if (ret)
		svt_counter_set_free(set);
	return ret;
}

static int svt_counter_attach(struct rdma_counter *counter, struct svt_qp *qp)
{
	struct svt_counter_set *set = xa_load(&qp->core->counter_sets, counter->id);
	int ret = -EINVAL;

	/* Some versions of ib_core bind a QP to a counter that they are about to free */
	if (!set)
		return ret;
	mutex_lock(&qp->modify_lock);
	/* Without rdma_restrack_begin_del() they bind a QP that they are destroying */
	if (!qp->ibqp.counter && !qp->stopped) {
		WRITE_ONCE(qp->counters, set->counters);
		qp->ibqp.counter = counter;
		ret = 0;
	}
	mutex_unlock(&qp->modify_lock);
	return ret;
}

/* ib_device_ops.counter_bind_qp; @counter->id is 0 before the first QP. -EBUSY: no number left. */
int svt_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port)
{
	bool fresh = !counter->id;
	int ret = 0;

	if (fresh)
		ret = svt_counter_set_alloc(counter);
	if (ret)
		return ret;
	ret = svt_counter_attach(counter, to_svt_qp(ibqp));
	if (ret && fresh)
		svt_counter_dealloc(counter);
	return ret;
}

int svt_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	struct svt_qp *qp = to_svt_qp(ibqp);

	mutex_lock(&qp->modify_lock);
	WRITE_ONCE(qp->counters, qp->core->counters);
	ibqp->counter = NULL;
	mutex_unlock(&qp->modify_lock);
	return 0;
}

/* ib_device_ops.counter_init: does nothing, but ib_core calls it unconditionally */
void svt_counter_init(struct rdma_counter *counter)
{
}

/* ib_device_ops.counter_dealloc; waits until nobody counts in the set or reads it */
int svt_counter_dealloc(struct rdma_counter *counter)
{
	struct svt_counter_set *set;

	set = xa_erase(&svt_counter_core(counter)->counter_sets, counter->id);
	if (!set)
		return 0;
	synchronize_rcu_expedited();
	svt_counter_set_free(set);
	counter->id = 0;
	return 0;
}

struct rdma_hw_stats *svt_counter_alloc_stats(struct rdma_counter *counter)
{
	return svt_stats_alloc();
}

/* ib_device_ops.counter_update_stats. -EINVAL: no QP was ever bound. */
int svt_counter_update_stats(struct rdma_counter *counter)
{
	struct svt_counter_set *set;

	/* Pairs with synchronize_rcu_expedited() in svt_counter_dealloc() */
	rcu_read_lock();
	set = svt_counter_set_find(counter);
	if (set)
		svt_stats_read(counter->stats, set->counters);
	rcu_read_unlock();
	return set ? 0 : -EINVAL;
}
