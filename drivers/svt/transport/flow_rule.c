// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes a flow rule from the specifications of the verb: a value and a mask over the key of a
 * frame, so that to match is to compare a few words. Pure functions; a rule that is in the table
 * does not change.
 */
#include <linux/in.h>
#include <linux/string.h>

#include "flow_rule.h"

#define TYPE_IPV4	0x0800
#define TYPE_IPV6	0x86dd

/* The layers that a rule may have, each once and from the lowest up */
enum svt_layer { SVT_LAYER_NONE, SVT_LAYER_ETHERNET, SVT_LAYER_IP, SVT_LAYER_PORTS };

#define KEY(field)	offsetof(struct svt_frame_key, field)

static void svt_rule_put(struct svt_rule *rule, size_t at, const void *value, const void *mask,
			 size_t bytes)
{
	memcpy((u8 *)&rule->value + at, value, bytes);
	memcpy((u8 *)&rule->mask + at, mask, bytes);
}

/* -EINVAL when the layer below said otherwise: the rule would never match */
static int svt_rule_imply(u8 *value, u8 *mask, u8 implied)
{
	if ((*value ^ implied) & *mask)
		return -EINVAL;
	*value = implied;
	*mask = 0xff;
	return 0;
}

static int svt_rule_ethernet(struct svt_rule *rule, const struct ib_flow_spec_eth *spec)
{
	svt_rule_put(rule, KEY(dst_mac), &spec->val.dst_mac, &spec->mask.dst_mac,
		     sizeof(spec->val.dst_mac));
	svt_rule_put(rule, KEY(src_mac), &spec->val.src_mac, &spec->mask.src_mac,
		     sizeof(spec->val.src_mac));
	svt_rule_put(rule, KEY(ether_type), &spec->val.ether_type, &spec->mask.ether_type,
		     sizeof(spec->val.ether_type));
	svt_rule_put(rule, KEY(vlan_tag), &spec->val.vlan_tag, &spec->mask.vlan_tag,
		     sizeof(spec->val.vlan_tag));
	rule->names_dst = !memchr_inv(rule->mask.dst_mac, 0xff, sizeof(rule->mask.dst_mac));
	return rule->mask.vlan_tag ?
	       svt_rule_imply(&rule->value.tagged, &rule->mask.tagged, 1) : 0;
}

static int svt_rule_ip(struct svt_rule *rule, u8 version, u16 ether_type)
{
	if ((rule->value.ether_type ^ cpu_to_be16(ether_type)) & rule->mask.ether_type)
		return -EINVAL;
	return svt_rule_imply(&rule->value.version, &rule->mask.version, version);
}

static int svt_rule_ipv4(struct svt_rule *rule, const struct ib_flow_spec_ipv4 *spec)
{
	if (spec->mask.flags & ~(IB_IPV4_DONT_FRAG | IB_IPV4_MORE_FRAG))
		return -EINVAL;
	svt_rule_put(rule, KEY(src_ip), &spec->val.src_ip, &spec->mask.src_ip,
		     sizeof(spec->val.src_ip));
	svt_rule_put(rule, KEY(dst_ip), &spec->val.dst_ip, &spec->mask.dst_ip,
		     sizeof(spec->val.dst_ip));
	svt_rule_put(rule, KEY(protocol), &spec->val.proto, &spec->mask.proto,
		     sizeof(spec->val.proto));
	svt_rule_put(rule, KEY(tos), &spec->val.tos, &spec->mask.tos, sizeof(spec->val.tos));
	svt_rule_put(rule, KEY(ttl), &spec->val.ttl, &spec->mask.ttl, sizeof(spec->val.ttl));
	svt_rule_put(rule, KEY(flags), &spec->val.flags, &spec->mask.flags,
		     sizeof(spec->val.flags));
	return svt_rule_ip(rule, 4, TYPE_IPV4);
}

static int svt_rule_ipv6(struct svt_rule *rule, const struct ib_flow_spec_ipv6 *spec)
{
	svt_rule_put(rule, KEY(src_ip), &spec->val.src_ip, &spec->mask.src_ip,
		     sizeof(spec->val.src_ip));
	svt_rule_put(rule, KEY(dst_ip), &spec->val.dst_ip, &spec->mask.dst_ip,
		     sizeof(spec->val.dst_ip));
	svt_rule_put(rule, KEY(flow_label), &spec->val.flow_label, &spec->mask.flow_label,
		     sizeof(spec->val.flow_label));
	svt_rule_put(rule, KEY(protocol), &spec->val.next_hdr, &spec->mask.next_hdr,
		     sizeof(spec->val.next_hdr));
	svt_rule_put(rule, KEY(tos), &spec->val.traffic_class, &spec->mask.traffic_class,
		     sizeof(spec->val.traffic_class));
	svt_rule_put(rule, KEY(ttl), &spec->val.hop_limit, &spec->mask.hop_limit,
		     sizeof(spec->val.hop_limit));
	return svt_rule_ip(rule, 6, TYPE_IPV6);
}

static int svt_rule_ports(struct svt_rule *rule, const struct ib_flow_spec_tcp_udp *spec,
			  u8 protocol)
{
	svt_rule_put(rule, KEY(src_port), &spec->val.src_port, &spec->mask.src_port,
		     sizeof(spec->val.src_port));
	svt_rule_put(rule, KEY(dst_port), &spec->val.dst_port, &spec->mask.dst_port,
		     sizeof(spec->val.dst_port));
	return svt_rule_imply(&rule->value.ports, &rule->mask.ports, protocol) ?:
	       svt_rule_imply(&rule->value.protocol, &rule->mask.protocol, protocol);
}

static enum svt_layer svt_layer_of(u32 type)
{
	switch (type) {
	case IB_FLOW_SPEC_ETH:
		return SVT_LAYER_ETHERNET;
	case IB_FLOW_SPEC_IPV4:
	case IB_FLOW_SPEC_IPV6:
		return SVT_LAYER_IP;
	case IB_FLOW_SPEC_TCP:
	case IB_FLOW_SPEC_UDP:
		return SVT_LAYER_PORTS;
	default:
		return SVT_LAYER_NONE;
	}
}

static int svt_rule_spec(struct svt_rule *rule, const union ib_flow_spec *spec)
{
	switch (spec->type) {
	case IB_FLOW_SPEC_ETH:
		return svt_rule_ethernet(rule, &spec->eth);
	case IB_FLOW_SPEC_IPV4:
		return svt_rule_ipv4(rule, &spec->ipv4);
	case IB_FLOW_SPEC_IPV6:
		return svt_rule_ipv6(rule, &spec->ipv6);
	case IB_FLOW_SPEC_TCP:
		return svt_rule_ports(rule, &spec->tcp_udp, IPPROTO_TCP);
	default:
		return svt_rule_ports(rule, &spec->tcp_udp, IPPROTO_UDP);
	}
}

static int svt_rule_specs(struct svt_rule *rule, const struct ib_flow_attr *attr)
{
	const union ib_flow_spec *spec = (const void *)(attr + 1);
	enum svt_layer last = SVT_LAYER_NONE, layer;
	u32 i;
	int ret;

	for (i = 0; i < attr->num_of_specs; i++) {
		layer = svt_layer_of(spec->type);
		if (layer == SVT_LAYER_NONE)
			return -EOPNOTSUPP;
		if (layer <= last)
			return -EINVAL;
		ret = svt_rule_spec(rule, spec);
		if (ret)
			return ret;
		last = layer;
		spec = (const void *)spec + spec->size;
	}
	return 0;
}

/**
 * svt_rule_parse - make a rule from the attributes of the verb
 * @rule: zeroed but for qp
 * @attr: as ib_core gives it: each specification has the size of its type
 *
 * Return: 0; -EINVAL for an unknown type, or for specifications that may not be there, contradict
 * each other, or are not in order from the lowest layer up; -EOPNOTSUPP for a flag or a
 * specification that svt does not have.
 */
int svt_rule_parse(struct svt_rule *rule, const struct ib_flow_attr *attr)
{
	if (attr->flags & ~IB_FLOW_ATTR_FLAGS_DONT_TRAP)
		return -EOPNOTSUPP;
	rule->type = attr->type;
	rule->priority = attr->priority;
	rule->dont_trap = attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP;
	switch (attr->type) {
	case IB_FLOW_ATTR_NORMAL:
		return svt_rule_specs(rule, attr);
	case IB_FLOW_ATTR_ALL_DEFAULT:
	case IB_FLOW_ATTR_MC_DEFAULT:
	case IB_FLOW_ATTR_SNIFFER:
		return attr->num_of_specs ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

bool svt_rule_matches(const struct svt_rule *rule, const struct svt_frame_key *key)
{
	const u64 *value = (const u64 *)&rule->value, *mask = (const u64 *)&rule->mask;
	const u64 *frame = (const u64 *)key;
	unsigned int i;

	BUILD_BUG_ON(sizeof(*key) % sizeof(u64));
	for (i = 0; i < sizeof(*key) / sizeof(u64); i++)
		if ((frame[i] ^ value[i]) & mask[i])
			return false;
	return true;
}
