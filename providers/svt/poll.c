// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling a completion queue: ibv_poll_cq(), and the ibv_start_poll() family. No system call, but
 * after a resize that had no memory to map the new ring. Any thread, under the CQ's lock, which the
 * latter holds until ibv_end_poll().
 */
#include <errno.h>

#include <rdma/svt-abi.h>

#include "cq.h"

static_assert((int)SVT_CQE_GRH == IBV_WC_GRH && (int)SVT_CQE_WITH_IMM == IBV_WC_WITH_IMM,
	      "these flags are passed on as they are");

static unsigned int wc_flags(const struct svt_cqe *cqe)
{
	unsigned int flags = cqe->flags & (SVT_CQE_GRH | SVT_CQE_WITH_IMM);

	if (cqe->flags & SVT_CQE_WITH_INV)
		flags |= IBV_WC_WITH_INV;
	if (cqe->flags & SVT_CQE_IP_CSUM_OK)
		flags |= IBV_WC_IP_CSUM_OK;
	return flags;
}

static void fill(struct ibv_wc *wc, const struct svt_cqe *cqe)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.imm_data = cqe->imm_data,
		.qp_num = cqe->qp_num,
		.src_qp = cqe->src_qp,
		.wc_flags = wc_flags(cqe),
		.pkey_index = cqe->pkey_index,
		.sl = cqe->sl,
	};
}

/**
 * svt_poll_cq - take completions
 * @ibv_cq: from where
 * @num_entries: at most that many
 * @wc: where to
 *
 * Return: how many there were.
 */
int svt_poll_cq(struct ibv_cq *ibv_cq, int num_entries, struct ibv_wc *wc)
{
	struct svt_cq *cq = to_svt_cq(ibv_cq);
	uint32_t index;
	int count;

	svt_lock(&cq->lock);
	if (svt_cq_follow(cq)) {
		svt_unlock(&cq->lock);
		return 0;
	}
	index = cq->ring.index;
	for (count = 0; count < num_entries && svt_ring_ready(&cq->ring, index); count++)
		fill(&wc[count], svt_ring_element(&cq->ring, index++));
	if (count)
		svt_ring_release(&cq->ring, index);
	svt_unlock(&cq->lock);
	return count;
}

static struct svt_cq *from_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct svt_cq, verbs.cq_ex);
}

static void show(struct svt_cq *cq)
{
	cq->current = svt_ring_element(&cq->ring, cq->ring.index);
	cq->verbs.cq_ex.status = cq->current->status;
	cq->verbs.cq_ex.wr_id = cq->current->wr_id;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct svt_cq *cq = from_ex(ex);

	if (attr->comp_mask)
		return EINVAL;
	svt_lock(&cq->lock);
	if (svt_cq_follow(cq) || !svt_ring_ready(&cq->ring, cq->ring.index)) {
		svt_unlock(&cq->lock);
		return ENOENT;
	}
	atomic_store_explicit(&cq->reader, (uintptr_t)pthread_self(), memory_order_relaxed);
	show(cq);
	return 0;
}

/*
 * The element before goes back at once: an application that polls and posts for long within one
 * ibv_start_poll() must not make the CQ overrun. The last one is read until ibv_end_poll().
 */
static int next_poll(struct ibv_cq_ex *ex)
{
	struct svt_cq *cq = from_ex(ex);

	if (!svt_ring_ready(&cq->ring, cq->ring.index + 1))
		return ENOENT;
	svt_ring_release(&cq->ring, cq->ring.index + 1);
	show(cq);
	return 0;
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct svt_cq *cq = from_ex(ex);

	svt_ring_release(&cq->ring, cq->ring.index + 1);
	cq->current = NULL;
	atomic_store_explicit(&cq->reader, 0, memory_order_relaxed);
	svt_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->byte_len;
}

/* With IBV_WC_WITH_INV these four bytes are the key that was invalidated */
static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	return wc_flags(from_ex(cq)->current);
}

/* There are no LIDs on Ethernet */
static uint32_t read_slid(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->timestamp;
}

static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	return from_ex(cq)->current->wall_clock;
}

void svt_poll_api_init(struct ibv_cq_ex *cq)
{
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_vendor_err;
	cq->read_byte_len = read_byte_len;
	cq->read_imm_data = read_imm_data;
	cq->read_qp_num = read_qp_num;
	cq->read_src_qp = read_src_qp;
	cq->read_wc_flags = read_wc_flags;
	cq->read_slid = read_slid;
	cq->read_sl = read_sl;
	cq->read_dlid_path_bits = read_dlid_path_bits;
	cq->read_completion_ts = read_completion_ts;
	cq->read_completion_wallclock_ns = read_completion_wallclock_ns;
}
