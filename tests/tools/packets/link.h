/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_LINK_H
#define PACKETS_LINK_H

#include "echo.h"

#define SUPER_MAX	65535
/* Frames of one call at most */
#define LINK_FRAMES	64

/* A frame that the kernel shall cut into packets: GSO as struct virtio_net_hdr asks for it. */
struct super {
	u16 gso_size;
	u8 gso_type;
	u16 header_length;
	u16 checksum_start;
	u16 checksum_offset;
	u32 length;
	u8 bytes[SUPER_MAX];
};

/* Both ends of a veth pair, and raw sockets at the attacker's. */
struct link {
	int plain;
	int gso;
	int tap;
	u8 near_mac[MAC_BYTES];		/* the attacker's end */
	u8 far_mac[MAC_BYTES];		/* the victim's */
	u64 sent;
	struct echo *echo;		/* sends again what link_send() sends, if not NULL */
	u64 refused;			/* that the sending side's kernel did not take */
};

/* Return 0, or -1 with a line on stderr. */
int link_open(struct link *l, const char *near_ns, const char *far_ns, const char *netdev);
void link_close(struct link *l);
void link_send(struct link *l, const struct frame *frames, u32 count);
void link_send_super(struct link *l, const struct super *s);
/*
 * A frame that came in, or went out by others than this link, and waits: its length, or 0 when
 * there is none for @wait_ms.
 */
u32 link_receive(struct link *l, u8 *bytes, u32 size, int wait_ms, bool *outgoing);
void link_drain(struct link *l);

#endif
