// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sentinel: what of another process the attacker could reach, if anything could be reached.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "clock.h"
#include "sentinel.h"
#include "suite.h"
#include "wqe.h"

#define BEAT_LENGTH	4096
#define BEAT_PAUSE_MS	5
#define PATIENCE_MS	60000
#define SECRET_LENGTH	(WORK_LENGTH / 2)

static __printf(2, 3) void fail(struct sentinel *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
	s->failed = true;
}

/* One message, from memory of which the attacker knows the keys, to memory of which it does not */
static void beat(struct sentinel *s, struct side *sides, struct random *r)
{
	struct svt_cqe cqe;
	struct draft d;
	u8 *from, *to;
	u32 name;

	draft_begin(&d, r, sides, 0, LANE_RC, NULL);
	draft_plain(&d, IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, BEAT_LENGTH);
	from = (u8 *)d.wqe.sge[0].addr;
	to = (u8 *)d.wqe.rdma.remote_addr;
	memset(to, 0, BEAT_LENGTH);
	name = draft_post(&d);
	if (post_flush(&sides[0], &sides[0].lanes[LANE_RC], false))
		fail(s, "doorbell: %s", strerror(errno));
	else if (!poll_wait(&sides[0].lanes[LANE_RC].send_cq, &cqe, PATIENCE_MS))
		fail(s, "a request did not complete");
	else if (cqe.status || cqe.wr_id != wr_name(name))
		fail(s, "a request completed with status %u, name %llx", cqe.status, cqe.wr_id);
	else if (!poll_wait(&sides[1].lanes[LANE_RC].recv_cq, &cqe, PATIENCE_MS))
		fail(s, "a receive did not complete");
	else if (cqe.status || cqe.byte_len != BEAT_LENGTH)
		fail(s, "a receive completed with status %u, length %u", cqe.status,
		     cqe.byte_len);
	else if (memcmp(from, to, BEAT_LENGTH))
		fail(s, "data arrived changed");
	post_receives(&sides[1], LANE_RC, 1);
	s->beats++;
}

static void check_secret(struct sentinel *s)
{
	const u64 *word = (const u64 *)s->foreign.addr;
	u32 i;

	for (i = 0; i < SECRET_LENGTH / sizeof(*word); i++)
		if (word[i] != s->foreign.secret)
			fail(s, "memory that is registered changed at %zu", i * sizeof(*word));
}

/* Nothing is sent to these QPs, nor should anything happen to them */
static void check_untouched(struct sentinel *s, struct side *side)
{
	struct svt_cqe cqe;
	u64 element;
	int event;
	u32 kind;

	for (kind = LANE_RC + 1; kind < LANES; kind++) {
		struct lane *lane = &side->lanes[kind];

		if (poll_one(&lane->send_cq, &cqe) || poll_one(&lane->recv_cq, &cqe))
			fail(s, "a completion of lane %u that nobody asked for", kind);
		if (qp_state(&side->dev, &lane->qp) != IBV_QPS_RTS)
			fail(s, "the QP of lane %u is not in RTS any more", kind);
	}
	event = device_event(&side->dev, &element, 0);
	if (event >= 0 && event != IBV_EVENT_COMM_EST)
		fail(s, "event %d of a QP", event);
	if (arena_damage(&side->arena))
		fail(s, "memory changed");
}

static int open_sides(struct side *sides, const char *device, u64 salt)
{
	static const struct qp_caps caps = { 64, 4, 64, 16, 4 };
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < 2; i++) {
		ret = side_open(&sides[i], device, i, &caps, 256, salt);
		sides[i].patient = true;
	}
	for (i = 0; !ret && i < 2; i++)
		ret = side_meet(&sides[i], &sides[!i]);
	for (i = 0; !ret && i < LANES; i++)
		ret = lane_connect(sides, i);
	return ret;
}

/* What the attacker is told of holds the secret, a byte again and again: found at any alignment */
static void tell(struct sentinel *s, const struct side *side, u8 secret)
{
	memset(side->arena.work, secret, SECRET_LENGTH);
	s->foreign = (struct foreign){
		.addr = (uintptr_t)side->arena.work,
		.length = SECRET_LENGTH,
		.secret = 0x0101010101010101ULL * secret,
		.lkey = side->work.lkey,
		.rkey = side->work.rkey,
		.ah = side->ah.number,
		.qp_handle = side->lanes[LANE_RC].qp.handle,
		.ud_qpn = side->lanes[LANE_UD].qp.qpn,
	};
	__atomic_store_n(&s->ready, true, __ATOMIC_RELEASE);
}

static void run(struct sentinel *s, const char *device, u64 seed)
{
	static struct side sides[2];
	struct random r;
	int ret;
	u32 i;

	random_start(&r, seed, 0);
	ret = open_sides(sides, device, random_u64(&r));
	if (ret) {
		fail(s, "set-up: %s", strerror(-ret));
		return;
	}
	tell(s, &sides[0], 0x40 + random_below(&r, 128));
	while (!s->failed && !__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		beat(s, sides, &r);
		clock_sleep_ms(BEAT_PAUSE_MS);
	}
	check_secret(s);
	for (i = 0; i < 2; i++)
		check_untouched(s, &sides[i]);
	for (i = 0; i < 2; i++)
		side_close(&sides[i]);
}

struct sentinel *sentinel_start(const char *device, u64 seed)
{
	struct sentinel *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 limit = clock_limit(PATIENCE_MS);
	pid_t pid;

	if (s == MAP_FAILED)
		return NULL;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(s, device, seed);
		_exit(s->failed);
	}
	s->pid = pid;
	while (!__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE)) {
		if (s->failed || clock_passed(limit)) {
			suite_fail("the sentinel on %s did not start: %s", device, s->why);
			return NULL;
		}
		clock_sleep_ms(1);
	}
	return s;
}

void sentinel_stop(struct sentinel *s)
{
	int status = -1;

	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
	CHECK(waitpid(s->pid, &status, 0) == s->pid && !status && s->beats,
	      "the sentinel was harmed after %llu messages, status %x: %s", s->beats, status,
	      s->why);
	munmap(s, sizeof(*s));
}
