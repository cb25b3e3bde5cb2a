// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices: from a backend's svt_register_device() to the end, when ib_core calls dealloc_driver.
 * The core's tables exist before ib_core knows the device. They go after ib_core has forgotten it
 * and the backend has let go: then no object, process or packet can reach them.
 */
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>

#include "../transport/multicast.h"
#include "../transport/qp/table.h"
#include "../transport/requester/rate_limit.h"
#include "../transport/steering.h"
#include "verbs.h"

/* The value that other software devices use */
#define SVT_VENDOR_ID		0xffffff

/* 4.096 us * 2^15: time of an acknowledgment on a busy host */
#define SVT_ACK_DELAY		15

/* Completion time stamps are in ns */
#define SVT_CLOCK_KHZ		1000000

/* Held for reading while a backend's release runs */
static DECLARE_RWSEM(svt_releases);

/* ib_core destroys all objects before the device: a count that is left is a leak */
static void svt_core_check_empty(const struct svt_core *core)
{
	WARN_ON(atomic_read(&core->pd_count));
	WARN_ON(atomic_read(&core->mr_count));
	WARN_ON(atomic_read(&core->mw_count));
	WARN_ON(atomic_read(&core->dm_count));
	WARN_ON(atomic_read(&core->qp_count));
	WARN_ON(atomic_read(&core->cq_count));
	WARN_ON(atomic_read(&core->srq_count));
	WARN_ON(atomic_read(&core->xrcd_count));
	WARN_ON(atomic_read(&core->ah_count));
}

static void svt_core_free(struct svt_core *core)
{
	svt_core_check_empty(core);
	svt_steering_destroy(core);
	svt_multicast_destroy(core);
	svt_qp_table_destroy(core);
	svt_keys_destroy(&core->keys);
	WARN_ON(!xa_empty(&core->ahs));
	xa_destroy(&core->ahs);
	WARN_ON(!xa_empty(&core->counter_sets));
	xa_destroy(&core->counter_sets);
	WARN_ON(!xa_empty(&core->xrc_srqs));
	xa_destroy(&core->xrc_srqs);
	destroy_workqueue(core->workqueue);
	free_percpu(core->counters);
	kfree(core);
}

static int svt_core_tables(struct svt_core *core)
{
	int ret;

	ret = svt_keys_init(&core->keys);
	if (ret)
		return ret;
	ret = svt_qp_table_init(core);
	if (ret)
		goto destroy_keys;
	ret = svt_multicast_init(core);
	if (!ret) {
		svt_steering_init(core);
		return 0;
	}

	svt_qp_table_destroy(core);
destroy_keys:
	svt_keys_destroy(&core->keys);
	return ret;
}

static struct svt_core *svt_core_alloc(void)
{
	struct svt_core *core = kzalloc(sizeof(*core), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!core)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&core->link_lock);
	core->same_host = true;
	core->link = (struct svt_link) {
		.mtu = IB_MTU_1024,
		.speed = IB_SPEED_SDR,
		.width = IB_WIDTH_1X,
	};
	xa_init_flags(&core->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	xa_init_flags(&core->counter_sets, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&core->xrc_srqs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	core->counters = alloc_percpu(struct svt_counters);
	if (!core->counters)
		goto free_core;
	core->workqueue = alloc_workqueue("svt", WQ_MEM_RECLAIM | WQ_CPU_INTENSIVE | WQ_PERCPU, 0);
	if (!core->workqueue)
		goto free_counters;
	ret = svt_core_tables(core);
	if (!ret)
		return core;

	destroy_workqueue(core->workqueue);
free_counters:
	free_percpu(core->counters);
free_core:
	kfree(core);
	return ERR_PTR(ret);
}

/* Also after a failed registration: the core is gone then, and the backend undoes its own part */
static void svt_dealloc_driver(struct ib_device *ibdev)
{
	struct svt_device *dev = to_svt_device(ibdev);

	if (!dev->core)
		return;
	down_read(&svt_releases);
	dev->ops->release(dev);
	up_read(&svt_releases);
	svt_core_free(dev->core);
	dev->core = NULL;
}

/* Not receives of UC and UD: they would drop packets that come before their pages do */
static const struct ib_odp_caps svt_odp_caps = {
	.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT,
	.per_transport_caps = {
		.rc_odp_caps = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE |
			       IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC |
			       IB_ODP_SUPPORT_SRQ_RECV | IB_ODP_SUPPORT_FLUSH |
			       IB_ODP_SUPPORT_ATOMIC_WRITE,
		.uc_odp_caps = IB_ODP_SUPPORT_SEND,
		.ud_odp_caps = IB_ODP_SUPPORT_SEND,
		.xrc_odp_caps = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ |
				IB_ODP_SUPPORT_ATOMIC | IB_ODP_SUPPORT_SRQ_RECV,
	},
};

/* Persistent only where the architecture can write caches back to such memory */
#define SVT_DEVICE_FLUSH	(IB_DEVICE_FLUSH_GLOBAL |					\
				 (IS_ENABLED(CONFIG_ARCH_HAS_PMEM_API) ?			\
				  IB_DEVICE_FLUSH_PERSISTENT : 0))

static int svt_tell_device(const struct svt_core *core, struct ib_udata *udata)
{
	const struct svt_query_device_resp resp = {
		.rate_limit_min = SVT_RATE_MIN,
		.rate_limit_max = U32_MAX,
		.rate_limit_types = BIT(IB_QPT_RC) | BIT(IB_QPT_UC) | BIT(IB_QPT_UD) |
				    (READ_ONCE(core->link.frame) ? BIT(IB_QPT_RAW_PACKET) : 0),
	};

	return udata ? ib_respond_udata(udata, resp) : 0;
}

/* ib_device_ops.query_device; @udata gets as much of the answer as it has room for */
int svt_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibdev)->core;

	*attr = (struct ib_device_attr) {
		.sys_image_guid = ibdev->node_guid,
		.max_mr_size = SVT_MAX_MR_LENGTH,
		.page_size_cap = GENMASK(SVT_MAX_BLOCK_SHIFT, SVT_MIN_BLOCK_SHIFT),
		.vendor_id = SVT_VENDOR_ID,
		.max_qp = SVT_MAX_QP,
		.max_qp_wr = SVT_MAX_QP_WR,
		.device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				    IB_DEVICE_UD_AV_PORT_ENFORCE | IB_DEVICE_CURR_QP_STATE_MOD |
				    IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |
				    IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE |
				    IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2A |
				    IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_MEM_MGT_EXTENSIONS |
				    IB_DEVICE_XRC | SVT_DEVICE_FLUSH | IB_DEVICE_ATOMIC_WRITE,
		.kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_ON_DEMAND_PAGING,
		.max_send_sge = SVT_MAX_SGE,
		.max_recv_sge = SVT_MAX_SGE,
		.max_sge_rd = SVT_MAX_SGE,
		.max_cq = SVT_MAX_CQ,
		.max_cqe = SVT_MAX_CQE,
		.max_mr = SVT_MAX_MR,
		.max_pd = SVT_MAX_PD,
		.max_qp_rd_atom = SVT_MAX_RD_ATOMIC,
		.max_res_rd_atom = SVT_MAX_QP * SVT_MAX_RD_ATOMIC,
		.max_qp_init_rd_atom = SVT_MAX_RD_ATOMIC,
		.atomic_cap = IB_ATOMIC_GLOB,
		.max_mw = SVT_MAX_MW,
		.max_mcast_grp = SVT_MAX_MULTICAST,
		.max_mcast_qp_attach = SVT_MAX_MULTICAST_QP,
		.max_total_mcast_qp_attach = INT_MAX,
		.max_ah = SVT_MAX_AH,
		.max_srq = SVT_MAX_SRQ,
		.max_srq_wr = SVT_MAX_SRQ_WR,
		.max_srq_sge = SVT_MAX_SGE,
		.max_fast_reg_page_list_len = SVT_MAX_FAST_PAGES,
		.max_pkeys = SVT_PKEY_TABLE_LENGTH,
		.local_ca_ack_delay = SVT_ACK_DELAY,
		.timestamp_mask = U64_MAX,
		.hca_core_clock = SVT_CLOCK_KHZ,
		.max_dm_size = SVT_MAX_DM_LENGTH,
		.odp_caps = svt_odp_caps,
		.cq_caps.max_cq_moderation_count = U16_MAX,
		.cq_caps.max_cq_moderation_period = U16_MAX,
	};
	if (READ_ONCE(core->link.frame)) {
		attr->device_cap_flags |= IB_DEVICE_RAW_IP_CSUM | IB_DEVICE_MANAGED_FLOW_STEERING;
		attr->raw_packet_caps = IB_RAW_PACKET_CAP_IP_CSUM;
	}
	return ib_is_udata_in_empty(udata) ?: svt_tell_device(core, udata);
}

static const struct ib_device_ops svt_device_ops = {
	.driver_id = SVT_DRIVER_ID,
	.uverbs_abi_ver = SVT_UVERBS_ABI_VERSION,
	.uverbs_robust_udata = 1,

	.add_gid = svt_add_gid,
	.advise_mr = svt_advise_mr,
	.alloc_dm = svt_alloc_dm,
	.alloc_hw_port_stats = svt_alloc_hw_port_stats,
	.alloc_mr = svt_alloc_mr,
	.alloc_mw = svt_alloc_mw,
	.alloc_pd = svt_alloc_pd,
	.alloc_ucontext = svt_alloc_ucontext,
	.alloc_xrcd = svt_alloc_xrcd,
	.attach_mcast = svt_attach_mcast,
	.counter_alloc_stats = svt_counter_alloc_stats,
	.counter_bind_qp = svt_counter_bind_qp,
	.counter_dealloc = svt_counter_dealloc,
	.counter_init = svt_counter_init,
	.counter_unbind_qp = svt_counter_unbind_qp,
	.counter_update_stats = svt_counter_update_stats,
	.create_ah = svt_create_ah,
	.create_cq = svt_create_cq,
	.create_flow = svt_create_flow,
	.create_qp = svt_create_qp,
	.create_srq = svt_create_srq,
	.create_user_ah = svt_create_ah,
	.dealloc_dm = svt_dealloc_dm,
	.dealloc_driver = svt_dealloc_driver,
	.dealloc_mw = svt_dealloc_mw,
	.dealloc_pd = svt_dealloc_pd,
	.dealloc_ucontext = svt_dealloc_ucontext,
	.dealloc_xrcd = svt_dealloc_xrcd,
	.del_gid = svt_del_gid,
	.dereg_mr = svt_dereg_mr,
	.destroy_ah = svt_destroy_ah,
	.destroy_cq = svt_destroy_cq,
	.destroy_flow = svt_destroy_flow,
	.destroy_qp = svt_destroy_qp,
	.destroy_srq = svt_destroy_srq,
	.detach_mcast = svt_detach_mcast,
	.device_group = &svt_device_group,
	.disassociate_ucontext = svt_disassociate_ucontext,
	.fill_res_cq_entry = svt_fill_res_cq_entry,
	.fill_res_mr_entry = svt_fill_res_mr_entry,
	.fill_res_qp_entry = svt_fill_res_qp_entry,
	.fill_res_srq_entry = svt_fill_res_srq_entry,
	.fill_stat_mr_entry = svt_fill_stat_mr_entry,
	.get_dma_mr = svt_get_dma_mr,
	.get_hw_stats = svt_get_hw_stats,
	.get_link_layer = svt_get_link_layer,
	.get_netdev = svt_get_netdev,
	.get_port_immutable = svt_get_port_immutable,
	.map_mr_sg = svt_map_mr_sg,
	.mmap = svt_mmap,
	.mmap_free = svt_mmap_free,
	.modify_ah = svt_modify_ah,
	.modify_cq = svt_modify_cq,
	.modify_qp = svt_modify_qp,
	.modify_srq = svt_modify_srq,
	.poll_cq = svt_poll_cq,
	.post_recv = svt_post_recv,
	.post_send = svt_post_send,
	.post_srq_recv = svt_post_srq_recv,
	.process_mad = svt_process_mad,
	.query_ah = svt_query_ah,
	.query_device = svt_query_device,
	.query_pkey = svt_query_pkey,
	.query_port = svt_query_port,
	.query_qp = svt_query_qp,
	.query_srq = svt_query_srq,
	.query_ucontext = svt_query_ucontext,
	.reg_dm_mr = svt_reg_dm_mr,
	.reg_user_mr = svt_reg_user_mr,
	.reg_user_mr_dmabuf = svt_reg_user_mr_dmabuf,
	.report_port_event = svt_report_port_event,
	.req_notify_cq = svt_req_notify_cq,
	.rereg_user_mr = svt_rereg_user_mr,
	.resize_user_cq = svt_resize_user_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, svt_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, svt_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, svt_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, svt_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, svt_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, svt_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, svt_ucontext, ibucontext),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, svt_xrcd, ibxrcd),
	INIT_RDMA_OBJ_SIZE(rdma_counter, svt_rdma_counter, counter),
};

/* Unique as the MAC is; random for netdevs without one (lo, tun) */
static void svt_set_guid(struct ib_device *ibdev, const struct net_device *netdev)
{
	u8 mac[ETH_ALEN];

	if (netdev->addr_len == ETH_ALEN && !is_zero_ether_addr(netdev->dev_addr))
		ether_addr_copy(mac, netdev->dev_addr);
	else
		eth_random_addr(mac);
	addrconf_addr_eui48((u8 *)&ibdev->node_guid, mac);
}

static int svt_setup(struct svt_device *dev, struct net_device *netdev)
{
	const struct ib_device_ops owner = { .owner = dev->ops->owner };
	struct ib_device *ibdev = &dev->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->dev.parent = netdev->dev.parent;
	ibdev->driver_def = svt_uapi_definitions;
	strscpy(ibdev->node_desc, "svt", sizeof(ibdev->node_desc));
	svt_set_guid(ibdev, netdev);
	ib_set_device_ops(ibdev, &svt_device_ops);
	ib_set_device_ops(ibdev, &owner);
	/* Keeps the rules of udev from renaming it */
	ib_mark_name_assigned_by_user(ibdev);
	return ib_device_set_netdev(ibdev, netdev, 1);
}

/**
 * svt_alloc_device - ib_alloc_device() for a backend
 * @size: of the structure that begins with struct svt_device
 * @net: namespace of the netdev; stays until the device is registered or freed
 *
 * In exclusive mode the device belongs to @net. In shared mode it belongs to the first namespace,
 * and ib_core shows it in all others.
 *
 * Context: may sleep.
 * Return: zeroed, to be freed by ib_dealloc_device(), or NULL.
 */
struct svt_device *svt_alloc_device(size_t size, struct net *net)
{
	struct ib_device *ibdev = _ib_alloc_device(size, &init_net);

	/* ib_core shows its mode only by which namespaces may see a device */
	if (ibdev && !rdma_dev_access_netns(ibdev, net)) {
		ib_dealloc_device(ibdev);
		ibdev = _ib_alloc_device(size, net);
	}
	return ibdev ? to_svt_device(ibdev) : NULL;
}
EXPORT_SYMBOL_GPL(svt_alloc_device);

/**
 * svt_register_device - make a device known to clients and processes
 * @dev: from svt_alloc_device(); the backend has set up what its operations need, and may have set
 *	ib_core operations that the core does not use (enable_driver)
 * @ops: the backend's
 * @netdev: below the device
 * @name: as in `rdma link add`
 *
 * The link is down until svt_set_link(). From now on ib_core may unregister the device at any time;
 * then it calls @ops->release, and frees @dev. After the release the backend calls nothing of the
 * core any more. So @dev may be gone when this returns: to go on using it, hold a reference, for
 * example from ib_device_get_by_netdev().
 *
 * After a failure nothing is left of the core, and @ops->release is not called: the caller undoes
 * its own work and calls ib_dealloc_device().
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM; -EEXIST the name is taken; what ib_core returns.
 */
int svt_register_device(struct svt_device *dev, const struct svt_backend_ops *ops,
			struct net_device *netdev, const char *name)
{
	struct svt_core *core = svt_core_alloc();
	int ret;

	if (IS_ERR(core))
		return PTR_ERR(core);
	dev->ops = ops;
	dev->core = core;
	ret = svt_setup(dev, netdev);
	if (!ret)
		ret = ib_register_device(&dev->ibdev, name, NULL);
	/* ib_core returns it for a taken name; a user would think of open files */
	if (ret == -ENFILE)
		ret = -EEXIST;
	if (ret) {
		dev->core = NULL;
		svt_core_free(core);
	}
	return ret;
}
EXPORT_SYMBOL_GPL(svt_register_device);

/**
 * svt_backend_exit - the last call of a backend before its module goes
 *
 * A device's release takes the device off the backend's list, on which the exit of the backend
 * looks for devices; after that it still runs code of the backend. This waits until it returned.
 *
 * Context: module exit; may sleep.
 */
void svt_backend_exit(void)
{
	down_write(&svt_releases);
	up_write(&svt_releases);
}
EXPORT_SYMBOL_GPL(svt_backend_exit);
