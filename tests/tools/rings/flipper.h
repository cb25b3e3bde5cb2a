/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_FLIPPER_H
#define RINGS_FLIPPER_H

#include "world.h"

/* A thread that changes bytes of rings, and of commands, while the kernel reads them */
int flipper_start(struct world *w);
void flipper_stop(void);

/* Some bytes of any ring of @w: what the thread does, and what a child does with what it got */
void flip_some(struct world *w, struct random *r, u32 count);

#endif
