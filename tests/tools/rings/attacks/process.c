// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Processes that inherit what is open and mapped, and contexts that come and go.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "../flipper.h"
#include "../guard.h"
#include "../post.h"

#define CHILD_FLIPS	200
#define ORPHAN_MS	100

struct child {
	struct world *w;
	struct random *r;
};

static void flip_and_ring(void *arg)
{
	struct child *c = arg;
	const struct side *side = &c->w->sides[random_below(c->r, 2)];

	flip_some(c->w, c->r, CHILD_FLIPS);
	qp_doorbell(side->dev.fd, side->lanes[random_below(c->r, LANES)].qp.handle);
}

/* What a child writes, the kernel reads: after its parent is gone as well */
static void inherit(struct world *w, struct random *r, bool outlive)
{
	struct child child = { w, r };
	pid_t parent = getpid(), pid;
	u64 limit;

	pid = fork();
	if (pid)
		return;
	limit = clock_limit(ORPHAN_MS);
	do
		guard_run(flip_and_ring, &child);
	while (outlive && !(getppid() != parent && random_one_in(r, 8)) && !clock_passed(limit));
	if (random_one_in(r, 4))
		raise(SIGKILL);
	_exit(0);
}

/* A context that ends with all its objects, in use or not */
static void short_lived_context(struct world *w, struct random *r)
{
	const struct qp_caps caps = { 8, 1, 0, 8, 1 };
	struct device dev;
	struct qp_wish wish = { .caps = caps, .type = IBV_QPT_UD };
	struct peer peer = { 0 };
	struct cq cq;
	struct qp qp;
	struct mr mr;
	u32 pd;

	if (device_open(&dev, w->sides[random_below(r, 2)].dev.name))
		return;
	if (!pd_create(&dev, &pd) && !cq_create(&dev, 16, -1, 0, &cq) &&
	    !mr_create(&dev, pd, w->sandbox.memory, PAGE, IBV_ACCESS_LOCAL_WRITE, &mr)) {
		wish.send_cq = &cq;
		wish.recv_cq = &cq;
		wish.pd = pd;
		if (!qp_create(&dev, &wish, &qp)) {
			qp_connect(&dev, &qp, &peer);
			memset(ring_element(&qp.sq, 0), random_u64(r), qp.sq.info.stride);
			ring_publish(&qp.sq, 8);
			qp_doorbell(dev.fd, qp.handle);
		}
	}
	device_close(&dev);
	ring_publish(&qp.sq, random_u64(r));
	ring_unmap(&qp.sq);
	ring_unmap(&qp.rq);
	ring_unmap(&cq.ring);
}

/* The first command of a context, or another one in its place */
static void odd_context(struct world *w, struct random *r)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context core;
		u8 driver[64];
	} request = {};
	u8 response[128];
	char path[256];
	int fd;

	if (device_node(w->sides[random_below(r, 2)].dev.name, path, sizeof(path)))
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (random_one_in(r, 2))
		random_flip(r, request.driver, sizeof(request.driver));
	device_command(fd,
		       random_one_in(r, 4) ? random_below(r, 41) : IB_USER_VERBS_CMD_GET_CONTEXT,
		       &request, 16 + 4 * random_below(r, 17),
		       response, 8 + 4 * random_below(r, 9));
	qp_doorbell(fd, random_below(r, 8));
	close(fd);
}

u32 attack_process(struct world *w, struct random *r)
{
	switch (random_below(r, 4)) {
	case 0:
		inherit(w, r, false);
		break;
	case 1:
		inherit(w, r, true);
		break;
	case 2:
		short_lived_context(w, r);
		break;
	default:
		odd_context(w, r);
	}
	w->tally->processes++;
	return 1;
}
