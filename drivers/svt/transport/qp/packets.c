// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets on their way from the backlog of a half, or from a QP of this host, to the handler of the
 * QP's type. Before the state of the QP may change, every packet has to parse, belong to the QP's
 * service, come from the QP's peer, and have the right P_Key. Called by the owner of the half.
 */
#include <linux/unaligned.h>

#include "../../trace.h"
#include "../../wire/psn.h"
#include "drop.h"
#include "packets.h"

/* Bytes of a BTH that are alike within a message; AckReq and PSN follow */
#define SVT_BTH_ALIKE		8

struct svt_rx_cursor {
	u32 index;
	u32 offset;
	u32 left;		/* bytes */
	u32 stride;
	u32 trailer;
	bool alone;		/* a handler did not take the packets that continued its own */
};

/* In the middle of a message, or a whole SEND that says nothing but its data */
static bool svt_may_run(const struct svt_packet *packet)
{
	u32 flags = packet->info->flags, ends = flags & (SVT_OP_FIRST | SVT_OP_LAST);

	if (packet->info->service == SVT_SERVICE_UD || !(flags & SVT_OP_PAYLOAD))
		return false;
	return !ends || (flags & SVT_OP_SEND && ends == (SVT_OP_FIRST | SVT_OP_LAST) &&
			 !(flags & (SVT_OP_IMM | SVT_OP_IETH)));
}

/* First bytes of the packet that is @ahead packets on; NULL: not in one piece */
static const u8 *svt_bytes_at(const struct svt_rx_packet *rx, const struct svt_rx_cursor *at,
			      u32 ahead, u32 length)
{
	const struct svt_train *train = rx->train;

	if (train)
		return train->headers + (at->index + ahead) * train->header_length;
	return svt_skb_bytes(rx->skb, at->offset + ahead * at->stride, length);
}

/* Counts the packets behind @rx that differ by the PSN only; @first: the headers of @rx */
static void svt_find_more(struct svt_rx_packet *rx, const struct svt_rx_cursor *at,
			  const u8 *first)
{
	u64 alike = get_unaligned((const u64 *)first);
	u32 length = rx->packet.header_length;
	u32 behind = length - SVT_BTH_BYTES;
	u32 left = at->left, word;

	while (left >= 2 * at->stride && !rx->more_ack_request) {
		const u8 *bytes;

		left -= at->stride;
		bytes = svt_bytes_at(rx, at, rx->more + 1, length);
		if (!bytes || get_unaligned((const u64 *)bytes) != alike ||
		    (behind && memcmp(bytes + SVT_BTH_BYTES, first + SVT_BTH_BYTES, behind)))
			return;
		word = get_unaligned_be32(bytes + SVT_BTH_ALIKE);
		if (svt_psn(word) != svt_psn_add(rx->packet.psn, rx->more + 1))
			return;
		rx->more_ack_request = word >> 24 & SVT_BTH_ACK_REQUEST_BIT;
		rx->more++;
	}
}

/* Copies the headers: a sender that spliced pages into the packet may change them meanwhile */
static bool svt_parse(struct svt_rx_packet *rx, const struct svt_rx_cursor *at)
{
	u8 buffer[SVT_HEADER_MAX];
	u32 length = min(at->stride, at->left) - at->trailer;
	u32 available = min_t(u32, length, rx->train ? rx->train->header_length : sizeof(buffer));
	const u8 *bytes = svt_bytes_at(rx, at, 0, available);

	if (bytes)
		memcpy(buffer, bytes, available);
	else if (skb_copy_bits(rx->skb, at->offset, buffer, available))
		return false;
	if (svt_packet_parse(&rx->packet, buffer, available, length) != SVT_PARSE_OK)
		return false;
	rx->payload = rx->train ? at->index * rx->train->payload_length :
				  at->offset + rx->packet.header_length;
	rx->stride = rx->train ? rx->train->payload_length : at->stride;
	rx->more_ack_request = false;
	if (!at->alone && svt_may_run(&rx->packet) && !rx->packet.ack_request &&
	    !trace_svt_packet_rx_enabled())
		svt_find_more(rx, at, buffer);
	return true;
}

/* A process does not get packets of another namespace */
static bool svt_is_heard(const struct svt_qp *qp, const struct svt_rx_cb *cb)
{
	return !qp->user || qp->flow.everywhere || cb->netns == qp->flow.netns;
}

static bool svt_is_at(const struct svt_path *path, const struct svt_rx_cb *cb)
{
	return cb->netns == path->netns && (!cb->ifindex || cb->ifindex == path->ifindex);
}

static bool svt_from_peer(struct svt_qp *qp, struct sk_buff *skb)
{
	const struct svt_rx_cb *cb = svt_rx_cb(skb);
	struct svt_rx_address address;

	if (!qp->type->connected)
		return svt_is_heard(qp, cb);
	if (!svt_is_at(&qp->path, cb))
		return false;
	qp->dev->ops->rx_address(qp->dev, skb, cb->stride, &address);
	return svt_gid_equal(&address.sgid, &qp->path.dgid) &&
	       svt_gid_equal(&address.dgid, &qp->path.sgid);
}

static bool svt_half_awake(const struct svt_qp *qp, const struct svt_half *half)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (state == IB_QPS_RTS || state == IB_QPS_SQD)
		return true;
	return half == &qp->recv.half && (state == IB_QPS_RTR || state == IB_QPS_SQE);
}

static enum svt_counter svt_half_dispatch(struct svt_qp *qp, struct svt_half *half,
					  struct svt_rx_packet *rx)
{
	if (half == &qp->send.half) {
		if (!qp->type->response || !(rx->packet.info->flags & SVT_OP_RESPONSE))
			return SVT_COUNT_RX_DROPPED_OPCODE;
		qp->type->response(qp, rx);
	} else {
		if (!qp->type->request)
			return SVT_COUNT_RX_DROPPED_OPCODE;
		qp->type->request(qp, rx);
		WRITE_ONCE(qp->recv.arrivals, qp->recv.arrivals + rx->run);
	}
	return SVT_COUNT_TOTAL;
}

/* SVT_COUNT_TOTAL: rx->run packets are done; else the reason to drop the first */
static enum svt_counter svt_half_packet(struct svt_qp *qp, struct svt_half *half,
					struct svt_rx_packet *rx, const struct svt_rx_cursor *at)
{
	struct svt_core *core = qp->core;
	enum svt_counter reason;

	if (!svt_half_awake(qp, half))
		return SVT_COUNT_RX_DROPPED_STATE;
	if (min(at->stride, at->left) <= at->trailer || !svt_parse(rx, at))
		return SVT_COUNT_RX_DROPPED_MALFORMED;
	if (rx->packet.info->service != qp->type->service)
		return SVT_COUNT_RX_DROPPED_OPCODE;
	/* A single P_Key, with full membership; a limited peer may talk to it (IBTA 10.9.3) */
	if ((rx->packet.pkey & 0x7fff) != (SVT_DEFAULT_PKEY & 0x7fff)) {
		WRITE_ONCE(core->bad_pkey_count, READ_ONCE(core->bad_pkey_count) + 1);
		return SVT_COUNT_RX_DROPPED_PKEY;
	}
	trace_svt_packet_rx(qp, &rx->packet);
	reason = svt_half_dispatch(qp, half, rx);
	svt_count_add(svt_qp_counters(qp), SVT_COUNT_RX_PACKETS, rx->run);
	svt_count_add(svt_qp_counters(qp), SVT_COUNT_RX_BYTES,
		      rx->run * (min(at->stride, at->left) - at->trailer));
	return reason;
}

static void svt_half_walk(struct svt_qp *qp, struct svt_half *half, struct svt_rx_packet *rx,
			  struct svt_rx_cursor *at)
{
	enum svt_counter reason;
	u32 step;

	for (; at->left; at->index += rx->run, at->offset += step, at->left -= step) {
		rx->run = 1;
		rx->more = 0;
		reason = svt_half_packet(qp, half, rx, at);
		if (reason != SVT_COUNT_TOTAL)
			svt_drop(svt_qp_counters(qp), rx->skb, reason);
		at->alone |= rx->more && rx->run == 1;
		step = min(rx->run * at->stride, at->left);
	}
}

static void svt_half_skb(struct svt_qp *qp, struct svt_half *half, struct sk_buff *skb)
{
	const struct svt_rx_cb *cb = svt_rx_cb(skb);
	struct svt_rx_cursor at = {
		.offset = cb->offset, .left = cb->length,
		.stride = cb->stride, .trailer = cb->trailer,
	};
	struct svt_rx_target target = {};
	struct svt_rx_packet rx = { .skb = skb, .target = &target };

	if (!svt_half_awake(qp, half)) {
		svt_drop_skb(qp->core->counters, skb, SVT_COUNT_RX_DROPPED_STATE);
		return;
	}
	if (qp->type->frame) {
		qp->type->frame(qp, skb);
		consume_skb(skb);
		return;
	}
	if (!svt_from_peer(qp, skb)) {
		svt_drop_skb(qp->core->counters, skb, SVT_COUNT_RX_DROPPED_ADDRESS);
		return;
	}
	trace_svt_train_rx(qp, skb);
	svt_count(svt_qp_counters(qp), SVT_COUNT_RX_TRAINS);
	svt_half_walk(qp, half, &rx, &at);
	consume_skb(skb);
}

/* @train: from the peer of @qp. BH off, RCU read section. */
void svt_half_train(struct svt_qp *qp, struct svt_half *half, const struct svt_train *train)
{
	u32 pad = -train->last_length & 3, stride = train->header_length + train->payload_length;
	struct svt_rx_cursor at = {
		.left = (train->packets - 1) * stride + train->header_length +
			train->last_length + pad,
		.stride = train->packets > 1 ? stride : stride + pad,
	};
	struct svt_rx_target target = {};
	struct svt_rx_source source = {};
	struct svt_rx_packet rx = { .train = train, .source = &source, .target = &target };

	lockdep_assert_held(&half->lock);
	svt_half_walk(qp, half, &rx, &at);
}

/* Other CPUs may fill the backlog as fast as this empties it. BH off, RCU read section. */
void svt_half_packets(struct svt_qp *qp, struct svt_half *half)
{
	unsigned int budget = SVT_PACKETS_BUDGET;
	struct sk_buff *skb;

	lockdep_assert_held(&half->lock);
	while (budget-- && (skb = skb_dequeue(&half->backlog)))
		svt_half_skb(qp, half, skb);
	if (!skb_queue_empty_lockless(&half->backlog))
		atomic_or(SVT_WORK_PACKETS, &half->work);
}
