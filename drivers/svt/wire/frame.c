// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet frames, from the address to the ports: pure functions on their bytes, for flow rules.
 * Nothing in a frame is trusted. A header that is cut off, or makes no sense, counts as absent.
 */
#include <asm/byteorder.h>
#include <linux/in.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <rdma/ib_verbs.h>

#include "frame.h"

#define TYPE_IPV4	0x0800
#define TYPE_IPV6	0x86dd
#define TYPE_VLAN	0x8100
#define TYPE_SERVICE	0x88a8	/* 802.1ad */

#define IPV4_BYTES	20
#define IPV6_BYTES	40
#define PORTS_BYTES	4
#define IPV4_DF		0x4000
#define IPV4_MF		0x2000
#define IPV4_OFFSET	0x1fff

/* @bytes: SVT_ETHERNET_BYTES */
bool svt_frame_has_tag(const u8 *bytes)
{
	u16 type = get_unaligned_be16(bytes + 12);

	return type == TYPE_VLAN || type == TYPE_SERVICE;
}

static void read_ports(const u8 *bytes, u32 length, struct svt_frame_key *key)
{
	if (length < PORTS_BYTES || (key->protocol != IPPROTO_TCP && key->protocol != IPPROTO_UDP))
		return;
	key->ports = key->protocol;
	memcpy(&key->src_port, bytes, sizeof(key->src_port));
	memcpy(&key->dst_port, bytes + 2, sizeof(key->dst_port));
}

/* The sum of a header with its checksum is all ones (RFC 1071) */
static bool ipv4_sum_ok(const u8 *bytes, u32 length)
{
	u32 sum = 0;

	for (; length; bytes += 2, length -= 2)
		sum += get_unaligned_be16(bytes);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum + (sum >> 16) == 0xffff;
}

static bool read_ipv4(const u8 *bytes, u32 length, struct svt_frame_key *key)
{
	u32 header_length, fragment;

	if (length < IPV4_BYTES || bytes[0] >> 4 != 4)
		return false;
	header_length = (bytes[0] & 0xf) * 4;
	if (header_length < IPV4_BYTES || header_length > length)
		return false;
	fragment = get_unaligned_be16(bytes + 6);
	key->version = 4;
	key->tos = bytes[1];
	key->flags = (fragment & IPV4_DF ? IB_IPV4_DONT_FRAG : 0) |
		     (fragment & IPV4_MF ? IB_IPV4_MORE_FRAG : 0);
	key->ttl = bytes[8];
	key->protocol = bytes[9];
	memcpy(key->src_ip, bytes + 12, 4);
	memcpy(key->dst_ip, bytes + 16, 4);
	/* Only the first fragment has ports */
	if (!(fragment & IPV4_OFFSET))
		read_ports(bytes + header_length, length - header_length, key);
	/* The checksum behind the header was not checked for a fragment */
	return !(fragment & IPV4_MF) && ipv4_sum_ok(bytes, header_length);
}

/* Ports behind extension headers are not read */
static bool read_ipv6(const u8 *bytes, u32 length, struct svt_frame_key *key)
{
	u32 word;

	if (length < IPV6_BYTES || bytes[0] >> 4 != 6)
		return false;
	word = get_unaligned_be32(bytes);
	key->version = 6;
	key->tos = word >> 20;
	key->flow_label = cpu_to_be32(word & 0xfffff);
	key->protocol = bytes[6];
	key->ttl = bytes[7];
	memcpy(key->src_ip, bytes + 8, 16);
	memcpy(key->dst_ip, bytes + 24, 16);
	read_ports(bytes + IPV6_BYTES, length - IPV6_BYTES, key);
	return true;
}

/**
 * svt_frame_parse() - read what flow rules look at
 * @bytes: with the tag; SVT_STEER_BYTES have all
 * @length: of @bytes
 * @key: set
 * @ip_ok: set: TCP or UDP over IP, and the checksum of the IPv4 header is right
 * Return: false: too short for a frame
 */
bool svt_frame_parse(const u8 *bytes, u32 length, struct svt_frame_key *key, bool *ip_ok)
{
	u32 at = SVT_ETHERNET_BYTES;

	*ip_ok = false;
	memset(key, 0, sizeof(*key));
	if (length < at)
		return false;
	memcpy(key->dst_mac, bytes, 6);
	memcpy(key->src_mac, bytes + 6, 6);
	if (svt_frame_has_tag(bytes)) {
		at += SVT_TAG_BYTES;
		if (length < at)
			return false;
		key->tagged = 1;
		memcpy(&key->vlan_tag, bytes + SVT_ETHERNET_BYTES, sizeof(key->vlan_tag));
	}
	memcpy(&key->ether_type, bytes + at - 2, sizeof(key->ether_type));
	if (key->ether_type == cpu_to_be16(TYPE_IPV4))
		*ip_ok = read_ipv4(bytes + at, length - at, key);
	else if (key->ether_type == cpu_to_be16(TYPE_IPV6))
		*ip_ok = read_ipv6(bytes + at, length - at, key);
	*ip_ok &= key->ports != 0;
	return true;
}
