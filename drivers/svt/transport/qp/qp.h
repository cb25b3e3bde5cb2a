/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue pair. The send half (requester and completer) and the receive half (responder) have a
 * lock each, on a cache line of its own, and are otherwise independent.
 *
 * svt_send_schedule() and svt_recv_schedule() run a half, or leave a bit in `work` to its owner:
 * see half.c. Packets wait on `backlog`. Only modify, query and destroy wait for the lock.
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
 * @ref: of the handle, and of each UD request copied from a ring
 * @rcu: for look-ups by number
 * @dev: device
 * @pd: whose QPs may use it
 * @path: to the destination
 * @number: in svt_core.ahs
 */
struct svt_av {
	struct kref ref;
	struct rcu_head rcu;
	struct svt_device *dev;
	struct ib_pd *pd;
	struct svt_path path;
	u32 number;
};

/* Bits of svt_half.work */
enum svt_work {
	SVT_WORK_QUEUE		= 1 << 0,	/* the ring has, or may have, new entries */
	SVT_WORK_PACKETS	= 1 << 1,
	SVT_WORK_TIMER		= 1 << 2,
	SVT_WORK_FLOW		= 1 << 3,	/* the backend has room again */
	SVT_WORK_STATE		= 1 << 4,
	SVT_WORK_BUDGET		= 1 << 5,	/* go on where a run stopped */
	SVT_WORK_PAGES		= 1 << 6,	/* what was waited for is there, or never will be */
};

/* Packets: more are dropped and counted */
#define SVT_BACKLOG_MAX		4096
/* Packets in one round */
#define SVT_PACKETS_BUDGET	64

/* Pending notifications for CQs and clients, delivered when no lock is held */
struct svt_notify {
	unsigned int cq_events;	/* or'ed results of svt_cq_add() */
	u32 qp_events;		/* bit i: enum ib_event_type i */
	u32 srq_events;
	u32 srq_num;		/* XRC: of the SRQ of cq_events and srq_events */
	bool schedule_other;	/* the other half has to see the new state */
	struct svt_qp *peer;	/* QP of this host that has some too; of this RCU read section */
};

enum svt_fault_state {
	SVT_FAULT_NONE,
	SVT_FAULT_PENDING,	/* the rest of struct svt_fault is the worker's */
	SVT_FAULT_REFUSED,
};

struct svt_paging;

/* The pages that a half waits for, see fault.c */
struct svt_fault {
	struct work_struct work;
	int state;
	struct svt_paging *paging;	/* holds a reference while PENDING */
	u64 id;				/* of paging, also later */
	u64 offset;			/* bytes from the start of the region */
	u64 length;
	bool write;
	bool forgotten;			/* the owner does not want to know the result any more */
};

/**
 * struct svt_half - the common part of the send and the receive half
 * @lock: protects the half; BH off
 * @work: enum svt_work, or'ed before @lock is tried
 * @backlog: packets that came while the half was busy; has its own lock
 * @notify: under @lock
 * @defer: continues in the workqueue after a budget
 * @late: runs for posts of a kernel client to a QP in ERR
 * @late_runs: of @late since RESET, up to a bound; see verbs/post.c
 * @fault: used by owner and worker in turn
 * @run: one round of requester or responder
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
 * struct svt_send_cursor - where the requester stands; restored when a train is refused
 * @request: ordinal in the window
 * @offset: payload bytes of @request that are sent
 * @psn: of the next packet
 * @next_psn: one behind the last PSN ever sent
 * @read_head: in read_ends, behind the last read or atomic
 * @started: requests below this ordinal have PSNs
 * @ssn: of the next message
 * @credit_ssn: the last that the peer has a receive WQE for, if it tells of credits
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
	u32 una;
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
	ktime_t now;
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
	ktime_t found;
	u64 interval;			/* mean ns between two finds */
	u32 watched;			/* ring.index at the last find */
	u32 watched_by;			/* CPU that it is counted on while watched, plus one */
	u32 arrivals_seen;		/* recv.arrivals at the last find */
	bool asleep;
	bool drained;			/* SQ_DRAINED was raised in this SQD */
};

/**
 * struct svt_resource - a read, atomic or FLUSH, kept to answer it and its duplicates
 * @psn: of the request, and of its first response
 * @last_psn: of the last response
 * @request_psn: of the (duplicate) request under way, where READ_RESPONSE_FIRST stands
 * @end_psn: of the last packet of its answer
 * @next_psn: next response to send; behind @end_psn when all are sent
 * @opcode: of the request
 * @replay: was answered completely once
 * @rkey: read, FLUSH to persistent memory
 * @remote_addr: read; FLUSH: first byte not written back yet
 * @flush_left: FLUSH: bytes to write back before the answer
 * @length: read, bytes
 * @end: read, bytes up to the end of the answer
 * @srq_num: XRC: of the SRQ whose PD the memory is of
 * @atomic_original: value before the atomic
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
 * @count: of @cqes
 * @solicited: one raises a solicited event
 * @cqes: successful
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
	struct svt_cqe_batch *batch;
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
	struct svt_qp *loopback_peer;
	bool last_wqe_raised;
	bool com_est_raised;
	/* A ring: the newest stands before resource_head, see rd_atomic.c */
	struct svt_resource *resources;	/* more than max_dest_rd_atomic */
	u32 resource_entries;
	u32 resource_head;
	u32 resource_count;
	u32 resource_fresh;		/* of the newest: not yet answered completely */
	u32 resource_pending;		/* of the newest: may have responses to send */
	u32 persisting;			/* of these: FLUSHes that have bytes to write back */
	u32 persisted;			/* bytes written back since the last run ended */
};

struct svt_qp_type;

/**
 * struct svt_qp - a queue pair
 * @ibqp: for ib_core
 * @dev: device
 * @core: its tables
 * @counters: of the device, or of `rdma statistic qp bind`; changed by verbs, RCU, see
 *	svt_qp_counters()
 * @type: operations
 * @node: in svt_core.qps
 * @qpn: number
 * @sq_sig_all: every send request is signalled
 * @state: enum ib_qp_state. Modify changes it with both half locks held. A half that fails sets it
 *	to ERR (or, for the send half of UC and UD, from RTS to SQE by cmpxchg) under its own lock
 *	only. So a half reads it by READ_ONCE() and may see it become ERR at any time, but nothing
 *	else.
 * @attr: of modify_qp; changed with both half locks held, read with either
 * @path: if connected; changed with both half locks held while no packet moves
 * @path_valid: @path has to be released
 * @peer: of @path, from RTR to RESET; under @modify_lock, set by verbs
 * @mtu: path MTU in bytes
 * @cap: reported by create
 * @send_cq: of the send half
 * @recv_cq: of the receive half
 * @srq: NULL for a receive queue of its own, and for XRC
 * @xrcd: XRC TGT: domain of the SRQs
 * @flow: transmit accounting of both halves
 * @flow_turn: the receive half heard first of room, the last time; no lock
 * @windows: type 2, bound to the QP
 * @multicast: its groups; under svt_core.multicast_lock
 * @modify_lock: serialises modify, query and destroy
 * @stopped: by svt_qp_stop(); under @modify_lock
 * @sq_mmap_entry: of a process's QP, owned by verbs
 * @rq_mmap_entry: likewise
 * @send: requester and completer
 * @recv: responder
 * @user: belongs to a process
 * @uid: owner; INVALID_UID: a kernel client
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

/* RCU read section, as long as the counters are used */
static inline struct svt_counters __percpu *svt_qp_counters(const struct svt_qp *qp)
{
	return READ_ONCE(qp->counters);
}

/* Where in the payload of a train the last copy ended; @done: bytes before */
struct svt_rx_source {
	struct bvec_iter iter;
	u32 done;
};

/**
 * struct svt_rx_target - where the payload of a message goes: a look-up for many packets
 * @sge: of the receive WQE, or NULL
 * @take: svt_recv_half.takes
 * @write: @region is for a WRITE
 * @offset: of @region in the message
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
 * @packet: headers
 * @skb: of the packet, or NULL
 * @train: or of a QP on this host
 * @source: of @train
 * @payload: its offset in @skb or @train
 * @stride: to the next payload
 * @more: packets behind it that continue the message, or are messages of one packet too: only the
 *	PSN differs, and the last may ask for an acknowledgment
 * @more_ack_request: it does
 * @run: packets that were handled, at most 1 + @more
 * @target: of the packets before; kept for all of @skb
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

/* For a look-up that is not of a message; tries the last region first */
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
 * struct svt_qp_type - differences between RC, UC, UD, GSI, XRC and raw packet QPs
 * @send_opcodes: bit i: enum ib_uverbs_wr_opcode i may be posted
 * @service: enum svt_service
 * @connected: has one peer
 * @reliable: acknowledges and retries
 * @target: requests name the SRQ (XRC TGT)
 * @request: handles a request (receive half); NULL: dropped
 * @response: handles a response (send half); NULL: dropped
 * @frame: handles an Ethernet frame (receive half): only a raw packet QP, which has no packets
 * @send_error_state: after a failed send request
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
