// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of device and port, and the clock that completion time stamps come from. No locks.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include <rdma/svt-abi.h>

#include "query.h"

struct query_device_response {
	struct ib_uverbs_ex_query_device_resp core;
	struct svt_query_device_resp svt;
};

static_assert(offsetof(struct query_device_response, svt) ==
	      sizeof(struct ib_uverbs_ex_query_device_resp),
	      "no gap in front of the driver's part");

/* The firmware version is major << 32 | minor << 16 | patch */
static void print_version(struct ibv_device_attr *attr, uint64_t version)
{
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%u.%u.%u", (unsigned int)(version >> 32),
		 (unsigned int)(version >> 16 & 0xffff), (unsigned int)(version & 0xffff));
}

int svt_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct query_device_response response = {};
	size_t response_size = sizeof(response);
	int err;

	err = ibv_cmd_query_device_any(context, input, attr, attr_size, &response.core,
				       &response_size);
	if (err)
		return err;
	print_version(&attr->orig_attr, response.core.base.fw_ver);
	if (attr_size >= offsetof(struct ibv_device_attr_ex, packet_pacing_caps) +
			 sizeof(attr->packet_pacing_caps)) {
		attr->packet_pacing_caps.qp_rate_limit_min = response.svt.rate_limit_min;
		attr->packet_pacing_caps.qp_rate_limit_max = response.svt.rate_limit_max;
		attr->packet_pacing_caps.supported_qpts = response.svt.rate_limit_types;
	}
	return 0;
}

int svt_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr)
{
	struct ibv_query_port command = {};

	return ibv_cmd_query_port(context, port_num, attr, &command, sizeof(command));
}

/* Completion time stamps are CLOCK_MONOTONIC, so reading their clock takes no system call */
int svt_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint32_t wanted = values->comp_mask;

	(void)context;
	values->comp_mask = 0;
	if (wanted & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;
	if (wanted) {
		if (clock_gettime(CLOCK_MONOTONIC, &values->raw_clock))
			return errno;
		values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	}
	return 0;
}
