// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One end of the wire: opening it, connecting a QP, and traffic over it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "completion.h"
#include "rdmanl.h"
#include "side.h"
#include "suite.h"

#define WAIT_MS		30000
#define ACCESS \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

static int find_v6(struct side *s)
{
	struct ibv_gid_entry e;
	int i;

	for (i = 0; i < s->dev.port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(s->dev.ctx, DEV_PORT, i, &e, 0) ||
		    e.gid_type != IBV_GID_TYPE_ROCE_V2 || e.gid.raw[0] != 0xfd)
			continue;
		s->gid_index_v6 = i;
		s->gid_v6 = e.gid;
		return 0;
	}
	fprintf(stderr, "no GID of an IPv6 address fd...: give the netdev one\n");
	return -1;
}

static int make(struct side *s)
{
	s->buffer = mmap(NULL, SIDE_BUFFER, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (s->buffer == MAP_FAILED)
		return errno;
	s->pd = ibv_alloc_pd(s->dev.ctx);
	if (!s->pd)
		return errno;
	s->cq = ibv_create_cq(s->dev.ctx, 4 * SIDE_DEPTH, NULL, NULL, 0);
	if (!s->cq)
		return errno;
	s->mr = ibv_reg_mr(s->pd, s->buffer, SIDE_BUFFER, ACCESS);
	return s->mr ? 0 : errno;
}

int side_open(struct side *s, const char *name)
{
	int err;

	memset(s, 0, sizeof(*s));
	if (dev_open(&s->dev, name, -1) || find_v6(s))
		return -1;
	err = rdmanl_device_index(name, &s->index) ?: make(s);
	if (err)
		fprintf(stderr, "cannot set up %s: %s\n", name, strerror(err));
	return err ? -1 : 0;
}

void side_close(struct side *s)
{
	if (s->mr)
		ibv_dereg_mr(s->mr);
	if (s->cq)
		ibv_destroy_cq(s->cq);
	if (s->pd)
		ibv_dealloc_pd(s->pd);
	if (s->buffer && s->buffer != MAP_FAILED)
		munmap(s->buffer, SIDE_BUFFER);
	dev_close(&s->dev);
}

void side_qp_attr(struct side *s, struct ibv_qp_init_attr *attr, enum ibv_qp_type type,
		  struct ibv_srq *srq)
{
	*attr = (struct ibv_qp_init_attr) {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.srq = srq,
		.cap = {
			.max_send_wr = SIDE_DEPTH,
			.max_recv_wr = SIDE_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = type,
		.sq_sig_all = 1,
	};
}

int side_qp_create(struct side *s, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr;

	side_qp_attr(s, &attr, type, NULL);
	s->qp = ibv_create_qp(s->pd, &attr);
	return s->qp ? 0 : errno;
}

int side_qp_destroy(struct side *s)
{
	int err = s->qp ? ibv_destroy_qp(s->qp) : 0;

	if (!err)
		s->qp = NULL;
	return err;
}

void side_path(const struct side *s, const struct side *peer, struct qp_path *path)
{
	qpattr_defaults(path);
	path->peer.qpn = peer->qp->qp_num;
	path->peer.gid = peer->dev.gid;
	path->sgid_index = s->dev.gid_index;
}

int side_modify(struct side *s, enum ibv_qp_state state, const struct qp_path *path)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask = IBV_QP_STATE;

	if (state == IBV_QPS_INIT)
		mask = qpattr_init(&attr, s->qp->qp_type, path);
	else if (state == IBV_QPS_RTR)
		mask = qpattr_rtr(&attr, s->qp->qp_type, path);
	else if (state == IBV_QPS_RTS)
		mask = qpattr_rts(&attr, s->qp->qp_type, path);
	return ibv_modify_qp(s->qp, &attr, mask);
}

int side_connect(struct side *s, const struct side *peer)
{
	struct qp_path path;

	side_path(s, peer, &path);
	return side_modify(s, IBV_QPS_RESET, &path) ?: qpattr_to_rts(s->qp, &path);
}

int side_post(struct side *s, struct ibv_send_wr *wr, u64 wr_id)
{
	struct ibv_send_wr *bad;

	wr->wr_id = wr_id;
	return ibv_post_send(s->qp, wr, &bad);
}

int side_post_recv(struct side *s, u64 wr_id, u32 offset, u32 length)
{
	struct ibv_sge sge = { (uintptr_t)s->buffer + offset, length, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(s->qp, &wr, &bad);
}

int side_wait_any(struct side *s, struct ibv_wc *wc)
{
	return completion_next(s->cq, wc, WAIT_MS);
}

int side_wait_status(struct side *s, u64 wr_id, enum ibv_wc_status *status)
{
	struct ibv_wc wc;
	int err = side_wait_any(s, &wc);

	if (err)
		return err;
	*status = wc.status;
	return wc.wr_id == wr_id ? 0 : EPROTO;
}

int side_wait(struct side *s, u64 wr_id)
{
	enum ibv_wc_status status;
	int err = side_wait_status(s, wr_id, &status);

	if (!err && status != IBV_WC_SUCCESS) {
		suite_note("request %llu: %s", (unsigned long long)wr_id,
			   ibv_wc_status_str(status));
		err = EIO;
	}
	return err;
}

static u8 pattern(u32 at, u32 seed)
{
	return (at * 0x9e3779b1 + seed * 0x85ebca77) >> 24;
}

void side_fill(struct side *s, u32 length, u32 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		s->buffer[i] = pattern(i, seed);
}

bool side_holds(const struct side *s, u32 offset, u32 length, u32 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (s->buffer[offset + i] != pattern(i, seed))
			return false;
	return true;
}
