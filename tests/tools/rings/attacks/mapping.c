// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mappings: any part of the device's offsets with any rights, and all that can be done to a ring
 * that is mapped, while the kernel and the flipper are at work on it.
 */
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../post.h"
#include "../world.h"

static struct ring *any_ring(struct side *side, struct random *r)
{
	struct lane *lane = &side->lanes[random_below(r, LANES)];
	struct ring *rings[] = {
		&lane->qp.sq, &lane->qp.rq, &lane->srq.ring, &lane->send_cq.ring,
		&lane->recv_cq.ring,
	};

	return rings[random_below(r, ARRAY_SIZE(rings))];
}

static u64 near_or_odd(struct random *r, u64 value, u32 step)
{
	if (random_one_in(r, 2))
		return value;
	return random_one_in(r, 2) ? random_odd(r) : value + (s64)step * (random_below(r, 5) - 2LL);
}

static void map_any(struct random *r, const struct side *side, const struct ring *ring)
{
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED | MAP_POPULATE,
		MAP_SHARED | MAP_LOCKED, MAP_SHARED | MAP_NORESERVE, MAP_SHARED_VALIDATE,
	};
	u64 length = near_or_odd(r, ring->info.mmap_length, PAGE) & 0xffffff;
	u64 offset = near_or_odd(r, ring->info.mmap_offset, random_one_in(r, 4) ? 1 : PAGE);
	u8 *at = mmap(NULL, length, random_below(r, 8), flags[random_below(r, ARRAY_SIZE(flags))],
		      side->dev.fd, offset);

	if (at != MAP_FAILED)
		munmap(at, length);
}

/* The hole is kept: nothing else may come to lie where the flipper still writes */
static void unmap_for_a_while(struct random *r, const struct side *side, struct ring *ring)
{
	u64 length = ring->info.mmap_length;
	void *at = ring->control;
	u32 part = random_one_in(r, 2) ? length : PAGE * (1 + random_below(r, length / PAGE));

	if (mmap(at, part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
		return;
	qp_doorbell(side->dev.fd, side->lanes[random_below(r, LANES)].qp.handle);
	if (!random_one_in(r, 4))
		mmap(at, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, side->dev.fd,
		     ring->info.mmap_offset);
}

static void remap(struct random *r, struct ring *ring)
{
	static const int flags[] = {
		0, MREMAP_MAYMOVE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
	};
	u64 old = random_one_in(r, 4) ? 0 : ring->info.mmap_length;
	u64 new = PAGE * random_below(r, 2 * ring->info.mmap_length / PAGE + 2);
	void *at = mremap(ring->control, old, new, flags[random_below(r, ARRAY_SIZE(flags))]);

	/* What moved away is forgotten; at its old place there is a hole, or the same as before */
	if (at != MAP_FAILED && at != ring->control)
		munmap(at, new);
}

static void advise(struct random *r, struct ring *ring)
{
	static const int advices[] = {
		MADV_NORMAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_DONTFORK,
		MADV_DOFORK, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_DONTDUMP, MADV_COLD,
		MADV_PAGEOUT, MADV_WIPEONFORK,
	};

	madvise(ring->control, ring->info.mmap_length,
		advices[random_below(r, ARRAY_SIZE(advices))]);
}

/* By way of what reads and writes the memory of a process from outside */
static void copy_from_outside(struct random *r, const struct world *w, struct ring *ring)
{
	struct iovec local = { w->sandbox.scratch, PAGE };
	struct iovec remote = { ring->control, PAGE };

	if (random_one_in(r, 2))
		process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	else
		process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

u32 attack_mapping(struct world *w, struct random *r)
{
	struct side *side = &w->sides[random_below(r, 2)];
	struct ring *ring = any_ring(side, r);
	u64 length = ring->info.mmap_length;

	if (!ring->control)
		return 1;
	switch (random_below(r, 10)) {
	case 0:
		unmap_for_a_while(r, side, ring);
		break;
	case 1:
		remap(r, ring);
		break;
	case 2:
		mprotect(ring->control, length, random_below(r, 8));
		break;
	case 3:
		advise(r, ring);
		break;
	case 4:
		copy_from_outside(r, w, ring);
		break;
	case 5:
		msync(ring->control, length, random_below(r, 8));
		mlock(ring->control, length);
		munlock(ring->control, length);
		break;
	default:
		map_any(r, side, ring);
	}
	w->tally->mappings++;
	return 1;
}
