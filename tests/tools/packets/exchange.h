/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_EXCHANGE_H
#define PACKETS_EXCHANGE_H

#include "scene.h"

#define EXCHANGE_MAX	12

/* Packets that belong together, as a peer of the target would send them. */
struct exchange {
	struct target *target;
	u16 id;			/* of the first packet's IP header */
	struct packet packets[EXCHANGE_MAX];
	u32 count;
};

/* A valid one: a request, or the answer to a request of the target. */
void exchange_make(struct scene *s, struct exchange *x, struct target *t, struct random *r);
/* One packet from the attacker to the target, right in everything. */
struct packet *exchange_add(struct scene *s, struct exchange *x, u8 opcode, u32 psn);
void exchange_start(struct exchange *x, struct target *t);
/* Where a remote access may go: the window of a target that has one, or ZONE_REMOTE. */
u64 exchange_address(struct scene *s, const struct target *t, u32 *rkey, u32 *length);

#endif
