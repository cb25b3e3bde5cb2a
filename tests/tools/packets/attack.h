/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_ATTACK_H
#define PACKETS_ATTACK_H

#include "exchange.h"

/* Exchanges made from the seed, mutated. Return whether all is well; what is not is on stdout. */
bool attack_run(struct scene *s);
/* Packets of a pair of QPs and of others, as seen on the wire, mutated. */
bool replay_run(struct scene *s);
/* Named attacks, each with all that has to come of it; all of them without names. */
bool known_run(struct scene *s, char **names, u32 count);
void known_list(void);

/* Leaves a line in the kernel's log, which is what remains of a machine that died. */
void attack_mark(const struct scene *s, const char *what, u64 number);

#endif
