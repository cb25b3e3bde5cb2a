// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every command and every attribute with every length, from nothing to more than there is.
 */
#include <string.h>

#include "case.h"
#include "../world.h"

void case_lengths(struct test *st)
{
	static struct tally tally;
	static struct world w;
	int ret;

	w.tally = &tally;
	w.wild = true;
	w.foreign = st->foreign;
	memcpy(w.sides, st->sides, sizeof(w.sides));
	ret = sandbox_map(&w.sandbox);
	CHECK(!ret, "no memory");
	if (!ret) {
		sweep_commands(&w, &st->rng);
		sweep_methods(&w, &st->rng);
		sandbox_unmap(&w.sandbox);
	}
	suite_note("%llu commands, %llu ioctls, %llu taken", tally.commands, tally.ioctls,
		   tally.accepted);
	CHECK(tally.accepted, "none was taken");
}
