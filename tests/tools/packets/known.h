/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_KNOWN_H
#define PACKETS_KNOWN_H

#include "counters.h"
#include "exchange.h"
#include "shape.h"
#include "suite.h"

/*
 * One of the named attacks: fixed packets, and all that comes of them. Counters that are not
 * expected to move must not move.
 */
struct test {
	const struct suite_case *c;
	struct scene *s;
	struct exchange x;
	struct counters before;
	u64 expected[COUNTERS];
};

extern const struct suite_case known_headers[];
extern const struct suite_case known_network[];
extern const struct suite_case known_memory[];
extern const struct suite_case known_states[];

/* A fresh target of the kind over IPv4 unless @ipv6, and no packet so far. */
struct target *known_target(struct test *k, const char *kind, bool ipv6);
/* A packet to it, with the PSN that it expects; the next has the next PSN. */
struct packet *known_packet(struct test *k, u8 opcode);
/* The same with payload of @length bytes. */
struct packet *known_payload(struct test *k, u8 opcode, u32 length);
/* A QPN that is nobody's. */
u32 known_nobody(struct test *k);

/* Sends all packets since the last time, each in a frame. */
void known_send(struct test *k);
/* That @count packets more end in counter @c. */
void known_counts(struct test *k, enum counter c, u32 count);
/* Waits until what was sent has arrived. */
void known_sync(struct test *k);
/* Waits until all counters are as they should be, and memory with them. */
void known_settle(struct test *k);
/* The attacker gets an ACKNOWLEDGE with this. */
void known_answer(struct test *k, u8 syndrome, u32 psn);
/* The target is in @state, after @received receives and @answered requests were completed. */
void known_outcome(struct test *k, enum ibv_qp_state state, u64 received, u64 answered);

/* One of the tables, as a suite runs it. */
void known_each(struct scene *s, const struct suite_case *c);

#endif
