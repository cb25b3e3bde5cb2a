// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What cases are made of: post, wait, compare. Called by the one thread that runs the case; only
 * completion handlers run beside it, and they touch their own operation alone.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/smp.h>

#include "client.h"

/* Far more than any operation takes, also where the machine is emulated and busy */
#define KT_TIMEOUT	(20 * HZ)

/* How long nothing has to happen before it is taken that nothing will */
#define KT_QUIET_MS	50

/**
 * kt_fail() - say why a case fails; the first to say so is heard
 * @pair: case
 * @format: as printf
 *
 * Return: -EPROTO.
 */
int kt_fail(struct kt_pair *pair, const char *format, ...)
{
	va_list arguments;

	if (pair->why[0])
		return -EPROTO;
	va_start(arguments, format);
	vscnprintf(pair->why, sizeof(pair->why), format, arguments);
	va_end(arguments);
	return -EPROTO;
}

static void kt_complete(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_operation *operation = container_of(wc->wr_cqe, struct kt_operation, cqe);

	operation->wc = *wc;
	operation->cpu = raw_smp_processor_id();
	operation->order = atomic_inc_return(&operation->end->pair->completions);
	complete(&operation->done);
}

/**
 * kt_operation() - one that was not used yet
 * @end: where it will be posted
 *
 * Return: the operation, or NULL after kt_fail().
 */
struct kt_operation *kt_operation(struct kt_end *end)
{
	struct kt_pair *pair = end->pair;
	struct kt_operation *operation = &pair->operations[pair->used];

	if (pair->used == KT_OPERATIONS) {
		kt_fail(pair, "too many operations");
		return NULL;
	}
	pair->used++;
	operation->cqe.done = kt_complete;
	operation->end = end;
	init_completion(&operation->done);
	return operation;
}

/**
 * kt_sges() - describe a part of an end's buffer
 * @end: end
 * @sge: KT_SGES entries
 * @offset: of the part
 * @length: of the part
 * @pieces: entries to use, the last of which takes what is left over; 0 means 1
 *
 * Return: entries used; none for no bytes.
 */
int kt_sges(struct kt_end *end, struct ib_sge *sge, u32 offset, u32 length, u32 pieces)
{
	u32 i, part;

	if (!length)
		return 0;
	pieces = pieces ?: 1;
	part = length / pieces;
	for (i = 0; i < pieces; i++)
		sge[i] = (struct ib_sge) {
			.addr = end->address + offset + i * part,
			.length = i < pieces - 1 ? part : length - i * part,
			.lkey = end->pd->local_dma_lkey,
		};
	return pieces;
}

static void kt_fill_rdma(struct kt_end *end, const struct kt_request *request,
			 struct ib_rdma_wr *wr)
{
	wr->remote_addr = end->peer->address + request->remote;
	wr->rkey = request->rkey ?: end->peer->pd->unsafe_global_rkey;
}

static void kt_fill_atomic(struct kt_end *end, const struct kt_request *request,
			   struct ib_atomic_wr *wr)
{
	wr->remote_addr = end->peer->address + request->remote;
	wr->rkey = request->rkey ?: end->peer->atomic_mr->rkey;
	wr->compare_add = request->compare_add;
	wr->swap = request->swap;
}

static void kt_fill_ud(struct kt_end *end, struct ib_ud_wr *wr)
{
	wr->ah = end->ah;
	wr->remote_qpn = end->peer->qp->qp_num;
	wr->remote_qkey = KT_QKEY;
}

/**
 * kt_send() - post a send request
 * @end: where
 * @request: what
 *
 * Return: the operation, or NULL after kt_fail().
 */
struct kt_operation *kt_send(struct kt_end *end, const struct kt_request *request)
{
	union {
		struct ib_send_wr wr;
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
		struct ib_ud_wr ud;
	} u = { };
	struct kt_operation *operation = kt_operation(end);
	struct ib_sge sge[KT_SGES];
	int ret;

	if (!operation)
		return NULL;
	u.wr.wr_cqe = &operation->cqe;
	u.wr.opcode = request->opcode;
	u.wr.send_flags = (request->flags & ~KT_UNSIGNALLED) |
			  (request->flags & KT_UNSIGNALLED ? 0 : IB_SEND_SIGNALED);
	u.wr.sg_list = sge;
	u.wr.num_sge = kt_sges(end, sge, request->offset, request->length, request->pieces);
	u.wr.ex.imm_data = cpu_to_be32(request->imm);
	if (end->ah)
		kt_fill_ud(end, &u.ud);
	else if (request->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
		 request->opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		kt_fill_atomic(end, request, &u.atomic);
	else if (request->opcode != IB_WR_SEND && request->opcode != IB_WR_SEND_WITH_IMM)
		kt_fill_rdma(end, request, &u.rdma);

	ret = ib_post_send(end->qp, &u.wr, NULL);
	if (!ret)
		return operation;
	kt_fail(end->pair, "post of opcode %d: %d", request->opcode, ret);
	return NULL;
}

/**
 * kt_recv() - post a receive, to the SRQ where there is one
 * @end: where
 * @offset: in its buffer
 * @length: bytes
 * @pieces: scatter/gather entries; 0 means 1
 *
 * Return: the operation, or NULL after kt_fail().
 */
struct kt_operation *kt_recv(struct kt_end *end, u32 offset, u32 length, u32 pieces)
{
	struct kt_operation *operation = kt_operation(end);
	struct ib_sge sge[KT_SGES];
	struct ib_recv_wr wr = { .sg_list = sge };
	int ret;

	if (!operation)
		return NULL;
	wr.wr_cqe = &operation->cqe;
	wr.num_sge = kt_sges(end, sge, offset, length, pieces);
	ret = end->srq ? ib_post_srq_recv(end->srq, &wr, NULL) : ib_post_recv(end->qp, &wr, NULL);
	if (!ret)
		return operation;
	kt_fail(end->pair, "post of a receive: %d", ret);
	return NULL;
}

static void kt_poll_raw(struct ib_cq *cq)
{
	struct ib_wc wc;

	while (ib_poll_cq(cq, 1, &wc) == 1)
		wc.wr_cqe->done(cq, &wc);
}

/**
 * kt_poll() - take what is in the CQs, where nobody else does
 * @pair: case
 */
void kt_poll(struct kt_pair *pair)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct ib_cq *cq = pair->end[i / 2].cq[i % 2];

		if (pair->test->flags & KT_RAW)
			kt_poll_raw(cq);
		else if (pair->poll == IB_POLL_DIRECT)
			ib_process_cq_direct(cq, -1);
	}
}

/**
 * kt_wait() - wait, and poll meanwhile
 * @pair: case
 * @done: for which to wait
 * @what: for the complaint
 *
 * Return: 0, or as kt_fail() when it takes too long.
 */
int kt_wait(struct kt_pair *pair, struct completion *done, const char *what)
{
	unsigned long end = jiffies + KT_TIMEOUT;

	if (pair->poll != IB_POLL_DIRECT && !(pair->test->flags & KT_RAW)) {
		if (wait_for_completion_timeout(done, KT_TIMEOUT))
			return 0;
		return kt_fail(pair, "%s did not complete", what);
	}
	while (time_before(jiffies, end)) {
		kt_poll(pair);
		if (try_wait_for_completion(done))
			return 0;
		usleep_range(20, 100);
	}
	return kt_fail(pair, "%s did not complete", what);
}

/**
 * kt_done() - wait for an operation
 * @operation: or NULL, when it was not posted
 * @status: with which it has to complete
 *
 * Return: 0, or as kt_fail().
 */
int kt_done(struct kt_operation *operation, enum ib_wc_status status)
{
	struct kt_pair *pair;
	int ret;

	if (!operation)
		return -EPROTO;
	pair = operation->end->pair;
	ret = kt_wait(pair, &operation->done, "an operation");
	if (ret)
		return ret;
	if (operation->wc.status != status)
		return kt_fail(pair, "operation %td: status %s instead of %s",
			       operation - pair->operations,
			       ib_wc_status_msg(operation->wc.status), ib_wc_status_msg(status));
	if (operation->wc.qp != operation->end->qp)
		return kt_fail(pair, "a completion names another QP");
	return 0;
}

/**
 * kt_received() - wait for a receive
 * @operation: or NULL, when it was not posted
 * @opcode: that it has to complete with
 * @length: bytes that it has to report
 *
 * Return: 0, or as kt_fail().
 */
int kt_received(struct kt_operation *operation, enum ib_wc_opcode opcode, u32 length)
{
	int ret = kt_done(operation, IB_WC_SUCCESS);

	if (ret)
		return ret;
	if (operation->wc.opcode != opcode)
		return kt_fail(operation->end->pair, "received opcode %d instead of %d",
			       operation->wc.opcode, opcode);
	if (operation->wc.byte_len != length)
		return kt_fail(operation->end->pair, "received %u bytes instead of %u",
			       operation->wc.byte_len, length);
	return 0;
}

/**
 * kt_not_done() - see that nothing happens
 * @operation: or NULL, when it was not posted
 *
 * Return: 0, or as kt_fail() when it completes after all.
 */
int kt_not_done(struct kt_operation *operation)
{
	if (!operation)
		return -EPROTO;
	msleep(KT_QUIET_MS);
	kt_poll(operation->end->pair);
	if (!try_wait_for_completion(&operation->done))
		return 0;
	return kt_fail(operation->end->pair, "an operation completed that must not: %s",
		       ib_wc_status_msg(operation->wc.status));
}

/**
 * kt_event() - wait for an asynchronous event
 * @end: of its QP or SRQ
 * @event: which
 *
 * Return: 0, or as kt_fail().
 */
int kt_event(struct kt_end *end, enum ib_event_type event)
{
	unsigned long until = jiffies + KT_TIMEOUT;

	while (!test_bit(event, &end->events)) {
		if (time_after(jiffies, until))
			return kt_fail(end->pair, "no event '%s'", ib_event_msg(event));
		usleep_range(100, 1000);
	}
	return 0;
}

static u8 kt_pattern(u32 index, u8 seed)
{
	return index * 7 + (index >> 8) + seed;
}

/**
 * kt_fill() - write a pattern
 * @end: in its buffer
 * @offset: from here
 * @length: bytes
 * @seed: makes patterns differ
 */
void kt_fill(struct kt_end *end, u32 offset, u32 length, u8 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		end->buffer[offset + i] = kt_pattern(i, seed);
}

/**
 * kt_check() - compare with a pattern
 * @end: its buffer
 * @offset: from here
 * @length: bytes
 * @seed: as given to kt_fill()
 *
 * Return: 0, or as kt_fail().
 */
int kt_check(struct kt_end *end, u32 offset, u32 length, u8 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (end->buffer[offset + i] != kt_pattern(i, seed))
			return kt_fail(end->pair, "byte %u of %u is wrong", i, length);
	return 0;
}
