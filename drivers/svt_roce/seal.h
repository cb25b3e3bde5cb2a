/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packets that were built on this host: whose pages and addresses they have */
#ifndef ROCE_SEAL_H
#define ROCE_SEAL_H

#include <linux/skbuff.h>

/* Packets are going to be built on @page, which nobody else has */
void roce_own_page(struct page *page);

/*
 * Its packets are on pages of transmit.c, their checksum still to be computed: they never left this
 * host, and netem or a driver computes it before a change. Return: the ICRC needs no look.
 */
bool roce_built(const struct sk_buff *skb);

/* In front of the first packet on a page */
#define ROCE_SEAL_BYTES		sizeof(u64)

/*
 * Notes the addresses of @ip in the ROCE_SEAL_BYTES in front of @packets, the first on a page of
 * roce_own_page(). No sender or receiver sees the seal, nor knows the key of its hash.
 */
void roce_seal(u8 *packets, const void *ip, bool ipv6);

/* After roce_built(). Return: no rule translated the addresses; false for what segmentation made */
bool roce_is_sealed(const struct sk_buff *skb, bool ipv6);

#endif
