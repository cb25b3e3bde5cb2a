// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH. libibverbs has no call for it, so the request begins as a WRITE and is made another in the
 * send queue, which provider and kernel share, between ibv_wr_rdma_write_imm() and
 * ibv_wr_complete().
 */
#include <errno.h>
#include <rdma/rdma_user_rxe.h>
#include <stdio.h>
#include <string.h>

#include "flush.h"

#define WR_FLUSH	14
/* By this number the request is found, then it has its own */
#define COOKIE		0x9d1c6f8b25e3a470ULL

/* What svt has in a send queue, and but for the opcode rxe too */
struct request {
	u64 wr_id;
	u8 svt_opcode;
	u8 reserved[15];
	u64 remote_addr;
	u32 length;
	u32 rkey;
	u8 placement;
	u8 selectivity;
};

static struct request *find_in(u64 start, u64 end)
{
	for (; start + sizeof(struct request) <= end; start += sizeof(u64))
		if (*(u64 *)(uintptr_t)start == COOKIE)
			return (struct request *)(uintptr_t)start;
	return NULL;
}

/* In what is mapped of the device */
static struct request *find_request(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct request *found = NULL;
	char line[500], rights[5];
	u64 start, end;

	if (!maps)
		return NULL;
	while (!found && fgets(line, sizeof(line), maps))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%llx-%llx %4s", &start, &end, rights) == 3 &&
		    !strncmp(rights, "rw", 2))
			found = find_in(start, end);
	fclose(maps);
	return found;
}

/* rxe sends the length of the data that it thinks it has left to move */
static void make_flush_of_rxe(struct rxe_send_wqe *wqe, u32 length)
{
	wqe->wr.opcode = WR_FLUSH;
	wqe->dma.length = length;
	wqe->dma.resid = length;
}

int flush_post(struct ibv_qp_ex *q, const struct flush *f)
{
	struct request *request;

	ibv_wr_start(q);
	q->wr_id = COOKIE;
	q->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write_imm(q, f->rkey, f->addr, 0);
	request = find_request();
	if (!request) {
		ibv_wr_abort(q);
		return EOPNOTSUPP;
	}
	/* An opcode that is not 0, so that it shows whose the request is */
	if (request->svt_opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		request->svt_opcode = WR_FLUSH;
	else
		make_flush_of_rxe((struct rxe_send_wqe *)request, f->length);
	request->wr_id = f->wr_id;
	request->remote_addr = f->addr;
	request->length = f->length;
	request->rkey = f->rkey;
	request->placement = f->placement;
	request->selectivity = f->selectivity;
	return ibv_wr_complete(q);
}
