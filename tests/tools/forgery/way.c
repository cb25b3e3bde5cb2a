// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The headers of IP and UDP that the kernel will put before a packet, for its ICRC covers them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "../packets/crc.h"
#include "../packets/frame.h"
#include "complaint.h"
#include "way.h"

#define MOST_BYTES	128

int address_parse(union address *a, const char *text, u16 port)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return 0;
	}
	a->v6.sin6_family = AF_INET6;
	a->v6.sin6_port = htons(port);
	return inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1 ? 0 : complain(text, EINVAL);
}

socklen_t address_length(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* With IP_PMTUDISC_DO, and not connected, packets count from 0 */
static void put_ip(const struct way *w, u8 *ip, u32 nth, u16 length)
{
	memset(ip, 0, 40);
	if (w->to.any.sa_family == AF_INET6) {
		ip[0] = 0x60;
		put_16(ip + 4, length);
		ip[6] = IPPROTO_UDP;
		memcpy(ip + 8, &w->from.v6.sin6_addr, 16);
		memcpy(ip + 24, &w->to.v6.sin6_addr, 16);
		return;
	}
	ip[0] = 0x45;
	put_16(ip + 2, 20 + length);
	put_16(ip + 4, nth);
	put_16(ip + 6, 0x4000);
	ip[9] = IPPROTO_UDP;
	memcpy(ip + 12, &w->from.v4.sin_addr, 4);
	memcpy(ip + 16, &w->to.v4.sin_addr, 4);
}

static u16 port_of(const union address *a)
{
	return ntohs(a->any.sa_family == AF_INET ? a->v4.sin_port : a->v6.sin6_port);
}

void way_put_icrc(const struct way *w, u32 nth, u8 *bth, u32 length)
{
	u8 ip[40], datagram[UDP_BYTES + MOST_BYTES] = {};
	u16 bytes = UDP_BYTES + length + ICRC_BYTES;
	u32 icrc;

	put_ip(w, ip, nth, bytes);
	put_16(datagram, port_of(&w->from));
	put_16(datagram + 2, port_of(&w->to));
	put_16(datagram + 4, bytes);
	memcpy(datagram + UDP_BYTES, bth, length);
	icrc = icrc_of(ip, datagram, length);
	bth += length;
	bth[0] = icrc;
	bth[1] = icrc >> 8;
	bth[2] = icrc >> 16;
	bth[3] = icrc >> 24;
}
