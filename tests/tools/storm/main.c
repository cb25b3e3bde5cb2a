// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_storm: objects that come and go under traffic. See usage().
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "modes.h"
#include "number.h"
#include "random.h"
#include "report.h"

#define LIMIT_SECONDS	900

static const struct mode {
	const char *name;
	u64 amount;
	void (*run)(const struct options *o);
} modes[] = {
	{ "mix", 400, mode_mix },
	{ "calm", 0, mode_calm },
	{ "many", 200, mode_many },
	{ "timer", 200, mode_timer },
	{ "kill", 10, mode_kill },
	{ "churn", 10, mode_churn },
	{ "listen", 1, mode_listen },
	{ "connect", 100, mode_connect },
};

static const struct option long_opts[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "seed", required_argument, NULL, 's' },
	{ "amount", required_argument, NULL, 'n' },
	{ "threads", required_argument, NULL, 't' },
	{ "calm", required_argument, NULL, 'c' },
	{ "gone", no_argument, NULL, 'x' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(FILE *out)
{
	fputs("usage: svt_storm MODE [options] [ADDRESS]\n"
	      "  mix       workers that create, connect, use, change and destroy objects\n"
	      "  calm      traffic with its contents verified, until SIGTERM or N rounds\n"
	      "  many      N RC QPs at once, each of which moves a message\n"
	      "  timer     N QPs destroyed while their timers fire\n"
	      "  kill      N processes that do the mix and are killed\n"
	      "  churn     N network namespaces, each ended with a device under traffic\n"
	      "  listen    the passive side of connect, over rdmacm\n"
	      "  connect   N connections of each thread to ADDRESS, ended in all ways\n"
	      "  -d, --dev DEV      RDMA device; twice for two (default: svta)\n"
	      "  -s, --seed N       repeats a run (default: SVT_SEED, or any)\n"
	      "  -n, --amount N     see above; of the mix: operations of each worker\n"
	      "  -t, --threads N    workers (default 4)\n"
	      "  -c, --calm N       threads of calm traffic beside the mix (default 1)\n"
	      "  -x, --gone         a device will be taken away: go on until then\n", out);
}

static bool take_option(int c, struct options *o)
{
	switch (c) {
	case 'd':
		o->devices[o->devices[0] ? 1 : 0] = optarg;
		return true;
	case 's':
		o->seed = number_of(optarg, UINT64_MAX);
		return true;
	case 'n':
		o->amount = number_of(optarg, UINT64_MAX);
		return true;
	case 't':
		o->threads = number_of(optarg, UINT32_MAX);
		return true;
	case 'c':
		o->calm = number_of(optarg, UINT32_MAX);
		return true;
	case 'x':
		o->may_go = true;
		return true;
	default:
		return false;
	}
}

static const struct mode *find_mode(const char *name)
{
	u32 i;

	for (i = 0; name && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

static const struct mode *parse(int argc, char **argv, struct options *o)
{
	const struct mode *mode = find_mode(argv[1]);
	int c;

	if (!mode)
		return NULL;
	o->amount = mode->amount;
	optind = 2;
	while ((c = getopt_long(argc, argv, "d:s:n:t:c:xh", long_opts, NULL)) != -1)
		if (!take_option(c, o))
			return NULL;
	if (optind < argc)
		o->address = argv[optind++];
	if (!o->devices[0])
		o->devices[0] = "svta";
	if (!o->devices[1])
		o->devices[1] = o->devices[0];
	return optind == argc ? mode : NULL;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = random_seed(), .threads = 4, .calm = 1 };
	const struct mode *mode;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	mode = parse(argc, argv, &o);
	if (!mode) {
		usage(stderr);
		return 2;
	}
	/* What hangs is killed by this, and leaves no line of counts */
	alarm(clock_scaled_ms(LIMIT_SECONDS * 1000) / 1000);
	report_start(mode->name, o.seed);
	mode->run(&o);
	return report_end();
}
