/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_RECEIVE_H
#define ROCE_RECEIVE_H

#include <rdma/svt.h>

int roce_receive(struct sock *sk, struct sk_buff *skb);
void roce_rx_address(struct svt_device *dev, const struct sk_buff *skb,
		     struct svt_rx_address *address);

#endif
