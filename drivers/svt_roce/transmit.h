/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_TRANSMIT_H
#define ROCE_TRANSMIT_H

#include <rdma/svt.h>

/**
 * roce_own_page() - packets are going to be built on this page
 * @page: that nobody else has
 */
void roce_own_page(struct page *page);

/**
 * roce_built() - was this skb built here, and not changed since?
 * @skb: received
 *
 * Its packets are on pages of transmit.c, and their checksum is still to be computed: they never
 * left the memory of this host, and what netem or a driver changes has its checksum before.
 *
 * Return: whether the ICRC of its packets needs no look.
 */
bool roce_built(const struct sk_buff *skb);

int roce_xmit(struct svt_device *dev, struct svt_train *train);
void roce_transmit_exit(void);

#endif
