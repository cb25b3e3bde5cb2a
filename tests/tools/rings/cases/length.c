// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every command and every attribute with every length, from nothing to more than there is.
 */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "../world.h"

void case_lengths(struct stage *st)
{
	static struct tally tally;
	static struct world w;
	int ret;

	w.tally = &tally;
	w.wild = true;
	w.foreign = st->foreign;
	memcpy(w.sides, st->sides, sizeof(w.sides));
	ret = sandbox_map(&w.sandbox);
	check(st, !ret, "no memory");
	if (!ret) {
		sweep_commands(&w, &st->rng);
		sweep_methods(&w, &st->rng);
		sandbox_unmap(&w.sandbox);
	}
	printf("%llu commands, %llu ioctls, %llu taken\n", tally.commands, tally.ioctls,
	       tally.accepted);
	check(st, tally.accepted, "none was taken");
	st->failures += tally.failures;
}
