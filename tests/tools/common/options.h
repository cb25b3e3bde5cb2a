/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <getopt.h>

#include "types.h"

/* Options that belong together. */
struct option_set {
	const struct option *table;		/* of getopt_long(), ends with an empty one */
	bool (*take)(int c, void *values);	/* one of @table; false: its value is none */
	void *values;				/* for @take */
	const char *help;			/* the lines of @table in the usage */
};

/*
 * Takes the options of all sets off a command line. A set without a table is none. Exits with 0
 * when it was asked for help, with 2 and the usage on stderr for what is wrong.
 * Return: the index in @argv of the first that is no option.
 */
int options_take(int argc, char **argv, const char *synopsis, const struct option_set *sets,
		 u32 count);
/* For what is wrong otherwise: the usage on stderr, and exits with 2. */
void options_refuse(void) __noreturn;

/* What a tool takes that moves messages between two sides. */
struct common_options {
	const char *host;	/* NULL: the server */
	const char *dev;
	const char *port;
	int gid_index;		/* negative: of dev_open()'s choice */
	u32 num;
	u32 size;
	u32 depth;
};

/* @o: has the defaults. @own: what this tool takes beside. Exits as options_take() does. */
void options_two_sides(int argc, char **argv, const struct option_set *own,
		       struct common_options *o);

#endif
