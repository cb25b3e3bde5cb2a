/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ethernet frames: what flow rules look at, read from their bytes. Pure functions.
 */
#ifndef SVT_WIRE_FRAME_H
#define SVT_WIRE_FRAME_H

#include <linux/types.h>

#define SVT_ETHERNET_BYTES	14
#define SVT_TAG_BYTES		4

/**
 * struct svt_frame_key - all that a rule may look at; absent fields are 0
 * @dst_mac: destination
 * @src_mac: source
 * @ether_type: behind the VLAN tag
 * @vlan_tag: priority, DEI and VID of the outermost tag
 * @tagged: 1: there is a tag
 * @version: of IP, 4 or 6
 * @protocol: of IP
 * @tos: or traffic class
 * @ttl: or hop limit
 * @flags: of IPv4, enum ib_ipv4_flags
 * @ports: IPPROTO_TCP or IPPROTO_UDP: the ports are set
 * @reserved: 0
 * @src_port: of TCP or UDP
 * @dst_port: of TCP or UDP
 * @flow_label: of IPv6
 * @src_ip: IPv4 has the first four bytes
 * @dst_ip: likewise
 */
struct svt_frame_key {
	u8 dst_mac[6];
	u8 src_mac[6];
	__be16 ether_type;
	__be16 vlan_tag;
	u8 tagged;
	u8 version;
	u8 protocol;
	u8 tos;
	u8 ttl;
	u8 flags;
	u8 ports;
	u8 reserved;
	__be16 src_port;
	__be16 dst_port;
	__be32 flow_label;
	u8 src_ip[16];
	u8 dst_ip[16];
} __aligned(8);

bool svt_frame_has_tag(const u8 *bytes);
bool svt_frame_parse(const u8 *bytes, u32 length, struct svt_frame_key *key, bool *ip_ok);

#endif
