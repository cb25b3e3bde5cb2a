/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_BUF_H
#define VERIFY_BUF_H

#include "test.h"

#define BUF_SGES	32	/* the most SGEs that a test uses */
#define SLOT_GUARD	4096
#define GUARD_BYTE	0xa5

#define ACCESS_ALL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* Memory full of guard bytes, registered twice, so that SGEs can alternate between two keys. */
struct buf {
	u8 *p;
	size_t size;
	struct ibv_mr *mr[2];
};

struct buf *buf_new(struct test *t, size_t size, int access);
struct buf *buf_new_in(struct test *t, struct ibv_pd *pd, size_t size, int access);
struct ibv_sge buf_sge(const struct buf *b, size_t at, u32 len);

/* Pattern bytes are a function of the key and the position. */
void pattern_fill(void *p, size_t len, u64 key, size_t pos);
/* The first byte that differs, or -1. */
s64 pattern_find(const void *p, size_t len, u64 key, size_t pos);
/* Fails the test, naming @what, when [p, p + len) is not the pattern, or not all guard. */
void pattern_check(struct test *t, const void *p, size_t len, u64 key, const char *what);
void guard_check(struct test *t, const void *p, size_t len, const char *what);

/*
 * A slot is a piece of a buffer for one message: a guard page, @off bytes, the message in
 * @nsge pieces of odd sizes with gaps between them, guard up to the next page.
 */
struct vec {
	u8 *slot;
	size_t slot_size;
	u32 nsge;
	struct ibv_sge sge[BUF_SGES];
};

size_t vec_slot_size(u32 off, u32 len, u32 nsge);
void vec_build(struct vec *v, const struct buf *b, size_t at, u32 off, u32 len, u32 nsge, u64 key);
void vec_fill(const struct vec *v, u64 key);
void vec_wipe(const struct vec *v);
/* The first @len bytes of the vector are the pattern, everything else in the slot is guard. */
void vec_check(struct test *t, const struct vec *v, u32 len, u64 key, const char *what);
/* The same, but the pattern may end anywhere; behind its end all is guard. */
void vec_check_some(struct test *t, const struct vec *v, u32 len, u64 key, const char *what);

#endif
