/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory of a dma-buf: see dmabuf.c */
#ifndef SVT_VERBS_DMABUF_H
#define SVT_VERBS_DMABUF_H

#include <linux/types.h>

#include "../mem/keys.h"

struct dma_buf;
struct svt_buffer;

struct svt_buffer *svt_buffer_open(int fd, u64 offset, u64 length, bool write);
struct svt_buffer *svt_buffer_get(struct dma_buf *dmabuf, u64 offset, u64 length, bool write);
void svt_buffer_put(struct svt_buffer *buffer);
bool svt_buffer_is_writable(const struct svt_buffer *buffer);
struct svt_page_table *svt_buffer_table(const struct svt_buffer *buffer, u64 offset, u64 length);

#endif
