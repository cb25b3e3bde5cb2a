// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who is connected to whom. A packet does not name the QP that sends it (IBTA 9.2), so its receiver
 * takes all that comes from its peer's address for its peer's. Who may speak to a remote QP from an
 * address is decided here, on the host that has the address: the user who connected a QP so first.
 *
 * One table for all devices, because several may have an address: those of a bond and of a netdev
 * in it. A QP is in it from RTR to RESET or its end. In ERR too: its peer may not know of that, and
 * would believe another.
 *
 * Changed under svt_peers_lock, which is taken inside svt_qp.modify_lock; looked up under RCU.
 */
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "peers.h"

/**
 * struct svt_peer_pair - two addresses with QPs that are connected by them
 * @node: in svt_peer_pairs
 * @key: the addresses
 * @peers: struct svt_peer by number of the remote QP; under svt_peers_lock, never empty outside
 * @rcu: for freeing
 */
struct svt_peer_pair {
	struct rhash_head node;
	struct svt_peer_pair_key key;
	struct xarray peers;
	struct rcu_head rcu;
};

/**
 * struct svt_peer - a remote QP that QPs of ours are connected to
 * @pair: the addresses
 * @qpn: its number
 * @users: QPs of ours
 * @uid: whose the first of them is; INVALID_UID: a client's in the kernel
 */
struct svt_peer {
	struct svt_peer_pair *pair;
	u32 qpn;
	u32 users;
	kuid_t uid;
};

static const struct rhashtable_params svt_peer_pair_params = {
	.key_len = sizeof(struct svt_peer_pair_key),
	.key_offset = offsetof(struct svt_peer_pair, key),
	.head_offset = offsetof(struct svt_peer_pair, node),
	.automatic_shrinking = true,
};

static struct rhashtable svt_peer_pairs;
static DEFINE_MUTEX(svt_peers_lock);

/**
 * svt_peers_init - make the table
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int svt_peers_init(void)
{
	return rhashtable_init(&svt_peer_pairs, &svt_peer_pair_params);
}

/**
 * svt_peers_exit - free the table
 *
 * Context: module exit; no QP is left.
 */
void svt_peers_exit(void)
{
	WARN_ON(atomic_read(&svt_peer_pairs.nelems));
	rhashtable_destroy(&svt_peer_pairs);
}

/* Return: the pair, new if need be, or an ERR_PTR */
static struct svt_peer_pair *svt_pair_get(const struct svt_peer_pair_key *key)
{
	struct svt_peer_pair *pair;
	int ret;

	lockdep_assert_held(&svt_peers_lock);
	pair = rhashtable_lookup_fast(&svt_peer_pairs, key, svt_peer_pair_params);
	if (pair)
		return pair;
	pair = kzalloc(sizeof(*pair), SVT_GFP_CHARGED);
	if (!pair)
		return ERR_PTR(-ENOMEM);
	pair->key = *key;
	xa_init(&pair->peers);
	ret = rhashtable_insert_fast(&svt_peer_pairs, &pair->node, svt_peer_pair_params);
	if (!ret)
		return pair;
	kfree(pair);
	return ERR_PTR(ret);
}

/* Frees a pair that nobody is connected by */
static void svt_pair_put(struct svt_peer_pair *pair)
{
	lockdep_assert_held(&svt_peers_lock);
	if (!xa_empty(&pair->peers))
		return;
	rhashtable_remove_fast(&svt_peer_pairs, &pair->node, svt_peer_pair_params);
	xa_destroy(&pair->peers);
	kfree_rcu(pair, rcu);
}

static struct svt_peer *svt_peer_add(struct svt_peer_pair *pair, u32 qpn, kuid_t uid)
{
	struct svt_peer *peer = kmalloc(sizeof(*peer), SVT_GFP_CHARGED);
	int ret;

	if (!peer)
		return ERR_PTR(-ENOMEM);
	*peer = (struct svt_peer) { .pair = pair, .qpn = qpn, .users = 1, .uid = uid };
	ret = xa_err(xa_store(&pair->peers, qpn, peer, SVT_GFP_CHARGED));
	if (!ret)
		return peer;
	kfree(peer);
	return ERR_PTR(ret);
}

static struct svt_peer *svt_peer_join(struct svt_peer_pair *pair, u32 qpn, kuid_t uid,
				      bool privileged)
{
	struct svt_peer *peer = xa_load(&pair->peers, qpn);

	if (!peer)
		return svt_peer_add(pair, qpn, uid);
	if (!privileged && !uid_eq(peer->uid, uid))
		return ERR_PTR(-EADDRINUSE);
	peer->users++;
	return peer;
}

/**
 * svt_peer_take - speak to a remote QP from an address
 * @key: that address, and where the QP is
 * @qpn: its number
 * @uid: on behalf of whom; INVALID_UID: a client in the kernel, and all of these are one
 * @privileged: also if another user does
 *
 * Context: may sleep.
 * Return: to be given to svt_peer_release(); -EADDRINUSE another user does; -ENOMEM.
 */
struct svt_peer *svt_peer_take(const struct svt_peer_pair_key *key, u32 qpn, kuid_t uid,
			       bool privileged)
{
	struct svt_peer_pair *pair;
	struct svt_peer *peer;

	mutex_lock(&svt_peers_lock);
	pair = svt_pair_get(key);
	if (IS_ERR(pair)) {
		peer = ERR_CAST(pair);
	} else {
		peer = svt_peer_join(pair, qpn, uid, privileged);
		svt_pair_put(pair);
	}
	mutex_unlock(&svt_peers_lock);
	return peer;
}

/**
 * svt_peer_release - undo svt_peer_take()
 * @peer: what that returned, or NULL
 *
 * Context: may sleep.
 */
void svt_peer_release(struct svt_peer *peer)
{
	struct svt_peer_pair *pair;

	if (!peer)
		return;
	mutex_lock(&svt_peers_lock);
	pair = peer->pair;
	if (!--peer->users) {
		xa_erase(&pair->peers, peer->qpn);
		kfree(peer);
		svt_pair_put(pair);
	}
	mutex_unlock(&svt_peers_lock);
}

/**
 * svt_has_peer - is a QP connected from an address to another?
 * @net: the namespace of the first
 * @sgid: the first
 * @dgid: the second
 *
 * For a backend, to let nobody else send in the name of such a QP.
 *
 * Context: any.
 * Return: whether one is, of any device.
 */
bool svt_has_peer(const struct net *net, const union ib_gid *sgid, const union ib_gid *dgid)
{
	struct svt_peer_pair_key key = { .net = net, .sgid = *sgid, .dgid = *dgid };
	bool found;

	rcu_read_lock();
	found = rhashtable_lookup(&svt_peer_pairs, &key, svt_peer_pair_params);
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL_GPL(svt_has_peer);
