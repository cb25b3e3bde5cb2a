// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_sweep: makes every allocation of every verb fail, one after the other.
 */
#include <stdlib.h>

#include "inject.h"
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

static struct options settings = { .every = 1, .rounds = 10, .huge = 16 };
static struct bench bench = { .options = &settings, .fd = -1 };
static struct tally sum;

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &settings.dev,
	  "RDMA device whose verbs are tried, of this network namespace" },
	{ 'p', "peer", "PEER", OPTION_TEXT, &settings.peer,
	  "RDMA device at the other end of the wire" },
	{ 'n', "netdev", "NETDEV", OPTION_TEXT, &settings.spare,
	  "of this namespace, without a device: to add some on" },
	{ 'M', "modules", "DIR", OPTION_TEXT, &settings.modules,
	  "where svt.ko, svt_roce.ko, svt_loop.ko are" },
	{ 'e', "every", "N", OPTION_U32, &settings.every,
	  "slow steps: one point of N, the seed says which (default 1)" },
	{ 'r', "rounds", "N", OPTION_U32, &settings.rounds,
	  "of steps with random faults (default 10)" },
	{ 'H', "huge", "MB", OPTION_U32, &settings.huge,
	  "size of the largest region (default 16)", UINT32_MAX >> 20 },
	{ 0, "plain", NULL, OPTION_FLAG, &settings.plain,
	  "no faults: only show that each step works" },
	{ }
};

static bool check(void)
{
	const struct options *o = &settings;

	return o->every && o->rounds && o->huge && (o->modules || (o->dev && o->peer && o->spare));
}

static bool fits(const struct suite_case *c)
{
	const struct step *step = c->arg;

	return !(step->flags & STEP_ALONE) == !settings.modules;
}

static int open_sides(struct bench *b)
{
	if (rdmanl_open() || side_open(&b->here, b->options->dev) ||
	    side_open(&b->there, b->options->peer))
		return -1;
	b->device = b->here.dev.ctx->device;
	return 0;
}

static int setup(void)
{
	if (!settings.plain && inject_open())
		return -1;
	return settings.modules ? 0 : open_sides(&bench);
}

static void close_sides(struct bench *b)
{
	free(b->memory);
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
	if (!settings.modules)
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
	.options = options,
	.notes = "       svt_sweep -M DIR [options] [NAME...]\n"
		 "  The second form, when neither svt nor a backend is loaded, sweeps their loading.\n",
	.seed = &settings.seed,
	.check = check,
	.fits = fits,
	.setup = setup,
	.teardown = teardown,
	.each = each,
};

static void join_subjects(void)
{
	const struct step *step;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		for (step = subjects[i]; step->name; step++)
			suite_add(cases, MOST_STEPS, step->name, step);
}

int main(int argc, char **argv)
{
	settings.seed = random_seed();
	join_subjects();
	return suite_main(argc, argv, &suite);
}
