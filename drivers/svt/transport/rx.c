// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the backend to a QP: svt_receive() finds it under RCU.
 */
#include "backlog.h"
#include "multicast.h"
#include "qp/drop.h"
#include "qp/table.h"

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
		svt_drop_skb(core->counters, skb, SVT_COUNT_RX_DROPPED_NO_QP);
	else
		svt_half_receive(qp, skb, destination->response);
}

/*
 * All packets of an skb are for one half of one QP as a rule, but that depends on the layer that
 * merged them: each run of packets with the same destination gets a clone of its own.
 */
static void svt_receive_runs(struct svt_device *dev, struct sk_buff *skb)
{
	struct svt_rx_cb whole = *svt_rx_cb(skb);
	struct svt_destination first, next;
	u32 start = 0, position;

	if (!svt_peek(skb, whole.offset, &first)) {
		svt_drop_skb(dev->core->counters, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
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
 * @dev: receiving device
 * @skb: packets as svt_rx_cb(@skb) says, whose ICRC is right; consumed
 *
 * Context: BH off.
 */
void svt_receive(struct svt_device *dev, struct sk_buff *skb)
{
	struct svt_rx_cb *cb = svt_rx_cb(skb);

	if (!cb->length || !cb->stride) {
		svt_drop_skb(dev->core->counters, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
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
 * @transmit: on its way out
 */
void svt_count_drop(struct svt_device *dev, bool transmit)
{
	svt_count(dev->core->counters,
		  transmit ? SVT_COUNT_TX_DROPPED : SVT_COUNT_RX_DROPPED_BACKEND);
}
EXPORT_SYMBOL_GPL(svt_count_drop);

/**
 * svt_count_forgery - count a packet that somebody else sends in the name of a QP
 * @dev: has its source address
 *
 * Context: any.
 */
void svt_count_forgery(struct svt_device *dev)
{
	svt_count(dev->core->counters, SVT_COUNT_TX_FORGED);
}
EXPORT_SYMBOL_GPL(svt_count_forgery);
