// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The invariant CRC of RoCEv2: from the IP header to the last pad byte.
 *
 * It is the CRC32 of Ethernet over eight bytes of ones, which stand for the local route header that
 * InfiniBand would have, and the packet, in which all that a router may change reads as ones
 * (IBTA volume 1 annex A17, section 3.3). The result is inverted and goes out lowest byte first.
 *
 * Pure functions on packets; any context. The transform is made at module init and its key, the
 * state behind the eight bytes, is set then: afterwards it is only read.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <rdma/ib_pack.h>

#include "icrc.h"

static struct crypto_shash *crc32_tfm;

/* Headers that hold bytes to be masked: IP, UDP, BTH */
#define MASKED_LENGTH	(sizeof(struct ipv6hdr) + sizeof(struct udphdr) + IB_BTH_BYTES)

/* Byte of the BTH that holds FECN, BECN and reserved bits */
#define BTH_RESV8A	4

static void mask_ipv4(u8 *packet)
{
	struct iphdr *ip = (struct iphdr *)packet;

	ip->tos = 0xff;
	ip->ttl = 0xff;
	memset(&ip->check, 0xff, sizeof(ip->check));
}

/* Traffic class and flow label are the 28 bits behind the four of the version */
static void mask_ipv6(u8 *packet)
{
	struct ipv6hdr *ip = (struct ipv6hdr *)packet;

	packet[0] |= 0x0f;
	memset(&packet[1], 0xff, 3);
	ip->hop_limit = 0xff;
}

/* Begin with the headers of @packet; return: how many bytes that were */
static unsigned int begin(struct shash_desc *desc, const u8 *packet)
{
	bool ipv6 = packet[0] >> 4 == 6;
	unsigned int udp_offset = ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	unsigned int bth_offset = udp_offset + sizeof(struct udphdr);
	unsigned int length = bth_offset + IB_BTH_BYTES;
	u8 masked[MASKED_LENGTH] __aligned(4);

	memcpy(masked, packet, length);
	if (ipv6)
		mask_ipv6(masked);
	else
		mask_ipv4(masked);
	memset(masked + udp_offset + offsetof(struct udphdr, check), 0xff, sizeof(__sum16));
	masked[bth_offset + BTH_RESV8A] = 0xff;

	crypto_shash_init(desc);
	crypto_shash_update(desc, masked, length);
	return length;
}

static __le32 end(struct shash_desc *desc)
{
	__le32 crc;

	crypto_shash_final(desc, (u8 *)&crc);
	return ~crc;
}

/**
 * roce_icrc() - the ICRC of a packet
 * @packet: from its IP header, which has no options, in one piece
 * @length: bytes up to the place of the ICRC; at least the headers up to the BTH
 *
 * Context: any.
 * Return: the ICRC as it stands in a packet.
 */
__le32 roce_icrc(const void *packet, unsigned int length)
{
	SHASH_DESC_ON_STACK(desc, crc32_tfm);
	unsigned int done;

	desc->tfm = crc32_tfm;
	done = begin(desc, packet);
	crypto_shash_update(desc, packet + done, length - done);
	return end(desc);
}

/**
 * roce_icrc_ok() - check the ICRC of a received packet
 * @skb: begins with the UDP header and ends with the ICRC; the IP header, without options, is in
 *	front; linear up to the end of the BTH
 *
 * The rest may be in fragments, which are read where they are.
 *
 * Context: any.
 * Return: whether the packet is whole.
 */
bool roce_icrc_ok(struct sk_buff *skb)
{
	unsigned int from = sizeof(struct udphdr) + IB_BTH_BYTES;
	unsigned int length = skb->len - ROCE_ICRC_LENGTH - from;
	SHASH_DESC_ON_STACK(desc, crc32_tfm);
	struct skb_seq_state state;
	unsigned int done = 0;
	unsigned int piece;
	const u8 *data;
	__le32 icrc;

	desc->tfm = crc32_tfm;
	begin(desc, skb_network_header(skb));

	skb_prepare_seq_read(skb, from, from + length, &state);
	while ((piece = skb_seq_read(done, &data, &state))) {
		piece = min(piece, length - done);
		crypto_shash_update(desc, data, piece);
		done += piece;
	}

	if (done != length || skb_copy_bits(skb, from + length, &icrc, sizeof(icrc)))
		return false;
	return icrc == end(desc);
}

/**
 * roce_icrc_init() - find the fastest CRC32 that the kernel has
 *
 * Context: module init.
 * Return: 0 or a negative errno; -ENOENT when there is none.
 */
int roce_icrc_init(void)
{
	static const u8 lrh[8] = { [0 ... 7] = 0xff };
	struct crypto_shash *tfm;
	__le32 seed;
	int ret;

	tfm = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(tfm)) {
		pr_err("svt_roce: the kernel's crypto has no crc32: %pe\n", tfm);
		return PTR_ERR(tfm);
	}
	seed = cpu_to_le32(crc32_le(~0U, lrh, sizeof(lrh)));
	ret = crypto_shash_setkey(tfm, (u8 *)&seed, sizeof(seed));
	if (ret) {
		crypto_free_shash(tfm);
		return ret;
	}
	crc32_tfm = tfm;
	return 0;
}

/**
 * roce_icrc_exit() - undo roce_icrc_init()
 *
 * Context: module exit; no packet is sent or received.
 */
void roce_icrc_exit(void)
{
	crypto_free_shash(crc32_tfm);
}
