// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains: the kernel's, shared by processes that open them by the same file. The provider has
 * nothing of its own about them, and no locks.
 */
#include <errno.h>
#include <stdlib.h>

#include "xrcd.h"

struct ibv_xrcd *svt_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp response = {};
	struct ibv_open_xrcd command = {};
	struct verbs_xrcd *xrcd;
	int err;

	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return NULL;
	err = ibv_cmd_open_xrcd(context, xrcd, sizeof(*xrcd), attr, &command, sizeof(command),
				&response, sizeof(response));
	if (!err)
		return &xrcd->xrcd;
	free(xrcd);
	errno = err;
	return NULL;
}

int svt_close_xrcd(struct ibv_xrcd *ibv_xrcd)
{
	struct verbs_xrcd *xrcd = container_of(ibv_xrcd, struct verbs_xrcd, xrcd);
	int err = ibv_cmd_close_xrcd(xrcd);

	if (err)
		return err;
	free(xrcd);
	return 0;
}
