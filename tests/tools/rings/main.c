// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_rings: user space that does what it can to a device by way of its rings and commands.
 */
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "klog.h"
#include "number.h"
#include "random.h"
#include "sentinel.h"
#include "supervisor.h"

static struct settings {
	const char *devices[2];
	u64 seed;
	u64 amount;
	u32 round;
	bool one_round;
} settings = { .amount = 100 };

static const struct option option_table[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "amount", required_argument, NULL, 'n' },
	{ "round", required_argument, NULL, 'r' },
	{ }
};

static const char help[] =
	"  attack             is no case: rounds of anything; it runs when it is named\n"
	"  -d, --dev DEV      device; twice: the other end of QPs is on the second, in some rounds\n"
	"  -n, --amount N     operations of the attack, or repetitions within a case\n"
	"  -r, --round ROUND  of the attack this round only\n";

static bool take_option(int c, void *values)
{
	struct settings *s = values;

	if (c == 'n') {
		s->amount = number_of(optarg, UINT64_MAX);
	} else if (c == 'r') {
		s->round = number_of(optarg, UINT32_MAX);
		s->one_round = true;
	} else if (!s->devices[0]) {
		s->devices[0] = optarg;
	} else if (!s->devices[1]) {
		s->devices[1] = optarg;
	} else {
		return false;
	}
	return true;
}

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
		.round = settings.round,
		.one_round = settings.one_round,
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
	.options = { option_table, take_option, &settings, help },
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
