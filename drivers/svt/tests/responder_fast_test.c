// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A region for fast registration as the peer's requests see it, and as long as they use it.
 */
#include <rdma/ib_pack.h>

#include "tests/responder_fixture.h"
#include "transport/qp/train.h"
#include "wire/aeth.h"

#define FAST_PAGES	4
#define FAST_ACCESS	(IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE)

struct fast_fixture {
	struct responder_fixture responder;
	struct svt_mr mr;
	u8 *bytes;
};

static int fast_fixture_init(struct kunit *test)
{
	struct fast_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int ret = responder_fixture_init(test);

	if (!f || ret)
		return ret ?: -ENOMEM;
	f->responder = *(struct responder_fixture *)test->priv;
	test->priv = f;
	f->bytes = kunit_kzalloc(test, FAST_PAGES * PAGE_SIZE, GFP_KERNEL);
	if (!f->bytes)
		return -ENOMEM;
	ret = svt_fast_init(&f->mr, FAST_PAGES);
	if (ret)
		return ret;
	f->mr.key.type = SVT_KEY_REGION;
	f->mr.key.pd = &f->responder.fake->pd;
	return svt_key_insert(&f->responder.fake->core.keys, &f->mr.key);
}

static void fast_fixture_exit(struct kunit *test)
{
	struct fast_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr.fast->users), 0);
	svt_key_remove(&f->responder.fake->core.keys, &f->mr.key);
	svt_fast_free(&f->mr);
	responder_fixture_exit(test);
}

/* A QP, and f->bytes registered under their own address */
static struct fast_fixture *setup(struct kunit *test)
{
	struct fast_fixture *f = test->priv;
	struct svt_fast_reg reg = {
		.key = f->mr.key.key, .access = FAST_ACCESS, .start = (unsigned long)f->bytes,
		.length = FAST_PAGES * PAGE_SIZE - offset_in_page(f->bytes),
	};
	unsigned int i;

	responder_open(test, &SVT_FAKE_RC);
	svt_fast_map_begin(&f->mr, PAGE_SIZE);
	for (i = 0; i < FAST_PAGES; i++) {
		struct page *page = virt_to_page(f->bytes + i * PAGE_SIZE);

		KUNIT_EXPECT_EQ(test, 0, svt_fast_map_block(&f->mr, page_to_phys(page)));
	}
	svt_fast_map_end(&f->mr);
	KUNIT_ASSERT_EQ(test, 0, svt_fast_register(&f->responder.fake->core.keys,
						   &f->responder.fake->pd, &reg));
	return f;
}

static struct svt_packet packet_of(struct fast_fixture *f, u8 opcode, int n, u32 length)
{
	struct svt_packet packet = responder_packet(&f->responder, opcode, n);

	packet.remote_addr = (unsigned long)f->bytes + 8;
	packet.rkey = f->mr.key.key;
	packet.dma_length = length;
	packet.swap_add = 1;
	return packet;
}

static void put(struct fast_fixture *f, u8 opcode, int n, u32 length, u32 payload)
{
	struct svt_packet packet = packet_of(f, opcode, n, length);

	svt_fake_put(f->responder.fake, &packet, f->responder.data, payload);
}

static void invalidate_by_peer(struct fast_fixture *f, int n)
{
	struct svt_packet packet = responder_packet(&f->responder,
						    IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE, n);

	packet.invalidate_rkey = f->mr.key.key;
	responder_post(&f->responder, n, 0, 8);
	svt_fake_put(f->responder.fake, &packet, NULL, 0);
	responder_deliver(&f->responder);
}

static void a_peer_writes_and_reads_what_is_registered(struct kunit *test)
{
	struct fast_fixture *f = setup(test);
	struct responder_fixture *responder = &f->responder;

	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	responder_deliver(responder);
	responder_expect_ack(responder, 0, 1);
	KUNIT_EXPECT_EQ(test, memcmp(f->bytes + 8, responder->data, 100), 0);

	put(f, IB_OPCODE_RC_RDMA_READ_REQUEST, 1, 100, 0);
	responder_deliver(responder);
	responder_sent(responder, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY,
		       responder_psn(responder, 1));
	KUNIT_EXPECT_EQ(test, responder->fake->taken->length, 100);
	KUNIT_EXPECT_EQ(test, 0, memcmp(responder->fake->taken->payload, responder->data, 100));

	*(u64 *)(f->bytes + 8) = 41;
	put(f, IB_OPCODE_RC_FETCH_ADD, 2, 8, 0);
	responder_deliver(responder);
	responder_sent(responder, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE, responder_psn(responder, 2));
	KUNIT_EXPECT_EQ(test, *(u64 *)(f->bytes + 8), 42);
}

static void a_peer_may_invalidate_once(struct kunit *test)
{
	struct fast_fixture *f = setup(test);
	struct responder_fixture *responder = &f->responder;
	struct ib_wc wc;

	invalidate_by_peer(f, 0);
	responder_expect_ack(responder, 0, 1);
	wc = responder_expect_recv(responder, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, wc.wc_flags & IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, f->mr.key.key);
	KUNIT_EXPECT_FALSE(test, f->mr.key.valid);

	invalidate_by_peer(f, 1);
	responder_expect_refusal(responder, 1, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

static void what_is_invalid_is_refused(struct kunit *test)
{
	struct fast_fixture *f = setup(test);

	invalidate_by_peer(f, 0);
	responder_expect_ack(&f->responder, 0, 1);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1, 100, 100);
	responder_deliver(&f->responder);
	responder_expect_refusal(&f->responder, 1, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, f->bytes[8], 0);
}

static void a_read_that_waits_for_room_does_not_hold_the_region(struct kunit *test)
{
	struct fast_fixture *f = setup(test);
	struct svt_fake *fake = f->responder.fake;

	fake->busy = true;
	put(f, IB_OPCODE_RC_RDMA_READ_REQUEST, 0, 100, 0);
	responder_deliver(&f->responder);
	responder_expect_silence(&f->responder);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr.fast->users), 0);
	KUNIT_ASSERT_EQ(test, 0, svt_key_invalidate(&fake->core.keys, &fake->pd, 1,
						    f->mr.key.key));
	fake->busy = false;
	svt_fake_ready(fake, f->responder.qp);
	responder_expect_refusal(&f->responder, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

/* More regions than a train can hold, and each is held until the train has gone */
static void a_train_holds_what_it_reads_from(struct kunit *test)
{
	struct fast_fixture *f = setup(test);
	struct svt_qp *qp = f->responder.qp;
	struct svt_region region = { };
	struct svt_train_builder *builder;
	unsigned int i;

	spin_lock_bh(&qp->recv.half.lock);
	rcu_read_lock();
	builder = svt_builder_start(qp, &qp->recv.half, &qp->path);
	KUNIT_EXPECT_EQ(test, 0, svt_region_remote(&qp->core->keys, qp->ibqp.pd, qp->qpn,
						   f->mr.key.key, (unsigned long)f->bytes, 8,
						   IB_ACCESS_REMOTE_READ, &region));
	for (i = 0; i < SVT_TRAIN_HELD; i++)
		KUNIT_EXPECT_TRUE(test, svt_builder_hold(builder, &region));
	KUNIT_EXPECT_FALSE(test, svt_builder_hold(builder, &region));
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr.fast->users), SVT_TRAIN_HELD);
	svt_builder_release(builder);
	svt_builder_finish(builder, qp);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr.fast->users), 0);
	rcu_read_unlock();
	spin_unlock_bh(&qp->recv.half.lock);
}

static void many_short_reads_are_answered_in_trains(struct kunit *test)
{
	struct fast_fixture *f = setup(test);
	struct responder_fixture *responder = &f->responder;
	struct svt_fake_options options = SVT_FAKE_RC;
	int n;

	options.rd_atomic = 2 * SVT_TRAIN_HELD;
	responder_open(test, &options);
	for (n = 0; n < SVT_TRAIN_HELD + 1; n++)
		put(f, IB_OPCODE_RC_RDMA_READ_REQUEST, n, 8, 0);
	responder_deliver(responder);
	for (n = 0; n < SVT_TRAIN_HELD + 1; n++) {
		responder_sent(responder, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY,
			       responder_psn(responder, n));
		KUNIT_EXPECT_EQ(test, responder->fake->taken->train, n / SVT_TRAIN_HELD);
	}
	responder_expect_silence(responder);
}

static struct kunit_case fast_cases[] = {
	KUNIT_CASE(a_peer_writes_and_reads_what_is_registered),
	KUNIT_CASE(a_peer_may_invalidate_once),
	KUNIT_CASE(what_is_invalid_is_refused),
	KUNIT_CASE(a_read_that_waits_for_room_does_not_hold_the_region),
	KUNIT_CASE(a_train_holds_what_it_reads_from),
	KUNIT_CASE(many_short_reads_are_answered_in_trains),
	{}
};

static struct kunit_suite fast_suite = {
	.name = "svt-responder-fast",
	.init = fast_fixture_init,
	.exit = fast_fixture_exit,
	.test_cases = fast_cases,
};

kunit_test_suite(fast_suite);
