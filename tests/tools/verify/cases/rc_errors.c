// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC error semantics: one broken request a case, and what both sides must see of it.
 *
 * The client posts a good WRITE, the broken request and two SENDs.  The first completes, the
 * second with the status of the case, the others are flushed.  The server sees nothing when
 * the fault is local to the client (IBTA 9.9.2.3), else its QP ends too: the first receive
 * request has the status of the case, the rest is flushed.  A fault in the memory that a READ
 * goes to may show when its response comes: then the SENDs behind it may have been received.
 */
#include <errno.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define BUF_SIZE	32768
#define REGION_AT	4096
#define REGION_LEN	12288
#define SCRATCH_AT	24576	/* of the server: where receive requests point to */
#define SCRATCH_LEN	8192
#define RECVS		3
#define UNTOUCHED	((enum ibv_wc_status)-1)
#define ANYTHING	((enum ibv_wc_status)-2)

#define LOCAL		IBV_ACCESS_LOCAL_WRITE
#define FLUSHED		IBV_WC_WR_FLUSH_ERR

enum key_fault {
	KEY_GOOD,
	KEY_WRONG,	/* the index part */
	KEY_WRONG_LOW,	/* the part that the consumer owns */
	KEY_OF_OTHER_PD,
	KEY_STALE,
};

struct err_case {
	enum ibv_wr_opcode opcode;
	u32 len;
	s64 off;			/* from the start of the server's region */
	bool wrap;			/* address and length wrap around */
	enum key_fault rkey, lkey, recv_lkey;
	int no_region_access;		/* taken from the server's region */
	int no_qp_access;		/* taken from the server's QP */
	bool no_local_write;		/* the client's memory is read-only to the device */
	bool no_recv_write;		/* the server's receive memory too */
	bool no_reads;			/* the server's QP has max_dest_rd_atomic 0 */
	u32 recv_len;
	enum ibv_wc_status want, or;	/* @or, @recv_or: the other lawful one, if any */
	enum ibv_wc_status recv, recv_or;
};

struct stage {
	struct test *t;
	const struct err_case *c;
	struct buf *b;
	struct link *l;
	struct remote r, good;
};

static bool is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static u32 key_of(const struct ibv_mr *mr, bool remote)
{
	return remote ? mr->rkey : mr->lkey;
}

/* The key of @mr, with the fault. */
static u32 faulty_key(struct test *t, struct ibv_mr *mr, bool remote, enum key_fault fault)
{
	struct ibv_mr *other;
	u32 key;

	switch (fault) {
	case KEY_WRONG:
		return key_of(mr, remote) ^ 0x005a5a00;
	case KEY_WRONG_LOW:
		return key_of(mr, remote) ^ 0x5a;
	case KEY_OF_OTHER_PD:
		other = res_mr(t, res_pd(t), mr->addr, mr->length, ACCESS_ALL);
		return key_of(other, remote);
	case KEY_STALE:
		other = res_mr(t, t->pd, mr->addr, mr->length, ACCESS_ALL);
		key = key_of(other, remote);
		if (res_drop(t, other))
			test_fail(t, "ibv_dereg_mr fails");
		return key;
	default:
		return key_of(mr, remote);
	}
}

static u32 recv_len(const struct err_case *c)
{
	return c->recv_len ? c->recv_len : 4096;
}

static struct link *open_link(struct test *t, const struct err_case *c)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	if (!t->client) {
		o.path.access &= ~c->no_qp_access;
		if (c->no_reads)
			o.path.rd_atomic = 0;
	}
	return link_open(t, &o);
}

static void post_recvs(struct stage *s)
{
	struct ibv_mr *mr;
	struct ibv_sge sge;
	u32 i;

	mr = res_mr(s->t, s->t->pd, s->b->p + SCRATCH_AT, SCRATCH_LEN,
		    s->c->no_recv_write ? 0 : LOCAL);
	for (i = 0; i < RECVS; i++) {
		sge = buf_sge(s->b, SCRATCH_AT, recv_len(s->c));
		sge.lkey = i ? mr->lkey : faulty_key(s->t, mr, false, s->c->recv_lkey);
		link_recv(s->l, 100 + i, &sge, 1);
	}
}

/* The server's region, with the faults of the case, and a good one for the first WRITE. */
static void share_region(struct stage *s)
{
	struct remote bad = { 0 }, good = { 0 };
	struct ibv_mr *mr;

	if (!s->t->client) {
		mr = res_mr(s->t, s->t->pd, s->b->p + REGION_AT, REGION_LEN,
			    ACCESS_ALL & ~s->c->no_region_access);
		bad.addr = (uintptr_t)mr->addr + s->c->off;
		if (s->c->wrap)
			bad.addr = -(u64)(s->c->len / 2);
		bad.rkey = faulty_key(s->t, mr, true, s->c->rkey);
		good.addr = (uintptr_t)s->b->p;
		good.rkey = s->b->mr[0]->rkey;
	}
	test_exchange(s->t, &bad, &s->r, sizeof(bad));
	test_exchange(s->t, &good, &s->good, sizeof(good));
}

static void post_broken(struct stage *s)
{
	const struct err_case *c = s->c;
	struct ibv_sge sge = buf_sge(s->b, 8192, c->len);
	struct ibv_send_wr wr = wr_rdma(c->opcode, 2, &sge, s->r.addr, s->r.rkey);
	struct ibv_send_wr *bad;
	struct ibv_mr *mr;
	int ret;

	memset(s->b->p + 8192, 0x11, c->len);
	mr = res_mr(s->t, s->t->pd, s->b->p + 8192, 16384, c->no_local_write ? 0 : LOCAL);
	sge.lkey = faulty_key(s->t, mr, false, c->lkey);
	ret = ibv_post_send(s->l->qp, &wr, &bad);
	if (ret == EINVAL && c->off % 8 && is_atomic(c->opcode))
		test_skip(s->t, "the provider refuses an unaligned atomic at once");
	if (ret)
		test_fail(s->t, "the post was refused: %s", strerror(ret));
}

/* Not where the case takes RDMA away from the QP. */
static void post_first(struct stage *s)
{
	struct ibv_sge sge = buf_sge(s->b, 0, 8);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, s->good.addr, s->good.rkey);

	if (!s->c->no_qp_access)
		link_post(s->l, &wr);
}

static void run_client(struct stage *s)
{
	struct ibv_sge sge = buf_sge(s->b, 0, 8);
	struct test *t = s->t;
	struct ibv_wc wc;

	post_first(s);
	post_broken(s);
	link_send(s->l, 3, &sge, 1);
	link_send(s->l, 4, &sge, 1);
	if (!s->c->no_qp_access)
		cq_expect(t, s->l->scq, 1, IBV_WC_SUCCESS, NULL);
	cq_next(t, s->l->scq, &wc);
	if (!s->c->or || wc.status != s->c->or)
		wc_check(t, &wc, 2, s->c->want);
	cq_expect(t, s->l->scq, 3, FLUSHED, NULL);
	cq_expect(t, s->l->scq, 4, FLUSHED, NULL);
	link_expect_state(s->l, IBV_QPS_ERR);
}

static void check_server(struct stage *s)
{
	struct test *t = s->t;
	struct ibv_wc wc;
	u32 i;

	guard_check(t, s->b->p + REGION_AT, REGION_LEN, "region");
	guard_check(t, s->b->p + SCRATCH_AT + recv_len(s->c), SCRATCH_LEN - recv_len(s->c),
		    "behind the receive request");
	if (s->c->recv == UNTOUCHED) {
		cq_quiet(t, s->l->rcq);
		link_expect_state(s->l, IBV_QPS_RTS);
		return;
	}
	if (s->c->recv == ANYTHING) {
		link_expect_state(s->l, IBV_QPS_RTS);
		return;
	}
	cq_next(t, s->l->rcq, &wc);
	if (!s->c->recv_or || wc.status != s->c->recv_or)
		wc_check(t, &wc, 100, s->c->recv);
	for (i = 1; i < RECVS; i++)
		cq_expect(t, s->l->rcq, 100 + i, FLUSHED, NULL);
	link_expect_state(s->l, IBV_QPS_ERR);
}

static void run_error(struct test *t)
{
	struct stage s = { .t = t, .c = t->c->arg };

	if (is_atomic(s.c->opcode) && t->dev->attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		test_skip(t, "the device has no atomics");
	s.b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	s.l = open_link(t, s.c);
	if (!t->client)
		post_recvs(&s);
	share_region(&s);
	if (t->client)
		run_client(&s);
	test_sync(t);
	if (!t->client)
		check_server(&s);
}

const struct suite_case rc_errors_cases[] = {
	{ "err_rkey_write", run_error, "wrong R_Key, WRITE", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.rkey = KEY_WRONG, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_rkey_low", run_error, "the lower 8 bits of the R_Key wrong",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.rkey = KEY_WRONG_LOW, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_rkey_write_imm", run_error, "wrong R_Key, WRITE_WITH_IMM", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .len = 100,
		.rkey = KEY_WRONG, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED, .recv_or = IBV_WC_LOC_ACCESS_ERR } },
	{ "err_rkey_read", run_error, "wrong R_Key, READ", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.rkey = KEY_WRONG, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_rkey_atomic", run_error, "wrong R_Key, FETCH_AND_ADD", &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .len = 8,
		.rkey = KEY_WRONG, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_rkey_pd", run_error, "R_Key of another PD", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.rkey = KEY_OF_OTHER_PD, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_rkey_stale", run_error, "R_Key of a region that is gone", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.rkey = KEY_STALE, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_before", run_error, "WRITE from one byte before the region",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.off = -1, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_after", run_error, "WRITE to one byte behind the region",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.off = REGION_LEN - 99, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_long", run_error, "a WRITE of many packets, one byte too long",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = REGION_LEN + 1,
		.want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_wrap", run_error, "address and length wrap around", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.wrap = true, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_read", run_error, "READ to one byte behind the region",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.off = REGION_LEN - 99, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_range_atomic", run_error, "an atomic behind the region", &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .len = 8,
		.off = REGION_LEN, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_perm_write", run_error, "no REMOTE_WRITE on the region", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.no_region_access = IBV_ACCESS_REMOTE_WRITE, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_perm_read", run_error, "no REMOTE_READ on the region", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.no_region_access = IBV_ACCESS_REMOTE_READ, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_perm_atomic", run_error, "no REMOTE_ATOMIC on the region", &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .len = 8,
		.no_region_access = IBV_ACCESS_REMOTE_ATOMIC, .want = IBV_WC_REM_ACCESS_ERR,
		.recv = FLUSHED } },
	{ "err_qp_write", run_error, "no REMOTE_WRITE on the QP", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.no_qp_access = IBV_ACCESS_REMOTE_WRITE, .want = IBV_WC_REM_ACCESS_ERR,
		.or = IBV_WC_REM_INV_REQ_ERR, .recv = FLUSHED } },
	{ "err_qp_read", run_error, "no REMOTE_READ on the QP", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.no_qp_access = IBV_ACCESS_REMOTE_READ, .want = IBV_WC_REM_ACCESS_ERR,
		.or = IBV_WC_REM_INV_REQ_ERR, .recv = FLUSHED } },
	{ "err_qp_atomic", run_error, "no REMOTE_ATOMIC on the QP", &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .len = 8,
		.no_qp_access = IBV_ACCESS_REMOTE_ATOMIC, .want = IBV_WC_REM_ACCESS_ERR,
		.or = IBV_WC_REM_INV_REQ_ERR, .recv = FLUSHED } },
	{ "err_no_reads", run_error, "READ to a QP with max_dest_rd_atomic 0",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.no_reads = true, .want = IBV_WC_REM_INV_REQ_ERR,
		.recv = FLUSHED } },
	{ "err_lkey_send", run_error, "wrong L_Key, SEND", &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.lkey = KEY_WRONG, .want = IBV_WC_LOC_PROT_ERR,
		.recv = UNTOUCHED } },
	{ "err_lkey_write", run_error, "the lower 8 bits of the L_Key wrong",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_WRITE, .len = 100,
		.lkey = KEY_WRONG_LOW, .want = IBV_WC_LOC_PROT_ERR,
		.recv = UNTOUCHED } },
	{ "err_lkey_pd", run_error, "L_Key of another PD", &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.lkey = KEY_OF_OTHER_PD, .want = IBV_WC_LOC_PROT_ERR,
		.recv = UNTOUCHED } },
	{ "err_lkey_stale", run_error, "L_Key of a region that is gone", &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.lkey = KEY_STALE, .want = IBV_WC_LOC_PROT_ERR,
		.recv = UNTOUCHED } },
	{ "err_lkey_read", run_error, "wrong L_Key, READ", &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.lkey = KEY_WRONG, .want = IBV_WC_LOC_PROT_ERR,
		.recv = ANYTHING } },
	{ "err_read_to_readonly", run_error, "READ into memory without LOCAL_WRITE",
	  &(const struct err_case) {
		.opcode = IBV_WR_RDMA_READ, .len = 100,
		.no_local_write = true, .want = IBV_WC_LOC_PROT_ERR,
		.recv = ANYTHING } },
	{ "err_recv_lkey", run_error, "wrong L_Key in the receive request",
	  &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.recv_lkey = KEY_WRONG, .want = IBV_WC_REM_OP_ERR,
		.recv = IBV_WC_LOC_PROT_ERR } },
	{ "err_recv_readonly", run_error, "receive into memory without LOCAL_WRITE",
	  &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.no_recv_write = true, .want = IBV_WC_REM_OP_ERR,
		.recv = IBV_WC_LOC_PROT_ERR } },
	{ "err_recv_short", run_error, "a receive request one byte too short",
	  &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 100,
		.recv_len = 99, .want = IBV_WC_REM_INV_REQ_ERR,
		.recv = IBV_WC_LOC_LEN_ERR } },
	{ "err_recv_short_multi", run_error, "the same, many packets", &(const struct err_case) {
		.opcode = IBV_WR_SEND, .len = 9000,
		.recv_len = 8191, .want = IBV_WC_REM_INV_REQ_ERR,
		.recv = IBV_WC_LOC_LEN_ERR } },
	{ "err_atomic_align_4", run_error, "an atomic on 4 bytes' alignment",
	  &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .len = 8,
		.off = 4, .want = IBV_WC_REM_INV_REQ_ERR,
		.recv = FLUSHED } },
	{ "err_atomic_align_1", run_error, "an atomic on an odd address", &(const struct err_case) {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .len = 8,
		.off = 1, .want = IBV_WC_REM_INV_REQ_ERR,
		.recv = FLUSHED } },
	{ }
};
