// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device under test: its memory, its QP of a row, and what that posts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

#define DEPTH		64
#define PAGE_BYTES	4096
/* What the peer has, as far as the device knows */
#define PEER_ADDRESS	0x10000
#define PEER_RKEY	0x1234

u8 pattern(u32 zone, u32 offset)
{
	return offset * 7 + offset / 256 + zone * 31 + 1;
}

u8 payload_byte(u32 offset)
{
	return offset * 13 + offset / 256 + 0x80;
}

void fill_zones(struct world *w)
{
	u32 zone, i;

	for (zone = 0; zone < ZONES; zone++)
		for (i = 0; i < ZONE_BYTES; i++)
			w->memory[zone][i] = pattern(zone, i);
}

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return -1;
}

static int access_of(const struct world *w, enum zone zone)
{
	switch (zone) {
	case ZONE_LOCAL:
	case ZONE_SINK:
		return IBV_ACCESS_LOCAL_WRITE;
	case ZONE_READ:
		return IBV_ACCESS_REMOTE_READ;
	case ZONE_WRITE:
		return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	default:
		return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		       (w->atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0) |
		       (w->windows ? IBV_ACCESS_MW_BIND : 0) |
		       (w->flushes ? ACCESS_FLUSH_GLOBAL : 0);
	}
}

static int open_zone(struct world *w, enum zone zone)
{
	struct ibv_pd *pd = zone == ZONE_OTHER_PD ? w->other_pd : w->pd;

	w->memory[zone] = aligned_alloc(PAGE_BYTES, ZONE_BYTES);
	if (!w->memory[zone])
		return fail("memory");
	w->mr[zone] = ibv_reg_mr(pd, w->memory[zone], ZONE_BYTES, access_of(w, zone));
	return w->mr[zone] ? 0 : fail("ibv_reg_mr");
}

int world_open(struct world *w)
{
	const struct ibv_device_attr *attr = &w->dev.attr.orig_attr;
	const u64 more = w->dev.attr.device_cap_flags_ex;
	u32 zone;

	w->atomics = attr->atomic_cap != IBV_ATOMIC_NONE;
	w->invalidates = attr->device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS;
	w->windows = attr->device_cap_flags &
		     (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B);
	w->flushes = more & DEVICE_FLUSH_GLOBAL;
	w->atomic_writes = more & DEVICE_ATOMIC_WRITE;
	w->pd = ibv_alloc_pd(w->dev.ctx);
	w->other_pd = ibv_alloc_pd(w->dev.ctx);
	if (!w->pd || !w->other_pd)
		return fail("ibv_alloc_pd");
	for (zone = 0; zone < ZONES; zone++)
		if (open_zone(w, zone))
			return -1;
	return 0;
}

void world_close(struct world *w)
{
	u32 zone;

	for (zone = 0; zone < ZONES; zone++) {
		ibv_dereg_mr(w->mr[zone]);
		free(w->memory[zone]);
	}
	ibv_dealloc_pd(w->pd);
	ibv_dealloc_pd(w->other_pd);
}

void open_cq(struct test *t)
{
	if (t->cq)
		return;
	t->channel = ibv_create_comp_channel(t->w->dev.ctx);
	MUST(t->channel, "ibv_create_comp_channel: %s", strerror(errno));
	t->cq = ibv_create_cq(t->w->dev.ctx, 2 * DEPTH, NULL, t->channel, 0);
	MUST(t->cq, "ibv_create_cq: %s", strerror(errno));
}

/* By the plain call where that will do, for devices that have no other */
static struct ibv_qp *create_qp(struct test *t, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = t->cq,
		.recv_cq = t->cq,
		.cap = {
			.max_send_wr = DEPTH, .max_recv_wr = t->max_receives,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.qp_type = type,
		.sq_sig_all = 1,
		.pd = t->w->pd,
		.xrcd = t->xrcd,
		.send_ops_flags = t->more_ops,
	};
	struct ibv_qp_init_attr plain = {
		.send_cq = t->cq, .recv_cq = t->cq, .cap = attr.cap, .qp_type = type,
		.sq_sig_all = 1,
	};

	if (type == IBV_QPT_XRC_RECV)
		attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	else if (t->more_ops)
		attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	else
		return ibv_create_qp(t->w->pd, &plain);
	return ibv_create_qp_ex(t->w->dev.ctx, &attr);
}

static u8 service_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UC:
		return SERVICE_UC;
	case IBV_QPT_UD:
		return SERVICE_UD;
	case IBV_QPT_XRC_RECV:
	case IBV_QPT_XRC_SEND:
		return SERVICE_XRC;
	default:
		return SERVICE_RC;
	}
}

void need_xrc(struct test *t)
{
	if (!(t->w->dev.attr.orig_attr.device_cap_flags & IBV_DEVICE_XRC))
		SKIP("the device has no XRC");
}

void connect_qp(struct test *t, enum ibv_qp_type type)
{
	int err;

	t->service = service_of(type);
	if (t->service == SERVICE_XRC)
		need_xrc(t);
	open_cq(t);
	t->qp = create_qp(t, type);
	if (!t->qp)
		SKIP("no QP of this kind: %s", strerror(errno));
	if (!t->w->atomics)
		t->path.access &= ~IBV_ACCESS_REMOTE_ATOMIC;
	err = qpattr_to_rts(t->qp, &t->path);
	MUST(!err, "ibv_modify_qp: %s", strerror(err));
}

void connect_requester(struct test *t)
{
	connect_qp(t, t->rule->type ?: IBV_QPT_RC);
}

void close_qp(struct test *t)
{
	if (t->mw)
		CHECK(!ibv_dealloc_mw(t->mw), "ibv_dealloc_mw: %s", strerror(errno));
	leave_group(t);
	if (t->qp)
		CHECK(!ibv_destroy_qp(t->qp), "ibv_destroy_qp: %s", strerror(errno));
	if (t->srq)
		CHECK(!ibv_destroy_srq(t->srq), "ibv_destroy_srq: %s", strerror(errno));
	if (t->xrcd)
		CHECK(!ibv_close_xrcd(t->xrcd), "ibv_close_xrcd: %s", strerror(errno));
	if (t->cq)
		CHECK(!ibv_destroy_cq(t->cq), "ibv_destroy_cq: %s", strerror(errno));
	if (t->channel)
		ibv_destroy_comp_channel(t->channel);
}

static u32 post_one(struct test *t, enum zone into, u32 length)
{
	u32 number = RECEIVE + t->receives++;
	struct ibv_sge sge = {
		(uintptr_t)t->w->memory[into], length, t->w->mr[into]->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 };
	int err;

	err = t->srq ? ibv_post_srq_recv(t->srq, &wr, &bad) : ibv_post_recv(t->qp, &wr, &bad);
	MUST(!err, "ibv_post_recv: %s", strerror(err));
	return number;
}

u32 post_receive_in(struct test *t, enum zone into, u32 length)
{
	note(t->input, "post receive %u B", length);
	return post_one(t, into, length);
}

u32 post_receive(struct test *t, u32 length)
{
	return post_receive_in(t, ZONE_LOCAL, length);
}

void post_receives(struct test *t, u32 count, u32 length)
{
	note(t->input, "post %u receives", count);
	while (count--)
		post_one(t, ZONE_LOCAL, length);
}

static const char *name_of(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return "SEND";
	case IBV_WR_SEND_WITH_IMM:
		return "SEND_IMM";
	case IBV_WR_SEND_WITH_INV:
		return "SEND_INV";
	case IBV_WR_RDMA_WRITE:
		return "WRITE";
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return "WRITE_IMM";
	case IBV_WR_RDMA_READ:
		return "READ";
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return "COMPARE_SWAP";
	default:
		return "FETCH_ADD";
	}
}

static bool is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void aim(struct test *t, struct ibv_send_wr *wr)
{
	if (is_atomic(wr->opcode)) {
		if (!t->w->atomics)
			SKIP("the device has no atomics");
		wr->wr.atomic.remote_addr = PEER_ADDRESS;
		wr->wr.atomic.rkey = PEER_RKEY;
		wr->wr.atomic.compare_add = 0x1122334455667788;
		wr->wr.atomic.swap = 0x99aabbccddeeff00;
	} else {
		wr->wr.rdma.remote_addr = PEER_ADDRESS;
		wr->wr.rdma.rkey = PEER_RKEY;
	}
	if (wr->opcode == IBV_WR_SEND_WITH_INV) {
		if (!t->w->invalidates)
			SKIP("the device has no SEND with invalidate");
		wr->invalidate_rkey = PEER_RKEY;
	} else {
		wr->imm_data = __builtin_bswap32(0x11223344);
	}
}

u32 post_flags(struct test *t, enum ibv_wr_opcode opcode, u32 length, u32 flags)
{
	bool reads = opcode == IBV_WR_RDMA_READ || is_atomic(opcode);
	enum zone zone = reads ? ZONE_SINK : ZONE_LOCAL;
	struct ibv_sge sge = {
		(uintptr_t)t->w->memory[zone], length, t->w->mr[zone]->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = t->posted++, .opcode = opcode, .sg_list = &sge, .num_sge = 1,
		.send_flags = flags,
	};
	int err;

	aim(t, &wr);
	if (t->service == SERVICE_XRC)
		wr.qp_type.xrc.remote_srqn = PEER_SRQ;
	note(t->input, "post %s %u B", name_of(opcode), length);
	err = ibv_post_send(t->qp, &wr, &bad);
	MUST(!err, "ibv_post_send: %s", strerror(err));
	return wr.wr_id;
}

u32 post(struct test *t, enum ibv_wr_opcode opcode, u32 length)
{
	return post_flags(t, opcode, length, 0);
}

u32 post_atomic_write(struct test *t)
{
	struct ibv_qp_ex *q = ibv_qp_to_qp_ex(t->qp);
	int err;

	note(t->input, "post ATOMIC_WRITE");
	ibv_wr_start(q);
	q->wr_id = t->posted++;
	q->wr_flags = 0;
	ibv_wr_atomic_write(q, PEER_RKEY, PEER_ADDRESS, t->w->memory[ZONE_LOCAL]);
	err = ibv_wr_complete(q);
	MUST(!err, "ibv_wr_complete: %s", strerror(err));
	return q->wr_id;
}

u32 post_flush(struct test *t, u32 length, u8 selectivity)
{
	const struct flush f = {
		.wr_id = t->posted++, .addr = PEER_ADDRESS, .rkey = PEER_RKEY, .length = length,
		.placement = FLUSH_GLOBAL, .selectivity = selectivity,
	};
	int err = flush_post(ibv_qp_to_qp_ex(t->qp), &f);

	if (err == EOPNOTSUPP)
		SKIP("the verbs have no FLUSH");
	note(t->input, "post FLUSH %u B", length);
	MUST(!err, "flush_post: %s", strerror(err));
	return f.wr_id;
}
