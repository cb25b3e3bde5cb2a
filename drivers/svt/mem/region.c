// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Access checks, and the way from a checked access to pages. The engine calls all of it in an RCU
 * read section, which must last until the bytes have been touched: it keeps the region and its
 * pages. Takes no lock.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include "keys.h"
#include "lookup.h"
#include "paging.h"

#define CHANGES	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/* A registration that begins after this makes svt_region_enter() fail, see mem/fast.c */
static u32 generation(const struct svt_mr *mr)
{
	/* Pairs with the barrier in publish() of mem/fast.c */
	return mr->fast ? smp_load_acquire(&mr->fast->generation) : 0;
}

static int region_key(const struct svt_key *key, const struct ib_pd *pd, u32 value)
{
	/*
	 * Pairs with the release in svt_key_enable(): a valid key has its fields. They stay as they
	 * are until our read section ends (svt_key_disable()).
	 */
	if (!smp_load_acquire(&key->valid) || READ_ONCE(key->key) != value)
		return -EINVAL;
	return key->pd == pd ? 0 : -EACCES;
}

/* ERR_PTR: -EINVAL no such key, -EACCES another protection domain */
struct svt_mr *svt_region_find(struct svt_keys *keys, const struct ib_pd *pd, u32 value)
{
	struct svt_key *key = svt_key_find(keys, value);
	int ret = -EINVAL;

	if (key && key->type == SVT_KEY_REGION)
		ret = region_key(key, pd, value);
	return ret ? ERR_PTR(ret) : container_of(key, struct svt_mr, key);
}

static int region_check(const struct svt_mr *mr, u64 addr, u64 length, int access,
			struct svt_region *region)
{
	if (access & ~mr->key.access)
		return -EACCES;
	if (!svt_range_within(addr, length, mr->key.start, mr->key.length))
		return -EFAULT;
	region->mr = mr;
	region->addr = addr;
	region->length = length;
	region->write = access & CHANGES;
	return 0;
}

/* Whether @value may be the key of what an earlier look-up of this RCU read section found */
static bool region_again(const struct svt_region *region, u32 value)
{
	return region->mr && READ_ONCE(region->mr->key.key) == value;
}

/* A look-up once @mr was found by the upper bits of @value */
static int region_open(const struct svt_mr *mr, const struct ib_pd *pd, u32 value, u64 addr,
		       u64 length, int access, struct svt_region *region)
{
	int ret;

	region->binding = NULL;
	region->generation = generation(mr);
	ret = region_key(&mr->key, pd, value);
	return ret ?: region_check(mr, addr, length, access, region);
}

/**
 * svt_region_local() - check a local access; windows have no lkey (IBTA 10.6.7.2)
 * @keys: the table
 * @pd: of the QP
 * @sge: kernel's copy; length 0 is checked too
 * @access: IB_ACCESS_LOCAL_WRITE, or 0 for reading
 * @region: set; on entry zero, or the result of a look-up of this RCU read section, tried first
 * Return: 0; -EINVAL no such key; -EACCES another protection domain, or not allowed; -EFAULT not
 * within the region
 */
int svt_region_local(struct svt_keys *keys, const struct ib_pd *pd, const struct svt_sge *sge,
		     int access, struct svt_region *region)
{
	const struct svt_mr *mr = region->mr;
	const struct svt_key *key;

	if (!region_again(region, sge->lkey)) {
		key = svt_key_find(keys, sge->lkey);
		if (!key || key->type != SVT_KEY_REGION)
			return -EINVAL;
		mr = container_of(key, struct svt_mr, key);
	}
	return region_open(mr, pd, sge->lkey, sge->addr, sge->length, access, region);
}

static int window_check(const struct svt_mw *mw, const struct ib_pd *pd, u32 qpn, u32 rkey,
			u64 addr, u64 length, int access, struct svt_region *region)
{
	struct svt_mw_binding *binding = rcu_dereference(mw->binding);

	if (!binding || binding->key != rkey)
		return -EINVAL;
	if (mw->key.pd != pd || (binding->qpn && binding->qpn != qpn) || access & ~binding->access)
		return -EACCES;
	if (!svt_range_within(addr, length, binding->start, binding->length))
		return -EFAULT;
	region->mr = binding->mr;
	region->binding = binding;
	region->addr = addr - binding->start + binding->base;
	region->length = length;
	region->write = access & CHANGES;
	return 0;
}

/**
 * svt_region_remote() - check a remote access by rkey of a region or window
 * @keys: the table
 * @pd: of the QP
 * @qpn: of the QP
 * @rkey: from the packet
 * @addr: from the packet
 * @length: bytes; 0 is checked too
 * @access: IB_ACCESS_REMOTE_READ, _WRITE or _ATOMIC
 * @region: as for svt_region_local()
 * Return: as svt_region_local(); -EACCES also another QP
 */
int svt_region_remote(struct svt_keys *keys, const struct ib_pd *pd, u32 qpn, u32 rkey, u64 addr,
		      u64 length, int access, struct svt_region *region)
{
	const struct svt_key *key;

	if (region_again(region, rkey))
		return region_open(region->mr, pd, rkey, addr, length, access, region);
	key = svt_key_find(keys, rkey);
	if (!key)
		return -EINVAL;
	if (key->type == SVT_KEY_WINDOW)
		return window_check(container_of(key, struct svt_mw, key), pd, qpn, rkey, addr,
				    length, access, region);
	return region_open(container_of(key, struct svt_mr, key), pd, rkey, addr, length, access,
			   region);
}

/**
 * svt_region_whole() - check a remote access to all of a region
 * @keys: the table
 * @pd: of the QP
 * @rkey: of a region, not a window
 * @access: enum ib_access_flags
 * @region: set on success
 * Return: 0; -EINVAL no such key; -EACCES another protection domain, or not allowed
 */
int svt_region_whole(struct svt_keys *keys, const struct ib_pd *pd, u32 rkey, int access,
		     struct svt_region *region)
{
	const struct svt_mr *mr = svt_region_find(keys, pd, rkey);

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	return region_open(mr, pd, rkey, mr->key.start, mr->key.length, access, region);
}

/* Of a DMA region: @addr is a kernel virtual address */
static u64 kernel_bvec(u64 addr, u64 length, struct bio_vec *bvec)
{
	void *virt = (void *)(uintptr_t)addr;

	bvec->bv_page = is_vmalloc_addr(virt) ? vmalloc_to_page(virt) : virt_to_page(virt);
	bvec->bv_offset = offset_in_page(virt);
	bvec->bv_len = min_t(u64, length, PAGE_SIZE - bvec->bv_offset);
	return bvec->bv_len;
}

/* @position counts from the start of the first block */
static u64 block_bvec(const struct svt_page_table *table, u64 position, u64 length,
		      struct bio_vec *bvec)
{
	u64 block = position >> table->shift;
	u64 offset = position & ((1ULL << table->shift) - 1);
	phys_addr_t at;

	/* The access check was made against a length that verbs made the table for */
	if (WARN_ON_ONCE(block >= table->blocks))
		return 0;
	at = table->chunks[block / SVT_PAGES_PER_CHUNK][block % SVT_PAGES_PER_CHUNK] + offset;
	bvec->bv_page = pfn_to_page(PHYS_PFN(at));
	bvec->bv_offset = offset_in_page(at);
	bvec->bv_len = min(length, (1ULL << table->shift) - offset);
	return bvec->bv_len;
}

/* As block_bvec() and kernel_bvec() count */
static u64 region_position(const struct svt_region *region, const struct svt_page_table *table,
			   u64 offset)
{
	u64 position = region->addr + offset;

	return table ? position + table->first_offset - region->mr->key.start : position;
}

static u32 paged_bvec(const struct svt_region *region, u64 offset, u64 length,
		      struct bio_vec *bvec)
{
	return svt_paging_page(rcu_dereference(region->mr->paging),
			       region->addr + offset - region->mr->key.start, length,
			       region->write, bvec);
}

static u64 piece_bvec(const struct svt_page_table *table, u64 position, u64 length,
		      struct bio_vec *bvec)
{
	return table ? block_bvec(table, position, length, bvec) :
		       kernel_bvec(position, length, bvec);
}

/**
 * svt_region_page() - the page of a byte of a region
 * @region: in svt_region_enter()
 * @offset: from @region->addr
 * @length: from there on, at least 1, not beyond @region->length
 * @bvec: written
 * Return: bytes in the page, at most @length; 0: it is not at hand
 */
u32 svt_region_page(const struct svt_region *region, u64 offset, u32 length, struct bio_vec *bvec)
{
	const struct svt_page_table *table = rcu_dereference(region->mr->table);
	u64 position = region_position(region, table, offset);

	if (svt_region_is_paged(region))
		return paged_bvec(region, offset, length, bvec);
	length = min_t(u32, length, PAGE_SIZE - offset_in_page(position));
	return piece_bvec(table, position, length, bvec);
}

static u64 region_bvec(const struct svt_region *region, u64 offset, u64 length,
		       struct bio_vec *bvec, unsigned int max, unsigned int *count)
{
	const struct svt_page_table *table = rcu_dereference(region->mr->table);
	u64 position = region_position(region, table, offset);
	u64 step, done = 0;

	for (; done < length && *count < max; (*count)++) {
		step = svt_region_is_paged(region) ?
		       paged_bvec(region, offset + done, length - done, &bvec[*count]) :
		       piece_bvec(table, position + done, length - done, &bvec[*count]);
		if (!step)
			break;
		done += step;
	}
	return done;
}

/**
 * svt_region_bvec() - the pages of a part of a region; an element may be longer than a page
 * @region: from a look-up
 * @offset: from @region->addr
 * @length: @offset + @length is at most @region->length
 * @bvec: written; each offset is less than a page
 * @max: room in @bvec
 * @count: elements written
 * Return: bytes covered; less than @length when @max is too small or a page is not at hand; 0 when
 * invalidated since the look-up
 */
u64 svt_region_bvec(const struct svt_region *region, u64 offset, u64 length,
		    struct bio_vec *bvec, unsigned int max, unsigned int *count)
{
	u64 done;

	*count = 0;
	if (!svt_region_enter(region))
		return 0;
	done = region_bvec(region, offset, length, bvec, max, count);
	svt_region_leave(region);
	return done;
}

/* Whether a page has to be faulted in, for what @region was looked up for */
bool svt_region_absent(const struct svt_region *region, u64 offset, u64 length)
{
	struct bio_vec page;
	u32 part;

	if (!svt_region_is_paged(region))
		return false;
	for (; length; offset += part, length -= part) {
		part = paged_bvec(region, offset, length, &page);
		if (!part)
			return true;
	}
	return false;
}
