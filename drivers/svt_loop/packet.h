/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef LOOP_PACKET_H
#define LOOP_PACKET_H

#include <linux/skbuff.h>
#include <rdma/svt.h>

struct sk_buff *loop_make_packet(struct svt_train *train, unsigned int index);
void loop_rx_address(struct svt_device *dev, const struct sk_buff *skb, u32 length,
		     struct svt_rx_address *address);

#endif
