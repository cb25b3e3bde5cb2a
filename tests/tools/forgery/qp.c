// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A QP that does what it reads from stdin, a line each, and says what comes of it:
 *
 *	(at once)		qpn NUMBER
 *	connect GID QPN		connected | connect: WHY
 *	send WORD		sent | status of the completion
 *	reset			reset
 *	(a message comes)	got WORD
 *
 * Each side's first PSN is 0. Of XRC it is the target, and has no receives. It ends with its input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "dev.h"
#include "forgery.h"
#include "number.h"
#include "qpattr.h"

#define SLOTS		8
#define SLOT_BYTES	2048
#define LOOK_MS		5
#define BETWEEN		"\n "

struct side {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	char buf[(SLOTS + 1) * SLOT_BYTES];	/* the last is for sends */
};

static char *slot(struct side *s, u64 nth)
{
	return s->buf + nth * SLOT_BYTES;
}

static struct ibv_qp *create_target(struct side *s)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};

	init.xrcd = ibv_open_xrcd(s->dev.ctx, &domain);
	return init.xrcd ? ibv_create_qp_ex(s->dev.ctx, &init) : NULL;
}

static struct ibv_qp *create_qp(struct side *s, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.sq_sig_all = 1,
		.cap = { .max_send_wr = 1, .max_recv_wr = SLOTS, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return type == IBV_QPT_XRC_RECV ? create_target(s) : ibv_create_qp(s->pd, &init);
}

static int create(struct side *s, enum ibv_qp_type type)
{
	s->pd = ibv_alloc_pd(s->dev.ctx);
	s->cq = ibv_create_cq(s->dev.ctx, 2 * SLOTS, NULL, NULL, 0);
	if (!s->pd || !s->cq)
		return complain("PD and CQ", errno);
	s->mr = ibv_reg_mr(s->pd, s->buf, sizeof(s->buf), IBV_ACCESS_LOCAL_WRITE);
	s->qp = create_qp(s, type);
	if (!s->mr || !s->qp)
		return complain("MR and QP", errno);
	printf("qpn %u\n", s->qp->qp_num);
	return 0;
}

static int post_receive(struct side *s, u64 nth)
{
	struct ibv_sge sge = { (uintptr_t)slot(s, nth), SLOT_BYTES, s->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = nth, .sg_list = &sge, .num_sge = 1 };
	int err = ibv_post_recv(s->qp, &wr, &bad);

	return err ? complain("ibv_post_recv", err) : 0;
}

static int connect_to(struct side *s, const char *gid, const char *qpn)
{
	union ibv_gid dgid;
	u64 i;
	int err;

	if (!gid || !qpn || inet_pton(AF_INET6, gid, dgid.raw) != 1)
		return complain("connect", EINVAL);
	err = qpattr_connect(s->qp, s->dev.gid_index, &dgid, number_of(qpn, 0xffffff));
	if (err) {
		printf("connect: %s\n", strerror(err));
		return 0;
	}
	for (i = 0; i < SLOTS && s->qp->qp_type != IBV_QPT_XRC_RECV; i++)
		if (post_receive(s, i))
			return -1;
	puts("connected");
	return 0;
}

static int send_word(struct side *s, const char *word)
{
	struct ibv_sge sge = { (uintptr_t)slot(s, SLOTS), SLOT_BYTES, s->mr->lkey };
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 };
	int err;

	if (!word)
		return complain("send", EINVAL);
	sge.length = snprintf(slot(s, SLOTS), SLOT_BYTES, "%s", word) + 1;
	err = ibv_post_send(s->qp, &wr, &bad);
	return err ? complain("ibv_post_send", err) : 0;
}

static int reset(struct side *s)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	int err = ibv_modify_qp(s->qp, &attr, IBV_QP_STATE);

	if (err)
		return complain("reset", err);
	puts("reset");
	return 0;
}

static int obey(struct side *s, char *line)
{
	const char *word = strtok(line, BETWEEN), *first = strtok(NULL, BETWEEN);

	if (!word)
		return 0;
	if (!strcmp(word, "connect"))
		return connect_to(s, first, strtok(NULL, BETWEEN));
	if (!strcmp(word, "send"))
		return send_word(s, first);
	if (!strcmp(word, "reset"))
		return reset(s);
	return complain(word, EINVAL);
}

static int tell(struct side *s, const struct ibv_wc *wc)
{
	if (wc->status) {
		puts(ibv_wc_status_str(wc->status));
		return 0;
	}
	if (wc->opcode != IBV_WC_RECV) {
		puts("sent");
		return 0;
	}
	printf("got %.*s\n", (int)wc->byte_len, slot(s, wc->wr_id));
	return post_receive(s, wc->wr_id);
}

static int look(struct side *s)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(s->cq, 1, &wc)) > 0)
		if (tell(s, &wc))
			return -1;
	return n;
}

static int run(struct side *s)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char line[SLOT_BYTES];

	while (!look(s)) {
		if (poll(&input, 1, LOOK_MS) <= 0)
			continue;
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		if (obey(s, line))
			return -EIO;
	}
	return -EIO;
}

static enum ibv_qp_type type_of(const char *name)
{
	if (!strcmp(name, "xrc"))
		return IBV_QPT_XRC_RECV;
	return strcmp(name, "rc") ? IBV_QPT_UC : IBV_QPT_RC;
}

int forgery_qp(char **words)
{
	static struct side side;

	/* One line at a time, for poll() knows nothing of what stdio has read */
	setbuf(stdin, NULL);
	if (dev_open(&side.dev, words[0], number_of(words[1], 255)) ||
	    create(&side, type_of(words[2])))
		return -EIO;
	return run(&side);
}
