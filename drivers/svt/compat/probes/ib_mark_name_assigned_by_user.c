// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.9: ib_core keeps who chose the name of a device */
#include <rdma/ib_verbs.h>

#ifndef OLD
void probe(struct ib_device *ibdev)
{
	ib_mark_name_assigned_by_user(ibdev);
}
#endif
