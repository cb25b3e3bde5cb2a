// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH: what was written before is in the peer's memory when it completes. libibverbs has no call
 * for it, so the request begins as a WRITE and is made another in the send queue, which provider
 * and kernel share, between ibv_wr_rdma_write_imm() and ibv_wr_complete().
 */
#include <rdma/rdma_user_rxe.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "tables.h"

#define ROUNDS		32
#define LENGTH		10000
#define TARGET_AT	16384
#define BUF_SIZE	32768

/* Names that rdma-core does not have yet: of the device, of access rights, of a request */
#define DEVICE_FLUSH_GLOBAL	(1ULL << 38)
#define ACCESS_FLUSH_GLOBAL	(1 << 8)
#define WR_FLUSH		14
#define WC_FLUSH		8

#define PLACE_GLOBAL		1
#define SELECT_RANGE		0
#define SELECT_REGION		1

/* What svt has in a send queue, and but for the opcode rxe too */
struct request {
	u64 wr_id;
	u8 svt_opcode;
	u8 reserved[15];
	u64 remote_addr;
	u32 length;
	u32 rkey;
	u8 placement;
	u8 selectivity;
};

enum right {
	RIGHT_BOTH,
	RIGHT_NOT_OF_REGION,
	RIGHT_NOT_OF_QP,
};

static struct request *find_in(u64 start, u64 end, u64 wr_id)
{
	for (; start + sizeof(struct request) <= end; start += sizeof(u64))
		if (*(u64 *)(uintptr_t)start == wr_id)
			return (struct request *)(uintptr_t)start;
	return NULL;
}

/* The request by its number, in what is mapped of the device */
static struct request *find_request(struct test *t, u64 wr_id)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct request *found = NULL;
	char line[500], rights[5];
	u64 start, end;

	if (!maps)
		test_fail(t, "/proc/self/maps cannot be read");
	while (!found && fgets(line, sizeof(line), maps))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%llx-%llx %4s", &start, &end, rights) == 3 &&
		    !strncmp(rights, "rw", 2))
			found = find_in(start, end, wr_id);
	fclose(maps);
	if (!found)
		test_fail(t, "request %#llx is in no queue", (unsigned long long)wr_id);
	return found;
}

/* rxe sends the length of the data that it thinks it has left to move */
static void make_flush_of_rxe(struct rxe_send_wqe *wqe)
{
	wqe->wr.opcode = WR_FLUSH;
	wqe->dma.length = LENGTH;
	wqe->dma.resid = LENGTH;
}

static void post_flush(struct link *l, u64 wr_id, const struct remote *r, u8 selectivity)
{
	struct request *request;
	int ret;

	ibv_wr_start(l->qpx);
	l->qpx->wr_id = wr_id;
	l->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write_imm(l->qpx, r->rkey, r->addr, 0);
	request = find_request(l->t, wr_id);
	/* An opcode that is not 0, so that it shows whose the request is */
	if (request->svt_opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		request->svt_opcode = WR_FLUSH;
	else
		make_flush_of_rxe((struct rxe_send_wqe *)request);
	request->remote_addr = r->addr;
	request->length = LENGTH;
	request->rkey = r->rkey;
	request->placement = PLACE_GLOBAL;
	request->selectivity = selectivity;
	ret = ibv_wr_complete(l->qpx);
	if (ret)
		test_fail(l->t, "ibv_wr_complete: %s", strerror(ret));
}

static struct link *open_link(struct test *t)
{
	struct link_opts o;

	if (!(t->dev->attr.device_cap_flags_ex & DEVICE_FLUSH_GLOBAL))
		test_skip(t, "the device has no FLUSH");
	link_defaults(t, &o, IBV_QPT_RC);
	o.extended = true;
	if ((uintptr_t)t->c->arg != RIGHT_NOT_OF_QP)
		o.path.access |= ACCESS_FLUSH_GLOBAL;
	return link_open(t, &o);
}

static struct buf *share_target(struct test *t, struct remote *r)
{
	int right = (uintptr_t)t->c->arg == RIGHT_NOT_OF_REGION ? 0 : ACCESS_FLUSH_GLOBAL;
	struct buf *b = buf_new(t, BUF_SIZE, ACCESS_ALL | right);
	struct remote mine = {
		.addr = (uintptr_t)b->p + TARGET_AT,
		.rkey = b->mr[0]->rkey,
	};

	test_exchange(t, &mine, r, sizeof(mine));
	return b;
}

/* In turn of the range and of the region. Each round writes other bytes. */
static void run_flush(struct test *t)
{
	struct link *l = open_link(t);
	struct remote r;
	struct buf *b = share_target(t, &r);
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		struct ibv_sge sge = buf_sge(b, 0, LENGTH);
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, 2 * i, &sge, r.addr, r.rkey);

		pattern_fill(b->p, LENGTH, test_rnd(t, i), 0);
		if (t->client) {
			link_post(l, &wr);
			post_flush(l, test_rnd(t, 1000 + i), &r,
				   i % 2 ? SELECT_REGION : SELECT_RANGE);
			cq_expect_ok(t, l->scq, 2 * i, IBV_WC_RDMA_WRITE);
			cq_expect_ok(t, l->scq, test_rnd(t, 1000 + i), WC_FLUSH);
		}
		test_sync(t);
		if (!t->client)
			pattern_check(t, b->p + TARGET_AT, LENGTH, test_rnd(t, i), "the target");
		test_sync(t);
	}
}

static void run_refused(struct test *t)
{
	bool of_qp = (uintptr_t)t->c->arg == RIGHT_NOT_OF_QP;
	struct link *l = open_link(t);
	struct remote r;
	struct ibv_wc wc;

	share_target(t, &r);
	if (t->client) {
		post_flush(l, test_rnd(t, 1), &r, SELECT_RANGE);
		cq_next(t, l->scq, &wc);
		wc_check(t, &wc, test_rnd(t, 1),
			 of_qp ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_ACCESS_ERR);
		link_expect_state(l, IBV_QPS_ERR);
	}
	test_sync(t);
}

const struct suite_case placement_cases[] = {
	{ "wr_flush", run_flush, "FLUSH behind WRITE, of a range and of a region", NULL },
	{ "wr_flush_region", run_refused, "the region has no right to it",
	  (void *)RIGHT_NOT_OF_REGION },
	{ "wr_flush_qp", run_refused, "the QP has no right to it", (void *)RIGHT_NOT_OF_QP },
	{ }
};
