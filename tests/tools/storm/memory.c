// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The memory of an end: one region and one window, which go and come back under the accesses of
 * both ends.
 */
#include <errno.h>
#include <stdlib.h>

#include "report.h"
#include "worker.h"

#define ACCESS_ALL \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

/* Mostly all; sometimes nothing for the peer */
static int pick_access(struct worker *w)
{
	return random_chance(&w->rng, 80) ? ACCESS_ALL : IBV_ACCESS_LOCAL_WRITE;
}

static bool make_mr(struct worker *w, struct end *e)
{
	e->mr = ibv_reg_mr(e->pd, e->buffer, BUFFER_BYTES, pick_access(w));
	if (!e->mr)
		return verb_ok(w, e->host, "ibv_reg_mr", errno);
	tally(TALLY_MRS);
	return true;
}

static bool make_mw(struct worker *w, struct end *e)
{
	e->mw = ibv_alloc_mw(e->pd, random_chance(&w->rng, 50) ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	if (!e->mw)
		return verb_ok(w, e->host, "ibv_alloc_mw", errno);
	tally(TALLY_MWS);
	return true;
}

static bool drop_mw(struct worker *w, struct end *e)
{
	struct ibv_mw *mw = e->mw;

	e->mw = NULL;
	return !mw || verb_ok(w, e->host, "ibv_dealloc_mw", ibv_dealloc_mw(mw));
}

bool memory_register(struct worker *w, struct end *e)
{
	if (posix_memalign((void **)&e->buffer, 4096, BUFFER_BYTES)) {
		fail("no memory");
		return false;
	}
	return make_mr(w, e) && make_mw(w, e);
}

/* A region with a window bound to it stays; once the window is gone, nothing keeps it */
void memory_replace(struct worker *w, struct end *e)
{
	int err = ibv_dereg_mr(e->mr);

	if (err == EBUSY && e->mw) {
		if (!drop_mw(w, e))
			return;
		err = ibv_dereg_mr(e->mr);
	}
	if (!verb_ok(w, e->host, "ibv_dereg_mr", err) || !make_mr(w, e))
		return;
	if (!e->mw)
		make_mw(w, e);
}

/* The same region with other rights; refused while a window is bound */
void memory_change(struct worker *w, struct end *e)
{
	int ret = ibv_rereg_mr(e->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, pick_access(w));
	int err = ret ? errno : 0;

	if (err != EBUSY || !e->mw)
		verb_ok(w, e->host, "ibv_rereg_mr", err);
}

void window_replace(struct worker *w, struct end *e)
{
	if (drop_mw(w, e))
		make_mw(w, e);
}

bool memory_free(struct worker *w, struct end *e)
{
	return drop_mw(w, e) && verb_ok(w, e->host, "ibv_dereg_mr", ibv_dereg_mr(e->mr));
}
