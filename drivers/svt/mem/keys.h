/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys: from an lkey or rkey to a memory region or window, and what the key allows.
 *
 * A key has 24 random bits, by which it is found, and 8 bits that its owner may change (type 2
 * windows, IBTA 10.6.7.2.3). Look-ups run in an RCU read section; a region is unpinned only a grace
 * period after its key is gone, so a pointer from a look-up and the pages behind it are good until
 * rcu_read_unlock().
 */
#ifndef SVT_MEM_KEYS_H
#define SVT_MEM_KEYS_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/svt-abi.h>

/* Bytes of the longest region */
#define SVT_MAX_REGION		0x10000000000ULL
/* The bits of a key that its owner may change */
#define SVT_KEY_TAG_BITS	8

/**
 * struct svt_keys - all keys of a device
 * @table: struct svt_key by the upper 24 bits
 * @count: keys in use; callers count theirs, and leave some (SVT_MAX_MR)
 */
struct svt_keys {
	struct rhashtable table;
	atomic_t count;
};

enum svt_key_type {
	SVT_KEY_REGION,
	SVT_KEY_WINDOW,
};

/**
 * struct svt_key - what a region and a window have in common; first member of both
 * @node: in svt_keys.table
 * @index: key >> 8
 * @key: the whole key; a window's changes when it is bound. READ_ONCE/WRITE_ONCE.
 * @type: enum svt_key_type
 * @valid: of a region: accesses pass. Set by the caller before svt_key_insert(), later by
 *	svt_key_enable() and svt_key_disable(). A window has svt_mw.binding instead.
 * @pd: protection domain
 * @access: of a region: enum ib_access_flags
 * @start: of a region: first address (IOVA)
 * @length: of a region: bytes; @start + @length does not wrap
 *
 * @pd, @access, @start and @length of a region change only between svt_key_disable() and
 * svt_key_enable(), or as mem/fast.c has it.
 */
struct svt_key {
	struct rhash_head node;
	u32 index;
	u32 key;
	u8 type;
	bool valid;
	struct ib_pd *pd;
	int access;
	u64 start;
	u64 length;
};

/**
 * struct svt_page_table - the pages of a region
 * @shift: log2 of the bytes of a block, which may be a part of a page
 * @first_offset: of @start within the first block
 * @blocks: how many
 * @chunks: tables of SVT_PAGES_PER_CHUNK beginnings of blocks each
 */
struct svt_page_table {
	unsigned int shift;
	u64 first_offset;
	u64 blocks;
	phys_addr_t **chunks;
};

#define SVT_PAGES_PER_CHUNK	512
/* A bio_vec, and all that is computed of one, has 32 bits */
#define SVT_MAX_BLOCK_SHIFT	30

/* What the clients of block devices ask for, however large a page is */
#define SVT_MIN_BLOCK_SHIFT	12

/* Is @bytes what a block may have? */
static inline bool svt_is_block_size(u32 bytes)
{
	return bytes >= BIT(SVT_MIN_BLOCK_SHIFT) && bytes <= BIT(SVT_MAX_BLOCK_SHIFT) &&
	       is_power_of_2(bytes);
}

struct svt_page_table *svt_page_table_alloc(u64 blocks, unsigned int shift, u64 first_offset);
void svt_page_table_set(struct svt_page_table *table, u64 block, phys_addr_t start);
void svt_page_table_free(struct svt_page_table *table);

struct svt_paging;

/* Pages of a region for fast registration */
#define SVT_MAX_FAST_PAGES	512

/**
 * struct svt_fast - what a region for fast registration has more (mem/fast.c)
 * @lock: serialises mapping, registration and invalidation; taken with BH off
 * @users: uses of the pages under way, see svt_region_enter()
 * @generation: counts registrations; changed under @lock, read at any time
 * @next: where the next pages are mapped; under @lock, as all that follows
 * @fresh: pages were mapped since the last registration: the next one swaps @next with
 *	svt_mr.table; else it keeps that table
 * @capacity: blocks of each table
 * @mapped: blocks that the next registration takes
 */
struct svt_fast {
	spinlock_t lock;	/* see above */
	atomic_t users;
	u32 generation;
	struct svt_page_table *next;
	bool fresh;
	u32 capacity;
	u32 mapped;
};

/**
 * struct svt_mr - a memory region
 * @ibmr: what ib_core sees
 * @key: lkey and rkey are equal
 * @table: pages; NULL for a DMA region, whose addresses are kernel virtual, and for one with
 *	@paging. Changes as the fields of @key.
 * @paging: of a region that is paged on demand, else NULL. Changes likewise.
 * @windows: how many are bound to it; -1: claimed for rereg or dereg, see svt_mr_claim()
 * @umem: the pinned memory, owned by verbs; opaque here
 * @buffer: the dma-buf that it is of instead, likewise
 * @iova: what @key.start is unless the region is zero based; verbs'
 * @fast: of a region for fast registration, else NULL; does not change
 */
struct svt_mr {
	struct ib_mr ibmr;
	struct svt_key key;
	struct svt_page_table __rcu *table;
	struct svt_paging __rcu *paging;
	atomic_t windows;
	struct ib_umem *umem;
	struct svt_buffer *buffer;
	u64 iova;
	struct svt_fast *fast;
};

/**
 * struct svt_mw_owner - a QP, as the windows of type 2 see it that are bound for it
 * @lock: protects @windows and their links; innermost, taken with BH off
 * @windows: struct svt_mw.owned; all bound
 */
struct svt_mw_owner {
	spinlock_t lock;	/* see above */
	struct list_head windows;
};

static inline void svt_mw_owner_init(struct svt_mw_owner *owner)
{
	spin_lock_init(&owner->lock);
	INIT_LIST_HEAD(&owner->windows);
}

/**
 * struct svt_mw_binding - what a window is bound to; but for @users and @revoked it does not change
 *	once published
 * @rcu: for freeing
 * @users: uses of the pages under way, see svt_region_enter()
 * @revoked: nobody gets in any more
 * @mr: the region, kept by its count of windows
 * @key: the rkey
 * @qpn: type 2: only requests to this QP may use it; 0 for type 1
 * @owner: type 2: of that QP, which outlives the binding; NULL for type 1
 * @access: what remote accesses may do: enum ib_access_flags
 * @start: first address of the window as a remote peer says it; 0 when zero based
 * @length: bytes
 * @base: address of the same byte as @start in the address space of @mr
 */
struct svt_mw_binding {
	struct rcu_head rcu;
	atomic_t users;
	bool revoked;
	struct svt_mr *mr;
	struct svt_mw_owner *owner;
	u32 key;
	u32 qpn;
	int access;
	u64 start;
	u64 length;
	u64 base;
};

/**
 * struct svt_mw - a memory window
 * @ibmw: what ib_core sees; @ibmw.type and @ibmw.pd are set before the key is inserted
 * @key: @node, @index, @key, @type and @pd only
 * @lock: serialises bind, invalidate and unbind, protects @key.key and @gone; taken with BH off
 * @gone: is not bound any more
 * @binding: NULL while not bound; RCU, written under @lock
 * @owned: in the list of @binding->owner, if there is one
 * @deposit: verbs', see SVT_DEPOSIT_BYTES; for @binding as well, which is allocated in any context
 */
struct svt_mw {
	struct ib_mw ibmw;
	struct svt_key key;
	spinlock_t lock;	/* see above */
	bool gone;
	struct svt_mw_binding __rcu *binding;
	struct list_head owned;
	void *deposit;
};

static inline struct svt_mr *to_svt_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct svt_mr, ibmr);
}

static inline struct svt_mw *to_svt_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct svt_mw, ibmw);
}

int svt_keys_init(struct svt_keys *keys);
void svt_keys_destroy(struct svt_keys *keys);
int svt_key_insert(struct svt_keys *keys, struct svt_key *key);
void svt_key_disable(struct svt_key *key);
void svt_key_enable(struct svt_key *key);
void svt_key_remove(struct svt_keys *keys, struct svt_key *key);
struct svt_key *svt_key_find(struct svt_keys *keys, u32 value);

int svt_mr_claim(struct svt_mr *mr);
void svt_mr_unclaim(struct svt_mr *mr);

/**
 * struct svt_region - the result of a look-up: bytes that may be touched until rcu_read_unlock()
 * @mr: where they are
 * @addr: first byte, in the address space of @mr
 * @length: bytes
 * @binding: of the window that they were reached by; NULL: of none
 * @write: the look-up was for changing them
 * @generation: of a region for fast registration: the registration that it is of
 */
struct svt_region {
	const struct svt_mr *mr;
	u64 addr;
	u64 length;
	struct svt_mw_binding *binding;
	bool write;
	u32 generation;
};

/**
 * svt_region_is_paged() - whether its pages come and go
 * @region: from a look-up
 *
 * Context: The RCU read section of the look-up.
 * Return: true: it is paged on demand.
 */
static inline bool svt_region_is_paged(const struct svt_region *region)
{
	return rcu_access_pointer(region->mr->paging);
}

int svt_region_local(struct svt_keys *keys, const struct ib_pd *pd, const struct svt_sge *sge,
		     int access, struct svt_region *region);
int svt_region_remote(struct svt_keys *keys, const struct ib_pd *pd, u32 qpn, u32 rkey, u64 addr,
		      u64 length, int access, struct svt_region *region);
int svt_region_whole(struct svt_keys *keys, const struct ib_pd *pd, u32 rkey, int access,
		     struct svt_region *region);
u32 svt_region_page(const struct svt_region *region, u64 offset, u32 length, struct bio_vec *bvec);
u64 svt_region_bvec(const struct svt_region *region, u64 offset, u64 length,
		    struct bio_vec *bvec, unsigned int max, unsigned int *count);
bool svt_region_absent(const struct svt_region *region, u64 offset, u64 length);
int svt_region_store(const struct svt_region *region, u64 value);
int svt_region_fetch_add(const struct svt_region *region, u64 add, u64 *original);
int svt_region_compare_swap(const struct svt_region *region, u64 compare, u64 swap, u64 *original);

/**
 * struct svt_mw_bind - a request to bind a window
 * @mw_rkey: a key of the window; only the upper 24 bits count: after a bind that failed user space
 *	does not know the rest
 * @new_rkey: the key that it is to have, with the same upper 24 bits; 0 for type 1: to be chosen
 * @mr_lkey: of the region
 * @addr: first byte, in the address space of the region
 * @length: bytes; 0 unbinds a window of type 1
 * @access: IB_ACCESS_REMOTE_READ, _WRITE, _ATOMIC, IB_ZERO_BASED; local and optional flags are
 *	ignored
 * @qpn: of the QP that executes the request
 * @owner: its windows
 */
struct svt_mw_bind {
	u32 mw_rkey;
	u32 new_rkey;
	u32 mr_lkey;
	u64 addr;
	u64 length;
	int access;
	u32 qpn;
	struct svt_mw_owner *owner;
};

/**
 * struct svt_fast_reg - a request to register what is mapped
 * @key: that the region is to have, with its upper 24 bits
 * @access: enum ib_access_flags
 * @start: address of the first byte
 * @length: bytes
 */
struct svt_fast_reg {
	u32 key;
	int access;
	u64 start;
	u64 length;
};

int svt_fast_init(struct svt_mr *mr, u32 pages);
void svt_fast_free(struct svt_mr *mr);
void svt_fast_map_begin(struct svt_mr *mr, u32 page_size) __acquires(&mr->fast->lock);
int svt_fast_map_block(struct svt_mr *mr, phys_addr_t start);
void svt_fast_map_end(struct svt_mr *mr) __releases(&mr->fast->lock);
int svt_fast_register(struct svt_keys *keys, const struct ib_pd *pd,
		      const struct svt_fast_reg *reg);
int svt_fast_invalidate(struct svt_mr *mr, u32 rkey);
bool svt_fast_enter(const struct svt_region *region);
bool svt_window_enter(struct svt_mw_binding *binding);

/**
 * svt_region_is_revocable() - whether the right to use the pages may end before a grace period
 * @region: from svt_region_local() or svt_region_remote()
 *
 * Return: true for a region for fast registration, and for what was reached by a window.
 */
static inline bool svt_region_is_revocable(const struct svt_region *region)
{
	return region->binding || region->mr->fast;
}

/**
 * svt_region_enter() - begin to use the pages of a region
 * @region: from svt_region_local() or svt_region_remote()
 *
 * An RCU read section keeps the pages of a region that was registered by verb. One for fast
 * registration is invalidated without a grace period, and so is a window, and their owner relies on
 * it as soon as it is told: the invalidation waits for who is in here instead. So between this and
 * svt_region_leave() nobody sleeps, invalidates, or takes the lock of a half of a QP, under which
 * others invalidate; BH are off but in tests.
 *
 * Context: The RCU read section in which @region was looked up.
 * Return: false: invalidated since it was looked up; there is nothing to leave.
 */
static inline bool svt_region_enter(const struct svt_region *region)
{
	if (region->binding)
		return svt_window_enter(region->binding);
	return !region->mr->fast || svt_fast_enter(region);
}

/**
 * svt_region_leave() - end what svt_region_enter() began
 * @region: the same
 */
static inline void svt_region_leave(const struct svt_region *region)
{
	if (region->binding)
		atomic_dec_return_release(&region->binding->users);
	else if (region->mr->fast)
		atomic_dec_return_release(&region->mr->fast->users);
}

int svt_mw_bind(struct svt_keys *keys, const struct ib_pd *pd, const struct svt_mw_bind *bind,
		u32 *rkey);
int svt_key_invalidate(struct svt_keys *keys, const struct ib_pd *pd, u32 qpn, u32 rkey);
void svt_mw_retire(struct svt_mw *mw);
void svt_mw_disown(struct svt_mw_owner *owner);

#endif
