/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_FRAME_H
#define PACKETS_FRAME_H

#include "packet.h"

#define ETHERNET_BYTES	14
#define UDP_BYTES	8
/* A netdev of MTU 4200 */
#define MTU_MAX		4200
#define FRAME_MAX	(ETHERNET_BYTES + MTU_MAX)

/* A packet as bytes, from the Ethernet header on; where its parts begin. */
struct frame {
	u32 length;
	u32 udp;
	u32 bth;
	u32 end;		/* of UDP */
	u8 bytes[FRAME_MAX];
};

void frame_build(struct frame *f, const struct packet *p);
/* The other way; false when the bytes are no RoCEv2 packet with a known opcode. */
bool frame_parse(struct packet *p, const u8 *bytes, u32 length);
/* Checksums of IPv4 and UDP over what is there now. */
void frame_sum_ip(u8 *ip);
void frame_sum_udp(const u8 *ip, u8 *udp, u32 length);

u16 get_16(const u8 *bytes);
u32 get_24(const u8 *bytes);
u32 get_32(const u8 *bytes);
u64 get_64(const u8 *bytes);
u8 *put_16(u8 *bytes, u16 value);
u8 *put_32(u8 *bytes, u32 value);
u8 *put_64(u8 *bytes, u64 value);

#endif
