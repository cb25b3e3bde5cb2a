// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Trains: packets of one shape, one behind the other, handed to the backend at once.
 *
 * Two builders per CPU serve the requesters and the responders of all QPs, each to one user at a
 * time: where BH off does not see to that, on real-time kernels, a lock does. No backend calls back
 * into the core from xmit. There are two because a requester that hands its train to a QP of this
 * host is not done with it when that QP's responder answers.
 * All packets of a train have headers of one length and payloads of one length, but for a
 * shorter last: what UDP segmentation offload can cut.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/unaligned.h>

#include "../../trace.h"
#include "../../wire/psn.h"
#include "loopback.h"
#include "train.h"

/* The variables of a module that are per CPU have no room for them */
struct svt_train_builders __percpu *svt_train_builders;

/**
 * svt_builders_init - allocate the builders
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int svt_builders_init(void)
{
	int cpu;

	svt_train_builders = alloc_percpu(struct svt_train_builders);
	if (!svt_train_builders)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct svt_train_builders *builders = per_cpu_ptr(svt_train_builders, cpu);

		local_lock_init(&builders->responder_lock);
		local_lock_init(&builders->requester_lock);
	}
	return 0;
}

/**
 * svt_builders_exit - free them
 *
 * Context: module exit.
 */
void svt_builders_exit(void)
{
	free_percpu(svt_train_builders);
}

/**
 * svt_builder_begin - begin an empty train
 * @builder: whose lock svt_builder_start() took
 * @qp: the sender
 * @half: the half of it
 * @path: where to
 *
 * Context: as svt_builder_start().
 */
void svt_builder_begin(struct svt_train_builder *builder, struct svt_qp *qp,
		       struct svt_half *half, struct svt_path *path)
{
	lockdep_assert_held(&half->lock);
	builder->half = half;
	builder->peer = NULL;
	builder->train.path = path;
	builder->train.flow = &qp->flow;
	builder->train.packets = 0;
	builder->train.headers = builder->headers;
	builder->train.header_length = 0;
	builder->train.payload_length = 0;
	builder->train.last_length = 0;
	builder->frame = false;
	builder->bytes = 0;
	builder->bvecs = 0;
	builder->closed = false;
	builder->sge = NULL;
	builder->region.mr = NULL;
	builder->held_count = 0;
}

/**
 * svt_builder_fits - may a packet of this shape follow?
 * @builder: builder
 * @header_length: bytes of its BTH and extended headers
 * @payload_length: bytes of its payload
 *
 * Return: true for an empty train; else when the shape allows it and there is room.
 */
bool svt_builder_fits(const struct svt_train_builder *builder, u32 header_length,
		      u32 payload_length)
{
	const struct svt_train *train = &builder->train;

	if (!train->packets)
		return true;
	if (builder->closed || train->packets == SVT_TRAIN_PACKETS)
		return false;
	if (header_length != train->header_length || payload_length > train->payload_length)
		return false;
	return builder->bytes + header_length + payload_length <= SVT_TRAIN_BYTES;
}

/**
 * svt_builder_add - add the headers of a packet
 * @builder: builder
 * @packet: headers, with info and pad set
 * @payload_length: bytes that svt_builder_payload_*() add for it before the next packet
 */
void svt_builder_add(struct svt_train_builder *builder, const struct svt_packet *packet,
		     u32 payload_length)
{
	struct svt_train *train = &builder->train;
	u32 header_length = packet->info->header_length;

	if (!train->packets) {
		train->header_length = header_length;
		train->payload_length = payload_length;
	}
	svt_packet_build(packet, builder->headers + train->packets * header_length);
	builder->closed = payload_length < train->payload_length || packet->pad;
	builder->bytes += header_length + payload_length;
	train->last_length = payload_length;
	train->packets++;
}

/**
 * svt_builder_add_frame - make a train of a frame
 * @builder: empty
 * @length: bytes that svt_builder_payload_*() add for it
 * @checksum: the backend is to compute checksums
 */
void svt_builder_add_frame(struct svt_train_builder *builder, u32 length, bool checksum)
{
	struct svt_train *train = &builder->train;

	/* For who looks at a BTH without asking, as the trace event does */
	memset(builder->headers, 0, SVT_BTH_BYTES);
	builder->frame = true;
	builder->checksum = checksum;
	train->payload_length = length;
	train->last_length = length;
	train->packets = 1;
	builder->bytes = length;
	builder->closed = true;
}

/**
 * svt_train_copy - copy payload to kernel memory
 * @payload: of a train
 * @from: bytes of it before the first one
 * @to: where to; may be on a stack
 * @length: bytes
 *
 * copy_from_iter() is not for this. Where it is hardened it looks up whether @to is from vmalloc(),
 * as stacks of interrupts are, under a lock that is not safe in a softirq.
 *
 * Return: 0, or -EFAULT when the payload is shorter.
 */
int svt_train_copy(const struct iov_iter *payload, u32 from, void *to, u32 length)
{
	struct bvec_iter at = { .bi_size = iov_iter_count(payload) };
	struct bio_vec piece;

	if (from > at.bi_size || length > at.bi_size - from)
		return -EFAULT;
	bvec_iter_advance(payload->bvec, &at, from);
	at.bi_size = length;
	for_each_bvec(piece, payload->bvec, at, at) {
		memcpy_from_bvec(to, &piece);
		to += piece.bv_len;
	}
	return 0;
}

/**
 * svt_builder_peek - look at payload
 * @builder: builder
 * @to: where to
 * @length: bytes from the first one on
 *
 * Return: false when there are not that many.
 */
bool svt_builder_peek(const struct svt_train_builder *builder, void *to, u32 length)
{
	struct iov_iter iter;

	iov_iter_bvec(&iter, ITER_SOURCE, builder->bvec, builder->bvecs, builder->bytes);
	return !svt_train_copy(&iter, 0, to, length);
}

/**
 * svt_builder_room - how many more packets of the shape of the last one fit
 * @builder: with at least one packet
 *
 * Return: packets.
 */
u32 svt_builder_room(const struct svt_train_builder *builder)
{
	const struct svt_train *train = &builder->train;
	u32 bytes = train->header_length + train->payload_length;

	if (builder->closed)
		return 0;
	return min_t(u32, SVT_TRAIN_PACKETS - train->packets,
		     (SVT_TRAIN_BYTES - builder->bytes) / bytes);
}

/**
 * svt_builder_repeat - add packets whose headers differ from the last one's by the PSN only
 * @builder: with svt_builder_room() for them, and their payload
 * @psn: of the first
 * @packets: how many
 */
void svt_builder_repeat(struct svt_train_builder *builder, u32 psn, u32 packets)
{
	struct svt_train *train = &builder->train;
	u32 length = train->header_length;
	u8 *header = builder->headers + train->packets * length;

	builder->bytes += packets * (length + train->payload_length);
	train->packets += packets;
	for (; packets; packets--, header += length, psn = svt_psn_add(psn, 1)) {
		/* Spares the call for what most have nothing of but this */
		memcpy(header, header - length, SVT_BTH_BYTES);
		if (length > SVT_BTH_BYTES)
			memcpy(header + SVT_BTH_BYTES, header + SVT_BTH_BYTES - length,
			       length - SVT_BTH_BYTES);
		put_unaligned_be24(psn, header + SVT_BTH_PSN_BYTE);
	}
}

/**
 * svt_builder_payload_region - payload from a memory region, by reference
 * @builder: builder
 * @region: from a look-up in this RCU read section
 * @offset: of the first byte in @region
 * @length: bytes
 *
 * Return: false when the builder has too few bvecs left for it.
 */
bool svt_builder_payload_region(struct svt_train_builder *builder,
				const struct svt_region *region, u64 offset, u32 length)
{
	unsigned int count = 0;
	u64 covered;

	if (!length)
		return true;
	covered = svt_region_bvec(region, offset, length, builder->bvec + builder->bvecs,
				  SVT_TRAIN_BVECS - builder->bvecs, &count);
	builder->bvecs += count;
	return covered == length;
}

/**
 * svt_builder_hold - have a region wait with its invalidation for the train
 * @builder: builder
 * @region: from a look-up in this RCU read section
 *
 * The invalidation of a region for fast registration, or of a window, waits for this train, whose
 * payload the backend copies in xmit: nothing of it is read once the invalidation has completed.
 * For what a peer asks for; of a request of its own a client knows when it is done, and does not
 * invalidate before.
 *
 * Who waits for us, in svt_key_invalidate(), holds locks of halves of QPs. The half that answers
 * takes none between this and the end of svt_builder_send(): on the same host the peer's is held.
 *
 * Return: false: invalidated meanwhile, or a train that has to go first.
 */
bool svt_builder_hold(struct svt_train_builder *builder, const struct svt_region *region)
{
	if (!svt_region_is_revocable(region))
		return true;
	if (builder->held_count == SVT_TRAIN_HELD || !svt_region_enter(region))
		return false;
	builder->held[builder->held_count++] = *region;
	return true;
}

/**
 * svt_builder_release - let go of what svt_builder_hold() holds
 * @builder: builder
 */
void svt_builder_release(struct svt_train_builder *builder)
{
	while (builder->held_count)
		svt_region_leave(&builder->held[--builder->held_count]);
}

/**
 * svt_builder_payload_kernel - payload from kernel memory (inline data)
 * @builder: builder
 * @data: kmalloc or vmalloc memory
 * @length: bytes
 *
 * Return: false when the builder has too few bvecs left for it.
 */
bool svt_builder_payload_kernel(struct svt_train_builder *builder, const void *data, u32 length)
{
	while (length) {
		u32 part = min_t(u32, length, PAGE_SIZE - offset_in_page(data));
		struct page *page = is_vmalloc_addr(data) ? vmalloc_to_page(data) :
							    virt_to_page(data);

		if (builder->bvecs == SVT_TRAIN_BVECS)
			return false;
		bvec_set_page(&builder->bvec[builder->bvecs++], page, part, offset_in_page(data));
		data += part;
		length -= part;
	}
	return true;
}

/**
 * svt_builder_mark - remember where the builder stands
 * @builder: builder
 * @mark: for svt_builder_undo()
 */
void svt_builder_mark(const struct svt_train_builder *builder, struct svt_builder_mark *mark)
{
	mark->packets = builder->train.packets;
	mark->header_length = builder->train.header_length;
	mark->payload_length = builder->train.payload_length;
	mark->last_length = builder->train.last_length;
	mark->bytes = builder->bytes;
	mark->bvecs = builder->bvecs;
	mark->closed = builder->closed;
}

/**
 * svt_builder_undo - take back what was added since the mark
 * @builder: builder
 * @mark: from svt_builder_mark()
 */
void svt_builder_undo(struct svt_train_builder *builder, const struct svt_builder_mark *mark)
{
	builder->train.packets = mark->packets;
	builder->train.header_length = mark->header_length;
	builder->train.payload_length = mark->payload_length;
	builder->train.last_length = mark->last_length;
	builder->bytes = mark->bytes;
	builder->bvecs = mark->bvecs;
	builder->closed = mark->closed;
}

/**
 * svt_builder_request_ack - set the AckReq bit of the last packet (IBTA 9.2.1)
 * @builder: with at least one packet
 */
void svt_builder_request_ack(struct svt_train_builder *builder)
{
	u32 last = (builder->train.packets - 1) * builder->train.header_length;

	builder->headers[last + SVT_BTH_ACK_REQUEST_BYTE] |= SVT_BTH_ACK_REQUEST_BIT;
}

static int svt_builder_xmit_frame(const struct svt_train_builder *builder, struct svt_qp *qp)
{
	const struct svt_frame frame = {
		.flow = &qp->flow,
		.bytes = builder->train.payload,
		.length = builder->bytes,
		.checksum = builder->checksum,
	};

	return qp->dev->ops->frames->xmit(qp->dev, &frame);
}

static int svt_builder_xmit(struct svt_train_builder *builder, struct svt_qp *qp)
{
	struct svt_train *train = &builder->train;
	int ret;

	if (builder->frame)
		return svt_builder_xmit_frame(builder, qp);
	train->on_wire = !svt_loopback_may(qp, builder->half);
	ret = qp->dev->ops->xmit(qp->dev, train);
	if (ret == SVT_XMIT_LOCAL && !READ_ONCE(train->peer->core->same_host)) {
		train->on_wire = true;
		ret = qp->dev->ops->xmit(qp->dev, train);
	}
	return ret;
}

/**
 * svt_builder_send - hand the train to the backend
 * @builder: with at least one packet
 * @qp: the sender
 *
 * Return: 0, or -EAGAIN: nothing was taken and svt_flow_ready() follows.
 */
int svt_builder_send(struct svt_train_builder *builder, struct svt_qp *qp)
{
	struct svt_train *train = &builder->train;
	u32 payload = (train->packets - 1) * train->payload_length + train->last_length;
	struct svt_counters __percpu *counters = svt_qp_counters(qp);
	int ret;

	iov_iter_bvec(&train->payload, ITER_SOURCE, builder->bvec, builder->bvecs, payload);
	ret = svt_builder_xmit(builder, qp);
	trace_svt_train_tx(qp, train, ret);
	if (ret == SVT_XMIT_LOCAL) {
		builder->peer = svt_loopback_deliver(qp, builder->half, train);
		ret = 0;
	}
	svt_builder_release(builder);
	if (ret == -EAGAIN) {
		svt_count(counters, SVT_COUNT_TX_BUSY);
		return ret;
	}
	svt_count(counters, SVT_COUNT_TX_TRAINS);
	svt_count_add(counters, SVT_COUNT_TX_PACKETS, train->packets);
	svt_count_add(counters, SVT_COUNT_TX_BYTES, builder->bytes);
	return 0;
}
