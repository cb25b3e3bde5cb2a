/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_RDMA_IB_PACK_H
#define SVT_COMPAT_RDMA_IB_PACK_H

#include_next <rdma/ib_pack.h>

#ifndef SVT_HAVE_FLUSH
#define IB_OPCODE_FLUSH			0x1c
#define IB_OPCODE_RC_FLUSH		IB_OPCODE_FLUSH
#endif

#ifndef SVT_HAVE_ATOMIC_WRITE
#define IB_OPCODE_ATOMIC_WRITE		0x1d
#define IB_OPCODE_RC_ATOMIC_WRITE	IB_OPCODE_ATOMIC_WRITE
#endif

#endif
