// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mappings of rings: the whole of one, shared, not executable, while its queue is there. And
 * doorbells, and forks: what else a process can do with what it got.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

#define UNKNOWN_HANDLE	0x00fffff0

/* -errno, or 0 when it could be mapped; then it is unmapped */
static int try_map(const struct side *side, u64 length, int prot, int flags, u64 offset)
{
	void *at = mmap(NULL, length, prot, flags, side->dev.fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, length);
	return 0;
}

static void map_ring(struct test *st, const struct ring *ring)
{
	const struct side *side = &st->sides[0];
	u64 length = ring->info.mmap_length, offset = ring->info.mmap_offset;
	int both = PROT_READ | PROT_WRITE;

	CHECK(!try_map(side, length, both, MAP_SHARED, offset), "a second mapping");
	CHECK(!try_map(side, length, PROT_READ, MAP_SHARED, offset), "for reading");
	CHECK(try_map(side, length, both | PROT_EXEC, MAP_SHARED, offset) == -EPERM,
	      "executable");
	CHECK(try_map(side, length, both, MAP_PRIVATE, offset) == -EINVAL, "private");
	CHECK(try_map(side, length + PAGE, both, MAP_SHARED, offset) == -EINVAL,
	      "a page more than there is");
	CHECK(try_map(side, length, both, MAP_SHARED, offset + PAGE) == -EINVAL,
	      "from its second page on");
	if (length > PAGE)
		CHECK(try_map(side, length - PAGE, both, MAP_SHARED, offset) == -EINVAL,
		      "a page less than there is");
	CHECK(mremap(ring->control, length, length + PAGE, MREMAP_MAYMOVE) == MAP_FAILED,
	      "made longer");
}

/* The kernel goes on with a ring that is not mapped any more; its user finds it as it was */
static void unmap_under_traffic(struct test *st)
{
	struct draft d;
	u32 i, index, first = 0;

	draft_begin(&d, &st->rng, st->sides, 0, LANE_RC, NULL);
	for (i = 0; i < 4; i++) {
		u32 name;

		draft_plain(&d, IB_UVERBS_WR_SEND, SEND_LENGTH);
		name = draft_post(&d);
		first = i ? first : name;
	}
	post_flush(d.near, d.lane, true);
	index = d.lane->qp.sq.index;
	ring_unmap(&d.lane->qp.sq);
	for (i = 0; i < 4; i++)
		check_cqe(&d.lane->send_cq, first + i, IBV_WC_SUCCESS, "without its ring");
	CHECK(!ring_map(&d.lane->qp.sq, d.near->dev.fd), "mapped again");
	d.lane->qp.sq.index = index;
	drain(d.far_lane);
	reconnect(st, LANE_RC);
	check_lane(st, LANE_RC);
}

/* What is mapped stays there when the queue goes, but nobody looks at it */
static void map_of_the_dead(struct test *st)
{
	struct side *side = &st->sides[0];
	struct ring ring = side->lanes[LANE_UC].qp.sq;

	CHECK(!ring_map(&ring, side->dev.fd), "a second mapping");
	lane_close(side, LANE_UC);
	CHECK(try_map(side, ring.info.mmap_length, PROT_READ, MAP_SHARED,
		      ring.info.mmap_offset) == -EINVAL, "the ring of a QP that is gone");
	memset(ring.control, 0xff, ring.info.mmap_length);
	ring_unmap(&ring);
	reconnect(st, LANE_UC);
	check_lane(st, LANE_UC);
}

void case_mappings(struct test *st)
{
	struct side *side = &st->sides[0];

	map_ring(st, &side->lanes[LANE_RC].qp.sq);
	map_ring(st, &side->lanes[LANE_RC].qp.rq);
	map_ring(st, &side->lanes[LANE_RC].send_cq.ring);
	map_ring(st, &side->lanes[LANE_RC_SRQ].srq.ring);
	CHECK(try_map(side, PAGE, PROT_READ, MAP_SHARED, 1ULL << 40) == -EINVAL,
	      "where nothing is");
	unmap_under_traffic(st);
	map_of_the_dead(st);
}

void case_doorbells(struct test *st)
{
	struct side *side = &st->sides[0];
	struct lane *lane = &side->lanes[LANE_UC];
	u32 handle = lane->qp.handle;
	static const enum ibv_qp_state states[] = { IBV_QPS_ERR, IBV_QPS_RESET };
	u32 i;

	CHECK(qp_doorbell(side->dev.fd, UNKNOWN_HANDLE) == -ENOENT, "unknown handle");
	CHECK(qp_doorbell(side->dev.fd, UINT32_MAX) == -ENOENT, "handle -1");
	CHECK(qp_doorbell(side->dev.fd, lane->send_cq.handle) < 0, "handle of a CQ");
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		CHECK(!qp_to(&side->dev, &lane->qp, states[i]), "to state %u", states[i]);
		ring_publish(&lane->qp.sq, random_odd(&st->rng));
		CHECK(!qp_doorbell(side->dev.fd, handle), "in state %u", states[i]);
	}
	lane_close(side, LANE_UC);
	CHECK(qp_doorbell(side->dev.fd, handle) == -ENOENT, "handle of a QP that is gone");
	reconnect(st, LANE_UC);
	check_lane(st, LANE_UC);
	check_lane(st, LANE_RC);
}

static int child_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) > 0 ? status : -1;
}

/* The child posts, its parent finds the completion; then it leaves nonsense behind */
static void inherit_rings(struct test *st)
{
	struct lane *lane = &st->sides[0].lanes[LANE_UC];
	struct ring *ring = &lane->qp.sq;
	pid_t pid = fork();

	if (!pid) {
		memset(ring_element(ring, 0), 0xff, ring->info.entries * ring->info.stride);
		ring_publish(ring, ring->index + ring->info.entries + 1);
		_exit(qp_doorbell(st->sides[0].dev.fd, lane->qp.handle) != 0);
	}
	CHECK(!child_status(pid), "the child fails");
	check_event(st, 0, IBV_EVENT_QP_FATAL, LANE_UC, "garbage of a child");
	check_state(st, 0, LANE_UC, IBV_QPS_ERR, "garbage of a child");
	check_lane(st, LANE_RC);
	reconnect(st, LANE_UC);
	check_lane(st, LANE_UC);
}

/* Goes on with all that its parent had, when the parent, whose memory is registered, is gone */
static void orphan(struct test *st, pid_t parent)
{
	while (getppid() == parent)
		usleep(1000);
	check_lane(st, LANE_RC);
	check_lane(st, LANE_UD);
	_exit(suite_failures() != 0);
}

static void short_lived(struct test *st)
{
	pid_t self = getpid();
	u32 i;

	for (i = 0; i < 2; i++) {
		device_close(&st->sides[i].dev);
		arena_unmap(&st->sides[i].arena);
	}
	if (stage_open(st))
		_exit(1);
	if (!fork())
		orphan(st, self);
	_exit(0);
}

void case_fork(struct test *st)
{
	pid_t pid;

	inherit_rings(st);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid)
		short_lived(st);
	CHECK(!child_status(pid), "the parent of the orphan fails");
	CHECK(!child_status(-1), "the orphan fails");
}
