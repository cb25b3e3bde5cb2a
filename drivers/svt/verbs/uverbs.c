// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands that svt adds to those of uverbs: the doorbell; resize of an SRQ, as the stock
 * command cannot say where the new ring is; and queries for a process that imports an object of
 * another one, or maps device memory.
 */
#include "../transport/qp/half.h"
#include "verbs.h"

#define UVERBS_MODULE_NAME svt
#include <rdma/uverbs_named_ioctl.h>

/* Any number of threads may ring at once; uverbs keeps the QP meanwhile */
static int UVERBS_HANDLER(SVT_METHOD_QP_DOORBELL)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *ibqp = uverbs_attr_get_obj(attrs, SVT_ATTR_DOORBELL_QP);
	struct svt_qp *qp;

	if (IS_ERR(ibqp))
		return PTR_ERR(ibqp);
	/* Each process that opened an XRC TGT QP has another ib_qp for it */
	qp = to_svt_qp(ibqp->real_qp);
	rcu_read_lock();
	svt_count(svt_qp_counters(qp), SVT_COUNT_DOORBELLS);
	rcu_read_unlock();
	svt_send_schedule(qp, SVT_WORK_QUEUE);
	/* In ERR nobody else looks at the receive queue: flush new entries */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		svt_recv_schedule(qp, SVT_WORK_QUEUE);
	return 0;
}

static int UVERBS_HANDLER(SVT_METHOD_SRQ_RESIZE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_srq *ibsrq = uverbs_attr_get_obj(attrs, SVT_ATTR_SRQ_RESIZE_SRQ);
	u32 max_wr;
	int ret;

	if (IS_ERR(ibsrq))
		return PTR_ERR(ibsrq);
	ret = uverbs_copy_from(&max_wr, attrs, SVT_ATTR_SRQ_RESIZE_MAX_WR);
	if (ret)
		return ret;
	return svt_resize_user_srq(to_svt_srq(ibsrq), max_wr, attrs);
}

static int UVERBS_HANDLER(SVT_METHOD_DM_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ibdm = uverbs_attr_get_obj(attrs, SVT_ATTR_DM_QUERY_DM);
	struct svt_dm_info info = {};
	struct svt_dm *dm;

	if (IS_ERR(ibdm))
		return PTR_ERR(ibdm);
	dm = to_svt_dm(ibdm);
	info.mmap_offset = rdma_user_mmap_get_offset(dm->mmap_entry);
	info.mmap_length = dm->bytes;
	info.length = ibdm->length;
	return uverbs_copy_to(attrs, SVT_ATTR_DM_QUERY_INFO, &info, sizeof(info));
}

/* That ib_core found it is the whole answer */
static int UVERBS_HANDLER(SVT_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	return PTR_ERR_OR_ZERO(uverbs_attr_get_obj(attrs, SVT_ATTR_PD_QUERY_PD));
}

DECLARE_UVERBS_NAMED_METHOD(SVT_METHOD_QP_DOORBELL,
			    UVERBS_ATTR_IDR(SVT_ATTR_DOORBELL_QP, UVERBS_OBJECT_QP,
					    UVERBS_ACCESS_READ, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SVT_METHOD_SRQ_RESIZE,
			    UVERBS_ATTR_IDR(SVT_ATTR_SRQ_RESIZE_SRQ, UVERBS_OBJECT_SRQ,
					    UVERBS_ACCESS_WRITE, UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(SVT_ATTR_SRQ_RESIZE_MAX_WR, UVERBS_ATTR_TYPE(u32),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SVT_ATTR_SRQ_RESIZE_RING,
						UVERBS_ATTR_TYPE(struct svt_ring_info),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SVT_METHOD_DM_QUERY,
			    UVERBS_ATTR_IDR(SVT_ATTR_DM_QUERY_DM, UVERBS_OBJECT_DM,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(SVT_ATTR_DM_QUERY_INFO,
						UVERBS_ATTR_TYPE(struct svt_dm_info),
						UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(SVT_METHOD_PD_QUERY,
			    UVERBS_ATTR_IDR(SVT_ATTR_PD_QUERY_PD, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY));

ADD_UVERBS_ATTRIBUTES_SIMPLE(svt_query_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(SVT_ATTR_QUERY_CONTEXT_RESP,
						 UVERBS_ATTR_TYPE(struct svt_alloc_ucontext_resp),
						 UA_OPTIONAL));

ADD_UVERBS_METHODS(svt_qp_methods, UVERBS_OBJECT_QP, &UVERBS_METHOD(SVT_METHOD_QP_DOORBELL));
ADD_UVERBS_METHODS(svt_srq_methods, UVERBS_OBJECT_SRQ, &UVERBS_METHOD(SVT_METHOD_SRQ_RESIZE));
ADD_UVERBS_METHODS(svt_dm_methods, UVERBS_OBJECT_DM, &UVERBS_METHOD(SVT_METHOD_DM_QUERY));
ADD_UVERBS_METHODS(svt_pd_methods, UVERBS_OBJECT_PD, &UVERBS_METHOD(SVT_METHOD_PD_QUERY));

const struct uapi_definition svt_uapi_definitions[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &svt_qp_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_SRQ, &svt_srq_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &svt_dm_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &svt_pd_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &svt_query_context),
	{},
};
