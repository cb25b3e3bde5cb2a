// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic: no lack of memory loses a work request.  A packet that cannot be made or received is one
 * that was lost on the wire, so RC delivers all that was posted, and what is sent over UC and UD
 * completes at the sender.
 */
#include <errno.h>
#include <string.h>

#include "../step.h"

#define SENT		1
#define RECEIVED	2
#define LENGTH		(SIDE_BUFFER / 4)
#define PART		(SIDE_BUFFER / 8)
#define DATAGRAM	1024
#define GRH		40

static int connect_both(struct bench *b, enum ibv_qp_type type)
{
	return side_qp_create(&b->here, type) ?: side_qp_create(&b->there, type) ?:
	       side_connect(&b->here, &b->there) ?: side_connect(&b->there, &b->here);
}

static int destroy_both(struct bench *b)
{
	return side_qp_destroy(&b->here) ?: side_qp_destroy(&b->there);
}

/* Each time another pattern, from the one side to the other */
static int fill(struct bench *b)
{
	side_fill(&b->here, LENGTH, ++b->number);
	memset(b->there.buffer, 0, SIDE_BUFFER);
	return 0;
}

static int fill_there(struct bench *b)
{
	side_fill(&b->there, LENGTH, ++b->number);
	memset(b->here.buffer, 0, SIDE_BUFFER);
	return 0;
}

static int connect_rc(struct bench *b)
{
	return fill(b) ?: connect_both(b, IBV_QPT_RC) ?:
	       side_post_recv(&b->there, RECEIVED, 0, LENGTH);
}

static int connect_rc_to_read(struct bench *b)
{
	return fill_there(b) ?: connect_both(b, IBV_QPT_RC);
}

static int connect_uc(struct bench *b)
{
	return fill(b) ?: connect_both(b, IBV_QPT_UC);
}

static int transfer(struct bench *b, enum ibv_wr_opcode opcode, u32 length)
{
	struct ibv_sge sge = { (uintptr_t)b->here.buffer, length, b->here.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.wr.rdma = { (uintptr_t)b->there.buffer, b->there.mr->rkey },
	};

	return side_post(&b->here, &wr, SENT) ?: side_wait(&b->here, SENT);
}

static int send_rc(struct bench *b)
{
	return transfer(b, IBV_WR_SEND, LENGTH) ?: side_wait(&b->there, RECEIVED);
}

static int write_rc(struct bench *b)
{
	return transfer(b, IBV_WR_RDMA_WRITE, LENGTH);
}

static int read_rc(struct bench *b)
{
	return transfer(b, IBV_WR_RDMA_READ, LENGTH);
}

static int send_uc(struct bench *b)
{
	return transfer(b, IBV_WR_SEND, LENGTH);
}

static int has_arrived(struct bench *b)
{
	return side_holds(&b->there, 0, LENGTH, b->number) ? 0 : EIO;
}

static int has_come_back(struct bench *b)
{
	return side_holds(&b->here, 0, LENGTH, b->number) ? 0 : EIO;
}

static u64 *counter(struct side *s)
{
	return (u64 *)s->buffer;
}

static int add(struct bench *b)
{
	struct ibv_sge sge = { (uintptr_t)b->here.buffer, 8, b->here.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = (uintptr_t)b->there.buffer, .compare_add = 1,
			       .rkey = b->there.mr->rkey },
	};
	int err;

	*counter(&b->there) = b->number;
	err = side_post(&b->here, &wr, SENT) ?: side_wait(&b->here, SENT);
	return err;
}

/* Once, whatever was lost and came again */
static int was_added_once(struct bench *b)
{
	return *counter(&b->there) == b->number + 1 && *counter(&b->here) == b->number ? 0 : EIO;
}

/* All of these in one go, in both directions at once */
static int post_mix(struct side *from, struct side *to)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	int err = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes) && !err; i++) {
		struct ibv_sge sge = { (uintptr_t)from->buffer, PART, from->mr->lkey };
		struct ibv_send_wr wr = {
			.sg_list = &sge, .num_sge = 1, .opcode = opcodes[i],
			.wr.rdma = { (uintptr_t)to->buffer + 4 * PART, to->mr->rkey },
		};

		if (opcodes[i] == IBV_WR_RDMA_READ) {
			wr.wr.rdma.remote_addr = (uintptr_t)to->buffer;
			sge.addr += PART;
		}
		err = side_post(from, &wr, SENT + i);
	}
	return err;
}

/* Completions of both queues come in any order: four requests and two messages */
static int wait_mix(struct side *s)
{
	struct ibv_wc wc;
	u32 left = 6;
	int err = 0;

	while (left && !err) {
		err = side_wait_any(s, &wc);
		if (!err && wc.status != IBV_WC_SUCCESS)
			err = EIO;
		left--;
	}
	return err;
}

static int connect_to_mix(struct bench *b)
{
	int err;

	fill(b);
	side_fill(&b->there, PART, b->number + 1);
	err = connect_both(b, IBV_QPT_RC);
	return err ?: side_post_recv(&b->here, RECEIVED, 2 * PART, PART) ?:
	       side_post_recv(&b->here, RECEIVED, 3 * PART, PART) ?:
	       side_post_recv(&b->there, RECEIVED, 2 * PART, PART) ?:
	       side_post_recv(&b->there, RECEIVED, 3 * PART, PART);
}

static int mix(struct bench *b)
{
	return post_mix(&b->here, &b->there) ?: post_mix(&b->there, &b->here) ?:
	       wait_mix(&b->here) ?: wait_mix(&b->there);
}

/* The parts behind the first one are what was read, received twice, and written */
static bool holds_mix(const struct side *s, u32 seed)
{
	u32 i;

	for (i = 1; i <= 4; i++)
		if (!side_holds(s, i * PART, PART, seed))
			return false;
	return true;
}

static int are_mixed(struct bench *b)
{
	return holds_mix(&b->here, b->number + 1) && holds_mix(&b->there, b->number) ? 0 : EIO;
}

/* @dgid: of the other side */
static int connect_ud(struct bench *b)
{
	struct ibv_ah_attr attr;
	int err = fill(b) ?: connect_both(b, IBV_QPT_UD);

	if (err)
		return err;
	qpattr_ah(&attr, &b->there.dev.gid, b->here.dev.gid_index, 64);
	b->ah = ibv_create_ah(b->here.pd, &attr);
	return b->ah ? side_post_recv(&b->there, RECEIVED, 0, GRH + DATAGRAM) : errno;
}

static int send_ud(struct bench *b)
{
	struct ibv_sge sge = { (uintptr_t)b->here.buffer, DATAGRAM, b->here.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.wr.ud = { .ah = b->ah, .remote_qpn = b->there.qp->qp_num,
			   .remote_qkey = 0x11111111 },
	};

	return side_post(&b->here, &wr, SENT) ?: side_wait(&b->here, SENT);
}

static int finish_ud(struct bench *b)
{
	return destroy_both(b) ?: ibv_destroy_ah(b->ah);
}

/* The next datagram comes through, whatever became of the one before */
static int reaches_ud(struct bench *b)
{
	struct ibv_wc wc;
	int err;

	if (ibv_poll_cq(b->there.cq, 1, &wc))
		err = side_post_recv(&b->there, RECEIVED, 0, GRH + DATAGRAM) ?: send_ud(b);
	else
		err = send_ud(b);
	return err ?: side_wait(&b->there, RECEIVED) ?:
	       (side_holds(&b->here, 0, DATAGRAM, b->number) &&
		!memcmp(b->there.buffer + GRH, b->here.buffer, DATAGRAM) ? 0 : EIO);
}

const struct step traffic_steps[] = {
	{ .name = "traffic_send_rc", .least = 4, .flags = STEP_SURE, .prepare = connect_rc,
	  .call = send_rc, .check = has_arrived, .finish = destroy_both },
	{ .name = "traffic_write_rc", .least = 10, .flags = STEP_SURE, .prepare = connect_rc,
	  .call = write_rc, .check = has_arrived, .finish = destroy_both },
	{ .name = "traffic_read_rc", .least = 2, .flags = STEP_SURE,
	  .prepare = connect_rc_to_read, .call = read_rc, .check = has_come_back,
	  .finish = destroy_both },
	{ .name = "traffic_fetch_add_rc", .least = 2, .flags = STEP_SURE,
	  .prepare = connect_rc_to_read, .call = add, .check = was_added_once,
	  .finish = destroy_both },
	{ .name = "traffic_send_uc", .least = 4, .flags = STEP_SURE, .prepare = connect_uc,
	  .call = send_uc, .finish = destroy_both },
	{ .name = "traffic_send_ud", .least = 2, .flags = STEP_SURE, .prepare = connect_ud,
	  .call = send_ud, .check = reaches_ud, .finish = finish_ud },
	{ .name = "traffic_send_random", .least = 1, .flags = STEP_RANDOM,
	  .prepare = connect_rc, .call = send_rc, .check = has_arrived,
	  .finish = destroy_both },
	{ .name = "traffic_read_random", .least = 1, .flags = STEP_RANDOM,
	  .prepare = connect_rc_to_read, .call = read_rc, .check = has_come_back,
	  .finish = destroy_both },
	{ .name = "traffic_fetch_add_random", .flags = STEP_RANDOM,
	  .prepare = connect_rc_to_read, .call = add, .check = was_added_once,
	  .finish = destroy_both },
	{ .name = "traffic_mix_random", .least = 1, .flags = STEP_RANDOM,
	  .prepare = connect_to_mix, .call = mix, .check = are_mixed,
	  .finish = destroy_both },
	{ }
};
