/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A flow rule: which frames a raw packet QP gets. See flow_rule.c.
 */
#ifndef SVT_TRANSPORT_FLOW_RULE_H
#define SVT_TRANSPORT_FLOW_RULE_H

#include <linux/list.h>

#include "../wire/frame.h"
#include "qp/qp.h"

/**
 * struct svt_rule - a flow rule; in the table, nothing but @node changes
 * @node: in svt_core.rules
 * @qp: its owner; ib_core keeps it as long as the rule exists
 * @type: enum ib_flow_attr_type
 * @dont_trap: later rules and the host get the frame too
 * @names_dst: names one destination MAC address
 * @priority: lower numbers come first
 * @value: what a frame must have
 * @mask: in these bits
 * @rcu: for freeing
 */
struct svt_rule {
	struct list_head node;
	struct svt_qp *qp;
	u8 type;
	bool dont_trap;
	bool names_dst;
	u16 priority;
	struct svt_frame_key value;
	struct svt_frame_key mask;
	struct rcu_head rcu;
};

int svt_rule_parse(struct svt_rule *rule, const struct ib_flow_attr *attr);
bool svt_rule_matches(const struct svt_rule *rule, const struct svt_frame_key *key);

#endif
