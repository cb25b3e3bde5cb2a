// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: ib_core answers a process as the rules of its ABI say */
#include <rdma/uverbs_ioctl.h>

#ifndef OLD
int probe(struct ib_udata *udata)
{
	const u32 resp = 0;

	return ib_respond_udata(udata, resp);
}
#endif
