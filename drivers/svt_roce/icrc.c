// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The invariant CRC of RoCEv2, from the IP header to the last pad byte (IBTA volume 1 annex A17,
 * section 3.3): the CRC32 of Ethernet over eight bytes of ones, for the local route header that
 * InfiniBand would have, and the packet, with ones for all that a router may change. It is inverted
 * and goes out lowest byte first. Pure functions; any context. @vector is from roce_crc_enter().
 */
#include <rdma/svt.h>

#include "icrc.h"

/* BTH, FETH and RETH (IBTA A19.4); Linux 6.1 has no name for the opcode */
#define FLUSH_OPCODE		0x1c
#define FLUSH_LENGTH		(IB_BTH_BYTES + 4 + 16)

/* Byte of the BTH that holds FECN, BECN and reserved bits */
#define BTH_RESV8A	4

static void mask_ipv4(struct iphdr *ip)
{
	ip->tos = 0xff;
	ip->ttl = 0xff;
	memset(&ip->check, 0xff, sizeof(ip->check));
}

/* Traffic class and flow label are the 28 bits behind the four of the version */
static void mask_ipv6(struct ipv6hdr *ip)
{
	u8 *bytes = (u8 *)ip;

	bytes[0] |= 0x0f;
	memset(&bytes[1], 0xff, 3);
	ip->hop_limit = 0xff;
}

void roce_icrc_mask(struct roce_masked *masked, const union roce_headers *headers)
{
	memset(masked->lrh, 0xff, sizeof(masked->lrh));
	masked->headers = *headers;
	if (headers->ip6.version == 6) {
		mask_ipv6(&masked->headers.ip6);
		memset(&masked->headers.udp6.check, 0xff, sizeof(masked->headers.udp6.check));
	} else {
		mask_ipv4(&masked->headers.ip4);
		memset(&masked->headers.udp4.check, 0xff, sizeof(masked->headers.udp4.check));
	}
}

static unsigned int put_bth(struct roce_masked *masked, bool ipv6, const u8 *bth)
{
	unsigned int front = offsetof(struct roce_masked, headers) + roce_headers_length(ipv6);
	u8 *bytes = (u8 *)masked;

	memcpy(bytes + front, bth, IB_BTH_BYTES);
	bytes[front + BTH_RESV8A] = 0xff;
	return front + IB_BTH_BYTES;
}

/* @masked has the lengths and the identification of the packet; @bth is put in */
void roce_icrc_begin(struct roce_crc *crc, bool vector, struct roce_masked *masked, bool ipv6,
		     const u8 *bth)
{
	unsigned int length = put_bth(masked, ipv6, bth);

	roce_crc_begin(crc, vector, (u8 *)masked, length);
}

__le32 roce_icrc_end(const struct roce_crc *crc)
{
	return cpu_to_le32(~roce_crc_end(crc));
}

/* @masked: as above; @from: all behind the BTH up to the ICRC; @to: for a copy of that, or NULL */
__le32 roce_icrc(bool vector, struct roce_masked *masked, bool ipv6, const u8 *bth, u8 *to,
		 const u8 *from, unsigned int length)
{
	unsigned int head = put_bth(masked, ipv6, bth);

	return cpu_to_le32(~roce_crc_whole(vector, (u8 *)masked, head, to, from, length));
}

/* Return: false when @skb ends before @to */
static bool update_skb(struct roce_crc *crc, struct sk_buff *skb, unsigned int from,
		       unsigned int to)
{
	struct skb_seq_state state;
	unsigned int done = from;
	unsigned int piece;
	const u8 *data;

	skb_prepare_seq_read(skb, from, to, &state);
	while ((piece = skb_seq_read(done - from, &data, &state))) {
		piece = min(piece, to - done);
		roce_crc_update(crc, data, piece);
		done += piece;
	}
	return done == to;
}

static bool has_icrc(struct sk_buff *skb, bool vector, struct roce_masked *masked, bool ipv6,
		     unsigned int offset, unsigned int length)
{
	unsigned int covered = length - ROCE_ICRC_LENGTH;
	u8 buffer[IB_BTH_BYTES];
	struct roce_crc crc;
	const u8 *packet;
	__le32 icrc;

	packet = svt_skb_bytes(skb, offset, length);
	if (packet) {
		memcpy(&icrc, packet + covered, sizeof(icrc));
		return icrc == roce_icrc(vector, masked, ipv6, packet, NULL,
					 packet + IB_BTH_BYTES, covered - IB_BTH_BYTES);
	}
	packet = skb_header_pointer(skb, offset, sizeof(buffer), buffer);
	if (!packet)
		return false;
	roce_icrc_begin(&crc, vector, masked, ipv6, packet);
	return update_skb(&crc, skb, offset + IB_BTH_BYTES, offset + covered) &&
	       !skb_copy_bits(skb, offset + covered, &icrc, sizeof(icrc)) &&
	       icrc == roce_icrc_end(&crc);
}

/*
 * rxe in Linux 6.12 adds all of a FLUSH once more, unmasked, to its ICRC. Nobody else does by
 * chance
 */
static bool has_icrc_of_rxe_flush(struct sk_buff *skb, bool vector, struct roce_masked *masked,
				  bool ipv6, unsigned int offset, unsigned int length)
{
	u8 buffer[FLUSH_LENGTH + ROCE_ICRC_LENGTH];
	struct roce_crc crc;
	const u8 *packet;
	__le32 icrc;

	if (length != sizeof(buffer))
		return false;
	packet = skb_header_pointer(skb, offset, sizeof(buffer), buffer);
	if (!packet || packet[0] != FLUSH_OPCODE)
		return false;
	roce_icrc_begin(&crc, vector, masked, ipv6, packet);
	roce_crc_update(&crc, packet + IB_BTH_BYTES, FLUSH_LENGTH - IB_BTH_BYTES);
	roce_crc_update(&crc, packet, FLUSH_LENGTH);
	memcpy(&icrc, packet + FLUSH_LENGTH, sizeof(icrc));
	return icrc == roce_icrc_end(&crc);
}

/* @length: from the BTH to the end of the ICRC. The FLUSH of rxe passes, too */
bool roce_icrc_ok(struct sk_buff *skb, bool vector, struct roce_masked *masked, bool ipv6,
		  unsigned int offset, unsigned int length)
{
	if (length < IB_BTH_BYTES + ROCE_ICRC_LENGTH)
		return false;
	return has_icrc(skb, vector, masked, ipv6, offset, length) ||
	       has_icrc_of_rxe_flush(skb, vector, masked, ipv6, offset, length);
}
