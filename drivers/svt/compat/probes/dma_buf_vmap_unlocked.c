// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: dma_buf_vmap() no longer takes the lock, this does */
#include <linux/dma-buf.h>

#ifdef OLD
#define dma_buf_vmap_unlocked	dma_buf_vmap
#define dma_buf_vunmap_unlocked	dma_buf_vunmap
#endif

int probe(struct dma_buf *dmabuf, struct iosys_map *map)
{
	int ret = dma_buf_vmap_unlocked(dmabuf, map);

	dma_buf_vunmap_unlocked(dmabuf, map);
	return ret;
}
