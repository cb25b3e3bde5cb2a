/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_CRC_H
#define PACKETS_CRC_H

#include "types.h"

/*
 * The ICRC of a RoCEv2 packet as a number, to be sent lowest byte first (IBTA annex A17): @ip is an
 * IP header without options, @udp the UDP header and @length bytes of what is behind that.
 */
u32 icrc_of(const u8 *ip, const u8 *udp, u32 length);
/* The Internet checksum: to add to it, and to end it. */
u32 checksum_add(u32 sum, const u8 *bytes, u32 length);
u16 checksum_end(u32 sum);

#endif
