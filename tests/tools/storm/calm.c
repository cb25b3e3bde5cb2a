// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic that nobody may disturb. In each round one side sends, writes, reads and adds, and waits
 * for all completions of both; then the contents are compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "calm.h"
#include "clock.h"
#include "qpattr.h"
#include "random.h"
#include "report.h"

#define PIECES		4
#define PIECE_BYTES	16384
#define ANSWER_MS	90000

/* Areas of a buffer: PIECES each */
enum area {
	AREA_SOURCE,	/* of sends and writes, and what the peer reads */
	AREA_RECEIVED,
	AREA_WRITTEN,
	AREA_READ,
	AREA_COUNTER,	/* what the peer adds to */
	AREA_ORIGINAL,	/* what an addition found */
	AREAS,
};

#define BUFFER_BYTES	((size_t)AREAS * PIECES * PIECE_BYTES)

struct calm_side {
	struct host *host;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	u8 *buffer;
	u32 psn;
	u32 events;	/* to be acknowledged */
};

struct calm_link {
	struct random rng;
	struct calm_side side[2];
	u32 length[PIECES];
	bool over;	/* a device is gone */
};

static bool good(struct calm_link *l, struct calm_side *s, const char *verb, int err)
{
	if (!err)
		return true;
	if (hosts_excuse(l->side[0].host, l->side[1].host, err))
		l->over = true;
	else
		fail("%s: %s: %s", s->host->name, verb, strerror(err));
	return false;
}

static u8 *place(const struct calm_side *s, enum area area, u32 piece)
{
	return s->buffer + ((size_t)area * PIECES + piece) * PIECE_BYTES;
}

static bool make_objects(struct calm_link *l, struct calm_side *s)
{
	struct ibv_context *ctx = s->host->dev.ctx;
	struct ibv_qp_init_attr init = {
		.cap = { 4 * PIECES, PIECES, 1, 1, 0 }, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
	};

	s->pd = ibv_alloc_pd(ctx);
	s->channel = ibv_create_comp_channel(ctx);
	s->cq = ibv_create_cq(ctx, 8 * PIECES, NULL, s->channel, 0);
	if (!s->pd || !s->channel || !s->cq ||
	    posix_memalign((void **)&s->buffer, 4096, BUFFER_BYTES))
		return good(l, s, "PD, channel, CQ", errno ? errno : ENOMEM);
	memset(s->buffer, 0, BUFFER_BYTES);
	s->mr = ibv_reg_mr(s->pd, s->buffer, BUFFER_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	init.send_cq = s->cq;
	init.recv_cq = s->cq;
	s->qp = s->mr ? ibv_create_qp(s->pd, &init) : NULL;
	s->psn = random_below(&l->rng, 1 << 24);
	return s->qp || good(l, s, "MR, QP", errno ? errno : ENOMEM);
}

static bool join(struct calm_link *l, u32 side)
{
	struct calm_side *s = &l->side[side], *peer = &l->side[!side];
	struct qp_path p;

	qpattr_defaults(&p);
	p.timeout += 3;
	p.peer.qpn = peer->qp->qp_num;
	p.peer.psn = peer->psn;
	p.peer.gid = peer->host->dev.gid;
	p.sgid_index = s->host->dev.gid_index;
	p.sq_psn = s->psn;
	return good(l, s, "ibv_modify_qp", qpattr_to_rts(s->qp, &p));
}

/* Each piece is of another length, and of bytes that only this round has */
static void fill(struct calm_link *l, struct calm_side *s)
{
	u32 i, k;

	for (i = 0; i < PIECES; i++) {
		u8 *p = place(s, AREA_SOURCE, i);

		l->length[i] = 8 + random_below(&l->rng, PIECE_BYTES - 8);
		for (k = 0; k < l->length[i]; k += 8)
			*(u64 *)(p + k) = random_u64(&l->rng);
	}
}

static bool post_recv(struct calm_link *l, struct calm_side *s, u32 piece)
{
	struct ibv_sge sge = {
		(uintptr_t)place(s, AREA_RECEIVED, piece), PIECE_BYTES, s->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = piece, .sg_list = &sge, .num_sge = 1 }, *bad;

	return good(l, s, "ibv_post_recv", ibv_post_recv(s->qp, &wr, &bad));
}

static bool post_one(struct calm_link *l, u32 side, enum ibv_wr_opcode opcode, u32 piece)
{
	struct calm_side *s = &l->side[side], *peer = &l->side[!side];
	bool read = opcode == IBV_WR_RDMA_READ, atomic = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	enum area area = read ? AREA_READ : atomic ? AREA_ORIGINAL : AREA_SOURCE;
	struct ibv_sge sge = {
		(uintptr_t)place(s, area, piece), atomic ? 8 : l->length[piece], s->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = 100 + opcode, .opcode = opcode, .sg_list = &sge, .num_sge = 1,
	};
	struct ibv_send_wr *bad;

	if (atomic) {
		wr.wr.atomic.remote_addr = (uintptr_t)place(peer, AREA_COUNTER, piece);
		wr.wr.atomic.rkey = peer->mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)place(peer, read ? AREA_SOURCE : AREA_WRITTEN,
							  piece);
		wr.wr.rdma.rkey = peer->mr->rkey;
	}
	return good(l, s, "ibv_post_send", ibv_post_send(s->qp, &wr, &bad));
}

static bool wait_event(struct calm_link *l, struct calm_side *s, u64 limit)
{
	struct pollfd p = { .fd = s->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	for (;;) {
		if (atomic_load(&l->side[0].host->gone) || atomic_load(&l->side[1].host->gone)) {
			l->over = true;
			return false;
		}
		if (clock_passed(limit)) {
			fail("%s: no completion", s->host->name);
			return false;
		}
		if (poll(&p, 1, 200) > 0)
			break;
	}
	if (ibv_get_cq_event(s->channel, &cq, &context))
		return good(l, s, "ibv_get_cq_event", errno);
	s->events++;
	return true;
}

static bool take(struct calm_link *l, struct calm_side *s, const struct ibv_wc *wc)
{
	/* The peer of a device that goes has errors for a reason */
	if (wc->status != IBV_WC_SUCCESS) {
		if (hosts_excuse(l->side[0].host, l->side[1].host, EIO))
			l->over = true;
		else
			fail("%s: request %llu completed with %s", s->host->name,
			     (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status));
		return false;
	}
	tally(TALLY_COMPLETIONS);
	return true;
}

/* @count completions of @s, asleep until they come */
static bool collect(struct calm_link *l, struct calm_side *s, u32 count)
{
	u64 limit = clock_limit(ANSWER_MS);
	struct ibv_wc wc;
	int ret;

	while (count) {
		ret = ibv_poll_cq(s->cq, 1, &wc);
		if (!ret) {
			ibv_req_notify_cq(s->cq, 0);
			ret = ibv_poll_cq(s->cq, 1, &wc);
		}
		if (ret < 0)
			return good(l, s, "ibv_poll_cq", EIO);
		if (ret && !take(l, s, &wc))
			return false;
		if (!ret && !wait_event(l, s, limit))
			return false;
		count -= ret;
	}
	return true;
}

static void compare(struct calm_link *l, struct calm_side *from, struct calm_side *to,
		    enum area area, enum area source)
{
	u32 i;

	for (i = 0; i < PIECES; i++) {
		if (memcmp(place(from, source, i), place(to, area, i), l->length[i]))
			fail("%s: wrong contents in area %u", to->host->name, area);
		tally(TALLY_VERIFIED);
	}
}

/* Each round adds 1 in each place */
static void check_counters(struct calm_side *s, u64 round)
{
	u32 i;

	for (i = 0; i < PIECES; i++)
		if (*(u64 *)place(s, AREA_ORIGINAL, i) != round)
			fail("%s: an addition found %llu", s->host->name,
			     *(unsigned long long *)place(s, AREA_ORIGINAL, i));
}

/* All operations from side @side to the other */
static bool one_round(struct calm_link *l, u32 side, u64 round)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct calm_side *s = &l->side[side], *peer = &l->side[!side];
	u32 i, k;

	fill(l, s);
	memcpy(place(peer, AREA_SOURCE, 0), place(s, AREA_SOURCE, 0),
	       (size_t)PIECES * PIECE_BYTES);
	for (i = 0; i < PIECES; i++)
		if (!post_recv(l, peer, i))
			return false;
	for (k = 0; k < ARRAY_SIZE(opcodes); k++)
		for (i = 0; i < PIECES; i++)
			if (!post_one(l, side, opcodes[k], i))
				return false;
	if (!collect(l, s, PIECES * ARRAY_SIZE(opcodes)) || !collect(l, peer, PIECES))
		return false;
	compare(l, s, peer, AREA_RECEIVED, AREA_SOURCE);
	compare(l, s, peer, AREA_WRITTEN, AREA_SOURCE);
	compare(l, peer, s, AREA_READ, AREA_SOURCE);
	check_counters(s, round);
	return true;
}

static void drop(struct calm_link *l, struct calm_side *s)
{
	if (s->qp)
		good(l, s, "ibv_destroy_qp", ibv_destroy_qp(s->qp));
	if (s->events)
		ibv_ack_cq_events(s->cq, s->events);
	if (s->cq)
		good(l, s, "ibv_destroy_cq", ibv_destroy_cq(s->cq));
	if (s->channel)
		ibv_destroy_comp_channel(s->channel);
	if (s->mr)
		good(l, s, "ibv_dereg_mr", ibv_dereg_mr(s->mr));
	if (s->pd)
		good(l, s, "ibv_dealloc_pd", ibv_dealloc_pd(s->pd));
	free(s->buffer);
}

static bool wanted(const struct calm *c, u64 round)
{
	return c->rounds ? round < c->rounds : !atomic_load(c->stop);
}

void calm_run(struct calm *c)
{
	struct calm_link l = { .side = { { .host = c->hosts[0] }, { .host = c->hosts[1] } } };
	u64 i = 0;

	random_start(&l.rng, report_seed(), 2000 + c->number);
	report_where("calm", c->number, 0, "set-up");
	if (make_objects(&l, &l.side[0]) && make_objects(&l, &l.side[1]) &&
	    join(&l, 0) && join(&l, 1))
		for (; wanted(c, i) && !l.over && !failed(); i++) {
			report_where("calm", c->number, i, "round");
			if (!one_round(&l, 0, i) || !one_round(&l, 1, i))
				break;
			tally(TALLY_OPERATIONS);
		}
	drop(&l, &l.side[0]);
	drop(&l, &l.side[1]);
}
