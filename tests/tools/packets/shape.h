/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_SHAPE_H
#define PACKETS_SHAPE_H

#include "exchange.h"

/*
 * Sends an exchange: most often a frame for each packet, else in another order, twice, in IP
 * fragments, or as frames that the kernel is to cut. Returns how many packets that were; says in
 * @note, if not NULL, which shape it was.
 */
u32 shape_send(struct scene *s, const struct exchange *x, struct random *r, char *note);
/* One packet, as it is. */
void shape_packet(struct scene *s, const struct packet *p);
/* The first packet in two fragments or more. */
u32 shape_fragments(struct scene *s, const struct exchange *x, struct random *r);
/*
 * All packets of an exchange, @times over, in one frame to be cut into segments of the first one's
 * size. Sealing gives each segment the ICRC that is right for what it will be; in the end the
 * frame needs its lengths and checksums.
 */
u32 super_build(struct super *super, const struct exchange *x, u32 times);
void super_seal(struct super *super, bool ipv6);
void super_finish(struct super *super, bool ipv6);

#endif
