// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The active side of connections over rdmacm. Each thread makes one after the other, and ends it as
 * planned.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cm.h"
#include "modes.h"
#include "random.h"
#include "report.h"

#define EVENT_MS	120000
#define THREADS_MOST	16

struct client {
	const struct test *o;
	u32 number;
	struct random rng;
	struct rdma_event_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
};

static bool good(const char *verb, int ret)
{
	if (ret)
		fail("%s: %s", verb, strerror(errno));
	return !ret;
}

/* Return: the next event of the connection, or -1 after fail() */
static int next_event(struct client *c)
{
	struct pollfd p = { .fd = c->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	int type;

	if (poll(&p, 1, clock_scaled_ms(EVENT_MS)) <= 0) {
		fail("no event of a connection");
		return -1;
	}
	if (!good("rdma_get_cm_event", rdma_get_cm_event(c->channel, &event)))
		return -1;
	type = event->event;
	rdma_ack_cm_event(event);
	return type;
}

static bool expect(struct client *c, enum rdma_cm_event_type type)
{
	int got = next_event(c);

	if (got >= 0 && (enum rdma_cm_event_type)got != type)
		fail("event %s instead of %s", rdma_event_str(got), rdma_event_str(type));
	return got >= 0 && !failed();
}

static bool open_device(struct client *c, struct ibv_context *ctx)
{
	if (c->cq)
		return true;
	c->pd = ibv_alloc_pd(ctx);
	c->cq = c->pd ? ibv_create_cq(ctx, 64, NULL, NULL, 0) : NULL;
	return good("PD, CQ", !c->cq);
}

static bool resolve(struct client *c, struct connection *n)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(n->plan == PLAN_NOBODY ? CM_DEAF_PORT : CM_PORT),
	};

	if (inet_pton(AF_INET, c->o->address, &to.sin_addr) != 1) {
		fail("'%s' is no IPv4 address", c->o->address);
		return false;
	}
	if (!good("rdma_create_id", rdma_create_id(c->channel, &n->id, n, RDMA_PS_TCP)) ||
	    !good("rdma_resolve_addr",
		  rdma_resolve_addr(n->id, NULL, (struct sockaddr *)&to, EVENT_MS)) ||
	    !expect(c, RDMA_CM_EVENT_ADDR_RESOLVED))
		return false;
	return good("rdma_resolve_route", rdma_resolve_route(n->id, EVENT_MS)) &&
	       expect(c, RDMA_CM_EVENT_ROUTE_RESOLVED) && open_device(c, n->id->verbs);
}

static bool request(struct client *c, struct connection *n)
{
	u8 plan = n->plan;
	struct rdma_conn_param param = {
		.private_data = &plan, .private_data_len = 1, .responder_resources = 1,
		.initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7,
	};
	int err;

	n->pd = c->pd;
	n->cq = c->cq;
	err = connection_make(n);
	if (err) {
		fail("objects of a connection: %s", strerror(-err));
		return false;
	}
	return good("rdma_connect", rdma_connect(n->id, &param));
}

/* Until the answer is there: the send's completion, the receive's, and the contents */
static bool exchange(struct client *c, struct connection *n)
{
	u64 limit = clock_limit(EVENT_MS);
	u32 left = 2;
	struct ibv_wc wc;
	int count;

	*(u64 *)n->buffer = random_u64(&c->rng);
	if (connection_send(n)) {
		fail("a message cannot be sent");
		return false;
	}
	while (left) {
		count = ibv_poll_cq(c->cq, 1, &wc);
		if (count && wc.status != IBV_WC_SUCCESS) {
			fail("a message: %s", ibv_wc_status_str(wc.status));
			return false;
		}
		left -= count;
		if (!count)
			clock_sleep_ms(1);
		if (clock_passed(limit)) {
			fail("a message has no answer");
			return false;
		}
	}
	if (memcmp(n->buffer, n->buffer + CM_BYTES, CM_BYTES))
		fail("the answer is another than the message");
	tally(TALLY_VERIFIED);
	return true;
}

/* Established, and now it ends as planned */
static void finish(struct client *c, struct connection *n)
{
	tally(TALLY_CONNECTIONS);
	switch (n->plan) {
	case PLAN_DISCONNECT:
		if (exchange(c, n) && good("rdma_disconnect", rdma_disconnect(n->id)))
			expect(c, RDMA_CM_EVENT_DISCONNECTED);
		break;
	case PLAN_VANISH:
		connection_send(n);
		break;
	default:
		connection_send(n);
		expect(c, RDMA_CM_EVENT_DISCONNECTED);
	}
}

static void run_plan(struct client *c, struct connection *n)
{
	if (!resolve(c, n) || !request(c, n))
		return;
	switch (n->plan) {
	case PLAN_REJECT:
	case PLAN_NOBODY:
	case PLAN_STOP:
		if (expect(c, RDMA_CM_EVENT_REJECTED))
			tally(TALLY_REJECTED);
		break;
	case PLAN_ABANDON:
		clock_sleep_ms(random_below(&c->rng, 4));
		break;
	default:
		if (expect(c, RDMA_CM_EVENT_ESTABLISHED))
			finish(c, n);
	}
}

static void one_connection(struct client *c, enum plan plan)
{
	struct connection *n = calloc(1, sizeof(*n));

	if (!n) {
		fail("no memory");
		return;
	}
	n->plan = plan;
	run_plan(c, n);
	connection_drop(n);
	tally(TALLY_OPERATIONS);
}

static bool client_open(struct client *c)
{
	c->channel = rdma_create_event_channel();
	return good("rdma_create_event_channel", !c->channel);
}

static void client_close(struct client *c)
{
	if (c->cq && ibv_destroy_cq(c->cq))
		fail("a CQ is in use still");
	if (c->pd && ibv_dealloc_pd(c->pd))
		fail("a PD is in use still");
	rdma_destroy_event_channel(c->channel);
}

static void *run(void *arg)
{
	struct client *c = arg;
	u64 i;

	for (i = 0; i < c->o->amount && !failed(); i++) {
		random_start(&c->rng, report_seed(), (u64)c->number << 40 | i);
		report_where("client", c->number, i, "connection");
		one_connection(c, random_below(&c->rng, PLANS));
	}
	return NULL;
}

void mode_connect(struct test *o)
{
	struct client clients[THREADS_MOST] = { };
	pthread_t threads[THREADS_MOST];
	u32 i, started;

	if (!o->address) {
		fail("no address to connect to");
		return;
	}
	for (started = 0; started < o->threads && started < THREADS_MOST; started++) {
		clients[started].o = o;
		clients[started].number = started;
		if (!client_open(&clients[started]) ||
		    pthread_create(&threads[started], NULL, run, &clients[started]))
			break;
	}
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (started)
		one_connection(&clients[0], PLAN_STOP);
	else
		fail("no thread");
	for (i = 0; i < started; i++)
		client_close(&clients[i]);
}
