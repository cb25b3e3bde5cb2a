// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checksums that packets carry.
 */
#include <string.h>

#include "crc.h"

#define POLYNOMIAL	0xedb88320U
#define UDP_BYTES	8

static u32 table[256];

static void make_table(void)
{
	u32 i, bit, crc;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

static u32 crc_add(u32 crc, const u8 *bytes, u32 length)
{
	if (!table[1])
		make_table();
	while (length--)
		crc = table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
	return crc;
}

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
	u8 masked[40 + UDP_BYTES + 12];
	u32 head = min_u32(length, 12);
	u32 bytes = mask_ip(ip, masked);
	u32 crc = 0xdebb20e3;	/* of eight bytes of ones */

	memcpy(masked + bytes, udp, UDP_BYTES + head);
	memset(masked + bytes + 6, 0xff, 2);
	if (head > 4)
		masked[bytes + UDP_BYTES + 4] = 0xff;
	crc = crc_add(crc, masked, bytes + UDP_BYTES + head);
	return ~crc_add(crc, udp + UDP_BYTES + head, length - head);
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
