// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which skbs that come in have packets that this host built: their ICRC is believed unseen.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>

#include "../seal.h"
#include "../transmit.h"

#define PACKETS	3
#define STRIDE	512

/* A page of an skb goes with it */
static struct page *add_page(struct kunit *test, struct sk_buff *skb, bool own)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	if (own)
		roce_own_page(page);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, 0, STRIDE, PAGE_SIZE);
	return page;
}

/* As merge_packets() leaves it: all packets on one page */
static struct sk_buff *built_skb(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb_shinfo(skb)->gso_size = STRIDE;
	skb_shinfo(skb)->gso_segs = PACKETS;
	add_page(test, skb, true);
	return skb;
}

static void packets_of_this_host_are_believed(struct kunit *test)
{
	struct sk_buff *skb = built_skb(test);

	KUNIT_EXPECT_TRUE(test, roce_built(skb));
	kfree_skb(skb);
}

static void packets_on_pages_of_others_are_not(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->ip_summed = CHECKSUM_PARTIAL;
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	add_page(test, skb, false);
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	kfree_skb(skb);
}

/* Who computed the checksum may have changed the packet before, as netem does */
static void packets_with_a_checksum_are_not(struct kunit *test)
{
	struct sk_buff *skb = built_skb(test);

	skb->ip_summed = CHECKSUM_UNNECESSARY;
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	skb->ip_summed = CHECKSUM_NONE;
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	kfree_skb(skb);
}

/* GRO adds the pages of a packet to those of the first one, whoever sent it */
static void packets_that_gro_merged_by_pages_are_not(struct kunit *test)
{
	struct sk_buff *skb = built_skb(test);
	unsigned int i;

	for (i = 1; i < PACKETS; i++)
		add_page(test, skb, false);
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	kfree_skb(skb);
}

/* or hangs the packet behind it, when its data is in no page */
static void packets_that_gro_merged_by_a_list_are_not(struct kunit *test)
{
	struct sk_buff *skb = built_skb(test);

	skb_shinfo(skb)->frag_list = alloc_skb(STRIDE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb_shinfo(skb)->frag_list);
	KUNIT_EXPECT_FALSE(test, roce_built(skb));
	kfree_skb(skb);
}

/* With a header of IP in front, and room for the seal */
static struct sk_buff *sealed_skb(struct kunit *test, bool ipv6)
{
	struct sk_buff *skb = built_skb(test);
	skb_frag_t *first = &skb_shinfo(skb)->frags[0];

	skb_reset_network_header(skb);
	memset(skb->data, 1, 40);
	skb_frag_off_add(first, ROCE_SEAL_BYTES);
	roce_seal(page_address(skb_frag_page(first)) + ROCE_SEAL_BYTES, skb_network_header(skb),
		  ipv6);
	return skb;
}

/* Any byte of them */
static void a_seal_is_of_both_addresses(struct kunit *test)
{
	static const struct { bool ipv6; u8 first, end; } parts[] = { { false, 12, 20 },
								      { true, 8, 40 } };
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		struct sk_buff *skb = sealed_skb(test, parts[i].ipv6);

		for (at = parts[i].first; at < parts[i].end; at++) {
			KUNIT_EXPECT_TRUE(test, roce_is_sealed(skb, parts[i].ipv6));
			skb_network_header(skb)[at] ^= 1;
			KUNIT_EXPECT_FALSE(test, roce_is_sealed(skb, parts[i].ipv6));
			skb_network_header(skb)[at] ^= 1;
		}
		kfree_skb(skb);
	}
}

/* The second packet of what was cut has the first in front of it; the first of a page nothing */
static void other_packets_are_not_sealed(struct kunit *test)
{
	struct sk_buff *skb = sealed_skb(test, false);
	skb_frag_t *first = &skb_shinfo(skb)->frags[0];

	skb_frag_off_add(first, STRIDE);
	KUNIT_EXPECT_FALSE(test, roce_is_sealed(skb, false));
	skb_frag_off_set(first, 0);
	KUNIT_EXPECT_FALSE(test, roce_is_sealed(skb, false));
	kfree_skb(skb);
}

static struct kunit_case transmit_cases[] = {
	KUNIT_CASE(packets_of_this_host_are_believed),
	KUNIT_CASE(packets_on_pages_of_others_are_not),
	KUNIT_CASE(packets_with_a_checksum_are_not),
	KUNIT_CASE(packets_that_gro_merged_by_pages_are_not),
	KUNIT_CASE(packets_that_gro_merged_by_a_list_are_not),
	KUNIT_CASE(a_seal_is_of_both_addresses),
	KUNIT_CASE(other_packets_are_not_sealed),
	{}
};

static struct kunit_suite transmit_suite = {
	.name = "svt_roce_transmit",
	.test_cases = transmit_cases,
};

kunit_test_suite(transmit_suite);
