/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt/wire takes from the kernel's header of this name.
 */
#ifndef FUZZ_RDMA_IB_VERBS_H
#define FUZZ_RDMA_IB_VERBS_H

enum ib_ipv4_flags {
	IB_IPV4_DONT_FRAG = 0x2,
	IB_IPV4_MORE_FRAG = 0x4,
};

#endif
