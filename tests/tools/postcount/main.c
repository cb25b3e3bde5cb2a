// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_postcount: counts the system calls that ibv_post_send, ibv_poll_cq and ibv_post_recv make
 * in a bandwidth run between two sides, and fails beyond given limits.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "count.h"
#include "dev.h"
#include "number.h"
#include "traffic.h"

#define RUN_SECONDS	300

struct limits {
	double post_percent;	/* negative: none */
	double poll;
	double recv;
};

enum {
	OPT_MAX_POST = 256,
	OPT_MAX_POLL,
	OPT_MAX_RECV,
};

static const struct option long_opts[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "gid", required_argument, NULL, 'g' },
	{ "mtu", required_argument, NULL, 'm' },
	{ "port", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'n' },
	{ "size", required_argument, NULL, 's' },
	{ "depth", required_argument, NULL, 'q' },
	{ "signal", required_argument, NULL, 'S' },
	{ "write", no_argument, NULL, 'w' },
	{ "extended", no_argument, NULL, 'x' },
	{ "max-post-percent", required_argument, NULL, OPT_MAX_POST },
	{ "max-poll", required_argument, NULL, OPT_MAX_POLL },
	{ "max-recv", required_argument, NULL, OPT_MAX_RECV },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(FILE *out)
{
	fputs("usage: svt_postcount [options] [HOST]\n"
	      "  Without HOST it is the server.  Both sides take the same options.\n"
	      "  -d, --dev DEV     RDMA device (default: the first)\n"
	      "  -g, --gid IDX     GID index (default: the first of RoCE v2, IPv4 preferred)\n"
	      "  -m, --mtu MTU     path MTU\n"
	      "  -p, --port PORT   TCP port of the out-of-band exchange (default 18541)\n"
	      "  -n, --count N     messages (default 10000)\n"
	      "  -s, --size BYTES  of a message (default 65536)\n"
	      "  -q, --depth N     send queue depth (default 128)\n"
	      "  -S, --signal N    every Nth request is signalled (default 1)\n"
	      "  -w, --write       RDMA WRITE instead of SEND\n"
	      "  -x, --extended    ibv_wr_* instead of ibv_post_send\n"
	      "  --max-post-percent P   fail beyond P system calls in 100 posts\n"
	      "  --max-poll N           fail beyond N system calls in all polls\n"
	      "  --max-recv N           fail beyond N system calls in all receives posted\n", out);
}

static bool take_option(int c, struct traffic_opts *o, struct limits *max)
{
	switch (c) {
	case 'd':
		o->dev = optarg;
		return true;
	case 'g':
		o->gid_index = number_of(optarg, INT32_MAX);
		return true;
	case 'm':
		o->mtu = number_of(optarg, UINT32_MAX);
		return true;
	case 'p':
		o->port = optarg;
		return true;
	case 'n':
		o->num = number_of(optarg, UINT32_MAX);
		return true;
	case 's':
		o->size = number_of(optarg, UINT32_MAX);
		return true;
	case 'q':
		o->depth = number_of(optarg, UINT32_MAX);
		return true;
	case 'S':
		o->signal_every = number_of(optarg, UINT32_MAX);
		return true;
	case 'w':
		o->write = true;
		return true;
	case 'x':
		o->extended = true;
		return true;
	case OPT_MAX_POST:
		max->post_percent = strtod(optarg, NULL);
		return true;
	case OPT_MAX_POLL:
		max->poll = strtod(optarg, NULL);
		return true;
	case OPT_MAX_RECV:
		max->recv = strtod(optarg, NULL);
		return true;
	default:
		return false;
	}
}

static int parse(int argc, char **argv, struct traffic_opts *o, struct limits *max)
{
	int c;

	while ((c = getopt_long(argc, argv, "d:g:m:p:n:s:q:S:wxh", long_opts, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		}
		if (!take_option(c, o, max)) {
			usage(stderr);
			return -1;
		}
	}
	if (optind < argc)
		o->host = argv[optind++];
	if (optind < argc || !o->num || !o->depth || !o->signal_every ||
	    o->signal_every > o->depth || (o->mtu && !dev_mtu_enum(o->mtu))) {
		usage(stderr);
		return -1;
	}
	return 0;
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
	struct traffic_opts o = {
		.port = "18541",
		.gid_index = -1,
		.num = 10000,
		.size = 65536,
		.depth = 128,
		.signal_every = 1,
	};
	struct limits max = { -1, -1, -1 };
	struct traffic_sums sums = { 0 };

	if (parse(argc, argv, &o, &max))
		return 2;
	alarm(clock_scaled_ms(RUN_SECONDS * 1000) / 1000 + 1);
	if (traffic_run(&o, &sums)) {
		printf("FAIL the run did not come to its end\n");
		return 2;
	}
	return report(&sums, &max) ? 0 : 1;
}
