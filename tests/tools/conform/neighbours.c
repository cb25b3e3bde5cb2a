// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The peer's address as its neighbours see it: who asks for its MAC is answered, by a thread, for
 * the kernel asks within ibv_modify_qp(). ARP for IPv4, neighbour discovery for IPv6.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "../packets/crc.h"
#include "peer.h"

#define FIND_MS		300
#define FIND_TRIES	10
#define ETH_ARP		0x0806
#define ETH_IPV6	0x86dd
#define ARP_BYTES	28
#define ARP_REQUEST	1
#define ARP_REPLY	2
#define ICMP_AT		(ETHERNET_BYTES + 40)
#define ICMP_BYTES	32	/* with the option */
#define ICMP_ASKS	135
#define ICMP_ANSWERS	136

static u8 *put(u8 *at, const void *bytes, u32 count)
{
	memcpy(at, bytes, count);
	return at + count;
}

static void transmit(struct peer *p, const u8 *frame, u32 length)
{
	if (send(p->out, frame, length, 0) < 0)
		perror("the peer cannot send");
}

static void send_arp(struct peer *p, u16 operation, const u8 *to_mac, const u8 *to_ip)
{
	u8 frame[ETHERNET_BYTES + ARP_BYTES], *at = frame;

	at = put(at, to_mac, MAC_BYTES);
	at = put(at, p->mac, MAC_BYTES);
	at = put_16(at, ETH_ARP);
	at = put_32(at, 0x00010800);
	at = put_32(at, 0x06040000 | operation);
	at = put(at, p->mac, MAC_BYTES);
	at = put(at, p->gid.raw + 12, 4);
	at = put(at, to_mac, MAC_BYTES);
	put(at, to_ip, 4);
	transmit(p, frame, sizeof(frame));
}

/* @kind of message about @target; with the peer's MAC */
static void send_icmp(struct peer *p, u8 kind, const u8 *to_mac, const u8 *to_ip, const u8 *target)
{
	u8 frame[ICMP_AT + ICMP_BYTES] = { }, *at = frame;
	u8 *icmp = frame + ICMP_AT, *ip = frame + ETHERNET_BYTES;
	u32 sum;

	at = put(at, to_mac, MAC_BYTES);
	at = put(at, p->mac, MAC_BYTES);
	at = put_16(at, ETH_IPV6);
	at = put_32(at, 6u << 28);
	at = put_32(at, (u32)ICMP_BYTES << 16 | 58 << 8 | 255);
	at = put(at, p->gid.raw, 16);
	at = put(at, to_ip, 16);
	*at = kind;
	put_32(icmp + 4, kind == ICMP_ANSWERS ? 0x60000000 : 0);
	put(icmp + 8, target, 16);
	icmp[24] = kind == ICMP_ANSWERS ? 2 : 1;
	icmp[25] = 1;
	put(icmp + 26, p->mac, MAC_BYTES);
	sum = checksum_add(58 + ICMP_BYTES, ip + 8, 32);
	put_16(icmp + 2, checksum_end(checksum_add(sum, icmp, ICMP_BYTES)));
	transmit(p, frame, sizeof(frame));
}

static void found(struct peer *p, const u8 *frame)
{
	if (atomic_load(&p->found))
		return;
	memcpy(p->device_mac, frame + MAC_BYTES, MAC_BYTES);
	atomic_store(&p->found, true);
}

static void hear_arp(struct peer *p, const u8 *frame)
{
	const u8 *arp = frame + ETHERNET_BYTES;

	if (!memcmp(arp + 14, p->device_gid.raw + 12, 4))
		found(p, frame);
	if (get_16(arp + 6) == ARP_REQUEST && !memcmp(arp + 24, p->gid.raw + 12, 4))
		send_arp(p, ARP_REPLY, arp + 8, arp + 14);
}

static void hear_icmp(struct peer *p, const u8 *frame)
{
	const u8 *ip = frame + ETHERNET_BYTES, *icmp = frame + ICMP_AT;

	if (ip[6] != 58)
		return;
	if (icmp[0] == ICMP_ANSWERS && !memcmp(icmp + 8, p->device_gid.raw, 16))
		found(p, frame);
	/* From nowhere: somebody looks for who has his address already */
	if (icmp[0] == ICMP_ASKS && !memcmp(icmp + 8, p->gid.raw, 16) && ip[8])
		send_icmp(p, ICMP_ANSWERS, frame + MAC_BYTES, ip + 8, p->gid.raw);
}

static void *serve(void *arg)
{
	struct peer *p = arg;
	u8 frame[FRAME_MAX];
	ssize_t length;

	while ((length = recv(p->neighbours, frame, sizeof(frame), 0)) >= 0 || errno != EBADF) {
		if (!memcmp(frame + MAC_BYTES, p->mac, MAC_BYTES))
			continue;
		if (!p->ipv6 && length >= ETHERNET_BYTES + ARP_BYTES)
			hear_arp(p, frame);
		else if (p->ipv6 && length >= ICMP_AT + 24)
			hear_icmp(p, frame);
	}
	return NULL;
}

static void ask(struct peer *p)
{
	static const u8 all[MAC_BYTES] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const u8 *gid = p->device_gid.raw;
	u8 group[16] = { 0xff, 0x02, [11] = 1, [12] = 0xff, gid[13], gid[14], gid[15] };
	u8 group_mac[MAC_BYTES] = { 0x33, 0x33, 0xff, gid[13], gid[14], gid[15] };

	if (p->ipv6)
		send_icmp(p, ICMP_ASKS, group_mac, group, gid);
	else
		send_arp(p, ARP_REQUEST, all, gid + 12);
}

int neighbours_open(struct peer *p)
{
	u32 i, try;

	if (pthread_create(&p->thread, NULL, serve, p)) {
		fprintf(stderr, "no thread for the peer's neighbours\n");
		return -1;
	}
	for (try = 0; try < FIND_TRIES; try++) {
		ask(p);
		for (i = 0; i < clock_scaled_ms(FIND_MS); i += 5) {
			if (atomic_load(&p->found))
				return 0;
			clock_sleep_ms(5);
		}
	}
	fprintf(stderr, "the device's address is not at the other end of the interface\n");
	return -1;
}

void neighbours_close(struct peer *p)
{
	pthread_cancel(p->thread);
	pthread_join(p->thread, NULL);
	close(p->neighbours);
}
