// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The peer of the device under test: what it sends is made here, what the device sends is heard
 * here. No host has its address, so nobody else answers.
 */
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "../packets/crc.h"
#include "peer.h"
#include "suite.h"
#include "../packets/socket.h"

#define RECEIVE_BYTES	(1 << 20)
#define GSO_UDP_L4	5	/* not in the headers of all kernels */
#define IPV4_BYTES	20
#define IPV6_BYTES	40

static int open_sockets(struct peer *p)
{
	struct packet_mreq every = { .mr_ifindex = p->index, .mr_type = PACKET_MR_PROMISC };

	p->out = socket_open(p->index, 0);
	p->in = socket_open(p->index, ETH_P_ALL);
	p->neighbours = socket_open(p->index, p->ipv6 ? ETH_P_IPV6 : ETH_P_ARP);
	if (p->out < 0 || p->in < 0 || p->neighbours < 0)
		return p->out < 0 ? p->out : -EACCES;
	if (setsockopt(p->in, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &every, sizeof(every)))
		return -errno;
	return socket_option(p->in, SOL_PACKET, PACKET_VNET_HDR, 1) ?:
	       socket_option(p->in, SOL_SOCKET, SO_RCVBUF, RECEIVE_BYTES);
}

static int refuse(const char *netdev, int ret)
{
	fprintf(stderr, "no packet sockets on %s: %s\n", netdev, strerror(-ret));
	return -1;
}

int peer_open(struct peer *p, const char *netdev)
{
	static const u8 mac[MAC_BYTES] = { 0x02, 0x53, 0x56, 0x54, 0x00, 0x66 };
	u8 own[MAC_BYTES];
	int ret;

	p->ipv6 = p->gid.raw[10] != 0xff || p->gid.raw[0];
	memcpy(p->mac, mac, MAC_BYTES);
	p->index = socket_netdev(netdev, own);
	if (p->index < 0)
		return refuse(netdev, p->index);
	ret = open_sockets(p);
	return ret ? refuse(netdev, ret) : neighbours_open(p);
}

void peer_close(struct peer *p)
{
	neighbours_close(p);
	close(p->in);
	close(p->out);
}

void peer_address(const struct peer *p, struct packet *packet)
{
	packet_init(packet, p->ipv6);
	memcpy(packet->from_mac, p->mac, MAC_BYTES);
	memcpy(packet->to_mac, p->device_mac, MAC_BYTES);
	packet->from = p->gid;
	packet->to = p->device_gid;
	/* Not to be fragmented, as RoCE v2 has it */
	packet->fragment = 0x4000;
}

void peer_send(struct peer *p, const struct packet *packet)
{
	static struct frame frame;

	frame_build(&frame, packet);
	if (send(p->out, frame.bytes, frame.length, 0) < 0)
		perror("the peer cannot send");
}

/* The next frame, with where its packets begin. False: none until @limit */
static bool receive(struct peer *p, u64 limit)
{
	struct pollfd readable = { .fd = p->in, .events = POLLIN };
	struct virtio_net_hdr head;
	struct iovec parts[] = { { &head, sizeof(head) }, { p->bytes, sizeof(p->bytes) } };
	struct sockaddr_ll from = { };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = parts, .msg_iovlen = 2,
	};
	ssize_t ret;

	if (poll(&readable, 1, clock_left_ms(limit)) <= 0)
		return false;
	ret = recvmsg(p->in, &message, MSG_DONTWAIT);
	if (ret < 0 && errno == EINVAL)
		suite_note("the kernel kept a frame of several packets from the peer");
	p->at = 0;
	p->number = 0;
	p->length = 0;
	if (ret <= (ssize_t)(sizeof(head) + ETHERNET_BYTES) || from.sll_pkttype == PACKET_OUTGOING)
		return true;
	p->length = ret - sizeof(head);
	p->header = ETHERNET_BYTES + (p->ipv6 ? IPV6_BYTES : IPV4_BYTES) + UDP_BYTES;
	p->at = p->header;
	p->segment = head.gso_type == GSO_UDP_L4 ? head.gso_size : p->length;
	return true;
}

/* Cuts the next packet off it, as the netdev would have */
static u32 cut(struct peer *p, u8 *to)
{
	u32 bytes = min_u32(p->segment, p->length - p->at);
	u8 *ip = to + ETHERNET_BYTES;

	if (!p->number && bytes == p->length - p->header) {
		memcpy(to, p->bytes, p->length);
		p->at = p->length;
		return p->length;
	}
	memcpy(to, p->bytes, p->header);
	memcpy(to + p->header, p->bytes + p->at, bytes);
	put_16(to + p->header - 4, UDP_BYTES + bytes);
	if (p->ipv6) {
		put_16(ip + 4, UDP_BYTES + bytes);
	} else {
		put_16(ip + 2, IPV4_BYTES + UDP_BYTES + bytes);
		put_16(ip + 4, get_16(ip + 4) + p->number);
	}
	p->at += bytes;
	p->number++;
	return p->header + bytes;
}

static bool icrc_right(const struct peer *p, const u8 *frame)
{
	const u8 *udp = frame + p->header - UDP_BYTES;
	u32 length = get_16(udp + 4) - UDP_BYTES - ICRC_BYTES;
	u32 icrc = icrc_of(frame + ETHERNET_BYTES, udp, length);

	return __builtin_bswap32(get_32(udp + UDP_BYTES + length)) == icrc;
}

enum arrival peer_next(struct peer *p, u32 qpn, struct packet *packet, u64 limit)
{
	u8 frame[FRAMES_MAX];
	u32 length;

	for (;;) {
		if (p->at >= p->length) {
			if (!receive(p, limit))
				return ARRIVAL_NONE;
			continue;
		}
		length = cut(p, frame);
		if (!memcmp(frame, p->mac, MAC_BYTES) && frame_parse(packet, frame, length) &&
		    packet->qpn == qpn)
			break;
	}
	return icrc_right(p, frame) ? ARRIVAL_RIGHT : ARRIVAL_ICRC_WRONG;
}
