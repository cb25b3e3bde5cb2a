/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Building a train packet by packet. The builder is one per CPU; it is in use from
 * svt_builder_start() to svt_builder_finish(), with BH off and in an RCU read section.
 */
#ifndef SVT_TRANSPORT_QP_TRAIN_H
#define SVT_TRANSPORT_QP_TRAIN_H

#include <linux/bvec.h>
#include <linux/local_lock.h>
#include <rdma/svt.h>

#include "../../mem/keys.h"
#include "../../wire/packet.h"
#include "qp.h"

#define SVT_TRAIN_BVECS		160
/* All of a train, with headers of lower layers, has to fit into one 64 KiB datagram for GSO */
#define SVT_TRAIN_BYTES		64000
/* Regions whose invalidation may wait for a train, as its payload comes from them */
#define SVT_TRAIN_HELD		8

/**
 * struct svt_train_builder - a train in the making
 * @train: for the backend
 * @half: of the sender
 * @peer: QP of this host that got the last train, or NULL
 * @bytes: of headers and payload so far
 * @closed: a shorter packet ended the train
 * @frame: @bvec holds a frame
 * @checksum: as svt_frame.checksum
 * @bvecs: used entries of @bvec
 * @sge: of a request, looked up in this RCU read section, or NULL
 * @region: of @sge
 * @held: in use until the backend has the train, see svt_builder_hold()
 * @held_count: entries of @held
 * @headers: back to back
 * @bvec: payload
 */
struct svt_train_builder {
	struct svt_train train;
	struct svt_half *half;
	struct svt_qp *peer;
	u32 bytes;
	bool closed;
	bool frame;
	bool checksum;
	unsigned int bvecs;
	const struct svt_sge *sge;
	struct svt_region region;
	struct svt_region held[SVT_TRAIN_HELD];
	unsigned int held_count;
	u8 headers[SVT_TRAIN_PACKETS * SVT_HEADER_MAX];
	struct bio_vec bvec[SVT_TRAIN_BVECS];
};

/*
 * The locks stand between those of the halves: send half, @requester_lock, receive half,
 * @responder_lock.
 */
struct svt_train_builders {
	local_lock_t responder_lock;
	local_lock_t requester_lock;
	struct svt_train_builder responder, requester;
};

extern struct svt_train_builders __percpu *svt_train_builders;

int svt_builders_init(void);
void svt_builders_exit(void);
void svt_builder_begin(struct svt_train_builder *builder, struct svt_qp *qp,
		       struct svt_half *half, struct svt_path *path);

/**
 * svt_builder_start - begin an empty train with this CPU's builder
 * @qp: sender
 * @half: of @qp
 * @path: destination
 *
 * Inline, like svt_builder_finish(), as sparse follows a lock of real-time kernels from one to the
 * other in the function that calls both.
 *
 * Context: @half->lock held, BH off, RCU read section, until svt_builder_finish().
 * Return: the builder.
 */
static inline struct svt_train_builder *svt_builder_start(struct svt_qp *qp,
							  struct svt_half *half,
							  struct svt_path *path)
{
	struct svt_train_builder *builder;

	if (half == &qp->send.half) {
		local_lock_nested_bh(&svt_train_builders->requester_lock);
		builder = &this_cpu_ptr(svt_train_builders)->requester;
	} else {
		local_lock_nested_bh(&svt_train_builders->responder_lock);
		builder = &this_cpu_ptr(svt_train_builders)->responder;
	}
	svt_builder_begin(builder, qp, half, path);
	return builder;
}

/* On the CPU of svt_builder_start(); the train is sent or released */
static inline void svt_builder_finish(struct svt_train_builder *builder, struct svt_qp *qp)
{
	if (builder->half == &qp->send.half)
		local_unlock_nested_bh(&svt_train_builders->requester_lock);
	else
		local_unlock_nested_bh(&svt_train_builders->responder_lock);
}

bool svt_builder_fits(const struct svt_train_builder *builder, u32 header_length,
		      u32 payload_length);
void svt_builder_add(struct svt_train_builder *builder, const struct svt_packet *packet,
		     u32 payload_length);
bool svt_builder_payload_region(struct svt_train_builder *builder,
				const struct svt_region *region, u64 offset, u32 length);
bool svt_builder_payload_kernel(struct svt_train_builder *builder, const void *data, u32 length);
void svt_builder_add_frame(struct svt_train_builder *builder, u32 length, bool checksum);
int svt_train_copy(const struct iov_iter *payload, u32 from, void *to, u32 length);
bool svt_builder_peek(const struct svt_train_builder *builder, void *to, u32 length);

bool svt_builder_hold(struct svt_train_builder *builder, const struct svt_region *region);
void svt_builder_release(struct svt_train_builder *builder);

u32 svt_builder_room(const struct svt_train_builder *builder);
void svt_builder_repeat(struct svt_train_builder *builder, u32 psn, u32 packets);

static inline u8 *svt_builder_header(struct svt_train_builder *builder)
{
	return builder->headers + (builder->train.packets - 1) * builder->train.header_length;
}

struct svt_builder_mark {
	u32 packets;
	u32 bytes;
	u32 last_length;
	u32 payload_length;
	u32 header_length;
	unsigned int bvecs;
	bool closed;
};

void svt_builder_mark(const struct svt_train_builder *builder, struct svt_builder_mark *mark);
void svt_builder_undo(struct svt_train_builder *builder, const struct svt_builder_mark *mark);
void svt_builder_request_ack(struct svt_train_builder *builder);

static inline bool svt_builder_empty(const struct svt_train_builder *builder)
{
	return !builder->train.packets;
}

int svt_builder_send(struct svt_train_builder *builder, struct svt_qp *qp);

#endif
