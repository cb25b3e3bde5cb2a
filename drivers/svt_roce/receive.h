/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_RECEIVE_H
#define ROCE_RECEIVE_H

#include <linux/netfilter.h>
#include <rdma/svt.h>

void roce_gather(struct sk_buff *skb, unsigned int stride);
unsigned int roce_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);
int roce_receive(struct sock *sk, struct sk_buff *skb);
void roce_rx_address(struct svt_device *dev, const struct sk_buff *skb, u32 length,
		     struct svt_rx_address *address);

#endif
