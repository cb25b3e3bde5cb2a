// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Advice that is not waited for: as much as is asked for, each for as many ranges as a command
 * takes.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "limits.h"

#define PAGE		4096
#define RANGES		4000

static void flood(struct test *t)
{
	static struct ibv_sge ranges[RANGES];
	static struct world w;
	struct ibv_mr *mr;
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 i;
	int err = 0;

	MUST(page != MAP_FAILED, "no memory for the test");
	if (world_open(&w, t->devices[0]))
		return;
	mr = ibv_reg_mr(w.pd, page, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	MUST(mr, "region: %s", strerror(errno));
	for (i = 0; i < RANGES; i++)
		ranges[i] = (struct ibv_sge) { (uintptr_t)page, PAGE, mr->lkey };
	for (i = 0; i < t->count && !err; i++)
		err = ibv_advise_mr(w.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, ranges, RANGES);
	CHECK(!err, "advice %u of %u: %s", i, t->count, strerror(err));
	CHECK(!ibv_dereg_mr(mr), "the region cannot be deregistered");
}

const struct suite_case advice_cases[] = {
	{ "advice", flood, "so much advice at once is taken" },
	{ }
};
