/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_ROUTE_H
#define ROCE_ROUTE_H

#include <linux/uidgid.h>
#include <net/dst.h>
#include <rdma/svt.h>

#include "headers.h"

struct roce_net;

/**
 * struct roce_route - a route that was found; does not change once published, but for its end
 * @rcu: for its end
 * @node: in roce_net.routes
 * @dst: with a reference; NULL when the namespace has ended
 * @cookie: tells whether @dst is still good
 */
struct roce_route {
	struct rcu_head rcu;
	struct list_head node;
	struct dst_entry *dst;
	u32 cookie;
};

/**
 * struct roce_path - what is kept in svt_path.priv
 * @route: the last route found, or NULL; replaced by xchg
 * @headers: the same for each packet but for lengths, identification and checksums
 * @ipv6: which of @headers
 *
 * All but @route is set by roce_path_init() and then only read.
 */
struct roce_path {
	struct roce_route __rcu *route;
	union roce_headers headers;
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
