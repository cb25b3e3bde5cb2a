/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_GUARD_H
#define RINGS_GUARD_H

#include "types.h"

/*
 * Who takes mappings away meets the hole later.  guard_run() calls @step and returns false when it
 * was ended by SIGSEGV or SIGBUS; each thread may have one call under way.
 */
void guard_init(void);
bool guard_run(void (*step)(void *arg), void *arg);

#endif
