// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of a device (`rdma statistic show`, sysfs). ib_core serialises reads, and adds
 * those of counter.c to the port's for `rdma statistic`, not for sysfs.
 */
#include "verbs.h"

static struct rdma_stat_desc svt_stat_descs[SVT_COUNT_TOTAL];

/**
 * svt_stats_init - name the counters, once, when the module is loaded
 */
void svt_stats_init(void)
{
	int i;

	for (i = 0; i < SVT_COUNT_TOTAL; i++)
		svt_stat_descs[i].name = svt_counter_names[i];
}

/* ib_core frees it */
struct rdma_hw_stats *svt_stats_alloc(void)
{
	return rdma_alloc_hw_stats_struct(svt_stat_descs, ARRAY_SIZE(svt_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

void svt_stats_read(struct rdma_hw_stats *stats, const struct svt_counters __percpu *counters)
{
	int i;

	for (i = 0; i < SVT_COUNT_TOTAL; i++)
		stats->value[i] = svt_counter_sum(counters, i);
}

struct rdma_hw_stats *svt_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return svt_stats_alloc();
}

/* ib_device_ops.get_hw_stats. -EINVAL: there are counters of the port only (@port 1). */
int svt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	if (!port)
		return -EINVAL;
	svt_stats_read(stats, to_svt_device(ibdev)->core->counters);
	return SVT_COUNT_TOTAL;
}
