// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of one test: a stack, destroyed newest first, so that nothing outlives what it
 * depends on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "async.h"
#include "res.h"

struct res {
	struct res *next;
	const char *what;
	void *obj;
	int (*release)(void *obj);
};

struct mapping {
	void *addr;
	size_t size;
};

void res_add(struct test *t, const char *what, void *obj, int (*release)(void *obj))
{
	struct res *r;

	r = malloc(sizeof(*r));
	if (!r)
		abort();
	r->what = what;
	r->obj = obj;
	r->release = release;
	r->next = t->res;
	t->res = r;
}

static struct res **find(struct test *t, void *obj)
{
	struct res **p;

	for (p = &t->res; *p; p = &(*p)->next)
		if ((*p)->obj == obj)
			return p;
	abort();
}

void res_forget(struct test *t, void *obj)
{
	struct res **p = find(t, obj), *r = *p;

	*p = r->next;
	free(r);
}

int res_drop(struct test *t, void *obj)
{
	struct res *r = *find(t, obj);
	int ret = r->release(obj);

	if (!ret)
		res_forget(t, obj);
	return ret;
}

void res_begin(struct test *t)
{
	async_drain(t);
	t->pd = res_pd(t);
}

void res_end(struct test *t)
{
	struct res *r;
	int ret;

	async_drain(t);
	while (t->res) {
		r = t->res;
		t->res = r->next;
		ret = r->release(r->obj);
		if (ret && t->mine.verdict != VERDICT_FAIL) {
			t->mine.verdict = VERDICT_FAIL;
			snprintf(t->mine.why, WHY_LEN, "cannot destroy the %s: %s", r->what,
				 strerror(ret));
		}
		free(r);
	}
}

static int release_memory(void *obj)
{
	free(obj);
	return 0;
}

void *res_alloc(struct test *t, size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		test_fail(t, "no memory for %zu bytes", size);
	res_add(t, "memory", p, release_memory);
	return p;
}

static int release_mapping(void *obj)
{
	struct mapping *m = obj;
	int ret = munmap(m->addr, m->size);

	free(m);
	return ret ? errno : 0;
}

void *res_map(struct test *t, size_t size)
{
	struct mapping *m = malloc(sizeof(*m));

	if (!m)
		test_fail(t, "no memory");
	m->size = size;
	m->addr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->addr == MAP_FAILED) {
		free(m);
		test_fail(t, "cannot map %zu bytes: %s", size, strerror(errno));
	}
	res_add(t, "mapping", m, release_mapping);
	return m->addr;
}

static int release_pd(void *obj)
{
	return ibv_dealloc_pd(obj);
}

struct ibv_pd *res_pd(struct test *t)
{
	struct ibv_pd *pd = ibv_alloc_pd(t->dev->ctx);

	if (!pd)
		test_fail(t, "ibv_alloc_pd: %s", strerror(errno));
	res_add(t, "PD", pd, release_pd);
	return pd;
}

static int release_mr(void *obj)
{
	return ibv_dereg_mr(obj);
}

struct ibv_mr *res_mr(struct test *t, struct ibv_pd *pd, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, addr, len, access);

	if (!mr)
		test_fail(t, "ibv_reg_mr of %zu bytes, access %#x: %s", len, access,
			  strerror(errno));
	res_add(t, "MR", mr, release_mr);
	return mr;
}

static int release_mw(void *obj)
{
	return ibv_dealloc_mw(obj);
}

struct ibv_mw *res_mw(struct test *t, enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(t->pd, type);

	if (!mw)
		test_fail(t, "ibv_alloc_mw of type %d: %s", type, strerror(errno));
	res_add(t, "MW", mw, release_mw);
	return mw;
}

static int release_ah(void *obj)
{
	return ibv_destroy_ah(obj);
}

struct ibv_ah *res_ah(struct test *t, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = ibv_create_ah(t->pd, attr);

	if (!ah)
		test_fail(t, "ibv_create_ah: %s", strerror(errno));
	res_add(t, "AH", ah, release_ah);
	return ah;
}

static int release_srq(void *obj)
{
	return ibv_destroy_srq(obj);
}

struct ibv_srq *res_srq(struct test *t, u32 max_wr, u32 max_sge)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
	};
	struct ibv_srq *srq;

	if (!t->dev->attr.orig_attr.max_srq)
		test_skip(t, "the device has no SRQ");
	srq = ibv_create_srq(t->pd, &attr);
	if (!srq)
		test_fail(t, "ibv_create_srq: %s", strerror(errno));
	res_add(t, "SRQ", srq, release_srq);
	return srq;
}

static int release_channel(void *obj)
{
	return ibv_destroy_comp_channel(obj);
}

struct ibv_comp_channel *res_channel(struct test *t)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(t->dev->ctx);

	if (!ch)
		test_fail(t, "ibv_create_comp_channel: %s", strerror(errno));
	res_add(t, "completion channel", ch, release_channel);
	return ch;
}

static int release_qp(void *obj)
{
	return ibv_destroy_qp(obj);
}

void res_add_qp(struct test *t, struct ibv_qp *qp)
{
	res_add(t, "QP", qp, release_qp);
}

static int release_cq(void *obj)
{
	return ibv_destroy_cq(obj);
}

void res_add_cq(struct test *t, struct ibv_cq *cq)
{
	res_add(t, "CQ", cq, release_cq);
}
