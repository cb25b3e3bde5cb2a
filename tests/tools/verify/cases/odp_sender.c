// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What UC and UD send from memory that is paged on demand. The data is in a file of memory: with
 * each new mapping of it the pages have to be found again, and are not zero.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "res.h"
#include "tables.h"
#include "udlink.h"

#define PAGE		4096u
#define AREA		(16 * PAGE)
#define AT		1001u
#define LEN		(AREA - 2 * AT)
#define ROUNDS		8

struct area {
	struct test *t;
	u8 *p;
	int fd;
	struct ibv_mr *mr;
};

/* The same data, and no page of it is in the page tables */
static void map_anew(struct area *a)
{
	if (mmap(a->p, AREA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a->fd, 0) != a->p)
		test_fail(a->t, "mmap: %s", strerror(errno));
}

static void open_area(struct test *t, struct area *a)
{
	if (!(t->dev->attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		test_skip(t, "the device does not page on demand");
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
	a->t = t;
	a->p = res_map(t, AREA);
	a->fd = memfd_create("svt_verify", 0);
	if (a->fd < 0 || ftruncate(a->fd, AREA))
		test_fail(t, "memfd_create: %s", strerror(errno));
	map_anew(a);
	a->mr = res_mr(t, t->pd, a->p, AREA, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
}

static void close_area(struct area *a)
{
	close(a->fd);
}

static void run_uc(struct test *t)
{
	struct buf *b = buf_new(t, AREA, ACCESS_ALL);
	struct link_opts o;
	struct area a;
	struct link *l;
	u32 i;

	open_area(t, &a);
	link_defaults(t, &o, IBV_QPT_UC);
	l = link_open(t, &o);
	for (i = 0; i < ROUNDS; i++) {
		struct ibv_sge to = buf_sge(b, AT, LEN);
		struct ibv_sge from = { (uintptr_t)a.p + AT, LEN, a.mr->lkey };

		if (!t->client)
			link_recv(l, i, &to, 1);
		test_sync(t);
		if (t->client) {
			pattern_fill(a.p + AT, LEN, t->key + i, 0);
			map_anew(&a);
			link_send(l, i, &from, 1);
			cq_expect_ok(t, l->scq, i, IBV_WC_SEND);
		} else {
			cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
			pattern_check(t, b->p + AT, LEN, t->key + i, "what was sent");
		}
		test_sync(t);
	}
	close_area(&a);
}

static void send_datagram(struct ud *u, struct area *a, u32 id)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = ud_wr(u, id, &sge, u->mtu);
	/* Across the end of a page */
	u8 *from = a->p + (id + 1) * PAGE - u->mtu / 2;

	pattern_fill(from, u->mtu, u->t->key + id, 0);
	map_anew(a);
	sge.addr = (uintptr_t)from;
	sge.lkey = a->mr->lkey;
	link_post(u->l, &wr);
	cq_expect_ok(u->t, u->l->scq, id, IBV_WC_SEND);
}

static void run_ud(struct test *t)
{
	struct ud *u = ud_open_plain(t, ROUNDS);
	struct grh_want want = { .len = u->mtu };
	struct area a;
	u32 i;

	open_area(t, &a);
	for (i = 0; i < ROUNDS; i++) {
		if (!t->client)
			ud_recv(u, i, 0, u->mtu);
		test_sync(t);
		if (t->client)
			send_datagram(u, &a, i);
		else
			ud_expect(u, i, 0, i, &want);
		test_sync(t);
	}
	close_area(&a);
}

const struct suite_case odp_sender_cases[] = {
	{ "odp_uc", run_uc, "UC sends what has to be brought first", NULL },
	{ "odp_ud", run_ud, "UD does", NULL },
	{ }
};
