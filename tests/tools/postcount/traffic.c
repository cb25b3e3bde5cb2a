// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The measured traffic: the client posts as in a bandwidth test, keeping the queue full, both
 * sides poll, the server posts receives again as they complete.  The time limit is an alarm:
 * reading the clock may be a system call.
 */
#include <errno.h>
#include <stdio.h>

#include "complaint.h"
#include "count.h"
#include "endpoint.h"
#include "qpattr.h"
#include "traffic.h"

#define BATCH		16
#define RECV_DEPTH	4	/* receive requests, in multiples of the depth */

struct traffic {
	const struct common_options *o;
	const struct traffic_kind *kind;
	struct traffic_sums *sums;
	struct endpoint end;
	struct ibv_qp *qp;
	u32 recv_depth;
	u64 remote_addr;
	u32 remote_rkey;
};

struct hello {
	struct qp_addr qp;
	u64 addr;
	u32 rkey;
	u32 mtu;
};

static int create_qp(struct traffic *t)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = t->end.cq,
		.recv_cq = t->end.cq,
		.cap = {
			.max_send_wr = t->o->depth,
			.max_recv_wr = t->recv_depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = t->end.pd,
	};

	if (t->kind->extended) {
		a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		a.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE;
	}
	t->qp = ibv_create_qp_ex(t->end.dev.ctx, &a);
	return t->qp ? 0 : complain("ibv_create_qp_ex", errno);
}

static int connect_qp(struct traffic *t)
{
	u32 mtu = t->kind->mtu ? t->kind->mtu : dev_mtu_bytes(t->end.dev.port.active_mtu);
	struct hello mine = {
		.qp = { t->qp->qp_num, 0x123456, t->end.dev.gid },
		.addr = (uintptr_t)t->end.buf,
		.rkey = t->end.mr->rkey,
		.mtu = mtu,
	};
	struct hello theirs;
	struct qp_path p;
	int err;

	if (endpoint_meet(&t->end, &mine, &theirs, sizeof(mine)))
		return -1;
	qpattr_defaults(&p);
	p.peer = theirs.qp;
	p.sq_psn = mine.qp.psn;
	p.sgid_index = t->end.dev.gid_index;
	p.rd_atomic = 1;
	p.mtu = dev_mtu_enum(min_u32(mtu, theirs.mtu));
	t->remote_addr = theirs.addr;
	t->remote_rkey = theirs.rkey;
	err = qpattr_to_rts(t->qp, &p);
	return err ? complain("ibv_modify_qp", err) : 0;
}

static int post_plain(struct traffic *t, u32 i)
{
	struct ibv_sge sge = { (uintptr_t)t->end.buf, t->o->size, t->end.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = i,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = t->kind->write ? IBV_WR_RDMA_WRITE : IBV_WR_SEND,
	};
	struct ibv_send_wr *bad;

	if (!((i + 1) % t->kind->signal_every) || i + 1 == t->o->num)
		wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr.rdma.remote_addr = t->remote_addr;
	wr.wr.rdma.rkey = t->remote_rkey;
	return ibv_post_send(t->qp, &wr, &bad);
}

static int post_extended(struct traffic *t, u32 i)
{
	struct ibv_qp_ex *q = ibv_qp_to_qp_ex(t->qp);

	ibv_wr_start(q);
	q->wr_id = i;
	q->wr_flags = 0;
	if (!((i + 1) % t->kind->signal_every) || i + 1 == t->o->num)
		q->wr_flags = IBV_SEND_SIGNALED;
	if (t->kind->write)
		ibv_wr_rdma_write(q, t->remote_rkey, t->remote_addr);
	else
		ibv_wr_send(q);
	ibv_wr_set_sge(q, t->end.mr->lkey, (uintptr_t)t->end.buf, t->o->size);
	return ibv_wr_complete(q);
}

static int post_send(struct traffic *t, u32 i)
{
	int ret;

	count_enter(PHASE_POST);
	ret = t->kind->extended ? post_extended(t, i) : post_plain(t, i);
	count_enter(PHASE_FREE);
	t->sums->posts++;
	return ret ? complain("a send was refused", ret) : 0;
}

static int post_recv(struct traffic *t, u32 i)
{
	struct ibv_sge sge = { (uintptr_t)t->end.buf, t->o->size, t->end.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	int ret;

	count_enter(PHASE_RECV);
	ret = ibv_post_recv(t->qp, &wr, &bad);
	count_enter(PHASE_FREE);
	t->sums->recvs++;
	return ret ? complain("a receive was refused", ret) : 0;
}

/* The number of completions, or -1. */
static int poll(struct traffic *t, struct ibv_wc *wc)
{
	int i, n;

	count_enter(PHASE_POLL);
	n = ibv_poll_cq(t->end.cq, BATCH, wc);
	count_enter(PHASE_FREE);
	t->sums->polls++;
	if (n < 0)
		return complain("ibv_poll_cq", EIO);
	for (i = 0; i < n; i++) {
		if (wc[i].status == IBV_WC_SUCCESS)
			continue;
		fprintf(stderr, "svt_postcount: request %llu: %s\n",
			(unsigned long long)wc[i].wr_id, ibv_wc_status_str(wc[i].status));
		return -1;
	}
	return n;
}

static int run_client(struct traffic *t)
{
	struct ibv_wc wc[BATCH];
	u32 posted = 0, done = 0;
	int n;

	while (done < t->o->num) {
		for (; posted < t->o->num && posted - done < t->o->depth; posted++) {
			if (!post_send(t, posted))
				continue;
			fprintf(stderr, "svt_postcount: at post %u, %u are complete\n", posted,
				done);
			return -1;
		}
		n = poll(t, wc);
		if (n < 0)
			return -1;
		if (n)
			done = wc[n - 1].wr_id + 1;
	}
	return 0;
}

/* A WRITE needs nothing of the server. */
static int run_server(struct traffic *t)
{
	struct ibv_wc wc[BATCH];
	u32 posted = t->recv_depth, done = 0;
	int i, n;

	while (!t->kind->write && done < t->o->num) {
		n = poll(t, wc);
		if (n < 0)
			return -1;
		for (i = 0; i < n && posted < t->o->num; i++) {
			if (post_recv(t, posted++))
				return -1;
		}
		done += n;
	}
	return 0;
}

static int fill_rq(struct traffic *t)
{
	u32 i;

	for (i = 0; i < t->recv_depth && !t->kind->write; i++)
		if (post_recv(t, i))
			return -1;
	return 0;
}

static int measure(struct traffic *t)
{
	if (!t->o->host && fill_rq(t))
		return -1;
	if (endpoint_meet(&t->end, NULL, NULL, 0))
		return -1;
	if (t->o->host ? run_client(t) : run_server(t))
		return -1;
	return endpoint_meet(&t->end, NULL, NULL, 0);
}

int traffic_run(const struct common_options *o, const struct traffic_kind *kind,
		struct traffic_sums *sums)
{
	struct traffic t = {
		.o = o, .kind = kind, .sums = sums, .recv_depth = o->depth * RECV_DEPTH,
	};

	if (endpoint_open(&t.end, o, o->depth + t.recv_depth) || create_qp(&t) || connect_qp(&t) ||
	    count_start())
		return -1;
	return measure(&t);
}
