// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Real traffic that an attacker sees and answers in the peer's name, which it may. What is sent
 * does not matter, so nothing of it is checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "couple.h"
#include "qpattr.h"

#define CQ_ENTRIES	64
#define MEMORY_BYTES	16384
#define LENGTH_MAX	3000
#define RECEIVES	8
#define IDLE_MAX	300
#define QKEY		0x2b3c4d5e

enum post_id {
	POST_SEND,
	POST_RECEIVE,
};

static void must(int ret, const char *what)
{
	if (ret)
		die("couple: %s: %s", what, strerror(ret));
}

static void open_end(struct couple *c, struct end *e, struct ibv_context *ctx)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = c->type,
		.cap = {
			.max_send_wr = 2 * COUPLE_OUT,
			.max_recv_wr = RECEIVES,
			.max_send_sge = 2,
			.max_recv_sge = 2,
		},
		.sq_sig_all = 1,
	};

	e->cq = ibv_create_cq(ctx, CQ_ENTRIES, NULL, NULL, 0);
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	e->qp = e->cq ? ibv_create_qp(e->pd, &attr) : NULL;
	if (!e->qp)
		die("couple: cannot create a QP: %s", strerror(errno));
}

static void open_addresses(struct scene *s, struct couple *c)
{
	const struct ends *e = &s->ends[c->ipv6];
	struct ibv_ah_attr attr;

	qpattr_ah(&attr, &e->victim, e->peer_index, 64);
	c->ends[0].ah = ibv_create_ah(c->ends[0].pd, &attr);
	qpattr_ah(&attr, &e->peer, e->index, 64);
	c->ends[1].ah = ibv_create_ah(c->ends[1].pd, &attr);
	if (!c->ends[0].ah || !c->ends[1].ah)
		die("couple: cannot create an address handle: %s", strerror(errno));
}

static void modify_path(struct scene *s, struct couple *c, u32 side, u32 psn, struct qp_path *p)
{
	const struct ends *e = &s->ends[c->ipv6];

	qpattr_defaults(p);
	p->peer.gid = side ? e->peer : e->victim;
	p->peer.qpn = c->ends[!side].qp->qp_num;
	p->peer.psn = psn ^ !side;
	p->sq_psn = psn ^ side;
	p->sgid_index = side ? e->index : e->peer_index;
	p->mtu = c->ipv6 ? IBV_MTU_256 : IBV_MTU_1024;
	p->qkey = QKEY;
}

static void connect(struct scene *s, struct couple *c, u32 side, u32 psn)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_qp *qp = c->ends[side].qp;
	struct qp_path path;

	modify_path(s, c, side, psn, &path);
	must(ibv_modify_qp(qp, &attr, IBV_QP_STATE), "to RESET");
	must(qpattr_to_rts(qp, &path), "from RESET to RTS");
}

static void drop_completions(struct end *e)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(e->cq, 1, &wc) > 0)
		;
	e->sends = 0;
	e->receives = 0;
}

static void join(struct scene *s, struct couple *c, u32 psn)
{
	u32 side;

	for (side = 0; side < 2; side++) {
		connect(s, c, side, psn);
		drop_completions(&c->ends[side]);
	}
	c->idle = 0;
}

void couple_open(struct scene *s, struct couple *c, enum ibv_qp_type type, bool ipv6)
{
	memset(c, 0, sizeof(*c));
	c->type = type;
	c->ipv6 = ipv6;
	c->memory = calloc(1, MEMORY_BYTES);
	c->ends[0].pd = ibv_alloc_pd(s->peer.ctx);
	c->ends[1].pd = s->pd;
	if (!c->memory || !c->ends[0].pd)
		die("couple: no memory");
	c->mr = ibv_reg_mr(c->ends[0].pd, c->memory, MEMORY_BYTES, IBV_ACCESS_LOCAL_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_ATOMIC);
	if (!c->mr)
		die("couple: cannot register memory: %s", strerror(errno));
	open_end(c, &c->ends[0], s->peer.ctx);
	open_end(c, &c->ends[1], s->dev.ctx);
	if (type == IBV_QPT_UD)
		open_addresses(s, c);
	join(s, c, 0xfffff0);
}

void couple_close(struct couple *c)
{
	u32 side;

	for (side = 0; side < 2; side++) {
		must(ibv_destroy_qp(c->ends[side].qp), "cannot destroy a QP");
		must(ibv_destroy_cq(c->ends[side].cq), "cannot destroy a CQ");
		if (c->ends[side].ah)
			must(ibv_destroy_ah(c->ends[side].ah), "cannot destroy a handle");
	}
	ibv_dereg_mr(c->mr);
	ibv_dealloc_pd(c->ends[0].pd);
	free(c->memory);
}

u32 couple_qpn(const struct couple *c)
{
	return c->ends[1].qp->qp_num;
}

u32 couple_psn(const struct couple *c)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	must(ibv_query_qp(c->ends[1].qp, &attr, IBV_QP_RQ_PSN, &init), "cannot query a QP");
	return attr.rq_psn;
}

/* Memory of the end itself */
static int local_memory(struct scene *s, struct couple *c, u32 side, enum zone_id zone, u32 length,
			struct ibv_sge *sge)
{
	if (side)
		return memory_slot(&s->memory, zone, c->ends[1].sends, length, sge);
	*sge = (struct ibv_sge) { (uintptr_t)c->memory, length, c->mr->lkey };
	return 1;
}

static void post_receives(struct scene *s, struct couple *c, u32 side)
{
	struct end *e = &c->ends[side];
	struct ibv_sge sge[2];
	struct ibv_recv_wr *bad, wr = { .wr_id = POST_RECEIVE, .sg_list = sge };

	for (; e->receives < RECEIVES; e->receives++) {
		wr.num_sge = local_memory(s, c, side, ZONE_RECEIVE, SLOT_BYTES, sge);
		must(ibv_post_recv(e->qp, &wr, &bad), "cannot post a receive");
	}
}

static enum ibv_wr_opcode pick_opcode(const struct couple *c, struct random *r)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_ATOMIC_CMP_AND_SWP,
	};
	static const u32 counts[] = {
		[IBV_QPT_RC] = 8, [IBV_QPT_UC] = 4, [IBV_QPT_UD] = 2,
	};

	return opcodes[random_below(r, counts[c->type])];
}

static void aim(struct scene *s, struct couple *c, u32 side, struct ibv_send_wr *wr)
{
	const struct zone *zone = &s->memory.zones[ZONE_REMOTE];
	u64 address = side ? (uintptr_t)c->memory : (uintptr_t)zone->start;
	u32 rkey = side ? c->mr->rkey : zone->rkey;

	if (c->type == IBV_QPT_UD) {
		wr->wr.ud.ah = c->ends[side].ah;
		wr->wr.ud.remote_qpn = c->ends[!side].qp->qp_num;
		wr->wr.ud.remote_qkey = QKEY;
	} else if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
		   wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->wr.atomic.remote_addr = (address + 7) & ~7ULL;
		wr->wr.atomic.rkey = rkey;
	} else {
		wr->wr.rdma.remote_addr = address;
		wr->wr.rdma.rkey = rkey;
	}
}

static u32 pick_size(const struct couple *c, const struct ibv_send_wr *wr, struct random *r)
{
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		return 8;
	return random_below(r, c->type == IBV_QPT_UD ? 256 : LENGTH_MAX);
}

static void post_send(struct scene *s, struct couple *c, u32 side, struct random *r)
{
	struct end *e = &c->ends[side];
	struct ibv_sge sge[2];
	struct ibv_send_wr *bad, wr = {
		.wr_id = POST_SEND,
		.opcode = pick_opcode(c, r),
		.sg_list = sge,
	};
	bool reads = wr.opcode == IBV_WR_RDMA_READ || wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
		     wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;

	wr.num_sge = local_memory(s, c, side, reads ? ZONE_SINK : ZONE_LOCAL, pick_size(c, &wr, r),
				  sge);
	aim(s, c, side, &wr);
	must(ibv_post_send(e->qp, &wr, &bad), "cannot post a send");
	e->sends++;
}

/* False when it is broken */
static bool poll_end(struct couple *c, struct end *e)
{
	struct ibv_wc wc;
	bool good = true;
	int ret;

	while ((ret = ibv_poll_cq(e->cq, 1, &wc)) > 0) {
		if (wc.wr_id == POST_SEND)
			e->sends--;
		else
			e->receives--;
		good &= wc.status == IBV_WC_SUCCESS;
		if (wc.status == IBV_WC_SUCCESS) {
			c->completed++;
			c->idle = 0;
		} else {
			c->failed++;
		}
	}
	if (ret < 0)
		die("couple: cannot poll");
	return good;
}

void couple_turn(struct scene *s, struct couple *c, struct random *r)
{
	bool good = poll_end(c, &c->ends[0]);
	u32 side;

	good = poll_end(c, &c->ends[1]) && good;
	/* A peer may wait for ever for what an attacker has answered for it */
	if (!good || ++c->idle > IDLE_MAX) {
		join(s, c, random_u32(r) & PSN_MASK);
		c->rebuilt++;
	}
	for (side = 0; side < 2; side++)
		post_receives(s, c, side);
	for (side = 0; side < 2; side++)
		if (c->ends[side].sends < COUPLE_OUT)
			post_send(s, c, side, r);
}
