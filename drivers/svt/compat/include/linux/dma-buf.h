/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_LINUX_DMA_BUF_H
#define SVT_COMPAT_LINUX_DMA_BUF_H

#include_next <linux/dma-buf.h>

#ifndef SVT_HAVE_DMA_BUF_VMAP_UNLOCKED
static inline int dma_buf_vmap_unlocked(struct dma_buf *dmabuf, struct iosys_map *map)
{
	return dma_buf_vmap(dmabuf, map);
}

static inline void dma_buf_vunmap_unlocked(struct dma_buf *dmabuf, struct iosys_map *map)
{
	dma_buf_vunmap(dmabuf, map);
}
#endif

#endif
