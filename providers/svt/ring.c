// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping and unmapping of rings. The kernel says where a ring is and what shape it has; nothing is
 * mapped that does not hold what it says, so that a provider and a kernel module that do not belong
 * together end in an error, not in a fault.
 */
#include <errno.h>
#include <sys/mman.h>

#include "ring.h"

static bool is_sound(const struct svt_ring_info *info, size_t element_size)
{
	return info->entries && !(info->entries & (info->entries - 1)) &&
	       info->stride >= element_size && !(info->stride & 7) &&
	       info->mmap_length >= sizeof(struct svt_ring_control) +
				    (uint64_t)info->entries * info->stride;
}

/**
 * svt_ring_map - map a ring
 * @ring: set up, zero indices
 * @cmd_fd: of the context
 * @info: what the kernel answered
 * @element_size: bytes that an element has to have at least
 * @limit: entries that may be in use; SVT_RING_ALL: all
 *
 * Return: 0, EPROTO when @info makes no sense or there is no such ring, or an errno of mmap().
 */
int svt_ring_map(struct svt_ring *ring, int cmd_fd, const struct svt_ring_info *info,
		 size_t element_size, uint32_t limit)
{
	void *start;

	*ring = (struct svt_ring){};
	if (!is_sound(info, element_size))
		return EPROTO;
	start = mmap(NULL, info->mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED, cmd_fd,
		     (off_t)info->mmap_offset);
	if (start == MAP_FAILED)
		return errno;

	ring->control = start;
	ring->elements = (uint8_t *)start + sizeof(struct svt_ring_control);
	ring->mask = info->entries - 1;
	ring->stride = info->stride;
	ring->limit = limit < info->entries ? limit : info->entries;
	ring->length = info->mmap_length;
	return 0;
}

void svt_ring_unmap(struct svt_ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->length);
	*ring = (struct svt_ring){};
}
