// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * /sys/class/infiniband/DEVICE/same_host: whether two QPs of this host may do without packets.
 * Write 0 to let firewalls, policies and captures see the packets.
 *
 * ibstat shows hca_type and board_id. node_exporter up to 1.5 shows no device if one lacks them.
 */
#include <linux/capability.h>
#include <linux/kstrtox.h>

#include "verbs.h"

static struct svt_core *svt_core_of(struct device *device)
{
	return rdma_device_to_drv_device(device, struct svt_device, ibdev)->core;
}

static ssize_t same_host_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(svt_core_of(device)->same_host));
}

/* A container sees this, too, and its root may not change it */
static ssize_t same_host_store(struct device *device, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	bool same_host;
	int ret;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	ret = kstrtobool(buf, &same_host);
	if (ret)
		return ret;
	/* Pairs with the reads in transport/qp/loopback.c: what is under way does without */
	WRITE_ONCE(svt_core_of(device)->same_host, same_host);
	return count;
}
static DEVICE_ATTR_RW(same_host);

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "svt\n");
}
static DEVICE_ATTR_RO(hca_type);

static struct device_attribute dev_attr_board_id = __ATTR(board_id, 0444, hca_type_show, NULL);

static struct attribute *svt_device_attrs[] = {
	&dev_attr_same_host.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	NULL,
};

const struct attribute_group svt_device_group = {
	.attrs = svt_device_attrs,
};
