// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two devices, the wire between them, a victim's memory and QPs.
 *
 * The attacker is a third host on the wire, with an address and a MAC of its own that nobody has:
 * the victims' neighbour tables have it, so that they answer, and what they answer is heard by the
 * raw socket and nobody else. Everything that talks to the peer's address is somebody else's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

/* The last byte of the attacker's addresses and of the groups */
#define ATTACKER	0x66

const u8 attacker_mac[MAC_BYTES] = { 0x02, 0, 0, 0, 0, ATTACKER };

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("svt_packets: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

/* The GID of a version of IP that is not only for the link */
static int find_gid(const struct dev *d, bool ipv6, union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < d->port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(d->ctx, DEV_PORT, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 || entry.gid.raw[0] == 0xfe ||
		    gid_is_v4(&entry.gid) == ipv6)
			continue;
		*gid = entry.gid;
		return i;
	}
	return -1;
}

static int find_ends(struct scene *s, bool ipv6)
{
	struct ends *e = &s->ends[ipv6];
	int index = find_gid(&s->dev, ipv6, &e->victim);
	int peer_index = find_gid(&s->peer, ipv6, &e->peer);

	if (index < 0 || peer_index < 0) {
		fprintf(stderr, "%s and %s need addresses of IPv%d\n", s->options->device,
			s->options->peer, ipv6 ? 6 : 4);
		return -1;
	}
	e->index = index;
	e->peer_index = peer_index;
	e->attacker = e->peer;
	e->attacker.raw[15] = ATTACKER;
	e->group = (union ibv_gid) { .raw = { [15] = ATTACKER } };
	if (ipv6) {
		e->group.raw[0] = 0xff;
		e->group.raw[1] = 0x12;
	} else {
		memset(e->group.raw + 10, 0xff, 2);
		e->group.raw[12] = 239;
		e->group.raw[13] = 1;
	}
	return 0;
}

static int open_objects(struct scene *s)
{
	s->pd = ibv_alloc_pd(s->dev.ctx);
	s->other_pd = ibv_alloc_pd(s->dev.ctx);
	s->targets = calloc(2 * target_kind_count(), sizeof(*s->targets));
	if (!s->pd || !s->other_pd || !s->targets) {
		fprintf(stderr, "cannot allocate a protection domain: %s\n", strerror(errno));
		return -1;
	}
	return memory_open(&s->memory, s->pd, s->other_pd);
}

int scene_open(struct scene *s, const struct options *o)
{
	memset(s, 0, sizeof(*s));
	s->options = o;
	if (link_open(&s->link, o->near_ns, o->far_ns, o->netdev))
		return -1;
	if (o->echo)
		s->link.echo = echo_start(s->link.plain);
	if (o->echo && !s->link.echo)
		return -1;
	if (dev_open(&s->dev, o->device, -1) || dev_open(&s->peer, o->peer, -1))
		return -1;
	fcntl(s->dev.ctx->async_fd, F_SETFL, O_NONBLOCK);
	fcntl(s->peer.ctx->async_fd, F_SETFL, O_NONBLOCK);
	return find_ends(s, false) || find_ends(s, true) || open_objects(s) ? -1 : 0;
}

void scene_quiet(struct scene *s)
{
	if (s->link.echo)
		s->echoed = echo_stop(s->link.echo);
	s->link.echo = NULL;
}

void scene_close(struct scene *s)
{
	u32 i;

	scene_quiet(s);
	scene_events(s);
	for (i = 0; i < s->target_count; i++)
		target_close(s, &s->targets[i]);
	memory_close(&s->memory);
	ibv_dealloc_pd(s->pd);
	ibv_dealloc_pd(s->other_pd);
	free(s->targets);
	link_close(&s->link);
	dev_close(&s->dev);
	dev_close(&s->peer);
}

static struct target *add_target(struct scene *s, const struct target_kind *kind, bool ipv6)
{
	struct target *t = &s->targets[s->target_count];

	t->index = s->target_count++;
	target_open(s, t, kind, ipv6);
	s->weights += kind->weight;
	return t;
}

struct target *scene_target(struct scene *s, const char *kind, bool ipv6)
{
	u32 i;

	for (i = 0; i < s->target_count; i++)
		if (!strcmp(s->targets[i].kind->name, kind) && s->targets[i].ipv6 == ipv6)
			return &s->targets[i];
	for (i = 0; i < target_kind_count(); i++)
		if (!strcmp(target_kinds[i].name, kind))
			return add_target(s, &target_kinds[i], ipv6);
	die("there is no target '%s'", kind);
}

void scene_fill(struct scene *s)
{
	u32 i;

	for (i = 0; i < 2 * target_kind_count(); i++)
		scene_target(s, target_kinds[i / 2].name, i & 1);
}

struct target *scene_pick(struct scene *s, struct random *r)
{
	u32 i, at = random_below(r, s->weights);

	for (i = 0; at >= s->targets[i].kind->weight; i++)
		at -= s->targets[i].kind->weight;
	return &s->targets[i];
}

bool scene_intact(struct scene *s)
{
	bool good = memory_check(&s->memory);
	u32 i;

	for (i = 0; i < s->target_count; i++)
		if (s->targets[i].kind->flags & TARGET_BYSTANDER)
			good &= target_unharmed(s, &s->targets[i]);
	return good;
}

void scene_counters(const struct scene *s, struct counters *c)
{
	if (counters_read(s->options->device, c))
		die("%s has no counters", s->options->device);
}

static void drain_events(struct scene *s, struct ibv_context *ctx)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(ctx, &event)) {
		s->tally.events++;
		ibv_ack_async_event(&event);
	}
}

void scene_events(struct scene *s)
{
	drain_events(s, s->dev.ctx);
	drain_events(s, s->peer.ctx);
}

static bool is_ours(const struct scene *s, u32 qpn)
{
	u32 i;

	for (i = 0; i < s->target_count; i++)
		if (s->targets[i].qpn == qpn)
			return true;
	return false;
}

/* Learns whom others talk to, as anybody on the wire can */
void scene_listen(struct scene *s)
{
	static struct packet p;
	u8 bytes[FRAME_MAX];
	bool outgoing;
	u32 length, slot;

	while ((length = link_receive(&s->link, bytes, sizeof(bytes), 0, &outgoing))) {
		if (!outgoing || memcmp(bytes + MAC_BYTES, s->link.near_mac, MAC_BYTES) ||
		    !frame_parse(&p, bytes, length) || is_ours(s, p.qpn))
			continue;
		slot = p.qpn % OTHERS;
		s->others[slot] = p.qpn;
		s->other_psns[slot] = p.psn;
	}
}
