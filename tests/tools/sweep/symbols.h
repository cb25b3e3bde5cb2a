/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SWEEP_SYMBOLS_H
#define SWEEP_SYMBOLS_H

#include "inject.h"

/* Return: 0, or -1 with a line on stderr.  Of modules as they are loaded now. */
int symbols_function(struct text *text, const char *name);
int symbols_modules(struct text *text, const char *const *modules, size_t count);

#endif
