// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC: domains, their SRQs, and QPs that are opened by their number.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "errnos.h"

/* A file that names a domain, and is nowhere any more */
static int file_new(void)
{
	char name[] = "/tmp/svt-xrcd-XXXXXX";
	int fd = mkstemp(name);

	if (fd >= 0)
		unlink(name);
	return fd;
}

static struct ibv_xrcd_init_attr domain_of(int fd)
{
	return (struct ibv_xrcd_init_attr) {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = O_CREAT,
	};
}

static struct ibv_xrcd *domain_new(const struct world *w)
{
	struct ibv_xrcd_init_attr init = domain_of(-1);

	return ibv_open_xrcd(w->dev.ctx, &init);
}

static int open_xrcd(const struct world *w, const struct errno_case *c)
{
	int fd = file_new();
	struct ibv_xrcd_init_attr init = domain_of(fd);
	struct ibv_xrcd *xrcd;
	int err;

	spoil(w, c, &init);
	xrcd = ibv_open_xrcd(w->dev.ctx, &init);
	err = xrcd ? ibv_close_xrcd(xrcd) : errno;
	close(fd);
	return err;
}

/* By the file of a domain that there is */
static int open_xrcd_again(const struct world *w, const struct errno_case *c)
{
	int fd = file_new();
	struct ibv_xrcd_init_attr init = domain_of(fd);
	struct ibv_xrcd *first = ibv_open_xrcd(w->dev.ctx, &init), *second;
	int err;

	if (!first)
		return ENOTRECOVERABLE;
	spoil(w, c, &init);
	second = ibv_open_xrcd(w->dev.ctx, &init);
	err = second ? ibv_close_xrcd(second) : errno;
	close(fd);
	return ibv_close_xrcd(first) ?: err;
}

static struct ibv_srq_init_attr_ex good_srq(const struct world *w, struct ibv_xrcd *xrcd)
{
	return (struct ibv_srq_init_attr_ex) {
		.attr = { .max_wr = 16, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = w->pd,
		.xrcd = xrcd,
		.cq = w->cq,
	};
}

static int create_xrc_srq(const struct world *w, const struct errno_case *c)
{
	struct ibv_xrcd *xrcd = domain_new(w);
	struct ibv_srq_init_attr_ex init = good_srq(w, xrcd);
	struct ibv_srq *srq;
	int err;

	if (!xrcd)
		return ENOTRECOVERABLE;
	spoil(w, c, &init);
	srq = ibv_create_srq_ex(w->dev.ctx, &init);
	err = srq ? ibv_destroy_srq(srq) : errno;
	return ibv_close_xrcd(xrcd) ?: err;
}

/* What is done with an SRQ of a domain: @run returns its errno */
static int with_srq(const struct world *w, int (*run)(struct ibv_xrcd *xrcd, struct ibv_srq *srq))
{
	struct ibv_xrcd *xrcd = domain_new(w);
	struct ibv_srq_init_attr_ex init = good_srq(w, xrcd);
	struct ibv_srq *srq = xrcd ? ibv_create_srq_ex(w->dev.ctx, &init) : NULL;
	int err;

	if (!srq)
		return ENOTRECOVERABLE;
	err = run(xrcd, srq);
	return ibv_destroy_srq(srq) ?: ibv_close_xrcd(xrcd) ?: err;
}

static int close_it(struct ibv_xrcd *xrcd, struct ibv_srq *srq)
{
	(void)srq;
	return ibv_close_xrcd(xrcd);
}

static int close_xrcd_in_use(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return with_srq(w, close_it);
}

static int number_of_it(struct ibv_xrcd *xrcd, struct ibv_srq *srq)
{
	u32 number = 0;
	int err = ibv_get_srq_num(srq, &number);

	(void)xrcd;
	return err || number ? err : ENOTRECOVERABLE;
}

static int get_srq_num(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return with_srq(w, number_of_it);
}

static int get_srq_num_basic(const struct world *w, const struct errno_case *c)
{
	u32 number;

	(void)c;
	return ibv_get_srq_num(w->srq, &number);
}

static int open_qp(const struct world *w, const struct errno_case *c)
{
	struct ibv_xrcd *xrcd = domain_new(w);
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd,
	};
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.xrcd = xrcd,
		.qp_type = IBV_QPT_XRC_RECV,
	};
	struct ibv_qp *qp = xrcd ? ibv_create_qp_ex(w->dev.ctx, &init) : NULL, *opened;
	int err;

	if (!qp)
		return ENOTRECOVERABLE;
	attr.qp_num = qp->qp_num;
	spoil(w, c, &attr);
	opened = ibv_open_qp(w->dev.ctx, &attr);
	err = opened ? ibv_destroy_qp(opened) : errno;
	return ibv_destroy_qp(qp) ?: ibv_close_xrcd(xrcd) ?: err;
}

/* By its number, but it is of another domain */
static int open_qp_elsewhere(const struct world *w, const struct errno_case *c)
{
	struct ibv_xrcd *other = domain_new(w);
	const struct errno_case elsewhere = {
		.spoil = IS(struct ibv_qp_open_attr, xrcd, (uintptr_t)other),
	};
	int err;

	(void)c;
	if (!other)
		return ENOTRECOVERABLE;
	err = open_qp(w, &elsewhere);
	return ibv_close_xrcd(other) ?: err;
}

const struct errno_case xrc_cases[] = {
	{ "open_xrcd", open_xrcd, 0, { } },
	{ "open_xrcd of no file", open_xrcd, 0, IS(struct ibv_xrcd_init_attr, fd, -1) },
	{ "open_xrcd of a file that is not open", open_xrcd, EBADF,
	  IS(struct ibv_xrcd_init_attr, fd, 9999) },
	{ "open_xrcd of what is not there", open_xrcd, EAGAIN,
	  IS(struct ibv_xrcd_init_attr, oflags, 0) },
	{ "open_xrcd without a file", open_xrcd, EINVAL,
	  FLIPPED(struct ibv_xrcd_init_attr, comp_mask, IBV_XRCD_INIT_ATTR_FD) },
	{ "open_xrcd without flags", open_xrcd, EINVAL,
	  FLIPPED(struct ibv_xrcd_init_attr, comp_mask, IBV_XRCD_INIT_ATTR_OFLAGS) },
	{ "open_xrcd with a mask that nobody knows", open_xrcd, EOPNOTSUPP,
	  FLIPPED(struct ibv_xrcd_init_attr, comp_mask, 1 << 30) },
	{ "open_xrcd again", open_xrcd_again, 0, { } },
	{ "open_xrcd again without creation", open_xrcd_again, 0,
	  IS(struct ibv_xrcd_init_attr, oflags, 0) },
	{ "open_xrcd again of a new one only", open_xrcd_again, EINVAL,
	  IS(struct ibv_xrcd_init_attr, oflags, O_CREAT | O_EXCL) },
	{ "close_xrcd of one in use", close_xrcd_in_use, EBUSY, { } },
	{ "create_srq XRC", create_xrc_srq, 0, { } },
	{ "create_srq XRC of no requests", create_xrc_srq, EINVAL,
	  IS(struct ibv_srq_init_attr_ex, attr.max_wr, 0) },
	{ "create_srq XRC beyond max_srq_wr", create_xrc_srq, EINVAL,
	  BEYOND(struct ibv_srq_init_attr_ex, attr.max_wr, max_srq_wr) },
	{ "create_srq XRC beyond max_srq_sge", create_xrc_srq, EINVAL,
	  BEYOND(struct ibv_srq_init_attr_ex, attr.max_sge, max_srq_sge) },
	{ "create_srq XRC without a domain", create_xrc_srq, EINVAL,
	  FLIPPED(struct ibv_srq_init_attr_ex, comp_mask, IBV_SRQ_INIT_ATTR_XRCD) },
	{ "create_srq XRC without a CQ", create_xrc_srq, EINVAL,
	  FLIPPED(struct ibv_srq_init_attr_ex, comp_mask, IBV_SRQ_INIT_ATTR_CQ) },
	{ "create_srq XRC without a PD", create_xrc_srq, EINVAL,
	  FLIPPED(struct ibv_srq_init_attr_ex, comp_mask, IBV_SRQ_INIT_ATTR_PD) },
	{ "create_srq XRC with a mask that nobody knows", create_xrc_srq, EOPNOTSUPP,
	  FLIPPED(struct ibv_srq_init_attr_ex, comp_mask, 1 << 30) },
	{ "get_srq_num", get_srq_num, 0, { } },
	{ "get_srq_num of one that is not of XRC", get_srq_num_basic, EOPNOTSUPP, { } },
	{ "open_qp", open_qp, 0, { } },
	{ "open_qp of a number that no QP has", open_qp, EINVAL,
	  FLIPPED(struct ibv_qp_open_attr, qp_num, 0x800000) },
	{ "open_qp of another domain", open_qp_elsewhere, EINVAL, { } },
	{ "open_qp of another type", open_qp, EOPNOTSUPP,
	  IS(struct ibv_qp_open_attr, qp_type, IBV_QPT_RC) },
	{ "open_qp without a number", open_qp, EINVAL,
	  FLIPPED(struct ibv_qp_open_attr, comp_mask, IBV_QP_OPEN_ATTR_NUM) },
	{ "open_qp without a domain", open_qp, EINVAL,
	  FLIPPED(struct ibv_qp_open_attr, comp_mask, IBV_QP_OPEN_ATTR_XRCD) },
	{ "open_qp with a mask that nobody knows", open_qp, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_open_attr, comp_mask, 1 << 30) },
	{ }
};
