// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_rings: user space that does what it can to a device by way of its rings and commands.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/case.h"
#include "clock.h"
#include "klog.h"
#include "number.h"
#include "random.h"
#include "sentinel.h"
#include "supervisor.h"

struct options {
	const char *devices[2];
	const char *name;	/* of a case */
	u64 seed;
	u64 amount;
	u32 round;
	bool one_round;
};

static void usage(FILE *out)
{
	u32 i;

	fputs("usage: svt_rings -d DEV [-d DEV] [-s SEED] [-n N] [-r ROUND | -c CASE]\n"
	      "  -d DEV    device; twice: the other end of QPs is on the second, in some rounds\n"
	      "  -s SEED   of everything that is drawn (default: SVT_SEED, or any)\n"
	      "  -n N      operations, or repetitions within a case\n"
	      "  -r ROUND  this round only\n"
	      "  -c CASE   no attack, but one case, by name:\n", out);
	for (i = 0; ring_cases[i].name; i++)
		fprintf(out, "             %-16s %s\n", ring_cases[i].name, ring_cases[i].about);
}

static int parse(int argc, char **argv, struct options *o)
{
	u32 devices = 0;
	int c;

	o->seed = random_seed();
	o->amount = 100;
	while ((c = getopt(argc, argv, "d:s:n:r:c:h")) != -1) {
		if (c == 'd' && devices < 2) {
			o->devices[devices++] = optarg;
		} else if (c == 's') {
			o->seed = number_of(optarg, UINT64_MAX);
		} else if (c == 'n') {
			o->amount = number_of(optarg, UINT64_MAX);
		} else if (c == 'r') {
			o->round = number_of(optarg, UINT32_MAX);
			o->one_round = true;
		} else if (c == 'c') {
			o->name = optarg;
		} else {
			return -1;
		}
	}
	if (devices == 1)
		o->devices[1] = o->devices[0];
	return devices && optind == argc ? 0 : -1;
}

static const struct test_case *find_case(const char *name)
{
	const struct test_case *c;

	for (c = ring_cases; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int run_case(const struct options *o, const struct test_case *c,
		    const struct foreign *foreign)
{
	static struct stage st;
	int ret;

	st.devices[0] = o->devices[0];
	st.devices[1] = o->devices[1];
	st.foreign = *foreign;
	random_start(&st.rng, o->seed, 0);
	st.amount = o->amount;
	ret = stage_open(&st);
	check(&st, !ret, "set-up: %s", strerror(-ret));
	if (!ret) {
		c->run(&st);
		stage_close(&st);
	}
	printf("%s %s (seed %llu)\n", st.failures ? "FAIL" : "ok", c->name, o->seed);
	return st.failures != 0;
}

/* In a process of its own, so that what it leaves behind is not ours */
static bool case_in_process(const struct options *o, const struct test_case *c,
			    const struct foreign *foreign)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		exit(run_case(o, c, foreign));
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n", c->name, WTERMSIG(status));
	return !status;
}

static bool attack(const struct options *o, const struct foreign *foreign)
{
	const struct campaign campaign = {
		.devices = { o->devices[0], o->devices[1] },
		.seed = o->seed,
		.operations = o->amount,
		.round = o->round,
		.one_round = o->one_round,
	};

	return campaign_run(&campaign, foreign);
}

int main(int argc, char **argv)
{
	const struct test_case *c = NULL;
	struct sentinel *sentinel;
	struct options o = {};
	bool known, ok;

	setvbuf(stdout, NULL, _IOLBF, 0);
	known = !parse(argc, argv, &o);
	if (o.name)
		c = find_case(o.name);
	if (!known || (o.name && !c)) {
		usage(stderr);
		return 2;
	}
	printf("seed %llu\n", o.seed);
	klog_mark("svt_rings -s %llu", o.seed);
	sentinel = sentinel_start(o.devices[0], ~o.seed);
	if (!sentinel)
		return 2;
	if (c)
		ok = case_in_process(&o, c, &sentinel->foreign);
	else
		ok = attack(&o, &sentinel->foreign);
	return !sentinel_stop(sentinel) || !ok;
}
