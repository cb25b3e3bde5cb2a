/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_MUTATE_H
#define PACKETS_MUTATE_H

#include "exchange.h"

/* A packet on its way to be wrong. */
struct mutant {
	const struct scene *s;
	struct packet *p;
	struct random *r;
};

/* One thing that may be wrong with it. */
struct mutation {
	const char *name;
	void (*apply)(struct mutant *m);
	u32 weight;
};

/* Ends with an entry without a name. */
extern const struct mutation transport_mutations[];
extern const struct mutation network_mutations[];

/*
 * Does none, one or several things to one packet of an exchange, or to all. What was done is in
 * @note, if not NULL, which has room for NOTE_BYTES.
 */
#define NOTE_BYTES	256
void mutate_exchange(struct scene *s, struct exchange *x, struct random *r, char *note);
void mutate_packet(struct scene *s, struct packet *p, struct random *r, char *note);
/*
 * The attacker's own address is no secret; the peer's is what keeps strangers out. Takes it away
 * from packets to QPs that are not the attacker's to break.
 */
void mutate_defuse(const struct scene *s, struct exchange *x);

#endif
