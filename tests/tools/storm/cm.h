/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_CM_H
#define STORM_CM_H

#include <rdma/rdma_cma.h>

#include "types.h"

#define CM_PORT		18561
#define CM_DEAF_PORT	18562	/* nobody listens there */
#define CM_BYTES	64

/* How a connection is to end; the client chooses, and tells the server in its request */
enum plan {
	PLAN_DISCONNECT,	/* the client disconnects, as one should */
	PLAN_VANISH,		/* the client destroys all that it has, with work under way */
	PLAN_REJECT,		/* the server rejects it */
	PLAN_SERVER_DISCONNECT,
	PLAN_SERVER_VANISH,
	PLAN_ABANDON,		/* the client does not wait for an answer */
	PLAN_NOBODY,		/* there is no server */
	PLANS,
	PLAN_STOP,		/* the server may end: as PLAN_REJECT */
};

/*
 * What one side has of a connection. @qp_made: the QP is there; @buffer: what it sends, then what
 * it receives.
 */
struct connection {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	enum plan plan;
	bool qp_made;
	bool answered;
	u8 *buffer;
	struct connection *next;
};

/* Each returns 0 or a negative errno */
int connection_make(struct connection *c);
int connection_recv(struct connection *c);
int connection_send(struct connection *c);
void connection_drop(struct connection *c);

#endif
