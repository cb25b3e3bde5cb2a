/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_WRAPI_H
#define VERIFY_WRAPI_H

#include "link.h"

/* The send_ops_flags that a QP of @type is asked for. */
u64 wrapi_ops(enum ibv_qp_type type);
/* Does what ibv_post_send() does, by ibv_wr_* calls; all requests of the list in one batch. */
int wrapi_post(struct link *l, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

#endif
