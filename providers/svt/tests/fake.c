// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A kernel and a libibverbs that live in the test program, see fake.h. The functions stand in for
 * those of the same name in libibverbs, and ioctl() for that of the C library, so the test program
 * is linked with neither provider nor library. mmap() is wrapped by the linker.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

#define PAGE	4096U

struct fake fake;

static struct ibv_context context = { .cmd_fd = -1 };
static uint64_t file_length;
static uint32_t handles;

int fake_setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

struct ibv_context *fake_context(void)
{
	if (context.cmd_fd < 0)
		context.cmd_fd = memfd_create("rings", MFD_CLOEXEC);
	return &context;
}

void *__real_mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (!fake.no_mappings)
		return __real_mmap(start, length, protection, flags, fd, offset);
	fake.no_mappings--;
	errno = ENOMEM;
	return MAP_FAILED;
}

static uint32_t round_up(uint32_t entries)
{
	uint32_t power = 1;

	while (power < entries)
		power *= 2;
	return power;
}

static int make_ring(struct fake_ring *ring, uint32_t entries, uint32_t stride)
{
	struct svt_ring_info info = {
		.mmap_offset = file_length,
		.entries = round_up(entries),
		.stride = (stride + 63) & ~63U,
	};

	info.mmap_length = sizeof(*ring->control) + (uint64_t)info.entries * info.stride;
	info.mmap_length = (info.mmap_length + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	file_length += info.mmap_length;
	if (ftruncate(context.cmd_fd, file_length))
		return errno;
	memset(ring, 0, sizeof(*ring));
	ring->control = __real_mmap(NULL, info.mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED,
				    context.cmd_fd, info.mmap_offset);
	if (ring->control == MAP_FAILED)
		return errno;
	ring->elements = (uint8_t *)(ring->control + 1);
	ring->info = info;
	return 0;
}

static struct svt_ring_info tell(const struct fake_ring *ring)
{
	struct svt_ring_info info = ring->info;

	if (fake.break_info)
		info.entries--;
	fake.break_info = false;
	return info;
}

static uint8_t *element(const struct fake_ring *ring, uint32_t index)
{
	return ring->elements + (size_t)(index & (ring->info.entries - 1)) * ring->info.stride;
}

uint32_t fake_pending(const struct fake_ring *ring)
{
	return atomic_load_explicit(svt_ring_word(&ring->control->producer),
				    memory_order_acquire) - ring->index;
}

/* What it returns is not given back to the producer before the next call */
const void *fake_take(struct fake_ring *ring)
{
	atomic_store_explicit(svt_ring_word(&ring->control->consumer), ring->index,
			      memory_order_release);
	if (!fake_pending(ring))
		return NULL;
	return element(ring, ring->index++);
}

const struct svt_send_wqe *fake_take_send(void)
{
	const struct svt_send_wqe *wqe = fake_take(&fake.sq);

	assert_non_null(wqe);
	return wqe;
}

const struct svt_recv_wqe *fake_take_recv(struct fake_ring *ring)
{
	const struct svt_recv_wqe *wqe = fake_take(ring);

	assert_non_null(wqe);
	return wqe;
}

void fake_complete(struct fake_ring *ring, const struct svt_cqe *cqe)
{
	memcpy(element(ring, ring->index), cqe, sizeof(*cqe));
	atomic_store_explicit(svt_ring_word(&ring->control->producer), ++ring->index,
			      memory_order_release);
}

bool fake_sleep(const struct fake_ring *ring)
{
	atomic_store_explicit(svt_ring_word(&ring->control->wakeup), 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!fake_pending(ring))
		return true;
	fake_awake(ring);
	return false;
}

void fake_awake(const struct fake_ring *ring)
{
	atomic_store_explicit(svt_ring_word(&ring->control->wakeup), 0, memory_order_relaxed);
}

/* What is in a ring goes into a new one under the same indices, as the kernel does it */
static int resize(struct fake_ring *ring, uint32_t entries, uint32_t stride, uint32_t first,
		  uint32_t end)
{
	struct fake_ring new;
	uint32_t i;
	int err;

	if (round_up(entries) < end - first)
		return EINVAL;
	err = make_ring(&new, entries, stride);
	if (err)
		return err;
	for (i = first; i != end; i++)
		memcpy(element(&new, i), element(ring, i), ring->info.stride);
	new.control->consumer = first;
	new.control->producer = end;
	new.control->arm = ring->control->arm;
	new.index = ring->index;
	*ring = new;
	return 0;
}

static const struct ib_uverbs_attr *attr_of(const struct svt_ioctl *call, uint16_t id)
{
	int i;

	for (i = 0; i < call->header.num_attrs; i++)
		if (call->header.attrs[i].attr_id == id)
			return &call->header.attrs[i];
	abort();
}

static int resize_srq(const struct svt_ioctl *call)
{
	const struct ib_uverbs_attr *max_wr = attr_of(call, SVT_ATTR_SRQ_RESIZE_MAX_WR);
	const struct ib_uverbs_attr *out = attr_of(call, SVT_ATTR_SRQ_RESIZE_RING);
	uint32_t entries;
	int err;

	memcpy(&entries, &max_wr->data, sizeof(entries));
	if (max_wr->len != sizeof(entries) || out->len != sizeof(struct svt_ring_info))
		return EINVAL;
	err = resize(&fake.srq, entries, fake.srq.info.stride, fake.srq.index,
		     fake.srq.control->producer);
	if (!err)
		*(struct svt_ring_info *)(uintptr_t)out->data = tell(&fake.srq);
	return err;
}

static int query_dm(const struct svt_ioctl *call)
{
	const struct ib_uverbs_attr *out = attr_of(call, SVT_ATTR_DM_QUERY_INFO);

	if (out->len != sizeof(fake.dm))
		return EINVAL;
	*(struct svt_dm_info *)(uintptr_t)out->data = fake.dm;
	return 0;
}

static int ring_doorbell(const struct svt_ioctl *call)
{
	atomic_fetch_add(&fake.doorbells, 1);
	if (fake.on_doorbell)
		fake.on_doorbell();
	else
		fake.doorbell = *call;
	return fake.doorbell_errno;
}

int ioctl(int fd, unsigned long request, ...)
{
	const struct svt_ioctl *call;
	va_list args;

	va_start(args, request);
	call = va_arg(args, const struct svt_ioctl *);
	va_end(args);

	if (fd != context.cmd_fd || request != RDMA_VERBS_IOCTL)
		abort();
	if (call->header.object_id == UVERBS_OBJECT_SRQ)
		errno = resize_srq(call);
	else if (call->header.object_id == UVERBS_OBJECT_DM)
		errno = query_dm(call);
	else
		errno = ring_doorbell(call);
	return errno ? -1 : 0;
}

int fake_nothing(void)
{
	return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	uint32_t mask;

	memcpy(&mask, (uint8_t *)qp + offsetof(struct verbs_qp, comp_mask) + fake.qp_ex_shift,
	       sizeof(mask));
	return mask & VERBS_QP_EX ? (struct ibv_qp_ex *)qp : NULL;
}

int ibv_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd, struct ibv_alloc_pd *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = ctx;
	pd->handle = ++handles;
	return 0;
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	if (resp_size != sizeof(*resp) + sizeof(struct svt_create_ah_resp))
		return EINVAL;
	ah->context = pd->context;
	ah->handle = ++handles;
	((struct svt_create_ah_resp *)(resp + 1))->ah = 100;
	/* ibv_create_ah() does, behind the provider */
	ah->pd = pd;
	return 0;
}

int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type, struct ibv_mw *mw,
		     struct ibv_alloc_mw *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size)
{
	mw->pd = pd;
	mw->context = pd->context;
	mw->type = type;
	mw->rkey = 0x123456ff;
	return 0;
}

#if SVT_PRIVATE_ABI >= 59
int ibv_cmd_create_cq_ex(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_create_cq_prov_attr *prov_attr, struct verbs_cq *cq,
			 struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size,
			 uint32_t cmd_flags)
#else
int ibv_cmd_create_cq_ex(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size,
			 uint32_t cmd_flags)
#endif
{
	int err;

	if (resp_size != sizeof(*resp) + sizeof(struct svt_create_cq_resp))
		return EINVAL;
	cq->cq.context = ctx;
	cq->cq.handle = ++handles;
	err = make_ring(&fake.cq, attr->cqe, sizeof(struct svt_cqe));
	if (err)
		return err;
	cq->cq.cqe = fake.cq.info.entries;
	((struct svt_create_cq_resp *)(resp + 1))->ring = tell(&fake.cq);
	return 0;
}

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *resp, size_t resp_size)
{
	int err;

	if (resp_size != sizeof(*resp) + sizeof(struct svt_resize_cq_resp))
		return EINVAL;
	err = resize(&fake.cq, cqe, sizeof(struct svt_cqe), fake.cq.control->consumer,
		     fake.cq.index);
	if (err)
		return err;
	cq->cqe = fake.cq.info.entries;
	((struct svt_resize_cq_resp *)(resp + 1))->ring = tell(&fake.cq);
	return 0;
}

int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq, struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp, size_t resp_size)
{
	int err;

	if (resp_size != sizeof(*resp) + sizeof(struct svt_create_srq_resp))
		return EINVAL;
	srq->context = pd->context;
	srq->handle = ++handles;
	/* ibv_create_srq() does, behind the provider */
	srq->pd = pd;
	err = make_ring(&fake.srq, attr->attr.max_wr, svt_recv_element_size(attr->attr.max_sge));
	if (err)
		return err;
	((struct svt_create_srq_resp *)(resp + 1))->ring = tell(&fake.srq);
	return 0;
}

int ibv_cmd_create_srq_ex(struct ibv_context *ctx, struct verbs_srq *srq,
			  struct ibv_srq_init_attr_ex *attr, struct ibv_create_xsrq *cmd,
			  size_t cmd_size, struct ib_uverbs_create_srq_resp *resp, size_t resp_size)
{
	struct ibv_srq_init_attr basic = { .attr = attr->attr };
	struct ibv_create_srq command;

	srq->srq_type = attr->srq_type;
	srq->srq_num = 0x654321;
	return ibv_cmd_create_srq(attr->pd, &srq->srq, &basic, &command, sizeof(command), resp,
				  resp_size);
}

int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask,
		       struct ibv_modify_srq *cmd, size_t cmd_size)
{
	return attr_mask == IBV_SRQ_LIMIT ? 0 : EOPNOTSUPP;
}

int ibv_cmd_open_qp(struct ibv_context *ctx, struct verbs_qp *qp, int vqp_size,
		    struct ibv_qp_open_attr *attr, struct ibv_open_qp *cmd, size_t cmd_size,
		    struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	qp->qp.context = ctx;
	qp->qp.handle = ++handles;
	qp->qp.qp_num = attr->qp_num;
	qp->qp.qp_type = attr->qp_type;
	return 0;
}

#if SVT_PRIVATE_ABI >= 64
int ibv_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
			  size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size, struct ibv_command_buffer *driver)
#else
int ibv_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
			  size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size)
#endif
{
	struct svt_create_qp_resp *svt = (struct svt_create_qp_resp *)(resp + 1);
	size_t sges;
	int err;

	if (resp_size != sizeof(*resp) + sizeof(*svt))
		return EINVAL;
	qp->qp.context = ctx;
	qp->qp.handle = ++handles;
	qp->qp.qp_num = 17;
	qp->qp.pd = attr->pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.srq = attr->srq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_RESET;
	qp->comp_mask = 0;
	if (fake.qp_cap.max_send_wr)
		attr->cap = fake.qp_cap;

	sges = attr->cap.max_send_sge * sizeof(struct svt_sge);
	if (sges < attr->cap.max_inline_data)
		sges = attr->cap.max_inline_data;
	err = make_ring(&fake.sq, attr->cap.max_send_wr ? attr->cap.max_send_wr : 1,
			sizeof(struct svt_send_wqe) + sges);
	if (err)
		return err;
	svt->sq = tell(&fake.sq);
	if (attr->srq)
		return 0;
	err = make_ring(&fake.rq, attr->cap.max_recv_wr ? attr->cap.max_recv_wr : 1,
			svt_recv_element_size(attr->cap.max_recv_sge));
	if (err)
		return err;
	svt->rq = tell(&fake.rq);
	return 0;
}

int ibv_cmd_modify_qp_ex(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
			 struct ibv_modify_qp_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_modify_qp_resp *resp, size_t resp_size)
{
	return attr_mask == IBV_QP_RATE_LIMIT ? 0 : EINVAL;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		      struct ibv_modify_qp *cmd, size_t cmd_size)
{
	if (attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET) {
		fake.sq.index = 0;
		fake.sq.control->producer = 0;
		fake.sq.control->consumer = 0;
		if (!qp->srq) {
			fake.rq.index = fake.rq.control->producer;
			fake.rq.control->consumer = fake.rq.index;
		}
	}
	return 0;
}

bool bench_open_with(struct bench *bench, struct ibv_pd *pd, enum ibv_qp_type type,
		     struct ibv_qp_cap cap, int cqe)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = cap,
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	bench->pd = pd;
	bench->qp = NULL;
	bench->cq = pd ? svt_create_cq(fake_context(), cqe, NULL, 0) : NULL;
	if (!bench->cq)
		return false;
	attr.send_cq = bench->cq;
	attr.recv_cq = bench->cq;
	bench->qp = svt_create_qp_ex(fake_context(), &attr);
	if (!bench->qp)
		return false;
	bench->qp->state = IBV_QPS_RTS;
	return true;
}

bool bench_open(struct bench *bench, enum ibv_qp_type type)
{
	const struct ibv_qp_cap cap = {
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 2,
		.max_recv_sge = 2,
		.max_inline_data = 64,
	};

	return bench_open_with(bench, svt_alloc_pd(fake_context()), type, cap, 8);
}

void bench_close(struct bench *bench)
{
	if (bench->qp)
		svt_destroy_qp(bench->qp);
	if (bench->cq)
		svt_destroy_cq(bench->cq);
	if (bench->pd)
		svt_dealloc_pd(bench->pd);
}

int bench_setup(void **state)
{
	static struct bench bench;
	enum ibv_qp_type type = (uintptr_t)*state;

	*state = &bench;
	fake_setup(state);
	assert_true(bench_open(&bench, type));
	return 0;
}

int bench_teardown(void **state)
{
	bench_close(*state);
	return 0;
}
