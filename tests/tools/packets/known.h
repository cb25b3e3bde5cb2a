/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_KNOWN_H
#define PACKETS_KNOWN_H

#include <setjmp.h>

#include "counters.h"
#include "exchange.h"
#include "shape.h"

/*
 * One of the named attacks: fixed packets, and all that comes of them. Counters that are not
 * expected to move must not move.
 */
struct known {
	struct scene *s;
	struct exchange x;
	struct counters before;
	u64 expected[COUNTERS];
	jmp_buf out;
};

struct known_case {
	const char *name;
	void (*run)(struct known *k);
	const char *about;
};

extern const struct known_case known_headers[];
extern const struct known_case known_network[];
extern const struct known_case known_memory[];
extern const struct known_case known_states[];

/* A fresh target of the kind over IPv4 unless @ipv6, and no packet so far. */
struct target *known_target(struct known *k, const char *kind, bool ipv6);
/* A packet to it, with the PSN that it expects; the next has the next PSN. */
struct packet *known_packet(struct known *k, u8 opcode);
/* The same with payload of @length bytes. */
struct packet *known_payload(struct known *k, u8 opcode, u32 length);
/* A QPN that is nobody's. */
u32 known_nobody(struct known *k);

/* Sends all packets since the last time, each in a frame. */
void known_send(struct known *k);
/* That @count packets more end in counter @c. */
void known_counts(struct known *k, enum counter c, u32 count);
/* Waits until what was sent has arrived. */
void known_sync(struct known *k);
/* Waits until all counters are as they should be, and memory with them. */
void known_settle(struct known *k);
/* The attacker gets an ACKNOWLEDGE with this. */
void known_answer(struct known *k, u8 syndrome, u32 psn);
/* The target is in @state, after @received receives and @answered requests were completed. */
void known_outcome(struct known *k, enum ibv_qp_state state, u64 received, u64 answered);

void __noreturn __printf(2, 3) known_fail(struct known *k, const char *fmt, ...);

#endif
