/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * svt_raw: frames by raw packet QPs, for what perftest and pyverbs have not.
 */
#ifndef RAW_RAW_H
#define RAW_RAW_H

#include <infiniband/verbs.h>

#include "suite.h"
#include "types.h"

#define FRAMES		256
#define FRAME_BYTES	16384

/* A raw packet QP that can send, with a buffer for each frame that may be under way. */
struct raw {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;	/* or NULL: the QP has receives of its own */
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	u8 *memory;
};

/* A rule as ibv_create_flow() takes it: what it says stands right behind it. */
struct rule {
	struct ibv_flow_attr attr;
	u8 specs[256];
};

/* Return 0, or a negative errno with a line on stderr. */
int raw_open(struct raw *raw, const char *device, bool shared);
void raw_close(struct raw *raw);
u8 *raw_frame(const struct raw *raw, unsigned int index);
int raw_post(const struct raw *raw, unsigned int index);
/* @inlined: in the work request.  Return the status of the completion, or -1. */
int raw_send(const struct raw *raw, u32 length, unsigned int flags, bool inlined);

/* WORD is one of sniffer, all, mc, or NAME=VALUE.  False: neither. */
bool rule_word(struct rule *rule, const char *word);
void rule_begin(struct rule *rule);

struct test {
	const struct suite_case *c;
	struct raw *raw;
};

/* The errno of each thing that can be wrong with a rule. */
extern const struct suite_case errno_cases[];

#endif
