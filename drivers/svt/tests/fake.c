// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device without a wire: see fake.h. The device is not registered, and paths have no source GID
 * entry of ib_core, so QPs change state without IB_QP_AV; all else is the real engine.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "tests/fake.h"
#include "transport/qp/fault.h"
#include "transport/multicast.h"
#include "transport/steering.h"
#include "wire/psn.h"

/* Something to be freed by svt_fake_destroy(), last come first */
struct fake_object {
	struct list_head node;
	void (*free)(struct svt_fake *fake, struct fake_object *object);
};

struct fake_qp {
	struct fake_object object;
	struct svt_qp qp;
	struct svt_cq send_cq;
	struct svt_cq recv_cq;
};

struct fake_srq {
	struct fake_object object;
	struct svt_srq srq;
};

struct fake_memory {
	struct fake_object object;
	struct svt_fake_memory memory;
	void *pages;
};

struct fake_window {
	struct fake_object object;
	struct svt_mw mw;
};

struct fake_av {
	struct fake_object object;
	struct svt_av *av;
};

static void own(struct svt_fake *fake, struct fake_object *object,
		void (*free)(struct svt_fake *fake, struct fake_object *object))
{
	object->free = free;
	list_add(&object->node, &fake->objects);
}

/* ---- backend ---- */

static struct svt_fake *to_fake(struct svt_device *dev)
{
	return container_of(dev, struct svt_fake, dev);
}

static struct svt_fake_sent *keep(const struct svt_train *train, unsigned int i,
				  struct iov_iter *payload)
{
	u32 length = i + 1 < train->packets ? train->payload_length : train->last_length;
	const u8 *header = train->headers + i * train->header_length;
	struct svt_fake_sent *sent = kzalloc(struct_size(sent, payload, length), GFP_ATOMIC);

	if (!sent)
		return NULL;
	sent->length = copy_from_iter(sent->payload, length, payload);
	sent->header_length = train->header_length;
	sent->dgid = train->path->dgid;
	/* As on the wire: with the pad, of which the header speaks */
	if (svt_packet_parse(&sent->packet, header, train->header_length,
			     train->header_length + ALIGN(length, 4)) == SVT_PARSE_OK &&
	    sent->packet.payload_length == length && sent->length == length)
		return sent;
	kfree(sent);
	return NULL;
}

static int fake_xmit(struct svt_device *dev, struct svt_train *train)
{
	struct svt_fake *fake = to_fake(dev);
	struct iov_iter payload = train->payload;
	unsigned int i;

	if (fake->loopback && !train->on_wire) {
		train->peer = dev;
		return SVT_XMIT_LOCAL;
	}
	if (fake->busy)
		return -EAGAIN;
	spin_lock_bh(&fake->lock);
	for (i = 0; i < train->packets; i++) {
		struct svt_fake_sent *sent = keep(train, i, &payload);

		if (!sent) {
			KUNIT_FAIL(fake->test, "packet %u of a train is not well formed", i);
			break;
		}
		sent->train = fake->trains;
		list_add_tail(&sent->node, &fake->sent);
	}
	fake->trains++;
	if (fake->room && !--fake->room)
		fake->busy = true;
	spin_unlock_bh(&fake->lock);
	return 0;
}

static void fake_rx_address(struct svt_device *dev, const struct sk_buff *skb, u32 length,
			    struct svt_rx_address *address)
{
	*address = to_fake(dev)->address;
}

static const struct svt_backend_ops fake_ops = {
	.name = "fake",
	.xmit = fake_xmit,
	.rx_address = fake_rx_address,
};

/* ---- device ---- */

static void fake_address(struct svt_fake *fake)
{
	struct svt_rx_address *address = &fake->address;

	svt_fake_fill(address->sgid.raw, sizeof(address->sgid), 1);
	svt_fake_fill(address->dgid.raw, sizeof(address->dgid), 2);
	svt_fake_fill((u8 *)&address->grh, sizeof(address->grh), 3);
	address->sl = SVT_FAKE_SL;
	address->packet_type = SVT_FAKE_PACKET_TYPE;
}

static int fake_core(struct svt_core *core)
{
	int ret;

	spin_lock_init(&core->link_lock);
	xa_init_flags(&core->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&core->xrc_srqs, XA_FLAGS_ALLOC1);
	xa_init_flags(&core->counter_sets, XA_FLAGS_ALLOC1);
	core->link.up = true;
	core->same_host = true;
	core->link.mtu = IB_MTU_1024;
	core->counters = alloc_percpu(struct svt_counters);
	core->workqueue = alloc_workqueue("svt_fake", WQ_PERCPU, 0);
	if (!core->counters || !core->workqueue)
		return -ENOMEM;
	ret = svt_keys_init(&core->keys);
	if (!ret)
		ret = svt_qp_table_init(core);
	if (!ret)
		ret = svt_multicast_init(core);
	svt_steering_init(core);
	return ret;
}

/**
 * svt_fake_create - make a device
 * @test: whose it is; ends when there is no memory
 *
 * Return: the device.
 */
struct svt_fake *svt_fake_create(struct kunit *test)
{
	struct svt_fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->test = test;
	fake->dev.ops = &fake_ops;
	fake->dev.core = &fake->core;
	fake->pd.device = &fake->dev.ibdev;
	spin_lock_init(&fake->lock);
	INIT_LIST_HEAD(&fake->sent);
	INIT_LIST_HEAD(&fake->objects);
	skb_queue_head_init(&fake->wire);
	fake_address(fake);
	KUNIT_ASSERT_EQ(test, fake_core(&fake->core), 0);
	return fake;
}

/**
 * svt_fake_destroy - free a device and everything made for it
 * @fake: device, or NULL
 */
void svt_fake_destroy(struct svt_fake *fake)
{
	struct fake_object *object, *next;

	if (!fake)
		return;
	list_for_each_entry_safe(object, next, &fake->objects, node)
		object->free(fake, object);
	skb_queue_purge(&fake->wire);
	while (svt_fake_next(fake))
		;
	svt_steering_destroy(&fake->core);
	svt_multicast_destroy(&fake->core);
	svt_qp_table_destroy(&fake->core);
	svt_keys_destroy(&fake->core.keys);
	destroy_workqueue(fake->core.workqueue);
	free_percpu(fake->core.counters);
	xa_destroy(&fake->core.ahs);
	xa_destroy(&fake->core.xrc_srqs);
	xa_destroy(&fake->core.counter_sets);
}

/**
 * svt_fake_count - read a counter of the device
 * @fake: device
 * @counter: which
 *
 * Return: its value.
 */
u64 svt_fake_count(struct svt_fake *fake, enum svt_counter counter)
{
	return svt_counter_sum(fake->core.counters, counter);
}

/* ---- objects ---- */

static void count_completion(struct ib_cq *ibcq, void *context)
{
	((struct svt_fake *)context)->completions++;
}

static void count_event(struct ib_event *event, void *context)
{
	((struct svt_fake *)context)->events[event->event]++;
}

static void count_srq_event(struct ib_event *event, void *context)
{
	((struct svt_fake *)context)->srq_events[event->event]++;
}

static void make_cq(struct svt_fake *fake, struct svt_cq *cq, u32 entries)
{
	cq->ibcq.device = &fake->dev.ibdev;
	cq->ibcq.comp_handler = count_completion;
	cq->ibcq.cq_context = fake;
	KUNIT_ASSERT_EQ(fake->test, svt_cq_init(cq, max_t(u32, SVT_FAKE_CQE, entries), true), 0);
}

static void free_qp(struct svt_fake *fake, struct fake_object *object)
{
	struct fake_qp *made = container_of(object, struct fake_qp, object);

	svt_qp_stop(&made->qp);
	KUNIT_EXPECT_FALSE(fake->test, svt_fault_pending(&made->qp.send.half));
	KUNIT_EXPECT_FALSE(fake->test, svt_fault_pending(&made->qp.recv.half));
	svt_ring_free(&made->qp.send.ring);
	svt_ring_free(&made->qp.recv.ring);
	svt_cq_free(&made->send_cq);
	svt_cq_free(&made->recv_cq);
}

static void make_rings(struct svt_fake *fake, struct svt_qp *qp, u32 sq_depth)
{
	qp->send.limits.max_sge = SVT_FAKE_SGES;
	qp->send.limits.max_inline = SVT_FAKE_INLINE;
	qp->recv.limits.max_sge = SVT_FAKE_SGES;
	KUNIT_ASSERT_EQ(fake->test, 0,
			svt_ring_alloc(&qp->send.ring, sq_depth ?: SVT_FAKE_DEPTH,
				       svt_send_wqe_stride(SVT_FAKE_SGES, SVT_FAKE_INLINE)));
	if (!qp->srq && !qp->xrcd)
		KUNIT_ASSERT_EQ(fake->test, 0,
				svt_ring_alloc(&qp->recv.ring, SVT_FAKE_DEPTH,
					       svt_recv_wqe_stride(SVT_FAKE_SGES)));
}

/* The states up to options->state, with what each transition sets */
static void connect(struct svt_fake *fake, struct svt_qp *qp,
		    const struct svt_fake_options *options)
{
	const struct ib_qp_attr attr = {
		.qp_access_flags = options->access,
		.qkey = 0x11111111,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = SVT_FAKE_PEER_QPN,
		.rq_psn = options->rq_psn,
		.sq_psn = options->sq_psn,
		.max_rd_atomic = options->rd_atomic,
		.max_dest_rd_atomic = options->rd_atomic,
		.min_rnr_timer = options->min_rnr_timer,
		.timeout = options->timeout,
		.retry_cnt = options->retry_cnt,
		.rnr_retry = options->rnr_retry,
	};
	int mask = IB_QP_ACCESS_FLAGS | IB_QP_QKEY | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
		   IB_QP_RQ_PSN | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC |
		   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER | IB_QP_TIMEOUT |
		   IB_QP_RETRY_CNT | IB_QP_RNR_RETRY;

	qp->path.sgid = fake->address.dgid;
	qp->path.dgid = fake->address.sgid;
	mutex_lock(&qp->modify_lock);
	KUNIT_EXPECT_EQ(fake->test, svt_qp_modify(qp, &attr, mask, IB_QPS_RESET, IB_QPS_INIT), 0);
	KUNIT_EXPECT_EQ(fake->test, svt_qp_modify(qp, &attr, 0, IB_QPS_INIT, IB_QPS_RTR), 0);
	if (options->state == IB_QPS_RTS)
		KUNIT_EXPECT_EQ(fake->test, svt_qp_modify(qp, &attr, 0, IB_QPS_RTR, IB_QPS_RTS), 0);
	mutex_unlock(&qp->modify_lock);
}

/**
 * svt_fake_qp - make a QP, connected to the peer
 * @fake: device
 * @options: what it is to be like
 *
 * Return: the QP.
 */
struct svt_qp *svt_fake_qp(struct svt_fake *fake, const struct svt_fake_options *options)
{
	struct fake_qp *made = kunit_kzalloc(fake->test, sizeof(*made), GFP_KERNEL);
	struct svt_qp *qp = &made->qp;

	KUNIT_ASSERT_NOT_NULL(fake->test, made);
	INIT_LIST_HEAD(&qp->multicast);
	spin_lock_init(&qp->send.post_lock);
	spin_lock_init(&qp->recv.post_lock);
	make_cq(fake, &made->send_cq, options->sq_depth);
	make_cq(fake, &made->recv_cq, 0);
	qp->ibqp.device = &fake->dev.ibdev;
	qp->ibqp.pd = &fake->pd;
	qp->ibqp.qp_type = options->type;
	qp->ibqp.event_handler = count_event;
	qp->ibqp.qp_context = fake;
	qp->dev = &fake->dev;
	qp->core = &fake->core;
	qp->sq_sig_all = options->sq_sig_all;
	qp->send_cq = &made->send_cq;
	qp->recv_cq = &made->recv_cq;
	qp->srq = options->srq;
	qp->xrcd = options->xrcd;
	make_rings(fake, qp, options->sq_depth);
	KUNIT_ASSERT_EQ(fake->test, svt_qp_init(qp, options->type, 1), 0);
	own(fake, &made->object, free_qp);
	connect(fake, qp, options);
	return qp;
}

/**
 * svt_fake_modify_attr - change a QP
 * @qp: QP
 * @attr: attributes
 * @mask: which of them; the state is not among them
 * @state: new state
 *
 * Return: as svt_qp_modify().
 */
int svt_fake_modify_attr(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
			 enum ib_qp_state state)
{
	int ret;

	mutex_lock(&qp->modify_lock);
	ret = svt_qp_modify(qp, attr, mask, qp->state, state);
	mutex_unlock(&qp->modify_lock);
	return ret;
}

/**
 * svt_fake_modify - change the state of a QP, and nothing else
 * @qp: QP
 * @state: new state
 *
 * Return: as svt_qp_modify().
 */
int svt_fake_modify(struct svt_qp *qp, enum ib_qp_state state)
{
	const struct ib_qp_attr attr = {};

	return svt_fake_modify_attr(qp, &attr, 0, state);
}

static void free_srq(struct svt_fake *fake, struct fake_object *object)
{
	svt_ring_free(&container_of(object, struct fake_srq, object)->srq.ring);
}

/**
 * svt_fake_srq - make an SRQ of SVT_FAKE_DEPTH
 * @fake: device
 *
 * Return: the SRQ.
 */
struct svt_srq *svt_fake_srq(struct svt_fake *fake)
{
	struct fake_srq *made = kunit_kzalloc(fake->test, sizeof(*made), GFP_KERNEL);
	struct svt_srq *srq = &made->srq;

	KUNIT_ASSERT_NOT_NULL(fake->test, made);
	spin_lock_init(&srq->lock);
	spin_lock_init(&srq->post_lock);
	srq->ibsrq.device = &fake->dev.ibdev;
	srq->ibsrq.event_handler = count_srq_event;
	srq->ibsrq.srq_context = fake;
	srq->wqe_limits.max_sge = SVT_FAKE_SGES;
	srq->max_wr = SVT_FAKE_DEPTH;
	KUNIT_ASSERT_EQ(fake->test, 0,
			svt_ring_alloc(&srq->ring, SVT_FAKE_DEPTH,
				       svt_recv_wqe_stride(SVT_FAKE_SGES)));
	own(fake, &made->object, free_srq);
	return srq;
}

static void free_memory(struct svt_fake *fake, struct fake_object *object)
{
	struct fake_memory *made = container_of(object, struct fake_memory, object);

	svt_key_remove(&fake->core.keys, &made->memory.mr.key);
	svt_page_table_free(rcu_dereference_protected(made->memory.mr.table, true));
	vfree(made->pages);
}

static struct svt_page_table *make_table(void *pages, u32 blocks, u32 first_offset)
{
	struct svt_page_table *table = svt_page_table_alloc(blocks, PAGE_SHIFT, first_offset);
	u32 i;

	for (i = 0; table && i < blocks; i++)
		svt_page_table_set(table, i, page_to_phys(vmalloc_to_page(pages + i * PAGE_SIZE)));
	return table;
}

/**
 * svt_fake_memory - make a region
 * @fake: device
 * @length: bytes, zeroed
 * @access: enum ib_access_flags
 *
 * Return: the region.
 */
struct svt_fake_memory *svt_fake_memory(struct svt_fake *fake, u32 length, int access)
{
	struct fake_memory *made = kunit_kzalloc(fake->test, sizeof(*made), GFP_KERNEL);
	u32 first_offset = PAGE_SIZE - 264;
	u32 blocks = DIV_ROUND_UP(first_offset + length, PAGE_SIZE);
	struct svt_fake_memory *memory = &made->memory;
	struct svt_page_table *table;

	KUNIT_ASSERT_NOT_NULL(fake->test, made);
	made->pages = vzalloc(blocks * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(fake->test, made->pages);
	table = make_table(made->pages, blocks, first_offset);
	KUNIT_ASSERT_NOT_NULL(fake->test, table);
	memory->bytes = made->pages + first_offset;
	memory->length = length;
	rcu_assign_pointer(memory->mr.table, table);
	memory->mr.key.type = SVT_KEY_REGION;
	memory->mr.key.valid = true;
	memory->mr.key.pd = &fake->pd;
	memory->mr.key.access = access;
	memory->mr.key.start = (unsigned long)memory->bytes;
	memory->mr.key.length = length;
	KUNIT_ASSERT_EQ(fake->test, svt_key_insert(&fake->core.keys, &memory->mr.key), 0);
	own(fake, &made->object, free_memory);
	return memory;
}

static void free_window(struct svt_fake *fake, struct fake_object *object)
{
	struct svt_mw *mw = &container_of(object, struct fake_window, object)->mw;

	svt_mw_retire(mw);
	svt_key_remove(&fake->core.keys, &mw->key);
}

/**
 * svt_fake_window - make a memory window of type 2
 * @fake: device
 *
 * Return: the window, not bound; it has to be made after the region that it is bound to.
 */
struct svt_mw *svt_fake_window(struct svt_fake *fake)
{
	struct fake_window *made = kunit_kzalloc(fake->test, sizeof(*made), GFP_KERNEL);
	struct svt_mw *mw = &made->mw;

	KUNIT_ASSERT_NOT_NULL(fake->test, made);
	spin_lock_init(&mw->lock);
	mw->ibmw.device = &fake->dev.ibdev;
	mw->ibmw.pd = &fake->pd;
	mw->ibmw.type = IB_MW_TYPE_2;
	mw->key.type = SVT_KEY_WINDOW;
	mw->key.pd = &fake->pd;
	KUNIT_ASSERT_EQ(fake->test, svt_key_insert(&fake->core.keys, &mw->key), 0);
	own(fake, &made->object, free_window);
	return mw;
}

static void free_av(struct svt_fake *fake, struct fake_object *object)
{
	svt_av_forget(container_of(object, struct fake_av, object)->av);
}

/**
 * svt_fake_av - make an address vector to the peer
 * @fake: device
 *
 * Return: the vector; its number is what a send WQE takes.
 */
struct svt_av *svt_fake_av(struct svt_fake *fake)
{
	struct fake_av *made = kunit_kzalloc(fake->test, sizeof(*made), GFP_KERNEL);
	struct svt_av *av = kzalloc(sizeof(*av), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(fake->test, made);
	KUNIT_ASSERT_NOT_NULL(fake->test, av);
	kref_init(&av->ref);
	av->dev = &fake->dev;
	av->pd = &fake->pd;
	av->path.sgid = fake->address.dgid;
	av->path.dgid = fake->address.sgid;
	KUNIT_ASSERT_GE(fake->test, 0,
			xa_alloc_cyclic_irq(&fake->core.ahs, &av->number, av,
					    XA_LIMIT(1, U32_MAX), &fake->core.ah_next,
					    GFP_KERNEL));
	made->av = av;
	own(fake, &made->object, free_av);
	return av;
}

/**
 * svt_fake_sge - a scatter/gather entry
 * @memory: region
 * @offset: of the first byte in it
 * @length: bytes
 *
 * Return: the entry.
 */
struct svt_sge svt_fake_sge(const struct svt_fake_memory *memory, u32 offset, u32 length)
{
	return (struct svt_sge) {
		.addr = (unsigned long)memory->bytes + offset,
		.length = length,
		.lkey = memory->mr.key.key,
	};
}

/**
 * svt_fake_fill - bytes that tell their place
 * @bytes: written
 * @length: how many
 * @seed: other seeds, other bytes
 */
void svt_fake_fill(u8 *bytes, u32 length, u32 seed)
{
	u32 i;

	for (i = 0; i < length; i++)
		bytes[i] = i * 7 + (i >> 8) * 13 + seed * 31 + 1;
}

/* ---- work ---- */

static int post(struct svt_ring *ring, u64 wr_id, const struct svt_sge *sge, u32 num_sge)
{
	u32 producer;
	struct svt_recv_wqe *wqe = svt_ring_produce(ring, &producer);

	if (!wqe)
		return -ENOMEM;
	wqe->wr_id = wr_id;
	wqe->num_sge = num_sge;
	wqe->reserved = 0;
	memcpy(wqe->sge, sge, min_t(u32, num_sge, SVT_FAKE_SGES) * sizeof(*sge));
	svt_ring_publish_producer(ring, producer);
	return 0;
}

/**
 * svt_fake_post_recv - post a receive, and ring when the ring asks for it
 * @qp: QP with an RQ
 * @wr_id: id
 * @sge: list
 * @num_sge: any number; what is above SVT_FAKE_SGES is in the WQE but has no entries
 *
 * Return: 0, or -ENOMEM when the ring is full.
 */
int svt_fake_post_recv(struct svt_qp *qp, u64 wr_id, const struct svt_sge *sge, u32 num_sge)
{
	int ret = post(&qp->recv.ring, wr_id, sge, num_sge);

	if (!ret && svt_ring_wants_doorbell(&qp->recv.ring))
		svt_recv_schedule(qp, SVT_WORK_QUEUE);
	return ret;
}

/**
 * svt_fake_post_srq - post a receive to an SRQ
 * @srq: SRQ
 * @wr_id: id
 * @sge: list
 * @num_sge: as for svt_fake_post_recv()
 *
 * Return: 0, or -ENOMEM when the ring is full.
 */
int svt_fake_post_srq(struct svt_srq *srq, u64 wr_id, const struct svt_sge *sge, u32 num_sge)
{
	return post(&srq->ring, wr_id, sge, num_sge);
}

/**
 * svt_fake_post_send - post a send request, and ring when the ring asks for it
 * @qp: QP
 * @wqe: request; @num_sge or @inline_length says what follows
 * @sge: its list, or the inline data
 *
 * Return: 0, or -ENOMEM when the ring is full.
 */
int svt_fake_post_send(struct svt_qp *qp, const struct svt_send_wqe *wqe,
		       const struct svt_sge *sge)
{
	u32 producer;
	struct svt_send_wqe *element = svt_ring_produce(&qp->send.ring, &producer);

	if (!element)
		return -ENOMEM;
	*element = *wqe;
	if (wqe->flags & SVT_SEND_INLINE)
		memcpy(element->sge, sge, min_t(u32, wqe->inline_length, SVT_FAKE_INLINE));
	else
		memcpy(element->sge, sge, min_t(u32, wqe->num_sge, SVT_FAKE_SGES) * sizeof(*sge));
	svt_ring_publish_producer(&qp->send.ring, producer);
	if (svt_ring_wants_doorbell(&qp->send.ring))
		svt_send_schedule(qp, SVT_WORK_QUEUE);
	return 0;
}

/**
 * svt_fake_poll_recv - take a completion of a receive
 * @qp: QP
 * @wc: set when there is one
 *
 * Return: whether there is one.
 */
bool svt_fake_poll_recv(struct svt_qp *qp, struct ib_wc *wc)
{
	return svt_cq_poll(qp->recv_cq, 1, wc) == 1;
}

/**
 * svt_fake_poll_send - take a completion of a send request
 * @qp: QP
 * @wc: set when there is one
 *
 * Return: whether there is one.
 */
bool svt_fake_poll_send(struct svt_qp *qp, struct ib_wc *wc)
{
	return svt_cq_poll(qp->send_cq, 1, wc) == 1;
}

/* ---- packets ---- */

/**
 * svt_fake_packet - headers of a packet to a QP
 * @qp: where to
 * @opcode: first byte of the BTH
 * @psn: PSN
 *
 * Return: headers to be completed.
 */
struct svt_packet svt_fake_packet(const struct svt_qp *qp, u8 opcode, u32 psn)
{
	return (struct svt_packet) {
		.info = svt_opcode_info(opcode),
		.opcode = opcode,
		.psn = svt_psn(psn),
		.dest_qpn = qp->qpn,
		.pkey = SVT_DEFAULT_PKEY,
		.migrated = true,
		.qkey = qp->attr.qkey,
		.src_qpn = SVT_FAKE_PEER_QPN,
	};
}

/* Headers and half of the payload in the head, the rest in a page, as a NIC may do it */
static void add_payload(struct svt_fake *fake, struct sk_buff *skb, const void *payload,
			u32 length, u32 total)
{
	u32 head = fake->linear ? total : min(length / 2, total);
	struct page *page;
	void *bytes;

	memset(skb_put(skb, head), 0xee, head);
	memcpy(skb_tail_pointer(skb) - head, payload, min(head, length));
	if (head == total)
		return;
	page = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(total - head));
	KUNIT_ASSERT_NOT_NULL(fake->test, page);
	bytes = page_address(page);
	memset(bytes, 0xee, total - head);
	memcpy(bytes, payload + head, length - head);
	skb_add_rx_frag(skb, 0, page, 0, total - head, PAGE_SIZE << compound_order(page));
}

/**
 * svt_fake_put - put a packet on the wire
 * @fake: device
 * @packet: headers; the pad count is filled in
 * @payload: bytes
 * @length: how many
 */
void svt_fake_put(struct svt_fake *fake, const struct svt_packet *packet, const void *payload,
		  u32 length)
{
	u32 total = ALIGN(length, 4) + SVT_FAKE_TRAILER;
	struct sk_buff *skb = alloc_skb(SVT_HEADER_MAX + total, GFP_KERNEL);
	struct svt_packet padded = *packet;
	u32 header;

	KUNIT_ASSERT_NOT_NULL(fake->test, skb);
	padded.pad = -length & 3;
	header = svt_packet_build(&padded, skb->data);
	skb_put(skb, header);
	add_payload(fake, skb, payload, length, total);
	*svt_rx_cb(skb) = (struct svt_rx_cb) {
		.length = header + total,
		.stride = header + total,
		.trailer = SVT_FAKE_TRAILER,
		.netns = fake->netns,
		.ifindex = fake->ifindex,
		.tagged = fake->vlan_id,
		.vlan_id = fake->vlan_id,
	};
	skb_queue_tail(&fake->wire, skb);
}

/**
 * svt_fake_deliver - let what is on the wire arrive at once
 * @fake: device
 * @qp: that it is for
 *
 * The packets go to the backlogs, and then each half works them off as one batch.
 */
void svt_fake_deliver(struct svt_fake *fake, struct svt_qp *qp)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&fake->wire))) {
		bool response = svt_opcode_info(skb->data[0])->flags & SVT_OP_RESPONSE;

		skb_queue_tail(response ? &qp->send.half.backlog : &qp->recv.half.backlog, skb);
	}
	svt_recv_schedule(qp, SVT_WORK_PACKETS);
	svt_send_schedule(qp, SVT_WORK_PACKETS);
}

/**
 * svt_fake_ready - the device has room, whoever it is that uses it
 * @fake: device
 * @qp: QP whose flow was refused
 */
void svt_fake_ready(struct svt_fake *fake, struct svt_qp *qp)
{
	svt_flow_ready(&qp->flow);
	flush_workqueue(fake->core.workqueue);
}

/**
 * svt_fake_receive - let a packet arrive
 * @fake: device
 * @qp: that it is for
 * @packet: headers
 * @payload: bytes
 * @length: how many
 */
void svt_fake_receive(struct svt_fake *fake, struct svt_qp *qp, const struct svt_packet *packet,
		      const void *payload, u32 length)
{
	svt_fake_put(fake, packet, payload, length);
	svt_fake_deliver(fake, qp);
}

/**
 * svt_fake_next - take the oldest packet that was sent
 * @fake: device
 *
 * Return: the packet, good until the next call, or NULL.
 */
const struct svt_fake_sent *svt_fake_next(struct svt_fake *fake)
{
	kfree(fake->taken);
	spin_lock_bh(&fake->lock);
	fake->taken = list_first_entry_or_null(&fake->sent, struct svt_fake_sent, node);
	if (fake->taken)
		list_del(&fake->taken->node);
	spin_unlock_bh(&fake->lock);
	return fake->taken;
}
