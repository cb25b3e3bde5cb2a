/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_FLOW_H
#define ROCE_FLOW_H

#include <linux/interrupt.h>
#include <net/sock.h>
#include <rdma/svt.h>

/* No xmit was refused since the core was last told that there is room */
#define ROCE_FLOW_OPEN		(-1)

/**
 * struct roce_flow - what is kept for svt_flow.priv
 * @rcu: for its end
 * @flow: the core's
 * @sk: owns the packets in flight; @sk->sk_user_data points back, under RCU
 * @default_space: what @sk->sk_write_space is when this flow is closed
 * @lock: protects @closed, and the writing of @resume
 * @resume: an xmit was refused until no more bytes than this are in flight, or ROCE_FLOW_OPEN; read
 *	without @lock by flow_space()
 * @closed: @flow is not to be touched any more
 * @cpu: where an ordered flow sent last; its one sender's
 * @ready: tells the core that there is room
 * @ip_id: identification of the last IPv4 packet
 */
struct roce_flow {
	struct rcu_head rcu;
	struct svt_flow *flow;
	struct sock *sk;
	void (*default_space)(struct sock *sk);
	spinlock_t lock; /* closed, resume */
	int resume;
	bool closed;
	int cpu;
	struct tasklet_struct ready;
	atomic_t ip_id;
};

static inline struct roce_flow *to_roce_flow(struct svt_flow *flow)
{
	return flow->priv;
}

int roce_flow_open(struct svt_device *dev, struct svt_flow *flow);
void roce_flow_close(struct svt_device *dev, struct svt_flow *flow);
bool roce_is_flow(const struct sock *sk);
bool roce_flow_is_empty(const struct roce_flow *flow);
bool roce_flow_has_room(struct roce_flow *flow);

#endif
