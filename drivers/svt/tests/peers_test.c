// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of who may speak to a remote QP from an address: transport/qp/peers.c.
 */
#include <kunit/test.h>
#include <net/net_namespace.h>

#include "transport/qp/peers.h"

#define QPN		0x123456
#define OTHER_QPN	0x123457
#define ALICE		KUIDT_INIT(1000)
#define BOB		KUIDT_INIT(1001)

/* No addresses of a host, so that no QP of a device meets them */
static struct svt_peer_pair_key here = { .sgid.raw = { 1 }, .dgid.raw = { 2 } };
static struct svt_peer_pair_key there = { .sgid.raw = { 1 }, .dgid.raw = { 3 } };
/* That of a namespace which has ended */
static const struct svt_peer_pair_key elsewhere = { .sgid.raw = { 1 }, .dgid.raw = { 2 } };

static int live_in_first_namespace(struct kunit *test)
{
	here.netns = init_net.net_cookie;
	there.netns = init_net.net_cookie;
	return 0;
}

static bool is_pair(const struct svt_peer_pair_key *key)
{
	return svt_has_peer(&init_net, &key->sgid, &key->dgid);
}

static struct svt_peer *take(struct kunit *test, const struct svt_peer_pair_key *key, u32 qpn,
			     kuid_t uid)
{
	struct svt_peer *peer = svt_peer_take(key, qpn, uid, false);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, peer);
	return peer;
}

static void refused(struct kunit *test, kuid_t uid)
{
	struct svt_peer *peer = svt_peer_take(&here, QPN, uid, false);

	KUNIT_EXPECT_PTR_EQ(test, peer, ERR_PTR(-EADDRINUSE));
	if (!IS_ERR(peer))
		svt_peer_release(peer, uid);
}

static void take_and_release(struct kunit *test, const struct svt_peer_pair_key *key, u32 qpn,
			     kuid_t uid)
{
	svt_peer_release(take(test, key, qpn, uid), uid);
}

static void another_user_is_refused_until_the_last_qp_goes(struct kunit *test)
{
	struct svt_peer *first = take(test, &here, QPN, ALICE);
	struct svt_peer *second = take(test, &here, QPN, ALICE);

	refused(test, BOB);
	svt_peer_release(first, ALICE);
	refused(test, BOB);
	svt_peer_release(second, ALICE);
	take_and_release(test, &here, QPN, BOB);
}

static void other_qps_and_addresses_are_others(struct kunit *test)
{
	struct svt_peer *alice = take(test, &here, QPN, ALICE);

	take_and_release(test, &here, OTHER_QPN, BOB);
	take_and_release(test, &there, QPN, BOB);
	refused(test, BOB);
	svt_peer_release(alice, ALICE);
}

static void who_lived_in_another_namespace_is_another(struct kunit *test)
{
	struct svt_peer *alice = take(test, &elsewhere, QPN, ALICE);

	KUNIT_EXPECT_FALSE(test, is_pair(&here));
	take_and_release(test, &here, QPN, BOB);
	svt_peer_release(alice, ALICE);
}

static void clients_in_the_kernel_are_one_user(struct kunit *test)
{
	struct svt_peer *client = take(test, &here, QPN, INVALID_UID);

	take_and_release(test, &here, QPN, INVALID_UID);
	refused(test, GLOBAL_ROOT_UID);
	svt_peer_release(client, INVALID_UID);
}

static void no_process_keeps_a_client_in_the_kernel_out(struct kunit *test)
{
	struct svt_peer *alice = take(test, &here, QPN, ALICE);
	struct svt_peer *client = take(test, &here, QPN, INVALID_UID);

	take_and_release(test, &here, QPN, ALICE);
	refused(test, BOB);
	svt_peer_release(alice, ALICE);
	refused(test, ALICE);
	svt_peer_release(client, INVALID_UID);
}

/* And give nobody a right who comes without the privilege, also not who was first and has gone */
static void the_privileged_join(struct kunit *test)
{
	struct svt_peer *alice = take(test, &here, QPN, ALICE);
	struct svt_peer *bob = svt_peer_take(&here, QPN, BOB, true);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bob);
	refused(test, BOB);
	svt_peer_release(alice, ALICE);
	refused(test, BOB);
	refused(test, ALICE);
	KUNIT_EXPECT_TRUE(test, is_pair(&here));
	svt_peer_release(bob, BOB);
	KUNIT_EXPECT_FALSE(test, is_pair(&here));
}

static void a_pair_is_there_as_long_as_a_qp(struct kunit *test)
{
	struct svt_peer *first, *second;

	KUNIT_EXPECT_FALSE(test, is_pair(&here));
	first = take(test, &here, QPN, ALICE);
	second = take(test, &here, OTHER_QPN, BOB);
	KUNIT_EXPECT_TRUE(test, is_pair(&here));
	KUNIT_EXPECT_FALSE(test, is_pair(&there));
	KUNIT_EXPECT_FALSE(test, svt_has_peer(&init_net, &here.dgid, &here.sgid));
	svt_peer_release(first, ALICE);
	KUNIT_EXPECT_TRUE(test, is_pair(&here));
	svt_peer_release(second, BOB);
	KUNIT_EXPECT_FALSE(test, is_pair(&here));
}

static struct kunit_case peers_cases[] = {
	KUNIT_CASE(another_user_is_refused_until_the_last_qp_goes),
	KUNIT_CASE(other_qps_and_addresses_are_others),
	KUNIT_CASE(who_lived_in_another_namespace_is_another),
	KUNIT_CASE(clients_in_the_kernel_are_one_user),
	KUNIT_CASE(no_process_keeps_a_client_in_the_kernel_out),
	KUNIT_CASE(the_privileged_join),
	KUNIT_CASE(a_pair_is_there_as_long_as_a_qp),
	{}
};

static struct kunit_suite peers_suite = {
	.name = "svt-peers",
	.init = live_in_first_namespace,
	.test_cases = peers_cases,
};

kunit_test_suite(peers_suite);
