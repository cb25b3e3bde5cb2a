// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies into memory regions: the one copy that received data goes through, from wherever the
 * skb has it to where the work request wants it. Inside the RCU read section of the look-up.
 */
#include <linux/uio.h>

#include "copy.h"

#define SVT_COPY_BVECS		8

/* One step: as much as SVT_COPY_BVECS entries describe */
static u32 svt_region_iter(const struct svt_region *region, u64 offset, u32 length,
			   struct bio_vec *bvec, struct iov_iter *iter)
{
	unsigned int count;
	u32 part = svt_region_bvec(region, offset, length, bvec, SVT_COPY_BVECS, &count);

	iov_iter_bvec(iter, ITER_DEST, bvec, count, part);
	return part;
}

/**
 * svt_region_fill_skb - copy from an skb into a region
 * @region: from a look-up that allowed writing
 * @offset: of the first byte in @region
 * @length: bytes
 * @skb: linear or not
 * @skb_offset: of the first byte from skb->data
 *
 * Return: 0, or -EFAULT when @region or @skb is too short.
 */
int svt_region_fill_skb(const struct svt_region *region, u64 offset, u32 length,
			const struct sk_buff *skb, u32 skb_offset)
{
	while (length) {
		struct bio_vec bvec[SVT_COPY_BVECS];
		struct iov_iter iter;
		u32 part = svt_region_iter(region, offset, length, bvec, &iter);

		if (!part || skb_copy_datagram_iter(skb, skb_offset, &iter, part))
			return -EFAULT;
		offset += part;
		skb_offset += part;
		length -= part;
	}
	return 0;
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
	while (length) {
		struct bio_vec bvec[SVT_COPY_BVECS];
		struct iov_iter iter;
		u32 part = svt_region_iter(region, offset, length, bvec, &iter);

		/*
		 * Not copy_to_iter(): that checks @from as if this were a copy to user space, and
		 * takes a lock of vmalloc for it when @from is on the stack of a softirq, which
		 * may have interrupted the owner of the lock.
		 */
		if (!part || _copy_to_iter(from, part, &iter) != part)
			return -EFAULT;
		offset += part;
		from += part;
		length -= part;
	}
	return 0;
}
