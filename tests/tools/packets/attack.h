/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_ATTACK_H
#define PACKETS_ATTACK_H

#include "exchange.h"

/* As cases of a suite: exchanges made from the seed, mutated; */
void attack_run(struct scene *s);
/* packets of a pair of QPs and of others, as seen on the wire, mutated. */
void replay_run(struct scene *s);

/* Leaves a line in the kernel's log, which is what remains of a machine that died. */
void attack_mark(const struct scene *s, const char *what, u64 number);

#endif
