// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the tests of the responder share: see responder_fixture.h.
 */
#include <linux/vmalloc.h>

#include "tests/responder_fixture.h"
#include "wire/aeth.h"
#include "wire/psn.h"

/**
 * responder_fixture_init - for struct kunit_suite
 * @test: test
 *
 * Return: 0 or -ENOMEM.
 */
int responder_fixture_init(struct kunit *test)
{
	struct responder_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->test = test;
	f->data = vmalloc(RESPONDER_MEMORY);
	if (!f->data)
		return -ENOMEM;
	svt_fake_fill(f->data, RESPONDER_MEMORY, 9);
	f->fake = svt_fake_create(test);
	return 0;
}

/**
 * responder_fixture_exit - for struct kunit_suite
 * @test: test
 */
void responder_fixture_exit(struct kunit *test)
{
	struct responder_fixture *f = test->priv;

	if (!f)
		return;
	svt_fake_destroy(f->fake);
	vfree(f->data);
}

/**
 * responder_open - make the QP
 * @test: test
 * @options: its options
 *
 * Return: the fixture.
 */
struct responder_fixture *responder_open(struct kunit *test,
					 const struct svt_fake_options *options)
{
	struct responder_fixture *f = test->priv;

	f->memory = svt_fake_memory(f->fake, RESPONDER_MEMORY,
				    IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE | IB_ACCESS_MW_BIND);
	f->qp = svt_fake_qp(f->fake, options);
	f->psn = options->rq_psn;
	return f;
}

u32 responder_psn(const struct responder_fixture *f, int n)
{
	return svt_psn(f->psn + n);
}

struct svt_packet responder_packet(const struct responder_fixture *f, u8 opcode, int n)
{
	struct svt_packet packet = svt_fake_packet(f->qp, opcode, responder_psn(f, n));

	packet.ack_request = packet.info->flags & SVT_OP_LAST;
	return packet;
}

void responder_put(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	struct svt_packet packet = responder_packet(f, opcode, n);

	svt_fake_put(f->fake, &packet, f->data + offset, length);
}

/* A packet of a WRITE of @total bytes to the same offset of the memory */
void responder_put_write(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length,
			 u32 total)
{
	struct svt_packet packet = responder_packet(f, opcode, n);

	packet.remote_addr = (unsigned long)f->memory->bytes + offset;
	packet.rkey = f->memory->mr.key.key;
	packet.dma_length = total;
	svt_fake_put(f->fake, &packet, f->data + offset, length);
}

void responder_put_read(struct responder_fixture *f, int n, u32 offset, u32 length)
{
	responder_put_write(f, IB_OPCODE_RC_RDMA_READ_REQUEST, n, offset, 0, length);
}

void responder_put_atomic(struct responder_fixture *f, u8 opcode, int n, u32 offset, u64 compare,
			  u64 swap_add)
{
	struct svt_packet packet = responder_packet(f, opcode, n);

	packet.remote_addr = (unsigned long)f->memory->bytes + offset;
	packet.rkey = f->memory->mr.key.key;
	packet.compare = compare;
	packet.swap_add = swap_add;
	svt_fake_put(f->fake, &packet, NULL, 0);
}

void responder_deliver(struct responder_fixture *f)
{
	svt_fake_deliver(f->fake, f->qp);
}

void responder_send(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	responder_put(f, opcode, n, offset, length);
	responder_deliver(f);
}

void responder_post(struct responder_fixture *f, u64 wr_id, u32 offset, u32 length)
{
	struct svt_sge sge = svt_fake_sge(f->memory, offset, length);

	KUNIT_ASSERT_EQ(f->test, svt_fake_post_recv(f->qp, wr_id, &sge, 1), 0);
}

/* The next packet that was sent */
struct svt_packet responder_sent(struct responder_fixture *f, u8 opcode, u32 psn)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	KUNIT_ASSERT_NOT_NULL(f->test, sent);
	KUNIT_EXPECT_STREQ(f->test, sent->packet.info->name, svt_opcode_info(opcode)->name);
	KUNIT_EXPECT_EQ(f->test, sent->packet.psn, psn);
	KUNIT_EXPECT_EQ(f->test, sent->packet.dest_qpn, SVT_FAKE_PEER_QPN);
	KUNIT_EXPECT_EQ(f->test, sent->packet.pkey, SVT_DEFAULT_PKEY);
	KUNIT_EXPECT_FALSE(f->test, sent->packet.ack_request);
	return sent->packet;
}

void responder_expect_ack(struct responder_fixture *f, int n, u32 msn)
{
	struct svt_packet packet = responder_sent(f, IB_OPCODE_RC_ACKNOWLEDGE,
						  responder_psn(f, n));

	KUNIT_EXPECT_EQ(f->test, packet.syndrome & SVT_AETH_TYPE_MASK, SVT_AETH_ACK);
	KUNIT_EXPECT_EQ(f->test, packet.msn, msn);
}

void responder_expect_nak(struct responder_fixture *f, int n, u8 syndrome)
{
	struct svt_packet packet = responder_sent(f, IB_OPCODE_RC_ACKNOWLEDGE,
						  responder_psn(f, n));

	KUNIT_EXPECT_EQ(f->test, packet.syndrome, syndrome);
}

/* The QP ends with this NAK for packet @n; -1: without an event */
void responder_expect_refusal(struct responder_fixture *f, int n, u8 nak, int event)
{
	unsigned int i, raised = 0;

	responder_expect_nak(f, n, SVT_AETH_NAK | nak);
	KUNIT_EXPECT_EQ(f->test, f->qp->state, IB_QPS_ERR);
	for (i = 0; i < ARRAY_SIZE(f->fake->events); i++)
		raised += f->fake->events[i];
	KUNIT_EXPECT_EQ(f->test, raised, event >= 0);
	if (event >= 0)
		KUNIT_EXPECT_EQ(f->test, f->fake->events[event], 1);
}

void responder_expect_silence(struct responder_fixture *f)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	if (sent)
		KUNIT_FAIL(f->test, "unexpected %s, PSN %#x, syndrome %#x",
			   sent->packet.info->name, sent->packet.psn, sent->packet.syndrome);
}

/* A packet of a READ response with the memory's bytes */
void responder_expect_read(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	responder_sent(f, opcode, responder_psn(f, n));
	KUNIT_EXPECT_EQ(f->test, f->fake->taken->length, length);
	KUNIT_EXPECT_EQ(f->test, 0, memcmp(f->fake->taken->payload, f->memory->bytes + offset,
					   min(length, f->fake->taken->length)));
}

struct ib_wc responder_expect_recv(struct responder_fixture *f, u64 wr_id,
				   enum ib_wc_status status)
{
	struct ib_wc wc = {};

	KUNIT_ASSERT_TRUE(f->test, svt_fake_poll_recv(f->qp, &wc));
	KUNIT_EXPECT_EQ(f->test, wc.wr_id, wr_id);
	KUNIT_EXPECT_EQ(f->test, wc.status, status);
	KUNIT_EXPECT_PTR_EQ(f->test, wc.qp, &f->qp->ibqp);
	return wc;
}

void responder_expect_no_recv(struct responder_fixture *f)
{
	struct ib_wc wc;

	KUNIT_EXPECT_FALSE(f->test, svt_fake_poll_recv(f->qp, &wc));
}

/* The memory at @at holds what the peer has at @offset, and was not written behind it */
void responder_expect_data(struct responder_fixture *f, u32 at, u32 offset, u32 length)
{
	KUNIT_EXPECT_EQ(f->test, memcmp(f->memory->bytes + at, f->data + offset, length), 0);
	KUNIT_EXPECT_EQ(f->test, f->memory->bytes[at + length], 0);
}
