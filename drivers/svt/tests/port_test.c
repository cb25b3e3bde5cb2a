// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a port says of its netdev, from a device that is not registered.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include "verbs/verbs.h"

static struct ib_device *a_device(struct kunit *test)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	ibdev->port_data = kunit_kcalloc(test, 2, sizeof(*ibdev->port_data), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ibdev->port_data);
	spin_lock_init(&ibdev->port_data[1].netdev_lock);
	return ibdev;
}

static void netdev_is_held(struct kunit *test)
{
	struct net_device *netdev = init_net.loopback_dev;
	struct ib_device *ibdev = a_device(test);
	int before = netdev_refcnt_read(netdev);

	rcu_assign_pointer(ibdev->port_data[1].netdev, netdev);
	KUNIT_ASSERT_PTR_EQ(test, svt_get_netdev(ibdev, 1), netdev);
	KUNIT_EXPECT_EQ(test, netdev_refcnt_read(netdev), before + 1);
	dev_put(netdev);
}

static void netdev_may_be_gone(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, svt_get_netdev(a_device(test), 1));
}

static struct kunit_case port_cases[] = {
	KUNIT_CASE(netdev_is_held),
	KUNIT_CASE(netdev_may_be_gone),
	{}
};

static struct kunit_suite port_suite = {
	.name = "svt-port",
	.test_cases = port_cases,
};

kunit_test_suite(port_suite);
