// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts: the handshake with the provider. A context owns a reference on the backend's
 * module, and so on this one; its objects and mappings are ib_core's to undo.
 */
#include <linux/module.h>

#include "verbs.h"

static struct svt_alloc_ucontext_resp svt_ucontext_resp(void)
{
	return (struct svt_alloc_ucontext_resp){ .max_inline = SVT_MAX_INLINE };
}

/**
 * svt_alloc_ucontext - a process opens the device
 * @context: zeroed but for ib_core's part
 * @udata: struct svt_alloc_ucontext_req in, which may be longer than we know it;
 *	struct svt_alloc_ucontext_resp out
 *
 * A module whose devices are in use is not to be unloaded. ib_core sees to that only for drivers
 * that cannot take a device away from a process.
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP the provider asks for something unknown; -EINVAL; -EFAULT; -ENODEV the
 * backend's module is being unloaded.
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

/**
 * svt_dealloc_ucontext - a process has closed the device, or has lost it; all its objects are gone
 * @context: its context
 *
 * The module may be unloaded from here on, but not before this returns: that unregisters the
 * device, which waits for the end of each context.
 */
void svt_dealloc_ucontext(struct ib_ucontext *context)
{
	svt_pager_free(to_svt_ucontext(context)->pager);
	module_put(to_svt_device(context->device)->ops->owner);
}

/**
 * svt_disassociate_ucontext - the device goes away under a process that has it open
 * @context: its context
 *
 * That this operation is there lets ib_core take the device away without waiting for the process.
 * There is nothing to do: ib_core destroys the objects, and what the process still has mapped are
 * pages that are its own from then on.
 */
void svt_disassociate_ucontext(struct ib_ucontext *context)
{
}

/**
 * svt_query_ucontext - a process imports a context: it was given the file by who opened the device
 * @context: of both from then on
 * @attrs: struct svt_alloc_ucontext_resp out, where it is asked for
 *
 * Return: 0, or -EFAULT.
 */
int svt_query_ucontext(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs)
{
	struct svt_alloc_ucontext_resp resp = svt_ucontext_resp();

	if (!uverbs_attr_is_valid(attrs, SVT_ATTR_QUERY_CONTEXT_RESP))
		return 0;
	return uverbs_copy_to(attrs, SVT_ATTR_QUERY_CONTEXT_RESP, &resp, sizeof(resp));
}
