// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: UD, by address handles of rdma_create_ah().
 */
#include <net/ipv6.h>

#include "client.h"

#define KT_IMM		0xcafe0001

/* The IPv4 header ends at byte 40 of what stands before the data (IBTA annex A17) */
static int kt_check_grh(struct kt_operation *receive)
{
	struct kt_end *end = receive->end;
	const u8 *grh = end->buffer;

	if (!(receive->wc.wc_flags & IB_WC_GRH))
		return kt_fail(end->pair, "no IB_WC_GRH");
	if (grh[20] >> 4 != 4 || memcmp(grh + 32, &end->peer->gid.raw[12], 4) ||
	    memcmp(grh + 36, &end->gid.raw[12], 4))
		return kt_fail(end->pair, "the IPv4 header before the data is wrong");
	return 0;
}

static int kt_datagram(struct kt_pair *pair, enum ib_wr_opcode opcode, u32 length, u8 seed)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	struct kt_operation *send, *receive;
	int ret;

	kt_fill(from, 0, length, seed);
	kt_fill(to, 0, length + KT_GRH, 99);
	receive = kt_recv(to, 0, length + KT_GRH, 2);
	send = kt_send(from, &(struct kt_request){
		.opcode = opcode, .length = length, .pieces = 2, .imm = KT_IMM,
	});
	ret = kt_done(send, IB_WC_SUCCESS) ?:
	      kt_received(receive, IB_WC_RECV, length + KT_GRH) ?:
	      kt_check(to, KT_GRH, length, seed) ?: kt_check_grh(receive);
	if (ret)
		return ret;
	if (receive->wc.src_qp != from->qp->qp_num)
		return kt_fail(pair, "src_qp is %#x instead of %#x", receive->wc.src_qp,
			       from->qp->qp_num);
	if (opcode == IB_WR_SEND_WITH_IMM && receive->wc.ex.imm_data != cpu_to_be32(KT_IMM))
		return kt_fail(pair, "immediate data are wrong");
	return 0;
}

static int kt_case_ud(struct kt_pair *pair)
{
	return kt_datagram(pair, IB_WR_SEND, 0, 1) ?: kt_datagram(pair, IB_WR_SEND, 1, 2) ?:
	       kt_datagram(pair, IB_WR_SEND, 1024, 3);
}

static int kt_case_ud_imm(struct kt_pair *pair)
{
	return kt_datagram(pair, IB_WR_SEND_WITH_IMM, 333, 1);
}

/* A handle may go once the sends that use it are completed, wherever their packets are */
static int kt_case_ud_destroy_ah(struct kt_pair *pair)
{
	struct kt_end *from = &pair->end[0];
	struct kt_operation *receive[8], *send;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(receive) && !ret; i++) {
		receive[i] = kt_recv(&pair->end[1], 0, 1024 + KT_GRH, 1);
		send = kt_send(from, &(struct kt_request){
			.opcode = IB_WR_SEND, .length = 1024,
		});
		ret = kt_done(send, IB_WC_SUCCESS);
	}
	rdma_destroy_ah(from->ah, RDMA_DESTROY_AH_SLEEPABLE);
	from->ah = NULL;
	for (i = 0; i < ARRAY_SIZE(receive) && !ret; i++)
		ret = kt_received(receive[i], IB_WC_RECV, 1024 + KT_GRH);
	return ret;
}

const struct kt_case kt_datagram_cases[] = {
	{ "ud_send", IB_QPT_UD, KT_EACH_POLL, kt_case_ud },
	{ "ud_send_imm", IB_QPT_UD, KT_EACH_POLL, kt_case_ud_imm },
	{ "ud_destroy_ah", IB_QPT_UD, 0, kt_case_ud_destroy_ah },
	{ }
};
