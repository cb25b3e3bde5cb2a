// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts: the handshake with the provider. A context owns a reference on the backend's
 * module, and so on this one; ib_core undoes its objects and mappings.
 */
#include <linux/module.h>

#include "verbs.h"

static struct svt_alloc_ucontext_resp svt_ucontext_resp(void)
{
	return (struct svt_alloc_ucontext_resp){ .max_inline = SVT_MAX_INLINE };
}

/*
 * ib_device_ops.alloc_ucontext. A module in use must stay: ib_core sees to that only for drivers
 * without disassociate_ucontext. -EOPNOTSUPP: the request has a flag that we do not know.
 */
int svt_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	struct svt_alloc_ucontext_resp resp = svt_ucontext_resp();
	struct module *owner = to_svt_device(context->device)->ops->owner;
	struct svt_alloc_ucontext_req req;
	int ret;

	ret = ib_copy_validate_udata_in(udata, req, reserved);
	if (ret)
		return ret;
	if (req.flags || req.reserved)
		return -EOPNOTSUPP;
	if (!try_module_get(owner))
		return -ENODEV;
	ret = ib_respond_udata(udata, resp);
	if (ret)
		module_put(owner);
	return ret;
}

/* ib_device_ops.dealloc_ucontext. The exit of the module waits until this returns. */
void svt_dealloc_ucontext(struct ib_ucontext *context)
{
	svt_pager_free(to_svt_ucontext(context)->pager);
	module_put(to_svt_device(context->device)->ops->owner);
}

/* ib_device_ops.disassociate_ucontext, empty: lets ib_core take the device from a process */
void svt_disassociate_ucontext(struct ib_ucontext *context)
{
}

/* ib_device_ops.query_ucontext: a process imports a context that it got from another one */
int svt_query_ucontext(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs)
{
	struct svt_alloc_ucontext_resp resp = svt_ucontext_resp();

	if (!uverbs_attr_is_valid(attrs, SVT_ATTR_QUERY_CONTEXT_RESP))
		return 0;
	return uverbs_copy_to(attrs, SVT_ATTR_QUERY_CONTEXT_RESP, &resp, sizeof(resp));
}
