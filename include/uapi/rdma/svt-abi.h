/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * svt: what the kernel and the libibverbs provider share.
 *
 * Append only. Every field has a fixed width, nothing holds a pointer. A reader that meets a flag
 * that it does not know refuses it with EOPNOTSUPP; bytes behind the part that it knows have to
 * be zero. The kernel reads every shared field once, checks the copy and uses the copy.
 */
#ifndef SVT_ABI_H
#define SVT_ABI_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define SVT_UVERBS_ABI_VERSION	1

/* ib_device_ops.driver_id; outside the enumeration of the uapi, "svt" in ASCII */
#define SVT_DRIVER_ID		0x737674

/*
 * A ring is one mapping: struct svt_ring_control, then `entries` elements of `stride` bytes.
 * `entries` is a power of two. Both indices run freely over 32 bits; element i & (entries - 1)
 * holds entry i, producer - consumer entries are in use.
 *
 * SQ, RQ, SRQ: user space writes the element, then `producer` (release), then issues a full fence
 * and reads `wakeup`: only when it is not zero does it ring the doorbell. The kernel writes
 * `consumer` (release): for the RQ and SRQ when it has copied an element, for the SQ when the
 * work request is retired (acknowledged, or completed in error).
 *
 * CQ: the kernel writes the element, then `producer` (release), then issues a full fence and
 * reads `arm`. User space writes `arm` to ask for an event, issues a full fence, and looks at the
 * ring again; `consumer` (release) gives elements back.
 */
struct svt_ring_control {
	__u32 producer;
	__u8 pad0[60];
	__u32 consumer;
	__u8 pad1[60];
	__u32 wakeup;		/* written by the kernel: 1 when nobody watches `producer` */
	__u8 pad2[60];
	__u32 arm;		/* enum svt_cq_arm; set by user space, cleared by the kernel */
	__u8 pad3[60];
};

enum svt_cq_arm {
	SVT_CQ_ARM_NONE,
	SVT_CQ_ARM_NEXT,
	SVT_CQ_ARM_SOLICITED,
};

struct svt_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

enum svt_send_flags {
	SVT_SEND_FENCE		= 1 << 0,
	SVT_SEND_SIGNALED	= 1 << 1,
	SVT_SEND_SOLICITED	= 1 << 2,
	SVT_SEND_INLINE		= 1 << 3,
	SVT_SEND_IP_CSUM	= 1 << 4,	/* raw packet QPs */
};

/* What a FLUSH asks for; numbered as on the wire (IBTA A19.4.1) */
enum svt_flush_placement {
	SVT_FLUSH_GLOBAL	= 1 << 0,	/* visible to all of the host */
	SVT_FLUSH_PERSISTENT	= 1 << 1,	/* safe from a loss of power */
};

enum svt_flush_selectivity {
	SVT_FLUSH_RANGE,
	SVT_FLUSH_REGION,	/* all of the region: address and length mean nothing */
};

/*
 * An element of a send queue. `opcode` is one of enum ib_uverbs_wr_opcode. Behind it stand num_sge
 * scatter/gather entries, or inline_length bytes when SVT_SEND_INLINE is set.
 */
struct svt_send_wqe {
	__aligned_u64 wr_id;
	__u8 opcode;
	__u8 num_sge;
	__u16 flags;
	__u32 inline_length;
	union {
		__be32 imm_data;
		__u32 invalidate_rkey;
	};
	__u32 srq_num;		/* XRC: of the peer's SRQ, 24 bits; else 0 */
	union {
		struct {
			__aligned_u64 remote_addr;
			__u32 rkey;
			__u32 reserved;
		} rdma;
		struct {
			__aligned_u64 remote_addr;
			__aligned_u64 compare_add;
			__aligned_u64 swap;
			__u32 rkey;
			__u32 reserved;
		} atomic;
		struct {
			__u32 ah;
			__u32 remote_qpn;
			__u32 remote_qkey;
			__u32 reserved;
		} ud;
		struct {
			__aligned_u64 addr;
			__aligned_u64 length;
			__u32 mr_lkey;
			__u32 mw_rkey;		/* the upper 24 bits name the window */
			__u32 new_rkey;		/* type 1: 0 leaves it to the kernel */
			__u32 access;		/* enum ib_uverbs_access_flags */
		} bind_mw;
		struct {
			__aligned_u64 remote_addr;
			__u32 length;
			__u32 rkey;
			__u8 placement;		/* enum svt_flush_placement, at least one */
			__u8 selectivity;	/* enum svt_flush_selectivity */
			__u8 reserved[6];
		} flush;
		__u8 op_pad[40];
	};
	struct svt_sge sge[];
};

/* An element of a receive queue or of a shared receive queue */
struct svt_recv_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
	struct svt_sge sge[];
};

enum svt_cqe_flags {
	SVT_CQE_GRH		= 1 << 0,
	SVT_CQE_WITH_IMM	= 1 << 1,
	SVT_CQE_WITH_INV	= 1 << 2,
	SVT_CQE_WITH_VLAN	= 1 << 3,	/* in CQs of kernel clients only */
	SVT_CQE_IP_CSUM_OK	= 1 << 4,	/* raw packet QPs */
};

/* An element of a completion queue. `status` is numbered as enum ibv_wc_status. */
struct svt_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;	/* CLOCK_MONOTONIC, ns */
	__aligned_u64 wall_clock;	/* CLOCK_REALTIME, ns */
	__u32 qp_num;
	__u32 byte_len;
	union {
		__be32 imm_data;
		__u32 invalidated_rkey;
	};
	__u32 src_qp;
	__u32 vendor_err;
	__u16 pkey_index;
	__u8 status;
	__u8 opcode;			/* enum ib_uverbs_wc_opcode; RECV and RECV_RDMA_WITH_IMM */
	__u8 flags;			/* enum svt_cqe_flags */
	__u8 sl;
	__u16 vlan_id;
	__u8 reserved[12];
};

struct svt_alloc_ucontext_req {
	__u32 flags;			/* none is defined */
	__u32 reserved;
};

struct svt_alloc_ucontext_resp {
	__u32 flags;			/* none is defined */
	__u32 max_inline;		/* bytes */
};

/* Follows what query_device answers, the part of it that there is room for */
struct svt_query_device_resp {
	__u32 rate_limit_min;		/* kbps */
	__u32 rate_limit_max;
	__u32 rate_limit_types;		/* bit i: QPs of enum ibv_qp_type i */
	__u32 reserved;
};

/* Where one ring is to be mapped from, and its shape */
struct svt_ring_info {
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_length;	/* bytes, whole pages; 0: no such ring */
	__u32 entries;
	__u32 stride;			/* bytes */
};

struct svt_create_cq_resp {
	struct svt_ring_info ring;
};

struct svt_resize_cq_resp {
	struct svt_ring_info ring;
};

struct svt_create_srq_resp {
	struct svt_ring_info ring;
	__u32 srq_num;
	__u32 reserved;
};

struct svt_create_qp_resp {
	struct svt_ring_info sq;
	struct svt_ring_info rq;	/* mmap_length is 0 when the QP has an SRQ */
};

struct svt_create_ah_resp {
	__u32 ah;			/* what svt_send_wqe.ud.ah takes */
	__u32 reserved;
};

/* Where device memory is to be mapped from */
struct svt_dm_info {
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_length;	/* bytes, whole pages */
	__aligned_u64 length;		/* bytes that were asked for */
};

enum svt_ioctl_methods_qp {
	SVT_METHOD_QP_DOORBELL = (1U << UVERBS_ID_NS_SHIFT),
};

enum svt_ioctl_attrs_qp_doorbell {
	SVT_ATTR_DOORBELL_QP = (1U << UVERBS_ID_NS_SHIFT),
};

enum svt_ioctl_methods_srq {
	SVT_METHOD_SRQ_RESIZE = (1U << UVERBS_ID_NS_SHIFT),
};

enum svt_ioctl_attrs_srq_resize {
	SVT_ATTR_SRQ_RESIZE_SRQ = (1U << UVERBS_ID_NS_SHIFT),
	SVT_ATTR_SRQ_RESIZE_MAX_WR,	/* __u32 in */
	SVT_ATTR_SRQ_RESIZE_RING,	/* struct svt_ring_info out */
};

enum svt_ioctl_methods_dm {
	SVT_METHOD_DM_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum svt_ioctl_attrs_dm_query {
	SVT_ATTR_DM_QUERY_DM = (1U << UVERBS_ID_NS_SHIFT),
	SVT_ATTR_DM_QUERY_INFO,		/* struct svt_dm_info out */
};

/* What a process asks that imports a protection domain: is there one with this handle? */
enum svt_ioctl_methods_pd {
	SVT_METHOD_PD_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum svt_ioctl_attrs_pd_query {
	SVT_ATTR_PD_QUERY_PD = (1U << UVERBS_ID_NS_SHIFT),
};

/* UVERBS_METHOD_QUERY_CONTEXT has this besides, for a process that imports the context */
enum svt_ioctl_attrs_query_context {
	SVT_ATTR_QUERY_CONTEXT_RESP = (1U << UVERBS_ID_NS_SHIFT), /* svt_alloc_ucontext_resp out */
};

#endif
