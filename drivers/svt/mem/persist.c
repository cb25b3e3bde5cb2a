// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Persistent memory: which pages are taken for it, and how bytes of a region get there.
 *
 * What a peer writes the CPU copies, so it is in caches first. It outlives a loss of power once the
 * cache lines are written back and a barrier of the same CPU has waited for them: then it is in the
 * memory, or in what the platform drains to the memory with the energy that it has left. A program
 * that has the memory mapped (device DAX) can do no more either.
 */
#include <kunit/static_stub.h>
#include <linux/ioport.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>

#include "persist.h"

/**
 * svt_pages_are_persistent() - whether memory outlives a loss of power
 * @first: first of pages that follow each other, all of one device or of none
 * @length: bytes
 *
 * A DIMM of that kind may also be used as ordinary memory. Then nobody finds again what was in a
 * page, and the page is of no device.
 *
 * Context: Any but hard interrupts.
 * Return: true: all of it.
 */
bool svt_pages_are_persistent(struct page *first, u64 length)
{
	KUNIT_STATIC_STUB_REDIRECT(svt_pages_are_persistent, first, length);
	return is_zone_device_page(first) &&
	       region_intersects(page_to_phys(first), length, IORESOURCE_MEM,
				 IORES_DESC_PERSISTENT_MEMORY) == REGION_INTERSECTS;
}

/**
 * svt_sg_is_persistent() - the same of pinned memory
 * @sg: its pages
 *
 * Context: May sleep.
 * Return: true: all of it.
 */
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

/**
 * svt_write_back() - write cache lines back to memory
 * @bytes: in the kernel's mapping of all memory
 * @length: how many
 *
 * Context: Any. pmem_wmb() has to follow on the same CPU.
 */
void svt_write_back(void *bytes, size_t length)
{
	KUNIT_STATIC_STUB_REDIRECT(svt_write_back, bytes, length);
	arch_wb_cache_pmem(bytes, length);
}

/**
 * svt_region_persist() - make what was written persistent
 * @region: from a look-up for IB_ACCESS_FLUSH_PERSISTENT, so that its pages are pinned
 *
 * It takes about as long as a copy of as many bytes.
 *
 * Context: The RCU read section in which @region was looked up.
 * Return: false: its pages are not at hand.
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
	/* A worker that goes on with the rest may be on another CPU */
	pmem_wmb();
	return true;
}
