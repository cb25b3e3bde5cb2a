// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the attacked QPs have posted, and what comes of it.
 *
 * Requests are posted in a fixed order and answered in order, so their PSNs follow from the first.
 */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "post.h"
#include "scene.h"

#define WAIT_MS		20000

enum post_id {
	POST_RECEIVE,
	POST_REQUEST,
	POST_BIND,
	POST_FAILING,
};

static void must(struct target *t, int ret, const char *what)
{
	if (ret)
		die("%s: %s: %s", t->kind->name, what, strerror(ret));
}

/* A receive that a reset QP had under way is gone without a completion: count none, fill it up */
static void post_shared(struct scene *s, struct target *t)
{
	struct ibv_sge sge[2];
	struct ibv_recv_wr *bad, wr = { .wr_id = POST_RECEIVE, .sg_list = sge };
	u32 i = 0;

	do
		wr.num_sge = memory_slot(&s->memory, ZONE_RECEIVE, i++, SLOT_BYTES, sge);
	while (!ibv_post_srq_recv(t->srq, &wr, &bad));
}

void post_receives(struct scene *s, struct target *t)
{
	struct ibv_sge sge[2];
	struct ibv_recv_wr *bad, wr = { .wr_id = POST_RECEIVE, .sg_list = sge };
	enum zone_id zone = t->kind->flags & TARGET_BYSTANDER ? ZONE_OTHER_PD : ZONE_RECEIVE;

	if (t->kind->flags & TARGET_NO_RECEIVE)
		return;
	if (t->srq) {
		post_shared(s, t);
		return;
	}
	for (; t->receives < TARGET_RECEIVES; t->receives++) {
		wr.num_sge = memory_slot(&s->memory, zone, t->receives, SLOT_BYTES, sge);
		must(t, ibv_post_recv(t->qp, &wr, &bad), "cannot post a receive");
	}
}

/* What a target of each kind asks for, over and over */
static const struct request reads[] = {
	{ .opcode = IBV_WR_RDMA_READ, .length = 3 * 256 + 10 },
	{ .opcode = IBV_WR_RDMA_READ, .length = 1 },
	{ .opcode = IBV_WR_RDMA_READ, .length = SLOT_BYTES },
};

static const struct request atomics[] = {
	{ .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .length = 8 },
	{ .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .length = 8 },
};

static const struct request sends[] = {
	{ .opcode = IBV_WR_SEND, .length = 700 },
	{ .opcode = IBV_WR_RDMA_WRITE, .length = SLOT_BYTES },
	{ .opcode = IBV_WR_SEND_WITH_IMM, .length = 0 },
};

static const struct request mixed[] = {
	{ .opcode = IBV_WR_SEND, .length = 5 },
	{ .opcode = IBV_WR_RDMA_READ, .length = 2 * 1024 + 3 },
	{ .opcode = IBV_WR_RDMA_WRITE, .length = 1025 },
	{ .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .length = 8 },
	{ .opcode = IBV_WR_RDMA_READ, .length = 257 },
};

static const struct request *next_request(const struct target *t, u32 n)
{
	switch (t->kind->flags & TARGET_WAITS) {
	case TARGET_READS:
		return &reads[n % ARRAY_SIZE(reads)];
	case TARGET_ATOMICS:
		return &atomics[n % ARRAY_SIZE(atomics)];
	case TARGET_SENDS:
		return &sends[n % ARRAY_SIZE(sends)];
	default:
		return &mixed[n % ARRAY_SIZE(mixed)];
	}
}

static bool returns_data(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void post_request(struct scene *s, struct target *t, struct request *request)
{
	struct ibv_sge sge[2];
	struct ibv_send_wr *bad, wr = {
		.wr_id = POST_REQUEST,
		.opcode = request->opcode,
		.sg_list = sge,
	};

	if (request->opcode == IBV_WR_RDMA_READ || request->opcode == IBV_WR_RDMA_WRITE)
		wr.wr.rdma.remote_addr = 0x1000;
	else
		wr.wr.atomic.remote_addr = 0x1000;
	wr.num_sge = memory_slot(&s->memory, returns_data(request->opcode) ? ZONE_SINK : ZONE_LOCAL,
				 t->request_count, request->length, sge);
	must(t, ibv_post_send(t->qp, &wr, &bad), "cannot post a request");
}

/* Goes through the table with the PSNs, so that the same follow after the same */
void post_requests(struct scene *s, struct target *t)
{
	struct request *request;

	if (!(t->kind->flags & TARGET_WAITS))
		return;
	while (t->request_count < TARGET_REQUESTS) {
		request = &t->requests[t->request_count];
		*request = *next_request(t, t->next_psn + t->request_count);
		request->psn = t->next_psn;
		request->packets = request->length ? (request->length - 1) / t->mtu + 1 : 1;
		post_request(s, t, request);
		t->next_psn = (t->next_psn + request->packets) & PSN_MASK;
		t->request_count++;
	}
}

void post_forget(struct target *t)
{
	struct ibv_wc wc;

	t->receives = 0;
	t->request_count = 0;
	while (ibv_poll_cq(t->cq, 1, &wc) > 0)
		;
}

static void take_request(struct scene *s, struct target *t, const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_SUCCESS)
		s->tally.answered++;
	else
		s->tally.refused++;
	if (!t->request_count)
		die("%s: a completion of no request", t->kind->name);
	t->request_count--;
	memmove(t->requests, t->requests + 1, t->request_count * sizeof(*t->requests));
}

static void take_receive(struct scene *s, struct target *t, const struct ibv_wc *wc)
{
	if (!t->srq && !t->receives--)
		die("%s: a completion of no receive", t->kind->name);
	if (wc->status != IBV_WC_SUCCESS) {
		s->tally.refused++;
		return;
	}
	s->tally.received++;
	if (wc->opcode == IBV_WC_RECV && wc->byte_len > SLOT_BYTES)
		die("%s: %u bytes received", t->kind->name, wc->byte_len);
	if (wc->wc_flags & IBV_WC_WITH_INV)
		t->window_gone = true;
}

static void take_completion(struct scene *s, struct target *t, const struct ibv_wc *wc)
{
	if (wc->qp_num != t->qpn)
		die("%s: a completion of another QP", t->kind->name);
	if (wc->wr_id == POST_RECEIVE)
		take_receive(s, t, wc);
	else
		take_request(s, t, wc);
}

void post_poll(struct scene *s, struct target *t)
{
	struct ibv_wc wc[16];
	int i, ret;

	do {
		ret = ibv_poll_cq(t->cq, ARRAY_SIZE(wc), wc);
		if (ret < 0)
			die("%s: cannot poll", t->kind->name);
		for (i = 0; i < ret; i++)
			take_completion(s, t, &wc[i]);
	} while (ret == ARRAY_SIZE(wc));
}

/* Meanwhile a packet may complete a receive, or break the QP, so that all is flushed */
static enum ibv_wc_status wait_completion(struct scene *s, struct target *t, u64 id)
{
	u64 limit = clock_limit(WAIT_MS);
	struct ibv_wc wc;
	int ret;

	do {
		ret = ibv_poll_cq(t->cq, 1, &wc);
		if (ret < 0)
			die("%s: cannot poll", t->kind->name);
		if (ret && wc.wr_id == id)
			return wc.status;
		if (ret)
			take_completion(s, t, &wc);
	} while (!clock_passed(limit));
	die("%s: no completion", t->kind->name);
}

void post_failing(struct scene *s, struct target *t)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->memory.arena,
		.length = 8,
		.lkey = s->memory.zones[ZONE_STALE].lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = POST_FAILING,
		.opcode = IBV_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
	};
	enum ibv_wc_status status;

	if (t->ah) {
		wr.wr.ud.ah = t->ah;
		wr.wr.ud.remote_qpn = t->peer_qpn;
	}
	must(t, ibv_post_send(t->qp, &wr, &bad), "cannot post a send");
	status = wait_completion(s, t, POST_FAILING);
	if (status != IBV_WC_LOC_PROT_ERR && status != IBV_WC_WR_FLUSH_ERR)
		die("%s: a send with a bad lkey ended in %d", t->kind->name, status);
}

void post_window(struct scene *s, struct target *t)
{
	struct zone *zone = &s->memory.zones[ZONE_WINDOW];
	struct ibv_send_wr *bad, wr = { .wr_id = POST_BIND, .opcode = IBV_WR_BIND_MW };
	enum ibv_wc_status status;

	if (t->window)
		must(t, ibv_dealloc_mw(t->window), "cannot free a window");
	t->window = ibv_alloc_mw(s->pd, IBV_MW_TYPE_2);
	if (!t->window)
		die("%s: no window: %s", t->kind->name, strerror(errno));
	wr.bind_mw.mw = t->window;
	wr.bind_mw.rkey = ibv_inc_rkey(t->window->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info) {
		.mr = zone->mr,
		.addr = (uintptr_t)zone->start + WINDOW_AT,
		.length = WINDOW_BYTES,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};
	must(t, ibv_post_send(t->qp, &wr, &bad), "cannot post a bind");
	status = wait_completion(s, t, POST_BIND);
	if (status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR)
		die("%s: a bind ended in %d", t->kind->name, status);
	t->window->rkey = wr.bind_mw.rkey;
	t->window_gone = status != IBV_WC_SUCCESS;
}
