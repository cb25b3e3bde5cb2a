/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * svt: the contract between the core (svt.ko) and a backend.
 *
 * The core knows the InfiniBand transport: the BTH and all above it, up to the verbs. A backend
 * knows all below the BTH, and the ICRC, which covers the lower headers. Packets cross here many at
 * a time: down as a train (struct svt_train), up as an skb that may hold several packets
 * (struct svt_rx_cb). drivers/svt_loop is a whole backend to start from.
 */
#ifndef RDMA_SVT_H
#define RDMA_SVT_H

#include <linux/gfp.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

struct net;
struct svt_core;
struct svt_device;
struct svt_qp;

/*
 * Memory for what somebody asked for, charged to his memory cgroup. At his limit, or where there is
 * no more, he is refused: the kernel would kill for it otherwise, and maybe another one.
 */
#define SVT_GFP_CHARGED		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* The most packets that a train may hold */
#define SVT_TRAIN_PACKETS	64

/**
 * struct svt_path - how to reach a peer: what an address handle or a connected QP says
 * @ah_attr: as given to the verb, with a flow label of 20 bits; holds a reference on its source GID
 * @sgid: source GID (IPv4 is mapped into IPv6)
 * @dgid: destination GID
 * @entropy: from the QP numbers, for the choice of one among equal routes (UDP source port)
 * @netns: set by path_init: the namespace of the netdev that has the source GID, by a number that
 *	all devices of the backend know it by; 0 where there are none
 * @ifindex: set by path_init: that netdev there; 0: any
 * @priv: the backend's own, zeroed by the core before path_init
 *
 * Packets of a connected QP are taken where its source GID lives: a GID may be on two netdevs.
 */
struct svt_path {
	struct rdma_ah_attr ah_attr;
	union ib_gid sgid;
	union ib_gid dgid;
	u32 entropy;
	u32 netns;
	u32 ifindex;
	u8 priv[64] __aligned(8);
};

/**
 * struct svt_flow - the transmit side of one QP: where back-pressure is accounted
 * @qp: the QP, for svt_flow_ready(); a backend does not look into it
 * @ordered: a packet that overtakes another one costs messages (UC) or is noticed (frames), so that
 *	a backend which transmits from several CPUs does better to wait. One half of the QP sends on
 *	such a flow.
 * @user: it is made for the calling process
 * @everywhere: set by flow_open: what comes to any namespace that the device receives in is for
 *	that process, not only what comes to @netns
 * @netns: set by flow_open: the namespace of that process, as svt_path.netns; for others that of
 *	the device
 * @priv: the backend's own, zeroed by the core before flow_open
 */
struct svt_flow {
	struct svt_qp *qp;
	bool ordered;
	bool user;
	bool everywhere;
	u32 netns;
	void *priv;
};

/**
 * struct svt_train - packets of one QP with consecutive PSNs over one path
 * @path: where they go
 * @flow: the sending QP's
 * @packets: how many, 1 to SVT_TRAIN_PACKETS
 * @header_length: bytes of BTH and extended headers, the same for each packet
 * @payload_length: payload bytes of each packet but the last
 * @last_length: payload bytes of the last packet, at most @payload_length
 * @on_wire: packets are wanted, though the peer may be on this host
 * @headers: @packets headers of @header_length bytes, back to back
 * @payload: all payloads back to back; valid only during xmit: copy, or take page references
 * @peer: set by xmit that returns SVT_XMIT_LOCAL
 *
 * The BTH says how many bytes (0 to 3) pad a payload; the backend appends them, and the ICRC.
 */
struct svt_train {
	struct svt_path *path;
	struct svt_flow *flow;
	unsigned int packets;
	unsigned int header_length;
	unsigned int payload_length;
	unsigned int last_length;
	bool on_wire;
	const u8 *headers;
	struct iov_iter payload;
	struct svt_device *peer;
};

/**
 * struct svt_frame - an Ethernet frame that a raw packet QP sends
 * @flow: the QP's
 * @bytes: all of it, as svt_train.payload
 * @length: of it
 * @checksum: the sums of IPv4, TCP and UDP are to be computed
 */
struct svt_frame {
	struct svt_flow *flow;
	struct iov_iter bytes;
	unsigned int length;
	bool checksum;
};

/* See svt_backend_ops.xmit */
#define SVT_XMIT_LOCAL		1

/* GIDs of a device: as many as a process can name, ib_uverbs_global_route.sgid_index has 8 bits */
#define SVT_GID_TABLE_LENGTH	256

/**
 * struct svt_rx_cb - what stands in skb->cb of a received skb: one or more packets
 * @offset: of the first BTH from skb->data
 * @length: bytes from @offset to the end of the last packet with its trailer
 * @stride: bytes from one BTH to the next; the last packet may be shorter
 * @trailer: bytes at the end of each packet that are not for the core (the ICRC)
 * @one_train: the packets are known to be a train of a core of this host, so all are for one QP
 * @checked: of a frame, for which nothing else stands here: TCP's or UDP's checksum is right
 * @tagged: what the packets were sent to is on VLAN @vlan_id, by which ib_core tells GIDs of one
 *	address apart
 * @vlan_id: that
 * @netns: that the packets came in by, as svt_path.netns
 * @ifindex: the netdev there, as svt_path.ifindex; 0: they did not leave this host, and are for any
 */
struct svt_rx_cb {
	u32 offset;
	u32 length;
	u32 stride;
	u32 trailer;
	bool one_train;
	bool checked;
	bool tagged;
	u16 vlan_id;
	u32 netns;
	u32 ifindex;
};

static inline struct svt_rx_cb *svt_rx_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct svt_rx_cb) > sizeof(skb->cb));
	return (struct svt_rx_cb *)skb->cb;
}

/**
 * svt_skb_bytes() - a part of an skb, if it is in one piece
 * @skb: skb
 * @offset: of the part from skb->data
 * @length: bytes
 *
 * Return: the bytes, or NULL: then skb_copy_bits() puts them together.
 */
static inline const u8 *svt_skb_bytes(const struct sk_buff *skb, u32 offset, u32 length)
{
	u32 start = skb_headlen(skb);
	int i;

	if (offset + length <= start)
		return skb->data + offset;
	for (i = 0; i < skb_shinfo(skb)->nr_frags && offset >= start; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 end = start + skb_frag_size(frag);

		if (offset + length <= end && !skb_frag_must_loop(skb_frag_page(frag)))
			return skb_frag_address(frag) + (offset - start);
		start = end;
	}
	return NULL;
}

/**
 * struct svt_rx_address - where a received skb came from and went to
 * @sgid: of the sender
 * @dgid: as the packet has it
 * @grh: the 40 bytes that a UD receiver finds in front of its data (IPv4: the last 20 hold the
 *	header, IBTA annex A17)
 * @sl: priority of the packet, for the completion of a kernel client
 * @packet_type: for that of a process, in the service level, as ConnectX has it: no other field of
 *	struct ibv_wc tells the version of IP (IBTA A17.4.5.1), and UCX reads it there. 9 for IPv6,
 *	10 for IPv4; 0: no IP
 */
struct svt_rx_address {
	union ib_gid sgid;
	union ib_gid dgid;
	union rdma_network_hdr grh;
	u8 sl;
	u8 packet_type;
};

/**
 * struct svt_frame_ops - what a backend does that carries frames: where svt_link.frame is not 0
 * @listen: offer (@begin) or no longer offer the frames that the netdev of the port receives to
 *	svt_steer(). May sleep. Return: 0 or a negative errno.
 * @xmit: send @frame by the netdev of the port; else as svt_backend_ops.xmit. Return: 0 or -EAGAIN,
 *	as there.
 */
struct svt_frame_ops {
	int (*listen)(struct svt_device *dev, bool begin);
	int (*xmit)(struct svt_device *dev, const struct svt_frame *frame);
};

/**
 * struct svt_backend_ops - what a backend does
 * @owner: module
 * @name: short, as in `rdma link add … type svt`
 * @path_init: prepare @path->priv, which the core may move until the first xmit; the rest of
 *	@path is set. May be called in atomic context with interrupts off, so a route is looked up
 *	by the first xmit. Optional. Return: 0 or -EINVAL.
 * @path_release: undo path_init; may be called with interrupts off. Optional.
 * @flow_open: prepare @flow->priv for one QP; may sleep. Optional. Return: 0 or -ENOMEM.
 * @flow_close: undo flow_open; may sleep; no xmit runs nor will follow. Optional.
 * @xmit: send @train; BH off, inside an RCU read section; must not call back into the core before
 *	it returns. The two halves of a QP may send on one flow at the same time. Return: 0 when the
 *	packets are on their way or lost (a local drop is a lost packet; the backend counts it),
 *	-EAGAIN when nothing was taken and svt_flow_ready() will be called once there is room;
 *	SVT_XMIT_LOCAL, unless @train->on_wire, when nothing was taken because the path leads to a
 *	device of this host, @train->peer, which stays until the end of the read section: the core
 *	copies from memory to memory.
 * @rx_address: tell of a packet in @skb, which is as it was handed to svt_receive(), of @length
 *	bytes from the BTH to the end of its trailer; atomic.
 * @add_gid: ib_device_ops.add_gid: @attr, which has its netdev, joins the GIDs of the device;
 *	@context is the backend's. May sleep; RTNL may be held. Optional, with del_gid. Return: 0 or
 *	a negative errno: the GID is not to be had.
 * @del_gid: undo add_gid. May sleep; RTNL may be held.
 * @listen: receive (@begin) or no longer receive what is sent to the group @gid in the namespace
 *	@netns, as svt_path.netns. May sleep. Optional. Return: 0 or a negative errno.
 * @release: the device is unregistered and nobody uses it: let go of what the backend holds. The
 *	memory that svt_alloc_device gave is freed by the caller. May sleep.
 * @frames: of a backend that carries frames. Optional.
 */
struct svt_backend_ops {
	struct module *owner;
	const char *name;
	int (*path_init)(struct svt_device *dev, struct svt_path *path);
	void (*path_release)(struct svt_device *dev, struct svt_path *path);
	int (*flow_open)(struct svt_device *dev, struct svt_flow *flow);
	void (*flow_close)(struct svt_device *dev, struct svt_flow *flow);
	int (*xmit)(struct svt_device *dev, struct svt_train *train);
	void (*rx_address)(struct svt_device *dev, const struct sk_buff *skb, u32 length,
			   struct svt_rx_address *address);
	int (*add_gid)(struct svt_device *dev, const struct ib_gid_attr *attr, void **context);
	void (*del_gid)(struct svt_device *dev, const struct ib_gid_attr *attr, void **context);
	int (*listen)(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool begin);
	void (*release)(struct svt_device *dev);
	const struct svt_frame_ops *frames;
};

/**
 * struct svt_device - a device, to be embedded in the backend's and had from svt_alloc_device()
 * @ibdev: must be first
 * @ops: the backend's
 * @core: the core's own
 */
struct svt_device {
	struct ib_device ibdev;
	const struct svt_backend_ops *ops;
	struct svt_core *core;
};

static inline struct svt_device *to_svt_device(struct ib_device *ibdev)
{
	return container_of(ibdev, struct svt_device, ibdev);
}

/**
 * struct svt_link - the state of the one port of a device
 * @up: traffic can pass
 * @mtu: the largest path MTU that fits the link, headers and ICRC taken off
 * @speed: enum ib_port_speed
 * @width: enum ib_port_width
 * @frame: the longest Ethernet frame that may be sent, its 14 bytes of header included, a VLAN tag
 *	not; 0: the backend has no frames, and the device no raw packet QPs
 */
struct svt_link {
	bool up;
	enum ib_mtu mtu;
	u16 speed;
	u8 width;
	u32 frame;
};

/* As many bytes of a frame are enough for svt_steer() to see all that flow rules look at */
#define SVT_STEER_BYTES		96

/**
 * enum svt_steering - what is to be done with a frame
 * @SVT_STEER_PASS: nothing, no flow rule is for it
 * @SVT_STEER_COPY: svt_receive_frame() gets a copy
 * @SVT_STEER_TAKE: svt_receive_frame() gets it, and nobody else
 */
enum svt_steering {
	SVT_STEER_PASS,
	SVT_STEER_COPY,
	SVT_STEER_TAKE,
};

struct svt_device *svt_alloc_device(size_t size, struct net *net);
int svt_register_device(struct svt_device *dev, const struct svt_backend_ops *ops,
			struct net_device *netdev, const char *name);
void svt_backend_exit(void);
void svt_set_link(struct svt_device *dev, const struct svt_link *link);
void svt_netns_gone(struct svt_device *dev, u32 netns);
void svt_receive(struct svt_device *dev, struct sk_buff *skb);
void svt_flow_ready(struct svt_flow *flow);
enum svt_steering svt_steer(struct svt_device *dev, const u8 *bytes, u32 length, bool sent);
void svt_receive_frame(struct svt_device *dev, struct sk_buff *skb);
void svt_count_drop(struct svt_device *dev, bool transmit);
void svt_count_forgery(struct svt_device *dev);
bool svt_has_peer(const struct net *net, const union ib_gid *sgid, const union ib_gid *dgid);

#endif
