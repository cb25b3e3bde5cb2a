// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_packets: hostile packets for a device, from a raw socket at the other end of its wire.
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "number.h"

static void usage(FILE *out)
{
	fputs("usage: svt_packets [options] attack|replay|known [NAME...]|list\n"
	      "  attack   exchanges made from the seed, mutated\n"
	      "  replay   packets seen on the wire, mutated\n"
	      "  known    attacks by name, all without a name\n"
	      "  list     the names\n"
	      "  -d DEV   the victim's RDMA device (default svtb)\n"
	      "  -p DEV   that of its peer (default svta)\n"
	      "  -a NS    network namespace of the attacker, who is with the peer (default a)\n"
	      "  -b NS    that of the victim (default b)\n"
	      "  -i DEV   netdev in both, ends of one wire (default veth0)\n"
	      "  -s SEED  (default: SVT_SEED, or any)\n"
	      "  -n N     packets (default 50000)\n"
	      "  -f N     begin with exchange N\n"
	      "  -e       another process sends each frame again at the same time\n"
	      "  -v       show each exchange\n"
	      "The victim's neighbour tables need the attacker: 02:00:00:00:00:66 at the peer's\n"
	      "addresses with the last byte 0x66.\n", out);
}

static bool take_option(int c, struct options *o)
{
	const char **const names[] = {
		['d'] = &o->device, ['p'] = &o->peer, ['a'] = &o->near_ns, ['b'] = &o->far_ns,
		['i'] = &o->netdev,
	};

	if (c == 's')
		o->seed = number_of(optarg, UINT64_MAX);
	else if (c == 'n')
		o->count = number_of(optarg, UINT32_MAX);
	else if (c == 'f')
		o->first = number_of(optarg, UINT32_MAX);
	else if (c == 'e')
		o->echo = true;
	else if (c == 'v')
		o->verbose = true;
	else if (c > 0 && c < (int)ARRAY_SIZE(names) && names[c])
		*names[c] = optarg;
	else
		return false;
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

static bool run(struct scene *s, const char *mode, char **names, u32 count)
{
	if (!strcmp(mode, "attack"))
		return attack_run(s);
	if (!strcmp(mode, "replay"))
		return replay_run(s);
	if (!strcmp(mode, "known"))
		return known_run(s, names, count);
	usage(stderr);
	return false;
}

int main(int argc, char **argv)
{
	static struct scene scene;
	struct options o = {
		.device = "svtb", .peer = "svta", .near_ns = "a", .far_ns = "b",
		.netdev = "veth0", .count = 50000, .seed = random_seed(),
	};
	bool good;
	int c;

	while ((c = getopt(argc, argv, "d:p:a:b:i:s:n:f:evh")) != -1) {
		if (!take_option(c, &o)) {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind >= argc) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[optind], "list")) {
		known_list();
		return 0;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %llu\n", o.seed);
	stay_on_one_cpu();
	if (scene_open(&scene, &o))
		return 2;
	good = run(&scene, argv[optind], argv + optind + 1, argc - optind - 1);
	scene_close(&scene);
	return good ? 0 : 1;
}
