/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "step.h"

/* What came of the points of a step, or of all. */
struct tally {
	u32 failed;	/* the call returned an error */
	u32 survived;	/* the call succeeded nevertheless */
};

/* As a case of a suite. */
void sweep_step(struct bench *b, const struct step *step, struct tally *tally);

#endif
