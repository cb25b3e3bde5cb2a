// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The first process creates an XRC TGT QP and ends. The second one, which opened it by its number,
 * connects it, and receives by it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "completion.h"
#include "dev.h"
#include "handover.h"
#include "qpattr.h"

#define BYTES	64

static const char text[BYTES] = "for the process that opened the QP";

/* What a process needs to receive by the QP of another, and to send to itself */
struct receiver {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	u32 srq_num;
	char memory[2 * BYTES];
};

static struct ibv_xrcd *open_domain(struct ibv_context *ctx, int fd)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd, .oflags = O_CREAT,
	};

	return ibv_open_xrcd(ctx, &init);
}

static int file_new(void)
{
	char name[] = "/tmp/svt-xrcd-XXXXXX";
	int fd = mkstemp(name);

	if (fd >= 0)
		unlink(name);
	return fd;
}

int xrc_first(int socket, const char *device)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	static struct dev dev;
	int fd = file_new();
	struct ibv_qp *qp;
	u8 word;

	if (dev_open(&dev, device, -1))
		return -1;
	init.xrcd = open_domain(dev.ctx, fd);
	qp = init.xrcd ? ibv_create_qp_ex(dev.ctx, &init) : NULL;
	if (!qp)
		return complain("XRC domain and QP", errno);
	if (tell(socket, &qp->qp_num, sizeof(qp->qp_num), fd) ||
	    hear(socket, &word, sizeof(word), NULL))
		return -1;
	/* It stays, as it is open elsewhere */
	if (ibv_destroy_qp(qp) || ibv_close_xrcd(init.xrcd) || ibv_close_device(dev.ctx))
		return complain("end of the first process", errno);
	return tell(socket, &word, sizeof(word), -1);
}

static int open_receiver(struct receiver *r, const char *device, int fd)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
	};

	if (dev_open(&r->dev, device, -1))
		return -1;
	r->pd = ibv_alloc_pd(r->dev.ctx);
	r->cq = ibv_create_cq(r->dev.ctx, 8, NULL, NULL, 0);
	r->xrcd = open_domain(r->dev.ctx, fd);
	if (!r->pd || !r->cq || !r->xrcd)
		return complain("PD, CQ and XRC domain", errno);
	init.pd = r->pd;
	init.cq = r->cq;
	init.xrcd = r->xrcd;
	r->srq = ibv_create_srq_ex(r->dev.ctx, &init);
	r->mr = ibv_reg_mr(r->pd, r->memory, sizeof(r->memory), IBV_ACCESS_LOCAL_WRITE);
	if (!r->srq || !r->mr || ibv_get_srq_num(r->srq, &r->srq_num))
		return complain("SRQ and region", errno);
	return 0;
}

static struct ibv_qp *open_by_number(const struct receiver *r, u32 number)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = number, .xrcd = r->xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	return ibv_open_qp(r->dev.ctx, &attr);
}

static struct ibv_qp *new_sender(const struct receiver *r)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_SEND, .send_cq = r->cq, .sq_sig_all = 1,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = r->pd,
	};

	return ibv_create_qp_ex(r->dev.ctx, &init);
}

static int connect(const struct receiver *r, struct ibv_qp *qp, u32 peer)
{
	int err = qpattr_connect(qp, r->dev.gid_index, &r->dev.gid, peer);

	return err ? complain("to RTS", err) : 0;
}

static int exchange(struct receiver *r, struct ibv_qp *sender)
{
	struct ibv_sge from = { (uintptr_t)r->memory, BYTES, r->mr->lkey };
	struct ibv_sge to = { (uintptr_t)r->memory + BYTES, BYTES, r->mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
		.qp_type.xrc.remote_srqn = r->srq_num,
	}, *bad;
	int err;

	memcpy(r->memory, text, BYTES);
	err = ibv_post_srq_recv(r->srq, &recv, &bad_recv) ?: ibv_post_send(sender, &send, &bad);
	if (err)
		return complain("post", err);
	if (completion_reap(r->cq, 2, LIMIT_MS))
		return -1;
	return memcmp(r->memory + BYTES, text, BYTES) ? complain("the message", EBADMSG) : 0;
}

int xrc_second(int socket, const char *device)
{
	static struct receiver r;
	struct ibv_qp *target, *sender;
	u32 number;
	u8 word = 0;
	int fd;

	if (hear(socket, &number, sizeof(number), &fd) || open_receiver(&r, device, fd))
		return -1;
	target = open_by_number(&r, number);
	if (!target || target->qp_num != number)
		return complain("ibv_open_qp", errno);
	if (tell(socket, &word, sizeof(word), -1) || hear(socket, &word, sizeof(word), NULL))
		return -1;

	sender = new_sender(&r);
	if (!sender)
		return complain("an XRC INI QP", errno);
	if (connect(&r, sender, number) || connect(&r, target, sender->qp_num) ||
	    exchange(&r, sender))
		return -1;
	if (ibv_destroy_qp(sender) || ibv_destroy_qp(target))
		return complain("ibv_destroy_qp", EBUSY);
	/* That was the last one to have it open */
	if (open_by_number(&r, number))
		return complain("a QP that is gone can be opened", 0);
	if (ibv_destroy_srq(r.srq) || ibv_close_xrcd(r.xrcd))
		return complain("end of SRQ and XRC domain", EBUSY);
	return 0;
}
