// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A page tells that packets were built on this host, a keyed hash their addresses; see seal.h */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/net.h>
#include <linux/siphash.h>

#include "seal.h"

/* What page_private() of our pages is: an address of ours, so that nobody else has it */
static const char our_page;

void roce_own_page(struct page *page)
{
	set_page_private(page, (unsigned long)&our_page);
}

/*
 * GRO may have merged packets of others, whose ICRC nobody has checked, behind ours: in a fragment
 * or an skb each. Ours share fragments; those that each filled its pages are checked, too.
 */
static bool may_be_merged(const struct skb_shared_info *shared)
{
	return shared->frag_list || (shared->gso_size && shared->nr_frags >= shared->gso_segs);
}

bool roce_built(const struct sk_buff *skb)
{
	const struct skb_shared_info *shared = skb_shinfo(skb);

	return skb->ip_summed == CHECKSUM_PARTIAL && shared->nr_frags && !may_be_merged(shared) &&
	       page_private(skb_frag_page(&shared->frags[0])) == (unsigned long)&our_page;
}

static u64 seal_of(const void *ip, bool ipv6)
{
	static siphash_aligned_key_t key;

	net_get_random_once(&key, sizeof(key));
	if (ipv6)
		return siphash(&((const struct ipv6hdr *)ip)->saddr, 2 * sizeof(struct in6_addr),
			       &key);
	return siphash_2u32((__force u32)((const struct iphdr *)ip)->saddr,
			    (__force u32)((const struct iphdr *)ip)->daddr, &key);
}

void roce_seal(u8 *packets, const void *ip, bool ipv6)
{
	u64 seal = seal_of(ip, ipv6);

	memcpy(packets - ROCE_SEAL_BYTES, &seal, sizeof(seal));
}

bool roce_is_sealed(const struct sk_buff *skb, bool ipv6)
{
	const skb_frag_t *first = &skb_shinfo(skb)->frags[0];
	const u8 *packets = page_address(skb_frag_page(first)) + skb_frag_off(first);
	u64 seal;

	if (skb_frag_off(first) < ROCE_SEAL_BYTES)
		return false;
	memcpy(&seal, packets - ROCE_SEAL_BYTES, sizeof(seal));
	return seal == seal_of(skb_network_header(skb), ipv6);
}
