/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_ECHO_H
#define PACKETS_ECHO_H

#include "frame.h"

/*
 * Another process, which sends every frame a second time, a little later and on another CPU: when
 * the target is looked after, put into another state, or the next frame is on its way.
 */
struct echo;

/* Before this process has opened a device; @fd is a packet socket. NULL when that fails. */
struct echo *echo_start(int fd);
/* Returns how many frames it sent. */
u64 echo_stop(struct echo *e);
/* Frames that it has no room for are not repeated. */
void echo_push(struct echo *e, const struct frame *f);

#endif
