/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The verbs of a device: what the files of this folder share. Each file implements the operations
 * of one object, named as in struct ib_device_ops; device.c makes the table that ib_core calls.
 */
#ifndef SVT_VERBS_VERBS_H
#define SVT_VERBS_VERBS_H

#include <linux/atomic.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/svt.h>
#include <rdma/uverbs_ioctl.h>

#include "../core.h"
#include "../transport/qp/qp.h"

#define SVT_PKEY_TABLE_LENGTH	1

/* Bytes of a memory region */
#define SVT_MAX_MR_LENGTH	BIT_ULL(40)

/* Bytes of one piece of device memory */
#define SVT_MAX_DM_LENGTH	SZ_1M

/* Block sizes of pinned memory: any power of two from a page to 1 GiB */
#define SVT_BLOCK_SIZES		GENMASK(30, PAGE_SHIFT)

/* Brings the pages that one process pages on demand */
struct svt_pager {
	/* Not bound to a CPU: the memory may be of a file whose server never answers */
	struct workqueue_struct *queue;
	spinlock_t lock;		/* protects @advices and @waiting */
	struct list_head advices;	/* svt_advice.node: nobody waits for these */
	u32 waiting;
	struct work_struct work;
};

/* ib_core allocates most of what follows: its own struct comes first */
struct svt_ucontext {
	struct ib_ucontext ibucontext;
	struct svt_pager *pager;	/* NULL before the first on-demand region: svt_pager_of() */
};

struct svt_pd {
	struct ib_pd ibpd;
	void *deposit;	/* of a process: see SVT_DEPOSIT_BYTES */
};

/* Device memory: pages of the host, as the device has none of its own */
struct svt_dm {
	struct ib_dm ibdm;
	void *memory;	/* from svt_shared_alloc(); belongs to @mmap_entry */
	size_t bytes;	/* whole pages */
	struct rdma_user_mmap_entry *mmap_entry;
};

struct svt_rdma_counter {
	struct rdma_counter counter;
};

struct svt_xrcd {
	struct ib_xrcd ibxrcd;
	void *deposit;	/* see SVT_DEPOSIT_BYTES */
};

struct svt_ah {
	struct ib_ah ibah;
	struct svt_av *av;	/* modify replaces it; the client serialises that with all else */
	bool user;		/* of a process: counted in svt_core.ah_count */
};

static inline struct svt_ucontext *to_svt_ucontext(struct ib_ucontext *ibucontext)
{
	return container_of(ibucontext, struct svt_ucontext, ibucontext);
}

static inline struct svt_pd *to_svt_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct svt_pd, ibpd);
}

static inline struct svt_xrcd *to_svt_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct svt_xrcd, ibxrcd);
}

static inline struct svt_dm *to_svt_dm(struct ib_dm *ibdm)
{
	return container_of(ibdm, struct svt_dm, ibdm);
}

static inline struct svt_ah *to_svt_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct svt_ah, ibah);
}

/* A kernel client gets SVT_RESERVE() more. After true the caller owes an atomic_dec(@count). */
static inline bool svt_take(atomic_t *count, int limit, bool user)
{
	int most = user ? limit : limit + SVT_RESERVE(limit), now = atomic_read(count);

	do {
		if (now >= most)
			return false;
	} while (!atomic_try_cmpxchg(count, &now, now + 1));
	return true;
}

/* The same for an object that ib_core allocates. After 0 the caller owes svt_give_back(). */
static inline int svt_take_deposit(atomic_t *count, int limit, bool user, void **deposit)
{
	*deposit = user ? kmalloc(SVT_DEPOSIT_BYTES, SVT_GFP_CHARGED) : NULL;
	if (user && !*deposit)
		return -ENOMEM;
	if (svt_take(count, limit, user))
		return 0;
	kfree(*deposit);
	return -ENOMEM;
}

static inline void svt_give_back(atomic_t *count, void *deposit)
{
	atomic_dec(count);
	kfree(deposit);
}

static inline struct ib_udata *svt_command_udata(struct uverbs_attr_bundle *command)
{
	return command ? &command->driver_udata : NULL;
}

static inline struct ib_ucontext *svt_udata_context(struct ib_udata *udata)
{
	return &rdma_udata_to_drv_context(udata, struct svt_ucontext, ibucontext)->ibucontext;
}

/* device.c, port.c */
int svt_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata);
int svt_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int svt_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int svt_get_port_immutable(struct ib_device *ibdev, u32 port,
			   struct ib_port_immutable *immutable);
enum rdma_link_layer svt_get_link_layer(struct ib_device *ibdev, u32 port);
void svt_report_port_event(struct ib_device *ibdev, struct net_device *netdev, unsigned long event);
struct net_device *svt_get_netdev(struct ib_device *ibdev, u32 port);
enum ib_mtu svt_active_mtu(struct svt_core *core);

/* ucontext.c, pd.c, mmap.c */
int svt_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata);
void svt_dealloc_ucontext(struct ib_ucontext *context);
void svt_disassociate_ucontext(struct ib_ucontext *context);
int svt_query_ucontext(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs);
int svt_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int svt_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int svt_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata);
int svt_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata);
int svt_mmap(struct ib_ucontext *context, struct vm_area_struct *vma);
void svt_mmap_free(struct rdma_user_mmap_entry *entry);
struct rdma_user_mmap_entry *svt_memory_share(struct ib_ucontext *context, void *memory,
					      size_t bytes);
struct rdma_user_mmap_entry *svt_ring_share(struct ib_ucontext *context,
					    const struct svt_ring *ring,
					    struct svt_ring_info *info);
void svt_ring_unshare(struct svt_ring *ring, struct rdma_user_mmap_entry *entry);

/* mr.c, dm.c, mw.c */
int svt_mr_insert(struct svt_core *core, struct svt_mr *mr);
struct ib_mr *svt_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *svt_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				     int access, struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *command);
struct ib_mr *svt_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			      struct ib_dmah *dmah, struct ib_udata *udata);
struct ib_mr *svt_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				int access, struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *svt_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_pages);
int svt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
int svt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_dm *svt_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *context,
			   struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
int svt_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs);
struct ib_mr *svt_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			    struct uverbs_attr_bundle *attrs);
int svt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int svt_dealloc_mw(struct ib_mw *ibmw);

/* cq.c, srq.c */
int svt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *command);
int svt_resize_user_cq(struct ib_cq *ibcq, unsigned int entries, struct ib_udata *udata);
int svt_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int svt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int svt_poll_cq(struct ib_cq *ibcq, int count, struct ib_wc *wc);
int svt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int svt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int svt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int svt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int svt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int svt_resize_user_srq(struct svt_srq *srq, u32 max_wr, struct uverbs_attr_bundle *attrs);

/* ah.c */
int svt_ah_attr_check(struct ib_device *ibdev, const struct rdma_ah_attr *attr, bool user);
int svt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int svt_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int svt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int svt_destroy_ah(struct ib_ah *ibah, u32 flags);

/* gid.c */
int svt_add_gid(const struct ib_gid_attr *attr, void **context);
int svt_del_gid(const struct ib_gid_attr *attr, void **context);
struct net *svt_gid_net(const struct ib_gid_attr *attr);
int svt_gid_check_caller(const struct ib_gid_attr *attr);

/* sysfs.c */
extern const struct attribute_group svt_device_group;

/* qp.c, modify.c, multicast.c */
int svt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
void svt_qp_forget_completions(struct svt_qp *qp);
int svt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int svt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int svt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int svt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int svt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* flow.c */
struct ib_flow *svt_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				struct ib_udata *udata);
int svt_destroy_flow(struct ib_flow *ibflow);

/* post.c */
int svt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int svt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int svt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* stats.c, counter.c, mad.c, restrack.c */
void svt_stats_init(void);
struct rdma_hw_stats *svt_stats_alloc(void);
void svt_stats_read(struct rdma_hw_stats *stats, const struct svt_counters __percpu *counters);
int svt_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port);
int svt_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
void svt_counter_init(struct rdma_counter *counter);
int svt_counter_dealloc(struct rdma_counter *counter);
struct rdma_hw_stats *svt_counter_alloc_stats(struct rdma_counter *counter);
int svt_counter_update_stats(struct rdma_counter *counter);
struct rdma_hw_stats *svt_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int svt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);
int svt_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);
int svt_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);
int svt_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq);
int svt_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);

/* pager.c */
struct svt_pager *svt_pager_of(struct ib_ucontext *context);
void svt_pager_free(struct svt_pager *pager);

/* advise.c */
void svt_advices_follow(struct work_struct *work);
int svt_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		  struct ib_sge *sge, u32 count, struct uverbs_attr_bundle *attrs);
int svt_fill_stat_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);
int svt_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ibsrq);

/* uverbs.c */
extern const struct uapi_definition svt_uapi_definitions[];

#endif
