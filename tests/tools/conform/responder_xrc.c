// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC: RC whose requests name an SRQ.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "conform.h"

#define RECEIVES	16

static void open_srq(struct test *t)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = RECEIVES, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = t->w->pd,
	};

	need_xrc(t);
	open_cq(t);
	t->xrcd = ibv_open_xrcd(t->w->dev.ctx, &domain);
	MUST(t->xrcd, "ibv_open_xrcd: %s", strerror(errno));
	attr.xrcd = t->xrcd;
	attr.cq = t->cq;
	t->srq = ibv_create_srq_ex(t->w->dev.ctx, &attr);
	MUST(t->srq, "ibv_create_srq_ex: %s", strerror(errno));
	connect_qp(t, IBV_QPT_XRC_RECV);
}

static void arrives(struct test *t)
{
	open_srq(t);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_value(t, "credit code", t->in.syndrome, CREDITS_NONE);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len, 8);
}

static void none_posted(struct test *t)
{
	open_srq(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_rnr(t, t->path.min_rnr_timer, 0);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
}

static void unknown_srq(struct test *t)
{
	open_srq(t);
	post_receive(t, 64);
	request(t, OP_SEND_ONLY, 0, 8)->srq_number ^= 0x800000;
	but(t, "another SRQ");
	put(t);
	expect_nak(t, NAK_INVALID_REQUEST, 0);
	expect_error_state(t);
}

static void reads(struct test *t)
{
	open_srq(t);
	ask(t, OP_READ_REQUEST, 0, MTU + 8);
	expect_read(t, 0, 0, MTU + 8);
}

static void writes(struct test *t)
{
	open_srq(t);
	ask(t, OP_WRITE_FIRST, 0, MTU);
	ask(t, OP_WRITE_LAST, 1, MTU);
	expect_ack(t, 1);
	expect_written(t, 2 * MTU);
}

static void duplicate(struct test *t)
{
	open_srq(t);
	post_receives(t, 2, 64);
	expect_one_delivery(t);
}

static void ahead(struct test *t)
{
	open_srq(t);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 2, 8);
	expect_nak(t, NAK_SEQUENCE, 0);
}

const struct rule xrc_rules[] = {
	{ "xrc_arrives", arrives, "A14", "a SEND takes a receive of the SRQ that it names" },
	{ "xrc_no_receive", none_posted, "A14, 9.7.5.2.8",
	  "without a receive in the SRQ the peer is told to wait" },
	{ "xrc_unknown_srq", unknown_srq, "A14", "an SRQ that is not there is an invalid request" },
	{ "xrc_write", writes, "A14", "a WRITE is carried out" },
	{ "xrc_read", reads, "A14", "a READ is answered" },
	{ "xrc_duplicate", duplicate, "A14, 9.7.5.1.4",
	  "a duplicate SEND is acknowledged and not delivered" },
	{ "xrc_ahead", ahead, "A14, 9.7.5.2.2", "a hole has a NAK" },
	{ }
};
