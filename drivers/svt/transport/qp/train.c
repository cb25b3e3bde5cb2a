// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Trains: packets of one shape, one behind the other, handed to the backend at once. All packets
 * have headers of one length and payloads of one length, but for a shorter last, for UDP GSO.
 *
 * Two builders per CPU serve the requesters and the responders of all QPs, each to one user at a
 * time: BH off sees to that, and on real-time kernels a lock. No backend calls the core from xmit.
 * A requester that sends to a QP of this host still uses its builder when the responder answers.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/unaligned.h>

#include "../../trace.h"
#include "../../wire/psn.h"
#include "loopback.h"
#include "train.h"

/* Allocated: too large for the static per-CPU memory of modules */
struct svt_train_builders __percpu *svt_train_builders;

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

void svt_builders_exit(void)
{
	free_percpu(svt_train_builders);
}

/* For svt_builder_start(), which took the lock of @builder */
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

/* @packet has info and pad set; svt_builder_payload_*() add its payload before the next packet */
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

/* Instead of packets, to an empty train; svt_builder_payload_*() then add @length bytes */
void svt_builder_add_frame(struct svt_train_builder *builder, u32 length, bool checksum)
{
	struct svt_train *train = &builder->train;

	/* The trace event reads a BTH without asking */
	memset(builder->headers, 0, SVT_BTH_BYTES);
	builder->frame = true;
	builder->checksum = checksum;
	train->payload_length = length;
	train->last_length = length;
	train->packets = 1;
	builder->bytes = length;
	builder->closed = true;
}

/*
 * Not by copy_from_iter(): where it is hardened, and @to on an interrupt stack from vmalloc(), it
 * takes a lock that is not safe in a softirq. -EFAULT: the payload is shorter.
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

/* The first bytes of the payload; false when there are not that many */
bool svt_builder_peek(const struct svt_train_builder *builder, void *to, u32 length)
{
	struct iov_iter iter;

	iov_iter_bvec(&iter, ITER_SOURCE, builder->bvec, builder->bvecs, builder->bytes);
	return !svt_train_copy(&iter, 0, to, length);
}

/* How many more packets of the shape of the last one fit; there is at least one */
u32 svt_builder_room(const struct svt_train_builder *builder)
{
	const struct svt_train *train = &builder->train;
	u32 bytes = train->header_length + train->payload_length;

	if (builder->closed)
		return 0;
	return min_t(u32, SVT_TRAIN_PACKETS - train->packets,
		     (SVT_TRAIN_BYTES - builder->bytes) / bytes);
}

/* Headers differ by the PSN only; svt_builder_room() was asked, the payload was added before */
void svt_builder_repeat(struct svt_train_builder *builder, u32 psn, u32 packets)
{
	struct svt_train *train = &builder->train;
	u32 length = train->header_length;
	u8 *header = builder->headers + train->packets * length;

	builder->bytes += packets * (length + train->payload_length);
	train->packets += packets;
	for (; packets; packets--, header += length, psn = svt_psn_add(psn, 1)) {
		/* Of constant size, so no call; most packets have nothing more */
		memcpy(header, header - length, SVT_BTH_BYTES);
		if (length > SVT_BTH_BYTES)
			memcpy(header + SVT_BTH_BYTES, header + SVT_BTH_BYTES - length,
			       length - SVT_BTH_BYTES);
		put_unaligned_be24(psn, header + SVT_BTH_PSN_BYTE);
	}
}

/* By reference, in the RCU read section of the look-up. False: svt_builder_undo() has to follow. */
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
 * svt_builder_hold - make the invalidation of a region wait for the train
 * @builder: builder
 * @region: from a look-up in this RCU read section
 *
 * For payload that a peer asks for, from a fast registration region or a window: the backend copies
 * it in xmit, and nothing is read once the invalidation has completed. A client does not invalidate
 * what its own requests use.
 *
 * svt_key_invalidate(), which waits for this, holds locks of halves of QPs. So the half that
 * answers takes none from here to the end of svt_builder_send(): on the same host the peer's is
 * held.
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

/* Ends svt_builder_hold(); also for a train that is not sent */
void svt_builder_release(struct svt_train_builder *builder)
{
	while (builder->held_count)
		svt_region_leave(&builder->held[--builder->held_count]);
}

/* Inline data in kmalloc or vmalloc memory; false as svt_builder_payload_region() */
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

/* Sets AckReq in the last packet (IBTA 9.2.1) */
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
 * @builder: with at least one packet; released afterwards
 * @qp: sender
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
