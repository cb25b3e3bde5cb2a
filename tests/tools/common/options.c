// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command line of tools that move messages between two sides: what they all take, and what one
 * takes beside, in one table for getopt_long().
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "number.h"
#include "options.h"

#define TABLE_SIZE	32
#define DEPTH_MAX	(1u << 14)
#define MESSAGE_MAX	(1u << 31)

struct table {
	struct option rows[TABLE_SIZE + 1];
	char letters[2 * TABLE_SIZE + 1];
	u32 num_rows, num_letters;
};

static const struct option common[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "gid", required_argument, NULL, 'g' },
	{ "port", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'n' },
	{ "size", required_argument, NULL, 's' },
	{ "depth", required_argument, NULL, 'D' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void usage(const struct own_options *own, FILE *out)
{
	const struct common_options *o = &own->defaults;

	fprintf(out,
		"usage: %s [options] [HOST]\n"
		"  Without HOST it is the server.  Both sides take the same options.\n"
		"  -d, --dev DEV     RDMA device (default: the first)\n"
		"  -g, --gid IDX     GID index (default: the first of RoCE v2, IPv4 preferred)\n"
		"  -p, --port PORT   TCP port of the out-of-band exchange (default %s)\n"
		"  -n, --count N     messages of a QP (default %u)\n"
		"  -s, --size BYTES  of a message (default %u)\n"
		"  -D, --depth N     messages of a QP under way (default %u)\n",
		program_invocation_short_name, o->port, o->num, o->size, o->depth);
	own->usage(out);
}

int options_refuse(const struct own_options *own)
{
	usage(own, stderr);
	return -1;
}

static void append(struct table *t, const struct option *rows)
{
	for (; rows->name; rows++) {
		if (t->num_rows == TABLE_SIZE)
			abort();
		t->rows[t->num_rows++] = *rows;
		if (rows->val > CHAR_MAX)
			continue;
		t->letters[t->num_letters++] = rows->val;
		if (rows->has_arg == required_argument)
			t->letters[t->num_letters++] = ':';
	}
}

static bool take(int c, struct common_options *o)
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
	case 'n':
		o->num = number_of(optarg, UINT32_MAX);
		return true;
	case 's':
		o->size = number_of(optarg, MESSAGE_MAX);
		return true;
	case 'D':
		o->depth = number_of(optarg, DEPTH_MAX);
		return true;
	default:
		return false;
	}
}

int options_parse(int argc, char **argv, const struct own_options *own, struct common_options *o,
		  void *values)
{
	struct table t = {};
	int c;

	append(&t, common);
	append(&t, own->table);
	*o = own->defaults;
	while ((c = getopt_long(argc, argv, t.letters, t.rows, NULL)) != -1) {
		if (c == 'h') {
			usage(own, stdout);
			exit(0);
		}
		if (!take(c, o) && !own->take(c, values))
			return options_refuse(own);
	}
	if (optind < argc)
		o->host = argv[optind++];
	return optind < argc || !o->num || !o->depth ? options_refuse(own) : 0;
}
