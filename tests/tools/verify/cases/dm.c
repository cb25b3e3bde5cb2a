// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory, and what a second context on the same file imports of the first.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define DM_BYTES	10000	/* not whole pages */
#define DM_ACCESS	(ACCESS_ALL | IBV_ACCESS_ZERO_BASED)

static int release_dm(void *obj)
{
	return ibv_free_dm(obj);
}

static int release_mr(void *obj)
{
	return ibv_dereg_mr(obj);
}

static struct ibv_dm *alloc_dm(struct test *t, size_t length, u32 log_align)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = log_align };

	return ibv_alloc_dm(t->dev->ctx, &attr);
}

static struct ibv_dm *new_dm(struct test *t, size_t length)
{
	struct ibv_dm *dm;

	if (!t->dev->attr.max_dm_size)
		test_skip(t, "the device has no device memory");
	dm = alloc_dm(t, length, 3);
	if (!dm)
		test_fail(t, "ibv_alloc_dm of %zu bytes: %s", length, strerror(errno));
	res_add(t, "device memory", dm, release_dm);
	return dm;
}

static struct ibv_mr *new_dm_mr(struct test *t, struct ibv_dm *dm, u64 offset, size_t length)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(t->pd, dm, offset, length, DM_ACCESS);

	if (!mr)
		test_fail(t, "ibv_reg_dm_mr: %s", strerror(errno));
	res_add(t, "region of device memory", mr, release_mr);
	return mr;
}

static void to_dm(struct test *t, struct ibv_dm *dm, u64 offset, const void *from, size_t length)
{
	int ret = ibv_memcpy_to_dm(dm, offset, from, length);

	if (ret)
		test_fail(t, "ibv_memcpy_to_dm: %s", strerror(ret));
}

static void from_dm(struct test *t, struct ibv_dm *dm, u64 offset, void *to, size_t length)
{
	int ret = ibv_memcpy_from_dm(to, dm, offset, length);

	if (ret)
		test_fail(t, "ibv_memcpy_from_dm: %s", strerror(ret));
}

/* It is zero at first, and holds what is put there */
static void run_copy(struct test *t)
{
	struct ibv_dm *dm = new_dm(t, DM_BYTES);
	u8 *p = res_alloc(t, DM_BYTES);
	size_t i;

	memset(p, 1, DM_BYTES);
	from_dm(t, dm, 0, p, DM_BYTES);
	for (i = 0; i < DM_BYTES; i++)
		if (p[i])
			test_fail(t, "byte %zu is not zero at first", i);
	pattern_fill(p, 5000, t->key, 0);
	to_dm(t, dm, DM_BYTES - 5000, p, 5000);
	memset(p, 0, DM_BYTES);
	from_dm(t, dm, 0, p, DM_BYTES);
	pattern_check(t, p + DM_BYTES - 5000, 5000, t->key, "device memory");
	if (p[DM_BYTES - 5001])
		test_fail(t, "the byte in front of what was copied changed");
}

/* The client writes to, reads from and adds to device memory of the peer, out of its own */
static void run_traffic(struct test *t)
{
	const u64 offset = 4092;	/* of the region: over a page border, good for an atomic */
	struct ibv_dm *dm = new_dm(t, DM_BYTES);
	struct ibv_mr *mr = new_dm_mr(t, dm, offset, DM_BYTES - offset);
	struct remote r, mine = { .rkey = mr->rkey };
	struct ibv_sge sge = { .addr = 4, .length = 5000, .lkey = mr->lkey };
	struct link *l = link_open_rc(t);
	u8 *p = res_alloc(t, DM_BYTES);
	struct ibv_send_wr wr;
	u64 sum = 40;

	pattern_fill(p, 5000, t->key, 0);
	if (t->client)
		to_dm(t, dm, offset + 4, p, 5000);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		wr = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, 100, r.rkey);
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 1, IBV_WC_RDMA_WRITE);
		to_dm(t, dm, offset + 4, &sum, sizeof(sum));
		wr = wr_rdma(IBV_WR_RDMA_READ, 2, &sge, 100, r.rkey);
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 2, IBV_WC_RDMA_READ);
		from_dm(t, dm, offset + 4, p, 5000);
		pattern_check(t, p, 5000, t->key, "what was read back");
		wr = wr_rdma(IBV_WR_RDMA_WRITE, 3, &sge, DM_BYTES - offset - 4999, r.rkey);
		link_post(l, &wr);
		cq_expect(t, l->scq, 3, IBV_WC_REM_ACCESS_ERR, NULL);
	}
	test_sync(t);
	if (!t->client) {
		from_dm(t, dm, offset + 100, p, 5000);
		pattern_check(t, p, 5000, t->key, "device memory of the peer");
	}
}

static void run_atomic(struct test *t)
{
	struct ibv_dm *dm = new_dm(t, 4096);
	struct ibv_mr *mr = new_dm_mr(t, dm, 0, 4096);
	struct ibv_sge sge = { .addr = 8, .length = 8, .lkey = mr->lkey };
	struct remote r, mine = { .rkey = mr->rkey };
	struct link *l = link_open_rc(t);
	struct ibv_send_wr wr;
	u64 sum = 40;

	to_dm(t, dm, 16, &sum, sizeof(sum));
	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		wr = wr_make(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge, 1);
		wr.wr.atomic.remote_addr = 16;
		wr.wr.atomic.rkey = r.rkey;
		wr.wr.atomic.compare_add = 2;
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 1, IBV_WC_FETCH_ADD);
		from_dm(t, dm, 8, &sum, sizeof(sum));
		if (sum != 40)
			test_fail(t, "the atomic found %llu", (unsigned long long)sum);
	}
	test_sync(t);
	from_dm(t, dm, 16, &sum, sizeof(sum));
	if (!t->client && sum != 42)
		test_fail(t, "the atomic left %llu", (unsigned long long)sum);
}

static void refuse_dm(struct test *t, size_t length, u32 log_align, int err, const char *what)
{
	errno = 0;
	if (alloc_dm(t, length, log_align))
		test_fail(t, "%s can be allocated", what);
	if (errno != err)
		test_fail(t, "%s: %s", what, strerror(errno));
}

static void refuse_mr(struct test *t, struct ibv_dm *dm, u64 offset, size_t length, int access,
		      const char *what)
{
	errno = 0;
	if (ibv_reg_dm_mr(t->pd, dm, offset, length, access))
		test_fail(t, "%s can be registered", what);
	if (errno != EINVAL)
		test_fail(t, "%s: %s", what, strerror(errno));
}

static void run_refused(struct test *t)
{
	struct ibv_dm *dm = new_dm(t, DM_BYTES);
	struct ibv_alloc_dm_attr odd = { .length = 64, .comp_mask = 1 };
	struct ibv_mr *mr;
	u8 word[4] = { 0 };

	refuse_dm(t, 0, 0, EINVAL, "no memory at all");
	refuse_dm(t, t->dev->attr.max_dm_size + 1, 0, EINVAL, "more than max_dm_size");
	refuse_dm(t, SIZE_MAX, 0, EINVAL, "2^64 - 1 bytes");
	refuse_dm(t, 64, 40, EINVAL, "memory aligned to 2^40");
	if (ibv_alloc_dm(t->dev->ctx, &odd) || errno != EOPNOTSUPP)
		test_fail(t, "an unknown comp_mask: %s", strerror(errno));

	refuse_mr(t, dm, 0, DM_BYTES + 1, DM_ACCESS, "a region longer than its memory");
	refuse_mr(t, dm, DM_BYTES, 4, DM_ACCESS, "a region behind its memory");
	refuse_mr(t, dm, UINT64_MAX - 3, 8, DM_ACCESS, "a region that wraps");
	refuse_mr(t, dm, 0, 64, ACCESS_ALL, "a region that is not zero based");

	if (ibv_memcpy_to_dm(dm, DM_BYTES - 4, word, 8) != EINVAL ||
	    ibv_memcpy_to_dm(dm, UINT64_MAX - 3, word, 4) != EINVAL ||
	    ibv_memcpy_from_dm(word, dm, 2, 2) != EINVAL)
		test_fail(t, "a copy beyond the memory, or not of words");

	mr = new_dm_mr(t, dm, 0, DM_BYTES);
	if (ibv_free_dm(dm) != EBUSY)
		test_fail(t, "memory with a region can be freed");
	if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ACCESS_ALL) !=
	    IBV_REREG_MR_ERR_CMD)
		test_fail(t, "a region of device memory can be changed");
}

/* A context made of the file of the session's */
static struct ibv_context *import(struct test *t)
{
	int fd = dup(t->dev->ctx->cmd_fd);
	struct ibv_context *ctx = ibv_import_device(fd);

	if (!ctx && errno == EOPNOTSUPP) {
		close(fd);
		test_skip(t, "the device cannot be imported");
	}
	if (!ctx)
		test_fail(t, "ibv_import_device: %s", strerror(errno));
	return ctx;
}

/* Objects of the one context are used through the other, and keys are the same */
static void run_import(struct test *t)
{
	struct ibv_dm *dm = new_dm(t, 4096), *dm2;
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_context *ctx = import(t);
	struct ibv_pd *pd = ibv_import_pd(ctx, t->pd->handle);
	struct ibv_mr *mr, *own;
	u64 there = 1, here;

	if (ctx->num_comp_vectors != t->dev->ctx->num_comp_vectors)
		test_fail(t, "%d completion vectors", ctx->num_comp_vectors);
	if (!pd)
		test_fail(t, "ibv_import_pd: %s", strerror(errno));
	mr = ibv_import_mr(pd, b->mr[0]->handle);
	if (!mr || mr->rkey != b->mr[0]->rkey || mr->lkey != b->mr[0]->lkey || mr->length != 4096)
		test_fail(t, "ibv_import_mr does not find the region");
	dm2 = ibv_import_dm(ctx, dm->handle);
	if (!dm2)
		test_fail(t, "ibv_import_dm: %s", strerror(errno));
	to_dm(t, dm2, 8, &there, sizeof(there));
	from_dm(t, dm, 8, &here, sizeof(here));
	if (here != there)
		test_fail(t, "the imported memory is another");

	/* Unlike what is only imported, this keeps the PD busy */
	own = ibv_reg_mr(pd, b->p, 64, ACCESS_ALL);
	if (!own || ibv_dereg_mr(own))
		test_fail(t, "no region in the imported PD");
	ibv_unimport_dm(dm2);
	ibv_unimport_mr(mr);
	ibv_unimport_pd(pd);
	if (ibv_close_device(ctx))
		test_fail(t, "ibv_close_device of the import: %s", strerror(errno));
	from_dm(t, dm, 8, &here, sizeof(here));
}

static void run_import_nothing(struct test *t)
{
	struct ibv_context *ctx = import(t);
	u32 none = 0xfffff;

	errno = 0;
	if (ibv_import_pd(ctx, none) || errno != ENOENT)
		test_fail(t, "ibv_import_pd of nothing: %s", strerror(errno));
	errno = 0;
	if (ibv_import_mr(t->pd, none) || errno != ENOENT)
		test_fail(t, "ibv_import_mr of nothing: %s", strerror(errno));
	errno = 0;
	if (ibv_import_dm(ctx, none) || errno != ENOENT)
		test_fail(t, "ibv_import_dm of nothing: %s", strerror(errno));
	if (ibv_close_device(ctx))
		test_fail(t, "ibv_close_device of the import: %s", strerror(errno));
	ctx = ibv_import_device(STDOUT_FILENO);
	if (ctx)
		test_fail(t, "a file that is no device can be imported");
}

const struct suite_case dm_cases[] = {
	{ "dm_copy", run_copy, "copies to and from device memory", NULL },
	{ "dm_traffic", run_traffic, "WRITE and READ between device memories", NULL },
	{ "dm_atomic", run_atomic, "an atomic on device memory", NULL },
	{ "dm_refused", run_refused, "sizes, offsets, alignments out of range", NULL },
	{ "import", run_import, "PD, MR and device memory imported", NULL },
	{ "import_nothing", run_import_nothing, "import of what is not there", NULL },
	{ }
};
