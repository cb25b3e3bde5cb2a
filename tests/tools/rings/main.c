// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_rings: user space that does what it can to a device by way of its rings and commands.
 */
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "klog.h"
#include "random.h"
#include "sentinel.h"
#include "supervisor.h"

#define ALL_ROUNDS	UINT32_MAX

static struct settings {
	const char *devices[2];
	u64 seed;
	u64 amount;
	u32 round;
} settings = { .amount = 100, .round = ALL_ROUNDS };

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXTS, settings.devices,
	  "device; twice: the other end of QPs is on the second, in some rounds", 2 },
	{ 'n', "amount", "N", OPTION_U64, &settings.amount,
	  "operations of the attack, or repetitions within a case (default 100)" },
	{ 'r', "round", "ROUND", OPTION_U32, &settings.round, "of the attack this round only" },
	{ }
};

static bool check(void)
{
	return settings.devices[0];
}

static int setup(void)
{
	if (!settings.devices[1])
		settings.devices[1] = settings.devices[0];
	klog_mark("svt_rings -s %llu", settings.seed);
	return 0;
}

static void attack(struct test *st)
{
	const struct campaign campaign = {
		.devices = { st->devices[0], st->devices[1] },
		.seed = st->seed,
		.operations = st->amount,
		.round = settings.round == ALL_ROUNDS ? 0 : settings.round,
		.one_round = settings.round != ALL_ROUNDS,
	};

	campaign_run(&campaign, &st->foreign);
}

static void run_staged(struct test *st)
{
	int ret = stage_open(st);

	MUST(!ret, "set-up: %s", strerror(-ret));
	st->c->run(st);
	stage_close(st);
}

/* The sentinel comes first: of what is opened behind it, it has nothing */
static void each(const struct suite_case *c)
{
	struct sentinel *sentinel = sentinel_start(settings.devices[0], ~settings.seed);
	static struct test st;

	if (!sentinel)
		return;
	st.c = c;
	st.devices[0] = settings.devices[0];
	st.devices[1] = settings.devices[1];
	st.foreign = sentinel->foreign;
	st.seed = settings.seed;
	st.amount = settings.amount;
	random_start(&st.rng, st.seed, 0);
	suite_call(c->run == attack ? attack : run_staged, &st);
	sentinel_stop(sentinel);
}

static const struct suite_case attacks_of_all[] = {
	{ "attack", attack, "nothing but the attacker's own is harmed", NULL, SUITE_ASKED },
	{ }
};

static const struct suite_case *const tables[] = { ring_cases, attacks_of_all, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [-d DEV] [options] [NAME...|attack]",
	.options = options,
	.notes = "  attack runs when it is named: rounds of anything\n",
	.seed = &settings.seed,
	.check = check,
	.setup = setup,
	.each = each,
	.own_process = true,
};

int main(int argc, char **argv)
{
	settings.seed = random_seed();
	return suite_main(argc, argv, &suite);
}
