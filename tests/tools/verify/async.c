// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events.  Each is acknowledged at once: destroying an object waits for that.
 */
#include <errno.h>
#include <poll.h>

#include "async.h"

#define SLICE_MS	200

static bool next_event(struct test *t, struct ibv_async_event *ev)
{
	if (ibv_get_async_event(t->dev->ctx, ev))
		return false;
	ibv_ack_async_event(ev);
	return true;
}

void async_drain(struct test *t)
{
	struct ibv_async_event ev;

	while (next_event(t, &ev))
		;
}

bool async_wait(struct test *t, enum ibv_event_type type, const void *obj, u32 ms)
{
	struct pollfd p = { .fd = t->dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event ev;
	u64 limit = clock_limit(ms);

	for (;;) {
		while (next_event(t, &ev))
			if (ev.event_type == type && (const void *)ev.element.qp == obj)
				return true;
		if (clock_passed(limit))
			return false;
		poll(&p, 1, min_u32(SLICE_MS, clock_left_ms(limit)));
	}
}

void async_expect(struct test *t, enum ibv_event_type type, const void *obj)
{
	if (!async_wait(t, type, obj, LIMIT_EVENT_MS / 3))
		test_fail(t, "no async event: %s", ibv_event_type_str(type));
}
