// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_postcount: counts the system calls that ibv_post_send, ibv_poll_cq and ibv_post_recv make
 * in a bandwidth run between two sides, and fails beyond given limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "count.h"
#include "dev.h"
#include "number.h"
#include "traffic.h"

#define RUN_SECONDS	300

enum {
	OPT_MAX_POST = 256,
	OPT_MAX_POLL,
	OPT_MAX_RECV,
};

struct limits {
	double post_percent;	/* negative: none */
	double poll;
	double recv;
};

struct settings {
	struct common_options common;
	struct traffic_kind kind;
	struct limits max;
};

static const struct option table[] = {
	{ "mtu", required_argument, NULL, 'm' },
	{ "signal", required_argument, NULL, 'S' },
	{ "write", no_argument, NULL, 'w' },
	{ "extended", no_argument, NULL, 'x' },
	{ "max-post-percent", required_argument, NULL, OPT_MAX_POST },
	{ "max-poll", required_argument, NULL, OPT_MAX_POLL },
	{ "max-recv", required_argument, NULL, OPT_MAX_RECV },
	{ }
};

static const char help[] =
	"  -m, --mtu MTU     path MTU (default: the port's)\n"
	"  -S, --signal N    every Nth request is signalled (default 1)\n"
	"  -w, --write       RDMA WRITE instead of SEND\n"
	"  -x, --extended    ibv_wr_* instead of ibv_post_send\n"
	"  --max-post-percent P   fail beyond P system calls in 100 posts\n"
	"  --max-poll N           fail beyond N system calls in all polls\n"
	"  --max-recv N           fail beyond N system calls in all receives posted\n";

static bool take_option(int c, void *values)
{
	struct settings *s = values;

	switch (c) {
	case 'm':
		s->kind.mtu = number_of(optarg, UINT32_MAX);
		return dev_mtu_enum(s->kind.mtu);
	case 'S':
		s->kind.signal_every = number_of(optarg, UINT32_MAX);
		return true;
	case 'w':
		s->kind.write = true;
		return true;
	case 'x':
		s->kind.extended = true;
		return true;
	case OPT_MAX_POST:
		s->max.post_percent = strtod(optarg, NULL);
		return true;
	case OPT_MAX_POLL:
		s->max.poll = strtod(optarg, NULL);
		return true;
	case OPT_MAX_RECV:
		s->max.recv = strtod(optarg, NULL);
		return true;
	default:
		return false;
	}
}

static void parse(int argc, char **argv, struct settings *s)
{
	const struct option_set own = { table, take_option, s, help };

	options_two_sides(argc, argv, &own, &s->common);
	if (!s->kind.signal_every || s->kind.signal_every > s->common.depth)
		options_refuse();
}

/* Return: whether @value is within @max, where there is one. */
static bool within(const char *what, double value, double max, const char *unit)
{
	if (max < 0 || value <= max)
		return true;
	printf("FAIL %s: %.2f%s, at most %.2f allowed\n", what, value, unit, max);
	return false;
}

static bool report(const struct traffic_sums *sums, const struct limits *max)
{
	const u64 post = count_calls(PHASE_POST), poll = count_calls(PHASE_POLL);
	const u64 recv = count_calls(PHASE_RECV);
	double percent = sums->posts ? 100.0 * post / sums->posts : 0;
	bool good = true;

	printf("post %llu calls in %llu posts (%.2f in 100)\n",
	       (unsigned long long)post, (unsigned long long)sums->posts, percent);
	printf("poll %llu calls in %llu polls\n", (unsigned long long)poll,
	       (unsigned long long)sums->polls);
	printf("recv %llu calls in %llu receives\n", (unsigned long long)recv,
	       (unsigned long long)sums->recvs);
	good &= within("post", percent, max->post_percent, " in 100");
	good &= within("poll", poll, max->poll, "");
	good &= within("recv", recv, max->recv, "");
	return good;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.common = {
			.port = "18541", .gid_index = -1, .num = 10000, .size = 65536, .depth = 128,
		},
		.kind.signal_every = 1,
		.max = { -1, -1, -1 },
	};
	struct traffic_sums sums = { 0 };

	parse(argc, argv, &s);
	alarm(clock_scaled_ms(RUN_SECONDS * 1000) / 1000 + 1);
	if (traffic_run(&s.common, &s.kind, &sums)) {
		printf("FAIL the run did not come to its end\n");
		return 2;
	}
	return report(&sums, &s.max) ? 0 : 1;
}
