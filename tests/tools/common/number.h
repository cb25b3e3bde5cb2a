/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_NUMBER_H
#define TOOLS_NUMBER_H

#include "types.h"

/* As C has them: 10, 0xa, 012; nothing before or behind.  False: not so, or above @most. */
bool number_parse(const char *text, u64 most, u64 *value);
/* Of a command line: says what is wrong and exits with 2. */
u64 number_of(const char *text, u64 most);

#endif
