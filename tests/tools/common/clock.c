// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The monotonic clock and scaled time limits.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

u64 clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

double clock_scale(void)
{
	static double scale;
	const char *env;

	if (scale == 0) {
		env = getenv("SVT_TIME_SCALE");
		scale = env ? strtod(env, NULL) : 1;
		if (!(scale > 0))
			scale = 1;
	}
	return scale;
}

u64 clock_scaled_ms(u32 ms)
{
	return (u64)(ms * clock_scale());
}

u64 clock_limit(u32 ms)
{
	return clock_us() + clock_scaled_ms(ms) * 1000;
}

bool clock_passed(u64 limit)
{
	return clock_us() >= limit;
}

/* What poll(2) takes: never negative, rounded up so that a wait does not end early. */
int clock_left_ms(u64 limit)
{
	u64 now = clock_us();

	return now >= limit ? 0 : (int)min_u64((limit - now + 999) / 1000, 1 << 30);
}

/* Not scaled: for pauses that are part of a test, not limits on it. */
void clock_sleep_ms(u32 ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

void clock_alarm(u32 ms)
{
	alarm(ms ? clock_scaled_ms(ms) / 1000 + 1 : 0);
}
