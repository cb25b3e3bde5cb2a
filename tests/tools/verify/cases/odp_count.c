// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an administrator sees of a region that is paged on demand: faults, advice and invalidations,
 * as rdma(8) shows them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define PAGE	4096u
#define PAGES	64u
#define AREA	(PAGES * PAGE)

struct counts {
	u64 faults, invalidations, prefetched;
};

/* The number behind @name, wherever it stands, in all lines together */
static u64 sum_of(const char *text, const char *name)
{
	u64 sum = 0;

	while ((text = strstr(text, name))) {
		text += strlen(name);
		sum += strtoull(text, NULL, 10);
	}
	return sum;
}

/* Of all regions of this network namespace: only the one of this case is paged */
static struct counts count(struct test *t)
{
	static const char command[] = "rdma statistic show mr";
	FILE *rdma = popen(command, "r");
	char text[8192];
	size_t len;

	if (!rdma)
		test_fail(t, "%s: %s", command, strerror(errno));
	len = fread(text, 1, sizeof(text) - 1, rdma);
	text[len] = '\0';
	if (pclose(rdma) || !strstr(text, "page_faults"))
		test_fail(t, "%s shows no region", command);
	return (struct counts) {
		.faults = sum_of(text, "page_faults "),
		.invalidations = sum_of(text, "page_invalidations "),
		.prefetched = sum_of(text, "page_prefetch "),
	};
}

static void read_all(struct link *l, struct buf *b, const struct remote *r, u64 id)
{
	struct ibv_sge sge = buf_sge(b, 0, AREA);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_READ, id, &sge, r->addr, r->rkey);

	link_post(l, &wr);
	cq_expect_ok(l->t, l->scq, id, IBV_WC_RDMA_READ);
}

static void reader(struct test *t, struct link *l)
{
	struct buf *b = buf_new(t, AREA, ACCESS_ALL);
	struct remote r, none = { };
	u64 id;

	test_exchange(t, &none, &r, sizeof(r));
	for (id = 1; id <= 2; id++) {
		test_sync(t);
		read_all(l, b, &r, id);
		test_sync(t);
	}
}

static void advise(struct test *t, struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, AREA, mr->lkey };
	int err = ibv_advise_mr(t->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);

	if (err)
		test_fail(t, "ibv_advise_mr: %s", strerror(err));
}

/* Pages that advice brought are counted as such, and READs find them; what left they miss. */
static void owner(struct test *t)
{
	u8 *p = res_map(t, AREA);
	struct ibv_mr *mr = res_mr(t, t->pd, p, AREA, ACCESS_ALL | IBV_ACCESS_ON_DEMAND);
	struct remote peers, mine = { .addr = (uintptr_t)p, .rkey = mr->rkey };
	struct counts before = count(t), advised, read, left;

	advise(t, mr);
	advised = count(t);
	if (advised.prefetched != before.prefetched + PAGES)
		test_fail(t, "advice on %u pages counts %llu", PAGES,
			  advised.prefetched - before.prefetched);
	test_exchange(t, &mine, &peers, sizeof(peers));
	test_sync(t);
	test_sync(t);
	read = count(t);
	if (read.faults != before.faults)
		test_fail(t, "%llu faults though all was advised", read.faults - before.faults);
	if (read.invalidations)
		test_fail(t, "%llu pages left, and nobody told them to", read.invalidations);

	if (madvise(p, AREA, MADV_DONTNEED))
		test_fail(t, "madvise: %s", strerror(errno));
	left = count(t);
	if (!left.invalidations)
		test_fail(t, "no page that left is counted");
	test_sync(t);
	test_sync(t);
	if (count(t).faults == left.faults)
		test_fail(t, "no fault is counted though all had left");
}

static void run_counts(struct test *t)
{
	struct link *l;

	if (!(t->dev->attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		test_skip(t, "the device does not page on demand");
	l = link_open_rc(t);
	if (t->client)
		reader(t, l);
	else
		owner(t);
}

const struct suite_case odp_count_cases[] = {
	{ "odp_counts", run_counts, "advice, faults and invalidations of a region", NULL },
	{ }
};
