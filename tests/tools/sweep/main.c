// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_sweep: makes every allocation of every verb fail, one after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "number.h"
#include "random.h"
#include "rdmanl.h"
#include "suite.h"
#include "sweep.h"

#define MOST_STEPS	200

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

static struct suite_case cases[MOST_STEPS + 1];
static const struct suite_case *const tables[] = { cases, NULL };

static struct options options = { .every = 1, .rounds = 10, .huge = 16 << 20 };
static struct bench bench = { .options = &options, .fd = -1 };
static struct tally sum;

static const struct option option_table[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "peer", required_argument, NULL, 'p' },
	{ "netdev", required_argument, NULL, 'n' },
	{ "modules", required_argument, NULL, 'M' },
	{ "every", required_argument, NULL, 'e' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "huge", required_argument, NULL, 'H' },
	{ "plain", no_argument, NULL, 'P' },
	{ }
};

static const char help[] =
	"       svt_sweep -M DIRECTORY [options] [NAME...]\n"
	"  The second form, when neither svt nor a backend is loaded, sweeps their loading.\n"
	"  -d, --dev DEV      RDMA device whose verbs are tried, of this network namespace\n"
	"  -p, --peer PEER    RDMA device at the other end of the wire\n"
	"  -n, --netdev NETDEV of this namespace, without a device: to add some on\n"
	"  -M, --modules DIR  where svt.ko, svt_roce.ko, svt_loop.ko are\n"
	"  -e, --every N      slow steps: one point of N, the seed says which (default 1)\n"
	"  -r, --rounds N     of steps with random faults (default 10)\n"
	"  -H, --huge MB      size of the largest region (default 16)\n"
	"      --plain        no faults: only show that each step works\n";

static bool take_option(int c, void *values)
{
	struct options *o = values;

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
	case 'e':
		o->every = number_of(optarg, UINT32_MAX);
		return true;
	case 'r':
		o->rounds = number_of(optarg, UINT32_MAX);
		return true;
	case 'H':
		o->huge = number_of(optarg, UINT32_MAX >> 20) << 20;
		return true;
	case 'P':
		o->plain = true;
		return true;
	default:
		return false;
	}
}

static bool check(void)
{
	const struct options *o = &options;

	return o->every && o->rounds && o->huge && (o->modules || (o->dev && o->peer && o->spare));
}

static bool fits(const struct suite_case *c)
{
	const struct step *step = c->arg;

	return !(step->flags & STEP_ALONE) == !options.modules;
}

static int open_sides(struct bench *b)
{
	int i;

	if (rdmanl_open() || side_open(&b->here, b->options->dev) ||
	    side_open(&b->there, b->options->peer))
		return -1;
	b->devices = ibv_get_device_list(NULL);
	for (i = 0; b->devices && b->devices[i]; i++)
		if (!strcmp(ibv_get_device_name(b->devices[i]), b->options->dev))
			b->device = b->devices[i];
	return b->device ? 0 : -1;
}

static int setup(void)
{
	if (!options.plain && inject_open())
		return -1;
	return options.modules ? 0 : open_sides(&bench);
}

static void close_sides(struct bench *b)
{
	free(b->memory);
	ibv_free_device_list(b->devices);
	side_close(&b->here);
	side_close(&b->there);
}

static void note(const char *what, const struct tally *tally)
{
	suite_note("%s: %u allocations failed: %u calls failed, %u did without", what,
		   tally->failed + tally->survived, tally->failed, tally->survived);
}

static void teardown(void)
{
	note("all", &sum);
	if (!options.modules)
		close_sides(&bench);
}

/* Goes on after a failed step: what it left may fail the ones behind it as well, but says more */
static void each(const struct suite_case *c)
{
	struct tally tally = { 0 };

	sweep_step(&bench, c->arg, &tally);
	note(c->name, &tally);
	sum.failed += tally.failed;
	sum.survived += tally.survived;
}

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV -p PEER -n NETDEV [options] [NAME...]",
	.options = { option_table, take_option, &options, help },
	.seed = &options.seed,
	.check = check,
	.fits = fits,
	.setup = setup,
	.teardown = teardown,
	.each = each,
};

static void join_subjects(void)
{
	const struct step *step;
	u32 i, count = 0;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		for (step = subjects[i]; step->name; step++) {
			if (count == MOST_STEPS)
				abort();
			cases[count++] = (struct suite_case){ .name = step->name, .arg = step };
		}
	}
}

int main(int argc, char **argv)
{
	options.seed = random_seed();
	join_subjects();
	return suite_main(argc, argv, &suite);
}
