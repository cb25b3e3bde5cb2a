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
 * struct svt_rule - a flow rule
 * @node: in svt_core.rules
 * @qp: whose it is; ib_core keeps it as long as the rule is there
 * @type: enum ib_flow_attr_type
 * @dont_trap: what it matches goes on to the rules behind it, and to the host
 * @names_dst: it is for one destination MAC address
 * @priority: lower numbers are asked first
 * @value: what a frame has, as far as
 * @mask: says
 * @rcu: for freeing
 *
 * Nothing but @node changes once it is in the table.
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
