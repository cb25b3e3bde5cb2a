// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UD: data, the GRH area, address handles, addressing.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "res.h"
#include "sizes.h"
#include "tables.h"
#include "udlink.h"

#define AHS	8
#define STREAM	100

static void need_clean_wire(struct test *t)
{
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
}

/* The sizes of the table that fit, and the path MTU. */
static u32 fitting_sizes(u32 mtu, u32 *lens)
{
	u32 i, n = 0;

	for (i = 0; i < sizes_num && sizes[i] < mtu; i++)
		lens[n++] = sizes[i];
	lens[n++] = mtu - 1;
	lens[n++] = mtu;
	return n;
}

static void send_sizes(struct ud *u, const u32 *lens, u32 n)
{
	struct ibv_sge sge;
	u32 i;

	for (i = 0; i < n; i++) {
		struct ibv_send_wr wr = ud_wr(u, i, &sge, lens[i]);

		if (u->t->c->arg) {
			wr.opcode = IBV_WR_SEND_WITH_IMM;
			wr.imm_data = htobe32(0xabcd0000 + i);
		}
		link_post(u->l, &wr);
		cq_expect_ok(u->t, u->l->scq, i, IBV_WC_SEND);
	}
}

static void receive_sizes(struct ud *u, const u32 *lens, u32 n)
{
	struct ibv_wc wc;
	u32 i;

	for (i = 0; i < n; i++) {
		struct grh_want want = {
			.len = lens[i],
			.imm = u->t->c->arg,
		};

		cq_next(u->t, u->l->rcq, &wc);
		ud_check(u, &wc, i, i % 8, i, &want);
		if (want.imm && wc.imm_data != htobe32(0xabcd0000 + i))
			test_fail(u->t, "immediate %#x", be32toh(wc.imm_data));
	}
}

static void run_sizes(struct test *t)
{
	u32 lens[32], n, i, dir;
	struct link_opts o;
	struct ud *u;

	need_clean_wire(t);
	ud_defaults(t, &o);
	o.extended = !strncmp(t->c->name, "wr_", 3);
	u = ud_open(t, &o, 32);
	n = fitting_sizes(u->mtu, lens);
	for (dir = 0; dir < 2; dir++) {
		bool sender = t->client == !dir;

		for (i = 0; !sender && i < n; i++)
			ud_recv(u, i, i % 8, lens[i] + i % 5);
		test_sync(t);
		if (sender)
			send_sizes(u, lens, n);
		else
			receive_sizes(u, lens, n);
		test_sync(t);
	}
}

/* One QP, one destination, address handles that differ in what the packet carries. */
static void run_ahs(struct test *t)
{
	struct ud *u;
	u32 i;

	need_clean_wire(t);
	u = ud_open_plain(t, AHS);
	for (i = 0; !t->client && i < AHS; i++)
		ud_recv(u, i, 0, 100);
	test_sync(t);
	for (i = 0; i < AHS; i++) {
		struct grh_want want = {
			.len = 50 + i,
			.traffic_class = i << 5,
		};

		if (t->client) {
			struct ibv_sge sge;
			struct ibv_send_wr wr;

			u->ah = ud_ah(u, want.traffic_class);
			wr = ud_wr(u, i, &sge, want.len);
			link_post(u->l, &wr);
			cq_expect_ok(t, u->l->scq, i, IBV_WC_SEND);
		} else {
			ud_expect(u, i, 0, i, &want);
		}
	}
}

/* An address handle may be destroyed as soon as its request is complete, and made again. */
static void run_ah_churn(struct test *t)
{
	struct grh_want want = { .len = 64 };
	struct ud *u;
	u32 i;

	need_clean_wire(t);
	u = ud_open_plain(t, 64);
	for (i = 0; !t->client && i < 64; i++)
		ud_recv(u, i, 0, 64);
	test_sync(t);
	for (i = 0; i < 64; i++) {
		if (t->client) {
			ud_send(u, i, 64);
			if (res_drop(t, u->ah))
				test_fail(t, "ibv_destroy_ah fails");
			u->ah = ud_ah(u, 0);
		} else {
			ud_expect(u, i, 0, i, &want);
		}
	}
}

/* The receive completion says from which QP the datagram came. */
static void run_two_qps(struct test *t)
{
	struct grh_want want = { .len = 100 };
	struct ud *u[2];
	u32 i;

	need_clean_wire(t);
	for (i = 0; i < 2; i++)
		u[i] = ud_open_plain(t, 16);
	for (i = 0; i < 2; i++)
		ud_recv(u[i], 0, 0, 100);
	test_sync(t);
	/* crosswise: QP 0 to the peer's QP 1 and the other way round */
	for (i = 0; t->client && i < 2; i++) {
		struct ibv_sge sge;
		struct ibv_send_wr wr = ud_wr(u[i], 2, &sge, 100);

		wr.wr.ud.remote_qpn = u[!i]->l->path.peer.qpn;
		link_post(u[i]->l, &wr);
		cq_expect_ok(t, u[i]->l->scq, 2, IBV_WC_SEND);
	}
	for (i = 0; !t->client && i < 2; i++) {
		struct ibv_wc wc;

		cq_next(t, u[i]->l->rcq, &wc);
		if (wc.src_qp != u[!i]->l->path.peer.qpn)
			test_fail(t, "src_qp is %#x, expected %#x", wc.src_qp,
				  u[!i]->l->path.peer.qpn);
		wc.src_qp = u[i]->l->path.peer.qpn;
		ud_check(u[i], &wc, 0, 0, 2, &want);
	}
}

/* The server answers with nothing but what the datagram told it. */
static void run_reply(struct test *t)
{
	struct grh_want want = { .len = 200 };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct ud *u;

	need_clean_wire(t);
	u = ud_open_plain(t, 4);
	ud_recv(u, 0, 0, 200);
	test_sync(t);
	if (t->client) {
		ud_send(u, 1, 200);
		cq_next(t, u->l->rcq, &wc);
		ud_check(u, &wc, 0, 0, 2, &want);
		return;
	}
	cq_next(t, u->l->rcq, &wc);
	wc_check(t, &wc, 0, IBV_WC_SUCCESS);
	u->ah = ibv_create_ah_from_wc(t->pd, &wc, (struct ibv_grh *)u->b->p, DEV_PORT);
	if (!u->ah)
		test_fail(t, "ibv_create_ah_from_wc: %s", strerror(errno));
	wr = ud_wr(u, 2, &sge, 200);
	wr.wr.ud.remote_qpn = wc.src_qp;
	link_post(u->l, &wr);
	cq_expect_ok(t, u->l->scq, 2, IBV_WC_SEND);
	if (ibv_destroy_ah(u->ah))
		test_fail(t, "ibv_destroy_ah fails");
}

/* Gathered from three pieces, scattered to three, the first border inside the GRH. */
static void run_sge(struct test *t)
{
	static const u32 from[] = { 3, 500, 97 }, to[] = { 17, 123, 500 };
	struct grh_want want = { .len = 600 };
	u8 whole[GRH_LEN + 600];
	struct ibv_sge sge[3];
	struct ibv_send_wr wr;
	struct link_opts o;
	struct ibv_wc wc;
	struct ud *u;
	u32 i, pos;

	need_clean_wire(t);
	ud_defaults(t, &o);
	o.cap.max_send_sge = 3;
	o.cap.max_recv_sge = 3;
	u = ud_open(t, &o, 3);
	for (i = 0; i < 3; i++)
		sge[i] = buf_sge(u->b, i * UD_SLOT + i, t->client ? from[i] : to[i]);
	if (!t->client)
		link_recv(u->l, 0, sge, 3);
	test_sync(t);
	if (t->client) {
		wr = ud_wr(u, 0, &sge[0], 3);
		for (i = pos = 0; i < 3; pos += from[i++])
			pattern_fill(u->b->p + i * UD_SLOT + i, from[i], t->key, pos);
		wr.num_sge = 3;
		link_post(u->l, &wr);
		cq_expect_ok(t, u->l->scq, 0, IBV_WC_SEND);
		return;
	}
	cq_next(t, u->l->rcq, &wc);
	wc_check(t, &wc, 0, IBV_WC_SUCCESS);
	for (i = pos = 0; i < 3; pos += to[i++])
		memcpy(whole + pos, u->b->p + i * UD_SLOT + i, to[i]);
	grh_check(t, whole, &u->l->path.peer.gid, &want);
	pattern_check(t, whole + GRH_LEN, 600, t->key, "datagram");
}

static void run_inline(struct test *t)
{
	struct link_opts o;
	struct ud *u;
	u32 i;

	need_clean_wire(t);
	ud_defaults(t, &o);
	o.cap.max_inline_data = 60;
	u = ud_open(t, &o, 61);
	for (i = 0; !t->client && i <= 60; i++)
		ud_recv(u, i, 1, i);
	test_sync(t);
	for (i = 0; i <= 60; i++) {
		struct grh_want want = { .len = i };

		if (t->client) {
			struct ibv_sge sge;
			struct ibv_send_wr wr = ud_wr(u, i, &sge, i);

			wr.send_flags |= IBV_SEND_INLINE;
			sge.lkey = 0xdeadbeef;
			link_post(u->l, &wr);
			memset(u->b->p + i * UD_SLOT, 0, i);
			cq_expect_ok(t, u->l->scq, i, IBV_WC_SEND);
		} else {
			ud_expect(u, i, 1, i, &want);
		}
	}
}

static u32 stream_len(struct test *t, u32 i)
{
	return 1 + test_rnd(t, i) % 1000;
}

static void stream_receive(struct ud *u)
{
	struct test *t = u->t;
	struct ibv_wc wc;
	u32 k, i;

	for (k = 0; k < STREAM && cq_try(t, u->l->rcq, &wc); k++) {
		struct grh_want want = { .imm = true };

		i = be32toh(wc.imm_data);
		want.len = stream_len(t, i);
		if (i >= STREAM)
			test_fail(t, "message %u of %u", i, STREAM);
		ud_check(u, &wc, k, 0, i, &want);
	}
	if (!k || (k < STREAM && !t->run->lossy))
		test_fail(t, "%u of %u datagrams arrived", k, STREAM);
}

/* On any wire: whatever arrives is whole.  It may be lost, come twice, or in another order. */
static void run_stream(struct test *t)
{
	struct ud *u = ud_open_plain(t, STREAM);
	u32 i;

	for (i = 0; !t->client && i < STREAM; i++)
		ud_recv(u, i, 0, UD_SLOT - GRH_LEN);
	test_sync(t);
	for (i = 0; t->client && i < STREAM; i++) {
		struct ibv_sge sge;
		struct ibv_send_wr wr = ud_wr(u, i, &sge, stream_len(t, i));

		wr.opcode = IBV_WR_SEND_WITH_IMM;
		wr.imm_data = htobe32(i);
		link_post(u->l, &wr);
		cq_expect_ok(t, u->l->scq, i, IBV_WC_SEND);
	}
	test_sync(t);
	if (!t->client)
		stream_receive(u);
}

const struct suite_case ud_cases[] = {
	{ "ud_send", run_sizes, "SEND on UD with the GRH checked", NULL },
	{ "ud_send_imm", run_sizes, "SEND_WITH_IMM on UD with the GRH checked", ARG_YES },
	{ "wr_ud_send", run_sizes, "ibv_wr_send on UD", NULL },
	{ "wr_ud_send_imm", run_sizes, "ibv_wr_send_imm on UD", ARG_YES },
	{ "ud_ahs", run_ahs, "address handles of different traffic classes", NULL },
	{ "ud_ah_churn", run_ah_churn, "a new address handle for each datagram", NULL },
	{ "ud_two_qps", run_two_qps, "destination and source QP numbers", NULL },
	{ "ud_reply", run_reply, "an answer by ibv_create_ah_from_wc", NULL },
	{ "ud_sge", run_sge, "scatter lists on UD, the GRH split", NULL },
	{ "ud_stream", run_stream, "what arrives is whole, on any wire", NULL },
	{ "ud_inline", run_inline, "inline data on UD", NULL },
	{ }
};
