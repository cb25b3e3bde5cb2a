// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flow rules from words of a command line.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "raw.h"

static_assert(offsetof(struct rule, specs) == sizeof(struct ibv_flow_attr), "right behind it");

static void *add(struct rule *rule, enum ibv_flow_spec_type type, u16 size)
{
	struct ibv_flow_spec_eth *spec = (void *)((u8 *)rule + rule->attr.size);

	spec->type = type;
	spec->size = size;
	rule->attr.size += size;
	rule->attr.num_of_specs++;
	return spec;
}

static bool read_mac(const char *text, u8 *mac)
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3,
		      mac + 4, mac + 5) == 6;
}

/* All words of Ethernet go to one specification */
static struct ibv_flow_spec_eth *ethernet(struct rule *rule)
{
	if (rule->attr.num_of_specs)
		return (void *)rule->specs;
	return add(rule, IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth));
}

static bool ethernet_word(struct rule *rule, const char *name, const char *value)
{
	struct ibv_flow_spec_eth *spec = ethernet(rule);

	if (!strcmp(name, "dst")) {
		memset(spec->mask.dst_mac, 0xff, 6);
		return read_mac(value, spec->val.dst_mac);
	}
	if (!strcmp(name, "src")) {
		memset(spec->mask.src_mac, 0xff, 6);
		return read_mac(value, spec->val.src_mac);
	}
	if (!strcmp(name, "type")) {
		spec->mask.ether_type = 0xffff;
		spec->val.ether_type = htons(number_of(value, 0xffff));
		return true;
	}
	spec->mask.vlan_tag = htons(0xfff);
	spec->val.vlan_tag = htons(number_of(value, 0xfff));
	return true;
}

static bool ipv4_word(struct rule *rule, const char *value)
{
	struct ibv_flow_spec_ipv4 *spec =
		add(rule, IBV_FLOW_SPEC_IPV4, sizeof(struct ibv_flow_spec_ipv4));

	spec->mask.dst_ip = 0xffffffff;
	return inet_pton(AF_INET, value, &spec->val.dst_ip) == 1;
}

static bool ipv6_word(struct rule *rule, const char *value)
{
	struct ibv_flow_spec_ipv6 *spec =
		add(rule, IBV_FLOW_SPEC_IPV6, sizeof(struct ibv_flow_spec_ipv6));

	memset(spec->mask.dst_ip, 0xff, sizeof(spec->mask.dst_ip));
	return inet_pton(AF_INET6, value, spec->val.dst_ip) == 1;
}

static bool port_word(struct rule *rule, enum ibv_flow_spec_type type, const char *value)
{
	struct ibv_flow_spec_tcp_udp *spec =
		add(rule, type, sizeof(struct ibv_flow_spec_tcp_udp));

	spec->mask.dst_port = 0xffff;
	spec->val.dst_port = htons(number_of(value, 0xffff));
	return true;
}

void rule_begin(struct rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	rule->attr.size = sizeof(rule->attr);
	rule->attr.port = 1;
}

bool rule_word(struct rule *rule, const char *word)
{
	const char *value = strchr(word, '=');
	char name[8] = "";

	if (!strcmp(word, "sniffer"))
		rule->attr.type = IBV_FLOW_ATTR_SNIFFER;
	else if (!strcmp(word, "all"))
		rule->attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	else if (!strcmp(word, "mc"))
		rule->attr.type = IBV_FLOW_ATTR_MC_DEFAULT;
	else if (!value || value - word >= (int)sizeof(name))
		return false;
	if (!value)
		return true;
	memcpy(name, word, value - word);
	value++;
	if (!strcmp(name, "ip4"))
		return ipv4_word(rule, value);
	if (!strcmp(name, "ip6"))
		return ipv6_word(rule, value);
	if (!strcmp(name, "udp"))
		return port_word(rule, IBV_FLOW_SPEC_UDP, value);
	if (!strcmp(name, "tcp"))
		return port_word(rule, IBV_FLOW_SPEC_TCP, value);
	if (strcmp(name, "dst") && strcmp(name, "src") && strcmp(name, "type") &&
	    strcmp(name, "vlan"))
		return false;
	return ethernet_word(rule, name, value);
}
