/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue pair. The send half (requester and completer) and the receive half (responder) have a
 * lock each, on a cache line of its own, and are otherwise independent.
 *
 * svt_send_schedule() and svt_recv_schedule() run a half, or leave a bit in `work` to the one that
 * runs it: see half.c. Packets wait on `backlog`. Only modify, query and destroy wait for the lock.
 *
 * Order of locks: modify_lock, send.half.lock, recv.half.lock, then those of SRQ, MW and CQ
 * (innermost).
 */
#ifndef SVT_TRANSPORT_QP_QP_H
#define SVT_TRANSPORT_QP_QP_H

#include <linux/bvec.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <rdma/ib_pack.h>
#include <rdma/svt.h>

#include "../../core.h"
#include "../../queue/cq.h"
#include "../../queue/srq.h"
#include "../../queue/wqe.h"
#include "../../wire/packet.h"

struct svt_peer;
struct svt_qp;
struct svt_send_request;

/**
 * struct svt_av - the address vector of an address handle; outlives it while requests use it
 * @ref: the handle, and each UD request that was copied from the ring
 * @rcu: its memory outlives look-ups by number
 * @dev: device
 * @pd: only QPs of the same PD may use it
 * @path: how to get there
 * @number: in svt_core.ahs, as a UD request in a ring names it
 */
struct svt_av {
	struct kref ref;
	struct rcu_head rcu;
	struct svt_device *dev;
	struct ib_pd *pd;
	struct svt_path path;
	u32 number;
};

/* Bits of svt_qp_side.work */
enum svt_work {
	SVT_WORK_QUEUE		= 1 << 0,	/* the ring has, or may have, new entries */
	SVT_WORK_PACKETS	= 1 << 1,	/* there is a backlog */
	SVT_WORK_TIMER		= 1 << 2,
	SVT_WORK_FLOW		= 1 << 3,	/* the backend has room again */
	SVT_WORK_STATE		= 1 << 4,	/* the QP's state changed */
	SVT_WORK_BUDGET		= 1 << 5,	/* go on where a run stopped */
	SVT_WORK_PAGES		= 1 << 6,	/* what was waited for is there, or never will be */
};

/* Packets of the backlog that a half holds at most; more are dropped and counted */
#define SVT_BACKLOG_MAX		4096
/* Of these, taken in one round */
#define SVT_PACKETS_BUDGET	64

/**
 * struct svt_notify - what a run owes to CQs and clients, paid when no lock is held
 * @cq_events: or'ed results of svt_cq_add() for the CQ of the half
 * @qp_events: bit i: enum ib_event_type i of the QP
 * @srq_events: bit i: enum ib_event_type i of the SRQ
 * @srq_num: XRC: of the SRQ that @srq_events, and whose CQ @cq_events, are for
 * @schedule_other: the other half has to see that the state changed
 * @peer: QP of this host whose receive half owes something too; found in this RCU read section
 */
struct svt_notify {
	unsigned int cq_events;
	u32 qp_events;
	u32 srq_events;
	u32 srq_num;
	bool schedule_other;
	struct svt_qp *peer;
};

/* Of svt_fault.state */
enum svt_fault_state {
	SVT_FAULT_NONE,
	SVT_FAULT_PENDING,	/* the rest of struct svt_fault is the worker's */
	SVT_FAULT_REFUSED,
};

struct svt_paging;

/**
 * struct svt_fault - the pages that a half waits for, see fault.c
 * @work: brings them
 * @state: enum svt_fault_state
 * @paging: of the region, with a reference while it is PENDING
 * @id: of @paging, also later
 * @offset: first byte, from the start of the region
 * @length: bytes
 * @write: they are to be written
 * @forgotten: nobody wants to know any more whether they could be brought; the owner's
 */
struct svt_fault {
	struct work_struct work;
	int state;
	struct svt_paging *paging;
	u64 id;
	u64 offset;
	u64 length;
	bool write;
	bool forgotten;
};

/**
 * struct svt_half - what the send and the receive half have in common
 * @lock: protects the half; BH off
 * @work: enum svt_work, atomic or'ed before the lock is tried
 * @backlog: packets that came while the half was busy; its own lock
 * @notify: collected by the owner, under @lock
 * @defer: runs the half again from the workqueue after a budget
 * @late: runs it for what a kernel client posted to a QP in ERR
 * @late_runs: how often @late was queued since RESET, up to a bound; see verbs/post.c
 * @fault: pages that it waits for; by the owner and the worker in turn
 * @run: one round of the owner: requester or responder, which svt_halves_init() was told
 */
struct svt_half {
	spinlock_t lock; /* see above */
	atomic_t work;
	struct sk_buff_head backlog;
	struct svt_notify notify;
	struct work_struct defer;
	struct delayed_work late;
	atomic_t late_runs;
	struct svt_fault fault;
	void (*run)(struct svt_qp *qp, int work);
};

/**
 * struct svt_send_cursor - where the requester stands; saved and put back when a train is refused
 * @request: ordinal of the request in the window
 * @offset: payload bytes of it that are sent
 * @psn: of the next packet
 * @next_psn: one behind the last PSN ever sent
 * @read_head: index in read_ends behind the last read or atomic asked for
 * @started: requests below this ordinal have their PSNs
 * @ssn: send sequence number of the next message
 * @credit_ssn: the last that the peer has a receive for, if it tells of credits
 */
struct svt_send_cursor {
	u32 request;
	u32 offset;
	u32 psn;
	u32 next_psn;
	u32 read_head;
	u32 started;
	u32 ssn;
	u32 credit_ssn;
};

/* The requester and the completer; all under half.lock unless said otherwise */
struct svt_send_half {
	struct svt_half half;
	struct svt_ring ring;
	struct svt_wqe_limits limits;
	spinlock_t post_lock;		/* kernel clients: producer of the ring */
	/* The window: requests copied from the ring and not retired */
	void *window;
	u32 window_entries;
	u32 window_most;		/* entries that it may grow to */
	u32 window_stride;
	u32 head;			/* ordinal of the next request to copy */
	u32 tail;			/* ordinal of the oldest not retired */
	struct svt_send_cursor cursor;
	/* RC */
	u32 una;			/* oldest PSN not acknowledged */
	u32 repeat_psn;			/* una when the requester went back, the last time */
	u32 ack_request;		/* ordinal of the request that holds una */
	u32 *read_ends;			/* PSN behind each outstanding read or atomic, a ring */
	u32 read_entries;
	u32 read_tail;
	bool credit_limited;		/* the peer tells of credits */
	bool recovering;		/* went back to una, which has not moved since */
	bool probing;			/* repeats by the timer, see svt_recovery_may_send() */
	bool flow_blocked;
	bool answer_lost;		/* its memory was not there; to be asked for again */
	u8 retry_left;
	u8 rnr_retry_left;
	ktime_t progress;		/* when una moved last, or the first packet went */
	u32 timers_in_vain;		/* since then */
	u32 holes_in_vain;		/* since then: repeats for a missing response */
	ktime_t now;			/* of this run */
	ktime_t went_back;		/* last; valid while recovering */
	ktime_t deadline;		/* of the retransmission timer; 0: not armed */
	ktime_t rnr_until;		/* send nothing before; 0: no RNR wait */
	ktime_t rtt_start;		/* 0: no sample under way */
	u32 rtt_psn;
	u64 srtt;			/* ns; 0: no sample yet */
	u64 rttvar;
	u32 rto_shift;
	u32 unacked_limit_x8;	/* eight times the PSNs that may be out now */
	ktime_t rate_next;		/* send nothing before, see rate_limit.c */
	struct hrtimer timer;
	/* Staying awake after work, see doorbell.c */
	ktime_t idle_until;		/* of the next look at the ring; 0: none */
	ktime_t watch_until;		/* 0: do not watch */
	ktime_t found;			/* when the last look found something */
	u64 interval;			/* mean ns between two finds */
	u32 watched;			/* ring.index at the last find */
	u32 watched_by;			/* CPU that it is counted on while watched, plus one */
	u32 arrivals_seen;		/* recv.arrivals at the last find */
	bool asleep;
	bool drained;			/* SQ_DRAINED was raised in this SQD */
};

/**
 * struct svt_resource - a read or atomic request, kept to answer it and its duplicates
 * @psn: of the request, and of its first response packet
 * @last_psn: of the last response packet
 * @request_psn: of the request or duplicate that is answered now: where READ_RESPONSE_FIRST stands
 * @end_psn: of the last packet of that answer
 * @next_psn: of the next response packet to send; behind @end_psn when all are sent
 * @opcode: of the request
 * @replay: was answered completely once
 * @rkey: read, FLUSH to persistent memory
 * @remote_addr: read; FLUSH: of the first byte that is not written back yet
 * @flush_left: FLUSH: bytes to be written back before it is answered
 * @length: read, bytes
 * @end: read, bytes up to the end of the answer
 * @srq_num: XRC: of the SRQ whose PD the memory is of
 * @atomic_original: what an atomic found
 */
struct svt_resource {
	u32 psn;
	u32 last_psn;
	u32 request_psn;
	u32 end_psn;
	u32 next_psn;
	u8 opcode;
	bool replay;
	u32 rkey;
	u64 remote_addr;
	u64 flush_left;
	u32 length;
	u32 end;
	u32 srq_num;
	u64 atomic_original;
};

/**
 * struct svt_cqe_batch - completions of messages that came in a row, added at once
 * @count: how many
 * @solicited: one is to raise a solicited event
 * @cqes: all successful
 */
struct svt_cqe_batch {
	u32 count;
	bool solicited;
	struct svt_cqe cqes[8];
};

/* The responder; all under half.lock unless said otherwise */
struct svt_recv_half {
	struct svt_half half;
	struct svt_ring ring;		/* unused with an SRQ */
	struct svt_wqe_limits limits;
	spinlock_t post_lock;		/* kernel clients: producer; rdma resource: control */
	struct svt_recv_wqe *wqe;	/* the copy of the receive under way */
	u32 wqe_length;			/* bytes that it can take */
	bool wqe_valid;
	struct ib_pd *pd;		/* of what requests name by key; XRC: of their SRQ */
	u32 srq_num;			/* XRC: of the message, and of the receive, under way */
	u32 takes;			/* receives that were under way, this one included */
	struct svt_cqe_batch *batch;	/* of svt_rqe_batch_begin(), or NULL */
	/* RC and UC */
	u32 arrivals;			/* request packets; read without a lock by doorbell.c */
	u32 epsn;
	u32 msn;
	u32 message_offset;		/* payload bytes of the message that arrived */
	u8 message;			/* opcode of its FIRST packet */
	bool in_message;
	u64 write_addr;
	u32 write_rkey;
	u32 write_length;
	/* RC: answers, see ack.c */
	bool nak_sent;			/* for epsn, which has not come since */
	bool hole_seen;			/* hole_psn is valid */
	u32 hole_psn;			/* first packet dropped because epsn had not come */
	bool absent;			/* absent_psn was dropped for want of pages */
	u32 absent_psn;
	bool ack_due;
	u8 ack_syndrome;
	u32 ack_psn;
	bool flow_blocked;
	struct svt_qp *loopback_peer;		/* see loopback.c */
	bool last_wqe_raised;
	bool com_est_raised;
	/* A ring: the newest stands before resource_head, see rd_atomic.c */
	struct svt_resource *resources;	/* more than max_dest_rd_atomic */
	u32 resource_entries;
	u32 resource_head;		/* index of the next to use */
	u32 resource_count;		/* how many are kept */
	u32 resource_fresh;		/* of the newest: not yet answered completely */
	u32 resource_pending;		/* of the newest: may have responses to send */
	u32 persisting;			/* of these: FLUSHes that have bytes to write back */
	u32 persisted;			/* bytes written back since the last run ended */
};

struct svt_qp_type;

/**
 * struct svt_qp - a queue pair
 * @ibqp: what ib_core sees
 * @dev: device
 * @core: its tables
 * @counters: where it counts: with all others of the device, or where `rdma statistic qp bind` has
 *	it count; changed by verbs, see svt_qp_counters()
 * @type: operations of the QP's type
 * @node: in svt_core.qps
 * @qpn: QP number
 * @sq_sig_all: every send request is signalled
 * @state: enum ib_qp_state. Modify changes it with both half locks held; a half that fails sets
 *	it to IB_QPS_ERR (or, for the send half of UC and UD, from RTS to SQE by cmpxchg) under its
 *	own lock only. So a half reads it by READ_ONCE() and may see it become ERR at any time,
 *	but nothing else.
 * @attr: what modify_qp set; changed with both half locks held, read with either
 * @path: to the peer of a connected QP; changed with both half locks held while no packet moves
 * @path_valid: @path was initialised and has to be released
 * @peer: that @path leads to, from RTR to RESET; under @modify_lock, set by verbs
 * @mtu: path MTU in bytes
 * @cap: what create reported
 * @send_cq: CQ of the send half
 * @recv_cq: CQ of the receive half
 * @srq: NULL when the QP has a receive queue of its own, or is of XRC
 * @xrcd: of an XRC TGT QP: whose SRQs it delivers to
 * @flow: transmit accounting, shared by both halves
 * @flow_turn: the receive half was told first that there is room, the last time; no lock
 * @windows: of type 2, bound for it
 * @multicast: groups that it is attached to; under svt_core.multicast_lock
 * @modify_lock: serialises modify, query and destroy
 * @stopped: svt_qp_stop() has begun; under @modify_lock
 * @sq_mmap_entry: of a process's QP, owned by verbs
 * @rq_mmap_entry: likewise
 * @send: requester and completer
 * @recv: responder
 * @user: belongs to a process
 * @uid: whose; INVALID_UID: a client's in the kernel
 */
struct svt_qp {
	struct ib_qp ibqp;
	struct svt_device *dev;
	struct svt_core *core;
	struct svt_counters __percpu *counters;
	const struct svt_qp_type *type;
	struct rhash_head node;
	u32 qpn;
	bool user;
	bool sq_sig_all;
	bool path_valid;
	enum ib_qp_state state;
	u32 mtu;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	struct svt_path path;
	struct svt_peer *peer;
	kuid_t uid;
	struct svt_flow flow;
	bool flow_turn;
	struct svt_cq *send_cq;
	struct svt_cq *recv_cq;
	struct svt_srq *srq;
	struct ib_xrcd *xrcd;
	struct svt_mw_owner windows;
	struct list_head multicast;
	struct mutex modify_lock; /* see above */
	bool stopped;
	struct rdma_user_mmap_entry *sq_mmap_entry;
	struct rdma_user_mmap_entry *rq_mmap_entry;
	struct svt_send_half send ____cacheline_aligned_in_smp;
	struct svt_recv_half recv ____cacheline_aligned_in_smp;
};

static inline struct svt_qp *to_svt_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct svt_qp, ibqp);
}

/**
 * svt_qp_counters() - where a QP counts
 * @qp: the QP
 *
 * Context: RCU read section, as long as the counters are used.
 * Return: The counters.
 */
static inline struct svt_counters __percpu *svt_qp_counters(const struct svt_qp *qp)
{
	return READ_ONCE(qp->counters);
}

/**
 * struct svt_rx_source - where in the payload of a train the last copy ended
 * @iter: there
 * @done: bytes before it
 */
struct svt_rx_source {
	struct bvec_iter iter;
	u32 done;
};

/**
 * struct svt_rx_target - where the payload of a message goes: a look-up for many packets
 * @sge: entry of the receive under way, or NULL
 * @take: which receive: svt_recv_half.takes
 * @write: @region is that of a WRITE, from @offset on
 * @offset: in the message
 * @region: found in this RCU read section
 */
struct svt_rx_target {
	const struct svt_sge *sge;
	u32 take;
	bool write;
	u32 offset;
	struct svt_region region;
};

/**
 * struct svt_rx_packet - a packet on its way through a QP
 * @packet: its headers
 * @skb: that holds it; or NULL
 * @train: then it is of this train of a QP on this host
 * @source: of @train
 * @payload: offset of the payload in @skb, or in that of @train
 * @stride: from there to that of the next
 * @more: packets behind it in the middle of its message, or messages of one packet as it is: all
 *	that differs is the PSN, and that the last may ask for an acknowledgment
 * @more_ack_request: it does
 * @run: packets that were dealt with, at most 1 + @more
 * @target: what its packets before this one went to; kept as long as @skb is worked on
 */
struct svt_rx_packet {
	struct svt_packet packet;
	struct sk_buff *skb;
	const struct svt_train *train;
	struct svt_rx_source *source;
	u32 payload;
	u32 stride;
	u32 more;
	bool more_ack_request;
	u32 run;
	struct svt_rx_target *target;
};

/* For another look-up than those of a message: what was found for the last packet is tried first */
static inline struct svt_region *svt_rx_region(struct svt_rx_packet *rx)
{
	rx->target->sge = NULL;
	rx->target->write = false;
	return &rx->target->region;
}

static inline bool svt_rx_ack_request(const struct svt_rx_packet *rx)
{
	if (!rx->more)
		return rx->packet.ack_request;
	return rx->run == 1 + rx->more && rx->more_ack_request;
}

/**
 * struct svt_qp_type - what RC, UC, UD, GSI and raw packet QPs do differently
 * @send_opcodes: bit i: enum ib_uverbs_wr_opcode i may be posted
 * @service: enum svt_service of the packets that the QP takes
 * @connected: has a peer of its own (RC and UC)
 * @reliable: acknowledges and retries (RC)
 * @target: each request names the SRQ that it is for (XRC TGT)
 * @request: a request packet arrived (receive half); NULL: dropped
 * @response: a response packet arrived (send half); NULL: dropped
 * @frame: a frame arrived (receive half): the QP sends and receives Ethernet frames, no packets of
 *	the transport (raw packet)
 * @send_error_state: where a send request that failed leads to
 */
struct svt_qp_type {
	u32 send_opcodes;
	u8 service;
	bool connected;
	bool reliable;
	bool target;
	void (*request)(struct svt_qp *qp, struct svt_rx_packet *rx);
	void (*response)(struct svt_qp *qp, struct svt_rx_packet *rx);
	void (*frame)(struct svt_qp *qp, struct sk_buff *skb);
	enum ib_qp_state send_error_state;
};

/* The first byte of the BTH for @opcode, which is without the service bits */
static inline u8 svt_qp_opcode(const struct svt_qp *qp, u8 opcode)
{
	static const u8 service_bits[] = {
		[SVT_SERVICE_RC] = IB_OPCODE_RC,
		[SVT_SERVICE_UC] = IB_OPCODE_UC,
		[SVT_SERVICE_UD] = IB_OPCODE_UD,
		[SVT_SERVICE_XRC] = 0xa0,
	};

	return service_bits[qp->type->service] | opcode;
}

static inline bool svt_gid_equal(const union ib_gid *a, const union ib_gid *b)
{
	return a->global.subnet_prefix == b->global.subnet_prefix &&
	       a->global.interface_id == b->global.interface_id;
}

#endif
