/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_POST_H
#define PACKETS_POST_H

#include "target.h"

/* Work requests of a target. Those that cannot be posted end the program. */
void post_receives(struct scene *s, struct target *t);
void post_requests(struct scene *s, struct target *t);
/* A send that fails on the spot, which takes UC and UD to SQE. */
void post_failing(struct scene *s, struct target *t);
/* Binds a new window in place of the old one. */
void post_window(struct scene *s, struct target *t);
/* The target was reset. */
void post_forget(struct target *t);
void post_poll(struct scene *s, struct target *t);

#endif
