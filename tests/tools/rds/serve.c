// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Answers any number of clients. The memory of an RDMA operation has to stay as it is until RDS
 * says how that ended: it is in a slot, and when there is none the question is not answered.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rds.h"

#define SLOTS	16

static struct slot {
	bool used;
	struct header question;
	struct sockaddr_in client;
	u8 *memory;
} slots[SLOTS];

/* Who asked may be gone, and so may the network */
static void answer(int fd, const struct sockaddr_in *to, struct iovec *iov, u32 count,
		   const struct rds_rdma_args *args)
{
	char control[CMSG_SPACE(sizeof(*args))] __attribute__((aligned(8))) = { 0 };
	struct msghdr msg = {
		.msg_name = (void *)to, .msg_namelen = sizeof(*to),
		.msg_iov = iov, .msg_iovlen = count,
	};

	if (args)
		say_besides(&msg, control, RDS_CMSG_RDMA_ARGS, args, sizeof(*args));
	if (sendmsg(fd, &msg, 0) < 0)
		warn("sendmsg");
}

static void answer_message(int fd, struct header *h, u8 *data, const struct sockaddr_in *client)
{
	struct iovec iov[] = { { h, sizeof(*h) }, { data, h->bytes } };

	h->verdict = is_filled(data, h->bytes, h->seed) ? 0 : EBADMSG;
	fill(data, h->bytes, ~h->seed);
	answer(fd, client, iov, 2, NULL);
}

/*
 * The message that comes with an RDMA WRITE is the answer. The one with a READ says only that the
 * client's memory is no longer needed: it has to wait for the READ, which is what the fence is for.
 */
static void answer_by_rdma(int fd, struct header *h, u64 cookie, const struct sockaddr_in *client)
{
	struct iovec iov = { h, sizeof(*h) };
	struct rds_iovec vector = { .bytes = h->bytes };
	struct rds_rdma_args args = {
		.cookie = cookie, .remote_vec = { .bytes = h->bytes },
		.local_vec_addr = (uintptr_t)&vector, .nr_local = 1, .flags = RDS_RDMA_NOTIFY_ME,
	};
	struct slot *slot;

	for (slot = slots; slot->used; slot++)
		if (slot == slots + SLOTS - 1)
			return;
	slot->used = true;
	slot->question = *h;
	slot->client = *client;
	vector.addr = (uintptr_t)slot->memory;
	args.user_token = slot - slots;
	if (h->kind == WRITE) {
		fill(slot->memory, h->bytes, h->seed);
		args.flags |= RDS_RDMA_READWRITE;
	} else {
		memset(slot->memory, 0, h->bytes);
		args.flags |= RDS_RDMA_FENCE;
		h->verdict = EINPROGRESS;
	}
	answer(fd, client, &iov, 1, &args);
}

static void rdma_ended(int fd, const struct rds_rdma_notify *notify)
{
	struct slot *slot = &slots[notify->user_token % SLOTS];
	struct header *h = &slot->question;
	struct iovec iov = { h, sizeof(*h) };

	slot->used = false;
	if (notify->status != RDS_RDMA_SUCCESS)
		warnx("RDMA for question %llu ended with %d", (unsigned long long)h->id,
		      notify->status);
	else if (h->kind == READ) {
		h->verdict = is_filled(slot->memory, h->bytes, h->seed) ? 0 : EBADMSG;
		answer(fd, &slot->client, &iov, 1, NULL);
	}
}

static void take(int fd, struct msghdr *msg, struct header *h, u8 *data, ssize_t len)
{
	struct rds_rdma_notify notify;
	struct cmsghdr *cmsg;
	u64 cookie = 0;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level == SOL_RDS && cmsg->cmsg_type == RDS_CMSG_RDMA_DEST)
			memcpy(&cookie, CMSG_DATA(cmsg), sizeof(cookie));
		if (cmsg->cmsg_level == SOL_RDS && cmsg->cmsg_type == RDS_CMSG_RDMA_STATUS) {
			memcpy(&notify, CMSG_DATA(cmsg), sizeof(notify));
			rdma_ended(fd, &notify);
		}
	}
	if (len < (ssize_t)sizeof(*h))
		return;
	if (h->kind == MESSAGE && len == (ssize_t)(sizeof(*h) + h->bytes))
		answer_message(fd, h, data, msg->msg_name);
	else if (h->kind != MESSAGE && cookie && h->bytes <= MOST_BYTES)
		answer_by_rdma(fd, h, cookie, msg->msg_name);
	else
		errx(1, "a question of %zd bytes that is none", len);
}

int serve(int fd)
{
	static u8 data[MOST_BYTES];
	char control[1024] __attribute__((aligned(8)));
	struct sockaddr_in client;
	struct header h;
	struct iovec iov[] = { { &h, sizeof(h) }, { data, sizeof(data) } };
	struct msghdr msg;
	ssize_t len;
	u32 i;

	for (i = 0; i < SLOTS; i++) {
		slots[i].memory = malloc(MOST_BYTES);
		if (!slots[i].memory)
			err(1, "memory");
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		msg = (struct msghdr) {
			.msg_name = &client, .msg_namelen = sizeof(client),
			.msg_iov = iov, .msg_iovlen = 2,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		len = recvmsg(fd, &msg, 0);
		if (len < 0)
			err(1, "recvmsg");
		take(fd, &msg, &h, data, len);
	}
}
