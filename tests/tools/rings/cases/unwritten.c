// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Answers that cannot be written: svt's part of each stands in memory that is read-only. The
 * command fails, nothing of what it made is left, and the same command succeeds afterwards.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "case.h"

/* Were an object left behind each time, the test of memory behind this one would find them */
#define ROUNDS		100
#define ENTRIES		64

/* Of two pages the second is read-only; the part of the core of uverbs ends with the first */
static u8 *pages;

struct refused {
	const char *name;
	u32 command;
	void *request;
	size_t size, core, svt;
};

static void refuse(struct test *st, const struct refused *r)
{
	int fd = st->sides[0].dev.fd;
	u32 i;
	int ret;

	for (i = 0; i < ROUNDS; i++) {
		ret = device_command(fd, r->command, r->request, r->size, pages + PAGE - r->core,
				     r->core + r->svt);
		if (!CHECK(ret == -EFAULT, "%s: %d", r->name, ret))
			return;
	}
}

#define REFUSE(st, request, COMMAND, type, driver)				\
	refuse(st, &(const struct refused) {					\
		#COMMAND, IB_USER_VERBS_CMD_##COMMAND, &(request), sizeof(request), \
		sizeof(struct ib_uverbs_##type##_resp), sizeof(struct svt_##driver##_resp) })

static void refuse_cq(struct test *st, struct cq *cq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_cq core;
	} create = { .core.cqe = ENTRIES, .core.comp_channel = -1 };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_resize_cq core;
	} resize = { .core.cqe = 2 * ENTRIES };
	int ret;

	REFUSE(st, create, CREATE_CQ, create_cq, create_cq);
	ret = cq_create(&st->sides[0].dev, ENTRIES, -1, 0, cq);
	CHECK(!ret, "CREATE_CQ afterwards: %s", strerror(-ret));
	resize.core.cq_handle = cq->handle;
	REFUSE(st, resize, RESIZE_CQ, resize_cq, resize_cq);
}

static void refuse_srq(struct test *st)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_srq core;
	} create = {
		.core = { .pd_handle = st->sides[0].pd, .max_wr = ENTRIES, .max_sge = 1 },
	};
	struct srq srq;
	int ret;

	REFUSE(st, create, CREATE_SRQ, create_srq, create_srq);
	ret = srq_create(&st->sides[0].dev, st->sides[0].pd, ENTRIES, 1, 0, &srq);
	if (CHECK(!ret, "CREATE_SRQ afterwards: %s", strerror(-ret)))
		srq_destroy(&st->sides[0].dev, &srq);
}

static void refuse_qp(struct test *st, const struct cq *cq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_qp core;
	} create = {
		.core = {
			.pd_handle = st->sides[0].pd,
			.send_cq_handle = cq->handle,
			.recv_cq_handle = cq->handle,
			.max_send_wr = ENTRIES,
			.max_recv_wr = ENTRIES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.qp_type = IBV_QPT_RC,
		},
	};

	REFUSE(st, create, CREATE_QP, create_qp, create_qp);
}

static void refuse_ah(struct test *st)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_ah core;
	} create = {
		.core = {
			.pd_handle = st->sides[0].pd,
			.attr = {
				.grh = {
					.sgid_index = st->sides[0].dev.gid_index,
					.hop_limit = 64,
				},
				.is_global = 1,
				.port_num = 1,
			},
		},
	};

	memcpy(create.core.attr.grh.dgid, st->sides[0].dev.gid, 16);
	REFUSE(st, create, CREATE_AH, create_ah, create_ah);
}

void case_unwritten(struct test *st)
{
	struct cq cq = { };

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!CHECK(pages != MAP_FAILED && !mprotect(pages + PAGE, PAGE, PROT_READ), "no memory"))
		return;
	refuse_cq(st, &cq);
	refuse_srq(st);
	refuse_qp(st, &cq);
	refuse_ah(st);
	cq_destroy(&st->sides[0].dev, &cq);
	munmap(pages, 2 * PAGE);
	/* A QP made as usual, and what was there before */
	lane_close(&st->sides[0], LANE_RC);
	reconnect(st, LANE_RC);
	check_lane(st, LANE_RC);
}
