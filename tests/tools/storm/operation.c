// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The operations of a worker, and how often each comes.
 */
#include "report.h"
#include "worker.h"

static u32 pick_side(struct worker *w)
{
	return random_below(&w->rng, 2);
}

static struct end *pick_end(struct worker *w)
{
	return &w->end[pick_side(w)];
}

/* Both halves are there, connected to each other, and busy */
static void do_open(struct worker *w, u32 link)
{
	struct link *l = &w->link[link];
	u32 side, count = 1 + random_below(&w->rng, 16);

	for (side = 0; side < 2; side++)
		if (!l->half[side].qp)
			half_open(w, l, side);
	for (side = 0; side < 2; side++)
		if (l->half[side].qp && !w->over)
			half_connect(w, l, side);
	for (side = 0; side < 2; side++)
		post_receives(w, link, side);
	for (side = 0; side < 2; side++)
		post_sends(w, link, side, count);
}

static void do_traffic(struct worker *w, u32 link)
{
	u32 side = pick_side(w);

	post_receives(w, link, side);
	post_receives(w, link, !side);
	post_sends(w, link, side, 1 + random_below(&w->rng, 16));
	post_sends(w, link, !side, random_below(&w->rng, 16));
}

static void do_close_one(struct worker *w, u32 link)
{
	half_close(w, &w->link[link], pick_side(w));
}

static void do_close_both(struct worker *w, u32 link)
{
	u32 side = pick_side(w);

	half_close(w, &w->link[link], side);
	half_close(w, &w->link[link], !side);
}

static void do_error(struct worker *w, u32 link)
{
	struct half *h = &w->link[link].half[pick_side(w)];

	/* From RESET it leads nowhere */
	if (h->qp && h->ready)
		half_modify(w, h, IBV_QPS_ERR);
}

static void do_reset(struct worker *w, u32 link)
{
	struct half *h = &w->link[link].half[pick_side(w)];

	if (h->qp)
		half_reset(w, h);
}

static void do_pause(struct worker *w, u32 link)
{
	struct half *h = &w->link[link].half[pick_side(w)];

	if (h->qp && h->ready && half_modify(w, h, IBV_QPS_SQD))
		half_modify(w, h, IBV_QPS_RTS);
}

static void do_query(struct worker *w, u32 link)
{
	struct half *h = &w->link[link].half[pick_side(w)];

	if (h->qp)
		half_query(w, h);
}

static void do_multicast(struct worker *w, u32 link)
{
	half_multicast(w, &w->link[link], pick_side(w));
}

static void do_ah(struct worker *w, u32 link)
{
	half_replace_ah(w, &w->link[link], pick_side(w));
}

static void do_bind(struct worker *w, u32 link)
{
	post_bind(w, link, pick_side(w));
}

static void do_resize_cq(struct worker *w, u32 link)
{
	(void)link;
	slot_resize(w, pick_end(w));
}

static void do_replace_cq(struct worker *w, u32 link)
{
	(void)link;
	slot_replace(w, pick_end(w));
}

static void do_change_srq(struct worker *w, u32 link)
{
	(void)link;
	srq_change(w, pick_end(w));
}

static void do_replace_srq(struct worker *w, u32 link)
{
	(void)link;
	srq_replace(w, pick_end(w));
}

static void do_replace_mr(struct worker *w, u32 link)
{
	(void)link;
	memory_replace(w, pick_end(w));
}

static void do_change_mr(struct worker *w, u32 link)
{
	(void)link;
	memory_change(w, pick_end(w));
}

static void do_replace_mw(struct worker *w, u32 link)
{
	(void)link;
	window_replace(w, pick_end(w));
}

static const struct operation {
	const char *name;
	u32 weight;
	void (*run)(struct worker *w, u32 link);
} operations[] = {
	{ "open", 18, do_open },
	{ "traffic", 24, do_traffic },
	{ "close one", 12, do_close_one },
	{ "close both", 8, do_close_both },
	{ "error", 4, do_error },
	{ "reset", 4, do_reset },
	{ "pause", 3, do_pause },
	{ "query", 2, do_query },
	{ "multicast", 3, do_multicast },
	{ "address handle", 3, do_ah },
	{ "bind", 5, do_bind },
	{ "resize CQ", 5, do_resize_cq },
	{ "replace CQ", 3, do_replace_cq },
	{ "change SRQ", 3, do_change_srq },
	{ "replace SRQ", 2, do_replace_srq },
	{ "replace MR", 2, do_replace_mr },
	{ "change MR", 1, do_change_mr },
	{ "replace MW", 2, do_replace_mw },
};

static const struct operation *pick(struct worker *w)
{
	u32 i, total = 0, at;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		total += operations[i].weight;
	at = random_below(&w->rng, total);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return &operations[i];
}

/* Numbers of its own for each operation: what came of those before does not change them */
void operation_do(struct worker *w, u64 index)
{
	const struct operation *o;

	random_start(&w->rng, report_seed(), (u64)w->number << 40 | index);
	o = pick(w);
	report_where("worker", w->number, index, o->name);
	o->run(w, random_below(&w->rng, WORKER_LINKS));
	tally(TALLY_OPERATIONS);
}
