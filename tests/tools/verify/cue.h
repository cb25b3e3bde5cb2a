/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_CUE_H
#define VERIFY_CUE_H

#include "test.h"

/*
 * A script changes the wire while a case runs.  The client tells it on its output how far the case
 * is, a line `at WORD', and the script answers with a word in the file of option -x.  The server
 * learns of it from the client.
 */
/* Skips the test where there is no script. */
void cue_need(struct test *t);
void cue_at(struct test *t, const char *word);
bool cue_given(struct test *t, const char *word);
/* Both sides: the client waits for @word. */
void cue_meet(struct test *t, const char *word);

#endif
