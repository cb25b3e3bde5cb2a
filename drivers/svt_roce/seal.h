/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that were built on this host: whose pages and addresses they have.
 */
#ifndef ROCE_SEAL_H
#define ROCE_SEAL_H

#include <linux/skbuff.h>

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

/* In front of the first packet on a page */
#define ROCE_SEAL_BYTES		sizeof(u64)

/**
 * roce_seal() - note the addresses that packets are built with
 * @packets: the first, on a page of roce_own_page(), with ROCE_SEAL_BYTES in front of it
 * @ip: its header of IP
 * @ipv6: which of the two
 *
 * Nobody who sends or receives sees the seal, nor knows the key of its hash.
 */
void roce_seal(u8 *packets, const void *ip, bool ipv6);

/**
 * roce_is_sealed() - has an skb the addresses that it was built with?
 * @skb: for which roce_built() holds
 * @ipv6: as its header of IP says
 *
 * One that segmentation made is not sealed.
 *
 * Return: true only if no rule of the host has translated them.
 */
bool roce_is_sealed(const struct sk_buff *skb, bool ipv6);

#endif
