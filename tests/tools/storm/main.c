// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_storm: objects that come and go under traffic. Each mode is a case that runs when named.
 */
#include <stdio.h>

#include "modes.h"
#include "random.h"
#include "report.h"
#include "suite.h"

#define LIMIT_MS	900000
#define UNSAID		UINT64_MAX

static struct test settings = { .amount = UNSAID, .threads = 4, .calm = 1 };

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXTS, settings.devices,
	  "RDMA device; twice for two (default: svta)", 2 },
	{ 'a', "address", "ADDRESS", OPTION_TEXT, &settings.address, "of the peer that listens" },
	{ 'n', "amount", "N", OPTION_U64, &settings.amount,
	  "see above; of the mix: operations of each worker" },
	{ 'w', "workers", "N", OPTION_U32, &settings.threads, "threads (default 4)" },
	{ 'c', "calm", "N", OPTION_U32, &settings.calm,
	  "threads of calm traffic beside the mix (default 1)" },
	{ 'x', "gone", NULL, OPTION_FLAG, &settings.may_go,
	  "a device will be taken away: go on until then" },
	{ }
};

static void each(const struct suite_case *c)
{
	struct test o = settings;

	if (o.amount == UNSAID)
		o.amount = (uintptr_t)c->arg;
	if (!o.devices[0])
		o.devices[0] = "svta";
	if (!o.devices[1])
		o.devices[1] = o.devices[0];
	report_start(c->name, o.seed);
	suite_call(c->run, &o);
	report_end();
}

#define MODE(name, run, about, amount)	{ name, run, about, (const void *)(amount), SUITE_ASKED }

static const struct suite_case modes[] = {
	MODE("mix", mode_mix, "verbs do as they say while others destroy objects", 400),
	MODE("calm", mode_calm, "what is sent arrives, whatever else happens", 0),
	MODE("many", mode_many, "as many QPs work at once", 200),
	MODE("timer", mode_timer, "QPs may go while their timers fire", 200),
	MODE("kill", mode_kill, "processes may be killed at any moment", 10),
	MODE("churn", mode_churn, "namespaces may go with a device under traffic", 10),
	MODE("look", mode_look, "what there is can be looked at, whatever else happens", 0),
	MODE("listen", mode_listen, "connections end in all ways, on the passive side", 1),
	MODE("connect", mode_connect, "connections end in all ways, on the active side", 100),
	{ }
};

static const struct suite_case *const tables[] = { modes, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "[options] MODE...",
	.options = options,
	.notes = "  mix       workers that create, connect, use, change and destroy objects\n"
		 "  calm      traffic with its contents verified, until SIGTERM or N rounds\n"
		 "  many      N RC QPs at once, each of which moves a message\n"
		 "  timer     N QPs destroyed while their timers fire\n"
		 "  kill      N processes that do the mix and are killed\n"
		 "  churn     N network namespaces, each ended with a device under traffic\n"
		 "  look      all objects and statistics shown, until SIGTERM or N rounds\n"
		 "  listen    the passive side of connect, over rdmacm\n"
		 "  connect   N connections of each worker to ADDRESS, ended in all ways\n",
	.seed = &settings.seed,
	.each = each,
	/* What hangs is killed by this, and leaves no counts */
	.limit_ms = LIMIT_MS,
};

int main(int argc, char **argv)
{
	settings.seed = random_seed();
	return suite_main(argc, argv, &suite);
}
