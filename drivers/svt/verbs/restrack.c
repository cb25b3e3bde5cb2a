// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What `rdma resource show ... -dd` tells of an object beyond what ib_core knows. The values are
 * for people: they are read one by one, most without a lock, while others change them by plain
 * writes; hence __no_kcsan. ib_core keeps the object meanwhile. Without rdma_restrack_begin_del()
 * it may show one while the destroy operation runs, when only the struct is still valid.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "verbs.h"

struct svt_field {
	const char *name;
	u32 value;
};

static int svt_put_fields(struct sk_buff *msg, const struct svt_field *fields, int count)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	int i;

	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < count; i++) {
		if (rdma_nl_put_driver_u32(msg, fields[i].name, fields[i].value)) {
			nla_nest_cancel(msg, table);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}

/* @qp may be on its way out: svt_destroy_qp() takes the ring away under the lock */
static u32 svt_rq_posted(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	unsigned long flags;
	u32 posted = 0;

	spin_lock_irqsave(&recv->post_lock, flags);
	if (recv->ring.control)
		posted = READ_ONCE(recv->ring.control->producer);
	spin_unlock_irqrestore(&recv->post_lock, flags);
	return posted;
}

__no_kcsan int svt_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	const struct svt_send_half *send = &qp->send;
	const struct svt_ring *rq = &qp->recv.ring;
	const struct svt_field fields[] = {
		{ "path_mtu", READ_ONCE(qp->mtu) },
		{ "rate_limit", READ_ONCE(qp->attr.rate_limit) },
		{ "sq_entries", READ_ONCE(send->ring.entries) },
		{ "sq_index", READ_ONCE(send->ring.index) },
		{ "sq_outstanding", READ_ONCE(send->head) - READ_ONCE(send->tail) },
		{ "sq_psn_next", READ_ONCE(send->cursor.psn) },
		{ "sq_psn_unacknowledged", READ_ONCE(send->una) },
		{ "sq_retry_left", READ_ONCE(send->retry_left) },
		{ "sq_rnr_retry_left", READ_ONCE(send->rnr_retry_left) },
		{ "rq_entries", READ_ONCE(rq->entries) },
		{ "rq_index", READ_ONCE(rq->index) },
		{ "rq_posted", svt_rq_posted(qp) },
		{ "rq_psn_expected", READ_ONCE(qp->recv.epsn) },
	};

	return svt_put_fields(msg, fields, ARRAY_SIZE(fields));
}

int svt_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct svt_cq *cq = to_svt_cq(ibcq);
	struct svt_field fields[] = {
		{ "entries" },
		{ "producer" },
		{ "overrun" },
	};
	unsigned long flags;

	/* A resize changes both under the lock */
	spin_lock_irqsave(&cq->lock, flags);
	fields[0].value = cq->ring.entries;
	fields[1].value = cq->ring.index;
	fields[2].value = cq->failed;
	spin_unlock_irqrestore(&cq->lock, flags);
	return svt_put_fields(msg, fields, ARRAY_SIZE(fields));
}

int svt_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct svt_mr *mr = to_svt_mr(ibmr);
	const struct svt_field fields[] = {
		{ "access", READ_ONCE(mr->key.access) },
		{ "windows", max(atomic_read(&mr->windows), 0) },
	};

	return svt_put_fields(msg, fields, ARRAY_SIZE(fields));
}

__no_kcsan int svt_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	const struct svt_srq *srq = to_svt_srq(ibsrq);
	const struct svt_field fields[] = {
		{ "max_wr", READ_ONCE(srq->max_wr) },
		{ "index", READ_ONCE(srq->ring.index) },
		{ "limit", READ_ONCE(srq->limit) },
		{ "error", READ_ONCE(srq->error) },
		{ "srq_num", srq->srq_num },
	};

	return svt_put_fields(msg, fields, ARRAY_SIZE(fields));
}
