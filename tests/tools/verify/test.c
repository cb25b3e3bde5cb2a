// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One test on both sides in lock step.
 *
 * Every frame carries the round (which test) and the step (which meeting point in it).  Each
 * side sends exactly one END in a round, with its verdict; one that arrives while a meeting is
 * awaited ends the test here too, so a failure on one side never leaves the other waiting.
 * After both ENDs no frame of the round is left on the wire.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "res.h"
#include "session.h"
#include "test.h"

u64 test_rnd(const struct test *t, u64 n)
{
	return random_hash(t->key ^ random_hash(n));
}

static u64 name_key(u64 seed, const char *name)
{
	for (; *name; name++)
		seed = random_hash(seed ^ (u8)*name);
	return seed;
}

static void __noreturn test_end(struct test *t, enum verdict verdict)
{
	t->mine.verdict = verdict;
	suite_leave();
}

void test_fail(struct test *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->mine.why, sizeof(t->mine.why), fmt, args);
	va_end(args);
	test_end(t, VERDICT_FAIL);
}

void test_skip(struct test *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->mine.why, sizeof(t->mine.why), fmt, args);
	va_end(args);
	test_end(t, VERDICT_SKIP);
}

static void take_end(struct test *t, const struct oob_frame *f)
{
	t->peer_ended = true;
	memcpy(&t->peers, f->data, sizeof(t->peers));
	t->peers.why[WHY_LEN - 1] = 0;
}

static void lose_peer(struct test *t, const char *why)
{
	t->run->lost = true;
	test_fail(t, "lost the peer: %s", why);
}

static void send_frame(struct test *t, u32 kind, const void *data, u32 len)
{
	int ret = oob_send(t->run->oob, kind, t->round, t->step, data, len);

	if (ret)
		lose_peer(t, strerror(-ret));
}

static void meet(struct test *t, struct oob_frame *f, u32 len)
{
	int ret = oob_recv(t->run->oob, f, clock_limit(t->peer_ms));

	if (ret == -ETIMEDOUT)
		test_fail(t, "the peer did not come to step %u in time", t->step);
	if (ret)
		lose_peer(t, strerror(-ret));
	if (f->head.round != t->round)
		lose_peer(t, "it runs another test");
	if (f->head.kind == FRAME_END) {
		take_end(t, f);
		test_end(t, VERDICT_PEER);
	}
	if (f->head.step != t->step || f->head.len != len)
		test_fail(t, "out of step: %u here, %u there", t->step, f->head.step);
}

void test_exchange(struct test *t, const void *mine, void *theirs, u32 len)
{
	struct oob_frame f;

	send_frame(t, FRAME_MEET, mine, len);
	meet(t, &f, len);
	if (len)
		memcpy(theirs, f.data, len);
	t->step++;
}

void test_sync(struct test *t)
{
	test_exchange(t, NULL, NULL, 0);
}

/*
 * A pending frame may be the peer's side of the next meeting, so that only an END at the head
 * of the stream is looked for, and a meeting frame is left for meet().
 */
void test_poll_peer(struct test *t)
{
	struct oob_head head;
	struct oob_frame f;

	if (!oob_pending(t->run->oob))
		return;
	if (session_peek(t->run->oob, &head) || head.kind != FRAME_END)
		return;
	meet(t, &f, 0);
}

static void run_case(struct test *t)
{
	res_begin(t);
	t->c->run(t);
	test_sync(t);
}

static void settle(struct test *t)
{
	struct oob_frame f;
	int ret;

	ret = oob_send(t->run->oob, FRAME_END, t->round, t->step, &t->mine, sizeof(t->mine));
	while (!ret && !t->peer_ended) {
		ret = oob_recv(t->run->oob, &f, clock_limit(t->peer_ms + LIMIT_PEER_MS));
		if (!ret && f.head.kind == FRAME_END)
			take_end(t, &f);
	}
	if (ret)
		t->run->lost = true;
}

static void judge(const struct test *t, struct outcome *result)
{
	const struct outcome *mine = &t->mine, *peers = &t->peers;

	*result = *mine;
	if (!t->peer_ended && mine->verdict != VERDICT_FAIL) {
		result->verdict = VERDICT_FAIL;
		snprintf(result->why, WHY_LEN, "lost the peer");
	} else if (peers->verdict == VERDICT_FAIL) {
		result->verdict = VERDICT_FAIL;
		snprintf(result->why, WHY_LEN, "%.*s%s%s: %.*s", WHY_LEN / 2 - 8,
			 mine->verdict == VERDICT_FAIL ? mine->why : "",
			 mine->verdict == VERDICT_FAIL ? "; " : "",
			 t->client ? "server" : "client", WHY_LEN / 2 - 8, peers->why);
	} else if (mine->verdict == VERDICT_PEER) {
		*result = *peers;
	} else if (mine->verdict == VERDICT_OK && peers->verdict == VERDICT_SKIP) {
		*result = *peers;
	}
}

void test_execute(struct test *t, struct outcome *result)
{
	t->key = name_key(t->run->seed, t->c->name);
	t->dev = &t->run->dev;
	t->peer_ms = LIMIT_PEER_MS;
	t->client = t->run->client;
	suite_call(run_case, t);
	res_end(t);
	if (!t->run->lost)
		settle(t);
	judge(t, result);
}
