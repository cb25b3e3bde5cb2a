// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles and multicast groups.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../step.h"

/* As /proc/net/igmp and igmp6 have them: the first in the byte order of the machine */
#define GROUP_V4	"::ffff:239.1.2.3"
#define LISTED_V4	"030201EF"
#define GROUP_V6	"ff15::1234"
#define LISTED_V6	"ff150000000000000000000000001234"

static int create(struct bench *b, const union ibv_gid *dgid, int sgid_index)
{
	struct ibv_ah_attr attr;

	qpattr_ah(&attr, dgid, sgid_index, 64);
	b->ah = ibv_create_ah(b->here.pd, &attr);
	return b->ah ? 0 : errno;
}

static int create_v4(struct bench *b)
{
	return create(b, &b->there.dev.gid, b->here.dev.gid_index);
}

static int create_v6(struct bench *b)
{
	return create(b, &b->there.gid_v6, b->here.gid_index_v6);
}

static int destroy(struct bench *b)
{
	return ibv_destroy_ah(b->ah);
}

static int prepare_qp(struct bench *b)
{
	return side_qp_create(&b->here, IBV_QPT_UD) ?: side_connect(&b->here, &b->here);
}

static int destroy_qp(struct bench *b)
{
	return side_qp_destroy(&b->here);
}

static union ibv_gid group(const char *name)
{
	union ibv_gid gid;

	inet_pton(AF_INET6, name, gid.raw);
	return gid;
}

static int attach(struct bench *b, const char *name)
{
	union ibv_gid gid = group(name);

	return ibv_attach_mcast(b->here.qp, &gid, 0);
}

static int detach(struct bench *b, const char *name)
{
	union ibv_gid gid = group(name);

	return ibv_detach_mcast(b->here.qp, &gid, 0);
}

static int attach_v4(struct bench *b)
{
	return attach(b, GROUP_V4);
}

static int attach_v6(struct bench *b)
{
	return attach(b, GROUP_V6);
}

static int detach_v4(struct bench *b)
{
	return detach(b, GROUP_V4);
}

static int detach_v6(struct bench *b)
{
	return detach(b, GROUP_V6);
}

/* Whether the network hears of the group: 0 or ENOENT */
static int is_listed(const char *path, const char *listed)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int err = ENOENT;

	if (!file)
		return errno;
	while (err && fgets(line, sizeof(line), file))
		if (strstr(line, listed))
			err = 0;
	fclose(file);
	return err;
}

static int is_member_v4(struct bench *b)
{
	(void)b;
	return is_listed("/proc/self/net/igmp", LISTED_V4);
}

static int is_member_v6(struct bench *b)
{
	(void)b;
	return is_listed("/proc/self/net/igmp6", LISTED_V6);
}

static int is_no_member(struct bench *b)
{
	return is_member_v4(b) == ENOENT && is_member_v6(b) == ENOENT ? 0 : EEXIST;
}

static int prepare_attach_v4(struct bench *b)
{
	return prepare_qp(b) ?: attach_v4(b);
}

static const struct excuse resolve_excuses[] = {
	{ ENOBUFS, "the routes of IPv4 say so" },
	{ ENETUNREACH, "so do those of IPv6, which take the lack of memory for that of a route" },
	{ }
};

const struct step ah_steps[] = {
	{ .name = "create_ah_v4", .least = 3, .call = create_v4, .undo = destroy,
	  .excuses = resolve_excuses },
	{ .name = "create_ah_v6", .least = 3, .call = create_v6, .undo = destroy,
	  .excuses = resolve_excuses },
	{ .name = "destroy_ah", .prepare = create_v4, .call = destroy },
	{ .name = "attach_mcast_v4", .least = 3, .prepare = prepare_qp, .call = attach_v4,
	  .intact = is_no_member, .check = is_member_v4, .undo = detach_v4,
	  .finish = destroy_qp },
	{ .name = "attach_mcast_v6", .least = 3, .prepare = prepare_qp, .call = attach_v6,
	  .intact = is_no_member, .check = is_member_v6, .undo = detach_v6,
	  .finish = destroy_qp },
	{ .name = "detach_mcast", .prepare = prepare_attach_v4, .call = detach_v4,
	  .intact = is_member_v4, .check = is_no_member, .finish = destroy_qp },
	{ }
};
