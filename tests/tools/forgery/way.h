/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FORGERY_WAY_H
#define FORGERY_WAY_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "types.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Where a datagram comes from, as its receiver sees it, and where it goes. */
struct way {
	union address from;
	union address to;
};

/* Returns 0 or -1, having said that @text is no address. */
int address_parse(union address *a, const char *text, u16 port);
socklen_t address_length(const union address *a);
/* Puts the ICRC behind @length bytes, at most 128, of a packet at @bth, the @nth of its socket. */
void way_put_icrc(const struct way *w, u32 nth, u8 *bth, u32 length);

#endif
