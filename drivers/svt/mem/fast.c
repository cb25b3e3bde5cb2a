// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions for fast registration: a kernel client maps pages (verbs), and work requests register and
 * invalidate them. The client may map while the region is valid, so there are two tables. A
 * registration takes the pages that are mapped when it runs. Invalidation returns the pages to the
 * client. It can not wait for a grace period, so it waits for the count of users
 * (svt_region_enter()). A registration changes fields while look-ups go on. A look-up reads the
 * generation first: if it saw fields of two registrations, svt_region_enter() fails.
 */
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/svt.h>

#include "keys.h"
#include "lookup.h"

#define FAST_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_OPTIONAL)
#define CHANGES		(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

int svt_fast_init(struct svt_mr *mr, u32 pages)
{
	struct svt_page_table *table = svt_page_table_alloc(pages, PAGE_SHIFT, 0);
	struct svt_fast *fast = kzalloc(sizeof(*fast), SVT_GFP_CHARGED);

	rcu_assign_pointer(mr->table, table);
	mr->fast = fast;
	if (fast)
		fast->next = svt_page_table_alloc(pages, PAGE_SHIFT, 0);
	if (!table || !fast || !fast->next) {
		svt_fast_free(mr);
		return -ENOMEM;
	}
	spin_lock_init(&fast->lock);
	fast->capacity = pages;
	return 0;
}

void svt_fast_free(struct svt_mr *mr)
{
	svt_page_table_free(rcu_replace_pointer(mr->table, NULL, true));
	if (mr->fast)
		svt_page_table_free(mr->fast->next);
	kfree(mr->fast);
	mr->fast = NULL;
}

/* The table that the next registration takes */
static struct svt_page_table *mapping(const struct svt_mr *mr)
{
	const struct svt_fast *fast = mr->fast;

	return fast->fresh ? fast->next :
			     rcu_dereference_protected(mr->table, lockdep_is_held(&fast->lock));
}

/* Interrupts are on. Any svt_is_block_size(). Holds the lock until svt_fast_map_end(). */
void svt_fast_map_begin(struct svt_mr *mr, u32 page_size)
	__acquires(&mr->fast->lock)
{
	struct svt_fast *fast = mr->fast;

	spin_lock_bh(&fast->lock);
	fast->next->shift = ilog2(page_size);
	fast->fresh = true;
	fast->mapped = 0;
}

int svt_fast_map_block(struct svt_mr *mr, phys_addr_t start)
{
	struct svt_fast *fast = mr->fast;

	lockdep_assert_held(&fast->lock);
	if (fast->mapped == fast->capacity)
		return -ENOMEM;
	svt_page_table_set(fast->next, fast->mapped++, start);
	return 0;
}

void svt_fast_map_end(struct svt_mr *mr)
	__releases(&mr->fast->lock)
{
	spin_unlock_bh(&mr->fast->lock);
}

static int register_check(const struct svt_mr *mr, const struct svt_fast_reg *reg)
{
	unsigned int shift = mapping(mr)->shift;
	u64 offset = reg->start & ((1ULL << shift) - 1);
	u64 room = (u64)mr->fast->mapped << shift;
	u64 end;

	if (mr->key.valid || reg->access & ~FAST_ACCESS ||
	    (reg->access & CHANGES && !(reg->access & IB_ACCESS_LOCAL_WRITE)))
		return -EINVAL;
	if (!reg->length || check_add_overflow(reg->start, reg->length, &end) ||
	    !svt_range_within(offset, reg->length, 0, room))
		return -EFAULT;
	return 0;
}

/* No one is in svt_region_enter() now, or gets in before the key is valid */
static void publish(struct svt_mr *mr, const struct svt_fast_reg *reg)
{
	struct svt_page_table *table = mapping(mr);
	struct svt_fast *fast = mr->fast;

	/* The generation before the fields: pairs with the acquire in generation() */
	WRITE_ONCE(fast->generation, fast->generation + 1);
	smp_wmb(); /* as above */
	table->first_offset = reg->start & ((1ULL << table->shift) - 1);
	if (fast->fresh)
		fast->next = rcu_replace_pointer(mr->table, table, lockdep_is_held(&fast->lock));
	fast->fresh = false;
	mr->key.access = reg->access;
	mr->key.start = reg->start;
	mr->key.length = reg->length;
	WRITE_ONCE(mr->key.key, reg->key);
	svt_key_enable(&mr->key);
}

/**
 * svt_fast_register() - IB_WR_REG_MR: make the mapped pages a valid region
 * @keys: the table
 * @pd: of the QP
 * @reg: the request
 *
 * A region must be invalidated before it is registered again (IBTA 10.6.4).
 * Context: Any but hard interrupts.
 * Return: 0; -EINVAL no such region, it is valid, or access flags; -EACCES another protection
 * domain; -EFAULT outside of the mapped pages
 */
int svt_fast_register(struct svt_keys *keys, const struct ib_pd *pd,
		      const struct svt_fast_reg *reg)
{
	struct svt_key *key;
	struct svt_mr *mr;
	int ret = -EINVAL;

	rcu_read_lock();
	key = svt_key_find(keys, reg->key);
	if (!key || key->type != SVT_KEY_REGION)
		goto unlock;
	mr = container_of(key, struct svt_mr, key);
	if (!mr->fast)
		goto unlock;
	spin_lock_bh(&mr->fast->lock);
	ret = key->pd == pd ? register_check(mr, reg) : -EACCES;
	if (!ret)
		publish(mr, reg);
	spin_unlock_bh(&mr->fast->lock);
unlock:
	rcu_read_unlock();
	return ret;
}

bool svt_fast_enter(const struct svt_region *region)
{
	const struct svt_mr *mr = region->mr;

	/* Either the count is seen by svt_fast_invalidate(), or what it wrote is seen here */
	atomic_inc(&mr->fast->users);
	smp_mb__after_atomic(); /* as above */
	/* Acquire: as in region_key() */
	if (smp_load_acquire(&mr->key.valid) &&
	    READ_ONCE(mr->fast->generation) == region->generation)
		return true;
	atomic_dec(&mr->fast->users);
	return false;
}

/*
 * On return nothing that a peer asked for uses the pages. Busy-waits for the copies under way, so
 * it must not be called between svt_region_enter() and svt_region_leave(), nor in hard interrupts.
 * -EALREADY: not valid; -EINVAL: @rkey is not its key any more.
 */
int svt_fast_invalidate(struct svt_mr *mr, u32 rkey)
{
	int ret = 0;

	spin_lock_bh(&mr->fast->lock);
	if (mr->key.key != rkey) {
		ret = -EINVAL;
	} else if (!mr->key.valid) {
		ret = -EALREADY;
	} else {
		WRITE_ONCE(mr->key.valid, false);
		/* Pairs with the barrier in svt_fast_enter() */
		smp_mb();
		while (atomic_read_acquire(&mr->fast->users))
			cpu_relax();
	}
	spin_unlock_bh(&mr->fast->lock);
	return ret;
}
