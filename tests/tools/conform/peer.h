/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef CONFORM_PEER_H
#define CONFORM_PEER_H

#include <pthread.h>
#include <stdatomic.h>

#include "../packets/frame.h"

#define FRAMES_MAX	(1 << 16)	/* of packets that a netdev left in one piece */

/* A RoCE v2 endpoint made of packet sockets, with a MAC and an address of its own. */
struct peer {
	int index;		/* of the netdev */
	int out, in, neighbours;
	bool ipv6;
	u8 mac[MAC_BYTES];
	u8 device_mac[MAC_BYTES];
	atomic_bool found;	/* the device's MAC */
	union ibv_gid gid;
	union ibv_gid device_gid;
	pthread_t thread;
	/* What came last: packets of one size behind one header, or one */
	u8 bytes[FRAMES_MAX];
	u32 header, length, at, segment, number;
};

/* @p: has both GIDs. Return: 0, or -1 with a line on stderr. */
int peer_open(struct peer *p, const char *netdev);
void peer_close(struct peer *p);
/* A packet to the device with all that is of no transport */
void peer_address(const struct peer *p, struct packet *packet);
void peer_send(struct peer *p, const struct packet *packet);

enum arrival {
	ARRIVAL_NONE,
	ARRIVAL_RIGHT,
	ARRIVAL_ICRC_WRONG,
};

/* The next packet for @qpn, waited for until @limit (clock.h) */
enum arrival peer_next(struct peer *p, u32 qpn, struct packet *packet, u64 limit);

/* Answers those who ask for the peer's MAC, in a thread; asks for the device's. Return as above. */
int neighbours_open(struct peer *p);
void neighbours_close(struct peer *p);

#endif
