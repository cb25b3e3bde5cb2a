// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_packets: hostile packets for a device, from a raw socket at the other end of its wire.
 */
#include <sched.h>
#include <stdio.h>

#include "attack.h"
#include "known.h"

static struct options settings = {
	.device = "svtb", .peer = "svta", .near_ns = "a", .far_ns = "b", .netdev = "veth0",
	.count = 50000,
};

static struct scene scene;

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &settings.device,
	  "the victim's RDMA device (default svtb)" },
	{ 'p', "peer", "DEV", OPTION_TEXT, &settings.peer, "that of its peer (default svta)" },
	{ 'a', "attacker", "NS", OPTION_TEXT, &settings.near_ns,
	  "network namespace of the attacker, who is with the peer (default a)" },
	{ 'b', "victim", "NS", OPTION_TEXT, &settings.far_ns, "that of the victim (default b)" },
	{ 'i', "netdev", "DEV", OPTION_TEXT, &settings.netdev,
	  "netdev in both, ends of one wire (default veth0)" },
	{ 'n', "count", "N", OPTION_U64, &settings.count,
	  "packets of attack and replay (default 50000)", UINT32_MAX },
	{ 'f', "first", "N", OPTION_U64, &settings.first, "begin them with exchange N",
	  UINT32_MAX },
	{ 'e', "echo", NULL, OPTION_FLAG, &settings.echo,
	  "another process sends each frame again at the same time" },
	{ 'v', "verbose", NULL, OPTION_FLAG, &settings.verbose, "show each exchange" },
	{ }
};

/* Each CPU is a queue of the wire: from one of them packets stay in order */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

static int setup(void)
{
	stay_on_one_cpu();
	return scene_open(&scene, &settings);
}

static void teardown(void)
{
	scene_close(&scene);
}

static void attack(struct test *k)
{
	attack_run(k->s);
}

static void replay(struct test *k)
{
	replay_run(k->s);
}

static void each(const struct suite_case *c)
{
	struct test k = { .s = &scene };

	if (c->flags & SUITE_ASKED)
		suite_call(c->run, &k);
	else
		known_each(&scene, c);
}

static const struct suite_case generated[] = {
	{ "attack", attack, "packets made by a generator harm no one", NULL, SUITE_ASKED },
	{ "replay", replay, "packets of the wire, mutated, harm no one", NULL, SUITE_ASKED },
	{ }
};

static const struct suite_case *const tables[] = {
	known_headers, known_network, known_memory, known_states, generated, NULL,
};

static const struct suite suite = {
	.tables = tables,
	.synopsis = "[options] [NAME...|attack|replay]",
	.options = options,
	.notes = "  attack: exchanges made from the seed, mutated, when it is named\n"
		 "  replay: packets seen on the wire, mutated, when it is named\n"
		 "The victim's neighbour tables need the attacker: 02:00:00:00:00:66 at the peer's\n"
		 "addresses with the last byte 0x66.\n",
	.seed = &settings.seed,
	.setup = setup,
	.teardown = teardown,
	.each = each,
};

int main(int argc, char **argv)
{
	settings.seed = random_seed();
	return suite_main(argc, argv, &suite);
}
