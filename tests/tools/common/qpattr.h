/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_QPATTR_H
#define TOOLS_QPATTR_H

#include <infiniband/verbs.h>

#include "types.h"

/* What one side tells the other of its QP. */
struct qp_addr {
	u32 qpn;
	u32 psn;
	union ibv_gid gid;
};

/* Everything that the transitions from RESET to RTS need. */
struct qp_path {
	struct qp_addr peer;
	u32 sq_psn;
	enum ibv_mtu mtu;
	int access;
	u32 qkey;		/* UD */
	u8 sgid_index;
	u8 hop_limit;
	u8 rd_atomic;		/* as requester and as responder */
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
};

/* Each fills in @attr for one transition of a QP of @type and returns the mask. */
int qpattr_init(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p);
int qpattr_rtr(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p);
int qpattr_rts(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p);
void qpattr_ah(struct ibv_ah_attr *ah, const union ibv_gid *dgid, u8 sgid_index, u8 hop_limit);
/* From RESET.  Return: 0 or the errno of the transition that failed. */
int qpattr_to_rts(struct ibv_qp *qp, const struct qp_path *p);

/* Defaults that suit a slow machine: ACK timeout 0.27 s, 7 retries, RNR for ever. */
void qpattr_defaults(struct qp_path *p);
/* To RTS with these, from a GID to a QP of the other end. Return: 0 or an errno. */
int qpattr_connect(struct ibv_qp *qp, u8 sgid_index, const union ibv_gid *gid, u32 qpn);

#endif
