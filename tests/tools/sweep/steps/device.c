// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opening the device, what is asked of it, and protection domains.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "../step.h"

static int open_node(struct bench *b)
{
	char path[96];

	snprintf(path, sizeof(path), "/dev/infiniband/%s", b->device->dev_name);
	b->fd = open(path, O_RDWR | O_CLOEXEC);
	return b->fd < 0 ? errno : 0;
}

static int close_node(struct bench *b)
{
	int err = close(b->fd) ? errno : 0;

	b->fd = -1;
	return err;
}

static int open_device(struct bench *b)
{
	errno = 0;
	b->ctx = ibv_open_device(b->device);
	if (b->ctx)
		return 0;
	return errno ? errno : EPROTO;
}

static int close_device(struct bench *b)
{
	return ibv_close_device(b->ctx) ? errno : 0;
}

static int query_device(struct bench *b)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(b->here.dev.ctx, NULL, &attr);
}

static int query_port(struct bench *b)
{
	struct ibv_port_attr attr;

	return ibv_query_port(b->here.dev.ctx, DEV_PORT, &attr);
}

static int query_gid_table(struct bench *b)
{
	static struct ibv_gid_entry entries[16];
	ssize_t n = ibv_query_gid_table(b->here.dev.ctx, entries, ARRAY_SIZE(entries), 0);

	return n < 0 ? -n : 0;
}

static int query_gid(struct bench *b)
{
	struct ibv_gid_entry entry;

	return ibv_query_gid_ex(b->here.dev.ctx, DEV_PORT, b->here.dev.gid_index, &entry, 0);
}

static int alloc_pd(struct bench *b)
{
	b->pd = ibv_alloc_pd(b->here.dev.ctx);
	return b->pd ? 0 : errno;
}

static int dealloc_pd(struct bench *b)
{
	return ibv_dealloc_pd(b->pd);
}

static int create_channel(struct bench *b)
{
	b->channel = ibv_create_comp_channel(b->here.dev.ctx);
	return b->channel ? 0 : errno;
}

static int destroy_channel(struct bench *b)
{
	return ibv_destroy_comp_channel(b->channel);
}

static const struct excuse open_excuses[] = {
	{ ENOENT, "libibverbs looks for the node elsewhere when it cannot open it, in vain" },
	{ }
};

const struct step device_steps[] = {
	{ .name = "open_node", .least = 3, .call = open_node, .undo = close_node },
	{ .name = "open_device", .least = 8, .call = open_device, .undo = close_device,
	  .excuses = open_excuses },
	{ .name = "close_device", .flags = STEP_SURE, .prepare = open_device,
	  .call = close_device },
	{ .name = "query_device", .call = query_device },
	{ .name = "query_port", .call = query_port },
	{ .name = "query_gid", .call = query_gid },
	{ .name = "query_gid_table", .least = 1, .call = query_gid_table },
	{ .name = "alloc_pd", .least = 3, .call = alloc_pd, .undo = dealloc_pd },
	{ .name = "dealloc_pd", .prepare = alloc_pd, .call = dealloc_pd },
	{ .name = "create_comp_channel", .least = 3, .call = create_channel,
	  .undo = destroy_channel },
	{ .name = "destroy_comp_channel", .flags = STEP_SURE, .prepare = create_channel,
	  .call = destroy_channel },
	{ }
};
