// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast verbs; the transport has the groups. LIDs mean nothing on Ethernet. */
#include "../transport/multicast.h"
#include "verbs.h"

int svt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return svt_multicast_attach(to_svt_qp(ibqp), gid);
}

int svt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return svt_multicast_detach(to_svt_qp(ibqp), gid);
}
