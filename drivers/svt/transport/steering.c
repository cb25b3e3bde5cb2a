// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The flow rules of a device, and where a frame goes by them.
 *
 * The order is: sniffers, then rules that name something, by priority and age, then defaults.
 * Sniffers and defaults get copies; defaults only if no rule that names something matched. Such a
 * rule takes the frame from those behind it and from the host, as a NIC's would, unless it says
 * "don't trap"; a multicast frame goes to every QP with such a rule that matches.
 *
 * Rules change under svt_core.rules_lock, and are read under RCU. ib_core keeps a QP as long as it
 * has a rule, and stopping it waits for a grace period, so no frame meets a QP that is gone.
 */
#include <linux/rculist.h>
#include <linux/slab.h>

#include "backlog.h"
#include "qp/drop.h"
#include "steering.h"

/* How far a frame got in the list */
struct svt_steer {
	struct svt_core *core;
	struct svt_frame_key key;
	bool multicast;
	bool matched;	/* by a rule that names something */
	bool taken;
};

static bool svt_steer_begin(struct svt_steer *steer, struct svt_core *core, const u8 *bytes,
			    u32 length, bool *ip_ok)
{
	*steer = (struct svt_steer) { .core = core };
	if (!svt_frame_parse(bytes, length, &steer->key, ip_ok))
		return false;
	steer->multicast = steer->key.dst_mac[0] & 1;
	return true;
}

/* Did a rule of the same type in front of @rule give the frame to the same QP already? */
static bool svt_rule_is_late(const struct svt_rule *rule, const struct svt_steer *steer)
{
	const struct svt_rule *before;

	list_for_each_entry_rcu(before, &steer->core->rules, node) {
		if (before == rule)
			return false;
		if (before->type == rule->type && before->qp == rule->qp &&
		    svt_rule_matches(before, &steer->key))
			return true;
	}
	return false;
}

static bool svt_rule_names(const struct svt_rule *rule, struct svt_steer *steer)
{
	bool late;

	if ((steer->taken && !steer->multicast) || !svt_rule_matches(rule, &steer->key))
		return false;
	late = steer->matched && svt_rule_is_late(rule, steer);
	steer->matched = true;
	steer->taken |= !rule->dont_trap;
	return !late;
}

/* To be called for the rules in their order */
static bool svt_rule_gets(const struct svt_rule *rule, struct svt_steer *steer)
{
	switch (rule->type) {
	case IB_FLOW_ATTR_NORMAL:
		return svt_rule_names(rule, steer);
	case IB_FLOW_ATTR_ALL_DEFAULT:
		return !steer->matched && !svt_rule_is_late(rule, steer);
	case IB_FLOW_ATTR_MC_DEFAULT:
		return !steer->matched && steer->multicast && !svt_rule_is_late(rule, steer);
	default:
		return !svt_rule_is_late(rule, steer);
	}
}

/*
 * A frame that a QP sends stays here if a rule names its destination. If it is multicast or the
 * rule does not trap, it leaves and a copy stays. Without such a rule it just leaves.
 */
static enum svt_steering svt_steer_sent(struct svt_steer *steer)
{
	enum svt_steering steering = SVT_STEER_PASS;
	const struct svt_rule *rule;

	list_for_each_entry_rcu(rule, &steer->core->rules, node) {
		if (rule->type != IB_FLOW_ATTR_NORMAL || !(rule->names_dst || steer->multicast) ||
		    !svt_rule_matches(rule, &steer->key))
			continue;
		if (!steer->multicast && !rule->dont_trap)
			return SVT_STEER_TAKE;
		steering = SVT_STEER_COPY;
	}
	return steering;
}

static enum svt_steering svt_steer_received(struct svt_steer *steer)
{
	const struct svt_rule *rule;
	bool any = false;

	list_for_each_entry_rcu(rule, &steer->core->rules, node) {
		any |= svt_rule_gets(rule, steer);
		if (steer->taken)
			return SVT_STEER_TAKE;
	}
	return any ? SVT_STEER_COPY : SVT_STEER_PASS;
}

/**
 * svt_steer - what to do with a frame
 * @dev: device
 * @bytes: beginning of the frame, with its tag
 * @length: of @bytes: SVT_STEER_BYTES, or the whole frame
 * @sent: a QP of @dev sends it; SVT_STEER_TAKE: only @dev receives it
 *
 * Context: any but hard interrupts; may be called from inside xmit.
 * Return: enum svt_steering.
 */
enum svt_steering svt_steer(struct svt_device *dev, const u8 *bytes, u32 length, bool sent)
{
	enum svt_steering steering;
	struct svt_steer steer;
	bool ip_ok;

	if (!svt_steer_begin(&steer, dev->core, bytes, length, &ip_ok))
		return SVT_STEER_PASS;
	rcu_read_lock();
	steering = sent ? svt_steer_sent(&steer) : svt_steer_received(&steer);
	rcu_read_unlock();
	return steering;
}
EXPORT_SYMBOL_GPL(svt_steer);

static void svt_frame_copy(struct svt_qp *qp, struct sk_buff *skb)
{
	struct sk_buff *clone = skb_clone(skb, GFP_ATOMIC);

	if (clone)
		svt_qp_receive_frame(qp, clone);
	else
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_MEMORY);
}

/* The rules may have changed since svt_steer() */
static void svt_frame_deliver(struct svt_steer *steer, struct sk_buff *skb)
{
	const struct svt_rule *rule;
	struct svt_qp *last = NULL;

	list_for_each_entry_rcu(rule, &steer->core->rules, node) {
		if (!svt_rule_gets(rule, steer))
			continue;
		if (last)
			svt_frame_copy(last, skb);
		last = rule->qp;
	}
	if (last)
		svt_qp_receive_frame(last, skb);
	else
		svt_drop_skb(steer->core->counters, skb, SVT_COUNT_RX_DROPPED_NO_QP);
}

/**
 * svt_receive_frame - take a frame that svt_steer() wants
 * @dev: receiving device
 * @skb: from the Ethernet header on, with tag and checksums; svt_rx_cb(@skb)->checked is set;
 *	consumed
 *
 * Context: BH off.
 */
void svt_receive_frame(struct svt_device *dev, struct sk_buff *skb)
{
	u32 length = min_t(u32, skb->len, SVT_STEER_BYTES);
	u8 buffer[SVT_STEER_BYTES];
	struct svt_steer steer;
	bool ip_ok;

	if (skb_copy_bits(skb, 0, buffer, length) ||
	    !svt_steer_begin(&steer, dev->core, buffer, length, &ip_ok)) {
		svt_drop_skb(dev->core->counters, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
		return;
	}
	svt_rx_cb(skb)->checked &= ip_ok;
	rcu_read_lock();
	svt_frame_deliver(&steer, skb);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(svt_receive_frame);

void svt_steering_init(struct svt_core *core)
{
	INIT_LIST_HEAD(&core->rules);
	mutex_init(&core->rules_lock);
}

void svt_steering_destroy(struct svt_core *core)
{
	WARN_ON(!list_empty(&core->rules));
	mutex_destroy(&core->rules_lock);
}

static u32 svt_rule_rank(const struct svt_rule *rule)
{
	switch (rule->type) {
	case IB_FLOW_ATTR_SNIFFER:
		return 0;
	case IB_FLOW_ATTR_NORMAL:
		return 1 + rule->priority;
	default:
		return 2 + U16_MAX;
	}
}

/* Searches from the end, where most go */
static struct list_head *svt_rule_place(struct svt_core *core, const struct svt_rule *rule)
{
	struct svt_rule *other;

	lockdep_assert_held(&core->rules_lock);
	list_for_each_entry_reverse(other, &core->rules, node)
		if (svt_rule_rank(other) <= svt_rule_rank(rule))
			return &other->node;
	return &core->rules;
}

/* The backend offers frames from the first rule to the last */
static int svt_steering_listen(struct svt_device *dev, bool begin)
{
	const struct svt_frame_ops *frames = dev->ops->frames;

	lockdep_assert_held(&dev->core->rules_lock);
	if (dev->core->rules_count)
		return 0;
	return frames ? frames->listen(dev, begin) : -EOPNOTSUPP;
}

static int svt_steering_add_locked(struct svt_rule *rule)
{
	struct svt_core *core = rule->qp->core;
	int ret;

	if (core->rules_count == SVT_MAX_RULES)
		return -ENOMEM;
	ret = svt_steering_listen(rule->qp->dev, true);
	if (ret)
		return ret;
	list_add_rcu(&rule->node, svt_rule_place(core, rule));
	core->rules_count++;
	return 0;
}

/**
 * svt_steering_add - let a rule steer frames
 * @rule: from svt_rule_parse()
 *
 * A QP with two equal rules gets no frame twice, and has to remove both.
 *
 * Context: may sleep. Takes svt_core.rules_lock.
 * Return: 0; -ENOMEM the device has SVT_MAX_RULES; -EOPNOTSUPP the backend, or the kernel, cannot
 * take frames; an error of the backend.
 */
int svt_steering_add(struct svt_rule *rule)
{
	struct svt_core *core = rule->qp->core;
	int ret;

	mutex_lock(&core->rules_lock);
	ret = svt_steering_add_locked(rule);
	mutex_unlock(&core->rules_lock);
	return ret;
}

/* May sleep. Frees @rule after a grace period. */
void svt_steering_remove(struct svt_rule *rule)
{
	struct svt_device *dev = rule->qp->dev;

	mutex_lock(&dev->core->rules_lock);
	list_del_rcu(&rule->node);
	dev->core->rules_count--;
	svt_steering_listen(dev, false);
	mutex_unlock(&dev->core->rules_lock);
	kfree_rcu(rule, rcu);
}
