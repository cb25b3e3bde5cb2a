// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The traffic: the client keeps all QPs busy with RDMA WRITEs, posting on a QP when one of that QP
 * is done, and stops when all together have done enough. The server only has the memory.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "complaint.h"
#include "endpoint.h"
#include "oob.h"
#include "qpattr.h"
#include "share.h"

#define PSN	0x123456
#define BATCH	16

struct share {
	const struct common_options *o;
	u32 qps;
	struct endpoint end;
	struct ibv_qp *qp[QPS_MAX];
	u64 remote_addr;
	u32 remote_rkey;
};

struct hello {
	union ibv_gid gid;
	u64 addr;
	u32 rkey;
	u32 mtu;
	u32 qps;
	u32 size;
	u32 qpn[QPS_MAX];
};

static_assert(sizeof(struct hello) <= OOB_DATA_MAX, "the numbers of all QPs go in one frame");

static int create_qps(struct share *s)
{
	struct ibv_qp_init_attr a = {
		.send_cq = s->end.cq,
		.recv_cq = s->end.cq,
		.cap = { .max_send_wr = s->o->depth, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	u32 i;

	for (i = 0; i < s->qps; i++) {
		s->qp[i] = ibv_create_qp(s->end.pd, &a);
		if (!s->qp[i])
			return complain("ibv_create_qp", errno);
	}
	return 0;
}

static int connect_all(struct share *s)
{
	struct hello theirs, mine = {
		.gid = s->end.dev.gid, .addr = (uintptr_t)s->end.buf, .rkey = s->end.mr->rkey,
		.mtu = dev_mtu_bytes(s->end.dev.port.active_mtu),
		.qps = s->qps, .size = s->o->size,
	};
	struct qp_path p;
	int err;
	u32 i;

	for (i = 0; i < s->qps; i++)
		mine.qpn[i] = s->qp[i]->qp_num;
	if (endpoint_meet(&s->end, &mine, &theirs, sizeof(mine)))
		return -1;
	if (theirs.qps != mine.qps || theirs.size != mine.size)
		return complain("the peer has other options", EINVAL);
	s->remote_addr = theirs.addr;
	s->remote_rkey = theirs.rkey;
	qpattr_defaults(&p);
	p.peer.psn = PSN;
	p.peer.gid = theirs.gid;
	p.sq_psn = PSN;
	p.sgid_index = s->end.dev.gid_index;
	p.rd_atomic = 1;
	p.mtu = dev_mtu_enum(min_u32(theirs.mtu, mine.mtu));
	for (i = 0; i < s->qps; i++) {
		p.peer.qpn = theirs.qpn[i];
		err = qpattr_to_rts(s->qp[i], &p);
		if (err)
			return complain("ibv_modify_qp", err);
	}
	return endpoint_meet(&s->end, NULL, NULL, 0);
}

static int post(struct share *s, u32 i)
{
	struct ibv_sge sge = { (uintptr_t)s->end.buf, s->o->size, s->end.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = s->remote_addr, .rkey = s->remote_rkey },
	};
	int ret = ibv_post_send(s->qp[i], &wr, &bad);

	return ret ? complain("a WRITE was refused", ret) : 0;
}

/* What is done of @wc is posted again.  Return: 0 or -1. */
static int again(struct share *s, const struct ibv_wc *wc, int n, u32 *done)
{
	for (; n--; wc++) {
		if (wc->status) {
			fprintf(stderr, "svt_share: a WRITE of QP %llu: %s\n",
				(unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status));
			return -1;
		}
		done[wc->wr_id]++;
		if (post(s, wc->wr_id))
			return -1;
	}
	return 0;
}

static int keep_busy(struct share *s, u32 *done)
{
	u64 left = (u64)s->qps * s->o->num;
	struct ibv_wc wc[BATCH];
	u32 i, d;

	for (d = 0; d < s->o->depth; d++)
		for (i = 0; i < s->qps; i++)
			if (post(s, i))
				return -1;
	while (left) {
		int n = ibv_poll_cq(s->end.cq, left < BATCH ? left : BATCH, wc);

		if (n < 0)
			return complain("ibv_poll_cq", EIO);
		if (again(s, wc, n, done))
			return -1;
		left -= n;
	}
	return 0;
}

int share_run(const struct common_options *o, u32 qps, u32 *done)
{
	struct share s = { .o = o, .qps = qps };

	if (endpoint_open(&s.end, o, qps * o->depth) || create_qps(&s) || connect_all(&s))
		return -1;
	if (o->host && keep_busy(&s, done))
		return -1;
	return endpoint_meet(&s.end, NULL, NULL, 0);
}
