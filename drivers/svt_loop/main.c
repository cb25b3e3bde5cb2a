// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_loop: a wire in memory, with faults by script (script.c), and the template for a new backend.
 * All devices, of all namespaces, are on one wire. A packet goes to the device that has its
 * destination among its GIDs, a multicast packet to each. The netdev carries nothing: type dummy
 * will do. RTNL protects changes of the list of devices; senders read it under RCU.
 *
 * A backend has to
 *  - make a device for `rdma link add NAME type svt_loop netdev NETDEV`: newlink(). Registered, it
 *    may be unregistered by anybody; release() comes when that is done and nobody uses it;
 *  - say how the link is: svt_set_link(), at first and whenever it changes;
 *  - send: xmit() gets a train of packets, headers and payload apart, in any context with BH off.
 *    It must not call the core back: packets arrive later (arrival.c), or are lost in a full queue;
 *  - receive: svt_receive() with an skb whose svt_rx_cb tells where packets are in it, and
 *    rx_address() for their sender;
 *  - go when the netdev goes, from which ib_core takes the GIDs: netdev_event().
 * Operations that are NULL are optional; svt_roce has them all.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/rdma_netlink.h>
#include <rdma/svt.h>

#include "arrival.h"
#include "packet.h"
#include "script.h"

struct loop_device {
	struct svt_device svt;		/* must be first */
	struct net_device *netdev;	/* held by ib_core while registered */
	struct list_head node;		/* in loop_devices while on the wire */
	bool on_wire;			/* read by senders under RCU */
	struct dentry *directory;
	struct loop_script script;
	struct sk_buff *held;		/* goes after the next packet; replaced by xchg */
	struct loop_arrivals arrivals;
};

static LIST_HEAD(loop_devices);
static struct dentry *loop_directory;

static bool has_gid(struct loop_device *device, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&device->svt.ibdev, gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/* Let @skb, which is consumed, arrive after @delay_us. In an RCU read section */
static void deliver(struct loop_device *sender, struct sk_buff *skb, u32 delay_us)
{
	struct loop_device *receiver;
	struct svt_rx_address address;
	bool multicast, found = false;

	loop_rx_address(&sender->svt, skb, skb->len, &address);
	multicast = rdma_is_multicast_addr((struct in6_addr *)address.dgid.raw);
	skb->tstamp = ktime_add_us(ktime_get(), delay_us);
	list_for_each_entry_rcu(receiver, &loop_devices, node) {
		if (!READ_ONCE(receiver->on_wire))
			continue;
		if (!multicast && !has_gid(receiver, &address.dgid))
			continue;
		found = true;
		loop_arrivals_add(&receiver->arrivals, skb_clone(skb, GFP_ATOMIC));
		if (!multicast)
			break;
	}
	if (!found)
		svt_count_drop(&sender->svt, true);
	consume_skb(skb);
}

/* Send @skb as the script says, and behind it the packet that waits for this, if one does */
static void send(struct loop_device *device, struct sk_buff *skb)
{
	struct loop_rule rule = loop_script_next(&device->script);
	struct sk_buff *held = xchg(&device->held, rule.action == LOOP_REORDER ? skb : NULL);
	struct sk_buff *copy = rule.action == LOOP_DUPLICATE ? skb_clone(skb, GFP_ATOMIC) : NULL;

	if (rule.action == LOOP_DROP)
		consume_skb(skb);
	else if (rule.action != LOOP_REORDER)
		deliver(device, skb, rule.delay_us);
	if (copy)
		deliver(device, copy, 0);
	if (held)
		deliver(device, held, 0);
}

static int loop_xmit(struct svt_device *dev, struct svt_train *train)
{
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < train->packets && (skb = loop_make_packet(train, i)); i++)
		send(container_of(dev, struct loop_device, svt), skb);
	for (; i < train->packets; i++)
		svt_count_drop(dev, true);
	return 0;
}

/* The list is left last, for loop_exit() waits for those in it */
static void loop_release(struct svt_device *dev)
{
	struct loop_device *device = container_of(dev, struct loop_device, svt);

	if (!device->on_wire)
		return;
	debugfs_remove(device->directory);
	WRITE_ONCE(device->on_wire, false);
	synchronize_rcu(); /* with deliver(): nothing is added any more */
	loop_arrivals_stop(&device->arrivals);
	kfree_skb(device->held);
	rtnl_lock();
	list_del_rcu(&device->node);
	rtnl_unlock();
}

static const struct svt_backend_ops loop_ops = {
	.owner = THIS_MODULE,
	.name = "svt_loop",
	.xmit = loop_xmit,
	.rx_address = loop_rx_address,
	.release = loop_release,
};

/* Another namespace in exclusive mode may have a device of the same name */
static void make_directory(struct loop_device *device, const char *name)
{
	struct ib_device *ibdev = &device->svt.ibdev;
	char unique[IB_DEVICE_NAME_MAX + sizeof(".4294967295")];

	if (!rdma_dev_access_netns(ibdev, &init_net)) {
		snprintf(unique, sizeof(unique), "%s.%u", name, ibdev->index);
		name = unique;
	}
	device->directory = debugfs_create_dir(name, loop_directory);
	debugfs_create_file("script", 0200, device->directory, &device->script, &loop_script_fops);
}

/* Return: false: the netdev went before netdev_event() could find the device in the list */
static bool start(struct loop_device *device, const char *name)
{
	static const struct svt_link link = {
		.up = true, .mtu = IB_MTU_4096, .speed = IB_SPEED_EDR, .width = IB_WIDTH_4X,
	};

	rtnl_lock();
	device->on_wire = device->netdev->reg_state == NETREG_REGISTERED;
	if (device->on_wire)
		list_add_tail_rcu(&device->node, &loop_devices);
	rtnl_unlock();
	if (!device->on_wire)
		return false;

	make_directory(device, name);
	svt_set_link(&device->svt, &link);
	return true;
}

static int newlink(const char *name, struct net_device *netdev)
{
	struct svt_device *dev = svt_alloc_device(sizeof(struct loop_device), dev_net(netdev));
	struct loop_device *device;
	struct ib_device *ibdev;
	int ret;

	if (!dev)
		return -ENOMEM;
	ibdev = &dev->ibdev;
	device = container_of(dev, struct loop_device, svt);
	device->netdev = netdev;
	spin_lock_init(&device->script.lock);
	loop_arrivals_init(&device->arrivals, &device->svt);

	get_device(&ibdev->dev); /* its memory, which else could go as soon as it is registered */
	ret = svt_register_device(&device->svt, &loop_ops, netdev, name);
	if (ret) {
		ib_dealloc_device(ibdev);
	} else if (ib_device_try_get(ibdev)) {
		ret = start(device, name) ? 0 : -ENODEV;
		if (ret)
			ib_unregister_device_and_put(ibdev);
		else
			ib_device_put(ibdev);
	}
	put_device(&ibdev->dev);
	return ret;
}

/* Under RTNL, where one cannot wait for the end of a device */
static int netdev_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct loop_device *device;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	list_for_each_entry(device, &loop_devices, node)
		if (device->netdev == netdev && ib_device_try_get(&device->svt.ibdev)) {
			ib_unregister_device_queued(&device->svt.ibdev);
			ib_device_put(&device->svt.ibdev);
		}
	return NOTIFY_DONE;
}

static struct notifier_block loop_notifier = { .notifier_call = netdev_event };
static struct rdma_link_ops loop_link_ops = { .type = "svt_loop", .newlink = newlink };

static int __init loop_init(void)
{
	int ret = register_netdevice_notifier(&loop_notifier);

	if (ret)
		return ret;
	loop_directory = debugfs_create_dir("svt_loop", NULL);
	rdma_link_register(&loop_link_ops);
	return 0;
}

/* ib_unregister_device() returns when the device is released, whoever does it */
static void __exit loop_exit(void)
{
	struct loop_device *device;

	rdma_link_unregister(&loop_link_ops);
	unregister_netdevice_notifier(&loop_notifier);
	for (;;) {
		rtnl_lock();
		device = list_first_entry_or_null(&loop_devices, struct loop_device, node);
		if (device)
			get_device(&device->svt.ibdev.dev);
		rtnl_unlock();
		if (!device)
			break;
		ib_unregister_device(&device->svt.ibdev);
		put_device(&device->svt.ibdev.dev);
	}
	svt_backend_exit();
	debugfs_remove(loop_directory);
}

module_init(loop_init);
module_exit(loop_exit);

MODULE_DESCRIPTION("Software Verbs Transport: a wire in memory with scripted faults");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(SVT_VERSION);
MODULE_ALIAS_RDMA_LINK("svt_loop");
