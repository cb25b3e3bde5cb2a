// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flows: how much each QP may have in flight, and how it learns that there is room again.
 *
 * Packets belong to a socket of their flow and are charged to its sk_wmem_alloc until the qdisc,
 * the driver or the receiving side of a veth frees them; sock_wfree() is the one destructor that
 * survives segmentation. The socket is of UDP, because IP looks at it as at one of its own; it is
 * never bound. It has the control group and the user of the maker of the QP, for filters and rules.
 *
 * A packet may be freed anywhere, also inside roce_xmit() and with a qdisc locked: a tasklet tells
 * the core. A packet may outlive the flow and the module. It keeps the socket, from which
 * roce_flow_close() takes all that leads back here.
 */
#include <linux/cred.h>
#include <linux/nsproxy.h>
#include <linux/random.h>
#include <net/ip.h>
#include <net/udp.h>

#include "flow.h"
#include "namespace.h"
#include "roce.h"

/* Bytes of truesize in flight beyond which nothing more is taken, and down to which to wait */
#define FLOW_LIMIT	(256 * 1024)
#define FLOW_RESUME	(FLOW_LIMIT / 2)
/* No packet is so small. Each CPU may keep a byte of one: sock_wfree(), around sk_write_space */
#define FLOW_EMPTY	(SKB_TRUESIZE(0) - 1)

static void tell_ready(struct tasklet_struct *tasklet)
{
	struct roce_flow *priv = from_tasklet(priv, tasklet, ready);

	svt_flow_ready(priv->flow);
}

static void wake(struct roce_flow *priv)
{
	unsigned long flags;

	spin_lock_irqsave(&priv->lock, flags);
	if (priv->resume != ROCE_FLOW_OPEN && !priv->closed) {
		WRITE_ONCE(priv->resume, ROCE_FLOW_OPEN);
		tasklet_schedule(&priv->ready);
	}
	spin_unlock_irqrestore(&priv->lock, flags);
}

/* sk_write_space: a packet of the flow was freed. Any context, any locks held */
static void flow_space(struct sock *sk)
{
	struct roce_flow *priv;

	/* Pairs with the barrier in refused(): that sees the memory given back, or this @resume */
	smp_mb();
	rcu_read_lock();
	priv = rcu_dereference_sk_user_data(sk);
	if (priv && sk_wmem_alloc_get(sk) <= READ_ONCE(priv->resume))
		wake(priv);
	rcu_read_unlock();
}

/* Any context. @sk: of a packet, or NULL. Return: does it belong to an open flow? */
bool roce_is_flow(const struct sock *sk)
{
	/* Pairs with the write in roce_flow_close() */
	return sk && sk_fullsock(sk) && READ_ONCE(sk->sk_write_space) == flow_space;
}

/* Members of a group on this host hear what this host sends to it, too */
static int hear_own_multicast(struct sock *sk)
{
	int on = 1;

	return ip_setsockopt(sk, SOL_IP, IP_MULTICAST_LOOP, KERNEL_SOCKPTR(&on), sizeof(on));
}

static struct sock *alloc_socket(struct net *net, bool user)
{
	struct sock *sk = sk_alloc(net, PF_INET, SVT_GFP_CHARGED, &udp_prot, 1);

	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_protocol = IPPROTO_UDP;
	if (user)
		sk->sk_uid = current_euid();
	if (hear_own_multicast(sk)) {
		sock_put(sk);
		return NULL;
	}
	return sk;
}

/*
 * In exclusive mode a device's users may all be in another namespace than its netdev, and use the
 * GIDs of both (svt_gid_check_caller()).
 */
static void find_netns(const struct roce_device *device, struct svt_flow *flow)
{
	const struct net *net = device->net;

	flow->everywhere = !rdma_dev_access_netns(&device->svt.ibdev, net);
	if (flow->user && !flow->everywhere)
		net = current->nsproxy->net_ns;
	flow->netns = roce_net(net)->number;
}

/* svt_backend_ops.flow_open. The socket keeps no namespace: the flow goes before the device's */
int roce_flow_open(struct svt_device *dev, struct svt_flow *flow)
{
	struct roce_device *device = to_roce_device(dev);
	struct roce_flow *priv;
	struct sock *sk;

	priv = kzalloc(sizeof(*priv), SVT_GFP_CHARGED);
	if (!priv)
		return -ENOMEM;
	sk = alloc_socket(device->net, flow->user);
	if (!sk) {
		kfree(priv);
		return -ENOMEM;
	}
	find_netns(device, flow);

	priv->flow = flow;
	priv->sk = sk;
	priv->default_space = sk->sk_write_space;
	priv->resume = ROCE_FLOW_OPEN;
	spin_lock_init(&priv->lock);
	tasklet_setup(&priv->ready, tell_ready);
	atomic_set(&priv->ip_id, get_random_u32());

	rcu_assign_sk_user_data(sk, priv);
	sk->sk_write_space = flow_space;
	flow->priv = priv;
	return 0;
}

/* svt_backend_ops.flow_close; not from svt_flow_ready(). Packets may still be in flight */
void roce_flow_close(struct svt_device *dev, struct svt_flow *flow)
{
	struct roce_flow *priv = to_roce_flow(flow);
	struct sock *sk = priv->sk;

	WRITE_ONCE(sk->sk_write_space, priv->default_space);
	rcu_assign_sk_user_data(sk, NULL);

	/* Those that hold @priv from before schedule the tasklet before this or not at all */
	spin_lock_irq(&priv->lock);
	priv->closed = true;
	spin_unlock_irq(&priv->lock);
	tasklet_kill(&priv->ready);

	flow->priv = NULL;
	/* Not sk_free(): packets in netem hold a reference, and no memory is charged for them */
	sock_put(sk);
	kfree_rcu(priv, rcu);
}

/* Return: is more than @resume in flight still? If so, flow_space() will see less */
static bool refused(struct roce_flow *flow, int resume)
{
	unsigned long flags;

	spin_lock_irqsave(&flow->lock, flags);
	WRITE_ONCE(flow->resume, resume);
	spin_unlock_irqrestore(&flow->lock, flags);
	/*
	 * Pairs with the barrier in flow_space(): packets still charged see @resume when freed. It
	 * stays even with room by now, for another context of the QP: the core may be told once too
	 * often.
	 */
	smp_mb();
	return sk_wmem_alloc_get(flow->sk) > resume;
}

/*
 * Each CPU is a queue of its own, to a veth and to most NICs: an ordered flow moves to another CPU
 * when nothing is in flight. Else it is refused; the tasklet runs where the last packet was freed.
 */
static bool elsewhere(struct roce_flow *flow)
{
	int cpu = smp_processor_id();

	if (flow->cpu != cpu && sk_wmem_alloc_get(flow->sk) > FLOW_EMPTY &&
	    refused(flow, FLOW_EMPTY))
		return true;
	flow->cpu = cpu;
	return false;
}

/* Any context. Return: were all packets freed, or have they arrived on this host? */
bool roce_flow_is_empty(const struct roce_flow *flow)
{
	return sk_wmem_alloc_get(flow->sk) <= FLOW_EMPTY;
}

/* BH off. Return: may another train be sent from here? If not, svt_flow_ready() follows */
bool roce_flow_has_room(struct roce_flow *flow)
{
	if (unlikely(sk_wmem_alloc_get(flow->sk) > FLOW_LIMIT) && refused(flow, FLOW_RESUME))
		return false;
	return !flow->flow->ordered || !elsewhere(flow);
}
