// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.13: ib_core tells of port events itself, if this operation is not set */
#include <rdma/ib_verbs.h>

#ifndef OLD
static void report_port_event(struct ib_device *ibdev, struct net_device *netdev,
			      unsigned long event)
{
}

const struct ib_device_ops ops = {
	.report_port_event = report_port_event,
};
#endif
