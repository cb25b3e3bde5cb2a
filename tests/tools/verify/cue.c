// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cues between a case and the script that runs it.
 */
#include <stdio.h>
#include <string.h>

#include "cue.h"

#define CUE_LEN		32
#define LOOK_MS		20

void cue_need(struct test *t)
{
	if (!t->run->scripted)
		test_skip(t, "only with -x");
}

void cue_at(struct test *t, const char *word)
{
	if (t->client)
		suite_note("at %s", word);
}

bool cue_given(struct test *t, const char *word)
{
	char text[CUE_LEN] = "";
	FILE *f;

	if (!t->run->cues)
		return false;
	f = fopen(t->run->cues, "r");
	if (!f)
		return false;
	if (fscanf(f, "%31s", text) != 1)
		text[0] = 0;
	fclose(f);
	return !strcmp(text, word);
}

void cue_meet(struct test *t, const char *word)
{
	u64 limit = clock_limit(LIMIT_PEER_MS);

	while (t->client && !cue_given(t, word)) {
		if (clock_passed(limit))
			test_fail(t, "the script did not say '%s' in time", word);
		clock_sleep_ms(LOOK_MS);
		test_poll_peer(t);
	}
	test_sync(t);
}
