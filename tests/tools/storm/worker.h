/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_WORKER_H
#define STORM_WORKER_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include <infiniband/verbs.h>

#include "host.h"
#include "random.h"

#define WORKER_LINKS	8
#define WORKER_SLOTS	3

/* Of each queue of a QP, of an SRQ, and of a CQ: what all queues of an end complete fits into it */
#define QUEUE_DEPTH	32
#define SRQ_DEPTH	64
#define CQ_LEAST	1024
#define CQ_MOST		4096
static_assert(2 * QUEUE_DEPTH * WORKER_LINKS + SRQ_DEPTH <= CQ_LEAST, "no CQ overruns");

/*
 * A place for a CQ. Who polls holds @lock, so that the CQ stays; nobody holds it to resize.
 *
 * @users: queues of QPs that complete here; of the worker
 */
struct slot {
	pthread_mutex_t lock;
	struct ibv_cq *cq;
	u32 users;
};

/*
 * One end of a worker's links: what it has of one device. Of the worker, but for the slots.
 *
 * @srq_users: QPs of @srq
 * @srq_posted: receives of @srq whose completion was not polled
 */
struct end {
	struct host *host;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct slot slot[WORKER_SLOTS];
	struct ibv_srq *srq;
	u32 srq_users;
	atomic_int srq_posted;
	u8 *buffer;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
};

/*
 * A QP of a link. @link and @end never change. What else the companion looks at changes with the
 * locks of both slots held.
 *
 * @generation: of completions that may still come
 * @qpn: of @qp, 0 when there is none
 * @sends: posted, completion not polled; @recvs likewise
 * @ready: was brought to RTS
 */
struct half {
	struct link *link;
	struct end *end;
	struct ibv_qp *qp;
	struct slot *send;
	struct slot *recv;
	struct ibv_ah *ah;
	bool srq;
	bool attached;
	bool ready;
	u32 psn;
	u32 generation;
	u32 qpn;
	atomic_int sends;
	atomic_int recvs;
};

/* Two QPs that talk to each other, or one of them, or none */
struct link {
	enum ibv_qp_type type;
	struct half half[2];
};

/*
 * A thread that makes, uses and destroys objects of its own, in a sequence that depends on the
 * seed and its number only, and its companion, who polls all of its CQs meanwhile.
 *
 * @operations: how many to do; 0: until the device is gone
 * @tidy: destroy everything at the end; otherwise closing the device has to do it
 * @over: the device is gone
 */
struct worker {
	u32 number;
	u64 operations;
	bool tidy;
	bool over;
	struct random rng;
	struct end end[2];
	struct link link[WORKER_LINKS];
	pthread_t thread;
	pthread_t companion;
	atomic_bool stop;
};

/* What a completion says of its request: wr_id */
struct tag {
	u32 generation;
	u8 link;
	u8 half;
	bool recv;
	bool srq;
};

static inline u64 tag_pack(struct tag t)
{
	return (u64)t.generation << 32 | (u32)t.link << 8 | (u32)t.half << 2 |
	       (u32)t.recv << 1 | t.srq;
}

static inline struct tag tag_unpack(u64 id)
{
	return (struct tag){ id >> 32, id >> 8, id >> 2 & 1, id >> 1 & 1, id & 1 };
}

/* worker.c: starts @w on two devices, which may be the same; waits for its end */
int worker_start(struct worker *w, struct host *hosts[2]);
void worker_join(struct worker *w);

/* Whether a verb succeeded. Otherwise: fail(), or the device is gone, which sets w->over. */
bool verb_ok(struct worker *w, struct host *host, const char *verb, int err);

/* companion.c */
void *companion(void *worker);

/* end.c */
bool end_open(struct worker *w, struct end *e, struct host *host);
void end_close(struct worker *w, struct end *e);
void slot_resize(struct worker *w, struct end *e);
void slot_replace(struct worker *w, struct end *e);
void srq_change(struct worker *w, struct end *e);
void srq_replace(struct worker *w, struct end *e);
void srq_fill(struct worker *w, struct end *e);

/* memory.c */
#define BUFFER_BYTES	(256 * 1024)

bool memory_register(struct worker *w, struct end *e);
void memory_replace(struct worker *w, struct end *e);
void memory_change(struct worker *w, struct end *e);
void window_replace(struct worker *w, struct end *e);
bool memory_free(struct worker *w, struct end *e);

/* link.c */
void half_open(struct worker *w, struct link *l, u32 side);
void half_close(struct worker *w, struct link *l, u32 side);
void half_connect(struct worker *w, struct link *l, u32 side);
bool half_modify(struct worker *w, struct half *h, enum ibv_qp_state state);
void half_reset(struct worker *w, struct half *h);
void half_query(struct worker *w, struct half *h);
void half_multicast(struct worker *w, struct link *l, u32 side);
void half_replace_ah(struct worker *w, struct link *l, u32 side);

/* traffic.c */
void post_receives(struct worker *w, u32 link, u32 side);
void post_sends(struct worker *w, u32 link, u32 side, u32 count);
void post_bind(struct worker *w, u32 link, u32 side);

/* operation.c: the one that the seed, the worker's number and @index say */
void operation_do(struct worker *w, u64 index);

#endif
