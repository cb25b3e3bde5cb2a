// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Command lines: sets of options, of a program and of what it shares with others, in one table for
 * getopt_long().
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"
#include "options.h"

#define TABLE_SIZE	48
#define DEPTH_MAX	(1u << 14)
#define MESSAGE_MAX	(1u << 31)

struct table {
	struct option rows[TABLE_SIZE + 1];
	char letters[2 * TABLE_SIZE + 1];
	u32 num_rows, num_letters;
};

static struct {
	const char *synopsis;
	const struct option_set *sets;
	u32 count;
} line;

static void usage(FILE *out)
{
	u32 i;

	fprintf(out, "usage: %s %s\n", program_invocation_short_name, line.synopsis);
	for (i = 0; i < line.count; i++)
		if (line.sets[i].help)
			fputs(line.sets[i].help, out);
	fputs("  -h, --help         this\n", out);
}

void options_refuse(void)
{
	usage(stderr);
	exit(2);
}

static void append(struct table *t, const struct option *row)
{
	if (t->num_rows == TABLE_SIZE)
		abort();
	t->rows[t->num_rows++] = *row;
	if (row->val > CHAR_MAX)
		return;
	t->letters[t->num_letters++] = row->val;
	if (row->has_arg == required_argument)
		t->letters[t->num_letters++] = ':';
}

static bool is_of(const struct option *row, int c)
{
	for (; row && row->name; row++)
		if (row->val == c)
			return true;
	return false;
}

static void take(int c)
{
	u32 i;

	for (i = 0; i < line.count; i++)
		if (is_of(line.sets[i].table, c) && line.sets[i].take(c, line.sets[i].values))
			return;
	options_refuse();
}

int options_take(int argc, char **argv, const char *synopsis, const struct option_set *sets,
		 u32 count)
{
	static const struct option help = { "help", no_argument, NULL, 'h' };
	const struct option *row;
	struct table t = {};
	u32 i;
	int c;

	line.synopsis = synopsis;
	line.sets = sets;
	line.count = count;
	for (i = 0; i < count; i++)
		for (row = sets[i].table; row && row->name; row++)
			append(&t, row);
	append(&t, &help);
	while ((c = getopt_long(argc, argv, t.letters, t.rows, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		}
		take(c);
	}
	return optind;
}

static const struct option two_sides[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "gid", required_argument, NULL, 'g' },
	{ "port", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'n' },
	{ "size", required_argument, NULL, 's' },
	{ "depth", required_argument, NULL, 'D' },
	{ }
};

static bool take_two_sides(int c, void *values)
{
	struct common_options *o = values;

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

void options_two_sides(int argc, char **argv, const struct option_set *own,
		       struct common_options *o)
{
	static struct option_set sets[2];
	static char help[512];
	int at;

	sets[0] = (struct option_set){ two_sides, take_two_sides, o, help };
	sets[1] = *own;
	snprintf(help, sizeof(help),
		 "  Without HOST it is the server.  Both sides take the same options.\n"
		 "  -d, --dev DEV     RDMA device (default: the first)\n"
		 "  -g, --gid IDX     GID index (default: the first of RoCE v2, IPv4 preferred)\n"
		 "  -p, --port PORT   TCP port of the out-of-band exchange (default %s)\n"
		 "  -n, --count N     messages of a QP (default %u)\n"
		 "  -s, --size BYTES  of a message (default %u)\n"
		 "  -D, --depth N     messages of a QP under way (default %u)\n",
		 o->port, o->num, o->size, o->depth);
	at = options_take(argc, argv, "[options] [HOST]", sets, ARRAY_SIZE(sets));
	if (at < argc)
		o->host = argv[at++];
	if (at < argc || !o->num || !o->depth)
		options_refuse();
}
