// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which packets of an exchange go wrong, and in what.
 */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

static u32 weight_of(const struct mutation *table)
{
	u32 sum = 0;

	for (; table->name; table++)
		sum += table->weight;
	return sum;
}

static const struct mutation *pick(const struct mutation *table, struct random *r)
{
	u32 at = random_below(r, weight_of(table));

	for (; at >= table->weight; table++)
		at -= table->weight;
	return table;
}

static void add_note(char *note, const char *name)
{
	size_t used;

	if (!note)
		return;
	used = strlen(note);
	snprintf(note + used, NOTE_BYTES - used, "%s%s", used ? ", " : "", name);
}

/* Whether the attacker may break this QP, as its peer or in the peer's name */
static bool is_fair(const struct scene *s, u32 qpn)
{
	u32 i;

	for (i = 0; i < COUPLE_QPNS; i++)
		if (s->couple_qpns[i] == qpn)
			return true;
	for (i = 0; i < s->target_count; i++)
		if (s->targets[i].qpn == qpn)
			return !(s->targets[i].kind->flags & TARGET_BYSTANDER);
	return false;
}

static bool is_peers(const struct scene *s, const struct packet *p)
{
	return !memcmp(&p->from, &s->ends[p->ipv6].peer, sizeof(p->from));
}

/* In a GSO frame the source of one packet is that of all */
void mutate_defuse(const struct scene *s, struct exchange *x)
{
	bool fair = true;
	u32 i;

	for (i = 0; i < x->count; i++)
		fair &= is_fair(s, x->packets[i].qpn);
	for (i = 0; i < x->count && !fair; i++)
		if (is_peers(s, &x->packets[i]))
			x->packets[i].from = s->ends[x->packets[i].ipv6].attacker;
}

void mutate_packet(struct scene *s, struct packet *p, struct random *r, char *note)
{
	static const u32 counts[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 3 };
	u32 count = counts[random_below(r, ARRAY_SIZE(counts))];
	struct mutant mutant = { s, p, r };
	const struct mutation *m;

	while (count--) {
		m = pick(random_chance(r, 65) ? transport_mutations : network_mutations, r);
		m->apply(&mutant);
		add_note(note, m->name);
	}
}

void mutate_exchange(struct scene *s, struct exchange *x, struct random *r, char *note)
{
	u32 i, which = random_below(r, 100);

	if (note)
		*note = 0;
	if (which < 12)
		return;
	if (which < 20)
		for (i = 0; i < x->count; i++)
			mutate_packet(s, &x->packets[i], r, note);
	else
		mutate_packet(s, &x->packets[random_below(r, x->count)], r, note);
	mutate_defuse(s, x);
}
