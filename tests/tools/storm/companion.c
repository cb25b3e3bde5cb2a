// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The companion of a worker polls its CQs, asks for events and takes some of them, while the worker
 * resizes and destroys CQs and QPs.
 *
 * A completion has to be of a QP that exists: once a QP is destroyed or in RESET, nothing of it may
 * be polled. The worker changes the generation of a half after that, with the locks of the slots
 * held, so that under one of them a poll and a look at the generation belong together.
 */
#include "clock.h"
#include "report.h"
#include "worker.h"

#define BATCH	16

#define STATUS(s)	(1u << IBV_WC_##s)

/* What may become of a request while its QP, its memory and its peer come and go */
#define STATUS_ANY	(STATUS(SUCCESS) | STATUS(WR_FLUSH_ERR) | STATUS(LOC_PROT_ERR))
#define STATUS_CONNECTED \
	(STATUS_ANY | STATUS(MW_BIND_ERR) | STATUS(LOC_ACCESS_ERR) | STATUS(REM_INV_REQ_ERR) | \
	 STATUS(REM_ACCESS_ERR) | STATUS(REM_OP_ERR) | STATUS(RETRY_EXC_ERR) | \
	 STATUS(RNR_RETRY_EXC_ERR))
/* The address handle went */
#define STATUS_DATAGRAM	(STATUS_ANY | STATUS(LOC_QP_OP_ERR))

static struct half *find_qp(struct worker *w, struct end *e, u32 qpn)
{
	struct half *h;
	u32 i;

	for (i = 0; i < WORKER_LINKS; i++) {
		h = &w->link[i].half[e - w->end];
		if (h->qpn == qpn)
			return h;
	}
	return NULL;
}

static struct half *find_half(struct worker *w, struct end *e, const struct ibv_wc *wc)
{
	struct tag t = tag_unpack(wc->wr_id);
	struct half *h;

	if (t.srq) {
		atomic_fetch_sub(&e->srq_posted, 1);
		return find_qp(w, e, wc->qp_num);
	}
	h = &w->link[t.link % WORKER_LINKS].half[t.half];
	if (h->generation != t.generation || h->qpn != wc->qp_num)
		return NULL;
	atomic_fetch_sub(t.recv ? &h->recvs : &h->sends, 1);
	return h;
}

static void take_completion(struct worker *w, struct end *e, const struct ibv_wc *wc)
{
	struct half *h = find_half(w, e, wc);
	u32 good;

	tally(TALLY_COMPLETIONS);
	if (wc->status != IBV_WC_SUCCESS)
		tally(TALLY_ERRORS);
	if (!h) {
		fail("a completion (%s) of QP %u, which is gone", ibv_wc_status_str(wc->status),
		     wc->qp_num);
		return;
	}
	good = h->link->type == IBV_QPT_UD ? STATUS_DATAGRAM : STATUS_CONNECTED;
	if (wc->status >= 32 || !(good & 1u << wc->status))
		fail("a request of QP %u of type %u completed with %s", wc->qp_num, h->link->type,
		     ibv_wc_status_str(wc->status));
}

/* Return: how many there were */
static u32 poll_slot(struct worker *w, struct end *e, struct slot *s, struct random *r)
{
	struct ibv_wc wc[BATCH];
	int i, count = 0;

	pthread_mutex_lock(&s->lock);
	if (s->cq) {
		if (random_chance(r, 25))
			ibv_req_notify_cq(s->cq, random_chance(r, 50));
		count = ibv_poll_cq(s->cq, BATCH, wc);
	}
	if (count < 0)
		fail("ibv_poll_cq returned %d", count);
	for (i = 0; i < count; i++)
		take_completion(w, e, &wc[i]);
	pthread_mutex_unlock(&s->lock);
	return count > 0 ? count : 0;
}

/* Not always: a CQ may go with events that nobody has read. One that was read keeps it. */
static void take_events(struct end *e)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(e->channel, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		tally(TALLY_CQ_EVENTS);
	}
}

void *companion(void *arg)
{
	struct worker *w = arg;
	struct random r;
	u32 i, count;

	random_start(&r, report_seed(), 1000 + w->number);
	report_where("companion", w->number, 0, "polls");
	while (!atomic_load(&w->stop)) {
		count = 0;
		for (i = 0; i < 2 * WORKER_SLOTS; i++)
			count += poll_slot(w, &w->end[i % 2], &w->end[i % 2].slot[i / 2], &r);
		if (random_chance(&r, 25)) {
			take_events(&w->end[0]);
			take_events(&w->end[1]);
		}
		if (!count)
			clock_sleep_ms(1);
	}
	/* Who destroys a CQ waits for the acknowledgment of its events */
	take_events(&w->end[0]);
	take_events(&w->end[1]);
	return NULL;
}
