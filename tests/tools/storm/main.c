// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_storm: objects that come and go under traffic. Each mode is a case that runs when named.
 */
#include <stdio.h>

#include "modes.h"
#include "number.h"
#include "random.h"
#include "report.h"
#include "suite.h"

#define LIMIT_MS	900000

static struct test settings = { .threads = 4, .calm = 1 };
static bool has_amount;

static const struct option option_table[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "address", required_argument, NULL, 'a' },
	{ "amount", required_argument, NULL, 'n' },
	{ "workers", required_argument, NULL, 'w' },
	{ "calm", required_argument, NULL, 'c' },
	{ "gone", no_argument, NULL, 'x' },
	{ }
};

static const char help[] =
	"  mix       workers that create, connect, use, change and destroy objects\n"
	"  calm      traffic with its contents verified, until SIGTERM or N rounds\n"
	"  many      N RC QPs at once, each of which moves a message\n"
	"  timer     N QPs destroyed while their timers fire\n"
	"  kill      N processes that do the mix and are killed\n"
	"  churn     N network namespaces, each ended with a device under traffic\n"
	"  listen    the passive side of connect, over rdmacm\n"
	"  connect   N connections of each worker to ADDRESS, ended in all ways\n"
	"  -d, --dev DEV      RDMA device; twice for two (default: svta)\n"
	"  -a, --address ADDRESS  of the peer that listens\n"
	"  -n, --amount N     see above; of the mix: operations of each worker\n"
	"  -w, --workers N    threads (default 4)\n"
	"  -c, --calm N       threads of calm traffic beside the mix (default 1)\n"
	"  -x, --gone         a device will be taken away: go on until then\n";

static bool take_option(int c, void *values)
{
	struct test *o = values;

	switch (c) {
	case 'd':
		o->devices[o->devices[0] ? 1 : 0] = optarg;
		return true;
	case 'a':
		o->address = optarg;
		return true;
	case 'n':
		o->amount = number_of(optarg, UINT64_MAX);
		has_amount = true;
		return true;
	case 'w':
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

static void each(const struct suite_case *c)
{
	struct test o = settings;

	if (!has_amount)
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
	MODE("listen", mode_listen, "connections end in all ways, on the passive side", 1),
	MODE("connect", mode_connect, "connections end in all ways, on the active side", 100),
	{ }
};

static const struct suite_case *const tables[] = { modes, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "[options] MODE...",
	.options = { option_table, take_option, &settings, help },
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
