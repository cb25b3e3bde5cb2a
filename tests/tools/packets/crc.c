// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checksums that packets carry.
 */
#include <string.h>
#include <zlib.h>

#include "crc.h"

#define UDP_BYTES	8
#define LINK_BYTES	8	/* ones instead of the link header that RoCE has not */

/* What routers change reads as ones */
static u32 mask_ip(const u8 *ip, u8 *masked)
{
	if (ip[0] >> 4 == 6) {
		memcpy(masked, ip, 40);
		masked[0] |= 0x0f;
		memset(masked + 1, 0xff, 3);
		masked[7] = 0xff;
		return 40;
	}
	memcpy(masked, ip, 20);
	masked[1] = 0xff;
	masked[8] = 0xff;
	memset(masked + 10, 0xff, 2);
	return 20;
}

u32 icrc_of(const u8 *ip, const u8 *udp, u32 length)
{
	u8 masked[LINK_BYTES + 40 + UDP_BYTES + 12];
	u32 head = min_u32(length, 12);
	u8 *at = masked + LINK_BYTES;
	u32 crc;

	memset(masked, 0xff, LINK_BYTES);
	at += mask_ip(ip, at);
	memcpy(at, udp, UDP_BYTES + head);
	memset(at + 6, 0xff, 2);
	at += UDP_BYTES;
	if (head > 4)
		at[4] = 0xff;
	crc = crc32(0, masked, at + head - masked);
	return crc32(crc, udp + UDP_BYTES + head, length - head);
}

u32 checksum_add(u32 sum, const u8 *bytes, u32 length)
{
	for (; length > 1; length -= 2, bytes += 2)
		sum += bytes[0] << 8 | bytes[1];
	if (length)
		sum += bytes[0] << 8;
	return sum;
}

u16 checksum_end(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}
