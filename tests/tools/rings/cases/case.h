/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_CASES_CASE_H
#define RINGS_CASES_CASE_H

#include "../side.h"
#include "../wqe.h"

/* What a case has to work with: two sides, all lanes connected */
struct stage {
	const char *devices[2];
	struct side sides[2];
	struct foreign foreign;
	struct random rng;
	u32 amount;		/* of rounds, where it counts */
	u32 failures;
};

struct test_case {
	const char *name;
	const char *about;
	void (*run)(struct stage *st);
};

extern const struct test_case ring_cases[];	/* ends with a NULL name */

/* Return 0 or a negative errno */
int stage_open(struct stage *st);
void stage_close(struct stage *st);
void check(struct stage *st, bool ok, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Message after message over a lane, both ways, after something broke another one */
void check_lane(struct stage *st, enum lane_kind kind);
/* Waits for the next CQE; @name is which it has to be */
void check_cqe(struct stage *st, struct cq *cq, u32 name, u8 status, const char *what);
void check_state(struct stage *st, u32 side, enum lane_kind kind, enum ibv_qp_state state,
		 const char *what);
void check_event(struct stage *st, u32 side, int event, u64 element, const char *what);
void drain(struct lane *lane);
void reconnect(struct stage *st, enum lane_kind kind);

void case_spoiled_requests(struct stage *st);
void case_num_sge(struct stage *st);
void case_receives(struct stage *st);
void case_send_index(struct stage *st);
void case_receive_index(struct stage *st);
void case_cq_index(struct stage *st);
void case_read_twice(struct stage *st);
void case_mappings(struct stage *st);
void case_doorbells(struct stage *st);
void case_fork(struct stage *st);
void case_lengths(struct stage *st);
void case_flush(struct stage *st);

#endif
