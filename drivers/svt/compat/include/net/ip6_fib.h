/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_NET_IP6_FIB_H
#define SVT_COMPAT_NET_IP6_FIB_H

#include_next <net/ip6_fib.h>

#ifndef SVT_HAVE_DST_RT6_INFO
static inline struct rt6_info *dst_rt6_info(struct dst_entry *dst)
{
	return container_of(dst, struct rt6_info, dst);
}
#endif

#endif
