// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies into memory regions: the one copy that received data goes through, from wherever the
 * skb has it to where the work request wants it. Inside the RCU read section of the look-up.
 */
#include <linux/bvec.h>
#include <linux/highmem.h>
#include <rdma/svt.h>

#include "copy.h"
#include "qp.h"

#define SVT_COPY_BVECS		8

/**
 * struct svt_copy_source - where bytes come from, piece by piece
 * @rx: a piece is the payload of a packet; NULL: there is one piece, of @left bytes at @bytes
 * @bytes: the next byte, or NULL: the skb has the piece in fragments
 * @offset: of the next byte in the skb
 * @left: bytes of this piece
 * @next: of the piece behind this one, offset in the skb
 */
struct svt_copy_source {
	const struct svt_rx_packet *rx;
	const u8 *bytes;
	u32 offset;
	u32 left;
	u32 next;
};

static void svt_source_packet(struct svt_copy_source *source)
{
	const struct svt_rx_packet *rx = source->rx;

	source->offset = source->next;
	source->next += rx->stride;
	source->left = rx->packet.payload_length;
	source->bytes = rx->skb ? svt_skb_bytes(rx->skb, source->offset, source->left) : NULL;
}

/* Payload that never was in an skb; as a rule from where the last copy ended */
static void svt_copy_train(const struct svt_rx_packet *rx, u32 offset, u8 *to, u32 length)
{
	const struct iov_iter *payload = &rx->train->payload;
	struct svt_rx_source *source = rx->source;

	if (offset < source->done || !source->done)
		*source = (struct svt_rx_source) { .iter.bi_size = iov_iter_count(payload) };
	bvec_iter_advance(payload->bvec, &source->iter, offset - source->done);
	source->done = offset + length;
	while (length) {
		struct bio_vec piece = bvec_iter_bvec(payload->bvec, source->iter);
		u32 part = min(piece.bv_len, length);
		void *from = bvec_kmap_local(&piece);

		memcpy(to, from, part);
		kunmap_local(from);
		bvec_iter_advance(payload->bvec, &source->iter, part);
		to += part;
		length -= part;
	}
}

static int svt_copy_bytes(struct svt_copy_source *source, u8 *to, u32 length)
{
	u32 part;

	for (; length; to += part, length -= part) {
		if (!source->left)
			svt_source_packet(source);
		part = min(length, source->left);
		if (source->bytes) {
			memcpy(to, source->bytes, part);
			source->bytes += part;
		} else if (!source->rx->skb) {
			svt_copy_train(source->rx, source->offset, to, part);
		} else if (skb_copy_bits(source->rx->skb, source->offset, to, part)) {
			return -EFAULT;
		}
		source->offset += part;
		source->left -= part;
	}
	return 0;
}

static int svt_region_copy(const struct svt_region *region, u64 offset, u32 length,
			   struct svt_copy_source *source)
{
	struct bio_vec bvec[SVT_COPY_BVECS], page;
	struct bvec_iter at, all = {};
	unsigned int count;
	int ret = 0;

	for (; length && !ret; offset += all.bi_size, length -= all.bi_size) {
		all.bi_size = svt_region_bvec(region, offset, length, bvec, SVT_COPY_BVECS, &count);
		if (!all.bi_size)
			return -EFAULT;
		for_each_bvec(page, bvec, at, all) {
			u8 *to = bvec_kmap_local(&page);

			ret = ret ?: svt_copy_bytes(source, to, page.bv_len);
			kunmap_local(to);
		}
	}
	return ret;
}

/**
 * svt_region_fill_payload - copy what packets carry into a region
 * @region: from a look-up that allowed writing
 * @offset: of the first byte in @region
 * @length: bytes; @from + @length is not beyond the payload of @rx->run packets
 * @rx: packets
 * @from: of the first byte in their payload
 *
 * Return: 0, or -EFAULT when @region or the skb is too short.
 */
int svt_region_fill_payload(const struct svt_region *region, u64 offset, u32 length,
			    const struct svt_rx_packet *rx, u32 from)
{
	struct svt_copy_source source = { .rx = rx, .next = rx->payload };

	if (from) {
		source.next += from / rx->packet.payload_length * rx->stride;
		from %= rx->packet.payload_length;
		svt_source_packet(&source);
		source.offset += from;
		source.left -= from;
		if (source.bytes)
			source.bytes += from;
	}
	return svt_region_copy(region, offset, length, &source);
}

/**
 * svt_region_fill - copy from kernel memory into a region
 * @region: from a look-up that allowed writing
 * @offset: of the first byte in @region
 * @length: bytes
 * @from: source
 *
 * Return: 0, or -EFAULT when @region is too short.
 */
int svt_region_fill(const struct svt_region *region, u64 offset, u32 length, const void *from)
{
	struct svt_copy_source source = { .bytes = from, .left = length };

	return svt_region_copy(region, offset, length, &source);
}
