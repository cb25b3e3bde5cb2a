/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_RES_H
#define VERIFY_RES_H

#include "test.h"

/*
 * What a test creates.  The test fails when the object cannot be had, and each is
 * destroyed when the test is over; a failing destroy fails the test.
 */
void res_begin(struct test *t);
void res_end(struct test *t);

/* @release returns 0 or an errno; @what names the object in a failure. */
void res_add(struct test *t, const char *what, void *obj, int (*release)(void *obj));
/* Releases @obj now; on failure it stays and the errno is returned. */
int res_drop(struct test *t, void *obj);
/* The test has destroyed @obj itself. */
void res_forget(struct test *t, void *obj);

void *res_alloc(struct test *t, size_t size);
void *res_map(struct test *t, size_t size);
struct ibv_pd *res_pd(struct test *t);
struct ibv_mr *res_mr(struct test *t, struct ibv_pd *pd, void *addr, size_t len, int access);
struct ibv_mw *res_mw(struct test *t, enum ibv_mw_type type);
struct ibv_ah *res_ah(struct test *t, struct ibv_ah_attr *attr);
struct ibv_srq *res_srq(struct test *t, u32 max_wr, u32 max_sge);
struct ibv_comp_channel *res_channel(struct test *t);
void res_add_qp(struct test *t, struct ibv_qp *qp);
void res_add_cq(struct test *t, struct ibv_cq *cq);

#endif
