// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. The kernel resolves the path and answers with a number, which is all that a send
 * WQE names. No locks of its own.
 *
 * Programs destroy a handle when they have posted and do not wait for completions, as mckey of
 * librdmacm does. With a NIC that goes well nearly always, for it has sent long before the system
 * call is done. Our kernel looks up the handle when it gets to a request, so that comes first.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "ah.h"
#include "qp.h"

struct create_ah_response {
	struct ib_uverbs_create_ah_resp core;
	struct svt_create_ah_resp svt;
};

static_assert(offsetof(struct create_ah_response, svt) == sizeof(struct ib_uverbs_create_ah_resp),
	      "no gap in front of the driver's part");

struct ibv_ah *svt_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct create_ah_response response = {};
	struct svt_ah *ah;
	int err;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	err = ibv_cmd_create_ah(pd, &ah->ibv_ah, attr, &response.core, sizeof(response));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->number = response.svt.ah;
	ah->home = svt_pd_home(pd);
	return &ah->ibv_ah;
}

int svt_destroy_ah(struct ibv_ah *ibv_ah)
{
	struct svt_ah *ah = container_of(ibv_ah, struct svt_ah, ibv_ah);
	int err;

	svt_qp_send_posted(ah->home);
	err = ibv_cmd_destroy_ah(ibv_ah);
	if (!err)
		free(ah);
	return err;
}
