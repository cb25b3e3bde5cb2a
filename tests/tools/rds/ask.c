// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The side that asks: so many questions, or until it gets SIGTERM, but each to its end */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "clock.h"
#include "random.h"
#include "rds.h"

/* After which a question is asked again, and after which there is no hope */
#define PATIENCE_MS	3000
#define DESPAIR_MS	60000
/*
 * What RDMA goes to lies between two guards, at any place of a page. A question that is asked again
 * has memory of its own, as the first one may be answered yet: it is not freed.
 */
#define GUARD		64
#define GUARD_SEED	~0ull

struct asker {
	int fd;
	struct sockaddr_in server;
	struct random random;
	enum kind kind;
	u32 bytes;
	bool sure;	/* that there is a connection */
	u64 id, again;
	u64 cookie;	/* of what the server may use, until it has */
	u8 *room, *data;
};

/* SIGTERM is blocked, so it ends no question */
static void block_signal(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
}

static bool asked_enough(void)
{
	sigset_t signals;

	sigpending(&signals);
	return sigismember(&signals, SIGTERM);
}

static void make_room(struct asker *a)
{
	a->room = aligned_alloc(4096, MOST_BYTES + 2 * 4096 + 2 * GUARD);
	if (!a->room)
		err(1, "memory");
}

static bool guards_are_whole(const struct asker *a)
{
	return is_filled(a->data - GUARD, GUARD, GUARD_SEED) &&
	       is_filled(a->data + a->bytes, GUARD, GUARD_SEED);
}

static void prepare_data(struct asker *a, u64 seed)
{
	u32 pages = (a->bytes + 4095) / 4096 * 4096;

	/* Regions of RDS are of whole pages, 257 at most */
	a->data = a->room + GUARD;
	if (pages < MOST_BYTES)
		a->data += random_below(&a->random, 4096);
	fill(a->data - GUARD, GUARD, GUARD_SEED);
	fill(a->data + a->bytes, GUARD, GUARD_SEED);
	if (a->kind == WRITE)
		memset(a->data, 0, a->bytes);
	else
		fill(a->data, a->bytes, seed);
}

/*
 * As long as there is no connection, RDS has no device by which to register memory, or a queue pair
 * that takes no requests
 */
static bool may_come_back(int error)
{
	return error == EAGAIN || error == ENODEV || error == EINVAL || error == EBUSY ||
	       error == ENETUNREACH || error == ETIMEDOUT;
}

static int send_question(struct asker *a, struct header *h)
{
	struct iovec iov[] = { { h, sizeof(*h) }, { a->data, a->bytes } };
	struct msghdr msg = {
		.msg_name = &a->server, .msg_namelen = sizeof(a->server),
		.msg_iov = iov, .msg_iovlen = 2,
	};
	struct rds_get_mr_args args = {
		.vec = { (uintptr_t)a->data, a->bytes },
		.cookie_addr = (uintptr_t)&a->cookie,
		.flags = RDS_RDMA_USE_ONCE | RDS_RDMA_READWRITE | RDS_RDMA_INVALIDATE,
	};
	char control[CMSG_SPACE(sizeof(args))] __attribute__((aligned(8))) = { 0 };

	if (a->kind != MESSAGE) {
		msg.msg_iovlen = 1;
		say_besides(&msg, control, RDS_CMSG_RDMA_MAP, &args, sizeof(args));
	}
	return sendmsg(a->fd, &msg, 0) < 0 ? errno : 0;
}

/*
 * RDS gives a region back when the other side says that it has used it. One that nobody uses keeps
 * RDS from ending a connection that is lost, and so from making another; and so does the question,
 * as long as nobody said that it arrived.
 */
static void take_back(struct asker *a)
{
	struct rds_free_mr_args args = { .cookie = a->cookie, .flags = RDS_RDMA_INVALIDATE };

	if (a->kind == MESSAGE)
		return;
	if (setsockopt(a->fd, SOL_RDS, RDS_CANCEL_SENT_TO, &a->server, sizeof(a->server)))
		err(1, "RDS_CANCEL_SENT_TO");
	if (setsockopt(a->fd, SOL_RDS, RDS_FREE_MR, &args, sizeof(args)) && errno != EINVAL)
		err(1, "RDS_FREE_MR");
}

/* Return: whether there is an answer in time.  One to an older question is none. */
static bool hear_answer(const struct asker *a, struct header *h, u8 *data, ssize_t *len)
{
	struct iovec iov[] = { { h, sizeof(*h) }, { data, MOST_BYTES } };
	u64 limit = clock_limit(PATIENCE_MS);
	struct msghdr msg;

	while (!clock_passed(limit)) {
		msg = (struct msghdr) { .msg_iov = iov, .msg_iovlen = 2 };
		*len = recvmsg(a->fd, &msg, 0);
		if (*len < 0 && errno != EAGAIN && errno != ETIMEDOUT)
			err(1, "recvmsg");
		if (*len >= (ssize_t)sizeof(*h) && h->id == a->id && h->verdict != EINPROGRESS)
			return true;
	}
	return false;
}

/* Exits when the answer is wrong */
static void compare(const struct asker *a, const struct header *h, const u8 *data, ssize_t len,
		    u64 seed)
{
	ssize_t wanted = sizeof(*h) + (a->kind == MESSAGE ? a->bytes : 0);

	if (h->verdict || h->seed != seed || h->bytes != a->bytes || len != wanted)
		errx(1, "question %llu: answer of %zd bytes: %s", (unsigned long long)a->id, len,
		     strerror(h->verdict));
	if ((a->kind == MESSAGE && !is_filled(data, a->bytes, ~seed)) ||
	    (a->kind == WRITE && !is_filled(a->data, a->bytes, seed)))
		errx(1, "question %llu: the answer has wrong data", (unsigned long long)a->id);
	if (!guards_are_whole(a))
		errx(1, "question %llu: written beside the data", (unsigned long long)a->id);
}

static void ask_one(struct asker *a);

/*
 * RDS would register memory by a queue pair whose connection is not established yet, and ignores
 * its completions (i_cq_quiesce); should that connection fail, both the asker and the end of the
 * connection would wait for ever. So the server has to have answered a message before. It answers
 * in order, after what an asker that was killed has left: RDMA that fails then, and takes the
 * connection with it.
 */
static void make_sure(struct asker *a)
{
	enum kind kind = a->kind;
	u32 bytes = a->bytes;

	a->kind = MESSAGE;
	a->bytes = 1;
	ask_one(a);
	a->kind = kind;
	a->bytes = bytes;
	a->sure = true;
}

static void ask_one(struct asker *a)
{
	static u8 data[MOST_BYTES];
	u64 limit = clock_limit(DESPAIR_MS), seed = random_u64(&a->random);
	struct header h;
	ssize_t len;
	int error;

	for (;;) {
		if (a->kind != MESSAGE && !a->sure)
			make_sure(a);
		a->id++;
		h = (struct header) {
			.id = a->id, .seed = seed, .bytes = a->bytes, .kind = a->kind,
		};
		prepare_data(a, seed);
		error = send_question(a, &h);
		if (!error && hear_answer(a, &h, data, &len))
			break;
		if (error && !may_come_back(error))
			errx(1, "question %llu: %s", (unsigned long long)a->id, strerror(error));
		if (clock_passed(limit))
			errx(1, "no answer: %s", strerror(error));
		if (error) {
			clock_sleep_ms(100);
		} else {
			take_back(a);
			make_room(a);
		}
		a->sure = false;
		a->again++;
	}
	compare(a, &h, data, len, seed);
}

static void set_timeout(int fd)
{
	struct timeval second = { .tv_sec = 1 };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second)))
		err(1, "setsockopt");
}

int ask(int fd, const char *host, u16 port, enum kind kind, u32 count, u32 bytes)
{
	struct asker a = {
		.fd = fd, .server = address_of(host, port), .kind = kind, .bytes = bytes,
	};
	u32 i;

	set_timeout(fd);
	block_signal();
	random_start(&a.random, random_seed(), 0);
	make_room(&a);
	for (i = 0; i < count && !asked_enough(); i++)
		ask_one(&a);
	printf("%u answers of %u bytes, %llu asked again\n", i, bytes,
	       (unsigned long long)a.again);
	return 0;
}

/* Who listens at port 0 is the kernel, which sends each message back */
int ping(int fd, const char *host, u32 count)
{
	struct sockaddr_in server = address_of(host, 0);
	u32 i, back;

	set_timeout(fd);
	for (i = 0; i < count; i++) {
		u64 limit = clock_limit(DESPAIR_MS);

		if (sendto(fd, NULL, 0, 0, (struct sockaddr *)&server, sizeof(server)))
			err(1, "sendto");
		while (recv(fd, &back, sizeof(back), 0) < 0)
			if ((errno != EAGAIN && errno != ETIMEDOUT) || clock_passed(limit))
				err(1, "recv");
	}
	printf("%u pings\n", count);
	return 0;
}
