/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a device says about itself.
 */
#ifndef SVT_QUERY_H
#define SVT_QUERY_H

#include "rdma-core.h"

int svt_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size);
int svt_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr);
int svt_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values);

#endif
