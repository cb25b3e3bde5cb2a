// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Nothing but assertions: the private structures have the sizes and offsets that libibverbs was
 * compiled with. What differs between libraries depends on the number of the private ABI and on
 * what library-facts.h has found besides. Numbers are for machines with 64-bit pointers, the only
 * ones that svt is built for.
 */
#include <pthread.h>

#include "ibverbs-private.h"

#if defined(SVT_HAVE_WR_FLUSH)
#define QP_EX_SIZE	360
#elif defined(SVT_HAVE_WR_ATOMIC_WRITE)
#define QP_EX_SIZE	352
#else
#define QP_EX_SIZE	344
#endif

/* Of struct verbs_context, which grows at its head, and of struct verbs_context_ops */
#if SVT_PRIVATE_ABI >= 65
#define NEW_CALLS	6
#define OPERATIONS	93
#elif SVT_PRIVATE_ABI >= 64
#define NEW_CALLS	6
#define OPERATIONS	83
#elif defined(SVT_HAVE_PORT_SPEED_OPS)
#define NEW_CALLS	4
#define OPERATIONS	81
#elif SVT_PRIVATE_ABI >= 59
#define NEW_CALLS	3
#define OPERATIONS	79
#else
#define NEW_CALLS	0
#define OPERATIONS	76
#endif

/* A mutex has 40 bytes, but on arm64: what contexts, QPs, CQs and SRQs have more there */
#define MUTEX	(sizeof(pthread_mutex_t) - 40)

#define SIZE(type, bytes) \
	static_assert(sizeof(type) == (bytes), "size of " #type)
#define OFFSET(type, member, bytes) \
	static_assert(offsetof(type, member) == (bytes), "offset of " #member " in " #type)

SIZE(void *, 8);

SIZE(struct verbs_device_ops, 72);
OFFSET(struct verbs_device_ops, name, 0);
OFFSET(struct verbs_device_ops, match_min_abi_version, 8);
OFFSET(struct verbs_device_ops, match_max_abi_version, 12);
OFFSET(struct verbs_device_ops, match_table, 16);
OFFSET(struct verbs_device_ops, static_providers, 24);
OFFSET(struct verbs_device_ops, match_device, 32);
OFFSET(struct verbs_device_ops, alloc_context, 40);
OFFSET(struct verbs_device_ops, import_context, 48);
OFFSET(struct verbs_device_ops, alloc_device, 56);
OFFSET(struct verbs_device_ops, uninit_device, 64);

SIZE(struct verbs_match_ent, 24);
OFFSET(struct verbs_match_ent, u, 8);
OFFSET(struct verbs_match_ent, vendor, 16);
OFFSET(struct verbs_match_ent, device, 18);
OFFSET(struct verbs_match_ent, kind, 20);

SIZE(struct verbs_sysfs_dev, 992);
OFFSET(struct verbs_sysfs_dev, match, 24);
OFFSET(struct verbs_sysfs_dev, ibdev_name, 112);
OFFSET(struct verbs_sysfs_dev, abi_ver, 968);
OFFSET(struct verbs_sysfs_dev, time_created, 976);

SIZE(struct ibv_device, 664);
SIZE(struct verbs_device, 712);
OFFSET(struct verbs_device, ops, 664);
OFFSET(struct verbs_device, refcount, 672);
OFFSET(struct verbs_device, list_entry, 680);
OFFSET(struct verbs_device, sysfs, 696);
OFFSET(struct verbs_device, core_support, 704);

SIZE(struct verbs_context, 648 + MUTEX + NEW_CALLS * sizeof(void *));
OFFSET(struct verbs_context, context, 320 + NEW_CALLS * sizeof(void *));

SIZE(struct ibv_qp, 160 + MUTEX);
SIZE(struct ibv_qp_ex, QP_EX_SIZE + MUTEX);
SIZE(struct verbs_qp, QP_EX_SIZE + MUTEX + 16);
OFFSET(struct verbs_qp, comp_mask, QP_EX_SIZE + MUTEX);
OFFSET(struct verbs_qp, xrcd, QP_EX_SIZE + MUTEX + 8);

SIZE(struct verbs_cq, 288 + MUTEX);

SIZE(struct verbs_xrcd, 16);
SIZE(struct verbs_srq, 160 + MUTEX);
OFFSET(struct verbs_srq, srq_type, 128 + MUTEX);
OFFSET(struct verbs_srq, xrcd, 136 + MUTEX);
OFFSET(struct verbs_srq, cq, 144 + MUTEX);
OFFSET(struct verbs_srq, srq_num, 152 + MUTEX);

SIZE(struct verbs_mr, 56);
OFFSET(struct verbs_mr, mr_type, 48);
OFFSET(struct verbs_mr, access, 52);

SIZE(struct ibv_dm, 32);
SIZE(struct verbs_dm, 40);
OFFSET(struct verbs_dm, handle, 32);

/* check-library.sh compares their order with the library's, whose table has a size as well */
SIZE(struct verbs_context_ops, OPERATIONS * sizeof(void *));
OFFSET(struct verbs_context_ops, unimport_pd, (OPERATIONS - 1) * sizeof(void *));
#ifdef SVT_OPERATIONS_SIZE
SIZE(struct verbs_context_ops, SVT_OPERATIONS_SIZE);
#endif

/* The library finds what the driver added by the sizes of these */
SIZE(struct ibv_get_context, 16);
SIZE(struct ibv_query_port, 24);
SIZE(struct ibv_alloc_pd, 16);
SIZE(struct ibv_reg_mr, 48);
SIZE(struct ibv_rereg_mr, 56);
SIZE(struct ibv_alloc_mw, 24);
SIZE(struct ibv_create_cq_ex, 56);
SIZE(struct ibv_modify_cq, 40);
SIZE(struct ibv_resize_cq, 24);
SIZE(struct ibv_create_srq, 40);
SIZE(struct ibv_create_xsrq, 56);
SIZE(struct ibv_open_xrcd, 24);
SIZE(struct ibv_open_qp, 40);
SIZE(struct ibv_modify_srq, 24);
SIZE(struct ibv_query_srq, 24);
SIZE(struct ibv_create_qp_ex, 88);
SIZE(struct ibv_modify_qp, 120);
SIZE(struct ibv_modify_qp_ex, 144);
SIZE(struct ibv_query_qp, 24);
