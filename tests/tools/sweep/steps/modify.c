// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs from state to state.  One whose change fails stays in the state that it was in.
 */
#include <errno.h>

#include "../step.h"

static int create_in(struct bench *b, enum ibv_qp_type type, enum ibv_qp_state state)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	struct qp_path path;
	int err = side_qp_create(&b->here, type);
	u32 i;

	if (err || state == IBV_QPS_RESET)
		return err;
	side_path(&b->here, &b->here, &path);
	for (i = 0; i < ARRAY_SIZE(way) && way[i] <= state && !err; i++)
		err = side_modify(&b->here, way[i], &path);
	return err;
}

static int rc_in_reset(struct bench *b)
{
	return create_in(b, IBV_QPT_RC, IBV_QPS_RESET);
}

static int rc_in_init(struct bench *b)
{
	return create_in(b, IBV_QPT_RC, IBV_QPS_INIT);
}

static int uc_in_init(struct bench *b)
{
	return create_in(b, IBV_QPT_UC, IBV_QPS_INIT);
}

static int ud_in_init(struct bench *b)
{
	return create_in(b, IBV_QPT_UD, IBV_QPS_INIT);
}

static int rc_in_rtr(struct bench *b)
{
	return create_in(b, IBV_QPT_RC, IBV_QPS_RTR);
}

static int rc_in_rts(struct bench *b)
{
	return create_in(b, IBV_QPT_RC, IBV_QPS_RTS);
}

static int ud_in_rtr(struct bench *b)
{
	return create_in(b, IBV_QPT_UD, IBV_QPS_RTR);
}

static int rc_in_sqd(struct bench *b)
{
	return rc_in_rts(b) ?: side_modify(&b->here, IBV_QPS_SQD, NULL);
}

static int modify(struct bench *b, enum ibv_qp_state state)
{
	struct qp_path path;

	side_path(&b->here, &b->here, &path);
	return side_modify(&b->here, state, &path);
}

static int to_init(struct bench *b)
{
	return modify(b, IBV_QPS_INIT);
}

/* The peer is on another host: its address has to be resolved */
static int to_rtr(struct bench *b)
{
	struct qp_path path;

	side_path(&b->here, &b->here, &path);
	path.peer.gid = b->there.dev.gid;
	return side_modify(&b->here, IBV_QPS_RTR, &path);
}

static int to_rtr_v6(struct bench *b)
{
	struct qp_path path;

	side_path(&b->here, &b->here, &path);
	path.peer.gid = b->there.gid_v6;
	path.sgid_index = b->here.gid_index_v6;
	return side_modify(&b->here, IBV_QPS_RTR, &path);
}

static int to_rts(struct bench *b)
{
	return modify(b, IBV_QPS_RTS);
}

static int to_sqd(struct bench *b)
{
	return modify(b, IBV_QPS_SQD);
}

static int from_sqd_to_rts(struct bench *b)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };

	return ibv_modify_qp(b->here.qp, &attr, IBV_QP_STATE);
}

static int change_in_sqd(struct bench *b)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD, .max_rd_atomic = 8, .max_dest_rd_atomic = 8,
	};

	qpattr_ah(&attr.ah_attr, &b->there.dev.gid, b->here.dev.gid_index, 64);
	return ibv_modify_qp(b->here.qp, &attr,
			     IBV_QP_STATE | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_AV);
}

static int to_err(struct bench *b)
{
	return modify(b, IBV_QPS_ERR);
}

static int to_reset(struct bench *b)
{
	return modify(b, IBV_QPS_RESET);
}

static int is_in(struct bench *b, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(b->here.qp, &attr, IBV_QP_STATE, &init) ?:
	       (attr.qp_state == state ? 0 : EPROTO);
}

static int is_in_reset(struct bench *b)
{
	return is_in(b, IBV_QPS_RESET);
}

static int is_in_init(struct bench *b)
{
	return is_in(b, IBV_QPS_INIT);
}

static int is_in_rtr(struct bench *b)
{
	return is_in(b, IBV_QPS_RTR);
}

static int is_in_rts(struct bench *b)
{
	return is_in(b, IBV_QPS_RTS);
}

static int is_in_sqd(struct bench *b)
{
	return is_in(b, IBV_QPS_SQD);
}

static int destroy(struct bench *b)
{
	return side_qp_destroy(&b->here);
}

static const struct excuse resolve_excuses[] = {
	{ ENOBUFS, "the routes of IPv4 say so" },
	{ ENETUNREACH, "so do those of IPv6, which take the lack of memory for that of a route" },
	{ }
};

const struct step modify_steps[] = {
	{ .name = "modify_init", .least = 1, .prepare = rc_in_reset, .call = to_init,
	  .intact = is_in_reset, .check = is_in_init, .finish = destroy },
	{ .name = "modify_rtr_rc", .least = 4, .prepare = rc_in_init, .call = to_rtr,
	  .intact = is_in_init, .check = is_in_rtr, .finish = destroy,
	  .excuses = resolve_excuses },
	{ .name = "modify_rtr_rc_v6", .least = 4, .prepare = rc_in_init, .call = to_rtr_v6,
	  .intact = is_in_init, .check = is_in_rtr, .finish = destroy,
	  .excuses = resolve_excuses },
	{ .name = "modify_rtr_uc", .least = 3, .prepare = uc_in_init, .call = to_rtr,
	  .intact = is_in_init, .check = is_in_rtr, .finish = destroy,
	  .excuses = resolve_excuses },
	{ .name = "modify_rtr_ud", .least = 1, .prepare = ud_in_init, .call = to_rtr,
	  .intact = is_in_init, .check = is_in_rtr, .finish = destroy },
	{ .name = "modify_rts_rc", .least = 2, .prepare = rc_in_rtr, .call = to_rts,
	  .intact = is_in_rtr, .check = is_in_rts, .finish = destroy },
	{ .name = "modify_rts_ud", .least = 1, .prepare = ud_in_rtr, .call = to_rts,
	  .intact = is_in_rtr, .check = is_in_rts, .finish = destroy },
	{ .name = "modify_sqd", .least = 1, .prepare = rc_in_rts, .call = to_sqd,
	  .intact = is_in_rts, .check = is_in_sqd, .finish = destroy },
	{ .name = "modify_sqd_attributes", .least = 4, .prepare = rc_in_sqd,
	  .call = change_in_sqd, .intact = is_in_sqd, .check = is_in_sqd, .finish = destroy,
	  .excuses = resolve_excuses },
	{ .name = "modify_sqd_rts", .least = 1, .prepare = rc_in_sqd, .call = from_sqd_to_rts,
	  .intact = is_in_sqd, .check = is_in_rts, .finish = destroy },
	{ .name = "modify_err", .least = 1, .prepare = rc_in_rts, .call = to_err,
	  .intact = is_in_rts, .finish = destroy },
	{ .name = "modify_reset", .least = 1, .prepare = rc_in_rts, .call = to_reset,
	  .intact = is_in_rts, .check = is_in_reset, .finish = destroy },
	{ }
};
