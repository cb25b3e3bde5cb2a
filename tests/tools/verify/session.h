/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_SESSION_H
#define VERIFY_SESSION_H

#include "oob.h"
#include "test.h"

enum frame_kind {
	FRAME_HELLO = 1,
	FRAME_START,	/* client to server: the name of the next test */
	FRAME_MEET,
	FRAME_END,
	FRAME_BYE,
};

/* The head of the next frame, left where it is.  Return: 0 or a negative errno. */
int session_peek(int fd, struct oob_head *head);

/*
 * Agree on version, seed, path MTU and number of cases (the client's, the smaller MTU).
 * Return: 0, or -1 with a line on stderr.
 */
int session_hello(struct run *run);

/*
 * The client calls session_start() before each case; session_next() gives it to the server, or NULL
 * at the end, with a line on stderr when the peer is lost.  Each begins a round.
 */
int session_start(struct run *run, const struct suite_case *c);
const struct suite_case *session_next(struct run *run);
void session_bye(struct run *run);

#endif
