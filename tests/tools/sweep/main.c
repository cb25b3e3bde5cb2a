// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_sweep: makes every allocation of every verb fail, one after the other.
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "inject.h"
#include "number.h"
#include "random.h"
#include "rdmanl.h"
#include "sweep.h"

static const struct step *const subjects[] = {
	device_steps,
	mr_steps,
	mw_steps,
	cq_steps,
	srq_steps,
	qp_steps,
	modify_steps,
	ah_steps,
	traffic_steps,
	netdev_steps,
	link_steps,
	module_steps,
};

static const struct option long_options[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "peer", required_argument, NULL, 'p' },
	{ "netdev", required_argument, NULL, 'n' },
	{ "modules", required_argument, NULL, 'M' },
	{ "steps", required_argument, NULL, 't' },
	{ "seed", required_argument, NULL, 's' },
	{ "every", required_argument, NULL, 'e' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "huge", required_argument, NULL, 'H' },
	{ "plain", no_argument, NULL, 'P' },
	{ "list", no_argument, NULL, 'l' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(FILE *out)
{
	fputs("usage: svt_sweep -d DEV -p PEER -n NETDEV [options]\n"
	      "       svt_sweep -M DIRECTORY [options]\n"
	      "  The second form, when neither svt nor a backend is loaded, sweeps their loading.\n"
	      "  -d, --dev DEV       RDMA device whose verbs are tried, of this network namespace\n"
	      "  -p, --peer PEER     RDMA device at the other end of the wire\n"
	      "  -n, --netdev NETDEV of this namespace, without a device: to add some on\n"
	      "  -M, --modules DIR   where svt.ko, svt_roce.ko, svt_loop.ko are\n"
	      "  -t, --steps PATTERN only these, a shell pattern\n"
	      "  -s, --seed SEED     chooses the points of slow steps (default: SVT_SEED, or any)\n"
	      "  -e, --every N       slow steps: one point of N (default 1)\n"
	      "  -r, --rounds N      of steps with random faults (default 10)\n"
	      "  -H, --huge MB       size of the largest region (default 16)\n"
	      "      --plain         no faults: only show that each step works\n"
	      "  -l, --list          name the steps\n", out);
}

static bool take_option(int c, struct options *o)
{
	switch (c) {
	case 'd':
		o->dev = optarg;
		return true;
	case 'p':
		o->peer = optarg;
		return true;
	case 'n':
		o->spare = optarg;
		return true;
	case 'M':
		o->modules = optarg;
		return true;
	case 't':
		o->pattern = optarg;
		return true;
	case 's':
		o->seed = number_of(optarg, UINT64_MAX);
		return true;
	case 'e':
		o->every = number_of(optarg, UINT32_MAX);
		return true;
	case 'r':
		o->rounds = number_of(optarg, UINT32_MAX);
		return true;
	case 'H':
		o->huge = number_of(optarg, UINT32_MAX) << 20;
		return true;
	case 'P':
		o->plain = true;
		return true;
	case 'l':
		o->list = true;
		return true;
	default:
		return false;
	}
}

static int parse(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt_long(argc, argv, "d:p:n:M:t:s:e:r:H:lh", long_options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		}
		if (!take_option(c, o)) {
			usage(stderr);
			return -1;
		}
	}
	if (optind < argc || !o->every || !o->rounds || !o->huge ||
	    (!o->list && !o->modules && (!o->dev || !o->peer || !o->spare))) {
		usage(stderr);
		return -1;
	}
	return 0;
}

static bool is_wanted(const struct options *o, const struct step *step)
{
	if (!o->list && !(step->flags & STEP_ALONE) != !o->modules)
		return false;
	return !o->pattern || !fnmatch(o->pattern, step->name, 0);
}

static int bench_open(struct bench *b)
{
	int i;

	b->fd = -1;
	if (b->options->modules)
		return 0;
	if (rdmanl_open() || side_open(&b->here, b->options->dev) ||
	    side_open(&b->there, b->options->peer))
		return -1;
	b->devices = ibv_get_device_list(NULL);
	for (i = 0; b->devices && b->devices[i]; i++)
		if (!strcmp(ibv_get_device_name(b->devices[i]), b->options->dev))
			b->device = b->devices[i];
	return b->device ? 0 : -1;
}

static void bench_close(struct bench *b)
{
	if (b->options->modules)
		return;
	free(b->memory);
	ibv_free_device_list(b->devices);
	side_close(&b->here);
	side_close(&b->there);
}

/* Return: whether it failed. */
static bool sweep_one(struct bench *b, const struct step *step, struct tally *sum)
{
	struct tally tally = { 0 };
	u64 start = clock_us();
	int ret = sweep_step(b, step, &tally);

	printf("%-24s %5u allocations failed: %5u calls failed, %5u did without, %u ms\n",
	       step->name, tally.failed + tally.survived, tally.failed, tally.survived,
	       (u32)((clock_us() - start) / 1000));
	fflush(stdout);
	sum->failed += tally.failed;
	sum->survived += tally.survived;
	return ret;
}

/* Goes on after a failed step: what it left may fail the ones behind it as well, but says more */
static int sweep_all(struct bench *b)
{
	u32 steps = 0, bad = 0;
	struct tally sum = { 0 };
	const struct step *step;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		for (step = subjects[i]; step->name; step++) {
			if (!is_wanted(b->options, step))
				continue;
			steps++;
			if (b->options->list)
				puts(step->name);
			else
				bad += sweep_one(b, step, &sum);
		}
	}
	if (!b->options->list)
		printf("%u steps, %u bad; %u allocations failed: %u calls failed, %u did without\n",
		       steps, bad, sum.failed + sum.survived, sum.failed, sum.survived);
	return steps && !bad ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct options o = {
		.seed = random_seed(),
		.every = 1,
		.rounds = 10,
		.huge = 16 << 20,
	};
	struct bench b = { .options = &o };
	int ret;

	if (parse(argc, argv, &o))
		return 2;
	if (o.list)
		return sweep_all(&b);
	printf("seed %llu\n", (unsigned long long)o.seed);
	fflush(stdout);
	if (!o.plain && inject_open())
		return 2;
	if (bench_open(&b))
		return 2;
	ret = sweep_all(&b);
	bench_close(&b);
	return ret;
}
