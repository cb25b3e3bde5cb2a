// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_share: what many busy QPs get done beside each other. Fails when one got less than --least or
 * more than --most of the mean.
 */
#include <stdio.h>

#include "share.h"

static struct settings {
	struct common_options common;
	u32 qps;
	double least, most;
} settings = {
	.common = { .port = "18542", .gid_index = -1, .num = 1000, .size = 64, .depth = 32 },
	.qps = 64,
	.least = 0.8,
	.most = 1.2,
};

static const struct option_row options[] = {
	{ 'q', "qps", "N", OPTION_U32, &settings.qps,
	  "RC QPs (default 64); --count is their average", QPS_MAX },
	{ 0, "least", "SHARE", OPTION_REAL, &settings.least,
	  "fail when a QP got less of the mean (default 0.8)" },
	{ 0, "most", "SHARE", OPTION_REAL, &settings.most,
	  "fail when a QP got more of it (default 1.2)" },
	{ }
};

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
	const struct settings *s = &settings;
	static u32 done[QPS_MAX];

	options_two_sides(argc, argv, options, &settings.common);
	if (!s->qps || !s->common.size)
		options_refuse();
	if (share_run(&s->common, s->qps, done))
		return 1;
	if (!s->common.host || is_fair(s, done))
		return 0;
	printf("FAIL a QP has no fair share: at least %.2f and at most %.2f is allowed\n", s->least,
	       s->most);
	return 1;
}
