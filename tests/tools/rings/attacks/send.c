// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Garbage in send queues: from one wrong field to all wrong bytes. What is sound is transmitted,
 * for both ends are ours.
 */
#include "../post.h"
#include "../world.h"
#include "../wqe.h"

#define BATCH	48

enum batch_kind {
	SOUND,
	SPOILED_LAST,
	SPOILED_SOME,
	FLIPPED,
	RANDOM,
	RANDOM_IN_RANGE,
	BATCH_KINDS,
};

/* The fields that the kernel looks at first are right, so that it comes to look at the others */
static void random_in_range(struct draft *d)
{
	random_fill(d->rng, d->bytes, sizeof(d->bytes));
	d->wqe.opcode = random_below(d->rng, 16);
	d->wqe.flags &= SVT_SEND_FENCE | SVT_SEND_SIGNALED | SVT_SEND_SOLICITED | SVT_SEND_INLINE;
	d->wqe.srq_num = 0;
	d->wqe.rdma.reserved &= random_one_in(d->rng, 2) ? 0 : UINT32_MAX;
	d->wqe.num_sge = random_below(d->rng, d->lane->qp.caps.send_sge + 2);
	d->wqe.inline_length = random_below(d->rng, d->lane->qp.caps.inline_data + 2);
	if (random_one_in(d->rng, 2))
		d->wqe.sge[0].lkey = d->near->work.lkey;
}

/* Returns how the request may end */
static u8 spoil(struct draft *d)
{
	const struct spoil *s;

	draft_plain(d, d->wqe.opcode, 1 + random_below(d->rng, 64));
	s = spoil_any(d->rng, d);
	s->apply(d);
	return s->status;
}

static u8 compose(struct draft *d, enum batch_kind batch, bool last)
{
	draft_sound(d, wqe_any_opcode(d));
	if (batch == RANDOM) {
		random_fill(d->rng, d->bytes, sizeof(d->bytes));
		return DUE_ANY;
	}
	if (batch == RANDOM_IN_RANGE) {
		random_in_range(d);
		return DUE_ANY;
	}
	if (batch == FLIPPED && random_one_in(d->rng, 4)) {
		random_flip(d->rng, d->bytes, sizeof(d->wqe) + sizeof(d->wqe.sge[0]));
		return DUE_ANY;
	}
	if ((batch == SPOILED_LAST && last) || (batch == SPOILED_SOME && random_one_in(d->rng, 8)))
		return spoil(d);
	if (d->lane->qp.type == IBV_QPT_UD && random_one_in(d->rng, 16))
		d->wqe.ud.remote_qpn = d->foreign->ud_qpn;
	return IBV_WC_SUCCESS;
}

u32 attack_send(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), kind = random_below(r, LANES);
	u32 count = 1 + random_below(r, BATCH);
	enum batch_kind batch = random_below(r, BATCH_KINDS);
	struct draft d;

	if (!random_one_in(r, 8))
		world_repair(w, r, kind);
	draft_begin(&d, r, w->sides, side, kind, &w->foreign);
	if (!d.lane->open)
		return 1;
	count = min_u32(count, post_room(&d.lane->qp.sq));
	for (i = 0; i < count; i++) {
		u8 due = compose(&d, batch, i == count - 1);

		ledger_note(&w->sent[side][kind], draft_post(&d), due);
	}
	post_flush(d.near, d.lane, random_one_in(r, 4));
	if (!random_one_in(r, 8) && d.far_lane->open)
		post_receives(d.far, kind, BATCH);
	world_poll(w);
	w->tally->requests += count;
	return count;
}
