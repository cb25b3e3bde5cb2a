// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.17: a device is allocated for a network namespace */
#include <rdma/ib_verbs.h>

#ifdef OLD
struct ib_device *probe(size_t size)
{
	return _ib_alloc_device(size);
}
#else
struct ib_device *probe(size_t size, struct net *net)
{
	return _ib_alloc_device(size, net);
}
#endif
