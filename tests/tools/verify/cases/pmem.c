// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH to persistent memory, of a file that both sides may have mapped (-P): device DAX, which is
 * the only such memory that can be pinned for as long as a region is there. That it outlives a loss
 * of power no program can show.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "flush.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define PAGE		4096u
/* Device DAX maps no less */
#define HUGE		(2u << 20)
#define AREA		(16 * HUGE)
#define ROUNDS		16
#define MANY		32
#define LENGTH		10000
/* The target begins and ends within a page, and within what is mapped as one */
#define TARGET_AT	(HUGE - 5 * PAGE / 2)
#define RIGHTS		(ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT)

enum right {
	RIGHT_BOTH,
	RIGHT_NOT_OF_REGION,
	RIGHT_NOT_OF_QP,
};

struct area {
	u8 *p;
	size_t len;
};

static int release_area(void *obj)
{
	struct area *a = obj;

	return munmap(a->p, a->len);
}

static u8 *keep_area(struct test *t, const char *what, u8 *p, size_t len)
{
	struct area *a = res_alloc(t, sizeof(*a));

	if (p == MAP_FAILED)
		test_fail(t, "mapping %s: %s", what, strerror(errno));
	a->p = p;
	a->len = len;
	res_add(t, what, a, release_area);
	return p;
}

/* At @at, or NULL: anywhere */
static u8 *map_pmem(struct test *t, u8 *at)
{
	int fd = open(t->run->pmem, O_RDWR);
	u8 *p;

	if (fd < 0)
		test_fail(t, "%s: %s", t->run->pmem, strerror(errno));
	p = mmap(at, AREA, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	close(fd);
	return p;
}

static u8 *new_pmem(struct test *t)
{
	return keep_area(t, "persistent memory", map_pmem(t, NULL), AREA);
}

static void need_pmem(struct test *t)
{
	if (!t->run->pmem)
		test_skip(t, "only with -P");
	if (!(t->dev->attr.device_cap_flags_ex & DEVICE_FLUSH_PERSISTENT))
		test_fail(t, "the device does not say that it flushes to persistent memory");
}

static struct link *open_link(struct test *t, int access)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.extended = true;
	o.path.access |= access;
	return link_open(t, &o);
}

/* The server has the target; the client needs none. Return: the server's memory, or NULL */
static u8 *share_target(struct test *t, int access, struct remote *r)
{
	struct remote mine = {};
	u8 *p = NULL;

	if (!t->client) {
		p = new_pmem(t);
		mine.addr = (uintptr_t)p;
		mine.rkey = res_mr(t, t->pd, p, AREA, ACCESS_ALL | access)->rkey;
	}
	test_exchange(t, &mine, r, sizeof(mine));
	return p;
}

static void post_flush(struct link *l, u64 wr_id, const struct remote *r, u8 placement,
		       u8 selectivity)
{
	const struct flush f = {
		.wr_id = wr_id, .addr = r->addr + TARGET_AT, .rkey = r->rkey, .length = LENGTH,
		.placement = placement, .selectivity = selectivity,
	};
	int ret = flush_post(l->qpx, &f);

	if (ret)
		test_fail(l->t, "flush_post: %s", strerror(ret));
}

static void post_write(struct link *l, u64 wr_id, struct buf *b, u32 len, const struct remote *r)
{
	struct ibv_sge sge = buf_sge(b, 0, len);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, wr_id, &sge, r->addr + TARGET_AT,
					r->rkey);

	link_post(l, &wr);
}

/* In turn of the range and of the region, and in turn of persistence alone and with visibility */
static void run_flush(struct test *t)
{
	struct link *l;
	struct remote r;
	struct buf *b;
	u8 *p;
	u32 i;

	need_pmem(t);
	l = open_link(t, RIGHTS);
	b = buf_new(t, LENGTH, ACCESS_ALL);
	p = share_target(t, RIGHTS, &r);
	for (i = 0; i < ROUNDS; i++) {
		pattern_fill(b->p, LENGTH, test_rnd(t, i), 0);
		if (t->client) {
			post_write(l, 2 * i, b, LENGTH, &r);
			post_flush(l, 2 * i + 1, &r, FLUSH_PERSISTENT | (i & 2 ? FLUSH_GLOBAL : 0),
				   i & 1 ? FLUSH_REGION : FLUSH_RANGE);
			cq_expect_ok(t, l->scq, 2 * i, IBV_WC_RDMA_WRITE);
			cq_expect_ok(t, l->scq, 2 * i + 1, WC_FLUSH);
		}
		test_sync(t);
		if (p)
			pattern_check(t, p + TARGET_AT, LENGTH, test_rnd(t, i), "the target");
		test_sync(t);
	}
}

/* All of the region again and again: wherever this runs it takes its time */
static void post_many(struct link *l, const struct remote *r)
{
	u32 i;

	for (i = 0; i < MANY; i++)
		post_flush(l, i, r, FLUSH_PERSISTENT, FLUSH_REGION);
}

/* How many WRITEs of another QP are done meanwhile */
static u32 count_meanwhile(struct link *l, struct link *other, struct buf *b,
			   const struct remote *r)
{
	u32 flushed = 0, done = 0;
	struct ibv_wc wc;

	post_many(l, r);
	while (flushed < MANY) {
		if (cq_poll(l->t, l->scq, &wc, 1)) {
			wc_check(l->t, &wc, flushed++, IBV_WC_SUCCESS);
			continue;
		}
		post_write(other, done, b, 64, r);
		cq_expect_ok(l->t, other->scq, done++, IBV_WC_RDMA_WRITE);
	}
	return done;
}

static void run_beside(struct test *t)
{
	struct link *l, *other;
	struct remote r;
	struct buf *b;
	u32 done;

	need_pmem(t);
	l = open_link(t, RIGHTS);
	other = open_link(t, 0);
	b = buf_new(t, LENGTH, ACCESS_ALL);
	share_target(t, RIGHTS, &r);
	if (t->client) {
		done = count_meanwhile(l, other, b, &r);
		if (done < 2)
			test_fail(t, "%u WRITEs of another QP during %u FLUSHes of %u bytes", done,
				  MANY, AREA);
	}
	test_sync(t);
}

/* Who is told by a SEND is told when all FLUSHes before it are done, however long they take */
static void run_told(struct test *t)
{
	struct link *l;
	struct remote r;
	struct buf *b;
	u8 *p;
	u32 i;

	need_pmem(t);
	l = open_link(t, RIGHTS);
	b = buf_new(t, LENGTH, ACCESS_ALL);
	p = share_target(t, RIGHTS, &r);
	pattern_fill(b->p, LENGTH, t->key, 0);
	link_recv(l, 1, NULL, 0);
	test_sync(t);
	if (t->client) {
		post_write(l, MANY, b, LENGTH, &r);
		post_many(l, &r);
		link_send(l, MANY + 1, NULL, 0);
		cq_expect_ok(t, l->scq, MANY, IBV_WC_RDMA_WRITE);
		for (i = 0; i < MANY; i++)
			cq_expect_ok(t, l->scq, i, WC_FLUSH);
		cq_expect_ok(t, l->scq, MANY + 1, IBV_WC_SEND);
	} else {
		cq_expect_ok(t, l->rcq, 1, IBV_WC_RECV);
		pattern_check(t, p + TARGET_AT, LENGTH, t->key, "the target");
	}
	test_sync(t);
}

/* The region goes while a FLUSH of it is under way, or just before, or behind */
static void run_gone(struct test *t)
{
	struct ibv_mr *mr = NULL;
	struct remote r, mine;
	struct ibv_wc wc;
	struct link *l;
	u8 *p;
	u32 i;

	need_pmem(t);
	p = new_pmem(t);
	for (i = 0; i < ROUNDS; i++) {
		l = open_link(t, RIGHTS);
		mine = (struct remote) { .addr = (uintptr_t)p };
		if (!t->client) {
			mr = res_mr(t, t->pd, p, AREA, ACCESS_ALL | RIGHTS);
			mine.rkey = mr->rkey;
		}
		test_exchange(t, &mine, &r, sizeof(mine));
		if (t->client)
			post_flush(l, i, &r, FLUSH_PERSISTENT, FLUSH_REGION);
		test_sync(t);
		if (mr && res_drop(t, mr))
			test_fail(t, "ibv_dereg_mr: %s", strerror(errno));
		if (t->client) {
			cq_next(t, l->scq, &wc);
			wc_check(t, &wc, i, wc.status ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS);
		}
		test_sync(t);
	}
}

static void run_right(struct test *t)
{
	u32 missing = (uintptr_t)t->c->arg;
	struct ibv_wc wc;
	struct remote r;
	struct link *l;

	need_pmem(t);
	l = open_link(t, missing == RIGHT_NOT_OF_QP ? ACCESS_FLUSH_GLOBAL : RIGHTS);
	share_target(t, missing == RIGHT_NOT_OF_REGION ? ACCESS_FLUSH_GLOBAL : RIGHTS, &r);
	if (t->client) {
		post_flush(l, 1, &r, FLUSH_PERSISTENT, FLUSH_RANGE);
		cq_next(t, l->scq, &wc);
		wc_check(t, &wc, 1, missing == RIGHT_NOT_OF_QP ? IBV_WC_REM_INV_REQ_ERR :
								 IBV_WC_REM_ACCESS_ERR);
		link_expect_state(l, IBV_QPS_ERR);
	}
	test_sync(t);
}

static void refused(struct test *t, const char *what, void *p, size_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(t->pd, p, len, access);

	if (mr)
		test_fail(t, "%s is taken for persistent memory", what);
	if (errno != EINVAL)
		test_fail(t, "%s: %s", what, strerror(errno));
}

/* Of two mappings next to each other the first is persistent */
static u8 *new_border(struct test *t)
{
	u8 *p = mmap(NULL, 2 * AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u8 *at;

	keep_area(t, "border", p, 2 * AREA);
	at = (u8 *)(((uintptr_t)p + HUGE - 1) / HUGE * HUGE);
	if (map_pmem(t, at) != at)
		test_fail(t, "mapping at %p: %s", at, strerror(errno));
	return at + AREA;
}

/* Nor what the device says is its own */
static void refused_device_memory(struct test *t)
{
	struct ibv_alloc_dm_attr attr = { .length = PAGE };
	struct ibv_dm *dm = ibv_alloc_dm(t->dev->ctx, &attr);
	struct ibv_mr *mr;

	if (!dm)
		test_fail(t, "ibv_alloc_dm: %s", strerror(errno));
	mr = ibv_reg_dm_mr(t->pd, dm, 0, PAGE, IBV_ACCESS_ZERO_BASED | ACCESS_FLUSH_PERSISTENT);
	if (mr || errno != EINVAL)
		test_fail(t, "device memory: %s", mr ? "accepted" : strerror(errno));
	if (ibv_free_dm(dm))
		test_fail(t, "ibv_free_dm fails");
}

static void run_memory(struct test *t)
{
	u8 *p, *border, *plain;

	need_pmem(t);
	p = new_pmem(t);
	border = new_border(t);
	plain = res_map(t, HUGE);
	refused(t, "other memory", plain, HUGE, ACCESS_ALL | RIGHTS);
	refused(t, "a page behind it", border - PAGE, 2 * PAGE, ACCESS_ALL | RIGHTS);
	refused(t, "a byte behind it", border - PAGE, PAGE + 1, ACCESS_ALL | RIGHTS);
	refused(t, "what is paged on demand", p, AREA, ACCESS_ALL | RIGHTS | IBV_ACCESS_ON_DEMAND);
	refused_device_memory(t);
	res_mr(t, t->pd, border - PAGE, PAGE, ACCESS_ALL | RIGHTS);
	res_mr(t, t->pd, p + 1, 1, ACCESS_FLUSH_PERSISTENT);
}

static void expect_rereg(struct test *t, struct ibv_mr *mr, int flags, void *p, size_t len,
			 int access, int error)
{
	int ret = ibv_rereg_mr(mr, flags, NULL, p, len, access);

	if (!ret == !error && (!error || errno == error))
		return;
	test_fail(t, "ibv_rereg_mr gives %d: %s", ret, strerror(errno));
}

/* The right comes and goes with the memory; what is refused changes nothing */
static void run_rereg(struct test *t)
{
	const int access = IBV_REREG_MR_CHANGE_ACCESS, memory = IBV_REREG_MR_CHANGE_TRANSLATION;
	u8 *p, *plain;
	struct ibv_mr *mr;

	need_pmem(t);
	p = new_pmem(t);
	plain = res_map(t, HUGE);
	mr = res_mr(t, t->pd, plain, HUGE, ACCESS_ALL);
	expect_rereg(t, mr, access, NULL, 0, ACCESS_ALL | RIGHTS, EINVAL);
	expect_rereg(t, mr, access | memory, p, HUGE, ACCESS_ALL | RIGHTS, 0);
	expect_rereg(t, mr, memory, plain, HUGE, 0, EINVAL);
	expect_rereg(t, mr, memory, p + HUGE, HUGE, 0, 0);
	expect_rereg(t, mr, access, NULL, 0, ACCESS_ALL, 0);
	expect_rereg(t, mr, access, NULL, 0, ACCESS_ALL | RIGHTS, 0);
	expect_rereg(t, mr, access | memory, plain, HUGE, ACCESS_ALL, 0);
	expect_rereg(t, mr, access, NULL, 0, ACCESS_ALL | RIGHTS, EINVAL);
}

const struct suite_case pmem_cases[] = {
	{ "pmem_flush", run_flush, "FLUSH behind WRITE, of a range and of a region", NULL },
	{ "pmem_beside", run_beside, "another QP goes on during FLUSHes of much", NULL },
	{ "pmem_told", run_told, "a SEND comes behind FLUSHes of much", NULL },
	{ "pmem_gone", run_gone, "the region goes during a FLUSH of much", NULL },
	{ "pmem_region", run_right, "the region has no right to it", (void *)RIGHT_NOT_OF_REGION },
	{ "pmem_qp", run_right, "the QP has no right to it", (void *)RIGHT_NOT_OF_QP },
	{ "pmem_memory", run_memory, "memory that a region with the right may have", NULL },
	{ "pmem_rereg", run_rereg, "rereg of regions with the right", NULL },
	{ }
};
