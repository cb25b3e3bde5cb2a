// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UD: datagrams of a packet each, for who knows the Q_Key.
 */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "completion.h"
#include "conform.h"

#define GRH_BYTES	40
#define SEND_MS		4000
#define HEADER_AT	20	/* of an IPv4 header, in a GRH */

static void start(struct test *t)
{
	connect_qp(t, IBV_QPT_UD);
	post_receives(t, 2, GRH_BYTES + 64);
}

static void arrives(struct test *t)
{
	struct ibv_wc *wc;

	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	wc = expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_value(t, "bytes", wc->byte_len, GRH_BYTES + 8);
	expect_that(t, wc->wc_flags & IBV_WC_GRH, "the flag of a GRH");
	expect_value(t, "source QPN", wc->src_qp, t->peer_qpn);
	expect_value(t, "first byte", t->w->memory[ZONE_LOCAL][GRH_BYTES], payload_byte(0));
	expect_nothing(t);
}

static void global_header(struct test *t)
{
	const u8 *grh = t->w->memory[ZONE_LOCAL];
	const u8 *source = t->w->peer.gid.raw, *target = t->w->peer.device_gid.raw;

	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	if (t->w->peer.ipv6) {
		expect_value(t, "IP version", grh[0] >> 4, 6);
		expect_that(t, !memcmp(grh + 8, source, 16), "the source address");
		expect_that(t, !memcmp(grh + 24, target, 16), "the destination address");
	} else {
		grh += HEADER_AT;
		expect_value(t, "IP version", grh[0] >> 4, 4);
		expect_that(t, !memcmp(grh + 12, source + 12, 4), "the source address");
		expect_that(t, !memcmp(grh + 16, target + 12, 4), "the destination address");
	}
}

static void brings_immediate(struct test *t)
{
	struct ibv_wc *wc;

	start(t);
	ask(t, OP_SEND_ONLY_IMM, 0, 8);
	wc = expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_that(t, wc->wc_flags & IBV_WC_WITH_IMM, "immediate data");
	expect_value(t, "immediate data", __builtin_bswap32(wc->imm_data), t->out.immediate);
}

/* The next datagram is the first that arrives */
static void only_next_arrives(struct test *t)
{
	ask(t, OP_SEND_ONLY, 1, 16);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     GRH_BYTES + 16);
	expect_no_completion(t);
	expect_nothing(t);
}

static void wrong_qkey(struct test *t)
{
	start(t);
	request(t, OP_SEND_ONLY, 0, 8)->qkey++;
	but(t, "Q_Key + 1");
	put(t);
	only_next_arrives(t);
}

static void wrong_opcode(struct test *t)
{
	start(t);
	t->service = SERVICE_UC;
	ask(t, OP_SEND_ONLY, 0, 8);
	t->service = SERVICE_UD;
	only_next_arrives(t);
}

static void any_psn(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0x700000, 8);
	ask(t, OP_SEND_ONLY, 3, 16);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_completion(t, RECEIVE + 1, IBV_WC_SUCCESS);
}

/* It may take the receive with it */
static void beyond_receive(struct test *t)
{
	struct ibv_wc *wc;

	start(t);
	ask(t, OP_SEND_ONLY, 0, 65);
	ask(t, OP_SEND_ONLY, 1, 16);
	note(t->expected, "a completion of %u B, or a local length error", GRH_BYTES + 16);
	while (!has_completed(t))
		clock_sleep_ms(1);
	wc = &t->wc;
	note(t->seen, "%s, %u B", ibv_wc_status_str(wc->status), wc->byte_len);
	if (wc->status != IBV_WC_LOC_LEN_ERR &&
	    (wc->status || wc->byte_len != GRH_BYTES + 16))
		deviates(t);
}

static void no_receive(struct test *t)
{
	connect_qp(t, IBV_QPT_UD);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_no_more(t, 0);
	post_receive(t, GRH_BYTES + 64);
	only_next_arrives(t);
}

static u32 post_datagram(struct test *t, struct ibv_ah *ah, u32 qkey)
{
	struct ibv_sge sge = {
		(uintptr_t)t->w->memory[ZONE_LOCAL], 8, t->w->mr[ZONE_LOCAL]->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = t->posted++, .opcode = IBV_WR_SEND_WITH_IMM, .sg_list = &sge,
		.num_sge = 1, .imm_data = __builtin_bswap32(0x11223344),
		.wr.ud = { .ah = ah, .remote_qpn = t->peer_qpn, .remote_qkey = qkey },
	};
	int err;

	note(t->input, "post SEND_IMM 8 B, Q_Key 0x%x", qkey);
	err = ibv_post_send(t->qp, &wr, &bad);
	MUST(!err, "ibv_post_send: %s", strerror(err));
	return wr.wr_id;
}

static void sends(struct test *t)
{
	const u32 *qkey = t->rule->arg;
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;
	u32 request;

	connect_qp(t, IBV_QPT_UD);
	qpattr_ah(&attr, &t->w->peer.gid, t->path.sgid_index, 64);
	ah = ibv_create_ah(t->w->pd, &attr);
	MUST(ah, "ibv_create_ah: %s", strerror(errno));
	request = post_datagram(t, ah, *qkey);
	CHECK(!completion_reap(t->cq, 1, SEND_MS), "request %u", request);
	CHECK(!ibv_destroy_ah(ah), "ibv_destroy_ah: %s", strerror(errno));
	expect_request(t, OP_SEND_ONLY_IMM, 0, 8);
	expect_value(t, "source QPN", t->in.source_qpn, t->qp->qp_num);
	expect_value(t, "Q_Key", t->in.qkey, *qkey >> 31 ? t->path.qkey : *qkey);
	expect_value(t, "immediate data", t->in.immediate, 0x11223344);
}

const struct rule ud_rules[] = {
	{ "ud_arrives", arrives, "9.8.3, 11.4.2.1",
	  "a datagram arrives behind 40 bytes, with its source QPN" },
	{ "ud_grh", global_header, "A17, 11.4.2.1", "the 40 bytes have the IP header" },
	{ "ud_imm", brings_immediate, "9.8.3", "a datagram may have immediate data" },
	{ "ud_qkey", wrong_qkey, "9.6.1.4, 10.2.5", "a wrong Q_Key is dropped" },
	{ "ud_opcode", wrong_opcode, "9.6.1.1", "a packet of another service is dropped" },
	{ "ud_psn", any_psn, "9.8.3", "PSNs are not looked at" },
	{ "ud_beyond_receive", beyond_receive, "9.8.3",
	  "a datagram beyond the receive is dropped, with an error or without" },
	{ "ud_no_receive", no_receive, "9.8.3", "a datagram without a receive is dropped" },
	{ "ud_sends", sends, "9.8.3", "a datagram has the Q_Key that it is posted with",
	  &(const u32){ 0x2222 } },
	{ "ud_sends_own_qkey", sends, "10.2.5",
	  "with its highest bit set the Q_Key is that of the QP", &(const u32){ 0x80000001 } },
	{ }
};
