// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: the same, and the answer becomes zero */
#include <rdma/uverbs_ioctl.h>

#ifndef OLD
int probe(struct ib_udata *udata)
{
	return ib_no_udata_io(udata);
}
#endif
