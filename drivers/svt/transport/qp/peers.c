// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections of local addresses to remote QPs. A packet does not name the QP that sends it (IBTA
 * 9.2), so its receiver trusts all that comes from its peer's address. The host that has the
 * address decides which user may speak from it to a remote QP: the first to connect a QP so.
 *
 * The tables are for all devices, as several may have an address (a bond and its netdevs). A QP is
 * in them from RTR to RESET or its end; in ERR too, as its peer may not know, and would believe
 * another. svt_peers_lock, inside of svt_qp.modify_lock, for changes; RCU for look-ups of pairs.
 */
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "peers.h"

struct svt_peer_pair {
	struct rhash_head node;
	struct svt_peer_pair_key key;
	u32 peers;		/* under svt_peers_lock, never 0 outside */
	struct rcu_head rcu;
};

/* Compared as bytes: it has no holes */
struct svt_peer_key {
	struct svt_peer_pair_key pair;
	u64 qpn;
};

/*
 * A remote QP that QPs of ours are connected to; @owned of our @users belong to @uid, the user of
 * the first (INVALID_UID: a kernel client). Once @owned is 0 it stays 0: all that are left came by
 * a privilege or are kernel clients, and so must be all that join.
 */
struct svt_peer {
	struct rhash_head node;
	struct svt_peer_key key;
	struct svt_peer_pair *pair;
	u32 users;
	u32 owned;
	kuid_t uid;
	struct rcu_head rcu;
};

/* Allocated outside of the lock: a process that waits for memory keeps nobody from connecting */
struct svt_peer_spare {
	struct svt_peer_pair *pair;
	struct svt_peer *peer;
};

static const struct rhashtable_params svt_peer_pair_params = {
	.key_len = sizeof(struct svt_peer_pair_key),
	.key_offset = offsetof(struct svt_peer_pair, key),
	.head_offset = offsetof(struct svt_peer_pair, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params svt_peer_params = {
	.key_len = sizeof(struct svt_peer_key),
	.key_offset = offsetof(struct svt_peer, key),
	.head_offset = offsetof(struct svt_peer, node),
	.automatic_shrinking = true,
};

static struct rhashtable svt_peer_pairs;
static struct rhashtable svt_peers;
static DEFINE_MUTEX(svt_peers_lock);

int svt_peers_init(void)
{
	int ret;

	ret = rhashtable_init(&svt_peer_pairs, &svt_peer_pair_params);
	if (ret)
		return ret;
	ret = rhashtable_init(&svt_peers, &svt_peer_params);
	if (ret)
		rhashtable_destroy(&svt_peer_pairs);
	return ret;
}

void svt_peers_exit(void)
{
	WARN_ON(atomic_read(&svt_peers.nelems) || atomic_read(&svt_peer_pairs.nelems));
	rhashtable_destroy(&svt_peers);
	rhashtable_destroy(&svt_peer_pairs);
}

static void svt_spare_free(struct svt_peer_spare *spare)
{
	kfree(spare->pair);
	kfree(spare->peer);
}

static int svt_spare_alloc(struct svt_peer_spare *spare, const struct svt_peer_pair_key *pair,
			   u32 qpn, kuid_t uid)
{
	spare->pair = kzalloc(sizeof(*spare->pair), SVT_GFP_CHARGED);
	spare->peer = kzalloc(sizeof(*spare->peer), SVT_GFP_CHARGED);
	if (!spare->pair || !spare->peer) {
		svt_spare_free(spare);
		return -ENOMEM;
	}
	spare->pair->key = *pair;
	spare->peer->key = (struct svt_peer_key) { .pair = *pair, .qpn = qpn };
	spare->peer->uid = uid;
	return 0;
}

static struct svt_peer_pair *svt_pair_get(struct svt_peer_spare *spare)
{
	struct svt_peer_pair *pair;
	int ret;

	lockdep_assert_held(&svt_peers_lock);
	pair = rhashtable_lookup_fast(&svt_peer_pairs, &spare->pair->key, svt_peer_pair_params);
	if (pair)
		return pair;
	ret = rhashtable_insert_fast(&svt_peer_pairs, &spare->pair->node, svt_peer_pair_params);
	if (ret)
		return ERR_PTR(ret);
	pair = spare->pair;
	spare->pair = NULL;
	return pair;
}

static void svt_pair_put(struct svt_peer_pair *pair)
{
	lockdep_assert_held(&svt_peers_lock);
	if (pair->peers)
		return;
	rhashtable_remove_fast(&svt_peer_pairs, &pair->node, svt_peer_pair_params);
	kfree_rcu(pair, rcu);
}

static struct svt_peer *svt_peer_add(struct svt_peer_spare *spare)
{
	struct svt_peer_pair *pair = svt_pair_get(spare);
	struct svt_peer *peer = spare->peer;
	int ret;

	if (IS_ERR(pair))
		return ERR_CAST(pair);
	ret = rhashtable_insert_fast(&svt_peers, &peer->node, svt_peer_params);
	if (ret) {
		svt_pair_put(pair);
		return ERR_PTR(ret);
	}
	spare->peer = NULL;
	peer->pair = pair;
	peer->users = 1;
	peer->owned = 1;
	pair->peers++;
	return peer;
}

static bool svt_peer_owned(const struct svt_peer *peer, kuid_t uid)
{
	lockdep_assert_held(&svt_peers_lock);
	return peer->owned && uid_eq(peer->uid, uid);
}

static struct svt_peer *svt_peer_join(struct svt_peer_spare *spare, bool privileged)
{
	struct svt_peer *peer;
	bool owns;

	lockdep_assert_held(&svt_peers_lock);
	peer = rhashtable_lookup_fast(&svt_peers, &spare->peer->key, svt_peer_params);
	if (!peer)
		return svt_peer_add(spare);
	owns = svt_peer_owned(peer, spare->peer->uid);
	if (!owns && !privileged && uid_valid(spare->peer->uid))
		return ERR_PTR(-EADDRINUSE);
	peer->users++;
	peer->owned += owns;
	return peer;
}

/**
 * svt_peer_take - speak to a remote QP from an address
 * @pair: that address, and the remote one
 * @qpn: remote QP
 * @uid: user; INVALID_UID: any kernel client, which no process keeps from its peer
 * @privileged: also if another user does
 *
 * Context: may sleep.
 * Return: for svt_peer_release(); -EADDRINUSE another user does; -ENOMEM.
 */
struct svt_peer *svt_peer_take(const struct svt_peer_pair_key *pair, u32 qpn, kuid_t uid,
			       bool privileged)
{
	struct svt_peer_spare spare;
	struct svt_peer *peer;
	int ret;

	ret = svt_spare_alloc(&spare, pair, qpn, uid);
	if (ret)
		return ERR_PTR(ret);
	mutex_lock(&svt_peers_lock);
	peer = svt_peer_join(&spare, privileged);
	mutex_unlock(&svt_peers_lock);
	svt_spare_free(&spare);
	return peer;
}

/* @peer may be NULL; @uid as for svt_peer_take(). May sleep. */
void svt_peer_release(struct svt_peer *peer, kuid_t uid)
{
	if (!peer)
		return;
	mutex_lock(&svt_peers_lock);
	peer->owned -= svt_peer_owned(peer, uid);
	if (!--peer->users) {
		rhashtable_remove_fast(&svt_peers, &peer->node, svt_peer_params);
		peer->pair->peers--;
		svt_pair_put(peer->pair);
		kfree_rcu(peer, rcu);
	}
	mutex_unlock(&svt_peers_lock);
}

/**
 * svt_has_peer - is a QP of any device connected from an address to another?
 * @net: namespace of @sgid
 * @sgid: local
 * @dgid: remote
 *
 * Lets a backend stop others from sending in the name of such a QP.
 *
 * Context: any.
 * Return: true if one is.
 */
bool svt_has_peer(const struct net *net, const union ib_gid *sgid, const union ib_gid *dgid)
{
	const struct svt_peer_pair_key key = {
		.netns = net->net_cookie, .sgid = *sgid, .dgid = *dgid,
	};
	bool found;

	rcu_read_lock();
	found = rhashtable_lookup(&svt_peer_pairs, &key, svt_peer_pair_params);
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL_GPL(svt_has_peer);
