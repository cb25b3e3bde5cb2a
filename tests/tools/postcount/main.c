// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_postcount: counts the system calls that ibv_post_send, ibv_poll_cq and ibv_post_recv make
 * in a bandwidth run between two sides, and fails beyond given limits.
 */
#include <stdio.h>

#include "clock.h"
#include "count.h"
#include "dev.h"
#include "traffic.h"

#define RUN_MS	300000

struct limits {
	double post_percent;	/* negative: none */
	double poll;
	double recv;
};

static struct {
	struct common_options common;
	struct traffic_kind kind;
	struct limits max;
} settings = {
	.common = { .port = "18541", .gid_index = -1, .num = 10000, .size = 65536, .depth = 128 },
	.kind.signal_every = 1,
	.max = { -1, -1, -1 },
};

static const struct option_row options[] = {
	{ 'm', "mtu", "MTU", OPTION_U32, &settings.kind.mtu, "path MTU (default: the port's)" },
	{ 'S', "signal", "N", OPTION_U32, &settings.kind.signal_every,
	  "every Nth request is signalled (default 1)" },
	{ 'w', "write", NULL, OPTION_FLAG, &settings.kind.write, "RDMA WRITE instead of SEND" },
	{ 'x', "extended", NULL, OPTION_FLAG, &settings.kind.extended,
	  "ibv_wr_* instead of ibv_post_send" },
	{ 0, "max-post-percent", "P", OPTION_REAL, &settings.max.post_percent,
	  "fail beyond P system calls in 100 posts" },
	{ 0, "max-poll", "N", OPTION_REAL, &settings.max.poll,
	  "fail beyond N system calls in all polls" },
	{ 0, "max-recv", "N", OPTION_REAL, &settings.max.recv,
	  "fail beyond N system calls in all receives posted" },
	{ }
};

static void parse(int argc, char **argv)
{
	const struct traffic_kind *kind = &settings.kind;

	options_two_sides(argc, argv, options, &settings.common);
	if (!kind->signal_every || kind->signal_every > settings.common.depth ||
	    (kind->mtu && !dev_mtu_enum(kind->mtu)))
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
	struct traffic_sums sums = { 0 };

	parse(argc, argv);
	clock_alarm(RUN_MS);
	if (traffic_run(&settings.common, &settings.kind, &sums)) {
		printf("FAIL the run did not come to its end\n");
		return 2;
	}
	return report(&sums, &settings.max) ? 0 : 1;
}
