// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Persistent memory. The CPU copies what a peer writes, so it is in caches first. It outlives a
 * loss of power once the cache lines are written back and a barrier of the same CPU has waited for
 * them. Then it is in the memory, or the platform still drains it there. A program that has the
 * memory mapped (device DAX) can do no more.
 */
#include <kunit/static_stub.h>
#include <linux/ioport.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>

#include "persist.h"

/*
 * @first: of pages that follow each other, all of one device or of none. Pages of a DIMM that is
 * used as ordinary memory are of no device: their content is lost.
 */
bool svt_pages_are_persistent(struct page *first, u64 length)
{
	KUNIT_STATIC_STUB_REDIRECT(svt_pages_are_persistent, first, length);
	return is_zone_device_page(first) &&
	       region_intersects(page_to_phys(first), length, IORESOURCE_MEM,
				 IORES_DESC_PERSISTENT_MEMORY) == REGION_INTERSECTS;
}

bool svt_sg_is_persistent(const struct sg_table *sg)
{
	struct scatterlist *entry;
	unsigned int i;

	for_each_sgtable_sg(sg, entry, i) {
		if (!svt_pages_are_persistent(sg_page(entry), entry->offset + entry->length))
			return false;
		cond_resched();
	}
	return true;
}

/* pmem_wmb() has to follow on the same CPU */
void svt_write_back(void *bytes, size_t length)
{
	KUNIT_STATIC_STUB_REDIRECT(svt_write_back, bytes, length);
	arch_wb_cache_pmem(bytes, length);
}

/**
 * svt_region_persist() - make written bytes persistent; takes about as long as a copy of them
 * @region: looked up for IB_ACCESS_FLUSH_PERSISTENT, so its pages are pinned
 * Context: The RCU read section of the look-up.
 * Return: false: its pages are not at hand
 */
bool svt_region_persist(const struct svt_region *region)
{
	struct bio_vec bvec;
	unsigned int count;
	u64 done, part;

	for (done = 0; done < region->length; done += part) {
		part = svt_region_bvec(region, done, region->length - done, &bvec, 1, &count);
		if (!part)
			return false;
		svt_write_back(bvec_virt(&bvec), part);
	}
	/* Before a worker on another CPU does the rest */
	pmem_wmb();
	return true;
}
