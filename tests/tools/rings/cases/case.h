/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_CASES_CASE_H
#define RINGS_CASES_CASE_H

#include "../side.h"
#include "../wqe.h"
#include "suite.h"

/* What a case has to work with: two sides, all lanes connected */
struct test {
	const struct suite_case *c;
	const char *devices[2];
	struct side sides[2];
	struct foreign foreign;
	struct random rng;
	u64 seed;
	u64 amount;		/* of rounds, where it counts */
};

extern const struct suite_case ring_cases[];

/* Return 0 or a negative errno */
int stage_open(struct test *st);
void stage_close(struct test *st);
/* Message after message over a lane, both ways, after something broke another one */
void check_lane(struct test *st, enum lane_kind kind);
/* Waits for the next CQE; @name is which it has to be */
void check_cqe(struct cq *cq, u32 name, u8 status, const char *what);
void check_state(struct test *st, u32 side, enum lane_kind kind, enum ibv_qp_state state,
		 const char *what);
void check_event(struct test *st, u32 side, int event, u64 element, const char *what);
void drain(struct lane *lane);
void reconnect(struct test *st, enum lane_kind kind);

void case_spoiled_requests(struct test *st);
void case_num_sge(struct test *st);
void case_receives(struct test *st);
void case_send_index(struct test *st);
void case_receive_index(struct test *st);
void case_cq_index(struct test *st);
void case_read_twice(struct test *st);
void case_mappings(struct test *st);
void case_doorbells(struct test *st);
void case_fork(struct test *st);
void case_lengths(struct test *st);
void case_answers(struct test *st);
void case_unwritten(struct test *st);
void case_flush(struct test *st);

#endif
