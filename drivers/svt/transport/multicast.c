// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups of a device, those of each network namespace apart. Attach and detach hold
 * svt_core.multicast_lock; the backend joins a group with its first QP and leaves it with the last.
 * Delivery walks the table and a group's members under RCU. A QP leaves all its groups before it is
 * stopped, and stopping waits for a grace period, so delivery never meets a QP that is gone.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <rdma/ib_addr.h>

#include "backlog.h"
#include "multicast.h"
#include "qp/drop.h"

struct svt_multicast_key {
	union ib_gid gid;
	u32 netns;	/* where it is joined, as svt_path.netns */
};

/* @members and @count change under svt_core.multicast_lock */
struct svt_multicast_group {
	struct rhash_head node;		/* in svt_core.multicast */
	struct svt_multicast_key key;
	struct list_head members;	/* struct svt_multicast_member; RCU */
	u32 count;
	u8 deposit[SVT_DEPOSIT_BYTES];
	struct rcu_head rcu;
};

struct svt_multicast_member {
	struct list_head in_group;
	struct list_head in_qp;		/* in svt_qp.multicast; under svt_core.multicast_lock */
	struct svt_multicast_group *group;
	struct svt_qp *qp;
	u32 attached;			/* attaches not undone; under svt_core.multicast_lock */
	struct rcu_head rcu;
};

static const struct rhashtable_params svt_multicast_params = {
	.key_len = offsetofend(struct svt_multicast_key, netns),
	.key_offset = offsetof(struct svt_multicast_group, key),
	.head_offset = offsetof(struct svt_multicast_group, node),
	.automatic_shrinking = true,
};

int svt_multicast_init(struct svt_core *core)
{
	mutex_init(&core->multicast_lock);
	return rhashtable_init(&core->multicast, &svt_multicast_params);
}

void svt_multicast_destroy(struct svt_core *core)
{
	WARN_ON(core->multicast_count);
	rhashtable_destroy(&core->multicast);
	mutex_destroy(&core->multicast_lock);
}

static int svt_multicast_wire(struct svt_device *dev, const struct svt_multicast_key *key,
			      bool join)
{
	return dev->ops->listen ? dev->ops->listen(dev, &key->gid, key->netns, join) : 0;
}

static void svt_group_drop(struct svt_device *dev, struct svt_multicast_group *group)
{
	lockdep_assert_held(&dev->core->multicast_lock);
	if (group->count)
		return;
	rhashtable_remove_fast(&dev->core->multicast, &group->node, svt_multicast_params);
	dev->core->multicast_count--;
	svt_multicast_wire(dev, &group->key, false);
	kfree_rcu(group, rcu);
}

static struct svt_multicast_group *svt_group_create(struct svt_device *dev,
						    const struct svt_multicast_key *key)
{
	struct svt_core *core = dev->core;
	struct svt_multicast_group *group;
	int ret;

	lockdep_assert_held(&core->multicast_lock);
	if (core->multicast_count >= SVT_MAX_MULTICAST)
		return ERR_PTR(-ENOMEM);
	group = kzalloc(sizeof(*group), SVT_GFP_CHARGED);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->key = *key;
	INIT_LIST_HEAD(&group->members);

	ret = svt_multicast_wire(dev, key, true);
	if (ret)
		goto free;
	ret = rhashtable_insert_fast(&core->multicast, &group->node, svt_multicast_params);
	if (ret)
		goto leave;
	core->multicast_count++;
	return group;

leave:
	svt_multicast_wire(dev, key, false);
free:
	kfree(group);
	return ERR_PTR(ret);
}

static struct svt_multicast_member *svt_member_find(struct svt_qp *qp, const union ib_gid *gid)
{
	struct svt_multicast_member *member;

	lockdep_assert_held(&qp->core->multicast_lock);
	list_for_each_entry(member, &qp->multicast, in_qp)
		if (!memcmp(&member->group->key.gid, gid, sizeof(*gid)))
			return member;
	return NULL;
}

static int svt_member_add(struct svt_qp *qp, struct svt_multicast_group *group)
{
	struct svt_multicast_member *member;

	if (group->count >= SVT_MAX_MULTICAST_QP)
		return -ENOMEM;
	member = kzalloc(sizeof(*member), SVT_GFP_CHARGED);
	if (!member)
		return -ENOMEM;
	member->group = group;
	member->qp = qp;
	member->attached = 1;
	group->count++;
	list_add(&member->in_qp, &qp->multicast);
	list_add_tail_rcu(&member->in_group, &group->members);
	return 0;
}

static void svt_member_remove(struct svt_multicast_member *member)
{
	struct svt_multicast_group *group = member->group;

	list_del(&member->in_qp);
	list_del_rcu(&member->in_group);
	group->count--;
	svt_group_drop(member->qp->dev, group);
	kfree_rcu(member, rcu);
}

static int svt_multicast_attach_locked(struct svt_qp *qp, const union ib_gid *gid)
{
	const struct svt_multicast_key key = { .gid = *gid, .netns = qp->flow.netns };
	struct svt_multicast_member *member = svt_member_find(qp, gid);
	struct svt_multicast_group *group;
	int ret;

	if (member) {
		member->attached++;
		return 0;
	}
	group = rhashtable_lookup_fast(&qp->core->multicast, &key, svt_multicast_params);
	if (!group)
		group = svt_group_create(qp->dev, &key);
	if (IS_ERR(group))
		return PTR_ERR(group);
	ret = svt_member_add(qp, group);
	if (ret)
		svt_group_drop(qp->dev, group);
	return ret;
}

/**
 * svt_multicast_attach - let a QP receive what is sent to a group (IBTA 11.3.1)
 * @qp: UD QP
 * @gid: multicast GID
 *
 * A QP gets one copy of a packet, and leaves with as many detaches as there were attaches: uverbs
 * attaches once for each LID that the program names with @gid, and undoes each. If a detach failed,
 * ib_core would keep the QP in use for ever.
 *
 * Context: may sleep. Takes svt_core.multicast_lock.
 * Return: 0; -EINVAL not a multicast GID or not a UD QP; -ENOMEM no memory, or a limit of the
 * device; an error of the backend.
 */
int svt_multicast_attach(struct svt_qp *qp, const union ib_gid *gid)
{
	int ret;

	if (qp->ibqp.qp_type != IB_QPT_UD ||
	    !rdma_is_multicast_addr((struct in6_addr *)gid->raw))
		return -EINVAL;
	mutex_lock(&qp->core->multicast_lock);
	ret = svt_multicast_attach_locked(qp, gid);
	mutex_unlock(&qp->core->multicast_lock);
	return ret;
}

/* May sleep. -EINVAL when the QP is not attached to the group. */
int svt_multicast_detach(struct svt_qp *qp, const union ib_gid *gid)
{
	struct svt_multicast_member *member;

	mutex_lock(&qp->core->multicast_lock);
	member = svt_member_find(qp, gid);
	if (member && !--member->attached)
		svt_member_remove(member);
	mutex_unlock(&qp->core->multicast_lock);
	return member ? 0 : -EINVAL;
}

/* Before svt_qp_stop(). The groups may be very many: others get the lock in between. May sleep. */
void svt_multicast_forget(struct svt_qp *qp)
{
	struct svt_multicast_member *member;

	do {
		mutex_lock(&qp->core->multicast_lock);
		member = list_first_entry_or_null(&qp->multicast, typeof(*member), in_qp);
		if (member)
			svt_member_remove(member);
		mutex_unlock(&qp->core->multicast_lock);
	} while (member);
}

static void svt_multicast_copy(struct svt_qp *qp, struct sk_buff *skb)
{
	struct sk_buff *clone = skb_clone(skb, GFP_ATOMIC);

	if (clone)
		svt_qp_receive(qp, clone);
	else
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_MEMORY);
}

/* @skb: as for svt_receive(); consumed. BH off, RCU read section. */
void svt_multicast_deliver(struct svt_device *dev, const union ib_gid *mgid, u32 netns,
			   struct sk_buff *skb)
{
	const struct svt_multicast_key key = { .gid = *mgid, .netns = netns };
	struct svt_multicast_group *group;
	struct svt_multicast_member *member;
	struct svt_qp *last = NULL;

	group = rhashtable_lookup(&dev->core->multicast, &key, svt_multicast_params);
	if (group) {
		list_for_each_entry_rcu(member, &group->members, in_group) {
			if (last)
				svt_multicast_copy(last, skb);
			last = member->qp;
		}
	}
	if (last) {
		svt_qp_receive(last, skb);
		return;
	}
	svt_drop_skb(dev->core->counters, skb, SVT_COUNT_RX_DROPPED_NO_QP);
}
