// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How fast a QP may send, and that it has one path only.
 */
#include <errno.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define RATE_KBPS	16000
#define RATE_BYTES	1000000
/* What the limit makes of it, but for a tenth: the last train is not waited for */
#define RATE_US		((u64)RATE_BYTES * 8 * 1000 / RATE_KBPS * 9 / 10)

static int limit(struct link *l, u32 kbps)
{
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = kbps };

	return ibv_modify_qp_rate_limit(l->qp, &attr);
}

static void expect(struct test *t, int got, int want, const char *what)
{
	if (got != want)
		test_fail(t, "%s: %s, not %s", what, strerror(got), strerror(want));
}

/* Writes all of the buffer to the peer's. Returns how long that took */
static u64 write_all(struct link *l, struct buf *b, const struct remote *r, u64 id)
{
	struct ibv_sge sge = buf_sge(b, 0, RATE_BYTES);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, id, &sge, r->addr, r->rkey);
	u64 start = clock_us();

	link_post(l, &wr);
	cq_expect_ok(l->t, l->scq, id, IBV_WC_RDMA_WRITE);
	return clock_us() - start;
}

static void refuse_rates(struct link *l)
{
	const struct ibv_packet_pacing_caps *caps = &l->t->dev->attr.packet_pacing_caps;
	struct ibv_qp_rate_limit_attr shaped = { .rate_limit = RATE_KBPS, .max_burst_sz = 1500 };

	expect(l->t, limit(l, caps->qp_rate_limit_min - 1), EINVAL, "a rate below the least");
	expect(l->t, ibv_modify_qp_rate_limit(l->qp, &shaped), EOPNOTSUPP, "bursts of a size");
}

static void run_rate(struct test *t)
{
	const enum ibv_qp_type *type = t->c->arg;
	struct buf *b = buf_new(t, RATE_BYTES, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct link_opts o;
	struct link *l;
	u64 us;

	if (!(t->dev->attr.packet_pacing_caps.supported_qpts & 1u << *type))
		test_skip(t, "no rate limit");
	link_defaults(t, &o, *type);
	l = link_create(t, &o);
	link_exchange(l);
	expect(t, limit(l, RATE_KBPS), EINVAL, "a rate limit in RESET");
	link_connect(l);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		refuse_rates(l);
		expect(t, limit(l, RATE_KBPS), 0, "a rate limit");
		us = write_all(l, b, &r, 1);
		if (us < RATE_US)
			test_fail(t, "%d bytes at %d kbps took %llu us", RATE_BYTES, RATE_KBPS,
				  (unsigned long long)us);
		/* So slow that all would take hours, unless the limit went */
		expect(t, limit(l, t->dev->attr.packet_pacing_caps.qp_rate_limit_min), 0, "slow");
		expect(t, limit(l, 0), 0, "no rate limit any more");
		write_all(l, b, &r, 2);
	}
	test_sync(t);
}

/* No APM: there is no other path, and the device does not say that there is */
static void run_alternate(struct test *t)
{
	struct link_opts o;
	struct ibv_qp_attr a;
	struct link *l;
	int mask;

	if (t->dev->attr.orig_attr.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG)
		test_fail(t, "the device says that it migrates paths");
	link_defaults(t, &o, IBV_QPT_RC);
	l = link_create(t, &o);
	link_exchange(l);
	link_init(l);
	mask = qpattr_rtr(&a, l->o.type, &l->path);
	a.alt_ah_attr = a.ah_attr;
	a.alt_port_num = a.ah_attr.port_num;
	/* As ib_core has it for all of RoCE */
	expect(t, ibv_modify_qp(l->qp, &a, mask | IBV_QP_ALT_PATH), EINVAL, "an alternate path");
	link_expect_state(l, IBV_QPS_INIT);
	link_rtr(l);
	link_rts(l);
	a = (struct ibv_qp_attr) { .path_mig_state = IBV_MIG_REARM };
	expect(t, ibv_modify_qp(l->qp, &a, IBV_QP_PATH_MIG_STATE), EINVAL, "REARM");
	link_recv(l, 1, NULL, 0);
	test_sync(t);
	if (t->client) {
		link_send(l, 2, NULL, 0);
		cq_expect_ok(t, l->scq, 2, IBV_WC_SEND);
	} else {
		cq_expect_ok(t, l->rcq, 1, IBV_WC_RECV);
	}
}

static const enum ibv_qp_type rc = IBV_QPT_RC, uc = IBV_QPT_UC;

const struct suite_case qp_path_cases[] = {
	{ "qp_rate_rc", run_rate, "RC: rate limit", &rc },
	{ "qp_rate_uc", run_rate, "UC: rate limit", &uc },
	{ "qp_alternate_path", run_alternate, "an alternate path is refused", NULL },
	{ }
};
