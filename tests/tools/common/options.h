/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "types.h"

/* What an option leaves where its row points to. */
enum option_kind {
	OPTION_FLAG,		/* bool: it is there */
	OPTION_COUNT,		/* u32: how often it is there */
	OPTION_TEXT,		/* const char * */
	OPTION_TEXTS,		/* const char *[@most], those that are not there NULL */
	OPTION_U32,
	OPTION_U64,
	OPTION_REAL,		/* double */
};

/* One option. What @to has before is its default. */
struct option_row {
	int letter;		/* 0: it has a long name only */
	const char *name;
	const char *value;	/* what the usage calls it; NULL where it has none */
	enum option_kind kind;
	void *to;
	const char *help;
	u64 most;		/* of a number or of texts; 0: no limit but the type's */
};

/*
 * Takes options off a command line. @sets: of rows, each ended by an empty one; the last set is
 * followed by NULL. @notes: what the usage says beside. Exits with 0 when it was asked for help,
 * with 2 and the usage on stderr for what is wrong.
 * Return: the index in @argv of the first that is no option.
 */
int options_take(int argc, char **argv, const char *synopsis, const char *notes,
		 const struct option_row *const *sets);
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
void options_two_sides(int argc, char **argv, const struct option_row *own,
		       struct common_options *o);

#endif
