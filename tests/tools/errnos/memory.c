// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains, regions and windows.
 */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "completion.h"
#include "errnos.h"

#define PAGE	4096

/* @offset is from the start of @from */
struct reg_mr {
	u8 *from;
	u64 offset;
	u64 length;
	u64 iova;
	u32 access;
};

#define EVERYTHING (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
		    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

static int outcome(struct ibv_mr *mr)
{
	return mr ? ibv_dereg_mr(mr) : errno;
}

static int reg(const struct world *w, const struct reg_mr *r)
{
	return outcome(ibv_reg_mr_iova(w->pd, r->from + r->offset, r->length, r->iova, r->access));
}

static int reg_mr(const struct world *w, const struct errno_case *c)
{
	struct reg_mr r = {
		.from = w->buf, .length = PAGE, .iova = (uintptr_t)w->buf, .access = EVERYTHING,
	};

	spoil(w, c, &r);
	return reg(w, &r);
}

static int reg_mr_hole(const struct world *w, const struct errno_case *c)
{
	struct reg_mr r = { .from = w->hole, .length = PAGE, .iova = (uintptr_t)w->hole };

	spoil(w, c, &r);
	return reg(w, &r);
}

static int reg_mr_into_hole(const struct world *w, const struct errno_case *c)
{
	struct reg_mr r = {
		.from = w->hole, .offset = -PAGE, .length = 2 * PAGE, .iova = (uintptr_t)w->hole,
	};

	(void)c;
	return reg(w, &r);
}

static int reg_mr_read_only(const struct world *w, const struct errno_case *c)
{
	struct reg_mr r = {
		.from = w->read_only, .length = PAGE, .iova = (uintptr_t)w->read_only,
	};

	spoil(w, c, &r);
	return reg(w, &r);
}

/* As root nothing is counted: as somebody else */
static int reg_mr_limited(const struct world *w, u64 limit)
{
	const struct rlimit limited = { limit, RLIM_INFINITY };
	static const struct errno_case good;
	struct rlimit before;
	int err;

	if (getrlimit(RLIMIT_MEMLOCK, &before) || setrlimit(RLIMIT_MEMLOCK, &limited) ||
	    seteuid(65534))
		return ENOTRECOVERABLE;
	err = reg_mr(w, &good);
	if (seteuid(0) || setrlimit(RLIMIT_MEMLOCK, &before))
		return ENOTRECOVERABLE;
	return err;
}

static int reg_mr_beyond_limit(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return reg_mr_limited(w, PAGE);
}

static int reg_mr_without_right(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return reg_mr_limited(w, 0);
}

struct rereg_mr {
	int flags;
	struct ibv_pd *pd;
	void *address;
	u64 length;
	int access;
};

/* The errno of a code of enum ibv_rereg_mr_err_code is in errno */
static int rereg_mr(const struct world *w, const struct errno_case *c)
{
	struct rereg_mr r = {
		.flags = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS,
		.pd = w->other_pd,
		.address = w->buf + PAGE,
		.length = PAGE,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_mr *mr = ibv_reg_mr(w->pd, w->buf, PAGE, EVERYTHING);
	int err = 0;

	if (!mr)
		return errno;
	spoil(w, c, &r);
	errno = 0;
	if (ibv_rereg_mr(mr, r.flags, r.pd, r.address, r.length, r.access))
		err = errno;
	return ibv_dereg_mr(mr) ?: err;
}

static int rereg_mr_hole(const struct world *w, const struct errno_case *c)
{
	const struct errno_case there = {
		.spoil = { SET, FIELD(struct rereg_mr, address), (uintptr_t)w->hole },
	};

	(void)c;
	return rereg_mr(w, &there);
}

static int dealloc_pd_in_use(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return ibv_dealloc_pd(w->pd);
}

struct alloc_mw {
	enum ibv_mw_type type;
};

static int alloc_mw(const struct world *w, const struct errno_case *c)
{
	struct alloc_mw a = { .type = IBV_MW_TYPE_2 };
	struct ibv_mw *mw;

	spoil(w, c, &a);
	mw = ibv_alloc_mw(w->pd, a.type);
	return mw ? ibv_dealloc_mw(mw) : errno;
}

static struct ibv_mw_bind bind_of(struct ibv_mr *mr)
{
	return (struct ibv_mw_bind) {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mr, .addr = (uintptr_t)mr->addr, .length = PAGE,
			.mw_access_flags = IBV_ACCESS_REMOTE_READ,
		},
	};
}

/* With its completion, before which the window may not go */
static int bound(const struct world *w, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	int err = ibv_bind_mw(w->rc, mw, bind);
	struct ibv_wc wc;

	if (err)
		return err;
	return completion_next(w->cq, &wc, LIMIT_MS) || wc.status ? ENOTRECOVERABLE : 0;
}

/* What libibverbs or the provider refuses at once; the rest is a completion */
static int bind_mw(const struct world *w, const struct errno_case *c)
{
	struct ibv_mw *mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = bind_of(w->mr);
	int err;

	if (!mw)
		return errno;
	spoil(w, c, &bind);
	err = bound(w, mw, &bind);
	return ibv_dealloc_mw(mw) ?: err;
}

static int bind_mw_type_2(const struct world *w, const struct errno_case *c)
{
	struct ibv_mw_bind bind = { };
	struct ibv_mw *mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_2);
	int err;

	(void)c;
	if (!mw)
		return errno;
	err = ibv_bind_mw(w->rc, mw, &bind);
	return ibv_dealloc_mw(mw) ?: err;
}

static int bind_mw_reset(const struct world *w, const struct errno_case *c)
{
	struct ibv_mw_bind bind = { };
	struct ibv_mw *mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_1);
	int err;

	(void)c;
	if (!mw)
		return errno;
	err = ibv_bind_mw(w->fresh, mw, &bind);
	return ibv_dealloc_mw(mw) ?: err;
}

static int dereg_mr_with_window(const struct world *w, const struct errno_case *c)
{
	struct ibv_mr *mr = ibv_reg_mr(w->pd, w->buf, PAGE, EVERYTHING);
	struct ibv_mw *mw = ibv_alloc_mw(w->pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind;
	int err;

	(void)c;
	if (!mr || !mw)
		return ENOTRECOVERABLE;
	bind = bind_of(mr);
	if (bound(w, mw, &bind))
		return ENOTRECOVERABLE;
	err = ibv_dereg_mr(mr);
	return ibv_dealloc_mw(mw) ?: err ? (ibv_dereg_mr(mr) ?: err) : 0;
}

const struct errno_case memory_cases[] = {
	{ "dealloc_pd of one in use", dealloc_pd_in_use, EBUSY, { } },
	{ "reg_mr", reg_mr, 0, { } },
	{ "reg_mr of length 0", reg_mr, EINVAL, IS(struct reg_mr, length, 0) },
	{ "reg_mr beyond the largest region", reg_mr, EINVAL,
	  IS(struct reg_mr, length, (1ULL << 40) + PAGE) },
	{ "reg_mr around the end of addresses", reg_mr, EINVAL,
	  IS(struct reg_mr, length, UINT64_MAX - PAGE) },
	{ "reg_mr with an iova that wraps", reg_mr, EINVAL, IS(struct reg_mr, iova, -PAGE) },
	{ "reg_mr with another offset in the page", reg_mr, EINVAL, IS(struct reg_mr, iova, 8) },
	{ "reg_mr of nothing mapped", reg_mr_hole, EFAULT, { } },
	{ "reg_mr that ends in nothing mapped", reg_mr_into_hole, EFAULT, { } },
	{ "reg_mr of read-only memory for reading", reg_mr_read_only, 0, { } },
	{ "reg_mr of read-only memory for writing", reg_mr_read_only, EFAULT,
	  IS(struct reg_mr, access, IBV_ACCESS_LOCAL_WRITE) },
	{ "reg_mr for remote write without local", reg_mr, EINVAL,
	  IS(struct reg_mr, access, IBV_ACCESS_REMOTE_WRITE) },
	{ "reg_mr for remote atomics without local write", reg_mr, EINVAL,
	  IS(struct reg_mr, access, IBV_ACCESS_REMOTE_ATOMIC) },
	{ "reg_mr with an access flag that nobody knows", reg_mr, EINVAL,
	  FLIPPED(struct reg_mr, access, 1 << 19) },
	{ "reg_mr with an optional flag that nobody knows", reg_mr, 0,
	  FLIPPED(struct reg_mr, access, 1 << 29) },
	{ "reg_mr beyond RLIMIT_MEMLOCK", reg_mr_beyond_limit, ENOMEM, { } },
	{ "reg_mr with RLIMIT_MEMLOCK 0", reg_mr_without_right, EPERM, { } },
	{ "rereg_mr", rereg_mr, 0, { } },
	{ "rereg_mr of no change", rereg_mr, EINVAL, IS(struct rereg_mr, flags, 0) },
	{ "rereg_mr of a change that nobody knows", rereg_mr, EINVAL,
	  FLIPPED(struct rereg_mr, flags, 1 << 3) },
	{ "rereg_mr to length 0", rereg_mr, EINVAL, IS(struct rereg_mr, length, 0) },
	{ "rereg_mr to no address", rereg_mr, EINVAL, IS(struct rereg_mr, address, 0) },
	{ "rereg_mr to nothing mapped", rereg_mr_hole, EFAULT, { } },
	{ "rereg_mr to remote write without local", rereg_mr, EINVAL,
	  IS(struct rereg_mr, access, IBV_ACCESS_REMOTE_WRITE) },
	{ "alloc_mw", alloc_mw, 0, { } },
	{ "alloc_mw of type 0", alloc_mw, EINVAL, IS(struct alloc_mw, type, 0) },
	{ "alloc_mw of type 3", alloc_mw, EINVAL, IS(struct alloc_mw, type, 3) },
	{ "bind_mw", bind_mw, 0, { } },
	{ "bind_mw with a length but no region", bind_mw, EINVAL,
	  IS(struct ibv_mw_bind, bind_info.mr, 0) },
	{ "bind_mw of type 2", bind_mw_type_2, EINVAL, { } },
	{ "dereg_mr of one with a window", dereg_mr_with_window, EBUSY, { } },
	{ "bind_mw by a QP in RESET", bind_mw_reset, EINVAL, { } },
	{ }
};
