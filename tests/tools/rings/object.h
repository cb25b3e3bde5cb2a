/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_OBJECT_H
#define RINGS_OBJECT_H

#include <infiniband/verbs.h>

#include "device.h"

/* A ring as it is mapped here.  @control is NULL when it is not. */
struct ring {
	struct svt_ring_control *control;
	struct svt_ring_info info;
	u32 index;		/* ours: the next entry to fill, or to read */
};

struct cq {
	struct ring ring;
	u32 handle;
};

struct srq {
	struct ring ring;
	u32 handle;
	u32 max_sge;
};

struct mr {
	u8 *addr;
	u32 length;
	u32 handle;
	u32 lkey;
	u32 rkey;
};

struct mw {
	u32 handle;
	u32 rkey;
	u8 type;
};

struct ah {
	u32 handle;
	u32 number;		/* as a work request names it */
};

struct qp_caps {
	u32 send_wr, send_sge, inline_data;
	u32 recv_wr, recv_sge;
};

struct qp {
	struct ring sq, rq;
	struct qp_caps caps;
	u32 handle;
	u32 qpn;
	u8 type;		/* enum ibv_qp_type */
};

/* How to reach a peer */
struct peer {
	const u8 *gid;
	u32 qpn;
	u32 qkey;		/* UD */
	int access;		/* what it may do besides: enum ib_uverbs_access_flags */
	bool patient;		/* 7 retries of seconds, not 4 of 70 ms */
};

/*
 * All return 0 or a negative errno.  @element comes back with asynchronous events.  The queues are
 * mapped when they have been created.
 */
int pd_create(const struct device *dev, u32 *pd);
int mr_create(const struct device *dev, u32 pd, void *addr, u32 length, int access,
	      struct mr *mr);
int mr_destroy(const struct device *dev, const struct mr *mr);
int mw_create(const struct device *dev, u32 pd, u8 type, struct mw *mw);
int ah_create(const struct device *dev, u32 pd, const u8 *gid, struct ah *ah);
int ah_destroy(const struct device *dev, const struct ah *ah);
int cq_create(const struct device *dev, u32 entries, int channel, u64 element, struct cq *cq);
int cq_destroy(const struct device *dev, struct cq *cq);
int srq_create(const struct device *dev, u32 pd, u32 entries, u32 max_sge, u64 element,
	       struct srq *srq);
int srq_destroy(const struct device *dev, struct srq *srq);
int channel_create(const struct device *dev, int *fd);

struct qp_wish {
	struct qp_caps caps;
	const struct cq *send_cq, *recv_cq;
	const struct srq *srq;	/* NULL: a receive queue of its own */
	u32 pd;
	u64 element;
	u8 type;
};

int qp_create(const struct device *dev, const struct qp_wish *wish, struct qp *qp);
int qp_destroy(const struct device *dev, struct qp *qp);
int qp_reset(const struct device *dev, struct qp *qp);
/* From RESET to RTS */
int qp_connect(const struct device *dev, const struct qp *qp, const struct peer *peer);
int qp_to(const struct device *dev, const struct qp *qp, enum ibv_qp_state state);
int qp_state(const struct device *dev, const struct qp *qp);
int qp_doorbell(int fd, u32 handle);

int ring_map(struct ring *ring, int fd);
void ring_unmap(struct ring *ring);

static inline void *ring_element(const struct ring *ring, u32 index)
{
	return (u8 *)(ring->control + 1) +
	       (size_t)(index & (ring->info.entries - 1)) * ring->info.stride;
}

/* Release: the kernel sees what was written to the elements before */
static inline void ring_publish(struct ring *ring, u32 producer)
{
	__atomic_store_n(&ring->control->producer, producer, __ATOMIC_RELEASE);
}

#endif
