// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the backend to a side of a QP.
 *
 * svt_receive() finds the QP under RCU and puts the skb on the backlog of the side that it is
 * for: answers go to the send side, requests to the receive side. The owner of the side takes
 * it from there by svt_side_packets(), which makes the checks that every packet has to pass
 * before the state of the QP may change: it parses, belongs to the QP's service, comes from the
 * QP's peer, and has the right P_Key.
 */
#include <linux/rhashtable.h>
#include <linux/unaligned.h>

#include "../trace.h"
#include "../wire/psn.h"
#include "multicast.h"
#include "rx.h"

static void svt_drop(struct svt_core *core, struct sk_buff *skb, enum svt_counter reason)
{
	svt_count(core->counters, reason);
	trace_svt_drop(skb, reason);
	kfree_skb(skb);
}

/* The bytes of the BTH that say where a packet goes */
struct svt_destination {
	u32 qpn;
	bool response;
};

static bool svt_peek(const struct sk_buff *skb, u32 offset, struct svt_destination *destination)
{
	const u8 *bth = svt_skb_bytes(skb, offset, SVT_BTH_BYTES);
	u8 buffer[SVT_BTH_BYTES];

	if (!bth)
		bth = skb_header_pointer(skb, offset, sizeof(buffer), buffer);
	if (!bth)
		return false;
	destination->qpn = bth[5] << 16 | bth[6] << 8 | bth[7];
	destination->response = svt_opcode_info(bth[0])->flags & SVT_OP_RESPONSE;
	return true;
}

static void svt_side_receive(struct svt_qp *qp, struct sk_buff *skb, bool response)
{
	struct svt_side *side = response ? &qp->send.side : &qp->recv.side;

	if (skb_queue_len_lockless(&side->backlog) >= SVT_BACKLOG_MAX) {
		svt_drop(qp->core, skb, SVT_COUNT_RX_DROPPED_BACKLOG);
		return;
	}
	skb_queue_tail(&side->backlog, skb);
	if (response)
		svt_send_kick(qp, SVT_WORK_PACKETS);
	else
		svt_recv_kick(qp, SVT_WORK_PACKETS);
}

/**
 * svt_qp_receive - hand packets to a QP
 * @qp: QP, found in this RCU read section
 * @skb: as for svt_receive(), all of it for @qp; consumed
 *
 * Context: BH off, RCU read section.
 */
void svt_qp_receive(struct svt_qp *qp, struct sk_buff *skb)
{
	struct svt_destination destination;

	if (!svt_peek(skb, svt_rx_cb(skb)->offset, &destination))
		svt_drop(qp->core, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
	else
		svt_side_receive(qp, skb, destination.response);
}

/**
 * svt_qp_receive_frame - hand a frame to a QP
 * @qp: raw packet QP, found in this RCU read section
 * @skb: as for svt_receive_frame(); consumed
 *
 * Context: BH off, RCU read section.
 */
void svt_qp_receive_frame(struct svt_qp *qp, struct sk_buff *skb)
{
	svt_side_receive(qp, skb, false);
}

static void svt_receive_one(struct svt_device *dev, struct sk_buff *skb,
			    const struct svt_destination *destination)
{
	struct svt_core *core = dev->core;
	struct svt_rx_address address;
	struct svt_qp *qp;

	if (destination->qpn == SVT_QPN_MULTICAST) {
		dev->ops->rx_address(dev, skb, svt_rx_cb(skb)->stride, &address);
		svt_multicast_deliver(dev, &address.dgid, svt_rx_cb(skb)->netns, skb);
		return;
	}
	qp = svt_qp_lookup(core, destination->qpn);
	if (!qp)
		svt_drop(core, skb, SVT_COUNT_RX_DROPPED_NO_QP);
	else
		svt_side_receive(qp, skb, destination->response);
}

/*
 * An skb of several packets is for one side of one QP as a rule, but that is the doing of whoever
 * merged them: each run of packets with the same destination gets a clone of its own.
 */
static void svt_receive_runs(struct svt_device *dev, struct sk_buff *skb)
{
	struct svt_rx_cb whole = *svt_rx_cb(skb);
	struct svt_destination first, next;
	u32 start = 0, position;

	if (!svt_peek(skb, whole.offset, &first)) {
		svt_drop(dev->core, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
		return;
	}
	position = whole.one_train ? whole.length : whole.stride;
	for (; position < whole.length; position += whole.stride) {
		struct sk_buff *clone;

		if (!svt_peek(skb, whole.offset + position, &next))
			break;
		if (next.qpn == first.qpn && next.response == first.response)
			continue;
		clone = skb_clone(skb, GFP_ATOMIC);
		if (clone) {
			svt_rx_cb(clone)->offset = whole.offset + start;
			svt_rx_cb(clone)->length = position - start;
			svt_receive_one(dev, clone, &first);
		} else {
			svt_count(dev->core->counters, SVT_COUNT_RX_DROPPED_MEMORY);
		}
		start = position;
		first = next;
	}
	svt_rx_cb(skb)->offset = whole.offset + start;
	svt_rx_cb(skb)->length = whole.length - start;
	svt_receive_one(dev, skb, &first);
}

/**
 * svt_receive - take packets from the wire
 * @dev: that they came to
 * @skb: one or more packets, as svt_rx_cb(@skb) says, whose ICRC is right; consumed
 *
 * Context: BH off. Takes an RCU read section of its own.
 */
void svt_receive(struct svt_device *dev, struct sk_buff *skb)
{
	struct svt_rx_cb *cb = svt_rx_cb(skb);

	if (!cb->length || !cb->stride) {
		svt_drop(dev->core, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
		return;
	}
	rcu_read_lock();
	svt_receive_runs(dev, skb);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(svt_receive);

/**
 * svt_count_drop - count a packet that the backend lost or refused
 * @dev: device
 * @transmit: on its way out, else on its way in
 */
void svt_count_drop(struct svt_device *dev, bool transmit)
{
	svt_count(dev->core->counters,
		  transmit ? SVT_COUNT_TX_DROPPED : SVT_COUNT_RX_DROPPED_BACKEND);
}
EXPORT_SYMBOL_GPL(svt_count_drop);

/**
 * svt_count_forgery - count a packet that somebody else sends in the name of a QP
 * @dev: a device with the address that it was to come from
 *
 * Context: any.
 */
void svt_count_forgery(struct svt_device *dev)
{
	svt_count(dev->core->counters, SVT_COUNT_TX_FORGED);
}
EXPORT_SYMBOL_GPL(svt_count_forgery);

/* BTHs that are to go on with a message are alike in this many bytes; behind are AckReq and PSN */
#define SVT_BTH_ALIKE		8

/* Where the packets of an skb or train are that are left */
struct svt_rx_cursor {
	u32 index;
	u32 offset;
	u32 left;		/* bytes */
	u32 stride;
	u32 trailer;
	bool alone;		/* one did not take those along that went on with it */
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

/* The first @length bytes of the packet @ahead packets on, if they are in one piece */
static const u8 *svt_bytes_at(const struct svt_rx_packet *rx, const struct svt_rx_cursor *at,
			      u32 ahead, u32 length)
{
	const struct svt_train *train = rx->train;

	if (train)
		return train->headers + (at->index + ahead) * train->header_length;
	return svt_skb_bytes(rx->skb, at->offset + ahead * at->stride, length);
}

/* Behind @rx, which has the headers @first: how many packets that differ by the PSN only? */
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

/* Copied, because who spliced pages into a packet may change them meanwhile */
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

/* A process hears nothing of what comes to another namespace */
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

static bool svt_side_awake(const struct svt_qp *qp, const struct svt_side *side)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (state == IB_QPS_RTS || state == IB_QPS_SQD)
		return true;
	return side == &qp->recv.side && (state == IB_QPS_RTR || state == IB_QPS_SQE);
}

static enum svt_counter svt_side_dispatch(struct svt_qp *qp, struct svt_side *side,
					  struct svt_rx_packet *rx)
{
	if (side == &qp->send.side) {
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

/* rx->run packets from @at. Returns SVT_COUNT_TOTAL, or the reason why the first is dropped. */
static enum svt_counter svt_side_packet(struct svt_qp *qp, struct svt_side *side,
					struct svt_rx_packet *rx, const struct svt_rx_cursor *at)
{
	struct svt_core *core = qp->core;
	enum svt_counter reason;

	if (!svt_side_awake(qp, side))
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
	reason = svt_side_dispatch(qp, side, rx);
	svt_count_add(svt_qp_counters(qp), SVT_COUNT_RX_PACKETS, rx->run);
	svt_count_add(svt_qp_counters(qp), SVT_COUNT_RX_BYTES,
		      rx->run * (min(at->stride, at->left) - at->trailer));
	return reason;
}

static void svt_side_walk(struct svt_qp *qp, struct svt_side *side, struct svt_rx_packet *rx,
			  struct svt_rx_cursor *at)
{
	enum svt_counter reason;
	u32 step;

	for (; at->left; at->index += rx->run, at->offset += step, at->left -= step) {
		rx->run = 1;
		rx->more = 0;
		reason = svt_side_packet(qp, side, rx, at);
		if (reason != SVT_COUNT_TOTAL) {
			svt_count(svt_qp_counters(qp), reason);
			trace_svt_drop(rx->skb, reason);
		}
		at->alone |= rx->more && rx->run == 1;
		step = min(rx->run * at->stride, at->left);
	}
}

static void svt_side_skb(struct svt_qp *qp, struct svt_side *side, struct sk_buff *skb)
{
	const struct svt_rx_cb *cb = svt_rx_cb(skb);
	struct svt_rx_cursor at = {
		.offset = cb->offset, .left = cb->length,
		.stride = cb->stride, .trailer = cb->trailer,
	};
	struct svt_rx_target target = {};
	struct svt_rx_packet rx = { .skb = skb, .target = &target };

	if (!svt_side_awake(qp, side)) {
		svt_drop(qp->core, skb, SVT_COUNT_RX_DROPPED_STATE);
		return;
	}
	if (qp->type->frames) {
		svt_responder_frame(qp, skb);
		consume_skb(skb);
		return;
	}
	if (!svt_from_peer(qp, skb)) {
		svt_drop(qp->core, skb, SVT_COUNT_RX_DROPPED_ADDRESS);
		return;
	}
	trace_svt_train_rx(qp, skb);
	svt_count(svt_qp_counters(qp), SVT_COUNT_RX_TRAINS);
	svt_side_walk(qp, side, &rx, &at);
	consume_skb(skb);
}

/**
 * svt_side_train - packets of a QP of this host
 * @qp: QP
 * @side: its side, whose lock the caller holds
 * @train: from the peer of @qp
 *
 * Context: BH off, RCU read section.
 */
void svt_side_train(struct svt_qp *qp, struct svt_side *side, const struct svt_train *train)
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

	lockdep_assert_held(&side->lock);
	svt_side_walk(qp, side, &rx, &at);
}

/**
 * svt_side_packets - work off the backlog of a side
 * @qp: QP
 * @side: its side, whose lock the caller holds
 *
 * Other CPUs may fill it as fast as we empty it: what is left is for the next round.
 *
 * Context: owner of @side, BH off, RCU read section.
 */
void svt_side_packets(struct svt_qp *qp, struct svt_side *side)
{
	unsigned int budget = SVT_PACKETS_BUDGET;
	struct sk_buff *skb;

	lockdep_assert_held(&side->lock);
	while (budget-- && (skb = skb_dequeue(&side->backlog)))
		svt_side_skb(qp, side, skb);
	if (!skb_queue_empty_lockless(&side->backlog))
		atomic_or(SVT_WORK_PACKETS, &side->work);
}
