// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Frames: what is read from their bytes, which rules there can be, and which QP gets what; and what
 * a raw packet QP sends.
 */
#include <linux/in.h>
#include <linux/unaligned.h>

#include "tests/responder_fixture.h"
#include "transport/qp/table.h"
#include "transport/steering.h"

#define FRAME		100
#define LINK_FRAME	1514
#define RECEIVES	4

static const u8 unicast[6] = { 2, 0, 0, 0, 0, 1 };
static const u8 group[6] = { 1, 0, 0x5e, 0, 0, 1 };

/* A frame of UDP over IPv4, with a right header checksum */
static void ipv4_frame(u8 *bytes, const u8 *dst, bool tagged)
{
	u32 at = tagged ? 18 : 14, sum = 0, i;
	u8 *ip = bytes + at;

	memset(bytes, 0, FRAME);
	memcpy(bytes, dst, 6);
	memcpy(bytes + 6, "\2\0\0\0\0\2", 6);
	if (tagged) {
		put_unaligned_be16(0x8100, bytes + 12);
		put_unaligned_be16(0xa00c, bytes + 14);
	}
	put_unaligned_be16(0x0800, bytes + at - 2);
	ip[0] = 0x45;
	ip[1] = 0x28;
	put_unaligned_be16(FRAME - at, ip + 2);
	put_unaligned_be16(0x4000, ip + 6);
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	put_unaligned_be32(0x0a000001, ip + 12);
	put_unaligned_be32(0x0a000002, ip + 16);
	for (i = 0; i < 20; i += 2)
		sum += get_unaligned_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_unaligned_be16(~(sum + (sum >> 16)), ip + 10);
	put_unaligned_be16(1234, ip + 20);
	put_unaligned_be16(5678, ip + 22);
}

static void a_frame_is_read_as_far_as_it_goes(struct kunit *test)
{
	struct svt_frame_key key;
	u8 bytes[FRAME];
	bool ip_ok;
	u32 length;

	ipv4_frame(bytes, unicast, true);
	KUNIT_EXPECT_TRUE(test, svt_frame_parse(bytes, FRAME, &key, &ip_ok));
	KUNIT_EXPECT_TRUE(test, ip_ok);
	KUNIT_EXPECT_MEMEQ(test, key.dst_mac, unicast, 6);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.ether_type), 0x0800);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.vlan_tag), 0xa00c);
	KUNIT_EXPECT_EQ(test, key.tagged, 1);
	KUNIT_EXPECT_EQ(test, key.version, 4);
	KUNIT_EXPECT_EQ(test, key.tos, 0x28);
	KUNIT_EXPECT_EQ(test, key.ttl, 64);
	KUNIT_EXPECT_EQ(test, key.flags, IB_IPV4_DONT_FRAG);
	KUNIT_EXPECT_EQ(test, key.ports, IPPROTO_UDP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.src_port), 1234);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.dst_port), 5678);
	bytes[30] ^= 1;
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_FALSE(test, ip_ok);

	/* Cut off anywhere: what is not there is not read */
	for (length = 0; length <= FRAME; length++) {
		u8 *copy = kunit_kzalloc(test, length ?: 1, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, copy);
		memcpy(copy, bytes, length);
		KUNIT_EXPECT_EQ(test, length >= 18, svt_frame_parse(copy, length, &key, &ip_ok));
		KUNIT_EXPECT_EQ(test, key.version, length >= 38 ? 4 : 0);
		KUNIT_EXPECT_EQ(test, key.ports, length >= 42 ? IPPROTO_UDP : 0);
	}
}

static void fragments_and_options_are_seen(struct kunit *test)
{
	struct svt_frame_key key;
	u8 bytes[FRAME];
	bool ip_ok;

	ipv4_frame(bytes, unicast, false);
	put_unaligned_be16(0x2010, bytes + 20);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_EQ(test, key.protocol, IPPROTO_UDP);
	KUNIT_EXPECT_EQ(test, key.ports, 0);
	KUNIT_EXPECT_EQ(test, key.flags, IB_IPV4_MORE_FRAG);
	/* The first one has ports, and nobody has summed what is behind its header */
	ipv4_frame(bytes, unicast, false);
	put_unaligned_be16(0x2000, bytes + 20);
	put_unaligned_be16(get_unaligned_be16(bytes + 24) + 0x2000, bytes + 24);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.src_port), 1234);
	KUNIT_EXPECT_FALSE(test, ip_ok);

	put_unaligned_be16(0, bytes + 20);
	bytes[14] = 0x46;
	put_unaligned_be16(99, bytes + 38);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.src_port), 99);
	bytes[14] = 0x44;
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_EQ(test, key.version, 0);
}

static void ipv6_is_read(struct kunit *test)
{
	u8 bytes[FRAME] = { [12] = 0x86, [13] = 0xdd, [20] = IPPROTO_TCP, [21] = 9 };
	struct svt_frame_key key;
	bool ip_ok;

	put_unaligned_be32(0x61254321, bytes + 14);
	bytes[22] = 0xfd;
	bytes[53] = 7;
	put_unaligned_be16(80, bytes + 56);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_EQ(test, key.version, 6);
	KUNIT_EXPECT_EQ(test, key.tos, 0x12);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(key.flow_label), 0x54321);
	KUNIT_EXPECT_EQ(test, key.ttl, 9);
	KUNIT_EXPECT_EQ(test, key.src_ip[0], 0xfd);
	KUNIT_EXPECT_EQ(test, key.dst_ip[15], 7);
	KUNIT_EXPECT_EQ(test, key.ports, IPPROTO_TCP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(key.dst_port), 80);
}

/* What ib_core hands over */
struct request {
	struct ib_flow_attr attr;
	u8 specs[3 * sizeof(union ib_flow_spec)];
	u32 bytes;
};

static union ib_flow_spec *add_spec(struct request *request, u32 type, u16 size)
{
	union ib_flow_spec *spec = (void *)(&request->attr + 1) + request->bytes;

	spec->type = type;
	spec->size = size;
	request->bytes += size;
	request->attr.num_of_specs++;
	return spec;
}

static struct ib_flow_spec_eth *add_ethernet(struct request *request, const u8 *dst)
{
	struct ib_flow_spec_eth *eth =
		&add_spec(request, IB_FLOW_SPEC_ETH, sizeof(struct ib_flow_spec_eth))->eth;

	if (dst) {
		memcpy(eth->val.dst_mac, dst, 6);
		memset(eth->mask.dst_mac, 0xff, 6);
	}
	return eth;
}

static struct ib_flow_spec_ipv4 *add_ipv4(struct request *request)
{
	return &add_spec(request, IB_FLOW_SPEC_IPV4, sizeof(struct ib_flow_spec_ipv4))->ipv4;
}

static struct ib_flow_spec_tcp_udp *add_udp(struct request *request)
{
	return &add_spec(request, IB_FLOW_SPEC_UDP,
			 sizeof(struct ib_flow_spec_tcp_udp))->tcp_udp;
}

static int parse(const struct request *request)
{
	struct svt_rule rule = {};

	return svt_rule_parse(&rule, &request->attr);
}

static void rules_that_make_no_sense_are_refused(struct kunit *test)
{
	struct request request = {};
	struct ib_flow_spec_eth *eth = add_ethernet(&request, unicast);

	add_ipv4(&request);
	add_udp(&request);
	KUNIT_EXPECT_EQ(test, parse(&request), 0);
	eth->val.ether_type = cpu_to_be16(0x86dd);
	eth->mask.ether_type = cpu_to_be16(0xffff);
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	eth->val.ether_type = cpu_to_be16(0x0800);
	KUNIT_EXPECT_EQ(test, parse(&request), 0);

	request.attr.type = IB_FLOW_ATTR_SNIFFER;
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request.attr.type = 4;
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request.attr.type = IB_FLOW_ATTR_NORMAL;
	request.attr.flags = IB_FLOW_ATTR_FLAGS_EGRESS;
	KUNIT_EXPECT_EQ(test, parse(&request), -EOPNOTSUPP);

	request = (struct request) {};
	add_ipv4(&request)->mask.flags = 1;
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request = (struct request) {};
	add_ipv4(&request);
	add_ipv4(&request);
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request = (struct request) {};
	add_ipv4(&request);
	add_ethernet(&request, unicast);
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request = (struct request) {};
	*(u8 *)&add_ipv4(&request)->val.proto = IPPROTO_TCP;
	((struct ib_flow_spec_ipv4 *)(&request.attr + 1))->mask.proto = 0xff;
	add_udp(&request);
	KUNIT_EXPECT_EQ(test, parse(&request), -EINVAL);
	request = (struct request) {};
	add_spec(&request, IB_FLOW_SPEC_ACTION_TAG, sizeof(struct ib_flow_spec_action_tag));
	KUNIT_EXPECT_EQ(test, parse(&request), -EOPNOTSUPP);
	request = (struct request) {};
	add_spec(&request, IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_ETH, sizeof(*eth));
	KUNIT_EXPECT_EQ(test, parse(&request), -EOPNOTSUPP);
}

static void a_rule_matches_what_its_mask_says(struct kunit *test)
{
	struct request request = {};
	struct ib_flow_spec_eth *eth = add_ethernet(&request, unicast);
	struct ib_flow_spec_ipv4 *ipv4 = add_ipv4(&request);
	struct ib_flow_spec_tcp_udp *udp = add_udp(&request);
	struct svt_rule rule = {};
	struct svt_frame_key key;
	u8 bytes[FRAME];
	bool ip_ok;

	eth->val.vlan_tag = cpu_to_be16(0x000c);
	eth->mask.vlan_tag = cpu_to_be16(0x0fff);
	ipv4->val.dst_ip = cpu_to_be32(0x0affffff);
	ipv4->mask.dst_ip = cpu_to_be32(0xff000000);
	udp->val.dst_port = cpu_to_be16(5678);
	udp->mask.dst_port = cpu_to_be16(0xffff);
	KUNIT_ASSERT_EQ(test, svt_rule_parse(&rule, &request.attr), 0);
	ipv4_frame(bytes, unicast, true);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_TRUE(test, svt_rule_matches(&rule, &key));
	bytes[15] = 0x0d;
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_FALSE(test, svt_rule_matches(&rule, &key));
	/* Without a tag there is no VLAN 0 either */
	eth->val.vlan_tag = 0;
	memset(&rule, 0, sizeof(rule));
	KUNIT_ASSERT_EQ(test, svt_rule_parse(&rule, &request.attr), 0);
	ipv4_frame(bytes, unicast, false);
	svt_frame_parse(bytes, FRAME, &key, &ip_ok);
	KUNIT_EXPECT_FALSE(test, svt_rule_matches(&rule, &key));
}

static unsigned int listeners;

static int count_listen(struct svt_device *dev, bool begin)
{
	listeners += begin ? 1 : -1;
	return 0;
}

static struct {
	u32 length;
	bool checksum;
	u8 bytes[LINK_FRAME + 4];
	unsigned int count;
} sent;

static int frame_xmit(struct svt_device *dev, const struct svt_frame *frame)
{
	struct iov_iter bytes = frame->bytes;

	sent.count++;
	sent.length = copy_from_iter(sent.bytes, frame->length, &bytes);
	sent.checksum = frame->checksum;
	return 0;
}

static const struct svt_frame_ops frame_ops = {
	.listen = count_listen,
	.xmit = frame_xmit,
};

/* A device that has frames, and rules on its QPs; all is undone by close_steering() */
struct steering {
	struct responder_fixture *f;
	const struct svt_backend_ops *usual;
	struct svt_backend_ops ops;
	struct svt_qp *qps[3];
	struct svt_rule *rules[8];
	unsigned int count;
};

static struct steering *open_steering(struct kunit *test)
{
	struct steering *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct svt_fake_options options = SVT_FAKE_RC;
	struct svt_sge sge;
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, s);
	options.type = IB_QPT_RAW_PACKET;
	s->f = responder_open(test, &options);
	s->f->fake->core.link.frame = LINK_FRAME;
	s->usual = s->f->fake->dev.ops;
	s->ops = *s->usual;
	s->ops.frames = &frame_ops;
	s->f->fake->dev.ops = &s->ops;
	listeners = 0;
	sge = svt_fake_sge(s->f->memory, 0, FRAME);
	for (i = 0; i < 3; i++) {
		s->qps[i] = i ? svt_fake_qp(s->f->fake, &options) : s->f->qp;
		for (j = 0; j < RECEIVES; j++)
			KUNIT_ASSERT_EQ(test, svt_fake_post_recv(s->qps[i], j, &sge, 1), 0);
	}
	return s;
}

static void close_steering(struct kunit *test, struct steering *s)
{
	while (s->count)
		svt_steering_remove(s->rules[--s->count]);
	KUNIT_EXPECT_EQ(test, listeners, 0);
	s->f->fake->dev.ops = s->usual;
}

static int add_rule(struct steering *s, int qp, const struct request *request)
{
	struct svt_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!rule)
		return ret;
	rule->qp = s->qps[qp];
	ret = svt_rule_parse(rule, &request->attr) ?: svt_steering_add(rule);
	if (ret)
		kfree(rule);
	else
		s->rules[s->count++] = rule;
	return ret;
}

static void want(struct kunit *test, struct steering *s, int qp, enum ib_flow_attr_type type,
		 const u8 *dst, u16 priority)
{
	struct request request = {};

	request.attr.type = type;
	request.attr.priority = priority;
	if (dst)
		add_ethernet(&request, dst);
	KUNIT_ASSERT_EQ(test, add_rule(s, qp, &request), 0);
}

static void arrive(struct kunit *test, struct steering *s, const u8 *dst, bool checked)
{
	struct sk_buff *skb = alloc_skb(FRAME, GFP_KERNEL);
	u8 bytes[FRAME];

	KUNIT_ASSERT_NOT_NULL(test, skb);
	ipv4_frame(bytes, dst, false);
	skb_put_data(skb, bytes, FRAME);
	*svt_rx_cb(skb) = (struct svt_rx_cb) { .checked = checked };
	local_bh_disable();
	svt_receive_frame(&s->f->fake->dev, skb);
	local_bh_enable();
	KUNIT_EXPECT_MEMEQ(test, s->f->memory->bytes, bytes, FRAME);
	memset(s->f->memory->bytes, 0, FRAME);
}

static int received(struct kunit *test, struct steering *s, int qp, int flags)
{
	struct ib_wc wc;
	int count = 0;

	while (svt_fake_poll_recv(s->qps[qp], &wc)) {
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, wc.byte_len, FRAME);
		KUNIT_EXPECT_EQ(test, wc.wc_flags, flags);
		count++;
	}
	return count;
}

static enum svt_steering steer(struct steering *s, const u8 *dst, bool sent)
{
	u8 bytes[FRAME];

	ipv4_frame(bytes, dst, false);
	return svt_steer(&s->f->fake->dev, bytes, SVT_STEER_BYTES, sent);
}

static void one_qp_takes_a_frame_and_sniffers_get_copies(struct kunit *test)
{
	struct steering *s = open_steering(test);

	want(test, s, 0, IB_FLOW_ATTR_NORMAL, unicast, 1);
	want(test, s, 1, IB_FLOW_ATTR_NORMAL, unicast, 0);
	want(test, s, 2, IB_FLOW_ATTR_SNIFFER, NULL, 0);
	KUNIT_EXPECT_EQ(test, listeners, 1);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, false), SVT_STEER_TAKE);
	arrive(test, s, unicast, true);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, IB_WC_IP_CSUM_OK), 1);
	KUNIT_EXPECT_EQ(test, received(test, s, 2, IB_WC_IP_CSUM_OK), 1);
	KUNIT_EXPECT_EQ(test, steer(s, group, false), SVT_STEER_COPY);
	arrive(test, s, group, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, received(test, s, 2, 0), 1);
	close_steering(test, s);
}

static void a_frame_to_many_goes_to_each_qp_once(struct kunit *test)
{
	struct steering *s = open_steering(test);
	struct request any = {};

	want(test, s, 0, IB_FLOW_ATTR_NORMAL, group, 1);
	want(test, s, 1, IB_FLOW_ATTR_NORMAL, group, 2);
	add_ipv4(&any);
	KUNIT_ASSERT_EQ(test, add_rule(s, 1, &any), 0);
	arrive(test, s, group, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, 0), 1);
	close_steering(test, s);
}

static void defaults_get_copies_of_what_nobody_wants(struct kunit *test)
{
	struct steering *s = open_steering(test);

	want(test, s, 0, IB_FLOW_ATTR_ALL_DEFAULT, NULL, 0);
	want(test, s, 1, IB_FLOW_ATTR_MC_DEFAULT, NULL, 0);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, false), SVT_STEER_COPY);
	arrive(test, s, unicast, false);
	arrive(test, s, group, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 2);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, 0), 1);
	want(test, s, 2, IB_FLOW_ATTR_NORMAL, unicast, 7);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, false), SVT_STEER_TAKE);
	arrive(test, s, unicast, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, received(test, s, 2, 0), 1);
	close_steering(test, s);
}

static void dont_trap_lets_it_go_on(struct kunit *test)
{
	struct steering *s = open_steering(test);
	struct request request = {};

	request.attr.flags = IB_FLOW_ATTR_FLAGS_DONT_TRAP;
	add_ethernet(&request, unicast);
	KUNIT_ASSERT_EQ(test, add_rule(s, 0, &request), 0);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, false), SVT_STEER_COPY);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, true), SVT_STEER_COPY);
	want(test, s, 1, IB_FLOW_ATTR_NORMAL, unicast, 1);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, false), SVT_STEER_TAKE);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, true), SVT_STEER_TAKE);
	arrive(test, s, unicast, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, 0), 1);
	close_steering(test, s);
}

static void what_is_sent_stays_if_a_rule_names_where_it_goes(struct kunit *test)
{
	struct steering *s = open_steering(test);
	struct request any = {};

	want(test, s, 0, IB_FLOW_ATTR_ALL_DEFAULT, NULL, 0);
	want(test, s, 0, IB_FLOW_ATTR_SNIFFER, NULL, 0);
	KUNIT_EXPECT_EQ(test, steer(s, group, true), SVT_STEER_PASS);
	add_ipv4(&any);
	KUNIT_ASSERT_EQ(test, add_rule(s, 1, &any), 0);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, true), SVT_STEER_PASS);
	KUNIT_EXPECT_EQ(test, steer(s, group, true), SVT_STEER_COPY);
	want(test, s, 2, IB_FLOW_ATTR_NORMAL, unicast, 0);
	KUNIT_EXPECT_EQ(test, steer(s, unicast, true), SVT_STEER_TAKE);
	close_steering(test, s);
}

static void equal_rules_of_a_qp_are_one(struct kunit *test)
{
	struct steering *s = open_steering(test);
	int i;

	for (i = 0; i < 2; i++) {
		want(test, s, 0, IB_FLOW_ATTR_NORMAL, group, 0);
		want(test, s, 1, IB_FLOW_ATTR_SNIFFER, NULL, i);
		want(test, s, 2, IB_FLOW_ATTR_ALL_DEFAULT, NULL, 0);
	}
	KUNIT_EXPECT_EQ(test, listeners, 1);
	arrive(test, s, group, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, received(test, s, 1, 0), 1);
	arrive(test, s, unicast, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 2, 0), 1);
	close_steering(test, s);
}

static void a_device_has_no_more_rules_than_it_may(struct kunit *test)
{
	struct steering *s = open_steering(test);
	struct request request = {};

	s->f->fake->dev.ops = s->usual;
	s->f->fake->core.rules_count = SVT_MAX_RULES;
	KUNIT_EXPECT_EQ(test, add_rule(s, 0, &request), -ENOMEM);
	s->f->fake->core.rules_count = 0;
	KUNIT_EXPECT_EQ(test, add_rule(s, 0, &request), -EOPNOTSUPP);
}

static void a_frame_that_does_not_fit_leaves_its_receive(struct kunit *test)
{
	struct steering *s = open_steering(test);
	struct sk_buff *skb = alloc_skb(FRAME + 1, GFP_KERNEL);
	const struct svt_qp *found;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	want(test, s, 0, IB_FLOW_ATTR_NORMAL, unicast, 0);
	ipv4_frame(skb_put(skb, FRAME + 1), unicast, false);
	*svt_rx_cb(skb) = (struct svt_rx_cb) {};
	local_bh_disable();
	svt_receive_frame(&s->f->fake->dev, skb);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, svt_fake_count(s->f->fake, SVT_COUNT_RX_DROPPED_LENGTH), 1);
	arrive(test, s, unicast, false);
	KUNIT_EXPECT_EQ(test, received(test, s, 0, 0), 1);
	/* Nothing of the transport is for it */
	rcu_read_lock();
	found = svt_qp_lookup(&s->f->fake->core, s->qps[0]->qpn);
	rcu_read_unlock();
	KUNIT_EXPECT_NULL(test, found);
	close_steering(test, s);
}

static enum ib_wc_status send_frame(struct kunit *test, struct steering *s, u32 length, u16 flags)
{
	const struct svt_sge sge = svt_fake_sge(s->f->memory, 0, length);
	const struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_SEND, .num_sge = 1, .flags = SVT_SEND_SIGNALED | flags,
	};
	struct ib_wc wc = {};

	KUNIT_EXPECT_EQ(test, svt_fake_post_send(s->qps[1], &wqe, &sge), 0);
	svt_send_schedule(s->qps[1], SVT_WORK_QUEUE);
	KUNIT_EXPECT_TRUE(test, svt_fake_poll_send(s->qps[1], &wc));
	return wc.status;
}

static void frames_are_sent_as_they_are(struct kunit *test)
{
	struct steering *s = open_steering(test);
	u8 *bytes = s->f->memory->bytes;

	sent.count = 0;
	svt_fake_fill(bytes, LINK_FRAME + 5, 3);
	KUNIT_EXPECT_EQ(test, send_frame(test, s, 14, 0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sent.length, 14);
	KUNIT_EXPECT_FALSE(test, sent.checksum);
	KUNIT_EXPECT_EQ(test, send_frame(test, s, LINK_FRAME, SVT_SEND_IP_CSUM), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sent.length, LINK_FRAME);
	KUNIT_EXPECT_TRUE(test, sent.checksum);
	KUNIT_EXPECT_MEMEQ(test, sent.bytes, bytes, LINK_FRAME);
	put_unaligned_be16(0x8100, bytes + 12);
	KUNIT_EXPECT_EQ(test, send_frame(test, s, LINK_FRAME + 4, 0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sent.count, 3);
	close_steering(test, s);
}

static void expect_no_frame(struct kunit *test, u32 length)
{
	struct steering *s = open_steering(test);

	sent.count = 0;
	KUNIT_EXPECT_EQ(test, send_frame(test, s, length, 0), IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, sent.count, 0);
	KUNIT_EXPECT_EQ(test, s->qps[1]->state, IB_QPS_ERR);
	close_steering(test, s);
}

static void a_frame_that_is_too_short_fails(struct kunit *test)
{
	expect_no_frame(test, 13);
}

static void a_frame_that_is_too_long_fails(struct kunit *test)
{
	expect_no_frame(test, LINK_FRAME + 1);
}

static struct kunit_case steering_cases[] = {
	KUNIT_CASE(a_frame_is_read_as_far_as_it_goes),
	KUNIT_CASE(fragments_and_options_are_seen),
	KUNIT_CASE(ipv6_is_read),
	KUNIT_CASE(rules_that_make_no_sense_are_refused),
	KUNIT_CASE(a_rule_matches_what_its_mask_says),
	KUNIT_CASE(one_qp_takes_a_frame_and_sniffers_get_copies),
	KUNIT_CASE(a_frame_to_many_goes_to_each_qp_once),
	KUNIT_CASE(defaults_get_copies_of_what_nobody_wants),
	KUNIT_CASE(dont_trap_lets_it_go_on),
	KUNIT_CASE(what_is_sent_stays_if_a_rule_names_where_it_goes),
	KUNIT_CASE(equal_rules_of_a_qp_are_one),
	KUNIT_CASE(a_device_has_no_more_rules_than_it_may),
	KUNIT_CASE(a_frame_that_does_not_fit_leaves_its_receive),
	KUNIT_CASE(frames_are_sent_as_they_are),
	KUNIT_CASE(a_frame_that_is_too_short_fails),
	KUNIT_CASE(a_frame_that_is_too_long_fails),
	{}
};

static struct kunit_suite steering_suite = {
	.name = "svt-steering",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = steering_cases,
};

kunit_test_suite(steering_suite);
