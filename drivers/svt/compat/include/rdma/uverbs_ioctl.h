/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_RDMA_UVERBS_IOCTL_H
#define SVT_COMPAT_RDMA_UVERBS_IOCTL_H

#include_next <rdma/uverbs_ioctl.h>
#include <linux/uaccess.h>

/* What a process says beyond what is known here has to be zero */
static inline int svt_compat_udata_in(struct ib_udata *udata, void *req, size_t size, size_t least)
{
	int ret;

	if (udata->inlen < least)
		return -EINVAL;
	ret = copy_struct_from_user(req, size, udata->inbuf, udata->inlen);
	return ret == -E2BIG ? -EOPNOTSUPP : ret;
}

/* What it has room for beyond that becomes zero */
static inline int svt_compat_respond(struct ib_udata *udata, const void *resp, size_t size)
{
	size_t length = min(size, udata->outlen);

	if (copy_to_user(udata->outbuf, resp, length) ||
	    clear_user(udata->outbuf + length, udata->outlen - length))
		return -EFAULT;
	return 0;
}

#ifndef SVT_HAVE_IB_COPY_VALIDATE_UDATA_IN
#define ib_copy_validate_udata_in(udata, req, last)	\
	svt_compat_udata_in(udata, &(req), sizeof(req), offsetofend(typeof(req), last))
#endif

#ifndef SVT_HAVE_IB_RESPOND_UDATA
#define ib_respond_udata(udata, resp)	svt_compat_respond(udata, &(resp), sizeof(resp))
#endif

#ifndef SVT_HAVE_IB_IS_UDATA_IN_EMPTY
static inline int ib_is_udata_in_empty(struct ib_udata *udata)
{
	return udata ? svt_compat_udata_in(udata, NULL, 0, 0) : 0;
}
#endif

#ifndef SVT_HAVE_IB_NO_UDATA_IO
static inline int ib_no_udata_io(struct ib_udata *udata)
{
	return ib_is_udata_in_empty(udata) ?: (udata ? svt_compat_respond(udata, NULL, 0) : 0);
}
#endif

#endif
