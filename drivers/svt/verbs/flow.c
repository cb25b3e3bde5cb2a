// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flows: the rules by which raw packet QPs get frames. The transport has the list of rules.
 * ib_core asks for CAP_NET_RAW in the first user namespace, and keeps the QP until its flows are
 * gone.
 */
#include <linux/slab.h>

#include "../transport/steering.h"
#include "verbs.h"

/* The rule outlives the flow by a grace period */
struct svt_flow_handle {
	struct ib_flow ibflow;
	struct svt_rule *rule;
};

/* ib_device_ops.create_flow. -EOPNOTSUPP: a flag or specification that svt does not have. */
struct ib_flow *svt_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				struct ib_udata *udata)
{
	struct svt_flow_handle *flow;
	int ret = ib_no_udata_io(udata);

	if (!ret && ibqp->qp_type != IB_QPT_RAW_PACKET)
		ret = -EOPNOTSUPP;
	if (ret)
		return ERR_PTR(ret);
	flow = kzalloc(sizeof(*flow), SVT_GFP_CHARGED);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	flow->rule = kzalloc(sizeof(*flow->rule), SVT_GFP_CHARGED);
	ret = -ENOMEM;
	if (!flow->rule)
		goto free_flow;
	flow->rule->qp = to_svt_qp(ibqp);
	ret = svt_rule_parse(flow->rule, attr) ?: svt_steering_add(flow->rule);
	if (!ret)
		return &flow->ibflow;

	kfree(flow->rule);
free_flow:
	kfree(flow);
	return ERR_PTR(ret);
}

int svt_destroy_flow(struct ib_flow *ibflow)
{
	struct svt_flow_handle *flow = container_of(ibflow, struct svt_flow_handle, ibflow);

	svt_steering_remove(flow->rule);
	kfree(flow);
	return 0;
}
