/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the provider needs of libibverbs: from ibverbs-private.h when it is built alone, from
 * rdma-core's own headers when it is built in a tree of rdma-core. Four commands took one more
 * argument in later releases; svt has no use for any of them.
 */
#ifndef SVT_RDMA_CORE_H
#define SVT_RDMA_CORE_H

#ifdef SVT_STANDALONE
#include "ibverbs-private.h"
#else
#include <infiniband/driver.h>
#define SVT_PRIVATE_ABI	IBVERBS_PABI_VERSION
#endif

/* The headers of rdma-core before 44 and 45 have no names for these */
#ifndef SVT_HAVE_WR_ATOMIC_WRITE
#define IBV_WR_ATOMIC_WRITE		15
#define IBV_QP_EX_WITH_ATOMIC_WRITE	(1 << 12)
#endif
#ifndef SVT_HAVE_WR_FLUSH
#define IBV_WR_FLUSH			14
#define IBV_QP_EX_WITH_FLUSH		(1 << 11)
#endif

static inline int svt_cmd_get_context(struct verbs_context *context, struct ibv_get_context *cmd,
				      size_t cmd_size, struct ib_uverbs_get_context_resp *resp,
				      size_t resp_size)
{
#if SVT_PRIVATE_ABI >= 57
	return ibv_cmd_get_context(context, cmd, cmd_size, NULL, resp, resp_size);
#else
	return ibv_cmd_get_context(context, cmd, cmd_size, resp, resp_size);
#endif
}

static inline int svt_cmd_create_cq(struct ibv_context *context,
				    const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *cq,
				    struct ibv_create_cq_ex *cmd, size_t cmd_size,
				    struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size)
{
#if SVT_PRIVATE_ABI >= 59
	return ibv_cmd_create_cq_ex(context, attr, NULL, cq, cmd, cmd_size, resp, resp_size, 0);
#else
	return ibv_cmd_create_cq_ex(context, attr, cq, cmd, cmd_size, resp, resp_size, 0);
#endif
}

static inline int svt_cmd_create_qp(struct ibv_context *context, struct verbs_qp *qp,
				    struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
				    size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
				    size_t resp_size)
{
#if SVT_PRIVATE_ABI >= 64
	return ibv_cmd_create_qp_ex2(context, qp, attr, cmd, cmd_size, resp, resp_size, NULL);
#else
	return ibv_cmd_create_qp_ex2(context, qp, attr, cmd, cmd_size, resp, resp_size);
#endif
}

/* In a tree of rdma-core CMakeLists.txt looks at the declaration */
static inline int svt_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					uint64_t iova, int fd, int access, struct verbs_mr *mr)
{
#if defined(SVT_STANDALONE) || defined(SVT_HAVE_DMABUF_DRIVER)
	return ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr, NULL);
#else
	return ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr);
#endif
}

#endif
