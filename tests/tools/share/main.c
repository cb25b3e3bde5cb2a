// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_share: what many busy QPs get done beside each other. Fails when one got less than --least or
 * more than --most of the mean.
 */
#include <stdio.h>
#include <stdlib.h>

#include "number.h"
#include "share.h"

enum {
	OPT_LEAST = 256,
	OPT_MOST,
};

struct settings {
	struct common_options common;
	u32 qps;
	double least, most;
};

static const struct option table[] = {
	{ "qps", required_argument, NULL, 'q' },
	{ "least", required_argument, NULL, OPT_LEAST },
	{ "most", required_argument, NULL, OPT_MOST },
	{ }
};

static const char help[] =
	"  -q, --qps N       RC QPs (default 64, at most 1000); --count is their average\n"
	"  --least SHARE     fail when a QP got less of the mean (default 0.8)\n"
	"  --most SHARE      fail when a QP got more of it (default 1.2)\n";

static bool take_option(int c, void *values)
{
	struct settings *s = values;

	switch (c) {
	case 'q':
		s->qps = number_of(optarg, QPS_MAX);
		return true;
	case OPT_LEAST:
		s->least = strtod(optarg, NULL);
		return true;
	case OPT_MOST:
		s->most = strtod(optarg, NULL);
		return true;
	default:
		return false;
	}
}

static void parse(int argc, char **argv, struct settings *s)
{
	const struct option_set own = { table, take_option, s, help };

	options_two_sides(argc, argv, &own, &s->common);
	if (!s->qps || !s->common.size)
		options_refuse();
}

static bool is_fair(const struct settings *s, const u32 *done)
{
	const u32 mean = s->common.num;
	u32 i, fewest = UINT32_MAX, greatest = 0;

	for (i = 0; i < s->qps; i++) {
		if (done[i] < fewest)
			fewest = done[i];
		if (done[i] > greatest)
			greatest = done[i];
	}
	printf("%u QPs, %u WRITEs of %u bytes each on average: from %.3f to %.3f of that\n",
	       s->qps, mean, s->common.size, (double)fewest / mean, (double)greatest / mean);
	return fewest >= s->least * mean && greatest <= s->most * mean;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.common = {
			.port = "18542", .gid_index = -1, .num = 1000, .size = 64, .depth = 32,
		},
		.qps = 64,
		.least = 0.8,
		.most = 1.2,
	};
	static u32 done[QPS_MAX];

	parse(argc, argv, &s);
	if (share_run(&s.common, s.qps, done))
		return 1;
	if (!s.common.host || is_fair(&s, done))
		return 0;
	printf("FAIL a QP has no fair share: at least %.2f and at most %.2f is allowed\n", s.least,
	       s.most);
	return 1;
}
