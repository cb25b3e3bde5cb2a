/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_WQE_H
#define RINGS_WQE_H

#include "post.h"

/* Of enum ib_uverbs_wr_opcode, where the headers of 6.1 end before them */
#define WR_FLUSH	14
#define WR_ATOMIC_WRITE	15

/* A send request in the making, where it goes, and to whom */
struct draft {
	struct random *rng;
	struct side *near, *far;
	struct lane *lane, *far_lane;
	const struct foreign *foreign;
	union {
		struct svt_send_wqe wqe;
		u8 bytes[ELEMENT_MAX];
	} __attribute__((aligned(8)));
};

/* Bits of enum ib_uverbs_wr_opcode that the lane's type of QP takes, and both sides allow */
u32 wqe_opcodes(const struct draft *d);
u8 wqe_any_opcode(const struct draft *d);
void draft_begin(struct draft *d, struct random *r, struct side *sides, u32 number,
		 enum lane_kind kind, const struct foreign *foreign);
/* A sound request of @opcode, signalled, with data to move where the opcode has any */
void draft_sound(struct draft *d, u8 opcode);
/* The same with as few surprises as can be: one entry, of @length bytes */
void draft_plain(struct draft *d, u8 opcode, u32 length);
/* Posts it under the lane's next name, which is returned */
u32 draft_post(struct draft *d);

/* A fault that a request can have, and how it has to end then */
struct spoil {
	const char *name;
	u32 types;		/* bits of enum ibv_qp_type */
	u32 opcodes;		/* bits of enum ib_uverbs_wr_opcode that it makes sense for */
	u8 status;		/* enum ibv_wc_status */
	void (*apply)(struct draft *d);
};

extern const struct spoil spoils[];
extern const u32 spoil_count;

bool spoil_fits(const struct spoil *s, const struct draft *d);
/* One that fits, at random */
const struct spoil *spoil_any(struct random *r, const struct draft *d);

#endif
