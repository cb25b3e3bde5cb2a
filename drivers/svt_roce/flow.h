/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_FLOW_H
#define ROCE_FLOW_H

#include <linux/interrupt.h>
#include <net/sock.h>
#include <rdma/svt.h>

/* No xmit was refused since the core was last told that there is room */
#define ROCE_FLOW_OPEN		(-1)

/* svt_flow.priv */
struct roce_flow {
	struct rcu_head rcu;
	struct svt_flow *flow;
	struct sock *sk; /* owns packets in flight; its sk_user_data points back, under RCU */
	void (*default_space)(struct sock *sk); /* sk_write_space once closed */
	spinlock_t lock; /* closed, writes of resume */
	int resume; /* refused until no more bytes are in flight; flow_space() reads without lock */
	bool closed; /* flow is not to be touched any more */
	int cpu; /* where an ordered flow sent last; its one sender's */
	struct tasklet_struct ready; /* tells the core that there is room */
	atomic_t ip_id; /* of the last IPv4 packet */
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
