// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_modify_qp(): each attribute out of its range, and what a state does not allow. What is
 * refused changes nothing: the QP is in the state that it was in.
 */
#include <errno.h>

#include "errnos.h"
#include "qpattr.h"

struct modify {
	struct ibv_qp_attr attr;
	int mask;
};

/* @qp is in the state before @to; it goes to RESET and back, should it have been changed */
static int modify(const struct world *w, const struct errno_case *c, enum ibv_qp_state from,
		  enum ibv_qp_state to)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	struct ibv_qp *qp = world_qp(w, IBV_QPT_RC);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now;
	struct modify m;
	u32 i;
	int err = 0;

	if (!qp)
		return errno;
	for (i = 0; !err && i < ARRAY_SIZE(way) && way[i] <= from; i++) {
		m.mask = world_attr(w, way[i], &m.attr);
		err = ibv_modify_qp(qp, &m.attr, m.mask);
	}
	if (err)
		return ibv_destroy_qp(qp) ?: ENOTRECOVERABLE;
	m.mask = world_attr(w, to, &m.attr);
	spoil(w, c, &m);
	err = ibv_modify_qp(qp, &m.attr, m.mask);
	if (err && (ibv_query_qp(qp, &now, IBV_QP_STATE, &init) || now.qp_state != from))
		err = ENOTRECOVERABLE;
	return ibv_destroy_qp(qp) ?: err;
}

static int to_init(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_RESET, IBV_QPS_INIT);
}

static int to_rtr(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_INIT, IBV_QPS_RTR);
}

static int to_rts(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_RTR, IBV_QPS_RTS);
}

static int init_to_rts(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_INIT, IBV_QPS_RTS);
}

static int reset_to_rtr(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_RESET, IBV_QPS_RTR);
}

static int rts_to_rtr(const struct world *w, const struct errno_case *c)
{
	return modify(w, c, IBV_QPS_RTS, IBV_QPS_RTR);
}

static int path_mtu_above(const struct world *w, const struct errno_case *c)
{
	const struct errno_case above = {
		.spoil = IS(struct modify, attr.path_mtu, w->dev.port.active_mtu + 1),
	};

	(void)c;
	return to_rtr(w, &above);
}

static int sgid_index_above(const struct world *w, const struct errno_case *c)
{
	const struct errno_case above = {
		.spoil = IS(struct modify, attr.ah_attr.grh.sgid_index, w->dev.port.gid_tbl_len),
	};

	(void)c;
	return to_rtr(w, &above);
}

/* PSNs have 24 bits, and the field of the verb 32: what is above does not count */
static int psn_above(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp *qp = world_qp(w, IBV_QPT_RC);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err, mask = world_attr(w, IBV_QPS_INIT, &attr);

	(void)c;
	if (!qp)
		return errno;
	err = ibv_modify_qp(qp, &attr, mask);
	mask = world_attr(w, IBV_QPS_RTR, &attr);
	attr.rq_psn = 0x5abcdef;
	err = err ?: ibv_modify_qp(qp, &attr, mask);
	mask = world_attr(w, IBV_QPS_RTS, &attr);
	attr.sq_psn = 0xff000001;
	err = err ?: ibv_modify_qp(qp, &attr, mask);
	err = err ?: ibv_query_qp(qp, &attr, IBV_QP_RQ_PSN | IBV_QP_SQ_PSN, &init);
	if (!err && (attr.rq_psn != 0xabcdef || attr.sq_psn != 1))
		err = ENOTRECOVERABLE;
	return ibv_destroy_qp(qp) ?: err;
}

static int alternate_path(const struct world *w, const struct errno_case *c)
{
	struct modify m;

	(void)c;
	m.mask = world_attr(w, IBV_QPS_RTR, &m.attr) | IBV_QP_ALT_PATH;
	m.attr.alt_ah_attr = m.attr.ah_attr;
	m.attr.alt_port_num = DEV_PORT;
	m.attr.alt_timeout = 14;
	return ibv_modify_qp(w->init, &m.attr, m.mask);
}

const struct errno_case modify_cases[] = {
	{ "modify_qp to INIT", to_init, 0, { } },
	{ "modify_qp to INIT without a port", to_init, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_PORT) },
	{ "modify_qp to port 0", to_init, EINVAL, IS(struct modify, attr.port_num, 0) },
	{ "modify_qp to port 2", to_init, EINVAL, IS(struct modify, attr.port_num, 2) },
	{ "modify_qp to a P_Key index that is none", to_init, EINVAL,
	  IS(struct modify, attr.pkey_index, 0xffff) },
	{ "modify_qp to access that nobody knows", to_init, EOPNOTSUPP,
	  FLIPPED(struct modify, attr.qp_access_flags, 1 << 18) },
	{ "modify_qp to INIT with a path MTU", to_init, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_PATH_MTU) },
	{ "modify_qp to INIT with a Q_Key for RC", to_init, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_QKEY) },
	{ "modify_qp to PSNs of more than 24 bits", psn_above, 0, { } },
	{ "modify_qp to a state that is none", to_init, EINVAL,
	  IS(struct modify, attr.qp_state, 42) },
	{ "modify_qp from another state than it is in", to_init, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_CUR_STATE) },
	{ "modify_qp by a mask that nobody knows", to_init, EOPNOTSUPP,
	  FLIPPED(struct modify, mask, 1 << 30) },
	{ "modify_qp from RESET to RTR", reset_to_rtr, EINVAL, { } },
	{ "modify_qp to RTR", to_rtr, 0, { } },
	{ "modify_qp to RTR without an address", to_rtr, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_AV) },
	{ "modify_qp to RTR without a destination", to_rtr, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_DEST_QPN) },
	{ "modify_qp to path MTU 0", to_rtr, EINVAL, IS(struct modify, attr.path_mtu, 0) },
	{ "modify_qp to a path MTU that is none", to_rtr, EINVAL,
	  IS(struct modify, attr.path_mtu, 6) },
	{ "modify_qp to a path MTU above the port's", path_mtu_above, EINVAL, { } },
	{ "modify_qp to a QPN of 25 bits", to_rtr, EINVAL,
	  IS(struct modify, attr.dest_qp_num, 1 << 24) },
	{ "modify_qp to an address without GRH", to_rtr, EINVAL,
	  IS(struct modify, attr.ah_attr.is_global, 0) },
	{ "modify_qp to an address on port 0", to_rtr, EINVAL,
	  IS(struct modify, attr.ah_attr.port_num, 0) },
	{ "modify_qp to an address on port 2", to_rtr, EINVAL,
	  IS(struct modify, attr.ah_attr.port_num, 2) },
	{ "modify_qp to an address of a GID that is not there", sgid_index_above, EINVAL, { } },
	{ "modify_qp to an address of an empty GID", to_rtr, ENODATA,
	  IS(struct modify, attr.ah_attr.grh.sgid_index, 200) },
	{ "modify_qp to service level 16", to_rtr, EINVAL, IS(struct modify, attr.ah_attr.sl, 16) },
	{ "modify_qp to a flow label of 32 bits", to_rtr, 0,
	  IS(struct modify, attr.ah_attr.grh.flow_label, UINT32_MAX) },
	{ "modify_qp to too many READs as a responder", to_rtr, EINVAL,
	  BEYOND(struct modify, attr.max_dest_rd_atomic, max_qp_rd_atom) },
	{ "modify_qp to RNR timer 32", to_rtr, EINVAL, IS(struct modify, attr.min_rnr_timer, 32) },
	{ "modify_qp to an alternate path, which RoCE has not", alternate_path, EINVAL, { } },
	{ "modify_qp from INIT to RTS", init_to_rts, EINVAL, { } },
	{ "modify_qp to RTS", to_rts, 0, { } },
	{ "modify_qp to RTS without a timeout", to_rts, EINVAL,
	  FLIPPED(struct modify, mask, IBV_QP_TIMEOUT) },
	{ "modify_qp to timeout 32", to_rts, EINVAL, IS(struct modify, attr.timeout, 32) },
	{ "modify_qp to 8 retries", to_rts, EINVAL, IS(struct modify, attr.retry_cnt, 8) },
	{ "modify_qp to 8 RNR retries", to_rts, EINVAL, IS(struct modify, attr.rnr_retry, 8) },
	{ "modify_qp to too many READs as a requester", to_rts, EINVAL,
	  BEYOND(struct modify, attr.max_rd_atomic, max_qp_rd_atom) },
	{ "modify_qp from RTS to RTR", rts_to_rtr, EINVAL, { } },
	{ }
};
