/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <getopt.h>
#include <stdio.h>

#include "types.h"

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

/* What one of them takes beside, and what it does unless told. */
struct own_options {
	struct common_options defaults;
	const struct option *table;		/* of getopt_long(), ends with an empty one */
	bool (*take)(int c, void *values);	/* one of @table; false: its value is none */
	void (*usage)(FILE *out);		/* the lines of @table */
};

/*
 * Return: 0, or -1 with the usage on stderr.  Exits with 2 for what is no number, and with 0 when
 * it was only asked for help.  @values: for @own->take.
 */
int options_parse(int argc, char **argv, const struct own_options *own, struct common_options *o,
		  void *values);
/* For values that do not fit each other.  Return: -1 with the usage on stderr. */
int options_refuse(const struct own_options *own);

#endif
