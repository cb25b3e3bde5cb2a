// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The passive side of connections over rdmacm: does what each request asks for, until one says that
 * it is the last and all others have come to their end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cm.h"
#include "modes.h"
#include "report.h"

#define CQ_ENTRIES	8192
#define LEFT_MS		120000
#define BATCH		32

struct server {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct ibv_pd *pd;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct connection *all;
	u32 count;
	bool stop;
};

static int open_device(struct server *s, struct ibv_context *ctx)
{
	int fd;

	s->pd = ibv_alloc_pd(ctx);
	s->completions = ibv_create_comp_channel(ctx);
	if (!s->pd || !s->completions)
		return -errno;
	fd = s->completions->fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	s->cq = ibv_create_cq(ctx, CQ_ENTRIES, NULL, s->completions, 0);
	return s->cq ? -ibv_req_notify_cq(s->cq, 0) : -errno;
}

static void forget(struct server *s, struct connection *c)
{
	struct connection **at;

	for (at = &s->all; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	s->count--;
	connection_drop(c);
}

static int accept_one(struct server *s, struct connection *c)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7,
	};
	int err;

	c->pd = s->pd;
	c->cq = s->cq;
	err = connection_make(c);
	if (err)
		return err;
	return rdma_accept(c->id, &param) ? -errno : 0;
}

static void on_request(struct server *s, struct rdma_cm_id *id, enum plan plan)
{
	struct connection *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c) {
		fail("no memory");
		return;
	}
	if (!s->cq)
		err = open_device(s, id->verbs);
	id->context = c;
	c->id = id;
	c->plan = plan;
	c->next = s->all;
	s->all = c;
	s->count++;
	s->stop |= plan == PLAN_STOP;
	if (!err && (plan == PLAN_REJECT || plan == PLAN_STOP)) {
		rdma_reject(id, NULL, 0);
		tally(TALLY_REJECTED);
		forget(s, c);
		return;
	}
	if (!err)
		err = accept_one(s, c);
	/* Who abandons a connection may do so before it is accepted */
	if (err && plan == PLAN_ABANDON)
		forget(s, c);
	else if (err)
		fail("accept of plan %u: %s", plan, strerror(-err));
}

static void on_established(struct server *s, struct connection *c)
{
	tally(TALLY_CONNECTIONS);
	if (c->plan == PLAN_SERVER_VANISH)
		forget(s, c);
	else if (c->plan == PLAN_SERVER_DISCONNECT && rdma_disconnect(c->id))
		fail("rdma_disconnect: %s", strerror(errno));
}

static void on_end(struct server *s, struct connection *c, enum rdma_cm_event_type type)
{
	if (type == RDMA_CM_EVENT_DISCONNECTED)
		rdma_disconnect(c->id);
	else if (c->plan != PLAN_ABANDON && c->plan != PLAN_VANISH)
		fail("plan %u ended by %s", c->plan, rdma_event_str(type));
	forget(s, c);
}

static void take_event(struct server *s)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;
	enum plan plan = PLAN_ABANDON;
	struct rdma_cm_id *id;

	if (rdma_get_cm_event(s->channel, &event))
		return;
	type = event->event;
	id = event->id;
	if (type == RDMA_CM_EVENT_CONNECT_REQUEST && event->param.conn.private_data_len)
		plan = *(const u8 *)event->param.conn.private_data;
	rdma_ack_cm_event(event);
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		on_request(s, id, plan);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		on_established(s, id->context);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		on_end(s, id->context, type);
	}
}

/* The answer is what came */
static void send_back(struct connection *c)
{
	memcpy(c->buffer, c->buffer + CM_BYTES, CM_BYTES);
	if (connection_send(c))
		fail("the answer cannot be sent");
	c->answered = true;
}

static void take_completions(struct server *s)
{
	struct ibv_wc wc[BATCH];
	struct ibv_cq *cq;
	void *context;
	int i, count;

	while (!ibv_get_cq_event(s->completions, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	ibv_req_notify_cq(s->cq, 0);
	while ((count = ibv_poll_cq(s->cq, BATCH, wc)) > 0) {
		tally_add(TALLY_COMPLETIONS, count);
		for (i = 0; i < count; i++)
			if (wc[i].status == IBV_WC_SUCCESS && wc[i].opcode == IBV_WC_RECV)
				send_back((struct connection *)(uintptr_t)wc[i].wr_id);
	}
}

static int open_listener(struct server *s)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(CM_PORT) };

	s->channel = rdma_create_event_channel();
	if (!s->channel)
		return -errno;
	if (rdma_create_id(s->channel, &s->listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(s->listener, (struct sockaddr *)&any) || rdma_listen(s->listener, 1024))
		return -errno;
	fcntl(s->channel->fd, F_SETFL, fcntl(s->channel->fd, F_GETFL) | O_NONBLOCK);
	return 0;
}

static void serve(struct server *s)
{
	u64 limit = 0;

	while (!failed() && !(s->stop && !s->count)) {
		struct pollfd p[2] = {
			{ .fd = s->channel->fd, .events = POLLIN },
			{ .fd = s->completions ? s->completions->fd : -1, .events = POLLIN },
		};

		poll(p, 2, 200);
		if (p[0].revents)
			take_event(s);
		if (p[1].revents)
			take_completions(s);
		if (s->stop && !limit)
			limit = clock_limit(LEFT_MS);
		if (limit && clock_passed(limit))
			fail("%u connections did not end, one of them of plan %u", s->count,
			     s->all->plan);
	}
}

void mode_listen(struct test *o)
{
	struct server s = { };
	int err = open_listener(&s);

	(void)o;
	if (err) {
		fail("cannot listen: %s", strerror(-err));
		return;
	}
	serve(&s);
	if (failed())
		return;
	rdma_destroy_id(s.listener);
	if (s.cq && (ibv_destroy_cq(s.cq) || ibv_destroy_comp_channel(s.completions) ||
		     ibv_dealloc_pd(s.pd)))
		fail("something is left of the connections: %s", strerror(errno));
	rdma_destroy_event_channel(s.channel);
}
