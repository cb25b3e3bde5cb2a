// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_errnos: every verb with an argument out of its range, one at a time. Fails when the errno is
 * another than the manual pages of rdma-core name (or, where they name none, than the table here
 * says), when an object is left, and when the same call with nothing wrong fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "errnos.h"
#include "rdmanl.h"
#include "suite.h"

#define MOST_CASES	400
/* More than one case creates at a time */
#define HANDLES	8

static const struct errno_case *const rows[] = {
	memory_cases,
	queue_cases,
	qp_cases,
	modify_cases,
	address_cases,
	post_cases,
	domain_cases,
	xrc_cases,
};

static struct suite_case cases[MOST_CASES + 1];
static const struct suite_case *const tables[] = { cases, NULL };

static const char *device;
static u32 rounds = 1, device_index;
static struct world world;

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

static bool take(struct rdmanl_counts *counts, u32 *handles)
{
	return CHECK(!rdmanl_count(device_index, counts), "the objects cannot be counted") &&
	       CHECK(!next_handles(&world, handles), "no handles");
}

static void call(const struct errno_case *c)
{
	u32 free_before[HANDLES], free_after[HANDLES];
	struct rdmanl_counts before, after;
	int err;

	if (!take(&before, free_before))
		return;
	errno = 0;
	err = c->call(&world, c);
	if (!take(&after, free_after))
		return;
	CHECK(err == c->expected, "%s, expected: %s", err ? strerror(err) : "no error",
	      c->expected ? strerror(c->expected) : "no error");
	CHECK(!memcmp(free_before, free_after, sizeof(free_before)),
	      "an object of the process is left");
	if (CHECK(rdmanl_same(&before, &after), "not the same objects before and after"))
		return;
	rdmanl_note("before", &before);
	rdmanl_note("after", &after);
}

static void each(const struct suite_case *c)
{
	u32 round;

	for (round = 0; round < rounds && !suite_failures(); round++)
		call(c->arg);
}

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXT, &device, "RDMA device of this network namespace" },
	{ 'n', "rounds", "N", OPTION_U32, &rounds, "how often each call is made (default 1)" },
	{ }
};

static bool check(void)
{
	return device && rounds;
}

static int setup(void)
{
	int err = rdmanl_open() ?: rdmanl_device_index(device, &device_index);

	return err ? complain(device, err) : world_open(&world, device);
}

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [options] [NAME...]",
	.options = options,
	.check = check,
	.setup = setup,
	.each = each,
};

static void join_rows(void)
{
	const struct errno_case *row;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (row = rows[i]; row->name; row++)
			suite_add(cases, MOST_CASES, row->name, row);
}

int main(int argc, char **argv)
{
	join_rows();
	return suite_main(argc, argv, &suite);
}
