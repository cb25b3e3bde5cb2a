// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The traffic: the client keeps all QPs busy with RDMA WRITEs, posting on a QP when one of that QP
 * is done, and stops when all together have done enough. The server only has the memory.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "dev.h"
#include "oob.h"
#include "qpattr.h"
#include "share.h"

#define MEET_MS		60000
#define PSN		0x123456
#define BATCH		16

struct share {
	const struct common_options *o;
	u32 qps;
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp[QPS_MAX];
	u8 *buf;
	int oob;
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

static int complain(const char *what, int err)
{
	fprintf(stderr, "svt_share: %s: %s\n", what, strerror(err));
	return -1;
}

static int meet(struct share *s, u32 step, const void *mine, struct oob_frame *theirs, u32 len)
{
	int ret = oob_send(s->oob, 1, 0, step, mine, len);

	if (!ret)
		ret = oob_recv(s->oob, theirs, clock_limit(MEET_MS));
	if (!ret && (theirs->head.step != step || theirs->head.len != len))
		ret = -EPROTO;
	return ret ? complain("no peer with the same options", -ret) : 0;
}

static int create(struct share *s)
{
	struct ibv_qp_init_attr a = {
		.cap = { .max_send_wr = s->o->depth, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	u32 i;

	s->buf = calloc(1, s->o->size);
	if (!s->buf)
		return complain("no memory", ENOMEM);
	s->pd = ibv_alloc_pd(s->dev.ctx);
	if (!s->pd)
		return complain("ibv_alloc_pd", errno);
	s->mr = ibv_reg_mr(s->pd, s->buf, s->o->size,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!s->mr)
		return complain("ibv_reg_mr", errno);
	s->cq = ibv_create_cq(s->dev.ctx, s->qps * s->o->depth, NULL, NULL, 0);
	if (!s->cq)
		return complain("ibv_create_cq", errno);
	a.send_cq = s->cq;
	a.recv_cq = s->cq;
	for (i = 0; i < s->qps; i++) {
		s->qp[i] = ibv_create_qp(s->pd, &a);
		if (!s->qp[i])
			return complain("ibv_create_qp", errno);
	}
	return 0;
}

static int connect_all(struct share *s)
{
	struct oob_frame mine = {}, theirs;
	struct hello *out = (struct hello *)mine.data, *in = (struct hello *)theirs.data;
	struct qp_path p;
	int err;
	u32 i;

	*out = (struct hello){
		.gid = s->dev.gid, .addr = (uintptr_t)s->buf, .rkey = s->mr->rkey,
		.mtu = dev_mtu_bytes(s->dev.port.active_mtu),
		.qps = s->qps, .size = s->o->size,
	};
	for (i = 0; i < s->qps; i++)
		out->qpn[i] = s->qp[i]->qp_num;
	if (meet(s, 0, out, &theirs, sizeof(*out)))
		return -1;
	if (in->qps != out->qps || in->size != out->size)
		return complain("the peer has other options", EINVAL);
	s->remote_addr = in->addr;
	s->remote_rkey = in->rkey;
	qpattr_defaults(&p);
	p.peer.psn = PSN;
	p.peer.gid = in->gid;
	p.sq_psn = PSN;
	p.sgid_index = s->dev.gid_index;
	p.rd_atomic = 1;
	p.mtu = dev_mtu_enum(min_u32(in->mtu, out->mtu));
	for (i = 0; i < s->qps; i++) {
		p.peer.qpn = in->qpn[i];
		err = qpattr_to_rts(s->qp[i], &p);
		if (err)
			return complain("ibv_modify_qp", err);
	}
	return meet(s, 1, NULL, &theirs, 0);
}

static int post(struct share *s, u32 i)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, s->o->size, s->mr->lkey };
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
		int n = ibv_poll_cq(s->cq, left < BATCH ? left : BATCH, wc);

		if (n < 0)
			return complain("ibv_poll_cq", EIO);
		if (again(s, wc, n, done))
			return -1;
		left -= n;
	}
	return 0;
}

/* The process ends after this: the kernel releases what is left. */
int share_run(const struct common_options *o, u32 qps, u32 *done)
{
	struct share s = { .o = o, .qps = qps };
	struct oob_frame frame;

	if (dev_open(&s.dev, o->dev, o->gid_index))
		return -1;
	s.oob = o->host ? oob_connect(o->host, o->port, clock_limit(MEET_MS)) :
			  oob_accept(o->port, clock_limit(MEET_MS));
	if (s.oob < 0)
		return complain("no connection to the peer", -s.oob);
	if (create(&s) || connect_all(&s))
		return -1;
	if (o->host && keep_busy(&s, done))
		return -1;
	return meet(&s, 2, NULL, &frame, 0);
}
