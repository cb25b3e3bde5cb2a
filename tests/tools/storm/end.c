// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an end has besides QPs and memory: its PD, a channel, CQs and an SRQ.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "worker.h"

static bool make_channel(struct worker *w, struct end *e)
{
	int fd;

	e->channel = ibv_create_comp_channel(e->host->dev.ctx);
	if (!e->channel)
		return verb_ok(w, e->host, "ibv_create_comp_channel", errno);
	fd = e->channel->fd;
	return verb_ok(w, e->host, "fcntl",
		       fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ? errno : 0);
}

/* Half of the CQs have a channel */
static struct ibv_cq *make_cq(struct worker *w, struct end *e)
{
	struct ibv_comp_channel *channel = random_chance(&w->rng, 50) ? e->channel : NULL;
	u32 size = CQ_LEAST + random_below(&w->rng, CQ_MOST - CQ_LEAST);
	struct ibv_cq *cq = ibv_create_cq(e->host->dev.ctx, size, NULL, channel, 0);

	if (cq)
		tally(TALLY_CQS);
	else
		verb_ok(w, e->host, "ibv_create_cq", errno);
	return cq;
}

static void slot_set(struct slot *s, struct ibv_cq *cq)
{
	pthread_mutex_lock(&s->lock);
	s->cq = cq;
	pthread_mutex_unlock(&s->lock);
}

static struct slot *pick_slot(struct worker *w, struct end *e)
{
	return &e->slot[random_below(&w->rng, WORKER_SLOTS)];
}

/* While the companion polls it */
void slot_resize(struct worker *w, struct end *e)
{
	struct slot *s = pick_slot(w, e);
	u32 size = CQ_LEAST + random_below(&w->rng, CQ_MOST - CQ_LEAST);

	if (s->cq && verb_ok(w, e->host, "ibv_resize_cq", ibv_resize_cq(s->cq, size)))
		tally(TALLY_RESIZES);
}

/* What is in use must stay; with a device that is gone it does not matter */
static void expect_busy(struct worker *w, struct end *e, const char *what, int err)
{
	if (err == EBUSY)
		return;
	if (!err && hosts_excuse(e->host, e->host, EIO))
		w->over = true;
	else if (!err)
		fail("%s: a %s in use was destroyed", e->host->name, what);
	else
		verb_ok(w, e->host, what, err);
}

static void destroy_busy_cq(struct worker *w, struct end *e, struct slot *s)
{
	int err;

	pthread_mutex_lock(&s->lock);
	err = ibv_destroy_cq(s->cq);
	if (!err)
		s->cq = NULL;
	pthread_mutex_unlock(&s->lock);
	expect_busy(w, e, "CQ", err);
}

void slot_replace(struct worker *w, struct end *e)
{
	struct slot *s = pick_slot(w, e);
	struct ibv_cq *cq = s->cq;

	if (s->users) {
		destroy_busy_cq(w, e, s);
		return;
	}
	slot_set(s, NULL);
	if (cq && !verb_ok(w, e->host, "ibv_destroy_cq", ibv_destroy_cq(cq)))
		return;
	slot_set(s, make_cq(w, e));
}

static bool make_srq(struct worker *w, struct end *e)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = SRQ_DEPTH, .max_sge = 2 },
	};

	e->srq = ibv_create_srq(e->pd, &init);
	if (!e->srq)
		return verb_ok(w, e->host, "ibv_create_srq", errno);
	atomic_store(&e->srq_posted, 0);
	tally(TALLY_SRQS);
	return true;
}

/* While QPs take receives from it */
void srq_change(struct worker *w, struct end *e)
{
	struct ibv_srq_attr attr = {
		.max_wr = SRQ_DEPTH * (1 + random_below(&w->rng, 8)),
		.srq_limit = random_below(&w->rng, SRQ_DEPTH),
	};
	int mask = 1 + random_below(&w->rng, 3);

	if (e->srq && verb_ok(w, e->host, "ibv_modify_srq", ibv_modify_srq(e->srq, &attr, mask)) &&
	    mask & IBV_SRQ_MAX_WR)
		tally(TALLY_RESIZES);
}

void srq_replace(struct worker *w, struct end *e)
{
	int err = e->srq ? ibv_destroy_srq(e->srq) : 0;

	if (e->srq_users) {
		expect_busy(w, e, "SRQ", err);
		return;
	}
	if (!verb_ok(w, e->host, "ibv_destroy_srq", err))
		return;
	e->srq = NULL;
	if (make_srq(w, e))
		srq_fill(w, e);
}

/* Completions that a QP took with it when it went are never counted back: then it stays emptier */
void srq_fill(struct worker *w, struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buffer, 8192, e->mr->lkey };
	struct ibv_recv_wr wr = {
		.wr_id = tag_pack((struct tag){ .recv = true, .srq = true }),
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;
	u32 count = random_below(&w->rng, SRQ_DEPTH);

	for (; e->srq && count && atomic_load(&e->srq_posted) < SRQ_DEPTH; count--) {
		atomic_fetch_add(&e->srq_posted, 1);
		if (!verb_ok(w, e->host, "ibv_post_srq_recv", ibv_post_srq_recv(e->srq, &wr, &bad)))
			return;
		tally(TALLY_POSTS);
	}
}

bool end_open(struct worker *w, struct end *e, struct host *host)
{
	u32 i;

	e->host = host;
	for (i = 0; i < WORKER_SLOTS; i++)
		pthread_mutex_init(&e->slot[i].lock, NULL);
	e->pd = ibv_alloc_pd(host->dev.ctx);
	if (!e->pd)
		return verb_ok(w, host, "ibv_alloc_pd", errno);
	if (!make_channel(w, e) || !memory_register(w, e) || !make_srq(w, e))
		return false;
	for (i = 0; i < WORKER_SLOTS; i++) {
		e->slot[i].cq = make_cq(w, e);
		if (!e->slot[i].cq)
			return false;
	}
	return true;
}

/* Nothing may be left that uses anything of it */
void end_close(struct worker *w, struct end *e)
{
	u32 i;

	for (i = 0; i < WORKER_SLOTS; i++)
		if (e->slot[i].cq)
			verb_ok(w, e->host, "ibv_destroy_cq", ibv_destroy_cq(e->slot[i].cq));
	if (e->srq)
		verb_ok(w, e->host, "ibv_destroy_srq", ibv_destroy_srq(e->srq));
	memory_free(w, e);
	verb_ok(w, e->host, "ibv_destroy_comp_channel", ibv_destroy_comp_channel(e->channel));
	verb_ok(w, e->host, "ibv_dealloc_pd", ibv_dealloc_pd(e->pd));
	free(e->buffer);
}
