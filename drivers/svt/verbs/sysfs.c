// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * /sys/class/infiniband/DEVICE/same_host: whether two QPs of this host may do without packets. Who
 * wants firewall, policies and captures to see what they say to each other writes 0.
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

/* The root of a container, where this is seen too, is not asked */
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
	/* Pairs with the reads in transport/same_host.c: what is under way does without */
	WRITE_ONCE(svt_core_of(device)->same_host, same_host);
	return count;
}
static DEVICE_ATTR_RW(same_host);

static struct attribute *svt_device_attrs[] = {
	&dev_attr_same_host.attr,
	NULL,
};

const struct attribute_group svt_device_group = {
	.attrs = svt_device_attrs,
};
