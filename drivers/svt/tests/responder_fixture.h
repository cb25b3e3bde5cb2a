/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of the responder share: a QP with memory, packets to it by their place in the
 * sequence, and what is expected to come of them.
 */
#ifndef SVT_TESTS_RESPONDER_FIXTURE_H
#define SVT_TESTS_RESPONDER_FIXTURE_H

#include "tests/fake.h"

#define RESPONDER_MEMORY	(256 * 1024)
#define MTU			SVT_FAKE_MTU

/**
 * struct responder_fixture - a QP and its peer
 * @test: test
 * @fake: device
 * @qp: QP
 * @memory: everything is allowed
 * @data: what the peer sends, as long as @memory
 * @psn: PSN of packet 0
 */
struct responder_fixture {
	struct kunit *test;
	struct svt_fake *fake;
	struct svt_qp *qp;
	struct svt_fake_memory *memory;
	u8 *data;
	u32 psn;
};

int responder_fixture_init(struct kunit *test);
void responder_fixture_exit(struct kunit *test);
struct responder_fixture *responder_open(struct kunit *test,
					 const struct svt_fake_options *options);

/* Packets to the QP: @n is the place in the sequence, @offset where the payload is in f->data */
u32 responder_psn(const struct responder_fixture *f, int n);
struct svt_packet responder_packet(const struct responder_fixture *f, u8 opcode, int n);
void responder_put(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length);
void responder_put_write(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length,
			 u32 total);
void responder_put_read(struct responder_fixture *f, int n, u32 offset, u32 length);
void responder_put_atomic(struct responder_fixture *f, u8 opcode, int n, u32 offset, u64 compare,
			  u64 swap_add);
void responder_deliver(struct responder_fixture *f);
void responder_send(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length);

/* A receive for [@offset, @offset + @length) of the memory */
void responder_post(struct responder_fixture *f, u64 wr_id, u32 offset, u32 length);

/* What came of it */
struct svt_packet responder_sent(struct responder_fixture *f, u8 opcode, u32 psn);
void responder_expect_ack(struct responder_fixture *f, int n, u32 msn);
void responder_expect_nak(struct responder_fixture *f, int n, u8 syndrome);
void responder_expect_refusal(struct responder_fixture *f, int n, u8 nak, int event);
void responder_expect_silence(struct responder_fixture *f);
void responder_expect_read(struct responder_fixture *f, u8 opcode, int n, u32 offset, u32 length);
struct ib_wc responder_expect_recv(struct responder_fixture *f, u64 wr_id,
				   enum ib_wc_status status);
void responder_expect_no_recv(struct responder_fixture *f);
void responder_expect_data(struct responder_fixture *f, u32 at, u32 offset, u32 length);

#endif
