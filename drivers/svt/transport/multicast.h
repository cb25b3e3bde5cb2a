/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups: which QPs receive what is sent to a GID.
 */
#ifndef SVT_TRANSPORT_MULTICAST_H
#define SVT_TRANSPORT_MULTICAST_H

#include "qp/qp.h"

int svt_multicast_init(struct svt_core *core);
void svt_multicast_destroy(struct svt_core *core);
int svt_multicast_attach(struct svt_qp *qp, const union ib_gid *gid);
int svt_multicast_detach(struct svt_qp *qp, const union ib_gid *gid);
void svt_multicast_forget(struct svt_qp *qp);
void svt_multicast_deliver(struct svt_device *dev, const union ib_gid *mgid, u32 netns,
			   struct sk_buff *skb);

#endif
