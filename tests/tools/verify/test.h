/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_TEST_H
#define VERIFY_TEST_H

#include <infiniband/verbs.h>

#include "clock.h"
#include "dev.h"
#include "oob.h"
#include "suite.h"
#include "types.h"

#define WHY_LEN		400

/*
 * Limits in ms, before SVT_TIME_SCALE: one completion or event; the peer; a message that
 * takes long; a whole test.
 */
#define LIMIT_EVENT_MS	30000
#define LIMIT_PEER_MS	90000
#define LIMIT_SLOW_MS	400000
#define LIMIT_TEST_MS	600000
/* How long "nothing happens" is watched for. */
#define QUIET_MS	150

/* The argument of a case that is one of two. */
#define ARG_YES		((const void *)1)

/* The session: one device, one peer, the same on every test. */
struct run {
	struct dev dev;
	int oob;
	bool client;
	bool events;	/* -e: wait in completion channels instead of polling */
	bool large;	/* -L */
	bool lossy;	/* -u: UC and UD may lose messages on this wire */
	bool lost;	/* the peer is gone, nothing more can run */
	u32 cases;	/* that the client runs */
	u32 round;	/* the number of the one that runs */
	bool scripted;	/* a script gives cues */
	const char *pmem;	/* -P */
	const char *cues;	/* -x, at the client: the file that they are in */
	u64 seed;
	enum ibv_mtu mtu;
};

enum verdict {
	VERDICT_OK,
	VERDICT_FAIL,
	VERDICT_SKIP,
	VERDICT_PEER,	/* the peer ended the test early, and knows why */
};

struct outcome {
	u32 verdict;
	char why[WHY_LEN];
};

struct res;

/*
 * One running test.  Both sides run the same function at the same time and meet in test_sync()
 * and test_exchange().  A test ends early by test_fail() or test_skip(), which do not return;
 * what it has created is on @res and is destroyed afterwards, newest first.
 */
struct test {
	const struct suite_case *c;
	struct run *run;
	struct dev *dev;
	bool client;
	u32 round;
	u32 step;
	u32 peer_ms;		/* how long the peer may keep us waiting at a meeting */
	u64 key;		/* from the seed and the name: the same on both sides */
	struct ibv_pd *pd;
	struct res *res;
	struct outcome mine;
	struct outcome peers;
	bool peer_ended;
};

void test_fail(struct test *t, const char *fmt, ...) __noreturn __printf(2, 3);
void test_skip(struct test *t, const char *fmt, ...) __noreturn __printf(2, 3);

/* Both sides have come here. */
void test_sync(struct test *t);
/* The same, each handing the other @len bytes, at most OOB_DATA_MAX. */
void test_exchange(struct test *t, const void *mine, void *theirs, u32 len);
/* Ends the test if the peer has ended it; for loops that wait for something else. */
void test_poll_peer(struct test *t);

/* Runs the case on this side and settles the verdict with the peer. */
void test_execute(struct test *t, struct outcome *result);

/* Pseudo-random 64 bits, a function of the test, the seed and @n. */
u64 test_rnd(const struct test *t, u64 n);

#endif
