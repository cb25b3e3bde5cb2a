/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device without a wire, for tests of the engine: what a QP sends is kept as packets, what it
 * is to receive is made of packets. Everything is freed by svt_fake_destroy().
 */
#ifndef SVT_TESTS_FAKE_H
#define SVT_TESTS_FAKE_H

#include <kunit/test.h>
#include <linux/list.h>
#include <linux/skbuff.h>

#include "core.h"
#include "transport/lifetime.h"
#include "transport/modify.h"
#include "transport/qp/av.h"
#include "transport/qp/half.h"
#include "transport/qp/table.h"
#include "wire/packet.h"

#define SVT_FAKE_PEER_QPN	0x00c0de
#define SVT_FAKE_SL		5
#define SVT_FAKE_PACKET_TYPE	10
#define SVT_FAKE_MTU		1024
#define SVT_FAKE_DEPTH		16
#define SVT_FAKE_SGES		4
#define SVT_FAKE_INLINE		64
#define SVT_FAKE_CQE		256
/* Bytes at the end of each packet that are the backend's */
#define SVT_FAKE_TRAILER	4

/**
 * struct svt_fake - the device
 * @test: that it belongs to
 * @dev: device; not registered
 * @core: its tables
 * @pd: of all objects
 * @lock: protects @sent and @trains: a deferred run sends from the workqueue
 * @sent: struct svt_fake_sent, what QPs sent and svt_fake_next() has not taken
 * @trains: how many were sent
 * @taken: owned by svt_fake_next()
 * @busy: the backend refuses trains; svt_fake_ready() is up to the test
 * @room: after so many trains it is busy; 0: never
 * @loopback: the peers of all QPs are on this device
 * @linear: the skbs that svt_fake_put() makes have no fragments
 * @wire: packets of svt_fake_put() that svt_fake_deliver() delivers
 * @address: what rx_address tells of every packet
 * @netns: where every packet comes in, as svt_rx_cb.netns
 * @ifindex: likewise
 * @vlan_id: likewise; 0: no VLAN
 * @events: of QPs, by enum ib_event_type
 * @srq_events: of SRQs
 * @completions: calls of a CQ's handler
 * @objects: to be freed
 */
struct svt_fake {
	struct kunit *test;
	struct svt_device dev;
	struct svt_core core;
	struct ib_pd pd;
	spinlock_t lock;	/* see above */
	struct list_head sent;
	unsigned int trains;
	struct svt_fake_sent *taken;
	bool busy;
	unsigned int room;
	bool loopback;
	bool linear;
	struct sk_buff_head wire;
	struct svt_rx_address address;
	u32 netns;
	u32 ifindex;
	u16 vlan_id;
	unsigned int events[32];
	unsigned int srq_events[32];
	unsigned int completions;
	struct list_head objects;
};

/**
 * struct svt_fake_sent - a packet that was sent
 * @node: in svt_fake.sent
 * @packet: its headers
 * @train: number of the train, from 0
 * @header_length: of all packets of its train
 * @dgid: of the path that it took
 * @length: payload bytes, without pad
 * @payload: bytes
 */
struct svt_fake_sent {
	struct list_head node;
	struct svt_packet packet;
	unsigned int train;
	u32 header_length;
	union ib_gid dgid;
	u32 length;
	u8 payload[];
};

/**
 * struct svt_fake_memory - a region
 * @mr: all of it; lkey and rkey are mr.key.key, addresses are those of @bytes
 * @bytes: not at the beginning of a page, but a multiple of 8
 * @length: of @bytes
 */
struct svt_fake_memory {
	struct svt_mr mr;
	u8 *bytes;
	u32 length;
};

/**
 * struct svt_fake_options - what kind of QP
 * @type: RC, UC, UD, GSI or one of XRC
 * @state: RTR or RTS
 * @srq: NULL: an RQ of SVT_FAKE_DEPTH
 * @xrcd: domain of an XRC TGT QP
 * @rq_psn: first PSN to receive
 * @sq_psn: first PSN to send
 * @access: qp_access_flags
 * @rd_atomic: max_rd_atomic and max_dest_rd_atomic
 * @min_rnr_timer: code
 * @timeout: code; 0: none
 * @retry_cnt: retries
 * @rnr_retry: retries
 * @sq_sig_all: all send requests complete
 * @sq_depth: send requests that fit, a power of two; 0: SVT_FAKE_DEPTH
 */
struct svt_fake_options {
	enum ib_qp_type type;
	enum ib_qp_state state;
	struct svt_srq *srq;
	struct ib_xrcd *xrcd;
	u32 rq_psn;
	u32 sq_psn;
	int access;
	u8 rd_atomic;
	u8 min_rnr_timer;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	bool sq_sig_all;
	u32 sq_depth;
};

#define SVT_FAKE_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)
/*
 * Most tests run over the end of the PSNs. None may depend on how long its host stands still: the
 * timeout is of 2.4 hours.
 */
#define SVT_FAKE_RC	SVT_FAKE_RC_FROM(0xfffffe)
/* With the first PSN that the peer sends */
#define SVT_FAKE_RC_FROM(psn)	((struct svt_fake_options) {		\
	.type = IB_QPT_RC, .state = IB_QPS_RTS, .rq_psn = (psn),	\
	.sq_psn = 0xfffffd, .access = SVT_FAKE_REMOTE, .rd_atomic = 4,	\
	.min_rnr_timer = 12, .timeout = 31, .retry_cnt = 7, .rnr_retry = 7 })

struct svt_fake *svt_fake_create(struct kunit *test);
void svt_fake_destroy(struct svt_fake *fake);

struct svt_qp *svt_fake_qp(struct svt_fake *fake, const struct svt_fake_options *options);
int svt_fake_modify(struct svt_qp *qp, enum ib_qp_state state);
int svt_fake_modify_attr(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
			 enum ib_qp_state state);
struct svt_srq *svt_fake_srq(struct svt_fake *fake);
struct svt_fake_memory *svt_fake_memory(struct svt_fake *fake, u32 length, int access);
struct svt_mw *svt_fake_window(struct svt_fake *fake);
struct svt_av *svt_fake_av(struct svt_fake *fake);
struct svt_sge svt_fake_sge(const struct svt_fake_memory *memory, u32 offset, u32 length);
void svt_fake_fill(u8 *bytes, u32 length, u32 seed);

int svt_fake_post_recv(struct svt_qp *qp, u64 wr_id, const struct svt_sge *sge, u32 num_sge);
int svt_fake_post_srq(struct svt_srq *srq, u64 wr_id, const struct svt_sge *sge, u32 num_sge);
int svt_fake_post_send(struct svt_qp *qp, const struct svt_send_wqe *wqe,
		       const struct svt_sge *sge);
bool svt_fake_poll_recv(struct svt_qp *qp, struct ib_wc *wc);
bool svt_fake_poll_send(struct svt_qp *qp, struct ib_wc *wc);

struct svt_packet svt_fake_packet(const struct svt_qp *qp, u8 opcode, u32 psn);
void svt_fake_put(struct svt_fake *fake, const struct svt_packet *packet, const void *payload,
		  u32 length);
void svt_fake_deliver(struct svt_fake *fake, struct svt_qp *qp);
void svt_fake_ready(struct svt_fake *fake, struct svt_qp *qp);
void svt_fake_receive(struct svt_fake *fake, struct svt_qp *qp, const struct svt_packet *packet,
		      const void *payload, u32 length);
const struct svt_fake_sent *svt_fake_next(struct svt_fake *fake);
u64 svt_fake_count(struct svt_fake *fake, enum svt_counter counter);

#endif
