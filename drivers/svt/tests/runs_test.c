// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that share an skb have the effect that each of them has alone. Two QPs get the same
 * packets, one of them each in an skb of its own: messages in a row, with holes, repeats, wrong
 * opcodes and lengths, into receives that may be too short. The seed is fixed: a failure repeats.
 */
#include <linux/prandom.h>

#include "tests/responder_fixture.h"
#include "wire/psn.h"

#define SEQUENCES	600
#define MOST_PACKETS	64
#define MOST_MERGED	16
#define RECEIVES	8
#define WINDOW		(64 * 1024)

struct twin {
	struct svt_qp *qp;
	struct svt_fake_memory *memory;
};

/* A packet to both, but for QP number, key and address */
struct item {
	u8 opcode;
	bool ack_request;
	u32 psn;
	u32 length;
	u32 at;			/* of a WRITE, and where its data is */
	u32 total;
};

struct runs {
	struct responder_fixture *f;
	struct rnd_state random;
	struct twin alone, merged;
	struct item items[MOST_PACKETS];
	struct svt_packet answers[2][8];
	u32 count;
	u32 largest;		/* most packets that shared an skb */
	u64 wr_id;
};

static u32 below(struct runs *runs, u32 limit)
{
	return prandom_u32_state(&runs->random) % limit;
}

static void add(struct runs *runs, const struct item *item)
{
	if (runs->count < MOST_PACKETS)
		runs->items[runs->count++] = *item;
}

static u8 opcode_of(u8 service, bool write, bool first, bool last)
{
	if (first)
		return service | (write ? last ? IB_OPCODE_RDMA_WRITE_ONLY :
						 IB_OPCODE_RDMA_WRITE_FIRST :
					  last ? IB_OPCODE_SEND_ONLY : IB_OPCODE_SEND_FIRST);
	return service | (write ? last ? IB_OPCODE_RDMA_WRITE_LAST : IB_OPCODE_RDMA_WRITE_MIDDLE :
				  last ? IB_OPCODE_SEND_LAST : IB_OPCODE_SEND_MIDDLE);
}

static void add_message(struct runs *runs, u8 service, u32 *psn)
{
	u32 packets = 1 + below(runs, 14), i;
	struct item item = { .at = below(runs, WINDOW) & ~7 };
	bool write = below(runs, 2);

	item.total = (packets - 1) * MTU + 1 + below(runs, MTU);
	for (i = 0; i < packets; i++) {
		bool last = i == packets - 1;

		item.psn = *psn;
		item.opcode = opcode_of(service, write, !i, last);
		item.length = last ? item.total - i * MTU : MTU;
		item.ack_request = last || !below(runs, 12);
		*psn = svt_psn_add(*psn, 1);
		add(runs, &item);
	}
}

/* Several of one packet each */
static void add_messages(struct runs *runs, u8 service, u32 *psn)
{
	u32 messages = 1 + below(runs, 14), length = 4 * below(runs, MTU / 4 + 1);
	struct item item = { .at = below(runs, WINDOW) & ~7 };

	for (; messages; messages--) {
		item.psn = *psn;
		item.opcode = opcode_of(service, false, true, true);
		item.length = length;
		item.ack_request = messages == 1 || !below(runs, 12);
		*psn = svt_psn_add(*psn, 1);
		add(runs, &item);
	}
}

/* What goes wrong between two hosts, and what a peer does wrong */
static void spoil(struct runs *runs, u8 service)
{
	u32 at = below(runs, runs->count), i;

	switch (below(runs, 8)) {
	case 0:
		/* Lost, and all from there on comes again */
		for (i = at; i < MOST_PACKETS && runs->count < MOST_PACKETS; i++)
			add(runs, &runs->items[i]);
		memmove(&runs->items[at], &runs->items[at + 1],
			(runs->count - at - 1) * sizeof(runs->items[0]));
		runs->count--;
		break;
	case 1:
		/* Twice */
		for (i = at; i < at + 5 && runs->count < MOST_PACKETS; i++)
			add(runs, &runs->items[i]);
		break;
	case 2:
		runs->items[at].opcode = opcode_of(service, below(runs, 2), false, false);
		break;
	case 3:
		runs->items[at].length ^= 4;
		break;
	case 4:
		runs->items[at].psn = svt_psn_add(runs->items[at].psn, below(runs, 9) - 4);
		break;
	default:
		break;
	}
}

static void post_receives(struct runs *runs)
{
	struct svt_sge lists[2][SVT_FAKE_SGES];
	u32 i, j, count, at, length;

	for (i = 0; i < RECEIVES; i++) {
		count = 1 + below(runs, SVT_FAKE_SGES);
		for (j = 0; j < count; j++) {
			at = below(runs, WINDOW);
			length = below(runs, 8 * MTU);
			lists[0][j] = svt_fake_sge(runs->alone.memory, at, length);
			lists[1][j] = svt_fake_sge(runs->merged.memory, at, length);
		}
		svt_fake_post_recv(runs->alone.qp, runs->wr_id, lists[0], count);
		svt_fake_post_recv(runs->merged.qp, runs->wr_id++, lists[1], count);
	}
}

static void put(struct runs *runs, const struct twin *twin, const struct item *item)
{
	struct svt_packet packet = svt_fake_packet(twin->qp, item->opcode, item->psn);

	packet.ack_request = item->ack_request;
	packet.rkey = twin->memory->mr.key.key;
	packet.remote_addr = (unsigned long)twin->memory->bytes + item->at;
	packet.dma_length = item->total;
	svt_fake_put(runs->f->fake, &packet, runs->f->data + item->at, item->length);
}

/* As offload does it: all of one length, but for a shorter last */
static void merge(struct runs *runs)
{
	struct sk_buff_head *wire = &runs->f->fake->wire, alone;
	struct sk_buff *skb, *all;
	u32 stride = 0, count = 0;

	__skb_queue_head_init(&alone);
	skb_queue_splice_init(wire, &alone);
	all = NULL;
	while ((skb = __skb_dequeue(&alone))) {
		if (!all || skb->len > stride || svt_rx_cb(all)->length % stride ||
		    count == MOST_MERGED) {
			all = skb;
			stride = skb->len;
			count = 1;
			skb_queue_tail(wire, skb);
			continue;
		}
		if (skb_tailroom(all) < skb->len)
			KUNIT_ASSERT_EQ(runs->f->test, 0,
					pskb_expand_head(all, 0, MOST_MERGED * stride, GFP_KERNEL));
		KUNIT_ASSERT_EQ(runs->f->test, 0, skb_copy_bits(skb, 0, skb_put(all, skb->len),
								skb->len));
		svt_rx_cb(all)->length = all->len;
		runs->largest = max(runs->largest, ++count);
		kfree_skb(skb);
	}
}

static void expect_same(struct runs *runs, u32 sequence)
{
	const struct svt_recv_half *a = &runs->alone.qp->recv, *b = &runs->merged.qp->recv;
	struct kunit *test = runs->f->test;
	struct ib_wc wc[2];

	KUNIT_EXPECT_EQ_MSG(test, runs->alone.qp->state, runs->merged.qp->state, "%u", sequence);
	KUNIT_EXPECT_EQ_MSG(test, a->epsn, b->epsn, "%u", sequence);
	KUNIT_EXPECT_EQ_MSG(test, a->msn, b->msn, "%u", sequence);
	KUNIT_EXPECT_EQ_MSG(test, a->in_message, b->in_message, "%u", sequence);
	KUNIT_EXPECT_EQ_MSG(test, a->arrivals, b->arrivals, "%u", sequence);
	while (svt_fake_poll_recv(runs->alone.qp, &wc[0])) {
		KUNIT_ASSERT_TRUE_MSG(test, svt_fake_poll_recv(runs->merged.qp, &wc[1]), "%u",
				      sequence);
		KUNIT_EXPECT_EQ_MSG(test, wc[0].wr_id, wc[1].wr_id, "%u", sequence);
		KUNIT_EXPECT_EQ_MSG(test, wc[0].status, wc[1].status, "%u", sequence);
		KUNIT_EXPECT_EQ_MSG(test, wc[0].byte_len, wc[1].byte_len, "%u", sequence);
	}
	KUNIT_EXPECT_FALSE_MSG(test, svt_fake_poll_recv(runs->merged.qp, &wc[1]), "%u", sequence);
	KUNIT_EXPECT_FALSE_MSG(test, memcmp(runs->alone.memory->bytes, runs->merged.memory->bytes,
					    RESPONDER_MEMORY), "%u", sequence);
}

/* The answers of one QP to what is on the wire; 0 where there is none */
static u32 deliver(struct runs *runs, struct twin *twin, struct svt_packet *answers, u32 most)
{
	const struct svt_fake_sent *sent;
	u32 count = 0;

	svt_fake_deliver(runs->f->fake, twin->qp);
	while ((sent = svt_fake_next(runs->f->fake)))
		if (count < most)
			answers[count++] = sent->packet;
	return count;
}

static void compare(struct runs *runs, u32 sequence)
{
	struct svt_packet (*answers)[8] = runs->answers;
	u32 i, next, from, count[2];

	for (from = 0; from < runs->count; from = next) {
		next = min(from + 1 + below(runs, 40), runs->count);
		for (i = from; i < next; i++)
			put(runs, &runs->alone, &runs->items[i]);
		count[0] = deliver(runs, &runs->alone, answers[0], 8);
		for (i = from; i < next; i++)
			put(runs, &runs->merged, &runs->items[i]);
		merge(runs);
		count[1] = deliver(runs, &runs->merged, answers[1], 8);
		KUNIT_ASSERT_EQ_MSG(runs->f->test, count[0], count[1], "%u", sequence);
		for (i = 0; i < count[0]; i++) {
			KUNIT_EXPECT_EQ_MSG(runs->f->test, answers[0][i].psn, answers[1][i].psn,
					    "%u", sequence);
			KUNIT_EXPECT_EQ_MSG(runs->f->test, answers[0][i].syndrome,
					    answers[1][i].syndrome, "%u", sequence);
		}
		expect_same(runs, sequence);
	}
}

static void begin_anew(struct svt_qp *qp)
{
	svt_fake_modify(qp, IB_QPS_RESET);
	svt_fake_modify(qp, IB_QPS_INIT);
	svt_fake_modify(qp, IB_QPS_RTR);
}

static void compare_type(struct kunit *test, enum ib_qp_type type, u8 service)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct runs *runs = kunit_kzalloc(test, sizeof(*runs), GFP_KERNEL);
	struct responder_fixture *f;
	u32 i, psn;

	KUNIT_ASSERT_NOT_NULL(test, runs);
	options.type = type;
	f = responder_open(test, &options);
	f->fake->linear = true;
	runs->f = f;
	runs->alone = (struct twin) { f->qp, f->memory };
	runs->merged.qp = svt_fake_qp(f->fake, &options);
	runs->merged.memory = svt_fake_memory(f->fake, RESPONDER_MEMORY,
					      IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE);
	memset(f->memory->bytes, 0, RESPONDER_MEMORY);
	memset(runs->merged.memory->bytes, 0, RESPONDER_MEMORY);
	prandom_seed_state(&runs->random, 7);
	for (i = 0; i < SEQUENCES; i++) {
		begin_anew(runs->alone.qp);
		begin_anew(runs->merged.qp);
		post_receives(runs);
		psn = options.rq_psn;
		runs->count = 0;
		while (runs->count < MOST_PACKETS / 2) {
			if (below(runs, 3))
				add_message(runs, service, &psn);
			else
				add_messages(runs, service, &psn);
		}
		spoil(runs, service);
		compare(runs, i);
	}
	KUNIT_EXPECT_EQ(test, runs->largest, MOST_MERGED);
}

static void rc_packets_in_an_skb_do_what_each_does_alone(struct kunit *test)
{
	compare_type(test, IB_QPT_RC, IB_OPCODE_RC);
}

static void uc_packets_in_an_skb_do_what_each_does_alone(struct kunit *test)
{
	compare_type(test, IB_QPT_UC, IB_OPCODE_UC);
}

static struct kunit_case runs_cases[] = {
	KUNIT_CASE(rc_packets_in_an_skb_do_what_each_does_alone),
	KUNIT_CASE(uc_packets_in_an_skb_do_what_each_does_alone),
	{}
};

static struct kunit_suite runs_suite = {
	.name = "svt-runs",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = runs_cases,
};

kunit_test_suite(runs_suite);
