// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the tests of requester and completer share: see requester_fixture.h.
 *
 * The hrtimer of a QP calls a function that does nothing, and requester_let_pass() moves all that
 * the engine remembers of time into the past, so no test depends on how fast it runs. What the
 * engine leaves to the workqueue is waited for after every step.
 */
#include <linux/vmalloc.h>

#include "tests/requester_fixture.h"
#include "transport/requester/request.h"
#include "wire/psn.h"

/**
 * requester_fixture_init - for struct kunit_suite
 * @test: test
 *
 * Return: 0 or -ENOMEM.
 */
int requester_fixture_init(struct kunit *test)
{
	struct requester_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->test = test;
	f->data = vmalloc(REQUESTER_MEMORY);
	if (!f->data)
		return -ENOMEM;
	svt_fake_fill(f->data, REQUESTER_MEMORY, 9);
	f->fake = svt_fake_create(test);
	return 0;
}

/**
 * requester_fixture_exit - for struct kunit_suite
 * @test: test
 */
void requester_fixture_exit(struct kunit *test)
{
	struct requester_fixture *f = test->priv;

	if (!f)
		return;
	svt_fake_destroy(f->fake);
	vfree(f->data);
}

static enum hrtimer_restart stand_still(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

/**
 * requester_qp - a QP of the fixture's device whose timer never fires by itself
 * @f: fixture
 * @options: its options
 *
 * Return: the QP.
 */
struct svt_qp *requester_qp(struct requester_fixture *f, const struct svt_fake_options *options)
{
	struct svt_qp *qp = svt_fake_qp(f->fake, options);

	/* Nothing was sent, so it is not armed */
	hrtimer_setup(&qp->send.timer, stand_still, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	return qp;
}

/**
 * requester_open - make the QP
 * @test: test
 * @options: its options
 *
 * Return: the fixture.
 */
struct requester_fixture *requester_open(struct kunit *test,
					 const struct svt_fake_options *options)
{
	struct requester_fixture *f = test->priv;

	f->memory = svt_fake_memory(f->fake, REQUESTER_MEMORY,
				    IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE | IB_ACCESS_MW_BIND);
	svt_fake_fill(f->memory->bytes, REQUESTER_MEMORY, 3);
	f->qp = requester_qp(f, options);
	/* As after many answers that came in time */
	f->qp->send.unacked_limit_x8 = 8 * SVT_MAX_UNACKED;
	f->psn = options->sq_psn;
	return f;
}

u32 requester_psn(const struct requester_fixture *f, int n)
{
	return svt_psn(f->psn + n);
}

/* ---- work requests ---- */

/* Signalled, with one entry; @offset is where the peer's memory is meant */
struct svt_send_wqe requester_wqe(const struct requester_fixture *f, u8 opcode, u32 offset)
{
	struct svt_send_wqe wqe = {
		.opcode = opcode,
		.num_sge = 1,
		.flags = SVT_SEND_SIGNALED,
	};

	if (opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD) {
		wqe.atomic.remote_addr = REQUESTER_REMOTE + offset;
		wqe.atomic.rkey = REQUESTER_RKEY;
	} else {
		wqe.rdma.remote_addr = REQUESTER_REMOTE + offset;
		wqe.rdma.rkey = REQUESTER_RKEY;
	}
	return wqe;
}

void requester_post_wqe(struct requester_fixture *f, const struct svt_send_wqe *wqe,
			const struct svt_sge *list)
{
	struct svt_send_wqe copy = *wqe;

	copy.wr_id = f->next_id++;
	/* Not a word to the engine yet */
	WRITE_ONCE(f->qp->send.ring.control->wakeup, 0);
	KUNIT_ASSERT_EQ(f->test, svt_fake_post_send(f->qp, &copy, list), 0);
}

void requester_post(struct requester_fixture *f, u8 opcode, u32 offset, u32 length)
{
	const struct svt_send_wqe wqe = requester_wqe(f, opcode, offset);
	const struct svt_sge sge = svt_fake_sge(f->memory, offset, length);

	requester_post_wqe(f, &wqe, &sge);
}

static void requester_kick(struct requester_fixture *f, int work)
{
	svt_send_schedule(f->qp, work);
	flush_workqueue(f->fake->core.workqueue);
}

void requester_push(struct requester_fixture *f)
{
	requester_kick(f, SVT_WORK_QUEUE);
}

void requester_send(struct requester_fixture *f, u8 opcode, u32 offset, u32 length)
{
	requester_post(f, opcode, offset, length);
	requester_push(f);
}

/* As svt_fake_modify(), and asks for the event of SQD */
void requester_modify(struct requester_fixture *f, enum ib_qp_state state)
{
	const struct ib_qp_attr attr = { .en_sqd_async_notify = 1 };

	KUNIT_EXPECT_EQ(f->test, 0, svt_fake_modify_attr(f->qp, &attr, IB_QP_EN_SQD_ASYNC_NOTIFY,
							 state));
	flush_workqueue(f->fake->core.workqueue);
}

/* ---- answers ---- */

static void requester_deliver(struct requester_fixture *f)
{
	svt_fake_deliver(f->fake, f->qp);
	flush_workqueue(f->fake->core.workqueue);
}

void requester_answer(struct requester_fixture *f, int n, u8 syndrome, u32 msn)
{
	struct svt_packet packet = svt_fake_packet(f->qp, IB_OPCODE_RC_ACKNOWLEDGE,
						   requester_psn(f, n));

	packet.syndrome = syndrome;
	packet.msn = msn;
	svt_fake_put(f->fake, &packet, NULL, 0);
	requester_deliver(f);
}

void requester_ack(struct requester_fixture *f, int n)
{
	requester_answer(f, n, SVT_AETH_ACK | SVT_AETH_NO_CREDITS, 0);
}

void requester_nak(struct requester_fixture *f, int n, enum svt_nak_code code)
{
	requester_answer(f, n, SVT_AETH_NAK | code, 0);
}

/* A packet of a READ response with @length bytes of the peer's memory, for a later delivery */
void requester_put_read(struct requester_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	struct svt_packet packet = svt_fake_packet(f->qp, opcode, requester_psn(f, n));

	packet.syndrome = SVT_AETH_ACK | SVT_AETH_NO_CREDITS;
	svt_fake_put(f->fake, &packet, f->data + offset, length);
}

void requester_read(struct requester_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	requester_put_read(f, opcode, n, offset, length);
	requester_deliver(f);
}

/* Of response @n, as a peer has it that answers a repeat as if it were the first time */
static u8 requester_read_opcode(struct requester_fixture *f, int n)
{
	const struct svt_send_half *send = &f->qp->send;
	const struct svt_send_request *request;
	u32 ordinal = send->ack_request, place;
	bool first, last;

	do {
		request = svt_request(send, ordinal++);
		place = svt_psn(requester_psn(f, n) - request->first_psn);
	} while (place >= request->packets && ordinal != send->cursor.started);
	first = place % SVT_READ_PACKETS == 0;
	last = place % SVT_READ_PACKETS == SVT_READ_PACKETS - 1 || place == request->packets - 1;
	if (first)
		return last ? READ_ONLY : READ_FIRST;
	return last ? READ_LAST : READ_MIDDLE;
}

/* Whole packets @first to @end - 1, of which @first answers with what is at @offset */
void requester_read_range(struct requester_fixture *f, int first, int end, u32 offset)
{
	int n;

	for (n = first; n < end; n++)
		requester_put_read(f, requester_read_opcode(f, n), n,
				   offset + (n - first) * MTU, MTU);
	requester_deliver(f);
}

void requester_atomic(struct requester_fixture *f, int n, u64 original)
{
	struct svt_packet packet = svt_fake_packet(f->qp, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE,
						   requester_psn(f, n));

	packet.syndrome = SVT_AETH_ACK | SVT_AETH_NO_CREDITS;
	packet.atomic_original = original;
	svt_fake_put(f->fake, &packet, NULL, 0);
	requester_deliver(f);
}

static void requester_age(ktime_t *time, s64 ns)
{
	if (*time)
		*time = ktime_sub_ns(*time, ns);
}

/**
 * requester_let_pass - time passes, and the timer fires
 * @f: fixture
 * @ns: how long
 */
void requester_let_pass(struct requester_fixture *f, s64 ns)
{
	struct svt_send_half *send = &f->qp->send;

	spin_lock_bh(&send->half.lock);
	requester_age(&send->progress, ns);
	requester_age(&send->went_back, ns);
	requester_age(&send->deadline, ns);
	requester_age(&send->rnr_until, ns);
	requester_age(&send->rtt_start, ns);
	requester_age(&send->idle_until, ns);
	requester_age(&send->watch_until, ns);
	requester_age(&send->found, ns);
	requester_age(&send->rate_next, ns);
	spin_unlock_bh(&send->half.lock);
	requester_kick(f, SVT_WORK_TIMER);
}

/* ---- what came of it ---- */

const struct svt_fake_sent *requester_expect(struct requester_fixture *f, u8 opcode, int n)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	if (!sent)
		KUNIT_FAIL(f->test, "%s %d was not sent", svt_opcode_info(opcode)->name, n);
	KUNIT_ASSERT_NOT_NULL(f->test, sent);
	KUNIT_EXPECT_STREQ(f->test, sent->packet.info->name, svt_opcode_info(opcode)->name);
	KUNIT_EXPECT_EQ(f->test, sent->packet.psn, requester_psn(f, n));
	KUNIT_EXPECT_EQ(f->test, sent->packet.pkey, SVT_DEFAULT_PKEY);
	KUNIT_EXPECT_TRUE(f->test, sent->packet.migrated);
	return sent;
}

/* A packet with bytes of the memory */
const struct svt_fake_sent *requester_expect_data(struct requester_fixture *f, u8 opcode, int n,
						  u32 offset, u32 length)
{
	const struct svt_fake_sent *sent = requester_expect(f, opcode, n);

	KUNIT_EXPECT_EQ(f->test, sent->length, length);
	KUNIT_EXPECT_EQ(f->test, sent->packet.pad, -length & 3);
	KUNIT_EXPECT_EQ(f->test, 0, memcmp(sent->payload, f->memory->bytes + offset,
					   min(length, sent->length)));
	return sent;
}

void requester_expect_read(struct requester_fixture *f, int n, u32 offset, u32 length)
{
	const struct svt_fake_sent *sent = requester_expect(f, IB_OPCODE_RC_RDMA_READ_REQUEST, n);

	KUNIT_EXPECT_EQ(f->test, sent->packet.remote_addr, REQUESTER_REMOTE + offset);
	KUNIT_EXPECT_EQ(f->test, sent->packet.rkey, REQUESTER_RKEY);
	KUNIT_EXPECT_EQ(f->test, sent->packet.dma_length, length);
	KUNIT_EXPECT_EQ(f->test, sent->length, 0);
}

/* SEND_ONLY, one for each of the packets, and no more */
void requester_expect_sends(struct requester_fixture *f, int first, int end)
{
	int n;

	for (n = first; n < end; n++)
		requester_expect(f, IB_OPCODE_RC_SEND_ONLY, n);
	requester_expect_silence(f);
}

/* Those packets of one long SEND that begins with packet 0 and does not end among them; no more */
void requester_expect_part(struct requester_fixture *f, int first, int end)
{
	int n;

	for (n = first; n < end; n++)
		requester_expect_data(f, n ? IB_OPCODE_RC_SEND_MIDDLE : IB_OPCODE_RC_SEND_FIRST, n,
				      n * MTU, MTU);
	requester_expect_silence(f);
}

void requester_expect_silence(struct requester_fixture *f)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	if (sent)
		KUNIT_FAIL(f->test, "unexpected %s, PSN %#x", sent->packet.info->name,
			   sent->packet.psn);
}

void requester_drop_sent(struct requester_fixture *f)
{
	while (svt_fake_next(f->fake))
		;
}

struct ib_wc requester_expect_done(struct requester_fixture *f, u64 wr_id,
				   enum ib_wc_status status)
{
	struct ib_wc wc = {};

	if (!svt_fake_poll_send(f->qp, &wc))
		KUNIT_FAIL(f->test, "no completion of %llu", wr_id);
	KUNIT_EXPECT_EQ(f->test, wc.wr_id, wr_id);
	KUNIT_EXPECT_EQ(f->test, wc.status, status);
	KUNIT_EXPECT_PTR_EQ(f->test, wc.qp, &f->qp->ibqp);
	return wc;
}

/* Work requests @first to @end - 1 are flushed, and no other completion follows */
void requester_expect_flushed(struct requester_fixture *f, u64 first, u64 end)
{
	for (; first < end; first++)
		requester_expect_done(f, first, IB_WC_WR_FLUSH_ERR);
	requester_expect_not_done(f);
}

void requester_expect_not_done(struct requester_fixture *f)
{
	struct ib_wc wc;

	if (svt_fake_poll_send(f->qp, &wc))
		KUNIT_FAIL(f->test, "unexpected completion of %llu, status %d", wc.wr_id,
			   wc.status);
}

/* The memory at @at holds what the peer has at @offset */
void requester_expect_memory(struct requester_fixture *f, u32 at, u32 offset, u32 length)
{
	KUNIT_EXPECT_EQ(f->test, memcmp(f->memory->bytes + at, f->data + offset, length), 0);
}

u64 requester_count(struct requester_fixture *f, enum svt_counter counter)
{
	return svt_fake_count(f->fake, counter);
}
