// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: ib_core takes what a process says to the driver by the rules of its ABI */
#include <rdma/uverbs_ioctl.h>

#ifndef OLD
int probe(struct ib_udata *udata)
{
	struct { u32 first, last; } req;

	return ib_copy_validate_udata_in(udata, req, last);
}
#endif
