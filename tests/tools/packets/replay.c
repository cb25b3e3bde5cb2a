// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The attack by packets that are really on the wire: those of couples of QPs, which the attacker
 * sends again in the peer's name, mutated, while the peer goes on; and those of any others, which
 * it sends again in its own name, for there it must not be believed. The seed says what is done
 * to which packet; which packets there are is up to the moment.
 */
#include <string.h>

#include "attack.h"
#include "couple.h"
#include "mutate.h"
#include "shape.h"
#include "suite.h"

#define POOL		64
#define COUPLES		COUPLE_QPNS
#define MARK_EVERY	500
#define CHECK_EVERY	128
/* The newest of the pool are replayed most */
#define RECENT		12

struct pool {
	struct packet packets[POOL];
	u64 count;
};

struct replay {
	struct couple couples[COUPLES];
	struct pool pool;
	u64 own;		/* packets of couples that were sent again */
	u64 others;
};

static void open_couples(struct scene *s, struct replay *p)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	u32 i;

	for (i = 0; i < COUPLES; i++) {
		couple_open(s, &p->couples[i], types[i / 2], i & 1);
		s->couple_qpns[i] = couple_qpn(&p->couples[i]);
	}
}

static void watch(struct scene *s, struct pool *pool)
{
	u8 bytes[FRAME_MAX];
	bool outgoing;
	u32 length;

	while ((length = link_receive(&s->link, bytes, sizeof(bytes), 0, &outgoing))) {
		if (!outgoing || memcmp(bytes + MAC_BYTES, s->link.near_mac, MAC_BYTES))
			continue;
		if (frame_parse(&pool->packets[pool->count % POOL], bytes, length))
			pool->count++;
	}
}

static const struct packet *pick_seen(const struct pool *pool, struct random *r)
{
	u32 span = random_chance(r, 70) ? RECENT : POOL;
	u64 back = 1 + random_below(r, min_u64(span, pool->count));

	return &pool->packets[(pool->count - back) % POOL];
}

/* NULL: it is others' */
static const struct couple *find_couple(const struct replay *p, u32 qpn)
{
	u32 i;

	for (i = 0; i < COUPLES; i++)
		if (couple_qpn(&p->couples[i]) == qpn)
			return &p->couples[i];
	return NULL;
}

/* What was seen has a PSN that is over: every other time it is made the one that is due */
static void take_packet(struct scene *s, struct replay *p, struct exchange *x, struct random *r)
{
	struct packet *to = &x->packets[x->count];
	const struct couple *couple;

	*to = *pick_seen(&p->pool, r);
	memcpy(to->from_mac, attacker_mac, MAC_BYTES);
	couple = find_couple(p, to->qpn);
	if (couple && random_chance(r, 50))
		to->psn = couple_psn(couple) + x->count;
	else if (random_chance(r, 50))
		to->psn += random_below(r, 6);
	if (couple) {
		p->own++;
	} else {
		to->from = s->ends[to->ipv6].attacker;
		p->others++;
	}
	if (random_chance(r, 90))
		mutate_packet(s, to, r, NULL);
	x->count++;
}

static u32 one_turn(struct scene *s, struct replay *p, u64 number, struct random *r)
{
	static struct exchange x;
	u32 i, count = random_within(r, 1, 8);

	for (i = 0; i < COUPLES; i++)
		if (random_chance(r, 50))
			couple_turn(s, &p->couples[i], r);
	watch(s, &p->pool);
	if (!p->pool.count)
		return 0;
	x.id = number * 16;
	x.count = 0;
	while (x.count < count)
		take_packet(s, p, &x, r);
	mutate_defuse(s, &x);
	return shape_send(s, &x, r, NULL);
}

static void report(struct replay *p, u64 packets, u64 turns)
{
	u64 completed = 0, failed = 0, rebuilt = 0;
	u32 i;

	for (i = 0; i < COUPLES; i++) {
		completed += p->couples[i].completed;
		failed += p->couples[i].failed;
		rebuilt += p->couples[i].rebuilt;
		couple_close(&p->couples[i]);
	}
	suite_note("%llu packets, %llu turns; %llu seen", packets, turns, p->pool.count);
	suite_note("%llu of couples and %llu of others sent again", p->own, p->others);
	suite_note("%llu completed, %llu ended in error, %llu couples rebuilt", completed, failed,
		   rebuilt);
	CHECK(p->own && completed && (rebuilt || packets < 5000),
	      "the packets did not get through to the couples");
}

void replay_run(struct scene *s)
{
	u64 number = s->options->first, packets = 0;
	static struct replay p;
	struct random r;
	bool good = true;

	scene_target(s, "rc bystander", false);
	scene_target(s, "uc bystander", true);
	scene_target(s, "ud bystander", false);
	open_couples(s, &p);
	while (good && packets < s->options->count) {
		random_start(&r, s->options->seed, ~number);
		if (number % MARK_EVERY == 0)
			attack_mark(s, "replay", number);
		packets += one_turn(s, &p, number++, &r);
		if (number % CHECK_EVERY == 0) {
			scene_events(s);
			good = scene_intact(s);
		}
	}
	scene_quiet(s);
	CHECK(scene_intact(s), "up to turn %llu", number);
	report(&p, packets, number - s->options->first);
}
