// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs and SRQs that are resized while they are in use, and events that are asked for, and read in
 * pieces.
 */
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../post.h"
#include "../world.h"

/* The kernel keeps the indices; the elements are found by them in the new ring as in the old */
static void adopt(struct ring *ring, const struct svt_ring_info *info, int fd)
{
	u32 index = ring->index;

	ring_unmap(ring);
	ring->info = *info;
	ring_map(ring, fd);
	ring->index = index;
}

static void resize_cq(const struct side *side, struct cq *cq, u32 entries)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_resize_cq core;
	} request = { .core.cq_handle = cq->handle, .core.cqe = entries };
	struct {
		struct ib_uverbs_resize_cq_resp core;
		struct svt_resize_cq_resp svt;
	} response;

	if (!device_command(side->dev.fd, IB_USER_VERBS_CMD_RESIZE_CQ, &request, sizeof(request),
			    &response, sizeof(response)))
		adopt(&cq->ring, &response.svt.ring, side->dev.fd);
}

static void resize_srq(const struct side *side, struct srq *srq, u32 entries)
{
	struct svt_ring_info info;
	struct ioctl_command c;

	ioctl_begin(&c, UVERBS_OBJECT_SRQ, SVT_METHOD_SRQ_RESIZE);
	ioctl_add(&c, SVT_ATTR_SRQ_RESIZE_SRQ, 0, srq->handle);
	ioctl_add(&c, SVT_ATTR_SRQ_RESIZE_MAX_WR, sizeof(entries), entries);
	ioctl_add(&c, SVT_ATTR_SRQ_RESIZE_RING, sizeof(info), (uintptr_t)&info);
	if (!device_ioctl(side->dev.fd, &c))
		adopt(&srq->ring, &info, side->dev.fd);
}

u32 attack_resize(struct world *w, struct random *r)
{
	u32 side = random_below(r, 2), kind = random_below(r, LANES);
	struct side *s = &w->sides[side];
	struct lane *lane = &s->lanes[kind];
	u32 entries = random_one_in(r, 8) ? random_below(r, 4) : 64 + random_below(r, 2048);

	attack_send(w, r);
	if (!lane->open)
		return 1;
	if (kind == LANE_RC_SRQ && random_one_in(r, 2))
		resize_srq(s, &lane->srq, entries / 16);
	else
		resize_cq(s, random_one_in(r, 2) ? &lane->send_cq : &lane->recv_cq, entries);
	world_poll(w);
	w->tally->commands++;
	return 1;
}

static void request_notification(const struct side *side, struct random *r, const struct cq *cq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_req_notify_cq core;
	} request = { .core.cq_handle = cq->handle, .core.solicited_only = random_below(r, 3) };

	device_command(side->dev.fd, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, &request, sizeof(request),
		       NULL, 0);
}

/* Never when there is nothing: a channel blocks */
static void read_events(const struct world *w, struct random *r, int fd)
{
	static const u32 sizes[] = { 0, 1, 7, 8, 15, 16, 17, 64, PAGE };
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	u32 i;
	int value;

	ioctl(fd, FIONREAD, &value);
	for (i = 0; i < 8 && poll(&pollfd, 1, 0) == 1; i++) {
		u32 size = sizes[random_below(r, ARRAY_SIZE(sizes))];
		u8 *to = random_one_in(r, 8) ? w->sandbox.hole : w->sandbox.scratch;

		if (read(fd, to, size) < 0)
			continue;
	}
}

u32 attack_events(struct world *w, struct random *r)
{
	struct side *s = &w->sides[random_below(r, 2)];
	struct lane *lane = &s->lanes[random_below(r, LANES)];
	u32 i;

	if (!lane->open)
		return 1;
	for (i = 0; i < 4; i++) {
		const struct cq *cq = random_one_in(r, 2) ? &lane->send_cq : &lane->recv_cq;

		if (random_one_in(r, 2))
			request_notification(s, r, cq);
		else
			cq->ring.control->arm = random_below(r, 4);
	}
	attack_send(w, r);
	read_events(w, r, random_one_in(r, 2) ? s->channel : s->dev.async_fd);
	w->tally->commands += 4;
	return 4;
}
