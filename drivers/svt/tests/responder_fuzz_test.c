// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets at random, near to right ones: whatever comes, no memory but the region is touched
 * (KASAN and the guards say), and a QP that was not ended goes on. The seed is fixed, so a
 * failure repeats.
 */
#include <linux/prandom.h>

#include "tests/responder_fixture.h"
#include "wire/psn.h"

#define PACKETS		3000
#define WINDOW		(8 * 1024)

struct fuzz {
	struct responder_fixture *f;
	struct rnd_state random;
	struct svt_fake_memory *guard;
	u64 wr_id;
};

static u32 below(struct fuzz *fuzz, u32 limit)
{
	return prandom_u32_state(&fuzz->random) % limit;
}

static bool often(struct fuzz *fuzz)
{
	return below(fuzz, 8);
}

static u32 payload_length(struct fuzz *fuzz, const struct svt_opcode_info *info)
{
	if (!(info->flags & SVT_OP_PAYLOAD))
		return often(fuzz) ? 0 : below(fuzz, 64);
	if (!(info->flags & SVT_OP_LAST) && often(fuzz))
		return MTU;
	return below(fuzz, often(fuzz) ? MTU + 1 : 2 * MTU);
}

static void put_one(struct fuzz *fuzz, u8 service)
{
	struct responder_fixture *f = fuzz->f;
	u32 psn = f->qp->recv.epsn + (often(fuzz) ? 0 : below(fuzz, 64) - 32);
	struct svt_packet packet;
	u32 length;

	do {
		packet = svt_fake_packet(f->qp, service | below(fuzz, 32), psn);
	} while (!packet.info->flags);
	length = payload_length(fuzz, packet.info);

	packet.ack_request = below(fuzz, 2);
	packet.solicited = below(fuzz, 2);
	packet.qkey ^= !often(fuzz);
	packet.rkey = often(fuzz) ? f->memory->mr.key.key : prandom_u32_state(&fuzz->random);
	packet.remote_addr = (unsigned long)f->memory->bytes + below(fuzz, WINDOW) / 8 * 8;
	packet.dma_length = often(fuzz) ? length : below(fuzz, 4 * MTU);
	if (!often(fuzz))
		packet.remote_addr = (u64)prandom_u32_state(&fuzz->random) << 32 |
				     prandom_u32_state(&fuzz->random);
	if (!often(fuzz))
		packet.dma_length = prandom_u32_state(&fuzz->random);
	packet.invalidate_rkey = packet.rkey;
	svt_fake_put(f->fake, &packet, f->data, length);
}

/* Now and then the backend lies about the length of an skb, or a bit tips */
static void damage(struct fuzz *fuzz)
{
	struct sk_buff *skb = skb_peek_tail(&fuzz->f->fake->wire);

	if (!skb || below(fuzz, 16))
		return;
	if (below(fuzz, 2))
		svt_rx_cb(skb)->length += below(fuzz, 256) * 4;
	else
		skb->data[below(fuzz, skb_headlen(skb))] ^= 1 << below(fuzz, 8);
}

static void post_some(struct fuzz *fuzz)
{
	struct responder_fixture *f = fuzz->f;
	struct svt_sge list[SVT_FAKE_SGES + 1];
	u32 i, count = below(fuzz, often(fuzz) ? SVT_FAKE_SGES + 1 : SVT_FAKE_SGES + 2);

	for (i = 0; i < count; i++) {
		list[i] = svt_fake_sge(f->memory, below(fuzz, WINDOW), below(fuzz, 2 * MTU));
		if (!below(fuzz, 500))
			list[i].lkey ^= 1;
		if (!below(fuzz, 500))
			list[i].length = prandom_u32_state(&fuzz->random);
	}
	svt_fake_post_recv(f->qp, fuzz->wr_id++, list, count);
}

/*
 * An ended QP begins anew; now and then it is ended by its owner, or a receive that is too short
 * would stay for ever. Each receive completes once at most, in order.
 */
static void settle(struct fuzz *fuzz, u64 *done)
{
	struct responder_fixture *f = fuzz->f;
	struct ib_wc wc;

	if (!below(fuzz, 50))
		svt_fake_modify(f->qp, IB_QPS_ERR);
	while (svt_fake_poll_recv(f->qp, &wc)) {
		KUNIT_EXPECT_GE(f->test, wc.wr_id, *done);
		*done = wc.wr_id + 1;
	}
	while (svt_fake_next(f->fake))
		;
	if (f->qp->state != IB_QPS_ERR)
		return;
	svt_fake_modify(f->qp, IB_QPS_RESET);
	svt_fake_modify(f->qp, IB_QPS_INIT);
	svt_fake_modify(f->qp, IB_QPS_RTR);
}

static void fuzz_type(struct kunit *test, enum ib_qp_type type, u8 service)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct fuzz *fuzz = kunit_kzalloc(test, sizeof(*fuzz), GFP_KERNEL);
	struct responder_fixture *f;
	unsigned int i;
	u64 done = 0;
	u32 at;

	KUNIT_ASSERT_NOT_NULL(test, fuzz);
	options.type = type;
	f = responder_open(test, &options);
	fuzz->f = f;
	prandom_seed_state(&fuzz->random, 20);
	for (i = 0; i < PACKETS; i++) {
		put_one(fuzz, service);
		damage(fuzz);
		if (below(fuzz, 3) == 0)
			post_some(fuzz);
		f->fake->busy = !often(fuzz);
		if (below(fuzz, 2))
			svt_fake_deliver(f->fake, f->qp);
		if (!f->fake->busy)
			svt_fake_ready(f->fake, f->qp);
		settle(fuzz, &done);
	}
	f->fake->busy = false;
	KUNIT_EXPECT_GT(test, done, 100);
	/* Nothing that was valid reached this far */
	for (at = WINDOW + 8 * MTU; at < RESPONDER_MEMORY; at++)
		if (f->memory->bytes[at])
			break;
	KUNIT_EXPECT_EQ(test, at, RESPONDER_MEMORY);
}

static void rc_survives_anything(struct kunit *test)
{
	fuzz_type(test, IB_QPT_RC, IB_OPCODE_RC);
}

static void uc_survives_anything(struct kunit *test)
{
	fuzz_type(test, IB_QPT_UC, IB_OPCODE_UC);
}

static void ud_survives_anything(struct kunit *test)
{
	fuzz_type(test, IB_QPT_UD, IB_OPCODE_UD);
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE(rc_survives_anything),
	KUNIT_CASE(uc_survives_anything),
	KUNIT_CASE(ud_survives_anything),
	{}
};

static struct kunit_suite fuzz_suite = {
	.name = "svt-responder-fuzz",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = fuzz_cases,
};

kunit_test_suite(fuzz_suite);
