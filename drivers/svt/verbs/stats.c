// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of a device, as `rdma statistic show` and sysfs list them. ib_core serialises reads.
 */
#include "verbs.h"

static struct rdma_stat_desc svt_stat_descs[SVT_COUNT_TOTAL];

/**
 * svt_stats_init - give the counters their names, once, when the module is loaded
 */
void svt_stats_init(void)
{
	int i;

	for (i = 0; i < SVT_COUNT_TOTAL; i++)
		svt_stat_descs[i].name = svt_counter_names[i];
}

/**
 * svt_alloc_hw_port_stats - ib_device_ops.alloc_hw_port_stats
 * @ibdev: device
 * @port: 1
 *
 * Return: what ib_core keeps of the counters, or NULL.
 */
struct rdma_hw_stats *svt_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(svt_stat_descs, ARRAY_SIZE(svt_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * svt_get_hw_stats - ib_device_ops.get_hw_stats
 * @ibdev: device
 * @stats: all values are written
 * @port: 1
 * @index: the counter that is asked for
 *
 * Return: how many were written; -EINVAL the device has counters for its port only.
 */
int svt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct svt_core *core = to_svt_device(ibdev)->core;
	int i;

	if (!port)
		return -EINVAL;
	for (i = 0; i < SVT_COUNT_TOTAL; i++)
		stats->value[i] = svt_counter_sum(core->counters, i);
	return SVT_COUNT_TOTAL;
}
