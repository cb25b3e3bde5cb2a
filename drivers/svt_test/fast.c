// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: fast registration of a part of end 1's buffer, its use by end 0, and its invalidation from
 * either side.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "client.h"

/* Of the buffer; neither end is at the boundary of a page */
#define KT_FAST_AT	200
#define KT_FAST_BYTES	40000
#define KT_FAST_PAGES	16

#define KT_FAST_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

static int kt_map(struct kt_end *end, struct ib_mr *mr)
{
	struct scatterlist sg;
	int ret;

	sg_init_one(&sg, end->buffer + KT_FAST_AT, KT_FAST_BYTES);
	if (ib_dma_map_sg(end->device, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		return kt_fail(end->pair, "the list cannot be mapped");
	ret = ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(end->device, &sg, 1, DMA_BIDIRECTIONAL);
	if (ret != 1 || mr->length != KT_FAST_BYTES)
		return kt_fail(end->pair, "%d entries mapped, %llu bytes", ret, mr->length);
	return 0;
}

static struct kt_operation *kt_post(struct kt_end *end, struct ib_send_wr *wr)
{
	struct kt_operation *operation = kt_operation(end);
	int ret;

	if (!operation)
		return NULL;
	wr->wr_cqe = &operation->cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	ret = ib_post_send(end->qp, wr, NULL);
	if (!ret)
		return operation;
	kt_fail(end->pair, "post of opcode %d: %d", wr->opcode, ret);
	return NULL;
}

static struct kt_operation *kt_register(struct kt_end *end, struct ib_mr *mr)
{
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.access = KT_FAST_ACCESS,
	};

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg.key = mr->rkey;
	return kt_post(end, &reg.wr);
}

static struct kt_operation *kt_invalidate(struct kt_end *end, u32 rkey)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = rkey };

	return kt_post(end, &wr);
}

static int kt_registered(struct kt_end *end, struct ib_mr *mr)
{
	struct kt_operation *operation;
	int ret = kt_map(end, mr);

	if (ret)
		return ret;
	operation = kt_register(end, mr);
	ret = kt_done(operation, IB_WC_SUCCESS);
	if (!ret && operation->wc.opcode != IB_WC_REG_MR)
		ret = kt_fail(end->pair, "completed as opcode %d", operation->wc.opcode);
	return ret;
}

/* End 0 writes to all that is registered, and reads it back */
static int kt_use(struct kt_pair *pair, struct ib_mr *mr, u8 seed)
{
	struct kt_request request = {
		.opcode = IB_WR_RDMA_WRITE, .length = KT_FAST_BYTES, .remote = KT_FAST_AT,
		.rkey = mr->rkey,
	};
	int ret;

	kt_fill(&pair->end[0], 0, KT_FAST_BYTES, seed);
	ret = kt_done(kt_send(&pair->end[0], &request), IB_WC_SUCCESS) ?:
	      kt_check(&pair->end[1], KT_FAST_AT, KT_FAST_BYTES, seed);
	if (ret)
		return ret;
	kt_fill(&pair->end[0], 0, KT_FAST_BYTES, ~seed);
	request.opcode = IB_WR_RDMA_READ;
	return kt_done(kt_send(&pair->end[0], &request), IB_WC_SUCCESS) ?:
	       kt_check(&pair->end[0], 0, KT_FAST_BYTES, seed);
}

static int kt_refused(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_request request = {
		.opcode = IB_WR_RDMA_WRITE, .length = 8, .remote = KT_FAST_AT, .rkey = mr->rkey,
	};

	return kt_done(kt_send(&pair->end[0], &request), IB_WC_REM_ACCESS_ERR);
}

/* Uses what is registered, and invalidates it */
static int kt_used_up(struct kt_pair *pair, struct ib_mr *mr, u8 seed)
{
	return kt_use(pair, mr, seed) ?:
	       kt_done(kt_invalidate(&pair->end[1], mr->rkey), IB_WC_SUCCESS);
}

static int kt_run_local(struct kt_pair *pair, struct ib_mr *mr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 3 && !ret; i++)
		ret = kt_registered(&pair->end[1], mr) ?: kt_used_up(pair, mr, i);
	return ret ?: kt_refused(pair, mr);
}

static int kt_run_remote(struct kt_pair *pair, struct ib_mr *mr)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_INV };
	struct kt_operation *receive;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 3 && !ret; i++) {
		ret = kt_registered(&pair->end[1], mr) ?: kt_use(pair, mr, i);
		if (ret)
			return ret;
		receive = kt_recv(&pair->end[1], 0, 8, 1);
		wr.ex.invalidate_rkey = mr->rkey;
		ret = kt_done(kt_post(&pair->end[0], &wr), IB_WC_SUCCESS) ?:
		      kt_received(receive, IB_WC_RECV, 0);
		if (!ret && (!(receive->wc.wc_flags & IB_WC_WITH_INVALIDATE) ||
			     receive->wc.ex.invalidate_rkey != mr->rkey))
			ret = kt_fail(pair, "the receive names no key");
	}
	return ret ?: kt_refused(pair, mr);
}

/* The peer's invalidation of what is not valid is refused */
static int kt_run_remote_twice(struct kt_pair *pair, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_INV, .ex.invalidate_rkey = mr->rkey,
	};

	if (!kt_recv(&pair->end[1], 0, 8, 1))
		return -EPROTO;
	return kt_done(kt_post(&pair->end[0], &wr), IB_WC_REM_ACCESS_ERR);
}

static int kt_run_twice(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_end *end = &pair->end[1];

	return kt_registered(end, mr) ?: kt_map(end, mr) ?:
	       kt_done(kt_register(end, mr), IB_WC_MW_BIND_ERR);
}

/* What was mapped once is registered again and again, as servers of RTRS do */
static int kt_run_again(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_end *end = &pair->end[1];
	unsigned int i;
	int ret = kt_map(end, mr);

	for (i = 0; i < 3 && !ret; i++)
		ret = kt_done(kt_register(end, mr), IB_WC_SUCCESS) ?: kt_used_up(pair, mr, i);
	return ret ?: kt_refused(pair, mr);
}

/* The region is mapped anew while registrations and invalidations of it are posted still */
static int kt_run_ahead(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_operation *operations[KT_DEPTH] = { };
	struct kt_end *end = &pair->end[1];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < KT_DEPTH && !ret; i += 2) {
		ret = kt_map(end, mr);
		operations[i] = kt_register(end, mr);
		operations[i + 1] = kt_invalidate(end, mr->rkey);
	}
	for (i = 0; i < KT_DEPTH && !ret; i++)
		ret = kt_done(operations[i], IB_WC_SUCCESS);
	return ret ?: kt_registered(end, mr) ?: kt_use(pair, mr, 1);
}

/* It goes valid, with its QP still there */
static int kt_run_valid(struct kt_pair *pair, struct ib_mr *mr)
{
	return kt_registered(&pair->end[1], mr) ?: kt_use(pair, mr, 1);
}

#define KT_FAST_RACERS		KT_DEPTH
#define KT_FAST_DELAY_US	1500

/**
 * struct kt_racer - one that uses a region until that is refused
 * @work: posts what there is room for
 * @pair: from end 0
 * @request: what
 * @operations: what was posted
 */
struct kt_racer {
	struct work_struct work;
	struct kt_pair *pair;
	struct kt_request request;
	struct kt_operation *operations[KT_FAST_RACERS];
};

static void kt_race_post(struct work_struct *work)
{
	struct kt_racer *racer = container_of(work, struct kt_racer, work);
	unsigned int i;

	for (i = 0; i < KT_FAST_RACERS; i++)
		racer->operations[i] = kt_send(&racer->pair->end[0], &racer->request);
}

/* Some succeed, one is refused, the rest is flushed */
static int kt_race_end(struct kt_racer *racer)
{
	unsigned int i;
	int ret = 0;

	flush_work(&racer->work);
	for (i = 0; i < KT_FAST_RACERS && !ret; i++) {
		struct kt_operation *operation = racer->operations[i];

		ret = operation ? kt_wait(racer->pair, &operation->done, "a racer") : -EPROTO;
		if (ret)
			break;
		racer->pair->in_time |= operation->wc.status == IB_WC_SUCCESS;
		racer->pair->too_late |= operation->wc.status == IB_WC_REM_ACCESS_ERR;
	}
	return ret;
}

static int kt_race(struct kt_pair *pair, struct kt_racer *racer, struct ib_mr *mr)
{
	struct kt_operation *operation = kt_operation(&pair->end[1]);
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = mr->rkey,
		.send_flags = IB_SEND_SIGNALED,
	};
	int ret;

	if (!operation)
		return -EPROTO;
	wr.wr_cqe = &operation->cqe;
	queue_work_on(cpumask_any_but(cpu_online_mask, raw_smp_processor_id()) % nr_cpu_ids,
		      system_highpri_wq, &racer->work);
	usleep_range(1, get_random_u32_below(KT_FAST_DELAY_US) + 2);
	ret = ib_post_send(pair->end[1].qp, &wr, NULL) ? kt_fail(pair, "no invalidation") :
	      kt_done(operation, IB_WC_SUCCESS);
	/* Now it is ours alone */
	kt_fill(&pair->end[1], KT_FAST_AT, KT_FAST_BYTES, 3);
	return kt_race_end(racer) ?: ret;
}

static int kt_run_race(struct kt_pair *pair, struct ib_mr *mr, enum ib_wr_opcode opcode)
{
	struct kt_racer *racer = kzalloc(sizeof(*racer), GFP_KERNEL);
	int ret;

	if (!racer)
		return -ENOMEM;
	pair->private = racer;
	INIT_WORK(&racer->work, kt_race_post);
	racer->pair = pair;
	ret = kt_registered(&pair->end[1], mr);
	if (ret)
		return ret;
	racer->request = (struct kt_request) {
		.opcode = opcode, .length = KT_FAST_BYTES, .remote = KT_FAST_AT,
		.rkey = mr->rkey,
	};
	kt_fill(&pair->end[0], 0, KT_FAST_BYTES, 1);
	kt_fill(&pair->end[1], KT_FAST_AT, KT_FAST_BYTES, 1);
	return kt_race(pair, racer, mr);
}

static int kt_run_race_write(struct kt_pair *pair, struct ib_mr *mr)
{
	return kt_run_race(pair, mr, IB_WR_RDMA_WRITE) ?:
	       kt_check(&pair->end[1], KT_FAST_AT, KT_FAST_BYTES, 3);
}

static int kt_run_race_read(struct kt_pair *pair, struct ib_mr *mr)
{
	return kt_run_race(pair, mr, IB_WR_RDMA_READ) ?:
	       kt_check(&pair->end[0], 0, KT_FAST_BYTES, 1);
}

/* A request behind a registration uses it, though nobody waited */
static int kt_run_order(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_end *end = &pair->end[1];
	struct kt_operation *operation[2];
	struct ib_sge sge = { };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1 };
	struct kt_operation *receive = kt_recv(&pair->end[0], 0, KT_FAST_BYTES, 1);
	unsigned int i;
	int ret = receive ? kt_map(end, mr) : -EPROTO;

	if (ret)
		return ret;
	kt_fill(end, KT_FAST_AT, KT_FAST_BYTES, 9);
	operation[0] = kt_register(end, mr);
	sge = (struct ib_sge) { .addr = mr->iova, .length = mr->length, .lkey = mr->lkey };
	operation[1] = kt_post(end, &wr);
	for (i = 0; i < 2 && !ret; i++)
		ret = kt_done(operation[i], IB_WC_SUCCESS);
	return ret ?: kt_received(receive, IB_WC_RECV, KT_FAST_BYTES) ?:
	       kt_check(&pair->end[0], 0, KT_FAST_BYTES, 9);
}

/* Of three entries only the first and the last may have an end within a block */
static int kt_run_list(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_end *end = &pair->end[1];
	struct scatterlist sg[3];
	unsigned int i;
	int ret;

	sg_init_table(sg, ARRAY_SIZE(sg));
	for (i = 0; i < ARRAY_SIZE(sg); i++)
		sg_set_buf(&sg[i], end->buffer + (2 - i) * 3 * PAGE_SIZE + (i ? 0 : 64),
			   2 * PAGE_SIZE - (i ? 0 : 64) - (i == 2 ? 64 : 0));
	if (ib_dma_map_sg(end->device, sg, ARRAY_SIZE(sg), DMA_BIDIRECTIONAL) != ARRAY_SIZE(sg))
		return kt_fail(pair, "the list cannot be mapped");
	ret = ib_map_mr_sg(mr, sg, ARRAY_SIZE(sg), NULL, PAGE_SIZE);
	ib_dma_unmap_sg(end->device, sg, ARRAY_SIZE(sg), DMA_BIDIRECTIONAL);
	if (ret != ARRAY_SIZE(sg) || mr->length != 6 * PAGE_SIZE - 128)
		return kt_fail(pair, "%d entries mapped, %llu bytes", ret, mr->length);
	return kt_done(kt_register(end, mr), IB_WC_SUCCESS);
}

/* What end 0 writes in one piece comes to lie in the three */
static int kt_run_pieces(struct kt_pair *pair, struct ib_mr *mr)
{
	struct kt_end *end = &pair->end[1];
	struct kt_request request = { .opcode = IB_WR_RDMA_WRITE };
	u8 *from = pair->end[0].buffer;
	u32 first = 2 * PAGE_SIZE - 64;
	int ret = kt_run_list(pair, mr);

	if (ret)
		return ret;
	kt_fill(&pair->end[0], 0, mr->length, 4);
	request.length = mr->length;
	request.rkey = mr->rkey;
	request.remote = mr->iova - end->address;
	ret = kt_done(kt_send(&pair->end[0], &request), IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (memcmp(end->buffer + 6 * PAGE_SIZE + 64, from, first) ||
	    memcmp(end->buffer + 3 * PAGE_SIZE, from + first, 2 * PAGE_SIZE) ||
	    memcmp(end->buffer, from + first + 2 * PAGE_SIZE, 2 * PAGE_SIZE - 64))
		return kt_fail(pair, "a piece is wrong");
	return 0;
}

static int kt_with_mr(struct kt_pair *pair, int (*run)(struct kt_pair *pair, struct ib_mr *mr))
{
	struct ib_mr *mr = ib_alloc_mr(pair->end[1].pd, IB_MR_TYPE_MEM_REG, KT_FAST_PAGES);
	int ret, left;

	if (IS_ERR(mr))
		return kt_fail(pair, "MR: %ld", PTR_ERR(mr));
	ret = run(pair, mr);
	left = ib_dereg_mr(mr);
	return ret ?: left ? kt_fail(pair, "dereg: %d", left) : 0;
}

static int kt_case_fast_local(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_local);
}

static int kt_case_fast_remote(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_remote);
}

static int kt_case_fast_remote_twice(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_remote_twice);
}

static int kt_case_fast_twice(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_twice);
}

static int kt_case_fast_again(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_again);
}

static int kt_case_fast_ahead(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_ahead);
}

static int kt_case_fast_valid(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_valid);
}

static int kt_case_fast_race_write(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_race_write);
}

static int kt_case_fast_race_read(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_race_read);
}

static int kt_case_fast_order(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_order);
}

static int kt_case_fast_pieces(struct kt_pair *pair)
{
	return kt_with_mr(pair, kt_run_pieces);
}

/* Memory of an end: as many pages as one registration takes, each allocated by itself */
struct kt_pages {
	struct kt_end *end;
	u32 count;
	struct page **pages;
	struct sg_table table;
	struct ib_mr *mr;
};

static int kt_pages_alloc(struct kt_pages *memory)
{
	struct kt_pair *pair = memory->end->pair;
	struct scatterlist *sg;
	u32 i;

	memory->pages = kvcalloc(memory->count, sizeof(*memory->pages), GFP_KERNEL);
	if (!memory->pages || sg_alloc_table(&memory->table, memory->count, GFP_KERNEL))
		return kt_fail(pair, "no list of pages");
	for (i = 0; i < memory->count; i++) {
		memory->pages[i] = alloc_page(GFP_KERNEL);
		if (!memory->pages[i])
			return kt_fail(pair, "no page");
	}
	/* In no order of addresses: not the first one alone is to count */
	for_each_sg(memory->table.sgl, sg, memory->count, i)
		sg_set_page(sg, memory->pages[i ^ 1], PAGE_SIZE, 0);
	return 0;
}

static void kt_pages_free(struct kt_pages *memory)
{
	u32 i;

	if (!IS_ERR_OR_NULL(memory->mr))
		ib_dereg_mr(memory->mr);
	for (i = 0; memory->pages && i < memory->count; i++)
		if (memory->pages[i])
			__free_page(memory->pages[i]);
	sg_free_table(&memory->table);
	kvfree(memory->pages);
}

/* Each word says where it is, and in which @round */
static void kt_pages_fill(struct kt_pages *memory, u64 round)
{
	u64 index = round << 32;
	struct scatterlist *sg;
	u32 i, word;

	for_each_sg(memory->table.sgl, sg, memory->count, i)
		for (word = 0; word < PAGE_SIZE / sizeof(u64); word++)
			((u64 *)sg_virt(sg))[word] = index++;
}

static int kt_pages_check(struct kt_pages *memory, u64 round)
{
	u64 index = round << 32;
	struct scatterlist *sg;
	u32 i, word;

	for_each_sg(memory->table.sgl, sg, memory->count, i)
		for (word = 0; word < PAGE_SIZE / sizeof(u64); word++)
			if (((u64 *)sg_virt(sg))[word] != index++)
				return kt_fail(memory->end->pair, "page %u, word %u is wrong", i,
					       word);
	return 0;
}

static int kt_pages_register(struct kt_pages *memory)
{
	struct ib_device *device = memory->end->device;
	struct scatterlist *sg = memory->table.sgl;
	struct kt_pair *pair = memory->end->pair;
	int ret;

	memory->mr = ib_alloc_mr(memory->end->pd, IB_MR_TYPE_MEM_REG, memory->count);
	if (IS_ERR(memory->mr))
		return kt_fail(pair, "MR: %ld", PTR_ERR(memory->mr));
	if (ib_dma_map_sg(device, sg, memory->count, DMA_BIDIRECTIONAL) != memory->count)
		return kt_fail(pair, "the list cannot be mapped");
	ret = ib_map_mr_sg(memory->mr, sg, memory->count, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(device, sg, memory->count, DMA_BIDIRECTIONAL);
	if (ret != memory->count || memory->mr->length != (u64)memory->count << PAGE_SHIFT)
		return kt_fail(pair, "%d entries mapped, %llu bytes", ret, memory->mr->length);
	return kt_done(kt_register(memory->end, memory->mr), IB_WC_SUCCESS);
}

/* All of it, in one request of end 0 */
static int kt_pages_move(struct kt_pages *own, struct kt_pages *peer, enum ib_wr_opcode opcode)
{
	struct ib_sge sge = {
		.addr = own->mr->iova, .length = own->mr->length, .lkey = own->mr->lkey,
	};
	struct ib_rdma_wr rdma = {
		.wr = { .opcode = opcode, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = peer->mr->iova,
		.rkey = peer->mr->rkey,
	};

	return kt_done(kt_post(own->end, &rdma.wr), IB_WC_SUCCESS);
}

static int kt_case_fast_many_pages(struct kt_pair *pair)
{
	u32 i, most = pair->end[1].device->attrs.max_fast_reg_page_list_len;
	struct kt_pages memory[2] = { };
	int ret = 0;

	for (i = 0; i < 2 && !ret; i++) {
		memory[i].end = &pair->end[i];
		memory[i].count = most;
		ret = kt_pages_alloc(&memory[i]) ?: kt_pages_register(&memory[i]);
	}
	if (!ret) {
		kt_pages_fill(&memory[0], 1);
		kt_pages_fill(&memory[1], 2);
		ret = kt_pages_move(&memory[0], &memory[1], IB_WR_RDMA_WRITE) ?:
		      kt_pages_check(&memory[1], 1);
	}
	if (!ret) {
		kt_pages_fill(&memory[1], 3);
		ret = kt_pages_move(&memory[0], &memory[1], IB_WR_RDMA_READ) ?:
		      kt_pages_check(&memory[0], 3);
	}
	/* A request that is still under way, as something failed, uses what goes */
	kt_destroy_qp(&pair->end[0]);
	for (i = 0; i < 2; i++)
		kt_pages_free(&memory[i]);
	return ret;
}

static int kt_case_fast_limits(struct kt_pair *pair)
{
	struct ib_device *device = pair->end[1].device;
	u32 most = device->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr;

	if (most != 512 || !(device->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return kt_fail(pair, "%u pages at most", most);
	mr = ib_alloc_mr(pair->end[1].pd, IB_MR_TYPE_MEM_REG, most);
	if (IS_ERR(mr))
		return kt_fail(pair, "MR: %ld", PTR_ERR(mr));
	ib_dereg_mr(mr);
	mr = ib_alloc_mr(pair->end[1].pd, IB_MR_TYPE_MEM_REG, most + 1);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	return IS_ERR(mr) ? 0 : kt_fail(pair, "a region is too large");
}

const struct kt_case kt_fast_cases[] = {
	{ "fast_local_invalidate", IB_QPT_RC, KT_EACH_POLL, kt_case_fast_local },
	{ "fast_remote_invalidate", IB_QPT_RC, KT_EACH_POLL, kt_case_fast_remote },
	{ "fast_remote_invalidate_twice", IB_QPT_RC, 0, kt_case_fast_remote_twice },
	{ "fast_register_twice", IB_QPT_RC, 0, kt_case_fast_twice },
	{ "fast_register_again", IB_QPT_RC, 0, kt_case_fast_again },
	{ "fast_map_ahead", IB_QPT_RC, 0, kt_case_fast_ahead },
	{ "fast_dereg_valid", IB_QPT_RC, 0, kt_case_fast_valid },
	{ "fast_race_write", IB_QPT_RC, KT_RACE | KT_CLOSE, kt_case_fast_race_write },
	{ "fast_race_read", IB_QPT_RC, KT_RACE | KT_CLOSE, kt_case_fast_race_read },
	{ "fast_order", IB_QPT_RC, 0, kt_case_fast_order },
	{ "fast_pieces", IB_QPT_RC, 0, kt_case_fast_pieces },
	{ "fast_many_pages", IB_QPT_RC, 0, kt_case_fast_many_pages },
	{ "fast_limits", IB_QPT_RC, 0, kt_case_fast_limits },
	{ }
};
