/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_CLOCK_H
#define TOOLS_CLOCK_H

#include "types.h"

/*
 * Every time limit goes through here, so that SVT_TIME_SCALE (a decimal number, 1 by default)
 * stretches them all on a slow machine.  A limit is a point on the monotonic clock, in us.
 */
u64 clock_us(void);
double clock_scale(void);
u64 clock_scaled_ms(u32 ms);
u64 clock_limit(u32 ms);
bool clock_passed(u64 limit);
int clock_left_ms(u64 limit);
void clock_sleep_ms(u32 ms);
/* SIGALRM then, for what hangs; 0: not any more */
void clock_alarm(u32 ms);

#endif
