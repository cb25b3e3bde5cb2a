/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_SCENE_H
#define PACKETS_SCENE_H

#include "counters.h"
#include "dev.h"
#include "link.h"
#include "memory.h"
#include "random.h"
#include "target.h"

#define OTHERS		16
#define COUPLE_QPNS	6

/* Addresses of one version of IP. */
struct ends {
	union ibv_gid victim;
	union ibv_gid peer;		/* whom the victim's other QPs talk to */
	union ibv_gid attacker;
	union ibv_gid group;
	u8 index;			/* of the victim's GID */
	u8 peer_index;
};

struct options {
	const char *device;
	const char *peer;
	const char *near_ns;
	const char *far_ns;
	const char *netdev;
	u64 seed;
	u64 first;
	u64 count;
	bool verbose;
	bool echo;
};

/* Everything that an attack needs. */
struct scene {
	const struct options *options;
	struct link link;
	struct dev dev;
	struct dev peer;
	struct ends ends[2];		/* IPv4, IPv6 */
	struct ibv_pd *pd;
	struct ibv_pd *other_pd;
	struct memory memory;
	struct target *targets;
	u32 target_count;
	u32 weights;
	struct tally tally;
	u64 echoed;
	/* QPs of other programs, as seen on the wire */
	u32 others[OTHERS];
	u32 other_psns[OTHERS];
	/* QPs of this program that the attacker may attack in the peer's name; 0: none */
	u32 couple_qpns[COUPLE_QPNS];
};

extern const u8 attacker_mac[MAC_BYTES];

/* Return 0, or -1 with a line on stderr. */
int scene_open(struct scene *s, const struct options *o);
void scene_close(struct scene *s);
/* Ends the echo. */
void scene_quiet(struct scene *s);
/* One target for each kind and version of IP. */
void scene_fill(struct scene *s);
/* The target of a kind, made if it is not there. */
struct target *scene_target(struct scene *s, const char *kind, bool ipv6);
struct target *scene_pick(struct scene *s, struct random *r);
/* Memory, and QPs that nothing may happen to; says on stdout what is wrong. */
bool scene_intact(struct scene *s);
/* The device's counters; ends the program when there are none. */
void scene_counters(const struct scene *s, struct counters *c);
/* Takes the events of the device off it. */
void scene_events(struct scene *s);
void scene_listen(struct scene *s);

void __noreturn __printf(1, 2) die(const char *fmt, ...);

#endif
