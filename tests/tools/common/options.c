// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Command lines: rows of options, of a program and of what it shares with others.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "options.h"

#define MOST_OPTIONS	48
/* What getopt_long() returns for the row of an option without a letter, and behind it */
#define LONG_ONLY	256
#define DEPTH_MAX	(1u << 14)
#define MESSAGE_MAX	(1u << 31)

static struct {
	const char *synopsis, *notes;
	const struct option_row *rows[MOST_OPTIONS];
	struct option names[MOST_OPTIONS + 1];
	char letters[2 * MOST_OPTIONS + 1];
	u32 count, num_letters;
} line;

static void usage(FILE *out)
{
	const struct option_row *row;
	char names[64];
	u32 i;

	fprintf(out, "usage: %s %s\n%s", program_invocation_short_name, line.synopsis,
		line.notes ?: "");
	for (i = 0; i < line.count; i++) {
		row = line.rows[i];
		snprintf(names, sizeof(names), "--%s %s", row->name, row->value ?: "");
		fprintf(out, row->letter ? "  -%c, " : "      ", row->letter);
		fprintf(out, "%-16s %s\n", names, row->help);
	}
}

void options_refuse(void)
{
	usage(stderr);
	exit(2);
}

static void add_row(const struct option_row *row)
{
	if (line.count == MOST_OPTIONS)
		abort();
	line.names[line.count] = (struct option){
		row->name, row->value ? required_argument : no_argument, NULL,
		row->letter ?: LONG_ONLY + (int)line.count,
	};
	line.rows[line.count++] = row;
	if (!row->letter)
		return;
	line.letters[line.num_letters++] = row->letter;
	if (row->value)
		line.letters[line.num_letters++] = ':';
}

static double real_of(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end != text && !*end)
		return value;
	fprintf(stderr, "'%s' is no number\n", text);
	exit(2);
}

static void add_text(const char **list, u64 most)
{
	u64 i;

	for (i = 0; i < most; i++) {
		if (list[i])
			continue;
		list[i] = optarg;
		return;
	}
	options_refuse();
}

static void take(const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)row->to = true;
		break;
	case OPTION_COUNT:
		++*(u32 *)row->to;
		break;
	case OPTION_TEXT:
		*(const char **)row->to = optarg;
		break;
	case OPTION_TEXTS:
		add_text(row->to, row->most);
		break;
	case OPTION_U32:
		*(u32 *)row->to = number_of(optarg, row->most ?: UINT32_MAX);
		break;
	case OPTION_U64:
		*(u64 *)row->to = number_of(optarg, row->most ?: UINT64_MAX);
		break;
	case OPTION_REAL:
		*(double *)row->to = real_of(optarg);
		break;
	}
}

static const struct option_row *find_row(int c)
{
	u32 i;

	for (i = 0; i < line.count; i++)
		if (line.names[i].val == c)
			return line.rows[i];
	options_refuse();
}

int options_take(int argc, char **argv, const char *synopsis, const char *notes,
		 const struct option_row *const *sets)
{
	static bool asked;
	static const struct option_row help = {
		'h', "help", NULL, OPTION_FLAG, &asked, "this",
	};
	const struct option_row *row;
	int c;

	line.synopsis = synopsis;
	line.notes = notes;
	for (; *sets; sets++)
		for (row = *sets; row->name; row++)
			add_row(row);
	add_row(&help);
	while ((c = getopt_long(argc, argv, line.letters, line.names, NULL)) != -1)
		take(find_row(c));
	if (asked) {
		usage(stdout);
		exit(0);
	}
	return optind;
}

void options_two_sides(int argc, char **argv, const struct option_row *own,
		       struct common_options *o)
{
	const struct option_row rows[] = {
		{ 'd', "dev", "DEV", OPTION_TEXT, &o->dev, "RDMA device (default: the first)" },
		{ 'g', "gid", "IDX", OPTION_U32, &o->gid_index,
		  "GID index (default: the first of RoCE v2, IPv4 preferred)", INT32_MAX },
		{ 'p', "port", "PORT", OPTION_TEXT, &o->port,
		  "TCP port of the out-of-band exchange" },
		{ 'n', "count", "N", OPTION_U32, &o->num, "messages of a QP" },
		{ 's', "size", "BYTES", OPTION_U32, &o->size, "of a message", MESSAGE_MAX },
		{ 'D', "depth", "N", OPTION_U32, &o->depth, "messages of a QP under way",
		  DEPTH_MAX },
		{ }
	};
	/* options_refuse() may be called later on */
	static struct option_row common[ARRAY_SIZE(rows)];
	const struct option_row *const sets[] = { common, own, NULL };
	int at;

	memcpy(common, rows, sizeof(rows));
	at = options_take(argc, argv, "[options] [HOST]",
			  "  Without HOST it is the server.  Both sides take the same options.\n",
			  sets);
	if (at < argc)
		o->host = argv[at++];
	if (at < argc || !o->num || !o->depth)
		options_refuse();
}
