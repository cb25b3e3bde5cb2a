// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast verbs; the groups are the transport's.
 */
#include "../transport/multicast.h"
#include "verbs.h"

/**
 * svt_attach_mcast - ib_device_ops.attach_mcast
 * @ibqp: QP
 * @gid: group
 * @lid: means nothing on Ethernet
 *
 * Return: as svt_multicast_attach().
 */
int svt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return svt_multicast_attach(to_svt_qp(ibqp), gid);
}

/**
 * svt_detach_mcast - ib_device_ops.detach_mcast
 * @ibqp: QP
 * @gid: group
 * @lid: means nothing on Ethernet
 *
 * Return: as svt_multicast_detach().
 */
int svt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return svt_multicast_detach(to_svt_qp(ibqp), gid);
}
