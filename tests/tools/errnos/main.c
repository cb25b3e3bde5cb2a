// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_errnos: every verb with an argument out of its range, one at a time. Fails when the errno is
 * another than the manual pages of rdma-core name (or, where they name none, than the table here
 * says), when an object is left, and when the same call with nothing wrong fails.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errnos.h"
#include "number.h"
#include "rdmanl.h"

/* More than one case creates at a time */
#define HANDLES	8

static const struct errno_case *const tables[] = {
	memory_cases,
	queue_cases,
	qp_cases,
	modify_cases,
	address_cases,
	post_cases,
	domain_cases,
	xrc_cases,
};

struct settings {
	const char *device;
	u32 rounds;
	bool list;
};

static void usage(FILE *out)
{
	fputs("usage: svt_errnos -d DEV [-n ROUNDS] [-l]\n"
	      "  -d, --dev DEV       RDMA device of this network namespace\n"
	      "  -n, --rounds N      how often (default 1)\n"
	      "  -l, --list          name the cases\n", out);
}

static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option table[] = {
		{ "dev", required_argument, NULL, 'd' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "d:n:lh", table, NULL)) != -1) {
		switch (c) {
		case 'd':
			s->device = optarg;
			break;
		case 'n':
			s->rounds = number_of(optarg, UINT32_MAX);
			break;
		case 'l':
			s->list = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	if (optind < argc || (!s->device && !s->list)) {
		usage(stderr);
		return -1;
	}
	return 0;
}

void spoil(const struct world *w, const struct errno_case *c, void *arguments)
{
	const struct spoil *s = &c->spoil;
	u8 *at = (u8 *)arguments + s->at;
	u64 value = 0;
	u32 limit;

	if (s->change == AS_IT_IS)
		return;
	memcpy(&value, at, s->size);
	if (s->change == SET) {
		value = s->value;
	} else if (s->change == FLIP) {
		value ^= s->value;
	} else {
		memcpy(&limit, (const u8 *)&w->dev.attr.orig_attr + s->value, sizeof(limit));
		value = (u64)limit + 1;
	}
	memcpy(at, &value, s->size);
}

/*
 * The next handles that objects of this process get, whatever their kind: the lowest ones that are
 * free. So they tell of one that was left, also of those that the kernel does not count: address
 * handles, windows, flows, XRC domains, device memory.
 */
static int next_handles(const struct world *w, u32 *handles)
{
	struct ibv_pd *pds[HANDLES];
	u32 i, count;
	int err = 0;

	for (count = 0; count < HANDLES; count++) {
		pds[count] = ibv_alloc_pd(w->dev.ctx);
		if (!pds[count])
			break;
		handles[count] = pds[count]->handle;
	}
	for (i = 0; i < count; i++)
		err |= ibv_dealloc_pd(pds[i]);
	return err || count < HANDLES ? -1 : 0;
}

/* 1 when it failed */
static int run_case(const struct world *w, u32 index, const struct errno_case *c)
{
	u32 free_before[HANDLES], free_after[HANDLES];
	struct rdmanl_counts before, after;
	int err;

	if (rdmanl_count(index, &before) || next_handles(w, free_before))
		return 1;
	errno = 0;
	err = c->call(w, c);
	if (rdmanl_count(index, &after) || next_handles(w, free_after))
		return 1;
	if (err != c->expected) {
		printf("FAIL %s: %s", c->name, err ? strerror(err) : "no error");
		printf(", expected: %s\n", c->expected ? strerror(c->expected) : "no error");
		return 1;
	}
	if (memcmp(free_before, free_after, sizeof(free_before))) {
		printf("FAIL %s: an object of the process is left\n", c->name);
		return 1;
	}
	if (rdmanl_same(&before, &after))
		return 0;
	printf("FAIL %s: not the same objects before and after\n", c->name);
	rdmanl_print(&before);
	rdmanl_print(&after);
	return 1;
}

static int list_cases(void)
{
	const struct errno_case *c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (c = tables[i]; c->name; c++)
			puts(c->name);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = { .rounds = 1 };
	const struct errno_case *c;
	u32 round, i, index, passed = 0, failed = 0;
	struct world w;

	if (parse(argc, argv, &s))
		return 2;
	if (s.list)
		return list_cases();
	if (rdmanl_open() || rdmanl_device_index(s.device, &index) || world_open(&w, s.device))
		return 1;
	for (round = 0; round < s.rounds; round++) {
		for (i = 0; i < ARRAY_SIZE(tables); i++) {
			for (c = tables[i]; c->name; c++) {
				if (run_case(&w, index, c))
					failed++;
				else
					passed++;
			}
		}
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
