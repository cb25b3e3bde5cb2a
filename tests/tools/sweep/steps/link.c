// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices come and go.  ib_core makes some thousands of files for the GID table of each, and a
 * thousand buffers for management datagrams, so what it does is swept apart from what svt does,
 * and thinly.
 *
 * ib_core does not let a registration fail for a client that had no memory: the device is there
 * then, without that client (the CM, uverbs).
 */
#include <errno.h>

#include "rdmanl.h"
#include "../step.h"

#define DEVICE		"svtsweep"
#define REGISTER	"ib_register_device"
#define PORT_FILES	"ib_setup_port_attrs"

static int exists(struct bench *b)
{
	u32 index;

	(void)b;
	return rdmanl_device_index(DEVICE, &index);
}

static int is_gone(struct bench *b)
{
	int err = exists(b);

	if (!err)
		return EEXIST;
	return err == ENODEV ? 0 : err;
}

/* Without memory for the answer nobody knows how it ended: look */
static int add(struct bench *b, const char *type)
{
	int err = rdmanl_link_add(DEVICE, type, b->options->spare);

	return err == ENOBUFS ? exists(b) ? err : 0 : err;
}

static int add_svt(struct bench *b)
{
	return add(b, "svt");
}

static int add_loop(struct bench *b)
{
	return add(b, "svt_loop");
}

static int delete(struct bench *b)
{
	int err = rdmanl_link_delete(b->number);

	return err == ENOBUFS ? is_gone(b) ? err : 0 : err;
}

static int find_and_delete(struct bench *b)
{
	return rdmanl_device_index(DEVICE, &b->number) ?: delete(b);
}

static int add_svt_and_find(struct bench *b)
{
	return add_svt(b) ?: rdmanl_device_index(DEVICE, &b->number);
}

static const struct excuse netlink_excuses[] = {
	{ ENOBUFS, "there was no memory for the message to the kernel" },
	{ }
};

const struct step link_steps[] = {
	{ .name = "link_add_svt", .least = 20, .thin = 1, .call = add_svt, .intact = is_gone,
	  .check = exists, .undo = find_and_delete, .excuses = netlink_excuses, .but = REGISTER },
	{ .name = "link_add_svt_register", .least = 10, .thin = 25, .call = add_svt,
	  .intact = is_gone, .check = exists, .undo = find_and_delete,
	  .excuses = netlink_excuses, .only = REGISTER, .but = PORT_FILES },
	{ .name = "link_add_svt_files", .least = 4, .thin = 500, .call = add_svt,
	  .intact = is_gone, .check = exists, .undo = find_and_delete,
	  .excuses = netlink_excuses, .only = PORT_FILES },
	{ .name = "link_add_kernel_cq", .least = 4, .call = add_svt, .check = exists,
	  .undo = find_and_delete, .only = "svt_create_cq" },
	{ .name = "link_add_kernel_mr", .least = 1, .call = add_svt, .check = exists,
	  .undo = find_and_delete, .only = "svt_get_dma_mr" },
	{ .name = "link_add_kernel_qp", .least = 8, .thin = 1, .call = add_svt, .check = exists,
	  .undo = find_and_delete, .only = "svt_create_qp" },
	{ .name = "link_add_svt_loop", .least = 10, .thin = 1, .call = add_loop,
	  .intact = is_gone, .check = exists, .undo = find_and_delete,
	  .excuses = netlink_excuses, .but = REGISTER },
	{ .name = "link_delete", .least = 3, .thin = 1, .prepare = add_svt_and_find,
	  .call = delete, .intact = exists, .check = is_gone, .excuses = netlink_excuses },
	{ }
};
