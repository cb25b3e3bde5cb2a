// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As many objects of a kind as are asked for, or, with -r, until one is refused, which has to be
 * for want of memory. Then all is kept until the end of the input, so that others can be looked at.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limits.h"

#define HEAP		(6 << 20)
#define CUSHION		(256 << 10)

/* Queues of pages: their memory goes for them, and not for the areas that a process maps them by */
#define DEPTH		256

/* Memory of the process itself is not to be what its control group refuses: that kills */
static int heap_reserve(void)
{
	void *heap;

	mallopt(M_MMAP_THRESHOLD, 2 * HEAP);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP);
	heap = malloc(HEAP);
	free(heap);
	/* Nor is its code to go, to make room for objects */
	return heap ? mlockall(MCL_CURRENT) : -1;
}

static void wait_for_end(void)
{
	char byte;

	fflush(stdout);
	while (read(STDIN_FILENO, &byte, sizeof(byte)) > 0)
		;
}

static void *cushion_get(void)
{
	return mmap(NULL, CUSHION, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

static void fill_up(struct test *t)
{
	const struct kind *kind = t->c->arg;
	static struct world w;
	void **objects, *cushion;
	u32 count = 0;
	int err = 0;

	w.depth = t->refused ? DEPTH : 1;
	if (world_open(&w, t->devices[0]))
		return;
	MUST(!t->refused || !heap_reserve(), "mlockall: %s", strerror(errno));
	cushion = cushion_get();
	objects = calloc(t->count, sizeof(*objects));
	MUST(objects && cushion != MAP_FAILED, "no memory for the test");
	while (count < t->count && (objects[count] = kind->make(&w)))
		count++;
	err = count < t->count ? errno : 0;
	munmap(cushion, CUSHION);
	suite_note("%u of %u, then: %s", count, t->count, strerror(err));
	CHECK(err == (t->refused ? ENOMEM : 0), "that is not how it is to end");
	if (t->refused)
		wait_for_end();
	for (err = 0; count && !err; err = kind->drop(objects[--count]))
		;
	CHECK(!err, "one cannot be destroyed: %s", strerror(err));
	free(objects);
}

const struct suite_case fill_cases[] = {
	{ "fill_pd", fill_up, "so many PDs", &kind_pd },
	{ "fill_ah", fill_up, "so many AHs", &kind_ah },
	{ "fill_cq", fill_up, "so many CQs", &kind_cq },
	{ "fill_largest_cq", fill_up, "so many CQs of max_cqe", &kind_largest_cq },
	{ "fill_srq", fill_up, "so many SRQs", &kind_srq },
	{ "fill_qp", fill_up, "so many QPs", &kind_qp },
	{ "fill_mr", fill_up, "so many MRs", &kind_mr },
	{ "fill_odp", fill_up, "so many MRs that are paged on demand", &kind_odp },
	{ "fill_mw", fill_up, "so many MWs", &kind_mw },
	{ "fill_dm", fill_up, "so many pieces of device memory", &kind_dm },
	{ "fill_xrcd", fill_up, "so many XRC domains", &kind_xrcd },
	{ "fill_group", fill_up, "so many multicast groups", &kind_group },
	{ }
};
