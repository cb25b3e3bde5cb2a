// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: registration, bounds, other I/O addresses, re-registration, huge pages.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define HUGE_PAGE	(2u << 20)

static void share(struct test *t, u64 addr, u32 rkey, struct remote *r)
{
	struct remote mine = { .addr = addr, .rkey = rkey };

	test_exchange(t, &mine, r, sizeof(mine));
}

/* The client writes @len bytes to the peer; pattern key is the test's + @id. */
static void write_to(struct link *l, struct buf *b, u64 addr, u32 rkey, u32 len, u64 id,
		     enum ibv_wc_status status)
{
	struct ibv_sge sge = buf_sge(b, 0, len);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, id, &sge, addr, rkey);

	pattern_fill(b->p, len, l->t->key + id, 0);
	link_post(l, &wr);
	cq_expect(l->t, l->scq, id, status, NULL);
}

/* A region inside a page and one over a page border reach exactly their ends. */
static void run_bounds(struct test *t)
{
	struct buf *b = buf_new(t, 16384, ACCESS_ALL);
	struct ibv_mr *mr = res_mr(t, t->pd, b->p + 4000, 201, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct remote r;

	share(t, (uintptr_t)b->p + 4000, mr->rkey, &r);
	if (t->client) {
		write_to(l, b, r.addr, r.rkey, 201, 1, IBV_WC_SUCCESS);
		write_to(l, b, r.addr + 200, r.rkey, 1, 2, IBV_WC_SUCCESS);
		write_to(l, b, r.addr + 200, r.rkey, 2, 3, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client) {
		pattern_check(t, b->p + 4000, 200, t->key + 1, "region");
		guard_check(t, b->p, 4000, "before the region");
		guard_check(t, b->p + 4201, 16384 - 4201, "after the region");
	}
}

/* Addresses in requests are those given at registration, not the process's. */
static void run_iova(struct test *t)
{
	const u64 iova = 0x123456789000 + 0x345;
	struct buf *b = buf_new(t, 16384, ACCESS_ALL);
	struct ibv_mr *mr = ibv_reg_mr_iova(t->pd, b->p + 0x345, 8000, iova, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct remote r;

	if (!mr)
		test_fail(t, "ibv_reg_mr_iova: %s", strerror(errno));
	share(t, iova, mr->rkey, &r);
	if (t->client)
		write_to(l, b, r.addr + 100, r.rkey, 7900, 1, IBV_WC_SUCCESS);
	test_sync(t);
	if (!t->client)
		pattern_check(t, b->p + 0x345 + 100, 7900, t->key + 1, "region");
	if (ibv_dereg_mr(mr))
		test_fail(t, "ibv_dereg_mr fails");
}

/* Addresses are offsets, in the region and in a window that is bound to it. */
static void run_zero_based(struct test *t)
{
	const u32 at = 0x345, len = 8000;
	struct buf *b = buf_new(t, 16384, ACCESS_ALL);
	struct ibv_mr *mr = res_mr(t, t->pd, b->p + at, len, ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
	struct ibv_sge sge = { 100, len - 100, mr->lkey };
	struct link *l = link_open_rc(t);
	struct ibv_send_wr wr;
	struct remote r;

	share(t, 0, mr->rkey, &r);
	if (t->client) {
		pattern_fill(b->p + at + 100, len - 100, t->key, 0);
		wr = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, 100, r.rkey);
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 1, IBV_WC_RDMA_WRITE);
	}
	test_sync(t);
	pattern_check(t, b->p + at + 100, len - 100, t->key, "region");
	guard_check(t, b->p, at + 100, "before what was written");
	guard_check(t, b->p + at + len, 16384 - at - len, "after the region");
	if (t->client)
		write_to(l, b, len, r.rkey, 1, 2, IBV_WC_REM_ACCESS_ERR);
}

/* Memory that the process may only read is good as a source. */
static void run_readonly(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	u8 *p = res_map(t, 8192);
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct remote r;

	pattern_fill(p, 8192, t->key, 0);
	if (mprotect(p, 8192, PROT_READ))
		test_fail(t, "mprotect: %s", strerror(errno));
	mr = res_mr(t, t->pd, p, 8192, IBV_ACCESS_REMOTE_READ);
	share(t, (uintptr_t)b->p, b->mr[0]->rkey, &r);
	if (t->client) {
		sge = (struct ibv_sge) { (uintptr_t)p, 8192, mr->lkey };
		wr = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, r.addr, r.rkey);
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 1, IBV_WC_RDMA_WRITE);
	}
	test_sync(t);
	if (!t->client)
		pattern_check(t, b->p, 8192, t->key, "written from read-only memory");
}

/* What must not be registered. */
static void run_refused(struct test *t)
{
	u8 *p = res_map(t, 16384);
	struct ibv_mr *mr;

	if (munmap(p + 4096, 4096))
		test_fail(t, "munmap: %s", strerror(errno));
	mr = ibv_reg_mr(t->pd, p, 16384, ACCESS_ALL);
	if (mr)
		test_fail(t, "a range with a hole can be registered");
	mr = ibv_reg_mr(t->pd, p, 4096, IBV_ACCESS_REMOTE_WRITE);
	if (mr)
		test_fail(t, "REMOTE_WRITE without LOCAL_WRITE is accepted");
	mr = ibv_reg_mr(t->pd, p, 4096, IBV_ACCESS_REMOTE_ATOMIC);
	if (mr)
		test_fail(t, "REMOTE_ATOMIC without LOCAL_WRITE is accepted");
	if (mprotect(p, 4096, PROT_READ))
		test_fail(t, "mprotect: %s", strerror(errno));
	mr = ibv_reg_mr(t->pd, p, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (mr)
		test_fail(t, "read-only memory is accepted for writing");
}

/* Optional access flags are hints: accepted by any device. */
static void run_relaxed(struct test *t)
{
	void *p = res_map(t, 4096);

	res_mr(t, t->pd, p, 4096, ACCESS_ALL | IBV_ACCESS_RELAXED_ORDERING);
}

static void rereg(struct test *t, struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		  size_t len, int access)
{
	int ret = ibv_rereg_mr(mr, flags, pd, addr, len, access);

	if (ret == IBV_REREG_MR_ERR_CMD && errno == EOPNOTSUPP)
		test_skip(t, "the device cannot change a region: %s", strerror(errno));
	if (ret)
		test_fail(t, "ibv_rereg_mr gives %d: %s", ret, strerror(errno));
}

/* Each step with a QP of its own, since a refused access ends one. */
static void run_rereg_access(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	u8 *p = res_map(t, 8192);
	struct ibv_mr *mr = res_mr(t, t->pd, p, 8192, IBV_ACCESS_LOCAL_WRITE);
	static const enum ibv_wc_status want[] = {
		IBV_WC_REM_ACCESS_ERR, IBV_WC_SUCCESS, IBV_WC_REM_ACCESS_ERR,
	};
	static const int access[] = {
		IBV_ACCESS_LOCAL_WRITE, ACCESS_ALL, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct remote r;
	struct link *l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		if (i)
			rereg(t, mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, access[i]);
		l = link_open_rc(t);
		share(t, (uintptr_t)p, mr->rkey, &r);
		if (t->client)
			write_to(l, b, r.addr, r.rkey, 5000, i, want[i]);
		test_sync(t);
	}
	if (!t->client)
		pattern_check(t, p, 5000, t->key + 1, "region");
}

static void run_rereg_addr(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	u8 *p = res_map(t, 8192), *q = res_map(t, 16384);
	struct ibv_mr *mr = res_mr(t, t->pd, p, 8192, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct remote old, r;

	share(t, (uintptr_t)p, mr->rkey, &old);
	if (t->client)
		write_to(l, b, old.addr, old.rkey, 5000, 1, IBV_WC_SUCCESS);
	test_sync(t);
	rereg(t, mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, q, 16384, 0);
	if (mr->addr != q || mr->length != 16384)
		test_fail(t, "the region does not say its new range");
	share(t, (uintptr_t)q, mr->rkey, &r);
	if (t->client) {
		write_to(l, b, r.addr + 9000, r.rkey, 5000, 2, IBV_WC_SUCCESS);
		write_to(l, b, old.addr, old.rkey, 64, 3, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client) {
		pattern_check(t, p, 5000, t->key + 1, "old range");
		pattern_check(t, q + 9000, 5000, t->key + 2, "new range");
	}
}

/* After a move to another PD the QP of the old one has no access. */
static void run_rereg_pd(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	u8 *p = res_map(t, 8192);
	struct ibv_pd *other = res_pd(t);
	struct ibv_mr *mr = res_mr(t, t->pd, p, 8192, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct remote r;

	share(t, (uintptr_t)p, mr->rkey, &r);
	if (t->client)
		write_to(l, b, r.addr, r.rkey, 5000, 1, IBV_WC_SUCCESS);
	test_sync(t);
	rereg(t, mr, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0);
	share(t, (uintptr_t)p, mr->rkey, &r);
	if (t->client)
		write_to(l, b, r.addr, r.rkey, 64, 2, IBV_WC_REM_ACCESS_ERR);
}

/* Any of the three things at once, in one call that leaves the rest as it was. */
static void run_rereg_all(struct test *t)
{
	const int all = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD |
			IBV_REREG_MR_CHANGE_ACCESS;
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	struct ibv_pd *mine = res_pd(t), *there;
	struct remote r;
	struct link *l;
	int flags;

	for (flags = 1; flags <= all; flags++) {
		bool access = flags & IBV_REREG_MR_CHANGE_ACCESS;
		bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
		u8 *p = res_map(t, 8192), *q = res_map(t, 16384), *now = moves ? q : p;
		struct ibv_mr *mr;

		there = flags & IBV_REREG_MR_CHANGE_PD ? mine : t->pd;
		mr = res_mr(t, there, p + 5, 8000, access ? IBV_ACCESS_LOCAL_WRITE : ACCESS_ALL);
		rereg(t, mr, flags, there == t->pd ? NULL : t->pd, moves ? q + 5 : NULL,
		      moves ? 16000 : 0, access ? ACCESS_ALL : 0);
		if (mr->addr != now + 5 || mr->pd != t->pd)
			test_fail(t, "the region does not say what it is after change %d", flags);
		l = link_open_rc(t);
		share(t, (uintptr_t)now + 5, mr->rkey, &r);
		if (t->client) {
			write_to(l, b, r.addr, r.rkey, 8000, flags, IBV_WC_SUCCESS);
			write_to(l, b, r.addr + (moves ? 15999 : 7999), r.rkey, 2, 100,
				 IBV_WC_REM_ACCESS_ERR);
		}
		test_sync(t);
		if (!t->client)
			pattern_check(t, now + 5, 8000, t->key + flags, "changed region");
	}
}

static int unmap_huge(void *obj)
{
	return munmap(obj, 2 * HUGE_PAGE) ? errno : 0;
}

static void run_huge(struct test *t)
{
	struct buf *b = buf_new(t, 65536, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct ibv_mr *mr;
	struct remote r;
	u8 *p;

	p = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		test_skip(t, "no huge pages, see vm.nr_hugepages: %s", strerror(errno));
	res_add(t, "huge pages", p, unmap_huge);
	mr = res_mr(t, t->pd, p + 3, 2 * HUGE_PAGE - 3, ACCESS_ALL);
	share(t, (uintptr_t)p, mr->rkey, &r);
	if (t->client) {
		write_to(l, b, r.addr + HUGE_PAGE - 7777, r.rkey, 65536, 1, IBV_WC_SUCCESS);
		write_to(l, b, r.addr + 2 * HUGE_PAGE - 65536, r.rkey, 65536, 2, IBV_WC_SUCCESS);
		write_to(l, b, r.addr + 2, r.rkey, 2, 3, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client) {
		pattern_check(t, p + HUGE_PAGE - 7777, 65536, t->key + 1, "page border");
		pattern_check(t, p + 2 * HUGE_PAGE - 65536, 65536, t->key + 2, "end");
	}
}

/* A thousand regions at once; their keys differ. */
static void run_many(struct test *t)
{
	struct ibv_mr **mr = res_alloc(t, 1000 * sizeof(*mr));
	u8 *p = res_map(t, 4096);
	u32 i;

	for (i = 0; i < 1000; i++) {
		mr[i] = res_mr(t, t->pd, p + i, 1000, ACCESS_ALL);
		if (i && (mr[i]->lkey == mr[i - 1]->lkey || mr[i]->rkey == mr[0]->rkey))
			test_fail(t, "two regions have the same key");
	}
}

const struct suite_case mr_cases[] = {
	{ "mr_bounds", run_bounds, "a region of odd bounds, reached to the byte", NULL },
	{ "mr_iova", run_iova, "I/O addresses other than the process's", NULL },
	{ "mr_zero_based", run_zero_based, "addresses that are offsets", NULL },
	{ "mr_readonly", run_readonly, "read-only memory as a source", NULL },
	{ "mr_refused", run_refused, "what must not be registered", NULL },
	{ "mr_relaxed", run_relaxed, "optional access flags", NULL },
	{ "mr_rereg_access", run_rereg_access, "ibv_rereg_mr: access", NULL },
	{ "mr_rereg_addr", run_rereg_addr, "ibv_rereg_mr: address", NULL },
	{ "mr_rereg_pd", run_rereg_pd, "ibv_rereg_mr: PD", NULL },
	{ "mr_rereg_all", run_rereg_all, "ibv_rereg_mr: each combination", NULL },
	{ "mr_huge", run_huge, "huge pages", NULL },
	{ "mr_many", run_many, "a thousand regions", NULL },
	{ }
};
