/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An opened device.
 */
#ifndef SVT_CONTEXT_H
#define SVT_CONTEXT_H

#include "rdma-core.h"

struct verbs_context *svt_alloc_context(struct ibv_device *device, int cmd_fd, void *private_data);
struct verbs_context *svt_import_context(struct ibv_device *device, int cmd_fd);

#endif
