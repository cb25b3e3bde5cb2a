// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_share: what many busy QPs get done beside each other. Fails when one got less than --least or
 * more than --most of the mean.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"
#include "share.h"

enum {
	OPT_LEAST = 256,
	OPT_MOST,
};

static const struct option long_opts[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "gid", required_argument, NULL, 'g' },
	{ "port", required_argument, NULL, 'p' },
	{ "qps", required_argument, NULL, 'q' },
	{ "count", required_argument, NULL, 'n' },
	{ "size", required_argument, NULL, 's' },
	{ "depth", required_argument, NULL, 'D' },
	{ "least", required_argument, NULL, OPT_LEAST },
	{ "most", required_argument, NULL, OPT_MOST },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: svt_share [options] [HOST]\n"
		"  Without HOST it is the server.  Both sides take the same options.\n"
		"  -d, --dev DEV     RDMA device (default: the first)\n"
		"  -g, --gid IDX     GID index (default: the first of RoCE v2, IPv4 preferred)\n"
		"  -p, --port PORT   TCP port of the out-of-band exchange (default 18542)\n"
		"  -q, --qps N       RC QPs (default 64, at most %u)\n"
		"  -n, --count N     RDMA WRITEs for each, on average (default 1000)\n"
		"  -s, --size BYTES  of a WRITE (default 64)\n"
		"  -D, --depth N     WRITEs of a QP under way (default 32)\n"
		"  --least SHARE     fail when a QP got less of the mean (default 0.8)\n"
		"  --most SHARE      fail when a QP got more of it (default 1.2)\n", QPS_MAX);
}

static bool take_option(int c, struct share_opts *o, double *least, double *most)
{
	switch (c) {
	case 'd':
		o->dev = optarg;
		return true;
	case 'g':
		o->gid_index = number_of(optarg, INT32_MAX);
		return true;
	case 'p':
		o->port = optarg;
		return true;
	case 'q':
		o->qps = number_of(optarg, QPS_MAX);
		return true;
	case 'n':
		o->num = number_of(optarg, INT32_MAX);
		return true;
	case 's':
		o->size = number_of(optarg, 1 << 30);
		return true;
	case 'D':
		o->depth = number_of(optarg, 1 << 14);
		return true;
	case OPT_LEAST:
		*least = strtod(optarg, NULL);
		return true;
	case OPT_MOST:
		*most = strtod(optarg, NULL);
		return true;
	default:
		return false;
	}
}

static bool is_fair(const struct share_opts *o, const u32 *done, double least, double most)
{
	u32 i, fewest = UINT32_MAX, greatest = 0;

	for (i = 0; i < o->qps; i++) {
		if (done[i] < fewest)
			fewest = done[i];
		if (done[i] > greatest)
			greatest = done[i];
	}
	printf("%u QPs, %u WRITEs of %u bytes each on average: from %.3f to %.3f of that\n", o->qps,
	       o->num, o->size, (double)fewest / o->num, (double)greatest / o->num);
	return fewest >= least * o->num && greatest <= most * o->num;
}

int main(int argc, char **argv)
{
	struct share_opts o = {
		.port = "18542", .gid_index = -1, .qps = 64, .num = 1000, .size = 64, .depth = 32,
	};
	static u32 done[QPS_MAX];
	double least = 0.8, most = 1.2;
	int c;

	while ((c = getopt_long(argc, argv, "d:g:p:q:n:s:D:h", long_opts, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		if (!take_option(c, &o, &least, &most)) {
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc)
		o.host = argv[optind++];
	if (optind < argc || !o.qps || !o.num || !o.size || !o.depth) {
		usage(stderr);
		return 2;
	}
	if (share_run(&o, done))
		return 1;
	if (!o.host || is_fair(&o, done, least, most))
		return 0;
	printf("FAIL a QP has no fair share: at least %.2f and at most %.2f is allowed\n", least,
	       most);
	return 1;
}
