// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.10, and stable kernels before it: a route of IPv6 from its dst */
#include <net/ip6_fib.h>

#ifdef OLD
#define dst_rt6_info(of)	container_of(of, struct rt6_info, dst)
#endif

struct rt6_info *probe(struct dst_entry *dst)
{
	return dst_rt6_info(dst);
}
