// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that is paged on demand: registered before it is there, and taken away while it is.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define PAGE		4096u
#define AREA		(64 * PAGE)
#define AT		1001u	/* where data begins, so that it ends within a page as well */
#define LEN		(AREA - 2 * AT)
#define FORKS		20
#define ARG_TAGGED	((const void *)2)
#define TAG		0x2a	/* of an address: arm64 takes no notice of its upper byte */

/* What both sides have: an area that nobody touched, and a region of it */
struct stage {
	struct test *t;
	u8 *p;
	struct ibv_mr *mr;
	struct link *l;
	struct remote r;
	u64 ids;
};

/* The case's argument is ARG_YES for a region of the whole address space. */
static struct ibv_mr *reg_area(struct test *t, u8 *p)
{
	const int access = ACCESS_ALL | IBV_ACCESS_ON_DEMAND;

	if (t->c->arg == ARG_YES)
		return res_mr(t, t->pd, NULL, SIZE_MAX, access);
	return res_mr(t, t->pd, p, AREA, access);
}

static void meet(struct stage *s)
{
	struct remote mine = { .addr = (uintptr_t)s->p, .rkey = s->mr->rkey };

	s->l = link_open_rc(s->t);
	test_exchange(s->t, &mine, &s->r, sizeof(mine));
}

static struct stage *stage(struct test *t)
{
	struct stage *s = res_alloc(t, sizeof(*s));

	if (!(t->dev->attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		test_skip(t, "the device does not page on demand");
	s->t = t;
	s->p = res_map(t, AREA);
	if (t->c->arg == ARG_TAGGED)
		s->p = (u8 *)((uintptr_t)s->p | (uintptr_t)TAG << 56);
	s->mr = reg_area(t, s->p);
	meet(s);
	return s;
}

/* All of the area leaves; what comes in its place is zero. */
static void drop(struct stage *s)
{
	if (madvise(s->p, AREA, MADV_DONTNEED))
		test_fail(s->t, "madvise: %s", strerror(errno));
}

static void request(struct stage *s, enum ibv_wr_opcode opcode, u32 len, enum ibv_wc_status status)
{
	struct ibv_sge sge = { (uintptr_t)s->p + AT, len, s->mr->lkey };
	struct ibv_send_wr wr = wr_rdma(opcode, ++s->ids, &sge, s->r.addr + AT, s->r.rkey);

	link_post(s->l, &wr);
	cq_expect(s->t, s->l->scq, s->ids, status, NULL);
}

static void write_all(struct stage *s)
{
	pattern_fill(s->p + AT, LEN, s->t->key + ++s->ids, 0);
	--s->ids;
	request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_SUCCESS);
}

static void zero_check(struct stage *s, const u8 *p, size_t len, const char *what)
{
	for (; len; len--, p++)
		if (*p)
			test_fail(s->t, "%s is not as the kernel gave it", what);
}

static void check(struct stage *s, u64 nth, const char *what)
{
	zero_check(s, s->p, AT, "what is in front");
	pattern_check(s->t, s->p + AT, LEN, s->t->key + nth, what);
	zero_check(s, s->p + AT + LEN, AREA - AT - LEN, "what is behind");
}

/* WRITE into, READ from and to what is not there, again after it left, and SEND. */
static void run_traffic(struct test *t)
{
	struct stage *s = stage(t);
	struct ibv_sge sge = { (uintptr_t)s->p + AT, LEN, s->mr->lkey };

	if (t->client)
		write_all(s);
	test_sync(t);
	check(s, 1, "WRITE");
	test_sync(t);
	if (t->client) {
		drop(s);
		request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_SUCCESS);
		check(s, 1, "READ");
	}
	test_sync(t);
	drop(s);
	test_sync(t);
	if (t->client) {
		request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_SUCCESS);
		zero_check(s, s->p, AREA, "READ of what left");
	} else {
		link_recv(s->l, 1, &sge, 1);
	}
	test_sync(t);
	drop(s);
	test_sync(t);
	if (t->client) {
		pattern_fill(s->p + AT, LEN, t->key + 9, 0);
		link_send(s->l, 9, &sge, 1);
		cq_expect_ok(t, s->l->scq, 9, IBV_WC_SEND);
	} else {
		cq_expect(t, s->l->rcq, 1, IBV_WC_SUCCESS, NULL);
		check(s, 9, "SEND");
	}
}

static void run_atomic(struct test *t)
{
	struct stage *s = stage(t);
	struct ibv_sge sge = { (uintptr_t)s->p, 8, s->mr->lkey };
	struct ibv_send_wr wr;
	u64 *value = (u64 *)s->p;
	u32 i;

	for (i = 1; t->client && i <= 3; i++) {
		drop(s);
		wr = wr_rdma(IBV_WR_ATOMIC_FETCH_AND_ADD, i, &sge, s->r.addr, s->r.rkey);
		wr.wr.atomic.compare_add = 5;
		link_post(s->l, &wr);
		cq_expect_ok(t, s->l->scq, i, IBV_WC_FETCH_ADD);
		if (*value != 5 * (i - 1))
			test_fail(t, "the atomic gives %llu, expected %u", *value, 5 * (i - 1));
	}
	test_sync(t);
	if (!t->client && *value != 15)
		test_fail(t, "the atomics make %llu, expected 15", *value);
}

/* Other memory in place of the area, or none: the addresses stay taken, lest others get them. */
static void replace(struct stage *s, int prot)
{
	if (mmap(s->p, AREA, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != s->p)
		test_fail(s->t, "mmap: %s", strerror(errno));
}

/* What is gone is refused, by either side, and there is something again when there is. */
static void run_unmapped(struct test *t)
{
	struct stage *s = stage(t);

	if (t->client)
		write_all(s);
	test_sync(t);
	replace(s, PROT_NONE);
	test_sync(t);
	if (t->client)
		request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_LOC_PROT_ERR);
	test_sync(t);
	meet(s);
	if (t->client) {
		replace(s, PROT_READ | PROT_WRITE);
		request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	meet(s);
	if (!t->client)
		replace(s, PROT_READ | PROT_WRITE);
	test_sync(t);
	if (t->client)
		write_all(s);
	test_sync(t);
	check(s, 4, "WRITE");
}

/* What may only be read can be read from, not written to. */
static void run_readonly(struct test *t)
{
	struct stage *s = stage(t);

	pattern_fill(s->p + AT, LEN, t->key, 0);
	if (!t->client && mprotect(s->p, AREA, PROT_READ))
		test_fail(t, "mprotect: %s", strerror(errno));
	test_sync(t);
	if (t->client) {
		memset(s->p, 0, AREA);
		request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_SUCCESS);
		check(s, 0, "READ");
		request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_REM_ACCESS_ERR);
	}
}

static void fork_once(struct test *t)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		test_fail(t, "fork: %s", strerror(errno));
}

/* A page that is copied because a child shares it is the parent's copy to the peer. */
static void run_copied(struct test *t)
{
	struct stage *s = stage(t);

	if (t->client)
		write_all(s);
	test_sync(t);
	if (!t->client) {
		pid_t child = fork();

		if (!child) {
			pause();
			_exit(0);
		}
		if (child < 0)
			test_fail(t, "fork: %s", strerror(errno));
		pattern_fill(s->p + AT, LEN, t->key + 2, 0);
		test_sync(t);
		test_sync(t);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		check(s, 3, "WRITE while a child has the pages");
		return;
	}
	test_sync(t);
	request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_SUCCESS);
	check(s, 2, "READ while a child has the pages");
	s->ids = 2;
	write_all(s);
	test_sync(t);
}

static void *fork_often(void *arg)
{
	u32 i;

	for (i = 0; i < FORKS; i++)
		fork_once(arg);
	return NULL;
}

/* Each fork takes away the right to write all pages, in the middle of WRITEs and READs. */
static void run_forks(struct test *t)
{
	struct stage *s = stage(t);
	pthread_t forker;
	u32 i;

	if (pthread_create(&forker, NULL, fork_often, t))
		test_fail(t, "no thread");
	for (i = 0; t->client && i < 30; i++) {
		u64 key = t->key + s->ids + 1;

		write_all(s);
		memset(s->p, 0, AREA);
		request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_SUCCESS);
		pattern_check(t, s->p + AT, LEN, key, "READ of what was written");
	}
	pthread_join(forker, NULL);
	test_sync(t);
}

static int advise(struct stage *s, enum ibv_advise_mr_advice advice, struct ibv_mr *mr, u32 len)
{
	u8 *p = mr->addr ? mr->addr : s->p;
	struct ibv_sge sge = { (uintptr_t)p, len, mr->lkey };

	return ibv_advise_mr(s->t->pd, advice, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
}

static void run_advice(struct test *t)
{
	struct stage *s = stage(t);
	struct ibv_mr *pinned = res_mr(t, t->pd, res_map(t, PAGE), PAGE, ACCESS_ALL);
	struct ibv_mr *reading;

	if (advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH, s->mr, AREA) ||
	    advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, s->mr, AREA) ||
	    advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, s->mr, AREA))
		test_fail(t, "ibv_advise_mr: %s", strerror(errno));
	zero_check(s, s->p, AREA, "what was prefetched");
	test_sync(t);
	if (t->client)
		write_all(s);
	test_sync(t);
	check(s, 1, "WRITE");

	if (advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH, pinned, PAGE) != EINVAL)
		test_fail(t, "advice on a region that is pinned");
	if (advise(s, 77, s->mr, PAGE) != EOPNOTSUPP)
		test_fail(t, "advice that nobody knows");
	if (!t->c->arg && advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH, s->mr, AREA + 1) != EFAULT)
		test_fail(t, "advice beyond the region");
	reading = res_mr(t, t->pd, s->p, AREA, IBV_ACCESS_ON_DEMAND);
	if (advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, reading, AREA) != EPERM)
		test_fail(t, "advice to write on a region for reading");
	replace(s, PROT_NONE);
	if (advise(s, IBV_ADVISE_MR_ADVICE_PREFETCH, s->mr, AREA) != EFAULT)
		test_fail(t, "advice on what is not mapped");
}

/* One number for all architectures; one that has no such call may have no name for it */
#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

/* Memory that not even the kernel has at hand */
static void become_secret(struct stage *s)
{
	int fd = syscall(SYS_memfd_secret, 0);

	if (fd < 0)
		test_skip(s->t, "memfd_secret: %s", strerror(errno));
	if (ftruncate(fd, AREA) ||
	    mmap(s->p, AREA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != s->p)
		test_fail(s->t, "mmap: %s", strerror(errno));
	close(fd);
	pattern_fill(s->p, AREA, s->t->key, 0);
}

/* It is refused as it would be if it were pinned, and whoever asks for it. */
static void run_secret(struct test *t)
{
	struct stage *s = stage(t);
	const enum ibv_advise_mr_advice advices[] = {
		IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
	};
	u32 i;

	become_secret(s);
	for (i = 0; i < 3; i++)
		if (advise(s, advices[i], s->mr, AREA) != EFAULT)
			test_fail(t, "advice %u on secret memory", i);
	test_sync(t);
	if (t->client)
		request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_LOC_PROT_ERR);
	test_sync(t);
	meet(s);
	if (t->client) {
		replace(s, PROT_READ | PROT_WRITE);
		request(s, IBV_WR_RDMA_WRITE, LEN, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	meet(s);
	if (t->client)
		request(s, IBV_WR_RDMA_READ, LEN, IBV_WC_REM_ACCESS_ERR);
	test_sync(t);
	if (!t->client)
		pattern_check(t, s->p, AREA, t->key, "secret memory");
}

#ifdef __aarch64__
static void run_tagged(struct test *t)
{
	if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0))
		test_fail(t, "prctl: %s", strerror(errno));
	run_traffic(t);
}
#endif

const struct suite_case odp_cases[] = {
	{ "odp_traffic", run_traffic, "WRITE, READ, SEND where nothing is yet", NULL },
	{ "odp_atomic", run_atomic, "atomics where nothing is yet", NULL },
	{ "odp_unmapped", run_unmapped, "memory that is unmapped, and mapped again", NULL },
	{ "odp_readonly", run_readonly, "memory that may only be read", NULL },
	{ "odp_copied", run_copied, "pages that a child shares", NULL },
	{ "odp_forks", run_forks, "forks in the middle of WRITEs and READs", NULL },
	{ "odp_advice", run_advice, "ibv_advise_mr", NULL },
	{ "odp_secret", run_secret, "memory of memfd_secret()", NULL },
	{ "odp_implicit_traffic", run_traffic, "the same, all of the address space", ARG_YES },
	{ "odp_implicit_atomic", run_atomic, "the same, all of the address space", ARG_YES },
	{ "odp_implicit_unmapped", run_unmapped, "the same, all of the address space", ARG_YES },
	{ "odp_implicit_forks", run_forks, "the same, all of the address space", ARG_YES },
	{ "odp_implicit_advice", run_advice, "the same, all of the address space", ARG_YES },
#ifdef __aarch64__
	{ "odp_tagged", run_tagged, "the same at an address that has a tag", ARG_TAGGED },
#endif
	{ }
};
