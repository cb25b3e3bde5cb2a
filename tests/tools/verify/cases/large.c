// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Large messages: 16 and 64 MiB, and 2^31 bytes over a small file that is mapped again and again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define LARGE		(64u << 20)
#define CHUNK		(2u << 20)
#define HUGE_LEN	0x80000000u

struct span {
	u8 *p;
	size_t size;
};

static int release_span(void *obj)
{
	struct span *s = obj;
	int ret = munmap(s->p, s->size);

	free(s);
	return ret ? errno : 0;
}

/* @size bytes of address space over one chunk of memory. */
static u8 *map_repeated(struct test *t, size_t size)
{
	int fd = memfd_create("svt_verify", MFD_CLOEXEC);
	struct span *s = malloc(sizeof(*s));
	size_t at;

	if (fd < 0 || !s || ftruncate(fd, CHUNK))
		test_fail(t, "no memory file: %s", strerror(errno));
	s->size = size;
	s->p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->p == MAP_FAILED)
		test_fail(t, "no address space: %s", strerror(errno));
	res_add(t, "address space", s, release_span);
	for (at = 0; at < size; at += CHUNK)
		if (mmap(s->p + at, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			 0) == MAP_FAILED)
			test_fail(t, "cannot map the file: %s", strerror(errno));
	close(fd);
	return s->p;
}

/* One message of @len bytes; all of the responder's memory or its repeated chunk is checked. */
static void transfer(struct test *t, enum ibv_wr_opcode opcode, u8 *p, u32 len, u32 check)
{
	struct ibv_mr *mr = res_mr(t, t->pd, p, len, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)p, .rkey = mr->rkey };
	struct ibv_sge sge = { (uintptr_t)p, len, mr->lkey };
	bool source = t->client == (opcode != IBV_WR_RDMA_READ);
	struct link *l = link_open_rc(t);
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	t->peer_ms = LIMIT_SLOW_MS;
	if (source)
		pattern_fill(p, check, t->key, 0);
	if (!t->client && opcode == IBV_WR_SEND)
		link_recv(l, 1, &sge, 1);
	if (!t->client && opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		link_recv(l, 1, NULL, 0);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		wr = wr_rdma(opcode, 1, &sge, r.addr, r.rkey);
		link_post(l, &wr);
	}
	if (t->client || opcode != IBV_WR_RDMA_READ) {
		cq_next_slow(t, l->scq, &wc);
		wc_check(t, &wc, 1, IBV_WC_SUCCESS);
		if (!t->client && wc.byte_len != len)
			test_fail(t, "byte_len is %u, expected %u", wc.byte_len, len);
	}
	test_sync(t);
	if (!source)
		pattern_check(t, p, check, t->key, "large message");
}

static void run_large(struct test *t)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND, IBV_WR_RDMA_READ,
	};
	size_t i = (uintptr_t)t->c->arg;
	u32 len = i ? LARGE / 4 : LARGE;

	transfer(t, ops[i], res_map(t, len), len, len);
}

static void run_huge(struct test *t)
{
	enum ibv_wr_opcode op = t->c->arg ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE_WITH_IMM;

	if (!t->run->large)
		test_skip(t, "only with -L");
	transfer(t, op, map_repeated(t, HUGE_LEN), HUGE_LEN, CHUNK);
}

const struct suite_case large_cases[] = {
	{ "large_write", run_large, "WRITE_WITH_IMM of 64 MiB", (const void *)0 },
	{ "large_send", run_large, "SEND of 16 MiB", (const void *)1 },
	{ "large_read", run_large, "READ of 16 MiB", (const void *)2 },
	{ "large_2g_write", run_huge, "WRITE_WITH_IMM of 2^31 bytes", NULL },
	{ "large_2g_read", run_huge, "READ of 2^31 bytes", ARG_YES },
	{ }
};
