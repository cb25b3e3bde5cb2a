/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_SUITE_H
#define TOOLS_SUITE_H

#include "options.h"
#include "types.h"

/**
 * DOC: programs that are suites of cases
 *
 * To add a case to a program, write a function and a row in the table at the end of its file::
 *
 *	static void write_of_nothing(struct test *t)
 *	{
 *		struct ibv_wc wc;
 *
 *		MUST(!post_write(t, 0), "post: %s", strerror(errno));
 *		MUST(poll(t, &wc), "no completion");
 *		CHECK(wc.byte_len == 0, "%u bytes instead of none", wc.byte_len);
 *	}
 *
 *	const struct suite_case write_cases[] = {
 *		{ "write_of_nothing", write_of_nothing, "a WRITE of no bytes completes" },
 *		{ }
 *	};
 *
 * A new table is named once more, in the list of tables of the program.
 *
 * To make a program, fill in a struct suite and call suite_main() from main(). It takes the command
 * line, which has the program's own options and these:
 *
 *	-l		lists the names of the cases, a line each, and needs nothing else; -ll says
 *			what each of them proves as well
 *	-t NAMES, NAME	only these cases: names or shell patterns, behind -t with commas between
 *	-s SEED		of random numbers, where the program has them
 *	-h		usage
 *
 * SVT_TIME_SCALE in the environment multiplies all time limits, SVT_SEED is a seed.
 *
 * An unknown option, a name of no case and a failed setup() end the program with status 2.
 * Otherwise its output is KTAP, with "# " in front of all but the results::
 *
 *	KTAP version 1
 *	1..3
 *	# seed 1
 *	ok 1 write_of_nothing
 *	ok 2 write_large # SKIP only with -L
 *	# write.c:42: 8 bytes instead of 4
 *	not ok 3 write_odd # 2.1 s
 *	# 1 passed, 1 failed, 1 skipped
 *
 * The status is 0 when nothing failed, else 1. Tests in shell run a program by "suite" of
 * tests/lib/ktap.sh.
 */

/* What the cases of a program work with. Each program says what that is, if it is anything. */
struct test;

/* Of a case: it runs only when an argument is its whole name, and -l does not list it. */
#define SUITE_ASKED	(1 << 0)

/**
 * struct suite_case - a row of a table, which ends with an empty row
 * @name: says what is tested, and never changes: results are compared by it
 * @run: the test. It fails by what is below, and passes otherwise
 * @about: what a pass of it proves; is shown when it failed
 * @arg: for functions that serve several rows
 * @flags: SUITE_ASKED or none
 */
struct suite_case {
	const char *name;
	void (*run)(struct test *t);
	const char *about;
	const void *arg;
	u32 flags;
};

/**
 * struct suite - a program. All but @tables may be left out.
 * @tables: run in this order; ends with NULL
 * @synopsis: of the usage, what stands behind the program's name
 * @options: its own (options.h), ended by an empty row. Not h, l, t, nor s where there is a @seed
 * @notes: lines of the usage beside
 * @arguments: its own, before names of cases: @num_arguments at most, those that are not there NULL
 * @seed: what -s sets, and the first lines say. Its value is the default
 * @check: whether options fit each other; false shows the usage
 * @fits: false for a case that is not of this run, whatever was selected
 * @setup: before the first case: devices, peers. Return: 0, or -1 with a line on stderr
 * @teardown: after the last case
 * @each: runs one case: sets up what it works with, calls suite_call(), takes it down. Unless said
 *	it is suite_call(c->run, NULL)
 * @next: the nth case of the run, from 0, or NULL for none. Unless said it is suite_selected()
 * @limit_ms: of a case, before SVT_TIME_SCALE. One that takes longer ends the program. 0: no limit
 * @own_process: @each runs in a child: what a case leaves, or dies of, is not the program's
 */
struct suite {
	const struct suite_case *const *tables;
	const char *synopsis;
	const struct option_row *options;
	const char *notes;
	const char **arguments;
	u32 num_arguments;
	u64 *seed;
	bool (*check)(void);
	bool (*fits)(const struct suite_case *c);
	int (*setup)(void);
	void (*teardown)(void);
	void (*each)(const struct suite_case *c);
	const struct suite_case *(*next)(u32 nth);
	u32 limit_ms;
	bool own_process;
};

/*
 * Adds a case to @table, which is empty or ends with an empty row, and has room for @most and that:
 * for rows that a program has of its own. Aborts where there is no room.
 */
void suite_add(struct suite_case *table, u32 most, const char *name, const void *arg);

/* Return: the status to exit with. */
int suite_main(int argc, char **argv, const struct suite *s);

/*
 * Verdicts of the case that runs. Any thread and any child may give them; only the one that is in
 * suite_call() may leave. Without one the case has passed.
 */

/* It failed; the message tells why, with the place. It goes on. */
#define FAIL(...)	suite_fail_at(__FILE__, __LINE__, __VA_ARGS__)
/* It fails unless the condition is true, and goes on. Value: whether it is. */
#define CHECK(condition, ...)				\
	({						\
		bool holds_ = (condition);		\
							\
		if (!holds_)				\
			FAIL(__VA_ARGS__);		\
		holds_;					\
	})
/* It fails unless the condition is true, and ends then. */
#define MUST(condition, ...)				\
	do {						\
		if (!CHECK(condition, __VA_ARGS__))	\
			suite_leave();			\
	} while (0)
/* It cannot run here, the message tells why, and ends. */
#define SKIP(...)					\
	do {						\
		suite_skip(__VA_ARGS__);		\
		suite_leave();				\
	} while (0)

void suite_fail_at(const char *file, int line, const char *format, ...) __printf(3, 4);
/* The same without a place, for messages that say enough */
void suite_fail(const char *format, ...) __printf(1, 2);
/* What SKIP() says, without an end */
void suite_skip(const char *format, ...) __printf(1, 2);
/* Ends it: suite_call() returns. */
void suite_leave(void) __noreturn;
u32 suite_failures(void);
/* NULL: it was not skipped */
const char *suite_skip_reason(void);
/* False before the first case, and in programs that are no suites */
bool suite_runs_case(void);

/* A line of the output that is no verdict: "# " is put in front. */
void suite_note(const char *format, ...) __printf(1, 2);

/* Runs @run(@t), for @each. Return: whether it came to its end. */
bool suite_call(void (*run)(struct test *t), struct test *t);

/* For programs whose cases another one selects: */
const struct suite_case *suite_selected(u32 nth);
u32 suite_count(void);
const struct suite_case *suite_find(const char *name);
/* How many there will be, where it is not suite_count(); for setup(). */
void suite_plan(u32 count);

#endif
