/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_MWBIND_H
#define VERIFY_MWBIND_H

#include "buf.h"
#include "link.h"

#define MW_BUF_SIZE	16384
#define MW_AT		1000	/* where the window of most tests lies in its buffer */
#define MW_LEN		5001
#define MW_ACCESS	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* The stage of a window test: the server owns the window, the client reaches for it. */
struct mw_stage {
	struct test *t;
	struct link *l;
	struct buf *b;		/* may have windows, has no remote access itself */
	struct ibv_mw *mw;	/* server */
	struct remote r;	/* client: where the window is */
	u64 ids;
};

/* Skips the test when the device has no windows of @type. */
struct mw_stage *mw_open(struct test *t, enum ibv_mw_type type, bool extended);
struct mw_stage *mw_open_by(struct test *t, enum ibv_mw_type type, const struct link_opts *o);

struct ibv_mw_bind_info mw_range(const struct mw_stage *s, u32 at, u32 len, int access);
/* Server: bind by verb (type 1) or through the queue (type 2); the completion has @status. */
void mw_bind(struct mw_stage *s, struct ibv_mw *mw, const struct ibv_mw_bind_info *info,
	     enum ibv_wc_status status);
void mw_local_inv(struct mw_stage *s, u32 rkey, enum ibv_wc_status status);
/* Both: the server tells address and key of its window. */
void mw_share(struct mw_stage *s, u64 addr, u32 rkey);
/* Client: an RDMA operation of @len bytes, @off bytes behind the shared address. */
void mw_write(struct mw_stage *s, s64 off, u32 len, u32 rkey, enum ibv_wc_status status);
void mw_read(struct mw_stage *s, s64 off, u32 len, u32 rkey, enum ibv_wc_status status);
/* Server: the bytes of the last mw_write() of the client, its @nth. */
void mw_check(struct mw_stage *s, u32 at, u32 len, u64 nth);

#endif
