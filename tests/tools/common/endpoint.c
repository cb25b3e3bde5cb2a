// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How a tool that moves messages between two sides begins on each of them, and how the two keep
 * step. For tools with the options of options.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "complaint.h"
#include "endpoint.h"
#include "oob.h"

#define MEET_MS		60000
#define PAGE_BYTES	4096

static int find_peer(struct endpoint *e, const struct common_options *o)
{
	const u64 limit = clock_limit(MEET_MS);

	e->oob = o->host ? oob_connect(o->host, o->port, limit) : oob_accept(o->port, limit);
	return e->oob < 0 ? complain("no connection to the peer", -e->oob) : 0;
}

static int create(struct endpoint *e, size_t size, u32 cq_entries)
{
	e->buf = aligned_alloc(PAGE_BYTES, (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
	if (!e->buf)
		return complain("no memory", ENOMEM);
	memset(e->buf, 0x5a, size);
	e->pd = ibv_alloc_pd(e->dev.ctx);
	if (!e->pd)
		return complain("ibv_alloc_pd", errno);
	e->mr = ibv_reg_mr(e->pd, e->buf, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!e->mr)
		return complain("ibv_reg_mr", errno);
	e->cq = ibv_create_cq(e->dev.ctx, cq_entries, NULL, NULL, 0);
	return e->cq ? 0 : complain("ibv_create_cq", errno);
}

int endpoint_open(struct endpoint *e, const struct common_options *o, u32 cq_entries)
{
	if (dev_open(&e->dev, o->dev, o->gid_index) || find_peer(e, o))
		return -1;
	return create(e, max_u32(o->size, 1), cq_entries);
}

int endpoint_meet(struct endpoint *e, const void *mine, void *theirs, u32 len)
{
	struct oob_frame f;
	int ret;

	ret = oob_send(e->oob, 1, 0, e->step, mine, len);
	if (!ret)
		ret = oob_recv(e->oob, &f, clock_limit(MEET_MS));
	if (!ret && (f.head.step != e->step || f.head.len != len))
		ret = -EPROTO;
	if (ret)
		return complain("lost the peer", -ret);
	if (len)
		memcpy(theirs, f.data, len);
	e->step++;
	return 0;
}
