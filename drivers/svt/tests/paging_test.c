// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that is paged on demand: pages that come and go, and what requester and responder do when
 * they are not there. The memory is that of a process which is nothing else.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <rdma/ib_pack.h>

#include "mem/paging.h"
#include "tests/responder_fixture.h"
#include "transport/qp/fault.h"
#include "wire/aeth.h"

#define PAGES		6
#define LENGTH		(PAGES * PAGE_SIZE)
/* Where the region begins in its first page, and its address in work requests */
#define OFFSET		0x108
#define START		(0x1000000000ULL + OFFSET)
#define REGION		(LENGTH - OFFSET)

/* Where the process has it: mapped there, because an mm without a program has no other idea */
#define USER		0x10000000UL

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");

struct paging_fixture {
	struct responder_fixture responder;
	struct mm_struct *mm;
	struct workqueue_struct *pager;
	struct svt_paging *paging;
	struct svt_mr mr;
	struct completion held, released;
	bool holds;
};

/* As the process */
static int register_memory(struct paging_fixture *f)
{
	unsigned long address;

	kthread_use_mm(f->mm);
	address = vm_mmap(NULL, USER, LENGTH, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0);
	f->paging = svt_paging_create(USER + OFFSET, REGION, f->pager);
	kthread_unuse_mm(f->mm);
	return address == USER ? PTR_ERR_OR_ZERO(f->paging) : -ENOMEM;
}

static int unmap(struct paging_fixture *f, unsigned long offset, unsigned long length)
{
	int ret;

	kthread_use_mm(f->mm);
	ret = vm_munmap(USER + offset, length);
	kthread_unuse_mm(f->mm);
	return ret;
}

static int paging_fixture_init(struct kunit *test)
{
	struct paging_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int ret = responder_fixture_init(test);

	if (!f || ret)
		return ret ?: -ENOMEM;
	f->responder = *(struct responder_fixture *)test->priv;
	test->priv = f;
	f->mm = mm_alloc();
	f->pager = alloc_workqueue("svt_fake_pager", WQ_UNBOUND, 0);
	if (!f->mm || !f->pager)
		return -ENOMEM;
	ret = register_memory(f);
	if (ret)
		return ret;
	f->mr.key.type = SVT_KEY_REGION;
	f->mr.key.valid = true;
	f->mr.key.pd = &f->responder.fake->pd;
	f->mr.key.access = IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE;
	f->mr.key.start = START;
	f->mr.key.length = REGION;
	rcu_assign_pointer(f->mr.paging, f->paging);
	return svt_key_insert(&f->responder.fake->core.keys, &f->mr.key);
}

static void paging_fixture_exit(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	svt_key_remove(&f->responder.fake->core.keys, &f->mr.key);
	responder_fixture_exit(test);
	if (f->holds)
		wait_for_completion(&f->released);
	/* Nobody has another reference when all QPs are gone */
	KUNIT_EXPECT_EQ(test, kref_read(&f->paging->ref), 1);
	svt_paging_put(f->paging);
	destroy_workqueue(f->pager);
	mmput(f->mm);
}

static struct svt_region region_of(struct paging_fixture *f, bool write)
{
	return (struct svt_region) {
		.mr = &f->mr, .addr = START, .length = REGION, .write = write,
	};
}

static bool is_absent(struct paging_fixture *f, u64 offset, u64 length, bool write)
{
	struct svt_region region = region_of(f, write);
	bool absent;

	rcu_read_lock();
	absent = svt_region_absent(&region, offset, length);
	rcu_read_unlock();
	return absent;
}

static int bring(struct paging_fixture *f, u64 offset, u64 length, enum svt_paging_want want)
{
	return svt_paging_fault(f->paging, offset, length, want, &f->paging->faults);
}

/* A byte of the region as the process has it; the page is there */
static u8 byte_of(struct kunit *test, u64 offset)
{
	struct paging_fixture *f = test->priv;
	struct svt_region region = region_of(f, false);
	struct bio_vec bvec = {};
	u8 value = 0;

	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, svt_region_page(&region, offset, 1, &bvec), 1);
	if (bvec.bv_page)
		value = *((u8 *)page_address(bvec.bv_page) + bvec.bv_offset);
	rcu_read_unlock();
	return value;
}

/* Eight bytes, in the order of the processor, as atomics have them */
static u64 word_of(struct kunit *test, u64 offset)
{
	u64 word;
	u8 *bytes = (u8 *)&word;
	unsigned int i;

	for (i = 0; i < sizeof(word); i++)
		bytes[i] = byte_of(test, offset + i);
	return word;
}

static void settle(struct paging_fixture *f)
{
	flush_workqueue(f->pager);
	flush_workqueue(f->responder.fake->core.workqueue);
}

static void pages_are_there_after_they_were_brought(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, is_absent(f, 0, 1, false));
	KUNIT_ASSERT_EQ(test, bring(f, PAGE_SIZE, 2 * PAGE_SIZE, SVT_PAGING_WRITE), 0);
	KUNIT_EXPECT_FALSE(test, is_absent(f, PAGE_SIZE, 2 * PAGE_SIZE, true));
	KUNIT_EXPECT_TRUE(test, is_absent(f, 0, PAGE_SIZE, false));
	KUNIT_EXPECT_TRUE(test, is_absent(f, PAGE_SIZE, 4 * PAGE_SIZE, false));
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->paging->faults), 3);
}

static void what_was_brought_for_reading_is_not_written_to(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, bring(f, 0, REGION, SVT_PAGING_READ), 0);
	KUNIT_EXPECT_FALSE(test, is_absent(f, 0, REGION, false));
	KUNIT_EXPECT_TRUE(test, is_absent(f, 0, REGION, true));
	KUNIT_ASSERT_EQ(test, bring(f, 0, REGION, SVT_PAGING_WRITE), 0);
	KUNIT_EXPECT_FALSE(test, is_absent(f, 0, REGION, true));
}

static void pages_that_are_not_there_are_not_brought_without_a_fault(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, bring(f, 0, REGION, SVT_PAGING_PRESENT), 0);
	KUNIT_EXPECT_TRUE(test, is_absent(f, 0, 1, false));
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->paging->faults), 0);
}

static void pages_that_are_unmapped_are_forgotten(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, bring(f, 0, REGION, SVT_PAGING_WRITE), 0);
	KUNIT_ASSERT_EQ(test, unmap(f, 2 * PAGE_SIZE, PAGE_SIZE), 0);
	KUNIT_EXPECT_TRUE(test, is_absent(f, 2 * PAGE_SIZE - OFFSET, 1, false));
	KUNIT_EXPECT_FALSE(test, is_absent(f, 0, 2 * PAGE_SIZE - OFFSET, true));
	KUNIT_EXPECT_FALSE(test, is_absent(f, 3 * PAGE_SIZE - OFFSET, PAGE_SIZE, true));
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->paging->invalidations), 1);
	KUNIT_EXPECT_EQ(test, bring(f, 0, REGION, SVT_PAGING_READ), -EFAULT);
	KUNIT_EXPECT_EQ(test, bring(f, 0, PAGE_SIZE, SVT_PAGING_READ), 0);
}

static void addresses_beyond_all_processes_are_refused(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, bring(f, TASK_SIZE_MAX, PAGE_SIZE, SVT_PAGING_READ), -EFAULT);
	KUNIT_EXPECT_EQ(test, bring(f, U64_MAX - USER - OFFSET, 2, SVT_PAGING_READ), -EFAULT);
}

static void advice_ends_with_its_region(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	kref_get(&f->paging->ref);
	svt_paging_end(f->paging);
	KUNIT_EXPECT_EQ(test, bring(f, 0, PAGE_SIZE, SVT_PAGING_READ), -EFAULT);
	KUNIT_EXPECT_TRUE(test, is_absent(f, 0, 1, false));
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->paging->faults), 0);
}

static void addresses_that_wrap_are_not_registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svt_paging_create(U64_MAX - 5, 7, NULL)), -EINVAL);
}

static void put_at(struct paging_fixture *f, u32 offset, u8 opcode, int n, u32 length, u32 payload)
{
	struct svt_packet packet = responder_packet(&f->responder, opcode, n);

	packet.remote_addr = START + offset;
	packet.rkey = f->mr.key.key;
	packet.dma_length = length;
	packet.swap_add = 7;
	svt_fake_put(f->responder.fake, &packet, f->responder.data, payload);
	responder_deliver(&f->responder);
}

static void put(struct paging_fixture *f, u8 opcode, int n, u32 length, u32 payload)
{
	put_at(f, 8, opcode, n, length, payload);
}

static u64 dropped(struct paging_fixture *f)
{
	return svt_fake_count(f->responder.fake, SVT_COUNT_RX_DROPPED_PAGES);
}

/* The peer is told to repeat it when the pages are there */
static void a_write_waits_for_its_pages(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_silence(responder);
	KUNIT_EXPECT_EQ(test, dropped(f), 1);
	KUNIT_EXPECT_EQ(test, byte_of(test, 8), 0);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	responder_expect_ack(responder, 0, 1);
	KUNIT_EXPECT_EQ(test, byte_of(test, 8), responder->data[0]);
	KUNIT_EXPECT_EQ(test, byte_of(test, 107), responder->data[99]);
	KUNIT_EXPECT_EQ(test, svt_fake_count(responder->fake, SVT_COUNT_PAGE_FAULTS), 1);
}

static void an_atomic_waits_for_its_page(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	put(f, IB_OPCODE_RC_FETCH_ADD, 0, 8, 0);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	put(f, IB_OPCODE_RC_FETCH_ADD, 0, 8, 0);
	responder_sent(responder, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE, responder_psn(responder, 0));
	KUNIT_EXPECT_EQ(test, word_of(test, 8), 7);
}

static void an_atomic_write_waits_for_its_page(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	put(f, IB_OPCODE_RC_ATOMIC_WRITE, 0, 8, 8);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	put(f, IB_OPCODE_RC_ATOMIC_WRITE, 0, 8, 8);
	responder_sent(responder, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY,
		       responder_psn(responder, 0));
	KUNIT_EXPECT_EQ(test, byte_of(test, 8), responder->data[0]);
}

/* The request is taken, and answered when the pages are there */
static void the_answer_to_a_read_waits_for_its_pages(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	put(f, IB_OPCODE_RC_RDMA_READ_REQUEST, 0, 2 * MTU, 0);
	settle(f);
	responder_sent(responder, IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST,
		       responder_psn(responder, 0));
	KUNIT_EXPECT_EQ(test, responder->fake->taken->payload[0], 0);
	responder_sent(responder, IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST,
		       responder_psn(responder, 1));
	KUNIT_EXPECT_EQ(test, dropped(f), 0);
}

static void a_receive_waits_for_its_pages(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;
	struct svt_sge sge = { .addr = START, .length = 200, .lkey = f->mr.key.key };

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(responder->qp, 5, &sge, 1), 0);
	put(f, IB_OPCODE_RC_SEND_ONLY, 0, 0, 200);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_no_recv(responder);
	put(f, IB_OPCODE_RC_SEND_ONLY, 0, 0, 200);
	responder_expect_recv(responder, 5, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, byte_of(test, 199), responder->data[199]);
}

static void what_can_not_be_brought_is_refused_when_it_is_repeated(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, unmap(f, 0, LENGTH), 0);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	responder_expect_refusal(responder, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

static void a_read_of_what_can_not_be_brought_is_refused(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, unmap(f, 0, LENGTH), 0);
	put(f, IB_OPCODE_RC_RDMA_READ_REQUEST, 0, 100, 0);
	settle(f);
	responder_expect_refusal(&f->responder, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

/* Two packets in one skb, as offload makes them */
static void put_two_middles(struct paging_fixture *f)
{
	struct svt_fake *fake = f->responder.fake;
	struct sk_buff *first, *second;
	struct svt_packet packet;
	int i;

	for (i = 1; i <= 2; i++) {
		packet = responder_packet(&f->responder, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, i);
		svt_fake_put(fake, &packet, f->responder.data, MTU);
	}
	first = skb_dequeue(&fake->wire);
	second = skb_dequeue(&fake->wire);
	KUNIT_ASSERT_EQ(f->responder.test, 0,
			pskb_expand_head(first, 0, second->len, GFP_KERNEL));
	KUNIT_ASSERT_EQ(f->responder.test, 0,
			skb_copy_bits(second, 0, skb_put(first, second->len), second->len));
	svt_rx_cb(first)->length = first->len;
	kfree_skb(second);
	skb_queue_tail(&fake->wire, first);
	responder_deliver(&f->responder);
}

/* Also when it is packets that share an skb which come to it */
static void the_middle_of_a_message_that_can_not_be_brought_is_refused(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	f->responder.fake->linear = true;
	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, bring(f, 0, PAGE_SIZE - OFFSET, SVT_PAGING_WRITE), 0);
	KUNIT_ASSERT_EQ(test, unmap(f, PAGE_SIZE, PAGE_SIZE), 0);
	put_at(f, PAGE_SIZE - OFFSET - MTU, IB_OPCODE_RC_RDMA_WRITE_FIRST, 0, 4 * MTU, MTU);
	put_two_middles(f);
	settle(f);
	responder_expect_nak(responder, 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	put_two_middles(f);
	responder_expect_refusal(responder, 1, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	settle(f);
}

/* What could not be brought for one connection is no reason to refuse the next */
static void a_reset_forgets_what_is_being_brought(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct responder_fixture *responder = &f->responder;

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, unmap(f, 0, LENGTH), 0);
	mmap_write_lock(f->mm);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(responder->qp, IB_QPS_RESET), 0);
	mmap_write_unlock(f->mm);
	settle(f);
	responder_expect_silence(responder);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(responder->qp, IB_QPS_INIT), 0);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(responder->qp, IB_QPS_RTR), 0);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	settle(f);
	responder_expect_nak(responder, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
}

/* Nothing is brought until the QP is on its way out, and has to wait for it */
static int hold_pages(void *data)
{
	struct paging_fixture *f = data;

	mmap_write_lock(f->mm);
	complete(&f->held);
	while (READ_ONCE(f->responder.qp->state) != IB_QPS_RESET)
		usleep_range(1000, 2000);
	/* Who does not wait would be done by then */
	msleep(100);
	mmap_write_unlock(f->mm);
	kthread_complete_and_exit(&f->released, 0);
}

static void a_qp_goes_while_its_pages_are_brought(struct kunit *test)
{
	struct paging_fixture *f = test->priv;

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, unmap(f, 0, LENGTH), 0);
	init_completion(&f->held);
	init_completion(&f->released);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(hold_pages, f, "svt_test")));
	f->holds = true;
	wait_for_completion(&f->held);
	put(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 100, 100);
	KUNIT_EXPECT_TRUE(test, svt_fault_pending(&f->responder.qp->recv.half));
}

static void post_at(struct paging_fixture *f, u32 offset, u8 opcode, u32 length)
{
	const struct svt_sge sge = {
		.addr = START + offset, .length = length, .lkey = f->mr.key.key,
	};
	const struct svt_send_wqe wqe = {
		.wr_id = 1, .opcode = opcode, .flags = SVT_SEND_SIGNALED, .num_sge = 1,
		.rdma = { .remote_addr = 0x1000, .rkey = 1 },
	};

	KUNIT_ASSERT_EQ(f->responder.test, svt_fake_post_send(f->responder.qp, &wqe, &sge), 0);
}

static void post(struct paging_fixture *f, u8 opcode, u32 length)
{
	post_at(f, 0, opcode, length);
}

static void a_send_goes_when_its_pages_are_there(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct svt_fake *fake = f->responder.fake;

	responder_open(test, &SVT_FAKE_RC);
	post(f, IB_UVERBS_WR_SEND, 2 * MTU);
	settle(f);
	KUNIT_ASSERT_TRUE(test, svt_fake_next(fake));
	KUNIT_EXPECT_EQ(test, fake->taken->packet.opcode, IB_OPCODE_RC_SEND_FIRST);
	KUNIT_ASSERT_TRUE(test, svt_fake_next(fake));
	KUNIT_EXPECT_EQ(test, fake->taken->packet.opcode, IB_OPCODE_RC_SEND_LAST);
	KUNIT_EXPECT_EQ(test, svt_fake_count(fake, SVT_COUNT_PAGE_FAULTS), 1);
}

/* The memory that the answer goes to is there before it is asked for */
static void a_read_is_asked_for_when_its_pages_are_there(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct svt_fake *fake = f->responder.fake;

	responder_open(test, &SVT_FAKE_RC);
	post(f, IB_UVERBS_WR_RDMA_READ, 100);
	settle(f);
	KUNIT_ASSERT_TRUE(test, svt_fake_next(fake));
	KUNIT_EXPECT_EQ(test, fake->taken->packet.opcode, IB_OPCODE_RC_RDMA_READ_REQUEST);
	KUNIT_EXPECT_FALSE(test, is_absent(f, 0, 100, true));
}

static void a_send_of_what_can_not_be_brought_fails(struct kunit *test)
{
	struct paging_fixture *f = test->priv;
	struct ib_wc wc;

	responder_open(test, &SVT_FAKE_RC);
	KUNIT_ASSERT_EQ(test, unmap(f, 0, LENGTH), 0);
	post(f, IB_UVERBS_WR_SEND, 100);
	settle(f);
	KUNIT_ASSERT_TRUE(test, svt_fake_poll_send(f->responder.qp, &wc));
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_FALSE(test, svt_fake_next(f->responder.fake));
}

/* The time that it takes is not the peer's */
static void no_peer_is_given_up_while_pages_are_brought(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct paging_fixture *f = test->priv;
	struct svt_fake *fake = f->responder.fake;
	struct svt_send_half *send;

	options.retry_cnt = 0;
	responder_open(test, &options);
	send = &f->responder.qp->send;
	KUNIT_ASSERT_EQ(test, bring(f, 0, 100, SVT_PAGING_READ), 0);
	post(f, IB_UVERBS_WR_SEND, 100);
	mmap_write_lock(f->mm);
	post_at(f, PAGE_SIZE, IB_UVERBS_WR_SEND, 100);
	spin_lock_bh(&send->half.lock);
	send->deadline = 1;
	send->progress = -S64_MAX / 2;
	send->timers_in_vain = 1;
	spin_unlock_bh(&send->half.lock);
	svt_send_schedule(f->responder.qp, SVT_WORK_TIMER);
	KUNIT_EXPECT_EQ(test, f->responder.qp->state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, svt_fake_count(fake, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 0);
	mmap_write_unlock(f->mm);
	settle(f);
	KUNIT_EXPECT_TRUE(test, svt_fake_next(fake));
	KUNIT_EXPECT_TRUE(test, svt_fake_next(fake));
	KUNIT_EXPECT_FALSE(test, svt_fake_next(fake));
}

static struct kunit_case paging_cases[] = {
	KUNIT_CASE(pages_are_there_after_they_were_brought),
	KUNIT_CASE(what_was_brought_for_reading_is_not_written_to),
	KUNIT_CASE(pages_that_are_not_there_are_not_brought_without_a_fault),
	KUNIT_CASE(pages_that_are_unmapped_are_forgotten),
	KUNIT_CASE(addresses_beyond_all_processes_are_refused),
	KUNIT_CASE(advice_ends_with_its_region),
	KUNIT_CASE(addresses_that_wrap_are_not_registered),
	KUNIT_CASE(a_write_waits_for_its_pages),
	KUNIT_CASE(an_atomic_waits_for_its_page),
	KUNIT_CASE(an_atomic_write_waits_for_its_page),
	KUNIT_CASE(the_answer_to_a_read_waits_for_its_pages),
	KUNIT_CASE(a_receive_waits_for_its_pages),
	KUNIT_CASE(what_can_not_be_brought_is_refused_when_it_is_repeated),
	KUNIT_CASE(a_read_of_what_can_not_be_brought_is_refused),
	KUNIT_CASE(the_middle_of_a_message_that_can_not_be_brought_is_refused),
	KUNIT_CASE(a_reset_forgets_what_is_being_brought),
	KUNIT_CASE(a_qp_goes_while_its_pages_are_brought),
	KUNIT_CASE(a_send_goes_when_its_pages_are_there),
	KUNIT_CASE(a_read_is_asked_for_when_its_pages_are_there),
	KUNIT_CASE(a_send_of_what_can_not_be_brought_fails),
	KUNIT_CASE(no_peer_is_given_up_while_pages_are_brought),
	{}
};

static struct kunit_suite paging_suite = {
	.name = "svt-paging",
	.init = paging_fixture_init,
	.exit = paging_fixture_exit,
	.test_cases = paging_cases,
};

kunit_test_suite(paging_suite);
