// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flows: rules by which a raw packet QP gets frames. All of it is the kernel's. Any thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "flow.h"

/**
 * svt_create_flow - have frames steered to a QP
 * @qp: whose they are to be
 * @attr: which
 *
 * Return: the flow, or NULL and errno, from the kernel.
 */
struct ibv_flow *svt_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	struct ibv_flow *flow = calloc(1, sizeof(*flow));
	int err;

	if (!flow)
		return NULL;
	err = ibv_cmd_create_flow(qp, flow, attr, NULL, 0);
	if (!err)
		return flow;
	free(flow);
	errno = err;
	return NULL;
}

int svt_destroy_flow(struct ibv_flow *flow)
{
	int err = ibv_cmd_destroy_flow(flow);

	if (!err)
		free(flow);
	return err;
}
