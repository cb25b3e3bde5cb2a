/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_ROUTE_H
#define ROCE_ROUTE_H

#include <linux/uidgid.h>
#include <net/dst.h>
#include <rdma/svt.h>

#include "headers.h"

struct roce_net;

/* Does not change once published, but for its end */
struct roce_route {
	struct rcu_head rcu;
	struct list_head node; /* in roce_net.routes */
	struct dst_entry *dst; /* with a reference; NULL: the namespace has ended */
	u32 cookie; /* tells whether dst is still good */
};

/* svt_path.priv. roce_path_init() sets all but route, then it is only read */
struct roce_path {
	struct roce_route __rcu *route; /* the last found, or NULL; replaced by xchg */
	union roce_headers headers; /* but for lengths, identification and checksums */
	bool ipv6;
};

static inline struct roce_path *to_roce_path(struct svt_path *path)
{
	BUILD_BUG_ON(sizeof(struct roce_path) > sizeof(path->priv));
	return (struct roce_path *)path->priv;
}

int roce_path_init(struct svt_device *dev, struct svt_path *path);
void roce_path_release(struct svt_device *dev, struct svt_path *path);
struct dst_entry *roce_route_get(struct svt_path *path, kuid_t uid);
void roce_routes_leave(struct roce_net *rnet);

#endif
