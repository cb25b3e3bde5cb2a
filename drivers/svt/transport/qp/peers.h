/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_TRANSPORT_QP_PEERS_H
#define SVT_TRANSPORT_QP_PEERS_H

#include <linux/uidgid.h>
#include <rdma/svt.h>

struct svt_peer;

/* @netns: net_cookie of the namespace of @sgid, which no other ever has */
struct svt_peer_pair_key {
	u64 netns;
	union ib_gid sgid;
	union ib_gid dgid;
};

int svt_peers_init(void);
void svt_peers_exit(void);
struct svt_peer *svt_peer_take(const struct svt_peer_pair_key *key, u32 qpn, kuid_t uid,
			       bool privileged);
void svt_peer_release(struct svt_peer *peer, kuid_t uid);

#endif
