/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_LOT_H
#define STORM_LOT_H

#include "host.h"
#include "qpattr.h"
#include "random.h"

#define LOT_BYTES	64

/*
 * A lot of RC QPs of one device that share a PD, a CQ and a region, of which LOT_BYTES belong to
 * each.
 */
struct lot {
	struct host *host;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	u8 *buffer;
	u32 count;
	struct ibv_qp **qp;
};

/* Each returns whether it went well, and calls fail() otherwise */
bool lot_open(struct lot *lot, struct host *host, u32 count, u32 depth);
bool lot_create(struct lot *lot, u32 index, u32 depth);
bool lot_join(struct lot *lot, u32 index, const struct qp_path *path);
bool lot_recv(struct lot *lot, u32 index);
bool lot_send(struct lot *lot, u32 index);
bool lot_destroy(struct lot *lot, u32 index);
bool lot_close(struct lot *lot);

static inline u8 *lot_bytes(struct lot *lot, u32 index)
{
	return lot->buffer + (size_t)index * 2 * LOT_BYTES;
}

#endif
