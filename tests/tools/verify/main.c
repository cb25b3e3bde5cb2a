// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_verify: two sides prove payload integrity and completion semantics of verbs operations.
 *
 * The client leads: it names each case, the server runs the same.  Both print every verdict
 * and agree on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"
#include "tables.h"
#include "test.h"

#define DEFAULT_PORT	"18540"
#define ACCEPT_MS	120000
#define CONNECT_MS	60000

static struct {
	const char *dev;
	const char *host;
	const char *port;
	int gid_index;
	u32 mtu;
} settings = { .port = DEFAULT_PORT, .gid_index = -1 };

static struct run run = { .seed = 1, .oob = -1 };

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &settings.dev, "RDMA device (default: the first)" },
	{ 'g', "gid", "IDX", OPTION_U32, &settings.gid_index,
	  "GID index (default: the first of RoCE v2, IPv4 preferred)", INT32_MAX },
	{ 'm', "mtu", "MTU", OPTION_U32, &settings.mtu,
	  "path MTU (default: the port's; the smaller of both sides counts)" },
	{ 'p', "port", "PORT", OPTION_TEXT, &settings.port,
	  "TCP port of the out-of-band exchange (default " DEFAULT_PORT ")" },
	{ 'e', "events", NULL, OPTION_FLAG, &run.events,
	  "wait for completions in a completion channel, not by polling" },
	{ 'L', "large", NULL, OPTION_FLAG, &run.large, "also the cases of 2^31 bytes" },
	{ 'u', "lossy", NULL, OPTION_FLAG, &run.lossy,
	  "the wire loses packets: leave out what UC and UD cannot promise then" },
	{ 'P', "pmem", "FILE", OPTION_TEXT, &run.pmem,
	  "also the cases of persistent memory, of which FILE, a device DAX, has 32 MiB" },
	{ 'x', "cues", "FILE", OPTION_TEXT, &run.cues,
	  "a script says in FILE what it did to the wire (client)" },
	{ }
};

static int connect_peer(void)
{
	const char *host = settings.host;

	if (host)
		run.oob = oob_connect(host, settings.port, clock_limit(CONNECT_MS));
	else
		run.oob = oob_accept(settings.port, clock_limit(ACCEPT_MS));
	if (run.oob < 0) {
		fprintf(stderr, "no connection %s%s port %s: %s\n", host ? "to " : "on",
			host ?: "", settings.port, strerror(-run.oob));
		return -1;
	}
	return session_hello(&run);
}

static int open_device(void)
{
	if (dev_open(&run.dev, settings.dev, settings.gid_index))
		return -1;
	fcntl(run.dev.ctx->async_fd, F_SETFL,
	      fcntl(run.dev.ctx->async_fd, F_GETFL) | O_NONBLOCK);
	run.mtu = settings.mtu ? dev_mtu_enum(settings.mtu) : run.dev.port.active_mtu;
	if (!run.mtu) {
		fprintf(stderr, "-m %u is no path MTU: 256, 512, 1024, 2048 or 4096\n",
			settings.mtu);
		return -1;
	}
	return 0;
}

static int setup(void)
{
	run.client = settings.host;
	run.scripted = run.cues;
	run.cases = suite_count();
	if (open_device() || connect_peer())
		return -1;
	suite_plan(run.cases);
	return 0;
}

static void teardown(void)
{
	if (run.client && !run.lost)
		session_bye(&run);
	close(run.oob);
	dev_close(&run.dev);
}

static const struct suite_case *next(u32 nth)
{
	if (run.client)
		return suite_selected(nth);
	return run.lost ? NULL : session_next(&run);
}

static void run_case(const struct suite_case *c)
{
	struct test *t = calloc(1, sizeof(*t));
	struct outcome o;

	if (!t)
		abort();
	t->c = c;
	t->run = &run;
	t->round = run.round;
	test_execute(t, &o);
	if (o.verdict == VERDICT_SKIP)
		suite_skip("%s", o.why);
	else if (o.verdict != VERDICT_OK)
		suite_fail("%s (seed %llu)", o.why, (unsigned long long)run.seed);
	free(t);
}

static void each(const struct suite_case *c)
{
	if (run.client && (run.lost || session_start(&run, c)))
		suite_fail("not run, the peer is lost");
	else
		run_case(c);
}

static const struct suite suite = {
	.tables = tables,
	.synopsis = "[options] [HOST [NAME...]]",
	.options = options,
	.notes = "  Without HOST it is the server, which runs what the client asks for.\n",
	.arguments = &settings.host,
	.num_arguments = 1,
	.seed = &run.seed,
	.setup = setup,
	.teardown = teardown,
	.each = each,
	.next = next,
	.limit_ms = LIMIT_TEST_MS,
};

int main(int argc, char **argv)
{
	return suite_main(argc, argv, &suite);
}
