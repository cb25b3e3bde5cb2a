/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of requester and completer share: a QP with memory whose timer never fires by
 * itself, work requests, answers of the peer by their place in the sequence, and what is expected
 * to come of them. Time passes only by requester_let_pass().
 */
#ifndef SVT_TESTS_REQUESTER_FIXTURE_H
#define SVT_TESTS_REQUESTER_FIXTURE_H

#include "tests/fake.h"
#include "transport/requester/recovery.h"
#include "transport/requester/request.h"
#include "wire/aeth.h"

#define REQUESTER_MEMORY	(1024 * 1024)
/* Where the peer's memory begins, and its key */
#define REQUESTER_REMOTE	0x123456789000ULL
#define REQUESTER_RKEY		0xabcdef01
#define MTU			SVT_FAKE_MTU
#define WR_SEND			IB_UVERBS_WR_SEND
#define WR_WRITE		IB_UVERBS_WR_RDMA_WRITE
#define WR_READ			IB_UVERBS_WR_RDMA_READ
#define WR_FETCH_ADD		IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD
#define READ_FIRST		IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST
#define READ_MIDDLE		IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE
#define READ_LAST		IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST
#define READ_ONLY		IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY
#define HOUR			(3600 * (s64)NSEC_PER_SEC)

#define REQUESTER_RC	SVT_FAKE_RC_FROM(77)

/**
 * struct requester_fixture - a QP and its peer
 * @test: test
 * @fake: device
 * @qp: QP
 * @memory: everything is allowed; filled
 * @data: what the peer's memory holds, as long as @memory
 * @psn: PSN of packet 0
 * @next_id: wr_id of the next work request, from 0
 */
struct requester_fixture {
	struct kunit *test;
	struct svt_fake *fake;
	struct svt_qp *qp;
	struct svt_fake_memory *memory;
	u8 *data;
	u32 psn;
	u64 next_id;
};

int requester_fixture_init(struct kunit *test);
void requester_fixture_exit(struct kunit *test);
struct svt_qp *requester_qp(struct requester_fixture *f, const struct svt_fake_options *options);
struct requester_fixture *requester_open(struct kunit *test,
					 const struct svt_fake_options *options);

/* Requests that it takes from the ring at a time, before any was posted */
static inline void requester_limit_window(struct svt_qp *qp, u32 entries)
{
	qp->send.window_entries = entries;
	qp->send.window_most = entries;
}

u32 requester_psn(const struct requester_fixture *f, int n);

/* Work requests: posted behind the engine's back, until requester_push() */
struct svt_send_wqe requester_wqe(const struct requester_fixture *f, u8 opcode, u32 offset);
void requester_post_wqe(struct requester_fixture *f, const struct svt_send_wqe *wqe,
			const struct svt_sge *list);
void requester_post(struct requester_fixture *f, u8 opcode, u32 offset, u32 length);
void requester_push(struct requester_fixture *f);
void requester_send(struct requester_fixture *f, u8 opcode, u32 offset, u32 length);
void requester_modify(struct requester_fixture *f, enum ib_qp_state state);

/* The peer's answers: @n is the place in the sequence of PSNs */
void requester_answer(struct requester_fixture *f, int n, u8 syndrome, u32 msn);
void requester_ack(struct requester_fixture *f, int n);
void requester_nak(struct requester_fixture *f, int n, enum svt_nak_code code);
void requester_put_read(struct requester_fixture *f, u8 opcode, int n, u32 offset, u32 length);
void requester_read(struct requester_fixture *f, u8 opcode, int n, u32 offset, u32 length);
void requester_read_range(struct requester_fixture *f, int first, int end, u32 offset);
void requester_atomic(struct requester_fixture *f, int n, u64 original);
void requester_let_pass(struct requester_fixture *f, s64 ns);

/* What came of it */
const struct svt_fake_sent *requester_expect(struct requester_fixture *f, u8 opcode, int n);
const struct svt_fake_sent *requester_expect_data(struct requester_fixture *f, u8 opcode, int n,
						  u32 offset, u32 length);
void requester_expect_read(struct requester_fixture *f, int n, u32 offset, u32 length);
void requester_expect_sends(struct requester_fixture *f, int first, int end);
void requester_expect_part(struct requester_fixture *f, int first, int end);
void requester_expect_silence(struct requester_fixture *f);
void requester_drop_sent(struct requester_fixture *f);
struct ib_wc requester_expect_done(struct requester_fixture *f, u64 wr_id,
				   enum ib_wc_status status);
void requester_expect_flushed(struct requester_fixture *f, u64 first, u64 end);
void requester_expect_not_done(struct requester_fixture *f);
void requester_expect_memory(struct requester_fixture *f, u32 at, u32 offset, u32 length);
u64 requester_count(struct requester_fixture *f, enum svt_counter counter);

#endif
