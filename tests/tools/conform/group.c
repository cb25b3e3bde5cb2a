// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: datagrams to a group that the QP is attached to.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conform.h"

#define GRH_BYTES	40
#define ADDRESS_AT	36	/* of an IPv4 header's destination, in a GRH */

/* Of two groups that have the same MAC the QP is attached to the first. */
enum group {
	GROUP,
	OTHER_GROUP,
};

static union ibv_gid gid_of(const struct test *t, enum group group)
{
	static const union ibv_gid v4 = {
		{ [10] = 0xff, [11] = 0xff, [12] = 239, [13] = 83, [14] = 86, [15] = 84 }
	};
	static const union ibv_gid v6 = {
		{ 0xff, 0x0e, [11] = 1, [12] = 0x53, [13] = 0x56, [14] = 0x54, [15] = 0x66 }
	};
	union ibv_gid gid = t->w->peer.ipv6 ? v6 : v4;

	if (group == OTHER_GROUP)
		gid.raw[t->w->peer.ipv6 ? 11 : 12]--;
	return gid;
}

static void set_group(const struct test *t, struct packet *p, enum group group)
{
	p->to = gid_of(t, group);
	p->qpn = QPN_MULTICAST;
	if (p->ipv6) {
		memset(p->to_mac, 0x33, 2);
		memcpy(p->to_mac + 2, p->to.raw + 12, 4);
		return;
	}
	memcpy(p->to_mac, (const u8[]){ 1, 0, 0x5e, p->to.raw[13] & 0x7f }, 4);
	memcpy(p->to_mac + 4, p->to.raw + 14, 2);
}

/* A datagram to the group; may be changed before it is put */
static struct packet *to_group(struct test *t, enum group group)
{
	struct packet *p = request(t, OP_SEND_ONLY, 0, 8);

	set_group(t, p, group);
	but(t, group == GROUP ? "to the group" : "to another group of the same MAC");
	return p;
}

static void start(struct test *t)
{
	connect_qp(t, IBV_QPT_UD);
	post_receives(t, 3, GRH_BYTES + 64);
}

/*
 * The device's netdev joins too, as with librdmacm, for devices that get datagrams from the network
 * stack. Others do not need it, and it may be in another namespace: errors do not matter.
 */
static void listen_to_group(struct test *t)
{
	const union ibv_gid *gid = &t->group;
	const bool v6 = t->w->peer.ipv6;
	struct group_req group = { };
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&group.gr_group;
	struct sockaddr_in *four = (struct sockaddr_in *)&group.gr_group;
	struct ibv_gid_entry entry;

	if (ibv_query_gid_ex(t->w->dev.ctx, DEV_PORT, t->path.sgid_index, &entry, 0))
		return;
	group.gr_interface = entry.ndev_ifindex;
	group.gr_group.ss_family = v6 ? AF_INET6 : AF_INET;
	if (v6)
		memcpy(&six->sin6_addr, gid->raw, sizeof(six->sin6_addr));
	else
		memcpy(&four->sin_addr, gid->raw + 12, sizeof(four->sin_addr));
	t->membership = socket(group.gr_group.ss_family, SOCK_DGRAM, 0);
	setsockopt(t->membership, v6 ? IPPROTO_IPV6 : IPPROTO_IP, MCAST_JOIN_GROUP, &group,
		   sizeof(group));
}

static void join_group(struct test *t)
{
	int err;

	start(t);
	t->group = gid_of(t, GROUP);
	note(t->input, "attach to a group");
	err = ibv_attach_mcast(t->qp, &t->group, 0);
	if (err)
		SKIP("no group to attach to: %s", strerror(err));
	t->in_group = true;
	listen_to_group(t);
}

void leave_group(struct test *t)
{
	int err;

	if (!t->in_group)
		return;
	err = ibv_detach_mcast(t->qp, &t->group, 0);
	CHECK(!err, "ibv_detach_mcast: %s", strerror(err));
	t->in_group = false;
	close(t->membership);
}

/* A datagram to the QP alone is the next that arrives */
static void expect_only_next(struct test *t, u32 receive)
{
	ask(t, OP_SEND_ONLY, 1, 16);
	expect_value(t, "bytes", expect_completion(t, receive, IBV_WC_SUCCESS)->byte_len,
		     GRH_BYTES + 16);
	expect_no_completion(t);
	expect_nothing(t);
}

static void arrives(struct test *t)
{
	struct ibv_wc *wc;

	join_group(t);
	to_group(t, GROUP);
	put(t);
	wc = expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_value(t, "bytes", wc->byte_len, GRH_BYTES + 8);
	expect_that(t, wc->wc_flags & IBV_WC_GRH, "the flag of a GRH");
	expect_value(t, "source QPN", wc->src_qp, t->peer_qpn);
	expect_value(t, "first byte", t->w->memory[ZONE_LOCAL][GRH_BYTES], payload_byte(0));
	expect_only_next(t, RECEIVE + 1);
}

static void global_header(struct test *t)
{
	const u8 *grh = t->w->memory[ZONE_LOCAL];

	join_group(t);
	to_group(t, GROUP);
	put(t);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	if (t->w->peer.ipv6)
		expect_that(t, !memcmp(grh + 24, t->group.raw, 16), "the address of the group");
	else
		expect_that(t, !memcmp(grh + ADDRESS_AT, t->group.raw + 12, 4),
			    "the address of the group");
}

static void not_attached(struct test *t)
{
	start(t);
	to_group(t, GROUP);
	put(t);
	expect_only_next(t, RECEIVE);
}

static void left(struct test *t)
{
	join_group(t);
	leave_group(t);
	note(t->input, "detach from it");
	to_group(t, GROUP);
	put(t);
	expect_only_next(t, RECEIVE);
}

static void other_group(struct test *t)
{
	join_group(t);
	to_group(t, OTHER_GROUP);
	put(t);
	expect_only_next(t, RECEIVE);
}

static void wrong_qkey(struct test *t)
{
	join_group(t);
	to_group(t, GROUP)->qkey++;
	but(t, "to the group, Q_Key + 1");
	put(t);
	expect_only_next(t, RECEIVE);
}

#define CLAUSE	"10.5"

const struct rule group_rules[] = {
	{ "group_arrives", arrives, "10.5, 11.4.2.1",
	  "a datagram to a group arrives once at a QP that is attached" },
	{ "group_grh", global_header, "A17, 11.4.2.1", "the 40 bytes have the group's address" },
	{ "group_not_attached", not_attached, CLAUSE,
	  "a datagram to a group does not arrive at a QP that is not attached" },
	{ "group_left", left, CLAUSE, "nor at one that was detached" },
	{ "group_other", other_group, CLAUSE, "nor at one that is attached to another group" },
	{ "group_qkey", wrong_qkey, "9.6.1.4, 10.2.5", "a wrong Q_Key is dropped" },
	{ }
};
