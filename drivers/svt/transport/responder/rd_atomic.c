// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The resources of an RC responder: READ, atomic, FLUSH and ATOMIC WRITE requests, kept to answer
 * them and to answer them again (IBTA 9.7.4.1.3, 9.7.5.1.3).
 *
 * A ring in PSN order, counted back from its newest entry. The newest resource_fresh were never
 * answered completely; max_dest_rd_atomic limits them. Of the newest resource_pending some may have
 * responses to send, the oldest first. A duplicate moves an entry's next_psn back, and says where
 * its answer ends. Entries behind it stay: a peer that went back asks again for them too, and a
 * duplicate that the network made must not disturb them.
 *
 * Under recv.half.lock, and in an RCU read section to carry out requests. A read is checked when it
 * comes; its data is fetched when it is sent. A FLUSH to persistent memory takes time.
 */
#include <linux/sizes.h>

#include "../../mem/persist.h"
#include "../../wire/psn.h"
#include "../qp/copy.h"
#include "rd_atomic.h"

/* An opcode without the service bits */
#define SVT_OPCODE_MASK		0x1f

/* Bytes that one run writes back to persistent memory, its packets' included */
#define SVT_PERSIST_BYTES	SZ_64K

/* The @back'th newest, from 1 to resource_count */
static struct svt_resource *svt_resource_at(struct svt_recv_half *recv, u32 back)
{
	u32 index = recv->resource_head;

	if (index < back)
		index += recv->resource_entries;
	return &recv->resources[index - back];
}

static bool svt_resource_done(const struct svt_resource *resource)
{
	return svt_psn_diff(resource->next_psn, resource->end_psn) > 0;
}

/* More requests than agreed are against the protocol (IBTA 9.7.4.1.3) */
static bool svt_resource_available(const struct svt_qp *qp)
{
	return qp->recv.resource_fresh < qp->attr.max_dest_rd_atomic;
}

/* A full ring forgets its oldest entry, which was answered */
static struct svt_resource *svt_resource_add(struct svt_recv_half *recv,
					     const struct svt_packet *packet, u32 packets)
{
	struct svt_resource *resource = &recv->resources[recv->resource_head];

	if (++recv->resource_head == recv->resource_entries)
		recv->resource_head = 0;
	recv->resource_count = min(recv->resource_count + 1, recv->resource_entries);
	recv->resource_pending = min(recv->resource_pending + 1, recv->resource_entries);
	recv->resource_fresh++;

	resource->psn = packet->psn;
	resource->request_psn = packet->psn;
	resource->next_psn = packet->psn;
	resource->last_psn = svt_psn_add(packet->psn, packets - 1);
	resource->end_psn = resource->last_psn;
	resource->opcode = packet->opcode;
	resource->flush_left = 0;
	resource->length = 0;
	resource->end = 0;
	resource->srq_num = recv->srq_num;
	resource->replay = false;
	return resource;
}

/* PSNs that a READ takes: at least one */
u32 svt_read_packets(u32 length, u32 mtu)
{
	return length ? (length - 1) / mtu + 1 : 1;
}

enum svt_verdict svt_resource_read(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_region *region = svt_rx_region(rx);
	struct svt_resource *resource;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_READ) ||
	    packet->dma_length > SVT_MAX_MESSAGE || !svt_resource_available(qp))
		return SVT_VERDICT_INVALID;
	if (packet->dma_length &&
	    svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, packet->rkey,
			      packet->remote_addr, packet->dma_length, IB_ACCESS_REMOTE_READ,
			      region))
		return SVT_VERDICT_ACCESS;
	resource = svt_resource_add(&qp->recv, packet,
				    svt_read_packets(packet->dma_length, qp->mtu));
	resource->rkey = packet->rkey;
	resource->remote_addr = packet->remote_addr;
	resource->length = packet->dma_length;
	resource->end = packet->dma_length;
	return SVT_VERDICT_OK;
}

static int svt_atomic_execute(const struct svt_region *region, const struct svt_packet *packet,
			      u64 *original)
{
	if ((packet->opcode & SVT_OPCODE_MASK) == IB_OPCODE_COMPARE_SWAP)
		return svt_region_compare_swap(region, packet->compare, packet->swap_add,
					       original);
	return svt_region_fetch_add(region, packet->swap_add, original);
}

enum svt_verdict svt_resource_atomic(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_region *region = svt_rx_region(rx);
	u64 original;
	int ret;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_ATOMIC) ||
	    packet->remote_addr % SVT_ATOMIC_BYTES || !svt_resource_available(qp))
		return SVT_VERDICT_INVALID;
	if (svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, packet->rkey,
			      packet->remote_addr, SVT_ATOMIC_BYTES, IB_ACCESS_REMOTE_ATOMIC,
			      region))
		return SVT_VERDICT_ACCESS;
	ret = svt_atomic_execute(region, packet, &original);
	if (ret == -EAGAIN)
		return svt_responder_absent(qp, region, 0, SVT_ATOMIC_BYTES, SVT_VERDICT_ACCESS);
	if (ret)
		return SVT_VERDICT_INVALID;
	svt_resource_add(&qp->recv, packet, 1)->atomic_original = original;
	return SVT_VERDICT_OK;
}

static int svt_flush_access(const struct svt_packet *packet)
{
	return (packet->placement & SVT_FLUSH_GLOBAL ? IB_ACCESS_FLUSH_GLOBAL : 0) |
	       (packet->placement & SVT_FLUSH_PERSISTENT ? IB_ACCESS_FLUSH_PERSISTENT : 0);
}

/* A range of no bytes needs a valid key too (IBTA oA19-13), unlike READ and WRITE */
static bool svt_flush_allowed(struct svt_qp *qp, const struct svt_packet *packet, int access,
			      struct svt_region *region)
{
	if (packet->selectivity == SVT_FLUSH_REGION)
		return !svt_region_whole(&qp->core->keys, qp->recv.pd, packet->rkey, access,
					 region);
	return !svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, packet->rkey,
				  packet->remote_addr, packet->dma_length, access, region);
}

/* No window has this right, so the addresses of @region are those of its key */
static void svt_persist_begin(struct svt_qp *qp, struct svt_resource *resource, u32 rkey,
			      const struct svt_region *region)
{
	if (!region->length)
		return;
	resource->rkey = rkey;
	resource->remote_addr = region->addr;
	resource->flush_left = region->length;
	qp->recv.persisting++;
	/* Done at once if short: the next packet may be one that svt_rc_waits() */
	svt_resource_persist(qp, resource);
}

/* False: the next @length bytes are gone */
static bool svt_persist_piece(struct svt_qp *qp, const struct svt_resource *resource, u32 length)
{
	struct svt_region region = {};

	return !svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, resource->rkey,
				  resource->remote_addr, length, IB_ACCESS_FLUSH_PERSISTENT,
				  &region) &&
	       svt_region_persist(&region);
}

/*
 * A region may have a hundred GiB: a run writes back SVT_PERSIST_BYTES, a worker goes on. Returns
 * 0: all is persistent; -EBUSY: not yet; -EACCES: the memory is gone.
 */
int svt_resource_persist(struct svt_qp *qp, struct svt_resource *resource)
{
	struct svt_recv_half *recv = &qp->recv;
	u32 length = min_t(u64, resource->flush_left, SVT_PERSIST_BYTES - recv->persisted);

	if (length && !svt_persist_piece(qp, resource, length))
		return -EACCES;
	resource->remote_addr += length;
	resource->flush_left -= length;
	recv->persisted += length;
	if (resource->flush_left) {
		queue_work(qp->core->workqueue, &recv->half.defer);
		return -EBUSY;
	}
	/* The peer repeats what waited for it */
	if (!--recv->persisting && recv->absent)
		atomic_or(SVT_WORK_PAGES, &recv->half.work);
	return 0;
}

/*
 * Global visibility needs order only; persistence takes time. It is answered as a READ of nothing
 * (IBTA A19.4.1), and a duplicate is not carried out again (oA19-14, oA19-15). Too many are
 * SVT_VERDICT_FULL, not INVALID: rxe does not count them for max_rd_atomic.
 */
enum svt_verdict svt_resource_flush(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_region *region = svt_rx_region(rx);
	int access = svt_flush_access(packet);
	struct svt_resource *resource;

	if (!access || packet->placement & ~(SVT_FLUSH_GLOBAL | SVT_FLUSH_PERSISTENT) ||
	    packet->selectivity > SVT_FLUSH_REGION || access & ~qp->attr.qp_access_flags)
		return SVT_VERDICT_INVALID;
	if (!svt_flush_allowed(qp, packet, access, region))
		return SVT_VERDICT_ACCESS;
	if (!svt_resource_available(qp))
		return SVT_VERDICT_FULL;
	/* The peer's writes are visible before the answer is sent */
	smp_mb();
	resource = svt_resource_add(&qp->recv, packet, 1);
	if (access & IB_ACCESS_FLUSH_PERSISTENT)
		svt_persist_begin(qp, resource, packet->rkey, region);
	return SVT_VERDICT_OK;
}

/* Nobody sees the 8 bytes half written (IBTA A19.4.2). Answered as a READ of nothing */
enum svt_verdict svt_resource_atomic_write(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_region *region = svt_rx_region(rx);
	u64 value;
	int ret;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE) ||
	    packet->remote_addr % SVT_ATOMIC_BYTES || packet->dma_length != SVT_ATOMIC_BYTES ||
	    packet->payload_length != SVT_ATOMIC_BYTES || !svt_resource_available(qp))
		return SVT_VERDICT_INVALID;
	if (svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, packet->rkey,
			      packet->remote_addr, SVT_ATOMIC_BYTES, IB_ACCESS_REMOTE_WRITE,
			      region))
		return SVT_VERDICT_ACCESS;
	if (svt_rx_copy(rx, &value, sizeof(value)))
		return SVT_VERDICT_BROKEN;
	ret = svt_region_store(region, value);
	if (ret == -EAGAIN)
		return svt_responder_absent(qp, region, 0, SVT_ATOMIC_BYTES, SVT_VERDICT_ACCESS);
	if (ret)
		return SVT_VERDICT_INVALID;
	svt_resource_add(&qp->recv, packet, 1);
	return SVT_VERDICT_OK;
}

/* Bytes of a read in front of the duplicate's first packet */
static u32 svt_resource_offset(const struct svt_resource *resource,
			       const struct svt_packet *packet, u32 mtu)
{
	return svt_psn(packet->psn - resource->psn) * mtu;
}

/* A duplicate READ asks for a part of the first one, from a packet of it on */
static bool svt_resource_has(const struct svt_resource *resource, const struct svt_packet *packet,
			     u32 offset)
{
	if (packet->rkey != resource->rkey ||
	    packet->remote_addr != resource->remote_addr + offset)
		return false;
	return packet->dma_length ? packet->dma_length <= resource->length - offset :
				    !resource->length;
}

static bool svt_resource_matches(const struct svt_resource *resource,
				 const struct svt_packet *packet, u32 mtu)
{
	if (resource->opcode != packet->opcode ||
	    svt_psn(packet->psn - resource->psn) > svt_psn(resource->last_psn - resource->psn))
		return false;
	return !(packet->info->flags & SVT_OP_READ) ||
	       svt_resource_has(resource, packet, svt_resource_offset(resource, packet, mtu));
}

static void svt_resource_limit(struct svt_resource *resource, const struct svt_packet *packet,
			       u32 mtu)
{
	resource->end = svt_resource_offset(resource, packet, mtu) + packet->dma_length;
	resource->end_psn = svt_psn_add(packet->psn, svt_read_packets(packet->dma_length, mtu) - 1);
}

/* A READ may ask for less than the first one (IBTA 9.7.5.1.3), which stays on record */
bool svt_resource_replay(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_recv_half *recv = &qp->recv;
	u32 back;

	for (back = 1; back <= recv->resource_count; back++) {
		struct svt_resource *resource = svt_resource_at(recv, back);

		if (!svt_resource_matches(resource, packet, qp->mtu))
			continue;
		if (packet->info->flags & SVT_OP_READ)
			svt_resource_limit(resource, packet, qp->mtu);
		resource->request_psn = packet->psn;
		resource->next_psn = packet->psn;
		recv->resource_pending = max(recv->resource_pending, back);
		return true;
	}
	return false;
}

/* All responses of the oldest that is pending are sent, or it is given up */
static void svt_resource_answered(struct svt_recv_half *recv, struct svt_resource *resource)
{
	resource->next_psn = svt_psn_add(resource->end_psn, 1);
	if (!resource->replay)
		recv->resource_fresh--;
	resource->replay = true;
	recv->resource_pending--;
}

/* The next with responses to send; @back: where to begin, at most resource_pending */
struct svt_resource *svt_resource_pending(struct svt_recv_half *recv, u32 *back)
{
	for (; *back; --*back) {
		struct svt_resource *resource = svt_resource_at(recv, *back);

		if (!svt_resource_done(resource))
			return resource;
	}
	return NULL;
}

void svt_resource_settle(struct svt_recv_half *recv)
{
	while (recv->resource_pending) {
		struct svt_resource *resource = svt_resource_at(recv, recv->resource_pending);

		if (!svt_resource_done(resource))
			break;
		svt_resource_answered(recv, resource);
	}
}

/* The oldest pending entry gets no answer */
void svt_resource_give_up(struct svt_recv_half *recv)
{
	svt_resource_answered(recv, svt_resource_at(recv, recv->resource_pending));
}

/* Responses [@psn, @end) were not sent: to be called before svt_resource_settle() */
void svt_resource_take_back(struct svt_recv_half *recv, u32 psn, u32 end)
{
	u32 back;

	for (back = recv->resource_pending; back; back--) {
		struct svt_resource *resource = svt_resource_at(recv, back);
		u32 first = resource->request_psn;

		/* This entry began before them */
		if (svt_psn_diff(psn, first) > 0 && svt_psn_diff(psn, resource->end_psn) <= 0)
			first = psn;
		if (svt_psn_diff(first, psn) >= 0 && svt_psn_diff(end, first) > 0)
			resource->next_psn = first;
	}
}

void svt_resource_forget(struct svt_recv_half *recv)
{
	recv->resource_head = 0;
	recv->resource_count = 0;
	recv->resource_fresh = 0;
	recv->resource_pending = 0;
	recv->persisting = 0;
}

/**
 * svt_resource_move - copy what is kept to a ring that takes the place of the old one
 * @recv: receive half
 * @resources: ring to fill
 * @entries: of @resources; not below recv->resource_entries
 */
void svt_resource_move(struct svt_recv_half *recv, struct svt_resource *resources, u32 entries)
{
	u32 i;

	lockdep_assert_held(&recv->half.lock);
	for (i = 0; i < recv->resource_count; i++)
		resources[i] = *svt_resource_at(recv, recv->resource_count - i);
	recv->resource_head = recv->resource_count % entries;
}
