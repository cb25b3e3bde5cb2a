// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt-conform: whether a RoCE v2 device keeps the rules of the transport, as its peer sees it.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "conform.h"

#define RULES_MAX	500
#define ROW_LIMIT_MS	60000
/* Of the first row's QP at the peer */
#define PEER_QPN	0x4000
/* The last byte of the peer's address unless said */
#define PEER_HOST	0x66

static struct world world = { .gid_index = UINT32_MAX };
static struct suite_case cases[RULES_MAX + 1];

static const struct rule *const tables[] = {
	order_rules, psn_rules, header_rules, length_rules, access_rules, receive_rules,
	replay_rules, window_rules, form_rules, ack_rules, nak_rules, response_rules,
	flow_rules, uc_rules, ud_rules, xrc_rules, placement_rules, requester_placement_rules,
	depth_rules, congestion_rules, migration_rules, group_rules,
};

static const struct option_row options[] = {
	{ 'd', "device", "DEV", OPTION_TEXT, &world.device, "RDMA device under test" },
	{ 'i', "peer-interface", "IF", OPTION_TEXT, &world.interface,
	  "netdev at the other end of its wire" },
	{ 'g', "gid-index", "N", OPTION_U32, &world.gid_index,
	  "of the device's GID (default: the first of RoCE v2, IPv4 preferred)", INT32_MAX },
	{ 'a', "peer-address", "A", OPTION_TEXT, &world.address,
	  "of the peer, which no host has (default: the device's, ending with 102 or 0x66)" },
	{ 'r', "table", "FILE", OPTION_TEXT, &world.table,
	  "writes all rows there as a table of reStructuredText" },
	{ 'x', "deviations", NULL, OPTION_FLAG, &world.deviations,
	  "no rows in the table that passed" },
	{ 'c', "counters", NULL, OPTION_FLAG, &world.counters,
	  "what is dropped has to be in the hw_counters that svt has" },
	{ }
};

static bool check(void)
{
	return world.device && world.interface;
}

static void collect(void)
{
	const struct rule *rule;
	u32 i, count = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (rule = tables[i]; rule->id; rule++) {
			if (count == RULES_MAX)
				abort();
			cases[count++] = (struct suite_case){ rule->id, NULL, rule->says, rule };
		}
	}
}

/* Of the kind that the device's GID is. False: it is no address, or of the other kind. */
static bool parse_address(const char *text, bool v4, union ibv_gid *gid)
{
	if (!v4)
		return inet_pton(AF_INET6, text, gid->raw) == 1;
	memset(gid->raw, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	return inet_pton(AF_INET, text, gid->raw + 12) == 1;
}

static int choose_address(struct world *w)
{
	struct peer *p = &w->peer;

	p->device_gid = w->dev.gid;
	p->gid = w->dev.gid;
	p->gid.raw[15] = p->gid.raw[15] == PEER_HOST ? PEER_HOST + 1 : PEER_HOST;
	if (w->address && !parse_address(w->address, w->dev.gid_v4, &p->gid)) {
		fprintf(stderr, "'%s' is no address of the GID's kind\n", w->address);
		return -1;
	}
	if (!memcmp(&p->gid, &p->device_gid, sizeof(p->gid))) {
		fprintf(stderr, "the peer needs an address that is not the device's\n");
		return -1;
	}
	return 0;
}

static int setup(void)
{
	struct world *w = &world;

	if (dev_open(&w->dev, w->device, (int)w->gid_index) || choose_address(w) ||
	    peer_open(&w->peer, w->interface))
		return -1;
	return world_open(w);
}

static void teardown(void)
{
	peer_close(&world.peer);
	world_close(&world);
	dev_close(&world.dev);
	if (world.table && report_write(&world))
		exit(2);
}

static void set_path(struct test *t)
{
	struct qp_path *path = &t->path;

	qpattr_defaults(path);
	path->sgid_index = t->w->dev.gid_index;
	path->peer.gid = t->w->peer.gid;
	path->peer.qpn = t->peer_qpn;
	path->peer.psn = PSN_FIRST;
	path->sq_psn = PSN_OWN;
	path->access |= t->w->flushes ? ACCESS_FLUSH_GLOBAL : 0;
	/* What is never answered ends in seconds */
	path->timeout -= 2;
}

/* The kernel shows the same ones until its clock has ticked, which it may do every 10 ms. */
static u64 count_all(const struct test *t)
{
	struct counters now;
	u64 sum = 0;
	u32 i;

	clock_sleep_ms(20);
	if (counters_read(t->w->device, &now))
		suite_leave();
	for (i = 0; i < COUNTERS; i++)
		sum += now.value[i];
	return sum;
}

/* Each packet that svt drops has a counter; which one say the cases of svt_packets. */
static void run_counted(struct test *t)
{
	u64 before = count_all(t);

	t->rule->run(t);
	note(t->expected, "counted");
	if (count_all(t) == before) {
		note(t->seen, "not counted");
		deviates(t);
	}
	note(t->seen, "counted");
}

static void run_row(struct test *t, const struct rule *rule, void (*run)(struct test *t))
{
	static u32 qpn = PEER_QPN;

	memset(t, 0, sizeof(*t));
	t->w = &world;
	t->rule = rule;
	t->peer_qpn = qpn++;
	t->peer_msn = ~0U;
	t->peer_credits = CREDITS_NONE;
	t->max_receives = 16;
	set_path(t);
	fill_zones(&world);
	suite_call(run, t);
	close_qp(t);
}

/* What is dropped is sent once more to see it counted: most rows need not wait for the counters. */
static void run(const struct suite_case *c)
{
	static struct test t;
	const struct rule *rule = c->arg;

	run_row(&t, rule, rule->run);
	if (world.counters && t.dropped && !suite_failures())
		run_row(&t, rule, run_counted);
	report_row(&t);
}

static const struct suite_case *const suite_tables[] = { cases, NULL };

static const struct suite suite = {
	.tables = suite_tables,
	.synopsis = "--device DEV --peer-interface IF [options] [NAME...]",
	.notes = "Plays a peer of the device by raw packets, and judges what it answers. A row\n"
		 "that fails says what was expected and what was seen. Needs CAP_NET_RAW.\n",
	.options = options,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.each = run,
	.limit_ms = ROW_LIMIT_MS,
};

int main(int argc, char **argv)
{
	collect();
	return suite_main(argc, argv, &suite);
}
