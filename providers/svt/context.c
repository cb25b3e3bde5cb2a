// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An opened device: the agreement with the kernel on the ABI, and the table of operations. The
 * provider keeps nothing of its own per context, and nothing here is called by two threads at once.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "ah.h"
#include "context.h"
#include "cq.h"
#include "dm.h"
#include "flow.h"
#include "ioctl.h"
#include "library.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"
#include "query.h"
#include "srq.h"
#include "xrcd.h"

struct get_context_command {
	struct ibv_get_context core;
	struct svt_alloc_ucontext_req svt;
};

struct get_context_response {
	struct ib_uverbs_get_context_resp core;
	struct svt_alloc_ucontext_resp svt;
};

static_assert(offsetof(struct get_context_command, svt) == sizeof(struct ibv_get_context) &&
	      offsetof(struct get_context_response, svt) ==
	      sizeof(struct ib_uverbs_get_context_resp), "no gap in front of the driver's part");

static void free_context(struct ibv_context *ibv_context)
{
	struct verbs_context *context = container_of(ibv_context, struct verbs_context, context);

	verbs_uninit_context(context);
	free(context);
}

static const struct verbs_context_ops operations = {
	.advise_mr = ibv_cmd_advise_mr,
	.alloc_dm = svt_alloc_dm,
	.alloc_mw = svt_alloc_mw,
	.alloc_parent_domain = svt_alloc_parent_domain,
	.alloc_pd = svt_alloc_pd,
	.alloc_td = svt_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = svt_bind_mw,
	.close_xrcd = svt_close_xrcd,
	.create_ah = svt_create_ah,
	.create_cq = svt_create_cq,
	.create_cq_ex = svt_create_cq_ex,
	.create_flow = svt_create_flow,
	.create_qp = svt_create_qp,
	.create_qp_ex = svt_create_qp_ex,
	.create_srq = svt_create_srq,
	.create_srq_ex = svt_create_srq_ex,
	.dealloc_mw = svt_dealloc_mw,
	.dealloc_pd = svt_dealloc_pd,
	.dealloc_td = svt_dealloc_td,
	.dereg_mr = svt_dereg_mr,
	.destroy_ah = svt_destroy_ah,
	.destroy_cq = svt_destroy_cq,
	.destroy_flow = svt_destroy_flow,
	.destroy_qp = svt_destroy_qp,
	.destroy_srq = svt_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = free_context,
	.free_dm = svt_free_dm,
	.get_srq_num = svt_get_srq_num,
	.import_dm = svt_import_dm,
	.import_mr = svt_import_mr,
	.import_pd = svt_import_pd,
	.modify_cq = svt_modify_cq,
	.modify_qp = svt_modify_qp,
	.modify_qp_rate_limit = svt_modify_qp_rate_limit,
	.modify_srq = svt_modify_srq,
	.open_qp = svt_open_qp,
	.open_xrcd = svt_open_xrcd,
	.poll_cq = svt_poll_cq,
	.post_recv = svt_post_recv,
	.post_send = svt_post_send,
	.post_srq_recv = svt_post_srq_recv,
	.query_device_ex = svt_query_device_ex,
	.query_port = svt_query_port,
	.query_qp = svt_query_qp,
	.query_rt_values = svt_query_rt_values,
	.query_srq = svt_query_srq,
	.reg_dm_mr = svt_reg_dm_mr,
	.reg_dmabuf_mr = svt_reg_dmabuf_mr,
	.reg_mr = svt_reg_mr,
	.req_notify_cq = svt_req_notify_cq,
	.rereg_mr = svt_rereg_mr,
	.resize_cq = svt_resize_cq,
	.unimport_dm = svt_unimport_dm,
	.unimport_mr = svt_unimport_mr,
	.unimport_pd = svt_unimport_pd,
};

/* A flag of the kernel that we do not know would change the meaning of something that we share */
static int agree(struct verbs_context *context)
{
	struct get_context_response response = {};
	struct get_context_command command = {};
	int err;

	err = svt_cmd_get_context(context, &command.core, sizeof(command), &response.core,
				  sizeof(response));
	if (err)
		return err;
	return response.svt.flags ? EOPNOTSUPP : 0;
}

/* The same of a context that somebody else opened; the library learns what an opener does */
static int agree_imported(struct verbs_context *context)
{
	struct svt_alloc_ucontext_resp response = {};
	struct svt_ioctl call;
	int err;

	err = ibv_cmd_query_context(&context->context, NULL);
	if (err)
		return err;
	svt_ioctl_init(&call, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	svt_ioctl_add_output(&call, SVT_ATTR_QUERY_CONTEXT_RESP, &response, sizeof(response));
	err = svt_ioctl_run(&call, context->context.cmd_fd);
	if (err)
		return err;
	return response.flags ? EOPNOTSUPP : 0;
}

static struct verbs_context *make_context(struct ibv_device *device, int cmd_fd,
					  int (*agreement)(struct verbs_context *context))
{
	struct verbs_context *context;
	int err;

	context = _verbs_init_and_alloc_context(device, cmd_fd, sizeof(*context), NULL,
						SVT_DRIVER_ID);
	if (!context)
		return NULL;
	err = agreement(context);
	if (err)
		goto uninit;
	verbs_set_ops(context, &operations);
	if (!svt_library_took(context, &operations)) {
		err = EOPNOTSUPP;
		goto uninit;
	}
	return context;

uninit:
	verbs_uninit_context(context);
	free(context);
	errno = err;
	return NULL;
}

struct verbs_context *svt_alloc_context(struct ibv_device *device, int cmd_fd, void *private_data)
{
	(void)private_data;
	return make_context(device, cmd_fd, agree);
}

/* @cmd_fd: of a process that has the device open, who shares all objects with us */
struct verbs_context *svt_import_context(struct ibv_device *device, int cmd_fd)
{
	return make_context(device, cmd_fd, agree_imported);
}
