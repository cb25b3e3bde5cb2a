/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_POST_H
#define RINGS_POST_H

#include "side.h"

/* The most that an element of any ring of ours takes */
#define ELEMENT_MAX	2048

/*
 * wr_id of all that is posted here.  The count names the request; what it is to complete with is
 * kept elsewhere.
 */
#define WR_MAGIC	0x5ca1ab1eULL

static inline u64 wr_name(u32 count)
{
	return WR_MAGIC << 32 | count;
}

/* Room in the ring, judged by the kernel's index as it stands there */
u32 post_room(const struct ring *ring);
/* One element, not yet published; @bytes beyond the element are left out */
void post_element(struct ring *ring, const void *element, u32 bytes);
/* Hands over what post_element() added; rings the doorbell when it is wanted, or @always */
int post_flush(const struct side *side, struct lane *lane, bool always);
/* @count sound receives at most, of RECV_LENGTH bytes each, as many as fit */
void post_receives(struct side *side, enum lane_kind kind, u32 count);
/* The next CQE; false: there is none */
bool poll_one(struct cq *cq, struct svt_cqe *cqe);
bool poll_wait(struct cq *cq, struct svt_cqe *cqe, u32 ms);

#endif
