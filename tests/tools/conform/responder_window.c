// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: memory windows of type 2, and keys that a peer takes back.
 */
#include <errno.h>
#include <string.h>

#include "conform.h"

#define WINDOW_AT	(2 * MTU)
#define WINDOW_BYTES	64

/* Return: the R_Key of a window of the QP, which is within ZONE_REMOTE */
static u32 bind_window(struct test *t)
{
	struct ibv_send_wr *bad, wr = { .wr_id = t->posted++, .opcode = IBV_WR_BIND_MW };
	struct ibv_mw_bind_info *info = &wr.bind_mw.bind_info;
	int err;

	if (!t->w->windows)
		SKIP("the device has no windows of type 2");
	connect_qp(t, IBV_QPT_RC);
	t->mw = ibv_alloc_mw(t->w->pd, IBV_MW_TYPE_2);
	MUST(t->mw, "ibv_alloc_mw: %s", strerror(errno));
	wr.bind_mw.mw = t->mw;
	wr.bind_mw.rkey = ibv_inc_rkey(t->mw->rkey);
	info->mr = t->w->mr[ZONE_REMOTE];
	info->addr = (uintptr_t)t->w->memory[ZONE_REMOTE] + WINDOW_AT;
	info->length = WINDOW_BYTES;
	info->mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	note(t->input, "bind a window");
	err = ibv_post_send(t->qp, &wr, &bad);
	MUST(!err, "ibv_post_send: %s", strerror(err));
	expect_completion(t, wr.wr_id, IBV_WC_SUCCESS);
	return wr.bind_mw.rkey;
}

static void write_window(struct test *t, u32 rkey, int psn, u32 at)
{
	struct packet *p = request(t, OP_WRITE_ONLY, psn, 8);

	p->rkey = rkey;
	p->address += WINDOW_AT + at;
	put(t);
}

static void within(struct test *t)
{
	write_window(t, bind_window(t), 0, WINDOW_BYTES - 8);
	expect_ack(t, 0);
}

static void beyond(struct test *t)
{
	write_window(t, bind_window(t), 0, WINDOW_BYTES - 7);
	expect_nak(t, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

static void taken_back(struct test *t)
{
	u32 rkey = bind_window(t), receive = post_receive(t, 64);
	struct ibv_wc *wc;

	request(t, OP_SEND_ONLY_INV, 0, 8)->invalidate_rkey = rkey;
	put(t);
	expect_ack(t, 0);
	wc = expect_completion(t, receive, IBV_WC_SUCCESS);
	expect_that(t, wc->wc_flags & IBV_WC_WITH_INV, "the flag of an invalidated key");
	expect_that(t, wc->invalidated_rkey == rkey, "the key that was invalidated");
	write_window(t, rkey, 1, 0);
	expect_nak(t, NAK_REMOTE_ACCESS, 1);
}

static void unknown_key(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 64);
	request(t, OP_SEND_ONLY_INV, 0, 8)->invalidate_rkey = ~t->w->mr[ZONE_REMOTE]->rkey;
	but(t, "unknown key");
	put(t);
	expect_error_state(t);
}

const struct rule window_rules[] = {
	{ "window_within", within, "10.6.7.2", "a window lets in what is within it" },
	{ "window_beyond", beyond, "10.6.7.2, 9.7.4.1.5",
	  "a window keeps out what is beyond it, though its region does not" },
	{ "invalidate", taken_back, "9.4.1.1, 10.6.5",
	  "a SEND with invalidate takes the key back, and the receive tells which" },
	{ "invalidate_unknown", unknown_key, "9.4.1.1, 9.9.3",
	  "a SEND that invalidates an unknown key ends the QP" },
	{ }
};
