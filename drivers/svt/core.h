/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The core's part of a device: the tables by which objects are found.
 */
#ifndef SVT_CORE_H
#define SVT_CORE_H

#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/xarray.h>
#include <rdma/svt.h>

#include "counters.h"
#include "mem/keys.h"

/*
 * Limits for all processes together, so high that memory ends before; rdma.max and memory.max of
 * control groups limit a process. Processes get half of the 24 bit QPNs, and three quarters of the
 * 24 bit keys of regions and windows: if more were in use, to find a free one would take long.
 */
#define SVT_MAX_QP		(1 << 23)
#define SVT_MAX_CQ		(1 << 24)
#define SVT_MAX_SRQ		((1 << 24) - 1)
#define SVT_MAX_PD		(1 << 30)
#define SVT_MAX_XRCD		(1 << 30)
#define SVT_MAX_AH		(1 << 30)
#define SVT_MAX_MR		(1 << 23)
#define SVT_MAX_DM		(1 << 24)
#define SVT_MAX_MW		(1 << 22)
/* Kernel clients get so many more of each */
#define SVT_RESERVE(most)	((most) / 8)
#define SVT_MAX_CQE		((1 << 20) - 1)
#define SVT_MAX_SRQ_WR		(1 << 15)
#define SVT_MAX_RD_ATOMIC	128
#define SVT_MAX_MULTICAST	(1 << 24)
#define SVT_MAX_MULTICAST_QP	(1 << 24)
/* Each frame is compared with all rules */
#define SVT_MAX_RULES		1024

/*
 * Charged for an object that has no other memory of svt, as ib_core does not charge its structs and
 * tables: 200 to 400 bytes each.
 */
#define SVT_DEPOSIT_BYTES	512

/**
 * struct svt_core - a device's tables
 * @keys: regions and windows
 * @qps: struct svt_qp by QPN; RCU, changed by create and destroy
 * @gsi: QP 1, RCU
 * @ahs: struct svt_av by number; RCU; its lock is taken with interrupts off
 * @ah_next: next number to try, so that none is used again soon
 * @multicast: struct svt_multicast_group by GID; RCU, changed under @multicast_lock
 * @multicast_lock: groups and their members
 * @multicast_count: groups
 * @rules: struct svt_rule, in the order of checks; RCU, changed under @rules_lock
 * @rules_lock: flow rules
 * @rules_count: flow rules
 * @link: last report of the backend; under @link_lock
 * @link_lock: innermost
 * @same_host: QPs may do without packets on one host; the administrator changes it at any time
 * @bad_pkey_count: packets with another P_Key; approximate
 * @qkey_violation_count: datagrams with another Q_Key; approximate
 * @counters: per CPU
 * @counter_sets: struct svt_counter_set by number, see verbs/counter.c; its own lock
 * @workqueue: for runs that used up their budget, or yielded; bound to the CPU that asks
 * @pd_count: in use, see SVT_MAX_PD
 * @mr_count: likewise
 * @mw_count: likewise
 * @dm_count: likewise
 * @qp_count: likewise
 * @cq_count: likewise
 * @srq_count: likewise
 * @xrcd_count: likewise
 * @ah_count: likewise, of processes
 * @srq_number: last one given
 * @xrc_srqs: struct svt_srq of XRC by number; RCU
 * @xrc_srq_next: as @ah_next
 */
struct svt_core {
	struct svt_keys keys;
	struct rhashtable qps;
	struct svt_qp __rcu *gsi;
	struct xarray ahs;
	u32 ah_next;
	struct rhashtable multicast;
	struct mutex multicast_lock; /* see above */
	u32 multicast_count;
	struct list_head rules;
	struct mutex rules_lock; /* see above */
	u32 rules_count;
	spinlock_t link_lock; /* see above */
	struct svt_link link;
	bool same_host;
	u32 bad_pkey_count;
	u32 qkey_violation_count;
	struct svt_counters __percpu *counters;
	struct xarray counter_sets;
	struct workqueue_struct *workqueue;
	atomic_t pd_count;
	atomic_t mr_count;
	atomic_t mw_count;
	atomic_t dm_count;
	atomic_t qp_count;
	atomic_t cq_count;
	atomic_t srq_count;
	atomic_t xrcd_count;
	atomic_t ah_count;
	atomic_t srq_number;
	struct xarray xrc_srqs;
	u32 xrc_srq_next;
};

#endif
