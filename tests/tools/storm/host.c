// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices and their asynchronous events.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "clock.h"
#include "host.h"
#include "report.h"

#define SLICE_MS	50
#define FATAL_MS	30000

/* Errors that only a broken queue has: nobody here breaks one */
static bool is_bad(enum ibv_event_type type)
{
	return type == IBV_EVENT_CQ_ERR || type == IBV_EVENT_QP_FATAL ||
	       type == IBV_EVENT_SRQ_ERR || type == IBV_EVENT_WQ_FATAL;
}

static void take_event(struct host *host, struct ibv_async_event *event)
{
	enum ibv_event_type type = event->event_type;

	ibv_ack_async_event(event);
	tally(TALLY_ASYNC_EVENTS);
	if (type == IBV_EVENT_DEVICE_FATAL) {
		tally(TALLY_FATAL);
		if (!host->may_go)
			fail("%s is gone", host->name);
		atomic_store(&host->gone, true);
	} else if (is_bad(type)) {
		fail("%s: event: %s", host->name, ibv_event_type_str(type));
	}
}

static void *take_events(void *arg)
{
	struct host *host = arg;
	struct pollfd p = { .fd = host->dev.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (!atomic_load(&host->closing)) {
		if (poll(&p, 1, SLICE_MS) <= 0)
			continue;
		if (!ibv_get_async_event(host->dev.ctx, &event))
			take_event(host, &event);
		/* A device that is gone has no more events, and its descriptor is always ready */
		else if (atomic_load(&host->gone))
			break;
	}
	return NULL;
}

int host_open(struct host *host, const char *name, bool may_go, bool unsteady)
{
	int fd, err;

	memset(host, 0, sizeof(*host));
	host->name = name;
	host->may_go = may_go;
	host->unsteady = unsteady;
	if (dev_open(&host->dev, name, -1)) {
		fail("cannot open %s", name);
		return -1;
	}
	fd = host->dev.ctx->async_fd;
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) {
		fail("fcntl: %s", strerror(errno));
		goto close;
	}
	err = pthread_create(&host->thread, NULL, take_events, host);
	if (!err)
		return 0;
	fail("pthread_create: %s", strerror(err));
close:
	dev_close(&host->dev);
	return -1;
}

void host_close(struct host *host)
{
	atomic_store(&host->closing, true);
	pthread_join(host->thread, NULL);
	dev_close(&host->dev);
}

bool hosts_excuse(struct host *a, struct host *b, int err)
{
	u64 limit = clock_limit(FATAL_MS);

	if (!a->may_go && !b->may_go)
		return false;
	while (!atomic_load(&a->gone) && !atomic_load(&b->gone)) {
		if (clock_passed(limit)) {
			fail("%s, %s: %s, but no IBV_EVENT_DEVICE_FATAL", a->name, b->name,
			     strerror(err));
			break;
		}
		clock_sleep_ms(1);
	}
	return true;
}
