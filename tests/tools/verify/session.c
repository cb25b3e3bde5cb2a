// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the two sides say to each other between tests.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "session.h"

#define SESSION_VERSION	2

struct hello {
	u32 version;
	u32 mtu;
	u64 seed;
	u32 client;
	u32 lossy;
	u32 large;
	u32 scripted;
	u32 cases;
};

int session_peek(int fd, struct oob_head *head)
{
	ssize_t n = recv(fd, head, sizeof(*head), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	return n == sizeof(*head) ? 0 : -EAGAIN;
}

static int check_hello(struct run *run, const struct hello *h)
{
	if (h->version != SESSION_VERSION) {
		fprintf(stderr, "the peer is svt_verify of another version\n");
		return -1;
	}
	if (!h->client == !run->client) {
		fprintf(stderr, "both sides are a %s\n", run->client ? "client" : "server");
		return -1;
	}
	if (h->mtu < run->mtu)
		run->mtu = h->mtu;
	if (!run->client) {
		run->seed = h->seed;
		run->cases = h->cases;
	}
	run->lossy |= !!h->lossy;
	run->large |= !!h->large;
	run->scripted |= !!h->scripted;
	return 0;
}

int session_hello(struct run *run)
{
	struct hello mine = {
		.version = SESSION_VERSION,
		.mtu = run->mtu,
		.seed = run->seed,
		.client = run->client,
		.lossy = run->lossy,
		.large = run->large,
		.scripted = run->scripted,
		.cases = run->cases,
	};
	struct oob_frame f;
	struct hello theirs;
	int ret;

	ret = oob_send(run->oob, FRAME_HELLO, 0, 0, &mine, sizeof(mine));
	if (!ret)
		ret = oob_recv(run->oob, &f, clock_limit(LIMIT_PEER_MS));
	if (!ret && (f.head.kind != FRAME_HELLO || f.head.len != sizeof(theirs)))
		ret = -EPROTO;
	if (ret) {
		fprintf(stderr, "no greeting from the peer: %s\n", strerror(-ret));
		return -1;
	}
	memcpy(&theirs, f.data, sizeof(theirs));
	return check_hello(run, &theirs);
}

int session_start(struct run *run, const struct suite_case *c)
{
	return oob_send(run->oob, FRAME_START, ++run->round, 0, c->name, strlen(c->name) + 1);
}

static const struct suite_case *case_of(struct oob_frame *f)
{
	if (!f->head.len)
		return NULL;
	f->data[f->head.len - 1] = 0;
	return suite_find((char *)f->data);
}

const struct suite_case *session_next(struct run *run)
{
	const struct suite_case *c = NULL;
	struct oob_frame f;
	int ret;

	ret = oob_recv(run->oob, &f, clock_limit(2 * LIMIT_PEER_MS));
	if (!ret && f.head.kind == FRAME_BYE)
		return NULL;
	if (!ret && f.head.kind == FRAME_START) {
		c = case_of(&f);
		run->round = f.head.round;
	}
	if (!c)
		fprintf(stderr, "no next case from the client: %s\n",
			ret ? strerror(-ret) : "it has others");
	return c;
}

void session_bye(struct run *run)
{
	oob_send(run->oob, FRAME_BYE, 0, 0, NULL, 0);
}
