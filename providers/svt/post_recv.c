// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_recv(). Any thread, under the receive queue's lock. The kernel looks at the queue when a
 * message comes, so it is woken only when the QP is in error and what was posted has to be flushed.
 */
#include <errno.h>

#include "qp.h"

int svt_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	struct ibv_recv_wr *first = wr;
	int doorbell_err;
	int err;

	/* IBTA 10.3.1: receives may be posted in any state but RESET */
	if (ibqp->srq || qp->kind->xrc || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	err = svt_recv_queue_post(&qp->recv, wr, bad_wr);
	if (err && *bad_wr == first)
		return err;
	doorbell_err = svt_qp_kick(qp, &qp->recv.ring);
	if (doorbell_err)
		*bad_wr = first;
	return doorbell_err ? doorbell_err : err;
}
