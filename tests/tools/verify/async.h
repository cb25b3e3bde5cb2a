/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_ASYNC_H
#define VERIFY_ASYNC_H

#include "test.h"

/* Asynchronous events of the device; the descriptor is non-blocking. */
void async_drain(struct test *t);
/* True when event @type of @obj (QP, CQ or SRQ) comes within @ms; other events are dropped. */
bool async_wait(struct test *t, enum ibv_event_type type, const void *obj, u32 ms);
void async_expect(struct test *t, enum ibv_event_type type, const void *obj);

#endif
