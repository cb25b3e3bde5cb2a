// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that were built on this host are known by their pages, and by a keyed hash of the
 * addresses that they were built with. See seal.h.
 */
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
 * Behind a packet of ours GRO may have merged packets of others, whose ICRC nobody has checked. It
 * adds a fragment or an skb for each. Packets of ours share fragments; those that do not, for each
 * filled its pages, are taken for merged ones and checked.
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
