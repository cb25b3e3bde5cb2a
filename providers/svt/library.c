// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Is the library that loaded the provider the one that it was built for? The dynamic linker has
 * made sure of the number of the private ABI (34); but within it struct ibv_qp_ex grew twice, and
 * what stands behind it moved. So the library itself is asked, before the provider registers and
 * again when a device is opened. No locks.
 */
#include <stdio.h>

#include "library.h"

/**
 * svt_library_matches - does the library find verbs_qp.comp_mask where the provider puts it?
 *
 * ibv_qp_to_qp_ex() does nothing but look there. It is given a QP with more than enough room behind
 * it, once with the bit and once without.
 *
 * Return: true if it does.
 */
bool svt_library_matches(void)
{
	union {
		struct verbs_qp qp;
		uint8_t space[2 * sizeof(struct verbs_qp)];
	} probe = {};

	if (ibv_qp_to_qp_ex(&probe.qp.qp))
		return false;
	probe.qp.comp_mask = VERBS_QP_EX;
	return ibv_qp_to_qp_ex(&probe.qp.qp) == &probe.qp.qp_ex;
}

struct slot {
	const char *name;
	void *found;
	void *ours;
};

/**
 * svt_library_took - did verbs_set_ops() put the operations where the application looks for them?
 * @context: after verbs_set_ops(@context, @ops)
 * @ops: of the provider
 *
 * Return: true if it did; else the first slot that holds something else is named on stderr.
 */
bool svt_library_took(const struct verbs_context *context, const struct verbs_context_ops *ops)
{
	const struct ibv_context_ops *public = &context->context.ops;
	const struct slot slots[] = {
		{ "alloc_mw", public->alloc_mw, ops->alloc_mw },
		{ "bind_mw", public->bind_mw, ops->bind_mw },
		{ "dealloc_mw", public->dealloc_mw, ops->dealloc_mw },
		{ "poll_cq", public->poll_cq, ops->poll_cq },
		{ "req_notify_cq", public->req_notify_cq, ops->req_notify_cq },
		{ "post_srq_recv", public->post_srq_recv, ops->post_srq_recv },
		{ "post_send", public->post_send, ops->post_send },
		{ "post_recv", public->post_recv, ops->post_recv },
		{ "alloc_pd", public->_compat_alloc_pd, ops->alloc_pd },
		{ "dealloc_pd", public->_compat_dealloc_pd, ops->dealloc_pd },
		{ "reg_mr", public->_compat_reg_mr, ops->reg_mr },
		{ "rereg_mr", public->_compat_rereg_mr, ops->rereg_mr },
		{ "dereg_mr", public->_compat_dereg_mr, ops->dereg_mr },
		{ "create_cq", public->_compat_create_cq, ops->create_cq },
		{ "resize_cq", public->_compat_resize_cq, ops->resize_cq },
		{ "destroy_cq", public->_compat_destroy_cq, ops->destroy_cq },
		{ "create_srq", public->_compat_create_srq, ops->create_srq },
		{ "modify_srq", public->_compat_modify_srq, ops->modify_srq },
		{ "query_srq", public->_compat_query_srq, ops->query_srq },
		{ "destroy_srq", public->_compat_destroy_srq, ops->destroy_srq },
		{ "create_qp", public->_compat_create_qp, ops->create_qp },
		{ "query_qp", public->_compat_query_qp, ops->query_qp },
		{ "modify_qp", public->_compat_modify_qp, ops->modify_qp },
		{ "destroy_qp", public->_compat_destroy_qp, ops->destroy_qp },
		{ "create_ah", public->_compat_create_ah, ops->create_ah },
		{ "destroy_ah", public->_compat_destroy_ah, ops->destroy_ah },
		{ "attach_mcast", public->_compat_attach_mcast, ops->attach_mcast },
		{ "detach_mcast", public->_compat_detach_mcast, ops->detach_mcast },
		{ "create_qp_ex", context->create_qp_ex, ops->create_qp_ex },
		{ "query_device_ex", context->query_device_ex, ops->query_device_ex },
		{ "query_rt_values", context->query_rt_values, ops->query_rt_values },
		{ "alloc_td", context->alloc_td, ops->alloc_td },
		{ "dealloc_td", context->dealloc_td, ops->dealloc_td },
		{ "alloc_parent_domain", context->alloc_parent_domain, ops->alloc_parent_domain },
		{}
	};
	const struct slot *slot;

	for (slot = slots; slot->name; slot++) {
		if (slot->found == slot->ours)
			continue;
		fprintf(stderr, "svt: build the provider anew: libibverbs did not take its %s\n",
			slot->name);
		return false;
	}
	return true;
}
