// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests of all kinds. They name memory that may be gone when they are carried out.
 */
#include <errno.h>
#include <string.h>

#include "report.h"
#include "worker.h"

#define SEND_MOST	4096
#define RDMA_MOST	20000
#define RECV_BYTES	8192
#define DATAGRAM_MOST	1024
#define INLINE_MOST	128
#define QKEY		0x11111111

struct kind {
	enum ibv_wr_opcode opcode;
	u32 types;
	u32 most;	/* bytes */
};

#define RC		(1u << IBV_QPT_RC)
#define CONNECTED	(RC | 1u << IBV_QPT_UC)
#define ANY		(CONNECTED | 1u << IBV_QPT_UD)

static const struct kind kinds[] = {
	{ IBV_WR_SEND, ANY, SEND_MOST },
	{ IBV_WR_SEND_WITH_IMM, ANY, SEND_MOST },
	{ IBV_WR_RDMA_WRITE, CONNECTED, RDMA_MOST },
	{ IBV_WR_RDMA_WRITE, CONNECTED, 512 },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, CONNECTED, SEND_MOST },
	{ IBV_WR_RDMA_READ, RC, RDMA_MOST },
	{ IBV_WR_RDMA_READ, RC, 512 },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, RC, 8 },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, RC, 8 },
	{ IBV_WR_LOCAL_INV, CONNECTED, 0 },
	{ IBV_WR_SEND_WITH_INV, RC, SEND_MOST },
};

static const struct kind *pick_kind(struct worker *w, enum ibv_qp_type type)
{
	const struct kind *k;

	do {
		k = &kinds[random_below(&w->rng, ARRAY_SIZE(kinds))];
	} while (!(k->types & 1u << type));
	return k;
}

/* Through the window, if the peer has one, or by the region */
static u32 pick_rkey(struct worker *w, const struct end *peer)
{
	return peer->mw && random_chance(&w->rng, 30) ? peer->mw->rkey : peer->mr->rkey;
}

static void set_remote(struct worker *w, struct ibv_send_wr *wr, const struct end *peer, u32 length)
{
	u64 addr = (uintptr_t)peer->buffer + random_below(&w->rng, BUFFER_BYTES - length + 1);
	u32 rkey = pick_rkey(w, peer);

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = addr & ~7ULL;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = 1;
		break;
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		wr->invalidate_rkey = rkey;
		break;
	default:
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

static bool may_inline(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void make_send(struct worker *w, struct link *l, u32 side, struct ibv_send_wr *wr,
		      struct ibv_sge *sge)
{
	struct half *h = &l->half[side], *peer = &l->half[!side];
	const struct kind *k = pick_kind(w, l->type);
	u32 most = l->type == IBV_QPT_UD ? DATAGRAM_MOST : k->most;
	u32 length = k->most == 8 ? 8 : random_below(&w->rng, most + 1);

	wr->opcode = k->opcode;
	*sge = (struct ibv_sge){
		(uintptr_t)h->end->buffer + random_below(&w->rng, BUFFER_BYTES - length + 1),
		length, h->end->mr->lkey,
	};
	wr->sg_list = sge;
	wr->num_sge = length ? 1 : 0;
	if (random_chance(&w->rng, 20))
		wr->send_flags |= IBV_SEND_SOLICITED;
	if (length <= INLINE_MOST && may_inline(k->opcode) && random_chance(&w->rng, 50))
		wr->send_flags |= IBV_SEND_INLINE;
	if (l->type == IBV_QPT_UD) {
		wr->wr.ud.ah = h->ah;
		wr->wr.ud.remote_qpn = peer->qp ? peer->qp->qp_num : 2;
		wr->wr.ud.remote_qkey = QKEY;
	} else {
		set_remote(w, wr, peer->end, length);
	}
}

static u64 tag_of(struct worker *w, u32 link, u32 side, bool recv)
{
	const struct half *h = &w->link[link].half[side];

	return tag_pack((struct tag){ h->generation, link, side, recv, false });
}

/* Return: whether the queue has room, and was charged for one more */
static bool charge(atomic_int *posted)
{
	if (atomic_load(posted) >= QUEUE_DEPTH)
		return false;
	atomic_fetch_add(posted, 1);
	return true;
}

void post_sends(struct worker *w, u32 link, u32 side, u32 count)
{
	struct link *l = &w->link[link];
	struct half *h = &l->half[side];

	if (!h->qp || !h->ready || (l->type == IBV_QPT_UD && !h->ah))
		return;
	for (; count && charge(&h->sends); count--) {
		struct ibv_send_wr wr = { .wr_id = tag_of(w, link, side, false) }, *bad;
		struct ibv_sge sge;

		make_send(w, l, side, &wr, &sge);
		if (!verb_ok(w, h->end->host, "ibv_post_send", ibv_post_send(h->qp, &wr, &bad)))
			return;
		tally(TALLY_POSTS);
	}
}

void post_receives(struct worker *w, u32 link, u32 side)
{
	struct half *h = &w->link[link].half[side];
	u32 count = random_below(&w->rng, QUEUE_DEPTH);

	if (!h->qp || !h->ready)
		return;
	if (h->srq) {
		srq_fill(w, h->end);
		return;
	}
	for (; count && charge(&h->recvs); count--) {
		u32 offset = random_below(&w->rng, BUFFER_BYTES - RECV_BYTES);
		struct ibv_sge sge = {
			(uintptr_t)h->end->buffer + offset, RECV_BYTES, h->end->mr->lkey,
		};
		struct ibv_recv_wr wr = {
			.wr_id = tag_of(w, link, side, true), .sg_list = &sge, .num_sge = 1,
		};
		struct ibv_recv_wr *bad;

		if (!verb_ok(w, h->end->host, "ibv_post_recv", ibv_post_recv(h->qp, &wr, &bad)))
			return;
		tally(TALLY_POSTS);
	}
}

static struct ibv_mw_bind_info bind_range(struct worker *w, struct end *e)
{
	u32 length = 1 + random_below(&w->rng, BUFFER_BYTES);

	return (struct ibv_mw_bind_info){
		.mr = e->mr,
		.addr = (uintptr_t)e->buffer + random_below(&w->rng, BUFFER_BYTES - length + 1),
		.length = length,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
}

/* The library refuses what the region does not allow, as it is now */
void post_bind(struct worker *w, u32 link, u32 side)
{
	struct half *h = &w->link[link].half[side];
	struct end *e = h->end;
	struct ibv_mw_bind bind = { .wr_id = tag_of(w, link, side, false) };
	struct ibv_send_wr wr = { .wr_id = bind.wr_id, .opcode = IBV_WR_BIND_MW }, *bad;
	int err;

	if (!h->qp || !h->ready || w->link[link].type == IBV_QPT_UD || !e->mw || !charge(&h->sends))
		return;
	bind.bind_info = bind_range(w, e);
	if (e->mw->type == IBV_MW_TYPE_1) {
		err = ibv_bind_mw(h->qp, e->mw, &bind);
	} else {
		wr.bind_mw.mw = e->mw;
		wr.bind_mw.rkey = ibv_inc_rkey(e->mw->rkey);
		wr.bind_mw.bind_info = bind.bind_info;
		err = ibv_post_send(h->qp, &wr, &bad);
		if (!err)
			e->mw->rkey = wr.bind_mw.rkey;
	}
	if (verb_ok(w, e->host, "bind of a window", err))
		tally(TALLY_POSTS);
}
