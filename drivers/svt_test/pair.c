// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two QPs that are connected to each other without a connection manager: made before a case runs,
 * taken down after it. Called by the one thread that runs the case.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "client.h"

/* Each send and receive, and the two that ib_drain_qp() adds */
#define KT_CQES		(2 * KT_DEPTH + 2)

/* 4.096 us * 2^17 and * 2^12 */
#define KT_ACK_TIMEOUT		17
#define KT_ACK_TIMEOUT_SHORT	12

/* 0.64 ms */
#define KT_RNR_TIMER	12

/* What the peer may do; a UC QP knows no READ and no atomic */
#define KT_ACCESS_UC	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)
#define KT_ACCESS_RC	(KT_ACCESS_UC | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

static void kt_cq_event(struct ib_cq *cq, void *context)
{
	atomic_inc(context);
}

static void kt_async_event(struct ib_event *event, void *context)
{
	struct kt_end *end = context;

	set_bit(event->event, &end->events);
}

/* The first IPv4 address of the port, of RoCE v2 */
static int kt_find_gid(struct kt_end *end)
{
	const struct ib_gid_attr *attr;
	struct ib_port_attr port;
	bool found = false;
	int i;

	if (ib_query_port(end->device, KT_PORT, &port))
		return kt_fail(end->pair, "query of the port");
	for (i = 0; i < port.gid_tbl_len && !found; i++) {
		attr = rdma_get_gid_attr(end->device, KT_PORT, i);
		if (IS_ERR(attr))
			continue;
		found = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
			ipv6_addr_v4mapped((struct in6_addr *)attr->gid.raw);
		end->gid = attr->gid;
		end->gid_index = i;
		rdma_put_gid_attr(attr);
	}
	return found ? 0 : kt_fail(end->pair, "the device has no IPv4 GID");
}

static struct ib_cq *kt_create_cq(struct kt_end *end, atomic_t *events)
{
	struct ib_cq_init_attr attr = { .cqe = KT_CQES };

	if (end->pair->test->flags & KT_VECTOR)
		attr.comp_vector = end->device->num_comp_vectors - 1;
	if (end->pair->test->flags & KT_RAW)
		return ib_create_cq(end->device, kt_cq_event, NULL, events, &attr);
	return ib_alloc_cq(end->device, end, KT_CQES, attr.comp_vector, end->pair->poll);
}

static int kt_create_cqs(struct kt_end *end)
{
	struct ib_cq *cq;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cq = kt_create_cq(end, &end->cq_events[i]);
		if (IS_ERR(cq))
			return kt_fail(end->pair, "CQ: %ld", PTR_ERR(cq));
		end->cq[i] = cq;
	}
	return 0;
}

/* The global rkey of a PD allows no atomic operations: a region of all memory that does */
static int kt_get_atomic_mr(struct kt_end *end)
{
	struct ib_mr *mr = end->device->ops.get_dma_mr(end->pd, KT_ACCESS_RC);

	if (IS_ERR(mr))
		return kt_fail(end->pair, "DMA MR: %ld", PTR_ERR(mr));
	mr->device = end->device;
	mr->pd = end->pd;
	mr->type = IB_MR_TYPE_DMA;
	end->atomic_mr = mr;
	return 0;
}

static int kt_create_memory(struct kt_end *end)
{
	bool local = end->pair->test->flags & KT_LOCAL_KEY && end == &end->pair->end[1];
	struct ib_pd *pd = ib_alloc_pd(end->device, local ? 0 : IB_PD_UNSAFE_GLOBAL_RKEY);

	if (IS_ERR(pd))
		return kt_fail(end->pair, "PD: %ld", PTR_ERR(pd));
	end->pd = pd;
	end->buffer = kzalloc(KT_BUFFER, GFP_KERNEL);
	if (!end->buffer)
		return kt_fail(end->pair, "no memory");
	end->address = ib_dma_map_single(end->device, end->buffer, KT_BUFFER, DMA_BIDIRECTIONAL);
	if (!ib_dma_mapping_error(end->device, end->address))
		return kt_get_atomic_mr(end);
	kfree(end->buffer);
	end->buffer = NULL;
	return kt_fail(end->pair, "the buffer cannot be mapped");
}

static int kt_create_srq(struct kt_end *end)
{
	struct ib_srq_init_attr init = {
		.event_handler = kt_async_event,
		.srq_context = end,
		.attr = { .max_wr = KT_DEPTH, .max_sge = KT_SGES },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq = ib_create_srq(end->pd, &init);

	if (IS_ERR(srq))
		return kt_fail(end->pair, "SRQ: %ld", PTR_ERR(srq));
	end->srq = srq;
	return 0;
}

static int kt_create_qp(struct kt_end *end)
{
	struct ib_qp_init_attr init = {
		.event_handler = kt_async_event,
		.qp_context = end,
		.send_cq = end->cq[0],
		.recv_cq = end->cq[1],
		.srq = end->srq,
		.cap = {
			/* and one that ib_drain_qp() adds */
			.max_send_wr = KT_DEPTH + 1,
			.max_recv_wr = KT_DEPTH + 1,
			.max_send_sge = KT_SGES,
			.max_recv_sge = KT_SGES,
			.max_inline_data = KT_INLINE,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = end->pair->test->type,
		.port_num = KT_PORT,
	};
	struct ib_qp *qp = ib_create_qp(end->pd, &init);

	if (IS_ERR(qp))
		return kt_fail(end->pair, "QP: %ld", PTR_ERR(qp));
	end->qp = qp;
	return 0;
}

static void kt_address(struct kt_end *end, struct rdma_ah_attr *attr)
{
	attr->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(attr, KT_PORT);
	rdma_ah_set_grh(attr, &end->peer->gid, 0, end->gid_index, 64, 0);
}

/* The attributes that lead to @state, and which they are for QPs of this type */
static int kt_attributes(struct kt_end *end, enum ib_qp_state state, struct ib_qp_attr *attr)
{
	static const int mask[][3] = {
		/* INIT, RTR, RTS */
		[IB_QPT_RC] = {
			IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
			IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER,
			IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
				IB_QP_MAX_QP_RD_ATOMIC,
		},
		[IB_QPT_UC] = {
			IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS,
			IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN,
			IB_QP_SQ_PSN,
		},
		[IB_QPT_UD] = {
			IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY, 0, IB_QP_SQ_PSN,
		},
	};
	bool impatient = end->pair->test->flags & KT_IMPATIENT;

	*attr = (struct ib_qp_attr) {
		.qp_state = state,
		.port_num = KT_PORT,
		.qp_access_flags = end->qp->qp_type == IB_QPT_RC ? KT_ACCESS_RC : KT_ACCESS_UC,
		.qkey = KT_QKEY,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = end->peer->qp ? end->peer->qp->qp_num : 0,
		/* The wrap is part of every case */
		.rq_psn = 0xfffffe,
		.sq_psn = 0xfffffe,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = KT_RNR_TIMER,
		.timeout = impatient ? KT_ACK_TIMEOUT_SHORT : KT_ACK_TIMEOUT,
		.retry_cnt = impatient ? 1 : 7,
		.rnr_retry = impatient ? 1 : 7,
	};
	kt_address(end, &attr->ah_attr);
	if (state < IB_QPS_INIT || state > IB_QPS_RTS)
		return IB_QP_STATE;
	return IB_QP_STATE | mask[end->qp->qp_type][state - IB_QPS_INIT];
}

/**
 * kt_modify() - bring a QP to another state, with all attributes that it takes
 * @end: end
 * @state: INIT, RTR and RTS in this order; or any that needs no attributes
 *
 * Return: 0, or as kt_fail().
 */
int kt_modify(struct kt_end *end, enum ib_qp_state state)
{
	struct ib_qp_attr attr;
	int mask = kt_attributes(end, state, &attr);
	int ret = ib_modify_qp(end->qp, &attr, mask);

	return ret ? kt_fail(end->pair, "modify to state %d: %d", state, ret) : 0;
}

static int kt_create_ah(struct kt_end *end)
{
	struct rdma_ah_attr attr = { };
	struct ib_ah *ah;

	kt_address(end, &attr);
	ah = rdma_create_ah(end->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return kt_fail(end->pair, "AH: %ld", PTR_ERR(ah));
	end->ah = ah;
	return 0;
}

static int kt_connect(struct kt_pair *pair)
{
	enum ib_qp_state state;
	unsigned int i;
	int ret = 0;

	for (state = IB_QPS_INIT; state <= IB_QPS_RTS; state++)
		for (i = 0; i < 2 && !ret; i++)
			ret = kt_modify(&pair->end[i], state);
	if (ret || pair->test->type != IB_QPT_UD)
		return ret;
	return kt_create_ah(&pair->end[0]) ?: kt_create_ah(&pair->end[1]);
}

static int kt_end_open(struct kt_end *end)
{
	bool srq = end->pair->test->flags & KT_SRQ && end == &end->pair->end[1];

	return kt_find_gid(end) ?: kt_create_memory(end) ?: kt_create_cqs(end) ?:
	       (srq ? kt_create_srq(end) : 0) ?: kt_create_qp(end);
}

/**
 * kt_destroy_qp() - destroy the QP of an end, whatever it is at
 * @end: end, which may have none any more
 */
void kt_destroy_qp(struct kt_end *end)
{
	int ret;

	if (end->ah)
		rdma_destroy_ah(end->ah, RDMA_DESTROY_AH_SLEEPABLE);
	end->ah = NULL;
	ret = end->qp ? ib_destroy_qp(end->qp) : 0;
	if (ret)
		kt_fail(end->pair, "destroy of a QP: %d", ret);
	else
		end->qp = NULL;
}

static void kt_destroy_cq(struct kt_end *end, struct ib_cq *cq)
{
	if (!cq)
		return;
	if (end->pair->test->flags & KT_RAW)
		ib_destroy_cq(cq);
	else
		ib_free_cq(cq);
}

static void kt_end_stop(struct kt_end *end)
{
	kt_destroy_qp(end);
	if (end->srq)
		ib_destroy_srq(end->srq);
	end->srq = NULL;
	kt_destroy_cq(end, end->cq[0]);
	kt_destroy_cq(end, end->cq[1]);
	end->cq[0] = NULL;
	end->cq[1] = NULL;
}

static void kt_end_free(struct kt_end *end)
{
	if (end->atomic_mr)
		end->device->ops.dereg_mr(end->atomic_mr, NULL);
	if (end->buffer)
		ib_dma_unmap_single(end->device, end->address, KT_BUFFER, DMA_BIDIRECTIONAL);
	kfree(end->buffer);
	if (end->pd)
		ib_dealloc_pd(end->pd);
}

/**
 * kt_pair_alloc() - the memory of a pair, with nothing opened
 * @test: case
 * @poll: how to poll its CQs
 * @first: device of end 0
 * @second: device of end 1; may be the same
 *
 * Return: the pair or NULL.
 */
struct kt_pair *kt_pair_alloc(const struct kt_case *test, enum ib_poll_context poll,
			      struct ib_device *first, struct ib_device *second)
{
	struct kt_pair *pair = kvzalloc(sizeof(*pair), GFP_KERNEL);
	unsigned int i;

	if (!pair)
		return NULL;
	pair->test = test;
	pair->poll = poll;
	for (i = 0; i < 2; i++) {
		pair->end[i].pair = pair;
		pair->end[i].peer = &pair->end[!i];
		pair->end[i].device = i ? second : first;
	}
	return pair;
}

/**
 * kt_pair_open() - make all that a pair has, and connect it
 * @pair: from kt_pair_alloc()
 *
 * Return: 0, or as kt_fail(); kt_pair_close() undoes both.
 */
int kt_pair_open(struct kt_pair *pair)
{
	int ret = kt_end_open(&pair->end[0]) ?: kt_end_open(&pair->end[1]);

	if (ret || pair->test->flags & KT_RESET)
		return ret;
	return kt_connect(pair);
}

/**
 * kt_pair_stop() - destroy QPs, SRQ and CQs: afterwards no completion comes
 * @pair: pair
 */
void kt_pair_stop(struct kt_pair *pair)
{
	kt_end_stop(&pair->end[0]);
	kt_end_stop(&pair->end[1]);
}

/**
 * kt_pair_close() - undo kt_pair_open() and kt_pair_alloc()
 * @pair: pair, stopped or not
 */
void kt_pair_close(struct kt_pair *pair)
{
	kt_pair_stop(pair);
	kt_end_free(&pair->end[0]);
	kt_end_free(&pair->end[1]);
	kfree(pair->private);
	kvfree(pair);
}
