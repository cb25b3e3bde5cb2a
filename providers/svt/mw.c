// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows live in the kernel alone. Windows of type 1 are bound here, those of type 2 by a
 * send request that the application posts itself.
 */
#include <stdlib.h>

#include "mw.h"
#include "send_queue.h"

struct ibv_mw *svt_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp response = {};
	struct ibv_alloc_mw command = {};
	struct ibv_mw *mw;
	int err;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;
	err = ibv_cmd_alloc_mw(pd, type, mw, &command, sizeof(command), &response,
			       sizeof(response));
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	return mw;
}

int svt_dealloc_mw(struct ibv_mw *mw)
{
	int err = ibv_cmd_dealloc_mw(mw);

	if (!err)
		free(mw);
	return err;
}

/* Under the send queue's lock: threads that bind a window through the same QP get a key each */
static int put_bind(struct svt_qp *qp, struct ibv_mw *mw, const struct ibv_mw_bind *bind)
{
	uint32_t index = qp->send.ring.index;
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	struct svt_send_wqe *wqe;
	int err;

	if (bind->send_flags & IBV_SEND_INLINE)
		return EINVAL;
	err = svt_send_start(qp, index, IBV_WR_BIND_MW, bind->wr_id, bind->send_flags, &wqe);
	if (err)
		return err;
	err = svt_send_set_bind(wqe, mw, rkey, &bind->bind_info);
	if (err)
		return err;
	svt_ring_publish(&qp->send.ring, index + 1);
	return 0;
}

/**
 * svt_bind_mw - post a request to bind a window of type 1
 * @ibqp: whose send queue carries it out
 * @mw: has its new key when this returns; should the request fail, the application puts the old
 *	one back (ibv_bind_mw(3))
 * @bind: to what
 *
 * Return: as svt_post_send().
 */
int svt_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	int err;

	if (!svt_may_send(qp))
		return EINVAL;
	svt_lock(&qp->send.lock);
	err = put_bind(qp, mw, bind);
	svt_unlock(&qp->send.lock);
	return err ? err : svt_qp_kick(qp, &qp->send.ring);
}
