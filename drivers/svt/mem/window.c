// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: bind, invalidate, unbind, under svt_mw.lock. Remote accesses do not take it: they
 * find one struct svt_mw_binding or none. A region can not go or change while svt_mr.windows counts
 * bindings (IBTA C10-91). Access ends before the owner is told so (IBTA 10.6.7.2.5), in contexts
 * that can not wait for a grace period: uses of the pages count in the binding, and each removal
 * waits, under svt_mw.lock, until the count is 0. Windows of type 2 are linked to the QP that they
 * are bound for, and released with it.
 */
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "keys.h"
#include "lookup.h"

#define TAG_MASK	((1U << SVT_KEY_TAG_BITS) - 1)
#define REMOTE_ACCESS	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)
#define CHANGES		(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)
/* Local write means nothing for a window, but programs give it */
#define WINDOW_ACCESS	(REMOTE_ACCESS | IB_ACCESS_LOCAL_WRITE | IB_ZERO_BASED | IB_ACCESS_OPTIONAL)

/* Keeps windows from being bound before a region changes or goes; -EBUSY: windows, or claimed */
int svt_mr_claim(struct svt_mr *mr)
{
	return atomic_cmpxchg(&mr->windows, 0, -1) ? -EBUSY : 0;
}

void svt_mr_unclaim(struct svt_mr *mr)
{
	atomic_set(&mr->windows, 0);
}

static struct svt_mw *window_find(struct svt_keys *keys, const struct ib_pd *pd, u32 rkey)
{
	struct svt_key *key = svt_key_find(keys, rkey);

	if (!key || key->type != SVT_KEY_WINDOW)
		return ERR_PTR(-EINVAL);
	if (key->pd != pd)
		return ERR_PTR(-EACCES);
	return container_of(key, struct svt_mw, key);
}

static void own(struct svt_mw *mw, struct svt_mw_owner *owner)
{
	if (!owner)
		return;
	spin_lock(&owner->lock);
	list_add_tail(&mw->owned, &owner->windows);
	spin_unlock(&owner->lock);
}

static void disown(struct svt_mw *mw, struct svt_mw_owner *owner)
{
	if (!owner)
		return;
	spin_lock(&owner->lock);
	list_del(&mw->owned);
	spin_unlock(&owner->lock);
}

/* Waits for copies of the payload of one train at most; a copier waits for no half of a QP */
static void revoke(struct svt_mw *mw, struct svt_mw_binding *binding)
{
	disown(mw, binding->owner);
	WRITE_ONCE(binding->revoked, true);
	/* Pairs with the barrier in svt_window_enter() */
	smp_mb();
	while (atomic_read_acquire(&binding->users))
		cpu_relax();
	atomic_dec(&binding->mr->windows);
	kfree_rcu(binding, rcu);
}

static void replace(struct svt_mw *mw, struct svt_mw_binding *binding)
{
	struct svt_mw_binding *old;

	lockdep_assert_held(&mw->lock);
	old = rcu_replace_pointer(mw->binding, binding, lockdep_is_held(&mw->lock));
	if (old)
		revoke(mw, old);
	if (binding)
		own(mw, binding->owner);
}

bool svt_window_enter(struct svt_mw_binding *binding)
{
	/* Either the count is seen by revoke(), or what it wrote is seen here */
	atomic_inc(&binding->users);
	smp_mb__after_atomic(); /* as above */
	if (!READ_ONCE(binding->revoked))
		return true;
	atomic_dec(&binding->users);
	return false;
}

/* IBTA C10-72 to C10-75 */
static int region_check(const struct svt_mr *mr, const struct svt_mw_bind *bind)
{
	if (mr->fast || !(mr->key.access & IB_ACCESS_MW_BIND))
		return -EACCES;
	if (bind->access & CHANGES && !(mr->key.access & IB_ACCESS_LOCAL_WRITE))
		return -EACCES;
	if (!svt_range_within(bind->addr, bind->length, mr->key.start, mr->key.length))
		return -EFAULT;
	return 0;
}

/* Counted in its region, not published */
static struct svt_mw_binding *binding_create(struct svt_keys *keys, const struct ib_pd *pd,
					     const struct svt_mw_bind *bind)
{
	struct svt_mr *mr = svt_region_find(keys, pd, bind->mr_lkey);
	struct svt_mw_binding *binding;
	int ret;

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	if (bind->access & ~WINDOW_ACCESS)
		return ERR_PTR(-EINVAL);
	ret = region_check(mr, bind);
	if (ret)
		return ERR_PTR(ret);
	/* Paid for by svt_mw.deposit: there may be no process here */
	binding = kzalloc(sizeof(*binding), GFP_ATOMIC);
	if (!binding)
		return ERR_PTR(-ENOMEM);
	if (!atomic_inc_unless_negative(&mr->windows)) {
		kfree(binding);
		return ERR_PTR(-EINVAL);
	}

	binding->mr = mr;
	binding->access = bind->access & REMOTE_ACCESS;
	binding->start = bind->access & IB_ZERO_BASED ? 0 : bind->addr;
	binding->length = bind->length;
	binding->base = bind->addr;
	return binding;
}

static void binding_discard(struct svt_mw_binding *binding)
{
	if (!binding)
		return;
	atomic_dec(&binding->mr->windows);
	kfree(binding);
}

/* Sets *@rkey to the key that the window will have */
static int window_check(const struct svt_mw *mw, const struct svt_mw_bind *bind, u32 *rkey)
{
	lockdep_assert_held(&mw->lock);
	if (mw->gone)
		return -EINVAL;
	*rkey = bind->new_rkey;
	if (mw->ibmw.type == IB_MW_TYPE_1) {
		if (!*rkey)
			*rkey = mw->key.key ^ (1 + get_random_u32() % TAG_MASK);
	} else if (!bind->length || rcu_access_pointer(mw->binding)) {
		return -EINVAL;
	}
	return (*rkey ^ mw->key.key) & ~TAG_MASK ? -EINVAL : 0;
}

static int window_bind(struct svt_mw *mw, const struct svt_mw_bind *bind,
		       struct svt_mw_binding *binding, u32 *rkey)
{
	int ret;

	spin_lock_bh(&mw->lock);
	ret = window_check(mw, bind, rkey);
	if (!ret) {
		if (binding) {
			binding->key = *rkey;
			if (mw->ibmw.type != IB_MW_TYPE_1) {
				binding->qpn = bind->qpn;
				binding->owner = bind->owner;
			}
		}
		WRITE_ONCE(mw->key.key, *rkey);
		replace(mw, binding);
	}
	spin_unlock_bh(&mw->lock);
	return ret;
}

/**
 * svt_mw_bind() - bind a window to a region
 * @keys: the table
 * @pd: of the QP; window and region need the same
 * @bind: the request
 * @rkey: set on success
 *
 * A bind of type 1 replaces the old one at once. A window of type 2 has to be unbound, serves one
 * QP only, and is never bound to nothing (IBTA 10.6.7.2; common to types 2A and 2B). The protection
 * domain is checked here, and at each access, as for 2B.
 * Context: Any but hard interrupts; not between svt_region_enter() and svt_region_leave().
 * Return: 0; -EINVAL wrong key, flag, or state of the window; -EACCES another protection domain,
 * or not allowed by the region; -EFAULT not within the region; -ENOMEM
 */
int svt_mw_bind(struct svt_keys *keys, const struct ib_pd *pd, const struct svt_mw_bind *bind,
		u32 *rkey)
{
	struct svt_mw_binding *binding = NULL;
	struct svt_mw *mw;
	int ret = 0;

	rcu_read_lock();
	mw = window_find(keys, pd, bind->mw_rkey);
	if (IS_ERR(mw)) {
		ret = PTR_ERR(mw);
		goto unlock;
	}
	if (bind->length) {
		binding = binding_create(keys, pd, bind);
		if (IS_ERR(binding)) {
			ret = PTR_ERR(binding);
			goto unlock;
		}
	}
	ret = window_bind(mw, bind, binding, rkey);
	if (ret)
		binding_discard(binding);
unlock:
	rcu_read_unlock();
	return ret;
}

static int window_invalidate(struct svt_mw *mw, u32 qpn, u32 rkey)
{
	const struct svt_mw_binding *binding;
	int ret = 0;

	spin_lock_bh(&mw->lock);
	binding = rcu_dereference_protected(mw->binding, lockdep_is_held(&mw->lock));
	if (mw->key.key != rkey)
		ret = -EINVAL;
	else if (binding && binding->qpn != qpn)
		ret = -EACCES;
	else
		replace(mw, NULL);
	spin_unlock_bh(&mw->lock);
	return ret;
}

/**
 * svt_key_invalidate() - LOCAL_INV, and SEND_WITH_INV at the receiver
 * @keys: the table
 * @pd: of the QP
 * @qpn: of the QP
 * @rkey: type 2 window of this QP or not bound, or a fast registration (IBTA 10.6.5)
 *
 * On return nothing that a peer asked for by this key touches memory any more.
 * Context: Any but hard interrupts; not between svt_region_enter() and svt_region_leave().
 * Return: 0; -EALREADY a region that is not valid; -EINVAL no such key; -EACCES not this protection
 * domain or QP, or can not be invalidated
 */
int svt_key_invalidate(struct svt_keys *keys, const struct ib_pd *pd, u32 qpn, u32 rkey)
{
	struct svt_key *key;
	struct svt_mr *mr;
	struct svt_mw *mw;
	int ret = -EACCES;

	rcu_read_lock();
	key = svt_key_find(keys, rkey);
	if (!key || READ_ONCE(key->key) != rkey) {
		ret = -EINVAL;
	} else if (key->type == SVT_KEY_WINDOW && key->pd == pd) {
		mw = container_of(key, struct svt_mw, key);
		if (mw->ibmw.type != IB_MW_TYPE_1)
			ret = window_invalidate(mw, qpn, rkey);
	} else if (key->type == SVT_KEY_REGION && key->pd == pd) {
		mr = container_of(key, struct svt_mr, key);
		if (mr->fast)
			ret = svt_fast_invalidate(mr, rkey);
	}
	rcu_read_unlock();
	return ret;
}

/* Unbinds for good. Look-ups may see @mw until the grace period in svt_key_remove() has passed. */
void svt_mw_retire(struct svt_mw *mw)
{
	spin_lock_bh(&mw->lock);
	mw->gone = true;
	replace(mw, NULL);
	spin_unlock_bh(&mw->lock);
}

/* Good until the end of the RCU read section, also if the window goes meanwhile */
static struct svt_mw *owned(struct svt_mw_owner *owner)
{
	struct svt_mw *mw;

	spin_lock_bh(&owner->lock);
	mw = list_first_entry_or_null(&owner->windows, struct svt_mw, owned);
	spin_unlock_bh(&owner->lock);
	return mw;
}

static void release(struct svt_mw *mw, const struct svt_mw_owner *owner)
{
	const struct svt_mw_binding *binding;

	spin_lock_bh(&mw->lock);
	binding = rcu_dereference_protected(mw->binding, lockdep_is_held(&mw->lock));
	if (binding && binding->owner == owner)
		replace(mw, NULL);
	spin_unlock_bh(&mw->lock);
}

/*
 * Unbinds the windows of type 2 of a QP that goes and binds no more: they would keep their regions
 * (IBTA 10.6.7.2.4 lets the QP go though they are bound). They can be bound again, for other QPs.
 */
void svt_mw_disown(struct svt_mw_owner *owner)
{
	struct svt_mw *mw;

	do {
		rcu_read_lock();
		mw = owned(owner);
		if (mw)
			release(mw, owner);
		rcu_read_unlock();
	} while (mw);
}
