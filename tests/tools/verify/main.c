// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_verify: two sides prove payload integrity and completion semantics of verbs operations.
 *
 * The client leads: it names each test, the server runs the same.  Both print every verdict
 * and agree on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number.h"
#include "session.h"
#include "test.h"

#define DEFAULT_PORT	"18540"
#define ACCEPT_MS	120000
#define CONNECT_MS	60000
#define MAX_PATTERNS	128

struct options {
	const char *dev;
	const char *host;
	const char *port;
	char *tests;
	char *patterns[MAX_PATTERNS + 1];
	int gid_index;
	u32 mtu;
	bool list;
};

struct tally {
	u32 passed, failed, skipped;
};

static const char *running = "(nothing)";

static void usage(FILE *out)
{
	fputs("usage: svt_verify [options] [HOST]\n"
	      "  Without HOST it is the server, which runs what the client asks for.\n"
	      "  -d DEV   RDMA device (default: the first)\n"
	      "  -g IDX   GID index (default: the first of RoCE v2, IPv4 preferred)\n"
	      "  -m MTU   path MTU (default: the port's; the smaller of both sides counts)\n"
	      "  -p PORT  TCP port of the out-of-band exchange (default " DEFAULT_PORT ")\n"
	      "  -s SEED  of all patterns and random choices (client; default 1)\n"
	      "  -t TEST[,TEST...]  only these, shell patterns allowed (client)\n"
	      "  -e       wait for completions in a completion channel, not by polling\n"
	      "  -L       also the tests of 2^31 bytes\n"
	      "  -u       the wire loses packets: leave out what UC and UD cannot promise then\n"
	      "  -x FILE  a script says in FILE what it did to the wire (client)\n"
	      "  -l       list the tests\n"
	      "SVT_TIME_SCALE in the environment multiplies all time limits.\n", out);
}

static int parse(int argc, char **argv, struct options *o, struct run *run)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:m:p:s:t:x:eLulh")) != -1) {
		switch (c) {
		case 'd':
			o->dev = optarg;
			break;
		case 'g':
			o->gid_index = number_of(optarg, INT32_MAX);
			break;
		case 'm':
			o->mtu = number_of(optarg, UINT32_MAX);
			break;
		case 'p':
			o->port = optarg;
			break;
		case 's':
			run->seed = number_of(optarg, UINT64_MAX);
			break;
		case 't':
			o->tests = optarg;
			break;
		case 'x':
			run->cues = optarg;
			run->scripted = true;
			break;
		case 'e':
			run->events = true;
			break;
		case 'L':
			run->large = true;
			break;
		case 'u':
			run->lossy = true;
			break;
		case 'l':
			o->list = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	if (optind < argc)
		o->host = argv[optind++];
	if (optind < argc) {
		usage(stderr);
		return -1;
	}
	run->client = o->host;
	return 0;
}

const struct test_case *suite_find(const char *name)
{
	const struct test_case *const *s;
	const struct test_case *c;

	for (s = suites; *s; s++)
		for (c = *s; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

static void list_tests(void)
{
	const struct test_case *const *s;
	const struct test_case *c;

	for (s = suites; *s; s++)
		for (c = *s; c->name; c++)
			printf("%-24s %s\n", c->name, c->about);
}

static bool wanted(char *const *patterns, const char *name)
{
	if (!*patterns)
		return true;
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

static bool any_matches(const char *pattern)
{
	const struct test_case *const *s;
	const struct test_case *c;

	for (s = suites; *s; s++)
		for (c = *s; c->name; c++)
			if (!fnmatch(pattern, c->name, 0))
				return true;
	return false;
}

/* Splits @o->tests where it is.  A pattern that names no test is a mistake of the caller's. */
static int split_patterns(struct options *o)
{
	u32 num = 0;
	char *p, *save;

	if (!o->tests)
		return 0;
	for (p = strtok_r(o->tests, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
		if (!any_matches(p)) {
			fprintf(stderr, "no test is called %s: see svt_verify -l\n", p);
			return -1;
		}
		if (num == MAX_PATTERNS) {
			fprintf(stderr, "-t takes at most %d names\n", MAX_PATTERNS);
			return -1;
		}
		o->patterns[num++] = p;
	}
	return 0;
}

/* A test that hangs in the kernel or in the provider: say which, for nothing else can. */
static void overdue(int sig)
{
	static const char text[] = ": hung, gave up\n";

	(void)sig;
	if (write(STDOUT_FILENO, "FAIL ", 5) < 0 ||
	    write(STDOUT_FILENO, running, strlen(running)) < 0 ||
	    write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(2);
}

static void report(const struct run *run, const struct test_case *c, const struct outcome *o,
		   u64 ms, struct tally *sum)
{
	switch (o->verdict) {
	case VERDICT_OK:
		printf("ok %s (%llu ms)\n", c->name, (unsigned long long)ms);
		sum->passed++;
		break;
	case VERDICT_SKIP:
		printf("skip %s: %s\n", c->name, o->why);
		sum->skipped++;
		break;
	default:
		printf("FAIL %s: %s (seed %llu)\n", c->name, o->why,
		       (unsigned long long)run->seed);
		sum->failed++;
	}
	fflush(stdout);
}

static void run_one(struct run *run, const struct test_case *c, u32 round, struct tally *sum)
{
	struct test *t = calloc(1, sizeof(*t));
	u64 start = clock_us();
	struct outcome o;

	if (!t)
		abort();
	t->c = c;
	t->run = run;
	t->round = round;
	running = c->name;
	alarm(clock_scaled_ms(LIMIT_TEST_MS) / 1000 + 1);
	test_execute(t, &o);
	alarm(0);
	report(run, c, &o, (clock_us() - start) / 1000, sum);
	free(t);
}

static void run_client(struct run *run, char *const *patterns, struct tally *sum)
{
	static const struct outcome not_run = { VERDICT_FAIL, "not run, the peer is lost" };
	const struct test_case *const *s;
	const struct test_case *c;
	u32 round = 0;

	for (s = suites; *s; s++) {
		for (c = *s; c->name; c++) {
			if (!wanted(patterns, c->name))
				continue;
			if (run->lost || session_start(run, c, ++round))
				report(run, c, &not_run, 0, sum);
			else
				run_one(run, c, round, sum);
		}
	}
	if (!run->lost)
		session_bye(run);
}

static void run_server(struct run *run, struct tally *sum)
{
	const struct test_case *c;
	u32 round;
	int ret;

	while (!run->lost) {
		ret = session_next(run, &c, &round);
		if (!ret)
			return;
		if (ret < 0) {
			fprintf(stderr, "no next test from the client: %s\n", strerror(-ret));
			sum->failed++;
			return;
		}
		run_one(run, c, round, sum);
	}
}

static int connect_peer(struct run *run, const struct options *o)
{
	if (o->host)
		run->oob = oob_connect(o->host, o->port, clock_limit(CONNECT_MS));
	else
		run->oob = oob_accept(o->port, clock_limit(ACCEPT_MS));
	if (run->oob < 0) {
		fprintf(stderr, "no connection %s%s port %s: %s\n", o->host ? "to " : "on",
			o->host ? o->host : "", o->port, strerror(-run->oob));
		return -1;
	}
	return session_hello(run);
}

static int open_device(struct run *run, const struct options *o)
{
	if (dev_open(&run->dev, o->dev, o->gid_index))
		return -1;
	fcntl(run->dev.ctx->async_fd, F_SETFL,
	      fcntl(run->dev.ctx->async_fd, F_GETFL) | O_NONBLOCK);
	run->mtu = o->mtu ? dev_mtu_enum(o->mtu) : run->dev.port.active_mtu;
	if (!run->mtu) {
		fprintf(stderr, "-m %u is no path MTU: 256, 512, 1024, 2048 or 4096\n", o->mtu);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { .port = DEFAULT_PORT, .gid_index = -1 };
	struct run run = { .seed = 1, .oob = -1 };
	struct tally sum = { 0 };

	if (parse(argc, argv, &o, &run) || split_patterns(&o))
		return 2;
	if (o.list) {
		list_tests();
		return 0;
	}
	if (open_device(&run, &o) || connect_peer(&run, &o))
		return 2;
	printf("seed %llu\n", (unsigned long long)run.seed);
	signal(SIGALRM, overdue);
	if (run.client)
		run_client(&run, o.patterns, &sum);
	else
		run_server(&run, &sum);
	close(run.oob);
	dev_close(&run.dev);
	if (sum.skipped)
		printf("%u skipped\n", sum.skipped);
	printf("%u passed, %u failed\n", sum.passed, sum.failed);
	return sum.failed || !(sum.passed + sum.skipped);
}
