// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: messages, WRITE and READ between connected QPs, RC and UC.
 */
#include "client.h"

/* Path MTU 1024: none, less than one packet, one, and several with an odd rest */
static const u32 kt_lengths[] = { 0, 1, 1023, 1024, 1025, 4096, 20001 };

#define KT_IMM		0x8badf00d

static int kt_send_lengths(struct kt_pair *pair, enum ib_wr_opcode opcode, u32 pieces_out,
			   u32 pieces_in)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	struct kt_operation *send, *receive;
	unsigned int i;
	bool imm = opcode == IB_WR_SEND_WITH_IMM;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(kt_lengths) && !ret; i++) {
		u32 length = kt_lengths[i];

		kt_fill(from, 3, length, i);
		kt_fill(to, 0, 2 * length + 8, 99);
		receive = kt_recv(to, 5, length + 5, pieces_in);
		send = kt_send(from, &(struct kt_request){
			.opcode = opcode, .offset = 3, .length = length, .pieces = pieces_out,
			.imm = KT_IMM,
		});
		ret = kt_received(receive, IB_WC_RECV, length) ?: kt_done(send, IB_WC_SUCCESS) ?:
		      kt_check(to, 5, length, i) ?: kt_check(to, 0, 5, 99);
		if (!ret && imm != !!(receive->wc.wc_flags & IB_WC_WITH_IMM))
			ret = kt_fail(pair, "IB_WC_WITH_IMM is wrong");
		if (!ret && imm && receive->wc.ex.imm_data != cpu_to_be32(KT_IMM))
			ret = kt_fail(pair, "immediate data are wrong");
	}
	return ret;
}

static int kt_case_send(struct kt_pair *pair)
{
	return kt_send_lengths(pair, IB_WR_SEND, 1, 1);
}

static int kt_case_send_imm(struct kt_pair *pair)
{
	return kt_send_lengths(pair, IB_WR_SEND_WITH_IMM, 1, 1);
}

static int kt_case_sges(struct kt_pair *pair)
{
	return kt_send_lengths(pair, IB_WR_SEND, KT_SGES, 3) ?:
	       kt_send_lengths(pair, IB_WR_SEND, 2, KT_SGES);
}

/* Inline data are named by their address, and may change as soon as post has returned */
static int kt_case_inline(struct kt_pair *pair)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	struct kt_operation *operation = kt_operation(from);
	struct kt_operation *receive = kt_recv(to, 0, KT_INLINE, 1);
	struct ib_sge sge[2];
	struct ib_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_INLINE | IB_SEND_SIGNALED,
	};
	int ret;

	if (!operation || !receive)
		return -EPROTO;
	wr.wr_cqe = &operation->cqe;
	sge[0] = (struct ib_sge){ .addr = (uintptr_t)from->buffer, .length = 61 };
	sge[1] = (struct ib_sge){
		.addr = (uintptr_t)from->buffer + 61, .length = KT_INLINE - 61,
	};
	kt_fill(from, 0, KT_INLINE, 1);
	ret = ib_post_send(from->qp, &wr, NULL);
	kt_fill(from, 0, KT_INLINE, 2);
	if (ret)
		return kt_fail(pair, "post inline: %d", ret);
	return kt_received(receive, IB_WC_RECV, KT_INLINE) ?: kt_done(operation, IB_WC_SUCCESS) ?:
	       kt_check(to, 0, KT_INLINE, 1);
}

/* UC does not say when the data are there: a message behind them does */
static int kt_case_write(struct kt_pair *pair)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	struct kt_operation *write, *send, *receive;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(kt_lengths) && !ret; i++) {
		u32 length = kt_lengths[i];

		kt_fill(from, 7, length, i);
		kt_fill(to, 0, length + 8, 99);
		receive = kt_recv(to, KT_BUFFER - 8, 8, 1);
		write = kt_send(from, &(struct kt_request){
			.opcode = IB_WR_RDMA_WRITE, .offset = 7, .length = length, .remote = 2,
			.pieces = 3,
		});
		send = kt_send(from, &(struct kt_request){ .opcode = IB_WR_SEND });
		ret = kt_done(write, IB_WC_SUCCESS) ?: kt_done(send, IB_WC_SUCCESS) ?:
		      kt_received(receive, IB_WC_RECV, 0) ?: kt_check(to, 2, length, i) ?:
		      kt_check(to, 0, 2, 99);
		if (!ret && write->wc.opcode != IB_WC_RDMA_WRITE)
			ret = kt_fail(pair, "completed as opcode %d", write->wc.opcode);
	}
	return ret;
}

static int kt_case_write_imm(struct kt_pair *pair)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	struct kt_operation *write, *receive;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(kt_lengths) && !ret; i++) {
		u32 length = kt_lengths[i];

		kt_fill(from, 0, length, i);
		receive = kt_recv(to, 0, 0, 0);
		write = kt_send(from, &(struct kt_request){
			.opcode = IB_WR_RDMA_WRITE_WITH_IMM, .length = length, .remote = 100,
			.imm = KT_IMM,
		});
		ret = kt_received(receive, IB_WC_RECV_RDMA_WITH_IMM, length) ?:
		      kt_done(write, IB_WC_SUCCESS) ?: kt_check(to, 100, length, i);
		if (!ret && receive->wc.ex.imm_data != cpu_to_be32(KT_IMM))
			ret = kt_fail(pair, "immediate data are wrong");
	}
	return ret;
}

static int kt_case_read(struct kt_pair *pair)
{
	struct kt_end *reader = &pair->end[0], *source = &pair->end[1];
	struct kt_operation *read;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(kt_lengths) && !ret; i++) {
		u32 length = kt_lengths[i];

		kt_fill(source, 9, length, i);
		kt_fill(reader, 0, length + 8, 99);
		read = kt_send(reader, &(struct kt_request){
			.opcode = IB_WR_RDMA_READ, .offset = 4, .length = length, .remote = 9,
			.pieces = 4,
		});
		ret = kt_done(read, IB_WC_SUCCESS) ?: kt_check(reader, 4, length, i) ?:
		      kt_check(reader, 0, 4, 99);
		if (!ret && read->wc.opcode != IB_WC_RDMA_READ)
			ret = kt_fail(pair, "completed as opcode %d", read->wc.opcode);
		if (!ret && read->wc.byte_len != length)
			ret = kt_fail(pair, "READ of %u bytes reports %u", length,
				      read->wc.byte_len);
	}
	return ret;
}

const struct kt_case kt_connected_cases[] = {
	{ "rc_send", IB_QPT_RC, KT_EACH_POLL, kt_case_send },
	{ "rc_send_imm", IB_QPT_RC, KT_EACH_POLL, kt_case_send_imm },
	{ "rc_sges", IB_QPT_RC, KT_EACH_POLL, kt_case_sges },
	{ "rc_inline", IB_QPT_RC, KT_EACH_POLL, kt_case_inline },
	{ "rc_write", IB_QPT_RC, KT_EACH_POLL, kt_case_write },
	{ "rc_write_imm", IB_QPT_RC, KT_EACH_POLL, kt_case_write_imm },
	{ "rc_read", IB_QPT_RC, KT_EACH_POLL, kt_case_read },
	{ "uc_send", IB_QPT_UC, 0, kt_case_send },
	{ "uc_send_imm", IB_QPT_UC, 0, kt_case_send_imm },
	{ "uc_sges", IB_QPT_UC, 0, kt_case_sges },
	{ "uc_inline", IB_QPT_UC, 0, kt_case_inline },
	{ "uc_write", IB_QPT_UC, 0, kt_case_write },
	{ "uc_write_imm", IB_QPT_UC, 0, kt_case_write_imm },
	{ }
};
