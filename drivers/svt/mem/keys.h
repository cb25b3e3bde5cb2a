/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys: from an lkey or rkey to a memory region or window, and what the key allows.
 *
 * A key has 24 random bits, by which it is found, and 8 bits that its owner may change (type 2
 * windows, IBTA 10.6.7.2.3). A region is unpinned a grace period after its key is gone. So the
 * result of a look-up, and the pages behind it, are good until rcu_read_unlock().
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

#define SVT_MAX_REGION		0x10000000000ULL
/* The bits of a key that its owner may change */
#define SVT_KEY_TAG_BITS	8

/**
 * struct svt_keys - all keys of a device
 * @table: struct svt_key by index
 * @count: in use; callers keep a limit (SVT_MAX_MR)
 */
struct svt_keys {
	struct rhashtable table;
	atomic_t count;
};

enum svt_key_type {
	SVT_KEY_REGION,
	SVT_KEY_WINDOW,
};

/*
 * First member of a region and of a window. @valid, @access, @start and @length are of regions:
 * windows have svt_mw.binding. Members from @pd on change only between svt_key_disable() and
 * svt_key_enable(), or as mem/fast.c has it.
 */
struct svt_key {
	struct rhash_head node;
	u32 index;
	u32 key; /* a window's changes when it is bound; READ_ONCE/WRITE_ONCE */
	u8 type;
	bool valid;
	struct ib_pd *pd;
	int access;
	u64 start; /* IOVA */
	u64 length; /* start + length does not wrap */
};

/**
 * struct svt_page_table - the pages of a region
 * @shift: log2 of the bytes of a block, which may be a part of a page
 * @first_offset: of the region in the first block
 * @blocks: how many
 * @chunks: each has SVT_PAGES_PER_CHUNK addresses of blocks
 */
struct svt_page_table {
	unsigned int shift;
	u64 first_offset;
	u64 blocks;
	phys_addr_t **chunks;
};

#define SVT_PAGES_PER_CHUNK	512
/* The length in a bio_vec has 32 bits */
#define SVT_MAX_BLOCK_SHIFT	30

/* What the clients of block devices ask for, however large a page is */
#define SVT_MIN_BLOCK_SHIFT	12

static inline bool svt_is_block_size(u32 bytes)
{
	return bytes >= BIT(SVT_MIN_BLOCK_SHIFT) && bytes <= BIT(SVT_MAX_BLOCK_SHIFT) &&
	       is_power_of_2(bytes);
}

struct svt_page_table *svt_page_table_alloc(u64 blocks, unsigned int shift, u64 first_offset);
void svt_page_table_set(struct svt_page_table *table, u64 block, phys_addr_t start);
void svt_page_table_free(struct svt_page_table *table);

struct svt_paging;

#define SVT_MAX_FAST_PAGES	512

/* Of a region for fast registration (mem/fast.c) */
struct svt_fast {
	spinlock_t lock;	/* protects all but @users; taken with BH off */
	atomic_t users;		/* of the pages, see svt_region_enter() */
	u32 generation;		/* counts registrations; read without the lock */
	struct svt_page_table *next;
	bool fresh;		/* pages are in @next: registration swaps it with svt_mr.table */
	u32 capacity;
	u32 mapped;
};

/**
 * struct svt_mr - a memory region
 * @ibmr: of ib_core
 * @key: lkey and rkey are equal
 * @table: pages; NULL for DMA regions, which have kernel virtual addresses, and with @paging;
 *	changes as the fields of @key
 * @paging: if paged on demand; changes likewise
 * @windows: bound to it; -1: see svt_mr_claim()
 * @umem: pinned memory, owned by verbs
 * @buffer: or dma-buf, owned by verbs
 * @iova: @key.start unless zero based; owned by verbs
 * @fast: if for fast registration; does not change
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
 * struct svt_mw_owner - the windows of type 2 that are bound for a QP
 * @lock: protects @windows and their links; innermost, taken with BH off
 * @windows: struct svt_mw.owned
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

/* A window bound to a region. Only @users and @revoked change once it is published. */
struct svt_mw_binding {
	struct rcu_head rcu;
	atomic_t users;	/* as in svt_fast */
	bool revoked;	/* svt_region_enter() fails */
	struct svt_mr *mr;
	struct svt_mw_owner *owner; /* outlives the binding; NULL for type 1 */
	u32 key;
	u32 qpn;	/* that alone may use it; 0 for type 1 */
	int access;
	u64 start;	/* address for the peer; 0 when zero based */
	u64 length;
	u64 base;	/* the address of @start in @mr */
};

/**
 * struct svt_mw - a memory window
 * @ibmw: its type and pd are set before the key is inserted
 * @key: only @node to @type, and @pd
 * @lock: serialises bind, invalidate and unbind, protects @key.key and @gone; taken with BH off
 * @gone: is not bound any more
 * @binding: RCU, written under @lock
 * @owned: in @binding->owner
 * @deposit: see SVT_DEPOSIT_BYTES; pays for @binding too; owned by verbs
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
 * struct svt_region - bytes found by a look-up, that may be touched until rcu_read_unlock()
 * @mr: where they are
 * @addr: in the address space of @mr
 * @length: bytes
 * @binding: of the window, if found by one
 * @write: looked up for changing them
 * @generation: of the fast registration
 */
struct svt_region {
	const struct svt_mr *mr;
	u64 addr;
	u64 length;
	struct svt_mw_binding *binding;
	bool write;
	u32 generation;
};

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
 * @mw_rkey: only the upper 24 bits count: user space does not know the rest after a failed bind
 * @new_rkey: with the same upper 24 bits; 0 for type 1: choose one
 * @mr_lkey: of the region
 * @addr: in the address space of the region
 * @length: bytes; 0 unbinds a window of type 1
 * @access: local and optional flags are ignored
 * @qpn: of the executing QP
 * @owner: windows of that QP
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
 * struct svt_fast_reg - a request to register the mapped pages
 * @key: its upper 24 bits name the region
 * @access: enum ib_access_flags
 * @start: address
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

/* Whether the right to use the pages may end before a grace period */
static inline bool svt_region_is_revocable(const struct svt_region *region)
{
	return region->binding || region->mr->fast;
}

/**
 * svt_region_enter() - begin to use the pages of a region
 * @region: from a look-up
 *
 * Fast registrations and windows are invalidated without a grace period: the invalidation waits
 * for those in here instead. So until svt_region_leave() do not sleep, invalidate, or take the lock
 * of a half of a QP, under which others invalidate; BH are off but in tests.
 * Context: The RCU read section of the look-up.
 * Return: false: invalidated since the look-up; do not call svt_region_leave()
 */
static inline bool svt_region_enter(const struct svt_region *region)
{
	if (region->binding)
		return svt_window_enter(region->binding);
	return !region->mr->fast || svt_fast_enter(region);
}

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
