// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of what receive.c does with packets that GRO merged.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "../receive.h"

#define PACKETS	5

static struct sk_buff *packet_skb(struct kunit *test, unsigned int front, unsigned int length,
				  u8 byte)
{
	struct sk_buff *skb = alloc_skb(front + length, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb_put(skb, front), 0, front);
	memset(skb_put(skb, length), byte, length);
	return skb;
}

/* Packets of @stride bytes, each in an skb of its own, as GRO leaves those with a linear part */
static struct sk_buff *merged_skb(struct kunit *test, unsigned int stride)
{
	struct sk_buff *skb = packet_skb(test, sizeof(struct udphdr), stride, 'a');
	struct skb_shared_info *shared = skb_shinfo(skb);
	struct sk_buff **next = &shared->frag_list;
	unsigned int i;

	for (i = 1; i < PACKETS; i++, next = &(*next)->next) {
		*next = packet_skb(test, 0, stride, 'a' + i);
		skb->len += stride;
		skb->data_len += stride;
		skb->truesize += (*next)->truesize;
	}
	shared->gso_size = stride;
	shared->gso_segs = PACKETS;
	shared->gso_type = SKB_GSO_UDP_L4;
	return skb;
}

static void expect_packets(struct kunit *test, struct sk_buff *skb, unsigned int stride)
{
	unsigned int i, at;
	char byte;

	KUNIT_ASSERT_EQ(test, skb->len, sizeof(struct udphdr) + PACKETS * stride);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->gso_size, stride);
	for (i = 0; i < PACKETS * stride; i++) {
		at = sizeof(struct udphdr) + i;
		KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, at, &byte, 1), 0);
		KUNIT_ASSERT_EQ(test, byte, 'a' + i / stride);
	}
}

static void short_packets_are_put_into_one_piece(struct kunit *test)
{
	struct sk_buff *skb = merged_skb(test, 96);

	roce_gather(skb, 96);
	KUNIT_EXPECT_FALSE(test, skb_is_nonlinear(skb));
	expect_packets(test, skb, 96);
	kfree_skb(skb);
}

static void long_packets_are_not_copied(struct kunit *test)
{
	struct sk_buff *skb = merged_skb(test, 1000);

	roce_gather(skb, 1000);
	KUNIT_EXPECT_TRUE(test, skb_has_frag_list(skb));
	expect_packets(test, skb, 1000);
	kfree_skb(skb);
}

/* A clone, as of tcpdump, keeps what it saw */
static void a_clone_stays_as_it_was(struct kunit *test)
{
	struct sk_buff *skb = merged_skb(test, 96), *clone = skb_clone(skb, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, clone);
	roce_gather(skb, 96);
	KUNIT_EXPECT_FALSE(test, skb_is_nonlinear(skb));
	expect_packets(test, skb, 96);
	kfree_skb(skb);
	KUNIT_EXPECT_TRUE(test, skb_has_frag_list(clone));
	expect_packets(test, clone, 96);
	kfree_skb(clone);
}

static struct kunit_case receive_cases[] = {
	KUNIT_CASE(short_packets_are_put_into_one_piece),
	KUNIT_CASE(long_packets_are_not_copied),
	KUNIT_CASE(a_clone_stays_as_it_was),
	{}
};

static struct kunit_suite receive_suite = {
	.name = "svt_roce_receive",
	.test_cases = receive_cases,
};

kunit_test_suite(receive_suite);
