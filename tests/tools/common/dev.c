// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opens a verbs device and picks the source GID.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "dev.h"

bool gid_is_v4(const union ibv_gid *gid)
{
	static const u8 prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

static bool gid_is_link_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

enum ibv_mtu dev_mtu_enum(u32 bytes)
{
	u32 mtu;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
		if (dev_mtu_bytes(mtu) == bytes)
			return mtu;
	return 0;
}

u32 dev_mtu_bytes(enum ibv_mtu mtu)
{
	return 128u << mtu;
}

/* The higher the better; 0 is unusable. */
static int gid_rank(const struct ibv_gid_entry *e)
{
	if (e->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 0;
	if (gid_is_v4(&e->gid))
		return 3;
	return gid_is_link_local(&e->gid) ? 1 : 2;
}

static int pick_gid(struct dev *d)
{
	struct ibv_gid_entry e;
	int i, rank, best = 0, index = -1;

	for (i = 0; i < d->port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(d->ctx, DEV_PORT, i, &e, 0))
			continue;
		rank = gid_rank(&e);
		if (rank > best) {
			best = rank;
			index = i;
		}
	}
	return index;
}

bool dev_find_gid(struct dev *d)
{
	struct ibv_gid_entry e;
	int i;

	for (i = 0; i < d->port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(d->ctx, DEV_PORT, i, &e, 0) || !gid_rank(&e) ||
		    memcmp(&e.gid, &d->gid, sizeof(e.gid)))
			continue;
		d->gid_index = i;
		return true;
	}
	return false;
}

struct ibv_context *dev_context(const char *name)
{
	struct ibv_device **list;
	struct ibv_context *ctx = NULL;
	int i, num = 0;

	list = ibv_get_device_list(&num);
	for (i = 0; i < num; i++) {
		if (name && strcmp(ibv_get_device_name(list[i]), name))
			continue;
		ctx = ibv_open_device(list[i]);
		break;
	}
	if (list)
		ibv_free_device_list(list);
	if (!ctx)
		complain(name ?: "any RDMA device", ENODEV);
	return ctx;
}

static int fill(struct dev *d, int gid_index)
{
	struct ibv_gid_entry e;

	if (ibv_query_device_ex(d->ctx, NULL, &d->attr) ||
	    ibv_query_port(d->ctx, DEV_PORT, &d->port)) {
		fprintf(stderr, "cannot query the device: %s\n", strerror(errno));
		return -1;
	}
	d->gid_index = gid_index < 0 ? pick_gid(d) : gid_index;
	if (d->gid_index < 0 || ibv_query_gid_ex(d->ctx, DEV_PORT, d->gid_index, &e, 0)) {
		fprintf(stderr, "no usable GID: give the netdev an address, or name one by -g\n");
		return -1;
	}
	d->gid = e.gid;
	d->gid_v4 = gid_is_v4(&e.gid);
	return 0;
}

int dev_open(struct dev *d, const char *name, int gid_index)
{
	memset(d, 0, sizeof(*d));
	d->ctx = dev_context(name);
	if (!d->ctx)
		return -1;
	if (fill(d, gid_index)) {
		dev_close(d);
		return -1;
	}
	return 0;
}

void dev_close(struct dev *d)
{
	if (d->ctx)
		ibv_close_device(d->ctx);
	d->ctx = NULL;
}
