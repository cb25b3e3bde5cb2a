// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions of a dma-buf that udmabuf makes of a memfd, so that the process has the same memory
 * mapped, and sees what came.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define PAGE	4096u
#define AREA	(64 * PAGE)
/* The region begins and ends within a page */
#define AT	(3 * PAGE + 1001)
#define LEN	(AREA - AT - 777)
#define IOVA	(0x123456000000 + AT % PAGE)

struct shared {
	struct test *t;
	int memfd;
	int fd;
	u8 *p;
	struct ibv_mr *mr;
};

static int release_mr(void *obj)
{
	return ibv_dereg_mr(obj);
}

static int release_fd(void *obj)
{
	return close((intptr_t)obj);
}

static int release_area(void *obj)
{
	return munmap(obj, AREA);
}

static int keep_fd(struct test *t, const char *what, int fd)
{
	if (fd < 0)
		test_fail(t, "%s: %s", what, strerror(errno));
	res_add(t, what, (void *)(intptr_t)fd, release_fd);
	return fd;
}

/* udmabuf takes no memory that could be cut off */
static int new_memfd(struct test *t)
{
	int fd = keep_fd(t, "memfd", memfd_create("dmabuf", MFD_ALLOW_SEALING));

	if (ftruncate(fd, AREA) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		test_fail(t, "memfd: %s", strerror(errno));
	return fd;
}

static struct shared new_shared(struct test *t)
{
	struct udmabuf_create create = { .size = AREA, .flags = UDMABUF_FLAGS_CLOEXEC };
	struct shared s = { .t = t };
	int driver = open("/dev/udmabuf", O_RDWR);

	if (driver < 0)
		test_skip(t, "no /dev/udmabuf: %s", strerror(errno));
	keep_fd(t, "/dev/udmabuf", driver);
	s.memfd = new_memfd(t);
	create.memfd = s.memfd;
	s.fd = keep_fd(t, "dma-buf", ioctl(driver, UDMABUF_CREATE, &create));
	s.p = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, s.memfd, 0);
	if (s.p == MAP_FAILED)
		test_fail(t, "mmap: %s", strerror(errno));
	res_add(t, "mapping", s.p, release_area);
	memset(s.p, GUARD_BYTE, AREA);
	return s;
}

static void reg(struct shared *s)
{
	s->mr = ibv_reg_dmabuf_mr(s->t->pd, AT, LEN, IOVA, s->fd, ACCESS_ALL);
	if (!s->mr)
		test_fail(s->t, "ibv_reg_dmabuf_mr: %s", strerror(errno));
	res_add(s->t, "region of a dma-buf", s->mr, release_mr);
}

static void meet(struct test *t, u64 addr, u32 rkey, struct remote *r)
{
	struct remote mine = { .addr = addr, .rkey = rkey };

	test_exchange(t, &mine, r, sizeof(mine));
}

static void request(struct link *l, enum ibv_wr_opcode opcode, u32 lkey, const struct remote *r,
		    u64 id)
{
	struct ibv_sge sge = { IOVA, LEN, lkey };
	struct ibv_send_wr wr = wr_rdma(opcode, id, &sge, r->addr, r->rkey);

	link_post(l, &wr);
	cq_expect(l->t, l->scq, id, IBV_WC_SUCCESS, NULL);
}

static void check(struct shared *s, u64 id)
{
	pattern_check(s->t, s->p + AT, LEN, s->t->key + id, "the dma-buf");
	guard_check(s->t, s->p, AT, "before the region");
	guard_check(s->t, s->p + AT + LEN, AREA - AT - LEN, "after the region");
}

/* Both ends are such regions: the server gets it by WRITE, the client gets other data by READ. */
static void run_traffic(struct test *t)
{
	struct shared s = new_shared(t);
	struct link *l = link_open_rc(t);
	struct remote r;

	reg(&s);
	meet(t, IOVA, s.mr->rkey, &r);
	if (t->client) {
		pattern_fill(s.p + AT, LEN, t->key + 1, 0);
		request(l, IBV_WR_RDMA_WRITE, s.mr->lkey, &r, 1);
	}
	test_sync(t);
	check(&s, 1);
	test_sync(t);
	if (!t->client)
		pattern_fill(s.p + AT, LEN, t->key + 2, 0);
	test_sync(t);
	if (t->client)
		request(l, IBV_WR_RDMA_READ, s.mr->lkey, &r, 2);
	check(&s, 2);
}

static void drop(struct test *t, void *obj)
{
	if (res_drop(t, obj))
		test_fail(t, "the dma-buf cannot be let go of");
}

/* The region keeps the memory when all who had it are gone. */
static void run_outlives(struct test *t)
{
	struct shared s = new_shared(t);
	struct link *l = link_open_rc(t);
	struct buf *b = buf_new(t, LEN, ACCESS_ALL);
	struct remote r;

	reg(&s);
	drop(t, (void *)(intptr_t)s.fd);
	drop(t, (void *)(intptr_t)s.memfd);
	drop(t, s.p);
	meet(t, IOVA, s.mr->rkey, &r);
	if (t->client) {
		struct ibv_sge sge = buf_sge(b, 0, LEN);
		struct ibv_send_wr out = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, r.addr, r.rkey);
		struct ibv_send_wr in = wr_rdma(IBV_WR_RDMA_READ, 2, &sge, r.addr, r.rkey);

		pattern_fill(b->p, LEN, t->key, 0);
		link_post(l, &out);
		cq_expect_ok(t, l->scq, 1, IBV_WC_RDMA_WRITE);
		memset(b->p, 0, LEN);
		link_post(l, &in);
		cq_expect_ok(t, l->scq, 2, IBV_WC_RDMA_READ);
		pattern_check(t, b->p, LEN, t->key, "what was written");
	}
	test_sync(t);
}

/* No other memory is near: one byte more is refused. */
static void run_bounds(struct test *t)
{
	struct shared s = new_shared(t);
	struct link *l = link_open_rc(t);
	struct buf *b = buf_new(t, 8, ACCESS_ALL);
	struct ibv_sge sge = buf_sge(b, 0, 2);
	struct ibv_send_wr wr;
	struct remote r;

	reg(&s);
	meet(t, IOVA, s.mr->rkey, &r);
	if (t->client) {
		wr = wr_rdma(IBV_WR_RDMA_WRITE, 1, &sge, r.addr + LEN - 1, r.rkey);
		link_post(l, &wr);
		cq_expect(t, l->scq, 1, IBV_WC_REM_ACCESS_ERR, NULL);
	}
	test_sync(t);
	guard_check(t, s.p, AREA, "the dma-buf");
}

static void refused(struct shared *s, u64 offset, size_t length, u64 iova, int fd, int error)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(s->t->pd, offset, length, iova, fd, ACCESS_ALL);

	if (mr)
		test_fail(s->t, "%zu bytes at %llu, iova %llx, file %d: accepted", length,
			  (unsigned long long)offset, (unsigned long long)iova, fd);
	if (errno != error)
		test_fail(s->t, "%zu bytes at %llu, iova %llx, file %d: %s", length,
			  (unsigned long long)offset, (unsigned long long)iova, fd,
			  strerror(errno));
}

static void run_refused(struct test *t)
{
	struct shared s = new_shared(t);

	refused(&s, 0, 0, 0, s.fd, EINVAL);
	refused(&s, 0, AREA + 1, 0, s.fd, EINVAL);
	refused(&s, AREA, 1, 0, s.fd, EINVAL);
	refused(&s, UINT64_MAX, 2, PAGE - 1, s.fd, EINVAL);
	refused(&s, 0, PAGE, UINT64_MAX - PAGE + 1, s.fd, EINVAL);
	refused(&s, 1, PAGE, 2, s.fd, EINVAL);
	refused(&s, 0, PAGE, 0, -1, EBADF);
	refused(&s, 0, PAGE, 0, keep_fd(t, "file", open("/dev/null", O_RDWR)), EINVAL);
	reg(&s);
}

const struct suite_case dmabuf_cases[] = {
	{ "dmabuf_traffic", run_traffic, "WRITE and READ between two", NULL },
	{ "dmabuf_outlives", run_outlives, "the region has it longer than the process", NULL },
	{ "dmabuf_bounds", run_bounds, "one byte beyond the region", NULL },
	{ "dmabuf_refused", run_refused, "offsets, lengths, files that are refused", NULL },
	{ }
};
