/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow rules: which frames go to which raw packet QPs.
 */
#ifndef SVT_TRANSPORT_STEERING_H
#define SVT_TRANSPORT_STEERING_H

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

/* flow_rule.c */
int svt_rule_parse(struct svt_rule *rule, const struct ib_flow_attr *attr);
bool svt_rule_matches(const struct svt_rule *rule, const struct svt_frame_key *key);

/* steering.c */
void svt_steering_init(struct svt_core *core);
void svt_steering_destroy(struct svt_core *core);
int svt_steering_add(struct svt_rule *rule);
void svt_steering_remove(struct svt_rule *rule);

#endif
