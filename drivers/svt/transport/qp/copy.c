// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies into memory regions: the one copy of received data, from the skb or train to where the
 * work request wants it. Inside the RCU read section of the look-up.
 */
#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/uio.h>
#include <rdma/svt.h>

#include "copy.h"
#include "train.h"

/* A program may poll for a flag that a later WRITE sets: keep the order of copies, as NICs do */
static void svt_keep_order(void)
{
	/* Pairs with the acquire of the program that finds the flag */
	smp_wmb();
}

/* The callers of all static functions of this file have entered @region */
static int svt_region_fill_bytes(const struct svt_region *region, u64 offset, u32 length,
				 const void *from)
{
	struct bio_vec page;
	u32 part;
	u8 *to;

	for (; length; offset += part, from += part, length -= part) {
		part = svt_region_page(region, offset, length, &page);
		if (!part)
			return -EFAULT;
		to = bvec_kmap_local(&page);
		memcpy(to, from, part);
		kunmap_local(to);
	}
	return 0;
}

/* -EFAULT: @region is too short, or was invalidated since its look-up (for writing) */
int svt_region_fill(const struct svt_region *region, u64 offset, u32 length, const void *from)
{
	int ret;

	if (!svt_region_enter(region))
		return -EFAULT;
	svt_keep_order();
	ret = svt_region_fill_bytes(region, offset, length, from);
	svt_region_leave(region);
	return ret;
}

static int svt_region_fill_skb(const struct svt_region *region, u64 offset, u32 length,
			       const struct sk_buff *skb, u32 from)
{
	const u8 *bytes = svt_skb_bytes(skb, from, length);
	struct bio_vec page;
	int ret = 0;
	u32 part;
	u8 *to;

	if (bytes)
		return svt_region_fill_bytes(region, offset, length, bytes);
	for (; length && !ret; offset += part, from += part, length -= part) {
		part = svt_region_page(region, offset, length, &page);
		if (!part)
			return -EFAULT;
		to = bvec_kmap_local(&page);
		ret = skb_copy_bits(skb, from, to, part);
		kunmap_local(to);
	}
	return ret;
}

/* Payload that never was in an skb; starts where the last copy ended, as a rule */
static int svt_region_fill_train(const struct svt_region *region, u64 offset, u32 length,
				 const struct svt_rx_packet *rx, u32 from)
{
	const struct iov_iter *payload = &rx->train->payload;
	struct svt_rx_source *source = rx->source;
	int ret = 0;
	u32 part;

	if (from < source->done || !source->done)
		*source = (struct svt_rx_source) { .iter.bi_size = iov_iter_count(payload) };
	bvec_iter_advance(payload->bvec, &source->iter, from - source->done);
	source->done = from + length;
	for (; length && !ret; offset += part, length -= part) {
		struct bio_vec piece = bvec_iter_bvec(payload->bvec, source->iter);
		void *bytes = bvec_kmap_local(&piece);

		part = min(piece.bv_len, length);
		ret = svt_region_fill_bytes(region, offset, part, bytes);
		kunmap_local(bytes);
		bvec_iter_advance(payload->bvec, &source->iter, part);
	}
	/* The next copy finds its place anew */
	if (ret)
		*source = (struct svt_rx_source) {};
	return ret;
}

static int svt_region_fill_packets(const struct svt_region *region, u64 offset, u32 length,
				   const struct svt_rx_packet *rx, u32 from)
{
	u32 packet = rx->packet.payload_length, at = rx->payload, part;
	int ret = 0;

	/* The payloads of a train stand one behind the other */
	if (rx->train)
		return svt_region_fill_train(region, offset, length, rx, at + from);
	if (from >= packet && length) {
		at += from / packet * rx->stride;
		from %= packet;
	}
	for (; length && !ret; offset += part, length -= part) {
		part = min(length, packet - from);
		ret = svt_region_fill_skb(region, offset, part, rx->skb, at + from);
		at += rx->stride;
		from = 0;
	}
	return ret;
}

/* -EFAULT: as svt_region_fill(), or the skb is short. @from + @length: within @rx->run payloads */
int svt_region_fill_payload(const struct svt_region *region, u64 offset, u32 length,
			    const struct svt_rx_packet *rx, u32 from)
{
	int ret;

	if (!svt_region_enter(region))
		return -EFAULT;
	svt_keep_order();
	ret = svt_region_fill_packets(region, offset, length, rx, from);
	svt_region_leave(region);
	return ret;
}

/* @length is not beyond the payload. -EFAULT: the skb is too short */
int svt_rx_copy(const struct svt_rx_packet *rx, void *to, u32 length)
{
	if (!rx->train)
		return skb_copy_bits(rx->skb, rx->payload, to, length);
	return svt_train_copy(&rx->train->payload, rx->payload, to, length);
}
