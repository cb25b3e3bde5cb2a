// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_packets: hostile packets for a device, from a raw socket at the other end of its wire.
 */
#include <sched.h>
#include <stdio.h>

#include "attack.h"
#include "known.h"
#include "number.h"

static struct options options = {
	.device = "svtb", .peer = "svta", .near_ns = "a", .far_ns = "b", .netdev = "veth0",
	.count = 50000,
};

static struct scene scene;

static const struct option option_table[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "peer", required_argument, NULL, 'p' },
	{ "attacker", required_argument, NULL, 'a' },
	{ "victim", required_argument, NULL, 'b' },
	{ "netdev", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "first", required_argument, NULL, 'f' },
	{ "echo", no_argument, NULL, 'e' },
	{ "verbose", no_argument, NULL, 'v' },
	{ }
};

static const char help[] =
	"  attack             exchanges made from the seed, mutated: when it is named\n"
	"  replay             packets seen on the wire, mutated: when it is named\n"
	"  -d, --dev DEV      the victim's RDMA device (default svtb)\n"
	"  -p, --peer DEV     that of its peer (default svta)\n"
	"  -a, --attacker NS  network namespace of the attacker, who is with the peer (default a)\n"
	"  -b, --victim NS    that of the victim (default b)\n"
	"  -i, --netdev DEV   netdev in both, ends of one wire (default veth0)\n"
	"  -n, --count N      packets of attack and replay (default 50000)\n"
	"  -f, --first N      begin them with exchange N\n"
	"  -e, --echo         another process sends each frame again at the same time\n"
	"  -v, --verbose      show each exchange\n"
	"The victim's neighbour tables need the attacker: 02:00:00:00:00:66 at the peer's addresses\n"
	"with the last byte 0x66.\n";

static bool take_option(int c, void *values)
{
	struct options *o = values;
	const char **const names[] = {
		['d'] = &o->device, ['p'] = &o->peer, ['a'] = &o->near_ns, ['b'] = &o->far_ns,
		['i'] = &o->netdev,
	};

	if (c == 'n')
		o->count = number_of(optarg, UINT32_MAX);
	else if (c == 'f')
		o->first = number_of(optarg, UINT32_MAX);
	else if (c == 'e')
		o->echo = true;
	else if (c == 'v')
		o->verbose = true;
	else
		*names[c] = optarg;
	return true;
}

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
	return scene_open(&scene, &options);
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
	.options = { option_table, take_option, &options, help },
	.seed = &options.seed,
	.setup = setup,
	.teardown = teardown,
	.each = each,
};

int main(int argc, char **argv)
{
	options.seed = random_seed();
	return suite_main(argc, argv, &suite);
}
