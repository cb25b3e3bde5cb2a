// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the cases of a program, one after the other, and says in KTAP what came of them.
 */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "suite.h"

#define LINE_LEN	1000
#define MOST_LISTS	32
#define MOST_PATTERNS	256
/* A case that takes less has no time behind its name */
#define WORTH_SAYING_MS	100

/* What the case that runs came to so far; children of the program have it as well */
struct verdict {
	atomic_uint failures;
	atomic_bool skipped;
	char why[LINE_LEN];
};

static struct {
	const struct suite *suite;
	char *lists[MOST_LISTS];	/* of -t */
	const char *patterns[MOST_PATTERNS];
	u32 num_patterns;
	u32 listing;
	const struct suite_case **cases;	/* of all tables */
	u32 num_cases;
	const struct suite_case **selected;
	u32 count, planned, number;
	u32 passed, failed, skipped;
	struct verdict *verdict;
	jmp_buf out;
	char overdue[LINE_LEN];
} this;

/* ---- cases and their names ---- */

static void join_tables(void)
{
	const struct suite_case *const *table;
	const struct suite_case *c;
	u32 room = 0;

	for (table = this.suite->tables; *table; table++)
		for (c = *table; c->name; c++)
			room++;
	this.cases = calloc(room + 1, sizeof(*this.cases));
	this.selected = calloc(room + 1, sizeof(*this.selected));
	if (!this.cases || !this.selected)
		abort();
	for (table = this.suite->tables; *table; table++)
		for (c = *table; c->name; c++)
			this.cases[this.num_cases++] = c;
}

void suite_add(struct suite_case *table, u32 most, const char *name, const void *arg)
{
	u32 i = 0;

	while (table[i].name)
		i++;
	if (i == most)
		abort();
	table[i].name = name;
	table[i].arg = arg;
}

const struct suite_case *suite_find(const char *name)
{
	u32 i;

	for (i = 0; i < this.num_cases; i++)
		if (!strcmp(this.cases[i]->name, name))
			return this.cases[i];
	return NULL;
}

static bool matches(const struct suite_case *c, const char *pattern)
{
	if (!strcmp(c->name, pattern))
		return true;
	return !(c->flags & SUITE_ASKED) && !fnmatch(pattern, c->name, 0);
}

static void refuse(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, what, why);
	exit(2);
}

static void add_pattern(const char *pattern)
{
	u32 i = 0;

	while (i < this.num_cases && !matches(this.cases[i], pattern))
		i++;
	if (i == this.num_cases)
		refuse(pattern, ": no case is called that, see -l");
	if (this.num_patterns == MOST_PATTERNS)
		refuse(pattern, ": one name too many");
	this.patterns[this.num_patterns++] = pattern;
}

/* A name may have commas of its own */
static void add_patterns(char *list)
{
	char *p, *save;

	if (!*list || suite_find(list)) {
		add_pattern(list);
		return;
	}
	for (p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save))
		add_pattern(p);
}

static bool is_selected(const struct suite_case *c)
{
	u32 i;

	if (this.suite->fits && !this.suite->fits(c))
		return false;
	for (i = 0; i < this.num_patterns; i++)
		if (matches(c, this.patterns[i]))
			return true;
	return !this.num_patterns && !(c->flags & SUITE_ASKED);
}

static void select_cases(void)
{
	u32 i;

	for (i = 0; i < this.num_cases; i++)
		if (is_selected(this.cases[i]))
			this.selected[this.count++] = this.cases[i];
	this.planned = this.count;
}

static void list_cases(void)
{
	const struct suite_case *c;
	u32 i;

	for (i = 0; i < this.num_cases; i++) {
		c = this.cases[i];
		if (c->flags & SUITE_ASKED)
			continue;
		if (this.listing > 1)
			printf("%-24s %s\n", c->name, c->about ?: "");
		else
			puts(c->name);
	}
}

const struct suite_case *suite_selected(u32 nth)
{
	return nth < this.count ? this.selected[nth] : NULL;
}

u32 suite_count(void)
{
	return this.count;
}

void suite_plan(u32 count)
{
	this.planned = count;
}

/* ---- verdicts ---- */

static void print_note(const char *place, const char *format, va_list args)
{
	char text[LINE_LEN];

	vsnprintf(text, sizeof(text), format, args);
	printf("# %s%s\n", place, text);
}

void suite_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_note("", format, args);
	va_end(args);
}

void suite_fail_at(const char *file, int line, const char *format, ...)
{
	char place[LINE_LEN / 4];
	va_list args;

	snprintf(place, sizeof(place), "%s:%d: ", file, line);
	va_start(args, format);
	print_note(place, format, args);
	va_end(args);
	atomic_fetch_add(&this.verdict->failures, 1);
}

void suite_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_note("", format, args);
	va_end(args);
	atomic_fetch_add(&this.verdict->failures, 1);
}

void suite_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(this.verdict->why, sizeof(this.verdict->why), format, args);
	va_end(args);
	atomic_store(&this.verdict->skipped, true);
}

u32 suite_failures(void)
{
	return atomic_load(&this.verdict->failures);
}

const char *suite_skip_reason(void)
{
	return atomic_load(&this.verdict->skipped) ? this.verdict->why : NULL;
}

bool suite_runs_case(void)
{
	return this.number;
}

void suite_leave(void)
{
	longjmp(this.out, 1);
}

bool suite_call(void (*run)(struct test *t), struct test *t)
{
	if (setjmp(this.out))
		return false;
	run(t);
	return true;
}

/* ---- one case ---- */

/* A case that hangs in the kernel or in the provider: say which, for nothing else can */
static void overdue(int sig)
{
	size_t length = strlen(this.overdue);

	(void)sig;
	_exit(write(STDOUT_FILENO, this.overdue, length) == (ssize_t)length ? 1 : 3);
}

static void set_limit(const struct suite_case *c)
{
	const u32 ms = this.suite->limit_ms;

	if (!ms)
		return;
	snprintf(this.overdue, sizeof(this.overdue), "# it hung, gave up\nnot ok %u %s\n",
		 this.number, c->name);
	clock_alarm(ms);
}

static void call_case(const struct suite_case *c)
{
	if (this.suite->each)
		this.suite->each(c);
	else
		suite_call(c->run, NULL);
}

static void call_in_process(const struct suite_case *c)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		call_case(c);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		suite_fail("no process of its own: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		suite_fail("ended by signal %d", WTERMSIG(status));
	else if (status)
		suite_fail("ended with status %d", WEXITSTATUS(status));
}

static void print_time(u64 ms)
{
	if (ms >= WORTH_SAYING_MS)
		printf(" # %u.%u s", (u32)(ms / 1000), (u32)(ms % 1000 / 100));
	putchar('\n');
}

static void report(const struct suite_case *c, u64 ms)
{
	const struct verdict *v = this.verdict;

	if (v->failures) {
		if (c->about)
			suite_note("what a pass proves: %s", c->about);
		printf("not ok %u %s", this.number, c->name);
		print_time(ms);
		this.failed++;
	} else if (v->skipped) {
		printf("ok %u %s # SKIP %s\n", this.number, c->name, v->why);
		this.skipped++;
	} else {
		printf("ok %u %s", this.number, c->name);
		print_time(ms);
		this.passed++;
	}
}

static void run_case(const struct suite_case *c)
{
	const u64 start = clock_us();

	memset(this.verdict, 0, sizeof(*this.verdict));
	this.number++;
	set_limit(c);
	if (this.suite->own_process)
		call_in_process(c);
	else
		call_case(c);
	if (this.suite->limit_ms)
		clock_alarm(0);
	report(c, (clock_us() - start) / 1000);
}

/* ---- the program ---- */

static void parse(int argc, char **argv)
{
	static const struct option_row none[] = { { } };
	const struct suite *s = this.suite;
	const struct option_row seed[] = {
		{ 's', "seed", "SEED", OPTION_U64, s->seed, "repeats what is drawn" },
		{ }
	};
	const struct option_row selection[] = {
		{ 't', "tests", "NAMES", OPTION_TEXTS, this.lists,
		  "these cases only, with commas between: shell patterns", MOST_LISTS },
		{ 'l', "list", NULL, OPTION_COUNT, &this.listing,
		  "lists the cases; -ll with what they prove" },
		{ }
	};
	const struct option_row *const sets[] = {
		s->options ?: none, s->seed ? seed : none, selection, NULL,
	};
	u32 i;
	int at = options_take(argc, argv, s->synopsis ?: "[options] [NAME...]", s->notes, sets);

	for (i = 0; i < MOST_LISTS && this.lists[i]; i++)
		add_patterns(this.lists[i]);
	for (i = 0; i < s->num_arguments && at < argc; i++)
		s->arguments[i] = argv[at++];
	while (at < argc)
		add_pattern(argv[at++]);
	if (!this.listing && s->check && !s->check())
		options_refuse();
}

static const struct suite_case *next_case(u32 nth)
{
	return this.suite->next ? this.suite->next(nth) : suite_selected(nth);
}

static int run_cases(void)
{
	const struct suite_case *c;

	printf("KTAP version 1\n1..%u\n", this.planned);
	if (this.suite->seed)
		suite_note("seed %llu", (unsigned long long)*this.suite->seed);
	while ((c = next_case(this.number)))
		run_case(c);
	if (this.suite->teardown)
		this.suite->teardown();
	if (this.number != this.planned)
		suite_note("%u of %u cases ran", this.number, this.planned);
	suite_note("%u passed, %u failed, %u skipped", this.passed, this.failed, this.skipped);
	return this.failed || !this.number || this.number != this.planned;
}

int suite_main(int argc, char **argv, const struct suite *s)
{
	this.suite = s;
	join_tables();
	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv);
	if (this.listing) {
		list_cases();
		return 0;
	}
	select_cases();
	if (!this.count && !s->next)
		refuse("no case", " fits these options");
	this.verdict = mmap(NULL, sizeof(*this.verdict), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (this.verdict == MAP_FAILED)
		return 2;
	if (s->limit_ms)
		signal(SIGALRM, overdue);
	if (s->setup && s->setup())
		return 2;
	return run_cases();
}
