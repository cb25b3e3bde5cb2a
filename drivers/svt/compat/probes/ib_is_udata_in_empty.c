// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: ib_core looks whether a process says anything to the driver */
#include <rdma/uverbs_ioctl.h>

#ifndef OLD
int probe(struct ib_udata *udata)
{
	return ib_is_udata_in_empty(udata);
}
#endif
