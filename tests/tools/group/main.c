// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_group DEVICE GID_INDEX GROUP receive|send COUNT
 *
 * Datagrams to a multicast group, by verbs alone: nobody joins it on a socket or by librdmacm. The
 * receiver attaches a QP, prints "attached", waits for COUNT datagrams of the sender, compares each
 * with what it has to be, and detaches. Both end by themselves or by an alarm.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "complaint.h"
#include "completion.h"
#include "dev.h"
#include "number.h"
#include "qpattr.h"

#define QKEY		0x11111111
#define GROUP_QPN	0xffffff
#define GRH		40
#define SLOT		512
#define MOST		256
#define LIMIT_MS	120000

struct group {
	struct dev dev;
	union ibv_gid gid;
	u32 count;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	u8 buf[MOST * SLOT];
};

static u32 length_of(u32 nth)
{
	return 100 + nth;
}

static void fill(u8 *to, u32 nth)
{
	u32 i;

	for (i = 0; i < length_of(nth); i++)
		to[i] = (nth + 7 * i) % 251;
}

static int create(struct group *g)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_recv_wr = g->count, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct qp_path path;
	int err;

	g->pd = ibv_alloc_pd(g->dev.ctx);
	g->cq = ibv_create_cq(g->dev.ctx, g->count + 1, NULL, NULL, 0);
	if (!g->pd || !g->cq)
		return complain("PD and CQ", errno);
	g->mr = ibv_reg_mr(g->pd, g->buf, sizeof(g->buf), IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = g->cq;
	init.recv_cq = g->cq;
	g->qp = ibv_create_qp(g->pd, &init);
	if (!g->mr || !g->qp)
		return complain("MR and QP", errno);
	qpattr_defaults(&path);
	path.qkey = QKEY;
	err = qpattr_to_rts(g->qp, &path);
	return err ? complain("QP to RTS", err) : 0;
}

static int wait_for_one(struct group *g, struct ibv_wc *wc)
{
	int err = completion_next(g->cq, wc, LIMIT_MS);

	if (err)
		return complain("a completion", err);
	return wc->status ? complain(ibv_wc_status_str(wc->status), EIO) : 0;
}

static int post_receives(struct group *g)
{
	struct ibv_recv_wr *bad, wr = { .num_sge = 1 };
	struct ibv_sge sge = { .length = SLOT, .lkey = g->mr->lkey };
	int err;

	wr.sg_list = &sge;
	for (; wr.wr_id < g->count; wr.wr_id++) {
		sge.addr = (uintptr_t)g->buf + wr.wr_id * SLOT;
		err = ibv_post_recv(g->qp, &wr, &bad);
		if (err)
			return complain("ibv_post_recv", err);
	}
	return 0;
}

static int check(struct group *g, const struct ibv_wc *wc, u32 nth)
{
	const u8 *got = g->buf + wc->wr_id * SLOT + GRH;
	u8 wanted[SLOT];

	fill(wanted, nth);
	if (wc->byte_len == GRH + length_of(nth) && !memcmp(got, wanted, length_of(nth)))
		return 0;
	fprintf(stderr, "svt_group: datagram %u of %u bytes is not the one that was sent\n", nth,
		wc->byte_len);
	return -1;
}

static int receive(struct group *g)
{
	struct ibv_wc wc;
	u32 nth;
	int err;

	if (post_receives(g))
		return -1;
	err = ibv_attach_mcast(g->qp, &g->gid, 0);
	if (err)
		return complain("ibv_attach_mcast", err);
	puts("attached");
	fflush(stdout);
	for (nth = 0; nth < g->count; nth++)
		if (wait_for_one(g, &wc) || check(g, &wc, nth))
			return -1;
	err = ibv_detach_mcast(g->qp, &g->gid, 0);
	return err ? complain("ibv_detach_mcast", err) : 0;
}

static int send_one(struct group *g, struct ibv_ah *ah, u32 nth)
{
	struct ibv_sge sge = { (uintptr_t)g->buf, length_of(nth), g->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge,
		.num_sge = 1, .wr.ud = { ah, GROUP_QPN, QKEY },
	};
	struct ibv_wc wc;
	int err;

	fill(g->buf, nth);
	err = ibv_post_send(g->qp, &wr, &bad);
	return err ? complain("ibv_post_send", err) : wait_for_one(g, &wc);
}

static int send_all(struct group *g)
{
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;
	u32 nth;
	int ret = 0;

	qpattr_ah(&attr, &g->gid, g->dev.gid_index, 4);
	ah = ibv_create_ah(g->pd, &attr);
	if (!ah)
		return complain("ibv_create_ah", errno);
	for (nth = 0; nth < g->count && !ret; nth++)
		ret = send_one(g, ah, nth);
	ibv_destroy_ah(ah);
	return ret;
}

static int run(struct group *g, const char *role)
{
	if (create(g))
		return -1;
	if (!strcmp(role, "receive"))
		return receive(g);
	if (!strcmp(role, "send"))
		return send_all(g);
	fprintf(stderr, "svt_group: receive or send, not '%s'\n", role);
	return -1;
}

int main(int argc, char **argv)
{
	static struct group group;

	if (argc != 6 || inet_pton(AF_INET6, argv[3], group.gid.raw) != 1) {
		fprintf(stderr, "Usage: %s DEVICE GID_INDEX GROUP receive|send COUNT\n", argv[0]);
		return 2;
	}
	group.count = number_of(argv[5], MOST);
	clock_alarm(LIMIT_MS);
	if (dev_open(&group.dev, argv[1], number_of(argv[2], 255)))
		return 1;
	return run(&group, argv[4]) ? 1 : 0;
}
