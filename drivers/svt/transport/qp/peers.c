// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who is connected to whom. A packet does not name the QP that sends it (IBTA 9.2), so its receiver
 * takes all that comes from its peer's address for its peer's. Who may speak to a remote QP from an
 * address is decided here, on the host that has the address: the user who connected a QP so first.
 *
 * The tables are for all devices, because several may have an address: those of a bond and of a
 * netdev in it. A QP is in them from RTR to RESET or its end. In ERR too: its peer may not know of
 * that, and would believe another.
 *
 * Changed under svt_peers_lock, which is taken inside svt_qp.modify_lock; pairs are looked up under
 * RCU.
 */
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "peers.h"

/**
 * struct svt_peer_pair - two addresses with QPs that are connected by them
 * @node: in svt_peer_pairs
 * @key: the addresses
 * @peers: how many struct svt_peer there are of them; under svt_peers_lock, never 0 outside
 * @rcu: for freeing
 */
struct svt_peer_pair {
	struct rhash_head node;
	struct svt_peer_pair_key key;
	u32 peers;
	struct rcu_head rcu;
};

/* Compared as bytes: it has no holes */
struct svt_peer_key {
	struct svt_peer_pair_key pair;
	u64 qpn;
};

/**
 * struct svt_peer - a remote QP that QPs of ours are connected to
 * @node: in svt_peers
 * @key: the addresses, and its number
 * @pair: of the addresses
 * @users: QPs of ours
 * @owned: of these, the QPs of @uid
 * @uid: whose the first of them is; INVALID_UID: a client's in the kernel. Once @owned is 0 it
 *	stays 0: who is left came by a privilege, or is a client in the kernel, and so must be who
 *	joins
 * @rcu: for freeing
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

/*
 * What may become a peer, and its pair. It is made outside of the lock: who waits for memory, or is
 * at the limit of a control group, keeps nobody else from connecting.
 */
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

/**
 * svt_peers_init - make the tables
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
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

/**
 * svt_peers_exit - free the tables
 *
 * Context: module exit; no QP is left.
 */
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

/* Return: the pair, @spare's if there was none, or an ERR_PTR */
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

/* Frees a pair that nobody is connected by */
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
 * @pair: that address, and where the QP is
 * @qpn: its number
 * @uid: on behalf of whom; INVALID_UID: a client in the kernel, and all of these are one, whom no
 *	process keeps from its peer
 * @privileged: also if another user does
 *
 * Context: may sleep.
 * Return: to be given to svt_peer_release(); -EADDRINUSE another user does; -ENOMEM.
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

/**
 * svt_peer_release - undo svt_peer_take()
 * @peer: what that returned, or NULL
 * @uid: that it was called with
 *
 * Context: may sleep.
 */
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
